import type { JsonObject, JsonValue } from "../orchestrator/primitives/json.ts";
import { capabilities } from "./shared/capabilities.ts";
import { numberOf } from "./shared/cells.ts";
import type { Item, Service, ServiceAbout, ServiceContext } from "./shared/contract.ts";
import { parseCsv } from "./shared/csv.ts";
import { readHtml } from "./shared/html.ts";
import { allItems, textField } from "./shared/items.ts";
import { itemsOutput, SERVICE_INPUT } from "./shared/schemas.ts";
import { plainLines, wordsOf } from "./shared/text.ts";

export const about: ServiceAbout = {
  id: "fetch-and-parse",
  title: "Fetches listed pages; parses them, packages, files and CSV rows into normal records",
  description:
    "Downloads the pages of a list of web addresses and reads them as text, tables or JSON. Also reads the manifests of packages, the numbers of table rows and the headings of files into plain records that other services work on.",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "items",
  perItem: true,
  input: SERVICE_INPUT,
  output: itemsOutput({ kind: { type: "string" } }),
  capabilities: capabilities({ retrieval: 60, parsing: 120, text: 40 }),
  deterministic: true,
};

/** One normal record per item; what cannot be fetched or parsed becomes a record that says why in `problem`. */
const fetchAndParse: Service = async (input, ctx) => {
  const items: Item[] = [];
  for (const item of allItems(input)) items.push(item["kind"] === "url" ? await parsePage(item, ctx) : parse(item));
  return { items };
};
export default fetchAndParse;

/** A page as text, with what its format says: title and links, rows, a JSON value, headings. */
async function parsePage(item: Item, ctx: ServiceContext): Promise<Item> {
  const base = { id: item.id, kind: "page", url: textField(item, "url"), name: item.id };
  try {
    const answer = await ctx.tool("fetch", { url: base.url });
    const page = isObject(answer) ? answer : {};
    const text = stringOf(page["text"]);
    const type = stringOf(page["type"]);
    const status = typeof page["status"] === "number" ? page["status"] : 0;
    const found = { ...base, url: stringOf(page["url"]), status, type, characters: text.length, ...contentOf(type, base.url, text) };
    return status >= 200 && status < 300 ? found : { ...found, problem: `the server answered ${status}` };
  } catch (error) {
    return { ...base, text: "", title: "", problem: error instanceof Error ? error.message : "the page could not be fetched" };
  }
}

function contentOf(type: string, url: string, text: string): JsonObject {
  if (/html/.test(type)) {
    const { links, ...said } = readHtml(text);
    return { format: "html", ...said, words: wordsOf(said.text).length, links: links.slice(0, MOST_LINKS) };
  }
  if (/json$/.test(type)) return { format: "json", title: "", text, ...jsonIn(text) };
  if (/csv$/.test(type)) {
    const { records, brokenAt } = parseCsv(text);
    const problem = brokenAt === undefined ? {} : { problem: `a quote is misplaced at character ${brokenAt}` };
    return { format: "csv", title: "", text, columns: [...(records[0] ?? [])], rows: Math.max(0, records.length - 1), ...problem };
  }
  const lines = plainLines(text);
  if (/markdown$/.test(type) || /\.(md|markdown)$/i.test(url)) {
    const headings = text.split(/\r\n|\r|\n/).flatMap((line) => (/^#{1,6}\s/.test(line) ? plainLines(line) : []));
    return { format: "markdown", title: headings[0] ?? lines[0] ?? "", text, headings, words: wordsOf(text).length };
  }
  return { format: "text", title: (lines[0] ?? "").slice(0, 200), text, words: wordsOf(text).length };
}

const MOST_LINKS = 500;

function jsonIn(text: string): JsonObject {
  try {
    const value: JsonValue = JSON.parse(text);
    return { value };
  } catch {
    return { problem: "it is no JSON" };
  }
}

function parse(item: Item): Item {
  switch (item["kind"]) {
    case "package":
      return parsePackage(item);
    case "row":
      return parseRow(item);
    case "file":
    case "page":
      return parseText(item);
    default:
      return { kind: "item", ...item };
  }
}

function parsePackage(item: Item): Item {
  const base = {
    id: item.id,
    kind: "package",
    licenceFiles: item["licenceFiles"] ?? [],
    licenceText: textField(item, "licenceText"),
    readmeHead: textField(item, "readmeHead"),
    readmeLicence: textField(item, "readmeLicence"),
  };
  const manifest = objectOf(textField(item, "manifest"));
  if (manifest === undefined) {
    const problem = textField(item, "problem") || "package.json is not a JSON object";
    return { ...base, name: item.id, version: "", licence: "", description: "", keywords: [], problem };
  }
  const name = stringOf(manifest["name"]);
  return {
    ...base,
    name: name || item.id,
    version: stringOf(manifest["version"]),
    licence: licenceOf(manifest),
    description: stringOf(manifest["description"]),
    keywords: keywordsOf(manifest["keywords"]),
    ...(name === "" ? { problem: "package.json has no name" } : {}),
  };
}

/** The licence as one SPDX expression; the two legacy spellings (an object, a list) are rewritten as one. */
function licenceOf(manifest: JsonObject): string {
  const field = manifest["license"] ?? manifest["licence"] ?? manifest["licenses"];
  const listed = Array.isArray(field) ? field : [field];
  const names = listed.map((entry) => stringOf(isObject(entry) ? (entry["type"] ?? entry["name"]) : entry)).filter((name) => name !== "");
  return names.length > 1 ? `(${names.join(" OR ")})` : (names[0] ?? "");
}

function keywordsOf(value: JsonValue | undefined): string[] {
  if (typeof value === "string") return wordsOf(value);
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}

function parseText(item: Item): Item {
  const text = textField(item, "text");
  const lines = text === "" ? [] : text.split(/\r\n|\r|\n/);
  return {
    ...item,
    kind: "text",
    name: item.id,
    lines: lines.length,
    words: wordsOf(text).length,
    characters: text.length,
    title:
      lines
        .find((line) => line.trim() !== "")
        ?.replace(/^[\s#]+/, "")
        .slice(0, 200) ?? "",
  };
}

/** A row with its numeric cells as numbers, under `values`, and the rest as they are. */
function parseRow(item: Item): Item {
  const cells = isObject(item["fields"]) ? item["fields"] : {};
  const values: Record<string, number> = {};
  for (const [column, cell] of Object.entries(cells)) {
    const value = numberOf(stringOf(cell));
    if (value !== undefined) values[column] = value;
  }
  return { ...item, kind: "row", name: item.id, values };
}

function objectOf(text: string): JsonObject | undefined {
  try {
    const value: JsonValue = JSON.parse(text.replace(/^\uFEFF/, ""));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function stringOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
