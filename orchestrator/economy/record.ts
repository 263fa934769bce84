/** A run on disk: a line for its configuration, one per round, one per milestone, and a final one that marks it complete. */
import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { AgentCityError } from "../primitives/errors.ts";
import { writeFileAtomic } from "../primitives/files.ts";
import { ALERT_KINDS } from "./order.ts";
import { CONFIGURATIONS } from "./parameters.ts";
import type { RunFigures } from "./run.ts";

const count = z.int().min(0);
const said = z.tuple([count, count]).readonly();
const roundSchema = z.strictObject({
  round: count,
  pool: z.number(),
  csr: z.number(),
  said: z.strictObject({ cooperative: said, "self-interested": said, adversarial: said }),
  delayed: count,
  taskRounds: count,
  epr: z.number(),
  si: z.number(),
  wgc: z.number(),
  done: count,
  aligned: count,
  quality: z.number(),
  byLot: z.number(),
  sanctions: count.optional(),
  gas: count.optional(),
  reputation: z.number().optional(),
});
const milestoneSchema = z.strictObject({
  milestone: count,
  tasks: count,
  certified: count,
  sound: count,
  completed: z.boolean(),
  propagation: count,
  failedAudit: z.boolean(),
});

const sessionSchema = z.strictObject({
  round: count,
  electorate: count,
  candidates: count,
  lpr: said,
  dsi: said,
  msr: said,
  pvrr: said,
  cfr: said,
  dvr: said,
  messages: count,
  seconds: count,
  blocks: count.optional(),
  petitioners: count.optional(),
  rules: z.strictObject({ limit: z.number(), panel: z.number(), demand: z.number(), read: z.number() }).nullable(),
  caught: z.strictObject({ identical: z.boolean(), top3: z.boolean(), pivot: z.boolean() }).nullable(),
  wronged: count,
  influence: z.number().nullable(),
});
const alertSchema = z.strictObject({
  round: count,
  kind: z.enum(ALERT_KINDS),
  facts: z.string(),
  answer: z.string(),
});
const governanceSchema = z.strictObject({
  sessions: z.array(sessionSchema),
  confidence: z.array(z.number()),
  missions: z.array(
    z.strictObject({ milestone: count, ccr: said, aru: said, alerts: said, treasury: z.tuple([z.number(), z.number()]).readonly() }),
  ),
  sanctions: z.record(z.string(), count),
  transactions: count,
  gas: z.record(z.string(), count),
  alerts: z.array(alertSchema).optional(),
  audit: z.strictObject({ milestone: count, verified: z.record(z.string(), count), findings: z.array(z.string()) }).optional(),
  treasury: z.strictObject({ fees: z.number(), slashed: z.number(), premiums: z.number() }),
});

const headSchema = z.strictObject({
  kind: z.literal("run"),
  configuration: z.enum(CONFIGURATIONS),
  agents: count,
  seed: z.int(),
  digest: z.string(),
  governance: governanceSchema.optional(),
  calls: z.strictObject({ asked: count, fellBack: count, unanswered: count }).optional(),
});

/** A run's file cannot be read. */
export class RunDamaged extends AgentCityError {
  constructor(path: string, problem: string) {
    super("RunDamaged", `${path} is no run`, { details: problem, action: "delete that file and give the command again: it is run again" });
  }
}

/** Writes a complete run; `digest` identifies its constants. */
export function writeRun(path: string, run: RunFigures, digest: string): void {
  const { rounds, milestones, ...head } = run;
  const lines = [{ kind: "run", ...head, digest }, ...rounds, ...milestones, { kind: "end" }];
  writeFileAtomic(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** A stored run with these constants; undefined if it must be run. */
export function readRun(path: string, digest: string): RunFigures | undefined {
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  try {
    const [first = "", ...rest] = lines;
    const { kind: _, digest: found, ...head } = headSchema.parse(JSON.parse(first));
    if (found !== digest) return undefined;
    const rows: unknown[] = rest.map((line) => JSON.parse(line));
    const at = rows.findIndex((row) => milestoneSchema.safeParse(row).success);
    z.strictObject({ kind: z.literal("end") }).parse(rows.at(-1));
    const [rounds, milestones] = at === -1 ? [rows.slice(0, -1), []] : [rows.slice(0, at), rows.slice(at, -1)];
    return { ...head, rounds: z.array(roundSchema).parse(rounds), milestones: z.array(milestoneSchema).parse(milestones) };
  } catch (error) {
    throw new RunDamaged(path, error instanceof z.ZodError ? z.prettifyError(error) : String(error));
  }
}
