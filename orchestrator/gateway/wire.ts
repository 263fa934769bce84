import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { InvalidValue } from "../primitives/errors.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { hashSchema } from "../primitives/hex.ts";

/** What crosses the wire, in schemas that OpenAPI can say: plain patterns, no conversions. */
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .meta({ description: "An account or contract: 0x and 40 hex digits", examples: ["0x853cD99154C0DfA30F4D6fD0b269eC5123D71ac7"] });
export const hash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .meta({ description: "32 bytes: 0x and 64 lower-case hex digits" });
export const units = z
  .string()
  .regex(/^(0|[1-9]\d*)$/)
  .meta({ description: "An amount in the settlement token's smallest unit, or another whole number beyond 2^53, as decimal text" });
export const typed = z.string().meta({ description: "EIP-712 typed data as JSON text, for any wallet" });
/** A key's. */
export const signed = z.string().regex(/^0x[0-9a-f]{130}$/);
export const contentId = z
  .string()
  .regex(/^b[a-z2-7]{20,100}$/)
  .meta({ description: "CIDv1 (raw, sha2-256) in base32" });
export const count = z.int().nonnegative();
export const seconds = count.meta({ description: "Unix seconds; 0 for none" });

export const pageInput = {
  cursor: z.string().max(64).optional().meta({ description: "`next` of the page before" }),
  limit: z.int().min(1).max(200).optional().meta({ description: "At most so many; 50 by default" }),
  newest: z.boolean().optional().meta({ description: "The last ones first" }),
};

/** A page of items and where the next one begins. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item), next: z.string().nullable() });
}

/** With its checksum, whatever case it came in. */
export function toAddress(text: string): Address {
  const parsed = addressSchema.safeParse(text.toLowerCase());
  if (!parsed.success) throw new InvalidValue("address", "expected 0x and 40 hex digits");
  return parsed.data;
}

export function toHash(text: string): Hash {
  return hashSchema.parse(text);
}

/** The property that distinguishes several schemas of one value. */
export type Wire<Schema extends z.ZodType> = z.input<Schema>;
