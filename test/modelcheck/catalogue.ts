import { type Exploration, explore, type Machine } from "./explore.ts";
import { disclosure, forgetting, lifecycle, withoutRule } from "./machines/claims.ts";
import { CLEARING_MUTANTS, clearing } from "./machines/clearing.ts";
import { LIFECYCLES, lifecycleOf, withArc } from "./machines/lifecycles.ts";
import { OBLIGATION_MUTANTS, obligation } from "./machines/obligation.ts";

/** A machine, made anew for each look: its type of state stays its own business. */
export interface Model {
  readonly name: string;
  readonly about: string;
  readonly explore: () => Exploration;
}

/** A model with what its state space must have: a change that moves these numbers is one to be understood. */
export interface CountedModel extends Model {
  readonly generated: number;
  readonly distinct: number;
  /** Where the same counts were published. */
  readonly published?: string;
}

const model = <State>(machine: Machine<State>): Model => ({
  name: machine.name,
  about: machine.about,
  explore: () => explore(machine),
});

function named(name: string): (typeof LIFECYCLES)[number] {
  const found = LIFECYCLES.find((lifecycle) => lifecycle.name === name);
  if (found === undefined) throw new Error(`no lifecycle is called "${name}"`);
  return found;
}

export const MODELS: readonly CountedModel[] = [
  { ...model(lifecycle()), generated: 2349, distinct: 2345, published: "Pramana 6.2" },
  { ...model(disclosure()), generated: 7409, distinct: 4601, published: "Pramana 6.2" },
  { ...model(clearing()), generated: 113_461, distinct: 39_711 },
  { ...model(obligation()), generated: 77, distinct: 53 },
  { ...model(lifecycleOf(named("session"))), generated: 26, distinct: 12 },
  { ...model(lifecycleOf(named("mission"))), generated: 14, distinct: 8 },
  { ...model(lifecycleOf(named("node"))), generated: 18, distinct: 8 },
];

/** Machines with one fault each: the checker is worth what it says of these. */
export const MUTANTS: readonly Model[] = [
  ...["a claim is emitted once", "only an emitted claim is acted upon", "a claim is verified once", "a claim is suppressed once"].map(
    (rule) => mutant(`without "${rule}"`, lifecycle(withoutRule(rule))),
  ),
  ...["only a rejected or unverifiable claim is suppressed", "only a verified claim is shown"].map((rule) =>
    mutant(`without "${rule}"`, disclosure(withoutRule(rule))),
  ),
  ...(["verify", "suppress", "show"] as const).map((action) => mutant(`"${action}" told, not done`, disclosure(forgetting(action)))),
  ...Object.entries(CLEARING_MUTANTS).map(([name, rule]) => mutant(name, clearing(rule))),
  ...Object.entries(OBLIGATION_MUTANTS).map(([name, steps]) => mutant(name, obligation(steps))),
  mutant("a completed mission fails later", lifecycleOf(withArc(named("mission"), "COMPLETED", "FAILED"))),
  mutant(
    "a degraded mission has no way out",
    lifecycleOf(withArc(withArc(named("mission"), "DEGRADED", "EXECUTING"), "DEGRADED", "ABORTED")),
  ),
  mutant("a completed node is opened again", lifecycleOf(withArc(named("node"), "COMPLETED", "ELIGIBLE"))),
  mutant("a deployed session expires", lifecycleOf(withArc(named("session"), "DEPLOYED", "EXPIRED"))),
];

function mutant<State>(name: string, machine: Machine<State>): Model {
  return { ...model(machine), name };
}
