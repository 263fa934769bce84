/** Fifty alerts for people to judge, and their agreement with each other and with the simulated adjudicator (AgentCity D.5). */
import { readFileSync } from "node:fs";
import Papa from "papaparse";
import { z } from "zod";
import { ALERT_ANSWERS, type Alert } from "../../orchestrator/economy/order.ts";
import type { RunFigures } from "../../orchestrator/economy/run.ts";
import { krippendorff } from "../../orchestrator/economy/statistics/agreement.ts";
import { AgentCityError, messageOf } from "../../orchestrator/primitives/errors.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";

const SAMPLE = 50;

/** Randomly drawn alerts of a campaign's runs; the same campaign gives the same ones. */
export function sampleOf(runs: readonly RunFigures[]): readonly Alert[] {
  const all = runs.flatMap(({ governance }) => governance?.alerts ?? []);
  return randomStream(7, "economy", "alerts").shuffle(all).slice(0, SAMPLE);
}

/** The raters' view: everything except the simulated answer. */
export const sheetOf = (alerts: readonly Alert[]): string =>
  `${Papa.unparse(
    alerts.map(({ kind, facts }, place) => ({ alert: place + 1, kind, facts, answers: ALERT_ANSWERS[kind].join(" | ") })),
    { newline: "\n" },
  )}\n`;

/** The file with people's answers cannot be used. */
export class BadRatings extends AgentCityError {
  constructor(path: string, problem: string) {
    super("BadRatings", `${path} does not contain answers to these alerts`, {
      details: problem,
      action:
        "provide a table with the columns alert, rater, answer: each rater answers an alert of alerts.csv at most once, with one of its answers",
    });
  }
}

const ratingsSchema = z.array(
  z.strictObject({ alert: z.coerce.number().int().min(1), rater: z.string().trim().min(1).max(80), answer: z.string().trim() }),
);

/** Result of people's answers. */
export interface Agreement {
  readonly alerts: number;
  readonly raters: number;
  /** Krippendorff's α among the people; null if all answers are equal, or no alert has two. */
  readonly alpha: number | null;
  /** Share of their answers that the simulation gave too. */
  readonly asSimulated: number;
}

/** Throws BadRatings for an unknown alert, an invalid answer, or a second answer. */
export function agreementIn(path: string, alerts: readonly Alert[]): Agreement {
  const ratings = readRatings(path);
  const answers = new Map<number, Map<string, string>>();
  for (const { alert, rater, answer } of ratings) {
    const asked = alerts[alert - 1];
    if (asked === undefined) throw new BadRatings(path, `there is no alert ${alert}: the sheet has ${alerts.length}`);
    if (!ALERT_ANSWERS[asked.kind].includes(answer))
      throw new BadRatings(path, `"${answer}" is not an answer to alert ${alert}: ${ALERT_ANSWERS[asked.kind].join(", ")}`);
    const given = answers.get(alert) ?? new Map<string, string>();
    if (given.has(rater)) throw new BadRatings(path, `${rater} answers alert ${alert} twice`);
    answers.set(alert, given.set(rater, answer));
  }
  const alpha = krippendorff([...answers.values()].map((given) => [...given.values()]));
  const same = ratings.filter(({ alert, answer }) => alerts[alert - 1]?.answer === answer).length;
  return {
    alerts: answers.size,
    raters: new Set(ratings.map(({ rater }) => rater)).size,
    alpha: Number.isFinite(alpha) ? alpha : null,
    asSimulated: same / ratings.length,
  };
}

/** Throws BadRatings if the file is missing or not such a table. */
export function readRatings(path: string): z.infer<typeof ratingsSchema> {
  try {
    const { data, errors } = Papa.parse(readFileSync(path, "utf8"), { header: true, skipEmptyLines: true });
    const [wrong] = errors;
    if (wrong !== undefined) throw new RangeError(`row ${wrong.row ?? 0}: ${wrong.message}`);
    const ratings = ratingsSchema.parse(data);
    if (ratings.length === 0) throw new RangeError("it has no rows");
    return ratings;
  } catch (error) {
    throw new BadRatings(path, error instanceof z.ZodError ? z.prettifyError(error).replaceAll(/\s+/g, " ") : messageOf(error));
  }
}
