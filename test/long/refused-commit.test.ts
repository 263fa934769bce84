import { join } from "node:path";
import { expect } from "chai";
import type { LocalAccount } from "viem";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/society.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** What it costs to hand nothing in, smallest unit (Table 19). */
const ABSENCE = "50000000";

/**
 * AgentCity B.11.5: an output that the chain refuses stays in escrow, and is offered again 30 s, 2 min and 8 min after it was first
 * refused, while its node's clock runs: a minute, by the devnet's MAX_NODE_TIMEOUT.
 */
describe("fault: the chain refuses a commitment", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let told: string[] = [];
  const refusals = () => told.filter((line) => line.includes("the chain refused its commitment (InvalidSignature)"));

  before(async () => {
    city = await openHome(join(directory(), "home"), "23", { tell: (line) => told.push(line) });
  });
  after(() => city?.close());

  /** Carries out a mission in which for the first work that is committed its executor signs something else so many times. */
  async function carryOut(id: string, times: number): Promise<{ outcome: Outcome; signedAt: readonly bigint[] }> {
    told = [];
    let clumsy: string | undefined;
    const signedAt: bigint[] = [];
    const spoil = (account: LocalAccount): LocalAccount => ({
      ...account,
      signTypedData: async (data) => {
        if (data.primaryType !== "Commit") return account.signTypedData(data);
        const work = `${account.address} ${String(Reflect.get(data.message ?? {}, "node"))}`;
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
      const [first = 0n, ...later] = signedAt;
      expect(later.map((at) => at - first)).to.deep.equal([30n]);
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
    expect(signedAt.map((at) => at - (signedAt[0] ?? 0n))).to.deep.equal([0n, 30n]);
    expect(refusals().at(-1)).to.contain("tried again 120 s after the first");
    expect(outcome).to.include({ status: "completed", slashed: ABSENCE });
    const redone = outcome.nodes.filter(({ attempts }) => attempts > 1);
    expect(redone).to.have.length(1);
    const [clumsy, other] = redone[0]?.executors ?? [];
    const principal = (name = "") => memberOf(city.society, "producer", name).principal;
    expect(clumsy).to.include({ slashed: ABSENCE, paid: "0" });
    expect(principal(other?.agent)).to.not.equal(principal(clumsy?.agent));
    expect(balances(outcome.money)).to.equal(true);
  });
});
