import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { BundleFailed, bundleOf, bundleService } from "../../../orchestrator/execution/sandbox/bundle.ts";
import { keccak256 } from "../../../orchestrator/primitives/hash.ts";
import { CATALOG } from "../../../services/catalog.ts";
import { rejection } from "../../support/rejection.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe("execution/sandbox/bundle", () => {
  const directory = temporaryDirectory();

  it("gives every service the same bytes on every run and from any checkout, with no trace of where it was made", async () => {
    const copies = ["one", "a much longer name"].map((name) => join(directory(), name));
    for (const copy of copies) {
      mkdirSync(join(copy, "orchestrator"), { recursive: true });
      cpSync(join(root, "services"), join(copy, "services"), { recursive: true });
      cpSync(join(root, "orchestrator/primitives"), join(copy, "orchestrator/primitives"), { recursive: true });
      symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    }
    for (const { id, file } of CATALOG) {
      const here = await bundleService(file);
      const again = await bundleService(file);
      const elsewhere = await Promise.all(copies.map((copy) => bundleService(join(copy, "services", `${id}.ts`))));
      expect(here.codeHash).to.equal(keccak256(here.bytes));
      for (const { bytes } of [again, ...elsewhere]) expect(text(bytes)).to.equal(text(here.bytes));
      for (const place of [root, directory(), `${id}.ts`, "node_modules"]) expect(text(here.bytes)).not.to.include(place);
    }
  }).timeout(120_000);

  it("gives different services different hashes", async () => {
    const hashes = await Promise.all(CATALOG.map(async ({ file }) => (await bundleService(file)).codeHash));
    expect(new Set(hashes).size).to.equal(CATALOG.length);
  });

  it("changes the hash when one character of an imported file changes", async () => {
    const write = (answer: number) => {
      writeFileSync(join(directory(), "answer.ts"), `export const answer: number = ${answer};`);
      writeFileSync(join(directory(), "service.ts"), `import { answer } from "./answer.ts"; export default () => ({ items: [], answer });`);
      return bundleService(join(directory(), "service.ts"));
    };
    const [first, second, third] = [await write(1), await write(2), await write(1)];
    expect(second.codeHash).not.to.equal(first.codeHash);
    expect(third.codeHash).to.equal(first.codeHash);
  });

  it("recomputes the hash of what was recorded", async () => {
    const bundle = await bundleService(CATALOG[0]!.file);
    expect(bundleOf(bundle.bytes.slice()).codeHash).to.equal(bundle.codeHash);
    expect(bundleOf(bundle.bytes.slice(1)).codeHash).not.to.equal(bundle.codeHash);
  });

  it("refuses, by name, a service that needs Node, does not parse or is not there", async () => {
    const sources = [
      'import fs from "node:fs"; export default () => fs;',
      "export default (",
      'import "./absent.ts"; export default () => 1;',
    ];
    for (const source of sources) {
      const file = join(directory(), "bad.ts");
      writeFileSync(file, source);
      expect(await rejection(bundleService(file)), source).to.be.instanceOf(BundleFailed);
    }
    expect(await rejection(bundleService(join(directory(), "absent.ts")))).to.be.instanceOf(BundleFailed);
  });
});
