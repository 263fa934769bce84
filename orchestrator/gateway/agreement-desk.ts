/**
 * Agreements of any two parties: the city stores their signed acts, reads the escrow on its chain, and reports the state of each agreement.
 */
import { erc20Abi, hashMessage, hashTypedData, stringify } from "viem";
import { z } from "zod";
import {
  type Act,
  type Agreement,
  type AgreementLife,
  AgreementRefused,
  type Attempt,
  actSchema,
  agreementHash,
  BREAKER_LIMITS,
  BREAKER_MEMORY,
  type BreakerLimits,
  type BreakerOutcome,
  breakerName,
  type ClosingRecord,
  type Consent,
  DEFAULTS,
  decimalsOf,
  dueAt,
  haveMostJudged,
  isDrawn,
  isEscrowed,
  isOfNamed,
  type Judge,
  judgesIn,
  keyOfDid,
  lifeAt,
  messageBytes,
  namedIn,
  type OpenBreaker,
  openBreakers,
  openLife,
  outcomesOf,
  overBy,
  owedIn,
  PARTIES,
  type PartyIdentity,
  promisedBefore,
  promiseOf,
  readAgreement,
  readMessage,
  requireClosed,
  resultIn,
  type Status,
  sameIdentity,
  take,
  unitsOf,
} from "../agreements/index.ts";
import { agreementEscrowAbi } from "../chain/abi/AgreementEscrow.ts";
import type { CityChain } from "../chain/chain.ts";
import { readSignedCall, relay } from "../chain/relay.ts";
import {
  agentAt,
  cancellationTypedData,
  type EscrowTerms,
  escrowTerms,
  escrowTypedData,
  type Feedback,
  feedbackCall,
  feedbackOn,
  isSignedByWallet,
  type JobView,
  jobOf,
  readJob,
  type Step,
  type StepCall,
  shareOf,
  stepCalls,
  stepOf,
} from "../escrow/index.ts";
import { addressSchema } from "../primitives/address.ts";
import { TOKEN_DECIMALS } from "../primitives/amounts.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { sha256 } from "../primitives/hash.ts";
import { type Address, type Hash, type Hex, hashSchema, hexSchema } from "../primitives/hex.ts";
import { canonicalJson, parseJson } from "../primitives/json.ts";
import { groupedBy } from "../primitives/lists.ts";
import { recoverAddress } from "../primitives/recovery.ts";
import type { Sql } from "../records/sql.ts";
import { outcomeOf } from "./agreement-outcomes.ts";
import { Refused } from "./errors.ts";
import { paymentOfDebt, type Toll } from "./x402.ts";

export interface AgreementDeskOptions {
  readonly sql: Sql;
  readonly chain: CityChain;
  /** The `AgreementEscrow` that this city follows. Without one, agreements here have no escrowed money. */
  readonly escrow: Address | undefined;
  /** The token of this city's escrows. */
  readonly token: Address;
  /** The machine's clock: agreements without an escrow run by it, the others by the chain's. */
  readonly millis: () => number;
  /** Adjudicators' orders to stop new agreements. Default: none. */
  readonly stops?: (() => Promise<readonly BreakerOutcome[]>) | undefined;
  /** Results of evaluators' canaries. Default: none. */
  readonly canaries?: (() => Promise<readonly BreakerOutcome[]>) | undefined;
  /** Called for each accepted result. */
  readonly judged?: ((standing: Standing, evaluator: PartyIdentity) => Promise<void>) | undefined;
  /** Number of payments that the city sent and whose fate is unknown. Default: it sends none. */
  readonly unknown?: (() => Promise<number>) | undefined;
  readonly limits?: BreakerLimits | undefined;
}

/** A new proposal, competing for room. */
interface Newcomer {
  readonly client: string;
  readonly from: string;
  readonly now: number;
  /** The money that its wallet presented, and agreements that have spent theirs. */
  readonly money: { readonly stake: bigint; readonly spent: readonly Hash[] } | undefined;
}

/** Changes of an agreement's indexed fields by an act. */
interface Marks {
  /** Latest possible end. */
  readonly ends: number | undefined;
  readonly names: readonly PartyIdentity[];
  /** Set if this act is a judgement under a promise over many deliveries. */
  readonly counts: { readonly promise: Hash; readonly terms: Hash; readonly composite: number } | undefined;
}

/** An agreement with its life and the state of its money. */
export interface Standing {
  /** SHA-256 of the act that proposed it. */
  readonly id: Hash;
  readonly life: AgreementLife;
  readonly status: Status;
  /** When the current step times out, unix seconds. */
  readonly due: number | undefined;
  /** Present once accepted: what both sign for the escrow, and the job's state. */
  readonly job: { readonly number: bigint; readonly terms: EscrowTerms; readonly view: JobView | undefined } | undefined;
  /** Present once over, if the client pays afterwards: amount, payee, and the payment's transaction (null: in flight). */
  readonly owed: { readonly amount: bigint; readonly payTo: Address; readonly paid: Hash | null | undefined } | undefined;
}

/** Unsigned agreements: maximum number, and how long they are kept when room is needed, seconds. */
const MAX_UNSIGNED = 4_096;
const MIN_STAY = 600;
/** With fewer acts the agreement cannot have been signed by both parties. */
const ACTS_OF_SIGNED = 4;
/** Signed agreements: maximum number in all, and per client. */
const MOST = 100_000;
const MAX_EACH = 1_000;
/** If room is needed, an agreement is removed this long after its end. No terms reserve room for more than three years (seconds). */
const KEPT_OVER = 30 * 86_400;
const LONGEST = 3 * 365 * 86_400;
/** Number of agreements with presented money to re-check when room is needed. */
const LOOKED_AT = 16;
/** Validity of a consent to cancel, seconds. */
const CONSENT = 86_400;
/** Number of cached lives, so that readers do not cause signature checks. */
const MAX_LIVES = 1_024;
/** Number of the newest agreements, per party and in all, that decide whether a breaker is open. */
const BREAKERS_LOOK = 32;
const BREAKERS_LOOK_AT_ALL = 256;
/** Number of a provider's newest agreements in its record. */
const OUTCOMES_LOOK = 64;
/** Retries if a concurrent act changes the same agreement. */
const TRIES = 5;

const walletsSchema = z.strictObject({
  client: addressSchema,
  provider: addressSchema,
  /** Absent for a drawn evaluator: the register has its account. */
  evaluator: addressSchema.optional(),
  backup: addressSchema.optional(),
  arbiter: addressSchema,
});
const bindingSchema = z.looseObject({
  type: z.literal("erc8183"),
  contract_address: addressSchema,
  chain: z.string(),
  token: addressSchema,
  wallets: walletsSchema,
});
const x402Schema = z.looseObject({
  type: z.literal("x402"),
  chain: z.string(),
  token: addressSchema,
  wallets: z.strictObject({ provider: addressSchema }),
});
const ZERO: Address = addressSchema.parse(`0x${"00".repeat(20)}`);
const moneyRows = z.array(z.object({ id: hashSchema, wallet: addressSchema, stake: z.union([z.string(), z.number()]).transform(BigInt) }));
const heaviestRows = z.array(
  z.object({
    id: hashSchema,
    opened: z.coerce.number(),
    stake: z.union([z.string(), z.number()]).transform(BigInt),
    party: z.string(),
    /** Number of agreements of this address, and of the newcomer's. */
    held: z.coerce.number(),
    own: z.coerce.number(),
  }),
);
const idsSchema = z.array(z.object({ id: hashSchema }).transform(({ id }) => id));
const compositesSchema = z.array(z.object({ composite: z.int() }).transform(({ composite }) => composite));
const ratesSchema = z.array(z.object({ client: z.string(), at: z.coerce.number() }));
const rowsSchema = z.array(z.object({ at: z.coerce.number(), act: z.string() }));
const rowsOfManySchema = z.array(z.object({ id: hashSchema, at: z.coerce.number(), act: z.string() }));

const stepRefused = (why: string) =>
  new AgentCityError("StepRefused", `This is not a valid step of the agreement: ${why}`, {
    action: "sign the transactions of prepare_agreement_step",
  });

export class AgreementDesk {
  readonly #options: AgreementDeskOptions;
  /** Agreements known to be funded in the escrow. */
  readonly #funded = new Set<Hash>();
  /** Outcomes of finished agreements, for breakers. */
  readonly #ended = new Map<Hash, readonly BreakerOutcome[]>();
  readonly #lives = new Map<Hash, { readonly life: AgreementLife; readonly count: number }>();

  constructor(options: AgreementDeskOptions) {
    this.#options = options;
  }

  /** The escrow binding available here; undefined if none. */
  get binding() {
    const { escrow, token, chain } = this.#options;
    return escrow === undefined ? undefined : { type: "erc8183" as const, contract_address: escrow, chain: `eip155:${chain.id}`, token };
  }

  /** How a client may pay afterwards. */
  get afterwards() {
    const { token, chain } = this.#options;
    return { type: "x402" as const, chain: `eip155:${chain.id}`, token };
  }

  /** A client's debt under a finished agreement, payable once. Throws NothingOwed. */
  async debt(id: Hash, mayRead?: MayRead, still?: Still): Promise<Toll> {
    const standing = await this.get(id, mayRead);
    still?.(standing);
    const { owed } = standing;
    const nothing = (why: string) => new Refused("NothingOwed", why, { action: "get_agreement shows its state" });
    if (owed === undefined) throw nothing("It is not over, or is not paid for by x402");
    if (owed.paid !== undefined) throw nothing("It is paid");
    if (owed.amount === 0n) throw nothing("It ended without anything to pay");
    return owed;
  }

  /**
   * Accepts a proposal; repeated proposals are idempotent. Throws AgreementRefused, TooManyProposals.
   *
   * @param shown The client's wallet signature over the proposal's text (EIP-191), which proves that it holds the payment: if there is no
   * room, proposals with less money are removed.
   * @param from The proposer's party (`partyOf`): if there is no room, the party with the most proposals makes room.
   */
  async propose(
    act: Extract<Act, { readonly act: "propose" }>,
    { shown, from = "", still }: { readonly shown?: Hex | undefined; readonly from?: string | undefined; readonly still?: Still } = {},
  ): Promise<Standing> {
    const text = canonicalJson(act);
    const id = sha256(text);
    const before = await this.#acts(id);
    const known = before.length === 0 ? undefined : await this.#standing(id, before);
    still?.(known);
    if (known !== undefined) return known;
    const now = this.#now(isEscrowedText(act.document));
    const { agreement, judges } = openLife(act, { keyOf: keyOfDid, now });
    this.#requireMine(agreement);
    await this.#requireClosed({ begins: "agreement", by: "client", terms: agreement, judges });
    const { client } = agreement.parties;
    const opened = this.#now(false);
    const purse = shown === undefined ? undefined : await this.#purseOf(agreement, shown);
    const spent = purse === undefined ? [] : await this.#spentElsewhere();
    await this.#options.sql.transaction(async (sql) => {
      // Several proposals backed by one wallet are counted sequentially.
      if (purse !== undefined) await sql.query("LOCK TABLE gateway_agreements IN SHARE ROW EXCLUSIVE MODE");
      const money = purse !== undefined && (await shownBy(sql, purse.wallet)) + purse.stake <= purse.holds ? purse : undefined;
      await this.#makeRoom(sql, { client: nameOf(client.identity), from, now: opened, money: money && { ...money, spent } });
      const offered = Math.min(Date.parse(agreement.expires_at) / 1_000, opened + LONGEST);
      await sql.query(
        "INSERT INTO gateway_agreements (id, acts, opened, client, over_by, party, wallet, stake) VALUES ($1, 1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING",
        [id, opened, nameOf(client.identity), offered, from, money?.wallet ?? null, money === undefined ? null : String(money.stake)],
      );
      await sql.query("INSERT INTO gateway_acts (id, place, at, act) VALUES ($1, 0, $2, $3) ON CONFLICT (id, place) DO NOTHING", [
        id,
        now,
        text,
      ]);
      await list(sql, id, namedIn(agreement, judges));
    });
    return this.get(id);
  }

  /**
   * Accepts an act of an agreement; repeated acts are idempotent. Throws AgreementRefused, and NotFound also for an act of a private
   * agreement, unless a person named in it signed the act or the caller may read it. Before that is known, no chain is queried.
   *
   * @param still Called with the very state on which the act is applied, whatever concurrent acts there are.
   */
  async take(
    id: Hash,
    act: Act,
    { mayRead = () => false, still }: { readonly mayRead?: MayRead; readonly still?: Still } = {},
  ): Promise<Standing> {
    const text = canonicalJson(act);
    // Malformed messages are refused for any agreement.
    if (act.act === "negotiate") readMessage(act.message);
    if (act.act === "result") resultIn(act.result);
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const acts = await this.#acts(id);
      const named = namedBy(acts);
      const { terms } = named;
      const isRepeated = acts.some((each) => each.text === text);
      if (!isRepeated && !isPublic(terms) && !mayRead(named) && !(await this.#isOfNamed(id, acts, act))) throw unknownAgreement();
      if (isRepeated) return this.#standing(id, acts);
      const standing = await this.#standing(id, acts);
      still?.(standing);
      const { agreement } = standing.life;
      const now = this.#now(isEscrowed(agreement));
      const deliverable = standing.job?.view?.deliverable;
      const history = act.act === "result" ? await this.history(standing) : [];
      const options = { keyOf: keyOfDid, now, history: () => history, ...(deliverable === undefined ? {} : { submitted: deliverable }) };
      const after = take(standing.life, act, options);
      if (act.act === "sign") {
        await this.#requireClosed({ begins: "agreement", by: act.by, terms: agreement, judges: standing.life.judges });
        await this.#requireWallet(standing, act);
      }
      if (act.act === "consent") await this.#requireConsent(standing, act);
      if (!(await this.#append(id, acts.length, { at: now, text, ...this.#marksOf(act, after) }))) continue;
      const taken = await this.get(id);
      if (act.act === "result") await this.#options.judged?.(taken, resultIn(act.result).evaluator);
      return taken;
    }
    throw new Refused("GatewayBusy", "Concurrent acts changed this agreement", { action: "try again" });
  }

  /** `mayRead`: whether the caller may read a private agreement. Default: yes. Throws NotFound. */
  async get(id: Hash, mayRead: MayRead = () => true): Promise<Standing> {
    return this.#standing(id, await this.#known(id, mayRead));
  }

  /** Ids of agreements in which this identity is a party or evaluator, in order. */
  async of(identity: PartyIdentity, after: string, limit: number): Promise<readonly Hash[]> {
    const rows = await this.#options.sql.query(
      "SELECT id FROM gateway_agreement_parties WHERE identity = $1 AND id > $2 ORDER BY id LIMIT $3",
      [nameOf(identity), after, limit],
    );
    return rows.map((row) => hashSchema.parse(row["id"]));
  }

  /**
   * Outcomes of a provider's newest finished agreements, and the number of distinct clients: keys cost nothing, so a record is worth as
   * much as its clients. Counts agreements whose terms allow it (`visibility`), or all of them for the provider itself.
   */
  async outcomes(
    provider: PartyIdentity,
    isOwn: boolean,
  ): Promise<{ readonly records: readonly ClosingRecord[]; readonly clients: number }> {
    const rows = await this.#options.sql.query(
      `SELECT id FROM gateway_agreement_parties JOIN gateway_agreements USING (id)
       WHERE identity = $1 AND acts >= ${ACTS_OF_SIGNED} ORDER BY opened DESC LIMIT ${OUTCOMES_LOOK}`,
      [nameOf(provider)],
    );
    const found = await Promise.all(
      idsSchema.parse(rows).map(async (id) => {
        const standing = await this.get(id);
        const { agreement } = standing.life;
        const isCounted = isOwn || isPublic(agreement) || agreement["visibility"] === "parties_and_reputation";
        if (!isCounted || !sameIdentity(agreement.parties.provider.identity, provider)) return undefined;
        const record = outcomeOf(standing);
        return record === undefined ? undefined : { record, client: nameOf(agreement.parties.client.identity) };
      }),
    );
    const counted = found.filter((each) => each !== undefined);
    return { records: counted.map(({ record }) => record), clients: new Set(counted.map(({ client }) => client)).size };
  }

  /**
   * A participant's ERC-8004 feedback on the provider of an agreement, with the call that submits it. Throws StepRefused if there is
   * nothing to report, or the agent is not the one that the agreement paid.
   */
  async feedback(
    standing: Standing,
    {
      from,
      reputation,
      agentId,
      uri,
    }: { readonly from: Address; readonly reputation: Address; readonly agentId: number; readonly uri: string },
  ): Promise<{ readonly feedback: Feedback; readonly call: StepCall }> {
    const { job, life } = standing;
    const closing = outcomeOf(standing);
    if (job === undefined || closing === undefined)
      throw stepRefused("it has no escrow, or no outcome that the provider is responsible for");
    const { client, evaluator, backup, provider } = job.terms;
    if (![client, evaluator, ...(backup === ZERO ? [] : [backup])].includes(from))
      throw stepRefused("only its client or an evaluator may give feedback");
    const { chain } = this.#options;
    const agent = await agentAt(chain.publicClient, reputation, agentId);
    if (agent === undefined || addressSchema.parse(agent.wallet) !== provider)
      throw stepRefused(`agent ${agentId} of this registry is not paid at ${provider}`);
    const last = life.results.at(-1)?.document.timestamp;
    const createdAt = last ?? new Date(job.terms.deliverBy * 1_000).toISOString();
    const place = { chainId: chain.id, identity: addressSchema.parse(agent.identity), agentId, client: from, createdAt };
    const feedback = feedbackOn(life.agreement, closing, place);
    return { feedback, call: feedbackCall(reputation, feedback, uri) };
  }

  /** Composites of earlier deliveries under an agreement's promise, as far as this city keeps them. */
  async history({ life: { agreement } }: Standing): Promise<readonly number[]> {
    const most = promisedBefore(agreement);
    if (most === 0) return [];
    const rows = await this.#options.sql.query(
      "SELECT composite FROM gateway_agreements WHERE promise = $1 AND terms <> $2 ORDER BY judged DESC, terms DESC LIMIT $3",
      [promiseOf(agreement), agreementHash(agreement), most],
    );
    return compositesSchema.parse(rows).toReversed();
  }

  /** What a wallet signs for the escrow, as EIP-712 JSON; undefined without an escrow. */
  typedData({ job }: Standing): string | undefined {
    if (job === undefined) return undefined;
    return stringify(escrowTypedData(this.#domain(), job.terms));
  }

  /** What a wallet signs to consent to end the job with this share (basis points), as EIP-712 JSON, and its expiry. */
  consentData({ job }: Standing, share: number): { readonly typedData: string; readonly deadline: number } {
    if (job === undefined) throw stepRefused("it has no escrow, or is not accepted yet");
    const deadline = this.#now(true) + CONSENT;
    return { deadline, typedData: stringify(cancellationTypedData(this.#domain(), { jobId: job.number, share, deadline })) };
  }

  /** The calls for an account's step. Throws StepRefused for one that is not due, or another party's. */
  async calls(
    standing: Standing,
    step: Step,
    {
      from,
      deliverable,
      percent,
    }: { readonly from: Address; readonly deliverable?: Hash | undefined; readonly percent?: number | undefined },
  ): Promise<readonly StepCall[]> {
    const { job, life } = standing;
    if (job === undefined) throw stepRefused("it has no escrow, or is not accepted yet");
    const { number, terms, view } = job;
    const { address: escrow } = this.#requireEscrow();
    const mine = (whose: Address, who: string) => {
      if (from !== whose) throw stepRefused(`${step} belongs to the ${who}, ${whose}`);
    };
    switch (step) {
      case "fund": {
        mine(terms.client, "client");
        if (view !== undefined && view.status !== "open") throw stepRefused(`it is ${view.status}`);
        await this.#requireClosed({ begins: "funding", by: "client", terms: life.agreement, judges: life.judges });
        const [client, provider] = await this.#walletSignatures(standing.id);
        if (client === undefined || provider === undefined) throw stepRefused("both parties must sign it first");
        const allowance = await this.#allowance(from, escrow);
        return [
          ...(allowance < terms.amount ? [stepCalls.approve(terms.token, escrow, terms.amount)] : []),
          ...(view === undefined ? [stepCalls.open(escrow, terms, client, provider)] : []),
          stepCalls.fund(escrow, number, terms.amount),
        ];
      }
      case "submit":
        mine(terms.provider, "provider");
        if (deliverable === undefined) throw stepRefused("the deliverable's hash is required");
        return [stepCalls.submit(escrow, number, deliverable)];
      case "settle": {
        const result = resultOf(standing, from);
        if (result === undefined) throw stepRefused("there is no result of this evaluator: submit it with verify_agreement");
        return [stepCalls.settle(escrow, number, shareOf(result.determination.release_percent), result.hash)];
      }
      case "challenge":
        if (from !== terms.client && from !== terms.provider) throw stepRefused("only a party may challenge");
        return [stepCalls.challenge(escrow, number, view?.judged?.reason ?? agreementHash(life.agreement))];
      case "rule":
        mine(terms.arbiter, "arbiter");
        if (percent === undefined) throw stepRefused("the provider's percentage is required");
        return [stepCalls.rule(escrow, number, shareOf(percent), agreementHash(life.agreement))];
      case "cancel":
        return [this.#cancellation(standing, from, percent)];
      case "finalise":
        return [stepCalls.finalise(escrow, number)];
      case "withdraw":
        return [stepCalls.withdraw(escrow, terms.token, from)];
    }
  }

  /** Sent by one party with the other's consent. */
  #cancellation({ job, life }: Standing, from: Address, percent: number | undefined): StepCall {
    if (job === undefined || (from !== job.terms.client && from !== job.terms.provider)) throw stepRefused("only a party may cancel");
    // Stated by the sender: otherwise the other party could replace its consent by another.
    if (percent === undefined) throw stepRefused("the provider's percentage is required");
    const other = from === job.terms.client ? "provider" : "client";
    const share = shareOf(percent);
    const now = this.#now(true);
    const consent = life.consents.findLast((each) => each.by === other && each.share === share && each.deadline >= now);
    if (consent === undefined) throw stepRefused(`the ${other} has not consented to ${percent} %: it must use consent_to_cancellation`);
    const { deadline, escrow_signature } = consent;
    const signed = { by: other, signature: hexSchema.parse(escrow_signature) } as const;
    return stepCalls.cancel(this.#requireEscrow().address, { jobId: job.number, share, deadline }, signed);
  }

  /** Relays signed transactions that are about this agreement's job only. Throws StepRefused, TransactionReverted. */
  async send(id: Hash, signed: readonly Hex[], still?: Still): Promise<Standing> {
    const { chain } = this.#options;
    const read = await Promise.all(signed.map((raw) => readSignedCall(raw, chain.id, stepRefused)));
    const standing = await this.get(id, (named) => read.every(({ from }) => isNamed(named, from)));
    still?.(standing);
    const { job, life } = standing;
    if (job === undefined) throw stepRefused("it has no escrow, or is not accepted yet");
    const place = { escrow: this.#requireEscrow().address, job: job.number, terms: job.terms };
    const calls = read.map((call) => {
      const what = stepOf(call, place);
      if (what === undefined) throw stepRefused("a transaction does something else");
      return { ...call, what };
    });
    if (calls.some(({ what }) => FUNDING.has(what)))
      await this.#requireClosed({ begins: "funding", by: "client", terms: life.agreement, judges: life.judges });
    await relay(chain, calls, agreementEscrowAbi, stepRefused);
    return this.get(id);
  }

  /** Open breakers, from the newest agreements here and this city's adjudicators. */
  async breakers(): Promise<readonly OpenBreaker[]> {
    const now = this.#now(false);
    const since = now - BREAKER_MEMORY;
    const [rows, rates] = [
      await this.#options.sql.query(
        `SELECT id FROM gateway_agreements WHERE opened > $1 AND acts >= ${ACTS_OF_SIGNED} ORDER BY opened DESC LIMIT ${BREAKERS_LOOK_AT_ALL}`,
        [since],
      ),
      await this.#options.sql.query("SELECT client, opened AS at FROM gateway_agreements WHERE opened > $1 ORDER BY opened", [now - 3_600]),
    ];
    const proposed = ratesSchema.parse(rates).map((each) => ({ what: "proposed" as const, ...each }));
    return this.#fold(idsSchema.parse(rows), proposed);
  }

  /** Checks every breaker. Throws BreakerOpen. */
  async #requireClosed(attempt: Attempt): Promise<void> {
    const { client, provider } = attempt.terms.parties;
    const names = [client, provider].map(({ identity }) => nameOf(identity));
    const now = this.#now(false);
    const looked = await Promise.all(
      names.map((name) =>
        this.#options.sql.query(
          `SELECT id FROM gateway_agreement_parties JOIN gateway_agreements USING (id)
           WHERE identity = $1 AND opened > $2 AND acts >= ${ACTS_OF_SIGNED} ORDER BY opened DESC LIMIT ${BREAKERS_LOOK}`,
          [name, now - BREAKER_MEMORY],
        ),
      ),
    );
    const rates = await this.#options.sql.query(
      `SELECT client, opened AS at FROM gateway_agreements WHERE client = $1 AND opened > $2 ORDER BY opened DESC LIMIT ${this.#limits.proposals}`,
      [nameOf(client.identity), now - 3_600],
    );
    const proposed = ratesSchema.parse(rates).map((each) => ({ what: "proposed" as const, ...each }));
    requireClosed(await this.#fold(idsSchema.parse(looked.flat()), proposed), attempt);
  }

  get #limits(): BreakerLimits {
    return this.#options.limits ?? BREAKER_LIMITS;
  }

  async #fold(ids: readonly Hash[], proposed: readonly BreakerOutcome[]): Promise<readonly OpenBreaker[]> {
    const { stops, canaries, unknown } = this.#options;
    const unended = [...new Set(ids)].filter((id) => !this.#ended.has(id));
    const rows = await this.#options.sql.query("SELECT id, at, act FROM gateway_acts WHERE id = ANY($1) ORDER BY id, place", [unended]);
    const acts = groupedBy(rowsOfManySchema.parse(rows), ({ id }) => id);
    const known = await Promise.all([...new Set(ids)].map((id) => this.#outcomes(id, storedIn(acts.get(id) ?? []))));
    const now = this.#now(false);
    const lost = Array.from({ length: (await unknown?.()) ?? 0 }, () => ({ what: "unknown" as const, at: now }));
    const told = [...((await stops?.()) ?? []), ...((await canaries?.()) ?? [])];
    return openBreakers([...told, ...lost, ...proposed, ...known.flat()], now, this.#limits);
  }

  /** Breaker outcomes of an agreement; constant once it is over. */
  async #outcomes(id: Hash, acts: readonly StoredAct[]): Promise<readonly BreakerOutcome[]> {
    const before = this.#ended.get(id);
    if (before !== undefined) return before;
    // It was removed meanwhile, or is in an escrow that this city no longer follows.
    if (acts.length === 0 || (isEscrowed(termsOf(acts)) && this.#options.escrow === undefined)) return [];
    const { life, status, due, job } = await this.#standing(id, acts);
    const { agreement } = life;
    if (agreement.signatures?.client === undefined || agreement.signatures.provider === undefined) return [];
    // Agreements with an escrow run by the chain's clock, breakers by the machine's.
    const shift = isEscrowed(agreement) ? this.#now(false) - this.#now(true) : 0;
    const said = acts.map(({ act, at }) => ({ act, at: at + shift }));
    const filed = said.find(({ act }) => act.act === "challenge");
    const by = filed?.act.act === "challenge" ? filed.act.challenge.by : undefined;
    const view = job?.view;
    const challenger = view?.challenged === undefined ? by : view.challenged === job?.terms.client ? "client" : "provider";
    const last = said.at(-1)?.at ?? 0;
    const outcomes = outcomesOf(id, life, {
      challenge: challenger === undefined ? undefined : { by: challenger, at: filed?.at ?? last },
      isDisputed: status === "disputed",
      silentSince: isEscrowed(agreement) ? this.#silentInEscrow(job, shift) : silentIn(life, said),
      judgedAt: said.filter(({ act }) => act.act === "result").map(({ at }) => at),
    });
    if (due === undefined && status !== "active") {
      this.#ended.set(id, outcomes);
      const [first] = this.#ended.keys();
      if (this.#ended.size > MAX_LIVES && first !== undefined) this.#ended.delete(first);
    }
    return outcomes;
  }

  /** When the first evaluator of an escrow's job timed out, seconds; undefined if it has not. */
  #silentInEscrow(job: Standing["job"], shift: number): number | undefined {
    const { terms, view } = job ?? {};
    if (terms === undefined || view?.deliverable === undefined || view.agreed !== undefined) return undefined;
    return isLate(terms, view, this.#now(true)) ? Math.min(view.dueAt + shift, this.#now(false)) : undefined;
  }

  async #standing(id: Hash, acts: readonly StoredAct[]): Promise<Standing> {
    const past = await this.#past(id, acts);
    const life = lifeAt(past, this.#now(isEscrowed(past.agreement)));
    const job = await this.#job(life);
    if (job === undefined || life.agreement.status !== "active") {
      const owed = await this.#owed(id, life);
      return { id, life, status: life.agreement.status, due: dueAt(life.agreement, life.timed), job, owed };
    }
    if (job.view !== undefined && job.view.status !== "open" && !this.#funded.has(id)) {
      await this.#options.sql.query("UPDATE gateway_agreements SET funded = true WHERE id = $1", [id]);
      this.#funded.add(id);
      const [first] = this.#funded;
      if (this.#funded.size > MAX_LIVES && first !== undefined) this.#funded.delete(first);
    }
    return { id, life, job, owed: undefined, ...this.#led(job.terms, job.view) };
  }

  async #owed(id: Hash, life: AgreementLife): Promise<Standing["owed"]> {
    const amount = owedIn(life)?.provider;
    if (amount === undefined) return undefined;
    const { wallets } = x402Schema.parse(life.agreement.escrow?.binding);
    return { amount, payTo: wallets.provider, paid: await paymentOfDebt(this.#options.sql, debtOf(id)) };
  }

  /** State and deadline according to the escrow. */
  #led({ fundBy, evaluatorTimeout, backup }: EscrowTerms, view: JobView | undefined): Pick<Standing, "status" | "due"> {
    const now = this.#now(true);
    if (view === undefined) return now > fundBy ? { status: "expired", due: undefined } : { status: "active", due: fundBy };
    const { status, dueAt: due, paid } = view;
    switch (status) {
      case "open":
      case "funded":
        return { status: "active", due };
      case "submitted": {
        // Until then only the first evaluator may submit a result.
        const backupsTurn = due - evaluatorTimeout;
        return { status: "delivered", due: backup !== ZERO && now <= backupsTurn ? backupsTurn : due };
      }
      case "judged":
        return { status: "verified", due };
      case "disputed":
        return { status, due };
      case "expired":
        return { status: paid === undefined || paid.provider === 0n ? "expired" : "closed", due: undefined };
      case "completed":
      case "rejected":
        return { status: "closed", due: undefined };
    }
  }

  /** The life that follows from these acts; signatures checked before are not checked again. */
  async #past(id: Hash, acts: readonly StoredAct[]): Promise<AgreementLife> {
    let { life, count } = this.#lives.get(id) ?? { life: undefined, count: 0 };
    for (const { act, at } of acts.slice(count)) {
      // A result contains the history of earlier deliveries known when it was accepted.
      const history = act.act === "result" ? (resultIn(act.result).history ?? []) : [];
      const now = { keyOf: keyOfDid, now: at, history: () => history };
      const submitted = life === undefined || act.act !== "result" ? undefined : (await this.#job(life))?.view?.deliverable;
      life = life === undefined ? openLife(act, now) : take(life, act, { ...now, ...(submitted === undefined ? {} : { submitted }) });
      count += 1;
    }
    if (life === undefined) throw new RangeError("an agreement without acts");
    // Most recently used last; the first is evicted.
    this.#lives.delete(id);
    this.#lives.set(id, { life, count });
    const [first] = this.#lives.keys();
    if (this.#lives.size > MAX_LIVES && first !== undefined) this.#lives.delete(first);
    return life;
  }

  async #job(life: AgreementLife): Promise<Standing["job"]> {
    const signed = this.#signedFor(life);
    if (signed === undefined) return undefined;
    const { chain } = this.#options;
    const view = await readJob(chain, { escrow: this.#requireEscrow().address, job: signed.number, fromBlock: chain.firstBlock });
    return { ...signed, view };
  }

  /** The escrow terms that both sign, and the job's number, computed without the chain. */
  #signedFor({ agreement, agreedAt, judges }: AgreementLife): Pick<NonNullable<Standing["job"]>, "number" | "terms"> | undefined {
    if (!isEscrowed(agreement) || agreedAt === undefined) return undefined;
    const { wallets, token } = bindingSchema.parse(agreement.escrow?.binding);
    const [evaluator, backup] = isDrawn(agreement)
      ? judges.map(({ wallet }) => addressSchema.parse(wallet))
      : [wallets.evaluator, wallets.backup];
    if (evaluator === undefined) return undefined;
    const terms = escrowTerms(agreement, { ...wallets, evaluator, backup: backup ?? ZERO, token }, { now: agreedAt });
    return { number: jobOf(this.#domain(), terms), terms };
  }

  /** Checks that this city can follow an agreement: identities that are keys, an evaluator, and no other escrow than the one it knows. */
  #requireMine(agreement: Agreement): void {
    const { client, provider, evaluator } = agreement.parties;
    const register = evaluator.selection?.register ?? [];
    const panel = evaluator.panel ?? [];
    if (evaluator.identity === undefined && register.length + panel.length === 0)
      throw new AgreementRefused("NoEvaluator", "An agreement here must name an evaluator, or a register to draw it from");
    const evaluators = [evaluator.identity, evaluator.backup, ...panel, ...register.map((each) => each.identity)];
    for (const identity of [client.identity, provider.identity, ...evaluators])
      if (identity !== undefined && keyOfDid(identity) === undefined)
        throw new AgreementRefused(
          "UnknownKey",
          "Identities here must be keys: scheme w3c_did, did:key of Ed25519 or secp256k1",
          identity.value,
        );
    const { escrow } = agreement;
    if (escrow === undefined || !escrow.enabled) return;
    if (isEscrowed(agreement)) this.#requireEscrowOf(agreement);
    else {
      const { chain, token, wallets } = read(x402Schema, escrow.binding);
      const { chain: ours, token: paidIn } = this.afterwards;
      if (chain !== ours || token !== paidIn) throw malformed("This city settles in another token", canonicalJson(this.afterwards));
      if (wallets.provider === ZERO) throw malformed("The provider has no wallet");
    }
    const { currency } = escrow.payment;
    if (decimalsOf(currency) !== TOKEN_DECIMALS)
      throw new AgreementRefused("BadAmount", `The token has ${TOKEN_DECIMALS} decimals, ${currency} has ${decimalsOf(currency)}`);
  }

  #requireEscrowOf({ escrow, parties: { evaluator } }: Agreement): void {
    const own = this.binding;
    if (own === undefined) throw malformed("This city does not follow an escrow");
    const { contract_address, chain, token, wallets } = read(bindingSchema, escrow?.binding);
    if (contract_address !== own.contract_address || chain !== own.chain || token !== own.token)
      throw malformed("This city follows another escrow", canonicalJson(own));
    const register = evaluator.selection?.register?.map(({ wallet }) => addressSchema.safeParse(wallet).data);
    if (register !== undefined && wallets.evaluator !== undefined) throw malformed("The register states the wallet of a drawn evaluator");
    if (register === undefined && wallets.evaluator === undefined) throw malformed("The evaluator has no wallet");
    if (register?.includes(undefined) === true) throw malformed("An entry of the register has no wallet");
    const people = [...Object.values(wallets), ...(register ?? [])];
    if (new Set(people).size < people.length || people.includes(ZERO)) throw malformed("Each wallet must belong to a different person");
    if (evaluator.backup !== undefined && wallets.backup === undefined) throw malformed("The backup has no wallet");
  }

  /** A signature under terms with money includes the escrow's terms: otherwise one side could be left with half an agreement. */
  async #requireWallet({ job }: Standing, { by, escrow_signature: signature }: Extract<Act, { readonly act: "sign" }>): Promise<void> {
    if (job === undefined) return;
    const hash = hashTypedData(escrowTypedData(this.#domain(), job.terms));
    if (signature === undefined || !(await this.#isSigned(job.terms[by], hash, signature)))
      throw new AgreementRefused(
        "BadSignature",
        `The ${by}'s wallet did not sign the escrow's terms`,
        `${job.terms[by]}: EIP-712, field escrow_signature`,
      );
  }

  /**
   * Whether a person named in an agreement signed this act. Contract wallets can only be checked on chain: a person who consents with one
   * also authenticates as a reader.
   */
  async #isOfNamed(id: Hash, acts: readonly StoredAct[], act: Act): Promise<boolean> {
    if (act.act !== "consent")
      return isOfNamed(
        acts.map((each) => each.act),
        act,
        keyOfDid,
      );
    // Later acts are on chain, and change no terms.
    const first = acts.findIndex((each) => each.act.act === "result");
    const signed = this.#signedFor(await this.#past(id, first === -1 ? acts : acts.slice(0, first)));
    if (signed === undefined) return false;
    const { terms, number } = signed;
    const signature = hexSchema.parse(act.escrow_signature);
    const signer = await recoverAddress({ hash: this.#consentHash(number, act), signature }).catch(() => undefined);
    return signer === terms.client || signer === terms.provider;
  }

  async #requireConsent({ job }: Standing, act: Consent): Promise<void> {
    if (job === undefined) throw stepRefused("it has no escrow, or is not accepted yet");
    const wallet = job.terms[act.by];
    if (!(await this.#isSigned(wallet, this.#consentHash(job.number, act), act.escrow_signature)))
      throw new AgreementRefused("BadSignature", `The ${act.by}'s wallet did not sign this cancellation`, wallet);
  }

  #consentHash(jobId: bigint, { share, deadline }: Consent): Hash {
    return hashTypedData(cancellationTypedData(this.#domain(), { jobId, share, deadline }));
  }

  #isSigned(wallet: Address, hash: Hash, signature: string): Promise<boolean> {
    return isSignedByWallet(this.#options.chain.publicClient, wallet, hash, hexSchema.parse(signature));
  }

  async #walletSignatures(id: Hash): Promise<readonly (Hex | undefined)[]> {
    const acts = await this.#known(id);
    return PARTIES.map((by) => {
      const found = acts.map(({ act }) => act).find((act) => act.act === "sign" && act.by === by);
      return found?.act === "sign" && found.escrow_signature !== undefined ? hexSchema.parse(found.escrow_signature) : undefined;
    });
  }

  #domain() {
    return { chainId: this.#options.chain.id, escrow: this.#requireEscrow().address };
  }

  #requireEscrow(): { readonly address: Address } {
    const { escrow } = this.#options;
    if (escrow === undefined) throw stepRefused("this city does not follow an escrow");
    return { address: escrow };
  }

  #allowance(owner: Address, spender: Address): Promise<bigint> {
    const { chain, token } = this.#options;
    return chain.publicClient.readContract({ abi: erc20Abi, address: token, functionName: "allowance", args: [owner, spender] });
  }

  #now(isOnChain: boolean): number {
    const { chain, millis } = this.#options;
    return isOnChain ? Number(chain.clock.now()) : Math.floor(millis() / 1_000);
  }

  /** Reads only the terms until the caller is known to be allowed to read. */
  async #known(id: Hash, mayRead: MayRead = () => true): Promise<readonly StoredAct[]> {
    const acts = await this.#acts(id);
    const named = namedBy(acts);
    if (!isPublic(named.terms) && !mayRead(named)) throw unknownAgreement();
    return acts;
  }

  async #acts(id: Hash): Promise<readonly StoredAct[]> {
    const rows = rowsSchema.parse(await this.#options.sql.query("SELECT at, act FROM gateway_acts WHERE id = $1 ORDER BY place", [id]));
    return storedIn(rows);
  }

  /** Changes of an agreement's indexed fields by an act. */
  #marksOf({ act }: Act, after: AgreementLife): Marks {
    const { agreement, judges, timed, results, verdict } = after;
    const isCounted = act === "result" && promisedBefore(agreement) > 0 && haveMostJudged(agreement, results.length);
    const composite = isCounted ? verdict?.determination.composite : undefined;
    return {
      ends: act === "sign" && timed.state.status === "active" ? overBy(agreement, this.#now(false)) : undefined,
      names: act === "draw" ? namedIn(agreement, judges) : [],
      counts: composite === undefined ? undefined : { promise: promiseOf(agreement), terms: agreementHash(agreement), composite },
    };
  }

  /** False if another act came first. */
  #append(
    id: Hash,
    place: number,
    { at, text, ends, names, counts }: Marks & { readonly at: number; readonly text: string },
  ): Promise<boolean> {
    return this.#options.sql.transaction(async (sql) => {
      const counted = await sql.query(
        "UPDATE gateway_agreements SET acts = acts + 1, over_by = coalesce($3, over_by) WHERE id = $1 AND acts = $2 RETURNING id",
        [id, place, ends === undefined ? null : Math.min(ends, this.#now(false) + LONGEST)],
      );
      if (counted.length === 0) return false;
      await sql.query("INSERT INTO gateway_acts (id, place, at, act) VALUES ($1, $2, $3, $4)", [id, place, at, text]);
      await list(sql, id, names);
      if (counts !== undefined)
        await sql.query("UPDATE gateway_agreements SET promise = $2, judged = $3, terms = $4, composite = $5 WHERE id = $1", [
          ...[id, counts.promise, at, counts.terms, counts.composite],
        ]);
      return true;
    });
  }

  /** The wallet that backs a proposal, and its balance. Throws BadSignature. */
  async #purseOf(agreement: Agreement, shown: Hex): Promise<{ readonly wallet: Address; readonly stake: bigint; readonly holds: bigint }> {
    const { escrow } = agreement;
    if (escrow === undefined || !isEscrowed(agreement)) throw malformed("This proposal has no escrow, so no wallet can back it with money");
    const { client: wallet } = read(bindingSchema, escrow.binding).wallets;
    const text = new TextDecoder().decode(messageBytes("proposal", agreementHash(agreement)));
    if (!(await this.#isSigned(wallet, hashMessage(text), shown)))
      throw new AgreementRefused("BadSignature", "The client's wallet did not sign this proposal", wallet);
    return { wallet, stake: unitsOf(escrow.payment.amount, escrow.payment.currency), holds: await this.#balanceOf(wallet) };
  }

  /** The oldest backed agreements whose money is neither in the escrow nor in the wallet any more. */
  async #spentElsewhere(): Promise<readonly Hash[]> {
    const { sql } = this.#options;
    const [kept] = await sql.query("SELECT count(*) AS count FROM gateway_agreements WHERE wallet IS NOT NULL");
    if (Number(kept?.["count"]) < MAX_UNSIGNED) return [];
    const rows = moneyRows.parse(
      await sql.query(
        `SELECT id, wallet, stake FROM gateway_agreements WHERE wallet IS NOT NULL AND NOT funded ORDER BY opened LIMIT ${LOOKED_AT}`,
      ),
    );
    const looked = await Promise.all(
      rows.map(async ({ id, wallet, stake }) => {
        if ((await this.#balanceOf(wallet)) >= stake) return undefined;
        const { view } = (await this.get(id)).job ?? {};
        return view === undefined || view.status === "open" ? id : undefined;
      }),
    );
    return looked.filter((id) => id !== undefined);
  }

  #balanceOf(wallet: Address): Promise<bigint> {
    const { chain, token } = this.#options;
    return chain.publicClient.readContract({ abi: erc20Abi, address: token, functionName: "balanceOf", args: [wallet] });
  }

  async #makeRoom(sql: Sql, { client, from, now, money }: Newcomer): Promise<void> {
    const tooMany = (action: string, whose = "") =>
      new AgentCityError("TooManyProposals", `This city has reached its limit of agreements${whose}`, { action });
    const remove = async (id: unknown) => {
      for (const table of ["gateway_agreement_parties", "gateway_acts", "gateway_agreements"])
        await sql.query(`DELETE FROM ${table} WHERE id = $1`, [id]);
    };
    /** Makes room where the limit is reached: removes the agreement that ended first, if long ago. */
    const among = async (condition: string, most: number, whose?: string): Promise<void> => {
      const given = condition === "true" ? [] : [client];
      const [kept] = await sql.query(`SELECT count(*) AS count FROM gateway_agreements WHERE ${condition}`, given);
      if (Number(kept?.["count"]) < most) return;
      const [first] = await sql.query(`SELECT id, over_by FROM gateway_agreements WHERE ${condition} ORDER BY over_by LIMIT 1`, given);
      if (first !== undefined && Number(first["over_by"]) + KEPT_OVER <= now) return remove(first["id"]);
      if (whose !== undefined || !(await displace("true")))
        throw tooMany("end some, or back the proposal with your wallet's signature; agreements make room a month after their end", whose);
    };
    /** The oldest agreement of the largest client at the largest address, among these. Keys cost nothing, addresses are scarce. */
    const heaviest = async (loose: string, among = loose) => {
      const rows = await sql.query(
        `WITH these AS (SELECT * FROM gateway_agreements WHERE ${among}),
           most AS (SELECT party, count(*) AS count FROM these GROUP BY party ORDER BY count(*) DESC, min(opened) LIMIT 1),
           whose AS (SELECT client FROM these JOIN most USING (party) GROUP BY client ORDER BY count(*) DESC, min(opened) LIMIT 1)
         SELECT id, opened, coalesce(stake, 0) AS stake, party, most.count AS held,
           (SELECT count(*) FROM gateway_agreements WHERE ${loose} AND party = $1) AS own
         FROM these JOIN most USING (party) JOIN whose USING (client) ORDER BY opened LIMIT 1`,
        [from],
      );
      return heaviestRows.parse(rows)[0];
    };
    /**
     * Displaces the agreement with the least backing, unbacked ones first. One with more money is displaced only if its address has more
     * than the newcomer's; an unbacked one only if its address still has more afterwards. Then those whose money is gone.
     */
    const displace = async (condition: string): Promise<boolean> => {
      const loose = `NOT funded AND ${condition}`;
      const least = `${loose} AND coalesce(stake, 0) = (SELECT min(coalesce(stake, 0)) FROM gateway_agreements WHERE ${loose})`;
      const first = await heaviest(loose, least);
      const stake = money?.stake ?? 0n;
      const goes =
        first !== undefined &&
        (stake > first.stake ? first.party === from || first.held > first.own : first.stake === 0n && first.held > first.own + 1);
      const id = goes ? first.id : money?.spent[0];
      if (id === undefined) return false;
      await remove(id);
      return true;
    };
    await among("client = $1", MAX_EACH, " of one client");
    await among("true", MOST);
    const unsigned = `acts < ${ACTS_OF_SIGNED}`;
    const [waiting] = await sql.query(`SELECT count(*) AS count FROM gateway_agreements WHERE ${unsigned}`);
    if (Number(waiting?.["count"]) < MAX_UNSIGNED || (await displace(unsigned))) return;
    const first = await heaviest(unsigned);
    if (first === undefined || now - first.opened < MIN_STAY)
      throw tooMany("try again in some minutes, or back the proposal with your wallet's signature");
    await remove(first.id);
  }
}

/** Amount that a wallet has presented for agreements not yet funded, smallest unit. */
async function shownBy(sql: Sql, wallet: Address): Promise<bigint> {
  const [row] = await sql.query("SELECT coalesce(sum(stake), 0) AS stakes FROM gateway_agreements WHERE wallet = $1 AND NOT funded", [
    wallet,
  ]);
  return BigInt(String(row?.["stakes"]));
}

/** Key of an agreement's payment. */
export const debtOf = (id: Hash): string => `agreement ${id}`;

interface StoredAct {
  readonly act: Act;
  readonly at: number;
  readonly text: string;
}

const storedIn = (rows: readonly z.infer<typeof rowsSchema>[number][]): readonly StoredAct[] =>
  rows.map(({ at, act }) => ({ at, text: act, act: actSchema.parse(parseJson(act)) }));

/** Throws if an agreement no longer has the state that the caller expects; undefined: it does not exist. */
export type Still = (standing: Standing | undefined) => void;

/** Indexes an agreement by the persons named in it. */
async function list(sql: Sql, id: Hash, names: readonly PartyIdentity[]): Promise<void> {
  for (const identity of names)
    await sql.query("INSERT INTO gateway_agreement_parties (identity, id) VALUES ($1, $2) ON CONFLICT (identity, id) DO NOTHING", [
      nameOf(identity),
      id,
    ]);
}

/** Terms as proposed, and the evaluators so far. */
export interface Named {
  readonly terms: Agreement;
  readonly judges: readonly Judge[];
}

const namedBy = (acts: readonly StoredAct[]): Named => ({ terms: termsOf(acts), judges: judgesIn(acts.map(({ act }) => act)) });

/** Whether the caller may read a private agreement. */
export type MayRead = (named: Named) => boolean;

/** Terms as proposed, in which the persons never change. Throws NotFound. */
function termsOf(acts: readonly StoredAct[]): Agreement {
  const first = acts[0]?.act;
  if (first?.act !== "propose") throw unknownAgreement();
  return readAgreement(first.document);
}

/** The same answer for a missing agreement and for one that the caller may not read. */
function unknownAgreement(): Refused {
  return new Refused("NotFound", "No agreement with that id is public or names the caller", {
    action: "propose it again (unsigned agreements may be dropped), or authenticate as a reader with prepare_agreement_act",
  });
}

const isPublic = (agreement: Agreement) => agreement["visibility"] === "public";

/** Whether an agreement names an identity as party or evaluator, or an account as a wallet of one. */
export function isNamed({ terms, judges }: Named, who: PartyIdentity | Address): boolean {
  if (typeof who !== "string") return namedIn(terms, judges).some((each) => sameIdentity(who, each));
  const binding = bindingSchema.safeParse(terms.escrow?.binding);
  const drawn = judges.map(({ wallet }) => addressSchema.safeParse(wallet).data);
  return binding.success && [...Object.values(binding.data.wallets), ...drawn].includes(who);
}

const nameOf = breakerName;

/** Steps of `stepOf` that fund an escrow. */
const FUNDING: ReadonlySet<string> = new Set(["approve", "open", "fund"]);

/** When the first evaluator timed out without an escrow, seconds; undefined if it has not. */
function silentIn(
  { agreement, timed: { state } }: AgreementLife,
  said: readonly { readonly act: Act; readonly at: number }[],
): number | undefined {
  const delivered = said.find(({ act }) => act.act === "deliver");
  if (delivered === undefined || state.backups === 0 || state.division === "agreed") return undefined;
  const { sampling } = agreement.verification;
  const unopened = sampling === undefined ? 0 : (sampling.reveal_seconds ?? DEFAULTS.revealSeconds);
  const asked = said.find(({ act }) => act.act === "sample")?.at ?? delivered.at + unopened;
  return asked + (agreement.verification.evaluator_timeout_seconds ?? DEFAULTS.evaluatorSeconds);
}

/** Whether the first evaluator timed out: another judged in its place, or may now. */
function isLate(terms: EscrowTerms, { status, judged, dueAt: due }: JobView, now: number): boolean {
  if (judged !== undefined) return judged.by !== terms.evaluator;
  if (status === "submitted") return now > due - (terms.backup === ZERO ? 0 : terms.evaluatorTimeout);
  return status === "expired";
}

/** The result that an account settles with. */
function resultOf({ life, job }: Standing, from: Address) {
  const [first, backup] = life.judges;
  const identity = (from === job?.terms.evaluator ? first : from === job?.terms.backup ? backup : undefined)?.identity;
  return identity === undefined ? undefined : life.results.find(({ document }) => sameIdentity(document.evaluator, identity));
}

/** Before parsing: determines which clock applies. */
function isEscrowedText(document: unknown): boolean {
  const escrow = z.object({ enabled: z.literal(true), binding: z.object({ type: z.string() }) });
  const { data } = z.object({ escrow }).safeParse(document);
  return data !== undefined && data.escrow.binding.type !== "x402";
}

const malformed = (what: string, details?: string) => new AgreementRefused("MalformedAgreement", what, details);

function read<Schema extends z.ZodType>(schema: Schema, binding: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(binding);
  if (parsed.success) return parsed.data;
  throw malformed("This city does not follow the binding; see get_agreement_template", z.prettifyError(parsed.error));
}
