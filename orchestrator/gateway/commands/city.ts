import { z } from "zod";
import { readMany } from "../../client/read.ts";
import { PARAMETERS } from "../../protocol/parameters.ts";
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
    doc: "The override panel: its seats, who is the senior adjudicator, and whether it has its quorum.",
    access: "open",
    cost: 3,
    input: z.strictObject({}),
    output: z.strictObject({
      seats: z.array(z.strictObject({ adjudicator: address, principal: address, isActive: z.boolean(), stake: units })),
      senior: address,
      hasQuorum: z.boolean(),
      asOf: seconds,
    }),
    async run({ client }) {
      const seats = await client.roster.seats();
      const { timestamp } = await client.chain.publicClient.getBlock();
      return {
        seats: await Promise.all(
          seats.map(async (adjudicator) => ({
            adjudicator,
            principal: await client.roster.principalOf(adjudicator),
            isActive: await client.roster.isActive(adjudicator),
            stake: (await client.roster.stakeOf(adjudicator)).toString(),
          })),
        ),
        senior: await client.roster.senior(),
        hasQuorum: await client.roster.hasQuorum(),
        asOf: Number(timestamp),
      };
    },
  }),
];
