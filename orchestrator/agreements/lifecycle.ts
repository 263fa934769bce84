import { PARTIES, type Party } from "./canonical.ts";
import { AgreementRefused } from "./errors.ts";
import { type Agreement, DEFAULTS, judgesAsked, type Status } from "./schema.ts";

export const EVENTS = [
  "counter",
  "accept",
  "reject",
  "sign",
  "fund",
  "deliver",
  "ask",
  "spare",
  "result",
  "enforce",
  "challenge",
  "file",
  "conclude",
  "ruling",
  "cancel",
  "timeout",
] as const;
export type EventName = (typeof EVENTS)[number];

/**
 * Events. `ask` and `spare` are outcomes of the lot if deliveries are sampled. `timeout`, `file` and `conclude` are triggered by the clock
 * at `deadlineOf`; `cancel` requires both parties; anyone may `enforce`.
 */
export interface AgreementEvent {
  readonly name: EventName;
  readonly by?: Party;
  /** For a result, with those before it: so low that the terms file a dispute, or from evaluators that differ too much. */
  readonly low?: boolean;
}

/**
 * How the money is divided at the end: nothing moved, all returned, by the score's tier, paid in full unjudged, by the timeout, by the
 * arbiter, by both.
 */
export type Division = "none" | "refund" | "schedule" | "spared" | "switch" | "ruling" | "agreed";

/** All of an agreement's state that is not in its terms. */
export interface AgreementState {
  readonly status: Status;
  /** Author of the standing offer. */
  readonly offer: Party;
  readonly rounds: number;
  /** The other party has accepted it. */
  readonly agreed: boolean;
  readonly signed: readonly Party[];
  readonly funded: boolean;
  /** The lot of the delivery, if deliveries are sampled: `open` until it is drawn by the client or the clock. */
  readonly lot: "open" | "judged" | "spared" | undefined;
  /** Evaluators queried after the first. */
  readonly backups: number;
  /** Accepted results. */
  readonly heard: number;
  /** At the end of its window the result is disputed automatically. */
  readonly files: boolean;
  readonly division: Division | undefined;
}

/** How the client pays: into an escrow before the work, after it by x402 or its own payer, or by means that are not tracked here. */
export type Payment = "none" | "escrow" | "afterwards";

/** The terms that the table depends on. */
export interface LifecycleTerms {
  readonly payment: Payment;
  readonly optimistic: boolean;
  /** Deliveries are sampled: a lot decides which are judged. */
  readonly sampled: boolean;
  readonly maxRounds: number;
  readonly maxBackups: number;
  /** Number of evaluators, who judge independently. */
  readonly judges: number;
}

export const PROPOSED: AgreementState = {
  status: "proposed",
  offer: "client",
  rounds: 0,
  agreed: false,
  signed: [],
  funded: false,
  lot: undefined,
  backups: 0,
  heard: 0,
  files: false,
  division: undefined,
};

export function paymentOf({ escrow }: Pick<Agreement, "escrow">): Payment {
  if (escrow?.enabled !== true) return "none";
  const { type } = escrow.binding;
  // Manual or external settlement has no chain to follow: the agreement runs on its own clock.
  return type === "x402" || type === "http_callback" ? "afterwards" : type === "erc8183" ? "escrow" : "none";
}

/** Whether an escrow on chain controls the agreement once it is signed: states and deadlines are the escrow's. */
export function isEscrowed(agreement: Pick<Agreement, "escrow">): boolean {
  return paymentOf(agreement) === "escrow";
}

export function lifecycleTerms(agreement: Agreement): LifecycleTerms {
  const { verification, negotiation } = agreement;
  return {
    payment: paymentOf(agreement),
    optimistic: verification.strategy === "optimistic",
    sampled: verification.sampling !== undefined,
    maxRounds: negotiation?.max_rounds ?? DEFAULTS.maxRounds,
    maxBackups: DEFAULTS.maxBackups,
    judges: judgesAsked(agreement),
  };
}

/**
 * All transitions. `sign` moves on with the second signature, `result` with the last evaluator's, `timeout` leaves `delivered` only once
 * its lot is settled and no backup is left; until then the state stays. Every live state has a timeout, so silence ends every agreement.
 */
export const TRANSITIONS: Readonly<Record<Status, Readonly<Partial<Record<EventName, Status>>>>> = {
  proposed: { counter: "negotiating", accept: "proposed", reject: "rejected", sign: "active", cancel: "closed", timeout: "expired" },
  negotiating: { counter: "negotiating", accept: "negotiating", reject: "rejected", sign: "active", cancel: "closed", timeout: "expired" },
  active: { fund: "active", deliver: "delivered", cancel: "closed", timeout: "expired" },
  delivered: { ask: "delivered", spare: "closed", result: "verified", conclude: "verified", cancel: "closed", timeout: "closed" },
  verified: { enforce: "closed", challenge: "disputed", file: "disputed", cancel: "closed", timeout: "closed" },
  disputed: { ruling: "closed", cancel: "closed", timeout: "closed" },
  closed: {},
  rejected: {},
  expired: {},
};

export interface AgreementRule {
  readonly name: string;
  readonly refuses: (event: AgreementEvent, state: AgreementState, terms: LifecycleTerms) => boolean;
}

/** The guards, separate so that the model checker can show the effect of removing each one. */
export const AGREEMENT_RULES: readonly AgreementRule[] = [
  { name: "the table has the transition", refuses: ({ name }, { status }) => TRANSITIONS[status][name] === undefined },
  {
    name: "a party cannot answer its own offer",
    refuses: ({ name, by }, { offer }) => (name === "counter" || name === "accept") && by === offer,
  },
  { name: "agreed terms cannot be countered", refuses: ({ name }, { agreed }) => (name === "counter" || name === "accept") && agreed },
  { name: "rounds are limited", refuses: ({ name }, { rounds }, { maxRounds }) => name === "counter" && rounds >= maxRounds },
  { name: "only agreed terms can be signed", refuses: ({ name }, { agreed }) => name === "sign" && !agreed },
  { name: "a party signs once", refuses: ({ name, by }, { signed }) => name === "sign" && (by === undefined || signed.includes(by)) },
  { name: "an escrow is funded once", refuses: ({ name }, { funded }, { payment }) => name === "fund" && (funded || payment !== "escrow") },
  {
    name: "delivery requires a funded escrow",
    refuses: ({ name }, { funded }, { payment }) => name === "deliver" && payment === "escrow" && !funded,
  },
  { name: "a lot is drawn once", refuses: ({ name }, { lot }) => (name === "ask" || name === "spare") && lot !== "open" },
  { name: "a delivery with an open lot is not judged", refuses: ({ name }, { lot }) => name === "result" && lot === "open" },
  { name: "enforcement waits for the challenge window", refuses: ({ name }, _, { optimistic }) => name === "enforce" && optimistic },
  {
    name: "only a result with a challenge window can be challenged",
    refuses: ({ name }, _, { optimistic }) => name === "challenge" && !optimistic,
  },
  { name: "only a low or divergent result is filed", refuses: ({ name }, { files }) => name === "file" && !files },
  {
    name: "a majority concludes without silent evaluators, once their time is over",
    refuses: ({ name }, state, terms) => name === "conclude" && !concludes(state, terms),
  },
  {
    name: "a timeout does not end what a majority has judged",
    refuses: ({ name }, state, terms) => name === "timeout" && concludes(state, terms),
  },
  {
    name: "a result to be filed is not settled by silence",
    refuses: ({ name }, { status, files }) => name === "timeout" && status === "verified" && files,
  },
];

/** The state after an event. Pure and total: throws IllegalTransition and changes nothing. */
export function advance(
  state: AgreementState,
  event: AgreementEvent,
  terms: LifecycleTerms,
  rules: readonly AgreementRule[] = AGREEMENT_RULES,
): AgreementState {
  const broken = rules.find(({ refuses }) => refuses(event, state, terms));
  const to = TRANSITIONS[state.status][event.name] ?? state.status;
  if (broken !== undefined) {
    const allowed = Object.keys(TRANSITIONS[state.status]).join(", ") || "nothing, it has ended";
    throw new AgreementRefused(
      "IllegalTransition",
      `${event.name} is refused in ${state.status}: ${broken.name}`,
      `the table allows: ${allowed}`,
    );
  }
  const { name, by = state.offer } = event;
  switch (name) {
    case "counter":
      return { ...state, status: to, offer: by, rounds: state.rounds + 1 };
    case "accept":
      return { ...state, agreed: true };
    case "sign": {
      const signed = [...state.signed, by];
      return { ...state, signed, status: signed.length < 2 ? state.status : to };
    }
    case "fund":
      return { ...state, funded: true };
    case "deliver":
      return { ...state, status: to, lot: terms.sampled ? "open" : undefined };
    case "ask":
      return { ...state, lot: "judged" };
    case "spare":
      return ended({ ...state, lot: "spared" }, to, "spared", terms);
    case "result":
      return { ...state, ...heard(state, to, terms), files: event.low === true };
    case "timeout":
      // A lot that the client does not open is judged, so silence gains nothing.
      if (state.lot === "open") return { ...state, lot: "judged" };
      if (state.status === "delivered" && state.backups < terms.maxBackups) return { ...state, backups: state.backups + 1 };
      return ended(state, to, state.status === "delivered" ? "switch" : isJudged(state) ? "schedule" : "refund", terms);
    case "enforce":
      return ended(state, to, "schedule", terms);
    case "ruling":
      return ended(state, to, "ruling", terms);
    case "cancel":
      return ended(state, to, "agreed", terms);
    case "reject":
      return ended(state, to, "none", terms);
    default:
      return { ...state, status: to };
  }
}

/** Adds a result; the state stays while other evaluators have not judged. */
function heard(state: AgreementState, to: Status, { judges }: LifecycleTerms): Pick<AgreementState, "heard" | "status"> {
  const count = state.heard + 1;
  return { heard: count, status: count < judges ? state.status : to };
}

/** Whether the evaluators' time is over, including that of backups, and more than half have judged. */
export function concludes({ status, lot, backups, heard: count }: AgreementState, { maxBackups, judges }: LifecycleTerms): boolean {
  return status === "delivered" && lot !== "open" && backups >= maxBackups && 2 * count > judges;
}

const isJudged = ({ status }: AgreementState) => status === "verified" || status === "disputed";

function ended(state: AgreementState, status: Status, division: Division, { payment }: LifecycleTerms): AgreementState {
  const isOwed = state.funded || (payment === "afterwards" && state.signed.length === PARTIES.length);
  return { ...state, status, division: isOwed ? division : "none" };
}

export function isOver({ status }: Pick<AgreementState, "status">): boolean {
  return Object.keys(TRANSITIONS[status]).length === 0;
}

/** Seconds of the evaluator after so many silent ones: its own time, within that of all of them. */
export function evaluatorSeconds({ verification, escrow }: Agreement, silent = 0): number {
  const own = verification.evaluator_timeout_seconds ?? DEFAULTS.evaluatorSeconds;
  const all = escrow?.dead_mans_switch?.evaluator_timeout_seconds ?? Number.POSITIVE_INFINITY;
  return Math.max(0, Math.min(own, all - silent * own));
}

/** Seconds from entering a state, or from the last event in it, to its `timeout`. Undefined once the agreement has ended. */
export function deadlineOf({ status, funded, lot, backups }: AgreementState, agreement: Agreement): number | undefined {
  const { escrow, verification, negotiation } = agreement;
  const guard = escrow?.dead_mans_switch;
  switch (status) {
    case "proposed":
    case "negotiating":
      return negotiation?.timeout_seconds ?? DEFAULTS.negotiationSeconds;
    case "active":
      return (funded || !isEscrowed(agreement) ? guard?.provider_timeout_seconds : guard?.client_timeout_seconds) ?? DEFAULTS.switchSeconds;
    case "delivered":
      if (lot === "open") return verification.sampling?.reveal_seconds ?? DEFAULTS.revealSeconds;
      return evaluatorSeconds(agreement, backups);
    case "verified":
      return verification.strategy === "optimistic" ? (verification.challenge_window_seconds ?? DEFAULTS.challengeSeconds) : 0;
    case "disputed":
      return DEFAULTS.disputeSeconds;
    default:
      return undefined;
  }
}
