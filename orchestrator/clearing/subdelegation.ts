import { z } from "zod";
import { type BoundObligation, bindObligation, floorsBelow } from "./bind.ts";
import type { ClearingDecision } from "./clearing-decision.ts";
import type { Deployment } from "./deployment.ts";
import { isEngineRecord, requireEngine } from "./engine.ts";
import { digestSchema, nameSchema, timeOf, timeSchema } from "./fields.ts";
import { actorsOf } from "./obligation.ts";
import { accept, type Checked, refuse } from "./refusal.ts";
import { hashOf, signHash } from "./seal.ts";
import { type Signer, signatureSchema } from "./signature.ts";

/**
 * Binds a delegated obligation: a new one that names its parent's hash, whose requestor may act under the parent, and
 * whose floors are not below the parent's (RAILS 9.2).
 */
export function bindSubdelegation(document: unknown, parent: BoundObligation, deployment: Deployment): Checked<BoundObligation> {
  const bound = bindObligation(document, deployment);
  if (!bound.ok) return bound;
  const child = bound.value;
  const subject = child.obligation_id;
  if (child.parent_obligation_hash !== parent.obligation_hash) return refuse("NOT_A_CHILD", subject, "does not name the parent's hash");
  if (!actorsOf(parent).includes(child.parties.requestor))
    return refuse("NOT_A_CHILD", subject, `${child.parties.requestor} does not act under the parent`);
  const [lower] = floorsBelow(child, parent, deployment.admissibility);
  return lower === undefined ? accept(child) : refuse("FLOOR_BELOW_PARENT", subject, lower);
}

/** One link of a chain: an obligation and its clearing or end. */
export interface Link {
  readonly obligation: BoundObligation;
  readonly decision: Pick<ClearingDecision, "obligation_hash" | "performance" | "policy">;
  /** Agents under it that an appeal cleared of the failure (`override.ts`). */
  readonly exonerated?: readonly string[];
}

const attributionSchema = z.strictObject({
  /** Agents under the link's obligation; of a link at fault, those that no appeal cleared. */
  agents: z.array(nameSchema).min(1).readonly(),
  obligation_hash: digestSchema,
  /** `own`: they failed, and none of their delegates did. `delegation`: they failed because a delegate did. */
  fault: z.enum(["none", "own", "delegation"]),
  fields: z.record(nameSchema, z.int()).readonly(),
});
/** Fault of the agents under a link's obligation. */
export type Attribution = z.infer<typeof attributionSchema>;

/**
 * Fault follows the chain of obligation hashes, root first. Each link is responsible for its own obligation: an agent that delegated on weaker
 * terms than its own is alone at fault, because the link below fulfilled what it had signed.
 */
export function attributeFault(chain: readonly Link[]): Checked<readonly Attribution[]> {
  for (const [index, { obligation, decision }] of chain.entries()) {
    const parent = chain[index - 1]?.obligation;
    if (decision.obligation_hash !== obligation.obligation_hash)
      return refuse("NOT_A_CHILD", obligation.obligation_id, "the decision is another obligation's");
    if (parent !== undefined && obligation.parent_obligation_hash !== parent.obligation_hash) {
      return refuse("NOT_A_CHILD", obligation.obligation_id, "does not name the hash of the link above");
    }
  }
  return accept(
    chain.map((link, index): Attribution => {
      const { obligation, decision } = link;
      const below = chain[index + 1];
      const fault = !isAtFault(link) ? "none" : below !== undefined && isAtFault(below) ? "delegation" : "own";
      return {
        agents: fault === "none" ? actorsOf(obligation) : accusedIn(link),
        obligation_hash: obligation.obligation_hash,
        fault,
        fields: {
          ...(fault === "own" && decision.performance === "failed" ? { failed_obligations: 1 } : {}),
          ...(fault === "own" && decision.policy === "violated" ? { policy_violations: 1 } : {}),
          ...(fault === "delegation" ? { failed_delegations: 1 } : {}),
        },
      };
    }),
  );
}

/** Whether a link failed because of an agent that no appeal cleared. */
export function isAtFault(link: Link): boolean {
  const { performance, policy } = link.decision;
  return (performance === "failed" || policy === "violated") && accusedIn(link).length > 0;
}

function accusedIn({ obligation, exonerated = [] }: Link): readonly string[] {
  return actorsOf(obligation).filter((actor) => !exonerated.includes(actor));
}

/**
 * The end of a delegated obligation, which is not cleared itself: its delegation ended it. If it failed, the chains show whose fault that was:
 * one for each failed obligation below, from this one down to it; only this one if none below failed.
 */
export const delegationRecordSchema = z.strictObject({
  delegation_id: digestSchema,
  obligation_hash: digestSchema,
  /** The delegation that ended it. */
  ended: nameSchema,
  performance: z.enum(["cleared", "failed", "unverifiable"]),
  chains: z.array(z.array(attributionSchema).min(1).readonly()).readonly(),
  concluded_at: timeSchema,
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
});
export type DelegationRecord = z.infer<typeof delegationRecordSchema>;

export interface Conclusion extends Pick<DelegationRecord, "ended" | "performance"> {
  readonly obligation: BoundObligation;
  /** Chains of failed obligations below, starting with the link directly below this one. */
  readonly failed: readonly (readonly Link[])[];
  /** Seconds since 1970. */
  readonly at: bigint;
  readonly deployment: Deployment;
  readonly engine: Signer;
}

/** Records the end of a delegation. Throws NotTheEngine if the signer is not an engine of this obligation. */
export function concludeDelegation(conclusion: Conclusion): Checked<DelegationRecord> {
  const { obligation, ended, performance, failed, at, deployment, engine } = conclusion;
  requireEngine(engine.id, obligation, deployment);
  const own: Link = { obligation, decision: { obligation_hash: obligation.obligation_hash, performance, policy: "not_asked" } };
  const below = performance !== "failed" ? [] : failed.length === 0 ? [[]] : failed;
  const chains: (readonly Attribution[])[] = [];
  for (const chain of below) {
    const attributed = attributeFault([own, ...chain]);
    if (!attributed.ok) return attributed;
    chains.push(attributed.value);
  }
  const body = {
    ...{ obligation_hash: obligation.obligation_hash, ended, performance, chains },
    ...{ concluded_at: timeOf(at), clearing_engine: engine.id },
  };
  const id = hashOf(body);
  return accept({ ...body, delegation_id: id, clearing_engine_signature: signHash(engine, "delegation", id) });
}

/** Whether a registered engine signed the record. */
export function isDelegationSigned(record: DelegationRecord, deployment: Deployment): boolean {
  return isEngineRecord(record, "delegation", "delegation_id", deployment);
}
