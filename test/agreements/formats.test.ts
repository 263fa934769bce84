/** The format that was ordered, as far as anything here can read it: whoever delivers another one, or nothing at all. */
import { expect } from "chai";
import { codeParsers } from "../../orchestrator/agreements/code-formats.ts";
import {
  type Agreement,
  contentHash,
  evaluateDelivery,
  readAgreement,
  type StructuralPorts,
  verifyStructure,
} from "../../orchestrator/agreements/index.ts";
import { EXAMPLE, signers } from "./example.ts";

const AT = "2026-03-26T15:00:00Z";
const dimensions = [{ name: "format_compliance", weight: 1, metric: "percentage" as const }];
const ordered = (deliverable_format: string): Agreement =>
  readAgreement({
    ...EXAMPLE,
    service: { ...EXAMPLE.service, deliverable_format },
    quality_criteria: { ...EXAMPLE.quality_criteria, dimensions },
    verification: { ...EXAMPLE.verification, depth: "structural" },
  });
const bytesOf = (content: string | Uint8Array) => (typeof content === "string" ? new TextEncoder().encode(content) : content);
const parsers = codeParsers(5_000);
const looked = (format: string, content: string | Uint8Array, more: StructuralPorts = { parsers }) =>
  verifyStructure(ordered(format), { content: bytesOf(content), delivered_at: AT }, { startedAt: AT, ...more });
const determined = async (format: string, content: string) => {
  const delivered = { content: bytesOf(content), delivered_at: AT };
  const at = {
    ...{ verification_id: "v", timestamp: AT, startedAt: AT, deliverableHash: contentHash(delivered), signer: signers.stranger },
    identity: EXAMPLE.parties.evaluator.identity,
  };
  return (await evaluateDelivery(ordered(format), delivered, at, { parsers })).determination;
};

const GOOD: Readonly<Record<string, readonly string[]>> = {
  text: ["A line.\n\tAnd another.\r\n", "a line,\u0085and another", "\u001b[31mred"],
  "text/plain": ["π ≈ 3"],
  markdown: ["# Title\n\n* a list"],
  json: ['{"a":[1,2]}', "[]"],
  "application/json": ["null"],
  javascript: ["export const a = (b) => b ?? 1;", "require('x'); return_ = 1"],
  jsx: ["const a = <p>{b}</p>;"],
  typescript: ["const a: number = <number>b; enum E { A }", "@sealed class A { constructor(private x: string) {} }"],
  TSX: ["const a = <T,>(b: T) => <p>{b}</p>;"],
};
const BAD: Readonly<Record<string, readonly (string | Uint8Array)[]>> = {
  text: ["", " \n ", "a\u0000b", new Uint8Array([0xff, 0xfe, 0x41])],
  markdown: ["", "red\u0000"],
  json: ["{", "{'a':1}", "{} trailing"],
  javascript: ["const a: number = 1;", "const a = ;", "const a = <p/>;", "let a; let a;"],
  jsx: ["const a = <p>;"],
  typescript: ["const a: = 1;", "const = 1"],
  tsx: ["const a = <p>{b}</q>;"],
};
/** Deliveries that are to keep their reader busy, or to bring it down. */
const HOSTILE: Readonly<Record<string, string>> = {
  typescript: "<a>(".repeat(40),
  tsx: "<T>(".repeat(40),
  jsx: "(".repeat(1_000_000),
  javascript: "[".repeat(1_000_000),
  json: "[".repeat(3_000_000),
};

describe("the format of a delivery", () => {
  for (const [format, texts] of Object.entries(GOOD))
    it(`is met by what parses: ${format}`, () => {
      for (const text of texts) {
        const { problems, measured, unseen } = looked(format, text);
        expect(problems, text).to.deep.equal([]);
        expect(measured["format_compliance"], text).to.equal(100);
        expect(unseen, text).to.not.include("deliverable_format");
      }
    });

  for (const [format, contents] of Object.entries(BAD))
    it(`is missed by what does not: ${format}`, () => {
      for (const [index, content] of contents.entries()) {
        const { problems, measured } = looked(format, content);
        expect(problems, `${index}`).to.not.deep.equal([]);
        expect(measured["format_compliance"], `${index}`).to.equal(0);
      }
    });

  it("is unscored where nothing here can parse it: neither passed nor made up", async () => {
    for (const format of ["rust", "code", "pdf", "__proto__", "constructor"] as const) {
      const { problems, measured, unseen } = looked(format, "fn main() {");
      expect([problems, measured["format_compliance"]], format).to.deep.equal([[], undefined]);
      expect(unseen, format).to.include("deliverable_format");
      expect((await determined(format, "fn main() {")).result, format).to.equal("incomplete");
    }
    const { notes } = await determined("rust", "fn main() {}");
    expect(notes).to.match(/Not checked: .*deliverable_format/);
  });

  for (const [format, text] of Object.entries(HOSTILE))
    it(`is missed by what would keep its reader busy or bring it down: ${format}`, () => {
      const began = performance.now();
      const { problems, measured } = looked(format, text, { parsers: codeParsers(200) });
      expect(problems).to.have.length(1);
      expect(measured["format_compliance"]).to.equal(0);
      expect(performance.now() - began).to.be.below(5_000);
    });

  it("is told in words", () => {
    expect(looked("typescript", "<a>(".repeat(40), { parsers: codeParsers(200) }).problems).to.deep.equal([
      "it cannot be parsed within 0.2 s",
    ]);
    expect(looked("typescript", "const = 1").problems).to.deep.equal(["it is not typescript"]);
    expect(looked("json", "{").problems).to.deep.equal(["it is not JSON"]);
  });

  it("is met by megabytes of it", () => {
    for (const format of ["javascript", "typescript"])
      expect(looked(format, "f({ a: [1, 2] });\n".repeat(100_000)).problems).to.deep.equal([]);
    expect(looked("json", JSON.stringify(Array.from({ length: 200_000 }, (_, index) => ({ index })))).problems).to.deep.equal([]);
  });

  it("is read by whatever parser an evaluator brings, and missed if that fails", () => {
    const rust = (text: string) => (text.endsWith("}") ? undefined : "it does not end");
    expect(looked("rust", "fn main() {}", { parsers: { rust } }).measured["format_compliance"]).to.equal(100);
    expect(looked("rust", "fn main() {", { parsers: { rust } }).problems).to.deep.equal(["it does not end"]);
    const broken = (): undefined => {
      throw new RangeError("too deep");
    };
    expect(looked("rust", "fn main() {", { parsers: { rust: broken } }).problems).to.deep.equal(["it is not rust"]);
    for (const format of ["typescript", "jsx", "toString"]) {
      const { problems, measured, unseen } = looked(format, "const a = ;", {});
      expect([problems, measured["format_compliance"]], format).to.deep.equal([[], undefined]);
      expect(unseen, format).to.include("deliverable_format");
    }
  });

  it("is missed by JSON that is too deep for its schema, which throws nothing", () => {
    const deep = { $defs: { list: { type: "array", items: { $ref: "#/$defs/list" } } }, $ref: "#/$defs/list" };
    const terms = readAgreement({ ...ordered("json"), service: { ...ordered("json").service, deliverable_schema: deep } });
    for (const depth of [3_000, 30_000, 300_000]) {
      const delivered = { content: bytesOf("[".repeat(depth) + "]".repeat(depth)), delivered_at: AT };
      const { problems } = verifyStructure(terms, delivered, { startedAt: AT });
      expect(problems.length, `${depth}`).to.be.below(2);
    }
  });

  it("passes and fails by itself at the depth that looks at nothing else", async () => {
    expect((await determined("typescript", "const a: number = 1;")).result).to.equal("PASS");
    expect((await determined("typescript", "const a: = 1;")).result).to.equal("FAIL");
  });
});
