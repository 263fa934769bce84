import { numberToHex } from "viem";
import type { Hash } from "../../primitives/hex.ts";

/** Limits of one run. The law's values for its node replace the defaults. */
export interface SandboxLimits {
  /** Real time from the start of a run to its kill, milliseconds. */
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
 * Limits stated in a service's on-chain record (AgentCity B.3), lowest bits first. Zero leaves a limit to the law and the operator; higher
 * bits are unused.
 */
const CONSTRAINTS = [
  ["wallClockMs", 32],
  ["memoryMb", 16],
  ["concurrent", 8],
  ["tools", 16],
  ["messages", 16],
] as const;

/** Milliseconds of a run, MiB of its heap, concurrent runs by one seller, tool calls and messages of a run. */
export type ServiceConstraints = Readonly<Record<(typeof CONSTRAINTS)[number][0], number>>;

/** Encodes the constraints of a service's record. Throws RangeError for a value that does not fit. */
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

/** Decodes the constraints of a service's record. */
export function constraintsIn(word: Hash): ServiceConstraints {
  const read = { wallClockMs: 0, memoryMb: 0, concurrent: 0, tools: 0, messages: 0 };
  let rest = BigInt(word);
  for (const [name, bits] of CONSTRAINTS) {
    read[name] = Number(BigInt.asUintN(bits, rest));
    rest >>= BigInt(bits);
  }
  return read;
}

/** Limits of a service's run under its record: the lower of both. */
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

/** Time limit of a run that queries a model, and so mostly waits, if the law allows it, milliseconds. */
export const LONGEST_RUN_MS = 600_000;

/** A shorter limit could expire before a busy machine has started the process, seconds. */
export const MIN_SECONDS = 5;

/** Minimum heap for a service's realm to start, MiB. */
export const MIN_MEMORY_MIB = 32;

/** Resident memory that Node needs in addition to the heap, MiB. */
export const RUNTIME_MIB = 160;

/**
 * Flags of a service's process (Node 24): no file system, child process, worker, addon or inspector; no code from strings; frozen
 * intrinsics. This Node's permission model does not cover the network: there, nothing that can open a connection is reachable for the
 * service (see `child.ts`).
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
