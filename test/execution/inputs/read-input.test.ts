import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import fc from "fast-check";
import { InputNotFound, InputTooLarge, InputUnreadable } from "../../../orchestrator/execution/inputs/errors.ts";
import { digestOfItems, readInput, shardRanges } from "../../../orchestrator/execution/inputs/read-input.ts";
import { canonicalJson } from "../../../orchestrator/primitives/json.ts";
import { parseCsv } from "../../../services/shared/csv.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

describe("execution/inputs", () => {
  const directory = temporaryDirectory();

  function write(files: Record<string, string | Uint8Array>, below = "."): void {
    for (const [name, content] of Object.entries(files)) {
      const path = join(directory(), below, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  }

  const packages = {
    "node_modules/b/package.json": '{"name":"b","version":"1.0.0","license":"MIT"}',
    "node_modules/b/LICENSE.md": "MIT License",
    "node_modules/b/readme.md": `# b\n\n${"x".repeat(3_000)}\n\n## License\n\nMIT © somebody\n`,
    "node_modules/b/node_modules/a/package.json": '{"name":"a","version":"0.9.0"}',
    "node_modules/@s/c/package.json": "{ not json",
    "node_modules/a/package.json": '{"name":"a","version":"2.0.0"}',
    "node_modules/a/dist/package.json": '{"type":"module"}',
    "node_modules/.bin/tool": "#!/bin/sh",
    "node_modules/empty/readme.md": "no manifest",
    "node_modules/binary/package.json": Uint8Array.of(0x7b, 0, 0x7d),
  };

  it("finds scoped and nested packages, each once, and reads what lies there", () => {
    write(packages);
    symlinkSync(join(directory(), "node_modules/a"), join(directory(), "node_modules/linked"));
    symlinkSync(directory(), join(directory(), "node_modules/outside"));
    symlinkSync(join(directory(), "node_modules"), join(directory(), "node_modules/a/node_modules"));
    const { items } = readInput({ kind: "packages", path: "node_modules" }, directory());
    expect(items.map(({ id }) => id)).to.deep.equal(["@s/c", "a", "b", "b/node_modules/a", "binary"]);
    expect(items[0]).to.include({ kind: "package", manifest: "{ not json", licenceText: "" });
    expect(items[2]).to.deep.include({
      licenceFiles: ["LICENSE.md"],
      licenceText: "MIT License",
      readmeLicence: "## License\n\nMIT © somebody\n",
    });
    expect(items[2]?.["readmeHead"]).to.have.length(2_048);
    expect(items[4]).to.include({ manifest: "", problem: "holds bytes that are no text" });
  });

  it("gives the same items and digest wherever the tree lies, another digest for another tree", () => {
    write(packages, "one");
    write(packages, "two/deeper");
    const [one, two] = ["one", "two/deeper"].map((place) =>
      readInput({ kind: "packages", path: join(place, "node_modules") }, directory()),
    );
    expect(two).to.deep.equal(one);
    write({ "one/node_modules/a/LICENSE": "x" });
    expect(readInput({ kind: "packages", path: "one/node_modules" }, directory()).digest).not.to.equal(one!.digest);
  });

  it("reads this project's own packages as strict JSON", () => {
    const input = readInput({ kind: "packages", path: "node_modules" }, root);
    expect(input.items.length).to.be.greaterThan(100);
    expect(canonicalJson(input.items).length).to.be.lessThan(16_000_000);
    const ids = input.items.map(({ id }) => id);
    expect(ids).to.include.members(["zod", "@noble/hashes", "viem"]);
    expect(ids).to.deep.equal([...new Set(ids)].sort());
  });

  it("reads files below a directory, or one file, bounded, without following links", () => {
    write({ "d/x.txt": "one\ntwo", "d/e/y.md": "é".repeat(40_000), "d/z.bin": Uint8Array.of(1, 0, 2), "d/.git/config": "no" });
    symlinkSync("/etc/hostname", join(directory(), "d/link"));
    const { items } = readInput({ kind: "files", path: "d" }, directory());
    expect(items.map(({ id }) => id)).to.deep.equal(["e/y.md", "x.txt", "z.bin"]);
    expect(items[0]).to.include({ bytes: 80_000, binary: false, text: "é".repeat(32_768) });
    expect(items[2]).to.include({ binary: true, text: "" });
    expect(readInput({ kind: "files", path: "d/x.txt" }, directory()).items).to.have.length(1);
  });

  it("reads CSV by the standard", () => {
    const { records: rows } = parseCsv('a,b,c\r\n1,"two, ""2""\nlines",\n\n"",y,"z"\r3,4,');
    expect(rows).to.deep.equal([
      ["a", "b", "c"],
      ["1", 'two, "2"\nlines', ""],
      ["", "y", "z"],
      ["3", "4", ""],
    ]);
    write({ "t.csv": "name,n\nroof,3\nwall,4\n" });
    expect(readInput({ kind: "csv", path: "t.csv" }, directory()).items).to.deep.equal([
      { id: "row-0000001", kind: "row", row: 1, fields: { name: "roof", n: "3" } },
      { id: "row-0000002", kind: "row", row: 2, fields: { name: "wall", n: "4" } },
    ]);
  });

  it("reads back whatever a CSV writer writes", () => {
    const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
    const cell = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r", " ", "é") });
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(table, (rows) => {
        expect(parseCsv(rows.map((row) => `${row.map(quote).join(",")}\n`).join("")).records).to.deep.equal(rows);
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  it("refuses by name what is not there or not of its kind", () => {
    write({ "bad.csv": 'a,b\n1,"2', "ragged.csv": "a,b\n1\n", "twice.csv": "a,a\n1,2\n" });
    expect(() => readInput({ kind: "files", path: "absent" }, directory())).to.throw(InputNotFound, /absent/);
    expect(() => readInput({ kind: "packages", path: "bad.csv" }, directory())).to.throw(InputUnreadable);
    for (const file of ["bad.csv", "ragged.csv", "twice.csv", "."]) {
      expect(() => readInput({ kind: "csv", path: file }, directory()), file).to.throw(InputUnreadable);
    }
  });

  it("reads a list of addresses, each once, as browsers write them", () => {
    write({
      "list.txt": "# pages\nhttps://b.example/x\n\n  HTTPS://A.example:443/y?q=1 \r\nhttps://b.example/x\n",
      "own.txt": "file:///etc/passwd\n",
    });
    const { items } = readInput({ kind: "urls", path: "list.txt" }, directory());
    expect(items).to.deep.equal(["https://a.example/y?q=1", "https://b.example/x"].map((url) => ({ id: url, kind: "url", url })));
    expect(() => readInput({ kind: "urls", path: "own.txt" }, directory())).to.throw(InputUnreadable, /own\.txt/);
    expect(() => readInput({ kind: "urls", path: "." }, directory())).to.throw(InputUnreadable);
    write({ "many.txt": Array.from({ length: 41 }, (_, index) => `https://a.example/${index}`).join("\n") });
    expect(() => readInput({ kind: "urls", path: "many.txt" }, directory())).to.throw(InputTooLarge);
  });

  it("cuts items into exactly as many shards as asked, in order, none lost, sizes within one", () => {
    fc.assert(
      fc.property(fc.nat(6_000), fc.integer({ min: 1, max: 64 }), (count, shards) => {
        const ranges = shardRanges(count, shards);
        expect(ranges).to.have.length(shards);
        expect([ranges[0]?.from, ranges.at(-1)?.to]).to.deep.equal([0, count]);
        for (const [index, { from, to }] of ranges.entries()) {
          if (index > 0) expect(from).to.equal(ranges[index - 1]?.to);
          expect(to - from).to.be.within(Math.floor(count / shards), Math.ceil(count / shards));
        }
      }),
      { seed: 4 },
    );
    expect(() => shardRanges(3, 0)).to.throw(RangeError);
    expect(digestOfItems([{ id: "a", kind: "x" }])).to.equal(digestOfItems([{ kind: "x", id: "a" }]));
  });
});
