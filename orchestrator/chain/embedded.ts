import { OWN_CHAINS } from "../protocol/outcome.ts";
import { DEVNET_GENESIS } from "./devnet.ts";
import { type Drive, type DrivenChain, type DrivenOptions, openDrivenChain } from "./driven.ts";
import { connectEdr } from "./edr.ts";
import { connectEdrProcess, REPLAY_LIMITS } from "./edr-process.ts";
import type { ReplayLimits } from "./replay-limits.ts";

const EMBEDDED = { kind: "embedded", name: OWN_CHAINS.embedded, genesis: DEVNET_GENESIS } as const satisfies Partial<Drive>;

/** An L2 inside this process: Hardhat's EDR, which ends with it; the transcript restores it. */
export function openEmbeddedChain(options: DrivenOptions = {}): Promise<DrivenChain> {
  return openDrivenChain({ ...EMBEDDED, connect: connectEdr }, options);
}

/** Replays an untrusted transcript in its own process. Throws TooHeavy if it exceeds the limits. */
export function openForeignTranscript(transcript: string, { memoryMb, cpuSeconds }: ReplayLimits): Promise<DrivenChain> {
  const limits = { ...REPLAY_LIMITS, inAll: { memoryMb, cpuSeconds } };
  return openDrivenChain({ ...EMBEDDED, connect: async (genesis) => connectEdrProcess(genesis, () => limits) }, { transcript });
}
