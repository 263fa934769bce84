import type { Hash } from "../../primitives/hex.ts";
import type { JsonValue } from "../../primitives/json.ts";

/** What happened in a run, in order: hashes only; whoever needs the contents keeps them by hash. */
export interface TrailEntry {
  readonly seq: number;
  readonly kind: "code" | "input" | "tool" | "tool-result" | "message" | "output" | "failure";
  /** keccak256 of the entry's RFC 8785 bytes; for `code`, the code hash itself. */
  readonly hash: Hash;
}

/** What a run used. The same code on the same input has the same meters. */
export interface Meters {
  readonly tools: number;
  readonly messages: number;
  /** Bytes of the input's and output's RFC 8785 text. */
  readonly inputBytes: number;
  readonly outputBytes: number;
}

export type FailureKind =
  /** It did not end in time and was killed. */
  | "timeout"
  /** It threw, or its process ended by itself. */
  | "crash"
  /** What it returned is no strict JSON. */
  | "garbage"
  /** It returned nothing, or a promise that can never settle. */
  | "empty"
  /** It returned or said more than allowed. */
  | "too-large"
  /** It used more tools, messages or memory than allowed. */
  | "tools"
  | "messages"
  | "memory"
  /** Input or output does not match the service's schema. */
  | "schema";

interface Run {
  readonly trail: readonly TrailEntry[];
  readonly meters: Meters;
  /** Wall clock, milliseconds: for the dashboard; never hashed, never part of a result that must repeat. */
  readonly elapsedMs: number;
}

/** The service did its work. */
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
