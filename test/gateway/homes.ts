/** Where the money of an agreement may lie, each behind the same deeds: what the conformance kit plays. */
import type { LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import {
  type Act,
  type Agreement,
  type AgreementLife,
  type Consent,
  type Measured,
  messageBytes,
  statementHash,
} from "../../orchestrator/agreements/index.ts";
import { agreementEscrowAbi } from "../../orchestrator/chain/abi/AgreementEscrow.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { type Step, signEscrowTerms } from "../../orchestrator/escrow/index.ts";
import { AgreementDesk, type AgreementDeskOptions } from "../../orchestrator/gateway/agreements/desk.ts";
import { debtOf } from "../../orchestrator/gateway/agreements/lives.ts";
import { Releases } from "../../orchestrator/gateway/agreements/releases.ts";
import type { Standing } from "../../orchestrator/gateway/agreements/standing.ts";
import { signRequest } from "../../orchestrator/gateway/http-signature.ts";
import type { Push } from "../../orchestrator/gateway/push.ts";
import { PaymentRequired, Till } from "../../orchestrator/gateway/x402.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import type { Address, Hash, Hex } from "../../orchestrator/primitives/hex.ts";
import type { Sql } from "../../orchestrator/records/sql.ts";
import {
  cancel,
  challenge,
  DELIVERABLE,
  deliver,
  identityOf,
  PATIENT,
  people,
  proposing,
  result,
  SIGNED,
  START,
} from "../agreements/acts.ts";
import { rejection } from "../support/rejection.ts";
import type { Payer } from "./payer.ts";
import { decoded, paymentBy, requiredSchema } from "./payment.ts";

type TimeoutAction = "split_50_50" | "return_to_client" | "release_to_provider";
export interface Terms {
  /** Decimal text, USDC. */
  readonly amount?: string;
  readonly inSilence?: TimeoutAction;
  /** What the client's wallet holds, smallest unit. Default: the amount. */
  readonly purse?: bigint;
  /** Another token than the city's. */
  readonly token?: Address;
  /** Without a challenge window: over once it is judged. */
  readonly isImmediate?: true;
}

/** One agreement that both have signed, and the deeds that lead it on. */
export interface Deal {
  readonly id: Hash;
  /** What its home needs before the work may begin. */
  begin(): Promise<void>;
  deliver(): Promise<void>;
  judge(by: "evaluator" | "backup", measured?: Measured): Promise<void>;
  challenge(): Promise<void>;
  /** Both end it before any work, with nothing for the provider. */
  cancel(): Promise<void>;
  /** Nobody does anything until this state's time is over, and some seconds more. */
  silence(more?: number): Promise<void>;
  /** What is owed by now reaches the provider; by whoever it is. */
  collect(): Promise<void>;
  /** What the provider's wallet has received, smallest unit. */
  received(): Promise<bigint>;
  /** What left the client's wallet and did not come back. */
  spent(): Promise<bigint>;
  /** The client's side of it with a unit less than was agreed. */
  underpay(): Promise<void>;
  /** The client's side of it by another's key. */
  forge(): Promise<void>;
  /** The client's side of it cut off after it was sent, and taken up again by a new process. */
  cutAndResume(): Promise<void>;
  endow(amount: bigint): Promise<void>;
}

/** A home of money. `isAhead`: what is agreed lies there before the work; else the client pays once it is over. */
export interface Home {
  readonly name: "erc8183" | "x402" | "http_callback";
  readonly isAhead: boolean;
  open(terms?: Terms): Promise<Deal>;
}

let count = 0;
const UNTIL = START + 365 * 86_400;

/** The agreements' client shows itself to a gateway as their reader. */
export function reading(chain: number, now: number) {
  const { value: reader } = identityOf(people.client);
  const expires = now + 300;
  const signature = people.client.sign(messageBytes("reading", statementHash({ chain, expires, reader })));
  return { reader, expires, signature };
}

type Escrow = NonNullable<Agreement["escrow"]>;

/** What every home shares: wallets, money, the signed acts. */
async function agreed(desk: AgreementDesk, binding: Escrow["binding"], terms: Terms, signatures: WalletSignatures) {
  const { amount = "5.00", inSilence = "split_50_50", purse, isImmediate } = terms;
  const verification = { strategy: "immediate", depth: "semantic", evaluator_timeout_seconds: 600 } as const;
  count += 1;
  const escrow: Escrow = {
    enabled: true,
    binding,
    payment: { amount, currency: "USDC", graduated_release: { enabled: true } },
    dead_mans_switch: { client_timeout_seconds: 3_600, provider_timeout_seconds: 86_400, timeout_action: inSilence },
  };
  let { id, life } = await desk.propose(proposing(`home-${count}`, UNTIL, { escrow, ...(isImmediate ? { verification } : {}) }));
  for (const step of SIGNED) {
    const act = step(life);
    const more = act.act === "sign" ? await signatures(await desk.get(id), act.by) : {};
    ({ life } = await desk.take(id, { ...act, ...more }));
  }
  return { id, amount: BigInt(Math.round(Number(amount) * 1e6)), purse };
}
type WalletSignatures = (standing: Standing, by: "client" | "provider") => Promise<{ readonly escrow_signature?: Hex }>;

function wallets() {
  const fresh = () => privateKeyToAccount(generatePrivateKey());
  return { client: fresh(), provider: fresh(), evaluator: fresh(), backup: fresh(), arbiter: fresh(), stranger: fresh() };
}

async function endow({ client, society, sender }: City, account: LocalAccount, amount: bigint): Promise<void> {
  count += 1;
  const by = { account: memberOf(society, "deployer").account };
  if (amount > 0n) await client.token.mint([account.address, amount], { ...by, intent: intentKey("homes-mint", count) });
  await sender.send({ ...by, intent: intentKey("homes-gas", count), to: account.address, value: 10n ** 17n });
}

interface StepMore {
  readonly deliverable?: Hash;
  readonly percent?: number;
}

/** `AgreementEscrow`: the money lies on chain from the beginning, and the chain leads. */
export function escrowHome(city: City, escrow: Address, breakers: Pick<AgreementDeskOptions, "stops" | "unknown"> = {}) {
  const { chain, client, database: sql } = city;
  const { CityToken: token } = client.addresses;
  const desk = new AgreementDesk({ sql, chain, token, escrow, millis: () => START * 1_000, limits: PATIENT, ...breakers });
  return {
    name: "erc8183",
    isAhead: true,
    async open(terms: Terms = {}) {
      const purses = wallets();
      const { stranger, ...named } = purses;
      const binding = {
        ...{ type: "erc8183" as const, ...desk.binding },
        ...(terms.token === undefined ? {} : { token: terms.token }),
        wallets: Object.fromEntries(Object.entries(named).map(([role, { address }]) => [role, address])),
      };
      const domain = { chainId: chain.id, escrow };
      const deal = await agreed(desk, binding, terms, async ({ job }, by) =>
        job === undefined ? {} : { escrow_signature: await signEscrowTerms(purses[by], domain, job.terms) },
      );
      const { id, amount, purse = amount } = deal;
      await endow(city, purses.client, purse);
      for (const who of [purses.provider, purses.evaluator, purses.backup, stranger]) await endow(city, who, 0n);
      let before = await client.token.balanceOf(purses.client.address);

      /** A step as its account signs it; `edit` replaces what the last call says. */
      async function signed(step: Step, who: LocalAccount, more: StepMore = {}, edit = (data: Hex): Hex => data): Promise<readonly Hex[]> {
        const calls = await desk.calls(await desk.get(id), step, { from: who.address, ...more });
        const nonce = await chain.publicClient.getTransactionCount({ address: who.address });
        const fees = await chain.fees();
        return Promise.all(
          calls.map(({ what, data, ...call }, place) =>
            who.signTransaction({
              ...{ ...call, ...fees, type: "eip1559", chainId: chain.id, nonce: nonce + place },
              data: what === step ? edit(data) : data,
            }),
          ),
        );
      }
      const step = async (name: Step, who: LocalAccount, more: StepMore = {}) => void (await desk.send(id, await signed(name, who, more)));
      async function consent(): Promise<Consent> {
        const { typedData, deadline } = desk.consentData(await desk.get(id), 0);
        const escrow_signature = await purses.provider.signTypedData(JSON.parse(typedData));
        return { act: "consent", by: "provider", share: 0, deadline, escrow_signature };
      }
      return {
        ...{ id, consent, purses },
        begin: () => step("fund", purses.client),
        deliver: () => step("submit", purses.provider, { deliverable: DELIVERABLE }),
        async judge(by, measured) {
          await desk.take(id, result((await desk.get(id)).life, by, measured));
          await step("settle", purses[by]);
        },
        challenge: () => step("challenge", purses.client),
        async cancel() {
          await desk.take(id, await consent());
          await step("cancel", purses.client, { percent: 0 });
        },
        async silence(more = 1) {
          const { due } = await desk.get(id);
          if (due !== undefined) await chain.clock.sleepUntil(BigInt(due + more));
        },
        async collect() {
          const { status } = await desk.get(id);
          // On chain anybody may; this gateway sends it for those who are named.
          if (status !== "closed" && status !== "expired") await step("finalise", purses.provider);
          for (const who of [purses.client, purses.provider]) {
            const args = [token, who.address] as const;
            const credit = await chain.publicClient.readContract({
              abi: agreementEscrowAbi,
              address: escrow,
              functionName: "creditOf",
              args,
            });
            if (credit > 0n) await step("withdraw", who);
          }
        },
        received: () => client.token.balanceOf(purses.provider.address),
        spent: async () => before - (await client.token.balanceOf(purses.client.address)),
        async underpay() {
          const less = (data: Hex) => data.replace(hexOf(amount), hexOf(amount - 1n)) as Hex;
          await desk.send(id, await signed("fund", purses.client, {}, less));
        },
        forge: () => step("fund", stranger),
        async cutAndResume() {
          const raws = await signed("fund", purses.client);
          await desk.send(id, raws);
          await new AgreementDesk({ sql, chain, token, escrow, millis: () => START * 1_000 }).send(id, raws);
        },
        async endow(more) {
          await endow(city, purses.client, more);
          before += more;
        },
      };
    },
  } as const satisfies Home;
}
const hexOf = (amount: bigint) => amount.toString(16).padStart(64, "0");

/** What parties do whose money no escrow holds: their acts lead, by the desk's own clock. */
function actsOf(desk: AgreementDesk, id: Hash, clock: { now: number }) {
  const take = async (act: (life: AgreementLife) => Act) => void (await desk.take(id, act((await desk.get(id)).life)));
  return {
    id,
    begin: async () => {},
    deliver: () => take(deliver),
    judge: (by, measured) => take((life) => result(life, by, measured)),
    challenge: () => take((life) => challenge(life, "client")),
    cancel: () => take(cancel),
    async silence(more = 1) {
      const { due } = await desk.get(id);
      if (due !== undefined) clock.now = Math.max(clock.now, due + more);
    },
  } satisfies Partial<Deal>;
}

/** x402: the client pays what is owed once it is over, and the parties' acts lead. */
export function x402Home(city: City): Home {
  const { chain, client, database: sql } = city;
  const { CityToken: token } = client.addresses;
  const clock = { now: START };
  const desk = new AgreementDesk({ sql, chain, token, escrow: undefined, millis: () => clock.now * 1_000, limits: PATIENT });
  const till = new Till(client, sql);
  return {
    name: "x402",
    isAhead: false,
    async open(terms = {}) {
      const purses = wallets();
      const binding = { ...desk.afterwards, token: terms.token ?? token, wallets: { provider: purses.provider.address } };
      const { id, amount, purse = amount } = await agreed(desk, binding, terms, async () => ({}));
      await endow(city, purses.client, purse);
      let before = await client.token.balanceOf(purses.client.address);
      const charge = (header: string | undefined, by = till) =>
        by.charge(
          { url: "http://127.0.0.1/", description: "", request: id, debt: debtOf(id), price: () => desk.debt(id) },
          header,
          async () => "paid for",
        );
      /** Signs what is asked. */
      async function payment(by: LocalAccount, more: { readonly value?: bigint } = {}): Promise<string> {
        const asked: unknown = await charge(undefined).catch((error: unknown) => error);
        if (!(asked instanceof PaymentRequired)) throw asked;
        const { accepts } = requiredSchema.parse(decoded(asked.required));
        count += 1;
        return (await paymentBy(by, accepts[0], { now: chain.clock.now(), nonce: sha256(`home ${count}`), ...more })).header;
      }
      return {
        ...actsOf(desk, id, clock),
        async collect() {
          const { owed } = await desk.get(id);
          if (owed?.amount === 0n || owed?.paid !== undefined) return;
          await charge(await payment(purses.client));
        },
        received: () => client.token.balanceOf(purses.provider.address),
        spent: async () => before - (await client.token.balanceOf(purses.client.address)),
        underpay: async () => void (await charge(await payment(purses.client, { value: amount - 1n }))),
        async forge() {
          const header = await payment(purses.stranger);
          const stolen = JSON.stringify(decoded(header)).replaceAll(purses.stranger.address, purses.client.address);
          await charge(Buffer.from(stolen).toString("base64"));
        },
        async cutAndResume() {
          const header = await payment(purses.client);
          const ended = () => Promise.reject(new Error("the power went"));
          const cut = new Till({ ...client, token: { ...client.token, transferWithAuthorization: ended } }, sql);
          await charge(header, cut).catch(() => {});
          const next = new Till(client, sql);
          await next.reconcile(() => {});
          await charge(header, next);
        },
        async endow(more) {
          await endow(city, purses.client, more);
          before += more;
        },
      };
    },
  };
}

/** A payer of the client's own, which the city instructs once it is over. What lies there is not for a city to see. */
export function callbackHome(city: City, payer: Payer, operator: LocalAccount, clock: { now: number }): Home {
  const { chain, client, database: sql } = city;
  const { CityToken: token } = client.addresses;
  const millis = () => clock.now * 1_000;
  const releasing = (push: Push, records: Sql = sql) =>
    new Releases({ sql: records, push, operator, chainId: chain.id, millis, desk: () => desk });
  const releases: Releases = releasing(payer.push);
  const desk: AgreementDesk = new AgreementDesk({ sql, chain, token, escrow: undefined, millis, limits: PATIENT, releases });
  return {
    name: "http_callback",
    isAhead: false,
    async open(terms = {}) {
      count += 1;
      const payee = `account ${count}`;
      const binding = { ...desk.callback, type: "http_callback" as const, url: `${payer.origin}/pay/${count}`, payee };
      const named = terms.token === undefined ? binding : { ...binding, operator: terms.token };
      const { id, amount, purse = amount } = await agreed(desk, named, terms, async () => ({}));
      let held = purse;
      payer.purses.set(payee, purse);
      /** A second later, whatever was tried before is tried again. */
      async function collect(by = releases): Promise<void> {
        const { due } = (await desk.get(id)).release ?? {};
        clock.now = Math.max(clock.now + 1, Math.ceil((due ?? 0) / 1_000));
        await by.step();
        const { release } = await desk.get(id);
        if (release?.state !== "settled" && release?.state !== "nothing") throw new Error(release?.problem ?? "it is not over");
      }
      /** Posts to the payer what it was told, or would have been, with something changed. */
      async function post(edit: (body: string) => string, by: LocalAccount | undefined): Promise<void> {
        const url = new URL(`${payer.origin}/pay/${count}`);
        const whole = JSON.stringify({ key: id, amount: "4.25", currency: "USDC", payee });
        const [body, altered] = [whole, edit(whole)].map((text) => new TextEncoder().encode(text));
        const headers = new Headers({ "content-type": "application/json", "idempotency-key": `"${id}"` });
        const facts = { chainId: chain.id, key: operator.address, nonce: id.slice(2), now: clock.now };
        const signed = await signRequest({ method: "POST", url, headers, body: body ?? new Uint8Array() }, facts, (message) =>
          (by ?? operator).signMessage({ message }),
        );
        const sent = { body: altered ?? new Uint8Array(), headers: { ...Object.fromEntries(headers), ...signed } };
        const { status, text } = await payer.push(url, sent);
        if (status !== 200) throw new Error(text);
      }
      return {
        ...actsOf(desk, id, clock),
        collect,
        received: async () => payer.received.get(payee) ?? 0n,
        spent: async () => held - (payer.purses.get(payee) ?? 0n),
        underpay: () => post((body) => body.replace("4.25", "4.249999"), undefined),
        forge: () => post((body) => body, wallets().stranger),
        async cutAndResume() {
          const cut: Sql = {
            ...sql,
            query: (text, values) => (text.includes("SET state = $2, reference") ? ended() : sql.query(text, values)),
          };
          const ended = () => Promise.reject(new Error("the power went"));
          await rejection(collect(releasing(ended, cut)));
          await rejection(collect(releasing(payer.push, cut)));
          await collect(releasing(payer.push));
        },
        async endow(more) {
          payer.purses.set(payee, (payer.purses.get(payee) ?? 0n) + more);
          held += more;
        },
      };
    },
  };
}
