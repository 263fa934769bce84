import type { Node } from "@babel/types";
import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems, textField } from "./shared/items.ts";
import { countLines, isProse, isScript, languageOf } from "./shared/languages.ts";
import { quoted } from "./shared/quoted.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";
import { parseScript, visit } from "./shared/script.ts";

export const about: ServiceAbout = {
  id: "code-metrics",
  title: "Lines and complexity of source files",
  description:
    "Measures source code: counts lines of code, comments and blank lines per file in eighty languages, and for JavaScript and TypeScript the cyclomatic complexity of every function, the most complex one and its line. Shows which files and functions are large, complicated, hard to test or to maintain, and worth refactoring.",
  accepts: ["files", "items"],
  produces: "items",
  perItem: true,
  input: itemsInput(),
  output: itemsOutput({
    label: { type: "string" },
    // Before `lines`: a goal that says "lines of code" names both, and means this.
    code: { type: "integer" },
    lines: { type: "integer" },
    blank: { type: "integer" },
    comments: { type: "integer" },
    value: { type: "integer", description: "lines of code" },
    complexity: { type: ["integer", "null"], description: "cyclomatic complexity of the whole file: how complicated it is" },
    worst: { type: ["integer", "null"], description: "complexity of the most complex function" },
  }),
  capabilities: capabilities({ parsing: 200, numbers: 80 }),
  deterministic: true,
};

/** `label` is the language, `value` the lines of code; of text for people there are none. Complexity is null for other languages and what cannot be parsed. */
const codeMetrics: Service = (input) => ({ items: allItems(input).map(measured) });
export default codeMetrics;

/** Comments of a language that is not known are counted as code. */
const UNKNOWN = { name: "unknown language", line: [] };

/** Functions of a file that are listed, the most complex first. */
const LISTED = 5;

function measured(item: Item): Item {
  const text = textField(item, "text");
  const language = languageOf(item.id, text) ?? UNKNOWN;
  const base = { id: item.id, name: item.id, label: language.name, complexity: null, worst: null };
  const counts = countLines(text, language);
  if (isProse(language)) return { ...base, ...counts, code: 0, value: 0 };
  const sized = { ...base, ...counts, value: counts.code };
  if (!isScript(language)) return sized;
  const script = parseScript(item.id, text);
  if (!script.ok) return { ...sized, problem: script.problem };
  const functions = complexityOf(script.file).sort((a, b) => b.complexity - a.complexity || a.line - b.line);
  return {
    ...sized,
    functions: functions.length,
    complexity: functions.reduce((sum, { complexity }) => sum + complexity, 0),
    worst: functions[0]?.complexity ?? 0,
    mostComplex: functions.slice(0, LISTED),
  };
}

/** Where the flow may go two ways. A `case` counts, `default` does not; `a?.b` and default values do not. */
const BRANCHES: readonly string[] = [
  "IfStatement",
  "ConditionalExpression",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
  "CatchClause",
  "LogicalExpression",
];
const FUNCTIONS =
  /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ObjectMethod|ClassMethod|ClassPrivateMethod|StaticBlock)$/;

/** McCabe's number of each function: one, and one more for each branch. What stands outside all functions is one called `(top level)`. */
function complexityOf(file: Node) {
  const top = { name: "(top level)", line: 1, complexity: 1 };
  const found = new Map<Node, typeof top>();
  visit(file, (node, parents) => {
    if (FUNCTIONS.test(node.type)) found.set(node, { name: nameOf(node, parents), line: node.loc?.start.line ?? 0, complexity: 1 });
    else if (isBranch(node)) {
      const owner = parents.findLast((parent) => found.has(parent));
      const counted = owner === undefined ? top : found.get(owner);
      if (counted !== undefined) counted.complexity += 1;
    }
  });
  return [top, ...found.values()];
}

function isBranch(node: Node): boolean {
  if (node.type === "SwitchCase") return node.test !== null && node.test !== undefined;
  if (node.type === "AssignmentExpression") return ["&&=", "||=", "??="].includes(node.operator);
  return BRANCHES.includes(node.type);
}

/** Its own name, that of the method, or that of what it is assigned to. */
function nameOf(node: Node, parents: readonly Node[]): string {
  const parent = parents.at(-1);
  const named = [
    "id" in node ? node.id : undefined,
    "key" in node ? node.key : undefined,
    parent?.type === "VariableDeclarator" ? parent.id : undefined,
    parent?.type === "AssignmentExpression" ? parent.left : undefined,
    parent !== undefined && "key" in parent ? parent.key : undefined,
  ];
  for (const name of named) {
    const text = identifierIn(name);
    if (text !== undefined) return quoted(text, 100);
  }
  return node.type === "StaticBlock" ? "(static block)" : "(anonymous)";
}

function identifierIn(node: unknown): string | undefined {
  if (typeof node !== "object" || node === null || !("type" in node)) return undefined;
  if (node.type === "Identifier" && "name" in node) return String(node.name);
  if (node.type === "StringLiteral" && "value" in node) return String(node.value);
  if (node.type === "PrivateName" && "id" in node) return `#${identifierIn(node.id) ?? ""}`;
  if (node.type === "MemberExpression" && "property" in node) return identifierIn(node.property);
  return undefined;
}
