/** Twin of `contracts/libraries/LawCodec.sol`, where the bit layout is drawn: a law as bytes (decisions 1–3). */
import { type Address, encodeAbiParameters, getAddress, type Hex, keccak256 } from "viem";
import { type MissionParams, packMissionParams, unpackMissionParams } from "./mission-params-codec.ts";
import { RuleError } from "./rule-error.ts";
import { byteLength, field, place, wordAt, wordDigits, wordHex } from "./words.ts";

/** Risk tier of a node or mission. */
export const Risk = { LOW: 0, MEDIUM: 1, HIGH: 2 } as const;
/** Exposure band; chooses the appeal window. */
export const Band = { LOW: 0, MODERATE: 1, ELEVATED: 2, CRITICAL: 3 } as const;

export interface LawHeader {
  /** 1–256. */
  readonly nodeCount: number;
  readonly risk: number;
  /** Seconds from deployment to expiry. */
  readonly duration: number;
  /** Smallest unit. */
  readonly budget: bigint;
  /** Gate predicate of the mission's output; 0 = none. */
  readonly outputPredicate: number;
  /** Hybrid mode: seconds from when a node can start to the checkpoint that carries its work; 0 = every stage on chain. */
  readonly anchorInterval: number;
  readonly goalHash: Hex;
  readonly inputHash: Hex;
  /** Merkle root over the admitted code (`admissions.ts`). */
  readonly servicesRoot: Hex;
}

export interface LawNode {
  /** Bitmap; bit p is node p. */
  readonly predecessors: bigint;
  readonly tier: number;
  readonly redundancy: number;
  readonly threshold: number;
  readonly risk: number;
  /** An evidence class. */
  readonly floor: number;
  /** Bitmap over questions. */
  readonly questions: number;
  readonly leaf: boolean;
  readonly band: number;
  readonly panelSize: number;
  /** Seconds. */
  readonly timeout: number;
  /** Seconds. */
  readonly reviewWindow: number;
  /** All slots together, smallest unit. */
  readonly budget: bigint;
  readonly predicate: number;
  /** Ten levels, eight bits each. */
  readonly capabilities: bigint;
  /** Any code that keeps to the schemas may do its work. */
  readonly anyCode: boolean;
}

/** The context that follows the law in a clone's arguments. */
export interface MissionContext {
  readonly params: MissionParams;
  readonly docHash: Hex;
  readonly session: bigint;
  readonly sponsor: Address;
  /** Unix seconds. */
  readonly deployedAt: number;
}

export const MAX_NODES = 256;
const HEADER_WORDS = 4;
const NODE_WORDS = 2;
const CONTEXT_WORDS = 4;
const HIGHEST_RISK = 2n;
const HIGHEST_FLOOR = 5n;

const tooLarge = (bits: number) => (value: bigint) => new RuleError("FieldTooLarge", value, bits);
const put = (value: bigint | number, first: number, bits: number): bigint => place(value, first, bits, tooLarge(bits));

/** Size in bytes of a law with this many nodes. */
export function lawLength(nodeCount: number): number {
  return 32 * (HEADER_WORDS + NODE_WORDS * nodeCount);
}

/** Header of a law, or of clone arguments, which start with one. */
export function lawHeader(law: Hex): LawHeader {
  const nodeCount = countOf(law);
  const word = wordAt(law, 0);
  const risk = field(word, 16, 8);
  if (risk > HIGHEST_RISK || word >> 152n !== 0n) throw new RuleError("MalformedHeader", word);
  return {
    nodeCount,
    risk: Number(risk),
    duration: Number(field(word, 40, 32)),
    budget: field(word, 72, 64),
    outputPredicate: Number(field(word, 24, 16)),
    anchorInterval: Number(field(word, 136, 16)),
    goalHash: wordHex(wordAt(law, 1)),
    inputHash: wordHex(wordAt(law, 2)),
    servicesRoot: wordHex(wordAt(law, 3)),
  };
}

/** Node `index` of a law, or of clone arguments, which start with one. */
export function lawNode(law: Hex, index: number): LawNode {
  const nodeCount = countOf(law);
  if (index < 0 || index >= nodeCount) throw new RuleError("NodeOutOfRange", index, nodeCount);
  const at = HEADER_WORDS + NODE_WORDS * index;
  const word = wordAt(law, at + 1);
  const risk = field(word, 211, 2);
  const floor = field(word, 213, 3);
  if (risk > HIGHEST_RISK || floor > HIGHEST_FLOOR || word >> 222n !== 0n) throw new RuleError("MalformedNode", index, word);
  return {
    predecessors: wordAt(law, at),
    tier: Number(field(word, 203, 2)),
    redundancy: Number(field(word, 205, 3)),
    threshold: Number(field(word, 208, 3)),
    risk: Number(risk),
    floor: Number(floor),
    questions: Number(field(word, 216, 2)),
    leaf: field(word, 218, 1) === 1n,
    band: Number(field(word, 219, 2)),
    panelSize: Number(field(word, 200, 3)),
    timeout: Number(field(word, 168, 16)),
    reviewWindow: Number(field(word, 144, 24)),
    budget: field(word, 80, 64),
    predicate: Number(field(word, 184, 16)),
    capabilities: field(word, 0, 80),
    anyCode: field(word, 221, 1) === 1n,
  };
}

/** The whole law, decoded. */
export function decodeLaw(law: Hex): { header: LawHeader; nodes: LawNode[] } {
  const header = lawHeader(law);
  return { header, nodes: Array.from({ length: header.nodeCount }, (_, index) => lawNode(law, index)) };
}

/** The canonical bytes of a law. */
export function encodeLaw(header: LawHeader, nodes: readonly LawNode[]): Hex {
  const count = nodes.length;
  if (count === 0 || count > MAX_NODES || header.nodeCount !== count) {
    throw new RuleError("MalformedLaw", lawLength(count), header.nodeCount);
  }
  if (BigInt(header.risk) > HIGHEST_RISK) throw new RuleError("FieldTooLarge", header.risk, 8);
  const first =
    put(header.nodeCount, 0, 16) |
    put(header.risk, 16, 8) |
    put(header.outputPredicate, 24, 16) |
    put(header.duration, 40, 32) |
    put(header.budget, 72, 64) |
    put(header.anchorInterval, 136, 16);
  const words = [first, BigInt(header.goalHash), BigInt(header.inputHash), BigInt(header.servicesRoot)];
  nodes.forEach((node, index) => {
    words.push(node.predecessors, packNode(node, index));
  });
  return `0x${words.map(wordDigits).join("")}`;
}

/** lawHash: keccak256 of the law without its context. */
export function lawHashOf(args: Hex): Hex {
  return keccak256(args.slice(0, 2 + 2 * lawLength(countOf(args))) as Hex);
}

/** The subject of a ballot: the law and its document. */
export function specHashOf(lawHash: Hex, docHash: Hex): Hex {
  return keccak256(encodeAbiParameters([{ type: "bytes32" }, { type: "bytes32" }], [lawHash, docHash]));
}

/** Immutable arguments of a clone. */
export function cloneArgs(law: Hex, context: MissionContext): Hex {
  const nodeCount = countOf(law);
  if (byteLength(law) !== lawLength(nodeCount)) throw new RuleError("MalformedLaw", byteLength(law), nodeCount);
  const origin = put(BigInt(context.sponsor), 0, 160) | put(context.deployedAt, 160, 40);
  const words = [packMissionParams(context.params), BigInt(context.docHash), context.session, origin];
  return `${law}${words.map(wordDigits).join("")}`;
}

/** The context at the end of a clone's arguments. */
export function cloneContext(args: Hex): MissionContext {
  const nodeCount = countOf(args);
  const at = lawLength(nodeCount);
  if (byteLength(args) === at) throw new RuleError("MalformedLaw", at, nodeCount);
  const first = at / 32;
  const origin = wordAt(args, first + 3);
  if (origin >> 200n !== 0n) throw new RuleError("MalformedHeader", origin);
  return {
    params: unpackMissionParams(wordAt(args, first)),
    docHash: wordHex(wordAt(args, first + 1)),
    session: wordAt(args, first + 2),
    sponsor: getAddress(`0x${field(origin, 0, 160).toString(16).padStart(40, "0")}`),
    deployedAt: Number(field(origin, 160, 40)),
  };
}

/** Reads the node count and checks the length against it: a law alone, or a law with its context. */
function countOf(law: Hex): number {
  const length = byteLength(law);
  if (length < 32) throw new RuleError("MalformedLaw", length, 0);
  const count = Number(field(wordAt(law, 0), 0, 16));
  const sized = length === lawLength(count) || length === lawLength(count) + 32 * CONTEXT_WORDS;
  if (count === 0 || count > MAX_NODES || !sized) throw new RuleError("MalformedLaw", length, count);
  return count;
}

function packNode(n: LawNode, index: number): bigint {
  const word =
    put(n.capabilities, 0, 80) |
    put(n.budget, 80, 64) |
    put(n.reviewWindow, 144, 24) |
    put(n.timeout, 168, 16) |
    put(n.predicate, 184, 16) |
    put(n.panelSize, 200, 3) |
    put(n.tier, 203, 2) |
    put(n.redundancy, 205, 3) |
    put(n.threshold, 208, 3) |
    put(n.risk, 211, 2) |
    put(n.floor, 213, 3) |
    put(n.questions, 216, 2) |
    put(n.leaf ? 1 : 0, 218, 1) |
    put(n.band, 219, 2) |
    put(n.anyCode ? 1 : 0, 221, 1);
  if (BigInt(n.risk) > HIGHEST_RISK || BigInt(n.floor) > HIGHEST_FLOOR) throw new RuleError("MalformedNode", index, word);
  return word;
}
