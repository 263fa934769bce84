import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";

const at = (path: string) => new URL(`../../${path}`, import.meta.url);
const read = (path: string) => readFileSync(at(path), "utf8");

/** Libraries whose other half is not `orchestrator/rules/<kebab>.ts`. */
const TWINS: Readonly<Record<string, string>> = {
  TypedData: "orchestrator/protocol/typed-data.ts",
  ParamRanges: "orchestrator/protocol/parameters.ts",
  ParamRelations: "orchestrator/protocol/parameters.ts",
  MissionTransitions: "orchestrator/rules/transitions/mission.ts",
  NodeTransitions: "orchestrator/rules/transitions/node.ts",
  SessionTransitions: "orchestrator/rules/transitions/session.ts",
};

/** Pure libraries that only contracts read: no TypeScript computes the same, so there is nothing to compare. */
const ALONE: readonly string[] = ["ActionTable", "BidWord", "DidSyntax"];

/** Fields of a word, by the library that reads the word with them: it is compared, and so are they. */
const FIELDS: Readonly<Record<string, string>> = {
  NodeLaw: "LawCodec",
  Seat: "PanelDraw",
  Terms: "MissionParamsCodec",
  WeighedVerdict: "Clearing",
};

const kebab = (name: string) => name.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();

/** Every function of it is pure: it could run anywhere, so it runs in two places. */
function isRule(source: string): boolean {
  const heads = source.match(/^ {4}function [^{;]*/gm) ?? [];
  return heads.length > 0 && heads.every((head) => /\bpure\b/.test(head));
}

describe("every pure library", () => {
  const libraries = readdirSync(at("contracts/libraries")).map((file) => file.replace(/\.sol$/, ""));
  const isAlone = (name: string) => ALONE.includes(name) || name in FIELDS;
  const rules = libraries.filter((name) => isRule(read(`contracts/libraries/${name}.sol`)) && !isAlone(name));
  const harnesses = readdirSync(at("test/contracts/harness")).map((file) => read(`test/contracts/harness/${file}`));
  const tests = readdirSync(at("test/contracts/libraries")).map((file) => read(`test/contracts/libraries/${file}`));

  it("is found", () => {
    expect(rules).to.include.members(["Admissibility", "Clearing", "Condorcet", "LawCodec", "Payout", "TypedData"]);
    expect(rules).to.not.include("Signatures");
  });

  it("of a word's fields serves the codec that is compared", () => {
    for (const [name, codec] of Object.entries(FIELDS)) {
      expect(rules).to.include(codec);
      expect(read(`contracts/libraries/${codec}.sol`)).to.include(`from "./${name}.sol"`);
    }
  });

  for (const name of rules) {
    const twin = TWINS[name] ?? `orchestrator/rules/${kebab(name)}.ts`;
    it(`${name} has a twin, a harness that calls it and a test that compares them`, () => {
      expect(existsSync(at(twin)), twin).to.be.true;
      expect(harnesses.some((source) => source.includes(`${name}.`) && source.includes(`libraries/${name}.sol`))).to.be.true;
      expect(tests.some((source) => source.includes(`../../../${twin}`))).to.be.true;
    });
  }
});
