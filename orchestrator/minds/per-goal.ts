import type { CityFacts, Goal } from "./goal.ts";

/**
 * Memoises what follows from a goal and the city's facts alone, for the lifetime of those objects: a thousand agents of a session share it,
 * so that their work does not grow with the city.
 */
export function perGoal<Value>(compute: (goal: Goal, facts: CityFacts) => Value): (goal: Goal, facts: CityFacts) => Value {
  const byFacts = new WeakMap<CityFacts, WeakMap<Goal, { readonly value: Value }>>();
  return (goal, facts) => {
    const byGoal = byFacts.get(facts) ?? new WeakMap<Goal, { readonly value: Value }>();
    byFacts.set(facts, byGoal);
    const known = byGoal.get(goal) ?? { value: compute(goal, facts) };
    byGoal.set(goal, known);
    return known.value;
  };
}
