import { z } from "zod";
import { answerBySchema, disagreementSchema } from "./disagreement.ts";
import { executionMetricsSchema, metricsSchema } from "./metrics.ts";
import { ASKED_KINDS } from "./verifier-kinds.ts";

/** Amounts are decimal text in the settlement token's smallest unit. */
const units = z.string().regex(/^(0|[1-9]\d*)$/);
const hex = z.string().regex(/^0x[0-9a-f]*$/i);

/**
 * Where a mission's money went: deposit = paid + fees + insurance + discount + refunded + children; the subsidy comes from the treasury.
 * `children` is what missions below kept of what they were lent.
 */
export const moneySchema = z.strictObject({
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
  /** What became of the work: in the agreeing majority, outside it, in an attempt that failed, never committed, or cut off by the mission's end. */
  result: z.enum(["agreed", "dissented", "failed", "absent", "stopped"]),
  /** Why the service did not run to its end, in the sandbox's words; null when it did, or was never started. */
  fault: z.string().nullable(),
  slashed: units,
});

/** An attempt at a node that failed. */
const failedAttemptSchema = z.strictObject({
  /** From 1. */
  attempt: z.int().min(1),
  /** Executors of that attempt. */
  by: z.array(z.string()),
  /** As the chain's events name it: `CLEARED_FAIL`. */
  reason: z.string(),
  /** The same for people. */
  words: z.string(),
});

/** Disagreements of one node listed item by item; further ones are only counted. */
export const MAX_DIFFERING = 10;

/** Where redundant executors differ; `chosen` is what was taken, null where nothing was. */
const differenceSchema = z.strictObject({
  ...disagreementSchema.omit({ items: true }).shape,
  differing: z.int().min(0),
  first: z
    .array(z.strictObject({ id: z.string(), answers: z.array(answerBySchema), chosen: z.union([z.string(), z.number(), z.null()]) }))
    .max(MAX_DIFFERING),
});

const nodeSchema = z.strictObject({
  label: z.string(),
  /** Of the mission file; a task may be divided into several nodes. */
  task: z.string(),
  state: z.string(),
  /** How it ended: `stopped` was begun and cut off by the mission's end, `not-started` never had an executor at work. */
  end: z.enum(["done", "failed", "stopped", "not-started"]),
  tier: z.int(),
  /** By which kinds its law had it judged besides the work done again. */
  verifiers: z.array(z.enum(ASKED_KINDS)).optional(),
  /** Gas of every transaction that concerned this node alone, and its share of batches. */
  gas: z.int().min(0),
  attempts: z.int().min(1),
  class: z.string(),
  executors: z.array(executorSchema),
  /** Oldest first. */
  failures: z.array(failedAttemptSchema),
  /** Items on which executors differ. */
  dissent: z.int().min(0),
  /** Of the last attempt in which two executors showed their work; null when there was none. */
  disagreement: differenceSchema.nullable(),
  /** The file of the bundle that holds its output, as JSON, and how many items are in it; null when it has none. */
  output: z.strictObject({ file: z.string(), items: z.int().min(0) }).nullable(),
});

/** Problems listed one by one; further ones are only counted. */
export const MAX_PROBLEMS = 20;

const inputSchema = z.strictObject({
  kind: z.string(),
  items: z.int().min(0),
  /** Items that could not be read, or only in part: how many, and the first of them by id. */
  unreadable: z.strictObject({
    count: z.int().min(0),
    first: z.array(z.strictObject({ id: z.string(), problem: z.string() })).max(MAX_PROBLEMS),
  }),
});

/** Why the order did not get what it asked for, and what its sponsor can do about it. */
const failureSchema = z.strictObject({
  /** Label of the node that it failed at; null when no single node did. */
  node: z.string().nullable(),
  reason: z.string(),
  action: z.string(),
});

/** A mission that is a node of this one, or of one of its children. */
const childSchema = z.strictObject({
  /** Labels of the nodes from the top: `lots-1/rooms-2`. */
  path: z.string(),
  /** Address of the mission whose node it is. */
  parent: hex,
  /** Which attempt at that node, from 1. */
  attempt: z.int().min(1),
  session: z.string(),
  /** Null when its session made no law. */
  mission: hex.nullable(),
  status: statusSchema,
  /** Title of its law. */
  title: z.string().nullable(),
  /** Nodes that have executors. */
  leaves: z.int().min(0),
  /** The deposit is what the parent lent. */
  money: moneySchema,
});

/** One law after another for the same goal (AgentCity B.11.4, full re-legislation). */
const epochSchema = z.strictObject({
  /** Missions for the same goal that failed before. */
  epoch: z.int().min(0),
  session: z.string(),
  /** Null when its session made no law. */
  mission: hex.nullable(),
  status: statusSchema,
  /** What the law before it failed by, as `rules/faults.ts` calls it; null of the first. */
  cause: z.strictObject({ node: z.int(), type: z.string(), class: z.string(), reason: z.string() }).nullable(),
  /** The deposit is what the epoch before it did not spend. */
  money: moneySchema,
});

/** Hybrid mode of this mission, not of those below it. */
const hybridSchema = z.strictObject({
  /** τ: the longest that work may be off chain, seconds of chain time. */
  interval: z.int().positive(),
  checkpoints: z.int().min(0),
  /** Attempts at nodes that checkpoints took. */
  anchored: z.int().min(0),
  /** Begun off chain, and then put on chain stage by stage, or stopped. */
  late: z.int().min(0),
  /** N_unaudited: the most nodes that were begun off chain and not anchored yet. */
  unaudited: z.int().min(0),
  /** The longest from the beginning of a wave to its checkpoint, seconds of chain time. */
  longest: z.int().min(0),
});

/** What an adjudicator's order is about that names no node. */
export const THE_MISSION = "the mission";

/** The one document `--json` prints; the screen is drawn from it alone. */
export const outcomeSchema = z.strictObject({
  status: statusSchema,
  name: z.string(),
  /** As the mission file says it. */
  goal: z.string(),
  input: inputSchema,
  network: z.string(),
  chainId: z.int(),
  seed: z.string(),
  session: z.string(),
  /** Address of the mission's contract; null when no law was made. */
  mission: z.string().nullable(),
  law: z.strictObject({
    producers: z.int(),
    principals: z.int(),
    candidates: z.array(candidateSchema),
    lawHash: hex.nullable(),
    fidelity: z.boolean(),
    /** Sessions of the same order before this one, and the state each ended in. */
    past: z.array(z.strictObject({ session: z.string(), end: z.string() })),
  }),
  /** One per voter, by name: ballot entries, most preferred first. */
  ballots: z.array(z.strictObject({ agent: z.string(), ranking: z.array(z.int()) })),
  /** pairwise[i][j]: voters who rank entry i above entry j. */
  pairwise: z.array(z.array(z.int())),
  winner: z.strictObject({ entry: z.int(), letter: z.string(), title: z.string() }).nullable(),
  /** What the session was like. */
  metrics: metricsSchema,
  /** Metrics of the execution, over all laws tried. */
  execution: executionMetricsSchema,
  market: z.strictObject({
    tasks: z.int(),
    bids: z.int(),
    fairness: z.int(),
    minFairness: z.int(),
    stakeLocked: units,
  }),
  nodes: z.array(nodeSchema),
  /** Producers that could not take part in the market, and why. */
  excluded: z.array(z.strictObject({ agent: z.string(), reason: z.string() })),
  /** Every law of this order up to this one, oldest first; a last one without a mission came to nothing. */
  epochs: z.array(epochSchema),
  /** Every mission below this one, each before its own children, in the order of opening. */
  children: z.array(childSchema),
  /** What was worked off chain and anchored afterwards (AgentCity B.11.6); null when the law wants every stage on chain. */
  hybrid: hybridSchema.nullable(),
  /** `node`: a label, or THE_MISSION. `because`: the reason that was signed, in one line; "" where its text is not here. */
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
  /** Null when the order got what it asked for. */
  failure: failureSchema.nullable(),
  /** Whether the output node's document was handed out: only when all work is complete, and records and chain agree. */
  released: z.boolean(),
  /** As the law says it: `markdown`, `json`; null when no law was made. */
  format: z.string().nullable(),
  /** Path of the report, relative to the city's home. */
  report: z.string(),
  /** Path of the bundle, relative to the city's home; null when no law was made. */
  bundle: z.string().nullable(),
  /** The chain's last block when the mission ended. */
  finalBlock: z.strictObject({ number: z.int(), hash: hex }),
});

export type Outcome = z.infer<typeof outcomeSchema>;
export type Money = z.infer<typeof moneySchema>;

/** What all laws of an order took together: each deposit after the first is what the law before it did not spend. */
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

/** How people know the chains that a city mines itself. Names of networks have no space. */
export const OWN_CHAINS = { embedded: "embedded L2", anvil: "Anvil L2" } as const;

/** Whether the mission was on a network in real time, whose node its audit has to be given. */
export function wasLive({ network }: Pick<Outcome, "network">): boolean {
  return !Object.values<string>(OWN_CHAINS).includes(network);
}
