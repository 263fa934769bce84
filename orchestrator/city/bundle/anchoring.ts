import type { z } from "zod";
import type { waveSchema } from "../../execution/stages/checkpoint.ts";
import { numbersIn } from "../../primitives/bitmap.ts";
import type { Hash } from "../../primitives/hex.ts";
import type { Outcome } from "../../protocol/outcome.ts";

/** A checkpoint as the chain has it. */
export interface Taken {
  readonly previous: Hash;
  /** Bitmap. */
  readonly nodes: bigint;
  /** Time of its block, unix seconds. */
  readonly time: number;
}

type Wave = z.infer<typeof waveSchema>;

/** Result of a mission's hybrid mode, from the log's waves and the chain's checkpoints (AgentCity B.11.6: N_unaudited and how long). */
export function anchoringOf(interval: number, waves: readonly Wave[], checkpoints: readonly Taken[]): NonNullable<Outcome["hybrid"]> {
  const begun = new Set(waves.flatMap(({ nodes }) => nodes.map(({ node, attempt }) => `${node}/${attempt}`)));
  const anchored = checkpoints.reduce((sum, { nodes }) => sum + numbersIn(nodes).length, 0);
  const spans = checkpoints.map(({ time, ...taken }) => {
    const wave = waveOf(waves, taken);
    return wave === undefined ? 0 : time - wave.since;
  });
  return {
    interval,
    checkpoints: checkpoints.length,
    anchored,
    late: begun.size - anchored,
    unaudited: Math.max(0, ...waves.map(({ nodes }) => nodes.length)),
    longest: Math.max(0, ...spans),
  };
}

/**
 * The first wave that began all the work of a checkpoint. A node that failed or was frozen since an earlier checkpoint was begun more than
 * once; the chain counts its interval from the last time, so only the waves of that attempt, since that freeze, are its own.
 */
export function waveOf(waves: readonly Wave[], { previous, nodes }: Omit<Taken, "time">): Wave | undefined {
  const since = waves.filter((wave) => wave.previous === previous);
  const begun = since.flatMap((wave) => wave.nodes);
  const taken = numbersIn(nodes).map((number) => begun.findLast(({ node }) => node === number));
  return since.find((wave) => taken.every((work) => wave.nodes.some((each) => isSameWork(each, work))));
}

function isSameWork(one: Wave["nodes"][number], other: Wave["nodes"][number] | undefined): boolean {
  return one.node === other?.node && one.attempt === other.attempt && one.freezes === other.freezes;
}
