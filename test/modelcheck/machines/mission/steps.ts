/** What a call does to a node and to the mission, piece by piece, as `NodeCore`, `Escrow` and `Appeals` have it. */

import { PARAMETERS } from "../../../../orchestrator/protocol/parameters.ts";
import { faultClass, faultType } from "../../../../orchestrator/rules/faults.ts";
import { type Split, split } from "../../../../orchestrator/rules/payout.ts";
import { guard, missionArc, need, nodeArc, type Rules } from "./guards.ts";
import {
  BOND,
  type Books,
  budgetOf,
  Clock,
  FRESH,
  isBound,
  NO_APPEALS,
  type Node,
  type NodeLaw,
  nodeOf,
  PRICE,
  type State,
  withNode,
} from "./state.ts";

export function lawOf({ law }: Rules, index: number): NodeLaw {
  const node = law.nodes[index];
  if (node === undefined) throw new Error(`the law has no node ${index}`);
  return node;
}

export const isRunning = ({ at }: State): boolean => at === "ACTIVE" || at === "EXECUTING";

// --- Nodes -----------------------------------------------------------------------------------------------------------

export const toEligible = (rules: Rules, node: Node): Node => ({
  ...node,
  at: nodeArc(rules, node.at, "ELIGIBLE"),
  clock: Clock.RUNS,
});

/** Redraws count within one verification. */
export const toVerification = (rules: Rules, node: Node): Node => ({
  ...node,
  at: nodeArc(rules, node.at, "PENDING_VERIFICATION"),
  closed: true,
  clock: Clock.RUNS,
  redrawn: false,
  stale: false,
});

export const toReview = (rules: Rules, node: Node): Node => ({
  ...node,
  at: nodeArc(rules, node.at, "PENDING_REVIEW"),
  clock: Clock.RUNS,
  redrawn: false,
  stale: false,
  paused: "never",
});

/** A review that no verdict led to. */
export const unheard = (rules: Rules, node: Node): Node => ({ ...toReview(rules, node), redrawn: true });

export const redrawn = (node: Node): Node => ({ ...node, redrawn: true, stale: false, clock: Clock.RUNS });

/** Where the law is at fault no other executor helps. What the attempt was is forgotten, but for its fault and its appeals. */
export function fail(rules: Rules, state: State, index: number, reason: string): State {
  const node = nodeOf(state, index);
  const { tier } = lawOf(rules, index);
  const isLaw = faultClass(faultType(reason, tier), tier) === "SPECIFICATION";
  const spent = isLaw || node.attempt >= rules.law.refinements;
  const failed = withNode(state, index, { ...FRESH, at: nodeArc(rules, node.at, "FAILED") });
  return spent ? { ...failed, exhausted: failed.exhausted | (1 << index) } : failed;
}

export function freeze(rules: Rules, state: State, index: number): State {
  const node = nodeOf(state, index);
  need(!state.ending);
  need(node.at === "ELIGIBLE" || node.at === "EXECUTING" || node.at === "PENDING_VERIFICATION");
  const heard = node.at === "PENDING_VERIFICATION";
  need(!heard || node.paused === "never");
  return withNode(state, index, {
    at: nodeArc(rules, node.at, "FROZEN"),
    clock: Clock.RUNS,
    interrupted: node.interrupted || node.at === "EXECUTING",
    paused: heard ? "now" : node.paused,
  });
}

/** A node that was frozen before its panel goes back to it. */
export const toItsPanel = (rules: Rules, node: Node): Node => ({
  ...node,
  at: nodeArc(rules, node.at, "PENDING_VERIFICATION"),
  clock: Clock.RUNS,
  paused: "once",
});

/** Starts or goes on. */
export function start(rules: Rules, state: State, index: number): State {
  const node = nodeOf(state, index);
  const begun: Node = { ...node, at: nodeArc(rules, node.at, "EXECUTING"), clock: Clock.RUNS, interrupted: false };
  return {
    ...withNode(state, index, begun),
    at: state.at === "ACTIVE" ? missionArc(rules, "ACTIVE", "EXECUTING") : state.at,
    routedStopped: state.routedStopped || state.stopped,
  };
}

/** Completes a node, frees its successors, and with the last one the mission. */
export function complete(rules: Rules, state: State, index: number): State {
  const node = nodeOf(state, index);
  let next = withNode(state, index, {
    at: nodeArc(rules, node.at, "COMPLETED"),
    clock: Clock.RUNS,
    redrawn: false,
    escalated: false,
    stale: false,
    paused: "never",
  });
  const done = next.nodes.reduce((mask, { at }, i) => (at === "COMPLETED" ? mask | (1 << i) : mask), 0);
  for (const [i, { predecessors }] of rules.law.nodes.entries()) {
    const follows = (predecessors >> index) & 1;
    if (follows && (predecessors & ~done) === 0) next = withNode(next, i, toEligible(rules, nodeOf(next, i)));
  }
  if (done !== (1 << rules.law.nodes.length) - 1) return next;
  return { ...next, at: missionArc(rules, missionArc(rules, next.at, "VERIFICATION"), rules.law.releases ? "COMPLETED" : "FAILED") };
}

// --- Money -----------------------------------------------------------------------------------------------------------

const rate = (name: "PROTOCOL_FEE_RATE" | "INSURANCE_RESERVE_RATE"): bigint => PARAMETERS.find((p) => p.name === name)?.default ?? 0n;
const NEUTRAL = 1000n;
const splits = new Map<number, Readonly<Record<keyof Split, number>>>();

/** Of one slot's price, at a reputation that neither adds nor takes. */
export function splitAt(share: number): Readonly<Record<keyof Split, number>> {
  let known = splits.get(share);
  if (known === undefined) {
    const s = split(BigInt(PRICE), rate("PROTOCOL_FEE_RATE"), rate("INSURANCE_RESERVE_RATE"), BigInt(share), NEUTRAL);
    const { fee, insurance, base, released, paid, discount, premium, toSponsor } = s;
    known = {
      fee: Number(fee),
      insurance: Number(insurance),
      base: Number(base),
      released: Number(released),
      paid: Number(paid),
      discount: Number(discount),
      premium: Number(premium),
      toSponsor: Number(toSponsor),
    };
    splits.set(share, known);
  }
  return known;
}

/** Adds to the books; what is left out stays. */
export const book = (state: State, change: Partial<Books>): State => {
  const books = { ...state.books };
  for (const [name, amount] of Object.entries(change)) books[name as keyof Books] += amount;
  return { ...state, books };
};

export function record(rules: Rules, state: State, index: number): State {
  const node = nodeOf(state, index);
  need(node.at === "COMPLETED");
  const { paid } = splitAt(node.share);
  const owed = node.agreeing * PRICE;
  const entitled = node.agreeing * paid;
  return book(withNode(state, index, { recorded: true, windowOver: false }), {
    entitled,
    accrued: owed - entitled,
    refundable: budgetOf(lawOf(rules, index)) - owed,
  });
}

/** What a human approved is earned: nothing comes between that and its record. */
export function approved(rules: Rules, state: State, index: number): State {
  const done = complete(rules, state, index);
  return rules.without.has("what a human approved is recorded at once") ? done : record(rules, done, index);
}

/** Moves everything of a recorded node, once, when its decision is final. */
export function pay(rules: Rules, state: State, index: number): State {
  const node = nodeOf(state, index);
  const { open, late } = node.appeals[node.attempt] ?? NO_APPEALS;
  const unheard = open > 0 && !late;
  guard(rules, "a claim waits for the window", node.windowOver);
  guard(rules, "a claim waits for open appeals", !unheard);
  if (node.claimed) return state;
  const s = splitAt(node.share);
  const n = node.agreeing;
  const claimed = { ...withNode(state, index, { claimed: true }), paidEarly: state.paidEarly || !node.windowOver || unheard };
  return book(claimed, {
    entitled: -n * s.paid,
    accrued: -n * (s.fee + s.insurance + s.discount + s.toSponsor),
    refundable: n * s.toSponsor,
    paid: n * s.paid,
    fees: n * s.fee,
    insurance: n * s.insurance,
    balance: -n * (s.paid + s.fee + s.insurance + s.discount),
  });
}

/** Bonds of the open appeals of an attempt leave: to those who filed them, or to insurance. */
export function settleBonds(state: State, index: number, attempt: number): State {
  const node = nodeOf(state, index);
  const appeals = node.appeals[attempt] ?? NO_APPEALS;
  if (appeals.open === 0) return state;
  const settled = withNode(state, index, { appeals: node.appeals.with(attempt, { ...appeals, open: 0, late: false }) });
  return book(settled, { bonds: -appeals.open * BOND, balance: -appeals.open * BOND });
}

export const isFree = (node: Node): boolean => !isBound(node) && node.market.window === "none";
