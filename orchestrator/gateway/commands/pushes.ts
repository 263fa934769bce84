import { z } from "zod";
import { intentKey } from "../../chain/outbox.ts";
import { InvalidValue } from "../../primitives/errors.ts";
import { type Command, cityCommand, type World } from "../command.ts";
import { address, count, hash, units } from "../wire.ts";
import { missionNamed } from "./missions.ts";

/** Steps that a contract accepts from anyone once they are due: expired clocks, earned payments, refunds. */
const PUSHES = ["timeout", "record", "claim", "refund", "close", "tally", "expire"] as const;
type Push = (typeof PUSHES)[number];
const OF_NODE: readonly Push[] = ["timeout", "record", "claim"];
const OF_SESSION: readonly Push[] = ["tally", "expire"];

const input = z.strictObject({
  step: z.enum(PUSHES),
  mission: address.optional(),
  node: count.max(255).optional(),
  session: units.optional(),
});

/** Sends the step at this city's cost; one that is not due is refused in simulation. */
async function send(world: World, { step, mission: named, node, session }: z.infer<typeof input>) {
  const { client } = world;
  const { number } = await client.chain.publicClient.getBlock();
  const options = { intent: intentKey("push", step, named ?? "", String(node ?? ""), session ?? "", number.toString()) };
  if (OF_SESSION.includes(step)) {
    if (session === undefined) throw new InvalidValue("session", `${step} is a step of a session`);
    const id = BigInt(session);
    return step === "tally" ? client.legislation.tally([id], options) : client.legislation.expire([id], options);
  }
  if (named === undefined) throw new InvalidValue("mission", `${step} is a step of a mission`);
  const contract = client.mission((await missionNamed(world, named)).mission);
  if (step === "refund") return contract.refund([], options);
  if (step === "close") return contract.close([], options);
  if (node === undefined) throw new InvalidValue("node", `${OF_NODE.join(", ")} are steps of a node`);
  if (step === "timeout") return contract.timeout([node], options);
  return step === "record" ? contract.record([node], options) : contract.claim([[node]], options);
}

export const pushCommands: readonly Command[] = [
  cityCommand({
    name: "push_step",
    method: "POST",
    path: "/v1/pushes",
    group: "Missions",
    doc: "Has this city send a step that anyone may send: an expired clock (timeout, expire), a count (tally), a child mission's result (record), a payment (claim) or the remaining deposit (refund, close). Refused, without sending, while the step is not due.",
    access: "order",
    cost: 40,
    input,
    output: z.strictObject({ transaction: hash.nullable() }),
    async run(world, asked, { from }) {
      const receipt = await world.relays.spend("push", { from }, async (took) => {
        const sent = await send(world, asked);
        took(sent);
        return sent;
      });
      return { transaction: receipt?.transactionHash ?? null };
    },
  }),
];
