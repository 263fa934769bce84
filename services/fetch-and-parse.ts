import type { JsonObject, JsonValue } from "../orchestrator/primitives/json.ts";
import { capabilities } from "./shared/capabilities.ts";
import { numberOf } from "./shared/cells.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { parsePage } from "./shared/fetched-page.ts";
import { allItems, textField } from "./shared/items.ts";
import { isObject, licenceOf, stringOf } from "./shared/manifest.ts";
import { jsonOf } from "./shared/quoted.ts";
import { openOutput, SERVICE_INPUT } from "./shared/schemas.ts";
import { wordsOf } from "./shared/text.ts";

export const about: ServiceAbout = {
  id: "fetch-and-parse",
  title: "Fetches listed pages; parses them, packages, files and CSV rows into normal records",
  description:
    "Downloads the pages of a list of web addresses and reads them as text, tables or JSON. Also reads the manifests of packages, the numbers of table rows and the headings of files into plain records that other services work on.",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "items",
  perItem: true,
  input: SERVICE_INPUT,
  output: openOutput({ kind: { type: "string" } }),
  capabilities: capabilities({ retrieval: 120, parsing: 240, text: 80 }),
  deterministic: true,
};

/** One normal record per item; what cannot be fetched or parsed becomes a record that says why in `problem`. */
const fetchAndParse: Service = async (input, ctx) => {
  const items: Item[] = [];
  for (const item of allItems(input)) items.push(item["kind"] === "url" ? await parsePage(item, ctx) : parse(item));
  return { items };
};
export default fetchAndParse;

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
  const value = jsonOf(text);
  return isObject(value) ? value : undefined;
}
