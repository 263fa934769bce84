import { z } from "zod";
import type { Address } from "../../primitives/hex.ts";
import { type Caller, type Command, cityCommand, type World } from "../command.ts";
import { Refused } from "../errors.ts";
import type { Webhook } from "../webhooks.ts";
import { address, count } from "../wire.ts";

const webhookOutput = z.strictObject({
  key: address,
  /** Null if there is no endpoint. */
  url: z.string().nullable(),
  /** Hub entry up to which every critical event was delivered. */
  delivered: count,
  /** Failed attempts since the last delivery, and the last result. */
  failures: count,
  problem: z.string().nullable(),
});

/** The calling adjudicator. Throws NotAllowed. */
async function adjudicatorIn({ client }: World, { key }: Caller): Promise<Address> {
  if (key === undefined || !(await client.roster.isActive(key)))
    throw new Refused("NotAllowed", "Critical events are pushed only to adjudicators who hold a seat");
  return key;
}

/** An endpoint, or that there is none. */
function shown(key: Address, webhook: Webhook | undefined): z.input<typeof webhookOutput> {
  if (webhook === undefined) return { key, url: null, delivered: 0, failures: 0, problem: null };
  const { due: _, ...shown } = webhook;
  return shown;
}

export const webhookCommands: readonly Command[] = [
  cityCommand({
    name: "set_webhook",
    method: "POST",
    path: "/v1/webhook",
    group: "Panel",
    doc: "Sets an adjudicator's own https endpoint for freezes, emergency stops, slashes and divergences, which first signs a challenge with the adjudicator's key. Without `url`, pushes end.",
    access: "signed",
    cost: 40,
    input: z.strictObject({ url: z.string().max(2_048).optional() }),
    output: webhookOutput,
    async run(world, { url }, caller) {
      const key = await adjudicatorIn(world, caller);
      if (url !== undefined) {
        return shown(key, await world.webhooks.add(key, url));
      }
      await world.webhooks.remove(key);
      return shown(key, undefined);
    },
  }),
  cityCommand({
    name: "get_webhook",
    method: "GET",
    path: "/v1/webhook",
    group: "Panel",
    doc: "Where this adjudicator receives critical events, up to which entry, and the result of the last attempt.",
    access: "bearer",
    cost: 2,
    input: z.strictObject({}),
    output: webhookOutput,
    async run(world, _, caller) {
      const key = await adjudicatorIn(world, caller);
      return shown(key, await world.webhooks.of(key));
    },
  }),
];
