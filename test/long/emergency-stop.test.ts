import { join } from "node:path";
import { expect } from "chai";
import { zeroAddress, zeroHash } from "viem";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf, membersOf } from "../../orchestrator/city/founding/society.ts";
import { signOrder } from "../../orchestrator/client/sign/order.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { actionNumber } from "../../orchestrator/protocol/actions.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, missionsOf, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** An adjudicator stops a whole mission while its first work is being verified: nobody clears the stop, or two adjudicators do. */
describe("scenario: an emergency stop", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  let isStopped = false;
  const lines: string[] = [];

  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    const mission = (await missionsOf(city)).at(-1) as Address;
    const adjudicator = memberOf(city.society, "adjudicator", "adjudicator-1").account;
    const because = "A test stops this mission.";
    city.blocks.put(new TextEncoder().encode(because));
    const deadline = Number(city.client.chain.clock.now()) + 3_600;
    const message = {
      action: actionNumber("EMERGENCY_STOP"),
      mission,
      node: 0,
      target: zeroAddress,
      data: "0x",
      because,
      caseHash: zeroHash,
      salt: 1n,
      deadline,
    } as const;
    const signature = await signOrder(city.client, adjudicator, message);
    await city.client.adjudication.act([message, [{ adjudicator: adjudicator.address, signature }]], {
      intent: intentKey("test", "stop", mission),
    });
  };

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "19", {
      boundary: async (name) => (name === "execution:committed" ? stop() : undefined),
      progress: (line) => lines.push(line),
    });
    outcome = await carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv), { id: "stopped", home });
  });
  after(() => city?.close());

  it("lets finish what was committed and routes nothing more", () => {
    const states = new Set(outcome.nodes.map(({ state }) => state));
    expect(states).to.include("COMPLETED");
    expect([...states].filter((state) => !["COMPLETED", "ELIGIBLE", "WAITING"].includes(state))).to.deep.equal([]);
    expect(lines.filter((line) => line.startsWith("EMERGENCY STOP"))).to.have.length(1);
  });

  it("ends with the mission's time: the finished work is paid, the rest goes back, nobody is slashed", async () => {
    expect(outcome.status).to.equal("aborted");
    expect(balances(outcome.money)).to.equal(true);
    expect(BigInt(outcome.money.paid) > 0n && BigInt(outcome.money.refunded) > 0n).to.equal(true);
    expect(outcome.slashed).to.equal("0");
    for (const { account } of membersOf(city.society, "producer"))
      expect((await city.client.agents.stakeOf(account.address)).locked).to.equal(0n);
  });

  it("leaves a bundle that an auditor accepts", async () => {
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });

  describe("that two adjudicators clear", () => {
    let cleared: Outcome;

    before(async () => {
      isStopped = false;
      lines.length = 0;
      cleared = await carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv), {
        id: "cleared",
        home: join(directory(), "home"),
        judge: { ...simulatedJudge(city.chain.id), decideResumption: async () => ({ resume: true, justification: "a test clears it" }) },
      });
    });

    it("lets the mission go on to its end, with everybody paid", async () => {
      expect(cleared.status).to.equal("completed");
      expect(balances(cleared.money)).to.equal(true);
      expect(cleared.slashed).to.equal("0");
      const contract = city.client.mission(cleared.mission as Address);
      expect(await contract.history("EmergencyStopped")).to.have.length(1);
      expect((await contract.history("EmergencyCleared")).map(({ args }) => args.cleared)).to.deep.equal([1]);
      const overrides = await city.client.adjudication.history("OverrideExecuted", { mission: cleared.mission as Address });
      const clearing = overrides.filter(({ args }) => args.action === actionNumber("CLEAR_EMERGENCY_STOP"));
      expect(clearing.map(({ args }) => args.adjudicators.length)).to.deep.equal([2]);
    });
  });
});
