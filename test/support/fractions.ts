import { expect } from "chai";

const HOLDS = {
  "<": (a: number, b: number) => a < b,
  "<=": (a: number, b: number) => a <= b,
  ">": (a: number, b: number) => a > b,
  ">=": (a: number, b: number) => a >= b,
} as const;

/** Compares numbers that may be fractions. Hardhat's matchers, once loaded in a process, replace chai's and take whole numbers only. */
export function expectOrder(left: number, relation: keyof typeof HOLDS, right: number): void {
  expect(HOLDS[relation](left, right), `${left} ${relation} ${right}`).to.equal(true);
}

/** The same for a distance of at most `tolerance`. */
export function expectNear(actual: number, expected: number, tolerance: number): void {
  expect(Math.abs(actual - expected) <= tolerance, `${actual} within ${tolerance} of ${expected}`).to.equal(true);
}
