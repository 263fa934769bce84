/** A mission small enough to be looked at whole: what a clone stores, with clocks as "not yet" and "over". */
import type { missionTransitions } from "../../../../orchestrator/rules/transitions/mission.ts";
import type { NodeStateName } from "../../../../orchestrator/rules/transitions/node.ts";

export type MissionStateName = (typeof missionTransitions)["states"][number];

/** A node's clock: it runs, or stands still with the mission's time; or it is over. */
export const Clock = { RUNS: 0, OVER: 1 } as const;
export type ClockState = (typeof Clock)[keyof typeof Clock];

/**
 * A node's market. The mission's first window is awarded in order of the nodes; one of its own is `reopened` after an attempt failed
 * and `extended` once when bids were missing.
 */
export interface Market {
  readonly window: "none" | "first" | "reopened" | "extended" | "awarded";
  /** As many eligible bids as the node has slots. */
  readonly bids: boolean;
  readonly over: boolean;
}

/** A FAIL verdict of an attempt, whose slash waits out a window. */
export interface Fault {
  readonly stage: "none" | "waits" | "settled";
  readonly windowOver: boolean;
}

export const PARTIES = ["sponsor", "executor"] as const;
export type Party = (typeof PARTIES)[number];

/** Appeals of an attempt; those that are open hold a bond each. `late`: the time to resolve the open ones is over. */
export interface Appeals {
  readonly filed: readonly Party[];
  readonly open: number;
  readonly late: boolean;
}

export interface Node {
  readonly at: NodeStateName;
  readonly attempt: number;
  readonly clock: ClockState;
  readonly market: Market;
  readonly commits: number;
  readonly reveals: number;
  /** Nobody commits any more. */
  readonly closed: boolean;
  readonly redrawn: boolean;
  /** Nobody ruled in the review window: every seat is asked. */
  readonly escalated: boolean;
  /** The block that drew the panel is forgotten. */
  readonly stale: boolean;
  /** It was frozen at work, and goes on with what time was left. */
  readonly interrupted: boolean;
  /** It was frozen before its panel had decided: then its panel waits for it. That happens once an attempt. */
  readonly paused: "never" | "now" | "once";
  /** An executor stopped it, and no human let it go on; and how many were dropped for that. */
  readonly halted: boolean;
  readonly dropped: number;
  /** A human vetoed the output before the gate was asked. */
  readonly held: boolean;
  readonly vetoed: boolean;
  readonly gated: boolean;
  readonly agreeing: number;
  /** Of the price, basis points. */
  readonly share: number;
  readonly recorded: boolean;
  /** Of a recorded node: its appeal window is over. */
  readonly windowOver: boolean;
  readonly claimed: boolean;
  readonly faults: readonly Fault[];
  readonly appeals: readonly Appeals[];
  /** Ghost: slots whose executors may still be slashed for this attempt. */
  readonly staked: number;
  /** Ghost: panel or human decided this attempt on evidence at the floor. */
  readonly proven: boolean;
}

/** Smallest units. `balance` follows transfers alone, the rest bookings alone: that they agree is an invariant. */
export interface Books {
  readonly entitled: number;
  readonly accrued: number;
  readonly refundable: number;
  readonly refunded: number;
  readonly paid: number;
  readonly fees: number;
  readonly insurance: number;
  readonly bonds: number;
  readonly balance: number;
}

export interface State {
  readonly at: MissionStateName;
  readonly stopped: boolean;
  /** The mission's own time is over. */
  readonly expired: boolean;
  /** It is to end, and waits for what was committed. */
  readonly ending: boolean;
  /** Of a stop or a degraded time: humans need not be waited for any longer. */
  readonly waited: boolean;
  readonly closed: boolean;
  /** The node whose first market is awarded next, where that is counted. */
  readonly cursor: number;
  /** Bitmap: failed with no attempt left, or by its law's fault. */
  readonly exhausted: number;
  readonly nodes: readonly Node[];
  readonly books: Books;
  /** Ghost: something was routed while the mission was stopped. */
  readonly routedStopped: boolean;
  /** Ghost: something was paid in its appeal window, or over an open appeal. */
  readonly paidEarly: boolean;
  /** Ghost: what somebody had committed was never decided, though no stop that humans had their time to lift held it up. */
  readonly cutShort: boolean;
}

export interface NodeLaw {
  readonly tier: 1 | 2 | 3;
  readonly redundancy: number;
  readonly threshold: number;
  /** Bitmap of the nodes before it. */
  readonly predecessors: number;
}

/** What of the city takes part: leaving out what a part does not need keeps each state space small. */
export type Feature =
  | "stop"
  | "silence"
  | "veto"
  | "appeals"
  | "checkpoint"
  | "mismatch"
  | "doubt"
  | "reports"
  | "amendment"
  | "expiry"
  | "terminate";

export interface Law {
  readonly nodes: readonly NodeLaw[];
  /** What the mission's output predicate says. */
  readonly releases: boolean;
  /** Further attempts of a node. */
  readonly refinements: number;
  readonly features: ReadonlySet<Feature>;
}

export const TOKEN = 1_000_000;
/** What a slot may cost, and what is bid for it: the rest is the sponsor's. */
export const SLOT_BUDGET = 100 * TOKEN;
export const PRICE = 90 * TOKEN;
export const BOND = 10 * TOKEN;
export const WHOLE = 10_000;

export const budgetOf = (node: NodeLaw): number => SLOT_BUDGET * node.redundancy;
export const depositOf = (law: Law): number => law.nodes.reduce((sum, node) => sum + budgetOf(node), 0);

export const NO_MARKET: Market = { window: "none", bids: false, over: false };
const FIRST: Market = { window: "first", bids: false, over: false };
const NO_FAULT: Fault = { stage: "none", windowOver: false };
export const NO_APPEALS: Appeals = { filed: [], open: 0, late: false };

/** What an attempt begins with. */
export const FRESH = {
  clock: Clock.RUNS,
  commits: 0,
  reveals: 0,
  closed: false,
  redrawn: false,
  escalated: false,
  stale: false,
  interrupted: false,
  paused: "never",
  halted: false,
  dropped: 0,
  held: false,
  vetoed: false,
  gated: false,
  agreeing: 0,
  share: 0,
  recorded: false,
  windowOver: false,
  claimed: false,
  staked: 0,
  proven: false,
} as const satisfies Partial<Node>;

/** Deployed, and its money there. */
export function deployed(law: Law): State {
  const attempts = Array.from({ length: law.refinements + 1 });
  const node: Node = {
    at: "WAITING",
    attempt: 0,
    market: NO_MARKET,
    faults: attempts.map(() => NO_FAULT),
    appeals: attempts.map(() => NO_APPEALS),
    ...FRESH,
  };
  return {
    at: "PENDING",
    stopped: false,
    expired: false,
    ending: false,
    waited: false,
    closed: false,
    cursor: 0,
    exhausted: 0,
    nodes: law.nodes.map(() => node),
    books: {
      entitled: 0,
      accrued: 0,
      refundable: 0,
      refunded: 0,
      paid: 0,
      fees: 0,
      insurance: 0,
      bonds: 0,
      balance: depositOf(law),
    },
    routedStopped: false,
    paidEarly: false,
    cutShort: false,
  };
}

export const opened = (node: Node): Node => ({ ...node, market: FIRST });

export const nodeOf = (state: State, index: number): Node => {
  const node = state.nodes[index];
  if (node === undefined) throw new Error(`no node ${index}`);
  return node;
};
export const withNode = (state: State, index: number, change: Partial<Node>): State => ({
  ...state,
  nodes: state.nodes.with(index, { ...nodeOf(state, index), ...change }),
});

export const isBound = ({ market }: Node): boolean => market.window === "awarded";
/** A slash of some attempt waits. */
export const isFaulted = ({ faults }: Node): boolean => faults.some(({ stage }) => stage === "waits");

const bits = (...flags: readonly boolean[]): number => flags.reduce((word, flag) => 2 * word + (flag ? 1 : 0), 0);
const marketKey = ({ window, bids, over }: Market): string => `${window.slice(0, 3)}${bits(bids, over)}`;

const historyKey = ({ faults, appeals }: Node): string =>
  faults.map(({ stage, windowOver }) => `${stage.charAt(0)}${bits(windowOver)}`).join("") +
  appeals.map(({ filed, open, late }) => `${filed.length}${filed[0]?.charAt(0) ?? ""}${open}${bits(late)}`).join();

function nodeKey(n: Node): string {
  const flags = bits(
    n.closed,
    n.redrawn,
    n.escalated,
    n.stale,
    n.interrupted,
    n.halted,
    n.held,
    n.vetoed,
    n.gated,
    n.recorded,
    n.windowOver,
    n.claimed,
    n.proven,
  );
  const counts = [n.at, n.attempt, n.clock, n.paused, n.dropped, n.commits, n.reveals, n.staked, n.agreeing, n.share, flags].join();
  return `${counts}|${marketKey(n.market)}|${historyKey(n)}`;
}

/** Of an ended mission: only what money waits for tells states apart. */
function endedKey(n: Node): string {
  const flags = bits(n.gated, n.recorded, n.windowOver, n.claimed, n.proven);
  const decided = n.at === "COMPLETED" ? `${n.agreeing},${n.share},${flags}` : n.at === "FAILED" || n.at === "WAITING" ? n.at : "";
  return `${n.attempt}${decided}|${historyKey(n)}`;
}

export function keyOf(s: State, ended: boolean): string {
  const { books: b } = s;
  const money = [b.entitled, b.accrued, b.refundable, b.refunded, b.paid, b.bonds, b.balance].join();
  const ghosts = bits(s.closed, s.routedStopped, s.paidEarly, s.cutShort);
  if (ended) return `${s.at},${ghosts}/${s.nodes.map(endedKey).join("/")}/${money}`;
  const flags = bits(s.stopped, s.expired, s.ending, s.waited);
  return `${s.at},${ghosts},${flags},${s.cursor},${s.exhausted}/${s.nodes.map(nodeKey).join("/")}/${money}`;
}
