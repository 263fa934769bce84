import type { JsonObject } from "../primitives/json.ts";
import type { MissionDocument } from "../protocol/mission-document.ts";

/** Inputs of a mission's predicates. */
export interface PredicateSubject {
  readonly output: JsonObject;
  /** Ids of the mission's whole input. */
  readonly inputIds: readonly string[];
  /** Ids of all items in the output node's result. */
  readonly coveredIds: ReadonlySet<string>;
}

/** The predicates of a mission's document that its output violates, for display; empty if it meets all. */
export function brokenPredicates(predicates: MissionDocument["predicates"], subject: PredicateSubject): string[] {
  return predicates.flatMap((predicate) => {
    if (predicate === "every-input-covered") {
      const missing = subject.inputIds.filter((id) => !subject.coveredIds.has(id));
      return missing.length === 0 ? [] : [`every-input-covered: ${missing.length} missing, first ${missing[0]}`];
    }
    const text = subject.output["document"];
    const bytes = new TextEncoder().encode(typeof text === "string" ? text : JSON.stringify(subject.output)).length;
    return bytes <= predicate.maxBytes ? [] : [`maxBytes: ${bytes} bytes, at most ${predicate.maxBytes}`];
  });
}
