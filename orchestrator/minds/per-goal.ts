import type { CityFacts, Goal } from "./goal.ts";

/**
 * Remembers what follows from a goal and the city's facts alone, for as long as those objects live: a thousand agents of one session
 * share them, so each one's additional work does not grow with the city.
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
