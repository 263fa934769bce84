import { AgreementRefused } from "./errors.ts";

/** Decimals of known currencies; others have two. */
const DECIMALS: Readonly<Record<string, number>> = { USDC: 6, USDT: 6, EURC: 6, DAI: 18, ETH: 18, JPY: 0 };
const DECIMAL = /^(0|[1-9]\d{0,15})(?:\.(\d{1,18}))?$/;

const DOLLARS: readonly string[] = ["USD", "USDC", "USDT", "DAI"];
/** Whether a unit of the currency is a dollar. */
export const isDollar = (currency: string): boolean => DOLLARS.includes(currency);

export function decimalsOf(currency: string): number {
  return DECIMALS[currency] ?? 2;
}

/** Converts a decimal amount to smallest units. Throws BadAmount for a sign, an exponent, or too many decimals. */
export function unitsOf(amount: string, currency: string): bigint {
  const [, whole, fraction = ""] = DECIMAL.exec(amount) ?? [];
  const decimals = decimalsOf(currency);
  if (whole === undefined || fraction.length > decimals)
    throw new AgreementRefused(
      "BadAmount",
      `${amount} is not an amount of ${currency}`,
      `at most ${decimals} decimals, no sign, no exponent`,
    );
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

/** Converts smallest units to the shortest decimal amount, as `unitsOf` reads it. */
export function amountOf(units: bigint, currency: string): string {
  const decimals = decimalsOf(currency);
  const digits = units.toString().padStart(decimals + 1, "0");
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, "");
}

/** One hundred points, in the hundredths used for scores and percentages. */
export const WHOLE = 10_000;

/** Rounds down to a hundredth, with a tolerance for doubles: 0.29 · 100 is 29. */
export function hundredths(points: number): number {
  return Math.floor(points * 100 + 1e-6);
}
