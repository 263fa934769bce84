/** What operations may cost (contracts.md, gas budgets; decisions 32). Gas of one transaction unless the row says otherwise. */
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
    exception: { limit: 185_000, why: "not yet worked on" },
  },
  {
    operation: "register-service",
    measured: "sent by the owner; a further service of the same owner costs the same",
    reference: 55_000,
    budget: 55_000,
    exception: { limit: 88_000, why: "not yet worked on" },
  },
  {
    operation: "deploy-mission-8",
    measured: "inside `approve`: clone with the law as arguments, read back, escrow in, activated; with the base price of a transaction",
    reference: 340_000,
    budget: 340_000,
    exception: { limit: 545_000, why: "not yet worked on" },
  },
  {
    operation: "node-tier1",
    measured: "a node of a wave of four: its part of `route` and `clear` (which records), its own relayed signed commit",
    reference: 277_000,
    budget: 190_000,
    exception: { limit: 330_000, why: "not yet worked on" },
  },
  {
    operation: "clear-5",
    measured: "five signed verdicts, floor REC, two proven items; a human has the last word, so nothing is recorded",
    reference: 0,
    budget: 120_000,
    exception: { limit: 355_000, why: "not yet worked on" },
  },
  {
    operation: "mission-8-onchain",
    measured: "4 → 3 → 1 with 14 executors, every transaction from the first route to the last record, an adjudicator's approval included",
    reference: 2_556_000,
    budget: 1_750_000,
    exception: { limit: 4_750_000, why: "not yet worked on" },
  },
  {
    operation: "claim-8",
    measured: "per node: that mission's eight nodes in one claim, 14 executors and their verifiers paid",
    reference: 0,
    budget: 30_000,
    exception: { limit: 110_000, why: "not yet worked on" },
  },
  {
    operation: "ballot-8",
    measured: "a full ranking of eight by the voter's own transaction, its first",
    reference: { row: "governor-castVote" },
    budget: { row: "governor-castVote", share: 1 },
    exception: { limit: 78_500, why: "not yet worked on" },
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
  },
  {
    operation: "unfreeze",
    measured: "`act` with one adjudicator's signature, relayed",
    reference: 38_000,
    budget: 115_000,
    exception: { limit: 175_000, why: "not yet worked on" },
  },
  {
    operation: "approve-mission-8",
    measured: "the whole `approve` around deploy-mission-8: three offices' signatures and envelopes, the market opened",
    reference: 0,
    budget: null,
  },
];
