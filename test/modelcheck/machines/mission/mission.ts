import type { Invariant, Machine, Move } from "../../explore.ts";
import { type Actor, type Call, callsUnder, isAppealable } from "./calls.ts";
import { type GuardName, isFinal, Refused, type Rules, TABLES } from "./guards.ts";
import { deployed, depositOf, isBound, isFaulted, keyOf, type Law, type Node, type State } from "./state.ts";
import { ticks } from "./time.ts";

export interface MissionMove extends Move<State> {
  readonly who: Actor;
}

/** What a mission may do next: calls that are not refused, and clocks that run out. */
export function* movesIn(rules: Rules, calls: readonly Call[], state: State): Iterable<MissionMove> {
  for (const call of calls) {
    const next = attempted(rules, call, state);
    if (next !== undefined) yield { who: call.who, label: labelOf(call), next };
  }
  for (const { label, next } of ticks(rules.law, state)) yield { who: "time", label, next };
}

/** Undefined where the call is refused. */
export function attempted(rules: Rules, call: Call, state: State): State | undefined {
  try {
    return call.apply(rules, state);
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

export function labelOf({ who, call, node, attempt }: Call): string {
  const where = node === undefined ? "" : ` ${node}`;
  return `${who}: ${call}${where}${attempt === undefined ? "" : `/${attempt}`}`;
}

// --- Invariants ------------------------------------------------------------------------------------------------------

const everyNode = (holds: (node: Node, index: number, state: State) => boolean) => (state: State) =>
  state.nodes.every((node, index) => holds(node, index, state));

/** Numbered as in docs/invariants.md. */
const invariantsOf = (rules: Rules, law = rules.law): readonly Invariant<State>[] => [
  {
    name: "1 output released ⇒ gate released ∧ all nodes completed",
    holds: (state) => state.at !== "COMPLETED" || state.nodes.every(({ at, gated }) => at === "COMPLETED" && gated),
  },
  {
    name: "2 past WAITING ⇒ predecessors completed",
    holds: everyNode(({ at }, index, state) => at === "WAITING" || isNext(law, state, index)),
  },
  { name: "4 completed ⇒ decided on evidence", holds: everyNode(({ at, proven }) => at !== "COMPLETED" || proven) },
  {
    name: "5 verification begun ⇒ work revealed",
    holds: everyNode(({ at, commits, reveals }) => at !== "PENDING_VERIFICATION" || (commits > 0 && reveals === commits)),
  },
  { name: "no more attempts than the law has", holds: everyNode(({ attempt }) => attempt <= law.refinements) },
  {
    name: "who may still work has its stake behind it",
    holds: everyNode((node, index) => !mayWork(node) || node.staked + node.dropped === law.nodes[index]?.redundancy),
  },
  {
    name: "who was condemned can appeal for its whole window",
    holds: everyNode((node) =>
      node.faults.every(({ stage, windowOver }, attempt) => stage !== "waits" || windowOver || isAppealable(rules, node, attempt)),
    ),
  },
  { name: "7 payout ⇒ appeal window over ∧ no open appeal", holds: ({ paidEarly }) => !paidEarly },
  {
    name: "8 deposit = paid + fees + insurance + refunded + held, which covers what is owed",
    holds: ({ books: b }) => {
      const held = b.balance - b.bonds;
      return depositOf(law) === b.paid + b.fees + b.insurance + b.refunded + held && held >= b.entitled + b.accrued + b.refundable;
    },
  },
  { name: "ended ⇒ what was committed is decided", holds: ({ cutShort }) => !cutShort },
  { name: "27 stopped ⇒ nothing is routed", holds: ({ routedStopped }) => !routedStopped },
  {
    name: "completed ⇒ recorded",
    holds: everyNode(({ at, recorded }) => at !== "COMPLETED" || recorded),
  },
  {
    name: "closed ⇒ ended, nothing waits",
    holds: (state) => !state.closed || (isFinal(state.at) && !state.nodes.some(isFaulted)),
  },
];

const mayWork = (node: Node): boolean => isBound(node) && !node.closed && node.at !== "COMPLETED" && node.at !== "FAILED";

const isNext = (law: Law, { nodes }: State, index: number): boolean =>
  nodes.every(({ at }, i) => at === "COMPLETED" || (((law.nodes[index]?.predecessors ?? 0) >> i) & 1) === 0);

// --- Ways out --------------------------------------------------------------------------------------------------------

/** Kinds of state for the table of who ends what. */
function kindOf(state: State): string {
  if (state.at === "PENDING") return "PENDING";
  if (!isFinal(state.at)) {
    if (state.at === "DEGRADED") return "DEGRADED";
    const why = state.exhausted !== 0 ? ", a node out of attempts" : state.expired ? ", its time over" : "";
    return `${state.at}${state.stopped ? ", stopped" : ""}${state.ending ? ", to end" : ""}${why}`;
  }
  if (state.books.bonds !== 0) return "ended, appeals open";
  if (state.nodes.some(isFaulted)) return "ended, a slash waits";
  return state.books.entitled + state.books.accrued !== 0 ? "ended, executors not paid" : "ended, nothing owed";
}

/**
 * That those who work can finish: nothing but their will, and no human, is needed, unless an attempt too many failed or something
 * waits for a human.
 */
export function workedOn(name: string, law: Law, options: MissionOptions = {}): Machine<State> {
  const { kind: _, ...machine } = mission(name, law, options);
  const waits = ({ at }: Node) => at === "FROZEN" || at === "PENDING_REVIEW";
  return {
    ...machine,
    end: (state) => isFinal(state.at) || state.exhausted !== 0 || state.stopped || state.nodes.some(waits),
    certain: ({ label }) => !/^(adjudicator|monitor): /.test(label),
  };
}

/** The same where the mission has no time of its own: not as missions are, so not in the table of who ends what. */
export function unhurried(name: string, law: Law, options: MissionOptions = {}): Machine<State> {
  const { kind: _, ...machine } = mission(name, law, options);
  return machine;
}

export interface MissionOptions {
  readonly without?: readonly GuardName[];
  /** Calls that nobody makes. */
  readonly unmade?: readonly Call["call"][];
  readonly tables?: Partial<Rules["tables"]>;
}

/** The mission's end is nobody's favour: only what anybody may call, and time, are counted on. */
export function mission(name: string, law: Law, options: MissionOptions = {}): Machine<State> {
  const { without = [], unmade = [], tables = {} } = options;
  const rules: Rules = { law, without: new Set(without), tables: { ...TABLES, ...tables } };
  const calls = callsUnder(law).filter(({ call }) => !unmade.includes(call));
  return {
    name: `mission: ${name}`,
    about: `${law.nodes.length} node(s), ${law.refinements + 1} attempts; ${[...law.features].join(", ")}`,
    initial: deployed(law),
    moves: (state) => movesIn(rules, calls, state),
    key: (state) => keyOf(state, isFinal(state.at)),
    invariants: invariantsOf(rules),
    end: (state) => isFinal(state.at) && state.closed && state.books.balance === 0,
    certain: ({ label }) => /^(legislature|anybody|time): /.test(label),
    kind: kindOf,
  };
}
