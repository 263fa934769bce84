/** What a law of tests admits: the one code that everybody sells there, for all its nodes, or any that keeps to its schemas. */
import { id } from "ethers";
import { zeroHash } from "viem";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import { type Admission, type Admitted, admissionOf, type ServiceTerms } from "../../orchestrator/rules/admissions.ts";
import type { LawNode } from "../../orchestrator/rules/law-codec.ts";

export const CODE = hexSchema.parse(id("code"));
export const SCHEMAS = hexSchema.parse(id("schema"));

export function admittedIn(nodes: readonly Pick<LawNode, "anyCode">[]): readonly Admitted[] {
  const those = (any: boolean) => nodes.reduce((bits, { anyCode }, node) => (anyCode === any ? bits | (1n << BigInt(node)) : bits), 0n);
  const entries = [
    { codeHash: CODE, schemaHash: SCHEMAS, nodes: those(false) },
    { codeHash: zeroHash, schemaHash: SCHEMAS, nodes: those(true) },
  ];
  return entries.filter((entry) => entry.nodes !== 0n);
}

/** What a bid shows: that the law admits the service, or, where it does not, the service and the law's first entry. */
export function shownBy(admitted: readonly Admitted[], service: ServiceTerms, node: number): Admission {
  const shown = admissionOf(admitted, service, node);
  const [first] = admitted;
  if (shown !== undefined || first === undefined) return shown ?? { ...termsOf(service), nodes: 0n, proof: [] };
  return { ...termsOf(service), nodes: first.nodes, proof: [] };
}

function termsOf(service: ServiceTerms): Pick<Admission, "codeHash" | "schemaHash" | "termsHash"> {
  const own = { ...service, nodes: 1n };
  const shown = admissionOf([own], service, 0);
  if (shown === undefined) throw new Error("a law admits what it names");
  return shown;
}
