import { BASIS_POINTS } from "../../primitives/amounts.ts";
import type { Obligation } from "../obligation.ts";
import { type CaseFile, isAboveFloor, type Seat, type Verifier } from "./verifier.ts";

/** One component of the score, in [0, 1]; 1 is reliable. A deployment can add its own, e.g. a model's published profile. */
export interface Scorer {
  readonly name: string;
  readonly weight: number;
  score(file: CaseFile): number;
}

export interface Triage {
  /** Basis points; a low score is risky. */
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
}

/** Share of the required evidence that has arrived, at its class. */
export const coverage: Scorer = {
  name: "coverage",
  weight: 3,
  score(file) {
    const required = file.obligation.evidence_requirements ?? [];
    return required.length === 0 ? 1 : 1 - missingEvidence(file).length / required.length;
  },
};

/** Requirements of the obligation that no admitted item meets. Outdated items were not admitted. */
export function missingEvidence({ obligation, envelope, admissibility }: CaseFile): NonNullable<Obligation["evidence_requirements"]> {
  const items = [...envelope.items.values()];
  return (obligation.evidence_requirements ?? []).filter(
    ({ type, class: least = admissibility.bottom, source }) =>
      !items.some(
        ({ item, class: proven }) =>
          item.type === type &&
          admissibility.geq(proven, least) &&
          (source === undefined || item.provenance.some(({ emitter }) => emitter === source)),
      ),
  );
}

/** Share of submitted items that ingest admitted: a forged one is a reason for closer scrutiny. */
export const integrity: Scorer = {
  name: "integrity",
  weight: 2,
  score: ({ envelope }) => (envelope.envelope.items.length === 0 ? 0 : envelope.items.size / envelope.envelope.items.length),
};

/** Scores an output at once, from the available data. */
export function triage(file: CaseFile, scorers: readonly Scorer[] = [coverage, integrity]): Triage {
  const parts = Object.fromEntries(
    scorers.map(({ name, score }) => [name, Math.round(Math.min(1, Math.max(0, score(file))) * BASIS_POINTS)]),
  );
  const weight = scorers.reduce((sum, scorer) => sum + scorer.weight, 0);
  const total = scorers.reduce((sum, scorer) => sum + scorer.weight * (parts[scorer.name] ?? 0), 0);
  return { score: weight === 0 ? 0 : Math.floor(total / weight), parts };
}

export interface TriageSeat extends Seat {
  readonly scorers?: readonly Scorer[];
  /** Below this score the work is disputed, basis points. */
  readonly disputeBelow?: number;
}

/**
 * The always-on verifier (RAILS 5.6, 7.2): it scores every output and disputes poor ones, which sends them to the slower tiers. It never
 * passes anything: for a good score it abstains.
 */
export function triageVerifier(seat: TriageSeat): Verifier {
  const { scorers, disputeBelow = 6000 } = seat;
  return {
    ...seat,
    role: "triage",
    examine(file) {
      const { score, parts } = triage(file, scorers);
      const rationale = `score ${score}: ${Object.entries(parts)
        .map(([name, part]) => `${name} ${part}`)
        .join(", ")}`;
      if (score >= disputeBelow) return { verdict: "ABSTAIN", confidence: score, basis: [], rationale };
      const basis = [...file.envelope.items.values()].filter((item) => isAboveFloor(item, file, seat.answers));
      return { verdict: "DISPUTED", confidence: BASIS_POINTS - score, basis, rationale };
    },
  };
}
