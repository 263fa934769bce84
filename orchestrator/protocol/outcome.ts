import { z } from "zod";
import { answerBySchema, disagreementSchema } from "./disagreement.ts";
import { executionMetricsSchema, metricsSchema } from "./metrics.ts";
import { ASKED_KINDS } from "./verifier-kinds.ts";

/** Amounts are decimal text in the settlement token's smallest unit. */
const units = z.string().regex(/^(0|[1-9]\d*)$/);
const hex = z.string().regex(/^0x[0-9a-f]*$/i);

/**
 * Where a mission's money went: deposit = paid + fees + insurance + discount + refunded + children; the subsidy comes from the treasury.
 * `children` is what child missions kept of their loans.
 */
const moneySchema = z.strictObject({
  deposit: units,
  paid: units,
  fees: units,
  insurance: units,
  discount: units,
  refunded: units,
  children: units,
  subsidy: units,
});

const statusSchema = z.enum(["completed", "failed", "aborted", "no-law"]);

const candidateSchema = z.strictObject({
  /** Position on the ballot; 0 is "no law". */
  entry: z.int().min(0),
  letter: z.string(),
  title: z.string(),
  specHash: hex,
  proposer: z.string(),
  sponsors: z.int().min(0),
});

const executorSchema = z.strictObject({
  agent: z.string(),
  service: z.string(),
  /** Which attempt at the node, from 1. */
  attempt: z.int().min(1),
  price: units,
  paid: units,
  /** Result of the work: in the agreeing majority, outside it, in a failed attempt, never committed, or cut off by the mission's end. */
  result: z.enum(["agreed", "dissented", "failed", "absent", "stopped"]),
  /** Why the service failed, in the sandbox's words; null if it finished or never started. */
  fault: z.string().nullable(),
  slashed: units,
});

/** A failed attempt at a node. */
const failedAttemptSchema = z.strictObject({
  /** From 1. */
  attempt: z.int().min(1),
  /** Executors of that attempt. */
  by: z.array(z.string()),
  /** Event name on chain: `CLEARED_FAIL`. */
  reason: z.string(),
  /** The same for display. */
  words: z.string(),
});

/** Disagreements of one node that are listed item by item; further ones are counted only. */
export const MAX_DIFFERING = 10;

/** Where redundant executors disagree. `chosen` is the accepted value, null if none was. */
const differenceSchema = z.strictObject({
  ...disagreementSchema.omit({ items: true }).shape,
  differing: z.int().min(0),
  first: z
    .array(z.strictObject({ id: z.string(), answers: z.array(answerBySchema), chosen: z.union([z.string(), z.number(), z.null()]) }))
    .max(MAX_DIFFERING),
});

const nodeSchema = z.strictObject({
  label: z.string(),
  /** Task of the mission file; a task may be split into several nodes. */
  task: z.string(),
  state: z.string(),
  /** How it ended: `stopped` was started and cut off by the mission's end, `not-started` never had an executor at work. */
  end: z.enum(["done", "failed", "stopped", "not-started"]),
  tier: z.int(),
  /** Kinds of check that its law required in addition to re-execution. */
  verifiers: z.array(z.enum(ASKED_KINDS)).optional(),
  /** Gas of all transactions for this node alone, plus its share of batches. */
  gas: z.int().min(0),
  attempts: z.int().min(1),
  class: z.string(),
  executors: z.array(executorSchema),
  /** Oldest first. */
  failures: z.array(failedAttemptSchema),
  /** Number of items on which executors disagree. */
  dissent: z.int().min(0),
  /** The last attempt in which two executors showed their work; null if there was none. */
  disagreement: differenceSchema.nullable(),
  /** The bundle file with its output as JSON, and the number of items in it; null without output. */
  output: z.strictObject({ file: z.string(), items: z.int().min(0) }).nullable(),
});

/** Problems that are listed one by one; further ones are counted only. */
export const MAX_PROBLEMS = 20;

const inputSchema = z.strictObject({
  kind: z.string(),
  items: z.int().min(0),
  /** Items that could not be read fully: their number, and the first ones by id. */
  unreadable: z.strictObject({
    count: z.int().min(0),
    first: z.array(z.strictObject({ id: z.string(), problem: z.string() })).max(MAX_PROBLEMS),
  }),
});

/** Why the order failed, and what its sponsor can do. */
const failureSchema = z.strictObject({
  /** Label of the node that caused the failure; null if it was no single node. */
  node: z.string().nullable(),
  reason: z.string(),
  action: z.string(),
});

/** A child mission of this mission or of one of its children. */
const childSchema = z.strictObject({
  /** Labels of the nodes from the top: `lots-1/rooms-2`. */
  path: z.string(),
  /** Address of the parent mission. */
  parent: hex,
  /** Attempt at the parent node, from 1. */
  attempt: z.int().min(1),
  session: z.string(),
  /** Null if its session made no law. */
  mission: hex.nullable(),
  status: statusSchema,
  /** Title of its law. */
  title: z.string().nullable(),
  /** Nodes that have executors. */
  leaves: z.int().min(0),
  /** The deposit is what the parent lent. */
  money: moneySchema,
});

/** One law of several for the same goal (AgentCity B.11.4, full re-legislation). */
const epochSchema = z.strictObject({
  /** Number of earlier, failed missions for the same goal. */
  epoch: z.int().min(0),
  session: z.string(),
  /** Null if its session made no law. */
  mission: hex.nullable(),
  status: statusSchema,
  /** Why the previous law failed, as named by `rules/faults.ts`; null for the first. */
  cause: z.strictObject({ node: z.int(), type: z.string(), class: z.string(), reason: z.string() }).nullable(),
  /** The deposit is what the previous epoch did not spend. */
  money: moneySchema,
});

/** Hybrid mode of this mission, without its children. */
const hybridSchema = z.strictObject({
  /** τ: the longest time that work may stay off chain, seconds of chain time. */
  interval: z.int().positive(),
  checkpoints: z.int().min(0),
  /** Attempts included in checkpoints. */
  anchored: z.int().min(0),
  /** Attempts started off chain but then put on chain stage by stage, or stopped. */
  late: z.int().min(0),
  /** N_unaudited: the largest number of nodes started off chain and not anchored yet. */
  unaudited: z.int().min(0),
  /** Longest time from a wave's start to its checkpoint, seconds of chain time. */
  longest: z.int().min(0),
});

/** Subject of an adjudicator's order that names no node. */
export const THE_MISSION = "the mission";

/** The one document that `--json` prints; the screen is rendered from it alone. */
export const outcomeSchema = z.strictObject({
  status: statusSchema,
  name: z.string(),
  /** As stated in the mission file. */
  goal: z.string(),
  input: inputSchema,
  network: z.string(),
  chainId: z.int(),
  seed: z.string(),
  session: z.string(),
  /** Address of the mission's contract; null if no law was made. */
  mission: z.string().nullable(),
  law: z.strictObject({
    producers: z.int(),
    principals: z.int(),
    candidates: z.array(candidateSchema),
    lawHash: hex.nullable(),
    fidelity: z.boolean(),
    /** Earlier sessions of the same order, and the state each ended in. */
    past: z.array(z.strictObject({ session: z.string(), end: z.string() })),
  }),
  /** One per voter, by name: ballot entries, most preferred first. */
  ballots: z.array(z.strictObject({ agent: z.string(), ranking: z.array(z.int()) })),
  /** pairwise[i][j]: voters who rank entry i above entry j. */
  pairwise: z.array(z.array(z.int())),
  winner: z.strictObject({ entry: z.int(), letter: z.string(), title: z.string() }).nullable(),
  /** Metrics of the session. */
  metrics: metricsSchema,
  /** Metrics of the execution, over all laws. */
  execution: executionMetricsSchema,
  market: z.strictObject({
    tasks: z.int(),
    bids: z.int(),
    fairness: z.int(),
    minFairness: z.int(),
    stakeLocked: units,
  }),
  nodes: z.array(nodeSchema),
  /** Producers excluded from the market, and why. */
  excluded: z.array(z.strictObject({ agent: z.string(), reason: z.string() })),
  /** Every law of this order, oldest first; a last one without a mission failed in its session. */
  epochs: z.array(epochSchema),
  /** Every mission below this one, parents before children, in the order of opening. */
  children: z.array(childSchema),
  /** Work done off chain and anchored later (AgentCity B.11.6); null if the law requires every stage on chain. */
  hybrid: hybridSchema.nullable(),
  /** `node`: a label, or THE_MISSION. `because`: the signed reason on one line; "" if its text is not available. */
  human: z.array(
    z.strictObject({ node: z.string(), action: z.string(), adjudicator: z.string(), simulated: z.boolean(), because: z.string() }),
  ),
  settlement: z.strictObject({ appealWindow: z.int(), advancedClock: z.boolean(), closed: z.boolean() }),
  /** Of the last law. */
  money: moneySchema,
  /** Of all laws together: the first deposit, and the last refund. */
  total: moneySchema,
  slashed: units,
  gasByStage: z.array(z.strictObject({ stage: z.string(), transactions: z.int(), gas: z.int() })),
  reputations: z.array(z.strictObject({ agent: z.string(), before: z.int(), after: z.int() })),
  /** Null if the order succeeded. */
  failure: failureSchema.nullable(),
  /** Whether the output document was released: only if all work is complete, and records and chain agree. */
  released: z.boolean(),
  /** Output format in the law: `markdown`, `json`; null if no law was made. */
  format: z.string().nullable(),
  /** Path of the report, relative to the city's home. */
  report: z.string(),
  /** Path of the bundle, relative to the city's home; null if no law was made. */
  bundle: z.string().nullable(),
  /** The chain's last block at the end of the mission. */
  finalBlock: z.strictObject({ number: z.int(), hash: hex }),
});

export type Outcome = z.infer<typeof outcomeSchema>;
export type Money = z.infer<typeof moneySchema>;

/** Totals over all laws of an order: each deposit after the first is what the previous law did not spend. */
export function totalOf(epochs: Outcome["epochs"]): Money {
  const [first, last] = [epochs[0], epochs.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError("an order has at least one session");
  const sum = (part: "paid" | "fees" | "insurance" | "discount" | "children" | "subsidy") =>
    epochs.reduce((total, { money }) => total + BigInt(money[part]), 0n).toString();
  return {
    deposit: first.money.deposit,
    paid: sum("paid"),
    fees: sum("fees"),
    insurance: sum("insurance"),
    discount: sum("discount"),
    refunded: last.money.refunded,
    children: sum("children"),
    subsidy: sum("subsidy"),
  };
}

/** deposit = paid + fees + insurance + discount + refunded + children. */
export function balances(money: Money): boolean {
  const { deposit, paid, fees, insurance, discount, refunded, children } = money;
  return BigInt(deposit) === [paid, fees, insurance, discount, refunded, children].reduce((sum, part) => sum + BigInt(part), 0n);
}

/** Display names of the chains that a city mines itself. Names of networks contain no space. */
export const OWN_CHAINS = { embedded: "embedded L2", anvil: "Anvil L2" } as const;

/** Whether the mission ran on a live network, whose RPC endpoint its audit needs. */
export function wasLive({ network }: Pick<Outcome, "network">): boolean {
  return !Object.values<string>(OWN_CHAINS).includes(network);
}
