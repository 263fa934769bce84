/** Clocks run out in any order: everything that may be over, and what it is then. */
import { isFinal } from "./guards.ts";
import { Clock, isBound, type Law, type Node, nodeOf, type State, withNode } from "./state.ts";

/** Whose clock it is: the mission's, the humans', a node's, its panel's block's, its bidding's, its appeal window's, a fault's, its appeals'. */
export interface Timer {
  readonly of: "mission" | "humans" | "node" | "block" | "bidding" | "window" | "fault" | "appeals";
  readonly node: number;
  readonly attempt: number;
}

/** A clock that runs out. */
export interface Tick {
  readonly timer: Timer;
  readonly label: string;
  readonly next: State;
}

const LABELS: Readonly<Record<Timer["of"], (node: number, attempt: number) => string>> = {
  mission: () => "the mission's time is over",
  humans: () => "humans were waited for",
  node: (node) => `time of node ${node} is up`,
  block: (node) => `the panel's block of node ${node} is forgotten`,
  bidding: (node) => `the bidding for node ${node} is over`,
  window: (node) => `the appeal window of node ${node} is over`,
  fault: (node, attempt) => `the appeal window of node ${node}, attempt ${attempt}, is over`,
  appeals: (node, attempt) => `nobody resolved the appeals of node ${node}, attempt ${attempt}`,
};

/** An eligible node's clock begins with its executors. */
function hasClock(node: Node): boolean {
  if (node.at === "ELIGIBLE") return isBound(node);
  return node.at !== "WAITING" && node.at !== "COMPLETED" && node.at !== "FAILED";
}

/** While a stop or a degraded time lasts, the mission's time stands still, and with it the clocks of its nodes. */
const standsStill = (state: State): boolean => state.at === "DEGRADED" || state.stopped;

export function* ticks(law: Law, state: State): Iterable<Tick> {
  if (state.at === "PENDING") return;
  const running = !isFinal(state.at);
  if (running && !state.expired && law.features.has("expiry")) yield tick("mission", { ...state, expired: true });
  if (running && standsStill(state) && !state.waited) yield tick("humans", { ...state, waited: true });
  for (const [i, node] of state.nodes.entries()) {
    if (running) yield* working(law, state, i);
    const { window, over } = node.market;
    if (window !== "none" && window !== "awarded" && !over) yield tick("bidding", biddingOver(state, i), i);
    if (node.recorded && !node.windowOver) yield tick("window", withNode(state, i, { windowOver: true }), i);
    for (const [attempt, fault] of node.faults.entries()) {
      if (fault.stage === "none" || fault.windowOver) continue;
      yield tick("fault", withNode(state, i, { faults: node.faults.with(attempt, { ...fault, windowOver: true }) }), i, attempt);
    }
    for (const [attempt, appeals] of node.appeals.entries()) {
      if (appeals.open === 0 || appeals.late) continue;
      yield tick("appeals", withNode(state, i, { appeals: node.appeals.with(attempt, { ...appeals, late: true }) }), i, attempt);
    }
  }
}

function* working(law: Law, state: State, i: number): Iterable<Tick> {
  const node = nodeOf(state, i);
  if (hasClock(node) && node.clock === Clock.RUNS && !standsStill(state)) yield tick("node", withNode(state, i, { clock: Clock.OVER }), i);
  if (law.features.has("doubt") && node.at === "PENDING_VERIFICATION" && !node.stale && node.paused === "never") {
    yield tick("block", withNode(state, i, { stale: true }), i);
  }
}

const tick = (of: Timer["of"], next: State, node = 0, attempt = 0): Tick => ({
  timer: { of, node, attempt },
  label: `time: ${LABELS[of](node, attempt)}`,
  next,
});

/** The first window is one for all nodes. */
function biddingOver(state: State, index: number): State {
  const { window } = nodeOf(state, index).market;
  const ends = (node: Node, i: number) => i === index || (window === "first" && node.market.window === "first");
  return { ...state, nodes: state.nodes.map((node, i) => (ends(node, i) ? { ...node, market: { ...node.market, over: true } } : node)) };
}
