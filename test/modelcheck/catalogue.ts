import { type Exploration, explore, type Machine } from "./explore.ts";
import { AGREEMENT_MUTANTS, agreement, SAMPLING_MUTANTS, SEVERAL_MUTANTS } from "./machines/agreement.ts";
import { concurrency, disclosure, forgetting, lifecycle, withoutRule } from "./machines/claims.ts";
import { CLEARING_MUTANTS, clearing } from "./machines/clearing.ts";
import { ENVELOPE_MUTANTS, envelopes } from "./machines/envelopes.ts";
import { GAME_RULES, game } from "./machines/game.ts";
import { session, withArc } from "./machines/lifecycles.ts";
import { LAWS, type LawName, REVIEWED, WORKED_ON } from "./machines/mission/laws.ts";
import { type MissionOptions, mission, unhurried, workedOn } from "./machines/mission/mission.ts";
import { missionMutants } from "./machines/mission/mutants.ts";
import { OBLIGATION_MUTANTS, obligation } from "./machines/obligation.ts";
import { NEEDED_BY, PANEL_GUARDS, panel } from "./machines/panel.ts";
import { REFUTING_RULES, refuting } from "./machines/refuting.ts";

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

const missionOf = (name: LawName, options?: MissionOptions) => mission(name, LAWS[name], options);

export const MODELS: readonly CountedModel[] = [
  { ...model(lifecycle()), generated: 2349, distinct: 2345, published: "Pramana 6.2" },
  { ...model(disclosure()), generated: 7409, distinct: 4601, published: "Pramana 6.2" },
  { ...model(concurrency()), generated: 7123, distinct: 4317 },
  { ...model(envelopes()), generated: 43, distinct: 21, published: "Pramana 6.3" },
  { ...model(clearing()), generated: 113_461, distinct: 39_711 },
  { ...model(agreement()), generated: 520, distinct: 408 },
  { ...model(agreement(undefined, "afterwards")), generated: 496, distinct: 384 },
  { ...model(agreement(undefined, "sampled")), generated: 912, distinct: 704 },
  { ...model(agreement(undefined, "several")), generated: 976, distinct: 656 },
  { ...model(obligation()), generated: 77, distinct: 53 },
  { ...model(session()), generated: 26, distinct: 12 },
  { ...model(missionOf("two nodes in sequence")), generated: 445_345, distinct: 66_062 },
  { ...model(missionOf("everything that watches a node")), generated: 95_822, distinct: 15_828 },
  { ...model(missionOf("a node of two executors")), generated: 12_242, distinct: 2067 },
  { ...model(missionOf("executors whose mandate is amended")), generated: 9864, distinct: 1903 },
  { ...model(missionOf("a human's node, an output that is vetoed")), generated: 7383, distinct: 1384 },
  { ...model(missionOf("decisions under appeal")), generated: 59_884, distinct: 12_935 },
  { ...model(unhurried("a review that ends by its own clock", REVIEWED)), generated: 1630, distinct: 473 },
  { ...model(workedOn("two nodes, worked on", WORKED_ON)), generated: 211_577, distinct: 39_865 },
  { ...model(game()), generated: 3481, distinct: 1929 },
  { ...model(refuting()), generated: 3161, distinct: 642 },
  { ...model(panel("missions")), generated: 5021, distinct: 1204 },
  { ...model(panel("watchdog")), generated: 57_039, distinct: 11_613 },
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
  ...["a claim is emitted once", "a claim is verified once"].map((rule) =>
    mutant(`two of each, without "${rule}"`, concurrency(withoutRule(rule))),
  ),
  ...Object.entries(ENVELOPE_MUTANTS).map(([name, reads]) => mutant(name, envelopes(reads))),
  ...Object.entries(CLEARING_MUTANTS).map(([name, rule]) => mutant(name, clearing(rule))),
  ...AGREEMENT_MUTANTS.map(([name, rules]) => mutant(name, agreement(rules))),
  ...SAMPLING_MUTANTS.map(([name, rules]) => mutant(name, agreement(rules, "sampled"))),
  ...SEVERAL_MUTANTS.map(([name, rules]) => mutant(name, agreement(rules, "several"))),
  ...Object.entries(OBLIGATION_MUTANTS).map(([name, steps]) => mutant(name, obligation(steps))),
  mutant("a deployed session expires", session(withArc("DEPLOYED", "EXPIRED"))),
  ...missionMutants().map(([name, machine]) => mutant(name, machine)),
  ...GAME_RULES.map((rule) => mutant(`without "${rule}"`, game([rule]))),
  ...REFUTING_RULES.map((rule) => mutant(`without "${rule}"`, refuting([rule]))),
  ...PANEL_GUARDS.map((guard) => mutant(`without "${guard}"`, panel(NEEDED_BY[guard], [guard]))),
];

function mutant<State>(name: string, machine: Machine<State>): Model {
  return { ...model(machine), name };
}
