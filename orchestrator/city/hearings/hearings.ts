import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { BlockName } from "../../chain/chain.ts";
import { TransactionReverted } from "../../chain/errors.ts";
import { intentKey } from "../../chain/outbox.ts";
import { openingUnder } from "../../client/openings.ts";
import type { SignedItem } from "../../execution/evidence.ts";
import {
  type HearingView,
  MAX_EARLIER,
  obligationOfJob,
  partiesTo,
  RECEIPT,
  type Submitted,
  submittedSince,
  viewHearing,
} from "../../execution/hearing.ts";
import type { Issuer, Verifier } from "../../execution/seat.ts";
import { unlessAbsent } from "../../minds/absence.ts";
import { AgentCityError, messageOf } from "../../primitives/errors.ts";
import { writeFileAtomic } from "../../primitives/files.ts";
import { parseContentId } from "../../primitives/hash.ts";
import { type Hash, type Hex, hashSchema } from "../../primitives/hex.ts";
import { canonicalJson, type JsonObject, parseJsonBytes } from "../../primitives/json.ts";
import { compileSchema } from "../../primitives/json-schema.ts";
import { Mutex } from "../../primitives/mutex.ts";
import { commissionHash, deliverableOf, hearingKey, MAX_EVIDENCE, termsOnChain } from "../../protocol/hearing.ts";
import { type Commission, commissionSchema, type HearingTerms } from "../../protocol/hearing-schema.ts";
import { commitmentOf } from "../../rules/commitments.ts";
import type { City } from "../city.ts";
import { RELAYED, type RelayBudget, type RelayPayer } from "../missions/relay-budget.ts";
import { type Delivered, hearPanel, type Spoken } from "./hear-panel.ts";
import { hearingFile, hearingsFolder, type KeptHearing, readHearing } from "./kept-hearing.ts";
import { type Due, Rota } from "./rota.ts";

/** What a city does not take before a panel, and why. */
export class HearingRefused extends AgentCityError {
  constructor(why: string, action?: string) {
    super("HearingRefused", why, { action });
  }
}

/** Nobody brought this job here. */
export class HearingUnknown extends AgentCityError {
  constructor(key: Hash) {
    super("HearingUnknown", "Nobody brought that job before a panel here", {
      details: key,
      action: "open_hearing with its terms and commission",
    });
  }
}

/** All places are taken by jobs that are not over, or all that one address may have. */
export class TooManyHearings extends AgentCityError {
  constructor(max: number, whose = "") {
    super("TooManyHearings", `${max} jobs${whose} wait for their panels here`, { action: "come again when one of them is over" });
  }
}

/** A job before a panel, as this city tells of it. */
export interface KnownHearing {
  readonly key: Hash;
  readonly terms: HearingTerms;
  readonly view: HearingView;
  /** The work is here that the provider committed to. */
  readonly hasWork: boolean;
}

/** What both parties signed of the terms; empty where the job is registered already, or for the sender's own. */
export interface TermsSigned {
  readonly client: Hex;
  readonly provider: Hex;
}

/** Work with what opens the provider's commitment to it. */
export interface HandedWork {
  readonly work: JsonObject;
  readonly salt: Hash;
  readonly trailRoot: Hash;
  readonly items: readonly SignedItem[];
}

/** `first`: place of the first receipt in the envelope. `isShown`: issuers of other houses may read the work. */
export interface Receiving {
  readonly first?: number;
  readonly isShown?: boolean;
}

export interface HearingsOptions {
  /** Everybody whose judgement can be asked, here and elsewhere. */
  readonly verifiers: () => Promise<readonly Verifier[]>;
  /** Those here who sign for what they received. */
  readonly issuers: readonly Issuer[];
  /** Issuers of other houses. Default: none. */
  readonly issuersElsewhere?: () => Promise<readonly Issuer[]>;
  readonly relays: RelayBudget;
  /** The machine's clock. */
  readonly millis: () => number;
  /** How many jobs are kept at most; a tenth of them of one address. Default 4,096. */
  readonly max?: number;
  /** Blocks before a job is brought in which what was submitted counts. Default MAX_EARLIER, and what an audit goes by. */
  readonly earlier?: number;
}

const MAX_HEARINGS = 4_096;
const ADDRESS_SHARE = 10;
/** Seconds for which a job may wait for its work: it has a place here as long. */
const LONGEST_WAIT = 366 * 86_400;
/** Seconds after which a job is re-read although nothing is due: the block with its event may have been replaced. */
const LOOK_AGAIN = 3_600;
/** Gas for a call that runs an escrow's code, which anybody may have written: a job of `AgreementEscrow` takes a quarter of it. */
const MAX_GAS = 500_000n;
/** Of how long a panel is heard, the part after which who was silent is asked again at the latest. */
const PARTS = 8;
/** Milliseconds before a failed step is retried. */
const PAUSE = 15_000;
const LONGEST_PAUSE = 3_600_000;
/** Seconds after its end after which a job is let go of that its escrow will not have ended. */
const LET_GO = 30 * 86_400;
/** Blocks after which the hash that draws a panel is kept for good: a chain may forget it after 256. */
const PIN_AFTER = 100;

/**
 * Jobs of any escrow that name this city's evaluator: their panels are asked, and the results are submitted by the members present here. The
 * chain is read before each step, so a restart resumes, and steps that others took are not repeated.
 */
export class Hearings {
  readonly #city: City;
  readonly #options: HearingsOptions;
  readonly #folder: string;
  readonly #known: Map<Hash, KeptHearing>;
  readonly #rota = new Rota((key) => this.#goOn(key));
  readonly #turns = new Mutex();
  /** How often in a row one was looked at and came no further. */
  readonly #tries = new Map<Hash, number>();
  readonly #spoken = new Map<Hash, Spoken>();
  /** What their escrows were seen to say, and from which block on they are asked again. */
  readonly #submitted = new Map<Hash, { readonly last: Submitted | undefined; readonly next: number }>();
  /** The block up to which the chain was looked at. */
  #seen: BlockName | undefined;

  constructor(city: City, options: HearingsOptions) {
    this.#city = city;
    this.#options = options;
    this.#folder = hearingsFolder(city.dir);
    mkdirSync(this.#folder, { recursive: true });
    const files = readdirSync(this.#folder).filter((name) => /^0x[0-9a-f]{64}\.json$/.test(name));
    const kept = files.flatMap((name) => readHearing(join(this.#folder, name)) ?? []);
    this.#known = new Map(kept.map((each) => [keyOf(each.terms), each]));
    for (const [key, { isOver, by }] of this.#known) if (!isOver) this.#rota.add(key, by);
  }

  /** Brings a job before its panel, and registers it with both signatures if it is not registered yet. Throws HearingRefused, TooManyHearings, RelayQuota. */
  async open(terms: HearingTerms, commission: Commission, signed: TermsSigned, payer: Pick<RelayPayer, "from">): Promise<KnownHearing> {
    const key = keyOf(terms);
    return this.#turns.run(async () => {
      const { client, blocks } = this.#city;
      if (commissionHash(commission) !== terms.agreementHash)
        throw new HearingRefused("the commission is not what the terms name", "agreementHash is SHA-256 of its RFC 8785 text");
      if (commission.schema !== undefined) compileSchema(commission.schema);
      if (terms.deliverBy > Number(client.chain.clock.now()) + LONGEST_WAIT)
        throw new HearingRefused("its work may come in a year or later", "bring it before a panel when it is nearer");
      const before = await viewHearing(client, terms);
      const obligation = obligationOfJob(client, terms);
      if (before.obligation !== undefined && before.obligation !== obligation)
        throw new HearingRefused("the job is registered on other terms");
      if (this.#known.has(key)) return this.get(key);
      const { from: by = "" } = payer;
      this.#requireRoom(by);
      await this.#options.relays.spend("hearing", payer, async (took) => {
        if (before.obligation === undefined)
          await client.evaluator.register([termsOnChain(terms), signed.client, signed.provider], {
            intent: intentKey("hearing", "register", obligation),
            maxGas: MAX_GAS,
            alreadyDone: async () => (await viewHearing(client, terms)).obligation === obligation,
          });
        // What is still to be sent for it stays held; a refusal by the contract costs nothing.
        took({ gasUsed: RELAYED.hearing });
      });
      const block = blocks.putJson(commission);
      await blocks.sync();
      const { number } = this.#city.chain.head();
      const since = Math.max(0, Number(number) - (this.#options.earlier ?? MAX_EARLIER));
      this.#keep(key, { terms, commission: block, delivered: null, isOver: false, by, since });
      this.#city.progress(`job ${terms.jobId} of ${terms.escrow} is before a panel of ${terms.panelSize}`);
      return this.get(key);
    });
  }

  /**
   * What issuers sign for having received this work: items of its envelope, from `first` on. The city's own keep nothing; issuers of other houses
   * see it if `isShown`.
   */
  async receive(key: Hash, work: JsonObject, { first = 0, isShown = false }: Receiving = {}): Promise<readonly SignedItem[]> {
    const { client, blocks } = this.#city;
    const { terms } = this.#of(key);
    const { issuers, issuersElsewhere } = this.#options;
    const parties: readonly string[] = partiesTo(terms);
    const able = (all: readonly Issuer[]) =>
      all.filter(
        ({ issues, principal, account }) => issues.includes(RECEIPT) && !parties.includes(principal) && !parties.includes(account.address),
      );
    const others = isShown && issuersElsewhere !== undefined ? able(await issuersElsewhere()) : [];
    const workId = others.length === 0 ? "" : blocks.putJson(work);
    const about = { terms, obligation: obligationOfJob(client, terms), workId, payload: deliverableOf(work) };
    const items: SignedItem[] = [];
    // One after the other: a silent issuer leaves no gap in the envelope.
    for (const issuer of [...able(issuers), ...others]) {
      const index = first + items.length;
      if (index >= MAX_EVIDENCE) break;
      const item = await unlessAbsent(() => issuer.acknowledge({ ...about, index }));
      if (item !== undefined) items.push(item);
    }
    return items;
  }

  /** Takes the work that the provider committed to on chain, from anybody. Throws HearingRefused for any other. */
  async handIn(key: Hash, { work, salt, trailRoot, items }: HandedWork): Promise<KnownHearing> {
    return this.#turns.run(async () => {
      const { client, blocks } = this.#city;
      const kept = this.#of(key);
      const { provider } = kept.terms;
      const obligation = obligationOfJob(client, kept.terms);
      const view = await viewHearing(client, kept.terms);
      if (view.work === undefined)
        throw new HearingRefused("nothing is delivered yet", "the provider calls `deliver` of the evaluator first");
      const opening = openingUnder({ obligation, outputHash: deliverableOf(work), trailRoot, items }, salt);
      if (commitmentOf(provider, opening, obligation) !== view.work) throw new HearingRefused("it is not the work that was delivered");
      if (kept.delivered === null) {
        const handed = blocks.putJson(work);
        await blocks.sync();
        this.#keep(key, { ...kept, delivered: { handed, salt, trailRoot, items: [...items] } });
      }
      return this.get(key);
    });
  }

  /** Throws HearingUnknown. */
  async get(key: Hash): Promise<KnownHearing> {
    const { terms, delivered } = this.#of(key);
    return { key, terms, view: await viewHearing(this.#city.client, terms), hasWork: delivered !== null };
  }

  /** Those that are not over. */
  pending(): readonly Hash[] {
    return [...this.#known].flatMap(([key, { isOver }]) => (isOver ? [] : [key]));
  }

  /**
   * Begins what is due, of each job by itself: one that waits for a member keeps no other waiting. However many there are, a block that is about
   * none of them costs one look.
   */
  async step(): Promise<void> {
    await this.#hearChain();
    this.#rota.begin({ second: Number(this.#city.chain.clock.now()), millis: this.#options.millis() });
  }

  /** When nothing that was begun goes on any more. */
  async settled(): Promise<void> {
    await this.#rota.settled();
  }

  /** Wakes the jobs that new blocks tell of. */
  async #hearChain(): Promise<void> {
    const { chain, client } = this.#city;
    const [head, seen] = [chain.head(), this.#seen];
    if (head.hash === seen?.hash) return;
    // Whatever is known is looked at in any case once, and where blocks were replaced.
    if (seen === undefined || head.number <= seen.number) this.#rota.wakeAll();
    else {
      const range = { fromBlock: seen.number + 1n, toBlock: head.number };
      const logs = await chain.publicClient.getLogs({ address: client.addresses.ClearingEvaluator, ...range });
      // Of each event the job is the first indexed field.
      for (const { topics } of logs) if (topics[1] !== undefined) this.#rota.wake(hashSchema.parse(topics[1]));
    }
    this.#seen = head;
  }

  async #goOn(key: Hash): Promise<Due> {
    const { clock } = this.#city.client.chain;
    const kept = this.#of(key);
    try {
      const { second, millis } = await this.#advance(key, kept);
      return { second: Math.min(second, Number(clock.now()) + LOOK_AGAIN), millis };
    } catch (error) {
      this.#city.progress(`job ${kept.terms.jobId} of ${kept.terms.escrow} waits: ${messageOf(error)}`);
      return { second: NEVER, millis: this.#pause(key, LONGEST_PAUSE) };
    }
  }

  async #advance(key: Hash, kept: KeptHearing): Promise<Due> {
    const { client } = this.#city;
    const { terms } = kept;
    const view = await viewHearing(client, terms);
    const now = client.chain.clock.now();
    const end = endOf(terms, view);
    if (view.isClosed || now > Math.max(terms.deliverBy, view.closesAt + terms.hearing) + LET_GO) this.#end(key, kept, view);
    else if (now > end) await this.#finalise(key, kept, view);
    else if (view.panels > 0 && !view.isComplete && now <= view.closesAt) return this.#hear(key, kept, view);
    else if (view.panels > 0 && !isDecided(view) && view.panels < MAX_PANELS) await this.#redraw(key, terms);
    this.#tries.delete(key);
    return { second: end + 1, millis: NEVER };
  }

  /** When a job that made no progress is retried: with growing pauses, as for a paused escrow or a missing member. */
  #pause(key: Hash, longest: number): number {
    const tries = (this.#tries.get(key) ?? 0) + 1;
    this.#tries.set(key, tries);
    return this.#options.millis() + Math.min(PAUSE * 2 ** tries, longest);
  }

  async #hear(key: Hash, kept: KeptHearing, view: HearingView): Promise<Due> {
    const { client, chain, answers, progress, boundary } = this.#city;
    const due = { second: view.closesAt + 1, millis: NEVER };
    if (kept.delivered === null) return due;
    const { number } = chain.head();
    if (Number(number) - view.drawBlock >= PIN_AFTER)
      await client.evidence.pinSeed([BigInt(view.drawBlock)], { intent: intentKey("hearing", "pin", view.drawBlock) });
    const verifiers = await this.#options.verifiers();
    const said = this.#spoken.get(key);
    const before = said?.panel === view.panels ? said : { panel: view.panels, members: [], isPartial: true };
    const submitted = await this.#submittedFor(key, kept);
    const work = { ...this.#deliveredOf(kept, kept.delivered), submitted };
    const spoken = await hearPanel({ client, answers, progress, verifiers, boundary }, key, work, view, before);
    this.#spoken.set(key, spoken);
    if (spoken.members.length > before.members.length) this.#tries.delete(key);
    if (!spoken.isPartial) return due;
    // Who was silent is asked again, but not at once.
    return { ...due, millis: this.#pause(key, Math.max(PAUSE, Math.min(LONGEST_PAUSE, (kept.terms.hearing * 1_000) / PARTS))) };
  }

  /** What a job's escrow says was submitted last; blocks that were looked at are not asked for again. */
  async #submittedFor(key: Hash, { terms, since }: KeptHearing): Promise<Submitted | undefined> {
    const { client, chain } = this.#city;
    const { last, next } = this.#submitted.get(key) ?? { last: undefined, next: since };
    const { number } = chain.head();
    const submitted = (await submittedSince(client, terms, next)) ?? last;
    this.#submitted.set(key, { last: submitted, next: Math.max(next, Number(number)) });
    return submitted;
  }

  async #redraw(key: Hash, terms: HearingTerms): Promise<void> {
    const { client, progress } = this.#city;
    await client.evaluator.redraw([termsOnChain(terms)], {
      intent: intentKey("hearing", "redraw", key),
      alreadyDone: async () => (await viewHearing(client, terms)).panels === MAX_PANELS,
    });
    progress(`job ${terms.jobId} of ${terms.escrow}: its panel decided nothing, a second one is drawn`);
  }

  async #finalise(key: Hash, kept: KeptHearing, { panels }: HearingView): Promise<void> {
    const { client } = this.#city;
    const { terms } = kept;
    const isClosed = async () => (await viewHearing(client, terms)).isClosed;
    try {
      await client.evaluator.finalise([termsOnChain(terms), client.addresses.CityToken], {
        intent: intentKey("hearing", "finalise", key),
        maxGas: MAX_GAS,
        alreadyDone: isClosed,
      });
    } catch (error) {
      // An escrow may leave undelivered work to its own clock, as `AgreementEscrow` does: there is nothing to hear. One that agrees in a
      // simulation and refuses on chain would cost gas each time: ending such a job is left to its parties.
      if (!(error instanceof TransactionReverted) || (panels > 0 && error.phase === "simulated")) throw error;
    }
    await this.#city.boundary("hearing:finalised");
    this.#end(key, kept, await viewHearing(client, terms));
  }

  #end(key: Hash, kept: KeptHearing, { outcome, score }: HearingView): void {
    this.#keep(key, { ...kept, isOver: true });
    this.#spoken.delete(key);
    this.#tries.delete(key);
    this.#submitted.delete(key);
    const { jobId, escrow } = kept.terms;
    this.#city.progress(`job ${jobId} of ${escrow} is over: ${outcome}${outcome === "PASS" ? `, ${score} basis points` : ""}`);
  }

  #deliveredOf(
    { terms, commission }: KeptHearing,
    { handed, ...rest }: NonNullable<KeptHearing["delivered"]>,
  ): Omit<Delivered, "submitted"> {
    const { blocks } = this.#city;
    const read = (id: string) => parseJsonBytes(blocks.get(parseContentId(id)));
    const work = z.record(z.string(), z.json()).parse(read(handed)) as JsonObject;
    const ids = { commissionId: commission, handedId: handed };
    return { ...rest, ...ids, terms, commission: commissionSchema.parse(read(commission)), work };
  }

  #of(key: Hash): KeptHearing {
    const kept = this.#known.get(key);
    if (kept === undefined) throw new HearingUnknown(key);
    return kept;
  }

  /** Where it is full, the one goes that was over first. */
  #requireRoom(by: string): void {
    const { max = MAX_HEARINGS } = this.#options;
    const share = Math.ceil(max / ADDRESS_SHARE);
    if (by !== "" && this.#rota.countOf(by) >= share) throw new TooManyHearings(share, " from your address");
    if (this.#known.size < max) return;
    const over = [...this.#known].find(([, { isOver }]) => isOver);
    if (over === undefined) throw new TooManyHearings(max);
    this.#known.delete(over[0]);
    const file = hearingFile(this.#folder, over[0]);
    if (existsSync(file)) rmSync(file);
  }

  #keep(key: Hash, kept: KeptHearing): void {
    this.#known.set(key, kept);
    if (kept.isOver) this.#rota.remove(key);
    else this.#rota.add(key, kept.by);
    writeFileAtomic(hearingFile(this.#folder, key), canonicalJson(kept));
  }
}

/** Of what receipts are. */
const MAX_PANELS = 2;
const NEVER = Number.POSITIVE_INFINITY;

const keyOf = ({ escrow, jobId }: HearingTerms): Hash => hearingKey(escrow, BigInt(jobId));

const isDecided = ({ outcome }: HearingView): boolean => outcome === "PASS" || outcome === "FAIL";

/** After which second the job may be ended: the twin of `_dueAt` in `ClearingEvaluator`. */
function endOf({ deliverBy, hearing, bond }: HearingTerms, view: HearingView): number {
  if (view.panels === 0) return deliverBy;
  // Within as long again a party may have a larger panel decide, where the terms name a bond for it.
  if (isDecided(view) && view.panels === 1 && bond !== "0") return view.closesAt + hearing;
  if (isDecided(view)) return view.isComplete ? 0 : view.closesAt;
  return view.panels === MAX_PANELS ? view.closesAt : view.closesAt + hearing;
}
