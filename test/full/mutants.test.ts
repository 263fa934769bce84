import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const runner = fileURLToPath(new URL("../mutants/run.ts", import.meta.url));

describe("every mutant", () => {
  it("is killed by the test it names", function () {
    this.timeout(3_500_000);
    const { status, stdout } = spawnSync(process.execPath, [runner], { encoding: "utf8" });
    expect(status, stdout).to.equal(0);
  });
});
