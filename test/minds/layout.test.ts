import { expect } from "chai";
import fc from "fast-check";
import { MindAnswerInvalid } from "../../orchestrator/minds/errors.ts";
import type { Goal } from "../../orchestrator/minds/goal.ts";
import { GRID, itemAt, layOut } from "../../orchestrator/minds/layout.ts";
import { divisionsOf, MAX_NODES, MIN_NODES, optionsOf } from "../../orchestrator/minds/options.ts";
import { cityFacts, defaultGoal } from "../support/goals.ts";

describe("the layout of a law", () => {
  const facts = cityFacts();

  it("gives the default mission 8 to 12 nodes in every simple structure", () => {
    const sizes = optionsOf(defaultGoal, facts).map((shape) => layOut(defaultGoal, shape).length);
    expect(Math.min(...sizes)).to.be.at.least(MIN_NODES);
    expect(Math.max(...sizes)).to.be.at.most(MAX_NODES);
    expect(new Set(sizes).size).to.be.greaterThan(2);
  });

  it("hands every item to exactly one node of each task, along whole outputs of the nodes before", () => {
    for (const shape of optionsOf(defaultGoal, facts)) {
      const nodes = layOut(defaultGoal, shape);
      for (const task of ["parse", "classify"]) {
        const own = nodes.filter((node) => node.task.name === task);
        expect(own.map(({ from, to }) => to - from).reduce((sum, share) => sum + share, 0)).to.equal(GRID);
        for (const node of own) {
          const before = node.after.map((number) => nodes[number]!);
          if (before.length > 0) expect([before[0]!.from, before.at(-1)!.to]).to.deep.equal([node.from, node.to]);
        }
      }
      expect(nodes.every(({ number, after }) => after.every((earlier) => earlier < number))).to.equal(true);
    }
  });

  it("divides any input without a gap, however few items it has", () => {
    const [shape] = optionsOf(defaultGoal, facts);
    for (const count of [1, 3, 675, 5_000]) {
      const parse = layOut(defaultGoal, shape!).filter(({ task }) => task.name === "parse");
      const shards = parse.map(({ from, to }) => [itemAt(from, count), itemAt(to, count)]);
      expect([shards[0]![0], shards.at(-1)![1]]).to.deep.equal([0, count]);
      for (const [index, shard] of shards.entries()) if (index > 0) expect(shard[0]).to.equal(shards[index - 1]![1]);
    }
  });

  it("gives no node of the input an empty shard, whoever drafts, in any structure of any size of input", () => {
    for (const items of [1, 2, 3, 6, 11, 12, 13, 50_000]) {
      const goal: Goal = { ...defaultGoal, items };
      for (const shape of optionsOf(goal, facts)) {
        const over = layOut(goal, shape).filter(({ task }) => task.overInput);
        for (const { from, to, label } of over) expect(itemAt(to, items) - itemAt(from, items), `${items}: ${label}`).to.be.at.least(1);
      }
      const [shape] = optionsOf(goal, facts);
      const greedy = { ...shape!, tasks: shape!.tasks.map((task) => (task.task === "parse" ? { ...task, shards: items + 1 } : task)) };
      if (items < 200) expect(() => layOut(goal, greedy)).to.throw(MindAnswerInvalid, `${items + 1} shards for ${items} items`);
    }
    const each = { ...optionsOf({ ...defaultGoal, items: 13 }, facts)[0]! };
    const shards = layOut(
      { ...defaultGoal, items: 13 },
      { ...each, tasks: each.tasks.map((task) => (task.task === "parse" ? { ...task, shards: 13 } : { ...task, shards: 1 })) },
    );
    expect(shards.filter(({ task }) => task.overInput)).to.have.length(13);
  });

  it("gives out the whole budget, to the unit, whatever it is", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2_000n, max: 99_000_000_000n }), fc.nat(), (budget, pick) => {
        const goal: Goal = { ...defaultGoal, budget };
        // Of the budgets some are of HIGH risk, which takes five principals.
        const options = optionsOf(goal, cityFacts(1, 10, 5));
        const nodes = layOut(goal, options[pick % options.length]!);
        expect(nodes.reduce((sum, node) => sum + node.budget, 0n)).to.equal(budget);
        for (const node of nodes) expect(node.budget >= BigInt(node.shape.redundancy)).to.equal(true);
      }),
      { seed: 7, numRuns: 60 },
    );
  });

  it("keeps what the mission file fixed", () => {
    const tasks = defaultGoal.tasks.map((task) => (task.name === "report" ? { ...task, budget: 77_000_001n } : task));
    const goal: Goal = { ...defaultGoal, tasks };
    const nodes = layOut(goal, optionsOf(goal, facts)[0]!);
    expect(nodes.at(-1)!.budget).to.equal(77_000_001n);
    expect(nodes.reduce((sum, node) => sum + node.budget, 0n)).to.equal(goal.budget);
  });

  it("refuses a goal whose fixed budgets leave nothing for the rest", () => {
    const tasks = defaultGoal.tasks.map((task) => (task.name === "report" ? { ...task, budget: defaultGoal.budget } : task));
    const goal: Goal = { ...defaultGoal, tasks };
    const shape = optionsOf(defaultGoal, facts)[0]!;
    expect(() => layOut(goal, shape)).to.throw("leave nothing for the others");
  });

  it("does not divide what works on everything at once", () => {
    const single = defaultGoal.tasks.map((task) => ({ ...task, perItem: false }));
    expect(divisionsOf({ ...defaultGoal, tasks: single })).to.deep.equal([[1, 1, 1]]);
  });
});
