import { join } from "node:path";
import { expect } from "chai";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { actionNumber } from "../../orchestrator/protocol/actions.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, missionsOf, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** Records and chain differ before any work (decision 79): somebody confirms it, two adjudicators let it pass, or nobody comes. */
describe("scenario: a mission suspended because its records and the chain differ", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  let city: City;

  before(async () => {
    city = await openHome(join(directory(), "home"), "29");
    // What the city reads of the chain is not what is there.
    Object.assign(city.client.templates, { isGenuine: async () => false });
  });
  after(() => city?.close());

  type Resumption = ReturnType<typeof simulatedJudge>["decideResumption"];
  const run = (
    id: string,
    decideResumption: (...subject: Parameters<Resumption>) => Promise<Awaited<ReturnType<Resumption>> | undefined>,
  ) =>
    carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv), {
      id,
      home: join(directory(), "home"),
      judge: { ...simulatedJudge(city.chain.id), decideResumption },
    });
  const contractOf = ({ mission }: Outcome) => city.client.mission(mission as Address);
  const acts = (outcome: Outcome, action: Parameters<typeof actionNumber>[0]) =>
    contractOf(outcome).history("Overridden", { action: actionNumber(action) });

  it("is suspended on chain, and stays so when an adjudicator confirms it: no work, no pay, no slash", async () => {
    const outcome = await run("confirmed", async () => ({ resume: false, justification: "a test confirms it" }));
    const contract = contractOf(outcome);
    expect((await contract.history("MissionSuspended")).map(({ args }) => args.by)).to.have.length(1);
    expect(await acts(outcome, "EMERGENCY_STOP")).to.have.length(1);
    expect(await contract.history("Routed")).to.have.length(0);
    expect(await contract.history("SuspensionLapsed")).to.have.length(0);
    expect([outcome.status, outcome.released, outcome.slashed]).to.deep.equal(["aborted", false, "0"]);
    expect(balances(outcome.money)).to.equal(true);
  });

  it("goes on when two adjudicators let it pass", async () => {
    const outcome = await run("passed", async () => ({ resume: true, justification: "a test lets it pass" }));
    expect(await contractOf(outcome).history("MissionSuspended")).to.have.length(1);
    expect(await acts(outcome, "CLEAR_EMERGENCY_STOP")).to.have.length(1);
    expect(outcome.status).to.equal("completed");
    expect(balances(outcome.money)).to.equal(true);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });

  it("lapses when nobody comes: it is counted against the monitor, and the city works no more on it", async () => {
    const outcome = await run("unheard", async () => {
      const mission = (await missionsOf(city)).at(-1) as Address;
      const { suspendedUntil } = await city.client.mission(mission).watch();
      await city.chain.clock.sleepUntil(BigInt(suspendedUntil));
      return undefined;
    });
    expect(await contractOf(outcome).history("SuspensionLapsed")).to.have.length(1);
    const [counted] = await city.client.evidence.history("LapseCounted");
    expect(counted?.args.dismissed).to.equal(false);
    expect(outcome.status).to.equal("aborted");
    expect(balances(outcome.money)).to.equal(true);
  });
});
