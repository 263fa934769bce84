import { z } from "zod";
import { readMany } from "../../client/read.ts";
import { missionStates } from "../../execution/chain-view.ts";
import { addressSchema } from "../../primitives/address.ts";
import { type Address, hashSchema } from "../../primitives/hex.ts";
import { PROTECTS } from "../../protocol/parameter-words.ts";
import { PARAMETERS, type ParameterName, parameterIndex } from "../../protocol/parameters.ts";
import { type Command, command, type World } from "../command.ts";
import { payloadsOf } from "../payloads.ts";
import { webKeySchema } from "../seals.ts";
import { address, count, hash, seconds, units } from "../wire.ts";
import { textOf } from "./justification.ts";
import { ledgerOutput, ledgersOf } from "./ledger.ts";

export const cityDocumentSchema = z.strictObject({
  document: z.strictObject({
    city: z.literal(1),
    software: z.string(),
    chainId: count,
    genesisHash: hash,
    addresses: z.record(z.string(), address),
    network: z.string(),
    publicUrl: z.string(),
    faces: z.record(z.string(), z.string()),
    limits: z.record(z.string(), count),
    /** Whether external agents may join, the stake required (smallest units), and their maximum number. */
    admission: z.strictObject({ isOpen: z.boolean(), stake: units, most: count }),
    /** Calls that agents may receive. */
    calls: z.array(z.string()),
    /** Commands that require a payment; all others are free, and a mission's own stages are relayed without charge. */
    paid: z.array(z.string()),
    operator: address,
    /** Key that signs the city's A2A card. */
    cardKey: webKeySchema,
    /** Key that signs outcomes of checked claims (did:key). */
    verifier: z.string(),
    /** What the operator can see and do. */
    operatorSees: z.array(z.string()),
    operatorCan: z.array(z.string()),
    operatorCannot: z.array(z.string()),
  }),
  /** EIP-191 signature of the operator's key over the document's RFC 8785 text. */
  signature: z.string().regex(/^0x[0-9a-f]{130}$/),
});
export type CityDocument = z.infer<typeof cityDocumentSchema>;

export const parameterOutput = z.strictObject({
  name: z.string(),
  index: count,
  unit: z.string(),
  value: units,
  default: units,
  min: units,
  max: units,
  locked: z.boolean(),
  risk: z.enum(["LOW", "MEDIUM", "HIGH"]),
  weaker: z.enum(["NONE", "UP", "DOWN"]),
  /** What it protects. */
  protects: z.string(),
});

const amountSchema = z.object({ amount: units });
const parameterSetSchema = z.object({ param: z.number(), value: z.coerce.string() });
const actedSchema = z.object({ adjudicators: z.array(addressSchema), justification: hashSchema });

export const conditionOutput = z.strictObject({
  chain: z.strictObject({ id: count, block: count, hash, time: seconds }),
  /** The city's own log: its last entry, and how many of its entries are in the stream of the Logging Hub. */
  records: z.strictObject({ entries: count, told: count, head: hash }),
  sequence: count,
  missions: z.strictObject({ count, byState: z.partialRecord(z.enum(missionStates), count) }),
  /** Total slashed since the city was founded. */
  slashed: units,
  slashes: count,
  /** Problems, most severe first; empty if there are none. */
  problems: z.array(
    z.strictObject({
      what: z.string(),
      /** Its consequence. */
      means: z.string(),
      mission: address.nullable(),
      isGrave: z.boolean(),
    }),
  ),
  asOf: seconds,
});

type Problems = z.input<typeof conditionOutput>["problems"];

/** Number of records that may lag behind the stream without a problem. */
const ON_ITS_WAY = 500;

async function conditionOf(world: World): Promise<z.input<typeof conditionOutput>> {
  const { client, hub } = world;
  const { publicClient, id } = client.chain;
  const [block, records, deployed, slashes, isStopped, isFrozen, hasQuorum, pulsedAt, silence] = await Promise.all([
    publicClient.getBlock(),
    world.recordsHead(),
    payloadsOf(world, { name: "TemplateRegistry.MissionDeployed" }, z.object({ mission: addressSchema })),
    payloadsOf(world, { name: "ProducerContract.StakeSlashed" }, amountSchema),
    client.watchdog.isStopped(),
    client.watchdog.isFrozen(),
    client.roster.hasQuorum(),
    client.constitution.pulsedAt(),
    client.constitution.param(parameterIndex("DEGRADED_MODE_THRESHOLD")),
  ]);
  const { sequence, record } = hub.cursor();
  const missions = await Promise.all(
    deployed.map(async ({ args: { mission } }) => {
      const contract = client.mission(mission);
      const [state, { stopped }] = await Promise.all([contract.state(), contract.watch()]);
      return { mission, state: missionStates[state] ?? "PENDING", stopped };
    }),
  );
  const isOver = (state: string) => ["COMPLETED", "FAILED", "ABORTED"].includes(state);
  const problems: Problems = [];
  const add = (is: boolean, what: string, means: string, mission: Address | null = null, isGrave = true) => {
    if (is) problems.push({ what, means, mission, isGrave });
  };
  add(isStopped, "the city is stopped", "no session opens, no mission starts, no node is routed");
  add(isFrozen, "the watchdog froze the panel", "only release and impeachment are carried out");
  add(!hasQuorum, "the panel is below its quorum", "decisions that need adjudicators wait");
  const silent = Number(block.timestamp) - pulsedAt;
  add(
    missions.some(({ state }) => !isOver(state)) && silent > Number(silence),
    "the city has sent no pulse on chain",
    `for ${silent} s of chain time (limit ${silence} s): missions may be suspended`,
  );
  add(records.seq - record > ON_ITS_WAY, "the log is behind", `${records.seq - record} records are not in it yet`, null, false);
  for (const { mission, state, stopped } of missions) {
    add(stopped && !isOver(state), "a mission is stopped", "none of its nodes is routed until adjudicators clear it", mission);
    add(state === "DEGRADED", "a mission is suspended", "the chain was unreachable; adjudicators decide whether it resumes", mission);
  }
  const { events: divergences } = await hub.query({ eventType: "DIVERGENCE_DETECTED", newest: true, limit: 1 });
  add(divergences.length > 0, "records and chain diverged", "this city's own statements cannot be relied on", null);
  const byState: Partial<Record<(typeof missionStates)[number], number>> = {};
  for (const { state } of missions) byState[state] = (byState[state] ?? 0) + 1;
  return {
    chain: { id, block: Number(block.number), hash: block.hash, time: Number(block.timestamp) },
    records: { entries: records.seq, told: record, head: records.hash },
    sequence,
    missions: { count: missions.length, byState },
    slashed: slashes.reduce((sum, { args }) => sum + BigInt(args.amount), 0n).toString(),
    slashes: slashes.length,
    problems,
    asOf: Number(block.timestamp),
  };
}

export const cityCommands: readonly Command[] = [
  command({
    name: "get_condition",
    method: "GET",
    path: "/v1/condition",
    group: "City",
    doc: "The city's health: state of chain and records, missions by state, slashed stake, and every problem with its consequence.",
    access: "open",
    cost: 10,
    input: z.strictObject({}),
    output: conditionOutput,
    run: conditionOf,
  }),
  command({
    name: "get_city",
    method: "GET",
    path: "/v1/city",
    group: "City",
    doc: "The city's self-description: chain, contracts, interfaces, limits, and what its operator can see and do; signed by the operator's key.",
    access: "open",
    cost: 1,
    input: z.strictObject({}),
    output: cityDocumentSchema,
    run: ({ about }) => about(),
  }),
  command({
    name: "get_money",
    method: "GET",
    path: "/v1/money",
    group: "City",
    doc: "The treasury's balances, and where the money of all missions went.",
    access: "open",
    cost: 10,
    input: z.strictObject({}),
    output: z.strictObject({
      treasury: z.strictObject({ free: units, insurance: units }),
      missions: z.strictObject({ count, ...ledgerOutput.omit({ isClosed: true }).shape }),
    }),
    async run(world) {
      const { client } = world;
      const [free, insurance, ledgers] = [
        await client.treasury.freeBalance(),
        await client.treasury.insuranceBalance(),
        await ledgersOf(world),
      ];
      const sum = (name: Exclude<keyof (typeof ledgers)[number], "isClosed">) =>
        ledgers.reduce((total, ledger) => total + BigInt(ledger[name]), 0n).toString();
      return {
        treasury: { free: free.toString(), insurance: insurance.toString() },
        missions: {
          count: ledgers.length,
          deposit: sum("deposit"),
          paid: sum("paid"),
          fees: sum("fees"),
          insurance: sum("insurance"),
          discount: sum("discount"),
          refunded: sum("refunded"),
          entitled: sum("entitled"),
          children: sum("children"),
          subsidy: sum("subsidy"),
          bonds: sum("bonds"),
        },
      };
    },
  }),
  command({
    name: "list_parameters",
    method: "GET",
    path: "/v1/parameters",
    group: "City",
    doc: "The constitution's parameters: value in force, range, risk. get_parameter_history has earlier values.",
    access: "open",
    cost: 5,
    input: z.strictObject({}),
    output: z.strictObject({ parameters: z.array(parameterOutput) }),
    async run({ client }) {
      const args = PARAMETERS.map(({ index }) => [index] as const);
      const values = await readMany(client, { contract: "ConstitutionContract", functionName: "param", args });
      return {
        parameters: PARAMETERS.map(({ name, index, unit, default: usual, min, max, locked, risk, weaker }, at) => ({
          ...{ name, index, unit, locked, risk, weaker },
          value: String(values[at] ?? 0n),
          protects: PROTECTS[name],
          default: usual.toString(),
          min: min.toString(),
          max: max.toString(),
        })),
      };
    },
  }),
  command({
    name: "get_parameter_history",
    method: "GET",
    path: "/v1/parameters/{parameter}/history",
    group: "City",
    doc: "Every value that a parameter has had, newest first, with signers and reasons; founding values have none.",
    access: "open",
    cost: 5,
    input: z.strictObject({ parameter: z.enum(PARAMETERS.map(({ name }) => name)) }),
    output: z.strictObject({
      values: z.array(
        z.strictObject({
          value: units,
          adjudicators: z.array(address),
          /** Present if this city stores the text. */
          because: z.string().nullable(),
          timestamp: count,
          block: count,
          eventId: hash,
        }),
      ),
    }),
    async run(world, { parameter }) {
      const index = parameterIndex(parameter);
      const set = await payloadsOf(world, { name: "ConstitutionContract.ParameterSet" }, parameterSetSchema);
      const acts = await payloadsOf(world, { name: "AdjudicationProcedure.OverrideExecuted" }, actedSchema);
      const signed = new Map(acts.map(({ event, args }) => [event.transactionHash, args]));
      return {
        values: set
          .filter(({ args }) => args.param === index)
          .toReversed()
          .map(({ event, args: { value } }) => {
            const act = signed.get(event.transactionHash);
            return {
              value,
              adjudicators: [...(act?.adjudicators ?? [])],
              because: act === undefined ? null : textOf(world.blocks, act.justification),
              timestamp: event.timestamp,
              block: event.blockNumber,
              eventId: event.eventId,
            };
          }),
      };
    },
  }),
  command({
    name: "get_panel",
    method: "GET",
    path: "/v1/panel",
    group: "City",
    doc: "The override panel: its seats with recent decisions, the senior adjudicator, whether it is quorate, and the watchdog's state.",
    access: "open",
    cost: 3,
    input: z.strictObject({}),
    output: z.strictObject({
      seats: z.array(
        z.strictObject({
          adjudicator: address,
          principal: address,
          isActive: z.boolean(),
          stake: units,
          /** Flagged by the watchdog. */
          isFlagged: z.boolean(),
          /** Within the watchdog's window. */
          approvals: count,
          decisions: count,
          weakenings: count,
          /** Approvals since the last rejection. */
          inARow: count,
        }),
      ),
      senior: address,
      hasQuorum: z.boolean(),
      watchdog: z.strictObject({
        /** Only release and impeachment can be executed. */
        isFrozen: z.boolean(),
        /** Frozen for too long: fewer signatures can release it. */
        isDegraded: z.boolean(),
        isStopped: z.boolean(),
        /** Signatures required to end a freeze, stop the city, and resume it. */
        releaseQuorum: count,
        stopQuorum: count,
        resumeQuorum: count,
        limits: z.strictObject({ days: count, percent: count, inARow: count, weakenings: count }),
      }),
      asOf: seconds,
    }),
    async run({ client }) {
      const { roster, watchdog, constitution } = client;
      const limit = async (name: ParameterName) => Number(await constitution.param(parameterIndex(name)));
      // Concurrent reads share one request.
      const [
        adjudicators,
        { timestamp },
        senior,
        hasQuorum,
        isFrozen,
        isDegraded,
        isStopped,
        releaseQuorum,
        stopQuorum,
        resumeQuorum,
        limits,
      ] = await Promise.all([
        roster.seats(),
        client.chain.publicClient.getBlock(),
        roster.senior(),
        roster.hasQuorum(),
        watchdog.isFrozen(),
        watchdog.isDegraded(),
        watchdog.isStopped(),
        watchdog.releaseQuorum(),
        watchdog.stopQuorum(false),
        watchdog.stopQuorum(true),
        Promise.all([
          limit("WATCHDOG_WINDOW_DAYS"),
          limit("WATCHDOG_MAX_APPROVAL_RATE"),
          limit("WATCHDOG_MAX_CONSECUTIVE"),
          limit("WATCHDOG_WEAKENING_LIMIT"),
        ]),
      ]);
      const [days, percent, inARow, weakenings] = limits;
      return {
        seats: await Promise.all(
          adjudicators.map(async (adjudicator) => {
            const [[conduct, approvedInARow], principal, isActive, stake, isFlagged] = await Promise.all([
              watchdog.conductOf(adjudicator),
              roster.principalOf(adjudicator),
              roster.isActive(adjudicator),
              roster.stakeOf(adjudicator),
              watchdog.isFlagged(adjudicator),
            ]);
            return {
              ...{ adjudicator, principal, isActive, stake: stake.toString(), isFlagged },
              approvals: Number(conduct.approvals),
              decisions: Number(conduct.decisions),
              weakenings: Number(conduct.weakenings),
              inARow: Number(approvedInARow),
            };
          }),
        ),
        ...{ senior, hasQuorum },
        watchdog: {
          ...{ isFrozen, isDegraded, isStopped },
          ...{ releaseQuorum: Number(releaseQuorum), stopQuorum: Number(stopQuorum), resumeQuorum: Number(resumeQuorum) },
          limits: { days, percent, inARow, weakenings },
        },
        asOf: Number(timestamp),
      };
    },
  }),
];
