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
 * What happens. `ask` and `spare` are the lot's where one delivery in several is judged. `timeout`, `file` and `conclude` are the clock's and come at `deadlineOf`; `cancel` is
 * both parties'; `enforce` is anybody's.
 */
export interface AgreementEvent {
  readonly name: EventName;
  readonly by?: Party;
  /** Of a result, with those before it: so low that the terms have it disputed, or by evaluators who are too far apart. */
  readonly low?: boolean;
}

/** By what the money is divided at the end: nothing moved, all back, the schedule over the score, all paid unjudged, the switch, the arbiter, both. */
export type Division = "none" | "refund" | "schedule" | "spared" | "switch" | "ruling" | "agreed";

/** All of an agreement's life that its terms do not say. */
export interface AgreementState {
  readonly status: Status;
  /** Who made the standing offer. */
  readonly offer: Party;
  readonly rounds: number;
  /** The other has accepted it. */
  readonly agreed: boolean;
  readonly signed: readonly Party[];
  readonly funded: boolean;
  /** Of what was delivered, where not each delivery is judged: `open` until somebody or the clock has it drawn. */
  readonly lot: "open" | "judged" | "spared" | undefined;
  /** Evaluators asked after the first. */
  readonly backups: number;
  /** Results that were taken. */
  readonly heard: number;
  /** Once the window over its result is over, that is disputed without anybody asking. */
  readonly files: boolean;
  readonly division: Division | undefined;
}

/** How the client pays: into an escrow before the work, once it is over (x402), or not by anything that is followed here. */
export type Payment = "none" | "escrow" | "afterwards";

/** What the table reads of the terms. */
export interface LifecycleTerms {
  readonly payment: Payment;
  readonly optimistic: boolean;
  /** Not each delivery is judged: a lot says. */
  readonly sampled: boolean;
  readonly maxRounds: number;
  readonly maxBackups: number;
  /** So many evaluators judge, each for itself. */
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
  // Whoever settles by hand, or elsewhere, is led by no chain: the agreement keeps its own time.
  return type === "x402" ? "afterwards" : type === "erc8183" ? "escrow" : "none";
}

/** Whether money on chain leads the agreement once it is signed: its states are the escrow's, and so are its deadlines. */
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
 * Every transition there is. `sign` leads on with the second signature, `result` with the last of those who
 * judge, `timeout` out of `delivered` when its lot is no longer waited for and no backup is left; until then they stay. Each live state has a timeout, so silence ends every agreement.
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

/** The guards, each by itself, so that the model checker can show what happens without one. */
export const AGREEMENT_RULES: readonly AgreementRule[] = [
  { name: "the table has the transition", refuses: ({ name }, { status }) => TRANSITIONS[status][name] === undefined },
  { name: "nobody answers his own offer", refuses: ({ name, by }, { offer }) => (name === "counter" || name === "accept") && by === offer },
  { name: "what is agreed is not countered", refuses: ({ name }, { agreed }) => (name === "counter" || name === "accept") && agreed },
  { name: "rounds are bounded", refuses: ({ name }, { rounds }, { maxRounds }) => name === "counter" && rounds >= maxRounds },
  { name: "only what is agreed is signed", refuses: ({ name }, { agreed }) => name === "sign" && !agreed },
  { name: "a party signs once", refuses: ({ name, by }, { signed }) => name === "sign" && (by === undefined || signed.includes(by)) },
  { name: "escrow is funded once", refuses: ({ name }, { funded }, { payment }) => name === "fund" && (funded || payment !== "escrow") },
  {
    name: "nothing is delivered unfunded",
    refuses: ({ name }, { funded }, { payment }) => name === "deliver" && payment === "escrow" && !funded,
  },
  { name: "a lot is drawn once", refuses: ({ name }, { lot }) => (name === "ask" || name === "spare") && lot !== "open" },
  { name: "what waits for its lot is not judged", refuses: ({ name }, { lot }) => name === "result" && lot === "open" },
  { name: "a challenge window runs out first", refuses: ({ name }, _, { optimistic }) => name === "enforce" && optimistic },
  { name: "only what has a window is challenged", refuses: ({ name }, _, { optimistic }) => name === "challenge" && !optimistic },
  { name: "only a low result is filed", refuses: ({ name }, { files }) => name === "file" && !files },
  {
    name: "without those who are silent it is concluded by most of them, at the end of their time",
    refuses: ({ name }, state, terms) => name === "conclude" && !concludes(state, terms),
  },
  {
    name: "what most have judged no switch ends",
    refuses: ({ name }, state, terms) => name === "timeout" && concludes(state, terms),
  },
  {
    name: "what is to be filed is not settled by silence",
    refuses: ({ name }, { status, files }) => name === "timeout" && status === "verified" && files,
  },
];

/** The state after an event. Pure and total: throws IllegalTransition, and then nothing has changed. */
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
      // What the client does not open is judged: it gains nothing by silence.
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

/** With a result more: as long as others of those who judge have not, it stays. */
function heard(state: AgreementState, to: Status, { judges }: LifecycleTerms): Pick<AgreementState, "heard" | "status"> {
  const count = state.heard + 1;
  return { heard: count, status: count < judges ? state.status : to };
}

/** Whether the time of those who judge is over, the backups' too, and more than half of them have. */
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

/** Seconds from entering a state, or from the last event in it, until `timeout`. Undefined once it is over. */
export function deadlineOf({ status, funded, lot }: AgreementState, agreement: Agreement): number | undefined {
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
      return verification.evaluator_timeout_seconds ?? DEFAULTS.evaluatorSeconds;
    case "verified":
      return verification.strategy === "optimistic" ? (verification.challenge_window_seconds ?? DEFAULTS.challengeSeconds) : 0;
    case "disputed":
      return DEFAULTS.disputeSeconds;
    default:
      return undefined;
  }
}
