import { join } from "node:path";
import { z } from "zod";
import { InvalidValue, messageOf } from "../primitives/errors.ts";
import { keccak256 } from "../primitives/hash.ts";
import { canonicalBytes, canonicalJson, isObject, type JsonValue } from "../primitives/json.ts";
import { HANDLED, type Handlers } from "./handlers.ts";
import { Memory } from "./memory.ts";

/** Decisions of which kind; what they were asked, and what they were, as JSON. */
const decisionSchema = z.strictObject({ kind: z.enum(HANDLED), request: z.json(), answer: z.json() });

const UNITS = "$units";
/** Whoever asked may have written the rest, and anything under this name. */
const AMOUNT = /^-?\d{1,100}$/;

/** A question or an answer as JSON: amounts are kept as amounts, what is undefined is left out. */
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

/** Decides, and keeps the question with its answer, so that another version can be asked the same. */
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

/** Where another version would decide otherwise. Amounts are `{ "$units": "…" }`. */
export interface Difference {
  readonly kind: keyof Handlers;
  readonly request: JsonValue;
  readonly before: JsonValue;
  /** Its decision, or why it came to none. */
  readonly now: JsonValue | { readonly error: string };
}

export interface Replay {
  /** Decisions that were compared. */
  readonly compared: number;
  readonly differences: readonly Difference[];
}

/**
 * Asks handlers everything that an agent was asked in its time, and compares what they decide with what it decided. Needs no city and no
 * key, and signs nothing. `folder`: of one key in one city, as `createAgent` has it. Throws InvalidValue where there is no decision to
 * compare with.
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
    // It was asked this by a version whose types are those of the recording.
    return written(await (handler as ((asked: unknown) => unknown) | undefined)?.(request));
  } catch (error) {
    return { error: messageOf(error) };
  }
}
