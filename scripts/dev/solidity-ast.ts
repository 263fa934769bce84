/** The compiler's typed syntax tree, as far as the rules of `contract-rules.ts` read it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import solc from "solc";
import { z } from "zod";
import { root } from "./files.ts";

/** A node of the tree: its kind, its place (`offset:length:file`), and the fields of that kind. */
export interface AstNode {
  readonly nodeType: string;
  readonly src: string;
  readonly [field: string]: unknown;
}

/** A source file and its tree. */
export interface Source {
  /** As it was imported: relative to the project, or from a package. */
  readonly path: string;
  /** Empty for what was imported from a package. */
  readonly text: string;
  readonly ast: AstNode;
}

export const isNode = (value: unknown): value is AstNode =>
  typeof value === "object" && value !== null && "nodeType" in value && typeof value.nodeType === "string" && "src" in value;

/** The node in a field; undefined when there is none. */
export function child(node: AstNode | undefined, field: string): AstNode | undefined {
  const value = node?.[field];
  return isNode(value) ? value : undefined;
}

/** The nodes of a list. */
export function children(node: AstNode | undefined, field: string): readonly AstNode[] {
  const value = node?.[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function text(node: AstNode | undefined, field: string): string {
  const value = node?.[field];
  return typeof value === "string" ? value : "";
}

/** The number of a declaration: its own, or of the one that a name refers to. */
export function numberIn(node: AstNode | undefined, field: "id" | "referencedDeclaration"): number | undefined {
  const value = node?.[field];
  return typeof value === "number" ? value : undefined;
}

const Types = z.object({ typeString: z.string().nullish(), typeIdentifier: z.string().nullish() });

/** How the compiler writes an expression's type, such as `uint256`, and the name it has for it inside. */
export function typeOf(node: AstNode | undefined): { readonly name: string; readonly id: string } {
  const { data } = Types.safeParse(node?.typeDescriptions);
  return { name: data?.typeString ?? "", id: data?.typeIdentifier ?? "" };
}

/** Every node at or below this one, with the nodes above it, outermost first. */
export function* walk(node: AstNode, above: readonly AstNode[] = []): Generator<{ node: AstNode; above: readonly AstNode[] }> {
  yield { node, above };
  const inside = [...above, node];
  for (const value of Object.values(node)) {
    for (const inner of Array.isArray(value) ? value : [value]) if (isNode(inner)) yield* walk(inner, inside);
  }
}

/** The line, from 1, on which a node begins, and on which it ends. */
export function linesOf({ text: source }: Source, { src }: AstNode): { readonly first: number; readonly last: number } {
  const [offset = 0, length = 0] = src.split(":").map(Number);
  const bytes = Buffer.from(source);
  const lineAt = (end: number) => bytes.subarray(0, end).toString().split("\n").length;
  return { first: lineAt(offset), last: lineAt(offset + length) };
}

export function written({ text: source }: Source, { src }: AstNode): string {
  const [offset = 0, length = 0] = src.split(":").map(Number);
  return Buffer.from(source)
    .subarray(offset, offset + length)
    .toString()
    .replaceAll(/\s+/g, " ");
}

const Errors = z.object({ errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]) });
const Trees = z.object({ sources: z.record(z.string(), z.object({ ast: z.custom<AstNode>(isNode) })).default({}) });

/** What the compiler answers about these files (path → text) and all that they import; throws what it says when they are no Solidity. */
export function compileSources(files: ReadonlyMap<string, string>, outputSelection: object): unknown {
  const input = {
    language: "Solidity",
    sources: Object.fromEntries([...files].map(([path, content]) => [path, { content }])),
    settings: { evmVersion: "cancun", outputSelection },
  };
  const read = (path: string) => ({
    contents: readFileSync(path.startsWith("contracts/") ? join(root, path) : fileURLToPath(import.meta.resolve(path)), "utf8"),
  });
  const output: unknown = JSON.parse(solc.compile(JSON.stringify(input), { import: read }));
  const wrong = Errors.parse(output).errors.filter(({ severity }) => severity === "error");
  if (wrong.length > 0) throw new Error(wrong.map(({ formattedMessage }) => formattedMessage).join("\n"));
  return output;
}

/** The trees of these files and of all that they import. */
export function parseSources(files: ReadonlyMap<string, string>): readonly Source[] {
  const { sources } = Trees.parse(compileSources(files, { "*": { "": ["ast"] } }));
  return Object.entries(sources).map(([path, { ast }]) => ({ path, ast, text: files.get(path) ?? "" }));
}
