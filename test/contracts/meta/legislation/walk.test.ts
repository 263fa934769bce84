import { expect } from "chai";
import { ZeroAddress } from "ethers";
import { randomStream } from "../../../../orchestrator/primitives/random.ts";
import { sessionTransitions } from "../../../../orchestrator/rules/transitions/session.ts";
import { type Bill, billOf, DEPOSIT, type Legislature, lawOf, loadLegislature, State } from "../../../support/legislature.ts";
import { quietly, sessionMoves } from "../../../support/session-moves.ts";

const SEEDS = [1, 2, 3];
const STEPS = 400;
const BILLS: readonly Bill[] = [billOf(lawOf()), billOf(lawOf(), "another document")];

async function requireInvariants({ legislation, token, producers, addresses, voters }: Legislature): Promise<void> {
  let held = 0n;
  for (let session = 1n; session <= (await legislation.sessionCount()); session++) {
    const info = await legislation.sessionOf(session);
    held += info.deposit;
    for (let i = 0; i < info.ballotSize; i++) {
      for (let j = i + 1; j < info.ballotSize; j++) {
        expect((await legislation.pairwise(session, i, j)) + (await legislation.pairwise(session, j, i))).to.equal(info.ballots);
      }
    }
    const ballots = await legislation.queryFilter(legislation.filters.BallotCast(session));
    expect(new Set(ballots.map(({ args }) => args.agent)).size, "one ballot per agent").to.equal(ballots.length);
    expect(BigInt(ballots.length)).to.equal(info.ballots);
    for (const { args } of ballots) expect(await legislation.rankingOf(session, args.agent)).to.equal(args.ranking);
    if (info.winner !== 0n) {
      const { sponsors, pluralistic } = await legislation.candidateOf(session, info.winner);
      expect(info.ballots * 10_000n >= info.electorate * info.rules.turnoutQuorum, "turnout").to.equal(true);
      expect(sponsors >= info.rules.minSponsors && pluralistic, "sponsors").to.equal(true);
    }
    if (info.state === BigInt(State.DEPLOYED)) expect(await token.balanceOf(info.mission)).to.equal(DEPOSIT);
    else expect(info.mission).to.equal(ZeroAddress);
  }
  expect(await token.balanceOf(addresses.LEGISLATION), "deposits").to.equal(held);
  expect(await producers.activeProducers()).to.be.at.most(voters.length);
  const { states, arcs } = sessionTransitions;
  for (const { args } of await legislation.queryFilter(legislation.filters.StateChanged())) {
    const from = states[Number(args.from)] as keyof typeof arcs;
    expect(arcs[from], `${from} → ${states[Number(args.to)]}`).to.include(states[Number(args.to)]);
  }
}

describe("LegislativeProcedure: any calls in any order", () => {
  for (const seed of SEEDS) {
    it(`keep money, ballots, quorums and stages in order (seed ${seed})`, async () => {
      const house = await loadLegislature();
      const random = randomStream(seed, "walk");
      const { all, onward } = sessionMoves(house, random, BILLS);
      const reached = new Set<bigint>();
      for (let step = 0; step < STEPS; step++) {
        // The youngest sessions, now and then one that does not exist.
        const next = (await house.legislation.sessionCount()) + 1n - BigInt(random.int(3));
        const session = next < 0n ? 0n : next;
        const { state } = await house.legislation.sessionOf(session);
        const tries = random.int(3) === 0 ? all : (onward[Number(state)] ?? all);
        await quietly(random.pick(tries)(session));
        if (step % 100 === 99) await requireInvariants(house);
      }
      for (const { args } of await house.legislation.queryFilter(house.legislation.filters.StateChanged())) reached.add(args.to);
      expect(reached.size, "states reached").to.be.at.least(8);
    });
  }
});
