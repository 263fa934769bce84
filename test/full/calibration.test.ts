import { readFileSync } from "node:fs";
import { expect } from "chai";
import { calibrate, calibrationSchema } from "../../orchestrator/execution/guardian/calibrate.ts";
import { openScorerPair } from "../../orchestrator/execution/guardian/scorers.ts";
import { CALIBRATION_FILE } from "../../scripts/calibrate/page.ts";
import { DEFAULT_TASKS, honestTraces } from "../../scripts/calibrate/traces.ts";

describe("calibration (full)", () => {
  it("gives the committed figures again", async () => {
    const committed = calibrationSchema.parse(JSON.parse(readFileSync(CALIBRATION_FILE, "utf8")));
    const { seed, threshold } = committed;
    const pair = await openScorerPair(["char-ngrams", "word-projection"], {});
    expect(await calibrate(await honestTraces(seed, DEFAULT_TASKS), pair, { threshold, seed })).to.deep.equal(committed);
  }).timeout(600_000);
});
