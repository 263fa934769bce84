const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** `2026-03-09` for 9.3.2026, 09/03/2026, 2026/03/09 and 9 Mar 2026; undefined for what is no date or no day of the calendar. */
export function isoDate(text: string, monthFirst: boolean): string | undefined {
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

export const PERIODS = ["day", "month", "quarter", "year"] as const;
export type Period = (typeof PERIODS)[number];

/** The period that a day is in: `2026-03-09`, `2026-03`, `2026-Q1`, `2026`. */
export function periodOf(day: string, period: Period): string {
  const [year = "", month = ""] = day.split("-");
  if (period === "day") return day;
  if (period === "month") return `${year}-${month}`;
  return period === "quarter" ? `${year}-Q${Math.ceil(Number(month) / 3)}` : year;
}
