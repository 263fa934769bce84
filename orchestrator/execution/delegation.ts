/** Nodes that are missions, as obligations: what each undertakes, how it ended, and whose fault that is. Free of Node and of the chain. */
import { z } from "zod";
import { bindObligation } from "../clearing/bind.ts";
import { timeOf } from "../clearing/fields.ts";
import { type Obligation, type ObligationTerms, obligationSchema } from "../clearing/obligation.ts";
import type { OverrideRecord } from "../clearing/override.ts";
import { publicKeySchema, type Signer } from "../clearing/signature.ts";
import { concludeDelegation, type DelegationRecord, delegationRecordSchema, isAtFault, type Link } from "../clearing/subdelegation.ts";
import { numbersIn } from "../primitives/bitmap.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { evidenceClasses } from "../protocol/evidence.ts";
import type { LawHeader, LawNode } from "../rules/law-codec.ts";
import type { Reason } from "../rules/reasons.ts";
import { cityDeployment, clearingRecordSchema, granted, standingsSaid, TRUSTED } from "./clearing-record.ts";
import { faultSchema } from "./faults.ts";
import { exoneratedIn, settlementSchema } from "./settlement-record.ts";

/** A mission below is decided by its own end, and by nobody's verdict (`contracts/collaboration/Descent.sol`). */
export const BRANCH_RULE = "agentcity/branch@1: how the mission ended that the session made";

/** A session opened for a node, and with it the mission that it makes, as a party of its own house: known before it has a law. */
export function houseOf({ legislature, session }: { readonly legislature: string; readonly session: bigint }): string {
  return `${legislature}/${session}`;
}

/** What the law of the mission above and the opening of the session fix for one attempt at a branch: all of it is on chain. */
export interface BranchTerms {
  /** As the chain computes it. */
  readonly obligation: Hash;
  /** The sponsor; below another mission, that mission. */
  readonly requestor: string;
  readonly house: string;
  readonly mission: string;
  readonly node: number;
  readonly attempt: number;
  /** Digest of the law's words, which say what the node is for. */
  readonly docHash: Hash;
  readonly law: Pick<LawNode, "floor" | "predecessors" | "predicate">;
  readonly duration: LawHeader["duration"];
  /** Smallest units. */
  readonly lent: bigint;
  /** Unix seconds of the block in which the session was opened. */
  readonly boundAt: bigint;
  /** Hash of the obligation of the node that the mission above is. */
  readonly parent?: Hash | undefined;
}

/**
 * The obligation of a node that is a mission (RAILS 9.2). It is undertaken by the session that is opened for it, and whoever works below does
 * so under an obligation that names this one and whose floors are not below this one's. No item of evidence counts for the branch itself.
 */
export function termsOfBranch({ law, parent, ...branch }: BranchTerms): ObligationTerms {
  const { mission, node, attempt } = branch;
  return {
    obligation_id: branch.obligation,
    parties: { requestor: branch.requestor, provider: branch.house },
    task: { mission, node, attempt, law: branch.docHash },
    scope: { after: numbersIn(law.predecessors), gate: law.predicate },
    prohibitions: ["to spend more than it is lent"],
    required_actions: ["make a law by its own session", "close its books, and return what it has not spent"],
    acceptance_criteria: ["its own law's mission is completed"],
    admissibility_floors: { fee_release: evidenceClasses[law.floor] ?? "PROOF" },
    verifier_policy: { verifiers: [], count: 1, drawn_by: BRANCH_RULE, questions: ["performance"] },
    economic_terms: { fee: Number(branch.lent), collateral: 0, currency: "settlement token" },
    deadlines: {
      execution_window_hours: branch.duration / 3600,
      appeal_window_hours: 0,
      execution_begins: "when the mission above was deployed, by that mission's clock",
    },
    settlement_policy: {
      execution_rail: { name: `collaboration-contract:${mission}`, mode: String(node) },
      receipt_requirement: { type: "event", target: "ChildConcluded" },
      on_failure: "refund",
    },
    finality_policy: { confidence_threshold: 0 },
    bound_at: timeOf(branch.boundAt),
    ...(parent === undefined ? {} : { parent_obligation_hash: parent }),
  };
}

/** How a branch ended, as it stands in the records. */
export const branchSchema = z.strictObject({ engine: publicKeySchema, delegation: delegationRecordSchema });

/** A node's attempt. */
export interface AttemptPlace {
  readonly node: number;
  readonly attempt: number;
}

/** What was written down of missions: a city reads its records, an audit the bundle's. */
export interface DelegationRecords {
  /** Attempts of a mission that somebody undertook, in order. */
  attempts(mission: string): Promise<readonly AttemptPlace[]>;
  recall<Value>(kind: string, subjects: readonly (string | number)[], schema: z.ZodType<Value>): Promise<Value | undefined>;
  /** Human acts on an attempt. */
  overrides(mission: string, place: AttemptPlace): Promise<readonly OverrideRecord[]>;
}

/** How a branch's session or mission ended, as the chain has it. */
export interface BranchEnd {
  /** Null where the session made no law. */
  readonly mission: string | null;
  /** `left`: the mission above was over by then, and nobody needed it any more. */
  readonly outcome: "completed" | "failed" | "left";
  /** Unix seconds. */
  readonly at: bigint;
}

/** From the chain's `ChildConcluded`; `isFault`: the attempt failed for it. */
export function branchEnd(
  { mission, completed }: { readonly mission: Hex; readonly completed: boolean },
  { isFault, at }: { readonly isFault: boolean; readonly at: bigint },
): BranchEnd {
  return { mission: BigInt(mission) === 0n ? null : mission, outcome: completed ? "completed" : isFault ? "failed" : "left", at };
}

const PERFORMED = { completed: "cleared", failed: "failed", left: "unverifiable" } as const;

/** The end of a branch as its document says it, from how the chain says that it ended and from the documents of what was done below. */
export async function concludeBranch(
  records: DelegationRecords,
  obligation: Obligation,
  { mission, outcome, at }: BranchEnd,
  engine: Signer,
): Promise<DelegationRecord> {
  const world = cityDeployment({ [engine.id]: engine.key }, standingsSaid({ keys: { [engine.id]: engine.key }, obligation }, engine.id), {
    undertook: TRUSTED.undertook,
  });
  const failed = outcome === "failed" && mission !== null ? await failuresIn(records, mission) : [];
  return granted(
    concludeDelegation({
      ...{ obligation: granted(bindObligation(obligation, world)), ended: mission ?? obligation.parties.provider },
      ...{ performance: PERFORMED[outcome], failed, at, deployment: world, engine },
    }),
  );
}

/**
 * Chains of what failed in a mission and was not made good by a later attempt that somebody undertook, in the order of nodes. A failed branch
 * leads on to what failed below it. Whoever an upheld appeal freed of a failure is not at fault; an appeal is decided before its mission's books
 * close, so before any record of how a branch ended.
 */
async function failuresIn(records: DelegationRecords, mission: string): Promise<readonly (readonly Link[])[]> {
  const last = new Map((await records.attempts(mission)).map((place) => [place.node, place]));
  const chains: (readonly Link[])[] = [];
  for (const { node, attempt } of [...last.values()].toSorted((one, other) => one.node - other.node)) {
    const place = [mission, node, attempt];
    const obligation = await records.recall("obligation", place, obligationSchema);
    const fault = await records.recall("fault", place, faultSchema);
    if (obligation === undefined || fault === undefined) continue;
    const world = cityDeployment({}, standingsSaid({ keys: {}, obligation }, ""), { undertook: TRUSTED.undertook });
    const below = await records.recall("branch", place, branchSchema);
    const found =
      below === undefined
        ? await judgedIn(records, place, fault.reason)
        : { performance: below.delegation.performance, policy: "not_asked" as const };
    const decision = { obligation_hash: obligation.obligation_hash, ...found };
    const exonerated = exoneratedIn(await records.overrides(mission, { node, attempt }));
    const link: Link = { obligation: granted(bindObligation(obligation, world)), decision, exonerated };
    if (!isAtFault(link)) continue;
    const ended = below?.delegation.ended;
    const further = ended === undefined || ended === obligation.parties.provider ? [] : await failuresIn(records, ended);
    chains.push(...(further.length === 0 ? [[link]] : further.map((chain) => [link, ...chain])));
  }
  return chains;
}

/** Why the chain ends an attempt by the fault of who worked in it: a panel's verdict says more in its own documents. */
const EXECUTORS_FAULT: readonly string[] = [
  "CLEARED_FAIL",
  "REJECTED",
  "TIMEOUT",
  "CODE_HASH_MISMATCH",
  "FREEZE_CONFIRMED",
] satisfies readonly Reason[];

/** How an attempt at a leaf performed that failed for this reason. */
async function judgedIn(
  records: DelegationRecords,
  place: readonly (string | number)[],
  reason: string,
): Promise<Pick<Link["decision"], "performance" | "policy">> {
  const settled = reason === "CLEARED_FAIL" ? await records.recall("settlement", [...place, 0], settlementSchema) : undefined;
  const cleared = settled && (await records.recall("clearing", [...place, settled.drawBlock], clearingRecordSchema));
  if (cleared !== undefined) return cleared.decision;
  return { performance: EXECUTORS_FAULT.includes(reason) ? "failed" : "unverifiable", policy: "not_asked" };
}
