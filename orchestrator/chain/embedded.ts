import { OWN_CHAINS } from "../protocol/outcome.ts";
import { DEVNET_GENESIS } from "./devnet.ts";
import { type Drive, type DrivenChain, type DrivenOptions, openDrivenChain } from "./driven.ts";
import { connectEdr } from "./edr.ts";
import { connectEdrProcess, REPLAY_LIMITS } from "./edr-process.ts";
import type { ReplayLimits } from "./replay-limits.ts";

const EMBEDDED = { kind: "embedded", name: OWN_CHAINS.embedded, genesis: DEVNET_GENESIS } as const satisfies Partial<Drive>;

/** An L2 inside this process: Hardhat's EDR, gone with it; the transcript gives it back. */
export function openEmbeddedChain(options: DrivenOptions = {}): Promise<DrivenChain> {
  return openDrivenChain({ ...EMBEDDED, connect: connectEdr }, options);
}

/** The same from a transcript that somebody else made, in a process of its own: what is too much for it throws TooHeavy. */
export function openForeignTranscript(transcript: string, { memoryMb, cpuSeconds }: ReplayLimits): Promise<DrivenChain> {
  const limits = { ...REPLAY_LIMITS, inAll: { memoryMb, cpuSeconds } };
  return openDrivenChain({ ...EMBEDDED, connect: async (genesis) => connectEdrProcess(genesis, () => limits) }, { transcript });
}
