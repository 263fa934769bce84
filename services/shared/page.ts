import type { Item, ServiceContext } from "./contract.ts";
import { textField } from "./items.ts";

/** An item as a page of HTML. */
export type PageRead =
  | { readonly ok: true; readonly html: string /** Where it was found; "" for a file. */; readonly url: string }
  | { readonly ok: false; readonly problem: string };

/**
 * The HTML behind an item. An address, and a page that an earlier task made text of, are fetched (the mission keeps each page, so that
 * everybody reads the same); a file is taken as it is.
 */
export async function readPage(item: Item, ctx: ServiceContext): Promise<PageRead> {
  const url = textField(item, "url");
  if (url === "") {
    const html = textField(item, "text");
    return looksLikeHtml(item.id, html) ? { ok: true, html, url } : { ok: false, problem: "it is not HTML" };
  }
  try {
    const page = await ctx.tool("fetch", { url });
    const found = typeof page === "object" && page !== null && "text" in page ? page : undefined;
    const { status, type, text } = { status: found?.["status"], type: found?.["type"], text: found?.["text"] };
    if (typeof status !== "number" || status < 200 || status > 299) return { ok: false, problem: `the server answered ${String(status)}` };
    if (typeof type !== "string" || typeof text !== "string" || !/html/.test(type)) return { ok: false, problem: "it is not HTML" };
    const final = found?.["url"];
    return { ok: true, html: text, url: typeof final === "string" ? final : url };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : "the page could not be fetched" };
  }
}

function looksLikeHtml(id: string, text: string): boolean {
  return /\.x?html?$/i.test(id) || /^\s*(?:<!--[\s\S]{0,2000}?-->\s*)?<(?:!doctype html|html|head|body)\b/i.test(text.slice(0, 4_096));
}
