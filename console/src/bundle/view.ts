/** What the pages show of a bundle, as plain data: read once, in the worker. */
import type { auditDocuments, Documents } from "../../../orchestrator/city/audit/audit-documents.ts";
import { latest } from "../../../orchestrator/city/audit/audit-documents.ts";
import { BUNDLE_FILES } from "../../../orchestrator/city/bundle-layout.ts";
import { devnetSociety } from "../../../orchestrator/city/society.ts";
import { itemHash } from "../../../orchestrator/clearing/evidence-envelope.ts";
import { claimFileSchema } from "../../../orchestrator/execution/claims.ts";
import { clearingRecordSchema } from "../../../orchestrator/execution/clearing-record.ts";
import type { MissionDocument } from "../../../orchestrator/protocol/mission-document.ts";
import type { Outcome } from "../../../orchestrator/protocol/outcome.ts";

export type Verification = Awaited<ReturnType<typeof auditDocuments>>;

export interface ClaimView {
  readonly attempt: number;
  readonly slot: number;
  readonly by: string;
  readonly says: string;
  /** How an issuer's check of it ended. */
  readonly status: string;
  readonly method: string;
  readonly checkedBy: string;
}

export interface ItemView {
  readonly id: string;
  readonly type: string;
  readonly evidenceClass: string;
  readonly by: string;
  /** Whether the decision rests on it. */
  readonly counted: boolean;
}

export interface ClearingView {
  readonly attempt: number;
  readonly floor: string;
  readonly items: readonly ItemView[];
  readonly verdicts: readonly { readonly by: string; readonly question: string; readonly verdict: string; readonly confidence: number }[];
  readonly minConfidence: number;
  readonly performance: string;
  readonly policy: string;
  readonly confidence: { readonly performance: number; readonly policy: number };
  readonly basis: string;
  readonly floorMet: boolean;
  readonly missing: readonly string[];
}

export interface NodeView {
  readonly law: MissionDocument["nodes"][number];
  readonly end: Outcome["nodes"][number] | undefined;
  readonly claims: readonly ClaimView[];
  readonly clearings: readonly ClearingView[];
  readonly humans: Outcome["human"];
}

export interface MissionView {
  readonly address: string;
  readonly outcome: Outcome;
  readonly title: string;
  readonly risk: string;
  readonly nodes: readonly NodeView[];
}

export function viewOf(documents: Documents): MissionView {
  const { outcome, document, mission, log, block, bundle } = documents;
  const mnemonic = /"mnemonic":"([a-z ]+)"/.exec(bundle.text(BUNDLE_FILES.chain).slice(0, 2_000))?.[1];
  const names = new Map(devnetSociety(mnemonic).map(({ account, name }) => [account.address.toLowerCase(), name]));
  const nameOf = (id: string) => names.get(id.split("/")[0]?.toLowerCase() ?? "") ?? id;
  const own = (kind: string) => latest(log, kind).filter(({ subjects }) => subjects[0] === mission);
  const claims = own("execution.claim");
  const clearings = own("execution.clearing");
  return {
    address: mission,
    outcome,
    title: document.document.title,
    risk: document.document.risk,
    nodes: document.document.nodes.map((law) => ({
      law,
      end: outcome.nodes.find(({ label }) => label === law.label),
      humans: outcome.human.filter(({ node }) => node === law.label),
      claims: claims
        .filter(({ subjects }) => subjects[1] === String(law.number))
        .map(({ subjects, content }) => {
          const { claim, outcome: checked } = claimFileSchema.parse(block(content));
          return {
            attempt: Number(subjects[2]) + 1,
            slot: Number(subjects[3]),
            by: nameOf(claim.attester_id),
            says: claim.claim,
            status: checked.status,
            method: checked.method,
            checkedBy: nameOf(checked.verifier_id),
          };
        }),
      clearings: clearings
        .filter(({ subjects }) => subjects[1] === String(law.number))
        .map(({ subjects, content }) => {
          const { decision, envelope, outputs, obligation } = clearingRecordSchema.parse(block(content));
          const { question_confidence: confidence } = decision;
          return {
            attempt: Number(subjects[2]) + 1,
            floor: law.floor,
            items: envelope.items.map((item) => ({
              id: item.id,
              type: item.type,
              evidenceClass: item.class,
              by: nameOf(item.provenance[0]?.emitter ?? ""),
              counted: decision.aggregate_basis.includes(itemHash(item)),
            })),
            verdicts: outputs.map((output) => ({
              by: nameOf(output.verifier),
              question: output.answers.map(({ question }) => question).join(", "),
              verdict: output.verdict,
              confidence: output.confidence,
            })),
            minConfidence: obligation.verifier_policy.min_confidence ?? 0,
            performance: decision.performance,
            policy: decision.policy,
            confidence: { performance: confidence.performance, policy: confidence.policy },
            basis: decision.class_of_basis,
            floorMet: decision.floor_met,
            missing: decision.missing_evidence,
          };
        }),
    })),
  };
}
