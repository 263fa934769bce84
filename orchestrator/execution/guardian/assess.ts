import { z } from "zod";
import { keccak256 } from "../../primitives/hash.ts";
import { type Hash, hashSchema } from "../../primitives/hex.ts";
import { canonicalBytes, canonicalJson } from "../../primitives/json.ts";
import { readOutput, type Work } from "../work.ts";
import type { World } from "../world.ts";
import { deviationOf, WINDOW, WINDOW_MIN } from "./deviation.ts";
import type { WatchTerms } from "./terms.ts";

/** Why a node is frozen, as on-chain `bytes32` text (AgentCity B.11.2). */
export const FREEZE_REASONS = ["DEVIATION", "TOOL_LIMIT", "MESSAGE_LIMIT"] as const;

const scoreSchema = z.strictObject({
  scorer: z.string(),
  distance: z.number(),
  mean: z.number(),
  spread: z.number(),
  z: z.number(),
});

/** The Guardian's assessment of one executor's run. */
export const assessmentSchema = z.strictObject({
  service: hashSchema,
  /** Completed tasks that the run was compared with, newest first, by count and hash of their output ids. */
  window: z.strictObject({ tasks: z.int(), hash: hashSchema }),
  /** One per scorer; empty if the window is too short, or there was no output. */
  scores: z.array(scoreSchema),
  anomaly: z
    .strictObject({
      reason: z.enum(FREEZE_REASONS),
      /** Deviation: the lower score × 100. Limits: the number used, or requested when the run was killed. */
      magnitude: z.int(),
    })
    .nullable(),
  /** For a deviation: whether re-execution by an issuer gave the same. Then it is caused by the code, and is no anomaly. */
  repeated: z.boolean().nullable(),
});
export type Assessment = z.infer<typeof assessmentSchema>;
type Anomaly = NonNullable<Assessment["anomaly"]>;

/**
 * Assesses one run by its counters and, if it has an output, against its service's own history, which an amended mandate does not have yet.
 * A deviation that the code reproduces is honest work on an unusual input, and is not frozen.
 */
export async function assess(
  world: Pick<World, "store" | "recent" | "traces" | "embedder">,
  terms: WatchTerms,
  service: Hash,
  work: Work,
  amended: boolean,
  isRepeated: () => Promise<boolean>,
): Promise<Assessment> {
  const past = amended ? [] : await world.traces(service, WINDOW);
  const scores = work.ok && past.length >= WINDOW_MIN ? await scoresOf(world, terms, work.outputId, past) : [];
  const used = overuse(terms, work);
  const deviates = used === undefined ? deviating(terms, scores) : null;
  const repeated = deviates === null ? null : await isRepeated();
  return {
    service,
    window: { tasks: past.length, hash: keccak256(canonicalBytes(past)) },
    scores,
    anomaly: used ?? (repeated === true ? null : deviates),
    repeated,
  };
}

async function scoresOf(
  world: Pick<World, "store" | "recent" | "embedder">,
  { scorers }: WatchTerms,
  outputId: string,
  past: readonly string[],
): Promise<Assessment["scores"]> {
  const texts = await Promise.all([outputId, ...past].map(async (id) => textOf(await readOutput(world, id))));
  const scores = [];
  for (const number of [scorers & 0xff, scorers >> 8]) {
    const embedder = await world.embedder(number);
    const [output, ...window] = await embedder.embed(texts);
    if (output === undefined) continue;
    const { distance, mean, spread, z } = deviationOf(output, window);
    scores.push({ scorer: embedder.id, distance: rounded(distance), mean: rounded(mean), spread: rounded(spread), z: rounded(z) });
  }
  return scores;
}

/** The text that a scorer reads: an output's canonical form. */
export function textOf(output: unknown): string {
  return canonicalJson(output);
}

function overuse({ tools, messages }: WatchTerms, work: Work): Anomaly | undefined {
  if (!work.ok) {
    if (work.fault === "tools") return { reason: "TOOL_LIMIT", magnitude: tools + 1 };
    if (work.fault === "messages") return { reason: "MESSAGE_LIMIT", magnitude: messages + 1 };
    return undefined;
  }
  if (work.tools > tools) return { reason: "TOOL_LIMIT", magnitude: work.tools };
  if (work.messages > messages) return { reason: "MESSAGE_LIMIT", magnitude: work.messages };
  return undefined;
}

/** Both scorers must agree: a single faulty or corrupted one cannot freeze a node. */
function deviating({ deviation }: WatchTerms, scores: Assessment["scores"]): Anomaly | null {
  if (scores.length < 2) return null;
  const lower = Math.floor(100 * Math.min(...scores.map(({ z }) => z)));
  return lower > deviation ? { reason: "DEVIATION", magnitude: lower } : null;
}

/** Rounded to millionths, which is finer than a score's meaning and the same in every record. */
function rounded(value: number): number {
  return Math.round(value * 1_000_000) / 1_000_000;
}
