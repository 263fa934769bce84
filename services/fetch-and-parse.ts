import type { JsonObject, JsonValue } from "../orchestrator/primitives/json.ts";
import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems, textField } from "./shared/items.ts";
import { itemsOutput, SERVICE_INPUT } from "./shared/schemas.ts";
import { wordsOf } from "./shared/text.ts";

export const about: ServiceAbout = {
  id: "fetch-and-parse",
  title: "Parses packages, files and CSV rows into normal records",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "items",
  perItem: true,
  input: SERVICE_INPUT,
  output: itemsOutput({ kind: { type: "string" } }),
  capabilities: capabilities({ retrieval: 60, parsing: 120, text: 40 }),
  deterministic: true,
};

/** One normal record per item; what cannot be parsed becomes a record that says why in `problem`. */
const fetchAndParse: Service = (input) => ({ items: allItems(input).map(parse) });
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
    const text = stringOf(cell).trim();
    if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))) values[column] = Number(text);
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
