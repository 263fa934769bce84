import { expect } from "chai";
import type { Abi } from "viem";
import { TransactionReverted } from "../../orchestrator/chain/errors.ts";
import { contractAbis } from "../../orchestrator/client/contracts.ts";
import { DIAGNOSES, type Diagnosis, diagnose, diagnoseText } from "../../orchestrator/protocol/diagnoses.ts";

const errorsOf = (abi: Abi) => abi.flatMap((item) => (item.type === "error" ? [item] : []));
const all = Object.values<Abi>(contractAbis).flatMap(errorsOf);

describe("diagnoses", () => {
  it("are of errors that the contracts have, and name values that these give", () => {
    for (const [name, { means, helps }] of Object.entries<Diagnosis>(DIAGNOSES)) {
      const forms = all.filter((error) => error.name === name);
      expect(forms, name).to.not.have.length(0);
      for (const [, isTime, place] of `${means} ${helps}`.matchAll(/\{(time )?(\d)\}/g))
        for (const { inputs } of forms) {
          const input = inputs[Number(place)];
          expect(input, `${name} has a value ${place}`).to.not.equal(undefined);
          if (isTime !== undefined) expect(input?.type, `${name}: ${input?.name} is a moment`).to.equal("uint40");
        }
    }
  });

  it("cover whatever an adjudicator can be told by the panel, the watchdog and the roster", () => {
    // Of encoding, libraries and other contracts as callers: no person can do anything about them.
    const between =
      /^(DataLength|NotOfThisAct|OutOfRange|InvalidShortString|StringTooLong|SafeCast\w+|SafeERC20\w+|Reentrancy\w+|NotGovernor|NotExecution|Shortfall|NothingTo(Withdraw|Collect)|NothingAtStake)$/;
    for (const contract of ["AdjudicationProcedure", "AdjudicatorWatchdog", "AdjudicatorRoster"] as const)
      for (const { name } of errorsOf(contractAbis[contract]))
        if (!between.test(name)) expect(Object.hasOwn(DIAGNOSES, name), name).to.equal(true);
  });

  it("say the same from a refusal's parts as from its text, and nothing of what is not known", () => {
    const parts = diagnose("ParameterOutOfRange", [3n, 9n, 1n, 5n]);
    expect(parts?.means).to.equal("the value 9 is outside the range 1 to 5");
    expect(diagnoseText("ParameterOutOfRange(3, 9, 1, 5)")).to.deep.equal(parts);
    expect(diagnose("CityIsStopped", [1_764_072_000n])?.means).to.contain("2025-11-25T12:00:00.000Z");
    expect(diagnose("CityIsStopped", [2n ** 200n])?.means, "no calendar has it").to.contain("second ");
    for (const nothing of ["", "toString", "Nowhere(1)", "unknown error 0x12345678", "<script>("])
      expect(diagnoseText(nothing), nothing).to.equal(undefined);
  });

  it("stand in the error that the command line and the gateway give", () => {
    const error = new TransactionReverted({
      phase: "simulated",
      what: "act",
      reason: "StaleCase(0x1, 0x2)",
      errorName: "StaleCase",
      args: ["0x1", "0x2"],
    });
    expect(error.toPlain()).to.deep.include({
      details: "the state has changed since this was drafted",
      action: "review the current state, and draft it again",
    });
    const unknown = new TransactionReverted({ phase: "simulated", what: "act", reason: "no reason given" });
    expect(unknown.toPlain()).to.not.have.any.keys("details", "action");
  });
});
