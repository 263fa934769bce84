import { expect } from "chai";
import fc from "fast-check";
import { type Agent, agentOf, population } from "../../orchestrator/economy/agents.ts";
import { chooseHarvest, chooseWork, idealNorms, looks, overclaims, votedNorms } from "../../orchestrator/economy/behaviour.ts";
import { cellsOf, OPEN, VARIANTS, worldOf } from "../../orchestrator/economy/campaign.ts";
import { deception, recovery, settled, summarise } from "../../orchestrator/economy/metrics.ts";
import { eligible, matchOf, milestoneGraph, propagation, type Task } from "../../orchestrator/economy/milestone.ts";
import { CONFIGURATIONS, ECONOMY, PERSONA_NAMES, type PersonaName } from "../../orchestrator/economy/parameters.ts";
import { harvest, sustainable } from "../../orchestrator/economy/pool.ts";
import { runEconomy, specialisation } from "../../orchestrator/economy/run.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { near } from "../support/near.ts";

const agent = (persona: PersonaName, more: Partial<Agent> = {}): Agent => ({ ...agentOf(1, persona, 7, ECONOMY), ...more });
const CALM = { belief: 1, sanction: 0, found: 0 };
const QUOTA = 6;

describe("the pool", () => {
  it("gives what is asked while it can, shares out the rest, and never leaves 0 to K", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 5000, noNaN: true }), (full, asked) => {
        const pool = { capacity: 1000, growth: 0.25, level: 1000 * full };
        const after = harvest(pool, asked);
        expect(asked * after.part).to.be.at.most(pool.level + 1e-9);
        expect(after.pool.level).to.be.within(0, 1000 + 1e-9);
      }),
      { seed: 7 },
    );
  });

  it("stays where it is at half its capacity when everybody takes a quota, and dies when it is emptied", () => {
    const half = { capacity: 1000, growth: 0.25, level: 500 + 62.5 };
    const { pool } = harvest(half, sustainable(half));
    expect(pool.level).to.be.within(...near(562.5, 1e-9));
    expect(harvest(harvest(half, 1e9).pool, 10).pool.level).to.equal(0);
  });
});

describe("agents", () => {
  it("are the same for a seed whatever the configuration, in the world's shares", () => {
    const all = population(200, 3, ECONOMY);
    const counted = PERSONA_NAMES.map((name) => all.filter(({ persona }) => persona === name).length);
    expect(counted).to.deep.equal([120, 50, 30]);
    expect(population(200, 3, ECONOMY)).to.deep.equal(all);
    expect(population(200, 4, ECONOMY).map(({ cost }) => cost)).to.not.deep.equal(all.map(({ cost }) => cost));
    const levels = all.flatMap(({ capabilities }) => capabilities);
    const mean = levels.reduce((sum, level) => sum + level, 0) / levels.length;
    expect(mean, "Beta(2, 5)").to.be.within(...near(2 / 7, 0.02));
    const costs = all.map(({ cost }) => cost).sort((one, other) => one - other);
    expect(costs[100], "median e³").to.be.within(18, 22.5);
  });

  it("who reciprocate keep the quota exactly while enough others do", () => {
    const cooperative = agent("cooperative", { threshold: 0.4 });
    const taken = (belief: number) => chooseHarvest(cooperative, QUOTA, QUOTA, { ...CALM, belief }, ECONOMY).amount;
    expect(taken(0.41)).to.equal(QUOTA);
    expect(taken(0.39)).to.equal(4 * QUOTA);
    expect([looks(cooperative, 0.41), looks(cooperative, 0.39), looks(agent("self-interested"), 1)]).to.deep.equal([true, false, false]);
  });

  it("who do not take all they can; a sanction keeps the self-interested to the norm, and makes them lie before it does", () => {
    const choose = (persona: PersonaName, sanction: number, found: number) =>
      chooseHarvest(agent(persona), QUOTA, QUOTA, { belief: 1, sanction, found }, ECONOMY);
    expect(choose("self-interested", 0, 0)).to.include({ amount: 4 * QUOTA, truthful: true });
    expect(choose("self-interested", 15, 0.2)).to.include({ amount: 4 * QUOTA, truthful: false });
    expect(choose("self-interested", 100, 0.9)).to.include({ amount: QUOTA, truthful: true });
    expect(choose("adversarial", 0, 0)).to.include({ truthful: false });
  });

  it("pretend where honesty costs more than work saves", () => {
    const cheap = { cost: 5 };
    const effort = (one: Agent, match: number, sanction = 0) => chooseWork(one, match, sanction, ECONOMY).effort;
    expect(effort(agent("cooperative", cheap), 0.9)).to.equal("real");
    expect(effort(agent("cooperative", cheap), 0.5), "does not take what it does not meet").to.equal("none");
    expect(effort(agent("cooperative", { cost: 100 }), 0.9)).to.equal("none");
    expect(effort(agent("self-interested", cheap), 0.9)).to.equal("real");
    expect(effort(agent("self-interested", { cost: 20 }), 0.9)).to.equal("pretended");
    expect(effort(agent("self-interested", { cost: 20 }), 0.9, 35)).to.equal("real");
    expect(effort(agent("adversarial", { cost: 20 }), 0.9)).to.equal("pretended");
    expect(PERSONA_NAMES.map((name) => overclaims(agent(name)))).to.deep.equal([false, true, true]);
  });

  it("agree on the median of what each wants", () => {
    const wanted = idealNorms(agent("cooperative"), { pool: 0.4, failed: 0.3, breaches: 0 });
    expect(wanted).to.deep.equal({ harvest: 0.75, reviewers: 2, shunning: 20 });
    const other = idealNorms(agent("self-interested"), { pool: 0.4, failed: 0.3, breaches: 0 });
    expect(votedNorms([wanted, wanted, other])).to.deep.equal(wanted);
    expect(votedNorms([wanted, other, other])).to.deep.equal(other);
  });
});

describe("milestones", () => {
  it("are graphs of so many tasks in layers, each with a way to the output", () => {
    for (let seed = 0; seed < 30; seed++)
      for (const count of [5, 25, 125]) {
        const tasks = milestoneGraph(count, randomStream(seed), ECONOMY);
        expect(tasks).to.have.length(count);
        for (const { id, needs, main, second } of tasks) {
          expect(needs.every((need) => need < id) && new Set(needs).size === needs.length).to.equal(true);
          expect(main).to.not.equal(second);
          expect(id === count - 1 || tasks.some((task) => task.needs.includes(id))).to.equal(true);
        }
      }
  });

  it("can be worked on from the inputs to the output", () => {
    const tasks = milestoneGraph(25, randomStream(7), ECONOMY);
    let rounds = 0;
    for (let open = eligible(tasks); open.length > 0; open = eligible(tasks), rounds++) for (const task of open) task.state = "certified";
    expect(tasks.every(({ state }) => state === "certified")).to.equal(true);
    expect(rounds).to.be.within(5, 9);
  });

  it("need what Beta(2, 5) exceeds often, and no more than all", () => {
    expect(matchOf([0.3, 0.1], { main: 0, second: 1, level: 0.2 })).to.equal(1);
    expect(matchOf([0.1, 0.05], { main: 0, second: 1, level: 0.2 })).to.be.within(...near(0.5, 1e-12));
  });

  it("spoil what rests on unsound work, as far as a chain goes", () => {
    const blank: Task = {
      id: 0,
      needs: [],
      main: 0,
      second: 1,
      level: 0.3,
      state: "certified",
      worker: undefined,
      quality: 1,
      sound: true,
      again: false,
    };
    const chain = [[], [0], [1], [2], [0]].map((needs, id): Task => ({ ...blank, id, needs }));
    expect(propagation(chain, 0.6)).to.equal(0);
    const spoiled = chain.map((task) => (task.id === 1 ? { ...task, quality: 0 } : task));
    expect(propagation(spoiled, 0.6)).to.equal(2);
    expect(
      propagation(
        spoiled.map((task) => (task.id === 3 ? { ...task, state: "open" as const } : task)),
        0.6,
      ),
    ).to.equal(1);
  });
});

describe("a run", function () {
  this.timeout(60_000);

  it("gives the same bytes for the same seed, others for another, and every figure in its range", async () => {
    for (const configuration of ["baseline", "emergent"] as const) {
      const run = () => runEconomy({ configuration, agents: 20, seed: 5 });
      const first = await run();
      expect(JSON.stringify(await run())).to.equal(JSON.stringify(first));
      const other = await runEconomy({ configuration, agents: 20, seed: 6 });
      expect(JSON.stringify(other).slice(60)).to.not.equal(JSON.stringify(first).slice(60));
      expect(first.rounds).to.have.length(ECONOMY.rounds);
      expect(first.milestones).to.have.length(10);
      for (const { pool, csr, epr, si, wgc, delayed, taskRounds, aligned, done } of first.rounds) {
        for (const share of [pool, csr, epr, si, wgc]) expect(share).to.be.within(0, 1);
        expect(delayed <= taskRounds && aligned <= done).to.equal(true);
      }
      for (const { certified, sound, tasks } of first.milestones) expect(sound <= certified && certified <= tasks).to.equal(true);
    }
  });

  it("changes its members at the shock, and marks a completed milestone as failed", async () => {
    const quiet = { ...ECONOMY, shares: { cooperative: 100, "self-interested": 0, adversarial: 0 } };
    const run = await runEconomy({ configuration: "baseline", agents: 50, seed: 2, world: quiet });
    expect(run.rounds[99]?.said.adversarial[1]).to.equal(0);
    expect(run.rounds[100]?.said.adversarial[1]).to.be.at.least(15);
    expect(run.milestones.filter(({ failedAudit }) => failedAudit)).to.have.length(
      run.milestones.slice(0, 5).some(({ completed, failedAudit }) => completed || failedAudit) ? 1 : 0,
    );
  });

  it("of honest agents alone keeps the pool, deceives nobody and completes milestones", async () => {
    const honest = {
      ...ECONOMY,
      shares: { cooperative: 100, "self-interested": 0, adversarial: 0 },
      shock: { ...ECONOMY.shock, round: Number.POSITIVE_INFINITY },
    };
    const found = summarise(await runEconomy({ configuration: "baseline", agents: 200, seed: 1, world: honest }), "honest", honest);
    expect(found).to.include({ csr: 1, dr: 0, psr: 1, survival: 1, gor: 0 });
    expect(found.pcr).to.be.above(0);
  });

  it("of adversaries alone empties the pool and completes nothing", async () => {
    const hostile = { ...ECONOMY, shares: { cooperative: 0, "self-interested": 0, adversarial: 100 } };
    const found = summarise(await runEconomy({ configuration: "emergent", agents: 50, seed: 1, world: hostile }), "hostile", hostile);
    expect(found).to.include({ csr: 0, survival: 0, pcr: 0 });
    expect(found.dr).to.be.above(0.8);
  });
});

describe("metrics", () => {
  it("of specialisation: 0 where each does one kind, 1 where everybody does all", () => {
    expect(specialisation([{ done: [5, 0, 0] }, { done: [0, 7, 0] }])).to.equal(0);
    expect(specialisation([{ done: [2, 2, 2] }])).to.be.within(...near(1, 1e-12));
    expect(specialisation([{ done: [3, 0] }, { done: [1, 1] }]), "weighted by tasks").to.be.within(...near(0.4, 1e-12));
    expect(specialisation([{ done: [0, 0] }])).to.equal(1);
  });

  it("of settling and recovery find the first round, or say that there is none", () => {
    expect(settled([...Array.from({ length: 10 }, (_, at) => 1 - at / 10), ...Array.from({ length: 30 }, () => 0.1)])).to.equal(9);
    expect(settled([1, 0, 1])).to.equal(3);
    const dip = (csr: number) => ({ csr });
    const series = [
      ...Array.from({ length: 20 }, () => dip(0.8)),
      ...Array.from({ length: 6 }, () => dip(0.4)),
      ...Array.from({ length: 5 }, () => dip(0.8)),
    ];
    expect(recovery(series, 20)).to.equal(11);
    expect(recovery(series.slice(0, 28), 20)).to.equal(null);
  });

  it("of deception count false statements over all", async () => {
    const row = (await runEconomy({ configuration: "baseline", agents: 20, seed: 1 })).rounds[0];
    if (row === undefined) throw new Error("no rounds");
    const said = { cooperative: [0, 10], "self-interested": [2, 10], adversarial: [5, 5] } as const;
    expect(deception([{ ...row, said }])).to.be.within(...near(7 / 25, 1e-12));
    expect(deception([{ ...row, said }], ["adversarial"])).to.equal(1);
  });
});

describe("campaigns", () => {
  it("have every seed at every scale in each configuration, and both arms in experiment 2", () => {
    const campaign = { experiment: 2, configurations: CONFIGURATIONS, scales: [10, 20], seeds: [1, 2], sensitivity: false } as const;
    expect(cellsOf(campaign)).to.have.length(4 * 2 * 2 * 2);
    expect(cellsOf({ ...campaign, experiment: 1, sensitivity: true })).to.have.length(4 * 2 * (OPEN.length + 2));
    const drafted = cellsOf({ ...campaign, scales: [20, 50] }).filter(({ variant }) => variant.endsWith("drafts"));
    expect(
      drafted.map(({ configuration, agents, seed, variant }) => `${configuration} ${agents} ${seed} ${variant}`),
      "Full alone, where enough can sponsor twenty laws",
    ).to.have.members([1, 2].flatMap((seed) => [3, 8, 20].map((drafts) => `full 50 ${seed} ${drafts} drafts`)));
    expect(worldOf({ variant: "tasks scaled", agents: 1000 }).tasks).to.equal(125);
    expect(worldOf({ variant: "tasks scaled", agents: 10 }).tasks).to.equal(5);
    for (const variant of Object.keys(VARIANTS)) {
      const { shares } = worldOf({ variant, agents: 200 });
      expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).to.be.within(...near(100, 1e-9));
    }
    expect(worldOf({ variant: "as written", agents: 20, milestones: 2 })).to.include({ rounds: 40 });
    expect(worldOf({ variant: "as written", agents: 20, milestones: 2 }).shock.round).to.equal(20);
  });
});
