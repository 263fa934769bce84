import { readFileSync } from "node:fs";
import { expect } from "chai";
import { stringToHex } from "viem";
import { faultClass, faultClasses, faultType, faultTypes } from "../../../orchestrator/rules/faults.ts";
import { type Harness, openHarness } from "../harness.ts";

const SCHEDULE = readFileSync(new URL("../../../contracts/libraries/SlashingSchedule.sol", import.meta.url), "utf8");
const REASONS = [...SCHEDULE.matchAll(/bytes32 internal constant \w+ = "(\w+)";/g)].flatMap(([, reason]) => reason ?? []);
const TIERS = [0, 1, 2, 3];

describe("Faults", () => {
  let harness: Harness;
  before(async () => {
    harness = await openHarness("FaultsHarness");
  });

  it("agrees with its twin on every reason in every tier, and on a reason that nobody knows", async () => {
    expect(REASONS).to.include.members(["CLEARED_FAIL", "NO_BIDS", "TIMEOUT"]);
    const cases = [...REASONS, "SOMETHING_ELSE"].flatMap((reason) => TIERS.map((tier) => ({ reason, tier })));
    const onChain = cases.map(({ reason, tier }) => ({ reason: stringToHex(reason, { size: 32 }), tier }));
    const answers = await harness.call<{ fault: bigint; class: bigint }[]>("classify", onChain);
    expect(answers.map(({ fault, class: number }) => [faultTypes[Number(fault)], faultClasses[Number(number)]])).to.deep.equal(
      cases.map(({ reason, tier }) => {
        const fault = faultType(reason, tier);
        return [fault, faultClass(fault, tier)];
      }),
    );
  });

  /** AgentCity B.11.4, step 1. */
  it("puts the paper's six types into the paper's three classes", () => {
    const classes = (reason: string) => TIERS.slice(1).map((tier) => faultClass(faultType(reason, tier), tier));
    expect(classes("CLEARED_FAIL")).to.deep.equal(["SERVICE", "SPECIFICATION", "BEHAVIOUR"]);
    expect(classes("REJECTED")).to.deep.equal(["SERVICE", "BEHAVIOUR", "BEHAVIOUR"]);
    expect(classes("CODE_HASH_MISMATCH")).to.deep.equal(["SERVICE", "SERVICE", "SERVICE"]);
    expect(classes("TIMEOUT")).to.deep.equal(["SERVICE", "SERVICE", "SERVICE"]);
    expect(classes("FREEZE_CONFIRMED")).to.deep.equal(["BEHAVIOUR", "BEHAVIOUR", "BEHAVIOUR"]);
    expect(classes("NOT_ROUTED")).to.deep.equal(["SERVICE", "SERVICE", "SERVICE"]);
  });
});
