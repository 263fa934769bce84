import { z } from "zod";
import { canonicalJson, parseCanonicalJson } from "../primitives/json.ts";
import type { Sql } from "./sql.ts";

/** Which answer: one Mind, one question. */
export interface AnswerKey {
  readonly session: string;
  readonly agent: string;
  /** e.g. "draft", "speak", "rank", "bid". */
  readonly step: string;
  readonly round: number;
}

/** What Minds answered. A run that starts again hears the same answers, so nothing that depended on them changes (decision 45). */
export interface Answers {
  /**
   * The recorded answer, or the one `compute` gives, recorded before it is returned. Answers are JSON (amounts as decimal text);
   * `schema` checks them both times. Of two that compute at once, both return the one that was recorded first.
   */
  remember<Answer>(key: AnswerKey, schema: z.ZodType<Answer>, compute: () => Promise<unknown>): Promise<Answer>;
  /** The recorded answer, if there is one. */
  recall<Answer>(key: AnswerKey, schema: z.ZodType<Answer>): Promise<Answer | undefined>;
  /** Forgets a session's answers, once its record is in a bundle. */
  forget(session: string): Promise<void>;
}

export function openAnswers(sql: Sql): Answers {
  async function find({ session, agent, step, round }: AnswerKey): Promise<string | undefined> {
    const [row] = await sql.query("SELECT answer FROM answers WHERE session = $1 AND agent = $2 AND step = $3 AND round = $4", [
      session,
      agent,
      step,
      round,
    ]);
    return row === undefined ? undefined : z.string().parse(row["answer"]);
  }

  return {
    async remember(key, schema, compute) {
      const recorded = await find(key);
      if (recorded !== undefined) return schema.parse(parseCanonicalJson(recorded));
      const answer = canonicalJson(await compute());
      schema.parse(parseCanonicalJson(answer));
      await sql.query("INSERT INTO answers (session, agent, step, round, answer) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING", [
        key.session,
        key.agent,
        key.step,
        key.round,
        answer,
      ]);
      return schema.parse(parseCanonicalJson((await find(key)) ?? answer));
    },

    async recall(key, schema) {
      const recorded = await find(key);
      return recorded === undefined ? undefined : schema.parse(parseCanonicalJson(recorded));
    },

    async forget(session) {
      await sql.query("DELETE FROM answers WHERE session = $1", [session]);
    },
  };
}
