import { expect } from "chai";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { decide } from "../../orchestrator/rules/clearing.ts";
import { batches, harnessOf } from "../contracts/harness.ts";
import { clearingCase } from "../contracts/libraries/clearing-cases.ts";

describe("Clearing, at length", function () {
  this.timeout(1_800_000);
  const harness = harnessOf("ClearingHarness");

  it("agrees with its twin on 100,000 random decisions", async () => {
    const random = randomStream(7, "clearing at length");
    for (let block = 0; block < 100; block += 1) {
      const cases = Array.from({ length: 1000 }, () => clearingCase(random));
      for (const batch of batches(cases))
        expect(await harness.call("decide", batch)).to.deep.equal(batch.map((c) => decide(c.verdicts, c)));
    }
  });
});
