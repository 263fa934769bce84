import { expect } from "chai";
import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { MAX_CHARACTERS, MAX_LINES, quoteMarkdown, quoteVerbatim } from "../../../orchestrator/city/report/quote-document.ts";
import { lineStart, literal, table } from "../../../orchestrator/city/report/safe-markdown.ts";

/** The most generous renderer there is: HTML passes through, whatever looks like an address becomes a link. */
const generous = new MarkdownIt({ html: true, linkify: true });

/** What a reader may not find in a quotation: mark-up that does something, or that is not part of it. */
function harmIn(lines: readonly string[]): string[] {
  const html = generous.render(`${lines.join("\n")}\n\nafter\n`);
  const outside = html.slice(html.indexOf("</blockquote>") + "</blockquote>".length).trim();
  return [
    ...lines.filter((line) => !/^>(?: |$)/.test(line)),
    ...(html.match(/<(?:a|img|script|iframe|style|svg|details|h1|h2|!--)\b/g) ?? []),
    ...(lines.length === 0 || (html.startsWith("<blockquote>") && outside === "<p>after</p>")
      ? []
      : [`around: ${html.slice(0, 20)} … ${outside}`]),
    ...lines.filter((line) => /[^\P{Cc}]|[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u2028\u2029]/u.test(line)),
  ];
}

const HOSTILE = [
  "# PAID\n\nAll was paid.",
  "PAID\n====\n\nand\n----",
  "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>",
  "text <b onmouseover=x>bold</b> &lt;script&gt; &#x3c;script>",
  "\u001b[31mRED\u001b[0m \u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007 \u009b31m",
  "\u202eDIAP\u202c \u2066x\u2069 \u200b",
  "[click](https://evil.example) ![beacon](https://evil.example/p.png) <https://evil.example>",
  "[click][1]\n\n[1]: https://evil.example 'title'",
  "see https://evil.example, www.evil.example, ada@evil.example, mailto:ada@evil.example, xmpp:a@evil.example",
  "http:/*a*/evil.example www*.*evil.example ev**i**l.example https\\://evil.example &#104;ttps://evil.example",
  "```\ninside\n``````\n# PAID\n````\n# PAID",
  "````js\n```\n# PAID",
  "| a |\n|---|\n| `x\\` | y |\n| a | \\| b\n| <script> |",
  "| a |\n\n# PAID\n",
  "> quoted\n>> # deeper\n\n# PAID",
  "1. one\n   # PAID\n2. two\n\n   <!-- -->\n\n       # PAID",
  "a\u2028# PAID\u2029# PAID\u0085# PAID\r# PAID",
  "`` ` ``x`y``https://evil.example`",
  "\\# PAID\n\\> out\n\\\n",
  "&num; PAID\n&#35; PAID",
  "- [ ] [x](y)\n- ![](x)",
  "$\\href{https://evil.example}{x}$ $$\\text{x}$$",
  "[^1]\n\n[^1]: footnote",
  "***\n---\n___\n* * *\n",
  "\ud800 lone \udfff",
  "a".repeat(10) + "\u0301".repeat(500),
];

/** What mark-up is made of. */
const PIECES = [
  ...[
    "# ",
    "\n",
    "\n\n",
    "|",
    "|---|",
    ">",
    "*",
    "**",
    "_",
    "`",
    "``",
    "```",
    "~~~",
    "[",
    "]",
    "(",
    ")",
    "<",
    "!",
    "\\",
    "&",
    ";",
    ":",
    "//",
  ],
  ...[
    "https://",
    "evil.example",
    "www.",
    "@",
    "- ",
    "+ ",
    "1. ",
    "===",
    "---",
    "\t",
    "    ",
    "x",
    " ",
    "&lt;",
    "script>",
    "<!--",
    "-->",
    "$",
    "~",
  ],
  ...["\u001b", "\u202e", "\u2028", "[1]: x", '<a href="', "'", "\ud800"],
];

describe("a document of executors, quoted", () => {
  for (const text of HOSTILE) {
    it(`does no harm: ${JSON.stringify(text.slice(0, 50))}`, () => {
      expect(harmIn(quoteMarkdown(text).lines)).to.deep.equal([]);
      expect(harmIn(quoteVerbatim(text).lines)).to.deep.equal([]);
      expect(harmIn([`> ${lineStart(literal(text))}`])).to.deep.equal([]);
      const cells = table([literal(text), "b"], [[literal(text), "c"]]);
      expect(harmIn(cells.map((line) => `> ${line}`))).to.deep.equal([]);
      expect(cells.map((line) => line.match(/(?<!\\)\|/g)?.length)).to.deep.equal([3, 3, 3]);
    });
  }

  it("does no harm, however its pieces are put together", () => {
    const pieces = fc.constantFrom(...PIECES);
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const text = parts.join("");
        expect(harmIn(quoteMarkdown(text).lines), JSON.stringify(text)).to.deep.equal([]);
        expect(harmIn([`> ${lineStart(literal(text))}`]), JSON.stringify(text)).to.deep.equal([]);
      }),
      { seed: 7, numRuns: 3_000 },
    );
  }).timeout(60_000);

  it("keeps what a report is made of, headings below those of the city", () => {
    const text = [
      "# Licences",
      "",
      "3 items, **2 of them** MIT.",
      "",
      "| label | items |",
      "|---|---|",
      "| MIT | 2 |",
      "| `ISC \\| BSD` | 1 |",
      "",
      "* one",
      "* two, see [the text](https://spdx.org/licenses)",
      "  1. below",
      "",
      "```ts",
      "const a = `b`;",
      "```",
    ].join("\n");
    expect(quoteMarkdown(text)).to.deep.equal({
      isCut: false,
      lines: [
        "> ### Licences",
        ">",
        "> 3 items, **2 of them** MIT.",
        ">",
        "> | label | items |",
        "> | --- | --- |",
        "> | MIT | 2 |",
        "> | `ISC \\| BSD` | 1 |",
        ">",
        "> *  one",
        "> *  two, see the text (`https://spdx.org/licenses`)",
        ">    1. below",
        ">",
        "> ```",
        "> const a = `b`;",
        "> ```",
      ],
    });
  });

  it("reads no more than it shows, and says so", () => {
    const { lines, isCut } = quoteMarkdown(Array.from({ length: 50_000 }, (_, row) => `* row ${row}`).join("\n"));
    expect([lines.length, isCut]).to.deep.equal([MAX_LINES, true]);
    expect(quoteVerbatim("x".repeat(MAX_CHARACTERS + 1)).isCut).to.equal(true);
    expect(quoteMarkdown("short").isCut).to.equal(false);
  });

  it("ends for texts made to slow a reader down", () => {
    for (const bait of [
      "*a_ ",
      "[",
      "![",
      "<",
      "`",
      "> ",
      "- ",
      "**",
      "a@",
      "|",
      "[a](",
      "[a]: ",
      "&",
      "\\",
      "_a",
      "1. ",
      "# ",
      "~",
      "\t",
      "![",
    ]) {
      const text = bait.repeat(Math.floor(MAX_CHARACTERS / bait.length));
      // What grows with the square of the text or worse does not end within the limit.
      expect(
        harmIn(
          quoteMarkdown(text)
            .lines.slice(0, 20)
            .map((line) => line.slice(0, 200)),
        ),
        bait,
      ).to.be.an("array");
      expect(quoteMarkdown(`${bait}\n`.repeat(5_000)).lines, bait).to.be.an("array");
    }
  }).timeout(60_000);
});
