import { expect } from "chai";
import { impossibleInWords } from "../../../orchestrator/minds/planner/impossible.ts";
import { stemOf } from "../../../orchestrator/minds/planner/stem.ts";
import { CATALOG } from "../../../services/catalog.ts";
import { isGood, planned } from "./evaluate.ts";
import { HOPELESS, type HopelessGoal, PLANNABLE, type PlannableGoal } from "./goals.ts";
import { HELD_OUT, HELD_OUT_HOPELESS } from "./held-out.ts";
import { MET, MET_HOPELESS } from "./met.ts";

const reached = (goals: readonly PlannableGoal[]) =>
  goals.filter((goal) => {
    const found = planned(goal, CATALOG);
    return "plans" in found && found.plans[0] !== undefined && isGood(found.plans[0], goal);
  });

describe("plans for goals that nobody prepared", () => {
  it("reach all twelve", () => {
    const missed = PLANNABLE.filter((goal) => !reached([goal]).includes(goal));
    expect(missed.map(({ goal }) => goal)).to.deep.equal([]);
  });

  it("reach every goal that was met over inputs of this machine, or was held out once", () => {
    const missed = [...MET, ...HELD_OUT].filter((goal) => !reached([goal]).includes(goal));
    expect(missed.map(({ goal }) => goal)).to.deep.equal([]);
  });

  it("are refused for what nobody does, naming the nearest service and what is missing", () => {
    for (const goal of [...HOPELESS, ...MET_HOPELESS, ...HELD_OUT_HOPELESS]) {
      const found = planned(goal, CATALOG);
      expect("uncovered" in found, goal.goal).to.equal(true);
      if ("uncovered" in found) expect(missing(found.link, found.uncovered, goal), impossibleInWords(found, goal.kind)).to.equal(true);
    }
  });
});

function missing(link: object | null, uncovered: readonly string[], goal: HopelessGoal): boolean {
  const stems = uncovered.map(stemOf);
  return goal.missing.some((word) => stems.includes(stemOf(word)) || (link !== null && word in link));
}
