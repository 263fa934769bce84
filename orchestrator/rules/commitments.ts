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

/** What a commitment hides until it is opened. */
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

/** Names one attempt at one node under one law on one chain. */
export function obligationOf(o: Obligation): Hex {
  return keccak256(encodeAbiParameters(OBLIGATION, [o.chainId, o.clone, o.node, o.attempt, o.lawHash, o.amendment]));
}

/** What an executor posts before anyone looks at its work. */
export function commitmentOf(agent: Address, o: Opening, obligation: Hex): Hex {
  const values = [agent, o.salt, o.outputHash, o.trailRoot, o.envelopeRoot, o.items, o.classes, obligation] as const;
  return keccak256(encodeAbiParameters(COMMITMENT, values));
}

/** All executor slots of a node together, zero where one is absent: what a verdict is about. */
export function nodeCommitmentOf(slots: readonly Hex[]): Hex {
  return keccak256(concat(slots));
}

/** The work of one checkpoint: of each slot in order the service it was bound to, then its commitment. */
export function workHashOf(entries: readonly Hex[]): Hex {
  return keccak256(concat(entries));
}

/** The chain of a mission's checkpoints after one more; zero before the first. `root` is the head of the off-chain record. */
export function checkpointHeadOf(previous: Hex, root: Hex, work: Hex): Hex {
  return keccak256(concat([previous, root, work]));
}

/** Entry of the envelope tree for one evidence item; the tree hashes it into a leaf. */
export function evidenceLeafOf(obligation: Hex, e: EvidenceEntry): Hex {
  return keccak256(encodeAbiParameters(ENTRY, [obligation, e.slot, e.index, e.kind, e.payload, e.issuer, e.class]));
}
