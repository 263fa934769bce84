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
  /** What it can be given: a mission's input of these kinds, or (`items`) other services' output. */
  readonly accepts: readonly (InputKind | "items")[];
  readonly produces: "items" | "document";
  /** It looks at each item by itself: the parts of an input, worked on apart, give the parts of the whole's output. */
  readonly perItem: boolean;
  /** JSON Schemas (2020-12) of input and output. */
  readonly input: JsonObject;
  readonly output: JsonObject;
  /** Ten required capability levels 0–255, in the order of CAPABILITIES. */
  readonly capabilities: readonly number[];
  readonly deterministic: boolean;
}
