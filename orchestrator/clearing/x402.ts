/**
 * The rail x402, version 2, scheme `exact` (RAILS 9.3): requests an instruction's payment in the protocol's form, and turns the settled
 * payment into an item of evidence. Independent of the chain: the receipt's signer vouches for the transfer.
 */
import { z } from "zod";
import type { Address } from "../primitives/hex.ts";
import type { BoundObligation } from "./bind.ts";
import type { Deployment } from "./deployment.ts";
import { type Emission, type EvidenceItem, emitted } from "./evidence-envelope.ts";
import { amountSchema, digestSchema, nameSchema, timeOf } from "./fields.ts";
import { admitItem } from "./ingest.ts";
import { accept, type Checked } from "./refusal.ts";
import type { SettlementInstruction } from "./settlement-instruction.ts";

/** `execution_rail.name` of obligations paid this way, and the type of their required receipt. */
export const X402 = "x402";
export const X402_RECEIPT = "x402_receipt";

/** Destination of a payment, signed by both parties as `receipt_requirement.target`. */
export interface X402Place {
  /** CAIP-2: `eip155:84532`. */
  readonly network: string;
  readonly asset: Address;
  readonly payTo: Address;
}

/** One payment; the obligation counts in the token's smallest unit. */
export interface X402Payment extends X402Place {
  readonly amount: number;
}

const networkSchema = z.string().regex(/^eip155:[1-9]\d{0,19}$/);
/** In any letter case: comparisons ignore it. */
const addressSchema = z.custom<Address>((value) => typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value), "expected an address");
const placeSchema = z.tuple([networkSchema, addressSchema, addressSchema]);
const receiptSchema = z.strictObject({
  instruction_id: digestSchema,
  network: networkSchema,
  asset: addressSchema,
  payTo: addressSchema,
  amount: amountSchema,
  payer: addressSchema,
  transaction: nameSchema,
});
/** Content of a client's `PAYMENT-RESPONSE`; a failed payment gives no receipt. */
const settledSchema = z.looseObject({ success: z.literal(true), transaction: nameSchema, network: networkSchema, payer: addressSchema });

export const x402Target = ({ network, asset, payTo }: X402Place): string => `${network}/${asset}/${payTo}`;

/** Whether an instruction pays by x402; a refund does not. */
export function isPaidByX402({ execution_rail, fee_action }: SettlementInstruction): boolean {
  return execution_rail.name === X402 && fee_action !== undefined && fee_action.type !== "refund" && fee_action.release_amount > 0;
}

/** The payment of an instruction. Undefined if it pays nothing, divides the fee among several, or has no valid target. */
export function paymentOf(instruction: SettlementInstruction): X402Payment | undefined {
  const { fee_action, receipt_requirement } = instruction;
  if (!isPaidByX402(instruction) || fee_action === undefined || fee_action.type === "refund") return undefined;
  if (fee_action.distribution !== undefined || receipt_requirement?.type !== X402_RECEIPT) return undefined;
  const place = placeSchema.safeParse(receipt_requirement.target.split("/")).data;
  if (place === undefined) return undefined;
  const [network, asset, payTo] = place;
  return { network, asset, payTo, amount: fee_action.release_amount };
}

export interface X402Request {
  readonly url: string;
  readonly description?: string;
  /** EIP-712 domain of the token, for the payer's signature. */
  readonly token: { readonly name: string; readonly version: string };
  /** Seconds for the payment. Default: two minutes. */
  readonly maxTimeoutSeconds?: number;
}

/**
 * The body of a `PAYMENT-REQUIRED` header, before Base64. Payments are irreversible, so request them after the appeal window; finality then
 * waits for the receipt.
 */
export function paymentRequired(
  instruction: SettlementInstruction,
  { url, description = `settlement ${instruction.instruction_id}`, token, maxTimeoutSeconds = 120 }: X402Request,
) {
  const payment = paymentOf(instruction);
  if (payment === undefined) return undefined;
  const { amount, network, asset, payTo } = payment;
  const extra = { name: token.name, version: token.version };
  return {
    x402Version: 2 as const,
    error: "the obligation was cleared and is not paid",
    resource: { url, description, mimeType: "application/json" },
    accepts: [{ scheme: "exact" as const, network, amount: String(amount), asset, payTo, maxTimeoutSeconds, extra }],
  };
}

/**
 * A settled payment as an item of evidence, vouched for by an observer of the transfer: a registered issuer of REC of neither party's
 * principal. Undefined if nothing was settled, or for another network.
 *
 * @param settled What the `PAYMENT-RESPONSE` header holds.
 */
export function receiptOf(instruction: SettlementInstruction, settled: unknown, by: Omit<Emission, "class">): EvidenceItem | undefined {
  const payment = paymentOf(instruction);
  const { data } = settledSchema.safeParse(settled);
  if (payment === undefined || data === undefined || data.network !== payment.network) return undefined;
  const { transaction, payer } = data;
  const content = { instruction_id: instruction.instruction_id, ...payment, payer, transaction };
  const artifact = { id: `${X402}/${transaction}`, type: X402_RECEIPT, content };
  return emitted(instruction.obligation_hash, artifact, { ...by, class: "REC" });
}

/** Whether a receipt proves exactly this payment. As in ingest, an item is refused if its issuer may not vouch for it. */
export function isReceiptOf(
  instruction: SettlementInstruction,
  receipt: EvidenceItem,
  { obligation, deployment, now }: { readonly obligation: BoundObligation; readonly deployment: Deployment; readonly now: bigint },
): Checked<boolean> {
  const admitted = admitItem(receipt, { submitted_at: timeOf(now) }, obligation, deployment);
  if (!admitted.ok) return admitted;
  const payment = paymentOf(instruction);
  const { data } = receiptSchema.safeParse(receipt.content);
  if (payment === undefined || data === undefined || receipt.type !== X402_RECEIPT) return accept(false);
  const spelled = (value: string | number) => String(value).toLowerCase();
  const same = (["network", "asset", "payTo", "amount"] as const).every((name) => spelled(data[name]) === spelled(payment[name]));
  const isStrong = deployment.admissibility.geq(admitted.value.class, "REC");
  return accept(same && isStrong && data.instruction_id === instruction.instruction_id);
}
