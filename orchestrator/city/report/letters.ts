const LETTERS = "ABCDEFGHIJKLMNOP";

/** Name of a ballot entry: "no law", A, B, … */
export function letterOf(entry: number): string {
  return entry === 0 ? "no law" : (LETTERS[entry - 1] ?? String(entry));
}
