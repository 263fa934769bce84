import type { JsonObject, JsonValue } from "../../orchestrator/primitives/json.ts";
import type { Item, ServiceContext } from "./contract.ts";
import { parseCsv } from "./csv.ts";
import { readHtml } from "./html.ts";
import { textField } from "./items.ts";
import { isObject, stringOf } from "./manifest.ts";
import { plainLines, wordsOf } from "./text.ts";

/** A page as text, with what its format says: title and links, rows, a JSON value, headings. */
export async function parsePage(item: Item, ctx: ServiceContext): Promise<Item> {
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
    return { format: "html", ...said, words: wordsOf(said.text).length, links: links.slice(0, MAX_LINKS) };
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

const MAX_LINKS = 500;

function jsonIn(text: string): JsonObject {
  try {
    const value: JsonValue = JSON.parse(text);
    return { value };
  } catch {
    return { problem: "it is no JSON" };
  }
}
