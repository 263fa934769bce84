/** One run: rounds of an economy, from a seed. The same seed gives the same figures on every machine. */
import { randomStream } from "../primitives/random.ts";
import { type Agent, agentOf, population } from "./agents.ts";
import { chooseHarvest, costOf } from "./behaviour.ts";
import { normal } from "./draws.ts";
import { Emergent } from "./emergent.ts";
import { Governed } from "./governed.ts";
import type { GovernedCity, PortsMaker } from "./law/city.ts";
import { eligible, matchOf, milestoneGraph, outputOf, propagation, type Task } from "./milestone.ts";
import { type Calls, ModelMinds, type ModelSettings } from "./model.ts";
import { Baseline, type Commons, type GovernanceFigures, type Harvested, type Order } from "./order.ts";
import { type Configuration, ECONOMY, type EconomyParameters, PERSONA_NAMES, type PersonaName, shockScale } from "./parameters.ts";
import { harvest, type Pool, sustainable } from "./pool.ts";
import { gini } from "./statistics/description.ts";

export interface RunSettings {
  readonly configuration: Configuration;
  readonly agents: number;
  readonly seed: number;
  readonly world?: EconomyParameters;
  /** A chat model for some personas, with access to its key. */
  readonly model?: ModelSettings | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Structural and Full: another chain and another transport. */
  readonly ports?: PortsMaker;
  /** Called before the first round. */
  readonly founded?: () => void;
  /** Structural and Full: receives the city at the end, before it closes. */
  readonly sees?: (city: GovernedCity) => Promise<void>;
}

/** Number of false statements, and of all statements. */
export type Said = readonly [lies: number, all: number];

/** One round's figures. */
export interface RoundFigures {
  readonly round: number;
  /** Level of the pool over its capacity. */
  readonly pool: number;
  readonly csr: number;
  readonly said: Readonly<Record<PersonaName, Said>>;
  /** Task-rounds delayed by governance, and all. */
  readonly delayed: number;
  readonly taskRounds: number;
  /** Agents that took, reviewed or were paid for a task, as a share of those present. */
  readonly epr: number;
  /** Specialisation index so far: low is specialised. */
  readonly si: number;
  /** Gini coefficient of wealth. */
  readonly wgc: number;
  /** Completed tasks, those by agents strong in the required dimensions; their quality, and the expected quality of a random choice. */
  readonly done: number;
  readonly aligned: number;
  readonly quality: number;
  readonly byLot: number;
  /** From the contracts, if any: sanctions, gas, Gini coefficient of reputation. */
  readonly sanctions?: number | undefined;
  readonly gas?: number | undefined;
  readonly reputation?: number | undefined;
}

/** End of one milestone. */
export interface MilestoneFigures {
  readonly milestone: number;
  readonly tasks: number;
  readonly certified: number;
  readonly sound: number;
  readonly completed: boolean;
  readonly propagation: number;
  /** Marked as failed after completion. */
  readonly failedAudit: boolean;
}

export interface RunFigures {
  readonly configuration: Configuration;
  readonly agents: number;
  readonly seed: number;
  readonly rounds: readonly RoundFigures[];
  readonly milestones: readonly MilestoneFigures[];
  readonly governance?: GovernanceFigures | undefined;
  /** Number of queries to a chat model, if one decides. */
  readonly calls?: Calls | undefined;
}

const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

export async function runEconomy({
  configuration,
  agents,
  seed,
  world = ECONOMY,
  model,
  environment = {},
  ports,
  founded,
  sees,
}: RunSettings): Promise<RunFigures> {
  const minds = model === undefined ? undefined : await ModelMinds.open(model, configuration, environment);
  const present = population(agents, seed, world);
  const order = await orderOf(configuration, present, seed, world, ports);
  try {
    const economy = new Economy(order, present, seed, world, minds);
    founded?.();
    for (let round = 0; round < world.rounds; round++) await economy.round(round);
    if (order instanceof Governed) await sees?.(order.city);
    const governance = order.record?.();
    const run = { configuration, agents, seed, rounds: economy.figures, milestones: economy.milestones() };
    return {
      ...run,
      ...(governance === undefined ? {} : { governance }),
      ...(minds === undefined ? {} : { calls: minds.calls }),
    };
  } finally {
    await order.close?.();
  }
}

async function orderOf(
  configuration: Configuration,
  present: readonly Agent[],
  seed: number,
  world: EconomyParameters,
  ports: PortsMaker | undefined,
): Promise<Order> {
  if (configuration === "baseline") return new Baseline();
  if (configuration === "emergent") return new Emergent(world, present.length);
  return Governed.found(configuration, present, seed, world, ports);
}

class Economy {
  readonly figures: RoundFigures[] = [];
  readonly #seed: number;
  readonly #world: EconomyParameters;
  readonly #order: Order;
  readonly #minds: ModelMinds | undefined;
  readonly #ended: MilestoneFigures[] = [];
  /** The executor of each milestone's output. */
  readonly #outputs: (Agent | undefined)[] = [];
  readonly #born: number;
  #present: Agent[];
  #pool: Pool;
  #tasks: Task[] = [];
  #said: Record<PersonaName, [number, number]> = nothingSaid();
  #busy = new Set<Agent>();

  constructor(order: Order, present: readonly Agent[], seed: number, world: EconomyParameters, minds: ModelMinds | undefined) {
    this.#minds = minds;
    this.#seed = seed;
    this.#world = world;
    this.#present = [...present];
    this.#order = order;
    this.#born = present.length;
    const capacity = world.pool.capacity * this.#born;
    this.#pool = { capacity, growth: world.pool.growth, level: capacity };
  }

  milestones(): readonly MilestoneFigures[] {
    return this.#ended;
  }

  async round(round: number): Promise<void> {
    const world = this.#world;
    if (round % world.milestoneRounds === 0) this.#open(round / world.milestoneRounds);
    if (round === world.shock.round) await this.#shock();
    this.#said = nothingSaid();
    this.#busy = new Set();
    const commons = this.#commons(round);
    await this.#minds?.decide(
      this.#present.map((agent) => ({ agent, prospect: this.#order.prospect(agent), norm: this.#order.norm(commons.quota) })),
      commons,
    );
    await this.#order.talk(commons, (agent, truthful) => this.#say(agent, truthful));
    const handedIn = this.#tasks.filter(({ state }) => state === "in review");
    const work = await this.#work(commons);
    await this.#review(handedIn, commons);
    const csr = await this.#harvest(commons);
    this.figures.push({
      round,
      csr,
      ...work,
      delayed: work.delayed + handedIn.length,
      taskRounds: work.taskRounds + handedIn.length,
      ...this.#state(),
      ...this.#order.account?.(),
    });
    if ((round + 1) % world.milestoneRounds === 0) await this.#end(Math.floor(round / world.milestoneRounds));
  }

  #commons(round: number): Commons {
    return {
      round,
      pool: this.#pool,
      quota: (this.#world.pool.quota * sustainable(this.#pool)) / this.#present.length,
      present: this.#present,
      tasks: this.#tasks,
      world: this.#world,
      chance: (purpose) => randomStream(this.#seed, "economy", "round", round, purpose),
    };
  }

  #open(milestone: number): void {
    this.#tasks = milestoneGraph(this.#world.tasks, randomStream(this.#seed, "economy", "milestone", milestone), this.#world);
  }

  /** Agents take tasks and work on them. */
  async #work(commons: Commons) {
    const world = this.#world;
    const lot = commons.chance("quality");
    const assigned = await this.#order.assign(eligible(this.#tasks), commons, (agent, truthful) => this.#say(agent, truthful));
    let [delayed, aligned, quality, byLot] = [0, 0, 0, 0];
    for (const { task, agent, effort } of assigned) {
      const match = matchOf(agent.capabilities, task);
      if (task.again) delayed += 1;
      task.worker = agent;
      task.quality = effort === "real" ? Math.min(1, Math.max(0, match + world.noise * normal(lot))) : 0;
      task.sound = task.quality >= world.sound && task.needs.every((need) => this.#tasks[need]?.sound === true);
      if (effort === "real") agent.wealth -= costOf(agent, match);
      if (task.sound) agent.soundWork += task.quality;
      agent.done[task.main] = (agent.done[task.main] ?? 0) + 1;
      aligned += agent.best.includes(task.main) ? 1 : 0;
      quality += task.quality;
      byLot += this.#present.reduce((sum, one) => sum + matchOf(one.capabilities, task), 0) / this.#present.length;
      this.#busy.add(agent);
      if (this.#order.certifiesAtOnce) this.#certify(task, world.price);
      else task.state = "in review";
    }
    return { done: assigned.length, delayed, taskRounds: assigned.length, aligned, quality: rounded(quality), byLot: rounded(byLot) };
  }

  async #review(handedIn: readonly Task[], commons: Commons): Promise<void> {
    const paid = await this.#order.review(handedIn, commons, (agent) => this.#busy.add(agent));
    for (const task of handedIn) {
      const price = paid.get(task);
      if (price !== undefined) this.#certify(task, price);
      else {
        task.state = "open";
        task.again = true;
      }
    }
  }

  #certify(task: Task, price: number): void {
    task.state = "certified";
    if (task.worker === undefined) return;
    task.worker.wealth += price;
    this.#busy.add(task.worker);
  }

  /** Agents harvest and report; returns the share that kept to the quota and reported truthfully. */
  async #harvest(commons: Commons): Promise<number> {
    const norm = this.#order.norm(commons.quota);
    const harvested: Harvested[] = this.#present.map((agent) => ({
      agent,
      choice: chooseHarvest(agent, commons.quota, norm, this.#order.prospect(agent), this.#world),
    }));
    const asked = harvested.reduce((sum, { choice }) => sum + choice.amount, 0);
    const { pool, part } = harvest(this.#pool, asked);
    this.#pool = pool;
    for (const { agent, choice } of harvested) {
      agent.wealth += choice.amount * part;
      this.#say(agent, choice.truthful);
    }
    await this.#order.remember(harvested, commons);
    const limit = commons.quota * (1 + 1e-9);
    return rounded(harvested.filter(({ choice }) => choice.truthful && choice.amount <= limit).length / harvested.length);
  }

  #say({ persona }: Agent, truthful: boolean): void {
    const said = this.#said[persona];
    said[0] += truthful ? 0 : 1;
    said[1] += 1;
  }

  #state() {
    const { level, capacity } = this.#pool;
    return {
      pool: rounded(level / capacity),
      said: this.#said,
      epr: rounded(this.#present.filter((agent) => this.#busy.has(agent)).length / this.#present.length),
      si: rounded(specialisation(this.#present)),
      wgc: rounded(gini(this.#present.map(({ wealth }) => Math.max(0, wealth)))),
    };
  }

  async #end(milestone: number): Promise<void> {
    const output = outputOf(this.#tasks);
    const end: MilestoneFigures = {
      milestone,
      tasks: this.#tasks.length,
      certified: this.#tasks.filter(({ state }) => state === "certified").length,
      sound: this.#tasks.filter(({ state, sound }) => state === "certified" && sound).length,
      completed: output !== undefined && output.state === "certified" && output.sound,
      propagation: propagation(this.#tasks, this.#world.sound),
      failedAudit: false,
    };
    this.#ended.push(end);
    this.#outputs.push(output?.worker);
    await this.#order.ended(end);
  }

  async #shock(): Promise<void> {
    const { shock } = this.#world;
    const scale = shockScale(this.#born, this.#world);
    const scaled = (count: number) => Math.max(1, Math.round(count * scale));
    const standings = await this.#order.standings(this.#present);
    const leaving = [...this.#present]
      .sort((one, other) => (standings.get(other) ?? 0) - (standings.get(one) ?? 0) || one.id - other.id)
      .slice(0, scaled(shock.leave));
    const joining = scaled(shock.freeRiders) + scaled(shock.bloc);
    const newcomers = Array.from({ length: joining }, (_, place) => agentOf(this.#born + place, "adversarial", this.#seed, this.#world));
    this.#present = [...this.#present.filter((agent) => !leaving.includes(agent)), ...newcomers];
    const blamed = this.#failAudit();
    await this.#order.change?.({ leaving, joining: newcomers, bloc: newcomers.slice(scaled(shock.freeRiders)), blamed });
  }

  /** One randomly drawn completed milestone no longer counts; returns the executor of its output. */
  #failAudit(): Agent | undefined {
    const completed = this.#ended.filter(({ completed: done }) => done);
    if (completed.length === 0) return undefined;
    const marked = randomStream(this.#seed, "economy", "audit").pick(completed);
    const place = this.#ended.indexOf(marked);
    this.#ended[place] = { ...marked, completed: false, failedAudit: true };
    return this.#outputs[place];
  }
}

function nothingSaid(): Record<PersonaName, [number, number]> {
  return Object.fromEntries(PERSONA_NAMES.map((name) => [name, [0, 0]])) as Record<PersonaName, [number, number]>;
}

/** SI: 1 if all agents do all kinds of tasks alike, 0 if each does one kind (docs/economy.md). */
export function specialisation(agents: readonly { readonly done: readonly number[] }[]): number {
  let [sum, weight] = [0, 0];
  for (const { done } of agents) {
    const total = done.reduce((whole, count) => whole + count, 0);
    if (total === 0) continue;
    const even = 1 / done.length;
    const concentration = done.reduce((whole, count) => whole + (count / total) ** 2, 0);
    sum += total * (1 - (concentration - even) / (1 - even));
    weight += total;
  }
  return weight === 0 ? 1 : sum / weight;
}
