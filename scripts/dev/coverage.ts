/**
 * Measures which lines and branches of the contracts their tests run, in a copy. A line counts when a statement begins on it, and is
 * covered when that ran. A branch is one arm of an `if`; an `if` without `else` has an arm for what it lets pass. To tell arms apart,
 * each gets lines of its own in the copy: there an `else` that does nothing is written out.
 *
 * usage: npm run coverage [-- [--keep] <test file>…]      fails below the thresholds; --keep leaves the copy for a second look
 */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { filesIn } from "./files.ts";
import { openWorkshop } from "./workshop.ts";

const THRESHOLDS = { lines: 98, branches: 95 };
const LIMIT_MS = 7_200_000;
const STATEMENT = /^(\w+Statement|Return|Continue|Break)$/;
/** Says nothing and costs one statement. */
const PASS = "(true);";

interface Node {
  readonly nodeType?: string;
  readonly src?: string;
  readonly [key: string]: unknown;
}

interface Arm {
  readonly line: number;
  readonly kind: "then" | "else" | "pass";
  /** Line of the copy whose execution shows that the arm was taken. */
  readonly shownBy: number;
}

interface Measured {
  readonly path: string;
  /** Lines of the copy by line of the source, of those on which a statement begins. */
  readonly lines: ReadonlyMap<number, number>;
  readonly arms: readonly Arm[];
}

const Compiler = z.object({ compile: z.custom<(input: string) => string>((value) => typeof value === "function") });
const Parsed = z.object({ sources: z.record(z.string(), z.object({ ast: z.custom<Node>((value) => typeof value === "object") })) });

function parse(content: string): Node {
  const solc = Compiler.parse(createRequire(import.meta.url)("solc"));
  const input = {
    language: "Solidity",
    sources: { file: { content } },
    settings: { stopAfter: "parsing", outputSelection: { "*": { "": ["ast"] } } },
  };
  const { ast } = Parsed.parse(JSON.parse(solc.compile(JSON.stringify(input)))).sources.file ?? {};
  if (ast === undefined) throw new Error("the compiler gave no syntax tree");
  return ast;
}

function* nodesIn(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const one of value) yield* nodesIn(one);
  else if (typeof value === "object" && value !== null) {
    const node: Node = Object.fromEntries(Object.entries(value));
    if (node.nodeType !== undefined) yield node;
    for (const child of Object.values(node)) yield* nodesIn(child);
  }
}

/** First byte and the one after the last. */
function rangeOf(node: unknown): [number, number] {
  const src = z.object({ src: z.string() }).parse(node).src;
  const [start = 0, length = 0] = src.split(":").map(Number);
  return [start, start + length];
}

/** Behind a body and its semicolon, which the tree leaves out but of a bare `return`. */
function endOf(bytes: Buffer, body: unknown): number {
  const [, end] = rangeOf(body);
  return [";", "}"].includes(bytes.subarray(end - 1, end).toString()) ? end : bytes.indexOf(";", end) + 1;
}

/** Where the first statement of an arm begins, or nothing in an empty block. */
function firstOf(body: unknown): number | undefined {
  const block = z.object({ nodeType: z.string(), statements: z.array(z.unknown()).optional() }).parse(body);
  if (block.nodeType !== "Block") return rangeOf(body)[0];
  const [first] = block.statements ?? [];
  return first === undefined ? undefined : rangeOf(first)[0];
}

/** Gives every arm lines of its own; the answer says which. */
export function spread(path: string, source: string): { text: string; measured: Measured } {
  const bytes = Buffer.from(source);
  const inserts: { at: number; text: string; arm?: Omit<Arm, "shownBy"> }[] = [];
  const lineAt = (offset: number) => bytes.subarray(0, offset).toString().split("\n").length;
  const nodes = [...nodesIn(parse(source))];
  for (const node of nodes.filter(({ nodeType }) => nodeType === "IfStatement")) {
    const line = lineAt(rangeOf(node)[0]);
    const then = firstOf(node["trueBody"]);
    if (then !== undefined) inserts.push({ at: then, text: "\n", arm: { line, kind: "then" } });
    const other = node["falseBody"];
    if (other === null || other === undefined) {
      inserts.push({ at: endOf(bytes, node["trueBody"]), text: ` else {\n${PASS}\n}`, arm: { line, kind: "pass" } });
    } else {
      const first = firstOf(other);
      if (first !== undefined) inserts.push({ at: first, text: "\n", arm: { line, kind: "else" } });
    }
  }
  // Of several at one place the inner statement's comes first: the tree lists it after the outer one.
  const ordered = inserts.map((insert, order) => ({ ...insert, order })).sort((a, b) => a.at - b.at || b.order - a.order);
  let text = "";
  let last = 0;
  const arms: Arm[] = [];
  for (const { at, text: inserted, arm } of ordered) {
    text += bytes.subarray(last, at).toString();
    last = at;
    text += inserted;
    if (arm !== undefined) arms.push({ ...arm, shownBy: text.split("\n").length - (arm.kind === "pass" ? 1 : 0) });
  }
  text += bytes.subarray(last).toString();
  const begun = new Set(nodes.filter(({ nodeType = "" }) => STATEMENT.test(nodeType)).map((node) => lineAt(rangeOf(node)[0])));
  const lines = new Map([...linesOf(bytes, ordered)].filter(([line]) => begun.has(line)));
  return { text, measured: { path, lines, arms } };
}

/** Where the first visible character of each line went. */
function linesOf(bytes: Buffer, inserts: readonly { at: number; text: string }[]): Map<number, number> {
  const lines = new Map<number, number>();
  let offset = 0;
  for (const [index, line] of bytes.toString().split("\n").entries()) {
    const begin = offset + Buffer.byteLength(line) - Buffer.byteLength(line.trimStart());
    const added = inserts.filter(({ at }) => at <= begin).reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
    lines.set(index + 1, index + 1 + added);
    offset += Buffer.byteLength(line) + 1;
  }
  return lines;
}

/** Executions by line of each file of an lcov report. */
function readLcov(report: string): Map<string, Map<number, number>> {
  const files = new Map<string, Map<number, number>>();
  for (const record of report.split("end_of_record")) {
    const path = /^SF:(.*)$/m.exec(record)?.[1];
    if (path === undefined) continue;
    files.set(path, new Map([...record.matchAll(/^DA:(\d+),(\d+)/gm)].map(([, line, count]) => [Number(line), Number(count)])));
  }
  return files;
}

interface Score {
  lines: [covered: number, all: number];
  branches: [covered: number, all: number];
  missing: string[];
}

function score({ path, lines, arms }: Measured, hits: ReadonlyMap<number, number>): Score {
  const counted = [...lines].filter(([, copied]) => hits.has(copied));
  const dark = counted.filter(([, copied]) => hits.get(copied) === 0).map(([line]) => `${path}:${line}`);
  const untaken = arms.filter(({ shownBy }) => (hits.get(shownBy) ?? 0) === 0);
  return {
    lines: [counted.length - dark.length, counted.length],
    branches: [arms.length - untaken.length, arms.length],
    missing: [...dark, ...untaken.map(({ line, kind }) => `${path}:${line} ${kind}`)],
  };
}

const percent = ([covered, all]: [number, number]): number => (all === 0 ? 100 : (100 * covered) / all);

function main(): number {
  const workshop = openWorkshop("coverage", false);
  const measured: Measured[] = [];
  for (const path of filesIn("contracts/**/*.sol", workshop)) {
    const file = join(workshop, path);
    const { text, measured: one } = spread(path, readFileSync(file, "utf8"));
    writeFileSync(file, text);
    measured.push(one);
  }
  const config = join(workshop, "hardhat.config.ts");
  writeFileSync(config, readFileSync(config, "utf8").replace("timeout: 60_000", "timeout: 900_000"));
  const hardhat = fileURLToPath(new URL("./cli.js", import.meta.resolve("hardhat")));
  const named = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
  const tests = named.length > 0 ? named : filesIn(["test/contracts/**/*.test.ts", "test/invariants/*.test.ts"], workshop);
  // How it goes is told on stderr, test by test: it takes minutes.
  const { status } = spawnSync(process.execPath, [hardhat, "test", "mocha", "--coverage", ...tests], {
    cwd: workshop,
    stdio: ["ignore", 2, 2],
    timeout: LIMIT_MS,
  });
  const hits = readLcov(readFileSync(join(workshop, "coverage", "lcov.info"), "utf8"));
  const scores = measured.map((one) => score(one, hits.get(one.path) ?? new Map()));
  const total = (part: "lines" | "branches"): [number, number] => [
    scores.reduce((sum, one) => sum + one[part][0], 0),
    scores.reduce((sum, one) => sum + one[part][1], 0),
  ];
  for (const place of scores.flatMap(({ missing }) => missing)) console.log(`  ${place}`);
  const [lines, branches] = [total("lines"), total("branches")];
  console.log(
    `\nlines ${lines.join(" of ")}: ${percent(lines).toFixed(2)} %   branches ${branches.join(" of ")}: ${percent(branches).toFixed(2)} %`,
  );
  if (!process.argv.includes("--keep")) rmSync(workshop, { recursive: true });
  else console.log(workshop);
  if (status !== 0) console.log("tests failed: what they would have run is missing");
  return status === 0 && percent(lines) >= THRESHOLDS.lines && percent(branches) >= THRESHOLDS.branches ? 0 : 1;
}

if (import.meta.main) process.exitCode = main();
