import { quoted } from "./quoted.ts";

/** One `itemscope` of a page: its type as written and its properties, each with its values in order. */
export interface MicrodataItem {
  readonly type: string;
  readonly properties: Map<string, string[]>;
}

/** Where a property's value stands when it is an attribute (HTML standard, "values"). */
const VALUE_ATTRIBUTES: Readonly<Record<string, string>> = {
  a: "href",
  area: "href",
  link: "href",
  audio: "src",
  embed: "src",
  iframe: "src",
  img: "src",
  source: "src",
  track: "src",
  video: "src",
  object: "data",
  meta: "content",
  data: "value",
  meter: "value",
  time: "datetime",
};

const MAX_TEXT = 500;
const MAX_NAME = 200;
const MAX_PROPERTIES = 200;
/** Properties within properties whose text is collected at once: each piece of text is added to all of them. */
const MAX_READING = 16;

/** A property whose value is the text of an element that is still open. */
interface Reading {
  readonly names: string;
  text: string;
}

/** Collects microdata from the events of a parser. An item within an item stands in the outer one by its type. No `itemref`. */
export function microdataReader(most: number) {
  const items: MicrodataItem[] = [];
  const scopes: MicrodataItem[] = [];
  /** One entry per open element; those whose text is a property's value are in `reading` too. */
  const elements: { readonly scope: boolean; readonly reads: Reading | undefined }[] = [];
  const reading: Reading[] = [];

  const add = (names: string, value: string): void => {
    const properties = scopes.at(-1)?.properties;
    if (properties === undefined) return;
    for (const written of names.split(/\s+/)) {
      const name = quoted(written, MAX_NAME);
      if (name === "" || name === "__proto__") continue;
      const values = properties.get(name);
      if (values !== undefined) values.push(value);
      else if (properties.size < MAX_PROPERTIES) properties.set(name, [value]);
    }
  };

  return {
    open(name: string, attributes: Readonly<Record<string, string>>): void {
      const names = attributes["itemprop"];
      const isScope = attributes["itemscope"] !== undefined && items.length < most;
      let reads: Reading | undefined;
      if (isScope) {
        const type = quoted(attributes["itemtype"] ?? "", MAX_NAME).split(" ")[0] ?? "";
        if (names !== undefined) add(names, type || "(item)");
        const item = { type, properties: new Map<string, string[]>() };
        items.push(item);
        scopes.push(item);
      } else if (names !== undefined) {
        const attribute = VALUE_ATTRIBUTES[name];
        const written = attribute === undefined ? undefined : attributes[attribute];
        if (written !== undefined) add(names, quoted(written, MAX_TEXT));
        else if (scopes.length > 0 && reading.length < MAX_READING) {
          reads = { names, text: "" };
          reading.push(reads);
        }
      }
      elements.push({ scope: isScope, reads });
    },
    text(text: string): void {
      for (const reads of reading) if (reads.text.length < 4 * MAX_TEXT) reads.text += text;
    },
    close(): void {
      const element = elements.pop();
      if (element?.scope === true) scopes.pop();
      if (element?.reads === undefined) return;
      reading.pop();
      add(element.reads.names, quoted(element.reads.text, MAX_TEXT));
    },
    found: (): readonly { readonly type: string; readonly properties: ReadonlyMap<string, readonly string[]> }[] => items,
  };
}
