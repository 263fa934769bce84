import { z } from "zod";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import type { Hash } from "../primitives/hex.ts";
import { VerdictResult, type Vote } from "../rules/clearing.ts";
import { meetAll } from "./admissibility.ts";
import type { BoundObligation } from "./bind.ts";
import type { Deployment } from "./deployment.ts";
import { classSchema, digestSchema, lossSchema, nameSchema, questionSchema, read, shareSchema, toBps } from "./fields.ts";
import { findingSchema, findingsProblem } from "./findings.ts";
import type { AdmittedEnvelope, AdmittedItem } from "./ingest.ts";
import { actorsOf } from "./obligation.ts";
import { accept, type Checked, refuse } from "./refusal.ts";
import { roleSchema } from "./registry.ts";
import { hashOf, messageOf, signHash, without } from "./seal.ts";
import { type Signer, signatureSchema } from "./signature.ts";

export const verdictSchema = z.enum(["PASS", "FAIL", "ABSTAIN", "DISPUTED"]);
export type VerdictName = z.infer<typeof verdictSchema>;

/** The question of a verdict, and its clause: the scope, the dependencies, the delivered wattage. */
const answerSchema = z.strictObject({ question: questionSchema, clause: nameSchema.optional() });
export type Answered = z.infer<typeof answerSchema>;

const faultSchema = z.enum(["provider_agent", "requestor", "third_party"]);
export type Fault = z.infer<typeof faultSchema>;

/** One verifier's signed answer (RAILS 4.4, A.3.3). The basis refers to items of the envelope by hash. */
export const verifierOutputSchema = z.strictObject({
  verifier: nameSchema,
  role: roleSchema,
  obligation_hash: digestSchema,
  envelope_id: digestSchema,
  answers: z.array(answerSchema).min(1).max(16).readonly(),
  class_of_basis: classSchema,
  basis: z.array(digestSchema).max(256).readonly(),
  verdict: verdictSchema,
  confidence: shareSchema,
  loss_estimate: lossSchema.optional(),
  fault: faultSchema.optional(),
  /** Share of the promised quality in a PASS, by which a release rule pays. */
  score: shareSchema.optional(),
  /** Executors whose work it finds to agree, if several did the same work. */
  agreeing: z.array(nameSchema).max(16).readonly().optional(),
  /** Its findings by each required kind of judging; the verdict follows from them. */
  findings: z.array(findingSchema).max(8).readonly().optional(),
  rationale: z.string().max(4000).optional(),
  signature: signatureSchema,
});
export type VerifierOutput = z.infer<typeof verifierOutputSchema>;

const RESULT: Readonly<Record<VerdictName, Vote["result"]>> = {
  PASS: VerdictResult.PASS,
  FAIL: VerdictResult.FAIL,
  ABSTAIN: VerdictResult.ABSTAIN,
  DISPUTED: VerdictResult.ABSTAIN,
};

/** An output with verified signature, authority and basis. Only `admit` makes one. */
export class AdmittedOutput {
  readonly output: VerifierOutput;
  readonly hash: Hash;
  readonly basis: readonly AdmittedItem[];
  /** Basis points, from the verifier's passport. */
  readonly weight: number;
  /** What Γ weighs of it; a verifier that calls its question disputed is on no side. */
  readonly vote: Vote;

  private constructor(output: VerifierOutput, hash: Hash, basis: readonly AdmittedItem[], weight: number) {
    this.output = output;
    this.hash = hash;
    this.basis = basis;
    this.weight = weight;
    this.vote = { result: RESULT[output.verdict], weight, confidence: toBps(output.confidence) };
  }

  static admit(
    document: unknown,
    obligation: BoundObligation,
    envelope: AdmittedEnvelope,
    deployment: Deployment,
    panel: readonly string[] = obligation.verifier_policy.verifiers,
  ): Checked<AdmittedOutput> {
    const parsed = read(verifierOutputSchema, document);
    if (!parsed.ok) return refuse("OUTPUT_SHAPE", "verifier output", parsed.problems);
    const output = parsed.value;
    const { verifier } = output;
    if (output.obligation_hash !== obligation.obligation_hash)
      return refuse("OUTPUT_OF_OTHER_OBLIGATION", verifier, output.obligation_hash);
    if (output.envelope_id !== envelope.envelope.envelope_id) return refuse("OUTPUT_OF_OTHER_ENVELOPE", verifier, output.envelope_id);
    if (!panel.includes(verifier)) return refuse("NOT_EMPANELLED", verifier, "it is not on the panel");
    const identity = deployment.registry.identity(verifier);
    if (identity === undefined) return refuse("VERIFIER_UNKNOWN", verifier, "not registered");
    if (identity.role !== output.role)
      return refuse("VERIFIER_ROLE", verifier, `registered as ${identity.role ?? "no verifier"}, answers as ${output.role}`);
    const actors = actorsOf(obligation);
    const stranger = output.agreeing?.find((agent) => !actors.includes(agent));
    if (stranger !== undefined) return refuse("AGREEING_STRANGER", verifier, `${stranger} does none of the work`);
    if (actors.some((actor) => deployment.registry.identity(actor)?.principal === identity.principal)) {
      return refuse("VERIFIER_INTERESTED", verifier, `belongs to ${identity.principal}, who acts under the obligation`);
    }
    const hash = outputHash(output);
    if (!deployment.verify(identity.key, messageOf("verifier-output", hash), output.signature)) {
      return refuse("VERIFIER_SIGNATURE", verifier, "the signature is not over this output");
    }
    const basis = output.basis.flatMap((item) => envelope.items.get(item) ?? []);
    if (basis.length !== new Set(output.basis).size || basis.length !== output.basis.length) {
      return refuse("BASIS_NOT_IN_ENVELOPE", verifier, "the basis names what ingest did not admit, or names it twice");
    }
    const proven = meetAll(
      deployment.admissibility,
      basis.map((item) => item.class),
    );
    if (proven !== output.class_of_basis)
      return refuse("BASIS_CLASS_MISSTATED", verifier, `says ${output.class_of_basis}, its items meet in ${proven}`);
    const unfounded = output.answers.some(({ question }) => question === "performance") ? findingsProblem(output, obligation) : undefined;
    if (unfounded !== undefined) return refuse(unfounded.guard, verifier, unfounded.details);
    const currency = output.loss_estimate?.currency ?? obligation.economic_terms.currency;
    if (currency !== obligation.economic_terms.currency) return refuse("LOSS_CURRENCY", verifier, currency);
    return accept(new AdmittedOutput(output, hash, basis, 0));
  }

  /** The same output with its verifier's prior, in [0, 10000]. */
  weighing(weight: number): AdmittedOutput {
    return new AdmittedOutput(this.output, this.hash, this.basis, Math.min(BASIS_POINTS, Math.max(0, Math.floor(weight))));
  }
}

export function outputHash(output: Omit<VerifierOutput, "signature"> & Partial<Pick<VerifierOutput, "signature">>): Hash {
  return hashOf(without(output, "signature"));
}

export function signOutput(signer: Signer, body: Omit<VerifierOutput, "signature" | "verifier">): VerifierOutput {
  const output = { ...body, verifier: signer.id };
  return { ...output, signature: signHash(signer, "verifier-output", outputHash(output)) };
}
