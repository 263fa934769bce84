import type { z } from "zod";
import type { waveSchema } from "../execution/stages/checkpoint.ts";
import type { Hash } from "../primitives/hex.ts";
import type { Outcome } from "../protocol/outcome.ts";

/** A checkpoint as the chain has it. */
export interface Taken {
  readonly previous: Hash;
  /** Bitmap. */
  readonly nodes: bigint;
  /** Of its block, unix seconds. */
  readonly time: number;
}

type Wave = z.infer<typeof waveSchema>;

/** What a mission's hybrid mode came to, from the log's waves and the chain's checkpoints (AgentCity B.11.6: N_unaudited and how long). */
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

/** The first wave that began all the work of a checkpoint. */
export function waveOf(waves: readonly Wave[], { previous, nodes }: Omit<Taken, "time">): Wave | undefined {
  return waves.find(
    (wave) => wave.previous === previous && numbersIn(nodes).every((number) => wave.nodes.some(({ node }) => node === number)),
  );
}

export function numbersIn(bitmap: bigint): readonly number[] {
  return Array.from({ length: 256 }, (_, number) => number).filter((number) => (bitmap >> BigInt(number)) & 1n);
}
