import { z } from "zod";
import { itemSchema, POSTED_STATES, type PostedMission, type PostedMissions } from "../../city/missions/posted-missions.ts";
import { hexSchema } from "../../primitives/hex.ts";
import { MAX_BLOCK_BYTES } from "../../protocol/calls.ts";
import { type CityWorld, type Command, cityCommand } from "../command.ts";
import { Refused } from "../errors.ts";
import { address, count, hash, toHash, units } from "../wire.ts";

const postedId = hash.meta({ description: "Id of a posted mission: of sponsor, file, items and `again`" });
export const posted = z.strictObject({
  id: postedId,
  sponsor: address,
  title: z.string(),
  state: z.enum(POSTED_STATES),
  budget: units,
  session: units.nullable(),
  mission: address.nullable().meta({ description: "Once it is over: whose bundle get_bundle has" }),
  reason: z.string().nullable(),
});
const transaction = z.strictObject({
  what: z.enum(["approve", "openSession"]),
  to: address,
  data: z.string(),
  chainId: count,
  nonce: count,
  gas: units,
  maxFeePerGas: units,
  maxPriorityFeePerGas: units,
});

export const depositOutput = z.strictObject({
  transactions: z.array(transaction),
  balance: units,
  wei: units.meta({ description: "What the sponsor has for gas" }),
});

function deskOf({ posted }: CityWorld): PostedMissions {
  if (posted === undefined)
    throw new Refused("PostingClosed", "This city takes no missions from elsewhere now", { action: "ask its operator" });
  return posted;
}

function statusOf({ session, mission, reason, budget, ...rest }: PostedMission) {
  return {
    ...rest,
    budget: String(budget),
    session: session === undefined ? null : String(session),
    mission: mission ?? null,
    reason: reason ?? null,
  };
}

export const sponsorCommands: readonly Command[] = [
  cityCommand({
    name: "post_mission",
    method: "POST",
    path: "/v1/posted",
    group: "Sponsors",
    doc: "Asks this city for a mission: its file, and its input as items. What would keep a law from being made is said now. The same mission is taken once. Nothing happens before its deposit is paid.",
    access: "signed",
    body: MAX_BLOCK_BYTES,
    cost: 40,
    input: z.strictObject({
      file: z.string().max(65_536).meta({ description: "The mission file (YAML); its `input.path` is not looked at" }),
      items: z.array(itemSchema).min(1).meta({ description: "In order of their ids, each once" }),
      again: count.optional().meta({ description: "Another number is another mission of the same file and input" }),
    }),
    output: posted,
    async run(world, { file, items, again }, { key }) {
      if (key === undefined) throw new Refused("SignatureMissing", "Missions are a sponsor's own");
      return statusOf(await deskOf(world).post(key, file, items, again));
    },
  }),
  cityCommand({
    name: "get_posted_mission",
    method: "GET",
    path: "/v1/posted/{posted}",
    group: "Sponsors",
    doc: "Where a posted mission is: unpaid, working, waiting (and for what), or how it ended.",
    access: "open",
    isOfFiles: true,
    cost: 1,
    input: z.strictObject({ posted: postedId }),
    output: posted,
    async run(world, input) {
      const found = deskOf(world).get(toHash(input.posted));
      if (found === undefined)
        throw new Refused("NotFound", "Nobody asked this city for that mission", { action: "post it; what is unpaid may be let go of" });
      return statusOf(found);
    },
  }),
  cityCommand({
    name: "prepare_deposit",
    method: "GET",
    path: "/v1/posted/{posted}/deposit",
    group: "Sponsors",
    doc: "The transactions by which the sponsor pays, for any wallet to sign and send; none once it is paid. Compare `to` and `data` with what you mean to pay.",
    access: "open",
    isOfFiles: true,
    cost: 10,
    input: z.strictObject({ posted: postedId }),
    output: depositOutput,
    async run(world, input) {
      const { transactions, balance, wei } = await deskOf(world).deposit(toHash(input.posted));
      const text = transactions.map(({ gas, maxFeePerGas, maxPriorityFeePerGas, ...rest }) => ({
        ...rest,
        gas: String(gas),
        maxFeePerGas: String(maxFeePerGas),
        maxPriorityFeePerGas: String(maxPriorityFeePerGas),
      }));
      return { transactions: text, balance: String(balance), wei: String(wei) };
    },
  }),
  cityCommand({
    name: "pay_deposit",
    method: "POST",
    path: "/v1/deposits",
    group: "Sponsors",
    doc: "Sends the sponsor's signed transactions to the chain, for sponsors without a node of their own. What is paid already is not paid again.",
    access: "order",
    cost: 40,
    input: z.strictObject({
      posted: postedId,
      transactions: z
        .array(z.string().regex(/^0x[0-9a-f]{2,4000}$/))
        .min(1)
        .max(2),
    }),
    output: posted,
    async run(world, input) {
      return statusOf(
        await deskOf(world).pay(
          toHash(input.posted),
          input.transactions.map((raw) => hexSchema.parse(raw)),
        ),
      );
    },
  }),
];
