import { expect } from "chai";
import { blocsAmong, MIN_BLOC } from "../../orchestrator/clerks/blocs.ts";
import type { RecordedBallot } from "../../orchestrator/client/recorded-ballots.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { packRanking } from "../../orchestrator/rules/condorcet.ts";
import { isCorrelated } from "../../orchestrator/rules/rank-correlation.ts";
import { electionOf, findingsIn, THRESHOLDS } from "../support/bloc-study.ts";
import { expectOrder } from "../support/fractions.ts";
import { address } from "../support/goals.ts";

const M = 8;
const ENTRIES = Array.from({ length: M }, (_, entry) => entry);
const cast = (orders: readonly (readonly number[])[]): RecordedBallot[] =>
  orders.map((order, index) => ({ agent: address(index + 1), ranking: packRanking(order) }));
const shuffled = (seed: number, count: number) => {
  const stream = randomStream(seed, "blocs");
  return Array.from({ length: count }, () => stream.shuffle(ENTRIES));
};
const told = [3, 1, 4, 0, 5, 2, 6, 7];
/** The same with neighbours at those places exchanged. */
const exchanged = (...places: readonly number[]) => {
  const order = [...told];
  for (const place of places) [order[place], order[place + 1]] = [order[place + 1]!, order[place]!];
  return order;
};
const voters = (numbers: readonly number[]): Address[] => numbers.map((number) => address(number + 1));

describe("what the Regulator flags", () => {
  it("five who rank the same among forty, whoever they are; the first of them leads", () => {
    const orders = shuffled(1, 40);
    for (const voter of [7, 11, 23, 30, 39]) orders[voter] = [...told];
    expect(blocsAmong(cast(orders), M, THRESHOLDS)).to.deep.equal([{ leader: address(8), members: voters([11, 23, 30, 39]) }]);
  });

  it("not four, not whom fewer than half disagree with, not two who are alike only through a third", () => {
    const four = shuffled(1, 40);
    for (const voter of [7, 11, 23, 30]) four[voter] = [...told];
    expect(blocsAmong(cast(four), M, THRESHOLDS)).to.deep.equal([]);
    const most = shuffled(1, 10);
    for (const voter of [0, 1, 2, 3, 4, 5]) most[voter] = [...told];
    expect(blocsAmong(cast(most), M, THRESHOLDS)).to.deep.equal([]);
    // Each is one exchange from the first, two from each other: τ of two exchanges is 0.857.
    const chain = shuffled(1, 40);
    for (const [voter, order] of [told, exchanged(3), exchanged(4), exchanged(5), exchanged(6)].entries()) chain[voter] = order;
    expect(blocsAmong(cast(chain), M, THRESHOLDS)).to.deep.equal([]);
  });

  it("members one exchange from their leader too, and two blocs as two", () => {
    const orders = shuffled(2, 60);
    const other = [7, 6, 5, 4, 3, 2, 1, 0];
    for (const voter of [1, 2, 3, 4]) orders[voter] = [...told];
    orders[5] = exchanged(5);
    for (const voter of [20, 30, 40, 50, 59, 0]) orders[voter] = [...other];
    expect(blocsAmong(cast(orders), M, THRESHOLDS)).to.deep.equal([
      { leader: address(1), members: voters([20, 30, 40, 50, 59]) },
      { leader: address(2), members: voters([2, 3, 4, 5]) },
    ]);
  });

  it("not a ranking that is common where its neighbours are common too", () => {
    // Six hold one order, fourteen err from it by one exchange and ten by two: 24 voters on the 34 rankings around six.
    const orders = shuffled(3, 40);
    for (let voter = 0; voter < 6; voter += 1) orders[voter] = [...told];
    for (let voter = 6; voter < 20; voter += 1) orders[voter] = exchanged(voter % 7);
    const pairs = [0, 1, 2, 3].flatMap((first) => [2, 3, 4].map((apart) => [first, first + apart])).filter(([, second]) => second! < 7);
    for (const [index, places] of pairs.slice(0, 10).entries()) orders[20 + index] = exchanged(...places);
    expect(blocsAmong(cast(orders), M, THRESHOLDS)).to.deep.equal([]);
  });

  it("only sets that the contract accepts, disjoint and large enough, in any electorate", () => {
    let found = 0;
    for (let seed = 0; seed < 40; seed += 1) {
      const stream = randomStream(seed, "electorate");
      const m = 4 + stream.int(6);
      const centers = Array.from({ length: 4 }, () => stream.shuffle(Array.from({ length: m }, (_, entry) => entry)));
      const ballots = cast(Array.from({ length: 60 }, () => (stream.next() < 0.3 ? stream.pick(centers) : stream.shuffle(centers[0]!))));
      const rankingOf = new Map(ballots.map(({ agent, ranking }) => [agent, ranking]));
      const blocs = blocsAmong(ballots, m, THRESHOLDS);
      const all = blocs.flatMap(({ leader, members }) => [leader, ...members]);
      expect(new Set(all).size).to.equal(all.length);
      for (const { leader, members } of blocs) {
        const bloc = [leader, ...members];
        found += 1;
        expect(bloc.length).to.be.within(MIN_BLOC, 30);
        for (const a of bloc)
          for (const b of bloc)
            expect(isCorrelated(rankingOf.get(a)!, rankingOf.get(b)!, m, THRESHOLDS.blocTau, THRESHOLDS.blocJaccard)).to.equal(true);
      }
    }
    expect(found).to.be.greaterThan(20);
  });
});

describe("a bloc of five among a hundred honest voters", function () {
  this.timeout(120_000);

  it("is caught in each of ten elections, and hardly any honest pair with it", async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const election = await electionOf({ seed, honest: 100, bloc: 5, candidates: 8, misjudgement: 0.1 });
      const { caught, honestPairs } = findingsIn(election, "identical");
      expect(election.m).to.equal(8);
      expect(caught).to.equal(5);
      expectOrder(honestPairs, "<=", 0.01);
    }
  });
});
