import { plainLine } from "../../primitives/plain-text.ts";

/** Text that some renderers turn into links: addresses, e-mail, host names, file names. */
const LINKED = /:\/\/|@|mailto:|xmpp:|www\.|[\p{L}\p{N}]\.\p{L}{2}/iu;

/**
 * Untrusted text as Markdown that reads the same, without producing mark-up, HTML, entities or links. Anything that looks like an address
 * becomes code.
 */
export function literal(text: string): string {
  return plainLine(text)
    .split(" ")
    .map((word) => (LINKED.test(word) ? bare(word) : escaped(word)))
    .join(" ");
}

/** An address as code, without the punctuation and the quotes around it. */
function bare(word: string): string {
  const [, before = "", address = "", after = ""] = /^([("'`]*)(.*?)([)"'`,.;:!?]*)$/s.exec(word) ?? [];
  return address === "" ? escaped(word) : `${escaped(before.replaceAll("`", ""))}${code(address)}${escaped(after.replaceAll("`", ""))}`;
}

/** One line of inline Markdown that cannot begin a heading, a list, a quotation, a fence or an underline. */
export function lineStart(markdown: string): string {
  return markdown.replace(/^\s*(?:([#+\-=>~])|(\d{1,9})([.)]))/, (_, sign: string | undefined, digits: string, end: string) =>
    sign === undefined ? `${digits}\\${end}` : `\\${sign}`,
  );
}

/** Text as code: nothing in it is mark-up. Backticks become apostrophes, backslashes before a bar go. "" for nothing. */
export function code(text: string): string {
  const line = plainLine(text)
    .replaceAll("`", "'")
    .replace(/\\+(?=\|)/g, "");
  return line === "" ? "" : `\`${line}\``;
}

/** A table, or nothing without rows. Cells are inline Markdown in one line; no cell breaks out of its column. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${head.map((_, at) => cell(cells[at] ?? "")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

/** A vertical bar ends a cell even in code; one that is escaped already stays. */
function cell(markdown: string): string {
  return markdown.replace(/\\\||\|/g, "\\|");
}

/** An underscore between letters or digits is never emphasis; everywhere else it may be. */
function escaped(word: string): string {
  return word.replace(/[\\`*[\]<>&|~$]/g, "\\$&").replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_");
}
