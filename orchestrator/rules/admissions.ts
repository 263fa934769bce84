/** Twin of `contracts/libraries/Admissions.sol`: the code that a law admits (decision 93). */
import { type Address, encodeAbiParameters, type Hex, keccak256, zeroHash } from "viem";
import { RuleError } from "./rule-error.ts";

/** A service's registration without its owner. */
export interface ServiceTerms {
  readonly codeHash: Hex;
  readonly schemaHash: Hex;
  readonly endpoint: string;
  readonly constraints: Hex;
}

/** Hash of admitted code; zero admits any code that keeps to the schemas. */
export interface Admitted {
  readonly codeHash: Hex;
  readonly schemaHash: Hex;
  /** Bitmap of the nodes it may work on. */
  readonly nodes: bigint;
}

/** The proof in a bid. */
export interface Admission {
  readonly codeHash: Hex;
  readonly schemaHash: Hex;
  readonly termsHash: Hex;
  readonly nodes: bigint;
  readonly proof: readonly Hex[];
}

/** A service's id, which commits to the whole registration. */
export function serviceIdOf({ owner, ...terms }: ServiceTerms & { readonly owner: Address }): Hex {
  return keccak256(
    encodeAbiParameters(
      [{ type: "address" }, { type: "bytes32" }, { type: "bytes32" }, { type: "bytes32" }],
      [owner, terms.codeHash, terms.schemaHash, termsHashOf(terms)],
    ),
  );
}

function termsHashOf({ endpoint, constraints }: Pick<ServiceTerms, "endpoint" | "constraints">): Hex {
  return keccak256(encodeAbiParameters([{ type: "string" }, { type: "bytes32" }], [endpoint, constraints]));
}

export function admissionLeaf({ codeHash, schemaHash, nodes }: Admitted): Hex {
  return keccak256(encodeAbiParameters([{ type: "bytes32" }, { type: "bytes32" }, { type: "uint256" }], [codeHash, schemaHash, nodes]));
}

/** Root over a law's admissions, independent of their order; zero if there are none. */
export function servicesRootOf(admitted: readonly Admitted[]): Hex {
  const [root = zeroHash] = levelsOf(admitted).at(-1) ?? [];
  return root;
}

/** Proof that a law admits a service for a node; undefined if it does not. */
export function admissionOf(admitted: readonly Admitted[], service: ServiceTerms, node: number): Admission | undefined {
  const entry = admitted.find(
    ({ codeHash, schemaHash, nodes }) =>
      (codeHash === zeroHash || same(codeHash, service.codeHash)) && same(schemaHash, service.schemaHash) && (nodes >> BigInt(node)) & 1n,
  );
  if (entry === undefined) return undefined;
  const { codeHash, schemaHash } = service;
  return { codeHash, schemaHash, termsHash: termsHashOf(service), nodes: entry.nodes, proof: proofOf(admitted, admissionLeaf(entry)) };
}

/** Whether a root contains an entry for that node, as the chain verifies it. */
export function admits(
  servicesRoot: Hex,
  { codeHash, schemaHash, nodes, proof }: Pick<Admission, "codeHash" | "schemaHash" | "nodes" | "proof">,
  node: number,
  anyCode: boolean,
): boolean {
  const leaf = admissionLeaf({ codeHash: anyCode ? zeroHash : codeHash, schemaHash, nodes });
  return ((nodes >> BigInt(node)) & 1n) === 1n && proof.reduce(pairHash, leaf) === servicesRoot;
}

function proofOf(admitted: readonly Admitted[], leaf: Hex): readonly Hex[] {
  const proof: Hex[] = [];
  let hash = leaf;
  for (const level of levelsOf(admitted).slice(0, -1)) {
    const place = level.indexOf(hash);
    if (place < 0) throw new RuleError("NotAdmitted", leaf);
    const sibling = level[place ^ 1];
    // An unpaired last element moves up unchanged.
    if (sibling === undefined) continue;
    proof.push(sibling);
    hash = pairHash(hash, sibling);
  }
  return proof;
}

/** All levels, from the ordered leaves to the root. */
function levelsOf(admitted: readonly Admitted[]): readonly (readonly Hex[])[] {
  const levels: (readonly Hex[])[] = [[...new Set(admitted.map(admissionLeaf))].sort()];
  let level = levels[0] ?? [];
  while (level.length > 1) {
    const below = level;
    level = Array.from({ length: Math.ceil(below.length / 2) }, (_, place) => {
      const [one, other] = below.slice(2 * place);
      return one === undefined || other === undefined ? (one ?? zeroHash) : pairHash(one, other);
    });
    levels.push(level);
  }
  return levels;
}

function pairHash(one: Hex, other: Hex): Hex {
  const [low, high] = one < other ? [one, other] : [other, one];
  return keccak256(`${low}${high.slice(2)}`);
}

function same(one: Hex, other: Hex): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
