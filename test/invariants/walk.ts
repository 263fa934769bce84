/** A walk: moves of all actors in random order, seeded, with every invariant watched. */

import { id, ZeroAddress, ZeroHash } from "ethers";
import type { RandomStream } from "../../orchestrator/primitives/random.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { ethers, networkHelpers, stillTime } from "../support/city-fixture.ts";
import { State } from "../support/legislature.ts";
import { Action, MissionState, NodeState } from "../support/mission-fixture.ts";
import { panelOver } from "../support/panel.ts";
import { sessionMoves } from "../support/session-moves.ts";
import { attackers, ordersIn, showAgain } from "./actors/attackers.ts";
import { citizenMoves } from "./actors/citizens.ts";
import { BRANCHES, childOf, close, delegate } from "./actors/descent.ts";
import { EXECUTORS } from "./actors/executors.ts";
import { act, appeal, GOVERNANCE, HUMANS } from "./actors/humans.ts";
import { bidOnPool, POOLS } from "./actors/pools.ts";
import { VERIFIERS } from "./actors/verifiers.ts";
import { TIME, WATCH } from "./actors/watch.ts";
import { Chronicle, type Sent, text } from "./chronicle.ts";
import type { FuzzMission } from "./fuzz-mission.ts";
import { Ghost } from "./ghost.ts";
import { type CityMove, type NodeMove, tried, weighted } from "./move.ts";
import type { Rule } from "./rule.ts";
import { EVIDENCE } from "./rules/evidence.ts";
import { MONEY } from "./rules/money.ts";
import { PEOPLE } from "./rules/people.ts";
import { PROGRESS } from "./rules/progress.ts";
import { SESSIONS } from "./rules/sessions.ts";
import { takeSnapshot } from "./snapshot.ts";
import { BALLOT, BILLS, type NamedBill, openWorld, type World } from "./world.ts";

const RULES: readonly Rule[] = [...PROGRESS, ...EVIDENCE, ...MONEY, ...SESSIONS, ...PEOPLE];
const NODE_MOVES: readonly NodeMove[] = [...EXECUTORS, ...POOLS, ...VERIFIERS, ...WATCH, ...HUMANS];
const MAX_SESSIONS = 6;
const MAX_MISSIONS = 4;
const DELIBERATING = BigInt(State.DELIBERATING);
/** Every event is judged; the state is read after every fourth step, and at the end. */
const BETWEEN_LOOKS = 4;
/** A broken invariant stays broken: the first reports are those that matter. */
const ENOUGH = 5;

/** What the walks found, by invariant. */
export class Findings {
  readonly broken = new Map<number, string[]>();
  /** How often an invariant was put to the test. */
  readonly trials = new Map<number, number>();
  /** Moves that were taken at least once. */
  readonly taken = new Map<string, number>();
  /** Answers without a name, and events nobody can explain. */
  readonly oddities: string[] = [];

  judge(invariant: number, holds: boolean, broken: () => string): void {
    this.trials.set(invariant, (this.trials.get(invariant) ?? 0) + 1);
    const known = this.broken.get(invariant) ?? [];
    if (!holds && known.length < ENOUGH) this.broken.set(invariant, [...known, broken()]);
  }
}

async function start(mission: FuzzMission, node: number): Promise<void> {
  mission.honest = true;
  await mission.route(node);
  await mission.work(node);
  mission.honest = false;
}

async function finish(mission: FuzzMission, node: number): Promise<void> {
  await start(mission, node);
  await mission.clear(node);
}

/** How a walk begins: what lies behind it when it sets out, and which law nobody should have been able to make. */
const BEGINNINGS: readonly ((world: World) => Promise<unknown>)[] = [
  async (world) => {
    await tried(() => world.enact(BILLS.overdrawn));
    await world.legislation.connect(world.sponsor).cancel(await world.steps.open());
    const mission = await world.enact(BILLS.graph);
    await mission.awardAll();
  },
  async (world) => {
    await tried(() => world.enact(BILLS.pair, { voters: 4 }));
    const mission = await world.enact(BILLS.market);
    for (const node of [0, 1, 2]) await bidOnPool(mission, node, node, world);
  },
  async (world) => {
    await tried(() => world.enact(BILLS.pair, { sponsors: 2 }));
    await tried(() => world.enact(BILLS.pair, { suspects: 3 }));
    const mission = await world.enact(BILLS.pair);
    await mission.awardAll();
    await finish(mission, 0);
    // A bid that lost is shown again in the market after its own: nothing but its nonce is against it.
    const reopened = await world.enact(BILLS.market);
    const bids = [await reopened.bid(0, 0), await reopened.bid(0, 1)];
    await reopened.closeMarket();
    await world.execution.award(reopened.address, [0]);
    await reopened.route(0);
    await networkHelpers.time.increase(1_800);
    await reopened.contract.timeout(0);
    await reopened.contract.reopen(0);
    for (const { to, data } of bids) {
      const taken = await tried(() => world.stranger.call({ to, data }));
      world.trial(24, !taken, () => "a bid was taken in the market after its own");
    }
  },
  async (world) => {
    const mission = await world.enact(BILLS.graph);
    await mission.awardAll();
    await finish(mission, 0);
    // Three executors are at work when somebody stops them.
    await mission.route(1);
    await mission.contract.connect(mission.city.monitor).report(1, ZeroHash, 1);
  },
  async (world) => {
    const vetoed = await world.enact(BILLS.pair);
    await vetoed.awardAll();
    const halted = await world.enact(BILLS.pair);
    await halted.awardAll();
    await finish(vetoed, 0);
    await world.say("NO");
    // The first mission's output is vetoed, and the second one's first node.
    await finish(vetoed, 1);
    await finish(halted, 0);
  },
  async (world) => {
    const mission = await world.enact(BILLS.tree);
    for (const worker of [0, 1, 2]) await mission.bid(0, worker);
    await delegate(mission, 1);
    const child = await world.enactChild(await world.legislation.sessionCount());
    await child.awardAll();
    await finish(child, 0);
    // A part of the money is spent when the first child is given up.
    await child.override(Action.TERMINATE_MISSION, 0);
    await close(await childOf(mission, 1, world));
    await mission.contract.record(1);
    await mission.contract.reopen(1);
    await world.execution.award(mission.address, [0]);
    await finish(mission, 0);
  },
  async (world) => {
    const mission = await world.enact(BILLS.market);
    await mission.awardAll();
    // All that can be wrong with evidence, before a panel that asks nothing.
    for (const [node, flaw] of [
      [2, 0],
      [3, 1],
      [4, 2],
      [5, 3],
      [6, 5],
    ] as const) {
      mission.flaw = flaw;
      await tried(async () => {
        await start(mission, node);
        const { all } = await mission.bases(node);
        await mission.clear(node, { basis: all, reckless: true });
      });
    }
    mission.flaw = undefined;
    // Good work, and a human who asks for no proof of it.
    await finish(mission, 0);
    await tried(async () => act(mission, 0, world, Action.APPROVE_POP, await mission.approval(0, 10_000, [])));
    // Praise beyond all measure.
    for (const { address } of world.voters.slice(-1)) await world.producers.adjustReputation(address, 2000, id("praise"));
    // A payment that waits for its window, and then for an appeal.
    await finish(mission, 1);
    await appeal(mission, 1, world);
    await networkHelpers.time.increase(3600);
    await tried(() => mission.contract.claim([1]));
  },
];

/** How every walk ends: two adjudicators strike as many voters as they can, before and after two thirds of the seats strike one. */
async function strikeVoters(world: World): Promise<void> {
  const { seats, act, wide } = panelOver(world, world.adjudicators, await world.probe(1));
  for (const [index, { address }] of world.voters.entries()) {
    if (index === 6) await networkHelpers.time.increase(4 * 86_400);
    await tried(async () => act(await wide("SLASH", address, 0n, true), ...seats.slice(0, index === 4 ? 5 : 2)));
  }
}

class Walk {
  readonly #world: World;
  readonly #findings: Findings;
  readonly #random: RandomStream;
  readonly #chronicle: Chronicle;
  readonly #ghost: Ghost;
  readonly #past: Sent[] = [];
  readonly #name: string;
  readonly #cityMoves: readonly CityMove[];
  readonly #rules: readonly Rule[];
  readonly #looks: boolean;
  #moved = "the beginning";

  constructor(world: World, clone: FuzzMission["contract"]["interface"], findings: Findings, name: string, rules: readonly Rule[]) {
    this.#world = world;
    this.#findings = findings;
    this.#random = world.random.fork("moves");
    this.#chronicle = new Chronicle(world, clone);
    this.#ghost = new Ghost(world.bills);
    this.#name = name;
    this.#rules = rules;
    this.#looks = rules.some(({ always }) => always !== undefined);
    this.#cityMoves = [...attackers(this.#chronicle, this.#past), ...GOVERNANCE, ...TIME];
    world.trial = (invariant, holds, broken) => this.#judge(invariant, holds, broken);
  }

  #judge(invariant: number, holds: boolean, broken: () => string): void {
    this.#findings.judge(invariant, holds, () => `${this.#name}, ${this.#moved}: ${broken()}`);
  }

  async step(index: number): Promise<void> {
    const dice = this.#random.int(20);
    const [name, move] = dice < 12 ? await this.#nodeMove() : dice < 16 ? await this.#sessionMove() : this.#cityMove();
    this.#moved = `step ${index}, ${name}`;
    await this.soberly(async () => {
      if (await tried(move)) this.#findings.taken.set(name, (this.#findings.taken.get(name) ?? 0) + 1);
    });
    const before = this.#past.length;
    await this.listen();
    // Nothing else refuses it yet: no deadline, no later stage.
    const [order] = ordersIn(this.#past.slice(before), this.#chronicle, this.#world).slice(-1);
    if (order !== undefined) await this.soberly(() => showAgain(this.#world, this.#chronicle, order));
    if (index % BETWEEN_LOOKS === 0) await this.look();
  }

  /** What happened, one by one, against what was known. */
  async listen(): Promise<void> {
    for (const tx of await this.#chronicle.read()) {
      this.#past.push(tx);
      const approved = tx.events.find(({ at, name }) => at === "LEGISLATION" && name === "Approved");
      if (approved !== undefined) {
        await this.#adopt(text(approved, "mission"), text(approved, "specHash"));
        await this.#judgeEvent(approved);
      }
      for (const event of tx.events) if (event !== approved) await this.#judgeEvent(event);
    }
  }

  /** The state, against what was heard. */
  async look(): Promise<void> {
    if (!this.#looks) return;
    const snapshot = await takeSnapshot(this.#world, this.#ghost);
    for (const { invariant, always } of this.#rules) await this.soberly(() => always?.(snapshot, this.#context(invariant)));
  }

  /** What cannot be explained is noted, and does not keep the walk from finding more. */
  async soberly(action: () => unknown): Promise<void> {
    try {
      await action();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (this.#findings.oddities.length < ENOUGH) this.#findings.oddities.push(`${this.#name}, ${this.#moved}: ${message}`);
    }
  }

  async #judgeEvent(event: Sent["events"][number]): Promise<void> {
    // Missions that no session made are other tests'.
    if (event.at === "MISSION" && this.#chronicle.nameOf(event.address) === "") return;
    for (const { invariant, on } of this.#rules) await this.soberly(() => on?.(event, this.#context(invariant)));
    await this.soberly(() => this.#ghost.fold(event));
  }

  #context(invariant: number) {
    return {
      world: this.#world,
      chronicle: this.#chronicle,
      ghost: this.#ghost,
      require: (holds: boolean, broken: () => string) => this.#judge(invariant, holds, broken),
    };
  }

  async #adopt(address: string, specHash: string): Promise<void> {
    if (this.#world.missions.some((mission) => mission.address === address)) return;
    const bill: NamedBill | undefined = this.#world.bills.find((one) => one.specHash === specHash);
    if (bill === undefined) throw new Error(`nobody drafted ${specHash}`);
    await this.#world.adopt(address, bill);
  }

  async #nodeMove(): Promise<[string, () => Promise<unknown>]> {
    const mission = await this.#aMission();
    if (mission === undefined) return ["a new mission", () => this.#found()];
    let node = this.#random.int(mission.nodes.length);
    let state = await mission.stateOf(node);
    // Rather a node where something is going on.
    for (let tries = 0; tries < 2 && (state === NodeState.WAITING || state === NodeState.COMPLETED); tries++) {
      node = this.#random.int(mission.nodes.length);
      state = await mission.stateOf(node);
    }
    const moves = mission.node(node).leaf ? NODE_MOVES : BRANCHES;
    const fitting = moves.filter(({ suits }) => suits.includes(state));
    const apt = this.#random.int(6) > 0 && fitting.length > 0 ? fitting : NODE_MOVES;
    const { name, act } = weighted(apt, this.#random);
    return [name, () => act(mission, node, this.#world)];
  }

  /** Rather one that runs; nothing when none does and there may be more. */
  async #aMission(): Promise<FuzzMission | undefined> {
    const { missions } = this.#world;
    const running: FuzzMission[] = [];
    for (const mission of missions) {
      const state = await mission.contract.state();
      if (state === MissionState.ACTIVE || state === MissionState.EXECUTING) running.push(mission);
    }
    if (this.#random.int(4) === 0) return this.#random.pick(missions);
    if (running.length > 0) return this.#random.pick(running);
    return missions.length < MAX_MISSIONS ? undefined : this.#random.pick(missions);
  }

  async #found(): Promise<void> {
    const mission = await this.#world.enact(this.#random.pick([BILLS.graph, BILLS.pair, BILLS.market, BILLS.tree]));
    if (this.#random.int(4) > 0) await mission.awardAll();
  }

  async #sessionMove(): Promise<[string, () => Promise<unknown>]> {
    const { legislation } = this.#world;
    const { all, onward } = sessionMoves(this.#world, this.#random, BALLOT);
    const citizens = citizenMoves(this.#world);
    const count = await legislation.sessionCount();
    const older = BigInt(this.#random.int(3) === 0 ? 1 : 0);
    const session = count > older ? count - older : count;
    const { state } = await legislation.sessionOf(session);
    const fitting = [...(onward[Number(state)] ?? []), ...(citizens.fitting[Number(state)] ?? [])];
    const open = all[0];
    if (onward[Number(state)] === undefined && state !== DELIBERATING && count < MAX_SESSIONS && open !== undefined) {
      return this.#random.int(3) === 0 ? ["petition", () => citizens.petition(session)] : ["open a session", () => open(session)];
    }
    const rest = [...all.slice(1), ...citizens.all];
    const move = this.#random.pick(this.#random.int(4) === 0 || fitting.length === 0 ? rest : fitting);
    return ["session", () => move(session)];
  }

  #cityMove(): [string, () => Promise<unknown>] {
    const { name, act } = weighted(this.#cityMoves, this.#random);
    return [name, () => act(this.#world)];
  }
}

/**
 * Walks from each seed; what is found is collected, so that each invariant can be asked about by itself. If one is `sought`, the others
 * are not watched (rules only read, so the moves are the same), and its first break ends the walk.
 */
export async function walk(seeds: readonly number[], steps: number, sought?: number): Promise<Findings> {
  const findings = new Findings();
  const letTimeGo = stillTime();
  try {
    for (const seed of seeds) if (!found(findings, sought)) await walkOnce(seed, steps, findings, sought);
  } finally {
    letTimeGo();
  }
  return findings;
}

const found = (findings: Findings, sought: number | undefined): boolean => sought !== undefined && findings.broken.has(sought);

async function walkOnce(seed: number, steps: number, findings: Findings, sought: number | undefined): Promise<void> {
  const world = await openWorld(randomStream(seed, "invariants"));
  const { interface: clone } = await ethers.getContractAt("CollaborationContract", ZeroAddress);
  const rules = RULES.filter(({ invariant }) => sought === undefined || invariant === sought);
  const journey = new Walk(world, clone, findings, `seed ${seed}`, rules);
  await journey.soberly(() => BEGINNINGS[seed % BEGINNINGS.length]?.(world));
  await journey.listen();
  // Where no law could be made there is nowhere to go, but something to see.
  const most = world.missions.length === 0 ? 0 : steps;
  for (let step = 0; step < most && !found(findings, sought); step++) await journey.step(step);
  await journey.soberly(() => strikeVoters(world));
  await journey.listen();
  await journey.look();
}
