import type { Criterion } from "./obligation.ts";
import { floorFor } from "./obligation.ts";
import { atMost, equals, oneOf, onlyApproved, type Predicate, pathsWithin } from "./verifiers/constraint.ts";
import type { CaseFile } from "./verifiers/verifier.ts";

/** The predicate that a criterion states, for a `constraintVerifier` too. */
export function predicateOf({ rule }: Pick<Criterion, "rule">): Predicate {
  switch (rule.is) {
    case "equal_to":
      return equals(rule.path, rule.value);
    case "at_most":
      return atMost(rule.path, rule.limit);
    case "one_of":
      return oneOf(rule.path, rule.allowed);
    case "paths_within":
      return pathsWithin(rule.path, rule.trees);
    case "only_approved":
      return onlyApproved(rule.path, rule.approved);
  }
}

/**
 * Acceptance criteria that the admitted evidence does not meet. One is met if there is an item of its type ⪰ the fee's floors and every such
 * item satisfies it: the provider chooses what it hands in, so a second, better report helps no more than none.
 */
export function unmetCriteria({ obligation, envelope, admissibility }: CaseFile): readonly Criterion[] {
  const criteria = obligation.acceptance_criteria.filter((one) => typeof one !== "string");
  const { questions = ["performance", "policy"] } = obligation.verifier_policy;
  const floors = questions.map((question) => floorFor(obligation, "fee_release", question));
  const strong = [...envelope.items.values()].filter((item) => floors.every((floor) => admissibility.geq(item.class, floor)));
  return criteria.filter((criterion) => {
    const holds = predicateOf(criterion);
    const about = strong.filter(({ item }) => item.type === criterion.evidence);
    return about.length === 0 || !about.every(({ item: { content } }) => content !== undefined && holds(content).holds);
  });
}
