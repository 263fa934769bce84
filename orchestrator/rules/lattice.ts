import { RuleError } from "./rule-error.ts";

/** A finite order in which any two elements have one greatest lower and one least upper bound. */
export interface Lattice<Element> {
  /** From the bottom up. */
  readonly elements: readonly Element[];
  readonly bottom: Element;
  readonly top: Element;
  /** a ⪰ b. */
  geq(a: Element, b: Element): boolean;
  /** The strongest element that both satisfy. */
  meet(a: Element, b: Element): Element;
  /** The weakest element that satisfies both. */
  join(a: Element, b: Element): Element;
}

/**
 * The lattice of covering pairs [lower, upper]. Throws for cycles (`Cycle`), for an order not bounded by the given ends (`NotBounded`), and
 * for two elements without a unique meet or join (`NoMeet`, `NoJoin`), since a chain of provenance through them would have no class. An
 * unknown element is treated as the bottom.
 */
export function defineLattice<Element extends string | number>(
  ends: { readonly bottom: Element; readonly top: Element },
  covers: readonly (readonly [lower: Element, upper: Element])[],
): Lattice<Element> {
  const elements = ascending([...new Set([ends.bottom, ...covers.flat(), ends.top])], covers);
  const number = new Map(elements.map((element, index) => [element, index]));
  const below = elements.map(() => new Set<number>());
  elements.forEach((element, index) => {
    below[index]?.add(index);
    for (const [lower, upper] of covers) {
      if (upper === element) for (const n of below[number.get(lower) ?? 0] ?? []) below[index]?.add(n);
    }
  });
  const [bottom, top] = [number.get(ends.bottom) ?? 0, number.get(ends.top) ?? 0];
  const dominates = elements.map((_, a) => elements.map((__, b) => below[a]?.has(b) ?? false));
  const at = (a: number, b: number) => dominates[a]?.[b] ?? false;
  const stray = elements.find((_, n) => !at(n, bottom) || !at(top, n));
  if (stray !== undefined) throw new RuleError("NotBounded", stray, ends.bottom, ends.top);
  const numbers = elements.map((_, n) => n);
  const pairs = (code: string, pick: (a: number, b: number) => number | undefined) =>
    numbers.map((a) =>
      numbers.map((b) => {
        const found = elements[pick(a, b) ?? -1];
        if (found === undefined) throw new RuleError(code, elements[a] ?? a, elements[b] ?? b);
        return found;
      }),
    );
  const meets = pairs("NoMeet", (a, b) => {
    const common = numbers.filter((n) => at(a, n) && at(b, n));
    return common.find((n) => common.every((other) => at(n, other)));
  });
  const joins = pairs("NoJoin", (a, b) => {
    const common = numbers.filter((n) => at(n, a) && at(n, b));
    return common.find((n) => common.every((other) => at(other, n)));
  });
  const code = (element: Element) => number.get(element) ?? bottom;
  const satisfied = numbers.map((a) => new Set(elements.filter((_, b) => at(a, b))));
  return {
    elements,
    ...ends,
    geq: (a, b) => satisfied[code(a)]?.has(b) ?? false,
    meet: (a, b) => meets[code(a)]?.[code(b)] ?? ends.bottom,
    join: (a, b) => joins[code(a)]?.[code(b)] ?? ends.top,
  };
}

/** Each element after everything below it. */
function ascending<Element extends string | number>(
  elements: readonly Element[],
  covers: readonly (readonly [Element, Element])[],
): Element[] {
  const sorted: Element[] = [];
  let rest = [...elements];
  while (rest.length > 0) {
    const free = rest.filter((element) => !covers.some(([lower, upper]) => upper === element && rest.includes(lower)));
    if (free.length === 0) throw new RuleError("Cycle", ...rest);
    sorted.push(...free);
    rest = rest.filter((element) => !free.includes(element));
  }
  return sorted;
}
