import { expect } from "chai";
import { attempt } from "../attacks/attempt.ts";
import { networkHelpers } from "../support/city-fixture.ts";
import { billOf, lawOf, loadLegislature, PROPOSAL, State } from "../support/legislature.ts";
import { openMission, TASK } from "../support/mission-fixture.ts";
import { stillOpen } from "./still-open.ts";

describe("known holes: electorate", () => {
  stillOpen("half of the electorate stays away for good, nobody lapses, and no law is ever made again (decision 91)", async () => {
    const house = await loadLegislature();
    const { legislation, voters, steps } = house;
    let session = 0n;
    for (let i = 0; i < 5; i++) {
      session = await steps.toVoting([billOf(lawOf()).specHash]);
      const ballots = await Promise.all(voters.slice(0, 4).map((voter) => steps.ballot(session, voter, [1, 0])));
      await legislation.castBallots(session, ballots);
      await networkHelpers.time.increase(PROPOSAL + 1n);
      await legislation.tally(session);
      for (const voter of voters.slice(4)) await attempt(legislation.lapse(voter.address));
    }
    expect((await legislation.sessionOf(session)).state).to.equal(State.TALLIED);
  });

  stillOpen("two adjudicators freeze the houses of half of an open session's voters, and let them go again", async () => {
    const house = await loadLegislature();
    const { legislation, voters, steps, producers, as } = house;
    const session = await steps.toVoting([billOf(lawOf()).specHash]);
    const governor = producers.connect(await as("ADJUDICATION"));
    for (const voter of voters.slice(0, 4)) {
      const principal = await producers.principalOf(voter.address);
      await attempt(governor.freezePrincipal(principal, true));
      await attempt(governor.freezePrincipal(principal, false));
    }
    const mayVote = await Promise.all(
      voters.map(async (voter) => (await producers.electorOf(voter.address, (await legislation.sessionOf(session)).openedBlock))[0]),
    );
    expect(mayVote.filter(Boolean).length).to.be.greaterThan(6);
  });

  stillOpen("one mission of a sponsor with two keys makes as many voters as it has nodes, for a unit each", async () => {
    const nodes = Array.from({ length: 8 }, () => ({ ...TASK, band: 0 }));
    const mission = await (await openMission({ nodes })).activate();
    const { city } = mission;
    await city.constitution.seal();
    const before = await city.producers.activeProducers();
    const own = await city.account("second key of the sponsor");
    const agents = [];
    for (const [node] of nodes.entries()) {
      const one = await mission.newcomer(`voter to be ${node}`, { principal: own, capabilities: 0n });
      city.workers.push(one);
      agents.push(one);
      await mission.bidAs(one, node, 100n);
    }
    await mission.closeMarket();
    await city.execution.award(mission.address, [...nodes.keys()]);
    for (const [node] of nodes.entries()) await mission.run(node);
    await mission.contract.claim([...nodes.keys()]);
    for (const _ of nodes) city.workers.pop();
    expect((await city.producers.activeProducers()) - before).to.be.lessThan(2n);
  });
});
