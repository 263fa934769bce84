import { z } from "zod";
import { readMany } from "../../client/read.ts";
import { PARAMETERS, type ParameterName, parameterIndex } from "../../protocol/parameters.ts";
import { type Command, command } from "../command.ts";
import { address, count, hash, seconds, units } from "../wire.ts";
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
    operator: address,
    /** What whoever runs this can see, and do. */
    operatorSees: z.array(z.string()),
    operatorCan: z.array(z.string()),
    operatorCannot: z.array(z.string()),
  }),
  /** EIP-191, by the operator's key, over the RFC 8785 text of the document. */
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
});

export const cityCommands: readonly Command[] = [
  command({
    name: "get_city",
    method: "GET",
    path: "/v1/city",
    group: "City",
    doc: "What this city is: chain, contracts, faces, limits, and what its operator can see and do; signed by the operator's key.",
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
    doc: "The constitution's numbers: value in force, range, risk. Their history are events named ConstitutionContract.ParameterSet.",
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
          default: usual.toString(),
          min: min.toString(),
          max: max.toString(),
        })),
      };
    },
  }),
  command({
    name: "get_panel",
    method: "GET",
    path: "/v1/panel",
    group: "City",
    doc: "The override panel: its seats with what each decided lately, who is the senior adjudicator, whether it has its quorum, and the watchdog's state.",
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
          /** The watchdog has warned of it. */
          isFlagged: z.boolean(),
          /** In the watchdog's window. */
          approvals: count,
          decisions: count,
          weakenings: count,
          /** Approvals since its last rejection. */
          inARow: count,
        }),
      ),
      senior: address,
      hasQuorum: z.boolean(),
      watchdog: z.strictObject({
        /** Nothing of the panel's but release and impeachment executes. */
        isFrozen: z.boolean(),
        /** Frozen for too long: fewer can release it. */
        isDegraded: z.boolean(),
        isStopped: z.boolean(),
        /** Signatures that end a freeze, stop the city, and let it go on. */
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
      // All at once: what is asked together is one request.
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
