import { toFunctionSelector } from "viem";
import { ArtifactMissing, type profiles, type Runtime, readArtifact } from "../../deploy/artifacts.ts";
import { missionTemplate, templateAuditHash } from "../../deploy/genesis.ts";
import { addressSchema } from "../primitives/address.ts";
import type { Address, Hash, Hex } from "../primitives/hex.ts";
import type { CodifierOperation } from "../protocol/operations.ts";
import { decodeLaw } from "../rules/law-codec.ts";
import type { CityClient } from "./client.ts";
import {
  auditCodification,
  type CodePart,
  type CodificationFacts,
  type CodificationReport,
  factsHash,
  reportHash,
} from "./codification-audit.ts";
import type { CompiledLaw } from "./compile-law.ts";
import { limitsOf } from "./law-limits.ts";

/** Result of an operation on a spec: the hashes of its output and of its intermediate artifact. */
export interface OperationResult {
  readonly output: Hash;
  readonly intermediate: Hash;
}

/** A law with the result of every mandated operation. */
export interface Codification {
  readonly report: CodificationReport;
  readonly results: Readonly<Record<CodifierOperation, OperationResult>>;
}

/** Compiles and audits, as the Codifier must and anyone can: the same law on the same chain gives the same hashes. */
export async function codificationOf(client: CityClient, session: bigint, compiled: CompiledLaw): Promise<Codification> {
  const facts = await readCodificationFacts(client, session, compiled.law);
  const report = auditCodification(compiled.bytes, compiled.law, facts);
  return {
    report,
    results: {
      "compile-law": { output: compiled.lawHash, intermediate: compiled.docHash },
      "audit-codification": { output: reportHash(report), intermediate: factsHash(facts) },
    },
  };
}

/** The current on-chain facts for the audit of a session's law. */
export async function readCodificationFacts(client: CityClient, session: bigint, law: Hex): Promise<CodificationFacts> {
  const { winner, goalHash, deposit, rules, mission } = await client.legislation.sessionOf(session);
  const { specHash } = await client.legislation.candidateOf(session, winner);
  return {
    session,
    chosen: specHash,
    goalHash,
    // Once the law is deployed, the mission holds its money.
    deposit: BigInt(mission) === 0n ? deposit : (await client.mission(mission).ledger()).deposit,
    limits: await limitsOf(client, session),
    predicates: await approvedPredicates(client, law),
    template: await templateFacts(client, rules.template),
  };
}

async function approvedPredicates(client: CityClient, law: Hex): Promise<number[]> {
  const { header, nodes } = decodeLaw(law);
  const named = new Set([header.outputPredicate, ...nodes.map(({ predicate }) => predicate)].filter((id) => id !== 0));
  const approved: number[] = [];
  for (const id of [...named].sort((a, b) => a - b)) {
    if (BigInt(await client.execution.predicateOf(id)) !== 0n) approved.push(id);
  }
  return approved;
}

/** The session's template: its code and its libraries', and the build whose audit hash the registry holds. */
async function templateFacts(client: CityClient, version: number): Promise<CodificationFacts["template"]> {
  const { implementation, auditHash } = await client.templates.templateOf(await client.legislation.template(), version);
  const { profile, reviewedHash } = reviewedBuild(auditHash);
  const main = readArtifact(missionTemplate.source, profile);
  const parts: CodePart[] = [];
  const look = async (name: string, address: Address, { code, holes, libraries }: Runtime): Promise<void> => {
    if (parts.some((part) => part.name === name)) return;
    const live = (await client.chain.publicClient.getCode({ address })) ?? "0x";
    parts.push({ name, address, live, reviewed: code, holes, libraries });
    for (const { name: library, source, starts } of libraries) {
      const [start] = starts;
      const linked = start === undefined ? undefined : linkedAt(live, start);
      if (linked !== undefined) await look(library, linked, readArtifact(source, profile).runtime);
    }
  };
  await look(main.name, implementation, main.runtime);
  const selectors = main.abi.flatMap((item) => (item.type === "function" ? [toFunctionSelector(item)] : [])).sort();
  return { auditHash, reviewedHash, selectors, parts };
}

/** The build of this version with the registry's audit hash; the default build if there is none. */
function reviewedBuild(auditHash: Hash): { readonly profile: keyof typeof profiles; readonly reviewedHash: Hash } {
  for (const profile of ["default", "production"] as const) {
    try {
      const reviewedHash = templateAuditHash(profile);
      if (reviewedHash === auditHash) return { profile, reviewedHash };
    } catch (error) {
      if (!(error instanceof ArtifactMissing)) throw error;
    }
  }
  return { profile: "default", reviewedHash: templateAuditHash("default") };
}

function linkedAt(code: Hex, start: number): Address | undefined {
  return addressSchema.safeParse(`0x${code.slice(2 + 2 * start, 2 + 2 * (start + 20))}`).data;
}
