/**
 * Who may call what: every mutating function of every deployed contract → the kinds of caller it lets in → the one error everyone
 * else gets. `docs/authority.md` prints it; `test/contracts/authority/` replays a succeeding call of each row as every kind of caller.
 */

/** Kinds of caller. Capitals are institutions, by their name in `enum Institution`; the rest are people, and roles in one call. */
export const ROLES = {
  outsider: "a key that the city does not know",
  contract: "a contract that the city does not know",
  deployer: "who deployed the city, after `seal`",
  producer: "a producer with nothing to do with the call",
  principal: "that producer's principal",
  "sub-agent": "a producer that another producer made",
  verifier: "a verifier with nothing to do with the call",
  registrar: "a clerk",
  speaker: "a clerk",
  regulator: "a clerk",
  codifier: "a clerk",
  adjudicator: "a seated adjudicator",
  senior: "the adjudicator who has been seated longest",
  conflicted: "a seated adjudicator whose principal takes part in the missions of the cast",
  flagged: "a seated adjudicator whom the watchdog has warned of",
  resigned: "an adjudicator who left its seat, its stake still unbonding",
  impeached: "an adjudicator who lost its seat and is banned",
  runner: "attests live code",
  monitor: "reports anomalies",
  issuer: "signs evidence",
  mission: "a genuine mission that is not the one concerned",
  "old clone": "such a mission, of a template that has a newer version",
  sponsor: "who pays the session or mission concerned",
  executor: "an agent bound to the node concerned",
  panel: "a verifier drawn for the node concerned",
  itself: "the mission concerned",
  agent: "whom the call is about: the bidder, voter, owner, holder of the seat",
  "its principal": "the principal of whom the call is about",
  manager: "who opened the stake pool concerned",
  client: "who pays by an agreement",
  provider: "who works by an agreement",
  evaluator: "who judges by an agreement",
  backup: "who judges by an agreement whose evaluator was silent",
  arbiter: "who decides disputes of an agreement",
  spender: "whom the holder of tokens allowed",
  CONSTITUTION: "ConstitutionContract",
  TOKEN: "the settlement token",
  PRODUCERS: "ProducerContract",
  CLERKS: "ClerkContract",
  MANAGEMENT: "ManagementContract",
  SERVICES: "ServiceContract",
  EVIDENCE: "EvidenceRegistry",
  TREASURY: "Treasury",
  TEMPLATES: "TemplateRegistry",
  VALIDATOR: "ConstitutionalValidator",
  LEGISLATION: "LegislativeProcedure",
  EXECUTION: "ExecutionProcedure",
  ADJUDICATION: "AdjudicationProcedure, the governor",
  ROSTER: "AdjudicatorRoster",
  STAKE_POOL: "StakePool",
  WATCHDOG: "AdjudicatorWatchdog",
  "former LEGISLATION": "a legislature that was replaced",
  "former EXECUTION": "a market that was replaced",
  "former ADJUDICATION": "a panel's procedure that was replaced",
} as const;
export type Role = keyof typeof ROLES;

/** Kinds that get the answers of another kind wherever a row does not name them: what sets them apart counts elsewhere. */
export const LIKE: Partial<Record<Role, Role>> = {
  senior: "adjudicator",
  conflicted: "adjudicator",
  flagged: "adjudicator",
  "sub-agent": "producer",
  "old clone": "mission",
};

export const ANYONE = "anyone";

/** One way to call a function. */
export interface Rule {
  /** The situation, where a function has several. */
  readonly when?: string;
  readonly callers: readonly Role[] | typeof ANYONE;
  /** Name of the error that everyone else gets. */
  readonly refusal?: string;
  /** Kinds that get another answer than the rest, with the error. */
  readonly except?: Partial<Record<Role, string>>;
}

const anyone: readonly Rule[] = [{ callers: ANYONE }];
const only = (refusal: string, ...callers: Role[]): readonly Rule[] => [{ callers, refusal }];
const governor = only("NotGovernor", "ADJUDICATION");

/** Open to anyone with a signature; without one the signer must be the caller. */
const signedBy = (signer: Role): readonly Rule[] => [
  { when: "signed", callers: ANYONE },
  { when: "unsigned", callers: [signer], refusal: "InvalidSignature" },
];

const refuse = (error: string, ...roles: Role[]): Partial<Record<Role, string>> => Object.fromEntries(roles.map((role) => [role, error]));

/** Who works in the city, or did. */
const MEMBERS = [
  "producer",
  "executor",
  "verifier",
  "registrar",
  "speaker",
  "regulator",
  "codifier",
  "adjudicator",
  "resigned",
  "impeached",
] as const;

/** Rows by contract, then by function. */
export const AUTHORITY: Readonly<Record<string, Readonly<Record<string, readonly Rule[]>>>> = {
  ConstitutionContract: {
    wire: only("NotDeployer", "deployer"),
    seal: only("NotDeployer", "deployer"),
    setParam: governor,
    amend: governor,
    withdrawAmendment: governor,
    enact: anyone,
    pulse: anyone,
  },
  ProducerContract: {
    register: signedBy("agent"),
    registerSubAgent: signedBy("agent"),
    attestCapabilities: only("NotAuthorised", "regulator"),
    enfranchise: only("NotAuthorised", "registrar"),
    enroll: [
      { when: "a clerk", callers: ["CLERKS"], refusal: "NotAuthorised" },
      { when: "an adjudicator", callers: ["ROSTER"], refusal: "NotAuthorised" },
    ],
    deregister: only("NotAuthorised", "agent", "its principal"),
    withdrawStake: anyone,
    topUpStake: [{ callers: ANYONE, except: refuse("Shortfall", "PRODUCERS") }],
    lock: only("NotAuthorised", "EXECUTION"),
    settle: only("NotAuthorised", "EXECUTION", "former EXECUTION"),
    settleAll: only("NotAuthorised", "EXECUTION", "former EXECUTION"),
    accuse: only("NotAuthorised", "EXECUTION", "former EXECUTION"),
    discharge: only("NotAccused", "EXECUTION"),
    reproach: only("NotAuthorised", "EXECUTION", "former EXECUTION"),
    adjustReputation: governor,
    slash: governor,
    ban: governor,
    freezePrincipal: governor,
    freezeAgent: governor,
    lapse: only("NotAuthorised", "LEGISLATION"),
    attend: only("NotAuthorised", "agent", "its principal", "LEGISLATION", "former LEGISLATION"),
  },
  ClerkContract: {
    appoint: governor,
    revoke: governor,
    setEnvelope: governor,
    consume: only("NotProcedure", "LEGISLATION", "EXECUTION", "ADJUDICATION"),
  },
  ManagementContract: {
    setMandate: governor,
    delegate: only("NotClerk", "codifier"),
    recordResult: only("NotClerk", "codifier"),
  },
  ServiceContract: {
    registerService: signedBy("agent"),
    deprecateService: only("NotOwner", "agent"),
  },
  CityToken: {
    approve: anyone,
    cancelAuthorization: [{ when: "signed", callers: ANYONE }],
    mint: only("NotMinter", "deployer"),
    permit: [{ when: "signed", callers: ANYONE }],
    receiveWithAuthorization: only("NotPayee", "spender"),
    transfer: anyone,
    transferFrom: only("ERC20InsufficientAllowance", "spender"),
    transferWithAuthorization: [{ when: "signed", callers: ANYONE }],
  },
  EvidenceRegistry: {
    registerIssuer: governor,
    retire: only("NotProducers", "PRODUCERS"),
    stay: only("NotProducers", "PRODUCERS"),
    registerVerifier: governor,
    registerRunner: governor,
    registerMonitor: governor,
    revoke: governor,
    suspend: governor,
    reseat: anyone,
    pinSeed: anyone,
    postPassports: only("NotRegulator", "regulator"),
    countLapse: only("NotMission", "itself", "mission"),
  },
  KeepsSchema: {
    show: [{ when: "signed", callers: ANYONE }],
  },
  TemplateRegistry: {
    publish: governor,
    deploy: only("NotLegislation", "LEGISLATION"),
  },
  AdjudicatorRoster: {
    seat: governor,
    resign: only("NotSeated", "agent", "adjudicator"),
    countCase: governor,
    collect: anyone,
    recordParty: only("NotExecution", "EXECUTION", "former EXECUTION"),
    withdrawStake: only("NothingToWithdraw", "agent", "resigned"),
    impeach: governor,
  },
  AdjudicatorWatchdog: {
    note: governor,
    release: governor,
    stopCity: governor,
    resumeCity: governor,
  },
  AdjudicationProcedure: {
    act: [{ when: "signed", callers: ANYONE }],
  },
  LegislativeProcedure: {
    openSession: [
      {
        callers: ANYONE,
        except: {
          ...refuse("NotEligible", ...MEMBERS),
          LEGISLATION: "Shortfall",
        },
      },
    ],
    openChildSession: [{ callers: ["itself"], refusal: "UnknownParent", except: refuse("ERC20InsufficientAllowance", "mission") }],
    petition: signedBy("agent"),
    adopt: [
      {
        callers: ANYONE,
        except: {
          ...refuse("NotEligible", "principal", ...MEMBERS),
          LEGISLATION: "Shortfall",
        },
      },
    ],
    reintroduce: signedBy("agent"),
    confirmIdentities: only("NotClerk", "registrar"),
    propose: signedBy("agent"),
    sponsor: signedBy("agent"),
    draft: only("NotClerk", "speaker"),
    openDebate: only("NotClerk", "speaker"),
    strawPoll: signedBy("agent"),
    openVoting: [
      { when: "in time", callers: ["speaker"], refusal: "NotClerk" },
      { when: "after the proposal timeout", callers: ANYONE },
    ],
    castBallots: signedBy("agent"),
    tally: anyone,
    flagBloc: only("NotClerk", "regulator"),
    ruleOnBloc: governor,
    validate: anyone,
    codify: only("NotClerk", "codifier"),
    approve: signedBy("speaker"),
    approveCodification: governor,
    cancel: only("NotSponsor", "sponsor"),
    expire: anyone,
    withdraw: anyone,
    lapse: anyone,
  },
  ExecutionProcedure: {
    openMarket: only("NotLegislation", "LEGISLATION"),
    reopenMarket: only("NotMission", "itself", "mission"),
    bid: signedBy("agent"),
    bidAll: [{ when: "signed", callers: ANYONE }],
    withdrawBid: [...signedBy("agent"), { when: "after the award", callers: ANYONE }],
    award: anyone,
    awardEarly: signedBy("regulator"),
    accuse: only("NotMission", "itself", "mission"),
    bar: only("NotMission", "itself", "mission"),
    settleSlot: [{ callers: ["itself"], refusal: "NotMission", except: { mission: "NoBid" } }],
    approvePredicate: governor,
    settleVerifier: [{ callers: ["itself"], refusal: "NotMission", except: { mission: "NotOnPanel" } }],
    settleSlots: [{ callers: ["itself"], refusal: "NotMission", except: { mission: "NoBid" } }],
    hold: only("NotMission", "itself", "mission"),
    recordVerifiers: only("NotMission", "itself", "mission"),
  },
  Treasury: {
    deposit: anyone,
    settle: only("NotMission", "itself", "mission"),
    withdraw: only("NotAuthorised", "agent", "its principal"),
    withdrawFor: [{ when: "signed", callers: ANYONE }],
    compensate: only("NotRoster", "ROSTER"),
    claimInsurance: governor,
    disburse: governor,
  },
  AgreementEscrow: {
    open: [
      { when: "signed", callers: ANYONE },
      { when: "the client's signature missing", callers: ["client"], refusal: "InvalidSignature" },
    ],
    fund: only("NotAuthorised", "client"),
    submit: only("NotAuthorised", "provider"),
    settle: [
      { when: "in the evaluator's time", callers: ["evaluator"], refusal: "NotAuthorised" },
      { when: "after it", callers: ["evaluator", "backup"], refusal: "NotAuthorised" },
    ],
    complete: only("NotAuthorised", "evaluator"),
    reject: [
      { when: "submitted", callers: ["evaluator"], refusal: "NotAuthorised" },
      { when: "open", callers: ["client"], refusal: "NotAuthorised" },
    ],
    challenge: only("NotAuthorised", "client", "provider"),
    rule: only("NotAuthorised", "arbiter"),
    cancel: [{ when: "signed", callers: ANYONE }],
    finalise: anyone,
    claimRefund: anyone,
    withdraw: anyone,
  },
  ClearingEvaluator: {
    register: [
      { when: "signed", callers: ANYONE },
      { when: "the client's signature missing", callers: ["client"], refusal: "InvalidSignature" },
    ],
    deliver: only("NotAuthorised", "provider"),
    evaluate: anyone,
    redraw: anyone,
    challenge: only("NotAuthorised", "client", "provider"),
    finalise: anyone,
    withdraw: anyone,
  },
  StakePool: {
    openPool: anyone,
    admit: only("NotManager", "manager"),
    join: only("NotAuthorised", "agent", "its principal"),
    giveNotice: only("NotAuthorised", "agent", "its principal"),
    leave: [
      { when: "at will", callers: ["agent", "its principal"], refusal: "NotAuthorised" },
      { when: "after notice", callers: ANYONE },
    ],
    cover: only("NotManager", "manager"),
    uncover: only("NotAuthorised", "manager", "agent", "its principal"),
    stand: only("NotAuthorised", "EXECUTION"),
    settle: only("NotAuthorised", "EXECUTION"),
    collect: anyone,
  },
  CollaborationContract: {
    activate: only("NotLegislation", "LEGISLATION"),
    bind: only("NotExecution", "EXECUTION"),
    route: [{ when: "signed", callers: ANYONE }],
    mismatch: [{ when: "signed", callers: ANYONE }],
    commit: signedBy("executor"),
    commitOpen: signedBy("executor"),
    commitWave: [{ when: "signed", callers: ANYONE }],
    reveal: anyone,
    revealWave: anyone,
    checkpoint: [{ when: "signed", callers: ANYONE }],
    clear: [{ when: "signed", callers: ANYONE }],
    advance: [{ when: "signed", callers: ANYONE }],
    post: [{ when: "signed", callers: ANYONE }],
    redraw: anyone,
    accuse: [{ when: "signed", callers: ANYONE }],
    record: anyone,
    claim: anyone,
    appeal: [
      { when: "signed", callers: ANYONE },
      { when: "the sponsor's, unsigned", callers: ["sponsor"], refusal: "InvalidSignature" },
      { when: "an executor's, unsigned", callers: ["executor"], refusal: "InvalidSignature" },
      { when: "a panel member's, unsigned", callers: ["panel"], refusal: "InvalidSignature" },
    ],
    refund: anyone,
    close: anyone,
    anchor: [{ when: "signed", callers: ANYONE }],
    timeout: anyone,
    reopen: anyone,
    abort: anyone,
    report: only("NotMonitor", "monitor", "executor"),
    sealSnapshot: only("NotMonitor", "monitor"),
    degrade: only("NotMonitor", "monitor"),
    suspend: only("NotMonitor", "monitor"),
    lapse: anyone,
    expire: anyone,
    onOverride: only("NotAdjudication", "ADJUDICATION"),
  },
};
