import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems } from "./shared/items.ts";
import { readPage } from "./shared/page.ts";
import { quoted } from "./shared/quoted.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";
import { formatUri, parseUri, resolveUri, type Uri } from "./shared/uri.ts";
import { walkHtml } from "./shared/walk-html.ts";

export const about: ServiceAbout = {
  id: "links",
  title: "Links on web pages: internal, external, anchors, and those that look broken",
  description:
    "Lists every hyperlink of web pages or HTML files with its text and target, and says whether it stays on the site (internal), leads to another site (external), jumps within the page (anchor), writes or calls somebody (contact), or looks broken: empty, without a target, or malformed. No linked page is visited.",
  accepts: ["urls", "files", "items"],
  produces: "items",
  perItem: true,
  drops: true,
  input: itemsInput(),
  output: itemsOutput({ label: { enum: ["internal", "external", "anchor", "contact", "broken", "unreadable"] } }),
  capabilities: capabilities({ retrieval: 120, parsing: 160 }),
  deterministic: true,
};

/** One item per distinct link of a page, in order of appearance; a page that cannot be read is one item that says why. */
const links: Service = async (input, ctx) => {
  const items: Item[] = [];
  for (const item of allItems(input)) {
    const page = await readPage(item, ctx);
    if (page.ok) items.push(...linksOf(item.id, page.html, page.url));
    else items.push({ id: item.id, page: item.id, label: "unreadable", problem: page.problem });
  }
  return { items };
};
export default links;

/** Of one page; more are counted by `more` in the last item. */
const MAX_LINKS = 2_000;
const MAX_TEXT = 200;
const MAX_HREF = 2_048;

interface Anchor {
  readonly href: string;
  text: string;
  times: number;
}

function linksOf(page: string, html: string, url: string): Item[] {
  const { anchors, ids, base, problem } = anchorsIn(html);
  const place = parseUri(url);
  const from = base === undefined ? place : resolveUri(parseUri(base), place);
  const shown = [...anchors.values()].slice(0, MAX_LINKS);
  const found = shown.map((anchor, index): Item => {
    const target = resolveUri(parseUri(anchor.href), from);
    const isLast = index === MAX_LINKS - 1 && anchors.size > MAX_LINKS;
    return {
      id: `${page} → ${anchor.href || "(empty)"}`,
      page,
      name: quoted(anchor.text, MAX_TEXT) || anchor.href,
      href: anchor.href,
      target: formatUri(target),
      times: anchor.times,
      ...kindOf(anchor.href, target, place, ids),
      ...(isLast ? { more: anchors.size - MAX_LINKS } : {}),
    };
  });
  return problem === undefined ? found : [...found, { id: page, page, label: "unreadable", problem }];
}

/** Every `a` and `area` with an href, by href; the ids that fragments lead to; the first `base`. */
function anchorsIn(html: string) {
  const anchors = new Map<string, Anchor>();
  const ids = new Set<string>();
  let base: string | undefined;
  let open: Anchor | undefined;
  const problem = walkHtml(html, {
    open(name, attributes) {
      for (const key of ["id", "name"]) {
        const id = attributes[key];
        if (id !== undefined && (key === "id" || name === "a")) ids.add(id);
      }
      if (name === "base") base ??= attributes["href"];
      if (name !== "a" && name !== "area") return;
      const written = attributes["href"];
      if (written === undefined) return;
      const href = quoted(written, MAX_HREF);
      open = anchors.get(href) ?? { href, text: "", times: 0 };
      open.times += 1;
      if (open.times === 1) open.text = attributes["alt"] ?? "";
      anchors.set(href, open);
    },
    text(text) {
      if (open !== undefined && open.times === 1 && open.text.length < 4 * MAX_TEXT) open.text += text;
    },
    close(name) {
      if (name === "a") open = undefined;
    },
  });
  return { anchors, ids, base, problem };
}

function kindOf(href: string, target: Uri, page: Uri, ids: ReadonlySet<string>): { label: string; reason?: string } {
  const broken = (reason: string) => ({ label: "broken", reason });
  if (href === "") return broken("it is empty");
  const { scheme, authority, path, fragment } = parseUri(href);
  if (scheme === "mailto" || scheme === "tel" || scheme === "sms") return path === "" ? broken("it names nobody") : { label: "contact" };
  if (scheme === "javascript") return broken("it is a script, not an address");
  if (/[\s<>"{}|\\^`]/.test(href)) return broken("it holds characters that no address may have");
  if (scheme !== undefined && scheme !== "http" && scheme !== "https") return { label: "external" };
  if (scheme !== undefined && (authority === undefined || authority === "")) return broken("it names no host");
  if (authority !== undefined && /(^|\.)(localhost|example|invalid|test)(:\d+)?$/.test(authority)) {
    return broken("its host is for tests only");
  }
  if (/%(?![0-9a-f]{2})/i.test(href)) return broken("a percent sign is not followed by two hexadecimal digits");
  if (fragment !== undefined && withoutFragment(target) === withoutFragment(page)) return anchorOf(fragment, ids);
  return { label: target.authority === page.authority ? "internal" : "external" };
}

function withoutFragment(uri: Uri): string {
  return formatUri({ ...uri, fragment: undefined });
}

function anchorOf(fragment: string, ids: ReadonlySet<string>): { label: string; reason?: string } {
  if (fragment === "" || fragment === "top" || ids.has(fragment) || ids.has(decoded(fragment))) return { label: "anchor" };
  return { label: "broken", reason: "nothing on the page has this id" };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
