import { expect } from "chai";
import { withBlock } from "../../scripts/dev/markdown.ts";

describe("generated blocks of pages written by hand", () => {
  it("replace a fenced block or a table, and nothing else", () => {
    const fence = "before\n\n<!-- sample: a -->\n```text\nold\n\nlines\n```\n\nafter\n";
    expect(withBlock(fence, "sample: a", "```text\nnew\n```\n")).to.equal("before\n\n<!-- sample: a -->\n```text\nnew\n```\n\nafter\n");
    const table = "<!-- sample: b -->\n| old |\n|---|\n\nafter\n";
    expect(withBlock(table, "sample: b", "| new |\n|---|\n")).to.equal("<!-- sample: b -->\n| new |\n|---|\n\nafter\n");
  });

  it("refuse a page without the mark, with two, and a mark with nothing after it", () => {
    expect(() => withBlock("nothing", "sample: a", "")).to.throw("exactly one <!-- sample: a -->");
    expect(() => withBlock("<!-- sample: a -->\n<!-- sample: a -->\n", "sample: a", "")).to.throw("exactly one");
    expect(() => withBlock("<!-- sample: a -->\nno block", "sample: a", "")).to.throw("a fenced block or a table is expected");
  });
});
