import { capabilities } from "./shared/capabilities.ts";
import type { Dissent, Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allDissent, allItems, compareText, textField } from "./shared/items.ts";
import { COPYLEFT, FAMILIES, UNCLEAR } from "./shared/licences.ts";
import { bullets, code, share, table } from "./shared/markdown.ts";
import { DOCUMENT_OUTPUT, SERVICE_INPUT } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "aggregate",
  title: "Writes a Markdown report over labelled items and their disagreements",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "document",
  perItem: false,
  input: SERVICE_INPUT,
  output: DOCUMENT_OUTPUT,
  capabilities: capabilities({ aggregation: 120, text: 60, numbers: 20 }),
  deterministic: true,
};

/** One row per label with its count, and the report over them. */
const aggregate: Service = (input) => {
  const items = allItems(input).sort((a, b) => compareText(a.id, b.id));
  const dissent = allDissent(input);
  const counts = countBy(items, "label");
  const sections = [
    `# ${oneLine(input.goal) || "Report"}`,
    summary(items, dissent, counts),
    ...section(isAudit(items) ? "Licences" : "Labels", byLabel(items, counts)),
    ...section("Terms that ask something back", isAudit(items) ? listed(items, COPYLEFT) : ""),
    ...section("To be looked into by hand", isAudit(items) ? listed(items, UNCLEAR) : ""),
    ...section("Where the executors differ", disagreements(items, dissent)),
    ...section("Topics", topics(items)),
    ...section("Packages installed in more than one version", versions(items)),
    ...section("Numbers", numbers(items)),
    ...section("Could not be read", problems(items)),
    ...section("Every item", everyItem(items)),
  ];
  return {
    items: [...counts].map(([label, value]) => ({ id: label, label, value })),
    document: `${sections.join("\n\n")}\n`,
  };
};
export default aggregate;

function section(title: string, body: string): string[] {
  return body === "" ? [] : [`## ${title}`, body];
}

function summary(items: readonly Item[], dissent: readonly Dissent[], counts: ReadonlyMap<string, number>): string {
  const [top] = counts;
  const facts = [`${items.length} items`];
  if (top !== undefined) facts.push(`most often ${top[0]} (${share(top[1], items.length)})`);
  const asking = items.filter((item) => COPYLEFT.includes(textField(item, "label"))).length;
  const unclear = items.filter((item) => UNCLEAR.includes(textField(item, "label"))).length;
  if (isAudit(items)) facts.push(`${asking} under copyleft terms`, `${unclear} unclear`);
  facts.push(`${dissent.length} on which the executors differ`);
  return `${facts.join(" · ")}.`;
}

/** The labels are licence families, so that terms are worth a section. */
function isAudit(items: readonly Item[]): boolean {
  const families: readonly string[] = FAMILIES.filter((family) => family !== "other" && family !== "unknown");
  return items.some((item) => families.includes(textField(item, "label")));
}

function byLabel(items: readonly Item[], counts: ReadonlyMap<string, number>): string {
  const rows = [...counts].map(([label, count]) => [label, String(count), share(count, items.length)]);
  return table(["label", "items", "share"], rows);
}

function listed(items: readonly Item[], labels: readonly string[]): string {
  return bullets(
    items.filter((item) => labels.includes(textField(item, "label"))).map((item) => `${code(nameOf(item))}: ${textField(item, "label")}`),
  );
}

function disagreements(items: readonly Item[], dissent: readonly Dissent[]): string {
  const names = new Map(items.map((item) => [item.id, nameOf(item)]));
  const voices = [...new Set(dissent.flatMap(({ answers }) => answers.map(({ by }) => by)))].sort(compareText);
  const rows = dissent.map(({ id, chosen, answers }) => [
    code(names.get(id) ?? id),
    ...voices.map((voice) => String(answers.find(({ by }) => by === voice)?.value ?? "–")),
    String(chosen),
  ]);
  return table(["item", ...voices, "taken"], rows);
}

function topics(items: readonly Item[]): string {
  const rows = [...countBy(items, "topic")].map(([topic, count]) => {
    const names = items.filter((item) => textField(item, "topic") === topic).map((item) => textField(item, "name") || item.id);
    return [topic, String(count), [...new Set(names)].slice(0, 5).map(code).join(", ")];
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
    .map(([name, set]) => [code(name), String(set.size), [...set].sort(compareText).join(", ")]);
  return table(["package", "versions", "which"], rows);
}

/** Least, mean and greatest of every numeric field that items share. */
function numbers(items: readonly Item[]): string {
  const columns = new Map<string, number[]>();
  for (const item of items) {
    const nested = item["values"];
    const fields = [...Object.entries(item), ...(typeof nested === "object" && nested !== null ? Object.entries(nested) : [])];
    for (const [field, value] of fields) {
      if (typeof value !== "number") continue;
      const column = columns.get(field);
      if (column === undefined) columns.set(field, [value]);
      else column.push(value);
    }
  }
  const rows = [...columns]
    .sort(([a], [b]) => compareText(a, b))
    .map(([field, values]) => {
      const sorted = values.toSorted((a, b) => a - b);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      return [field, String(values.length), round(sorted[0] ?? 0), round(mean), round(sorted.at(-1) ?? 0)];
    });
  return table(["number", "values", "least", "mean", "greatest"], rows);
}

function problems(items: readonly Item[]): string {
  return bullets(
    items.filter((item) => textField(item, "problem") !== "").map((item) => `${code(item.id)}: ${textField(item, "problem")}`),
  );
}

function everyItem(items: readonly Item[]): string {
  const columns = ["label", "topic", "value"].filter((field) => items.some((item) => cellOf(item, field) !== ""));
  if (columns.length === 0) return "";
  return table(
    ["item", ...columns],
    items.map((item) => [code(nameOf(item)), ...columns.map((field) => cellOf(item, field))]),
  );
}

function cellOf(item: Item, field: string): string {
  const value = item[field];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
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

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function round(value: number): string {
  return String(Math.round(value * 1_000) / 1_000);
}
