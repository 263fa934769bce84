import { expect } from "chai";
import { BlocMind } from "../../orchestrator/minds/bloc-mind.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import { optionsOf } from "../../orchestrator/minds/options.ts";
import { MISJUDGEMENT, POPULATION, populationOf } from "../../orchestrator/minds/personas.ts";
import { cityFacts, defaultGoal } from "../support/goals.ts";

const facts = cityFacts(3, 40, 10);
const options = optionsOf(defaultGoal, facts);
const candidates = [
  { number: 0, shape: null },
  ...Array.from({ length: 7 }, (_, index) => ({ number: index + 1, shape: options[9 * index]! })),
];
const requestOf = (index: number) => ({ self: facts.producers[index]!.agent, goal: defaultGoal, facts, candidates });

describe("an assembly's minds", () => {
  it("are of the population's shares, in an order of the seed", () => {
    const personas = populationOf(200, "7");
    for (const [persona, share] of POPULATION) expect(personas.filter((each) => each === persona).length).to.equal(2 * share);
    expect(populationOf(200, "7")).to.deep.equal(personas);
    expect(populationOf(200, "8")).to.not.deep.equal(personas);
    for (let agents = 1; agents < 30; agents += 1) expect(populationOf(agents, "7").length).to.equal(agents);
  });

  it("err about laws, each in its own way and always in the same", async () => {
    const rank = (misjudgement: number, index: number) =>
      new HeuristicMind({ persona: "cooperative", seed: "7", misjudgement }).rank(requestOf(index));
    expect(await rank(MISJUDGEMENT, 1)).to.deep.equal(await rank(MISJUDGEMENT, 1));
    const moved = await Promise.all(
      facts.producers.map(async (_, index) => (await rank(MISJUDGEMENT, index)).join() !== (await rank(0, index)).join()),
    );
    expect(moved.filter(Boolean).length).to.be.greaterThan(facts.producers.length / 2);
  });

  it("that are adversarial like most what others like least: little assurance, few who share", async () => {
    const drafts = async (persona: "cooperative" | "adversarial") =>
      Promise.all(
        facts.producers
          .slice(0, 10)
          .map(({ agent: self }) => new HeuristicMind({ persona, seed: "7" }).draft({ self, goal: defaultGoal, facts })),
      );
    const nodes = (shapes: Awaited<ReturnType<typeof drafts>>) =>
      shapes.reduce((sum, { tasks }) => sum + tasks.reduce((all, { shards }) => all + shards, 0), 0);
    expect(nodes(await drafts("adversarial"))).to.be.lessThan(nodes(await drafts("cooperative")));
  });

  it("of a bloc repeat as much of the leader's ranking as their strategy says", async () => {
    const mind = (persona: "cooperative" | "adversarial") => new HeuristicMind({ persona, seed: "7", misjudgement: MISJUDGEMENT });
    const leader = facts.producers[0]!.agent;
    const told = await mind("adversarial").rank(requestOf(0));
    const member = (strategy: "identical" | "correlated-top-3" | "single-pivot") =>
      new BlocMind({ strategy, leader, instructions: mind("adversarial"), own: mind("cooperative"), seed: "7" });
    for (let index = 1; index < 6; index += 1) {
      const request = requestOf(index);
      expect(await member("identical").rank(request)).to.deep.equal(told);
      const top = await member("correlated-top-3").rank(request);
      expect(top.slice(0, 3)).to.deep.equal(told.slice(0, 3));
      const pivot = await member("single-pivot").rank(request);
      const own = await mind("cooperative").rank(request);
      expect(pivot[0]).to.equal(told[0]);
      expect(pivot.slice(1)).to.deep.equal(own.filter((number) => number !== told[0]));
      for (const ranking of [top, pivot]) expect(ranking.toSorted()).to.deep.equal(told.toSorted());
      expect(await member("identical").draft(request)).to.deep.equal(await mind("adversarial").draft(requestOf(0)));
    }
    const rests = await Promise.all([1, 2, 3].map((index) => member("correlated-top-3").rank(requestOf(index))));
    expect(new Set(rests.map((ranking) => ranking.join())).size).to.equal(3);
  });
});
