import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";
import { canonicalJson, isObject, type JsonObject, type JsonValue, parseJson } from "../primitives/json.ts";
import { type CallName, callSchema, receivedSchema } from "./calls.ts";

/** Typed as `JsonValue`, whose lists are read-only. */
const json: z.ZodType<JsonValue> = z.json();

/**
 * What the sender of an answer signed, with everything needed to verify it again. `body`: as sent, if it differs from the canonical bytes.
 */
export const shownSchema = z.discriminatedUnion("by", [
  /** `MailboxRequest`, with the answer as body. */
  z.strictObject({
    by: z.literal("request"),
    ...{ host: z.string().max(300), target: z.string().max(300), body: z.string().optional() },
    ...{ created: z.int(), nonce: hashSchema, signature: hexSchema },
  }),
  /** EIP-191 over a text with the SHA-256 of a body that names call and answer: base64 by ERC-8128, hex by a tool call. */
  z.strictObject({ by: z.literal("text"), text: z.string().max(16_384), body: z.string().optional(), signature: hexSchema }),
]);
export type Shown = z.output<typeof shownSchema>;

/** A body as recorded: omitted if it is in canonical form. */
export function bodyShown(body: Uint8Array): { readonly body?: string } {
  const text = new TextDecoder().decode(body);
  return canonicalJson(parseJson(text)) === text ? {} : { body: text };
}

/** `time`: no valid answer came before `answerBy`; `agent`: it declined; `gone`: it was not connected; `closed`: no seat was open. */
export const SILENCES = ["time", "agent", "gone", "closed"] as const;

/** A question as recorded. Large members are blocks of their own, shared between questions. */
export const keptCallSchema = z.strictObject({
  id: hashSchema,
  to: addressSchema,
  kind: callSchema.shape.kind,
  payload: z.record(z.string(), json),
  large: z.record(z.string(), z.string()),
  /** Milliseconds since 1970, by the city's clock; null for a question that was not sent to anyone. */
  answerBy: z.int().nullable(),
});
export type KeptCall = z.output<typeof keptCallSchema>;

/** Answers recorded before receipts existed have none; an answer from this process has no signed request. */
export const keptAnswerSchema = z.strictObject({
  answer: json,
  received: receivedSchema.optional(),
  shown: shownSchema.optional(),
});
export type KeptAnswer = z.output<typeof keptAnswerSchema>;

export const silenceSchema = z.strictObject({ by: z.enum(SILENCES), at: z.int(), why: z.string() });
export type Silence = z.output<typeof silenceSchema>;

/** All questions to external seats in a mission, as its bundle contains them. */
export const callsSchema = z.strictObject({
  /** The key that signed every receipt. */
  receiver: addressSchema,
  /** Sorted by id. */
  calls: z.array(z.strictObject({ ...keptCallSchema.shape, answered: keptAnswerSchema.optional(), silence: silenceSchema.optional() })),
});
export type RecordedCalls = z.output<typeof callsSchema>;
export type RecordedCall = RecordedCalls["calls"][number];

/** The mission, session or obligation that a question is indexed by; undefined if none applies. */
export function scopeOf(kind: CallName, payload: JsonObject): string | undefined {
  if (kind === "seal") {
    const { document } = payload;
    if (!isObject(document)) return undefined;
    const body = isObject(document["body"]) ? document["body"] : {};
    return named("obligation", document["obligation"] ?? body["obligation_hash"]);
  }
  if (kind === "hear" || kind === "acknowledge") return named("obligation", payload["obligation"]);
  const message = kind === "sign" && isObject(payload["message"]) ? payload["message"] : payload;
  return named("mission", payload["mission"] ?? message["mission"]) ?? named("session", message["session"]);
}

function named(what: "mission" | "session" | "obligation", value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? callScope(what, value) : undefined;
}

export function callScope(what: "mission" | "session" | "obligation", name: string): string {
  return `${what} ${name.toLowerCase()}`;
}
