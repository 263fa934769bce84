/** Cuts a list into parts of at most so many, in order. */
export function partsOf<Item>(items: readonly Item[], most: number): readonly Item[][] {
  return Array.from({ length: Math.ceil(items.length / most) }, (_, at) => items.slice(at * most, (at + 1) * most));
}
