/** What whoever pays by x402 (version 2, `exact`) reads, signs and sends. */
import type { LocalAccount } from "viem";
import { z } from "zod";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import type { Hash, Hex } from "../../orchestrator/primitives/hex.ts";

export const requiredSchema = z.object({
  x402Version: z.literal(2),
  error: z.string(),
  resource: z.object({ url: z.url() }),
  accepts: z.tuple([
    z.object({
      scheme: z.literal("exact"),
      network: z.literal("eip155:31337"),
      amount: z.string(),
      asset: addressSchema,
      payTo: addressSchema,
      maxTimeoutSeconds: z.number(),
      extra: z.object({ name: z.string(), version: z.string() }),
    }),
  ]),
});
export type Terms = z.infer<typeof requiredSchema>["accepts"][0];
const TRANSFER = ["from", "to"].map((name) => ({ name, type: "address" }));
const TYPES = {
  TransferWithAuthorization: [
    ...TRANSFER,
    ...["value", "validAfter", "validBefore"].map((name) => ({ name, type: "uint256" })),
    { name: "nonce", type: "bytes32" },
  ],
};
export const decoded = (header: string | null): unknown => JSON.parse(Buffer.from(header ?? "", "base64").toString());
export const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");

/** A payment for what is asked, as its header has it; `more` replaces terms of the transfer before it is signed. */
export async function paymentBy(
  by: LocalAccount,
  accepted: Terms,
  { now, ...more }: { readonly now: bigint; readonly nonce: Hash; readonly value?: bigint; readonly validAfter?: bigint },
) {
  const message = {
    from: by.address,
    to: accepted.payTo,
    value: BigInt(accepted.amount),
    validAfter: now - 60n,
    validBefore: now + 120n,
    ...more,
  };
  const domain = { ...accepted.extra, chainId: 31337, verifyingContract: accepted.asset };
  const signature: Hex = await by.signTypedData({ domain, types: TYPES, primaryType: "TransferWithAuthorization", message });
  const authorization = Object.fromEntries(Object.entries(message).map(([name, value]) => [name, String(value)]));
  return { message, signature, header: encoded({ x402Version: 2, accepted, payload: { signature, authorization } }) };
}
