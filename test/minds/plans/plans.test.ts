import { expect } from "chai";
import { impossibleInWords } from "../../../orchestrator/minds/planner/impossible.ts";
import { stemOf } from "../../../orchestrator/minds/planner/stem.ts";
import { CATALOG } from "../../../services/catalog.ts";
import { STEP_OF } from "./capability-names.ts";
import { isGood, planned } from "./evaluate.ts";
import { HOPELESS, type HopelessGoal, PLANNABLE, type PlannableGoal } from "./goals.ts";
import { HELD_OUT, HELD_OUT_HOPELESS } from "./held-out.ts";
import { MET, MET_HOPELESS } from "./met.ts";

/** Goals whose steps the catalogue can do at all. */
const within = (goals: readonly PlannableGoal[]) => {
  const known = new Set(CATALOG.flatMap(({ id }) => STEP_OF[id] ?? []));
  return goals.filter(({ ways }) => ways.some((way) => way.flat().every((step) => known.has(step))));
};
const reached = (goals: readonly PlannableGoal[]) =>
  goals.filter((goal) => {
    const found = planned(goal, CATALOG);
    return "plans" in found && found.plans[0] !== undefined && isGood(found.plans[0], goal);
  });

describe("plans for goals that nobody prepared", () => {
  it("reach ten of twelve, and miss two at most of those that the catalogue can do", () => {
    const possible = within(PLANNABLE);
    expect(reached(possible).length).to.be.at.least(possible.length - 2);
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
