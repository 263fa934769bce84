import { z } from "zod";
import { eventTypes } from "../../hub/event-types.ts";
import type { HubFilter } from "../../hub/query.ts";
import type { StreamEvent, Withholding } from "../../hub/view.ts";
import { contentIdOf, keccak256, parseContentId } from "../../primitives/hash.ts";
import { parseJsonBytes } from "../../primitives/json.ts";
import { type Command, command, type World } from "../command.ts";
import { Refused } from "../errors.ts";
import { payloadFor, withheldFrom } from "../reading.ts";
import { address, contentId, count, hash, pageInput, pageOf, toAddress, toHash } from "../wire.ts";

export const eventOutput = z.strictObject({
  eventId: hash,
  missionId: hash,
  epoch: count,
  eventType: z.enum(eventTypes).nullable(),
  emitterContract: address,
  primaryEntity: address.nullable(),
  secondaryEntity: address.nullable(),
  nodeId: count.nullable(),
  /** Null if withheld: a reader without access could otherwise verify a guess by its hash. */
  payloadHash: hash.nullable(),
  payloadCid: contentId.nullable(),
  salt: hash.nullable(),
  payloadSeal: hash,
  blockNumber: count,
  timestamp: count,
  gasUsed: count,
  sequence: count,
  name: z.string(),
  blockHash: hash.nullable(),
  transactionHash: hash.nullable(),
  logIndex: count.nullable(),
  record: count.nullable(),
  corrects: hash.nullable(),
  prev: hash,
  hash,
  isFinal: z.boolean(),
  isCorrected: z.boolean(),
});

/** The nine dimensions, as request fields. */
export const filterInput = {
  mission: z
    .string()
    .regex(/^0x([0-9a-fA-F]{40}|[0-9a-f]{64})$/)
    .optional()
    .meta({ description: "A mission's contract, or a missionId" }),
  session: z
    .string()
    .regex(/^[1-9]\d{0,17}$/)
    .optional()
    .meta({ description: "The mission of this session" }),
  agent: address.optional().meta({ description: "Any account that the event names" }),
  contract: address.optional(),
  eventType: z.enum(eventTypes).optional(),
  name: z.string().min(1).max(100).optional().meta({ description: "Contract.Event, or a record's kind" }),
  node: count.max(255).optional().meta({ description: "A node of the mission" }),
  epoch: count.optional(),
  fromTime: count.optional().meta({ description: "Unix milliseconds, inclusive" }),
  toTime: count.optional(),
  fromBlock: count.optional().meta({ description: "Inclusive; chain events only" }),
  toBlock: count.optional(),
  principal: address.optional().meta({ description: "The principal of any account that the event names" }),
  failures: z.boolean().optional().meta({ description: "Only failures and stops" }),
  text: z.string().min(2).max(100).optional().meta({
    description: "Case-insensitive text anywhere in a readable payload. A page may end early, even empty, with more to come",
  }),
};
const filterSchema = z.strictObject(filterInput);

/** Converts the request to a hub filter. Throws NotFound for an unknown mission or session. */
export function filterOf(world: World, asked: z.infer<typeof filterSchema>): HubFilter {
  const { mission, session, agent, contract, principal, node, ...rest } = asked;
  const missionId = missionIdOf(world, mission, session);
  if (node !== undefined && missionId === undefined)
    throw new Refused("BadRequest", "A node requires a mission", { action: "add mission or session" });
  return {
    ...rest,
    ...(missionId === undefined ? {} : { missionId }),
    ...(node === undefined ? {} : { nodeId: node }),
    ...(agent === undefined ? {} : { agent: toAddress(agent) }),
    ...(contract === undefined ? {} : { contract: toAddress(contract) }),
    ...(principal === undefined ? {} : { principal: toAddress(principal) }),
  };
}

function missionIdOf({ hub }: World, mission: string | undefined, session: string | undefined) {
  if (mission !== undefined && session !== undefined)
    throw new Refused("BadRequest", "mission and session name the same thing", { action: "give one of them" });
  if (mission !== undefined && mission.length === 66) return toHash(mission);
  const row = mission === undefined ? undefined : hub.missionAt(toAddress(mission));
  const found = session === undefined ? row : hub.sessionNumbered(session);
  if (mission === undefined && session === undefined) return undefined;
  if (found === undefined)
    throw new Refused("NotFound", `This city has no ${session === undefined ? `mission ${mission}` : `session ${session}`}`);
  return found.id;
}

/** An event without its payload where this is withheld. */
export async function redactEvent(event: StreamEvent, isWithheld: Withholding): Promise<z.input<typeof eventOutput>> {
  return (await isWithheld(event)) ? { ...event, payloadHash: null, payloadCid: null, salt: null } : event;
}

export const eventCommands: readonly Command[] = [
  command({
    name: "list_events",
    method: "GET",
    path: "/v1/events",
    group: "Events",
    doc: "Queries the Logging Hub by its nine indexes. GET /v1/events/stream follows the same query live, with public content only.",
    access: "reader",
    cost: 2,
    costOfKey: 3,
    input: z.strictObject({ ...filterInput, ...pageInput }),
    output: pageOf(eventOutput),
    async run(world, { cursor, limit, newest, ...asked }, caller) {
      const isWithheld = withheldFrom(world, caller);
      const { events, next } = await world.hub.query({ ...filterOf(world, asked), cursor, limit, newest }, isWithheld);
      return { items: await Promise.all(events.map((event) => redactEvent(event, isWithheld))), next };
    },
  }),
  command({
    name: "get_event",
    method: "GET",
    path: "/v1/events/{eventId}",
    group: "Events",
    doc: "One event.",
    access: "reader",
    cost: 1,
    input: z.strictObject({ eventId: hash }),
    output: eventOutput,
    async run(world, { eventId }, caller) {
      const event = await world.hub.event(toHash(eventId));
      if (event === undefined) throw new Refused("NotFound", `The hub has no event ${eventId}`);
      return redactEvent(event, withheldFrom(world, caller));
    },
  }),
  command({
    name: "get_payload",
    method: "GET",
    path: "/v1/payloads/{cid}",
    group: "Events",
    doc: "The payload behind an event's payloadCid. Its RFC 8785 bytes hash to both ids. A payload that the caller may not read is reported as unknown.",
    access: "reader",
    cost: 2,
    input: z.strictObject({ cid: contentId }),
    output: z.strictObject({ payloadCid: contentId, payloadHash: hash, payload: z.json() }),
    async run(world, { cid }, caller) {
      const bytes = await payloadFor(world, parseContentId(cid), withheldFrom(world, caller));
      if (bytes === undefined) throw new Refused("NotFound", `There is no readable payload ${cid} here`);
      return { payloadCid: contentIdOf(bytes), payloadHash: keccak256(bytes), payload: z.json().parse(parseJsonBytes(bytes)) };
    },
  }),
];
