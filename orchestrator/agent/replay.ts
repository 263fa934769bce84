import { join } from "node:path";
import { z } from "zod";
import { InvalidValue, messageOf } from "../primitives/errors.ts";
import { keccak256 } from "../primitives/hash.ts";
import { canonicalBytes, canonicalJson, isObject, type JsonValue } from "../primitives/json.ts";
import { HANDLED, type Handlers } from "./handlers.ts";
import { Memory } from "./memory.ts";

/** A recorded decision: its kind, request and answer, as JSON. */
const decisionSchema = z.strictObject({ kind: z.enum(HANDLED), request: z.json(), answer: z.json() });

const UNITS = "$units";
/** The request comes from outside and may contain anything under this name, so its length is bounded. */
const AMOUNT = /^-?\d{1,100}$/;

/** Serialises a request or an answer: bigints are tagged, undefined fields dropped. */
function written(value: unknown) {
  return z
    .json()
    .parse(JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? { [UNITS]: String(each) } : each))));
}

function read(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(read);
  if (!isObject(value)) return value;
  const amount = value[UNITS];
  if (typeof amount === "string" && AMOUNT.test(amount) && Object.keys(value).length === 1) return BigInt(amount);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, read(each)]));
}

/** Makes a decision and stores it with its request, so that another version can be compared. */
export async function recorded<Kind extends keyof Handlers>(
  memory: Memory,
  kind: Kind,
  request: Parameters<Handlers[Kind]>[0],
  decide: () => unknown,
): Promise<Awaited<ReturnType<Handlers[Kind]>>> {
  const asked = written(request);
  const answer = await decide();
  await memory.keep(["decision", kind, keccak256(canonicalBytes(asked))], decisionSchema, async () => ({
    ...{ kind, request: asked },
    answer: written(answer),
  }));
  return answer as Awaited<ReturnType<Handlers[Kind]>>;
}

/** A decision that another version would make differently. Amounts are `{ "$units": "…" }`. */
export interface Difference {
  readonly kind: keyof Handlers;
  readonly request: JsonValue;
  readonly before: JsonValue;
  /** The new decision, or the error it failed with. */
  readonly now: JsonValue | { readonly error: string };
}

export interface Replay {
  /** Number of decisions compared. */
  readonly compared: number;
  readonly differences: readonly Difference[];
}

/**
 * Puts every recorded request to new handlers and compares their decisions with the recorded ones. Needs neither a city nor a key, and
 * signs nothing. `folder`: one key in one city, as for `createAgent`. Throws InvalidValue if nothing was recorded.
 */
export async function replay(folder: string, handlers: Partial<Handlers>): Promise<Replay> {
  const kept = Memory.there(join(folder, "memory"))?.all("decision", decisionSchema) ?? [];
  const own = kept.filter(({ kind }) => handlers[kind] !== undefined);
  if (own.length === 0)
    throw new InvalidValue("folder", "no decision of these kinds is recorded there", {
      details: `${folder}: ${Object.keys(handlers).join(", ")}`,
    });
  const differences: Difference[] = [];
  for (const { kind, request, answer: before } of own) {
    const now = await decisionOf(handlers[kind], read(request));
    if (canonicalJson(now) !== canonicalJson(before)) differences.push({ kind, request, before, now });
  }
  return { compared: own.length, differences };
}

async function decisionOf(handler: Handlers[keyof Handlers] | undefined, request: unknown): Promise<JsonValue> {
  try {
    // The request was recorded by a version with these types.
    return written(await (handler as ((asked: unknown) => unknown) | undefined)?.(request));
  } catch (error) {
    return { error: messageOf(error) };
  }
}
