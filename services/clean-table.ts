import { capabilities } from "./shared/capabilities.ts";
import { isMissing, numberOf } from "./shared/cells.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { isoDate } from "./shared/dates.ts";
import { allItems } from "./shared/items.ts";
import { optionsSchema, textOption } from "./shared/options.ts";
import { itemsOutput } from "./shared/schemas.ts";
import { cellsOf, ROWS_INPUT } from "./shared/tables.ts";

export const about: ServiceAbout = {
  id: "clean-table",
  title: "Cleans, tidies and normalises the cells of a table",
  description:
    "Tidies up a messy table or spreadsheet: removes stray spaces, empties blanks such as n/a or a dash, and writes numbers, amounts of money, percentages and dates in one format. Use it to normalise an export before it is added up or compared.",
  accepts: ["csv", "items"],
  produces: "items",
  perItem: true,
  keepsFields: true,
  mends: true,
  input: ROWS_INPUT,
  output: itemsOutput({
    fields: { type: "object" },
    values: { type: "object", additionalProperties: { type: "number" } },
    value: { type: "integer", description: "cells changed" },
  }),
  options: optionsSchema({
    dates: { enum: ["day-first", "month-first"], default: "day-first", description: "how 3/4/2026 is to be read" },
  }),
  capabilities: capabilities({ parsing: 160, numbers: 120 }),
  deterministic: true,
};

const cleanTable: Service = (input) => {
  const monthFirst = textOption(input, "dates", "day-first") === "month-first";
  return { items: allItems(input).map((item) => cleaned(item, monthFirst)) };
};
export default cleanTable;

function cleaned(item: Item, monthFirst: boolean): Item {
  const cells = [...cellsOf(item)].map(([column, cell]) => ({ column, cell, clean: cleanCell(cell, monthFirst) }));
  const values = cells.flatMap(({ column, clean }) => {
    const value = numberOf(clean);
    return value === undefined ? [] : [[column, value] as const];
  });
  return {
    ...item,
    fields: Object.fromEntries(cells.map(({ column, clean }) => [column, clean])),
    values: Object.fromEntries(values),
    value: cells.filter(({ cell, clean }) => cell !== clean).length,
  };
}

const MONEY = /^(?:[$€£¥]|USD|EUR|GBP|CHF|JPY)\s?|\s?(?:[$€£¥]|USD|EUR|GBP|CHF|JPY)$/gi;

function cleanCell(cell: string, monthFirst: boolean): string {
  const text = cell
    .normalize("NFC")
    .replace(/[\u200b\ufeff]/g, "")
    .replace(/\s+/g, " ")
    .trim();
  if (isMissing(text)) return "";
  const date = isoDate(text, monthFirst);
  if (date !== undefined) return date;
  // Codes such as 007 are no amounts.
  if (/^0\d/.test(text)) return text;
  const negative = /^\((.*)\)$/.exec(text);
  const bare = (negative?.[1] ?? text).replace(MONEY, "");
  const percent = /^(.*\d)\s?%$/.exec(bare);
  const number = numberOf(percent?.[1] ?? bare);
  if (number === undefined) return text;
  const value = (negative === null ? 1 : -1) * (percent === null ? number : Math.round(number * 1e10) / 1e12);
  return String(value);
}
