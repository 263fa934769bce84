import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { hashSchema, hexSchema } from "../primitives/hex.ts";

const natural = z
  .string()
  .regex(/^(0|[1-9]\d*)$/)
  .transform(BigInt);

/** An order of the override panel with its signatures so far: a file that adjudicators pass on until it has enough. */
export const signedOverrideSchema = z.strictObject({
  chainId: z.int().positive(),
  adjudication: addressSchema,
  message: z.strictObject({
    action: z.int().positive(),
    mission: addressSchema,
    node: z.int().min(0).max(255),
    target: addressSchema,
    data: hexSchema,
    /** The first signer's reason. */
    because: z.string().min(1),
    caseHash: hashSchema,
    salt: natural,
    deadline: z.int().positive(),
  }),
  signatures: z.array(z.strictObject({ adjudicator: addressSchema, signature: hexSchema })),
});
export type SignedOverride = z.output<typeof signedOverrideSchema>;

/** Serialises the file. */
export function signedOverrideJson({ message, ...rest }: SignedOverride): z.input<typeof signedOverrideSchema> {
  return { ...rest, message: { ...message, salt: message.salt.toString() } };
}
