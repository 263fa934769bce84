import { expect } from "chai";
import { agentOf, population } from "../../orchestrator/economy/agents.ts";
import { caughtBy } from "../../orchestrator/economy/governed.ts";
import { breakEvenOf } from "../../orchestrator/economy/hypotheses.ts";
import { declared } from "../../orchestrator/economy/law/city.ts";
import { COLD_START, changedIn, draftOf, errorsOf, idealRules, rankingOf, worthOf } from "../../orchestrator/economy/law/rules.ts";
import { mayBid, requirementOf } from "../../orchestrator/economy/law/session.ts";
import { slopeOf } from "../../orchestrator/economy/metrics.ts";
import { milestoneGraph } from "../../orchestrator/economy/milestone.ts";
import { ECONOMY } from "../../orchestrator/economy/parameters.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { matchOfLevels } from "../../orchestrator/rules/bid-score.ts";
import { near } from "../support/near.ts";

const CALM = { pool: 1, failed: 0, breaches: 0 };
const cooperative = agentOf(1, "cooperative", 7, ECONOMY);
const adversarial = agentOf(2, "adversarial", 7, ECONOMY);

describe("the rules of a law", () => {
  it("are wanted by those who see failures, and by nobody else", () => {
    expect(idealRules(cooperative, CALM)).to.deep.equal(COLD_START);
    expect(idealRules(cooperative, { ...CALM, failed: 0.25 })).to.deep.equal({ limit: 1, panel: 3, demand: 1, read: 1 });
    expect(idealRules(adversarial, { ...CALM, failed: 0.25 })).to.deep.equal({ ...COLD_START, limit: 1.25 });
  });

  it("are worth the more the nearer they are, and ranked so by who does not err", () => {
    const far = { limit: 1.25, panel: 4, demand: 1, read: 1 };
    expect(worthOf(COLD_START, COLD_START)).to.equal(1);
    expect(worthOf({ ...COLD_START, limit: 0.75 }, { ...COLD_START, limit: 1.25 })).to.equal(0.75);
    expect(rankingOf([far, COLD_START], COLD_START, [0, 0], 1), "no law comes last").to.deep.equal([2, 1, 0]);
    expect(rankingOf([far, COLD_START], COLD_START, [9, 0], 0.5), "an error can turn it").to.deep.equal([1, 2, 0]);
  });

  it("are drafted one away from what their author wants", () => {
    const lot = randomStream(7, "drafts");
    for (let draft = 0; draft < 20; draft++) expect(changedIn(draftOf(COLD_START, ["limit", "panel"], lot))).to.have.length(1);
    expect(errorsOf(3, lot)).to.have.length(3);
  });
});

describe("panels", () => {
  it("catch by majority: a third verifier adds nothing to one, a second does", () => {
    const chances = [1, 2, 3, 4].map((panel) => caughtBy(panel, 0.5));
    for (const [place, expected] of [0.5, 0.75, 0.5, 0.6875].entries()) expect(chances[place]).to.be.within(...near(expected, 1e-12));
    expect(caughtBy(5, 1)).to.equal(1);
  });
});

describe("what an agent says at its registration", () => {
  it("is the truth of who is honest, and everything of who is not; a law asks no more than the task needs", () => {
    const [task] = milestoneGraph(25, randomStream(7, "tasks"), ECONOMY);
    if (task === undefined) throw new Error("no tasks");
    const wanted = requirementOf(task, 1);
    expect(matchOfLevels(declared(adversarial), wanted)).to.equal(1000);
    expect(requirementOf(task, 0).every((level) => level === 0)).to.equal(true);
    const honest = population(50, 7, ECONOMY).filter(({ persona }) => persona === "cooperative");
    const able = honest.filter((agent) => mayBid(agent, wanted));
    expect(able.length).to.be.within(1, honest.length - 1);
  });
});

describe("figures of governed runs", () => {
  it("find the slope of a series and the scale from which on governance pays", () => {
    expect(slopeOf([1, 2, 3])).to.be.within(...near(1, 1e-12));
    expect(slopeOf([5])).to.equal(0);
    const cost = [10, 20, 40].map((x) => ({ x, y: 100 }));
    const benefit = [10, 20, 40].map((x) => ({ x, y: 6 * x }));
    expect(breakEvenOf(cost, benefit)).to.equal(20);
    expect(breakEvenOf(cost, [])).to.equal(Number.POSITIVE_INFINITY);
  });
});
