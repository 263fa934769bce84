import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { bundleOf } from "../../../orchestrator/execution/sandbox/bundle.ts";
import { keptBundle } from "../../../orchestrator/execution/sandbox/kept-bundles.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const FOLDER = join(root, "node_modules/.cache/agentcity/own-bundles");

describe("execution/sandbox/kept-bundles", () => {
  /** A source of this project for the length of a test. */
  const source = join(root, `test/execution/sandbox/kept-${process.pid}.ts`);
  let made = 0;
  const bundle = (options: unknown = { test: process.pid }) =>
    keptBundle(source, options, async (seen) => {
      made += 1;
      const bytes = readFileSync(source);
      seen(source, bytes);
      return bundleOf(bytes);
    });
  const before = new Set(existsSync(FOLDER) ? readdirSync(FOLDER) : []);
  const added = () => readdirSync(FOLDER).filter((name) => !before.has(name));

  beforeEach(() => {
    made = 0;
    writeFileSync(source, `export default ${Math.PI};`);
  });
  afterEach(() => {
    rmSync(source);
    for (const name of added()) if (readFileSync(join(FOLDER, name), "utf8").includes(`kept-${process.pid}.ts`)) rmSync(join(FOLDER, name));
  });

  it("makes a bundle once, and again after a change of its source or its options", async () => {
    const first = await bundle();
    expect(await bundle()).to.deep.equal(first);
    expect(made).to.equal(1);
    writeFileSync(source, "export default 2;");
    expect((await bundle()).codeHash).not.to.equal(first.codeHash);
    expect(made).to.equal(2);
    await bundle({ test: "other" });
    expect(made).to.equal(3);
  });

  it("is read once by a process, whatever the files' dates, until its source is written to, even with the same bytes", async () => {
    let kept = await bundle();
    // The clock of files is coarse: what was written within one tick of it is read again.
    for (let next = await bundle(); next !== kept; next = await bundle()) {
      kept = next;
      await setImmediate();
    }
    writeFileSync(source, `export default ${Math.PI};`);
    const again = await bundle();
    expect(again, "read again").to.not.equal(kept);
    expect(again).to.deep.equal(kept);
    expect(made, "and found to be the same").to.equal(1);
    writeFileSync(source, "export default 3;");
    expect((await bundle()).codeHash).to.not.equal(kept.codeHash);
    rmSync(source);
    writeFileSync(source, `export default ${Math.E};`);
    expect((await bundle()).codeHash).to.not.equal(kept.codeHash);
    expect(made).to.equal(3);
  });

  it("does not believe a kept bundle that is damaged", async () => {
    const first = await bundle();
    const [place] = added().filter((name) => readFileSync(join(FOLDER, name), "utf8").includes(`kept-${process.pid}.ts`));
    const path = join(FOLDER, place ?? "");
    const whole = readFileSync(path, "utf8");
    for (const damaged of ["", "\n", "no line", whole.slice(0, -1), whole.replace("3.14", "3.15"), `${whole.slice(0, 66)}\n{}`]) {
      writeFileSync(path, damaged);
      expect(await bundle(), damaged).to.deep.equal(first);
    }
    expect(made).to.equal(7);
  });
});
