/** Norms agreed by talk: everyone can observe, remember and shun; no one can enforce. */
import type { Agent } from "./agents.ts";
import { chooseWork, idealNorms, looks, NO_NORMS, type Norms, overclaims, type Prospect, votedNorms } from "./behaviour.ts";
import { matchOf, type Task } from "./milestone.ts";
import type { Assignment, Commons, Harvested, Order, Say } from "./order.ts";
import type { EconomyParameters } from "./parameters.ts";
import { beliefOf, watch } from "./peers.ts";

/** Counts since the last talk. */
interface Heard {
  reviewed: number;
  failed: number;
  reports: number;
  breaches: number;
}

const nothing = (): Heard => ({ reviewed: 0, failed: 0, reports: 0, breaches: 0 });
const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);

export class Emergent implements Order {
  readonly #world: EconomyParameters;
  /** An agent's expected income from tasks per round. */
  readonly #taskIncome: number;
  #norms: Norms = NO_NORMS;
  #announced = 1;
  #heard = nothing();

  constructor(world: EconomyParameters, agents: number) {
    this.#world = world;
    this.#taskIncome = (world.price * world.tasks) / (world.milestoneRounds * agents);
  }

  get certifiesAtOnce(): boolean {
    return this.#norms.reviewers === 0;
  }

  async talk({ round, pool, present, world }: Commons): Promise<void> {
    if (round % world.talkEvery !== 0) return;
    const { reviewed, failed, reports, breaches } = this.#heard;
    const situation = { pool: pool.level / pool.capacity, failed: share(failed, reviewed), breaches: share(breaches, reports) };
    this.#norms = votedNorms(present.map((agent) => idealNorms(agent, situation)));
    this.#announced = share(present.filter(({ persona }) => persona !== "adversarial").length, present.length);
    this.#heard = nothing();
  }

  prospect(agent: Agent): Prospect {
    const { peers, lieFound } = this.#world;
    return { belief: this.#belief(agent), sanction: this.#norms.shunning * this.#taskIncome, found: 1 - (1 - lieFound) ** peers };
  }

  #belief(agent: Agent): number {
    return beliefOf(agent, this.#announced);
  }

  norm(quota: number): number {
    return this.#norms.harvest * quota;
  }

  /** Each task goes to the highest claim times trust; shunned agents get only what no one else wants. */
  async assign(tasks: readonly Task[], commons: Commons, say: Say): Promise<Assignment[]> {
    const { world, round } = commons;
    const caught = 1 - (1 - world.reviewerNotices) ** this.#norms.reviewers;
    const sanction = caught * (this.#norms.shunning * this.#taskIncome + world.price);
    const free = new Set(commons.chance("turns").shuffle(commons.present));
    const taken: Assignment[] = [];
    for (const task of tasks) {
      let best: { readonly agent: Agent; readonly effort: "real" | "pretended"; readonly score: number } | undefined;
      for (const agent of free) {
        const match = matchOf(agent.capabilities, task);
        const { effort } = chooseWork(agent, match, sanction, world);
        if (effort === "none") continue;
        const lies = overclaims(agent) && match < 1;
        say(agent, !lies);
        const claim = lies ? 1 : match;
        const score = claim * agent.trust - (agent.shunnedUntil >= round ? 1 : 0);
        if (best === undefined || score > best.score) best = { agent, effort, score };
      }
      if (best === undefined) continue;
      free.delete(best.agent);
      taken.push({ task, agent: best.agent, effort: best.effort });
      say(best.agent, best.effort === "real");
    }
    return taken;
  }

  async review(tasks: readonly Task[], commons: Commons, busy: (agent: Agent) => void): Promise<Map<Task, number>> {
    return new Map(tasks.filter((task) => this.#passes(task, commons, busy)).map((task) => [task, commons.world.price]));
  }

  #passes(task: Task, { present, chance, world, round }: Commons, busy: (agent: Agent) => void): boolean {
    const author = task.worker;
    if (author === undefined) return true;
    const lot = chance(`review ${task.id}`);
    const reviewers = lot.shuffle(present.filter((agent) => agent !== author)).slice(0, this.#norms.reviewers);
    const isUnsound = task.quality < world.sound;
    let found = false;
    for (const reviewer of reviewers) {
      if (!looks(reviewer, this.#belief(reviewer))) continue;
      busy(reviewer);
      reviewer.wealth -= world.reviewCost * reviewer.cost;
      found ||= isUnsound && lot.next() < world.reviewerNotices;
    }
    this.#heard.reviewed += 1;
    if (found) this.#heard.failed += 1;
    author.trust = world.trustKept * author.trust + (1 - world.trustKept) * (found ? 0 : 1);
    if (found) author.shunnedUntil = round + this.#norms.shunning;
    return !found;
  }

  async remember(harvested: readonly Harvested[], commons: Commons): Promise<void> {
    const breached = watch(harvested, this.norm(commons.quota), this.#announced, commons);
    for (const agent of breached) agent.shunnedUntil = commons.round + this.#norms.shunning;
    this.#heard.reports += harvested.length;
    this.#heard.breaches += breached.size;
  }

  async standings(present: readonly Agent[]): Promise<ReadonlyMap<Agent, number>> {
    return new Map(present.map((agent) => [agent, agent.trust]));
  }

  async ended(): Promise<void> {}
}
