import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";
import { canonicalJson, isObject, type JsonObject, type JsonValue, parseJson } from "../primitives/json.ts";
import { type CallName, callSchema, receivedSchema } from "./calls.ts";

/** Typed as our own JSON, whose lists nobody changes. */
const json: z.ZodType<JsonValue> = z.json();

/**
 * What whoever answered signed of the request that brought the answer, with all that is needed to check it again. `body`: as it was sent, where
 * those are not the canonical bytes of what it says.
 */
export const shownSchema = z.discriminatedUnion("by", [
  /** `MailboxRequest`, whose body is the answer. */
  z.strictObject({
    by: z.literal("request"),
    ...{ host: z.string().max(300), target: z.string().max(300), body: z.string().optional() },
    ...{ created: z.int(), nonce: hashSchema, signature: hexSchema },
  }),
  /** EIP-191 over a text with the SHA-256 of a body that names call and answer: in base64 by ERC-8128, in hex by the use of a tool. */
  z.strictObject({ by: z.literal("text"), text: z.string().max(16_384), body: z.string().optional(), signature: hexSchema }),
]);
export type Shown = z.output<typeof shownSchema>;

/** A body as a record keeps it: nothing, where it is the canonical form of what it says. */
export function bodyShown(body: Uint8Array): { readonly body?: string } {
  const text = new TextDecoder().decode(body);
  return canonicalJson(parseJson(text)) === text ? {} : { body: text };
}

/** `time`: nothing that counts came before `answerBy`; `agent`: it declined; `gone`: it was not connected; `closed`: no seat was open. */
export const SILENCES = ["time", "agent", "gone", "closed"] as const;

/** A question as it is kept. Its large members are blocks of their own: what many are asked alike is kept once. */
export const keptCallSchema = z.strictObject({
  id: hashSchema,
  to: addressSchema,
  kind: callSchema.shape.kind,
  payload: z.record(z.string(), json),
  large: z.record(z.string(), z.string()),
  /** Milliseconds since 1970, by the city's clock; null for a question that was put to nobody. */
  answerBy: z.int().nullable(),
});
export type KeptCall = z.output<typeof keptCallSchema>;

/** Answers from before they were kept with their receipts have none; one that came from this process shows nothing. */
export const keptAnswerSchema = z.strictObject({
  answer: json,
  received: receivedSchema.optional(),
  shown: shownSchema.optional(),
});
export type KeptAnswer = z.output<typeof keptAnswerSchema>;

export const silenceSchema = z.strictObject({ by: z.enum(SILENCES), at: z.int(), why: z.string() });
export type Silence = z.output<typeof silenceSchema>;

/** Everything that seats elsewhere were asked for a mission, as its bundle has it. */
export const callsSchema = z.strictObject({
  /** Who signed for every answer. */
  receiver: addressSchema,
  /** Sorted by id. */
  calls: z.array(z.strictObject({ ...keptCallSchema.shape, answered: keptAnswerSchema.optional(), silence: silenceSchema.optional() })),
});
export type RecordedCalls = z.output<typeof callsSchema>;
export type RecordedCall = RecordedCalls["calls"][number];

/** What a question is about, as calls are found by it: a mission, a session, or an obligation of a clearing; undefined: none of them. */
export function scopeOf(kind: CallName, payload: JsonObject): string | undefined {
  if (kind === "seal") {
    const { document } = payload;
    if (!isObject(document)) return undefined;
    const body = isObject(document["body"]) ? document["body"] : {};
    return named("obligation", document["obligation"] ?? body["obligation_hash"]);
  }
  const message = kind === "sign" && isObject(payload["message"]) ? payload["message"] : payload;
  return named("mission", payload["mission"] ?? message["mission"]) ?? named("session", message["session"]);
}

function named(what: "mission" | "session" | "obligation", value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? callScope(what, value) : undefined;
}

export function callScope(what: "mission" | "session" | "obligation", name: string): string {
  return `${what} ${name.toLowerCase()}`;
}
