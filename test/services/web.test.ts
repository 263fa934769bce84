import { expect } from "chai";
import links from "../../services/links.ts";
import { formatUri, parseUri, resolveUri } from "../../services/shared/uri.ts";
import structuredData from "../../services/structured-data.ts";
import { answerOf } from "../support/services.ts";

const file = (text: string) => [{ id: "page.html", kind: "file", text }];
const page = (text: string) => ({ url: "https://a.example.org/docs/page", status: 200, type: "text/html", text });
const ADDRESS = [{ id: "https://a.example.org/docs/page", kind: "url", url: "https://a.example.org/docs/page" }];

describe("services/shared/uri", () => {
  it("resolves as RFC 3986 (5.4) says, abnormal examples included", () => {
    const base = parseUri("http://a/b/c/d;p?q");
    const resolved = (reference: string): string => formatUri(resolveUri(parseUri(reference), base));
    const examples = {
      "g:h": "g:h",
      g: "http://a/b/c/g",
      "./g": "http://a/b/c/g",
      "g/": "http://a/b/c/g/",
      "/g": "http://a/g",
      "//g": "http://g",
      "?y": "http://a/b/c/d;p?y",
      "g?y": "http://a/b/c/g?y",
      "#s": "http://a/b/c/d;p?q#s",
      "g;x?y#s": "http://a/b/c/g;x?y#s",
      "": "http://a/b/c/d;p?q",
      ".": "http://a/b/c/",
      "./": "http://a/b/c/",
      "..": "http://a/b/",
      "../": "http://a/b/",
      "../g": "http://a/b/g",
      "../..": "http://a/",
      "../../g": "http://a/g",
      "../../../g": "http://a/g",
      "/./g": "http://a/g",
      "/../g": "http://a/g",
      "g.": "http://a/b/c/g.",
      "..g": "http://a/b/c/..g",
      "./../g": "http://a/b/g",
      "./g/.": "http://a/b/c/g/",
      "g/../h": "http://a/b/c/h",
      "g;x=1/../y": "http://a/b/c/y",
    };
    for (const [reference, expected] of Object.entries(examples)) expect(resolved(reference), reference).to.equal(expected);
  });
});

describe("services/links", () => {
  it("tells internal, external, anchor, contact and broken links of a fetched page apart", async () => {
    const html = `<base href="/docs/"><h2 id="part">P</h2><a href="other.html">O<b>ther</b></a> <a href="other.html">again</a>
      <a href="https://a.example.org/x">same site</a><a href="//b.org/y?z#f">elsewhere</a><a href="/docs/page#part">here</a>
      <a href="/docs/page#nothing">lost</a><a href="mailto:ada@b.org">write</a><a href="">empty</a><a href="javascript:alert(1)">run</a>
      <a href="http://">no host</a><a href="http://localhost:80/">dev</a><a href="a b.html">space</a><a href="50%.html">percent</a><a>none</a>
      <map><area href="area.html" alt="the area"></map>`;
    const { items } = await answerOf(links, ADDRESS, {}, { "https://a.example.org/docs/page": page(html) });
    expect(items.map(({ href, label, name }) => [href, label, name])).to.deep.equal([
      ["other.html", "internal", "Other"],
      ["https://a.example.org/x", "internal", "same site"],
      ["//b.org/y?z#f", "external", "elsewhere"],
      ["/docs/page#part", "anchor", "here"],
      ["/docs/page#nothing", "broken", "lost"],
      ["mailto:ada@b.org", "contact", "write"],
      ["", "broken", "empty"],
      ["javascript:alert(1)", "broken", "run"],
      ["http://", "broken", "no host"],
      ["http://localhost:80/", "broken", "dev"],
      ["a b.html", "broken", "space"],
      ["50%.html", "broken", "percent"],
      ["area.html", "internal", "the area"],
    ]);
    expect(items[0]).to.include({ times: 2, target: "https://a.example.org/docs/other.html", page: ADDRESS[0]!.id });
    expect(items[4]).to.include({ reason: "nothing on the page has this id" });
    expect(new Set(items.map(({ id }) => id)).size).to.equal(items.length);
  });

  it("reads files, broken mark-up and nothing at all; says so where there is no page", async () => {
    const found = await answerOf(links, file("<p><a href='x.html'>X<a href=#a>A</a><i id=a"));
    expect(found.items.map(({ href, label }) => [href, label])).to.deep.equal([
      ["x.html", "internal"],
      ["#a", "broken"],
    ]);
    expect((await answerOf(links, file(""))).items).to.deep.equal([]);
    expect((await answerOf(links, [{ id: "notes.txt", text: "no page" }, ...ADDRESS])).items).to.deep.equal([
      { id: "notes.txt", page: "notes.txt", label: "unreadable", problem: "it is not HTML" },
      { id: ADDRESS[0]!.id, page: ADDRESS[0]!.id, label: "unreadable", problem: `HostUnreachable: ${ADDRESS[0]!.id}` },
    ]);
  });
});

describe("services/structured-data", () => {
  it("reads JSON-LD, Open Graph, meta and microdata", async () => {
    const html = `<html lang="en"><title> A  book </title><meta name="Description" content="About it"><meta property="og:type" content="book">
      <link rel="canonical" href="https://a.example.org/book">
      <script type="application/ld+json">{"@context":"https://schema.org","@type":["Book"],"author":{"@type":"Person","name":"Ada"}}</script>
      <div itemscope itemtype="https://schema.org/Product"><span itemprop="name">A <b>b</b>ook</span>
        <meta itemprop="sku" content="17"><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><data itemprop="price" value="9.5">nine</data></div>
      </div></html>`;
    const [item] = (await answerOf(structuredData, file(html))).items;
    expect(item).to.deep.include({
      id: "page.html",
      label: "Book",
      value: 4,
      title: "A book",
      description: "About it",
      language: "en",
      canonical: "https://a.example.org/book",
      types: ["Book", "Person", "Product", "Offer"],
      openGraph: { "og:type": "book" },
      microdata: [
        { type: "https://schema.org/Product", properties: { sku: ["17"], name: ["A book"], offers: ["https://schema.org/Offer"] } },
        { type: "https://schema.org/Offer", properties: { price: ["9.5"] } },
      ],
    });
  });

  it("takes nothing from a page that no record may hold, and ends on pages made to hang it", async () => {
    const nested = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
    const hostile = [
      String.raw`<script type="application/ld+json">{"__proto__":{"x":1},"\ud800":"\udfff","@type":"A"}</script><meta name="__proto__" content="x">`,
      `<script type="application/ld+json">${nested}</script>`,
      `<div itemscope>${"<b itemprop=x>y".repeat(50_000)}`,
      "<div itemscope>".repeat(100_000),
      `<a href="${"../".repeat(100_000)}">`,
      "<a href=x>".repeat(200_000),
    ];
    for (const html of hostile) {
      const [item] = (await answerOf(structuredData, file(html))).items;
      expect(JSON.parse(JSON.stringify(item))).to.deep.equal(item);
      expect(JSON.stringify(item)).not.to.match(/__proto__|\\ud[89a-f]/i);
      expect((await answerOf(links, file(html))).items.length).to.be.at.most(2_001);
    }
    const [first, second] = await Promise.all(hostile.slice(0, 2).map((html) => answerOf(structuredData, file(html))));
    expect(first?.items[0]).to.deep.include({ label: "A", jsonLd: [{ "\ufffd": "\ufffd", "@type": "A" }] });
    expect(second?.items[0]).to.deep.include({ value: 0, problem: "a JSON-LD block is not JSON, or nested too deeply" });
  }).timeout(60_000);
});
