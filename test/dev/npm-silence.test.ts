import { spawnSync } from "node:child_process";
import { expect } from "chai";
import { root } from "../../scripts/dev/files.ts";

describe(".npmrc", () => {
  it("keeps npm's own lines out of stdout, so that `npm start -- --json` prints one document", () => {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith("npm_config_")));
    const { status, stdout } = spawnSync("npm", ["run", "lock:repair", "--", "--check"], { cwd: root, env, encoding: "utf8" });
    expect({ status, stdout }).to.deep.equal({ status: 0, stdout: "" });
  });
});
