/** A bundle's data for the pages, read once in the worker. */
import type { auditDocuments, Documents } from "../../../orchestrator/city/audit/audit-documents.ts";
import { latest } from "../../../orchestrator/city/audit/audit-documents.ts";
import { BUNDLE_FILES } from "../../../orchestrator/city/bundle/bundle-layout.ts";
import { devnetSociety } from "../../../orchestrator/city/founding/society.ts";
import { claimFileSchema } from "../../../orchestrator/execution/claims.ts";
import { clearingRecordSchema } from "../../../orchestrator/execution/clearing-record.ts";
import { type ClaimView, type ClearingView, claimInWords, clearingInWords } from "../../../orchestrator/execution/work-in-words.ts";
import type { MissionDocument } from "../../../orchestrator/protocol/mission-document.ts";
import type { Outcome } from "../../../orchestrator/protocol/outcome.ts";

export type Verification = Awaited<ReturnType<typeof auditDocuments>>;

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
        .map(({ content }) => claimInWords(claimFileSchema.parse(block(content)), nameOf)),
      clearings: clearings
        .filter(({ subjects }) => subjects[1] === String(law.number))
        .map(({ content }) => clearingInWords(clearingRecordSchema.parse(block(content)), nameOf)),
    })),
  };
}
