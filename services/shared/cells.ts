/** What people write into a cell when there is nothing to write. */
const MISSING = new Set([
  "",
  "-",
  "–",
  "—",
  "?",
  ".",
  "n/a",
  "na",
  "n.a.",
  "#n/a",
  "nan",
  "null",
  "none",
  "nil",
  "missing",
  "unknown",
  "tbd",
]);

/** The cell says that there is no value: it is blank, a dash, `n/a`, `null` and the like. */
export function isMissing(cell: string): boolean {
  return MISSING.has(cell.trim().toLowerCase());
}

const PLAIN = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const CODE = /^[+-]?0\d/;
const THOUSANDS = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const SPACED = /^[+-]?\d{1,3}(?:[ \u00a0\u202f']\d{3})+(?:[.,]\d+)?$/;
const CONTINENTAL = /^[+-]?\d{1,3}(?:\.\d{3})+,\d+$|^[+-]?\d+,\d{1,2}$/;

/**
 * The number that a cell is: `12`, `-0.5`, `1e3`, `1,234.50`, `1 234,5`, `1.234,50` and `0,5`; undefined for all else. A blank is not 0, a
 * code such as 01067 is no amount, `1,234` is one thousand and `1.234` a little more than one.
 */
export function numberOf(cell: string): number | undefined {
  const text = cell.trim().replace("−", "-");
  const plain = CODE.test(text)
    ? ""
    : PLAIN.test(text)
      ? text
      : THOUSANDS.test(text)
        ? text.replaceAll(",", "")
        : SPACED.test(text)
          ? text.replace(/[ \u00a0\u202f']/g, "").replace(",", ".")
          : CONTINENTAL.test(text)
            ? text.replaceAll(".", "").replace(",", ".")
            : "";
  const number = plain === "" ? Number.NaN : Number(plain);
  return Number.isFinite(number) ? number : undefined;
}
