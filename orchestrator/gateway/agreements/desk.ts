/** Agreements of any parties: the gateway keeps their signed acts, reads the escrow on its chain, and derives each agreement's state. */
import {
  type Act,
  type AgentAccounts,
  type Agreement,
  type AgreementLife,
  agreementHash,
  type ClosingRecord,
  DYNAMIC_SCORES,
  haveMostJudged,
  identitiesIn,
  isEscrowed,
  isOfNamed,
  isRaised,
  keysIn,
  namedIn,
  type OpenBreaker,
  openLife,
  overBy,
  PARTIES,
  type PartyIdentity,
  promisedBefore,
  promiseOf,
  readAgreement,
  readMessage,
  requireGround,
  requireKeys,
  resultIn,
  sameIdentity,
  take,
} from "../../agreements/index.ts";
import { readSignedCall } from "../../chain/relay.ts";
import { accountsAt, agentAt, type Feedback, feedbackCall, feedbackOn, type Step, type StepCall } from "../../escrow/index.ts";
import { addressSchema } from "../../primitives/address.ts";
import { sha256 } from "../../primitives/hash.ts";
import { type Address, type Hash, type Hex, hexSchema } from "../../primitives/hex.ts";
import { canonicalJson } from "../../primitives/json.ts";
import type { Sql } from "../../records/sql.ts";
import { Refused } from "../errors.ts";
import type { Toll } from "../x402.ts";
import { isEscrowedText, requireFollowed, ZERO } from "./bindings.ts";
import { type BreakerSources, Breakers } from "./breakers.ts";
import { EscrowSide, type EscrowSideOptions, type StepDetails, stepRefused } from "./escrow-side.ts";
import { Lives } from "./lives.ts";
import { outcomeOf } from "./outcomes.ts";
import { MAX_UNSIGNED } from "./room.ts";
import {
  isNamed,
  isPublic,
  type MayRead,
  namedBy,
  nameOf,
  type Standing,
  type Still,
  type StoredAct,
  termsOf,
  unknownAgreement,
} from "./standing.ts";
import { AgreementStore, type Marks } from "./store.ts";

/** Number of backed agreements whose money is checked again when room is needed. */
const CHECKED_AGAIN = 16;
/** Number of a provider's newest agreements in its record. */
const OUTCOMES_LOOK = 64;
/** Retries if a concurrent act changes the same agreement. */
const TRIES = 5;

export interface AgreementDeskOptions extends EscrowSideOptions, BreakerSources {
  readonly sql: Sql;
  /** The machine's clock: agreements without an escrow run by it, the others by the chain's. */
  readonly millis: () => number;
  /** An ERC-8004 identity registry on this chain, whose agents may be parties and evaluators. Default: none. */
  readonly identities?: Address | undefined;
  /** Called for each accepted result. */
  readonly judged?: ((standing: Standing, evaluator: PartyIdentity) => Promise<void>) | undefined;
}

export class AgreementDesk {
  readonly #options: AgreementDeskOptions;
  readonly #store: AgreementStore;
  readonly #escrow: EscrowSide;
  readonly #lives: Lives;
  readonly #breakers: Breakers;
  readonly #accounts: AgentAccounts | undefined;

  constructor(options: AgreementDeskOptions) {
    const { sql, escrow } = options;
    const now = (isOnChain: boolean) => this.#now(isOnChain);
    this.#options = options;
    this.#store = new AgreementStore(sql);
    this.#escrow = new EscrowSide(options);
    this.#accounts = options.identities === undefined ? undefined : accountsAt(options.chain, options.identities);
    this.#lives = new Lives({ sql, store: this.#store, escrow: this.#escrow, releases: options.releases, now });
    this.#breakers = new Breakers({ ...options, store: this.#store, lives: this.#lives, hasEscrow: escrow !== undefined, now });
  }

  /** The escrow binding available here; undefined if none. */
  get binding() {
    return this.#escrow.bindings.escrow;
  }

  /** How a client may pay afterwards. */
  get afterwards() {
    return this.#escrow.bindings.afterwards;
  }

  /** Who instructs a client's payer; undefined if nobody here does. */
  get callback() {
    return this.#escrow.bindings.callback;
  }

  // --- Acts --------------------------------------------------------------------------------------------------------------

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
    const before = await this.#store.acts(id);
    const known = before.length === 0 ? undefined : await this.#lives.standing(id, before);
    still?.(known);
    if (known !== undefined) return known;
    const at = this.#now(isEscrowedText(act.document));
    const { agreement, judges } = openLife(act, { keyOf: keysIn(readAgreement(act.document)), now: at });
    requireFollowed(agreement, this.#escrow.bindings);
    await requireKeys(agreement, this.#accounts);
    await this.#requireGround(agreement, "offered");
    await this.#breakers.requireClosed({ begins: "agreement", by: "client", terms: agreement, judges });
    const now = this.#now(false);
    const purse = shown === undefined ? undefined : await this.#escrow.purseOf(agreement, shown);
    const spent = purse === undefined ? [] : await this.#spentElsewhere();
    const proposal = { id, at, text, offered: Date.parse(agreement.expires_at) / 1_000, names: namedIn(agreement, judges), purse };
    await this.#store.insert(proposal, { client: nameOf(agreement.parties.client.identity), from, now, spent });
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
      const acts = await this.#store.acts(id);
      const named = namedBy(acts);
      const isRepeated = acts.some((each) => each.text === text);
      if (!isRepeated && !isPublic(named.terms) && !mayRead(named) && !(await this.#isOfNamed(id, acts, act))) throw unknownAgreement();
      if (isRepeated) return this.#lives.standing(id, acts);
      const standing = await this.#lives.standing(id, acts);
      still?.(standing);
      const { agreement } = standing.life;
      const at = this.#now(isEscrowed(agreement));
      const deliverable = standing.job?.view?.deliverable;
      const history = act.act === "result" ? await this.history(standing) : [];
      const given = {
        keyOf: keysIn(agreement),
        now: at,
        history: () => history,
        ...(deliverable === undefined ? {} : { submitted: deliverable }),
      };
      const after = take(standing.life, act, given);
      const releases = agreement.escrow?.binding.type === "http_callback" ? this.#options.releases : undefined;
      if (act.act === "sign") {
        await this.#requireSignable(standing, act);
        await releases?.watch(id, agreement);
      }
      if (act.act === "consent") await this.#escrow.requireConsent(standing.job, act);
      const now = this.#now(false);
      if (!(await this.#store.append(id, acts.length, { at, text, now, ...marksOf(act, after, now) }))) continue;
      await releases?.moved(id);
      const taken = await this.get(id);
      if (act.act === "result") await this.#options.judged?.(taken, resultIn(act.result).evaluator);
      return taken;
    }
    throw new Refused("GatewayBusy", "Concurrent acts changed this agreement", { action: "try again" });
  }

  /** What a signature requires besides being its author's. Throws UnknownKey, NoRegistry, OneParty, OtherHistory, BreakerOpen. */
  async #requireSignable({ life: { agreement, judges }, job }: Standing, act: Extract<Act, { readonly act: "sign" }>): Promise<void> {
    await requireKeys(agreement, this.#accounts);
    if (agreement.signatures === undefined) await this.#requireGround(agreement, "signed");
    await this.#breakers.requireClosed({ begins: "agreement", by: act.by, terms: agreement, judges });
    await this.#escrow.requireSigned(job, act);
  }

  /** Raised tiers follow from the provider's record here. Throws OtherHistory. */
  async #requireGround(agreement: Agreement, as: "offered" | "signed"): Promise<void> {
    if (!isRaised(agreement)) return;
    const { scores } = await this.outcomes(agreement.parties.provider.identity, false);
    requireGround(agreement, scores, as);
  }

  /** Whether a person named in an agreement signed this act. A person who consents with a contract wallet also authenticates as a reader. */
  async #isOfNamed(id: Hash, acts: readonly StoredAct[], act: Act): Promise<boolean> {
    const said = acts.map((each) => each.act);
    if (act.act !== "consent") return isOfNamed(said, act, keysIn(termsOf(acts)));
    // Later acts are on chain, and change no terms.
    const first = said.findIndex((each) => each.act === "result");
    return this.#escrow.isConsentOfParty(await this.#lives.past(id, first === -1 ? acts : acts.slice(0, first)), act);
  }

  /** The oldest backed agreements whose money is neither in the escrow nor in the wallet any more. */
  async #spentElsewhere(): Promise<readonly Hash[]> {
    if ((await this.#store.backedCount()) < MAX_UNSIGNED) return [];
    const backed = await this.#store.backed(CHECKED_AGAIN);
    const spent = await Promise.all(
      backed.map(async ({ id, wallet, stake }) => {
        if ((await this.#escrow.balanceOf(wallet)) >= stake) return undefined;
        const { view } = (await this.get(id)).job ?? {};
        return view === undefined || view.status === "open" ? id : undefined;
      }),
    );
    return spent.filter((id) => id !== undefined);
  }

  // --- Reading -----------------------------------------------------------------------------------------------------------

  /** `mayRead`: whether the caller may read a private agreement. Default: yes. Throws NotFound. */
  async get(id: Hash, mayRead: MayRead = () => true): Promise<Standing> {
    const acts = await this.#store.acts(id);
    const named = namedBy(acts);
    // Only the terms are read until the caller is known to be allowed to read.
    if (!isPublic(named.terms) && !mayRead(named)) throw unknownAgreement();
    return this.#lives.standing(id, acts);
  }

  /** Ids of agreements in which this identity is a party or evaluator, in order. */
  of(identity: PartyIdentity, after: string, limit: number): Promise<readonly Hash[]> {
    return this.#store.naming(identity, after, limit);
  }

  /** An identity as the newest signed agreement that names it has it: with the key of its account, if it is an agent. */
  async withKey(identity: PartyIdentity): Promise<PartyIdentity> {
    const [newest] = await this.#store.signed({ name: nameOf(identity), limit: 1 });
    const terms = newest === undefined ? undefined : (await this.get(newest)).life.agreement;
    return (terms === undefined ? undefined : identitiesIn(terms).find((each) => sameIdentity(each, identity))) ?? identity;
  }

  /**
   * Outcomes of a provider's newest finished agreements, and the number of distinct clients: keys cost nothing, so a record is worth as
   * much as its clients. Counts agreements whose terms allow it (`visibility`), or all of them for the provider itself. `scores`: of the
   * last ten that were judged and count for everyone, in the order in which they were proposed, hundredths.
   */
  async outcomes(
    provider: PartyIdentity,
    isOwn: boolean,
  ): Promise<{ readonly records: readonly ClosingRecord[]; readonly clients: number; readonly scores: readonly number[] }> {
    const ids = await this.#store.signed({ name: nameOf(provider), limit: OUTCOMES_LOOK });
    const found = await Promise.all(
      ids.map(async (id) => {
        const standing = await this.get(id);
        const { agreement } = standing.life;
        const isShown = isPublic(agreement) || agreement.visibility === "parties_and_reputation";
        if (!(isOwn || isShown) || !sameIdentity(agreement.parties.provider.identity, provider)) return undefined;
        const record = outcomeOf(standing);
        const score = isShown && standing.life.results.length > 0 ? record?.composite : undefined;
        return record === undefined ? undefined : { record, score, client: nameOf(agreement.parties.client.identity) };
      }),
    );
    const counted = found.filter((each) => each !== undefined);
    return {
      records: counted.map(({ record }) => record),
      clients: new Set(counted.map(({ client }) => client)).size,
      scores: counted
        .flatMap(({ score }) => score ?? [])
        .slice(0, DYNAMIC_SCORES)
        .toReversed(),
    };
  }

  /** Composites of earlier deliveries under an agreement's promise, as far as this city keeps them. */
  async history({ life: { agreement } }: Standing): Promise<readonly number[]> {
    const most = promisedBefore(agreement);
    return most === 0 ? [] : this.#store.composites(promiseOf(agreement), agreementHash(agreement), most);
  }

  /** Open breakers, from the newest agreements here and this city's adjudicators. */
  breakers(): Promise<readonly OpenBreaker[]> {
    return this.#breakers.open();
  }

  // --- Money -------------------------------------------------------------------------------------------------------------

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

  /** What a wallet signs for the escrow, as EIP-712 JSON; undefined without an escrow. */
  typedData({ job }: Standing): string | undefined {
    return this.#escrow.typedData(job);
  }

  /** What a wallet signs to consent to end the job with this share (basis points), as EIP-712 JSON, and its expiry. */
  consentData({ job }: Standing, share: number): { readonly typedData: string; readonly deadline: number } {
    return this.#escrow.consentData(job, share);
  }

  /** The calls for an account's step. Throws StepRefused for one that is not due, or another party's; BreakerOpen. */
  calls(standing: Standing, step: Step, details: StepDetails): Promise<readonly StepCall[]> {
    return this.#escrow.calls(standing, step, details, async () => {
      await this.#requireFundable(standing);
      return this.#walletSignatures(standing.id);
    });
  }

  /** Relays signed transactions that are about this agreement's job only. Throws StepRefused, TransactionReverted, BreakerOpen. */
  async send(id: Hash, signed: readonly Hex[], still?: Still): Promise<Standing> {
    const { chain } = this.#options;
    const calls = await Promise.all(signed.map((raw) => readSignedCall(raw, chain.id, stepRefused)));
    const standing = await this.get(id, (named) => calls.every(({ from }) => isNamed(named, from)));
    still?.(standing);
    await this.#escrow.relay(standing.job, calls, () => this.#requireFundable(standing));
    return this.get(id);
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

  #requireFundable({ life: { agreement, judges } }: Standing): Promise<void> {
    return this.#breakers.requireClosed({ begins: "funding", by: "client", terms: agreement, judges });
  }

  async #walletSignatures(id: Hash): Promise<readonly (Hex | undefined)[]> {
    const acts = await this.#store.acts(id);
    return PARTIES.map((by) => {
      const found = acts.map(({ act }) => act).find((act) => act.act === "sign" && act.by === by);
      return found?.act === "sign" && found.escrow_signature !== undefined ? hexSchema.parse(found.escrow_signature) : undefined;
    });
  }

  /** The chain's clock, or the machine's: unix seconds. */
  #now(isOnChain: boolean): number {
    return isOnChain ? this.#escrow.now : Math.floor(this.#options.millis() / 1_000);
  }
}

/** Changes of an agreement's indexed fields by an act. */
function marksOf({ act }: Act, { agreement, judges, timed, results, verdict }: AgreementLife, now: number): Marks {
  const isCounted = act === "result" && promisedBefore(agreement) > 0 && haveMostJudged(agreement, results.length);
  const composite = isCounted ? verdict?.determination.composite : undefined;
  return {
    ends: act === "sign" && timed.state.status === "active" ? overBy(agreement, now) : undefined,
    names: act === "draw" ? namedIn(agreement, judges) : [],
    counts: composite === undefined ? undefined : { promise: promiseOf(agreement), terms: agreementHash(agreement), composite },
  };
}
