import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/dev/files.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

describe(".npmrc", function () {
  this.timeout(60_000);
  const directory = temporaryDirectory();
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith("npm_config_")));

  it("keeps npm's own lines out of stdout, so that `npm start -- --json` prints one document", () => {
    const { status, stdout } = spawnSync("npm", ["run", "lock:repair", "--", "--check"], { cwd: root, env, encoding: "utf8" });
    expect({ status, stdout }).to.deep.equal({ status: 0, stdout: "" });
  });

  it("lets `npm ci --loglevel=error`, as the README has it, say what it did and why it failed", () => {
    copyFileSync(join(root, ".npmrc"), join(directory(), ".npmrc"));
    const write = (name: string, value: object) => writeFileSync(join(directory(), name), JSON.stringify(value));
    const own = { name: "of-a-user", version: "1.0.0" };
    write("package.json", own);
    write("package-lock.json", { ...own, lockfileVersion: 3, requires: true, packages: { "": own } });
    const install = () => spawnSync("npm", ["ci", "--loglevel=error", "--offline"], { cwd: directory(), env, encoding: "utf8" });
    const good = install();
    expect(good.status, good.stderr).to.equal(0);
    expect(good.stdout).to.contain("up to date");
    rmSync(join(directory(), "package-lock.json"));
    const bad = install();
    expect(bad.status).to.equal(1);
    expect(bad.stderr).to.contain("existing package-lock.json");
  });
});
