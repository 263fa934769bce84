import type { Address } from "../primitives/hex.ts";
import type { JsonObject, JsonValue } from "../primitives/json.ts";
import type { CallRequest } from "../protocol/calls.ts";
import { WillNotSign } from "./errors.ts";

/** A message as received, before it is checked. */
export type UncheckedMessage = CallRequest<"sign">["message"];

/** Throws WillNotSign for the first field in which a request differs from what this agent knows. */
export function same(what: string, asked: JsonObject | object, truth: object): void {
  const given = new Map(Object.entries(asked));
  for (const [field, value] of Object.entries(truth))
    if (JSON.stringify(given.get(field)) !== JSON.stringify(value)) throw new WillNotSign(what, field);
}

/** Throws WillNotSign unless a received message equals the one that this agent built, for the same contract. */
export function requireSame(type: string, mission: Address | null, own: Address | null, message: UncheckedMessage, made: object): void {
  if (mission !== own) throw new WillNotSign(`to sign ${type}`, "mission");
  const text = (value: unknown): JsonValue =>
    JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? String(each) : each)));
  const extra = Object.keys(message).find((field) => !(field in made));
  if (extra !== undefined) throw new WillNotSign(`to sign ${type}`, extra);
  same(`to sign ${type}`, message, Object.fromEntries(Object.entries(made).map(([field, value]) => [field, text(value)])));
}
