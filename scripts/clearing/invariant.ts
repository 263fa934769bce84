import type { EvidenceItem } from "../../orchestrator/clearing/evidence-envelope.ts";

/**
 * The floor invariant, Emit(S) ⇒ cls(B) ⪰ φ, checked independently of the code that enforces it: no lattice, no meet, no ingest. It reads
 * the settlement's basis as submitted, and has its own copy of the order.
 */
const SATISFIES: Readonly<Record<string, readonly string[]>> = {
  SELF: ["SELF"],
  SIGN: ["SELF", "SIGN"],
  WIT: ["SELF", "SIGN", "WIT"],
  REC: ["SELF", "SIGN", "REC"],
  ATT: ["SELF", "SIGN", "WIT", "REC", "ATT"],
  PROOF: ["SELF", "SIGN", "WIT", "REC", "ATT", "PROOF"],
};

export function satisfies(held: string, floor: string): boolean {
  return SATISFIES[held]?.includes(floor) ?? false;
}

/** Every hop and the claim itself must satisfy the floor; an item without hops satisfies only a self-report's floor. */
export function itemSatisfies({ class: claimed, provenance }: EvidenceItem, floor: string): boolean {
  const links = provenance.length === 0 ? ["SELF"] : provenance.map((hop) => hop.class);
  return [claimed, ...links].every((link) => satisfies(link, floor));
}

/** A settlement that moved money must have a basis, and each of its items must satisfy the floor signed by the parties. */
export function violatesFloor(emitted: boolean, basis: readonly EvidenceItem[], floor: string): boolean {
  return emitted && (basis.length === 0 || !basis.every((item) => itemSatisfies(item, floor)));
}
