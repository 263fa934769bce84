import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
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
      for (const place of [root, directory(), `${id}.ts`, "../node_modules"]) expect(text(here.bytes)).not.to.include(place);
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

  describe("of a stranger's folder", () => {
    const SECRET = "SECRET-XYZ-123";
    let folder = "";
    const write = (name: string, text: string): string => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    };
    const service = (source: string): string => write("service.ts", `${source}\nexport default () => ({ items: [] });`);
    const refusal = async (source: string): Promise<BundleFailed> => {
      const error = await rejection(bundleService(service(source)));
      if (!(error instanceof BundleFailed)) throw new Error(`${source}: ${String(error)}`);
      expect(`${error.message} ${error.stack}`, source).not.to.include(SECRET);
      return error;
    };
    beforeEach(() => {
      folder = join(directory(), "home", "stranger");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(directory(), "home", "creds.json"), JSON.stringify({ token: SECRET }));
      writeFileSync(join(directory(), "home", "notes.txt"), SECRET);
      writeFileSync(join(directory(), "home", "other.ts"), `export const secret = "${SECRET}";`);
    });

    it("reads nothing outside it, by whatever name", async () => {
      const home = join(directory(), "home");
      symlinkSync(join(home, "creds.json"), join(folder, "mine.json"));
      symlinkSync(join(home, "other.ts"), join(folder, "mine.ts"));
      symlinkSync(home, join(folder, "up"));
      mkdirSync(join(folder, "node_modules"));
      symlinkSync(home, join(folder, "node_modules", "home"));
      const packaged = (name: string, more: object) => write(`node_modules/${name}/package.json`, JSON.stringify({ name, ...more }));
      packaged("mapped", { main: "../../../other.ts" });
      packaged("exported", { exports: "./../../../other.ts" });
      packaged("browsed", { main: "./index.js", browser: { "./index.js": "../../../other.ts" } });
      write("node_modules/browsed/index.js", 'module.exports = require("../../../other.ts");');
      write(
        "package.json",
        JSON.stringify({ imports: { "#up": "../other.ts", "#creds": "../creds.json" }, browser: { "./a.ts": "../other.ts" } }),
      );
      write("tsconfig.json", JSON.stringify({ compilerOptions: { baseUrl: "..", paths: { "config/*": ["../*"] } } }));
      const places = [
        "../creds.json",
        join(home, "creds.json"),
        `file://${join(home, "creds.json")}`,
        "./mine.json",
        "./mine.ts",
        "./up/creds.json",
        "./up/other.ts",
        "home/creds.json",
        "home/other.ts",
        "mapped",
        "exported",
        "browsed",
        "#up",
        "#creds",
        "config/other.ts",
        "other.ts",
        "../other.ts?raw",
        "stranger/../../other.ts",
      ];
      for (const place of places) {
        const name = JSON.stringify(place);
        for (const source of [
          `import it from ${name}; console.log(it);`,
          `export * as it from ${name};`,
          `export const it = import(${name});`,
          `export const it = require(${name});`,
        ]) {
          await refusal(source);
        }
      }
    }).timeout(60_000);

    it("reads no file as text or bytes, no pattern of files, nothing of Node, nothing from the network", async () => {
      write("notes.txt", "inside");
      write("style.css", "@import url(../notes.txt);");
      write("data.json", "{}");
      write(".env.json", JSON.stringify({ token: SECRET }));
      for (const source of [
        'import it from "./notes.txt"; export { it };',
        'import it from "../notes.txt" with { type: "text" }; export { it };',
        'import it from "./notes.txt" with { type: "text" }; export { it };',
        'import it from "./data.json" with { type: "bytes" }; export { it };',
        'import "./style.css";',
        'import it from "./.env.json"; export { it };',
        'export const it = (name) => import("../" + name + ".json");',
        'export const it = (name) => require("../" + name + ".json");',
        'import it from "node:fs"; export { it };',
        'import it from "fs"; export { it };',
        'export const it = await import("node:fs");',
        'import it from "https://example.org/x.js"; export { it };',
        'import it from "data:text/javascript,export default 1"; export { it };',
      ]) {
        await refusal(source);
      }
    }).timeout(60_000);

    it("takes its own files, its own packages and the city's", async () => {
      write("lib/words.ts", 'export const words: string[] = ["mine"];');
      write("lib/index.js", 'export { words } from "./words.ts";');
      write("data.json", '{ "also": "data of mine" }');
      write("node_modules/pure/package.json", '{ "name": "pure", "main": "index.js" }');
      write("node_modules/pure/index.js", 'module.exports = "a package of mine";');
      const file = service(
        'import { words } from "./lib"; import data from "./data.json"; import pure from "pure"; import { bytesToHex } from "@noble/hashes/utils.js"; export const it = [words, data, pure, bytesToHex];',
      );
      const made = text((await bundleService(file)).bytes);
      for (const part of ["mine", "data of mine", "a package of mine", "bytesToHex"]) expect(made).to.include(part);
      expect(made).not.to.include(directory());
    });

    it("may be a service file that leads elsewhere in no way", async () => {
      symlinkSync(join(directory(), "home", "other.ts"), join(folder, "linked.ts"));
      expect(await rejection(bundleService(join(folder, "linked.ts")))).to.be.instanceOf(BundleFailed);
    });

    it("is refused with every error of its source: file, line, column and reason", async () => {
      write("broken.ts", "export const a = ;\nexport const b = 1;\n");
      const error = await refusal('import "./broken.ts";\nimport fs from "node:fs";\nimport "./absent.ts";\nexport { fs };');
      expect(error.details?.split("\n")).to.deep.equal([
        'broken.ts:1:18: Unexpected ";"',
        "    export const a = ;",
        'service.ts:2:16: "node:fs" is a module of Node, which services do not have',
        '    import fs from "node:fs";',
        'service.ts:3:8: Could not resolve "./absent.ts"',
        '    import "./absent.ts";',
      ]);
      expect(error.action).to.match(/may import the files of its own folder/);
      const syntax = await refusal("export const x = (");
      expect(syntax.details).to.match(/^service\.ts:2:1: Unexpected "export"\n/);
      expect(syntax.action).to.equal(undefined);
    });

    it("is refused when it is too large to be sent to every executor", async () => {
      expect((await refusal(`export const it = "${"x".repeat(2_200_000)}";`)).details).to.match(/2\d{6} bytes .* at most 2097152/);
    });
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
