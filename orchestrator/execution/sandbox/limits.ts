import { numberToHex } from "viem";
import type { Hash } from "../../primitives/hex.ts";

/** What one run may use. The law's values for its node replace the defaults. */
export interface SandboxLimits {
  /** Real time from the hand-over of a run to the kill, milliseconds. */
  readonly wallClockMs: number;
  /** V8 heap, MiB; the process as a whole may use RUNTIME_MIB more. */
  readonly memoryMb: number;
  /** UTF-8 bytes of the canonical input. */
  readonly inputBytes: number;
  /** UTF-8 bytes of the canonical output. */
  readonly outputBytes: number;
  /** Constitution: maxToolInvocations, maxMessageVolume. */
  readonly tools: number;
  readonly messages: number;
}

export const DEFAULT_LIMITS: SandboxLimits = {
  wallClockMs: 30_000,
  memoryMb: 256,
  inputBytes: 33_554_432,
  outputBytes: 33_554_432,
  tools: 40,
  messages: 120,
};

/**
 * What a service's record on chain says of its runs (AgentCity B.3), lowest bits first. Zero leaves it to the law and to whoever runs it;
 * higher bits mean nothing.
 */
const CONSTRAINTS = [
  ["wallClockMs", 32],
  ["memoryMb", 16],
  ["concurrent", 8],
  ["tools", 16],
  ["messages", 16],
] as const;

/** Milliseconds of a run, MiB of its heap, runs at once by one seller, tool calls and messages of a run. */
export type ServiceConstraints = Readonly<Record<(typeof CONSTRAINTS)[number][0], number>>;

/** The word of a service's record. Throws RangeError for a value that has no room in it. */
export function packConstraints(constraints: ServiceConstraints): Hash {
  let word = 0n;
  let at = 0n;
  for (const [name, bits] of CONSTRAINTS) {
    const value = constraints[name];
    if (!Number.isInteger(value) || value < 0 || value >= 2 ** bits) throw new RangeError(`${name} is ${value}; it has ${bits} bits`);
    word |= BigInt(value) << at;
    at += BigInt(bits);
  }
  return numberToHex(word, { size: 32 });
}

/** What the word of a service's record says. */
export function constraintsIn(word: Hash): ServiceConstraints {
  const read = { wallClockMs: 0, memoryMb: 0, concurrent: 0, tools: 0, messages: 0 };
  let rest = BigInt(word);
  for (const [name, bits] of CONSTRAINTS) {
    read[name] = Number(BigInt.asUintN(bits, rest));
    rest >>= BigInt(bits);
  }
  return read;
}

/** The limits of a run of a service under its record: the least of both. */
export function limitsUnder(limits: SandboxLimits, word: Hash): SandboxLimits {
  const { wallClockMs, memoryMb, tools, messages } = constraintsIn(word);
  const least = (limit: number, own: number) => (own === 0 ? limit : Math.min(limit, own));
  return {
    ...limits,
    wallClockMs: least(limits.wallClockMs, wallClockMs),
    memoryMb: least(limits.memoryMb, memoryMb),
    tools: least(limits.tools, tools),
    messages: least(limits.messages, messages),
  };
}

/** A run that asks a model mostly waits: it has this long where the law gives it the time, milliseconds. */
export const LONGEST_RUN_MS = 600_000;

/** Less could be over before a busy machine has started a service's process, seconds. */
export const MIN_SECONDS = 5;

/** Heap with which a service's realm starts at all, MiB. */
export const MIN_MEMORY_MIB = 32;

/** Resident memory that Node itself needs beside the heap, MiB. */
export const RUNTIME_MIB = 160;

/**
 * Flags of a service's process (Node 24): no file, no child process, worker, addon or inspector; no code from
 * strings; intrinsics that cannot be changed. This Node's permission model does not cover the network: there, nothing with
 * which a connection could be made is in the service's reach (see `child.ts`).
 */
export function nodeFlags(memoryMb: number): string[] {
  return [
    "--permission",
    "--disallow-code-generation-from-strings",
    "--frozen-intrinsics",
    "--disable-sigusr1",
    "--no-warnings",
    `--max-old-space-size=${memoryMb}`,
  ];
}
