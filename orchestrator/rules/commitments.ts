/** Twin of `contracts/libraries/Commitments.sol`: what a commitment binds (decisions 19 and 20). */
import { type Address, concat, encodeAbiParameters, type Hex, keccak256 } from "viem";
import type { EvidenceClass } from "./admissibility.ts";

export interface Obligation {
  readonly chainId: bigint;
  readonly clone: Address;
  readonly node: number;
  readonly attempt: number;
  readonly lawHash: Hex;
  /** Digest of the override that changed the node, zero if none. */
  readonly amendment: Hex;
}

/** The hidden content of a commitment. */
export interface Opening {
  readonly salt: Hex;
  readonly outputHash: Hex;
  readonly trailRoot: Hex;
  readonly envelopeRoot: Hex;
  /** Evidence items, ≤ 32; in a mission ≤ 31. */
  readonly items: number;
  /** Claimed class of each item, three bits each. */
  readonly classes: bigint;
}

export interface EvidenceEntry {
  readonly slot: number;
  readonly index: number;
  readonly kind: number;
  readonly payload: Hex;
  readonly issuer: Address;
  readonly class: EvidenceClass;
}

const [b32, u8, address] = [{ type: "bytes32" }, { type: "uint8" }, { type: "address" }] as const;
const OBLIGATION = [{ type: "uint256" }, address, u8, u8, b32, b32] as const;
const COMMITMENT = [address, b32, b32, b32, b32, u8, { type: "uint96" }, b32] as const;
const ENTRY = [b32, u8, u8, u8, b32, address, u8] as const;

/** Id of one attempt at one node under one law on one chain. */
export function obligationOf(o: Obligation): Hex {
  return keccak256(encodeAbiParameters(OBLIGATION, [o.chainId, o.clone, o.node, o.attempt, o.lawHash, o.amendment]));
}

/** What an executor posts before its work is revealed. */
export function commitmentOf(agent: Address, o: Opening, obligation: Hex): Hex {
  const values = [agent, o.salt, o.outputHash, o.trailRoot, o.envelopeRoot, o.items, o.classes, obligation] as const;
  return keccak256(encodeAbiParameters(COMMITMENT, values));
}

/** Hash over all executor slots of a node, zero for an absent one: the subject of a verdict. */
export function nodeCommitmentOf(slots: readonly Hex[]): Hex {
  return keccak256(concat(slots));
}

/** Hash of one node's work in a checkpoint: per slot, in order, the bound service and the commitment. */
export function workHashOf(entries: readonly Hex[]): Hex {
  return keccak256(concat(entries));
}

/** Extends the hash chain of a mission's checkpoints; zero before the first. `root` is the head of the off-chain record. */
export function checkpointHeadOf(previous: Hex, root: Hex, work: Hex): Hex {
  return keccak256(concat([previous, root, work]));
}

/** Entry of the envelope tree for one evidence item; the tree applies the leaf hash. */
export function evidenceLeafOf(obligation: Hex, e: EvidenceEntry): Hex {
  return keccak256(encodeAbiParameters(ENTRY, [obligation, e.slot, e.index, e.kind, e.payload, e.issuer, e.class]));
}
