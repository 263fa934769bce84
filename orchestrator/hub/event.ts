import { concat, numberToHex, toBytes, zeroHash } from "viem";
import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { keccak256, parseContentId, sha256 } from "../primitives/hash.ts";
import { type Hash, hashSchema } from "../primitives/hex.ts";
import { canonicalBytes, type JsonValue } from "../primitives/json.ts";
import { eventTypes } from "./event-types.ts";

const count = z.int().nonnegative();

/**
 * The canonical event (AgentCity B.12), with the paper's thirteen fields first. Differences and their reasons: `eventType` is null if the
 * paper has no type for an event, which `name` then identifies; `nodeId` is the node's number in its mission and null where the paper
 * writes zero, since 0 is a valid node; off chain, `emitterContract` is the zero address, as in the paper.
 */
export const hubEventSchema = z.strictObject({
  /** Keccak-256 of missionId and sequence. */
  eventId: hashSchema,
  /** Keccak-256 of the legislature's address and the session's number: one id from the first draft of a law to its last payout. */
  missionId: hashSchema,
  /** Number of earlier, failed laws for the same goal. */
  epoch: count,
  eventType: z.enum(eventTypes).nullable(),
  emitterContract: addressSchema,
  primaryEntity: addressSchema.nullable(),
  secondaryEntity: addressSchema.nullable(),
  nodeId: count.max(255).nullable(),
  payloadHash: hashSchema,
  payloadCid: z.string().transform(parseContentId),
  /** 32 unguessable bytes, shown like the two ids above only to readers of the payload. */
  salt: hashSchema,
  /** SHA-256 of the RFC 8785 bytes of the three fields above, which it represents in `hash`, so that withheld content cannot be guessed. */
  payloadSeal: hashSchema,
  /** 0 off chain. */
  blockNumber: count,
  /** Unix milliseconds of the block, or of the city's clock. */
  timestamp: count,
  /** Gas of the whole transaction on its first event, 0 on its others and off chain, so that sums are correct. */
  gasUsed: count,
  /** Position in the one stream: 1, 2, 3 … without gaps. */
  sequence: count.positive(),
  /** "Contract.Event" on chain, the record's kind off chain, "hub.reorganized" for a correction. */
  name: z.string().min(1),
  blockHash: hashSchema.nullable(),
  transactionHash: hashSchema.nullable(),
  logIndex: count.nullable(),
  /** Number of the entry in the city's log. */
  record: count.positive().nullable(),
  /** The event that a reorganization invalidated. It remains in the stream; this entry states that it no longer holds. */
  corrects: hashSchema.nullable(),
  /** Hash of the previous entry; zeros for the first. */
  prev: hashSchema,
  /** SHA-256 of the RFC 8785 bytes of all fields above except payloadHash, payloadCid and salt. */
  hash: hashSchema,
});
export type HubEvent = z.infer<typeof hubEventSchema>;

/** An event without the fields that its position in the stream determines. */
export type EventDraft = Omit<HubEvent, "eventId" | "sequence" | "prev" | "hash" | "salt" | "payloadSeal">;

/** The end of the stream. */
export interface StreamHead {
  readonly sequence: number;
  readonly hash: Hash;
}

export const EMPTY_STREAM: StreamHead = { sequence: 0, hash: zeroHash };

/** The event at the next position of the stream. `secret` belongs to the stream; salts are derived from it. */
export function place(head: StreamHead, draft: EventDraft, secret: Hash): HubEvent {
  const sequence = head.sequence + 1;
  const eventId = keccak256(concat([draft.missionId, numberToHex(sequence, { size: 32 })]));
  const sealed = { ...draft, salt: sha256(toBytes(concat([secret, eventId]))) };
  const event = { ...sealed, payloadSeal: sealOf(sealed), eventId, sequence, prev: head.hash };
  return { ...event, hash: eventHash(event) };
}

/** The seal that represents a payload in its event's hash. */
export function sealOf({ payloadHash, payloadCid, salt }: Readonly<Record<(typeof SEALED)[number], JsonValue>>): Hash {
  return sha256(canonicalBytes({ payloadHash, payloadCid, salt }));
}

/** The expected hash of an event, whether its payload is withheld or not. */
export function eventHash(event: Readonly<Record<Exclude<keyof HubEvent, "hash" | (typeof SEALED)[number]>, JsonValue>>): Hash {
  return sha256(canonicalBytes(coveredSchema.parse(event)));
}

const SEALED = ["payloadHash", "payloadCid", "salt"] as const;
const coveredSchema = z.object(hubEventSchema.omit({ hash: true, payloadHash: true, payloadCid: true, salt: true }).shape);
