/**
 * Rules of the contracts' code that no linter of text can see, read from the compiler's typed tree:
 *
 * - `narrowing`: a conversion to a narrower number loses nothing. Its largest value is computed from types, masks, constants and the ranges of
 *   parameters; where that does not show it, a comment at the statement says what bounds it ("at most …", "fits …"). Cutting a field
 *   out of a packed word by a shift is no loss.
 * - `loop`: a loop that calls another contract, or copies the clone's arguments, says how often it turns: a comment at the loop holds "at most".
 * - `lock`: who changes state and hands control to a token or to code of others holds the reentrancy lock.
 *
 * usage: node scripts/dev/contract-rules.ts     a part of `npm run lint`
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PARAMETERS } from "../../orchestrator/protocol/parameters.ts";
import { filesIn, root } from "./files.ts";
import {
  type AstNode,
  child,
  children,
  linesOf,
  numberIn,
  parseSources,
  type Source,
  text,
  typeOf,
  walk,
  written,
} from "./solidity-ast.ts";

export type RuleName = "narrowing" | "loop" | "lock";

export interface Violation {
  readonly rule: RuleName;
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

const below = (bits: bigint) => (1n << bits) - 1n;

/** Names that mean one thing wherever they stand, and the largest value they have. */
const NAMED: Readonly<Record<string, bigint>> = {
  // A node has at most five slots, a panel seven seats, a law 256 nodes; an attempt is a four-bit field (LawCodec, NodeWord).
  slot: 7n,
  place: 7n,
  node: 255n,
  attempt: 15n,
  risk: 2n,
  // Sessions and days are counted one by one.
  session: below(32n),
  day: below(32n),
};

const PARAMETER_MAX = new Map<string, bigint>(PARAMETERS.map(({ name, max }) => [name, max]));

const LOOPS = ["ForStatement", "WhileStatement", "DoWhileStatement"];

/** Largest value of a type; undefined for what is no unsigned number. */
function widest(type: string): bigint | undefined {
  const bits = /^uint(\d+)$/.exec(type)?.[1];
  if (bits !== undefined) return below(BigInt(bits));
  const bytes = /^bytes(\d+)$/.exec(type)?.[1];
  if (bytes !== undefined) return below(8n * BigInt(bytes));
  if (type === "address" || type === "address payable" || type.startsWith("contract ")) return below(160n);
  return type.startsWith("enum ") ? 255n : undefined;
}

/** Bits that the larger of two numbers takes. */
const bitsOf = (a: bigint, b: bigint) => BigInt(Math.max(a.toString(2).length, b.toString(2).length));

/** All of a project's declarations, by number. */
class Declarations {
  readonly byId = new Map<number, AstNode>();
  /** Contracts' functions by the function of an interface, or of a base, that they fill in. */
  readonly filledBy = new Map<number, AstNode[]>();

  constructor(sources: readonly Source[]) {
    for (const { ast } of sources) {
      for (const { node } of walk(ast)) {
        const id = numberIn(node, "id");
        if (id !== undefined && node.nodeType.endsWith("Definition")) this.byId.set(id, node);
        if (id !== undefined && node.nodeType === "VariableDeclaration") this.byId.set(id, node);
        if (node.nodeType !== "FunctionDefinition" || !Array.isArray(node.baseFunctions)) continue;
        for (const base of node.baseFunctions)
          if (typeof base === "number") this.filledBy.set(base, [...(this.filledBy.get(base) ?? []), node]);
      }
    }
  }

  /** The functions a call may run: the one it names, and those that fill it in. */
  targets(call: AstNode): readonly AstNode[] {
    const id = numberIn(child(call, "expression"), "referencedDeclaration");
    if (id === undefined) return [];
    const all = [this.byId.get(id)].filter((node) => node !== undefined);
    for (let i = 0; i < all.length; i++) all.push(...(this.filledBy.get(numberIn(all[i], "id") ?? -1) ?? []));
    return all.filter(({ nodeType }) => nodeType === "FunctionDefinition");
  }

  /** The largest value an expression has, as far as it shows; undefined when it is no unsigned number. */
  largest(node: AstNode | undefined): bigint | undefined {
    if (node === undefined) return undefined;
    const { name: type, id } = typeOf(node);
    const constant = /^t_rational_(\d+)_by_1$/.exec(id)?.[1];
    if (constant !== undefined) return BigInt(constant);
    const limit = widest(type);
    const found = this.#computed(node);
    if (found === undefined) return limit;
    return limit !== undefined && limit < found ? limit : found;
  }

  #computed(node: AstNode): bigint | undefined {
    switch (node.nodeType) {
      case "TupleExpression":
        return this.largest(children(node, "components")[0]);
      case "Conditional":
        return this.#either(child(node, "trueExpression"), child(node, "falseExpression"));
      case "BinaryOperation":
        return this.#binary(node);
      case "MemberAccess":
        // Until the year 4147; and blocks for 34 years, at four a second.
        if (member(node) === "block.timestamp") return below(36n);
        if (member(node) === "block.number") return below(32n);
        return this.#declared(node, text(node, "memberName"));
      case "Identifier":
        return this.#declared(node, text(node, "name"));
      case "FunctionCall": {
        const [argument] = children(node, "arguments");
        if (text(node, "kind") === "typeConversion") return this.largest(argument);
        const called = child(node, "expression");
        const name = text(called, "memberName") || text(called, "name");
        const parameter = argument?.nodeType === "MemberAccess" && typeOf(argument).name === "enum Param";
        return name.endsWith("aram") && parameter ? PARAMETER_MAX.get(text(argument, "memberName")) : undefined;
      }
      default:
        return undefined;
    }
  }

  /** A constant's value, or the bound of a name that means one thing. */
  #declared(node: AstNode, name: string): bigint | undefined {
    const declaration = this.byId.get(numberIn(node, "referencedDeclaration") ?? -1);
    if (declaration?.mutability === "constant") return this.largest(child(declaration, "value"));
    return NAMED[name];
  }

  #binary(node: AstNode): bigint | undefined {
    const left = this.largest(child(node, "leftExpression"));
    const right = this.largest(child(node, "rightExpression"));
    if (left === undefined || right === undefined) return undefined;
    const fixed = /^t_rational/.test(typeOf(child(node, "rightExpression")).id) || this.#isConstant(child(node, "rightExpression"));
    switch (text(node, "operator")) {
      case "+":
        return left + right;
      case "-":
        return left;
      case "*":
        return left * right;
      case "/":
        return fixed && right > 0n ? left / right : left;
      case "%":
        return right > 0n ? right - 1n : left;
      case "&":
        return below(BigInt(Math.min(left.toString(2).length, right.toString(2).length)));
      case "|":
      case "^":
        return below(bitsOf(left, right));
      case "<<":
        return right <= 256n ? left << right : undefined;
      case ">>":
        return fixed ? left >> right : left;
      default:
        return undefined;
    }
  }

  #either(one: AstNode | undefined, other: AstNode | undefined): bigint | undefined {
    const [a, b] = [this.largest(one), this.largest(other)];
    return a === undefined || b === undefined ? undefined : below(bitsOf(a, b));
  }

  #isConstant(node: AstNode | undefined): boolean {
    return this.byId.get(numberIn(node, "referencedDeclaration") ?? -1)?.mutability === "constant";
  }
}

/** `name.member` of a member of a plain name. */
const member = (node: AstNode) => `${text(child(node, "expression"), "name")}.${text(node, "memberName")}`;

/** How a comment states a bound. */
const BOUND = /\b(fits?|at most|below|low bits|nothing is cut)\b/i;

const STATEMENTS = [
  "ExpressionStatement",
  "VariableDeclarationStatement",
  "Return",
  "EmitStatement",
  "RevertStatement",
  "IfStatement",
  "VariableDeclaration",
];

/** Whether a comment says this on the node's lines, or above them in the same paragraph: up to an empty line, or one that opens a block. */
function says(source: Source, node: AstNode, words: RegExp): boolean {
  const { first, last } = linesOf(source, node);
  const lines = source.text.split("\n");
  let start = first - 1;
  while (start > 0 && !/^$|[{(]$/.test((lines[start - 1] ?? "").trim())) start--;
  return lines.slice(start, last).some((line) => words.test(/\/\/(.*)/.exec(line)?.[1] ?? ""));
}

/** A packed word, shifted: what is cut off is other fields. */
function isField(node: AstNode | undefined): boolean {
  const inner = node?.nodeType === "TupleExpression" ? children(node, "components")[0] : node;
  if (inner?.nodeType !== "BinaryOperation" || text(inner, "operator") !== ">>") return false;
  return child(inner, "leftExpression")?.nodeType !== "BinaryOperation" && child(inner, "leftExpression")?.nodeType !== "TupleExpression";
}

/** Assembly that calls other code and lets it change state. */
function handsOver(fn: AstNode): boolean {
  for (const { node } of walk(fn)) {
    if (node.nodeType === "YulFunctionCall" && ["call", "delegatecall"].includes(text(child(node, "functionName"), "name"))) return true;
    if (node.nodeType === "FunctionCall" && /^t_function_bare(call|delegatecall)_/.test(typeOf(child(node, "expression")).id)) return true;
  }
  return false;
}

/** Whether what a function runs, its own code or that of a function it calls, is of a kind; each is looked at once. */
function runs(declarations: Declarations, is: (fn: AstNode) => boolean, through: (fn: AstNode) => boolean): (fn: AstNode) => boolean {
  const known = new Map<AstNode, boolean>();
  const find = (fn: AstNode): boolean => {
    const before = known.get(fn);
    if (before !== undefined) return before;
    known.set(fn, false);
    const found = is(fn) || callsIn(fn).some((call) => declarations.targets(call).some((target) => through(target) && find(target)));
    known.set(fn, found);
    return found;
  };
  return find;
}

const callsIn = (fn: AstNode) => [...walk(fn)].flatMap(({ node }) => (node.nodeType === "FunctionCall" ? [node] : []));

/** What breaks the rules in these sources; packages are read for what they do, and not judged. */
export function violations(sources: readonly Source[]): readonly Violation[] {
  const declarations = new Declarations(sources);
  const reachesOthers = runs(declarations, handsOver, isMutating);
  const copiesArguments = runs(
    declarations,
    ({ name }) => name === "fetchCloneArgs",
    (fn) => fn.visibility !== "external",
  );

  /** The rule a node breaks, unless a comment says why it does not. */
  const broken = (source: Source, node: AstNode, above: readonly AstNode[]): RuleName | undefined => {
    if (node.nodeType === "FunctionDefinition") {
      const locked = !isEntry(node, above.at(-1)) || isLocked(node) || !reachesOthers(node);
      return locked || says(source, headOf(node), /\bNo lock: \S/) ? undefined : "lock";
    }
    if (node.nodeType !== "FunctionCall") return undefined;
    if (text(node, "kind") === "typeConversion") {
      const statement = above.findLast(({ nodeType }) => STATEMENTS.includes(nodeType)) ?? node;
      return loses(declarations, node) && !says(source, statement, BOUND) ? "narrowing" : undefined;
    }
    const loop = above.findLast(({ nodeType }) => LOOPS.includes(nodeType));
    const heavy = isExternal(node) || declarations.targets(node).some(copiesArguments);
    return loop !== undefined && heavy && !says(source, headOf(loop), /\bat most\b/i) ? "loop" : undefined;
  };

  return sources
    .filter(({ path }) => path.startsWith("contracts/"))
    .flatMap((source) =>
      [...walk(source.ast)].flatMap(({ node, above }) => {
        const rule = broken(source, node, above);
        const place = headOf(node);
        return rule === undefined
          ? []
          : [{ rule, path: source.path, line: linesOf(source, place).first, what: written(source, place).slice(0, 100) }];
      }),
    );
}

/** A loop or function without its body; any other node as it is. */
function headOf(node: AstNode): AstNode {
  const body = child(node, "body");
  if (body === undefined) return node;
  const [start, , file] = node.src.split(":");
  return { ...node, src: `${start}:${Number(body.src.split(":")[0]) - Number(start)}:${file}` };
}

function loses(declarations: Declarations, conversion: AstNode): boolean {
  const [argument] = children(conversion, "arguments");
  const room = /^uint\d+$/.test(typeOf(conversion).name) ? widest(typeOf(conversion).name) : undefined;
  if (room === undefined || !/^uint\d+$/.test(typeOf(argument).name) || isField(argument)) return false;
  const largest = declarations.largest(argument);
  return largest === undefined || largest > room;
}

const isMutating = (fn: AstNode) => ["nonpayable", "payable"].includes(text(fn, "stateMutability"));

/** A call of another contract. */
const isExternal = (call: AstNode) =>
  text(call, "kind") === "functionCall" && /^t_function_(external|bare)/.test(typeOf(child(call, "expression")).id);

const isEntry = (fn: AstNode, of: AstNode | undefined) =>
  text(of, "contractKind") === "contract" &&
  fn.implemented === true &&
  text(fn, "kind") === "function" &&
  ["external", "public"].includes(text(fn, "visibility")) &&
  isMutating(fn);

const isLocked = (fn: AstNode) =>
  children(fn, "modifiers").some((modifier) => text(child(modifier, "modifierName"), "name") === "nonReentrant");

if (import.meta.main) {
  const files = new Map(filesIn("contracts/**/*.sol").map((path) => [path, readFileSync(join(root, path), "utf8")]));
  const found = violations(parseSources(files));
  for (const { rule, path, line, what } of found) console.error(`${path}:${line} ${rule}: ${what}`);
  if (found.length > 0) process.exitCode = 1;
}
