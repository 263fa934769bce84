import type { JsonObject, JsonValue } from "../orchestrator/primitives/json.ts";
import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems } from "./shared/items.ts";
import { microdataReader } from "./shared/microdata.ts";
import { readPage } from "./shared/page.ts";
import { jsonOf, quoted } from "./shared/quoted.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";
import { walkHtml } from "./shared/walk-html.ts";

export const about: ServiceAbout = {
  id: "structured-data",
  title: "Structured data of web pages: JSON-LD, Open Graph, meta tags, microdata",
  description:
    "Reads the data that web pages or HTML files carry for machines: schema.org types in JSON-LD and microdata, Open Graph and Twitter cards, and the meta tags for search engines (SEO) with title, description, canonical address and language. Says what a page is about: article, product, event, organisation.",
  accepts: ["urls", "files", "items"],
  produces: "items",
  perItem: true,
  input: itemsInput(),
  output: itemsOutput({ label: { type: "string" }, value: { type: "integer" } }),
  capabilities: capabilities({ retrieval: 120, parsing: 200 }),
  deterministic: true,
};

/** One item per page: `label` is its first schema.org or Open Graph type, `value` the number of data blocks. */
const structuredData: Service = async (input, ctx) => {
  const items: Item[] = [];
  for (const item of allItems(input)) {
    const page = await readPage(item, ctx);
    items.push(
      page.ok
        ? { id: item.id, url: page.url, ...dataIn(page.html) }
        : { id: item.id, name: item.id, label: "unreadable", value: 0, problem: page.problem },
    );
  }
  return { items };
};
export default structuredData;

const MAX_BLOCKS = 50;
const MAX_META = 200;
const MAX_TEXT = 1_000;

function dataIn(html: string): JsonObject & { readonly label: string; readonly value: number } {
  const jsonLd: JsonValue[] = [];
  const problems: string[] = [];
  const meta = new Map<string, string>();
  const openGraph = new Map<string, string>();
  const microdata = microdataReader(MAX_BLOCKS);
  let title = "";
  let language = "";
  let canonical = "";
  let inTitle = false;
  let script: string | undefined;
  const stopped = walkHtml(html, {
    open(name, attributes) {
      microdata.open(name, attributes);
      if (name === "title" && title === "") inTitle = true;
      else if (name === "html") language ||= quoted(attributes["lang"] ?? "", MAX_TEXT);
      else if (name === "link" && /\bcanonical\b/i.test(attributes["rel"] ?? "")) canonical ||= quoted(attributes["href"] ?? "", MAX_TEXT);
      else if (name === "script" && /^application\/ld\+json\b/i.test((attributes["type"] ?? "").trim())) script = "";
      else if (name === "meta") {
        const key = (attributes["property"] ?? attributes["name"] ?? attributes["http-equiv"] ?? "").trim().toLowerCase();
        const into = /^(og|article|product|book|profile|music|video|twitter):/.test(key) ? openGraph : meta;
        const content = attributes["content"];
        if (key !== "" && content !== undefined && !into.has(key) && into.size < MAX_META)
          into.set(quoted(key, MAX_TEXT), quoted(content, MAX_TEXT));
      }
    },
    text(text) {
      microdata.text(text);
      if (inTitle) title += text;
      if (script !== undefined) script += text;
    },
    close(name) {
      microdata.close();
      if (name === "title") inTitle = false;
      if (name !== "script" || script === undefined) return;
      const block = jsonOf(script);
      if (block === undefined) problems.push("a JSON-LD block is not JSON, or nested too deeply");
      else if (jsonLd.length < MAX_BLOCKS) jsonLd.push(block);
      script = undefined;
    },
  });
  if (stopped !== undefined) problems.push(stopped);
  const found = microdata.found();
  const types = [...new Set([...jsonLd.flatMap(typesIn), ...found.flatMap(({ type }) => (type === "" ? [] : [nameOfType(type)]))])];
  const name = quoted(title, MAX_TEXT) || openGraph.get("og:title") || "";
  return {
    name,
    title: name,
    description: meta.get("description") ?? openGraph.get("og:description") ?? "",
    language,
    canonical,
    types,
    jsonLd,
    openGraph: plain(openGraph),
    microdata: found.map(({ type, properties }) => ({ type, properties: plain(properties) })),
    meta: plain(meta),
    label: types[0] ?? openGraph.get("og:type") ?? "none",
    value: jsonLd.length + found.length + Number(openGraph.size > 0),
    ...(problems.length === 0 ? {} : { problem: [...new Set(problems)].join("; ") }),
  };
}

/** Every `@type`, outermost first. */
function typesIn(value: JsonValue): string[] {
  if (typeof value !== "object" || value === null) return [];
  const children: [string, JsonValue][] = Object.entries(value);
  const own = children.flatMap(([key, child]) => (key === "@type" ? (Array.isArray(child) ? child : [child]) : []));
  return [
    ...own.flatMap((type: JsonValue) => (typeof type === "string" ? [nameOfType(type)] : [])),
    ...children.flatMap(([key, child]) => (key === "@type" ? [] : typesIn(child))),
  ];
}

function nameOfType(type: string): string {
  return quoted(type.replace(/^https?:\/\/schema\.org\//i, ""), 100);
}

function plain(map: ReadonlyMap<string, JsonValue>): JsonObject {
  return Object.fromEntries([...map].filter(([key]) => key !== "__proto__"));
}
