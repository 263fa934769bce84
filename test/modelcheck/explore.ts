/** A transition system small enough to be looked at whole. Moves are made by the code under test, not by a copy of it. */
export interface Machine<State> {
  readonly name: string;
  /** What it models, in a line. */
  readonly about: string;
  readonly initial: State;
  /** Every move that the code allows, and where it leads. */
  readonly moves: (state: State) => Iterable<Move<State>>;
  /** Equal for states that differ in nothing but the names of interchangeable things. */
  readonly key: (state: State) => string;
  /** States outside are counted as generated, and neither kept nor followed. Default: all are inside. */
  readonly within?: (state: State) => boolean;
  /** What must hold in every state. */
  readonly invariants: readonly Invariant<State>[];
  /** From every state some way must lead to one of these. Default: nothing is asked. */
  readonly end?: (state: State) => boolean;
}

export interface Move<State> {
  readonly label: string;
  readonly next: State;
}

export interface Invariant<State> {
  readonly name: string;
  readonly holds: (state: State) => boolean;
}

/** A broken promise and the shortest way there. */
export interface Violation {
  readonly invariant: string;
  readonly trace: readonly string[];
}

export interface Exploration {
  /** States that moves led to, with repetitions, and the first. */
  readonly generated: number;
  /** Different ones, up to symmetry. */
  readonly distinct: number;
  readonly violation: Violation | undefined;
}

interface Seen<State> {
  readonly state: State;
  readonly label: string;
  readonly from: string | undefined;
}

const NO_WAY_OUT = "some way leads to an end";

/** Breadth first: the first state found to break an invariant is one of the nearest. */
export function explore<State>(machine: Machine<State>): Exploration {
  const { initial, moves, key, within = () => true, invariants } = machine;
  const first = key(initial);
  const seen = new Map<string, Seen<State>>([[first, { state: initial, label: "", from: undefined }]]);
  const before = new Map<string, string[]>();
  let generated = 1;
  const report = (violation?: Violation): Exploration => ({ generated, distinct: seen.size, violation });
  for (const [name, { state }] of seen) {
    const broken = invariants.find(({ holds }) => !holds(state));
    if (broken !== undefined) return report({ invariant: broken.name, trace: wayTo(seen, name) });
    for (const { label, next } of moves(state)) {
      generated += 1;
      if (!within(next)) continue;
      const reached = key(next);
      if (!seen.has(reached)) seen.set(reached, { state: next, label, from: name });
      if (machine.end !== undefined) before.set(reached, [...(before.get(reached) ?? []), name]);
    }
  }
  const trapped = machine.end === undefined ? undefined : firstTrapped(seen, before, machine.end);
  return report(trapped === undefined ? undefined : { invariant: NO_WAY_OUT, trace: wayTo(seen, trapped) });
}

/** The nearest state that no end can be reached from. */
function firstTrapped<State>(
  seen: ReadonlyMap<string, Seen<State>>,
  before: ReadonlyMap<string, readonly string[]>,
  end: (state: State) => boolean,
): string | undefined {
  const free = new Set([...seen].filter(([, { state }]) => end(state)).map(([name]) => name));
  for (const name of free) for (const earlier of before.get(name) ?? []) free.add(earlier);
  return [...seen.keys()].find((name) => !free.has(name));
}

function wayTo<State>(seen: ReadonlyMap<string, Seen<State>>, name: string): string[] {
  const trace: string[] = [];
  for (let at = seen.get(name); at?.from !== undefined; at = seen.get(at.from)) trace.unshift(at.label);
  return trace;
}
