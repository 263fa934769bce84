import { z } from "zod";
import { canonicalJson, parseCanonicalJson } from "../primitives/json.ts";
import { keepNewest } from "../primitives/recent.ts";
import { together } from "../primitives/together.ts";
import type { Sql } from "./sql.ts";

/** Identifies an answer: one mind, one question. */
export interface AnswerKey {
  readonly session: string;
  readonly agent: string;
  /** e.g. "draft", "speak", "rank", "bid". */
  readonly step: string;
  readonly round: number;
}

/** Answers of minds. A resumed run receives the same answers, so nothing that depended on them changes (decision 45). */
export interface Answers {
  /**
   * The recorded answer, or the result of `compute`, recorded before it is returned. Answers are JSON (amounts as decimal text) and are
   * checked by `schema` both when written and when read. Concurrent calls for one key all return the answer recorded first.
   */
  remember<Answer>(key: AnswerKey, schema: z.ZodType<Answer>, compute: () => Promise<unknown>): Promise<Answer>;
  /** The recorded answer, if there is one. */
  recall<Answer>(key: AnswerKey, schema: z.ZodType<Answer>): Promise<Answer | undefined>;
  /** Removes a session's answers, once its record is in a bundle. */
  forget(session: string): Promise<void>;
}

/** Sessions cached in memory: their answers are read repeatedly until they are over. */
const HELD = 16;

/** A session's answers by question, each as its canonical text. */
type Session = Map<string, string>;

/** Only one process may write these answers at a time: what it has read is cached. */
export function openAnswers(sql: Sql): Answers {
  const held = new Map<string, Promise<Session>>();

  /** Evicts the least recently used session. */
  function sessionOf(name: string): Promise<Session> {
    const session = held.get(name) ?? load(sql, name);
    keepNewest(held, name, session, HELD);
    session.catch(() => held.delete(name));
    return session;
  }

  const find = async (key: AnswerKey): Promise<string | undefined> => (await sessionOf(key.session)).get(questionOf(key));

  const write = together((answers: readonly Written[]) => writeAll(sql, answers));

  /** The answer on record afterwards: this one, or an earlier one. */
  async function insert({ session, agent, step, round }: AnswerKey, answer: string): Promise<string> {
    if (await write({ session, agent, step, round, answer })) return answer;
    const place = [session, agent, step, round];
    const [row] = await sql.query("SELECT answer FROM answers WHERE session = $1 AND agent = $2 AND step = $3 AND round = $4", place);
    return z.string().parse(row?.["answer"]);
  }

  return {
    async remember(key, schema, compute) {
      const recorded = await find(key);
      if (recorded !== undefined) return schema.parse(JSON.parse(recorded));
      const answer = canonicalJson(await compute());
      const own = schema.parse(JSON.parse(answer));
      const first = await insert(key, answer);
      (await sessionOf(key.session)).set(questionOf(key), first);
      return first === answer ? own : schema.parse(JSON.parse(first));
    },

    async recall(key, schema) {
      const recorded = await find(key);
      return recorded === undefined ? undefined : schema.parse(JSON.parse(recorded));
    },

    async forget(session) {
      await sql.query("DELETE FROM answers WHERE session = $1", [session]);
      held.delete(session);
    },
  };
}

interface Written extends AnswerKey {
  readonly answer: string;
}

/** Writes answers where there are none yet; returns which were written. */
async function writeAll(sql: Sql, answers: readonly Written[]): Promise<boolean[]> {
  const rows = await sql.query(
    `INSERT INTO answers (session, agent, step, round, answer)
     SELECT session, agent, step, round, answer FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::text[]) AS row (session, agent, step, round, answer)
     ON CONFLICT DO NOTHING RETURNING session, agent, step, round, answer`,
    [
      answers.map(({ session }) => session),
      answers.map(({ agent }) => agent),
      answers.map(({ step }) => step),
      answers.map(({ round }) => round),
      answers.map(({ answer }) => answer),
    ],
  );
  const written = rows.map((row) => writtenSchema.parse(row));
  const left = new Map(written.map((row) => [JSON.stringify([row.session, questionOf(row)]), row.answer]));
  return answers.map((each) => left.get(JSON.stringify([each.session, questionOf(each)])) === each.answer);
}

const rowSchema = z.object({ agent: z.string(), step: z.string(), round: z.coerce.number(), answer: z.string() });
const writtenSchema = rowSchema.extend({ session: z.string() });

async function load(sql: Sql, name: string): Promise<Session> {
  const rows = await sql.query("SELECT agent, step, round, answer FROM answers WHERE session = $1", [name]);
  const answers = rows.map((row) => rowSchema.parse(row));
  // A record edited by hand is refused on loading, not when its question comes up.
  for (const { answer } of answers) parseCanonicalJson(answer);
  return new Map(answers.map(({ answer, ...question }) => [questionOf(question), answer]));
}

function questionOf({ agent, step, round }: Omit<AnswerKey, "session">): string {
  return JSON.stringify([agent, step, round]);
}
