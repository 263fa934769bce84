/**
 * Paid commands by x402, version 2: scheme `exact` over EIP-3009. The caller signs a transfer, the answer is made, and the city's one sender
 * hands the transfer in: whoever gets no answer has paid nothing.
 */
import { decodeEventLog, isAddressEqual, parseSignature, recoverTypedDataAddress } from "viem";
import { z } from "zod";
import { cityTokenAbi } from "../chain/abi/CityToken.ts";
import { TransactionReverted } from "../chain/errors.ts";
import { intentKey } from "../chain/outbox.ts";
import type { CityClient } from "../client/client.ts";
import { addressSchema } from "../primitives/address.ts";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { sha256 } from "../primitives/hash.ts";
import { type Address, type Hash, hashSchema, hexSchema } from "../primitives/hex.ts";
import { canonicalJson, parseJson } from "../primitives/json.ts";
import type { Sql } from "../records/sql.ts";

/** What a paid command costs, in the token's smallest unit, and whom it pays. */
export interface Toll {
  readonly amount: bigint;
  readonly payTo: Address;
}

/** A use of a paid command. */
export interface Charge {
  readonly url: string;
  readonly description: string;
  readonly request: string;
  /** Asked for only where this payment was not taken before. Throws what is no matter of paying. */
  readonly price: () => Promise<Toll>;
  /** What is paid by one payment at most, whoever makes it. Default: each request may be paid for again. */
  readonly debt?: string;
}

export const PAYMENT_HEADERS = { required: "payment-required", signature: "payment-signature", response: "payment-response" } as const;

/** Seconds that an authorisation has to be good for. */
const TIMEOUT = 120;
/** Seconds that an authorisation must still have when it comes, for the block that takes it. */
const MARGIN = 6n;
/** Seconds for which the answer to a payment is kept after its authorisation ended. */
const KEPT = 86_400n;
const MAX_HEADER = 8_192;

const decimal = z.string().regex(/^(0|[1-9]\d{0,77})$/);
const requirementsSchema = z.looseObject({
  scheme: z.string(),
  network: z.string(),
  amount: decimal,
  asset: z.string(),
  payTo: z.string(),
  maxTimeoutSeconds: z.number(),
});
type Requirements = z.infer<typeof requirementsSchema>;
const authorizationSchema = z.object({
  from: addressSchema,
  to: addressSchema,
  value: decimal,
  validAfter: decimal,
  validBefore: decimal,
  nonce: hashSchema,
});
type Authorization = z.infer<typeof authorizationSchema>;
const paymentSchema = z.object({
  x402Version: z.literal(2),
  accepted: requirementsSchema,
  payload: z.object({ signature: hexSchema, authorization: authorizationSchema }),
});
export type Payment = z.infer<typeof paymentSchema>;

const TYPES = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;

const encoded = (value: unknown): string => Buffer.from(canonicalJson(value)).toString("base64");

/** Nothing was done and nothing is paid; `required` says what would be. */
export class PaymentRequired extends AgentCityError {
  readonly required: string;
  constructor(problem: string, required: string) {
    super("PaymentRequired", "This is answered for a payment (x402)", {
      details: problem,
      action: "sign what the PAYMENT-REQUIRED header asks",
    });
    this.required = required;
  }
}

/** An answer that is paid for, and the header that says so. */
export interface Paid {
  readonly answer: string;
  readonly receipt: string;
}

const rowSchema = z.object({ request: z.string(), payment: z.string(), answer: z.string(), settled: z.string().nullable() });

/** Takes payments for answers, each once. */
export class Till {
  readonly #client: CityClient;
  readonly #sql: Sql;
  /** Payments that are being dealt with: the same one twice at once is one. */
  readonly #busy = new Map<string, Promise<unknown>>();
  #name: Promise<string> | undefined;

  constructor(client: CityClient, sql: Sql) {
    this.#client = client;
    this.#sql = sql;
  }

  /** Answers for the payment that a header holds. Throws PaymentRequired; what `work` throws is thrown, and nothing is paid. */
  async charge(asked: Charge, header: string | undefined, work: () => Promise<string>): Promise<Paid> {
    const payment = header === undefined ? undefined : read(header);
    if (payment === undefined) {
      const problem = header === undefined ? "no payment was sent" : "the payment is not one of x402, version 2, scheme exact";
      throw refusing(asked, await this.#requirements(await asked.price()))(problem);
    }
    const { from, nonce } = payment.payload.authorization;
    const key = asked.debt ?? `${from} ${nonce}`;
    const before = this.#busy.get(key) ?? Promise.resolve();
    const answered = before.then(() => this.#answer(payment, asked, work));
    const settled = answered.catch(() => {});
    this.#busy.set(key, settled);
    try {
      return await answered;
    } finally {
      if (this.#busy.get(key) === settled) this.#busy.delete(key);
    }
  }

  /** How many payments were handed in, may still be taken, and are not known to be: none that is being dealt with. */
  async unknown(): Promise<number> {
    const lapsed = String(this.#client.chain.clock.now() + KEPT);
    const rows = await this.#sql.query("SELECT payer, nonce, debt FROM gateway_payments WHERE settled IS NULL AND expires > $1", [lapsed]);
    return rows.filter(({ payer, nonce, debt }) => !this.#busy.has(debt === null ? `${payer} ${nonce}` : String(debt))).length;
  }

  /** Hands in what was answered and not settled, as after a power cut. Problems are reported, and retried the next time. */
  async reconcile(progress: (line: string) => void): Promise<void> {
    const open = await this.#sql.query("SELECT payment FROM gateway_payments WHERE settled IS NULL");
    for (const row of open) {
      const payment = paymentSchema.parse(parseJson(z.string().parse(row["payment"])));
      await this.#settle(payment, (problem) => new PaymentRequired(problem, "")).catch((error: unknown) => {
        progress(`an answer to ${payment.payload.authorization.from} is not paid: ${messageOf(error)}`);
      });
    }
  }

  async #answer(payment: Payment, asked: Charge, work: () => Promise<string>): Promise<Paid> {
    const { from, nonce, validBefore } = payment.payload.authorization;
    const request = sha256(asked.request);
    const known = await this.#kept(payment);
    const asBefore = refusing(asked, payment.accepted);
    if (known !== undefined && known.request !== request) throw asBefore("this payment was for something else");
    if (known !== undefined) return { answer: known.answer, receipt: await this.#settle(payment, asBefore) };
    const price = await asked.price();
    const requirements = await this.#requirements(price);
    const refuse = refusing(asked, requirements);
    const problem = await this.#problemOf(payment, price, requirements);
    if (problem !== undefined) throw refuse(problem);
    const answer = await work();
    // Before money moves: whatever ends this process now, the same request is answered without paying again.
    await this.#sql.query(
      "INSERT INTO gateway_payments (payer, nonce, request, payment, answer, expires, debt) VALUES ($1, $2, $3, $4, $5, $6, $7)",
      [from, nonce, request, canonicalJson(payment), answer, String(BigInt(validBefore) + KEPT), asked.debt ?? null],
    );
    return { answer, receipt: await this.#settle(payment, refuse) };
  }

  async #kept({ payload: { authorization } }: Payment): Promise<z.infer<typeof rowSchema> | undefined> {
    const { from, nonce } = authorization;
    const now = String(this.#client.chain.clock.now());
    await this.#sql.query("DELETE FROM gateway_payments WHERE settled IS NOT NULL AND debt IS NULL AND expires < $1", [now]);
    const [row] = await this.#sql.query("SELECT request, payment, answer, settled FROM gateway_payments WHERE payer = $1 AND nonce = $2", [
      from,
      nonce,
    ]);
    return row === undefined ? undefined : rowSchema.parse(row);
  }

  /** The header of a payment that is on chain, from this call or an earlier one. A payment that cannot be had lets go of its answer. */
  async #settle(payment: Payment, refuse: (problem: string) => PaymentRequired): Promise<string> {
    const { authorization, signature } = payment.payload;
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const known = await this.#kept(payment);
    let transaction = known?.settled ?? undefined;
    if (transaction === undefined) {
      const { r, s, v, yParity } = parseSignature(signature);
      const args = [
        from,
        to,
        BigInt(value),
        BigInt(validAfter),
        BigInt(validBefore),
        nonce,
        Number(v ?? 27n + BigInt(yParity)),
        r,
        s,
      ] as const;
      try {
        const receipt = await this.#client.token.transferWithAuthorization(args, { intent: intentKey("x402", from, nonce) });
        transaction = receipt?.transactionHash ?? (await this.#paidBy(authorization));
      } catch (error) {
        if (!(error instanceof TransactionReverted)) throw error;
        // Whoever saw it may have handed it in: then it is paid all the same.
        transaction = await this.#paidBy(authorization);
        if (transaction === undefined) {
          await this.#sql.query("DELETE FROM gateway_payments WHERE payer = $1 AND nonce = $2", [from, nonce]);
          throw refuse(`the payment does not go through (${error.errorName ?? error.shortMessage})`);
        }
      }
      if (transaction === undefined) throw new RangeError("a payment that was sent is nowhere");
      await this.#sql.query("UPDATE gateway_payments SET settled = $3 WHERE payer = $1 AND nonce = $2", [from, nonce, transaction]);
    }
    return encoded({ success: true, transaction, network: this.#network(), payer: from });
  }

  /** The transaction in which just this transfer was made under its nonce: a nonce that is used may have been cancelled. */
  async #paidBy({ from, to, value, nonce }: Authorization): Promise<Hash | undefined> {
    for (const { transactionHash } of await this.#client.token.history("AuthorizationUsed", { authorizer: from, nonce })) {
      const { logs } = await this.#client.chain.publicClient.getTransactionReceipt({ hash: transactionHash });
      const made = logs.some(({ address, data, topics }) => {
        if (!isAddressEqual(address, this.#client.addresses.CityToken)) return false;
        const event = decodeEventLog({ abi: cityTokenAbi, data, topics, strict: false });
        if (event.eventName !== "Transfer") return false;
        const { args } = event;
        return args.from === from && args.to === to && args.value === BigInt(value);
      });
      if (made) return transactionHash;
    }
    return undefined;
  }

  /** Why a payment would not be one; undefined if it would. */
  async #problemOf(
    { accepted, payload: { authorization, signature } }: Payment,
    { amount, payTo }: Toll,
    asked: Requirements,
  ): Promise<string | undefined> {
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const { token, addresses, chain } = this.#client;
    const differs = (["scheme", "network", "amount"] as const).find((name) => accepted[name] !== asked[name]);
    if (differs !== undefined) return `${differs} is not what is asked`;
    if (addressIn(accepted.asset) !== addresses.CityToken) return "asset is not what is asked";
    if (addressIn(accepted.payTo) !== payTo || to !== payTo) return "it is to somebody else";
    if (BigInt(value) !== amount) return `it is ${value}, and ${amount} is asked`;
    const now = chain.clock.now();
    if (BigInt(validAfter) >= now) return `it is not good yet: this chain's time is ${now}`;
    if (BigInt(validBefore) < now + MARGIN) return `it is no longer good: this chain's time is ${now}`;
    const domain = { name: await this.#tokenName(), version: "1", chainId: chain.id, verifyingContract: addresses.CityToken };
    const message = { from, to, value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore), nonce };
    const typed = { domain, types: TYPES, primaryType: "TransferWithAuthorization", message } as const;
    const signer = await recoverTypedDataAddress({ ...typed, signature }).catch(() => undefined);
    if (signer !== from) return "its signature is not its payer's";
    if (await token.authorizationState(from, nonce)) return "its nonce was used or cancelled";
    if ((await token.balanceOf(from)) < BigInt(value)) return "its payer does not have that much";
    return undefined;
  }

  async #requirements({ amount, payTo }: Toll): Promise<Requirements & { readonly extra: object }> {
    return {
      scheme: "exact",
      network: this.#network(),
      amount: String(amount),
      asset: this.#client.addresses.CityToken,
      payTo,
      maxTimeoutSeconds: TIMEOUT,
      extra: { name: await this.#tokenName(), version: "1" },
    };
  }

  #network(): string {
    return `eip155:${this.#client.chain.id}`;
  }

  #tokenName(): Promise<string> {
    this.#name ??= this.#client.token.name();
    return this.#name;
  }
}

/** The payment of a debt: its transaction, null while it is on its way. Undefined where nobody has paid. */
export async function paymentOfDebt(sql: Pick<Sql, "query">, debt: string): Promise<Hash | null | undefined> {
  const [row] = await sql.query("SELECT settled FROM gateway_payments WHERE debt = $1", [debt]);
  return row === undefined ? undefined : hashSchema.nullable().parse(row["settled"]);
}

/** Refuses a use of a command, and says what would pay for it. */
function refusing({ url, description }: Charge, requirements: Requirements): (problem: string) => PaymentRequired {
  const terms = { resource: { url, description, mimeType: "application/json" }, accepts: [requirements] };
  return (problem) => new PaymentRequired(problem, encoded({ x402Version: 2, error: problem, ...terms }));
}

function read(header: string): Payment | undefined {
  if (header.length > MAX_HEADER) return undefined;
  try {
    return paymentSchema.safeParse(parseJson(Buffer.from(header, "base64").toString("utf8"))).data;
  } catch {
    return undefined;
  }
}

function addressIn(text: string): Address | undefined {
  const parsed = addressSchema.safeParse(text);
  return parsed.data;
}
