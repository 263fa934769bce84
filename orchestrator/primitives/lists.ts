/** Splits a list into chunks of at most `most` items, in order. */
export function partsOf<Item>(items: readonly Item[], most: number): readonly Item[][] {
  return Array.from({ length: Math.ceil(items.length / most) }, (_, at) => items.slice(at * most, (at + 1) * most));
}

/** Groups items by key, in order of each key's first occurrence. */
export function groupedBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The items at the same place of several lists of one length. */
export function zip<Lists extends readonly (readonly unknown[])[]>(...lists: Lists): { [Place in keyof Lists]: Lists[Place][number] }[] {
  const [first = []] = lists;
  return first.map((_, place) => lists.map((list) => list[place]) as { [Place in keyof Lists]: Lists[Place][number] });
}
