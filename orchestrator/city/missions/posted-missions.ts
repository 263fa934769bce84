import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { CATALOG } from "../../../services/catalog.ts";
import type { Item } from "../../../services/shared/contract.ts";
import { digestOfItems, MAX_ITEMS, type MissionInput } from "../../execution/inputs/read-input.ts";
import { AuditNeeded } from "../../legislature/errors.ts";
import { addressSchema } from "../../primitives/address.ts";
import { formatMoney, TOKEN_DECIMALS } from "../../primitives/amounts.ts";
import { AgentCityError, messageOf } from "../../primitives/errors.ts";
import { writeFileAtomic } from "../../primitives/files.ts";
import { keccak256 } from "../../primitives/hash.ts";
import { type Address, type Hash, type Hex, hashSchema } from "../../primitives/hex.ts";
import { canonicalBytes, canonicalJson, parseJson } from "../../primitives/json.ts";
import { Mutex } from "../../primitives/mutex.ts";
import { readStateFile } from "../../primitives/state-file.ts";
import { type MissionFile, parseMissionFile } from "../../protocol/mission-file.ts";
import { parameter } from "../../protocol/parameters.ts";
import type { City } from "../city.ts";
import { CodificationDesk } from "../humans/codification-desk.ts";
import { requireKnownFields } from "../report/known-fields.ts";
import { modelsIn, type Order, requirePassable } from "./conduct.ts";
import { type Deposit, type DepositTerms, findPaid, payDeposit, prepareDeposit } from "./deposit.ts";
import { requireShortChain } from "./embedded-limit.ts";
import { runToEnd } from "./run.ts";

/**
 * States of an external sponsor's mission: waiting for its deposit, for an adjudicator's signature of its law, working, or over. `stopped`:
 * the city cannot go on with it, and tries again when it is opened again.
 */
export const POSTED_STATES = ["unpaid", "working", "waiting", "stopped", "completed", "failed", "aborted", "no-law"] as const;
export type PostedState = (typeof POSTED_STATES)[number];

/** An external sponsor's mission, as this city reports it. */
export interface PostedMission {
  readonly id: Hash;
  readonly sponsor: Address;
  /** The mission's name in its file. */
  readonly title: string;
  readonly state: PostedState;
  /** Smallest unit. */
  readonly budget: bigint;
  /** Once it is paid: number on chain. */
  readonly session: bigint | undefined;
  /** The last mission that a law of it made, once it is over. */
  readonly mission: Address | undefined;
  /** What it waits for, or why it ended so. */
  readonly reason: string | undefined;
}

/** A mission that this city refuses, and why: before anyone pays. */
export class MissionRefused extends AgentCityError {
  constructor(why: AgentCityError) {
    super("MissionRefused", why.shortMessage, {
      details: [why.code, ...(why.details === undefined ? [] : [why.details])].join("\n"),
      action: why.action,
    });
  }
}

const decimal = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt);

const keptSchema = z.strictObject({
  id: hashSchema,
  sponsor: addressSchema,
  /** The file as it came. */
  text: z.string(),
  /** Milliseconds of the machine's clock. */
  posted: z.number(),
  paid: z.strictObject({ session: decimal, block: decimal }).nullable(),
  end: z
    .strictObject({
      status: z.enum(["completed", "failed", "aborted", "no-law"]),
      mission: addressSchema.nullable(),
      reason: z.string().nullable(),
    })
    .nullable(),
});
type Kept = z.output<typeof keptSchema>;

const DAMAGED = "restore it from a copy, or remove it: its sponsor can post the mission again";

/**
 * Limits for unpaid missions: in number, per sponsor, and bytes. If room is needed they are removed in this order: those whose sponsors do
 * not hold the deposit, those that have waited longest, the one with the smallest deposit. To keep others out one has to hold more than all
 * of them.
 */
const MAX_UNPAID = 128;
const MAX_OF_SPONSOR = 8;
const MAX_BYTES = 256 * 1_048_576;
const MIN_STAY = 600_000;

export interface PostedMissionsOptions {
  /** Below which bundles go. */
  readonly home: string;
  /** Makes the human decisions. */
  readonly judge: Order["judge"];
  /** External members that are seated when a mission starts. */
  readonly outsiders?: () => Promise<NonNullable<Order["outsiders"]>>;
  readonly millis: () => number;
  readonly sleep: (millis: number) => Promise<void>;
}

/** How often it is looked whether an adjudicator has signed a law, milliseconds. */
const LOOK = 500;

/** Missions that external sponsors post to a city: each pays by its own transaction; then the city carries its mission out. */
export class PostedMissions {
  readonly #city: City;
  readonly #options: PostedMissionsOptions;
  readonly #folder: string;
  readonly #known: Map<Hash, Kept>;
  readonly #running = new Map<Hash, Promise<void>>();
  /** What a mission is waiting for. */
  readonly #waits = new Map<Hash, string>();
  /** Why the city could not go on with a mission. */
  readonly #stops = new Map<Hash, string>();
  readonly #turns = new Mutex();
  /** Missions whose deposits are being relayed here. */
  readonly #paying = new Map<Hash, Promise<void>>();
  /** Those whose transactions were sent: among missions with the same goal and budget, the session belongs to them. */
  readonly #sent = new Set<Hash>();
  /** The block up to which deposits of all missions were searched, and missions not searched yet. */
  #seen = { hash: "", number: -1n };
  readonly #unlooked: Set<Hash>;

  constructor(city: City, options: PostedMissionsOptions) {
    this.#city = city;
    this.#options = options;
    this.#folder = join(city.dir, "posted");
    mkdirSync(this.#folder, { recursive: true });
    const files = readdirSync(this.#folder).filter((name) => /^0x[0-9a-f]{64}\.json$/.test(name));
    const kept = files.flatMap((name) => readStateFile(join(this.#folder, name), keptSchema, DAMAGED) ?? []);
    this.#known = new Map(kept.sort((a, b) => a.posted - b.posted).map((each) => [each.id, each]));
    this.#unlooked = new Set(this.#unpaid().map(({ id }) => id));
    for (const each of kept) if (each.paid !== null && each.end === null) this.#begin(each);
  }

  /**
   * Takes a mission without its money; the same one of the same sponsor is taken once, however often it comes, unless `again` differs.
   * Throws MissionRefused, TooManyPosted.
   */
  async post(sponsor: Address, text: string, items: readonly Item[], again = 0): Promise<PostedMission> {
    const id = keccak256(canonicalBytes([sponsor, text, digestOfItems(items), again]));
    return this.#turns.run(async () => {
      const before = this.#known.get(id);
      if (before !== undefined) return this.#tellOf(before);
      const kept: Kept = { id, sponsor, text, posted: this.#options.millis(), paid: null, end: null };
      await this.#require(kept, items);
      const content = canonicalJson(items);
      await this.#makeRoom(kept, content.length);
      writeFileAtomic(this.#itemsOf(id), content);
      this.#keep(kept);
      this.#unlooked.add(id);
      const { mission, budget } = this.#fileOf(kept);
      this.#city.progress(`${sponsor} asks for ${mission} and is to deposit ${formatMoney(budget)} tokens`);
      return this.#tellOf(kept);
    });
  }

  /** Undefined for an unknown mission. */
  get(id: Hash): PostedMission | undefined {
    const kept = this.#known.get(id);
    return kept === undefined ? undefined : this.#tellOf(kept);
  }

  /** The transactions that pay for it, for its sponsor to sign; none once it is paid. */
  async deposit(id: Hash): Promise<Deposit> {
    const kept = this.#of(id);
    return prepareDeposit(this.#city, this.#termsOf(kept), kept.paid !== null);
  }

  /** Relays the sponsor's signed transactions, and starts the mission. Idempotent. */
  async pay(id: Hash, signed: readonly Hex[]): Promise<PostedMission> {
    const paying = this.#paying.get(id) ?? this.#pay(id, signed).finally(() => this.#paying.delete(id));
    this.#paying.set(id, paying);
    await paying;
    return this.#tellOf(this.#of(id));
  }

  /** The chain may be slow: other missions do not wait for it. */
  async #pay(id: Hash, signed: readonly Hex[]): Promise<void> {
    await this.#turns.run(() => this.#findPaid());
    const kept = this.#of(id);
    if (kept.paid !== null) return;
    this.#sent.add(id);
    try {
      await payDeposit(this.#city, this.#termsOf(kept), signed);
      await this.#turns.run(() => this.#findPaid());
    } finally {
      this.#sent.delete(id);
    }
  }

  /** Checks for deposits, by whatever route their transactions were sent, and starts paid missions. */
  async step(): Promise<void> {
    const { hash, number } = this.#city.chain.head();
    if ((hash === this.#seen.hash && this.#unlooked.size === 0) || this.#unpaid().length === 0) return;
    await this.#turns.run(async () => {
      const range = { fromBlock: number > this.#seen.number ? this.#seen.number + 1n : 0n };
      const opened = await this.#city.client.legislation.history("SessionOpened", {}, range);
      await this.#findPaid(opened.length > 0 ? this.#unpaid() : this.#unpaid().filter(({ id }) => this.#unlooked.has(id)));
      this.#seen = { hash, number };
    });
  }

  /** Number of missions that this city cannot go on with. */
  get stopped(): number {
    return this.#stops.size;
  }

  /** When nothing that is paid for is being carried out any more. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running.values());
  }

  async #findPaid(unpaid: readonly Kept[] = this.#unpaid()): Promise<void> {
    const claimed = new Set([...this.#known.values()].flatMap(({ paid }) => (paid === null ? [] : [paid.session])));
    const isSent = ({ id }: Kept) => this.#sent.has(id);
    for (const kept of [...unpaid.filter(isSent), ...unpaid.filter((each) => !isSent(each))]) {
      const paid = await findPaid(this.#city, this.#termsOf(kept), claimed);
      this.#unlooked.delete(kept.id);
      if (paid === undefined) continue;
      claimed.add(paid.session);
      const now = { ...kept, paid };
      this.#keep(now);
      this.#begin(now);
    }
  }

  #begin(kept: Kept): void {
    const work = this.#carryOut(kept)
      .catch((error: unknown) => {
        // Chain and records keep the state: the next start of the city resumes from there.
        this.#stops.set(kept.id, messageOf(error));
        this.#city.progress(`a posted mission stopped: ${messageOf(error)}`);
      })
      .finally(() => this.#running.delete(kept.id));
    this.#running.set(kept.id, work);
  }

  async #carryOut(kept: Kept): Promise<void> {
    const { id, sponsor, paid, text } = kept;
    if (paid === null) return;
    const file = this.#fileOf(kept);
    this.#city.progress(`${file.mission} is paid for by ${sponsor}: session ${paid.session}`);
    const items = z.array(itemSchema).parse(parseJson(readFileSync(this.#itemsOf(id), "utf8")));
    const order: Order = { ...(await this.#orderOf(kept, file, items)), sponsor: { address: sponsor, ...paid } };
    const outcome = await this.#throughApproval(id, () => runToEnd(this.#city, order, text, this.#options.home));
    const { status, failure, bundle } = outcome;
    // The bundle's folder is the mission's address.
    const mission = addressSchema.nullable().parse(bundle === null ? null : bundle.slice(bundle.lastIndexOf("/") + 1));
    this.#keep({ ...kept, end: { status, mission, reason: failure === null ? null : failure.reason } });
    this.#city.progress(`${file.mission} is ${status}`);
  }

  /** A law of HIGH risk waits for an adjudicator: the session resumes once one has signed. */
  async #throughApproval<Result>(id: Hash, work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof AuditNeeded)) throw error;
        this.#waits.set(id, error.shortMessage);
        const desk = new CodificationDesk(this.#city.dir);
        while ((await desk.ask(error.request)) === undefined) await this.#options.sleep(LOOK);
        this.#waits.delete(id);
      }
    }
  }

  async #orderOf({ id, sponsor }: Kept, file: MissionFile, items: readonly Item[]): Promise<Order> {
    const input: MissionInput = { kind: file.input.kind, items, skipped: [], remarks: [], digest: digestOfItems(items) };
    const { judge } = this.#options;
    const outsiders = await this.#options.outsiders?.();
    return {
      ...{ file, input, catalog: CATALOG, id: `posted-${id.slice(2, 18)}`, judge, sponsor: { address: sponsor, session: 0n, block: 0n } },
      ...(outsiders === undefined ? {} : { outsiders }),
    };
  }

  /** Everything that would stop it later is said now, while it costs nothing. */
  async #require(kept: Kept, items: readonly Item[]): Promise<void> {
    try {
      requireShortChain(this.#city);
      const file = this.#fileOf(kept);
      if (file.services !== null) throw refused("it brings services of its own", "name services of this city's catalogue");
      if (modelsIn(file.tasks).length > 0) throw refused("it asks chat models, at this city's cost", "leave out `models`");
      const ids = items.map(({ id }) => id);
      if (ids.some((id, place) => place > 0 && id <= (ids[place - 1] ?? "")))
        throw refused("its items are not in the order of their ids, each once");
      if (items.length > MAX_ITEMS) throw refused(`it has ${items.length} items; at most ${MAX_ITEMS} are taken`);
      const order = await this.#orderOf(kept, file, items);
      requireKnownFields(file.tasks, order.input, CATALOG);
      await requirePassable(this.#city, order);
    } catch (error) {
      throw error instanceof AgentCityError ? new MissionRefused(error) : error;
    }
  }

  #fileOf({ text }: Kept): MissionFile {
    const budgetCap = parameter("MISSION_BUDGET_CAP").default * 10n ** BigInt(TOKEN_DECIMALS);
    // Missions of external sponsors default to `visibility: parties`.
    return parseMissionFile(text, { fileName: "mission.yaml", catalog: CATALOG, budgetCap, visibility: "parties" });
  }

  #termsOf(kept: Kept): DepositTerms {
    const { goal, budget } = this.#fileOf(kept);
    return { sponsor: kept.sponsor, goal, budget };
  }

  #tellOf(kept: Kept): PostedMission {
    const { id, sponsor, paid, end } = kept;
    const { mission: title, budget } = this.#fileOf(kept);
    const [wait, stop] = [this.#waits.get(id), this.#stops.get(id)];
    const held = stop !== undefined ? "stopped" : wait !== undefined ? "waiting" : "working";
    const state = end?.status ?? (paid === null ? "unpaid" : held);
    return {
      ...{ id, sponsor, title, state, budget },
      session: paid?.session,
      mission: end?.mission ?? undefined,
      reason: end === null ? (stop ?? wait) : (end.reason ?? undefined),
    };
  }

  #of(id: Hash): Kept {
    const kept = this.#known.get(id);
    if (kept === undefined) throw new AgentCityError("NotPosted", "That mission was not posted to this city", { details: id });
    return kept;
  }

  #unpaid(): readonly Kept[] {
    return [...this.#known.values()].filter(({ paid }) => paid === null);
  }

  /** Removes unpaid missions if there is no room. Throws TooManyPosted. */
  async #makeRoom(coming: Kept, bytes: number): Promise<void> {
    const own = this.#unpaid().filter(({ sponsor }) => sponsor === coming.sponsor);
    if (own.length >= MAX_OF_SPONSOR)
      throw new AgentCityError("TooManyPosted", `${MAX_OF_SPONSOR} missions of this sponsor wait for their deposits`, {
        action: "pay for one of them first",
      });
    const sizeOf = ({ id }: Kept) => statSync(this.#itemsOf(id)).size;
    let [left, size] = [MAX_UNPAID - this.#unpaid().length, this.#unpaid().reduce((sum, kept) => sum + sizeOf(kept), bytes)];
    if (left > 0 && size <= MAX_BYTES) return;
    for (const kept of await this.#dispensable(coming)) {
      left += 1;
      size -= sizeOf(kept);
      this.#known.delete(kept.id);
      this.#unlooked.delete(kept.id);
      for (const path of [this.#pathOf(kept.id), this.#itemsOf(kept.id)]) if (existsSync(path)) rmSync(path);
      if (left > 0 && size <= MAX_BYTES) return;
    }
    throw new AgentCityError("TooManyPosted", "Too many missions wait for their deposits here", {
      action: "fund the sponsor's account with the deposit before posting, which takes precedence; or try again in some minutes",
    });
  }

  /** Unpaid missions that make room for this one, the first to go first. */
  async #dispensable(coming: Kept): Promise<readonly Kept[]> {
    const budgetOf = (kept: Kept) => this.#fileOf(kept).budget;
    // Transactions that are on their way find their mission.
    const unpaid = this.#unpaid().filter(({ id }) => !this.#paying.has(id));
    const asked = new Map<Address, bigint>();
    for (const kept of [...unpaid, coming]) asked.set(kept.sponsor, (asked.get(kept.sponsor) ?? 0n) + budgetOf(kept));
    const held = new Map(
      await Promise.all(
        [...asked].map(async ([sponsor, sum]) => [sponsor, (await this.#city.client.token.balanceOf(sponsor)) >= sum] as const),
      ),
    );
    const isHeld = ({ sponsor }: Kept) => held.get(sponsor) === true;
    const isOld = ({ posted }: Kept) => this.#options.millis() - posted >= MIN_STAY;
    const old = unpaid.filter(isOld);
    if (!isHeld(coming)) return old;
    const lesser = unpaid.filter((kept) => isHeld(kept) && budgetOf(kept) < budgetOf(coming));
    const byBudget = lesser.sort((a, b) => (budgetOf(a) < budgetOf(b) ? -1 : 1));
    return [...new Set([...unpaid.filter((kept) => !isHeld(kept)), ...old, ...byBudget])];
  }

  #keep(kept: Kept): void {
    const { paid } = kept;
    const plain = { ...kept, paid: paid === null ? null : { session: String(paid.session), block: String(paid.block) } };
    writeFileAtomic(this.#pathOf(kept.id), `${canonicalJson(plain)}\n`);
    this.#known.set(kept.id, kept);
  }

  #pathOf(id: Hash): string {
    return join(this.#folder, `${id}.json`);
  }

  #itemsOf(id: Hash): string {
    return join(this.#folder, `${id}.items.json`);
  }
}

/** An item as received from an external sponsor. */
export const itemSchema = z.record(z.string(), z.json()).and(z.object({ id: z.string().min(1).max(4_096) })) as z.ZodType<Item>;

function refused(why: string, action?: string): AgentCityError {
  return new AgentCityError("NotTaken", `This city does not take the mission: ${why}`, { action });
}
