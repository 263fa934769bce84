/**
 * Measures which lines and branches of the contracts their tests run, in a copy. A line counts when a statement begins on it, and is
 * covered when that ran. A branch is one arm of an `if`; an `if` without `else` has an arm for what it lets pass. To tell arms apart,
 * each gets lines of its own in the copy: there an `else` that does nothing is written out. Of random cases a fiftieth is tried: which
 * lines run is asked, not whether they are right. Progress is on stderr.
 *
 * usage: npm run coverage [-- [--keep] <test file>…]      fails below the thresholds; --keep leaves the copy for a second look
 */
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { filesIn } from "./files.ts";
import { openWorkshop } from "./workshop.ts";

const THRESHOLDS = { lines: 98, branches: 95 };
/** Of the copy's tests: gas means nothing there. */
const TESTS = ["test/contracts/**/*.test.ts"];
const MEASURES = "test/contracts/meta/legislation/ballot-gas.test.ts";
/** Numbers of random cases, in `test/contracts/libraries/`: enough that every line has its chance. */
const CASES = /\bsweep\(10_000\)|\b10_000(?= ?[;}])/g;
const FEWER = "200";
const SOLC = "0.8.33";
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
  /** Of the copy. */
  readonly text: string;
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
export function spread(path: string, source: string): Measured {
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
  return { path, text, lines, arms };
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

interface Statement {
  readonly tag: Uint8Array;
  readonly startUtf16: number;
}
/** Hardhat's own, through Hardhat: the same source gets the same tags again. */
const Instrumenter = z.object({
  addStatementCoverageInstrumentation: z.custom<(text: string, source: string, version: string) => { metadata: Statement[] }>(
    (value) => typeof value === "function",
  ),
});
const { addStatementCoverageInstrumentation: instrument } = Instrumenter.parse(
  createRequire(fileURLToPath(import.meta.resolve("hardhat")))("@nomicfoundation/edr"),
);

const SPACE = /^(?:\s|\/\/.*\n|\/\*[\s\S]*?\*\/)*/;

/** Lines of the copy on which a statement begins, and whether all that begin there ran. */
function ranOn({ path, text }: Measured, tags: ReadonlySet<string>): Map<number, boolean> {
  const ran = new Map<number, boolean>();
  for (const { tag, startUtf16 } of instrument(text, `project/${path}`, SOLC).metadata) {
    const begin = startUtf16 + (SPACE.exec(text.slice(startUtf16))?.[0].length ?? 0);
    // A block's content is known by its statements.
    if (text[begin] === "{") continue;
    const line = text.slice(0, begin).split("\n").length;
    ran.set(line, (ran.get(line) ?? true) && tags.has(Buffer.from(tag).toString("hex")));
  }
  return ran;
}

interface Score {
  lines: [covered: number, all: number];
  branches: [covered: number, all: number];
  missing: string[];
}

function score(measured: Measured, tags: ReadonlySet<string>): Score {
  const { path, lines, arms } = measured;
  const ran = ranOn(measured, tags);
  const counted = [...lines].filter(([, copied]) => ran.has(copied));
  const dark = counted.filter(([, copied]) => ran.get(copied) === false).map(([line]) => `${path}:${line}`);
  const untaken = arms.filter(({ shownBy }) => ran.get(shownBy) !== true);
  return {
    lines: [counted.length - dark.length, counted.length],
    branches: [arms.length - untaken.length, arms.length],
    missing: [...dark, ...untaken.map(({ line, kind }) => `${path}:${line} ${kind}`)],
  };
}

const percent = ([covered, all]: [number, number]): number => (all === 0 ? 100 : (100 * covered) / all);

/** Prints what was not run and how much was; whether that is enough. */
export function report(measured: readonly Measured[], tags: ReadonlySet<string>): boolean {
  const scores = measured.map((one) => score(one, tags));
  const total = (part: "lines" | "branches"): [number, number] => [
    scores.reduce((sum, one) => sum + one[part][0], 0),
    scores.reduce((sum, one) => sum + one[part][1], 0),
  ];
  for (const place of scores.flatMap(({ missing }) => missing)) console.log(`  ${place}`);
  const [lines, branches] = [total("lines"), total("branches")];
  console.log(
    `\nlines ${lines.join(" of ")}: ${percent(lines).toFixed(2)} %   branches ${branches.join(" of ")}: ${percent(branches).toFixed(2)} %`,
  );
  return percent(lines) >= THRESHOLDS.lines && percent(branches) >= THRESHOLDS.branches;
}

/** What ran, as the processes that ran tests left it. */
export function tagsIn(workshop: string): Set<string> {
  const Counts = z.record(z.string(), z.number());
  const files = filesIn("coverage/data/**/*.json", workshop).map((path) => readFileSync(join(workshop, path), "utf8"));
  return new Set(files.flatMap((text) => Object.keys(Counts.parse(JSON.parse(text)))));
}

/** Gives a copy's contracts their lines and its tests fewer cases. */
export function prepare(workshop: string): Measured[] {
  const rewrite = (path: string, change: (text: string) => string): void => {
    const file = join(workshop, path);
    writeFileSync(file, change(readFileSync(file, "utf8")));
  };
  rewrite("hardhat.config.ts", (text) => text.replace("timeout: 60_000", "timeout: 900_000"));
  for (const path of filesIn("test/contracts/libraries/*.ts", workshop)) {
    rewrite(path, (text) => text.replace(CASES, FEWER));
  }
  return filesIn("contracts/**/*.sol", workshop).map((path) => {
    const measured = spread(path, readFileSync(join(workshop, path), "utf8"));
    rewrite(path, () => measured.text);
    return measured;
  });
}

/** Whether it ended well. */
function hardhat(workshop: string, ...args: readonly string[]): Promise<boolean> {
  const cli = fileURLToPath(new URL("./cli.js", import.meta.resolve("hardhat")));
  const child = spawn(process.execPath, [cli, ...args, "--coverage"], { cwd: workshop, stdio: ["ignore", 2, 2] });
  return new Promise((resolve) => child.on("exit", (code) => resolve(code === 0)));
}

async function main(): Promise<number> {
  const workshop = openWorkshop("coverage", false);
  const measured = prepare(workshop);
  const named = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
  const tests = named.length > 0 ? named : filesIn(TESTS, workshop).filter((path) => path !== MEASURES);
  if (!(await hardhat(workshop, "build", "--no-typechain"))) throw new Error("the copy does not compile");
  // Dealt out, so that each process has some of every folder. All start together: a start forgets what others left.
  const hands = Array.from({ length: Math.min(availableParallelism(), tests.length) }, (_, hand) =>
    tests.filter((_test, index) => index % availableParallelism() === hand),
  );
  const passed = await Promise.all(hands.map((files) => hardhat(workshop, "test", "mocha", "--no-compile", ...files)));
  const enough = report(measured, tagsIn(workshop));
  // Some have to: instrumented code costs more gas than a ceiling under test allows.
  if (passed.includes(false)) console.log("tests failed there: what they would have run is missing");
  if (process.argv.includes("--keep")) console.log(workshop);
  else rmSync(workshop, { recursive: true });
  return enough ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main();
