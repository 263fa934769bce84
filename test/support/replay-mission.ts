/**
 * A mission rebuilt from its law and its events alone: what the contract's views say, without asking the contract. Amounts are in
 * the smallest unit, times in unix seconds.
 */
import { type ParseEventLogsReturnType, stringToHex } from "viem";
import type { AbiOf } from "../../orchestrator/client/contracts.ts";
import type { LawNode } from "../../orchestrator/rules/law-codec.ts";
import type { MissionParams } from "../../orchestrator/rules/mission-params-codec.ts";
import { claimedPayments } from "../../orchestrator/rules/payments.ts";
import { type MissionStateName, missionTransitions } from "../../orchestrator/rules/transitions/mission.ts";
import { type NodeStateName, nodeTransitions } from "../../orchestrator/rules/transitions/node.ts";

export type MissionLog = ParseEventLogsReturnType<AbiOf<"CollaborationContract">, undefined, true>[number];

/** An event with the time of its block. */
export interface MissionEvent {
  readonly log: MissionLog;
  readonly timestamp: number;
}

/** What is known of a mission before its first event: its clone's arguments. */
export interface MissionLaw {
  readonly nodes: readonly LawNode[];
  /** The deposit: all nodes' budgets and what belongs to none. */
  readonly budget: bigint;
  readonly params: MissionParams;
  /** Unix seconds. */
  readonly deployedAt: number;
}

interface ReplayedSlot {
  agent: string;
  price: bigint;
  /** Service until the slot commits, then its commitment. */
  pledge: string;
  paid: bigint;
  premium: bigint;
  fee: bigint;
  insurance: bigint;
  discount: bigint;
  recorded: boolean;
  claimed: boolean;
}

interface ReplayedAttempt {
  slots: Map<number, ReplayedSlot>;
  fault: { dueAt: number; mask: number; settled: boolean } | undefined;
  appeals: { open: string[]; filed: number; until: number };
}

export interface ReplayedNode {
  state: NodeStateName;
  attempt: number;
  deadline: number;
  remainder: number;
  commitMask: number;
  revealMask: number;
  freezeCount: number;
  drawBlock: number;
  redraws: number;
  share: number;
  agreeing: number;
  gated: boolean;
  recorded: boolean;
  claimableAt: number;
  readonly attempts: ReplayedAttempt[];
}

export interface ReplayedBooks {
  deposit: bigint;
  paid: bigint;
  fees: bigint;
  insurance: bigint;
  discount: bigint;
  refunded: bigint;
  entitled: bigint;
  refundable: bigint;
  subsidy: bigint;
  bonds: bigint;
  children: bigint;
  closed: boolean;
}

const PASS = 1;
const CONSENSUS = 2;
const APPROVE_POP = 4;
const TIMED_OUT = stringToHex("TIMEOUT", { size: 32 });
const CLEARED_FAIL = stringToHex("CLEARED_FAIL", { size: 32 });
const FINAL: readonly MissionStateName[] = ["COMPLETED", "FAILED", "ABORTED"];

export class MissionReplay {
  state: MissionStateName = "PENDING";
  anchored: string | undefined;
  readonly nodes: ReplayedNode[];
  readonly #law: MissionLaw;
  readonly #books: ReplayedBooks = {
    deposit: 0n,
    paid: 0n,
    fees: 0n,
    insurance: 0n,
    discount: 0n,
    refunded: 0n,
    entitled: 0n,
    refundable: 0n,
    subsidy: 0n,
    bonds: 0n,
    children: 0n,
    closed: false,
  };
  /** Held for executors, treasury and sponsor until the claim that decides: prices less what is entitled. */
  #accrued = 0n;
  /** Seconds that a frozen node's panel had left. */
  readonly #left = new Map<ReplayedNode, number>();
  /** Nodes that are no leaves: what their child was lent, and what earlier ones kept. */
  readonly #loans = new Map<ReplayedNode, { lent: bigint; spent: bigint }>();

  constructor(law: MissionLaw) {
    this.#law = law;
    this.nodes = law.nodes.map(() => ({
      state: "WAITING",
      attempt: 0,
      deadline: 0,
      remainder: 0,
      commitMask: 0,
      revealMask: 0,
      freezeCount: 0,
      drawBlock: 0,
      redraws: 0,
      share: 0,
      agreeing: 0,
      gated: false,
      recorded: false,
      claimableAt: 0,
      attempts: [newAttempt()],
    }));
  }

  /** Bitmap of completed nodes. */
  get completed(): bigint {
    return this.nodes.reduce((map, { state }, node) => (state === "COMPLETED" ? map | (1n << BigInt(node)) : map), 0n);
  }

  /** The books as `ledger()` tells them. */
  get ledger(): ReplayedBooks {
    return { ...this.#books, refundable: this.#refundable() };
  }

  apply({ log, timestamp }: MissionEvent): void {
    const books = this.#books;
    switch (log.eventName) {
      case "MissionStateChanged":
        this.state = missionTransitions.states[log.args.to] ?? "PENDING";
        if (this.state === "ACTIVE" && log.args.from === 0) books.deposit = this.#law.budget;
        return;
      case "Refunded":
        books.refunded += this.#refundable();
        books.refundable = 0n;
        return;
      case "Claimed":
        for (const { node, slot, paid, premium } of claimedPayments(log.args).executors) this.#pay(node, slot, paid, premium);
        return;
      case "Closed":
        books.closed = true;
        return;
      case "Anchored":
        this.anchored = log.args.root;
        return;
      default:
        if ("node" in log.args) this.#applyToNode(log, timestamp, this.#node(log.args.node));
    }
  }

  #applyToNode(log: MissionLog, timestamp: number, node: ReplayedNode): void {
    const law = this.#lawOf(node);
    const { params } = this.#law;
    switch (log.eventName) {
      case "NodeStateChanged":
        this.#move(node, law, nodeTransitions.states[log.args.to] ?? "WAITING", timestamp, Number(log.blockNumber));
        return;
      case "ExecutorBound":
        this.#attempt(node).slots.set(log.args.slot, newSlot(log.args.agent, log.args.price, log.args.service));
        if (node.state === "ELIGIBLE") node.deadline = timestamp + params.verificationTimeout;
        return;
      case "Routed":
        node.deadline = log.args.deadline;
        node.remainder = 0;
        return;
      case "Committed":
        node.commitMask |= 1 << log.args.slot;
        this.#slot(node, log.args.slot).pledge = log.args.commitment;
        if (law.tier === CONSENSUS && node.commitMask === (1 << law.redundancy) - 1) node.deadline = timestamp + law.timeout;
        return;
      case "Revealed":
        node.revealMask |= 1 << log.args.slot;
        return;
      case "ExecutorFaulted":
        if (log.args.reason === TIMED_OUT) {
          node.commitMask &= ~(1 << log.args.slot);
          node.deadline = timestamp + law.timeout;
        }
        if (log.args.reason === CLEARED_FAIL) this.#settleFault(node, log.args.slot, log.args.agent);
        return;
      case "Cleared":
        if (log.args.result !== PASS) return;
        node.share = log.args.score;
        node.agreeing = law.tier === CONSENSUS ? log.args.agreeing & node.commitMask : node.commitMask;
        return;
      case "ReviewApproved":
        node.share = log.args.share;
        node.agreeing = log.args.agreeing;
        return;
      case "Overridden":
        if (log.args.action === APPROVE_POP && node.state === "COMPLETED") node.gated = true;
        return;
      case "PanelRedrawn":
        node.redraws = log.args.redraws;
        node.drawBlock = Number(log.blockNumber);
        node.deadline = timestamp + params.verificationTimeout;
        return;
      case "GateDecided":
        node.gated ||= log.args.allowed;
        return;
      case "NodeFrozen":
        node.freezeCount = log.args.freezeCount;
        return;
      case "SlashPending":
        this.#attempt(node).fault = { dueAt: log.args.dueAt, mask: log.args.mask, settled: false };
        return;
      case "ReviewEscalated":
        node.deadline = log.args.deadline;
        return;
      case "Reopened":
      case "NodeAmended":
        Object.assign(node, { attempt: log.args.attempt, commitMask: 0, revealMask: 0, drawBlock: 0, redraws: 0 });
        Object.assign(node, { remainder: 0, share: 0, agreeing: 0, gated: false });
        node.attempts[log.args.attempt] = newAttempt();
        return;
      default:
        this.#applyToMoney(log, timestamp, node, law);
    }
  }

  #applyToMoney(log: MissionLog, timestamp: number, node: ReplayedNode, law: LawNode): void {
    const books = this.#books;
    switch (log.eventName) {
      case "Recorded": {
        const slot = this.#slot(node, log.args.slot);
        const { paid, premium, fee, insurance, discount } = log.args;
        if (!node.recorded) books.refundable += law.budget;
        node.recorded = true;
        node.claimableAt = log.args.claimableAt;
        Object.assign(slot, { paid, premium, fee, insurance, discount, recorded: true });
        books.refundable -= slot.price;
        books.entitled += paid;
        this.#accrued += slot.price - paid;
        return;
      }
      case "ChildOpened":
        this.#loans.set(node, { lent: log.args.amount, spent: this.#loans.get(node)?.spent ?? 0n });
        books.children += log.args.amount;
        return;
      case "ChildConcluded": {
        const { lent, spent } = this.#loans.get(node) ?? { lent: 0n, spent: 0n };
        const cost = spent + lent - log.args.returned;
        this.#loans.set(node, { lent: 0n, spent: cost });
        books.children -= log.args.returned;
        if (FINAL.includes(this.state) || !log.args.completed) return;
        node.recorded = true;
        node.claimableAt = timestamp;
        books.refundable += law.budget - cost;
        return;
      }
      case "Reassessed": {
        const slot = this.#slot(node, log.args.slot);
        const { paid, premium, fee, insurance, discount } = log.args;
        books.entitled += paid - slot.paid;
        this.#accrued -= paid - slot.paid;
        Object.assign(slot, { paid, premium, fee, insurance, discount });
        return;
      }
      case "AppealFiled": {
        const { appeals } = this.#attempt(node, log.args.attempt);
        appeals.open.push(log.args.appellant);
        appeals.filed += 1;
        appeals.until = timestamp + 2 * this.#law.params.maxHumanReviewTimeout;
        books.bonds += log.args.bond;
        return;
      }
      case "AppealResolved": {
        const attempt = this.#attempt(node, log.args.attempt);
        attempt.appeals.open = [];
        if (log.args.upheld === 0) return;
        if (node.recorded && log.args.attempt === node.attempt) node.share = log.args.share;
        else if (attempt.fault !== undefined) attempt.fault.settled = true;
        return;
      }
      case "BondReturned":
      case "BondForfeited": {
        books.bonds -= log.args.bond;
        const closed = node.attempts.find(({ appeals }) => appeals.open.includes(log.args.appellant));
        if (closed !== undefined) closed.appeals.open = closed.appeals.open.filter((one) => one !== log.args.appellant);
      }
    }
  }

  #move(node: ReplayedNode, law: LawNode, to: NodeStateName, timestamp: number, block: number): void {
    const { verificationTimeout, maxHumanReviewTimeout } = this.#law.params;
    if (node.state === "EXECUTING" && to === "FROZEN") node.remainder = Math.max(1, node.deadline - timestamp);
    if (node.state === "PENDING_VERIFICATION" && to === "FROZEN") this.#left.set(node, Math.max(1, node.deadline - timestamp));
    const resumes = node.state === "FROZEN" && to === "PENDING_VERIFICATION";
    // A root's clock runs from the clone's deployment: it has no word of its own until somebody touches it.
    const untouched = node.state === "WAITING" && law.predecessors === 0n;
    node.state = to;
    if (to === "ELIGIBLE") node.deadline = (untouched ? this.#law.deployedAt : timestamp) + verificationTimeout;
    if (to === "PENDING_REVIEW") node.deadline = timestamp + law.reviewWindow;
    if (to === "FROZEN") node.deadline = timestamp + 2 * maxHumanReviewTimeout;
    if (to === "COMPLETED" || to === "FAILED") node.deadline = 0;
    if (to !== "PENDING_VERIFICATION" || !law.leaf) return;
    node.deadline = timestamp + (resumes ? (this.#left.get(node) ?? 0) : verificationTimeout);
    if (!resumes) node.drawBlock = block;
  }

  /** With the executor's part leaves all that its price held beside it. */
  #pay(index: number, at: number, paid: bigint, premium: bigint): void {
    const books = this.#books;
    const slot = this.#slot(this.#node(index), at);
    slot.claimed = true;
    books.entitled -= paid;
    books.paid += paid;
    books.subsidy += premium;
    books.fees += slot.fee;
    books.insurance += slot.insurance;
    books.discount += slot.discount;
    books.refundable += slot.price - slot.paid - slot.fee - slot.insurance - slot.discount;
    this.#accrued -= slot.price - slot.paid;
  }

  #refundable(): bigint {
    const { deposit, paid, fees, insurance, discount, refunded, entitled, refundable, children } = this.#books;
    if (!FINAL.includes(this.state)) return refundable;
    return deposit - paid - fees - insurance - discount - refunded - children - entitled - this.#accrued;
  }

  /** Who is at fault executes a node no more, so it names the attempt. */
  #settleFault(node: ReplayedNode, slot: number, agent: string): void {
    const attempt = node.attempts.find(({ slots, fault }) => fault !== undefined && slots.get(slot)?.agent === agent);
    if (attempt?.fault !== undefined) attempt.fault.settled = true;
  }

  #node(index: number): ReplayedNode {
    const node = this.nodes[index];
    if (node === undefined) throw new RangeError(`the law has no node ${index}`);
    return node;
  }

  #lawOf(node: ReplayedNode): LawNode {
    const law = this.#law.nodes[this.nodes.indexOf(node)];
    if (law === undefined) throw new RangeError("a node without a law");
    return law;
  }

  #attempt(node: ReplayedNode, number = node.attempt): ReplayedAttempt {
    const attempt = node.attempts[number];
    if (attempt === undefined) throw new RangeError(`no attempt ${number} was opened`);
    return attempt;
  }

  #slot(node: ReplayedNode, index: number): ReplayedSlot {
    const slot = this.#attempt(node).slots.get(index);
    if (slot === undefined) throw new RangeError(`nobody was bound to slot ${index}`);
    return slot;
  }
}

/** Whether slashes of some attempt wait. */
export const isFaulted = (node: ReplayedNode): boolean => node.attempts.some(({ fault }) => fault !== undefined && !fault.settled);

const newAttempt = (): ReplayedAttempt => ({ slots: new Map(), fault: undefined, appeals: { open: [], filed: 0, until: 0 } });

const newSlot = (agent: string, price: bigint, pledge: string): ReplayedSlot => ({
  agent,
  price,
  pledge,
  paid: 0n,
  premium: 0n,
  fee: 0n,
  insurance: 0n,
  discount: 0n,
  recorded: false,
  claimed: false,
});
