import { expect } from "chai";
import { metricsOf, type SessionRecord } from "../../orchestrator/legislature/metrics.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { packRanking } from "../../orchestrator/rules/condorcet.ts";
import { address } from "../support/goals.ts";

/** Rankings by voter: voter i ranks `orders[i]`. */
const rankings = (...orders: readonly (readonly number[])[]) =>
  new Map(orders.map((order, voter) => [address(voter + 1), packRanking(order)]));

const record = (changes: Partial<SessionRecord>): SessionRecord => ({
  electorate: 10,
  ballot: [0, 1, 2, 3],
  proposed: [1, 2, 3],
  straws: new Map(),
  ballots: new Map(),
  participants: new Set(),
  moves: [],
  ...changes,
});
const measured = (changes: Partial<SessionRecord>) => metricsOf(record(changes));

describe("metrics of a session", () => {
  it("count ballots and participants against the electorate", () => {
    const { turnout, lpr } = measured({ ballots: rankings([0, 1, 2, 3], [1, 0, 2, 3]), participants: new Set([1, 2, 3].map(address)) });
    expect(turnout).to.deep.equal({ part: 2, whole: 10 });
    expect(lpr).to.deep.equal({ part: 3, whole: 10 });
  });

  it("call nothing 0 of 0 that was not there to be measured", () => {
    const nothing = { part: 0, whole: 0 };
    const { dsi, msr, pvrr, cfr, dvr } = measured({ ballots: rankings([0, 1, 2, 3]) });
    expect([dsi, msr, pvrr, cfr, dvr]).to.deep.equal([nothing, nothing, nothing, nothing, nothing]);
  });

  describe("shift of a debate (DSI)", () => {
    it("is 0 of all pairs when nobody moved, all of them when everybody turned round", () => {
      const orders = [
        [0, 1, 2, 3],
        [3, 1, 0, 2],
      ];
      const straws = rankings(...orders);
      expect(measured({ straws, ballots: straws }).dsi).to.deep.equal({ part: 0, whole: 12 });
      expect(measured({ straws, ballots: rankings(...orders.map((order) => order.toReversed())) }).dsi).to.deep.equal({
        part: 12,
        whole: 12,
      });
    });

    it("leaves out whoever gave only one of the two rankings", () => {
      const straws = rankings([0, 1, 2, 3], [0, 1, 2, 3]);
      expect(measured({ straws, ballots: rankings([1, 0, 2, 3]) }).dsi).to.deep.equal({ part: 1, whole: 6 });
    });

    it("is the number of pairs that changed places, counted one by one", () => {
      const random = randomStream(7, "shift");
      for (let round = 0; round < 50; round += 1) {
        const m = 2 + random.int(15);
        const entries = Array.from({ length: m }, (_, entry) => entry);
        const [before, after] = [random.shuffle(entries), random.shuffle(entries)];
        let moved = 0;
        for (const a of entries)
          for (const b of entries) if (before.indexOf(a) < before.indexOf(b) && after.indexOf(a) > after.indexOf(b)) moved += 1;
        const { dsi } = measured({ ballot: entries, straws: rankings(before), ballots: rankings(after) });
        expect(dsi).to.deep.equal({ part: moved, whole: (m * (m - 1)) / 2 });
      }
    });
  });

  describe("survival of minorities (MSR)", () => {
    const first = (entry: number) => [entry, ...[0, 1, 2, 3].filter((other) => other !== entry)];
    const straws = rankings(...[1, 1, 1, 2, 3].map(first));

    it("counts dissenting proposals with more than a tenth of the first places", () => {
      expect(measured({ straws, ballots: rankings(...[1, 1, 1, 2, 3].map(first)) }).msr).to.deep.equal({ part: 2, whole: 2 });
      expect(measured({ straws, ballots: rankings(...[1, 1, 1, 1, 3].map(first)) }).msr).to.deep.equal({ part: 1, whole: 2 });
      expect(measured({ straws, ballots: rankings(...[1, 1, 1, 1, 1].map(first)) }).msr).to.deep.equal({ part: 0, whole: 2 });
    });

    it("does not count a tenth as more than a tenth", () => {
      const ballots = (others: number) => rankings(...Array.from({ length: others }, () => first(1)), first(2));
      expect(measured({ straws, ballots: ballots(9) }).msr.part).to.equal(0);
      expect(measured({ straws, ballots: ballots(8) }).msr.part).to.equal(1);
    });

    it("counts proposals that never reached the ballot as not surviving, by number of candidate and not of entry", () => {
      const changes = { ballot: [0, 2, 4, 5], proposed: [1, 2, 3, 4, 5], straws, ballots: straws };
      expect(measured(changes).msr).to.deep.equal({ part: 2, whole: 4 });
    });

    it("never takes no law for the majority's proposal", () => {
      const nobody = rankings(...[0, 0, 0, 2, 3].map(first));
      expect(measured({ straws: nobody, ballots: nobody }).msr).to.deep.equal({ part: 1, whole: 2 });
    });
  });

  it("tell where a law stopped (PVRR, CFR, DVR)", () => {
    const arc = (from: SessionRecord["moves"][number]["from"], to: SessionRecord["moves"][number]["to"]) => ({ from, to });
    const [no, yes, nothing] = [
      { part: 0, whole: 1 },
      { part: 1, whole: 1 },
      { part: 0, whole: 0 },
    ];
    const rates = (...moves: SessionRecord["moves"]) => {
      const { pvrr, cfr, dvr } = measured({ moves });
      return [pvrr, cfr, dvr];
    };
    const validated = arc("TALLIED", "VALIDATED");
    const codified = arc("VALIDATED", "CODIFIED");
    expect(rates(validated, codified, arc("CODIFIED", "DEPLOYED"))).to.deep.equal([no, yes, yes]);
    expect(rates(arc("TALLIED", "EXPIRED"))).to.deep.equal([yes, nothing, nothing]);
    expect(rates(validated, arc("VALIDATED", "EXPIRED"))).to.deep.equal([no, no, nothing]);
    expect(rates(validated, codified, arc("CODIFIED", "EXPIRED"))).to.deep.equal([no, yes, no]);
    expect(rates(validated, codified, arc("CODIFIED", "CANCELLED"))).to.deep.equal([no, yes, nothing]);
  });
});
