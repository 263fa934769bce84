import { type Admissibility, type ClassName, meetAll, RAILS_ADMISSIBILITY } from "../../orchestrator/clearing/admissibility.ts";
import { type Aggregate, type AggregationTerms, aggregate } from "../../orchestrator/clearing/aggregate.ts";
import { type BoundObligation, bindObligation } from "../../orchestrator/clearing/bind.ts";
import { floorMet } from "../../orchestrator/clearing/clearing-decision.ts";
import { type Deployment, deployment } from "../../orchestrator/clearing/deployment.ts";
import { type EvidenceItem, emitted, itemHash, sealEnvelope, selfReport } from "../../orchestrator/clearing/evidence-envelope.ts";
import { type AdmittedEnvelope, type AdmittedItem, ingest } from "../../orchestrator/clearing/ingest.ts";
import { type Obligation, type ObligationTerms, signObligation } from "../../orchestrator/clearing/obligation.ts";
import { type Role, registryOf } from "../../orchestrator/clearing/registry.ts";
import { hashOf } from "../../orchestrator/clearing/seal.ts";
import { AdmittedOutput, signOutput, type VerdictName } from "../../orchestrator/clearing/verifier-output.ts";
import type { Part } from "./cast.ts";
import { granted } from "./scenario.ts";
import { simulatedSigner, verifySimulated } from "./simulated-signature.ts";

/** The population of the sweeps: one deal per floor, with simulated signatures so that a million events take a minute. */
export const ISSUED = "2026-05-01T10:00:00Z";
export const SUBMITTED = "2026-05-01T11:00:00Z";
const PARTS = {
  requestor: { principal: "buyer" },
  agent: { principal: "agent-labs" },
  market: { principal: "market" },
  witness: { principal: "notary", issues: ["WIT"] },
  shop: { principal: "shop", issues: ["REC"] },
  runner: { principal: "ci-house", issues: ["ATT"] },
  prover: { principal: "prover", issues: ["PROOF"] },
  "in-house-runner": { principal: "agent-labs", issues: ["REC", "ATT"] },
  "retired-runner": { principal: "ci-house", issues: ["ATT"], until: "2026-01-01T00:00:00Z" },
} as const satisfies Record<string, Part>;
const VERIFIERS = Array.from({ length: 20 }, (_, index) => `verifier-${String(index).padStart(2, "0")}`);

const ROLE: Role = "constraint";

const people = Object.fromEntries([...Object.keys(PARTS), ...VERIFIERS].map((id) => [id, simulatedSigner(id)]));

export function signerOf(id: string): ReturnType<typeof simulatedSigner> {
  return people[id] ?? simulatedSigner(id);
}

export const registry = registryOf([
  ...Object.entries<Part>(PARTS).map(([id, part]) => ({ ...part, id, key: signerOf(id).key })),
  ...VERIFIERS.map((id) => ({ id, principal: `mesh of ${id}`, key: signerOf(id).key, role: ROLE })),
]);

export const TEMPLATE = "sweep";

/** The deployment of a sweep. Its order of classes is Λ, except in sweeps that show what happens without it. */
export function sweepDeployment(admissibility: Admissibility = RAILS_ADMISSIBILITY, templateFloor: ClassName = "SELF"): Deployment {
  return deployment(registry, {
    admissibility,
    verify: verifySimulated,
    classChecks: { PROOF: (_, { attachment }) => attachment === "checks" },
    templates: { [TEMPLATE]: { fee_release: templateFloor } },
  });
}

export function termsWith(floor: ClassName): ObligationTerms {
  return {
    obligation_id: hashOf({ sweep: floor }),
    parties: { requestor: "requestor", provider: "agent", marketplace_witness: "market" },
    task: { description: "a unit of work" },
    scope: {},
    prohibitions: [],
    required_actions: [],
    acceptance_criteria: [],
    admissibility_floors: { fee_release: floor },
    verifier_policy: { verifiers: VERIFIERS, count: VERIFIERS.length, questions: ["performance"] },
    economic_terms: { fee: 1000, collateral: 0, currency: "USD" },
    deadlines: { execution_window_hours: 24, appeal_window_hours: 24 },
    template: TEMPLATE,
  };
}

export function signed(terms: ObligationTerms): Obligation {
  return signObligation(terms, { requestor: signerOf("requestor"), provider: signerOf("agent"), marketplace_witness: signerOf("market") });
}

export function dealWith(floor: ClassName, at: Deployment): BoundObligation {
  return granted(bindObligation(signed(termsWith(floor)), at));
}

/** Issuer of each class, with the attachment it requires. */
export const ISSUER: Readonly<Record<string, { readonly id: string; readonly attachment?: string }>> = {
  SIGN: { id: "agent" },
  WIT: { id: "witness" },
  REC: { id: "shop" },
  ATT: { id: "runner" },
  PROOF: { id: "prover", attachment: "checks" },
};

/** An artifact signed by the rightful issuer of a class; only its digest is transmitted. */
export function genuine(obligation: BoundObligation, id: string, claimed: ClassName): EvidenceItem {
  const issuer = ISSUER[claimed];
  const artifact = { id, type: "artifact", content: { id } };
  if (issuer === undefined) return digestOnly(selfReport(artifact.id, artifact.type, artifact.content));
  const { attachment } = issuer;
  const emission = { signer: signerOf(issuer.id), class: claimed, issuedAt: ISSUED, ...(attachment === undefined ? {} : { attachment }) };
  return digestOnly(emitted(obligation.obligation_hash, artifact, emission));
}

function digestOnly({ content: _, ...item }: EvidenceItem): EvidenceItem {
  return item;
}

export function envelopeOf(obligation: BoundObligation, items: readonly EvidenceItem[], at: Deployment): AdmittedEnvelope {
  const body = { obligation_hash: obligation.obligation_hash, submitted_at: SUBMITTED, items };
  return granted(ingest(sealEnvelope(signerOf("agent"), body), obligation, at));
}

/** A verdict on items of an envelope, signed and admitted. It declares the honest class under its deployment's order. */
export function verdictOn(
  obligation: BoundObligation,
  envelope: AdmittedEnvelope,
  items: readonly EvidenceItem[],
  at: Deployment,
  verifier: number,
  verdict: VerdictName = "PASS",
  confidence = 0.9,
  clause?: string,
): AdmittedOutput {
  const basis = items.flatMap((item) => envelope.items.get(itemHash(item)) ?? []);
  const output = signOutput(signerOf(VERIFIERS[verifier] ?? "nobody"), {
    role: "constraint",
    obligation_hash: obligation.obligation_hash,
    envelope_id: envelope.envelope.envelope_id,
    answers: [{ question: "performance", ...(clause === undefined ? {} : { clause }) }],
    class_of_basis: meetAll(
      at.admissibility,
      basis.map((item: AdmittedItem) => item.class),
    ),
    basis: basis.map(({ hash }) => hash),
    verdict,
    confidence,
  });
  return granted(AdmittedOutput.admit(output, obligation, envelope, at)).weighing(5000);
}

export function performanceUnder(floor: ClassName): AggregationTerms {
  return {
    floors: { performance: floor, policy: floor },
    questions: ["performance"],
    clauses: { performance: [], policy: [] },
    minConfidence: 0,
    confidenceForm: "mean",
  };
}

/** Whether settlement would move money, by the gate of `settle`. */
export function settles(result: Aggregate): boolean {
  return floorMet(result);
}

/** Whether a self-report passed by a verifier settles under a floor; runs Γ every time. */
export function bareReportSettles(floor: ClassName): boolean {
  return classSettles("SELF", floor);
}

/** Whether a PASS based on one item of a class settles under a floor. */
export function classSettles(held: ClassName, floor: ClassName): boolean {
  const output = singles.get(held);
  return output !== undefined && settles(aggregate([output], performanceUnder(floor), RAILS_ADMISSIBILITY));
}

const world = sweepDeployment();
const deal = dealWith("SELF", world);
const singles = new Map(
  RAILS_ADMISSIBILITY.elements.map((held, index) => {
    const item = genuine(deal, `one-${held}`, held);
    return [held, verdictOn(deal, envelopeOf(deal, [item], world), [item], world, index)];
  }),
);
