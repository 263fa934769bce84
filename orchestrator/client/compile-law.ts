import { encodeAbiParameters, zeroHash } from "viem";
import { keccak256 } from "../primitives/hash.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { bytesToHex } from "../primitives/hex.ts";
import { canonicalBytes, parseCanonicalJson } from "../primitives/json.ts";
import { type MissionDocument, type MissionNode, missionDocumentSchema, takesAnyCode } from "../protocol/mission-document.ts";
import { EvidenceClass } from "../rules/admissibility.ts";
import { type Admitted, servicesRootOf } from "../rules/admissions.ts";
import { Band, encodeLaw, type LawNode, lawHashOf, Risk, specHashOf } from "../rules/law-codec.ts";

/** All representations of a law (decision 1). */
export interface CompiledLaw {
  readonly document: MissionDocument;
  /** RFC 8785 bytes of the document. */
  readonly bytes: Uint8Array;
  /** keccak256 of those bytes. */
  readonly docHash: Hash;
  /** Packed law, as enforced on chain. */
  readonly law: Hex;
  readonly lawHash: Hash;
  /** The hash that ballots are about. */
  readonly specHash: Hash;
}

const QUESTIONS = { PERFORMANCE: 1, POLICY: 2 } as const;

/** Compiles a document into its one law. Pure: an audit repeats it and compares. */
export function compileLaw(document: MissionDocument): CompiledLaw {
  const checked = missionDocumentSchema.parse(document);
  const bytes = canonicalBytes(checked);
  const docHash = keccak256(bytes);
  const law = encodeLaw(
    {
      nodeCount: checked.nodes.length,
      risk: Risk[checked.risk],
      duration: checked.duration,
      budget: BigInt(checked.budget),
      outputPredicate: checked.outputPredicate,
      anchorInterval: checked.anchorInterval ?? 0,
      goalHash: statedGoalHash(checked),
      inputHash: checked.input.digest,
      servicesRoot: servicesRootOf(admittedBy(checked)),
    },
    checked.nodes.map(lawNodeOf),
  );
  const lawHash = lawHashOf(law);
  return { document: checked, bytes, docHash, law, lawHash, specHash: specHashOf(lawHash, docHash) };
}

/** Compiles the bytes of a document. Non-canonical bytes are refused: they would have another hash. */
export function recompileLaw(bytes: Uint8Array): CompiledLaw {
  return compileLaw(missionDocumentSchema.parse(parseCanonicalJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes))));
}

/** The goal of a session: keccak256 of the stated goal. */
export function goalHashOf(goal: string): Hash {
  return keccak256(bytesToHex(new TextEncoder().encode(goal)));
}

/** The goal hash of a law's session: of its goal, or of the parent's node that it is (contracts/collaboration/Descent.sol). */
export function statedGoalHash({ goal, parent }: Pick<MissionDocument, "goal" | "parent">): Hash {
  if (parent === undefined) return goalHashOf(goal);
  const { mission, node, attempt } = parent;
  return keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint8" }, { type: "uint8" }], [mission, node, attempt]));
}

/** Packs a node into two words. */
export function lawNodeOf(node: MissionNode): LawNode {
  return {
    predecessors: node.after.reduce((bits, number) => bits | (1n << BigInt(number)), 0n),
    tier: node.tier,
    redundancy: node.redundancy,
    threshold: node.threshold,
    risk: Risk[node.risk],
    floor: EvidenceClass[node.floor],
    questions: node.questions.reduce((bits, question) => bits | QUESTIONS[question], 0),
    leaf: node.mission === undefined,
    band: Band[node.band],
    panelSize: node.panelSize,
    timeout: node.timeout,
    reviewWindow: node.reviewWindow,
    budget: BigInt(node.budget),
    predicate: node.predicate,
    capabilities: node.capabilities.reduce((word, level, dimension) => word | (BigInt(level) << BigInt(8 * dimension)), 0n),
    anyCode: takesAnyCode(node),
  };
}

/** The code that a law admits, each with all the nodes it is admitted for: nodes of one task share an entry. */
export function admittedBy({ nodes }: Pick<MissionDocument, "nodes">): readonly Admitted[] {
  const admitted = new Map<string, Admitted>();
  for (const { number, admits } of nodes) {
    for (const { code: codeHash = zeroHash, schema: schemaHash } of admits) {
      const known = admitted.get(`${codeHash}/${schemaHash}`)?.nodes ?? 0n;
      admitted.set(`${codeHash}/${schemaHash}`, { codeHash, schemaHash, nodes: known | (1n << BigInt(number)) });
    }
  }
  return [...admitted.values()];
}
