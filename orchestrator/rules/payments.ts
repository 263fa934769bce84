/** Twin of `contracts/libraries/Payments.sol`: one payment in one word. */
import { type Address, getAddress } from "viem";
import { RuleError } from "./rule-error.ts";
import { field, place, wordDigits } from "./words.ts";

export interface Payment {
  readonly account: Address;
  /** Smallest unit. */
  readonly amount: bigint;
  /** ψ × 1000 of an executor. */
  readonly psi: number;
  readonly node: number;
  /** An executor's slot; otherwise a seat, a premium or a bond. */
  readonly place: number;
}

/** Position of the verifier in seat 0; of the premium of slot 0; of the first bond. */
export const [SEAT, PREMIUM, BOND] = [64, 128, 192] as const;

const ADDRESS_DIGITS = 40;
const tooLarge = (bits: number) => (value: bigint) => new RuleError("FieldTooLarge", value, bits);

export function packPayment({ account, amount, psi, node, place: at }: Payment): bigint {
  return (
    BigInt(account) |
    place(amount, 160, 64, tooLarge(64)) |
    place(psi, 224, 16, tooLarge(16)) |
    place(node, 240, 8, tooLarge(8)) |
    place(at, 248, 8, tooLarge(8))
  );
}

export function unpackPayment(word: bigint): Payment {
  return {
    account: getAddress(`0x${wordDigits(word).slice(-ADDRESS_DIGITS)}`),
    amount: field(word, 160, 64),
    psi: Number(field(word, 224, 16)),
    node: Number(field(word, 240, 8)),
    place: Number(field(word, 248, 8)),
  };
}

/** The premium of an executor's payment, as a payment of its own. */
export function premiumOf(payment: Payment, amount: bigint): Payment {
  return { ...payment, amount, psi: 0, place: payment.place + PREMIUM };
}

export interface ClaimedPayments {
  readonly executors: readonly {
    readonly node: number;
    readonly slot: number;
    readonly agent: Address;
    readonly paid: bigint;
    readonly premium: bigint;
  }[];
  readonly verifiers: readonly { readonly node: number; readonly verifier: Address; readonly amount: bigint }[];
}

/** The fields of `Claimed`, in order. */
export function claimedPayments(claimed: { readonly payments: readonly bigint[]; readonly premiums: readonly bigint[] }): ClaimedPayments {
  const payments = claimed.payments.map(unpackPayment);
  const premiums = claimed.premiums.map(unpackPayment);
  const premium = ({ node, place: slot }: Payment) =>
    premiums.find((one) => one.node === node && one.place === slot + PREMIUM)?.amount ?? 0n;
  return {
    executors: payments.flatMap((one) =>
      one.place < SEAT ? [{ node: one.node, slot: one.place, agent: one.account, paid: one.amount, premium: premium(one) }] : [],
    ),
    verifiers: payments.flatMap((one) =>
      one.place >= SEAT && one.place < PREMIUM ? [{ node: one.node, verifier: one.account, amount: one.amount }] : [],
    ),
  };
}
