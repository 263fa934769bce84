import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { InvalidValue } from "../../orchestrator/primitives/errors.ts";
import { contentIdOf, sha256 } from "../../orchestrator/primitives/hash.ts";
import { canonicalBytes, canonicalJson } from "../../orchestrator/primitives/json.ts";
import { openBundle, receiveBundle, writeBundle } from "../../orchestrator/records/bundle.ts";
import { BundleDamaged, BundleOfAnotherEdition } from "../../orchestrator/records/errors.ts";
import { rejection } from "../support/rejection.ts";

const block = new TextEncoder().encode("a block");
const files = new Map<string, Uint8Array | string>([
  ["log.ndjson", '{"seq":1}\n'],
  ["chain.ndjson", '{"transcript":1}\n'],
  ["report.md", "# Report\n"],
  [`blocks/${contentIdOf(block)}`, block],
  ["blocks/bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku", ""],
]);

describe("a mission's bundle", () => {
  let root: string;
  let dir: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "agentcity-bundle-"));
    dir = join(root, "missions", "0x7c");
    writeBundle(dir, files);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function damage(): BundleDamaged {
    try {
      openBundle(dir);
    } catch (error) {
      if (error instanceof BundleDamaged) return error;
      throw error;
    }
    throw new Error("the damage was not noticed");
  }

  it("is received whole or not at all, and keeps another one of its name beside it", async () => {
    const other = join(root, "other");
    writeBundle(other, new Map([["log.ndjson", "another city's\n"]]));
    const sent = [...openBundle(other).files, ["manifest.json", new Uint8Array(readFileSync(join(other, "manifest.json")))] as const];
    const receive = (more: readonly (readonly [string, Uint8Array])[]) =>
      receiveBundle(dir, async (take) => {
        for (const [path, bytes] of more) take(path, bytes);
      });
    for (const path of ["../out", "/etc/out", "a/../../out"])
      expect(await rejection(receive([...sent, [path, block]])), path).to.be.instanceOf(InvalidValue);
    const broken = receiveBundle(dir, async (take) => {
      take("log.ndjson", block);
      throw new RangeError("the city is gone");
    });
    expect(await rejection(broken)).to.be.instanceOf(RangeError);
    expect([readdirSync(join(root, "missions")), [...openBundle(dir).files.keys()]]).to.deep.equal([["0x7c"], [...files.keys()].sort()]);

    await receive(sent);
    await receive(sent);
    expect(readdirSync(join(root, "missions"))).to.deep.equal(["0x7c", "0x7c.1"]);
    expect(openBundle(dir).text("log.ndjson")).to.equal("another city's\n");
    expect([...openBundle(`${dir}.1`).files.keys()]).to.deep.equal([...files.keys()].sort());

    // What its own manifest does not fit is put there too, so that an audit names it.
    await receive([...sent.slice(0, -1), ["manifest.json", block]]);
    expect(() => openBundle(dir)).to.throw(BundleDamaged);
  });

  it("gives back every byte and leaves nothing beside it", () => {
    const bundle = openBundle(dir);
    expect([...bundle.files.keys()]).to.deep.equal([...files.keys()].sort());
    expect(bundle.text("report.md")).to.equal("# Report\n");
    expect(bundle.bytes(`blocks/${contentIdOf(block)}`)).to.deep.equal(block);
    expect(() => bundle.bytes("other")).to.throw(BundleDamaged, "other");
    expect(readdirSync(join(root, "missions"))).to.deep.equal(["0x7c"]);
  });

  it("is the same for the same files, in whatever order they come, and is not written twice", () => {
    const first = readFileSync(join(dir, "manifest.json"), "utf8");
    writeBundle(dir, new Map([...files].reverse()));
    expect(readFileSync(join(dir, "manifest.json"), "utf8")).to.equal(first);
    expect(readdirSync(join(root, "missions"))).to.deep.equal(["0x7c"]);
  });

  it("keeps another bundle, and whatever somebody put into one, beside the new one", () => {
    writeBundle(dir, new Map([["report.md", "new"]]));
    expect([...openBundle(dir).files.keys()]).to.deep.equal(["report.md"]);
    expect([...openBundle(`${dir}.1`).files.keys()]).to.deep.equal([...files.keys()].sort());
    writeFileSync(join(dir, "my-notes.txt"), "mine");
    writeBundle(dir, new Map([["report.md", "new"]]));
    expect(readFileSync(join(`${dir}.2`, "my-notes.txt"), "utf8")).to.equal("mine");
    expect([...openBundle(dir).files.keys()]).to.deep.equal(["report.md"]);
    expect(readdirSync(join(root, "missions"))).to.deep.equal(["0x7c", "0x7c.1", "0x7c.2"]);
  });

  it("notices any flipped bit in any file and names the file", () => {
    const names = [...files.keys(), "manifest.json"].filter((name) => files.get(name) !== "");
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), fc.integer({ min: 0, max: 7 }), (name, at, bit) => {
        const path = join(dir, name);
        const good = readFileSync(path);
        const bad = Buffer.from(good);
        const index = at % bad.length;
        bad[index] = (bad[index] ?? 0) ^ (1 << bit);
        writeFileSync(path, bad);
        expect(damage().file).to.equal(name);
        writeFileSync(path, good);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it("notices every flipped byte of the manifest", () => {
    const path = join(dir, "manifest.json");
    const good = readFileSync(path);
    for (let index = 0; index < good.length; index += 1) {
      const bad = Buffer.from(good);
      bad[index] = (bad[index] ?? 0) ^ 0x01;
      writeFileSync(path, bad);
      expect(damage().file, `byte ${index}`).to.equal("manifest.json");
    }
  });

  it("refuses a whole bundle of another edition by name", () => {
    const path = join(dir, "manifest.json");
    const { digest: _, ...body } = { ...JSON.parse(readFileSync(path, "utf8")), bundle: 1 };
    writeFileSync(path, `${canonicalJson({ ...body, digest: sha256(canonicalBytes(body)) })}\n`);
    expect(() => openBundle(dir)).to.throw(BundleOfAnotherEdition, "edition 1");
  });

  it("accepts no missing, extra, shortened, linked or renamed file", () => {
    writeFileSync(join(dir, "extra.txt"), "");
    expect(damage()).to.include({ file: "extra.txt" });
    rmSync(join(dir, "extra.txt"));

    writeFileSync(join(dir, "report.md"), "# Repor");
    expect(damage()).to.include({ file: "report.md" });
    rmSync(join(dir, "report.md"));
    expect(damage()).to.include({ file: "report.md" });

    writeFileSync(join(root, "elsewhere"), "# Report\n");
    symlinkSync(join(root, "elsewhere"), join(dir, "report.md"));
    expect(damage()).to.include({ file: "report.md" });
    rmSync(join(dir, "report.md"));
    writeFileSync(join(dir, "report.md"), "# Report\n");
    openBundle(dir);

    mkdirSync(join(dir, "more"));
    renameSync(join(dir, "log.ndjson"), join(dir, "more", "log.ndjson"));
    expect(damage()).to.include({ file: "log.ndjson" });
    rmSync(join(dir, "manifest.json"));
    expect(damage()).to.include({ file: "manifest.json" });
  });

  it("is not written at all when a file cannot be part of it", () => {
    for (const path of ["../up", "/root", "a//b", "manifest.json", "a\\b", "", "blocks/.."]) {
      expect(() => writeBundle(join(root, "other"), new Map([[path, "x"]])), path).to.throw(InvalidValue);
    }
    expect(() => writeBundle(join(root, "other"), new Map([[`blocks/${contentIdOf(block)}`, "not it"]]))).to.throw(BundleDamaged);
    expect(readdirSync(root)).to.deep.equal(["missions"]);
  });
});
