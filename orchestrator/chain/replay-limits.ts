import type { LogLimits } from "./collect-logs.ts";

/** Limits of replaying an untrusted transcript as a whole. */
export interface ReplayLimits {
  /** Sum of the gas limits of its transactions. */
  readonly gas: bigint;
  /** CPU time of the chain's process. */
  readonly cpuSeconds: number;
  readonly memoryMb: number;
  readonly events: LogLimits;
}

/** A mission takes about 160 million gas, 2 s, 340 MiB and 700 events. */
const LIMITS: ReplayLimits = {
  gas: 20_000_000_000n,
  cpuSeconds: 600,
  memoryMb: 4_096,
  events: { logs: 100_000, characters: 128 * 1024 * 1024 },
};

/** @param effort Multiple of the usual limits. */
export function replayLimits(effort = 1): ReplayLimits {
  const { logs, characters } = LIMITS.events;
  return {
    gas: BigInt(Math.ceil(Number(LIMITS.gas) * effort)),
    cpuSeconds: LIMITS.cpuSeconds * effort,
    memoryMb: LIMITS.memoryMb * effort,
    events: { logs: Math.ceil(logs * effort), characters: Math.ceil(characters * effort) },
  };
}
