/** Why a contract refused somebody, and what helps: one catalogue for the command line, the gateway's answers, the console and docs/diagnoses.md. */
export interface Diagnosis {
  /** What is so. In both, `{0}` is the refusal's first value, and `{time 0}` the same as a moment of chain time. */
  readonly means: string;
  /** What to do. */
  readonly helps: string;
}

/** What a person can run into: acts of the panel, steps that anybody may send, offices, stakes and money. Others are between programs. */
export const DIAGNOSES = {
  // The panel's acts.
  ActionUnavailable: { means: "this version has no such act", helps: "draft it again with the version that the city runs" },
  AlreadyExecuted: { means: "it was carried out already", helps: "nothing is left to do" },
  Conflicted: { means: "the adjudicator {0} has an interest in this mission", helps: "another adjudicator has to sign" },
  Expired: { means: "its time ran out at {time 0}", helps: "draft it again" },
  InvalidSignature: { means: "the signature is not that of {0}", helps: "sign exactly what was drafted, with that account" },
  NotAdjudicator: { means: "{0} has no active seat on the panel", helps: "sign with an account that has a seat" },
  NotEnoughSignatures: { means: "it has {0} signatures and needs {1}", helps: "pass it on to another adjudicator" },
  NotGenuine: { means: "{0} is no mission of this city", helps: "check the address" },
  NothingToAudit: {
    means: "no emergency act by one signature waits for an audit under this digest",
    helps: "check the digest, or whether it was audited already",
  },
  QuorumAboveSeats: { means: "{0} signatures would be asked of {1} seats", helps: "choose a quorum that the seats can reach" },
  ReputationCapExceeded: { means: "one act moves a reputation by {0} points at most, not by {1}", helps: "ask for less" },
  RotationRequired: {
    means: "the adjudicator {0} decided this kind of thing alone too often in a row here",
    helps: "it is another adjudicator's turn",
  },
  SignersUnsorted: {
    means: "signatures have to be in the order of their addresses",
    helps: "relay it with `npm run override -- relay`, which sorts them",
  },
  StaleCase: { means: "the state has changed since this was drafted", helps: "look again, and draft it on the state as it is now" },
  NotWhatWasSigned: { means: "what is handed in is not what was signed", helps: "draft and sign it again" },
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
  NotFrozen: { means: "the watchdog has frozen nothing", helps: "nothing is left to do" },
  StoppedLately: { means: "{0} stopped the city at {time 1}, and may not do so again yet", helps: "another adjudicator may" },
  // Seats.
  AlreadySeated: { means: "{0} has a seat already", helps: "choose another account" },
  LastSeats: { means: "the panel keeps at least {0} seats", helps: "seat somebody else first" },
  NotSeated: { means: "{0} has no seat", helps: "check the address" },
  PrincipalAlreadySeated: { means: "{0} answers for a seat already", helps: "a principal has one seat" },
  StillUnbonding: { means: "the stake of {0} is held until {time 1}", helps: "withdraw it then" },
  TooManySeats: { means: "the panel has {0} seats at most", helps: "free one first" },
  WasImpeached: { means: "{0} was impeached", helps: "an impeached adjudicator is not seated again" },
  // Missions and their nodes.
  AlreadyAppealed: { means: "{1} has appealed here before", helps: "wait for the ruling" },
  AppealsDiffer: { means: "another appeal was filed since this ruling was drafted", helps: "look at all of them, and rule again" },
  AttemptOver: { means: "it is about another attempt than the one at work", helps: "look at the node as it is now" },
  BudgetSpent: { means: "node {0} has spent its budget of {1}", helps: "no further attempt can be paid" },
  ChildrenRunning: { means: "missions below this one still run", helps: "wait until they are over" },
  FrozenBefore: {
    means: "this attempt's verdict was held up once already",
    helps: "once an attempt is all there is; reject, or let the panel decide",
  },
  NoOpenAppeal: { means: "nobody's appeal is open there", helps: "nothing is left to do" },
  NotAppealable: { means: "{1} cannot appeal here", helps: "who did the work may, once it is decided and not paid" },
  NotExpired: { means: "the mission's time runs until {time 0}", helps: "try again then" },
  NothingToRefund: { means: "nothing is left of the deposit", helps: "nothing is left to do" },
  NotSilent: { means: "the chain has not been silent for long enough", helps: "try again later" },
  NotStopped: { means: "nothing is stopped there", helps: "nothing is left to do" },
  NotVetoed: { means: "nobody vetoed this output", helps: "look at the node as it is now" },
  SlashExceeded: { means: "at most {0} units can be taken, not {1}", helps: "ask for less" },
  Stopped: { means: "the mission is stopped", helps: "two adjudicators may clear the stop" },
  TooEarly: { means: "it is not due yet", helps: "try again at the time that the page shows" },
  UnknownFreeze: { means: "there are {1} freezes, and none is number {0}", helps: "check the number" },
  AlreadyClassified: { means: "that freeze was classified before", helps: "nothing is left to do" },
  Unsettled: { means: "not everything is paid, recorded and heard yet", helps: "claim what is due and close it afterwards" },
  WindowClosed: { means: "its time was over at {time 1}", helps: "nothing can be filed any more" },
  WindowOpen: { means: "appeals may be filed until {time 1}", helps: "try again then" },
  WrongMissionState: { means: "the mission is in a state in which this cannot be done", helps: "look at the mission as it is now" },
  WrongNodeState: { means: "node {0} is in a state in which this cannot be done", helps: "look at the node as it is now" },
  // Sessions.
  AwaitingRuling: { means: "adjudicators have to rule on a suspected bloc first", helps: "the case is in the override panel" },
  NotReintroducible: { means: "this session did not end in a way that another may follow", helps: "open a session of its own" },
  NothingToRule: { means: "no bloc is to be ruled on there", helps: "nothing is left to do" },
  TooFewAdjudicators: { means: "only {0} adjudicators have a seat, too few for a mission", helps: "seat more first" },
  TooLate: { means: "its time is over", helps: "what was due goes on without it" },
  // The constitution.
  AmendmentWaits: {
    means: "how long it takes to leave does not change while somebody may have to",
    helps: "wait until the announced amendment is over",
  },
  NothingAnnounced: { means: "no amendment is announced there", helps: "announce it first" },
  ParameterOutOfRange: { means: "the value has to lie from {2} to {3}, and {1} does not", helps: "choose a value within the range" },
  ParametersDescend: { means: "the values of one scale have to rise: {1} is above {2}", helps: "change its neighbours first" },
  ParametersDoNotAddUp: { means: "the two shares have to add up to {3}", helps: "change both in one order" },
  UnbondingTooShort: { means: "who leaves must be held for as long as anything can be held against them, {1} s", helps: "choose more" },
  // Members, stakes and money.
  AlreadyRegistered: { means: "it is registered already", helps: "nothing is left to do" },
  Barred: { means: "{2} lost this work in an attempt before", helps: "it is open to others" },
  CapExceeded: { means: "at most {0} units can be paid here, not {1}", helps: "ask for less" },
  CoverStands: { means: "the pool stands behind a bid with {3} units", helps: "wait until the work is decided" },
  DidTaken: { means: "the DID is {1}'s", helps: "choose another" },
  ERC20InsufficientAllowance: { means: "{0} may take {1} units and needs {2}", helps: "approve the rest first" },
  ERC20InsufficientBalance: { means: "{0} has {1} units and needs {2}", helps: "fund the account first" },
  FrozenAgent: { means: "{0} is frozen until {time 1}", helps: "adjudicators may end the freeze" },
  InsufficientFreeStake: {
    means: "{0} has {1} units of stake that are free, and {2} are needed",
    helps: "add stake, or wait until some is released",
  },
  MarketClosed: { means: "bidding on node {1} is over", helps: "another attempt may open it again" },
  VouchedEnough: {
    means: "the Registrar vouched for {0} agents in thirty days",
    helps: "a paid slot gives a vote too; try again after {time 1}",
  },
  NodeStopped: { means: "node {1} is frozen or in review: it takes no executors", helps: "award it when it goes on" },
  MarketOpen: { means: "bids are taken until {time 2}", helps: "try again then" },
  NotEligible: { means: "{0} may not do this now", helps: "its page says whether it is registered, frozen or suspended" },
  NotRegistered: { means: "{0} is not registered", helps: "register it first" },
  SponsorConflict: { means: "{1} pays for this mission, and so cannot work in it", helps: "it is open to others" },
  StillLocked: { means: "{1} units of {0}'s stake are bound to work", helps: "wait until the work is decided" },
  Underfunded: { means: "the mission needs {0} units and holds {1}", helps: "the sponsor has to fund it" },
  WrongKind: { means: "{0} is registered as something else", helps: "use an account of the kind that is asked for" },
} as const satisfies Readonly<Record<string, Diagnosis>>;

const DIAGNOSED: Readonly<Record<string, Diagnosis>> = DIAGNOSES;

/** What is known of a contract's refusal; undefined for what only programs run into. */
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

/** The same of a refusal as text: `StaleCase(0x…, 0x…)`. */
export function diagnoseText(refusal: string): Diagnosis | undefined {
  const [, name, values = ""] = /^(\w+)(?:\((.*)\))?$/s.exec(refusal) ?? [];
  return diagnose(name, values === "" ? [] : values.split(", "));
}

/** Seconds; what is no time that a calendar has is left as it is. */
function momentOf(seconds: number): string {
  const isTime = Number.isSafeInteger(seconds) && seconds >= 0 && seconds < 253_402_300_800;
  return isTime ? new Date(seconds * 1_000).toISOString() : `second ${seconds}`;
}
