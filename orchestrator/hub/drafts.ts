import { zeroAddress } from "viem";
import { addressSchema } from "../primitives/address.ts";
import { contentIdOf, keccak256 } from "../primitives/hash.ts";
import type { Address } from "../primitives/hex.ts";
import { canonicalBytes, canonicalJson, type JsonObject, type JsonValue } from "../primitives/json.ts";
import type { LogEntry } from "../records/log.ts";
import type { ChainEvent } from "./chain-source.ts";
import type { EventDraft, HubEvent } from "./event.ts";
import { typeOfChainEvent, typeOfRecord } from "./event-types.ts";
import { NO_MISSION, type Registry } from "./registry.ts";

/** An event to be written, with its index terms. */
export interface Drafted {
  readonly draft: EventDraft;
  /** Agents and other accounts that it names, in order. */
  readonly parties: readonly Address[];
  /** The principals of these accounts. */
  readonly principals: readonly Address[];
  /** Canonical JSON; null if the city's blocks hold it. */
  readonly payload: string | null;
}

const MILLIS = 1_000;

export function chainDraft(event: ChainEvent, registry: Registry): Drafted {
  const { name, emitter, args, block, transaction, index, gasUsed } = event;
  const mission = registry.missionOf(event);
  const { id, epoch } = mission ?? NO_MISSION;
  const isMission = (address: Address) => registry.missionAt(address) !== undefined;
  const parties = unique(
    Object.values(args)
      .flatMap(addressesIn)
      .filter((address) => !isMission(address)),
  );
  const node = args["node"];
  const payload = { event: name, emitter, transaction, args };
  return {
    draft: {
      missionId: id,
      epoch,
      eventType: typeOfChainEvent(name, args),
      emitterContract: emitter,
      ...entities(parties),
      nodeId: mission !== undefined && typeof node === "number" ? node : null,
      ...contentOf(payload),
      blockNumber: block.number,
      timestamp: block.time * MILLIS,
      gasUsed,
      name,
      blockHash: block.hash,
      transactionHash: transaction,
      logIndex: index,
      record: null,
      corrects: null,
    },
    ...namedBy(parties, registry),
    payload: canonicalJson(payload),
  };
}

/** The event of a log record. `bytes`: its content, if available. */
export function recordDraft(entry: LogEntry, bytes: Uint8Array | undefined, registry: Registry): Drafted {
  const { kind, subjects, content, seq, time } = entry;
  const named = subjects.flatMap((subject) => addressesIn(subject));
  const address = named.find((each) => registry.missionAt(each) !== undefined);
  // Session records have the run's name and the session's number as first subjects.
  const session = kind.startsWith("legislature.") && /^\d+$/.test(subjects[1] ?? "") ? subjects[1] : undefined;
  const mission = address !== undefined ? registry.missionAt(address) : session && registry.sessionNumbered(session);
  const { id, epoch } = mission || NO_MISSION;
  const parties = unique(named.filter((each) => registry.missionAt(each) === undefined));
  const isOfNode = /^execution\.(?!offers$)/.test(kind) && address !== undefined && /^\d{1,3}$/.test(subjects[1] ?? "");
  const payload = { kind, subjects };
  const ofBlock = content === null ? undefined : { payloadHash: keccak256(bytes ?? new Uint8Array()), payloadCid: content };
  return {
    draft: {
      missionId: id,
      epoch,
      eventType: typeOfRecord(kind),
      emitterContract: zeroAddress,
      ...entities(parties),
      nodeId: isOfNode ? Number(subjects[1]) : null,
      ...(ofBlock ?? contentOf(payload)),
      blockNumber: 0,
      timestamp: time * MILLIS,
      gasUsed: 0,
      name: kind,
      blockHash: null,
      transactionHash: null,
      logIndex: null,
      record: seq,
      corrects: null,
    },
    ...namedBy(parties, registry),
    payload: content === null ? canonicalJson(payload) : null,
  };
}

/** The correction of an event that no longer holds, indexed like the event itself. `time`: seconds of the block that replaced it. */
export function correctionDraft(event: HubEvent, parties: readonly Address[], time: number, registry: Registry): Drafted {
  const { missionId, epoch, eventType, emitterContract, primaryEntity, secondaryEntity, nodeId, blockNumber, blockHash } = event;
  const payload = { event: "hub.reorganized", corrects: event.eventId, block: blockNumber, replaced: blockHash };
  return {
    draft: {
      ...{ missionId, epoch, eventType, emitterContract, primaryEntity, secondaryEntity, nodeId },
      ...contentOf(payload),
      blockNumber: 0,
      timestamp: time * MILLIS,
      gasUsed: 0,
      name: "hub.reorganized",
      blockHash: null,
      transactionHash: null,
      logIndex: null,
      record: null,
      corrects: event.eventId,
    },
    ...namedBy(parties, registry),
    payload: canonicalJson(payload),
  };
}

function entities([primary, secondary]: readonly Address[]): Pick<EventDraft, "primaryEntity" | "secondaryEntity"> {
  return { primaryEntity: primary ?? null, secondaryEntity: secondary ?? null };
}

function namedBy(parties: readonly Address[], registry: Registry): Pick<Drafted, "parties" | "principals"> {
  return { parties, principals: unique(parties.flatMap((party) => registry.principalOf(party) ?? [])) };
}

function contentOf(payload: JsonObject) {
  const bytes = canonicalBytes(payload);
  return { payloadHash: keccak256(bytes), payloadCid: contentIdOf(bytes) };
}

function addressesIn(value: JsonValue): readonly Address[] {
  if (Array.isArray(value)) return value.flatMap(addressesIn);
  // The zero address names no account.
  const parsed = addressSchema.safeParse(value);
  return parsed.success && parsed.data !== zeroAddress ? [parsed.data] : [];
}

const unique = (addresses: readonly Address[]): readonly Address[] => [...new Set(addresses)];
