import { InvalidValue } from "./errors.ts";

/** Basis points in a whole: the unit of shares, rates, scores and confidences. */
export const BASIS_POINTS = 10_000;

/** Decimals of the settlement token. */
export const TOKEN_DECIMALS = 6;

const DECIMAL = /^(0|[1-9]\d*)(?:\.(\d+))?$/;

/** "1200.50" → smallest units. Refuses signs, exponents, grouping and more digits than the token has. */
export function parseAmount(text: string, decimals: number = TOKEN_DECIMALS): bigint {
  const match = DECIMAL.exec(text);
  if (match === null) {
    throw new InvalidValue("amount", "expected a decimal number such as 1200.00", { details: JSON.stringify(text) });
  }
  const [, whole = "0", fraction = ""] = match;
  if (fraction.length > decimals) {
    throw new InvalidValue("amount", `at most ${decimals} digits after the point`, { details: JSON.stringify(text) });
  }
  return BigInt(whole) * 10n ** BigInt(decimals) + BigInt(fraction.padEnd(decimals, "0") || "0");
}

/** Smallest units → the shortest exact decimal text, "1200.5". */
export function formatAmount(units: bigint, decimals: number = TOKEN_DECIMALS): string {
  const [sign, whole, fraction] = split(units, decimals);
  const rest = fraction.replace(/0+$/, "");
  return rest === "" ? `${sign}${whole}` : `${sign}${whole}.${rest}`;
}

/** Smallest units for display: grouped, at least two decimals, still exact: "1,200.50". */
export function formatMoney(units: bigint, decimals: number = TOKEN_DECIMALS): string {
  const [sign, whole, fraction] = split(units, decimals);
  return `${sign}${grouped(whole)}.${fraction.replace(/0+$/, "").padEnd(2, "0")}`;
}

/** A whole number for display: 1234567 → "1,234,567". */
export function grouped(value: number | bigint | string): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

function split(units: bigint, decimals: number): [sign: string, whole: string, fraction: string] {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  return [units < 0n ? "-" : "", digits.slice(0, point), digits.slice(point)];
}
