/**
 * What a function does, as a tree of cases: `.tree` beside the tests. A root is a describe of a test file in the same folder, a branch one
 * inside it, a leaf a test, each by its title. Both ways: a case without a test fails here, and so does a test without a case.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import ts from "typescript";
import { AUTHORITY } from "../../scripts/dev/authority.ts";
import { filesIn, root } from "../../scripts/dev/files.ts";

/** Tests of what all functions together keep, whatever is called in which order, and of measures: no cases to tell apart. */
const PROPERTIES = ["ballot-gas", "everything-ends", "recursion", "replay", "stake-invariants", "stake-pool-invariants", "walk"].map(
  (name) => `/${name}.test.ts`,
);
/** Our own token's are OpenZeppelin's but for `mint`. */
const INHERITED = ["approve", "permit", "transfer", "transferFrom"];

interface Branch {
  readonly title: string;
  readonly children: readonly (Branch | string)[];
}

const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** A title as written; what a template fills in is an ellipsis. */
function titleOf(node: ts.Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
}

/** Describes and tests in a piece of source, in order, those in loops and hooks included. */
function casesIn(node: ts.Node): (Branch | string)[] {
  const found: (Branch | string)[] = [];
  ts.forEachChild(node, (child) => {
    const callee = ts.isCallExpression(child) && ts.isIdentifier(child.expression) ? child.expression.text : "";
    const title = ts.isCallExpression(child) ? titleOf(child.arguments[0]) : undefined;
    if (callee === "describe" && title !== undefined) found.push({ title, children: casesIn(child) });
    else if (callee === "it" && title !== undefined) found.push(title);
    else found.push(...casesIn(child));
  });
  return found;
}

/** As `tree` draws it. */
function draw(children: Branch["children"], margin = ""): string {
  return children
    .map((child, index) => {
      const last = index === children.length - 1;
      const line = `${margin}${last ? "└── " : "├── "}${typeof child === "string" ? child : child.title}\n`;
      return typeof child === "string" ? line : line + draw(child.children, `${margin}${last ? "    " : "│   "}`);
    })
    .join("");
}

/** Lines with something below them. */
function branchesOf(tree: string): string[] {
  const lines = tree.split("\n");
  const depth = (line = ""): number => line.search(/[^│├└─ ]/);
  return lines.filter((line, index) => depth(lines[index + 1]) > depth(line));
}

/** What the trees of a folder should be, by root. */
function drawn(folder: string): Map<string, string> {
  const tests = filesIn(`${folder}/*.test.ts`).filter((path) => !PROPERTIES.some((name) => path.endsWith(name)));
  const roots = tests.flatMap((path) => casesIn(ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest)));
  return new Map(roots.flatMap((one) => (typeof one === "string" ? [] : [[one.title, `${one.title}\n${draw(one.children)}`]])));
}

const trees = filesIn("test/contracts/**/*.tree").map((path) => {
  const text = read(path);
  return { path, text, root: text.split("\n", 1)[0] ?? "" };
});
const FOLDERS = ["foundational", "meta", "meta/legislation", "collaboration", "collaboration/modules", "interop", "agreements"].map(
  (folder) => `test/contracts/${folder}`,
);

describe("trees", () => {
  for (const folder of FOLDERS) {
    it(`say of ${folder} what its tests try, case by case`, () => {
      const here = trees.filter(({ path }) => dirname(path) === folder);
      expect(Object.fromEntries(here.map((tree) => [tree.root, tree.text]))).to.deep.equal(Object.fromEntries(drawn(folder)));
    });
  }

  it("lie where they are compared, one to a root", () => {
    expect(trees.filter(({ path }) => !FOLDERS.includes(dirname(path)))).to.deep.equal([]);
    expect(new Set(trees.map((tree) => tree.root)).size).to.equal(trees.length);
  });

  it("have a root or a branch for every function that changes state", () => {
    const named = new Set(trees.flatMap(({ text }) => branchesOf(text)).flatMap((title) => title.split(/\W+/)));
    const functions = Object.values(AUTHORITY).flatMap((rows) => Object.keys(rows));
    expect(functions.filter((name) => !named.has(name) && !INHERITED.includes(name))).to.deep.equal([]);
  });
});
