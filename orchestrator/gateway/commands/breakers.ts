import { stringify } from "viem";
import { z } from "zod";
import { BEGINNINGS, BREAKER_LIMITS, BREAKERS } from "../../agreements/index.ts";
import { hexSchema } from "../../primitives/hex.ts";
import { groupedBy } from "../../primitives/lists.ts";
import { type CityWorld, type Command, cityCommand } from "../command.ts";
import { Refused } from "../errors.ts";
import { address, count, seconds, toAddress } from "../wire.ts";

const breakerOutput = z.strictObject({
  breaker: z.enum(BREAKERS.map(({ breaker }) => breaker)),
  /** Affected parties learn of breakers themselves; others see only their number, since agreements are private. */
  open: count,
  stops: z.array(z.enum(BEGINNINGS)),
  opens: z.string(),
  closes: z.string(),
  /** When the last of them closes by itself, unix seconds; null if no clock closes it. */
  until: seconds.nullable(),
});

/** Open breakers by kind, with their number. */
export async function shownBreakers({ agreements }: Pick<CityWorld, "agreements">): Promise<readonly z.input<typeof breakerOutput>[]> {
  const open = groupedBy((await agreements?.breakers()) ?? [], ({ breaker }) => breaker);
  return BREAKERS.flatMap(({ breaker, stops, opens, closes }) => {
    const those = open.get(breaker) ?? [];
    if (those.length === 0) return [];
    const ends = those.map(({ until }) => until).filter((until) => until !== undefined);
    const until = ends.length === those.length ? Math.max(...ends) : null;
    return [{ breaker, open: those.length, stops: [...stops], opens, closes, until }];
  });
}

function stopsOf({ stops }: CityWorld) {
  if (stops === undefined) throw new Refused("NotFound", "This city does not keep agreements", { action: "ask its operator" });
  return stops;
}

const answer = z.strictObject({ breakers: z.array(breakerOutput) });
const stop = {
  adjudicator: address,
  stops: z.boolean().meta({ description: "False: new agreements are allowed again" }),
  until: seconds,
  nonce: count,
  deadline: seconds,
};

/** What stops new agreements, publicly, and how an adjudicator does it. */
export const breakerCommands: readonly Command[] = [
  cityCommand({
    name: "list_breakers",
    method: "GET",
    path: "/v1/agreement-breakers",
    group: "Agreements",
    doc: "Circuit breakers of agreements that are open: what each stops, why, and until when. /health shows them too. None of them blocks the ending of a started agreement.",
    access: "open",
    cost: 10,
    input: z.strictObject({}),
    output: answer,
    run: async (world) => ({ breakers: [...(await shownBreakers(world))] }),
  }),
  cityCommand({
    name: "prepare_agreement_stop",
    method: "GET",
    path: "/v1/agreement-stop-drafts",
    group: "Agreements",
    doc: `Drafts an adjudicator's order (EIP-712) that no agreement starts and no escrow is funded through this gateway for this many seconds, at most ${BREAKER_LIMITS.stop}; 0 ends a stop. Changes nothing.`,
    access: "order",
    cost: 5,
    input: z.strictObject({ adjudicator: address, seconds: z.int().nonnegative().max(BREAKER_LIMITS.stop) }),
    output: z.strictObject({ typedData: z.string(), message: z.strictObject(stop) }),
    async run(world, { adjudicator, seconds: lasts }) {
      const { typedData, message } = await stopsOf(world).draft(toAddress(adjudicator), lasts, Math.floor(world.millis() / 1_000));
      return { typedData: stringify(typedData), message };
    },
  }),
  cityCommand({
    name: "stop_agreements",
    method: "POST",
    path: "/v1/agreement-stops",
    group: "Agreements",
    doc: "An adjudicator's signed order to stop new agreements, or to end the stop. Accepted once, in order and in time, for this city, from a seated adjudicator. Deliveries, results, challenges, settlements and refunds continue.",
    access: "order",
    cost: 20,
    input: z.strictObject({
      ...stop,
      signature: z
        .string()
        .regex(/^0x(?:[0-9a-f]{2}){1,2048}$/)
        .meta({ description: "By the adjudicator's key; a contract's by ERC-1271" }),
    }),
    output: answer,
    async run(world, { signature, adjudicator, ...message }) {
      const now = Math.floor(world.millis() / 1_000);
      await stopsOf(world).take({ adjudicator: toAddress(adjudicator), ...message }, hexSchema.parse(signature), now);
      return { breakers: [...(await shownBreakers(world))] };
    },
  }),
];
