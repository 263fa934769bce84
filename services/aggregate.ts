import type { JsonValue } from "../orchestrator/primitives/json.ts";
import { capabilities } from "./shared/capabilities.ts";
import type { Dissent, Item, Service, ServiceAbout, ServiceInput } from "./shared/contract.ts";
import { allDissent, compareText, textField } from "./shared/items.ts";
import { COPYLEFT, FAMILIES, UNCLEAR } from "./shared/licences.ts";
import { bullets, code, share, table, words } from "./shared/markdown.ts";
import { quoted } from "./shared/quoted.ts";
import { DOCUMENT_OUTPUT, SERVICE_INPUT } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "aggregate",
  title: "Writes a Markdown report over labelled items and their disagreements",
  description:
    "Writes a report for people in Markdown: ranked lists, how often each label and topic occurs, totals and ranges of numbers, a table of the items, what could not be read, and where the executors disagree. Use it as the last task of a mission, for a summary or an overview of what the others found.",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "document",
  perItem: false,
  input: SERVICE_INPUT,
  output: DOCUMENT_OUTPUT,
  capabilities: capabilities({ aggregation: 240, text: 120, numbers: 40 }),
  deterministic: true,
};

/** One row per label with its count, and the report: one part for each task whose items are about something of their own. */
const aggregate: Service = (input) => {
  const parts = partsOf(input);
  const items = parts.flatMap((part) => part.items);
  const dissent = allDissent(input);
  const sections = [
    ...(items.length === 0 ? ["There are no items."] : []),
    ...parts.flatMap((part) => [...(parts.length > 1 ? [`# ${words(part.task)}`] : []), ...sectionsOf(part.items, input.columns)]),
    ...section("Where the executors differ", disagreements(items, dissent)),
    ...section("Could not be read", problems(items)),
  ];
  return {
    items: [...countBy(items, "label")].map(([label, value]) => ({ id: label, label, value })),
    document: `${sections.join("\n\n")}\n`,
  };
};
export default aggregate;

interface Part {
  readonly task: string;
  readonly items: readonly Item[];
}

/**
 * Items of all tasks by id, with the fields of all that name it; what a task alone is about is a part of its own, and so are the few that a
 * task chose from what others are about. Tasks that say different things about the same items under the same name are apart as well: each is
 * reported as it is.
 */
function partsOf({ items, upstream }: ServiceInput): readonly Part[] {
  const sources = new Map<string, Item[]>();
  for (const { task, items: own } of [{ task: "input", items }, ...upstream]) {
    const known = sources.get(task);
    if (known === undefined) sources.set(task, [...own]);
    else known.push(...own);
  }
  const choices = [...sources].filter(([, own]) => own.some(isRanked) && [...sources.values()].some((all) => isAmong(own, all)));
  for (const [task] of choices) sources.delete(task);
  const layers: Map<string, { readonly task: string; item: Item }>[] = [];
  for (const [task, own] of sources) {
    const fitting = layers.find((merged) => own.every((item) => agree(item, merged.get(item.id)?.item)));
    const merged = fitting ?? new Map<string, { readonly task: string; item: Item }>();
    if (fitting === undefined) layers.push(merged);
    for (const item of own) {
      const found = merged.get(item.id);
      if (found === undefined) merged.set(item.id, { task, item });
      else found.item = { ...found.item, ...item, ...found.item };
    }
  }
  const whole = layers.flatMap((merged) => {
    const parts = new Map<string, Item[]>();
    for (const { task, item } of merged.values()) {
      const part = parts.get(task);
      if (part === undefined) parts.set(task, [item]);
      else part.push(item);
    }
    const isWhole = (task: string) => upstream.filter((each) => each.task === task).length === 1;
    // What one node made is in the order that it gave it: nobody sorts the largest groups by name.
    return [...parts].map(([task, own]) => ({
      task,
      items: isInOrder(own) || isWhole(task) ? own : own.sort((a, b) => compareText(a.id, b.id)),
    }));
  });
  const known = (item: Item) => layers.flatMap((merged) => merged.get(item.id)?.item ?? []).filter((other) => agree(item, other));
  const chosen = choices.map(([task, own]) => ({
    task,
    items: own.map((item) => ({ ...Object.fromEntries(known(item).flatMap((other) => Object.entries(other))), ...item })),
  }));
  return [...chosen, ...whole].map(({ task, items: own }) => ({ task, items: own.some(isRanked) ? own.toSorted(byRank) : own }));
}

/** Whether these are some of those, and not all. */
function isAmong(some: readonly Item[], all: readonly Item[]): boolean {
  const ids = new Set(all.map(({ id }) => id));
  return some.length < ids.size && some.every(({ id }) => ids.has(id));
}

/** Those without a rank come last. */
function byRank(a: Item, b: Item): number {
  const [left, right] = [a["rank"], b["rank"]].map((rank) => (typeof rank === "number" ? rank : Number.MAX_VALUE));
  return (left ?? 0) - (right ?? 0);
}

/** Fields in which services answer. */
const ANSWERS = ["label", "topic", "value", "count", "rank"];

/** Whether two tasks' answers about an item can stand side by side. */
function agree(item: Item, other: Item | undefined): boolean {
  return (
    other === undefined || ANSWERS.every((name) => item[name] === undefined || other[name] === undefined || item[name] === other[name])
  );
}

/** Items that were ranked or grouped come in an order that says something. */
function isInOrder(items: readonly Item[]): boolean {
  return items.some((item) => isRanked(item) || (typeof item["count"] === "number" && typeof item["share"] === "number"));
}

function isRanked(item: Item): boolean {
  return typeof item["rank"] === "number";
}

/** So many items are read one by one; of more, what their numbers come to is read first. */
const FEW = 40;

function sectionsOf(items: readonly Item[], order: readonly string[] = []): string[] {
  const labels = countBy(items, "label");
  const hasLabels = labels.size > 0 && labels.size < items.length;
  const inOrder = isInOrder(items);
  const hasRanks = items.some(isRanked);
  const numberSection = section("Numbers", numbers(items));
  const listSection = section("Items", inOrder ? "" : listing(items, [], order));
  return [
    summary(items, labels),
    ...section(hasRanks ? "Ranking" : "Groups", inOrder ? listing(items, hasRanks ? ["rank"] : [], order) : ""),
    ...section(isAudit(labels) ? "Licences" : "Labels", hasLabels ? byLabel(items, labels) : ""),
    ...section("Terms that ask something back", isAudit(labels) ? listed(items, COPYLEFT) : ""),
    ...section("To be looked into by hand", isAudit(labels) ? listed(items, UNCLEAR) : ""),
    ...section("Topics", topics(items)),
    ...section("Packages installed in more than one version", versions(items)),
    ...(items.length > FEW ? numberSection : listSection),
    ...(items.length > FEW ? listSection : numberSection),
  ];
}

function section(title: string, body: string): string[] {
  return body === "" ? [] : [`## ${title}`, body];
}

/** Labels that say that nothing was found out. */
const NO_ANSWER: readonly string[] = ["unknown", "other", "none", "(none)"];

function summary(items: readonly Item[], labels: ReadonlyMap<string, number>): string {
  const facts = [`${items.length} item${items.length === 1 ? "" : "s"}`];
  const [top, second] = labels;
  // A label that all share, or that none repeats, says nothing; nor does a tie.
  if (top !== undefined && second !== undefined && top[1] > second[1] && !NO_ANSWER.includes(top[0]))
    facts.push(`most often ${words(top[0])} (${share(top[1], items.length)})`);
  const unanswered = items.filter((item) => NO_ANSWER.includes(textField(item, "label"))).length;
  if (isAudit(labels)) {
    const asking = items.filter((item) => COPYLEFT.includes(textField(item, "label"))).length;
    facts.push(`${asking} under copyleft terms`, `${items.filter((item) => UNCLEAR.includes(textField(item, "label"))).length} unclear`);
  } else if (unanswered > 0) facts.push(`${unanswered} without an answer`);
  return `${facts.join(" · ")}.`;
}

/** The labels are licence families, so that terms are worth a section. */
function isAudit(labels: ReadonlyMap<string, number>): boolean {
  return FAMILIES.some((family) => family !== "other" && family !== "unknown" && labels.has(family));
}

function byLabel(items: readonly Item[], counts: ReadonlyMap<string, number>): string {
  const rows = [...counts].map(([label, count]) => [words(label), String(count), share(count, items.length)]);
  return table(["label", "items", "share"], rows);
}

function listed(items: readonly Item[], labels: readonly string[]): string {
  return bullets(
    items
      .filter((item) => labels.includes(textField(item, "label")))
      .map((item) => `${code(nameOf(item))}: ${words(textField(item, "label"))}`),
  );
}

function disagreements(items: readonly Item[], dissent: readonly Dissent[]): string {
  const names = new Map(items.map((item) => [item.id, nameOf(item)]));
  const voices = [...new Set(dissent.flatMap(({ answers }) => answers.map(({ by }) => by)))].sort(compareText);
  const rows = dissent.map(({ id, chosen, answers }) => [
    code(names.get(id) ?? id),
    ...voices.map((voice) => shown(answers.find(({ by }) => by === voice)?.value ?? "–")),
    shown(chosen),
  ]);
  return table(["item", ...voices.map(words), "taken"], rows);
}

/** Left out where every topic is only the label again, or none was found. */
function topics(items: readonly Item[]): string {
  if (items.every((item) => NO_ANSWER.includes(textField(item, "topic") || "none"))) return "";
  if (items.every((item) => textField(item, "topic") === textField(item, "label"))) return "";
  const named = new Map<string, Set<string>>();
  for (const item of items) {
    const topic = textField(item, "topic");
    if (topic !== "") named.set(topic, (named.get(topic) ?? new Set()).add(textField(item, "name") || item.id));
  }
  const rows = [...countBy(items, "topic")].map(([topic, count]) => {
    const examples = [...(named.get(topic) ?? [])].slice(0, 5);
    return [words(topic), String(count), examples.map(code).join(", ")];
  });
  return table(["topic", "items", "for example"], rows);
}

function versions(items: readonly Item[]): string {
  const found = new Map<string, Set<string>>();
  for (const item of items) {
    const version = textField(item, "version");
    const name = textField(item, "name");
    if (version !== "" && name !== "") found.set(name, (found.get(name) ?? new Set()).add(version));
  }
  const rows = [...found]
    .filter(([, set]) => set.size > 1)
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, set]) => [code(name), String(set.size), [...set].sort(compareText).map(words).join(", ")]);
  return table(["package", "versions", "which"], rows);
}

/** How many, least, mean, greatest and total of every numeric field that items share. */
function numbers(items: readonly Item[]): string {
  const columns = new Map<string, number[]>();
  for (const item of items) {
    for (const [field, value] of Object.entries(cellsOf(item))) {
      if (typeof value !== "number" || NO_COLUMN.includes(field)) continue;
      const column = columns.get(field);
      if (column === undefined) columns.set(field, [value]);
      else column.push(value);
    }
  }
  const again = repeated(items);
  const rows = [...columns]
    .filter(([field, values]) => values.length > 1 && !again.has(field) && values.some((value) => value !== 0))
    .sort(([a], [b]) => compareText(a, b))
    .map(([field, values]) => {
      const sorted = values.toSorted((a, b) => a - b);
      const total = values.reduce((sum, value) => sum + value, 0);
      const range = [round(sorted[0] ?? 0), round(sorted.at(-1) ?? 0)] as const;
      // Of what names or dates something neither sum nor mean says anything.
      const name = words(field === "value" ? whatOf(items) : field);
      if (isName(field, values)) return [name, String(values.length), range[0], "", range[1], ""];
      return [name, String(values.length), range[0], round(total / values.length), range[1], round(total)];
    });
  return table(["number", "values", "least", "mean", "greatest", "total"], rows);
}

/** What the value of all items is, where they say so: "sum of amount". */
function whatOf(items: readonly Item[]): string {
  const [what = "value", ...others] = new Set(items.map((item) => textField(item, "what")));
  return what === "" || others.length > 0 ? "value" : what;
}

const NAMING =
  /(^|[^a-z])(ids?|uuid|guid|no|nr|zip|plz|isbn|ean|sku|iban|phone|fax|pid|port|year|(postal|post|zip|area|country|status|error)[ _-]?code)([^a-z]|$)/i;

/** Whole numbers that only tell things apart, by their column's name: identifiers, codes and years. */
function isName(field: string, values: readonly number[]): boolean {
  return values.every(Number.isInteger) && NAMING.test(field.replace(/([a-z])([A-Z])/g, "$1 $2"));
}

function problems(items: readonly Item[]): string {
  return bullets(
    items.filter((item) => textField(item, "problem") !== "").map((item) => `${code(item.id)}: ${words(textField(item, "problem"))}`),
  );
}

/** Fields that name an item, or are its whole content, or have a section of their own. */
const NO_COLUMN: readonly string[] = ["id", "name", "version", "rank", "row", "problem", "kind", "text", "licenceText", "readme", "path"];
/** First the answers, then the rest as it comes. */
const FIRST_COLUMNS: readonly string[] = ["label", "topic", "value", "count", "share"];
const MAX_COLUMNS = 6;
const LONGEST_CELL = 100;

/** The items with the fields that they have, `lead` before their names. */
function listing(items: readonly Item[], lead: readonly string[], order: readonly string[]): string {
  const fields = columnsOf(items, order);
  if (fields.length === 0 && lead.length === 0) return "";
  return table(
    [...lead, "item", ...fields.map((field) => words(field === "value" ? whatOf(items) : field))],
    items.map((item) => {
      const cells = cellsOf(item);
      return [
        ...lead.map((field) => shown(cells[field])),
        code(quoted(nameOf(item), LONGEST_CELL)),
        ...fields.map((field) => shown(cells[field])),
      ];
    }),
  );
}

/** Fields that at least one item has a short value in, but not those that say nothing that another one does not say. */
function columnsOf(items: readonly Item[], order: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const item of items)
    for (const [field, value] of Object.entries(cellsOf(item))) if (!NO_COLUMN.includes(field) && shown(value) !== "") found.add(field);
  for (const field of repeated(items)) found.delete(field);
  for (const field of found)
    if (!FIRST_COLUMNS.includes(field) && items.every((item) => (cellsOf(item)[field] ?? 0) === 0)) found.delete(field);
  const measured = found.has("value") ? undefined : sameAs(items, "value");
  const first = [...FIRST_COLUMNS, ...(measured === undefined ? [] : [measured]), ...order].filter((field) => found.has(field));
  return [...new Set([...first, ...found])].slice(0, MAX_COLUMNS);
}

/** A label that is the name, a topic that is the label, a value that another field has under its own name. */
function repeated(items: readonly Item[]): ReadonlySet<string> {
  const answers = { label: ["name"], topic: ["label", "name"] };
  const named = whatOf(items) === "value" ? [] : ["what"];
  const again = Object.entries(answers).flatMap(([field, others]) => (others.some((other) => isSame(items, field, other)) ? [field] : []));
  return new Set(sameAs(items, "value") === undefined || named.length > 0 ? [...again, ...named] : [...again, "value"]);
}

/** The numeric field that says the same as another one on all items. */
function sameAs(items: readonly Item[], field: string): string | undefined {
  const [first] = items.map(cellsOf).filter((cells) => typeof cells[field] === "number");
  if (first === undefined) return undefined;
  return Object.keys(first).find((other) => other !== field && !NO_COLUMN.includes(other) && isSame(items, field, other));
}

function isSame(items: readonly Item[], field: string, other: string): boolean {
  const cells = items.map(cellsOf).filter((each) => each[field] !== undefined);
  return cells.length > 0 && cells.every((each) => each[field] === each[other]);
}

/** An item's own fields, then the cells of its table row. */
function cellsOf(item: Item): Readonly<Record<string, JsonValue>> {
  return { ...cellsIn(item["fields"]), ...cellsIn(item["values"]), ...item };
}

function cellsIn(value: JsonValue | undefined): Readonly<Record<string, JsonValue>> {
  return typeof value === "object" && value !== null && !isList(value) ? value : {};
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** A value in a cell; "" for what is no single value or list of them. */
function shown(value: JsonValue | undefined): string {
  if (typeof value === "number") return round(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return words(quoted(value, LONGEST_CELL));
  if (!Array.isArray(value) || value.length === 0) return "";
  const texts = value.filter((entry) => typeof entry === "string" || typeof entry === "number");
  return texts.length === value.length ? words(quoted(texts.join(", "), LONGEST_CELL)) : "";
}

/** Counts of one field's values, most frequent first, then by name. */
function countBy(items: readonly Item[], field: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const value = textField(item, field);
    if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return new Map([...counts].sort(([a, left], [b, right]) => right - left || compareText(a, b)));
}

function nameOf(item: Item): string {
  const name = textField(item, "name") || item.id;
  const version = textField(item, "version");
  return version === "" ? name : `${name}@${version}`;
}

function round(value: number): string {
  return String(Math.round(value * 1_000) / 1_000);
}
