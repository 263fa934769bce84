import { BASIS_POINTS } from "../../primitives/amounts.ts";
import { messageOf } from "../../primitives/errors.ts";
import { isObject, type JsonValue } from "../../primitives/json.ts";
import { type Admissibility, meetAll } from "../admissibility.ts";
import type { BoundObligation } from "../bind.ts";
import { fromBps, type LossEstimate, type QuestionName } from "../fields.ts";
import type { AdmittedEnvelope, AdmittedItem } from "../ingest.ts";
import { floorFor } from "../obligation.ts";
import type { Role } from "../registry.ts";
import type { Signer } from "../signature.ts";
import { type Answered, type Fault, signOutput, type VerdictName, type VerifierOutput } from "../verifier-output.ts";

/** A verifier's input. */
export interface CaseFile {
  readonly obligation: BoundObligation;
  readonly envelope: AdmittedEnvelope;
  readonly admissibility: Admissibility;
}

/** Its conclusion, and the items it rests on. */
export interface Finding {
  readonly verdict: VerdictName;
  /** Basis points. */
  readonly confidence: number;
  readonly basis: readonly AdmittedItem[];
  readonly rationale?: string;
  readonly loss?: LossEstimate;
  readonly fault?: Fault;
}

/** One member of the mesh (RAILS 4.4). */
export interface Verifier {
  readonly signer: Signer;
  readonly role: Role;
  readonly answers: readonly Answered[];
  examine(file: CaseFile): Finding | Promise<Finding>;
}

/** Common options of all verifiers. */
export interface Seat {
  readonly signer: Signer;
  readonly answers: readonly Answered[];
  /** Confidence of a definite answer, basis points; default: full. */
  readonly confidence?: number;
  /** Estimated loss of a FAIL. */
  readonly loss?: LossEstimate;
}

/** A predicate's answer, with its reason. */
export interface Check {
  readonly holds: boolean;
  readonly why: string;
}

const RATIONALE = 4000;

/** Runs a verifier and signs its result. A verifier that throws abstains, which is visible without stopping the mesh. */
export async function runVerifier(verifier: Verifier, file: CaseFile): Promise<VerifierOutput> {
  let finding: Finding;
  try {
    finding = await verifier.examine(file);
  } catch (error) {
    finding = abstain(`could not examine: ${messageOf(error)}`);
  }
  const basis = [...new Map(finding.basis.map((item) => [item.hash, item] as const)).values()];
  return signOutput(verifier.signer, {
    role: verifier.role,
    obligation_hash: file.obligation.obligation_hash,
    envelope_id: file.envelope.envelope.envelope_id,
    answers: verifier.answers,
    class_of_basis: meetAll(
      file.admissibility,
      basis.map((item) => item.class),
    ),
    basis: basis.map(({ hash }) => hash),
    verdict: finding.verdict,
    confidence: fromBps(finding.confidence),
    ...(finding.loss === undefined ? {} : { loss_estimate: finding.loss }),
    ...(finding.fault === undefined ? {} : { fault: finding.fault }),
    ...(finding.rationale === undefined ? {} : { rationale: finding.rationale.slice(0, RATIONALE) }),
  });
}

/** The mesh: runs every verifier independently, in the given order. */
export function runMesh(verifiers: readonly Verifier[], file: CaseFile): Promise<VerifierOutput[]> {
  return Promise.all(verifiers.map((verifier) => runVerifier(verifier, file)));
}

export function abstain(rationale: string): Finding {
  return { verdict: "ABSTAIN", confidence: 0, basis: [], rationale };
}

/** PASS if every check holds, else FAIL with the seat's loss; without checks it abstains. */
export function conclude({ confidence = BASIS_POINTS, loss }: Seat, basis: readonly AdmittedItem[], checks: readonly Check[]): Finding {
  if (basis.length === 0 || checks.length === 0) return abstain("no matching evidence");
  const broken = checks.filter(({ holds }) => !holds);
  const rationale = (broken.length === 0 ? checks : broken).map(({ why }) => why).join("; ");
  if (broken.length === 0) return { verdict: "PASS", confidence, basis, rationale };
  return { verdict: "FAIL", confidence, basis, rationale, ...(loss === undefined ? {} : { loss }) };
}

/**
 * Items of the given types at or above the fee's floor, so that weaker copies cannot spoil a basis; all of them if none is.
 */
export function itemsOfType(file: CaseFile, types: readonly string[], answers: readonly Answered[]): readonly AdmittedItem[] {
  const items = [...file.envelope.items.values()].filter(({ item }) => types.includes(item.type));
  const above = items.filter((item) => isAboveFloor(item, file, answers));
  return above.length > 0 ? above : items;
}

export function isAboveFloor(item: AdmittedItem, { obligation, admissibility }: CaseFile, answers: readonly Answered[]): boolean {
  const questions: readonly QuestionName[] = answers.map(({ question }) => question);
  return questions.every((question) => admissibility.geq(item.class, floorFor(obligation, "fee_release", question)));
}

/** A field of an included artifact, by key path. */
export function fieldOf(content: JsonValue | undefined, path: string): JsonValue | undefined {
  return path.split(".").reduce<JsonValue | undefined>((value, key) => (isObject(value) ? value[key] : undefined), content);
}
