import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { FIELD, fieldOf, numberIn, textIn } from "./shared/fields.ts";
import { allItems, compareText } from "./shared/items.ts";
import { listOption, optionsSchema, textOption } from "./shared/options.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "group",
  title: "Groups the items by a field, with counts and sums",
  description:
    "Groups items that have the same value in one field and says how many each group has, what share of all that is, and the totals of numeric fields. Use it for counts per label, licence, language or category, or sums and totals per region, month or customer.",
  accepts: ["packages", "files", "csv", "urls", "items"],
  produces: "items",
  perItem: false,
  input: itemsInput(),
  output: itemsOutput({
    label: { type: "string" },
    count: { type: "integer", minimum: 1 },
    share: { type: "number" },
    value: { type: "number" },
    sums: { type: "object" },
  }),
  options: optionsSchema({
    by: { ...FIELD, "x-column": "group", default: "label", description: "field whose values make the groups" },
    sum: {
      type: "array",
      "x-column": "number",
      items: FIELD,
      maxItems: 20,
      default: [],
      description: "numeric fields to add up per group; the first is also the group's value",
    },
  }),
  capabilities: capabilities({ aggregation: 200, numbers: 120 }),
  deterministic: true,
};

/** Items without the field are one group of their own, which comes last. Cells that are no numbers add nothing, and are counted. */
const group: Service = (input) => {
  const by = textOption(input, "by", "label");
  const sums = listOption(input, "sum");
  const items = allItems(input);
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = textIn(fieldOf(item, by));
    const members = groups.get(name);
    if (members === undefined) groups.set(name, [item]);
    else members.push(item);
  }
  const rows = [...groups].map(([name, members]) => rowOf(by, name, members, items.length, sums));
  return { items: rows.sort((a, b) => Number(a.id === by) - Number(b.id === by) || b.value - a.value || compareText(a.id, b.id)) };
};
export default group;

function rowOf(by: string, name: string, members: readonly Item[], all: number, sums: readonly string[]) {
  const totals = sums.map((field) => {
    const numbers = members.flatMap((item) => numberIn(fieldOf(item, field)) ?? []);
    return { field, total: round(numbers.reduce((sum, number) => sum + number, 0)), skipped: members.length - numbers.length };
  });
  const isNone = name === "";
  const label = isNone ? "(none)" : name;
  return {
    id: isNone ? by : `${by}=${name}`,
    name: label,
    label,
    count: members.length,
    share: round(members.length / all),
    value: totals[0]?.total ?? members.length,
    sums: Object.fromEntries(totals.map(({ field, total }) => [field, total])),
    skipped: Object.fromEntries(totals.filter(({ skipped }) => skipped > 0).map(({ field, skipped }) => [field, skipped])),
  };
}

/** Sums of decimal fractions without the binary tail; sums beyond what a number holds are its largest. */
function round(value: number): number {
  if (Math.abs(value) >= 1e9) return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
  return Math.round(value * 1_000_000) / 1_000_000;
}
