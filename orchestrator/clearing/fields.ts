import { z } from "zod";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import { messageOf } from "../primitives/errors.ts";
import type { Hash } from "../primitives/hex.ts";
import { assertJson, type JsonValue } from "../primitives/json.ts";

/** Schemas shared by several objects. */

/** A name of a party, agent, verifier, item or clause. */
export const nameSchema = z.string().min(1).max(200);
/** A SHA-256 digest in lower case only: another case would be another text for the same hash. */
export const digestSchema = z.custom<Hash>(
  (value) => typeof value === "string" && /^0x[0-9a-f]{64}$/.test(value),
  "expected 0x and 64 lower-case hex digits",
);
export const classSchema = z.string().regex(/^[A-Z][A-Z0-9_]{0,31}$/, "expected a class name such as ATT");

/** In [0, 1] with at most four decimals, so that it converts exactly to basis points. */
export const shareSchema = z
  .number()
  .min(0)
  .max(1)
  .refine((share) => Math.abs(share * BASIS_POINTS - Math.round(share * BASIS_POINTS)) < 1e-9, "expected at most four decimals");

/** An amount in the obligation's units: a safe integer. */
export const amountSchema = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** UTC to the second, `2026-05-27T14:32:00Z`: the resolution of appeal windows (A.4.4). */
export const timeSchema = z.iso.datetime({ precision: 0 });

/** JSON that is passed on and hashed, but not interpreted. */
export const jsonSchema = z.custom<JsonValue>(isJson, "expected strict JSON");

/** The two questions of a clearing (RAILS 4.5). */
export const questionSchema = z.enum(["performance", "policy"]);
export type QuestionName = z.infer<typeof questionSchema>;
export const QUESTIONS: readonly QuestionName[] = questionSchema.options;

export const lossSchema = z.strictObject({
  point: amountSchema,
  calibration_range_low: amountSchema.optional(),
  calibration_range_high: amountSchema.optional(),
  confidence_interval: shareSchema.optional(),
  currency: nameSchema,
});
export type LossEstimate = z.infer<typeof lossSchema>;

export function toBps(share: number): number {
  return Math.round(share * BASIS_POINTS);
}

export function fromBps(bps: number): number {
  return bps / BASIS_POINTS;
}

/** Cache of parsed times, which repeat often. */
const parsedTimes = new Map<string, number>();
const MAX_TIMES = 1_024;

/** Seconds since 1970 of a time accepted by the schema. */
export function secondsOf(time: string): number {
  const known = parsedTimes.get(time);
  if (known !== undefined) return known;
  const seconds = Math.floor(Date.parse(time) / 1000);
  if (parsedTimes.size === MAX_TIMES) parsedTimes.clear();
  parsedTimes.set(time, seconds);
  return seconds;
}

export function timeOf(seconds: number | bigint): string {
  return new Date(Number(seconds) * 1000).toISOString().replace(".000Z", "Z");
}

/** Parses an external document: strict JSON first, since anything else cannot be hashed, then its schema. Never throws. */
export function read<Value>(schema: z.ZodType<Value>, document: unknown): { ok: true; value: Value } | { ok: false; problems: string } {
  try {
    assertJson(document);
  } catch (error) {
    return { ok: false, problems: messageOf(error) };
  }
  const parsed = schema.safeParse(document);
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, problems: parsed.error.issues.map(({ path, message }) => `${path.join(".") || "$"}: ${message}`).join("; ") };
}

function isJson(value: unknown): boolean {
  try {
    assertJson(value);
    return true;
  } catch {
    return false;
  }
}
