/** What a page of HTML says to a reader. */
export interface HtmlText {
  readonly title: string;
  readonly text: string;
  readonly headings: readonly string[];
  /** As written: relative ones are not completed. */
  readonly links: readonly string[];
}

/** Elements whose content nobody reads. */
const SILENT = ["script", "style", "noscript", "template", "svg"];
/** Elements that stand on lines of their own. */
const BLOCKS =
  /^(p|div|br|li|ul|ol|tr|td|th|table|section|article|header|footer|main|nav|h[1-6]|pre|blockquote|dl|dt|dd|hr|title|head|body|html)$/;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  mdash: "—",
  ndash: "–",
  hellip: "…",
  copy: "©",
};

/** Reads HTML as a text browser would. Never throws, and looks at each character once or twice, whatever the mark-up. */
export function readHtml(html: string): HtmlText {
  const plain = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const lines: { of: string; text: string }[] = [{ of: "", text: "" }];
  const links: string[] = [];
  const say = (text: string): void => {
    const last = lines.at(-1);
    if (last !== undefined) last.text += text;
  };
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf("<", at);
    say(html.slice(at, start < 0 ? html.length : start));
    if (start < 0) break;
    if (html.startsWith("<!--", start)) {
      at = after(html, "-->", start + 4);
      continue;
    }
    if (plain.startsWith("<!", start) || plain.startsWith("<?", start)) {
      at = after(html, ">", start);
      continue;
    }
    const tag = /^<(\/?)([a-z][a-z0-9]*)/.exec(plain.slice(start, start + 32));
    if (tag === null) {
      say("<");
      at = start + 1;
      continue;
    }
    const [, closing = "", name = ""] = tag;
    at = after(html, ">", start);
    if (closing === "" && SILENT.includes(name)) at = after(html, ">", before(plain, `</${name}`, at));
    else if (BLOCKS.test(name)) lines.push({ of: closing === "" ? name : "", text: "" });
    else if (name === "a" && closing === "") links.push(...hrefIn(html.slice(start, at)));
  }
  const said = lines.map(({ of, text }) => ({ of, text: tidy(text) })).filter(({ text }) => text !== "");
  return {
    title: said.find(({ of }) => of === "title")?.text ?? "",
    headings: said.filter(({ of }) => /^h[1-6]$/.test(of)).map(({ text }) => text),
    links,
    text: said
      .filter(({ of }) => of !== "title")
      .map(({ text }) => text)
      .join("\n"),
  };
}

/** The place behind the next `mark`, or the end. */
function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found + mark.length;
}

function before(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found;
}

function hrefIn(tag: string): string[] {
  const found = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(tag.slice(0, 4_096));
  return found === null ? [] : [decoded(found[1] ?? found[2] ?? found[3] ?? "")];
}

function tidy(text: string): string {
  return decoded(text).replace(/\s+/g, " ").trim();
}

function decoded(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : "\ufffd";
  });
}
