import { PARTIES, type Party } from "../../../orchestrator/agreements/canonical.ts";
import {
  AGREEMENT_RULES,
  type AgreementEvent,
  type AgreementRule,
  type AgreementState,
  advance,
  EVENTS,
  isOver,
  type LifecycleTerms,
  PROPOSED,
} from "../../../orchestrator/agreements/lifecycle.ts";
import type { Machine } from "../explore.ts";

interface State {
  readonly agreement: AgreementState;
  readonly terms: LifecycleTerms;
  /** What happened, told by the machine and not by the code: an answer to one's own offer, deliveries, fundings, results, window. */
  readonly own: boolean;
  readonly moved: boolean;
  readonly funded: number;
  readonly delivered: boolean;
  readonly judged: boolean;
  /** Lots that fell; whether one spared a delivery, and whether somebody judged before one fell. */
  readonly lots: number;
  readonly spared: boolean;
  readonly hasty: boolean;
  readonly results: number;
  readonly early: boolean;
  /** A good result was disputed by the clock; a low one was not. */
  readonly misfiled: boolean;
  readonly ends: number;
}

const BY_PARTY = ["counter", "accept", "reject", "sign"];
const events: readonly AgreementEvent[] = EVENTS.flatMap((name): readonly AgreementEvent[] =>
  BY_PARTY.includes(name) ? PARTIES.map((by: Party) => ({ name, by })) : name === "result" ? [{ name }, { name, low: true }] : [{ name }],
);

type Kind = "escrow" | "afterwards" | "sampled" | "several";
const NAMES: Readonly<Record<Kind, string>> = {
  escrow: "agreement",
  afterwards: "agreement, paid afterwards",
  sampled: "agreement, one delivery in several judged",
  several: "agreement, three evaluators",
};

/**
 * The life of an agreement with a challenge window, by how it is paid, whether each delivery is judged and by how many; the real `advance`, under
 * some of its rules.
 */
export function agreement(rules: readonly AgreementRule[] = AGREEMENT_RULES, kind: Kind = "escrow"): Machine<State> {
  const isAhead = kind === "escrow";
  const payment = isAhead ? "escrow" : "afterwards";
  const terms: LifecycleTerms = {
    payment,
    optimistic: true,
    sampled: kind === "sampled",
    maxRounds: 3,
    maxBackups: 2,
    judges: kind === "several" ? 3 : 1,
  };
  return {
    name: NAMES[kind],
    about: `two parties, ${isAhead ? "an escrow" : "a payment once it is over"}, a challenge window, two backup evaluators`,
    initial: {
      ...{ agreement: PROPOSED, terms, own: false, moved: false, funded: 0, delivered: false, judged: false, early: false },
      ...{ results: 0, lots: 0, spared: false, hasty: false, misfiled: false, ends: 0 },
    },
    key: (state) => JSON.stringify(state),
    // One past every bound is enough to see it broken.
    within: ({ agreement: { rounds, signed }, funded, lots, ends }) =>
      rounds <= 4 && signed.length <= 3 && funded <= 2 && lots <= 2 && ends <= 2,
    *moves(state) {
      for (const event of events) {
        let next: AgreementState;
        try {
          next = advance(state.agreement, event, terms, rules);
        } catch {
          continue;
        }
        const { name, by } = event;
        yield {
          label: by === undefined ? `${event.low === true ? "low " : ""}${name}` : `${name} by ${by}`,
          next: {
            ...state,
            agreement: next,
            own: state.own || ((name === "counter" || name === "accept") && by === state.agreement.offer),
            moved: state.moved || (name === "counter" && state.agreement.agreed),
            funded: state.funded + (name === "fund" ? 1 : 0),
            delivered: state.delivered || name === "deliver",
            judged: state.judged || name === "result",
            results: state.results + (name === "result" ? 1 : 0),
            lots: state.lots + (name === "ask" || name === "spare" ? 1 : 0),
            spared: state.spared || name === "spare",
            hasty: state.hasty || (name === "result" && state.agreement.lot === "open"),
            early: state.early || name === "enforce",
            misfiled:
              state.misfiled ||
              (name === "file" && !state.agreement.files) ||
              (name === "timeout" && state.agreement.status === "verified" && state.agreement.files),
            ends: state.ends + (next.division !== undefined && (name !== "fund" || state.agreement.division !== undefined) ? 1 : 0),
          },
        };
      }
    },
    invariants: [
      { name: "nobody agrees with himself", holds: ({ own }) => !own },
      { name: "what was agreed stays as it was", holds: ({ moved }) => !moved },
      { name: "at most three counters", holds: ({ agreement: { rounds } }) => rounds <= terms.maxRounds },
      {
        name: "work begins with two different signatures under one offer",
        holds: ({ agreement: { status, signed, agreed }, delivered }) =>
          (!delivered && (status === "proposed" || status === "negotiating" || status === "rejected" || isOver({ status }))) ||
          (agreed && new Set(signed).size === 2),
      },
      {
        name: "a signature is given once, and under agreed terms",
        holds: ({ agreement: { signed, agreed } }) => new Set(signed).size === signed.length && (agreed || signed.length === 0),
      },
      { name: "money goes in once, and into an escrow alone", holds: ({ funded }) => funded <= (isAhead ? 1 : 0) },
      { name: "nothing is delivered for nothing", holds: ({ delivered, funded }) => !delivered || !isAhead || funded > 0 },
      {
        name: "what both signed is divided by something, and nothing else is",
        holds: ({ agreement: { division, signed, funded } }) =>
          division === undefined || (division !== "none") === (isAhead ? funded : signed.length === 2),
      },
      { name: "money is divided once, when it is over", holds: ({ agreement: it, ends }) => ends <= 1 && (ends === 1) === isOver(it) },
      { name: "the schedule pays for judged work only", holds: ({ agreement: { division }, judged }) => division !== "schedule" || judged },
      {
        name: "a verdict is most of those who judge, and all of them before their time is over",
        holds: ({ agreement: { status, backups }, results }) =>
          status !== "verified" || (2 * results > terms.judges && (results === terms.judges || backups === terms.maxBackups)),
      },
      {
        name: "a timeout does not end what a majority has judged",
        holds: ({ agreement: { division }, results }) => division !== "switch" || 2 * results <= terms.judges,
      },
      { name: "one lot falls, and nothing is judged before it", holds: ({ lots, hasty }) => lots <= 1 && !hasty },
      {
        name: "what is paid unjudged the lot has spared",
        holds: ({ agreement: { division }, spared, judged }) => (division === "spared") === spared && !(spared && judged),
      },
      { name: "nothing is released inside the window", holds: ({ early }) => !early },
      { name: "the clock disputes what is below the threshold, and nothing else", holds: ({ misfiled }) => !misfiled },
    ],
    end: ({ agreement: it }) => isOver(it),
    // Silence must be enough: of all moves only the clock's can be counted on.
    certain: ({ label }) => ["timeout", "file", "conclude"].includes(label),
  };
}

const NEEDED = [
  "the table has the transition",
  "a party cannot answer its own offer",
  "agreed terms cannot be countered",
  "rounds are limited",
  "only agreed terms can be signed",
  "a party signs once",
  "an escrow is funded once",
  "delivery requires a funded escrow",
  "enforcement waits for the challenge window",
  "only a low or divergent result is filed",
  "a result to be filed is not settled by silence",
] as const;

const NEEDED_OF_SEVERAL = [
  "a majority concludes without silent evaluators, once their time is over",
  "a timeout does not end what a majority has judged",
] as const;
const NEEDED_OF_LOTS = ["a lot is drawn once", "a delivery with an open lot is not judged"] as const;

const without = (name: string) => AGREEMENT_RULES.filter((rule) => rule.name !== name);

/** One rule left out each. */
export const AGREEMENT_MUTANTS: readonly (readonly [string, readonly AgreementRule[]])[] = NEEDED.map((name) => [
  `without "${name}"`,
  without(name),
]);
export const SEVERAL_MUTANTS: typeof AGREEMENT_MUTANTS = NEEDED_OF_SEVERAL.map((name) => [`without "${name}"`, without(name)]);
export const SAMPLING_MUTANTS: typeof AGREEMENT_MUTANTS = NEEDED_OF_LOTS.map((name) => [`without "${name}"`, without(name)]);
