import { capabilities } from "./shared/capabilities.ts";
import { isMissing, numberOf } from "./shared/cells.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems } from "./shared/items.ts";
import { optionsSchema, textOption } from "./shared/options.ts";
import { itemsOutput } from "./shared/schemas.ts";
import { cellsOf, ROWS_INPUT } from "./shared/tables.ts";

export const about: ServiceAbout = {
  id: "clean-table",
  title: "Cleans the cells of a table",
  description:
    "Tidies up a messy table or spreadsheet: removes stray spaces, empties blanks such as n/a or a dash, and writes numbers, amounts of money, percentages and dates in one format. Use it to normalise an export before it is added up or compared.",
  accepts: ["csv", "items"],
  produces: "items",
  perItem: true,
  keepsFields: true,
  input: ROWS_INPUT,
  output: itemsOutput({
    fields: { type: "object" },
    values: { type: "object", additionalProperties: { type: "number" } },
    value: { type: "integer", description: "cells changed" },
  }),
  options: optionsSchema({
    dates: { enum: ["day-first", "month-first"], default: "day-first", description: "how 3/4/2026 is to be read" },
  }),
  capabilities: capabilities({ parsing: 80, numbers: 60 }),
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

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** `2026-03-09` for 9.3.2026, 09/03/2026, 2026/03/09 and 9 Mar 2026; undefined for what is no date or no day of the calendar. */
function isoDate(text: string, monthFirst: boolean): string | undefined {
  const bySize = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text);
  if (bySize !== null) return dayOf(bySize[1], bySize[2], bySize[3]);
  const byParts = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/.exec(text);
  if (byParts !== null) {
    const american = monthFirst && byParts[2] !== ".";
    return dayOf(byParts[4], american ? byParts[1] : byParts[3], american ? byParts[3] : byParts[1]);
  }
  const named =
    /^(\d{1,2})\.? ([a-z]{3})[a-z]*\.?,? (\d{4})$/i.exec(text) ?? swapped(/^([a-z]{3})[a-z]*\.? (\d{1,2}),? (\d{4})$/i.exec(text));
  const month = named === null ? -1 : MONTHS.indexOf((named[2] ?? "").toLowerCase());
  return named === null || month < 0 ? undefined : dayOf(named[3], String(month + 1), named[1]);
}

function swapped(match: RegExpExecArray | null): readonly (string | undefined)[] | null {
  return match === null ? null : [match[0], match[2], match[1], match[3]];
}

function dayOf(year = "", month = "", day = ""): string | undefined {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  const leap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1] ?? 0;
  return d >= 1 && d <= days ? `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}` : undefined;
}
