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
  /** Whether a move may be counted on for that. Default: every move. */
  readonly certain?: (move: Move<State>) => boolean;
  /** What a state is called in the table of ways out. */
  readonly kind?: (state: State) => string;
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

/** How a kind of state is left on a shortest way to an end: the next moves, and how many there are in all at most. */
export interface WayOut {
  readonly kind: string;
  readonly states: number;
  readonly moves: readonly string[];
  readonly furthest: number;
}

export interface Exploration {
  /** States that moves led to, with repetitions, and the first. */
  readonly generated: number;
  /** Different ones, up to symmetry. */
  readonly distinct: number;
  readonly violation: Violation | undefined;
  /** Of a machine that names kinds of state and an end, unless something is broken. */
  readonly ways?: readonly WayOut[];
}

/** Numbered in the order they were found. */
interface Seen<State> {
  readonly state: State;
  readonly label: string;
  readonly from: number;
}

/** Moves that may be counted on, by where they lead: origin and label. */
type Arrivals = (readonly [from: number, label: string])[][];

interface Search<State> {
  readonly seen: readonly Seen<State>[];
  readonly arrivals: Arrivals;
  readonly generated: number;
  readonly broken: { readonly at: number; readonly invariant: string } | undefined;
}

const NO_WAY_OUT = "some way leads to an end";
const START = -1;

/** Breadth first: the first state found to break an invariant is one of the nearest. */
export function explore<State>(machine: Machine<State>): Exploration {
  const { seen, arrivals, generated, broken } = search(machine);
  const report = (violation?: Violation): Exploration => ({ generated, distinct: seen.length, violation });
  if (broken !== undefined) return report({ invariant: broken.invariant, trace: wayTo(seen, broken.at) });
  if (machine.end === undefined) return report();
  const steps = stepsToEnd(machine, seen, arrivals);
  const trapped = steps.indexOf(undefined);
  if (trapped >= 0) return report({ invariant: NO_WAY_OUT, trace: wayTo(seen, trapped) });
  return machine.kind === undefined ? report() : { ...report(), ways: waysOut(machine.kind, seen, steps) };
}

/** For each kind of state the moves that end it soonest. */
function waysOut<State>(kind: (state: State) => string, seen: readonly Seen<State>[], steps: readonly (Way | undefined)[]): WayOut[] {
  const kinds = new Map<string, { states: number; moves: Set<string>; furthest: number }>();
  for (const [i, { state }] of seen.entries()) {
    const way = steps[i];
    if (way === undefined || way.left === 0) continue;
    const name = kind(state);
    const group = kinds.get(name) ?? { states: 0, moves: new Set<string>(), furthest: 0 };
    group.states += 1;
    group.moves.add(way.label);
    group.furthest = Math.max(group.furthest, way.left);
    kinds.set(name, group);
  }
  return [...kinds].map(([name, { states, moves, furthest }]) => ({ kind: name, states, moves: [...moves].sort(), furthest }));
}

function search<State>({ initial, moves, key, within = () => true, invariants, end, certain = () => true }: Machine<State>): Search<State> {
  const numbers = new Map([[key(initial), 0]]);
  const seen: Seen<State>[] = [{ state: initial, label: "", from: START }];
  const arrivals: Arrivals = [[]];
  let generated = 1;
  for (const [from, { state }] of seen.entries()) {
    const broken = invariants.find(({ holds }) => !holds(state));
    if (broken !== undefined) return { seen, arrivals, generated, broken: { at: from, invariant: broken.name } };
    for (const move of moves(state)) {
      generated += 1;
      if (!within(move.next)) continue;
      const reached = key(move.next);
      let number = numbers.get(reached);
      if (number === undefined) {
        number = seen.push({ state: move.next, label: move.label, from }) - 1;
        numbers.set(reached, number);
        arrivals.push([]);
      }
      if (end !== undefined && certain(move)) arrivals[number]?.push([from, move.label]);
    }
  }
  return { seen, arrivals, generated, broken: undefined };
}

/** The next move towards the nearest end, and how many are left. */
interface Way {
  readonly left: number;
  readonly label: string;
}

/** Undefined where no end can be reached. */
function stepsToEnd<State>({ end = () => true }: Machine<State>, seen: readonly Seen<State>[], arrivals: Arrivals): (Way | undefined)[] {
  const ways = seen.map(({ state }): Way | undefined => (end(state) ? { left: 0, label: "" } : undefined));
  const reached = [...ways.keys()].filter((i) => ways[i] !== undefined);
  for (const at of reached) {
    const left = (ways[at]?.left ?? 0) + 1;
    for (const [from, label] of arrivals[at] ?? []) {
      if (ways[from] !== undefined) continue;
      ways[from] = { left, label };
      reached.push(from);
    }
  }
  return ways;
}

function wayTo<State>(seen: readonly Seen<State>[], number: number): string[] {
  const trace: string[] = [];
  for (let at = seen[number]; at !== undefined && at.from !== START; at = seen[at.from]) trace.unshift(at.label);
  return trace;
}
