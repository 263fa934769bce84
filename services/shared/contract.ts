import type { JsonObject, JsonValue } from "../../orchestrator/primitives/json.ts";

/** What a mission can be given to work on (decision 41). */
export type InputKind = "packages" | "files" | "urls" | "csv";

/** One thing worked on. `id` is unique within a mission's input; the other fields depend on who made it. */
export interface Item extends JsonObject {
  readonly id: string;
}

/** An item on which the executors of an earlier tier-2 task differed. `by` is the service that gave the answer. */
export interface Dissent extends JsonObject {
  readonly id: string;
  readonly chosen: string | number;
  readonly answers: readonly Said[];
}

/** One executor's answer about an item; null where it gave none. */
export interface Said extends JsonObject {
  readonly by: string;
  readonly value: string | number | null;
}

/** What a finished node hands to the nodes after it. */
export interface Upstream extends JsonObject {
  readonly task: string;
  readonly node: string;
  readonly items: readonly Item[];
  readonly dissent: readonly Dissent[];
}

/**
 * What every service receives: the node's shard of the mission's input when its task is `over: input` (else none), and the
 * outputs of the nodes before it, in node order.
 */
export interface ServiceInput extends JsonObject {
  readonly goal: string;
  readonly items: readonly Item[];
  readonly upstream: readonly Upstream[];
  /** Of a table that the mission is given: its columns, in its own order. */
  readonly columns?: readonly string[];
  /** What the mission file says under the task's `with`, the schema's defaults filled in; absent when that is nothing. */
  readonly options?: JsonObject;
}

/** What every service returns. One that writes a text for humans adds it as `document`. */
export interface ServiceOutput extends JsonObject {
  readonly items: readonly Item[];
}

/** What a service may ask of its runner. Every use is metered and enters the trail. */
export interface ServiceContext {
  /** Calls a tool that the runner offers; rejects when there is none of that name. */
  tool(name: string, args: JsonValue): Promise<JsonValue>;
  /** Says something on the record. */
  message(text: string): void;
}

/** A service: a function of its input alone. */
export type Service = (input: ServiceInput, ctx: ServiceContext) => ServiceOutput | Promise<ServiceOutput>;

/** What a service file says about itself; it is part of the bundle, hence of the code hash. */
export interface ServiceAbout {
  readonly id: string;
  readonly title: string;
  /** Two to four plain sentences with the words of somebody who needs it: goals without tasks are matched against title and description. */
  readonly description: string;
  /** What it can be given: a mission's input of these kinds, or (`items`) other services' output. */
  readonly accepts: readonly (InputKind | "items")[];
  readonly produces: "items" | "document";
  /** How its document is written, for `output.format`. Default: markdown. */
  readonly writes?: "markdown" | "json" | "csv";
  /** It looks at each item by itself: the parts of an input, worked on apart, give the parts of the whole's output. */
  readonly perItem: boolean;
  /** It works item by item and may leave some out; without this, every item that went in must come out. */
  readonly drops?: boolean;
  /** What comes out has all the fields of what went in (`filter`, `sort`): those of `output` are added. */
  readonly keepsFields?: boolean;
  /** It only mends what it is given: producers plan it where a goal asks for that, and never on the way to another service. */
  readonly mends?: boolean;
  /** JSON Schema (2020-12) of the input: the items' fields that it needs. */
  readonly input: JsonObject;
  /** JSON Schema of the output: the items' fields that it gives. */
  readonly output: JsonObject;
  /** JSON Schema of a task's `with`, defaults included; absent when it takes none. */
  readonly options?: JsonObject;
  /** Ten required capability levels 0–255, in the order of CAPABILITIES. */
  readonly capabilities: readonly number[];
  readonly deterministic: boolean;
  /** What a run may take, as the service is registered on chain: seconds, MiB of heap, and how often a seller runs it at once. */
  readonly limits?: { readonly seconds?: number; readonly memory?: number; readonly concurrent?: number };
}
