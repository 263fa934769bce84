import type { Admissibility, ClassName } from "./admissibility.ts";
import type { AdmittedItem } from "./ingest.ts";

export type NonEmpty<Value> = readonly [Value, ...Value[]];

/** An admitted item that is ⪰ a floor. Only the comparison can make one. */
export class ItemAboveFloor {
  readonly admitted: AdmittedItem;
  readonly floor: ClassName;
  /** Makes the type nominal. */
  readonly #checked = true;

  private constructor(admitted: AdmittedItem, floor: ClassName) {
    this.admitted = admitted;
    this.floor = floor;
  }

  static of(admitted: AdmittedItem, floor: ClassName, { geq }: Admissibility): ItemAboveFloor | undefined {
    return geq(admitted.class, floor) ? new ItemAboveFloor(admitted, floor) : undefined;
  }

  static is(value: unknown): value is ItemAboveFloor {
    return typeof value === "object" && value !== null && #checked in value;
  }
}

/** Γ's answer to one clause, or to a whole question. */
interface Weighing {
  /** Basis points. */
  readonly confidence: number;
  /** Clauses with surviving weight on both sides. */
  readonly conflicts: readonly string[];
}

/** A verdict with consequences: it has a basis, and nothing in it is below its floor. */
export interface Decided extends Weighing {
  readonly status: "PASS" | "FAIL";
  readonly restsOn: NonEmpty<ItemAboveFloor>;
}

/** A verdict without consequences. */
export interface Undecided extends Weighing {
  readonly status: "DISPUTED" | "UNVERIFIABLE" | "NOT_ASKED";
}

/** Soundness as a type (RAILS 5.4): a decided verdict on a basis below the floor is not representable. */
export type Verdict = Decided | Undecided;

export function isDecided(verdict: Verdict): verdict is Decided {
  return verdict.status === "PASS" || verdict.status === "FAIL";
}
