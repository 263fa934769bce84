/** What operations may cost (contracts.md, gas budgets; decision 32). Gas of one transaction unless the row says otherwise. */
export interface GasBudget {
  readonly operation: string;
  /** What is measured, so that the number can be judged. */
  readonly measured: string;
  /** The design's estimate, in gas, or the row of a peer measured in the same run. */
  readonly reference: number | { readonly row: string };
  /** In gas, or as a share of a peer's row. */
  readonly budget: number | { readonly row: string; readonly share: number } | null;
  /** A row that misses its budget: what it may cost meanwhile, and why. */
  readonly exception?: { readonly limit: number; readonly why: string };
}

export const GAS_BUDGETS: readonly GasBudget[] = [
  {
    operation: "register-agent",
    measured: "an agent of a known principal sends, its principal's signature and ERC-20 stake come with it",
    reference: 100_000,
    budget: 150_000,
    exception: {
      limit: 160_500,
      why: "two words for the agent are 44,000, its principal's word, the census and a checked token transfer 32,000; signatures, typed data and the DID's form are 45,000 of calldata and compute; whether the city is founded, and ten claims against what a newcomer may claim, 6,000; reading the balance before and after (what is booked is what arrived) is what a cheaper design would leave out",
    },
  },
  {
    operation: "register-service",
    measured: "sent by the owner; a further service of the same owner costs the same",
    reference: 55_000,
    budget: 55_000,
  },
  {
    operation: "deploy-mission-8",
    measured: "inside `approve`: clone with the law as arguments, read back, escrow in, activated; with the base price of a transaction",
    reference: 340_000,
    budget: 340_000,
    exception: {
      limit: 352_000,
      why: "the law as the clone's code costs 200 gas a byte, 163,000 for eight nodes, of which the root of the code that it admits is a word (one a law, where one a task were three), and creation, escrow and origin 90,000 more; the rest is activation and the deposit's transfer",
    },
  },
  {
    operation: "node-tier1",
    measured: "a node of a wave of four: its part of `route`, of the wave's commits and of `clear` (which records)",
    reference: 277_000,
    budget: 190_000,
    exception: {
      limit: 194_500,
      why: "a commit, an evidence item and a verdict are three recovered signatures with their calldata, in batches; more than a quarter are words of node, slot and pledge, a tenth events, and two fifths compute, in many small parts (a docket per node in memory is 2,000); the word of who judged is 22,000 in a mission's first clearing and 5,000 at most in later ones",
    },
  },
  {
    operation: "node-tier1-hybrid",
    measured: "the same in hybrid mode: its part of the wave's checkpoint and of `clear`",
    reference: 0,
    budget: null,
  },
  {
    operation: "clear-5",
    measured: "five signed verdicts, floor REC, two proven items; a human has the last word, so nothing is recorded",
    reference: 0,
    budget: 120_000,
    exception: {
      limit: 243_000,
      why: "five verdicts and two items are 60,000 gas of calldata and recovery, the base price 21,000, marking who judged, for conflicts of interest, 22,000 in a mission's first clearing and 5,000 at most in later ones; the draw, the weighing and the checks of each verdict are the rest",
    },
  },
  {
    operation: "mission-8-onchain",
    measured: "4 → 3 → 1 with 14 executors, every transaction from the first route to the last record, an adjudicator's approval included",
    reference: 2_556_000,
    budget: 1_750_000,
    exception: {
      limit: 2_588_000,
      why: "panels are drawn by addresses and differ between two builds of the same path; the paper's figure counts no signature; here eight executors' signatures over their waves, 14 live hashes, 14 items, 14 verdicts and one act are recovered, two fifths are compute (below), a tenth are events of one slot each, each slot's word, pledge and principal are read cold in every stage, and each node's clock is looked at against the time that its mission stood still (14,000); an approval reads who attested the items it rests on",
    },
  },
  {
    operation: "mission-8-alone",
    measured: "the same, each commit and each reveal in a transaction of its own, as executors without a relayer send them",
    reference: 0,
    budget: null,
  },
  {
    operation: "mission-8-compute",
    measured: "what stack, jumps, arithmetic, memory and hashing take of one such mission, from its traces",
    reference: 0,
    budget: { row: "mission-8-onchain", share: 0.3 },
    exception: {
      limit: 982_500,
      why: "waves, laws, items and verdicts are read where they lie; what is left are bounds of arrays (19,000), a docket per node in memory (17,000), pledges that are looked at twice, typed-data hashing, the coding of calls between contracts, and the time that a mission stood still, taken off and added to each node's clock (16,000)",
    },
  },
  {
    operation: "mission-8-hybrid",
    measured: "the same mission under a law with checkpoints: three of them, four calls for clearing and the approval",
    reference: 740_000,
    budget: 600_000,
    exception: {
      limit: 2_438_000,
      why: "its three checkpoints are a quarter, with 14 commitments opened and 17 signatures recovered. A frozen node stops no other: each is attempted separately, 3,600, and who approves is remembered for its appeal, 22,000. The other three are what every entitlement costs in either mode: 14 verdicts and 14 items proven, a human's approval; the paper's figure proves nothing and pays nobody on chain",
    },
  },
  {
    operation: "mission-32-onchain",
    measured: "16 → 15 → 1 with 62 executors, as above, at most sixteen nodes in a transaction",
    reference: 9_204_000,
    budget: null,
  },
  { operation: "mission-32-hybrid", measured: "the same in hybrid mode", reference: 0, budget: null },
  {
    operation: "mission-100-onchain",
    measured: "50 → 49 → 1 with 198 executors, in one mission: a law may have 256 nodes",
    reference: 28_040_000,
    budget: null,
  },
  { operation: "mission-100-hybrid", measured: "the same in hybrid mode", reference: 1_340_000, budget: null },
  {
    operation: "claim-8",
    measured: "per node: that mission's eight nodes in one claim, 14 executors, their premiums and their verifiers credited in the vault",
    reference: 0,
    budget: 30_000,
    exception: {
      limit: 95_500,
      why: "a node of this mission credits 1.75 executors with their premiums and 1.75 verifiers: stakes and reputations move here as well since an appealed outcome moves nothing (24,000, of which the missions above were relieved; an account is written once, however many of its nodes are claimed), a quarter is cold words (slots, accounts, principals' premiums, parameters), two words of the mission are new (the nodes claimed, the sums paid), 27,000 is the compiler's work on them, and 2,000 whether the executors get a vote by it, and 2,000 to 10,000 verifiers whose account is new: eight draws seat as many different ones as the bytecode's addresses come to (up to 7,000 between measurements of the same code path); the withdrawals that follow are not in it",
    },
  },
  {
    operation: "ballot-8",
    measured: "a full ranking of eight by the voter's own transaction, its first",
    reference: { row: "governor-castVote" },
    budget: { row: "governor-castVote", share: 1 },
    exception: {
      limit: 76_000,
      why: "two words of pairwise counters, one of lanes and the session's count are written where the Governor writes two words; the electorate is read from two institutions",
    },
  },
  {
    operation: "ballot-8-batch100",
    measured: "per ballot: a hundred signed full rankings of eight in one transaction",
    reference: { row: "governor-castVoteBySig" },
    budget: { row: "governor-castVoteBySig", share: 0.2 },
  },
  {
    operation: "governor-castVote",
    measured: "OpenZeppelin Governor, same compiler and run: one choice of three, the voter's first",
    reference: 0,
    budget: null,
  },
  {
    operation: "governor-castVoteBySig",
    measured: "the same by signature, relayed",
    reference: 0,
    budget: null,
  },
  {
    operation: "freeze",
    measured: "a monitor's `report`",
    reference: 40_000,
    budget: 60_000,
    exception: {
      limit: 126_500,
      why: "an agent's first freeze writes the word that counts its freezes (22,000), by which the mission is stopped when they get too many; without it the row was 59,999; that the monitor's principal has no part in the mission is four calls (17,000), two of them for its number as a verifier's; that the monitor's house takes nothing over is a word of the market (26,000); what is stopped late keeps a fifth of its time, and the order has an entry of its own (300)",
    },
  },
  {
    operation: "unfreeze",
    measured: "`act` with one adjudicator's signature, relayed",
    reference: 38_000,
    budget: 115_000,
    exception: {
      limit: 199_500,
      why: "the mission's word of approvals and the adjudicator's own at the watchdog are new (44,000), the act's own type is hashed word by word from its table (6,000), eight contracts are entered for the first time (21,000), the case is hashed before it is judged, by a library of its own (5,000), and conflicts are looked up in the mission and in its tree, also by the number of its principal as a verifier's (17,000)",
    },
  },
  {
    operation: "appeal",
    measured: "by a party's signature, handed in by somebody else; the bond's allowance was given before",
    reference: 0,
    budget: 150_000,
  },
  {
    operation: "approve-mission-8",
    measured: "the whole `approve` around deploy-mission-8: three offices' signatures and envelopes, the market opened",
    reference: 0,
    budget: null,
  },
  {
    operation: "agreement-job",
    measured:
      "a job in `AgreementEscrow`, one key as evaluator: `open` with both signatures, `fund`, `submit`, `complete`, `withdraw` to the provider",
    reference: 483_285,
    budget: 420_000,
  },
  {
    operation: "panel-register",
    measured: "a job put before `ClearingEvaluator`, with both parties' signatures; the job's words are read from its escrow",
    reference: 0,
    budget: null,
  },
  {
    operation: "panel-deliver",
    measured: "the provider's own `deliver`, which draws the panel",
    reference: 0,
    budget: null,
  },
  {
    operation: "panel-evaluate",
    measured: "three signed verdicts on two items of one issuer, floor ATT; the decision is written",
    reference: 0,
    budget: 140_000,
  },
  {
    operation: "panel-finalise",
    measured: "the decision carried out in an escrow of the draft's order, the provider paid",
    reference: 0,
    budget: 95_000,
  },
];
