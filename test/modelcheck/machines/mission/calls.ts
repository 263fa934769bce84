/** Every call of a mission, who makes it, and what it does: the contract's guards in the contract's order. */
import { guard, isFinal, missionArc, need, nodeArc, type Rules } from "./guards.ts";
import {
  BOND,
  Clock,
  depositOf,
  type Feature,
  FRESH,
  isBound,
  isFaulted,
  type Law,
  NO_APPEALS,
  type Node,
  nodeOf,
  opened,
  PARTIES,
  type Party,
  type State,
  WHOLE,
  withNode,
} from "./state.ts";
import {
  approved,
  book,
  complete,
  fail,
  freeze,
  isFree,
  isRunning,
  lawOf,
  pay,
  record,
  redrawn,
  settleBonds,
  splitAt,
  start,
  toEligible,
  toItsPanel,
  toReview,
  toVerification,
  unheard,
} from "./steps.ts";

/** Who calls. Anybody's calls need nobody's will: together with time they must be enough to end everything. */
export type Actor = "legislature" | "anybody" | "executor" | "runner" | "panel" | "monitor" | "adjudicator" | "sponsor" | "time";

/** What is called, as the driver of a real mission knows it. */
export type CallName =
  | "activate"
  | "bid"
  | "award"
  | "route"
  | "mismatch"
  | "checkpoint"
  | "commit"
  | "reveal"
  | "clear PASS"
  | "clear FAIL"
  | "clear DISPUTED"
  | "clear UNVERIFIABLE"
  | "clear dissent"
  | "timeout"
  | "redraw"
  | "reopen"
  | "report"
  | "FREEZE"
  | "UNFREEZE"
  | "RESUME_WITH_AMENDMENT"
  | "APPROVE_POP"
  | "REJECT_POP"
  | "VETO_OUTPUT"
  | "RELEASE_OUTPUT"
  | "EMERGENCY_STOP"
  | "CLEAR_EMERGENCY_STOP"
  | "TERMINATE_MISSION"
  | "RESOLVE_APPEAL dismissed"
  | "RESOLVE_APPEAL upheld"
  | "degrade"
  | "expire"
  | "abort"
  | "claim"
  | "appeal"
  | "refund"
  | "close";

export interface Call {
  readonly who: Actor;
  readonly call: CallName;
  readonly node?: number;
  /** Of an appeal and its resolution. */
  readonly attempt?: number;
  readonly party?: Party;
  readonly feature?: Feature;
  /** Throws `Refused` where the contract reverts. */
  readonly apply: (rules: Rules, state: State) => State;
}

type NodeCall = (rules: Rules, state: State, index: number, node: Node) => State;

const running = (state: State): void => need(isRunning(state));
const set = (state: State, index: number, node: Node): State => ({ ...state, nodes: state.nodes.with(index, node) });

// --- Market ----------------------------------------------------------------------------------------------------------

const bid: NodeCall = (_rules, state, index, { market }) => {
  need(market.window !== "none" && market.window !== "awarded" && !market.over && !market.bids);
  need(state.at !== "PENDING" && !isFinal(state.at));
  return withNode(state, index, { market: { ...market, bids: true } });
};

/** First windows are awarded in order; a market without enough bids is extended once. */
const award: NodeCall = (rules, state, index, node) => {
  const { market } = node;
  const first = market.window === "first";
  need(market.window !== "none" && market.window !== "awarded" && market.over);
  // A node that is stopped waits, its market with it.
  need(node.at === "WAITING" || node.at === "ELIGIBLE");
  const counted = rules.without.has("a node with a market of its own is passed over");
  if (first && counted) need(state.cursor === index);
  else if (first) need(state.nodes.every((earlier, i) => i >= index || earlier.market.window !== "first"));
  const passed = first && counted ? { ...state, cursor: state.cursor + 1 } : state;
  if (!market.bids) {
    const window = market.window === "extended" ? "none" : "extended";
    return withNode(passed, index, { market: { window, bids: false, over: false } });
  }
  running(state);
  const { redundancy } = lawOf(rules, index);
  return withNode(passed, index, { market: { window: "awarded", bids: false, over: false }, clock: Clock.RUNS, staked: redundancy });
};

// --- Work ------------------------------------------------------------------------------------------------------------

const route: NodeCall = (rules, state, index, node) => {
  guard(rules, "a stopped mission routes nothing", !state.stopped);
  running(state);
  need(node.at === "ELIGIBLE" && isBound(node) && (node.commits > 0 || !state.ending));
  return start(rules, state, index);
};

/** A runner attests that other code is live than was registered. Where somebody had committed before a freeze, the others go on. */
const mismatch: NodeCall = (rules, state, index, node) => {
  need(!state.stopped);
  running(state);
  const { redundancy, threshold } = lawOf(rules, index);
  need(node.at === "ELIGIBLE" && isBound(node) && !node.closed && node.commits < redundancy);
  const dropped = node.dropped + 1;
  const left = redundancy - dropped;
  if (node.commits === 0 || left < threshold) return fail(rules, state, index, "CODE_HASH_MISMATCH");
  return withNode(state, index, { dropped, closed: left === node.commits, staked: node.staked - 1 });
};

const checkpoint: NodeCall = (rules, state, index, node) => {
  need(!state.stopped && !state.ending);
  running(state);
  need(node.at === "ELIGIBLE" && isBound(node) && node.commits === 0 && !node.interrupted && node.dropped === 0);
  need(node.clock === Clock.RUNS);
  const { redundancy } = lawOf(rules, index);
  const begun: Node = { ...node, at: nodeArc(rules, node.at, "EXECUTING"), commits: redundancy, reveals: redundancy };
  const at = state.at === "ACTIVE" ? missionArc(rules, "ACTIVE", "EXECUTING") : state.at;
  return { ...set(state, index, toVerification(rules, begun)), at };
};

const commit: NodeCall = (rules, state, index, node) => {
  running(state);
  const { tier } = lawOf(rules, index);
  const bound = lawOf(rules, index).redundancy - node.dropped;
  need(node.at === "EXECUTING" && !node.closed && node.clock === Clock.RUNS && node.commits < bound);
  const commits = node.commits + 1;
  if (tier !== 2) {
    const worked = { ...node, commits, reveals: commits };
    return set(state, index, commits === bound ? toVerification(rules, worked) : worked);
  }
  return withNode(state, index, { commits, closed: commits === bound });
};

/** The first reveal after time is up ends the committing, if enough have committed. */
const reveal: NodeCall = (rules, state, index, node) => {
  running(state);
  const { tier, threshold } = lawOf(rules, index);
  need(node.at === "EXECUTING" && tier === 2 && node.reveals < node.commits);
  if (node.closed) need(node.clock === Clock.RUNS);
  else need(node.clock !== Clock.RUNS && node.commits >= threshold);
  const worked: Node = { ...node, closed: true, clock: Clock.RUNS, reveals: node.reveals + 1, staked: node.commits };
  return set(state, index, worked.reveals === worked.commits ? toVerification(rules, worked) : worked);
};

// --- Decisions -------------------------------------------------------------------------------------------------------

function judged(state: State, node: Node): void {
  need(state.at === "EXECUTING" && node.at === "PENDING_VERIFICATION" && !node.stale);
}

/** All slots are found in agreement, or but one of several. */
const passing =
  (by: "all" | "one"): NodeCall =>
  (rules, state, index, node) => {
    judged(state, node);
    const { tier, threshold } = lawOf(rules, index);
    need(by === "all" || node.commits > 1);
    const agreeing = by === "all" ? node.commits : 1;
    const found: Node = { ...node, agreeing, share: WHOLE };
    if (agreeing < threshold) return set(state, index, toReview(rules, found));
    const asked: Node = { ...found, gated: !node.held, vetoed: node.held, proven: true };
    if (node.held || tier === 3) return set(state, index, toReview(rules, asked));
    return record(rules, complete(rules, set(state, index, asked), index), index);
  };
const clearFail: NodeCall = (rules, state, index, node) => {
  judged(state, node);
  const faults = node.faults.with(node.attempt, { stage: "waits", windowOver: false });
  return fail(rules, withNode(state, index, { faults }), index, "CLEARED_FAIL");
};

const clearDisputed: NodeCall = (rules, state, index, node) => {
  judged(state, node);
  return set(state, index, toReview(rules, node));
};

/** Another panel, once; then a human. */
const clearUnverifiable: NodeCall = (rules, state, index, node) => {
  judged(state, node);
  return set(state, index, node.redrawn ? unheard(rules, node) : redrawn(node));
};

// --- Clocks ----------------------------------------------------------------------------------------------------------

const timeout: NodeCall = (rules, state, index, node) => {
  running(state);
  if (node.at === "ELIGIBLE") {
    if (!isBound(node)) {
      need(node.market.window === "none");
      return fail(rules, state, index, "NO_BIDS");
    }
    need(!state.stopped && node.clock !== Clock.RUNS);
    const { redundancy, threshold } = lawOf(rules, index);
    // Who has committed goes on without those who cannot begin again.
    if (!node.closed && node.commits >= threshold && node.commits < redundancy - node.dropped) {
      return withNode(state, index, { closed: true, staked: node.commits, clock: Clock.RUNS });
    }
    return fail(rules, state, index, "NOT_ROUTED");
  }
  need(node.at !== "WAITING" && node.at !== "COMPLETED" && node.at !== "FAILED");
  need(node.clock !== Clock.RUNS);
  if (node.at === "EXECUTING") return endWork(rules, state, index, node);
  if (node.at === "FROZEN" && node.paused === "now") return set(state, index, toItsPanel(rules, node));
  if (node.at === "FROZEN") return endFreeze(rules, state, index, node);
  if (node.at === "PENDING_REVIEW") return endReview(rules, state, index, node);
  return set(state, index, node.redrawn ? unheard(rules, node) : redrawn(node));
};

/**
 * Nobody confirmed what it was frozen for: who has committed goes on to open its work, if they are enough. Where an executor stopped it, it is
 * dropped, and the others have their time back.
 */
function endFreeze(rules: Rules, state: State, index: number, node: Node): State {
  const { redundancy, threshold } = lawOf(rules, index);
  const dropped = node.dropped + 1;
  if (node.halted && !node.closed && node.commits < redundancy - dropped && redundancy - dropped >= threshold) {
    return set(state, index, toEligible(rules, { ...node, dropped, halted: false, staked: node.staked - 1 }));
  }
  if (node.commits < lawOf(rules, index).threshold) return fail(rules, state, index, "FREEZE_EXPIRED");
  return set(state, index, toEligible(rules, { ...node, closed: true, staked: node.commits }));
}

/** Who had its turn did not rule: every seat is asked, once. */
function endReview(rules: Rules, state: State, index: number, node: Node): State {
  const asked = node.escalated && !rules.without.has("the backup pool is asked once");
  if (asked) return fail(rules, state, index, "REVIEW_EXPIRED");
  return set(state, index, { ...node, escalated: true, clock: Clock.RUNS });
}

/** The absent are dropped. The others go on if they are enough. */
function endWork(rules: Rules, state: State, index: number, node: Node): State {
  const { tier, threshold } = lawOf(rules, index);
  const present = node.closed ? node.reveals : node.commits;
  const there: Node = { ...node, closed: true, commits: present, staked: present, clock: Clock.RUNS };
  if (there.commits < threshold && !rules.without.has("too few commitments end the attempt")) {
    return fail(rules, state, index, "TIMED_OUT");
  }
  return set(state, index, node.closed || tier !== 2 ? toVerification(rules, there) : there);
}

const redraw: NodeCall = (_rules, state, index, node) => {
  running(state);
  need(node.at === "PENDING_VERIFICATION");
  need((node.stale || node.clock !== Clock.RUNS) && !node.redrawn);
  return set(state, index, redrawn(node));
};

const reopen: NodeCall = (rules, state, index, node) => {
  running(state);
  const failed = node.at === "FAILED";
  if (!failed) need((node.at === "WAITING" || node.at === "ELIGIBLE") && isFree(node));
  need(node.attempt < rules.law.refinements && ((state.exhausted >> index) & 1) === 0);
  const { clock, ...fresh } = FRESH;
  const again: Node = {
    ...node,
    ...fresh,
    attempt: node.attempt + 1,
    clock: failed ? clock : node.clock,
    market: { window: "reopened", bids: false, over: false },
  };
  const eligible = failed || (node.at === "WAITING" && rules.without.has("a waiting node that is reopened goes on waiting"));
  return set(state, index, eligible ? toEligible(rules, again) : again);
};

// --- Freezes and humans ----------------------------------------------------------------------------------------------

/** With a threshold of one, every freeze that counts against an executor stops the mission. */
const report =
  (by: "monitor" | "executor"): NodeCall =>
  (rules, state, index, node) => {
    running(state);
    if (by === "executor") {
      need(isBound(node) && node.clock === Clock.RUNS);
      // Nobody stops a verdict on itself: somebody who has not committed, and still can.
      need(!node.closed && node.commits < lawOf(rules, index).redundancy && node.dropped === 0);
    }
    const found = by === "executor" ? withNode(state, index, { halted: true }) : state;
    const frozen = freeze(rules, found, index);
    return isBound(node) && !state.stopped ? { ...frozen, stopped: true, waited: false } : frozen;
  };

const freezing: NodeCall = (rules, state, index) => {
  running(state);
  return freeze(rules, state, index);
};

const unfreeze: NodeCall = (rules, state, index, node) => {
  running(state);
  need(node.at === "FROZEN");
  const cleared: Node = { ...node, halted: false };
  return set(state, index, node.paused === "now" ? toItsPanel(rules, cleared) : toEligible(rules, cleared));
};

/** Done anew by the same executors, on the stakes of the attempt they won. */
const amend: NodeCall = (rules, state, index, node) => {
  running(state);
  need(node.at === "FROZEN" && isBound(node));
  guard(
    rules,
    "who was dropped is not brought back",
    (!node.closed || node.commits === lawOf(rules, index).redundancy) && node.dropped === 0,
  );
  guard(rules, "an amendment is an attempt", node.attempt < rules.law.refinements);
  return set(state, index, toEligible(rules, { ...node, ...FRESH, staked: node.staked, attempt: node.attempt + 1 }));
};

const approve: NodeCall = (rules, state, index, node) => {
  running(state);
  need(node.at === "PENDING_REVIEW");
  const ruled: Node = { ...node, share: WHOLE, agreeing: 1, proven: true };
  if (!node.gated && !node.vetoed && node.held) return set(state, index, { ...ruled, vetoed: true });
  return approved(rules, set(state, index, { ...ruled, gated: true }), index);
};

const reject: NodeCall = (rules, state, index, node) => {
  running(state);
  need(node.at === "PENDING_REVIEW" || node.at === "FROZEN");
  const judged = node.redrawn ? "UNVERIFIABLE" : "REJECTED";
  return fail(rules, state, index, node.at === "FROZEN" ? "FREEZE_CONFIRMED" : judged);
};

const veto: NodeCall = (_rules, state, index, node) => {
  running(state);
  need(node.at !== "COMPLETED" && node.at !== "FAILED");
  return withNode(state, index, node.at === "PENDING_REVIEW" ? { held: true, gated: false, vetoed: true } : { held: true });
};

/** What passed on evidence and was vetoed. */
const release: NodeCall = (rules, state, index, node) => {
  running(state);
  need(node.at === "PENDING_REVIEW" && node.vetoed && node.agreeing >= lawOf(rules, index).threshold);
  return approved(rules, withNode(state, index, { vetoed: false, held: false, gated: true }), index);
};

function clearStop(rules: Rules, state: State): State {
  const degraded = state.at === "DEGRADED";
  need(isRunning(state) || degraded);
  need(state.stopped || degraded);
  return {
    ...state,
    at: degraded ? missionArc(rules, "DEGRADED", "EXECUTING") : state.at,
    stopped: false,
    waited: false,
  };
}

// --- Ends ------------------------------------------------------------------------------------------------------------

const isUndecided = ({ at, commits }: Node): boolean => commits > 0 && at !== "COMPLETED" && at !== "FAILED";

/** What was committed is decided before: the first call says that the mission is to end. */
function abort(rules: Rules, state: State): State {
  running(state);
  need(state.exhausted !== 0 || state.expired);
  const waits = !(state.stopped && state.waited) && state.nodes.some(isUndecided);
  if (waits && !rules.without.has("what was committed is decided before the end")) {
    need(!state.ending);
    return { ...state, ending: true };
  }
  const failed = state.exhausted !== 0 && state.at === "EXECUTING";
  return { ...state, at: missionArc(rules, state.at, failed ? "FAILED" : "ABORTED"), cutShort: waits };
}

function expire(rules: Rules, state: State): State {
  need(state.at === "DEGRADED" && state.waited);
  return { ...state, at: missionArc(rules, state.at, "ABORTED"), waited: false };
}

// --- Money -----------------------------------------------------------------------------------------------------------

/** A recorded node pays once its window is over; slashes that are due are taken. */
const claim: NodeCall = (rules, state, index, node) => {
  const faulted = isFaulted(node);
  need(node.recorded || faulted);
  let next = state;
  let due = 0;
  for (const [attempt, { stage, windowOver }] of node.faults.entries()) {
    const { open, late } = node.appeals[attempt] ?? NO_APPEALS;
    if (stage !== "waits" || !windowOver || (open > 0 && !late)) continue;
    due++;
    const faults = nodeOf(next, index).faults.with(attempt, { stage: "settled", windowOver });
    next = settleBonds(withNode(next, index, { faults }), index, attempt);
  }
  if (!node.recorded) {
    need(due > 0);
    return next;
  }
  const paid = pay(rules, next, index);
  return rules.without.has("bonds go back with the claim") ? paid : settleBonds(paid, index, node.attempt);
};

/** The recorded attempt, and each whose slashes wait: whatever came after it. */
export function isAppealable(rules: Rules, node: Node, attempt: number): boolean {
  if (rules.without.has("a successor ends no appeal")) {
    const judged = node.recorded || node.at === "FAILED" || node.attempt === 0 ? node.attempt : node.attempt - 1;
    if (attempt !== judged) return false;
  }
  if (node.recorded && attempt === node.attempt) return !node.windowOver;
  const { stage, windowOver } = node.faults[attempt] ?? NO_FAULT;
  return (stage === "waits" || (stage === "settled" && rules.without.has("a settled slash is not appealed"))) && !windowOver;
}
const NO_FAULT = { stage: "none", windowOver: true } as const;

const appeal =
  (party: Party, attempt: number): NodeCall =>
  (rules, state, index, node) => {
    const appeals = node.appeals[attempt] ?? NO_APPEALS;
    need(isAppealable(rules, node, attempt) && !appeals.filed.includes(party));
    const filed = PARTIES.filter((one) => one === party || appeals.filed.includes(one));
    const filing = withNode(state, index, { appeals: node.appeals.with(attempt, { filed, open: appeals.open + 1, late: false }) });
    return book(filing, { bonds: BOND, balance: BOND });
  };

/** One ruling on all open appeals of an attempt; what is upheld takes the share away, or spares whom a verdict condemned. */
const resolve =
  (attempt: number, upheld: boolean): NodeCall =>
  (_rules, state, index, node) => {
    const { open, late } = node.appeals[attempt] ?? NO_APPEALS;
    need(open > 0 && !late);
    if (!upheld) return settleBonds(state, index, attempt);
    if (node.recorded && attempt === node.attempt) {
      const due = node.agreeing * splitAt(node.share).paid;
      const ruled = book(withNode(state, index, { share: 0 }), { entitled: -due, accrued: due });
      return settleBonds(ruled, index, attempt);
    }
    const fault = node.faults[attempt];
    // The lock of a slash that was settled is gone: it cannot be settled twice.
    need(fault?.stage === "waits");
    const faults = node.faults.with(attempt, { stage: "settled", windowOver: fault?.windowOver ?? false });
    return settleBonds(withNode(state, index, { faults }), index, attempt);
  };

/** Owed to nobody: the rest of recorded nodes; once the mission ended, all that nobody is owed. */
export function refundable(law: Law, state: State): number {
  const { refundable: rest, refunded, paid, fees, insurance, entitled, accrued } = state.books;
  if (!isFinal(state.at)) return rest;
  return depositOf(law) - refunded - paid - fees - insurance - entitled - accrued;
}

function refund({ law }: Rules, state: State): State {
  const amount = refundable(law, state);
  need(amount !== 0);
  return book(state, { refundable: -state.books.refundable, refunded: amount, balance: -amount });
}

function close(rules: Rules, state: State): State {
  const { books } = state;
  guard(rules, "what is owed keeps the books open", books.entitled === 0 && books.accrued === 0);
  need(books.bonds === 0);
  guard(rules, "waiting slashes keep the books open", !state.nodes.some(isFaulted));
  need(isFinal(state.at) && !state.closed);
  const amount = refundable(rules.law, state);
  return { ...book(state, { refundable: -books.refundable, refunded: amount, balance: -books.balance }), closed: true };
}

// --- All of them -----------------------------------------------------------------------------------------------------

const activate = (rules: Rules, state: State): State => ({
  ...state,
  at: missionArc(rules, state.at, "ACTIVE"),
  nodes: state.nodes.map((node, i) => (lawOf(rules, i).predecessors === 0 ? toEligible(rules, opened(node)) : opened(node))),
});

const onNode =
  (act: NodeCall, index: number): Call["apply"] =>
  (rules, state) =>
    act(rules, state, index, nodeOf(state, index));

function callsOf(law: Law, node: number): Call[] {
  const a = (who: Actor, call: CallName, act: NodeCall, feature?: Feature, more: Partial<Call> = {}): Call => ({
    who,
    call,
    node,
    apply: onNode(act, node),
    ...(feature === undefined ? {} : { feature }),
    ...more,
  });
  const attempts = Array.from({ length: law.refinements + 1 }, (_, attempt) => attempt);
  return [
    a("executor", "bid", bid),
    a("anybody", "award", award),
    a("runner", "route", route),
    a("runner", "mismatch", mismatch, "mismatch"),
    a("runner", "checkpoint", checkpoint, "checkpoint"),
    a("executor", "commit", commit),
    a("executor", "reveal", reveal),
    a("panel", "clear PASS", passing("all")),
    ...(law.nodes[node]?.tier === 2 ? [a("panel", "clear dissent", passing("one"))] : []),
    a("panel", "clear FAIL", clearFail),
    a("panel", "clear DISPUTED", clearDisputed),
    a("panel", "clear UNVERIFIABLE", clearUnverifiable, "doubt"),
    a("anybody", "timeout", timeout),
    a("anybody", "redraw", redraw, "doubt"),
    a("anybody", "reopen", reopen),
    a("monitor", "report", report("monitor"), "reports"),
    a("executor", "report", report("executor"), "reports"),
    a("adjudicator", "FREEZE", freezing, "reports"),
    a("adjudicator", "UNFREEZE", unfreeze, "reports"),
    a("adjudicator", "RESUME_WITH_AMENDMENT", amend, "amendment"),
    a("adjudicator", "APPROVE_POP", approve),
    a("adjudicator", "REJECT_POP", reject),
    a("adjudicator", "VETO_OUTPUT", veto, "veto"),
    a("adjudicator", "RELEASE_OUTPUT", release, "veto"),
    a("anybody", "claim", claim),
    ...PARTIES.flatMap((party) => attempts.map((attempt) => a(party, "appeal", appeal(party, attempt), "appeals", { party, attempt }))),
    ...attempts.flatMap((attempt) => [
      a("adjudicator", "RESOLVE_APPEAL dismissed", resolve(attempt, false), "appeals", { attempt }),
      a("adjudicator", "RESOLVE_APPEAL upheld", resolve(attempt, true), "appeals", { attempt }),
    ]),
  ];
}

const MISSION_CALLS: readonly Call[] = [
  { who: "legislature", call: "activate", apply: activate },
  {
    who: "adjudicator",
    call: "EMERGENCY_STOP",
    feature: "stop",
    apply: (_rules, state) => {
      running(state);
      need(!state.stopped);
      return { ...state, stopped: true, waited: false };
    },
  },
  { who: "adjudicator", call: "CLEAR_EMERGENCY_STOP", apply: clearStop },
  {
    who: "adjudicator",
    call: "TERMINATE_MISSION",
    feature: "terminate",
    apply: (rules, state) => ({ ...state, at: missionArc(rules, state.at, "ABORTED"), waited: false }),
  },
  {
    who: "monitor",
    call: "degrade",
    feature: "silence",
    apply: (rules, state) => ({ ...state, at: missionArc(rules, state.at, "DEGRADED"), waited: false }),
  },
  { who: "anybody", call: "expire", apply: expire },
  { who: "anybody", call: "abort", apply: abort },
  { who: "anybody", call: "refund", apply: refund },
  { who: "anybody", call: "close", apply: close },
];

/** What can be tried in a mission under this law. */
export const callsUnder = (law: Law): readonly Call[] =>
  [...MISSION_CALLS, ...law.nodes.flatMap((_, node) => callsOf(law, node))].filter(
    ({ feature }) => feature === undefined || law.features.has(feature),
  );
