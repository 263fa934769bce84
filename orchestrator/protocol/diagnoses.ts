/**
 * Why a contract refused a call, and how to proceed: one catalogue for the command line, the gateway, the console and docs/diagnoses.md.
 */
export interface Diagnosis {
  /** The cause. In both texts `{0}` is the error's first value, and `{time 0}` the same as a point in chain time. */
  readonly means: string;
  /** What to do. */
  readonly helps: string;
}

/**
 * Errors that people can run into: acts of the panel, steps that anyone may send, offices, stakes and money. All others occur between
 * programs.
 */
export const DIAGNOSES = {
  // The panel's acts.
  ActionUnavailable: { means: "this version has no such act", helps: "draft it again with the version that the city runs" },
  AlreadyExecuted: { means: "it has already been carried out", helps: "nothing is left to do" },
  Conflicted: { means: "adjudicator {0} has an interest in this mission", helps: "another adjudicator has to sign" },
  Expired: { means: "it expired at {time 0}", helps: "draft it again" },
  InvalidSignature: { means: "the signature is not that of {0}", helps: "sign the draft unchanged, with that account" },
  NotAdjudicator: { means: "{0} has no active seat on the panel", helps: "sign with an account that has a seat" },
  NotEnoughSignatures: { means: "it has {0} signatures and needs {1}", helps: "pass it on to another adjudicator" },
  NotGenuine: { means: "{0} is no mission of this city", helps: "check the address" },
  NothingToAudit: {
    means: "no single-signature emergency act with this digest is awaiting an audit",
    helps: "check the digest, and whether the act has been audited already",
  },
  QuorumAboveSeats: { means: "the quorum of {0} signatures exceeds the {1} seats", helps: "choose a quorum that the seats can reach" },
  ReputationCapExceeded: { means: "one act changes a reputation by at most {0} points, not {1}", helps: "ask for less" },
  RotationRequired: {
    means: "adjudicator {0} has decided cases of this kind alone too often in a row",
    helps: "let another adjudicator decide",
  },
  SignersUnsorted: {
    means: "signatures must be sorted by address",
    helps: "relay it with `npm run override -- relay`, which sorts them",
  },
  StaleCase: { means: "the state has changed since this was drafted", helps: "review the current state, and draft it again" },
  NotWhatWasSigned: { means: "the submitted act differs from the signed one", helps: "draft and sign it again" },
  // The watchdog.
  CityIsStopped: {
    means: "adjudicators stopped the city until {time 0}",
    helps:
      "wait until {time 0}, or for two of them to lift the stop (npm run override -- resume-city), and run the command again; nothing is lost",
  },
  CityNotStopped: { means: "the city is not stopped", helps: "nothing is left to do" },
  FrozenByWatchdog: {
    means: "the watchdog has frozen adjudication since {time 0}",
    helps: "run the command again when adjudicators have ended the freeze (npm run override -- release-watchdog); nothing is lost",
  },
  NotFrozen: { means: "the watchdog has not frozen anything", helps: "nothing is left to do" },
  StoppedLately: { means: "{0} stopped the city at {time 1}, and may not do so again yet", helps: "another adjudicator may do so" },
  // Seats.
  AlreadySeated: { means: "{0} has a seat already", helps: "choose another account" },
  LastSeats: { means: "the panel keeps at least {0} seats", helps: "seat another adjudicator first" },
  NotSeated: { means: "{0} has no seat", helps: "check the address" },
  PrincipalAlreadySeated: { means: "{0} already answers for a seat", helps: "a principal may have only one seat" },
  StillUnbonding: { means: "the stake of {0} is locked until {time 1}", helps: "withdraw it after that" },
  TooManySeats: { means: "the panel has {0} seats at most", helps: "remove an adjudicator first" },
  WasImpeached: { means: "{0} was impeached", helps: "an impeached adjudicator cannot be seated again" },
  // Missions and their nodes.
  AlreadyAppealed: { means: "{1} has appealed here before", helps: "wait for the ruling" },
  AppealsDiffer: {
    means: "another appeal was filed since this ruling was drafted",
    helps: "review all of them, and draft the ruling again",
  },
  AttemptOver: { means: "it refers to an attempt that is not the current one", helps: "review the node's current state" },
  BudgetSpent: { means: "node {0} has spent its budget of {1}", helps: "no further attempt can be paid for" },
  ChildrenRunning: { means: "child missions of this one are still running", helps: "wait until they are over" },
  FrozenBefore: {
    means: "this attempt's verdict has already been held once",
    helps: "a verdict can be held once per attempt; reject it, or let the panel decide",
  },
  FreezeUnattended: {
    means: "a monitor of this house stopped node {0} before, and the last freeze ran out without a human's act",
    helps: "a human may freeze it, or a monitor of another house",
  },
  NoOpenAppeal: { means: "no appeal is open there", helps: "nothing is left to do" },
  NotAppealable: { means: "{1} cannot appeal here", helps: "only the executors may appeal, between decision and payment" },
  NotExpired: { means: "the mission's time runs until {time 0}", helps: "try again then" },
  NothingToRefund: { means: "nothing is left of the deposit", helps: "nothing is left to do" },
  NotSilent: { means: "the chain has not been unreachable for long enough", helps: "try again later" },
  NotStopped: { means: "nothing is stopped there", helps: "nothing is left to do" },
  NotVetoed: { means: "this output was not vetoed", helps: "review the node's current state" },
  SlashExceeded: { means: "at most {0} units can be taken, not {1}", helps: "ask for less" },
  Stopped: { means: "the mission is stopped", helps: "two adjudicators may clear the stop" },
  TooEarly: { means: "it is not due yet", helps: "try again at the time shown on the page" },
  UnknownFreeze: { means: "freeze {0} does not exist; there are {1}", helps: "check the number" },
  AlreadyClassified: { means: "that freeze has already been classified", helps: "nothing is left to do" },
  Unsettled: { means: "some payments, records or appeals are still open", helps: "claim what is due, and close it afterwards" },
  WindowClosed: { means: "the window closed at {time 1}", helps: "no further filing is possible" },
  WindowOpen: { means: "appeals may be filed until {time 1}", helps: "try again after that" },
  WrongMissionState: { means: "the mission's state does not allow this", helps: "review the mission's current state" },
  WrongNodeState: { means: "the state of node {0} does not allow this", helps: "review the node's current state" },
  // Sessions.
  AwaitingRuling: { means: "adjudicators must rule on a suspected bloc first", helps: "the case is in the override panel" },
  NotReintroducible: { means: "this session's outcome does not allow a follow-up session", helps: "open an independent session" },
  NothingToRule: { means: "no bloc is awaiting a ruling there", helps: "nothing is left to do" },
  TooFewAdjudicators: { means: "only {0} adjudicators are seated, too few for a mission", helps: "seat more first" },
  TooLate: { means: "its time limit has passed", helps: "the process continues without it" },
  // The constitution.
  AmendmentWaits: {
    means: "the unbonding period cannot change while an announced amendment or template may make participants leave",
    helps: "wait until what was announced is no longer pending",
  },
  NothingAnnounced: { means: "no amendment is announced there", helps: "announce it first" },
  ParameterOutOfRange: { means: "the value {1} is outside the range {2} to {3}", helps: "choose a value within the range" },
  ParametersDescend: { means: "the values of a scale must not decrease: {1} exceeds {2}", helps: "change the neighbouring values first" },
  ParametersDoNotAddUp: { means: "the two shares must add up to {3}", helps: "change both in one order" },
  UnbondingTooShort: {
    means: "stake must stay locked for at least {1} s, the longest time in which a fault can still be charged",
    helps: "choose a longer period",
  },
  // Members, stakes and money.
  AlreadyRegistered: { means: "it is registered already", helps: "nothing is left to do" },
  Barred: { means: "{2} failed at this work in an earlier attempt", helps: "the work is open to other agents" },
  CapExceeded: { means: "at most {0} units can be paid here, not {1}", helps: "ask for less" },
  CoverStands: { means: "{3} units of the pool back a bid", helps: "wait until the work is decided" },
  DidTaken: { means: "the DID belongs to {1}", helps: "choose another" },
  ERC20InsufficientAllowance: { means: "{0} has an allowance of {1} units and needs {2}", helps: "increase the allowance first" },
  ERC20InsufficientBalance: { means: "{0} has {1} units and needs {2}", helps: "fund the account first" },
  FrozenAgent: { means: "{0} is frozen until {time 1}", helps: "adjudicators can lift the freeze" },
  InsufficientFreeStake: {
    means: "{0} has {1} units of free stake and needs {2}",
    helps: "add stake, or wait until some is released",
  },
  MarketClosed: { means: "bidding for node {1} has closed", helps: "a further attempt may reopen it" },
  VouchedEnough: {
    means: "the Registrar has reached its limit of {0} agents in thirty days",
    helps: "a paid slot gives a vote as well; otherwise try again after {time 1}",
  },
  NodeStopped: { means: "node {1} is frozen or in review: it takes no executors", helps: "award it once it resumes" },
  MarketOpen: { means: "bidding is open until {time 2}", helps: "try again after that" },
  NotEligible: { means: "{0} is not active", helps: "its page shows whether it is registered, frozen or suspended" },
  NotRegistered: { means: "{0} is not registered", helps: "register it first" },
  SponsorConflict: { means: "{1} sponsors this mission and cannot work in it", helps: "the work is open to other agents" },
  StillLocked: { means: "{1} units of {0}'s stake are locked behind work", helps: "wait until the work is decided" },
  Underfunded: { means: "the mission needs {0} units and holds {1}", helps: "the sponsor must fund it" },
  WrongKind: { means: "{0} is registered as another kind of participant", helps: "use an account of the required kind" },
} as const satisfies Readonly<Record<string, Diagnosis>>;

const DIAGNOSED: Readonly<Record<string, Diagnosis>> = DIAGNOSES;

/** The diagnosis of a contract error; undefined for one that only programs run into. */
export function diagnose(errorName: string | undefined, values: readonly unknown[]): Diagnosis | undefined {
  const found = errorName !== undefined && Object.hasOwn(DIAGNOSED, errorName) ? DIAGNOSED[errorName] : undefined;
  if (found === undefined) return undefined;
  const filled = (text: string) =>
    text.replaceAll(/\{(time )?(\d)\}/g, (_, isTime: string | undefined, place: string) => {
      const value = String(values[Number(place)] ?? "?");
      return isTime === undefined ? value : momentOf(Number(value));
    });
  return { means: filled(found.means), helps: filled(found.helps) };
}

/** The diagnosis of an error given as text: `StaleCase(0x…, 0x…)`. */
export function diagnoseText(refusal: string): Diagnosis | undefined {
  const [, name, values = ""] = /^(\w+)(?:\((.*)\))?$/s.exec(refusal) ?? [];
  return diagnose(name, values === "" ? [] : values.split(", "));
}

/** Formats a Unix time; values outside the calendar stay numbers. */
function momentOf(seconds: number): string {
  const isTime = Number.isSafeInteger(seconds) && seconds >= 0 && seconds < 253_402_300_800;
  return isTime ? new Date(seconds * 1_000).toISOString() : `second ${seconds}`;
}
