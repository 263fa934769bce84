import { readFileSync } from "node:fs";
import { expect } from "chai";
import { platformOf, repairLock, repairText } from "../../scripts/dev/repair-lock.ts";

describe("package-lock.json", () => {
  it("is in the state that npm ci accepts on every platform and Node", () => {
    const text = readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8");
    expect(repairText(text) === text, "run `npm run lock:repair`").to.equal(true);
  });

  it("has the viem of the console's, which its pages and the city's sources in them share", () => {
    const [own, console] = ["../../package-lock.json", "../../console/package-lock.json"].map(
      (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")).packages["node_modules/viem"].version,
    );
    expect(console).to.equal(own);
  });
});

describe("repairLock", () => {
  it("adds absent packages of other platforms as optional, and only those", () => {
    const tool = {
      version: "1.0.0",
      optionalDependencies: { "@x/tool-linux-x64-musl": "1.0.0", "@x/tool-darwin-arm64": "1.0.0" },
    };
    const present = { version: "1.0.0", optional: true };
    const { packages } = repairLock({
      packages: { "": {}, "node_modules/@x/tool": tool, "node_modules/@x/tool-darwin-arm64": present },
    });
    expect(packages["node_modules/@x/tool-linux-x64-musl"]).to.deep.equal({
      version: "1.0.0",
      os: ["linux"],
      cpu: ["x64"],
      libc: ["musl"],
      optional: true,
    });
    expect(packages["node_modules/@x/tool-darwin-arm64"]).to.deep.equal(present);
  });

  it("keeps a stub out of production installs when its parent is a development tool", () => {
    const tool = { version: "1.0.0", dev: true, optionalDependencies: { "tool-win32-x64": "1.0.0" } };
    const { packages } = repairLock({ packages: { "node_modules/tool": tool } });
    expect(packages["node_modules/tool-win32-x64"]).to.include({ dev: true });
  });

  it("finds a nested package by Node's lookup", () => {
    const tool = { version: "1.0.0", optionalDependencies: { "tool-linux-x64": "1.0.0" } };
    const packages = {
      "node_modules/a/node_modules/tool": tool,
      "node_modules/a/node_modules/tool-linux-x64": { version: "1.0.0" },
    };
    expect(Object.keys(repairLock({ packages }).packages)).to.have.lengthOf(2);
  });

  it("removes the engines of EDR alone", () => {
    const engines = { node: ">= 22" };
    const { packages } = repairLock({
      packages: { "node_modules/@nomicfoundation/edr-linux-x64-gnu": { engines }, "node_modules/other": { engines } },
    });
    expect(packages["node_modules/@nomicfoundation/edr-linux-x64-gnu"]).to.not.have.property("engines");
    expect(packages["node_modules/other"]).to.deep.equal({ engines });
  });

  it("changes nothing the second time", () => {
    const packages = { "node_modules/tool": { version: "1.0.0", optionalDependencies: { "tool-linux-x64": "1.0.0" } } };
    const once = repairLock({ packages });
    expect(repairLock(once)).to.deep.equal(once);
  });

  it("refuses an absent optional package that names no platform", () => {
    const packages = { "node_modules/tool": { optionalDependencies: { helper: "1.0.0" } } };
    expect(() => repairLock({ packages })).to.throw("node_modules/tool: optional helper@1.0.0");
  });
});

describe("platformOf", () => {
  it("reads system, processor and C library from the parts of a name", () => {
    expect(platformOf("@x/tool-linux-arm64-gnu")).to.deep.equal({ os: ["linux"], cpu: ["arm64"], libc: ["glibc"] });
    expect(platformOf("@x/tool-darwin-amd64")).to.deep.equal({ os: ["darwin"], cpu: ["x64"] });
    expect(platformOf("charm-darwinian")).to.equal(undefined);
  });
});
