import type { Item } from "./contract.ts";
import { textField } from "./items.ts";
import { topicOf } from "./topics.ts";

/** The short answer about an item: what it is, its label and its topic. */
export function labelled(item: Item, label: string): Item {
  const topic = textField(item, "topic") || topicOf(item);
  return { id: item.id, name: textField(item, "name") || item.id, version: textField(item, "version"), label, topic };
}
