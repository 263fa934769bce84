import type { EvidenceItem } from "../../orchestrator/clearing/evidence-envelope.ts";

/**
 * The floor invariant, Emit(S) ⇒ cls(B) ⪰ φ, checked without the code that enforces it: no lattice, no meet, no ingest. It reads what a
 * settlement rests on as it was submitted, and knows the order by heart.
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

/** Every hop and the claim itself satisfy the floor; without hops only a self-report's floor is met. */
export function itemSatisfies({ class: claimed, provenance }: EvidenceItem, floor: string): boolean {
  const links = provenance.length === 0 ? ["SELF"] : provenance.map((hop) => hop.class);
  return [claimed, ...links].every((link) => satisfies(link, floor));
}

/** What moved money must rest on something, and every item of it must satisfy the floor that the parties signed. */
export function violatesFloor(emitted: boolean, basis: readonly EvidenceItem[], floor: string): boolean {
  return emitted && (basis.length === 0 || !basis.every((item) => itemSatisfies(item, floor)));
}
