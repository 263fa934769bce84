import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import fc from "fast-check";
import { InputEmpty, InputNotFound, InputTooLarge, InputUnreadable } from "../../../orchestrator/execution/inputs/errors.ts";
import { describeInput, digestOfItems, readInput } from "../../../orchestrator/execution/inputs/read-input.ts";
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
    expect(items[4]).to.include({ manifest: "", problem: "contains bytes that are not text" });
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

  it("reads files below a directory, or one file, and says what it cut or left out", () => {
    write({
      "d/x.txt": "one\ntwo",
      "d/e/y.md": "é".repeat(40_000),
      "d/z.bin": Uint8Array.of(1, 0, 2),
      "d/.git/config": "no",
      "d/old.txt": Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x20, 0x96),
      "d/wide.txt": Uint8Array.of(0xff, 0xfe, 0x68, 0, 0xe9, 0),
      "d/bom.txt": "\ufeffmarked",
    });
    symlinkSync("/etc/hostname", join(directory(), "d/out"));
    symlinkSync("x.txt", join(directory(), "d/alias"));
    symlinkSync("absent", join(directory(), "d/broken"));
    symlinkSync("e", join(directory(), "d/folder"));
    symlinkSync(".git/config", join(directory(), "d/hidden"));
    const input = readInput({ kind: "files", path: "d" }, directory());
    const found = new Map(input.items.map((item) => [item.id, item]));
    expect([...found.keys()]).to.deep.equal(["alias", "bom.txt", "e/y.md", "old.txt", "wide.txt", "x.txt", "z.bin"]);
    expect(found.get("alias")).to.deep.equal({
      id: "alias",
      kind: "file",
      path: "alias",
      name: "alias",
      bytes: 7,
      binary: false,
      text: "one\ntwo",
    });
    expect(found.get("e/y.md")).to.include({
      name: "y.md",
      bytes: 80_000,
      truncated: true,
      text: "é".repeat(32_768),
      problem: "only the first 65536 of 80000 bytes were read",
    });
    expect(found.get("z.bin")).to.include({ binary: true, text: "", problem: "contains bytes that are not text" });
    expect(found.get("old.txt")).to.include({ text: "café –", encoding: "windows-1252" });
    expect(found.get("wide.txt")).to.include({ text: "hé", encoding: "utf-16le" });
    expect(found.get("bom.txt")).to.include({ text: "marked" });
    expect(input.skipped).to.deep.equal([
      { id: ".git", reason: "not searched" },
      { id: "broken", reason: "a broken link" },
      { id: "folder", reason: "a link to a directory" },
      { id: "hidden", reason: "a link to something that is not searched" },
      { id: "out", reason: "a link to a place outside the input" },
    ]);
    expect(describeInput(input)).to.equal(
      "input: 7 items of kind files · 5 left out (.git: not searched; broken: a broken link; folder: a link to a directory; …) · 2 in another encoding than UTF-8 (old.txt: windows-1252; wide.txt: utf-16le) · 2 with a problem (e/y.md: only the first 65536 of 80000 bytes were read; z.bin: contains bytes that are not text)",
    );
    expect(readInput({ kind: "files", path: "d/x.txt" }, directory()).items).to.have.length(1);
    expect(() => readInput({ kind: "files", path: "/dev/zero" }, directory())).to.throw(InputUnreadable);
  });

  it("reads tables as people keep them: marks, line ends, blanks, odd columns and rows, other encodings", () => {
    const rowsOf = (content: string | Uint8Array) => {
      write({ "t.csv": content });
      return readInput({ kind: "csv", path: "t.csv" }, directory());
    };
    const dirty = rowsOf(
      '\ufeffname,days,,days\r\n"Roof, north","1,234.50",n/a,\r\n\r\n  ,,,\r\nWall,-,3\r\nDoor,0.5,1,2,3\r\n"two\nlines",1 000,,4,,\r\n',
    );
    expect(dirty.items).to.deep.equal([
      {
        id: "row-0000001",
        kind: "row",
        row: 1,
        fields: { name: "Roof, north", days: "1,234.50", "column 3": "n/a", "days (2)": "" },
        values: { days: 1234.5 },
      },
      {
        id: "row-0000004",
        kind: "row",
        row: 4,
        fields: { name: "Wall", days: "-", "column 3": "3", "days (2)": "" },
        values: { "column 3": 3 },
        problem: "record 4 has 3 cells but the header has 4",
      },
      {
        id: "row-0000005",
        kind: "row",
        row: 5,
        fields: { name: "Door", days: "0.5", "column 3": "1", "days (2)": "2" },
        values: { days: 0.5, "column 3": 1, "days (2)": 2 },
        problem: "record 5 has 5 cells but the header has 4",
      },
      {
        id: "row-0000006",
        kind: "row",
        row: 6,
        fields: { name: "two\nlines", days: "1 000", "column 3": "", "days (2)": "4" },
        values: { days: 1000, "days (2)": 4 },
      },
    ]);
    expect(dirty.remarks).to.deep.equal(["columns without a unique name were named column 3, days (2)", "2 blank rows left out"]);
    const german = rowsOf(Buffer.from("Größe;Preis\r\ngroß;1.234,50\r\n", "latin1"));
    expect(german.items[0]).to.deep.include({ fields: { Größe: "groß", Preis: "1.234,50" }, values: { Preis: 1234.5 } });
    expect(german.remarks).to.deep.equal(["read as windows-1252"]);
    expect(rowsOf("a\tb\n1\t2\n").items[0]).to.deep.include({ values: { a: 1, b: 2 } });
  });

  it("reads 50,000 rows, and says at which record a quote is wrong", () => {
    write({ "many.csv": `id,n\n${Array.from({ length: 50_000 }, (_, row) => `${row},${row % 7 === 0 ? "" : row}`).join("\n")}\n` });
    const { items } = readInput({ kind: "csv", path: "many.csv" }, directory());
    expect([
      items.length,
      items.at(-1)?.["row"],
      items.filter(({ values }) => Object.keys(Object(values)).length === 1).length,
    ]).to.deep.equal([50_000, 50_000, 7_143]);
    write({ "over.csv": `n\n${"1\n".repeat(50_001)}`, "quote.csv": 'a,b\n1,2\n"x" y,3\n' });
    expect(() => readInput({ kind: "csv", path: "over.csv" }, directory())).to.throw(InputTooLarge, /50001 items/);
    expect(() => readInput({ kind: "csv", path: "quote.csv" }, directory())).to.throw(InputUnreadable, /record 2: /);
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
      { id: "row-0000001", kind: "row", row: 1, fields: { name: "roof", n: "3" }, values: { n: 3 } },
      { id: "row-0000002", kind: "row", row: 2, fields: { name: "wall", n: "4" }, values: { n: 4 } },
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
    write({ "bad.csv": 'a,b\n1,"2', "bytes.csv": Uint8Array.of(0x61, 0, 0x62) });
    expect(() => readInput({ kind: "files", path: "absent" }, directory())).to.throw(InputNotFound, /absent/);
    expect(() => readInput({ kind: "packages", path: "bad.csv" }, directory())).to.throw(InputUnreadable);
    for (const file of ["bad.csv", "bytes.csv", "."]) {
      expect(() => readInput({ kind: "csv", path: file }, directory()), file).to.throw(InputUnreadable);
    }
  });

  it("refuses an input with nothing in it, whatever its kind, and says what belongs there", () => {
    write({ "head.csv": "a,b\n", "void.csv": "", "list.txt": "# none yet\n\n", "node_modules/.keep": "" });
    mkdirSync(join(directory(), "bare"));
    for (const [kind, path, say] of [
      ["csv", "head.csv", /no record: the first line names the columns/],
      ["csv", "void.csv", /no record/],
      ["urls", "list.txt", /contains no address/],
      ["files", "bare", /no file is in it/],
      ["packages", "bare", /no package is installed below it/],
    ] as const)
      expect(() => readInput({ kind, path }, directory()), path).to.throw(InputEmpty, say);
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

  it("names equal items equally, whatever the order of their fields", () => {
    expect(digestOfItems([{ id: "a", kind: "x" }])).to.equal(digestOfItems([{ kind: "x", id: "a" }]));
  });
});
