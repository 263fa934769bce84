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
  mission: address.nullable().meta({ description: "Present once it is over; use it with get_bundle" }),
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
  wei: units.meta({ description: "The sponsor's balance for gas" }),
});

function deskOf({ posted }: CityWorld): PostedMissions {
  if (posted === undefined)
    throw new Refused("PostingClosed", "This city does not accept external missions at the moment", { action: "ask its operator" });
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
    doc: "Posts a mission: its file, and its input as items. Anything that would prevent a law is reported now. Repeated posts are idempotent. Nothing happens before the deposit is paid.",
    access: "signed",
    body: MAX_BLOCK_BYTES,
    cost: 40,
    input: z.strictObject({
      file: z.string().max(65_536).meta({ description: "The mission file (YAML); its `input.path` is ignored" }),
      items: z.array(itemSchema).min(1).meta({ description: "Sorted by id, without duplicates" }),
      again: count.optional().meta({ description: "Another number is another mission of the same file and input" }),
    }),
    output: posted,
    async run(world, { file, items, again }, { key }) {
      if (key === undefined) throw new Refused("SignatureMissing", "Only its sponsor may access a posted mission");
      return statusOf(await deskOf(world).post(key, file, items, again));
    },
  }),
  cityCommand({
    name: "get_posted_mission",
    method: "GET",
    path: "/v1/posted/{posted}",
    group: "Sponsors",
    doc: "The state of a posted mission: unpaid, working, waiting (and for what), or its ending.",
    access: "open",
    isOfFiles: true,
    cost: 1,
    input: z.strictObject({ posted: postedId }),
    output: posted,
    async run(world, input) {
      const found = deskOf(world).get(toHash(input.posted));
      if (found === undefined)
        throw new Refused("NotFound", "That mission was not posted to this city", {
          action: "post it again; unpaid missions may be dropped",
        });
      return statusOf(found);
    },
  }),
  cityCommand({
    name: "prepare_deposit",
    method: "GET",
    path: "/v1/posted/{posted}/deposit",
    group: "Sponsors",
    doc: "The transactions by which the sponsor pays, for any wallet to sign and send; none once it is paid. Compare `to` and `data` with what you intend to pay.",
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
    doc: "Sends the sponsor's signed transactions to the chain, for sponsors without their own node. A deposit is never paid twice.",
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
