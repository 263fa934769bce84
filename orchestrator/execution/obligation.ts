import { fromBps, QUESTIONS, timeOf } from "../clearing/fields.ts";
import type { ObligationTerms, ReleaseRule } from "../clearing/obligation.ts";
import type { Hash } from "../primitives/hex.ts";
import { TIER } from "../primitives/tier.ts";
import { type EvidenceClassName, type EvidenceKind, evidenceKinds } from "../protocol/evidence.ts";
import { type MissionDocument, type MissionNode, takesAnyCode } from "../protocol/mission-document.ts";
import { panelKinds, VERIFIER_KINDS } from "../protocol/verifier-kinds.ts";
import { EvidenceClass, geq } from "../rules/admissibility.ts";
import type { MissionParams } from "../rules/mission-params-codec.ts";

/** How the panel of a node is drawn (decision 22; `rules/panel-draw.ts`). */
const PANEL_RULE = "agentcity/panel@1: keccak256(hash of the block of the last commitment, mission, node, attempt)";

/** Execution begins not with the award, but once the node's predecessors are done; then the chain's clock runs. */
const EXECUTION_BEGINS = "when the node's predecessors are completed, by the mission's clock";

/** An executor that was awarded a slot of an attempt. */
export interface Awarded {
  readonly slot: number;
  readonly agent: string;
  /** Smallest units of the settlement token. */
  readonly price: bigint;
}

/** Everything that law and market fixed for one attempt at a node, and that its obligation states. */
export interface NodeTerms {
  /** As computed on chain. */
  readonly obligation: Hash;
  /** The sponsor; in a mission that is a node of another one, that mission (`delegation.ts`). */
  readonly requestor: string;
  /** In order of slot. */
  readonly executors: readonly Awarded[];
  readonly mission: string;
  readonly attempt: number;
  readonly law: Pick<
    MissionNode,
    | "label"
    | "task"
    | "shard"
    | "tier"
    | "redundancy"
    | "threshold"
    | "agree"
    | "rubric"
    | "verifiers"
    | "floor"
    | "questions"
    | "panelSize"
    | "timeout"
    | "after"
    | "admits"
    | "options"
    | "capabilities"
    | "predicate"
  >;
  /** The law's requirements for everyone who works in the mission. */
  readonly mandate: Pick<MissionDocument, "visibility" | "anchorInterval">;
  /** Unix seconds of the block in which the last slot was awarded. */
  readonly boundAt: bigint;
  /** Conditions of the mission's output, if the node makes it. */
  readonly predicates: MissionDocument["predicates"];
  /** Basis points. */
  readonly minConfidence: number;
  /** Per slot, smallest unit. */
  readonly stake: bigint;
  readonly rates: Pick<MissionParams, "protocolFeeRate" | "insuranceReserveRate">;
  /** Minutes. */
  readonly appealWindow: number;
  /** Hash of the obligation of the node that the mission is. */
  readonly parent?: Hash | undefined;
}

/** Path of a slot's items in an envelope: `<slot>/<index>`. */
export function itemsOfSlot(slot: number): string {
  return `${slot}/`;
}

/**
 * The obligation of one attempt at a node, from the law, the awards and the sponsor's session (decision 80). The sponsor accepted it by
 * paying for the approved law, each executor by its bid: no further signature is needed.
 */
export function termsOfNode(node: NodeTerms): ObligationTerms {
  const { executors, law, parent } = node;
  const [provider = "", ...agents] = executors.map(({ agent }) => agent);
  const fee = Number(executors.reduce((sum, { price }) => sum + price, 0n));
  return {
    obligation_id: node.obligation,
    parties: { requestor: node.requestor, provider },
    ...(agents.length === 0 ? {} : { agents }),
    task: { mission: node.mission, node: law.label, attempt: node.attempt, task: law.task },
    scope: scopeOf(node),
    prohibitions: prohibitionsOf(node),
    required_actions: requiredActionsOf(node),
    acceptance_criteria: criteriaOf(node),
    evidence_requirements: [{ type: takesReceipts(law) ? "receipt" : "re-execution", class: law.floor }],
    // A law has one floor per node, by which the chain pays, slashes and closes alike.
    admissibility_floors: { fee_release: law.floor, collateral_hold: law.floor, final_settlement: law.floor },
    verifier_policy: {
      verifiers: [],
      count: law.panelSize * law.questions.length,
      drawn_by: PANEL_RULE,
      questions: QUESTIONS.filter((question) => law.questions.some((asked) => asked.toLowerCase() === question)),
      min_confidence: fromBps(node.minConfidence),
      ...(law.verifiers === undefined ? {} : { kinds: ["replay", ...law.verifiers] }),
      confidence_form: "mean",
    },
    economic_terms: { fee, collateral: Number(node.stake) * executors.length, currency: "settlement token" },
    deadlines: {
      execution_window_hours: law.timeout / 3600,
      appeal_window_hours: node.appealWindow / 60,
      execution_begins: EXECUTION_BEGINS,
    },
    settlement_policy: {
      execution_rail: { name: `collaboration-contract:${node.mission}`, mode: law.label },
      receipt_requirement: { type: "event", target: "Recorded" },
      on_failure: "refund",
      release: releaseOf(node),
    },
    // The chain requires a confidence of each verdict (`min_confidence`), and none of all together.
    finality_policy: { confidence_threshold: 0 },
    bound_at: timeOf(node.boundAt),
    ...(parent === undefined ? {} : { parent_obligation_hash: parent }),
  };
}

/** The scope of the work under the law: which items, predecessors' results, code, executors, and gate. */
function scopeOf({ law }: NodeTerms): ObligationTerms["scope"] {
  const { shard, tier, redundancy, threshold, after, admits, options, capabilities, predicate } = law;
  return {
    ...{ shard, tier, redundancy, threshold, after, capabilities, gate: predicate },
    admits: admits.map(({ code, schema }) => (code === undefined ? { schema } : { code, schema })),
    ...(options === undefined ? {} : { options }),
  };
}

function prohibitionsOf({ law, mandate }: NodeTerms): string[] {
  return [
    ...(takesAnyCode(law) ? [] : ["to hand in output of code that the law does not admit"]),
    ...(mandate.visibility === "parties" ? ["to disclose its input or output to anyone but the mission's parties"] : []),
  ];
}

function requiredActionsOf({ mandate: { anchorInterval } }: NodeTerms): string[] {
  return [
    "commit to the output and the root of its trail before it is judged",
    "open the commitment, with the evidence for it",
    ...(anchorInterval === undefined ? [] : [`have its work in a checkpoint within ${anchorInterval} seconds of when it can start`]),
  ];
}

/** Equation 9 for each awarded price; a dissenting executor is not paid. */
function releaseOf({ executors, rates, law }: NodeTerms): ReleaseRule {
  return {
    protocol_fee_bps: rates.protocolFeeRate,
    insurance_bps: rates.insuranceReserveRate,
    agreeing_only: law.tier === TIER.CONSENSUS,
    promises: executors.map(({ agent, price, slot }) => ({ payee: agent, price: Number(price), items: itemsOfSlot(slot) })),
  };
}

/** Criteria for the verifiers, as text. */
function criteriaOf({ law, predicates }: NodeTerms): string[] {
  const { tier, agree, redundancy, threshold, rubric } = law;
  const compared = agree === null ? "" : ` on ${agree.on} in ${agree.atLeastBps} of 10000 items or more`;
  return [
    tier === TIER.CONSENSUS
      ? `of ${redundancy} outputs with evidence, ${threshold} or more agree${compared}`
      : "an independent run of the committed code on the same input gives the committed output",
    ...(law.questions.includes("POLICY")
      ? predicates.map((predicate) => (predicate === "every-input-covered" ? predicate : `at most ${predicate.maxBytes} bytes`))
      : []),
    ...panelKinds(law.verifiers).flatMap((kind) =>
      kind === "replay" ? [] : [`${kind}: ${VERIFIER_KINDS[kind]}${kind === "semantic" ? `: ${rubric}` : ""}`],
    ),
    ...(tier === TIER.HUMAN ? [`a human approves it${rubric === undefined ? "" : `: ${rubric}`}`] : []),
  ];
}

/**
 * Tier 2 compares outputs, so that a receipt is enough unless the law's floor is higher. Otherwise: the result of an independent issuer for
 * the same bundle and input (decision 43).
 */
export function takesReceipts({ tier, floor }: Pick<MissionNode, "tier" | "floor">): boolean {
  return tier === TIER.CONSENSUS && geq(EvidenceClass.REC, EvidenceClass[floor]);
}

/** Evidence required at a node: a receipt where outputs are compared, otherwise a re-execution of the same code. */
export function evidenceFor(law: Pick<MissionNode, "tier" | "floor">): { readonly class: EvidenceClassName; readonly kind: EvidenceKind } {
  return takesReceipts(law) ? { class: "REC", kind: evidenceKinds.RECEIPT } : { class: "ATT", kind: evidenceKinds.REEXECUTION };
}
