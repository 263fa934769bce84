import { keccak256 } from "../../primitives/hash.ts";
import type { Hash } from "../../primitives/hex.ts";
import { canonicalBytes, type JsonValue } from "../../primitives/json.ts";
import type { FailureKind, Meters, RunFailure, RunSuccess, TrailEntry } from "./result.ts";

/** Records the trail and the meters of one run in the parent process, out of the service's reach. */
export class RunRecorder {
  readonly #trail: TrailEntry[] = [];
  readonly #inputBytes: number;
  #tools = 0;
  #messages = 0;

  constructor(codeHash: Hash, input: Uint8Array) {
    this.#append("code", codeHash);
    this.#append("input", keccak256(input));
    this.#inputBytes = input.length;
  }

  /** Returns the number of tool calls so far. */
  tool(name: string, args: JsonValue): number {
    this.#append("tool", hashOf({ name, args }));
    this.#tools += 1;
    return this.#tools;
  }

  toolResult(result: { readonly value: JsonValue } | { readonly problem: string }): void {
    this.#append("tool-result", hashOf(result));
  }

  /** Returns the number of messages so far. */
  message(text: string): number {
    this.#append("message", hashOf(text));
    this.#messages += 1;
    return this.#messages;
  }

  succeeded(output: JsonValue, bytes: Uint8Array, elapsedMs: number): RunSuccess {
    this.#append("output", keccak256(bytes));
    return { status: "ok", output, trail: [...this.#trail], meters: this.#meters(bytes.length), elapsedMs };
  }

  failed(kind: FailureKind, details: string, elapsedMs: number): RunFailure {
    this.#append("failure", hashOf(kind));
    return { status: "failed", kind, details, trail: [...this.#trail], meters: this.#meters(0), elapsedMs };
  }

  #append(kind: TrailEntry["kind"], hash: Hash): void {
    this.#trail.push({ seq: this.#trail.length, kind, hash });
  }

  #meters(outputBytes: number): Meters {
    return { tools: this.#tools, messages: this.#messages, inputBytes: this.#inputBytes, outputBytes };
  }
}

function hashOf(value: unknown): Hash {
  return keccak256(canonicalBytes(value));
}
