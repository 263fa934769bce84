import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Ajv } from "ajv";
import { expect } from "chai";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import codeMetrics from "../../services/code-metrics.ts";
import dependencyGraph from "../../services/dependency-graph.ts";
import licencePolicy from "../../services/licence-policy.ts";
import sbom from "../../services/sbom.ts";
import { PROJECT } from "../support/cli.ts";
import { answerOf } from "../support/services.ts";

const file = (id: string, text: string) => ({ id, kind: "file", text });

describe("services/code-metrics", () => {
  it("counts lines as their language writes comments", async () => {
    const { items } = await answerOf(codeMetrics, [
      file("a.py", "# c\n\nx = 1  # more\n"),
      file("b.c", "/* one\n   two */ int x; /* three */\n// four\nint y; /* five\n*/\n"),
      file("c.html", "<!-- a\n\nb -->\n<p>\n"),
      file("d.txt", "one\n\ntwo"),
      file("e.ts", ""),
    ]);
    expect(items.map(({ id, label, lines, blank, comments, code }) => [id, label, lines, blank, comments, code])).to.deep.equal([
      ["a.py", "Python", 3, 1, 1, 1],
      ["b.c", "C", 5, 0, 3, 2],
      ["c.html", "HTML", 4, 1, 2, 1],
      ["d.txt", "Text", 3, 1, 0, 0],
      ["e.ts", "TypeScript", 0, 0, 0, 0],
    ]);
  });

  it("knows languages by ending, name and first line, and says so of one that it does not know", async () => {
    const perl = "#!/usr/bin/perl -w\nuse strict; # on\n\n=head1 NAME\n\ntext\n\n=cut\n\nprint 1;\n__END__\nmore text\n";
    const { items } = await answerOf(codeMetrics, [
      file("Foo.pm", perl),
      file("bin/tool", perl),
      file("run", "#!/usr/bin/env -S python3.12 -u\n# c\nx = 1\n"),
      file("setup", "#!/bin/sh\n# c\necho\n"),
      file("a.lua", "--[[ one\ntwo ]] x = 1\n-- c\ny()\n"),
      file("q.sql", "-- c\nSELECT 1; /* d\n*/\n"),
      file("fit.R", "# c\nx <- 1\n"),
      file("ci.yml", "# c\na: 1\n"),
      file("lib/Makefile", "# c\nall:\n"),
      file("README", "Read\nme\n"),
      file("zone.zi", "# c\nR x\n"),
      file("toString", "x\n"),
      file("empty", ""),
    ]);
    expect(items.map(({ id, label, lines, blank, comments, code }) => [id, label, lines, blank, comments, code])).to.deep.equal([
      ["Foo.pm", "Perl", 12, 4, 6, 2],
      ["bin/tool", "Perl", 12, 4, 6, 2],
      ["run", "Python", 3, 0, 2, 1],
      ["setup", "Shell", 3, 0, 2, 1],
      ["a.lua", "Lua", 4, 0, 2, 2],
      ["q.sql", "SQL", 3, 0, 2, 1],
      ["fit.R", "R", 2, 0, 1, 1],
      ["ci.yml", "YAML", 2, 0, 1, 1],
      ["lib/Makefile", "Makefile", 2, 0, 1, 1],
      ["README", "Text", 2, 0, 0, 0],
      ["zone.zi", "unknown language", 2, 0, 0, 2],
      ["toString", "unknown language", 1, 0, 0, 1],
      ["empty", "unknown language", 0, 0, 0, 0],
    ]);
  });

  it("counts the branches of each function of JavaScript and TypeScript, whatever the function is", async () => {
    const text = `
      export function one<T>(x: T): T { return x; }
      const four = (a?: number) => { for (const b of [a]) if (b && a) return b; };
      class K { #p = () => 1; static { while (f()) {} }
        get three() { switch (1) { case 1: case 2: return; default: } }
        async *four() { try { await 0 ?? 1; } catch { do {} while (0); } } }
      obj.method = function () { x ||= y ? 1 : 2; };
      if (one) { one(() => <any>1); }`;
    const [item] = (await answerOf(codeMetrics, [file("a.ts", text)])).items;
    expect(item).to.deep.include({ functions: 9, complexity: 21, worst: 4 });
    expect(item?.["mostComplex"]).to.deep.equal([
      { name: "four", line: 3, complexity: 4 },
      { name: "four", line: 6, complexity: 4 },
      { name: "three", line: 5, complexity: 3 },
      { name: "method", line: 7, complexity: 3 },
      { name: "(top level)", line: 1, complexity: 2 },
    ]);
  });

  it("says what it cannot parse, and survives nesting that no parser does", async () => {
    const { items } = await answerOf(codeMetrics, [
      file("broken.js", "function ("),
      file("deep.js", "(".repeat(60_000)),
      file("long.js", `x${"+x".repeat(1_000)}`),
      file("jsx.jsx", "export default () => <p>{a && b}</p>;"),
    ]);
    expect(items[0]?.["problem"]).to.match(/^it cannot be parsed: Unexpected token/);
    expect(items[1]?.["problem"]).to.match(/^it cannot be parsed: /);
    expect(items[2]).to.include({ complexity: 1 });
    expect(items[3]).to.include({ complexity: 3, worst: 2 });
  }).timeout(30_000);
});

describe("services/dependency-graph", () => {
  it("follows imports between the files, finds cycles, and compares with package.json", async () => {
    const { items } = await answerOf(dependencyGraph, [
      file("package.json", '{"name":"own","dependencies":{"zod":"1","left-pad":"1"},"devDependencies":{"@types/node":"1"}}'),
      file(
        "src/a.ts",
        'import { b } from "./b.js"; import "zod"; import fs from "node:fs"; import type { T } from "./types"; import "./gone.ts";',
      ),
      file("src/b.ts", 'export * from "./c"; import x = require("path"); import own from "own/part";'),
      file("src/c/index.ts", 'const a = await import("../a.ts"); require("@scope/pkg/sub");'),
      file("src/types.ts", "export type T = typeof import('./self');"),
      file("src/self.ts", 'import "./self.ts";'),
      file("src/readme.md", "import nothing"),
      file("src/bad.js", "import {"),
    ]);
    const byId = new Map(items.map((item) => [item.id, item]));
    const cycle = ["src/a.ts", "src/b.ts", "src/c/index.ts"];
    expect(byId.get("src/a.ts")).to.deep.equal({
      id: "src/a.ts",
      name: "src/a.ts",
      label: "in a cycle",
      value: 1,
      imports: ["src/b.ts", "src/types.ts"],
      packages: ["zod"],
      cycle,
      nowhere: ["./gone.ts"],
    });
    expect(byId.get("src/b.ts"))
      .to.deep.include({ cycle, packages: ["own"] })
      .and.not.have.property("undeclared");
    expect(byId.get("src/c/index.ts")).to.deep.include({ cycle, undeclared: ["@scope/pkg"] });
    expect(byId.get("src/types.ts")).to.deep.include({ label: "imported", value: 1, imports: ["src/self.ts"] });
    expect(byId.get("src/self.ts")).to.deep.include({ cycle: ["src/self.ts"] });
    expect(byId.get("src/bad.js")?.["problem"]).to.match(/^it cannot be parsed/);
    expect(byId.get("package.json")).to.deep.include({ name: "own", label: "package", unused: ["left-pad"] });
    expect(byId.has("src/readme.md")).to.equal(false);
  });

  it("finds a cycle of ten thousand files", async () => {
    const files = Array.from({ length: 10_000 }, (_, index) => file(`f${index}.js`, `import "./f${(index + 1) % 10_000}.js";`));
    const { items } = await answerOf(dependencyGraph, files);
    expect(items.every(({ label }) => label === "in a cycle")).to.equal(true);
  }).timeout(60_000);
});

describe("services/licence-policy", () => {
  it("judges choices, conjunctions, exceptions and what is no licence", async () => {
    const licences = {
      "MIT OR GPL-3.0-only": "allowed",
      "MIT AND GPL-3.0-only": "denied",
      "GPL-2.0-or-later": "denied",
      "GPL-2.0-only": "unlisted",
      "(MIT AND Apache-2.0) OR UNLICENSED": "unclear",
      "apache 2": "unclear",
      "": "unclear",
      "LicenseRef-own": "unlisted",
      "MPL-2.0": "unlisted",
      mit: "unclear",
    };
    const items = Object.keys(licences).map((licence, index) => ({ id: String(index), name: "x", licence }));
    const output = await answerOf(licencePolicy, items, { allow: ["MIT", "Apache-2.0"], deny: ["GPL-3.0-only", "no licence"] });
    expect(output.items.map(({ licence, label }) => [licence, label])).to.deep.equal(Object.entries(licences));
    const [open] = (await answerOf(licencePolicy, [{ id: "a", manifest: '{"license":{"type":"ISC"}}' }])).items;
    expect(open).to.include({ label: "allowed", licence: "ISC" });
  });
});

describe("services/sbom", () => {
  const schema = (name: string): object => {
    const library = dirname(createRequire(import.meta.url).resolve("@cyclonedx/cyclonedx-library/package.json"));
    return JSON.parse(readFileSync(join(library, "res/schema", name), "utf8"));
  };

  it("writes what CycloneDX's own schema accepts, over the packages of this project, and is the same in any order", async () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    for (const name of ["spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json"])
      ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}`);
    const isValid = ajv.compile(schema("bom-1.6.SNAPSHOT.schema.json"));
    const { items } = readInput({ kind: "packages", path: "node_modules" }, PROJECT);
    const strange = [
      { id: "odd", name: "@Sco pe/nä?me", version: "", licence: "SEE LICENSE IN x", description: "" },
      { id: "own", name: "own", version: "1.0.0+b/1", licence: "LicenseRef-own AND MIT", description: "" },
      { id: "broken", manifest: "{" },
    ];
    const options = { deny: ["GPL-3.0-only"], name: "agentcity", version: "0.1.0", timestamp: "2026-03-01T12:00:00Z" };
    const { document, items: rated } = await answerOf(sbom, [...items, ...strange], options);
    const bom = JSON.parse(String(document));
    expect(isValid(bom), JSON.stringify(isValid.errors?.slice(0, 3))).to.equal(true);
    expect(isValid({ ...bom, components: [{ type: "library" }] })).to.equal(false);
    expect(bom.components).to.have.length(items.length + strange.length);
    expect(rated).to.have.length(items.length + strange.length);
    expect((await answerOf(sbom, [...items, ...strange].reverse(), options)).document).to.equal(document);
    const component = (ref: string) => bom.components.find((each: { "bom-ref": string }) => each["bom-ref"] === ref);
    expect(component("odd")).to.deep.include({
      group: "@Sco pe",
      purl: "pkg:npm/%40sco%20pe/n%C3%A4%3Fme",
      licenses: [{ license: { name: "SEE LICENSE IN x" } }],
    });
    expect(component("own").licenses).to.deep.equal([{ expression: "LicenseRef-own AND MIT" }]);
    expect(component("zod").licenses).to.deep.equal([{ license: { id: "MIT" } }]);
    expect(component("zod").properties).to.deep.equal([{ name: "agentcity:licence-policy", value: "allowed" }]);
    const needs = bom.dependencies.find(({ ref }: { ref: string }) => ref === "spdx-satisfies").dependsOn;
    expect(needs).to.deep.equal(["spdx-compare", "spdx-ranges", "spdx-satisfies/node_modules/spdx-expression-parse"]);
  }).timeout(60_000);
});
