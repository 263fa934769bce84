import { readFileSync } from "node:fs";
import { expect } from "chai";
import { stringToHex } from "viem";
import { faultClass, faultClasses, faultType, faultTypes } from "../../../orchestrator/rules/faults.ts";
import { REASONS } from "../../../orchestrator/rules/reasons.ts";
import { harnessOf } from "../harness.ts";

const SOURCE = readFileSync(new URL("../../../contracts/libraries/Reasons.sol", import.meta.url), "utf8");
const CONSTANTS = [...SOURCE.matchAll(/bytes32 internal constant (\w+) = "(\w+)";/g)].map(([, name, text]) => ({ name, text }));
const TIERS = [0, 1, 2, 3];

describe("Faults", () => {
  const harness = harnessOf("FaultsHarness");

  it("gets its reasons from one list, whose names are their own texts, on chain and off", () => {
    expect(CONSTANTS).to.deep.equal(REASONS.map((reason) => ({ name: reason, text: reason })));
  });

  it("agrees with its twin on every reason in every tier, and on a reason that nobody knows", async () => {
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
