import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "chai";
import { PROJECT } from "../support/cli.ts";

/** Work in a process of its own. */
function run(work: string) {
  const program = `import { whileWorking } from ${JSON.stringify(join(PROJECT, "orchestrator/cli/while-working.ts"))};
    console.log(await whileWorking("stones are counted, about a minute", () => { ${work} }));`;
  return spawnSync(process.execPath, ["--input-type=module-typescript", "--eval", program], { encoding: "utf8" });
}

describe("long work", function () {
  this.timeout(60_000);

  it("is told of on stderr while it blocks the main thread, and its result is all that is on stdout", () => {
    const { status, stdout, stderr } = run("const end = performance.now() + 7_000; while (performance.now() < end); return 42;");
    expect({ status, stdout }).to.deep.equal({ status: 0, stdout: "42\n" });
    expect(stderr).to.match(/^( {3}\d\.\d s {2}… stones are counted, about a minute\n)+$/);
  });

  it("is not mentioned when it is short, and fails as it would by itself", () => {
    expect(run("return 42;")).to.include({ status: 0, stdout: "42\n", stderr: "" });
    const { status, stderr } = run('throw new RangeError("no stones");');
    expect(status).to.equal(1);
    expect(stderr).to.contain("RangeError: no stones");
  });
});
