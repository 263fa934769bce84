import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/dev/files.ts";
import { differs, pack, unpack } from "../../scripts/dev/shipped-artifacts.ts";

const CONSTITUTION = "contracts/foundational/ConstitutionContract.sol/ConstitutionContract.json";
const MARKET = "contracts/meta/ExecutionProcedure.sol/ExecutionProcedure.json";
const INTERFACE = "contracts/interfaces/IPredicate.sol/IPredicate.json";

describe("the shipped contracts", () => {
  let folder: string;
  /** A contract and an interface of the compiled ones: packing all takes seconds. */
  let compiled: string;
  let place: string;
  const archive = () => join(folder, "contracts.json.br");

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "shipped-"));
    [compiled, place] = [join(folder, "compiled"), join(folder, "artifacts")];
    for (const path of [CONSTITUTION, INTERFACE]) cpSync(join(root, "artifacts", path), join(compiled, path));
    pack(folder, compiled, "inputs");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("are what these sources compile to", () => {
    const { status, stderr } = spawnSync(process.execPath, ["scripts/dev/compile.ts", "--check"], { cwd: root, encoding: "utf8" });
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: "" });
  });

  it("hold what a deployment reads, and are the same bytes each time", () => {
    expect(unpack(folder, place, "inputs")).to.equal(undefined);
    const whole: unknown = JSON.parse(readFileSync(join(compiled, CONSTITUTION), "utf8"));
    const { immutableReferences, ...unpacked } = JSON.parse(readFileSync(join(place, CONSTITUTION), "utf8"));
    expect(Object.keys(unpacked)).to.have.length(6);
    expect(whole).to.deep.include(unpacked);
    expect(whole)
      .to.have.property("immutableReferences")
      .that.satisfies((references: object) => {
        expect(Object.values(references)).to.have.deep.members(Object.values(immutableReferences));
        return true;
      });
    expect(existsSync(join(place, INTERFACE))).to.equal(false);
    const bytes = readFileSync(archive());
    pack(folder, compiled, "inputs");
    expect(readFileSync(archive()).equals(bytes)).to.equal(true);
  });

  it("do not depend on what else was compiled beside them, which the names of immutables do", () => {
    const file = join(compiled, MARKET);
    cpSync(join(root, "artifacts", MARKET), file);
    pack(folder, compiled, "inputs");
    const artifact: { immutableReferences: Record<string, unknown> } = JSON.parse(readFileSync(file, "utf8"));
    const names = Object.keys(artifact.immutableReferences);
    expect(names.length).to.be.greaterThan(1);
    const renamed = names.toReversed().map((name, index) => [String(7_000 + index), artifact.immutableReferences[name]]);
    writeFileSync(file, JSON.stringify({ ...artifact, immutableReferences: Object.fromEntries(renamed) }));
    expect(differs(folder, compiled, "inputs")).to.equal(undefined);
  });

  it("are not used for other sources", () => {
    expect(unpack(folder, place, "others")).to.equal("a contract or a tool was changed");
    expect(differs(folder, compiled, "others")).to.equal("it was made from other sources");
    expect(existsSync(place)).to.equal(false);
  });

  it("are not used when a byte of them changed, or one is missing", () => {
    const [mine, manifest] = [readFileSync(archive()), readFileSync(join(folder, "contracts.manifest.json"))];
    const file = join(compiled, CONSTITUTION);
    writeFileSync(file, readFileSync(file, "utf8").replace('"bytecode": "0x60', '"bytecode": "0x61'));
    expect(differs(folder, compiled, "inputs")).to.equal("these sources compile to something else");
    pack(folder, compiled, "inputs");
    expect(readFileSync(archive()).equals(mine)).to.equal(false);
    writeFileSync(join(folder, "contracts.manifest.json"), manifest);
    expect(unpack(folder, place, "inputs")).to.equal("deploy/shipped is damaged");
    for (const damaged of [mine.subarray(0, -1), mine.map((byte, index) => (index === 1000 ? byte ^ 1 : byte))]) {
      writeFileSync(archive(), damaged);
      expect(unpack(folder, place, "inputs")).to.match(/^deploy\/shipped is damaged/);
    }
    rmSync(archive());
    expect(unpack(folder, place, "inputs")).to.match(/^deploy\/shipped is damaged/);
    expect(existsSync(place)).to.equal(false);
  });
});
