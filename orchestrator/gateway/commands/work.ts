import { z } from "zod";
import { fateOf, isOver, type MissionStateName, missionState } from "../../execution/chain-view.ts";
import { addressSchema } from "../../primitives/address.ts";
import { hashSchema } from "../../primitives/hex.ts";
import { type Reason, reasonOf } from "../../rules/reasons.ts";
import { type Command, command } from "../command.ts";
import { type DecodedEvent, payloadsOf } from "../payloads.ts";
import { address, count, hash, toAddress, units } from "../wire.ts";

const boundSchema = z.object({ node: z.number(), slot: z.number(), service: hashSchema, price: units, attempt: z.number() });
const slashedSchema = z.object({ agent: addressSchema, amount: units, reason: hashSchema });
const faultSchema = z.object({ agent: addressSchema });
const reputationSchema = z.object({ agent: addressSchema, previous: z.number(), current: z.number(), reason: hashSchema });

/** Explanation of each reason for the affected agent. */
const WORDS: Partial<Record<Reason, string>> = {
  CLEARED_FAIL: "the verifiers rejected the work",
  DISSENT: "the other executors agreed on another output",
  TIMEOUT: "nothing was delivered in time",
  UNVERIFIABLE: "the verifiers had no evidence to decide on",
  REJECTED: "an adjudicator rejected the work",
  CODE_HASH_MISMATCH: "the code that ran differs from the registration",
  FREEZE_CONFIRMED: "an adjudicator confirmed the freeze",
  APPEAL: "an appeal was decided",
  OUTCOME: "a mission it worked in ended",
  RELEASED: "an award was given back",
  BID_RELEASED: "a bid was given back",
};

const because = { reason: z.string(), words: z.string().nullable(), missionId: hash, timestamp: count, eventId: hash };

function cause<Args extends { readonly reason: `0x${string}` }>({ event, args }: DecodedEvent<Args>) {
  const reason = reasonOf(args.reason);
  const { missionId, timestamp, eventId } = event;
  return {
    reason: reason ?? args.reason,
    words: (reason === undefined ? undefined : WORDS[reason]) ?? null,
    missionId,
    timestamp,
    eventId,
  };
}

export const workOutput = z.strictObject({
  agent: address,
  /** Credited in the treasury, not withdrawn yet. */
  credit: units,
  /** Its own token balance. */
  balance: units,
  slots: z.array(
    z.strictObject({
      mission: address,
      node: count,
      slot: count,
      attempt: count,
      service: hash,
      price: units,
      /** `failed` also if the attempt is over and it delivered nothing; `stopped` if the mission ended before the work was decided. */
      result: z.enum(["open", "agreed", "dissented", "failed", "stopped"]),
      /** Due from the mission, including the treasury's premium; final once `isClaimed`. */
      due: units,
      isClaimed: z.boolean(),
    }),
  ),
  slashes: z.array(z.strictObject({ amount: units, ...because })),
  reputation: z.array(z.strictObject({ previous: count, current: count, ...because })),
  /** Every mission that it worked in is over and has paid, and no fault of its work is pending. */
  isSettled: z.boolean(),
});

export const workCommands: readonly Command[] = [
  command({
    name: "list_work",
    method: "GET",
    path: "/v1/agents/{agent}/work",
    group: "Members",
    doc: "An agent's awards and their results, payments credited here, and each slash and change of reputation with its reason.",
    access: "open",
    cost: 10,
    input: z.strictObject({ agent: address }),
    output: workOutput,
    async run(world, input) {
      const { client } = world;
      const agent = toAddress(input.agent);
      const bound = await payloadsOf(world, { agent, name: "CollaborationContract.ExecutorBound" }, boundSchema);
      const missions = [...new Set(bound.map(({ event }) => event.emitterContract))];
      const states = new Map(
        await Promise.all(missions.map(async (mission) => [mission, await missionState({ client }, { address: mission })] as const)),
      );
      const nodes = await Promise.all(bound.map(({ event, args }) => client.mission(event.emitterContract).nodeOf(args.node)));
      // Discharged agents were slashed in the same transaction: a later read includes what an earlier one returned.
      const discharged = await payloadsOf(world, { agent, name: "ProducerContract.AgentDischarged" }, faultSchema);
      const accused = await payloadsOf(world, { agent, name: "ProducerContract.AgentAccused" }, faultSchema);
      const slashes = await payloadsOf(world, { agent, name: "ProducerContract.StakeSlashed" }, slashedSchema);
      const reputation = await payloadsOf(world, { agent, name: "ProducerContract.ReputationChanged" }, reputationSchema);
      const owed = await Promise.all(
        bound.map(({ event, args }) => client.mission(event.emitterContract).entitlementOf(args.node, args.slot)),
      );
      // Read at one block, so that a concurrent withdrawal is in both values or in neither.
      const [credit, balance] = await Promise.all([client.treasury.creditOf(agent), client.token.balanceOf(agent)]);
      return {
        agent,
        credit: String(credit),
        balance: String(balance),
        slots: bound.map(({ event: { emitterContract: mission }, args }, at) => {
          const result = resultOf(args, nodes[at], states.get(mission));
          // A node is paid once: to the executor of its last attempt.
          const { paid, premium, claimed } = owed[at] ?? { paid: 0n, premium: 0n, claimed: false };
          const isIts = result === "agreed";
          return { mission, ...args, result, due: isIts ? String(paid + premium) : "0", isClaimed: isIts && claimed };
        }),
        slashes: slashes.filter(({ args }) => args.agent === agent).map((each) => ({ amount: each.args.amount, ...cause(each) })),
        reputation: reputation
          .filter(({ args }) => args.agent === agent)
          .map((each) => ({ previous: each.args.previous, current: each.args.current, ...cause(each) })),
        isSettled:
          [...states.values()].every((state) => isOver(state)) &&
          owed.every(({ paid, claimed }) => claimed || paid === 0n) &&
          discharged.length >= accused.length,
      };
    },
  }),
];

/** How far an award has come: the same as in the mission's outcome, where it is over. */
function resultOf(
  award: z.infer<typeof boundSchema>,
  node: Parameters<typeof fateOf>[1] | undefined,
  mission: MissionStateName | undefined,
): z.infer<typeof workOutput>["slots"][number]["result"] {
  const fate = node === undefined ? "stopped" : fateOf(award, node);
  if (fate === "stopped") return mission !== undefined && isOver(mission) ? "stopped" : "open";
  return fate === "absent" ? "failed" : fate;
}
