import MarkdownIt, { type Token } from "markdown-it";
import { plainText } from "../../primitives/plain-text.ts";
import { code, lineStart, literal, table } from "./safe-markdown.ts";

/** Characters of a document that are read, and lines that are shown of it. */
export const MAX_CHARACTERS = 65_536;
export const MAX_LINES = 300;
/** Headings of a document come below those of the report. */
const DEMOTED = 2;
const DEEPEST = 6;

/** HTML is text; nothing is made a link of; nesting has an end. */
const reader = new MarkdownIt({ html: false, linkify: false, maxNesting: 20 });

export interface Quotation {
  /** Every one begins with ">". */
  readonly lines: readonly string[];
  /** Not all of the document is shown. */
  readonly isCut: boolean;
}

/**
 * Quotes a document written by executors: parsed as Markdown and rewritten from its harmless parts. Headings, lists, tables, code and
 * strong text stay; HTML, links and images become text; control characters are removed.
 */
export function quoteMarkdown(text: string): Quotation {
  const { head, isCut } = beginning(text);
  return quoted(new Writer().write(reader.parse(head, {})), isCut);
}

/** A document of another format, as it is. */
export function quoteVerbatim(text: string): Quotation {
  const { head, isCut } = beginning(text);
  return quoted(fenced(head), isCut);
}

function beginning(text: string): { readonly head: string; readonly isCut: boolean } {
  const clean = plainText(text).replaceAll("\t", "    ");
  if (clean.length <= MAX_CHARACTERS) return { head: clean, isCut: false };
  const end = clean.lastIndexOf("\n", MAX_CHARACTERS);
  return { head: clean.slice(0, end > 0 ? end : MAX_CHARACTERS), isCut: true };
}

function quoted(lines: readonly string[], isCut: boolean): Quotation {
  const shown = lines.length === 0 ? ["(empty)"] : lines.slice(0, MAX_LINES);
  return { lines: shown.map((line) => (line === "" ? ">" : `> ${line}`)), isCut: isCut || lines.length > MAX_LINES };
}

/** A code block whose fence is longer than any run of backticks in it. */
function fenced(text: string): string[] {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return [fence, ...text.replace(/\n+$/, "").split("\n"), fence];
}

interface List {
  readonly isOrdered: boolean;
  next: number;
}

/** Writes the tokens of a document again, those that it knows. */
class Writer {
  readonly #lines: string[] = [];
  readonly #lists: List[] = [];
  /** The marker of the list item whose first line comes next. */
  #marker: string | undefined;
  #inline = "";
  #heading: number | undefined;
  #rows: string[][] | undefined;
  #wasInList = false;

  write(tokens: readonly Token[]): readonly string[] {
    for (const token of tokens) this.#take(token);
    return this.#lines;
  }

  #take(token: Token): void {
    switch (token.type) {
      case "heading_open":
        this.#heading = Math.min(DEEPEST, Number(token.tag.slice(1)) + DEMOTED);
        return;
      case "heading_close":
      case "paragraph_close":
        this.#endText();
        return;
      case "inline":
        this.#inline = inline(token.children ?? []);
        return;
      case "bullet_list_open":
      case "ordered_list_open":
        this.#lists.push({ isOrdered: token.type === "ordered_list_open", next: 1 });
        return;
      case "bullet_list_close":
      case "ordered_list_close":
        this.#lists.pop();
        return;
      case "list_item_open":
        this.#beginItem();
        return;
      case "table_open":
        this.#rows = [];
        return;
      case "tr_open":
        this.#rows?.push([]);
        return;
      case "th_close":
      case "td_close":
        this.#rows?.at(-1)?.push(this.#inline);
        this.#inline = "";
        return;
      case "table_close":
        this.#endTable();
        return;
      case "fence":
      case "code_block":
        this.#block(fenced(token.content));
    }
  }

  #beginItem(): void {
    const list = this.#lists.at(-1);
    if (list === undefined) return;
    this.#marker = list.isOrdered ? `${list.next}. ` : "* ";
    list.next += 1;
  }

  #endText(): void {
    const text = this.#inline;
    this.#inline = "";
    const heading = this.#heading;
    this.#heading = undefined;
    if (text === "") return;
    this.#block([heading === undefined ? lineStart(text) : `${"#".repeat(heading)} ${text}`]);
  }

  #endTable(): void {
    const [head, ...rows] = this.#rows ?? [];
    this.#rows = undefined;
    if (head !== undefined) this.#block(table(head, rows));
  }

  /** Blocks are an empty line apart, but within lists. */
  #block(lines: readonly string[]): void {
    const depth = this.#lists.length;
    const marker = this.#marker;
    this.#marker = undefined;
    if (this.#lines.length > 0 && !(depth > 0 && this.#wasInList)) this.#lines.push("");
    this.#wasInList = depth > 0;
    const indent = "   ".repeat(depth);
    for (const [at, line] of lines.entries()) {
      const lead = at === 0 && marker !== undefined ? `${indent.slice(3)}${marker.padEnd(3)}` : indent;
      this.#lines.push(line === "" ? "" : `${lead}${line}`);
    }
  }
}

/** Inline tokens on one line; a link's address follows its text as code. */
function inline(tokens: readonly Token[]): string {
  const targets: string[] = [];
  const parts: string[] = [];
  // Text on both sides of a dropped token is joined, since together it may look like an address.
  let text = "";
  const push = (part: string) => {
    for (const each of [spaced(text), part]) {
      // Two codes in a row would be one.
      const isNext = each.startsWith("`") && parts.at(-1)?.endsWith("`") === true;
      if (each !== "") parts.push(isNext ? ` ${each}` : each);
    }
    text = "";
  };
  for (const token of tokens) {
    if (token.type === "text") text += token.content;
    else if (token.type === "softbreak" || token.type === "hardbreak") text += " ";
    else if (token.type === "code_inline") push(code(token.content));
    else if (token.type === "strong_open" || token.type === "strong_close") push("**");
    else if (token.type === "link_open") targets.push(String(token.attrGet("href") ?? ""));
    else if (token.type === "link_close") push(` (${code(targets.pop() ?? "")})`);
    else if (token.type === "image") {
      text += token.content;
      push(` (${code(String(token.attrGet("src") ?? ""))})`);
    }
  }
  push("");
  return parts.join("").replace(/\s+/g, " ").trim();
}

/** A text with what separates it from its neighbours; "" for none. */
function spaced(text: string): string {
  const written = literal(text);
  return `${/^\s/.test(text) ? " " : ""}${written}${/\s$/.test(text) ? " " : ""}`;
}
