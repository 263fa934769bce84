import type { EvidenceClassName } from "../protocol/evidence.ts";
import { evidenceClasses } from "../protocol/evidence.ts";
import { COVERS } from "../rules/admissibility.ts";
import { defineLattice, type Lattice } from "../rules/lattice.ts";
import { RuleError } from "../rules/rule-error.ts";

/** Name of an admissibility class: one of the six, or one defined by a deployment. */
export type ClassName = string;

/** Λ, a deployment's order of classes (RAILS 5.1). */
export type Admissibility = Lattice<ClassName>;

const ENDS = { bottom: "SELF", top: "PROOF" } as const satisfies Record<string, EvidenceClassName>;
const CANONICAL: readonly (readonly [ClassName, ClassName])[] = COVERS.map(([lower, upper]) => [
  evidenceClasses[lower],
  evidenceClasses[upper],
]);

/** SELF ⪯ SIGN ⪯ {WIT, REC} ⪯ ATT ⪯ PROOF: the chain's order, by name. */
export const RAILS_ADMISSIBILITY: Admissibility = defineLattice(ENDS, CANONICAL);

/**
 * Λ with a deployment's own classes, e.g. `[["WIT", "NOTARY"], ["NOTARY", "ATT"]]` for a notary above a witness. Throws RuleError unless it
 * remains an order with bottom SELF and top PROOF in which the six keep their relations and any two classes have one meet and one join.
 */
export function extendAdmissibility(covers: readonly (readonly [lower: ClassName, upper: ClassName])[]): Admissibility {
  const extended = defineLattice(ENDS, [...CANONICAL, ...covers]);
  for (const a of evidenceClasses) {
    for (const b of evidenceClasses) {
      if (extended.geq(a, b) !== RAILS_ADMISSIBILITY.geq(a, b)) throw new RuleError("CanonicalOrderChanged", a, b);
    }
  }
  return extended;
}

/** Meet of a chain of provenance, or of one verifier's basis: the weakest link. The bottom for an empty list. */
export function meetAll(order: Admissibility, classes: readonly ClassName[]): ClassName {
  return classes.length === 0 ? order.bottom : classes.reduce((held, each) => order.meet(held, each));
}

/** Join over the bases of admitted verdicts: reported, never relied on. The bottom for an empty list. */
export function joinAll(order: Admissibility, classes: readonly ClassName[]): ClassName {
  return classes.reduce(order.join, order.bottom);
}
