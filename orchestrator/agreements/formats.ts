/** Formats of deliverables that can be parsed, without understanding what they say. */
import { parseJson } from "../primitives/json.ts";

/** The problem of a text in a format; undefined if it parses. */
export type FormatCheck = (text: string) => string | undefined;
/** Parsers by format, in lower case. */
export type FormatChecks = Readonly<Record<string, FormatCheck>>;

/** CommonMark calls every text a document, so markdown is text. */
const text: FormatCheck = (content) => {
  if (content.trim() === "") return "there is nothing to read";
  return content.includes("\0") ? "it is binary" : undefined;
};

const json: FormatCheck = (content) => {
  try {
    parseJson(content);
    return undefined;
  } catch {
    return "it is not JSON";
  }
};

const OWN: FormatChecks = { text, markdown: text, json };
/** Code, which is parsed by what an evaluator brings: `codeParsers`, for one. */
const CODE = ["javascript", "jsx", "typescript", "tsx"] as const;
export type CodeName = (typeof CODE)[number];
export const FORMAT_NAMES = ["text", "markdown", "json", ...CODE] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** Other words for them. */
const ALIASES: ReadonlyMap<string, FormatName> = new Map<string, FormatName>([
  ["plain", "text"],
  ["text/plain", "text"],
  ["md", "markdown"],
  ["text/markdown", "markdown"],
  ["application/json", "json"],
  ["js", "javascript"],
  ["text/javascript", "javascript"],
  ["ts", "typescript"],
]);

/** The name of a format as an agreement writes it. */
function nameOf(format: string): string {
  const name = format.trim().toLowerCase();
  return ALIASES.get(name) ?? name;
}

/** Whether a format is one of `FORMAT_NAMES`. */
export function isFormatName(format: string): boolean {
  const names: readonly string[] = FORMAT_NAMES;
  return names.includes(nameOf(format));
}

/** The problems of a text in a format; undefined if nothing here can parse it. A parser that fails has not parsed it. */
export function formatProblems(format: string, content: string, parsers: FormatChecks = {}): readonly string[] | undefined {
  const name = nameOf(format);
  const check = [OWN, parsers].find((checks) => Object.hasOwn(checks, name))?.[name];
  if (check === undefined) return undefined;
  try {
    return [check(content) ?? []].flat();
  } catch {
    return [`it is not ${name}`];
  }
}
