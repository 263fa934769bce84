import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { filesIn, root } from "../../scripts/dev/files.ts";
import { anchorsOf } from "../support/anchors.ts";

/** This file and the one it reads name what must not be found. */
const SELF = ["test/docs/citations.test.ts", "docs/sources.md"];
const FILES = filesIn([
  "*.md",
  "{docs,examples}/*.md",
  "contracts/**/*.sol",
  "{orchestrator,services,deploy,scripts,test,examples}/**/*.ts",
  "test/**/*.{sol,tree}",
  "missions/**/*.yaml",
]).filter((file) => !SELF.includes(file));

const page = (path: string) => readFileSync(join(root, path), "utf8");

interface Targets {
  readonly decisions: ReadonlySet<string>;
  readonly sources: ReadonlySet<string>;
  /** Numbers of `docs/invariants.md`, those of its prose included. */
  readonly invariants: ReadonlySet<string>;
}

/** A kind of citation: what it looks like, and the anchors that it needs. */
interface Kind {
  readonly pattern: RegExp;
  readonly missing: (match: RegExpMatchArray, targets: Targets) => readonly string[];
}

const SECTION = String.raw`(?:\d+(?:\.\d+)*|[A-E](?:\.\d+)+)`;
const AND = "(?:, and | and |, |–| to )";
const listed = (list: string) => list.split(new RegExp(AND));
const PAPERS = ["agentcity", "rails", "asa", "pramana"];

/** "14, 17–19" as 14, 17, 18, 19. */
function numbers(list: string): string[] {
  return list.split(/, and | and |, /).flatMap((part) => {
    const [from = 0, to = from] = part.split(/–| to /).map(Number);
    return Array.from({ length: to - from + 1 }, (_, place) => String(from + place));
  });
}

const KINDS: readonly Kind[] = [
  {
    pattern: new RegExp(String.raw`\b[Dd]ecisions? (\d+(?:${AND}\d+)*)`, "g"),
    missing: ([, list = ""], { decisions }) => numbers(list).filter((number) => !decisions.has(`decision-${number}`)),
  },
  {
    pattern: new RegExp(String.raw`\b(AgentCity|RAILS|ASA|Pramana) (${SECTION}(?:${AND}${SECTION})*)(?![\w–])`, "g"),
    missing: ([, paper = "", list = ""], { sources }) =>
      listed(list).filter((section) => !sources.has(`${paper}-${section}`.toLowerCase())),
  },
  {
    pattern: /(?<![\w."'`/-])([A-E]\.\d+(?:\.\d+)*)(?!\w)/g,
    missing: ([, section = ""], { sources }) => (PAPERS.some((paper) => sources.has(`${paper}-${section.toLowerCase()}`)) ? [] : [section]),
  },
  {
    pattern: /\b(Table|[Ee]q(?:\.|uation)) (\d+)/g,
    missing: ([, what = "", number = ""], { sources }) =>
      sources.has(`agentcity-${what === "Table" ? "table" : "eq"}-${number}`) ? [] : [number],
  },
  {
    pattern: new RegExp(String.raw`\bINVARIANTS? (\d+(?:${AND}\d+)*)`, "g"),
    missing: ([, list = ""], { sources }) => numbers(list).filter((number) => !sources.has(`agentcity-invariant-${number}`)),
  },
  {
    pattern: new RegExp(String.raw`\b[Ii]nvariants? (\d+(?:${AND}\d+)*)`, "g"),
    missing: ([, list = ""], { invariants }) => numbers(list).filter((number) => !invariants.has(number)),
  },
  {
    pattern: /\b(TA-\d+|[SN]P-\d+h?|H\d[a-z])\b/g,
    missing: ([, item = ""], { sources }) => (sources.has(`agentcity-${item.toLowerCase()}`) ? [] : [item]),
  },
  {
    pattern: /\b(CA-\d+)\b/g,
    missing: ([, item = ""], { sources }) => (sources.has(`pramana-${item.toLowerCase()}`) ? [] : [item]),
  },
];

/** What no reader of this repository can follow. */
const UNREADABLE: readonly RegExp[] = [
  /\b(?:agentcity|rails|asa|pramana)\.txt\b/g,
  /\b(?:seeds|design|review)\/[\w-]+\.\w+/g,
  /\b(?:AgentCity|RAILS|ASA|Pramana)[^;)\n]{0,20}\b\d{3,5}–\d{3,5}\b/g,
  /\b(?:AgentCity|RAILS|ASA|Pramana) §/g,
];

/** Comments that run over lines read as one. */
const flowing = (text: string) => text.replace(/\n[ \t]*(?:\/\/\/?|\*(?!\/))?[ \t]*/g, " ");

/** Citations of a text that lead nowhere. */
function broken(text: string, targets: Targets): string[] {
  const flat = flowing(text);
  const unresolved = KINDS.flatMap(({ pattern, missing }) =>
    [...flat.matchAll(pattern)].flatMap((match) => missing(match, targets).map((what) => `${match[0]}: no ${what}`)),
  );
  return [...unresolved, ...UNREADABLE.flatMap((pattern) => [...flat.matchAll(pattern)].map(([found]) => `${found}: not here`))];
}

/** Pages that a comment names as `page.md`: beside the file, at the root or in `docs/`. */
function absentPages(file: string, text: string): string[] {
  const comments = [...text.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm)].map(([comment]) => comment).join("\n");
  const named = [...comments.matchAll(/\b([\w-]+(?:\/[\w-]+)*\.md)\b/g)].map(([, name = ""]) => name);
  const written = ["report.md"];
  return named
    .filter((name) => !written.includes(name) && ![name, `docs/${name}`].some((path) => existsSync(join(root, path))))
    .map((name) => `${file}: page ${name}`);
}

describe("citations", () => {
  const invariantsPage = page("docs/invariants.md");
  const [prose = ""] = invariantsPage.split("| # |");
  const targets: Targets = {
    decisions: anchorsOf(page("docs/decisions.md")),
    sources: anchorsOf(page("docs/sources.md")),
    invariants: new Set([
      ...[...invariantsPage.matchAll(/^\| (\d+) \|/gm)].map(([, number = ""]) => number),
      ...[...prose.matchAll(/\b(2[0-9])\b/g)].map(([, number = ""]) => number),
    ]),
  };

  it("lead to an entry of docs/decisions.md, docs/sources.md or docs/invariants.md", () => {
    const found = FILES.flatMap((file) => broken(page(file), targets).map((fault) => `${file}: ${fault}`));
    expect(found).to.deep.equal([]);
  });

  it("name no page that is not here", () => {
    const code = FILES.filter((file) => /\.(ts|sol)$/.test(file));
    expect(code.flatMap((file) => absentPages(file, page(file)))).to.deep.equal([]);
  });

  it("number the decisions without a gap", () => {
    const entries = [...page("docs/decisions.md").matchAll(/<a id="decision-(\d+)"><\/a>\*\*(\d+)\. /g)];
    expect(entries.map(([, id]) => Number(id))).to.deep.equal(Array.from({ length: 104 }, (_, place) => place + 1));
    for (const [entry, id, title] of entries) expect(title, entry).to.equal(id);
  });

  it("are found out when they lead nowhere", () => {
    const text = [
      "Decisions 5, 103–105; decision 0. AgentCity 3.4, 9.9 and B.12; RAILS A.4.2, B.9. Table 7, Eq. 3, INVARIANT 6,",
      "/// invariant 99, TA-9,",
      "/// H9z, CA-4. See seeds/x.txt, AgentCity A.7 1920–2000, agentcity.txt, AgentCity §3.",
      " * decision",
      " * 200",
    ].join("\n");
    expect(broken(text, targets)).to.deep.equal([
      "Decisions 5, 103–105: no 105",
      "decision 0: no 0",
      "decision 200: no 200",
      "AgentCity 3.4, 9.9 and B.12: no 9.9",
      "RAILS A.4.2, B.9: no B.9",
      "B.9: no B.9",
      "Table 7: no 7",
      "Eq. 3: no 3",
      "INVARIANT 6: no 6",
      "invariant 99: no 99",
      "TA-9: no TA-9",
      "H9z: no H9z",
      "CA-4: no CA-4",
      "agentcity.txt: not here",
      "seeds/x.txt: not here",
      "AgentCity A.7 1920–2000: not here",
      "AgentCity §: not here",
    ]);
    expect(absentPages("x.ts", "/** See design.md and docs/money.md, report.md. */")).to.deep.equal(["x.ts: page design.md"]);
  });
});
