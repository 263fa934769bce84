import { z } from "zod";
import type { JsonObject } from "../primitives/json.ts";
import { field } from "../primitives/values.ts";
import { parseDuration } from "./duration.ts";
import type { ExposureInput } from "./exposure.ts";
import { gateSchema } from "./gates.ts";
import { MissionFileError } from "./mission-file-error.ts";
import type { LocatedYaml } from "./mission-file-yaml.ts";
import { nearest } from "./nearest.ts";
import { ASKED_KINDS } from "./verifier-kinds.ts";
import { VISIBILITIES } from "./visibility.ts";

/** A mission has at most 256 nodes, and a task at least one. */
export const MAX_TASKS = 64;

const slug = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "use lower-case letters, digits and single hyphens");
const duration = z.string().refine((text) => parseDuration(text) !== undefined, { error: "not a duration such as 90s, 30m, 1h30m or 2d" });
const path = z.string().min(1).max(4_096);

/** Every stage is a transaction, or each wave has one checkpoint (AgentCity B.11.6). */
export const MODES = ["onchain", "hybrid"] as const;

const inputSchema = z.strictObject({ kind: z.enum(["packages", "files", "urls", "csv"]), path });
/** How outputs of redundant executors are compared (`rules/consensus.ts`). */
export const COMPARISONS = ["answers", "sets", "spread"] as const;
const agreeSchema = z.strictObject({
  on: z.string().min(1).max(64),
  as: z.enum(COMPARISONS).optional(),
  atLeast: z.number().min(0.5).max(1),
});
const goal = z.string().trim().min(1).max(4_000);
const maxBytesSchema = z.strictObject({ maxBytes: z.int().positive() });
const predicateSchema = z.union([z.literal("every-input-covered"), maxBytesSchema], {
  error: "expected every-input-covered or { maxBytes: <number> }",
});
const predicates = z.array(predicateSchema).max(16);

/** Options of a task's services; each service's own schema validates them. */
export const optionsSchema = z.record(z.string(), z.json()).transform((options): JsonObject => options);

/**
 * A task done by a service (`service`, `tier`), or one with tasks of its own: a mission within the mission. The parser determines which,
 * and checks what it needs.
 */
const taskSchema = z.strictObject({
  service: z.union([slug, z.array(slug).min(1).max(5)], { error: "expected the name of a service, or a list of 1 to 5" }).optional(),
  like: z.union([slug, z.array(slug).min(1).max(5)], { error: "expected the name of a service, or a list of 1 to 5" }).optional(),
  over: z.literal("input").optional(),
  after: z.array(slug).max(MAX_TASKS).optional(),
  tier: z.literal([1, 2, 3]).optional(),
  agree: agreeSchema.optional(),
  rubric: z.string().trim().min(1).max(4_000).optional(),
  verifiers: z.array(z.enum(ASKED_KINDS)).min(1).max(ASKED_KINDS.length).optional(),
  budget: z.union([z.string(), z.number()]).optional(),
  timeout: duration.optional(),
  floor: z.enum(["SELF", "SIGN", "WIT", "REC", "ATT", "PROOF"]).optional(),
  gate: gateSchema.optional(),
  with: optionsSchema.optional(),
  goal: goal.optional(),
  parts: z.int().min(1).max(MAX_TASKS).optional(),
  deadline: duration.optional(),
  get tasks() {
    return z.record(slug, taskSchema).optional();
  },
  output: slug.optional(),
  predicates: predicates.optional(),
});
/** Format of an output. */
const OUTPUT_FORMATS = ["markdown", "json", "csv"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];
const outputSchema = z.strictObject({ task: slug, format: z.enum(OUTPUT_FORMATS), gate: gateSchema.optional() });

const part = z.number().min(0).max(1).optional();
const exposure: Readonly<Record<ExposureInput, typeof part>> = {
  ...{ authority_risk: part, value_at_risk: part, intent_ambiguity: part },
  ...{ irreversibility: part, agent_history: part, domain_sensitivity: part },
};
export const exposureSchema = z.strictObject(exposure);
/** The sponsor's statement of what is at stake. */
export type StatedExposure = z.infer<typeof exposureSchema>;

/** A mission file as written (decision 41). */
const missionFileSchema = z.strictObject({
  mission: slug,
  goal,
  budget: z.union([z.string(), z.number()]),
  deadline: duration,
  risk: z.enum(["LOW", "MEDIUM", "HIGH"]),
  exposure: exposureSchema.optional(),
  mode: z.enum(MODES).optional(),
  input: inputSchema,
  tasks: z.record(slug, taskSchema).optional(),
  output: outputSchema.optional(),
  predicates: predicates.optional(),
  seed: z.union([z.int().min(0), z.string().min(1).max(128)]).optional(),
  visibility: z.enum(VISIBILITIES).optional(),
  services: path.optional(),
});

/** A mission's tasks and the one that produces its output: what producers plan if a file states only a goal. */
export const planTextSchema = missionFileSchema.pick({ tasks: true, output: true }).required();
export type PlanText = z.infer<typeof planTextSchema>;

export type MissionFileText = z.infer<typeof missionFileSchema>;
export type MissionPredicate = z.infer<typeof predicateSchema>;
export type TaskText = z.infer<typeof taskSchema>;
export type EvidenceClassName = NonNullable<TaskText["floor"]>;

/** Checks the shape and reports the problem that comes first in the file. */
export function shapeOf(yaml: LocatedYaml, fileName: string): MissionFileText {
  const { value } = yaml;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new MissionFileError(
      "YamlSyntax",
      fileName,
      yaml.placeOf([]),
      "a mission file is a map of keys",
      "start from missions/dependency-licences.yaml",
    );
  }
  const result = missionFileSchema.safeParse(value);
  const problems = result.success ? [] : result.error.issues.map((issue) => problemOf(issue, yaml, fileName));
  const [first] = problems.sort((a, b) => misspelt(b) - misspelt(a) || a.place.line - b.place.line || a.place.column - b.place.column);
  if (first !== undefined) throw first;
  return missionFileSchema.parse(value);
}

/** A misspelt key also leaves the correct one missing; the misspelling is the better message. */
function misspelt({ code }: MissionFileError): number {
  return code === "UnknownKey" ? 1 : 0;
}

function problemOf(issue: z.core.$ZodIssue, yaml: LocatedYaml, fileName: string): MissionFileError {
  const name = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const known = keysAt(issue.path);
    const action = `known keys here: ${known.join(", ")}`;
    return new MissionFileError(
      "UnknownKey",
      fileName,
      yaml.placeOfKey(issue.path, key),
      `unknown key ${JSON.stringify(key)}${meant(key, known)}`,
      action,
    );
  }
  if (issue.code === "invalid_key") {
    const key = String(issue.path.at(-1));
    return new MissionFileError(
      "InvalidField",
      fileName,
      yaml.placeOfKey(issue.path.slice(0, -1), key),
      `${name}: ${issue.issues[0]?.message ?? issue.message}`,
    );
  }
  const place = yaml.placeOf(issue.path);
  if (valueAt(yaml.value, issue.path) === undefined) {
    return new MissionFileError("MissingField", fileName, place, `${name} is missing`);
  }
  const last = issue.path.at(-1);
  const problem = issue.code === "custom" ? "InvalidDuration" : last === "budget" ? "InvalidBudget" : "InvalidField";
  return new MissionFileError(problem, fileName, place, `${name}: ${issue.message}`);
}

/** The keys allowed for the map at a path. */
function keysAt(at: readonly PropertyKey[]): string[] {
  const [top, , ...below] = at;
  if (top === undefined) return Object.keys(missionFileSchema.shape);
  if (top === "input") return Object.keys(inputSchema.shape);
  if (top === "output") return Object.keys(outputSchema.shape);
  if (top === "predicates") return Object.keys(maxBytesSchema.shape);
  if (below.length === 0) return Object.keys(taskSchema.shape);
  return below[0] === "agree" ? Object.keys(agreeSchema.shape) : keysAt(below);
}

function valueAt(value: unknown, at: readonly PropertyKey[]): unknown {
  return at.reduce<unknown>(field, value);
}

/** "; did you mean …?" if a known name is similar, otherwise empty. */
export function meant(word: string, known: readonly string[]): string {
  const name = nearest(word, known);
  return name === undefined ? "" : `; did you mean ${name}?`;
}
