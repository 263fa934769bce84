import type { EvidenceClassName } from "../protocol/evidence.ts";
import { evidenceClasses } from "../protocol/evidence.ts";
import { COVERS } from "../rules/admissibility.ts";
import { defineLattice, type Lattice } from "../rules/lattice.ts";
import { RuleError } from "../rules/rule-error.ts";

/** Name of an admissibility class: one of the six, or one a deployment adds. */
export type ClassName = string;

/** Λ, the order of classes that a deployment clears under (RAILS 5.1). */
export type Admissibility = Lattice<ClassName>;

const ENDS = { bottom: "SELF", top: "PROOF" } as const satisfies Record<string, EvidenceClassName>;
const CANONICAL: readonly (readonly [ClassName, ClassName])[] = COVERS.map(([lower, upper]) => [
  evidenceClasses[lower],
  evidenceClasses[upper],
]);

/** SELF ⪯ SIGN ⪯ {WIT, REC} ⪯ ATT ⪯ PROOF: the order that the chain computes with, by name. */
export const RAILS_ADMISSIBILITY: Admissibility = defineLattice(ENDS, CANONICAL);

/**
 * Λ with the classes of a deployment, e.g. `[["WIT", "NOTARY"], ["NOTARY", "ATT"]]` for a notary above a witness. Refused with a
 * `RuleError` unless it stays an order with bottom SELF and top PROOF in which the six keep their relations and any two
 * classes have one meet and one join.
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

/** Of a chain of provenance, and of one verifier's basis: the weakest link. The bottom over nothing. */
export function meetAll(order: Admissibility, classes: readonly ClassName[]): ClassName {
  const [first = order.bottom, ...rest] = classes;
  return rest.reduce(order.meet, first);
}

/** Over the bases of surviving verifiers: reported, never relied on. The bottom over nothing. */
export function joinAll(order: Admissibility, classes: readonly ClassName[]): ClassName {
  return classes.reduce(order.join, order.bottom);
}
