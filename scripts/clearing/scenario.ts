import { bindObligation } from "../../orchestrator/clearing/bind.ts";
import { type Cleared, clear } from "../../orchestrator/clearing/clearing-decision.ts";
import type { Deployment } from "../../orchestrator/clearing/deployment.ts";
import { type Docket, openDocket } from "../../orchestrator/clearing/docket.ts";
import type { EvidenceEnvelope } from "../../orchestrator/clearing/evidence-envelope.ts";
import { type AdmittedEnvelope, ingest } from "../../orchestrator/clearing/ingest.ts";
import type { Obligation } from "../../orchestrator/clearing/obligation.ts";
import type { Checked } from "../../orchestrator/clearing/refusal.ts";
import { type SettlementInstruction, settle } from "../../orchestrator/clearing/settlement-instruction.ts";
import type { Signer } from "../../orchestrator/clearing/signature.ts";
import type { VerifierOutput } from "../../orchestrator/clearing/verifier-output.ts";
import { type CaseFile, runMesh, type Verifier } from "../../orchestrator/clearing/verifiers/verifier.ts";

/** One clearing: the signed obligation, its envelope and the mesh that judges it. */
export interface Scenario {
  readonly deployment: Deployment;
  readonly obligation: Obligation;
  readonly envelope: EvidenceEnvelope;
  readonly mesh: readonly Verifier[];
  readonly engine: Signer;
  /** Seconds since 1970. */
  readonly now: bigint;
}

export interface Played extends Cleared {
  readonly envelope: AdmittedEnvelope;
  readonly outputs: readonly VerifierOutput[];
  readonly docket: Docket;
  readonly instruction: SettlementInstruction | undefined;
}

/** Binds, ingests, runs the mesh, clears and settles. Throws on a refusal: scenarios are valid. */
export async function play({ deployment, obligation, envelope, mesh, engine, now }: Scenario): Promise<Played> {
  const bound = granted(bindObligation(obligation, deployment));
  const admitted = granted(ingest(envelope, bound, deployment));
  const file: CaseFile = { obligation: bound, envelope: admitted, admissibility: deployment.admissibility };
  const outputs = await runMesh(mesh, file);
  const cleared = clear({ obligation: bound, envelope: admitted, outputs, deployment, engine, now });
  const docket = openDocket();
  return { ...cleared, envelope: admitted, outputs, docket, instruction: granted(settle(cleared, engine, docket)) };
}

export function granted<Value>(checked: Checked<Value>): Value {
  if (checked.ok) return checked.value;
  throw new Error(checked.refusals.map(({ guard, subject, details }) => `${guard} ${subject}: ${details}`).join("\n"));
}
