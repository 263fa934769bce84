/** A bitmap of small numbers; number 0 is the lowest bit. */
export function bitmapOf(numbers: readonly number[]): bigint {
  return numbers.reduce((bits, number) => bits | (1n << BigInt(number)), 0n);
}

/** The numbers whose bits are set, ascending. */
export function numbersIn(bitmap: bigint): readonly number[] {
  return Array.from({ length: 256 }, (_, number) => number).filter((number) => (bitmap >> BigInt(number)) & 1n);
}
