/** Structural and Full: sessions, markets, work and sanctions are transactions of the contracts, whose state is authoritative. */
import { concat, keccak256, numberToHex, zeroHash } from "viem";
import type { Hash } from "../primitives/hex.ts";
import { type RandomStream, randomStream } from "../primitives/random.ts";
import { encodeActionData } from "../protocol/actions.ts";
import { leastPrice, lockCost, reputationFactor } from "../rules/deterrence.ts";
import type { Agent } from "./agents.ts";
import { chooseWork, costOf, type Prospect, type Situation } from "./behaviour.ts";
import { auditMission } from "./law/audit.ts";
import { foundEconomy, type GovernedCity, type PortsMaker, ROUND, type Ruling } from "./law/city.ts";
import { COLD_START, RULE_NAMES, type Rules } from "./law/rules.ts";
import { holdSession, mayBid, requirementOf, type SessionFigures, titleOf } from "./law/session.ts";
import { MissionWork, type Offer } from "./law/work.ts";
import { matchOf, type Task } from "./milestone.ts";
import type {
  Alert,
  Assignment,
  Change,
  Commons,
  GovernanceFigures,
  Harvested,
  MilestoneEnd,
  MissionFigures,
  Order,
  RoundAccount,
  Say,
} from "./order.ts";
import { type EconomyParameters, shockScale } from "./parameters.ts";
import { beliefOf, watch } from "./peers.ts";
import { gini } from "./statistics/description.ts";

/** Tokens, and points of reputation. */
const STAKE = 150;
const WARNING = -10n;
const SLASH = 50;
const BLAME = 100;
const FEES = { protocol: 0.02, insurance: 0.01 } as const;
const ALPHA = 0.5;
/** A stake is locked for a working day at a tenth a year, as in the paper's table S1. */
const LOCKING = lockCost(STAKE, 0.1, 8 / 24);
/** Average number of bids per task, and minimum number of bids per agent. */
const BIDS = 6;
const MIN_BIDS = 2;
const CONFIDENCE_KEPT = 0.8;
/** A law ends one round before its milestone, so that its mission can be ended and its records anchored. */
const LAST = 1;
/** Minimum remaining rounds of a law: one for work, one for its review. */
const MIN_ROUNDS = 2;

interface Heard {
  reviewed: number;
  failed: number;
  reports: number;
  breaches: number;
}
const nothing = (): Heard => ({ reviewed: 0, failed: 0, reports: 0, breaches: 0 });
/** Income and spending of the treasury, tokens. */
type Sides = readonly [inflow: number, outflow: number];
const tokens = (amount: number): number => Math.round(amount * 100) / 100;
const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** Probability that at least half of a panel rejects unsound work, so that it does not pass. */
export function caughtBy(panel: number, notices: number): number {
  let chance = 0;
  let ways = 1;
  for (let found = 0; found <= panel; found++) {
    if (2 * found >= panel) chance += ways * notices ** found * (1 - notices) ** (panel - found);
    ways = (ways * (panel - found)) / (found + 1);
  }
  return chance;
}

/** A bloc as the Regulator shows it to the adjudicators. */
function blocAlert({ round, electorate, candidates, rules }: SessionFigures, members: number): Alert {
  const outcome = rules === null ? "no law came of it" : `the law that won: ${titleOf(rules)}`;
  const facts = `${members} of ${electorate} voters ranked ${candidates} laws more alike than voters do who decide alone; ${outcome}.`;
  return { round, kind: "bloc", facts, answer: "freeze" };
}

export class Governed implements Order {
  readonly certifiesAtOnce = false;
  readonly #city: GovernedCity;
  readonly #world: EconomyParameters;
  readonly #isFull: boolean;
  readonly #began: bigint;
  readonly #sessions: SessionFigures[] = [];
  readonly #confidence: number[] = [];
  readonly #counts: Record<string, number> = {};
  /** Number of an agent's detected breaches. */
  readonly #breaches = new Map<Agent, number>();
  readonly #frozen = new Set<Agent>();
  readonly #corrected = new Set<Agent>();
  readonly #treasury = { fees: 0, slashed: 0, premiums: 0 };
  readonly #missions: MissionFigures[] = [];
  readonly #alerts: Alert[] = [];
  /** Randomly drawn milestone from which on the next ended mission is audited. */
  readonly #sampled: number;
  #audit: GovernanceFigures["audit"];
  /** Tasks of the milestone that went to an adjudicator. */
  readonly #alerted = new Set<Task>();
  /** The treasury's income and spending before the milestone. */
  #balanced: Sides = [0, 0];
  #bloc: readonly Agent[] = [];
  #absent = new Set<Agent>();
  #present: readonly Agent[];
  #mission: MissionWork | undefined;
  #rules: Rules = COLD_START;
  #announced = 1;
  #heard = nothing();
  #roots: Hash[] = [];
  #sanctions = 0;
  #counted: number;

  private constructor(city: GovernedCity, isFull: boolean, present: readonly Agent[], world: EconomyParameters, sampled: number) {
    this.#city = city;
    this.#sampled = sampled;
    this.#isFull = isFull;
    this.#present = present;
    this.#world = world;
    this.#began = city.chain.clock.now();
    this.#counted = city.founding;
    city.sender.watch((receipt) => {
      for (const { args } of city.client.agents.events(receipt, "StakeSlashed")) {
        this.#treasury.slashed += Number(args.amount) / 1e6;
        this.#sanctions += 1;
      }
    });
  }

  static async found(
    configuration: "structural" | "full",
    present: readonly Agent[],
    seed: number,
    world: EconomyParameters,
    ports?: PortsMaker,
  ): Promise<Governed> {
    const scale = shockScale(present.length, world);
    const later = Math.max(1, Math.round(world.shock.freeRiders * scale)) + Math.max(1, Math.round(world.shock.bloc * scale));
    const city = await foundEconomy(configuration, present, { seed, later, ports });
    const sampled = randomStream(seed, "economy", "sampled").int(Math.max(1, world.rounds / world.milestoneRounds));
    return new Governed(city, configuration === "full", present, world, sampled);
  }

  // --- What agents believe --------------------------------------------------------------------------------------------

  prospect(agent: Agent): Prospect {
    const { peers, lieFound } = this.#world;
    const isWarned = this.#isFull && (this.#breaches.get(agent) ?? 0) > 0;
    return { belief: beliefOf(agent, this.#announced), sanction: isWarned ? SLASH : 0, found: 1 - (1 - lieFound) ** peers };
  }

  norm(quota: number): number {
    return this.#rules.limit * quota;
  }

  async standings(present: readonly Agent[]): Promise<ReadonlyMap<Agent, number>> {
    return new Map(present.map((agent) => [agent, this.#city.reputationOf(agent)]));
  }

  // --- A round --------------------------------------------------------------------------------------------------------

  async talk(commons: Commons, say: Say): Promise<void> {
    const { round, present, world, tasks } = commons;
    this.#present = present;
    await this.#city.until(this.#began + ROUND * BigInt(round));
    const since = round % world.milestoneRounds;
    const left = world.milestoneRounds - since - LAST;
    if (since !== 0 && (this.#mission !== undefined || left < MIN_ROUNDS)) return this.#rebid(commons, say);
    await this.#legislate(commons, left, since !== 0);
    if (this.#mission !== undefined) await this.#mission.market(tasks, this.#offers(this.#mission, tasks, commons, say));
  }

  /** Opened by the foundation at the start of a milestone; without a law, by agents that want one. */
  async #legislate({ round, pool, present, world, tasks, chance }: Commons, left: number, byPetition: boolean): Promise<void> {
    const { reviewed, failed, reports, breaches } = this.#heard;
    const after: Situation = { pool: pool.level / pool.capacity, failed: share(failed, reviewed), breaches: share(breaches, reports) };
    const frozen = [...this.#frozen];
    const electors = present.filter((agent) => !this.#frozen.has(agent));
    const willing = () => chance("petition").shuffle(electors.filter((agent) => !this.#absent.has(agent)));
    const held = await holdSession(this.#city, {
      round,
      tasks,
      funding: this.#funding(tasks.length),
      electors,
      absent: this.#absent,
      bloc: this.#bloc.filter((agent) => present.includes(agent) && !this.#frozen.has(agent) && !this.#corrected.has(agent)),
      before: (agent) => ({ pool: after.pool, failed: 0, breaches: 1 - agent.seen }),
      after,
      open: RULE_NAMES.filter((name) => name !== "read" || this.#isFull),
      adjudicates: this.#isFull,
      chance: (purpose) => chance(`session ${purpose}`),
      duration: left * Number(ROUND),
      drafts: world.drafts,
      ...(byPetition ? { petitioners: willing() } : {}),
    });
    if (held === undefined) return;
    const { enacted, figures, flagged } = held;
    this.#announced = share(present.filter(({ persona }) => persona !== "adversarial").length, present.length);
    // Observations count until they lead to a law.
    if (enacted !== undefined) this.#heard = nothing();
    await this.#city.rule(frozen.map((agent) => this.#freeze(agent, false, `round ${round}: over`)));
    this.#sessions.push(figures);
    for (const agent of flagged) this.#corrected.add(agent);
    if (flagged.length > 0) this.#alerts.push(blocAlert(figures, flagged.length));
    await this.#city.rule(flagged.map((agent) => this.#freeze(agent, true, `round ${round}: voted alike`)));
    this.#rules = enacted?.rules ?? this.#rules;
    if (enacted !== undefined) this.#mission = new MissionWork(this.#city, enacted, tasks);
  }

  /** Tokens for a milestone: in Full in proportion to the foundation's confidence. */
  #funding(tasks: number): number {
    return this.#world.price * tasks * (this.#isFull ? (this.#confidence.at(-1) ?? 1) : 1);
  }

  /** Reopens failed tasks, and those without bids. */
  async #rebid(commons: Commons, say: Say): Promise<void> {
    const mission = this.#mission;
    if (mission === undefined) return;
    const offers = this.#offers(mission, mission.vacant, commons, say);
    const wanted = new Set(offers.map(({ task }) => task));
    const opened = await mission.reopen([...wanted].sort((one, other) => one.id - other.id));
    await mission.market(
      opened,
      offers.filter(({ task }) => opened.includes(task)),
    );
  }

  /** Agents willing to do each of these tasks, with prices; each bids for those with the highest utility. */
  #offers(mission: MissionWork, tasks: readonly Task[], { present, world, chance }: Commons, say: Say): Offer[] {
    const most = Math.max(MIN_BIDS, Math.ceil((BIDS * tasks.length) / present.length));
    const lot = chance("bids");
    const offered: { readonly place: number; readonly offer: Offer }[] = [];
    for (const agent of present) {
      const place = lot.next();
      if (this.#frozen.has(agent)) continue;
      const wanted = tasks.flatMap((task) => {
        if (mission.isBarred(task, agent) || !mayBid(agent, requirementOf(task, mission.rules.demand))) return [];
        const match = matchOf(agent.capabilities, task);
        const { effort, worth } = chooseWork(agent, match, this.#expectedLoss(mission), {
          ...world,
          price: this.#income(agent, mission.price),
        });
        if (effort === "none") return [];
        // Among tasks of equal value every agent starts at another one.
        const turn = (task.id / tasks.length + place) % 1;
        return [{ agent, task, effort, price: this.#asking(agent, match, effort, mission.price), worth, turn }];
      });
      const best = wanted.sort((one, other) => other.worth - one.worth || one.turn - other.turn).slice(0, most);
      for (const [place, { worth: _worth, turn: _turn, ...offer }] of best.entries()) offered.push({ place, offer });
    }
    // All first choices are signed before any second choice.
    const offers = mission.best(offered.sort((one, other) => one.place - other.place).map(({ offer }) => offer));
    for (const { agent } of offers) say(agent, !this.#city.overclaims(agent));
    return offers;
  }

  /** Expected cost of pretended work: its price, and in Full the stake. */
  #expectedLoss(mission: MissionWork): number {
    return caughtBy(mission.rules.panel, this.#world.reviewerNotices) * (mission.price + (this.#isFull ? STAKE : 0));
  }

  /** Value of a price after fees and reputation. */
  #income(agent: Agent, price: number): number {
    return this.#isFull ? price * (1 - FEES.protocol - FEES.insurance) * this.#psi(agent) : price;
  }

  #psi(agent: Agent): number {
    return reputationFactor(this.#city.reputationOf(agent), ALPHA);
  }

  /** Midway between the price of EQ-10 and the budget; without money there is one price. */
  #asking(agent: Agent, match: number, effort: Offer["effort"], budget: number): number {
    if (!this.#isFull) return budget;
    const least = leastPrice(LOCKING, effort === "real" ? costOf(agent, match) : 0, FEES, this.#psi(agent));
    return Math.min(budget, (Math.min(least, budget) + budget) / 2);
  }

  async assign(tasks: readonly Task[], { present }: Commons, say: Say): Promise<Assignment[]> {
    const mission = this.#mission;
    if (mission === undefined) return [];
    const here = new Set(present);
    const busy = new Set<Agent>();
    const taken: Assignment[] = [];
    const left: Task[] = [];
    for (const task of tasks) {
      const bound = mission.boundTo(task);
      if (bound === undefined) continue;
      const { agent, effort } = bound;
      if (!here.has(agent) || this.#frozen.has(agent)) left.push(task);
      else if (!busy.has(agent)) {
        busy.add(agent);
        taken.push({ task, agent, effort });
      }
    }
    await mission.hand(taken.map(({ task }) => task));
    await mission.release(left);
    for (const { agent, effort } of taken) say(agent, effort === "real");
    return taken;
  }

  async review(tasks: readonly Task[], { chance, world, round }: Commons): Promise<Map<Task, number>> {
    const mission = this.#mission;
    if (mission === undefined) return new Map();
    const lots = new Map<Task, RandomStream>(tasks.map((task) => [task, chance(`review ${task.id}`)]));
    const rulings = await mission.clear(
      tasks,
      (task) => task.quality < world.sound && (lots.get(task)?.next() ?? 1) < world.reviewerNotices,
    );
    const passed: Task[] = [];
    const expired: Task[] = [];
    for (const [task, ruling] of rulings) {
      if (ruling === "passed") passed.push(task);
      else if (ruling === "failed") continue;
      else if (!this.#isFull) expired.push(task);
      else {
        this.#alerted.add(task);
        const approves = await mission.rule(task);
        if (approves) passed.push(task);
        const why = ruling === "read" ? "the law has every output read" : `its panel of ${mission.rules.panel} was divided`;
        const facts = `Task ${task.id}: ${why}. Its quality is ${task.quality.toFixed(2)} of 1; sound work has ${world.sound.toFixed(2)}.`;
        this.#alerts.push({ round, kind: "work", facts, answer: approves ? "approve" : "reject" });
      }
    }
    await mission.expire(expired);
    this.#heard.reviewed += tasks.length;
    this.#heard.failed += tasks.length - passed.length;
    if (!this.#isFull) return new Map(passed.map((task) => [task, world.price]));
    const { paid, slashed, premiums } = await mission.settle(passed);
    for (const [agent, amount] of slashed) agent.wealth -= amount;
    this.#treasury.premiums += premiums;
    this.#count("work slashed", slashed.size);
    return paid;
  }

  async remember(harvested: readonly Harvested[], commons: Commons): Promise<void> {
    const norm = this.norm(commons.quota);
    const breached = watch(harvested, norm, this.#announced, commons);
    this.#heard.reports += harvested.length;
    this.#heard.breaches += breached.size;
    this.#roots.push(
      keccak256(
        concat(
          harvested.map(({ agent, choice }) => {
            const said = choice.truthful ? choice.amount : Math.min(choice.amount, norm);
            return concat([numberToHex(agent.id, { size: 4 }), numberToHex(Math.round(said * 1e6), { size: 8 })]);
          }),
        ),
      ),
    );
    if (!this.#isFull) return;
    const found = [...breached].sort((one, other) => one.id - other.id);
    await this.#city.rule(found.flatMap((agent) => this.#punish(agent, commons.round)));
  }

  // --- Sanctions ------------------------------------------------------------------------------------------------------

  /** A warning, then a slash, then also a freeze. */
  #punish(agent: Agent, round: number): Ruling[] {
    const before = this.#breaches.get(agent) ?? 0;
    this.#breaches.set(agent, before + 1);
    const facts = `Agent ${agent.id} was seen taking more than the law allows. Times before: ${before}. Its principal is ${this.#frozen.has(agent) ? "" : "not "}frozen.`;
    const answer = before === 0 ? "warning" : before > 1 && !this.#frozen.has(agent) ? "freeze" : "slash";
    this.#alerts.push({ round, kind: "breach", facts, answer });
    const { address } = this.#city.residentOf(agent).member.account;
    const about = `round ${round}: agent ${agent.id} took more than the law allows`;
    if (answer === "warning") {
      this.#sanctions += 1;
      this.#count("warning", 1);
      return [{ action: "ADJUST_REPUTATION", target: address, data: encodeActionData("ADJUST_REPUTATION", [WARNING]), about }];
    }
    const slash = this.#slash(agent, SLASH, about);
    return answer === "freeze" ? [slash, this.#freeze(agent, true, about)] : [slash];
  }

  #slash(agent: Agent, tokens: number, about: string): Ruling {
    agent.wealth -= tokens;
    this.#count("slash", 1);
    const { address } = this.#city.residentOf(agent).member.account;
    return { action: "SLASH", target: address, data: encodeActionData("SLASH", [BigInt(tokens) * 1_000_000n, false]), about };
  }

  #freeze(agent: Agent, frozen: boolean, about: string): Ruling {
    if (frozen) {
      this.#frozen.add(agent);
      this.#sanctions += 1;
      this.#count("freeze", 1);
    } else this.#frozen.delete(agent);
    const { address } = this.#city.residentOf(agent).principal.account;
    return {
      action: "FREEZE_PRINCIPAL",
      target: address,
      data: encodeActionData("FREEZE_PRINCIPAL", [frozen]),
      about: `${about}: agent ${agent.id}`,
    };
  }

  #count(kind: string, times: number): void {
    this.#counts[kind] = (this.#counts[kind] ?? 0) + times;
  }

  // --- Comings, goings, endings ---------------------------------------------------------------------------------------

  async change({ leaving, joining, bloc, blamed }: Change): Promise<void> {
    await this.#city.admit(joining);
    await this.#city.dismiss(leaving);
    this.#bloc = bloc;
    this.#absent = new Set(joining.filter((agent) => !bloc.includes(agent)));
    if (this.#isFull && blamed !== undefined)
      await this.#city.rule([this.#slash(blamed, BLAME, `an output of agent ${blamed.id} failed its audit`)]);
  }

  async ended({ milestone, completed, certified, sound }: MilestoneEnd): Promise<void> {
    if (this.#mission !== undefined) await this.#close(this.#mission, milestone);
    this.#mission = undefined;
    this.#alerted.clear();
    this.#roots = [];
    if (!this.#isFull) return;
    // The contract pays at most the foundation's amount, since burnt money is always within the plan.
    const pleased = ((completed ? 1 : 0) + share(sound, certified) + 1) / 3;
    const before = this.#confidence.at(-1) ?? 1;
    this.#confidence.push(CONFIDENCE_KEPT * before + (1 - CONFIDENCE_KEPT) * pleased);
  }

  async #close(mission: MissionWork, milestone: number): Promise<void> {
    this.#treasury.fees += await mission.close(keccak256(concat([zeroHash, ...this.#roots])), this.#isFull);
    const { ccr, aru } = await mission.measure();
    const sides: Sides = [this.#treasury.fees + this.#treasury.slashed / 2, this.#treasury.premiums];
    const [taken, paid] = this.#balanced;
    this.#balanced = sides;
    const recovered = [...this.#alerted].filter(({ state }) => state === "certified").length;
    this.#missions.push({
      milestone,
      ccr: [ccr.part, ccr.whole],
      aru: [aru.part, aru.whole],
      alerts: [recovered, this.#alerted.size],
      treasury: [tokens(sides[0] - taken), tokens(sides[1] - paid)],
    });
    if (this.#audit === undefined && milestone >= this.#sampled)
      this.#audit = { milestone, ...(await auditMission(this.#city, mission.enacted, mission.tasks)) };
  }

  account(): RoundAccount {
    const { used } = this.#city.sender;
    const gas = used.slice(this.#counted).reduce((sum, one) => sum + one.gas, 0);
    this.#counted = used.length;
    const sanctions = this.#sanctions;
    this.#sanctions = 0;
    const reputation = gini(this.#present.map((agent) => this.#city.reputationOf(agent)));
    return { sanctions, gas, reputation: Math.round(reputation * 1e6) / 1e6 };
  }

  record(): GovernanceFigures {
    const names = new Map(Object.entries(this.#city.client.addresses).map(([name, address]) => [String(address).toLowerCase(), name]));
    const used = this.#city.sender.used.slice(this.#city.founding);
    const gas: Record<string, number> = {};
    for (const one of used) {
      const name = `${names.get(one.to?.toLowerCase() ?? "") ?? "CollaborationContract"}.${one.what}`;
      gas[name] = (gas[name] ?? 0) + one.gas;
    }
    return {
      sessions: this.#sessions,
      confidence: this.#confidence.map((value) => Math.round(value * 1e6) / 1e6),
      missions: this.#missions,
      alerts: this.#alerts,
      audit: this.#audit,
      sanctions: this.#counts,
      transactions: used.length,
      gas: Object.fromEntries(Object.entries(gas).sort(([one], [other]) => (one < other ? -1 : 1))),
      treasury: {
        fees: Math.round(this.#treasury.fees),
        slashed: Math.round(this.#treasury.slashed),
        premiums: Math.round(this.#treasury.premiums),
      },
    };
  }

  get city(): GovernedCity {
    return this.#city;
  }

  close(): Promise<void> {
    return this.#city.close();
  }
}
