/**
 * Bounds for `within`, where a number may differ a little. `closeTo` is not for fractions: Hardhat's matchers, once they are loaded into a
 * process, take its numbers for whole ones.
 */
export const near = (value: number, delta: number): [number, number] => [value - delta, value + delta];
