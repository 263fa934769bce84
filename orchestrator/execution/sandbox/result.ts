import type { Hash } from "../../primitives/hex.ts";
import type { JsonValue } from "../../primitives/json.ts";

/** An event of a run, in order; contents are referenced by hash only. */
export interface TrailEntry {
  readonly seq: number;
  readonly kind: "code" | "input" | "tool" | "tool-result" | "message" | "output" | "failure";
  /** keccak256 of the entry's RFC 8785 bytes; for `code`, the code hash itself. */
  readonly hash: Hash;
}

/** Resources used by a run; identical for the same code and input. */
export interface Meters {
  readonly tools: number;
  readonly messages: number;
  /** Bytes of the input's and output's RFC 8785 text. */
  readonly inputBytes: number;
  readonly outputBytes: number;
}

export type FailureKind =
  /** Not finished in time, and killed. */
  | "timeout"
  /** It threw, or its process exited. */
  | "crash"
  /** Its result is not strict JSON. */
  | "garbage"
  /** It returned nothing, or a promise that can never settle. */
  | "empty"
  /** Its output or messages exceeded the limit. */
  | "too-large"
  /** It exceeded the limit of tools, messages or memory. */
  | "tools"
  | "messages"
  | "memory"
  /** Input or output does not match the service's schema. */
  | "schema";

interface Run {
  readonly trail: readonly TrailEntry[];
  readonly meters: Meters;
  /** Wall clock, milliseconds, for display; never hashed, and never part of a reproducible result. */
  readonly elapsedMs: number;
}

/** The service succeeded. */
export interface RunSuccess extends Run {
  readonly status: "ok";
  readonly output: JsonValue;
}

/** The service failed, by its own fault; nothing else is reported this way. */
export interface RunFailure extends Run {
  readonly status: "failed";
  readonly kind: FailureKind;
  readonly details: string;
}

export type RunResult = RunSuccess | RunFailure;
