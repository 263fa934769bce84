/** Small numbers as bits of one, number 0 lowest. */
export function bitmapOf(numbers: readonly number[]): bigint {
  return numbers.reduce((bits, number) => bits | (1n << BigInt(number)), 0n);
}

/** The numbers whose bits are set, ascending. */
export function numbersIn(bitmap: bigint): readonly number[] {
  return Array.from({ length: 256 }, (_, number) => number).filter((number) => (bitmap >> BigInt(number)) & 1n);
}
