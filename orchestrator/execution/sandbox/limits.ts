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
