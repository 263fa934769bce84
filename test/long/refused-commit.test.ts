import { join } from "node:path";
import { expect } from "chai";
import type { LocalAccount } from "viem";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { amend, carryOutIn, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** What it costs to hand nothing in, smallest unit (Table 19). */
const ABSENCE = "50000000";

/**
 * AgentCity B.11.5: an output that the chain refuses stays in escrow, and is offered again 30 s, 2 min and 8 min after it was first
 * refused, while its node's clock runs: a minute, by the devnet's MAX_NODE_TIMEOUT; ten after adjudicators have amended it.
 */
describe("fault: the chain refuses a commitment", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  let city: City;
  let told: string[] = [];
  const refusals = () => told.filter((line) => line.includes("the chain refused its commitment (InvalidSignature)"));

  before(async () => {
    city = await openHome(join(directory(), "home"), "23", { progress: (line) => told.push(line) });
  });
  after(() => city?.close());

  const sinceFirst = (times: readonly bigint[]) => times.map((at) => at - (times[0] ?? 0n));

  /** Carries out a mission in which for the first work that is committed its executor signs something else so many times. */
  async function carryOut(id: string, times: number): Promise<{ outcome: Outcome; signedAt: readonly bigint[] }> {
    told = [];
    let clumsy: string | undefined;
    const signedAt: bigint[] = [];
    const spoil = (account: LocalAccount): LocalAccount => ({
      ...account,
      signTypedData: async (data) => {
        if (data.primaryType !== "Commits") return account.signTypedData(data);
        const slots: unknown = Reflect.get(data.message ?? {}, "slots");
        // One signature for one work: only its own fate hangs on it.
        if (!Array.isArray(slots) || slots.length !== 1) return account.signTypedData(data);
        const work = `${account.address} ${String(slots)}`;
        clumsy ??= work;
        if (clumsy !== work) return account.signTypedData(data);
        signedAt.push(city.chain.clock.now());
        return signedAt.length > times ? account.signTypedData(data) : account.signMessage({ message: "something else" });
      },
    });
    const society = city.society.map((member) => (member.role === "producer" ? { ...member, account: spoil(member.account) } : member));
    const text = smallMission(smallInputs(directory(), CALM_ROWS).csv);
    const outcome = await carryOutIn({ ...city, society }, text, { id, home: join(directory(), "home") });
    return { outcome, signedAt };
  }

  describe("once", () => {
    let outcome: Outcome;
    let signedAt: readonly bigint[];
    before(async () => {
      ({ outcome, signedAt } = await carryOut("once", 1));
    });

    it("takes it 30 s later, from the same executor", () => {
      expect(sinceFirst(signedAt)).to.deep.equal([0n, 30n]);
      expect(refusals()).to.have.length(1);
      expect(outcome.nodes.map(({ state, attempts }) => [state, attempts])).to.deep.equal(outcome.nodes.map(() => ["COMPLETED", 1]));
    });

    it("costs nobody anything, and leaves a bundle that an auditor accepts", async () => {
      expect(outcome).to.include({ status: "completed", slashed: "0" });
      expect(balances(outcome.money)).to.equal(true);
      expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
    });
  });

  it("again and again: the node fails by its own clock, its executor is charged, and another does it", async () => {
    const { outcome, signedAt } = await carryOut("again", Number.POSITIVE_INFINITY);
    expect(sinceFirst(signedAt)).to.deep.equal([0n, 30n]);
    expect(refusals().at(-1)).to.contain("submitted again 120 s after the first refusal");
    expectReplaced(outcome);
  });

  /** The executor is charged for its absence, and one of another principal does the work. */
  function expectReplaced(outcome: Outcome): void {
    expect(outcome).to.include({ status: "completed", slashed: ABSENCE });
    const redone = outcome.nodes.filter(({ attempts }) => attempts > 1);
    expect(redone).to.have.length(1);
    const [clumsy, other] = redone[0]?.executors ?? [];
    const principal = (name = "") => memberOf(city.society, "producer", name).principal;
    expect(clumsy).to.include({ slashed: ABSENCE, paid: "0" });
    expect(principal(other?.agent)).to.not.equal(principal(clumsy?.agent));
    expect(balances(outcome.money)).to.equal(true);
  }

  describe("under a constitution that gives a node ten minutes", () => {
    before(() => amend(city, "MAX_NODE_TIMEOUT", 600n));

    for (const [times, delays] of [
      [2, [0n, 30n, 120n]],
      [3, [0n, 30n, 120n, 480n]],
    ] as const) {
      it(`${times} times: takes it ${delays.at(-1)} s after the first, from the same executor, at no cost`, async () => {
        const { outcome, signedAt } = await carryOut(`${times} times`, times);
        expect(sinceFirst(signedAt)).to.deep.equal(delays);
        expect(refusals()).to.have.length(times);
        expect(outcome).to.include({ status: "completed", slashed: "0" });
        expect(outcome.nodes.map(({ state, attempts }) => [state, attempts])).to.deep.equal(outcome.nodes.map(() => ["COMPLETED", 1]));
        expect(balances(outcome.money)).to.equal(true);
        expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
      });
    }

    it("at every chance: it is offered no more, and the node fails by its own clock", async () => {
      const { outcome, signedAt } = await carryOut("at every chance", Number.POSITIVE_INFINITY);
      expect(sinceFirst(signedAt)).to.deep.equal([0n, 30n, 120n, 480n]);
      expect(refusals().at(-1)).to.contain("out of attempts");
      expectReplaced(outcome);
    });
  });
});
