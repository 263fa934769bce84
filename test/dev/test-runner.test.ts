import { spawnSync } from "node:child_process";
import { expect } from "chai";
import { root } from "../../scripts/dev/files.ts";

/** Runs the test runner on fixture files; the last line of its output is the total. */
function runTests(...fixtures: string[]) {
  const files = fixtures.map((name) => `test/dev/fixtures/${name}.ts`);
  const { status, stdout } = spawnSync(process.execPath, ["scripts/dev/test.ts", ...files], { cwd: root, encoding: "utf8" });
  return { status, stdout, total: stdout.trimEnd().split("\n").at(-1) };
}

describe("npm test", () => {
  it("passes when every test passes", () => {
    const { status, total, stdout } = runTests("passing");
    expect({ status, total }).to.deep.equal({ status: 0, total: "1 passed, 0 failed" });
    expect(stdout, "what it cost").to.match(/^✓ \S+passing\.ts {2}1 passed, 0 failed {2}[\d.]+ s, [\d.]+ s of processor$/m);
  });

  it("adds the totals of all files, and shows what differs", () => {
    const { status, total, stdout } = runTests("passing", "mixed");
    expect({ status, total }).to.deep.equal({ status: 1, total: "2 passed, 1 failed" });
    expect(stdout).to.match(/-\s+"amount": 1\n\s+\+\s+"amount": 2/);
    expect(stdout).to.include("\n1 skipped\n");
  });

  it("fails on a file without tests", () => {
    const { status, total, stdout } = runTests("passing", "empty");
    expect({ status, total }).to.deep.equal({ status: 1, total: "1 passed, 1 failed" });
    expect(stdout).to.include("test/dev/fixtures/empty.ts holds no test");
  });

  it("fails when no file matches", () => {
    const { status, total } = runTests("absent");
    expect({ status, total }).to.deep.equal({ status: 1, total: "0 passed, 0 failed" });
  });

  it("goes on after a test that ends its process, and fails", () => {
    const { status, total } = runTests("crashing", "passing");
    expect({ status, total }).to.deep.equal({ status: 1, total: "1 passed, 1 failed" });
  });

  it("fails a test that leaves a rejection unawaited", () => {
    const { status, total, stdout } = runTests("unawaited");
    expect({ status, total }).to.deep.equal({ status: 1, total: "0 passed, 1 failed" });
    expect(stdout).to.include("Error: late");
  });
});
