import { concat, numberToHex, zeroHash } from "viem";
import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { keccak256, parseContentId, sha256 } from "../primitives/hash.ts";
import { type Hash, hashSchema } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { eventTypes } from "./event-types.ts";

const count = z.int().nonnegative();

/**
 * The canonical event (AgentCity B.12), with the paper's thirteen fields first. Differences, each with its reason: `eventType` is null for
 * what this city tells and the paper has no type for, `name` says it; `nodeId` is the node's number in its mission, null where the paper
 * writes zero, since 0 is a node; off chain, `emitterContract` is the zero address as the paper says.
 */
export const hubEventSchema = z.strictObject({
  /** Keccak-256 of missionId and sequence. */
  eventId: hashSchema,
  /** Keccak-256 of the legislature's address and the session's number: one id from the first word about a law to its last payout. */
  missionId: hashSchema,
  /** How many laws of the same goal failed before. */
  epoch: count,
  eventType: z.enum(eventTypes).nullable(),
  emitterContract: addressSchema,
  primaryEntity: addressSchema.nullable(),
  secondaryEntity: addressSchema.nullable(),
  nodeId: count.max(255).nullable(),
  payloadHash: hashSchema,
  payloadCid: z.string().transform(parseContentId),
  /** 0 off chain. */
  blockNumber: count,
  /** Unix milliseconds: of the block, or of the city's clock. */
  timestamp: count,
  /** Of the whole transaction on its first event, 0 on its others and off chain: sums are right. */
  gasUsed: count,
  /** Place in the one stream: 1, 2, 3 … without a gap. */
  sequence: count.positive(),
  /** "Contract.Event" on chain, the record's kind off chain, "hub.reorganized" for a correction. */
  name: z.string().min(1),
  blockHash: hashSchema.nullable(),
  transactionHash: hashSchema.nullable(),
  logIndex: count.nullable(),
  /** Entry of the city's log that this is. */
  record: count.positive().nullable(),
  /** The event that a reorganization made untrue. It stays where it is; this entry says that it no longer holds. */
  corrects: hashSchema.nullable(),
  /** Hash of the entry before; zeros for the first. */
  prev: hashSchema,
  /** SHA-256 of the RFC 8785 bytes of all the fields above. */
  hash: hashSchema,
});
export type HubEvent = z.infer<typeof hubEventSchema>;

/** An event without what its place in the stream gives it. */
export type EventDraft = Omit<HubEvent, "eventId" | "sequence" | "prev" | "hash">;

/** Where the stream stands. */
export interface StreamHead {
  readonly sequence: number;
  readonly hash: Hash;
}

export const EMPTY_STREAM: StreamHead = { sequence: 0, hash: zeroHash };

/** The event at the next place of the stream. */
export function place(head: StreamHead, draft: EventDraft): HubEvent {
  const sequence = head.sequence + 1;
  const eventId = keccak256(concat([draft.missionId, numberToHex(sequence, { size: 32 })]));
  const event = { ...draft, eventId, sequence, prev: head.hash };
  return { ...event, hash: eventHash(event) };
}

/** What an event's hash must be. */
export function eventHash(event: Omit<HubEvent, "hash">): Hash {
  const { hash: _, ...rest } = { hash: zeroHash, ...event };
  return sha256(canonicalBytes(rest));
}
