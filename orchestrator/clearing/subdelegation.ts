import { type BoundObligation, bindObligation, floorsBelow } from "./bind.ts";
import type { ClearingDecision } from "./clearing-decision.ts";
import type { Deployment } from "./deployment.ts";
import { actorsOf } from "./obligation.ts";
import { accept, type Checked, refuse } from "./refusal.ts";

/**
 * Binds what an agent delegates: a fresh obligation that names its parent's hash, whose requestor may act under the parent, and
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

/** One link of a chain: an obligation and how it cleared. */
export interface Link {
  readonly obligation: BoundObligation;
  readonly decision: Pick<ClearingDecision, "clearing_decision_hash" | "obligation_hash" | "performance" | "policy">;
}

/** What a link's provider bears. */
export interface Attribution {
  readonly agent: string;
  readonly obligation_hash: string;
  /** `own`: it failed its obligation, and nobody it delegated to failed theirs. `delegation`: it failed because they did. */
  readonly fault: "none" | "own" | "delegation";
  readonly fields: Readonly<Record<string, number>>;
}

/**
 * Fault follows the chain of obligation hashes, root first. Each link answers for its own obligation: whoever delegated on looser terms
 * than its own is alone at fault, because the link below kept what it had signed.
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
    chain.map(({ obligation, decision }, index): Attribution => {
      const below = chain[index + 1];
      const fault = !failed(decision) ? "none" : below !== undefined && failed(below.decision) ? "delegation" : "own";
      return {
        agent: obligation.parties.provider,
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

function failed({ performance, policy }: Link["decision"]): boolean {
  return performance === "failed" || policy === "violated";
}
