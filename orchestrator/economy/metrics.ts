/** A run's figures in one line, by the formulas of docs/economy.md. */

import { linearRegression } from "simple-statistics";
import { changedIn, RULE_NAMES } from "./law/rules.ts";
import type { SessionFigures, Share } from "./law/session.ts";
import type { GovernanceFigures } from "./order.ts";
import { type Configuration, ECONOMY, type EconomyParameters, PERSONA_NAMES, type PersonaName } from "./parameters.ts";
import type { RoundFigures, RunFigures } from "./run.ts";
import { spearman } from "./statistics/description.ts";

export interface RunSummary {
  readonly configuration: Configuration;
  readonly agents: number;
  readonly seed: number;
  /** The set of constants of the run. */
  readonly variant: string;
  readonly csr: number;
  /** 1 if the pool was never depleted. */
  readonly survival: number;
  readonly dr: number;
  readonly drBy: Readonly<Record<PersonaName, number>>;
  readonly psr: number;
  readonly pcr: number;
  /** At round 40, and at the end. */
  readonly si40: number;
  readonly si: number;
  readonly cau: number;
  readonly pvr: number;
  /** Rounds until specialisation is stable; the number of rounds if it never is. */
  readonly ss: number;
  readonly gor: number;
  /** Share of rounds in which governance caused a delay. */
  readonly gorRounds: number;
  /** Overhead of the first twenty rounds and of the last twenty-one. */
  readonly gorFirst: number;
  readonly gorLast: number;
  readonly epr: number;
  /** At the end of every milestone. */
  readonly wgc: readonly number[];
  /** Rounds until compliance recovers after the shock; null if it never does. */
  readonly srt: number | null;
  readonly fpd: number;
  /** Milestones that were not completed, and the value of a full one, tokens. */
  readonly failures: number;
  readonly worth: number;
  /** From the contracts; absent without them. */
  readonly governance?: GovernanceSummary;
}

/** Figures of a governed run; null if there was nothing to measure. */
export interface GovernanceSummary {
  readonly rec: number;
  /** Sessions that agents petitioned for. */
  readonly petitioned: number;
  readonly rqt: number | null;
  readonly lpr: number;
  readonly dsi: number;
  readonly msr: number;
  readonly pvrr: number;
  readonly cfr: number;
  readonly dvr: number;
  /** Whether the shock's bloc was flagged completely within two sessions; sessions from flag to ruling; reduction of its influence. */
  readonly cdr: number | null;
  readonly opa: number | null;
  readonly reduction: number | null;
  /** The same bloc, if it had agreed on three places or on one. */
  readonly top3: number | null;
  readonly pivot: number | null;
  readonly wronged: number;
  readonly ict: number | null;
  readonly sar: number;
  readonly sarSlope: number;
  readonly gas: number;
  readonly transactions: number;
  readonly messages: number;
  readonly seconds: number;
  readonly reputationAndOverhead: number | null;
  /**
   * Shares: of routed attempts that committed; of failed tasks completed by a later attempt; of alerts whose task was certified after all.
   */
  readonly ccr: number;
  readonly aru: number;
  readonly hitlrr: number;
  /** Share of milestones with a law in which EQ-11 held. */
  readonly sustained: number;
  /** EQ-11's two sides, tokens. */
  readonly inflow: number;
  readonly outflow: number;
}

/** Of gas, tokens (docs/economy.md). */
export const TOKENS_A_GAS = 0.05e-9 * 2_500;

export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const mean = (values: readonly number[]): number =>
  ratio(
    values.reduce((sum, value) => sum + value, 0),
    values.length,
  );
const total = (rounds: readonly RoundFigures[], of: (round: RoundFigures) => number): number =>
  rounds.reduce((sum, round) => sum + of(round), 0);

/** Number of false statements and of all statements. */
export function deception(rounds: readonly RoundFigures[], personas: readonly PersonaName[] = PERSONA_NAMES): number {
  const said = (at: 0 | 1) => total(rounds, (round) => personas.reduce((sum, name) => sum + round.said[name][at], 0));
  return ratio(said(0), said(1));
}

/** Task-rounds delayed by governance, and all. */
export const overhead = (rounds: readonly RoundFigures[]): number =>
  ratio(
    total(rounds, ({ delayed }) => delayed),
    total(rounds, ({ taskRounds }) => taskRounds),
  );

export function summarise(run: RunFigures, variant: string, world: EconomyParameters = ECONOMY): RunSummary {
  const { configuration, agents, seed, rounds, milestones } = run;
  const depleted = rounds.filter(({ pool }) => pool < world.pool.depleted).length;
  const done = total(rounds, (round) => round.done);
  return {
    configuration,
    agents,
    seed,
    variant,
    csr: mean(rounds.map(({ csr }) => csr)),
    survival: depleted === 0 ? 1 : 0,
    dr: deception(rounds),
    drBy: {
      cooperative: deception(rounds, ["cooperative"]),
      "self-interested": deception(rounds, ["self-interested"]),
      adversarial: deception(rounds, ["adversarial"]),
    },
    psr: 1 - ratio(depleted, rounds.length),
    pcr: ratio(milestones.filter(({ completed }) => completed).length, milestones.length),
    si40: rounds[39]?.si ?? Number.NaN,
    si: rounds.at(-1)?.si ?? Number.NaN,
    cau: ratio(
      total(rounds, ({ aligned }) => aligned),
      done,
    ),
    pvr: ratio(
      total(rounds, ({ quality }) => quality),
      total(rounds, ({ byLot }) => byLot),
    ),
    ss: settled(rounds.map(({ si }) => si)),
    gor: overhead(rounds),
    gorRounds: ratio(rounds.filter(({ delayed }) => delayed > 0).length, rounds.length),
    gorFirst: overhead(rounds.slice(0, 20)),
    gorLast: overhead(rounds.slice(-21)),
    epr: mean(rounds.map(({ epr }) => epr)),
    wgc: rounds.filter(({ round }) => (round + 1) % world.milestoneRounds === 0).map(({ wgc }) => wgc),
    srt: recovery(rounds, world.shock.round),
    fpd: Math.max(0, ...milestones.map(({ propagation }) => propagation)),
    failures: milestones.filter(({ completed }) => !completed).length,
    worth: world.price * world.tasks,
    ...(run.governance === undefined ? {} : { governance: governanceOf(run, run.governance, world) }),
  };
}

const summed = <Part>(parts: readonly Part[], of: (part: Part) => Share): number =>
  ratio(
    parts.reduce((sum, part) => sum + of(part)[0], 0),
    parts.reduce((sum, part) => sum + of(part)[1], 0),
  );

/** Slope of the least-squares line of a series, per step. */
export function slopeOf(series: readonly number[]): number {
  return series.length < 2 ? 0 : linearRegression(series.map((value, at) => [at, value])).m;
}

function governanceOf(
  { configuration, rounds }: RunFigures,
  { sessions, missions, confidence, gas, transactions, treasury }: GovernanceFigures,
  world: EconomyParameters,
): GovernanceSummary {
  const windows = Array.from({ length: Math.floor(rounds.length / world.milestoneRounds) }, (_, at) =>
    rounds.slice(at * world.milestoneRounds, (at + 1) * world.milestoneRounds),
  );
  const sanctioned = (window: readonly RoundFigures[]) => ratio(window.filter(({ sanctions = 0 }) => sanctions > 0).length, window.length);
  return {
    rec: new Set(sessions.flatMap(({ rules }) => (rules === null ? [] : changedIn(rules)))).size,
    petitioned: sessions.filter(({ petitioners }) => petitioners !== undefined).length,
    rqt: afterAmendments(sessions, windows, world),
    lpr: summed(sessions, ({ lpr }) => lpr),
    dsi: summed(sessions, ({ dsi }) => dsi),
    msr: summed(sessions, ({ msr }) => msr),
    pvrr: summed(sessions, ({ pvrr }) => pvrr),
    cfr: summed(sessions, ({ cfr }) => cfr),
    dvr: summed(sessions, ({ dvr }) => dvr),
    ...blocFigures(configuration, sessions),
    wronged: sessions.reduce((sum, { wronged }) => sum + wronged, 0),
    ict: confidence.length < 2 ? null : slopeOf(confidence),
    sar: sanctioned(rounds),
    sarSlope: slopeOf(windows.map(sanctioned)),
    gas: Object.values(gas).reduce((sum, one) => sum + one, 0),
    transactions,
    messages: mean(sessions.map(({ messages }) => messages)),
    seconds: mean(sessions.map(({ seconds }) => seconds)),
    reputationAndOverhead: correlated(
      rounds.map(({ reputation = 0 }) => reputation),
      rounds.map((round) => overhead([round])),
    ),
    ccr: summed(missions, ({ ccr }) => ccr),
    aru: summed(missions, ({ aru }) => aru),
    hitlrr: summed(missions, ({ alerts }) => alerts),
    sustained: ratio(missions.filter(({ treasury: [taken, paid] }) => taken > paid).length, missions.length),
    inflow: treasury.fees + treasury.slashed / 2,
    outflow: treasury.premiums,
  };
}

function correlated(first: readonly number[], second: readonly number[]): number | null {
  const isFlat = (values: readonly number[]) => new Set(values).size < 2;
  return isFlat(first) || isFlat(second) ? null : spearman(first, second);
}

/** Average effect on quality of a law that changed a rule. */
function afterAmendments(
  sessions: readonly SessionFigures[],
  windows: readonly (readonly RoundFigures[])[],
  { milestoneRounds }: EconomyParameters,
): number | null {
  const made = windows.map((window) => total(window, ({ quality }) => quality));
  const changes = sessions.flatMap(({ round, rules }, at) => {
    const former = sessions[at - 1]?.rules;
    if (rules === null || former === undefined || former === null || RULE_NAMES.every((name) => former[name] === rules[name])) return [];
    const milestone = Math.floor(round / milestoneRounds);
    const [before = 0, after = 0] = [made[milestone - 1], made[milestone]];
    return before === 0 ? [] : [(after - before) / before];
  });
  return changes.length === 0 ? null : mean(changes);
}

/** The first two sessions in which the shock's bloc could take part. */
function blocFigures(
  configuration: RunFigures["configuration"],
  sessions: readonly SessionFigures[],
): Pick<GovernanceSummary, "cdr" | "opa" | "reduction" | "top3" | "pivot"> {
  const first = sessions.findIndex(({ caught }) => caught !== null);
  const met = sessions[first];
  if (configuration !== "full" || met === undefined || met.caught === null)
    return { cdr: null, opa: null, reduction: null, top3: null, pivot: null };
  const two = sessions.slice(first, first + 2);
  const at = two.findIndex(({ caught }) => caught?.identical === true);
  const powers = { top3: met.caught.top3 ? 1 : 0, pivot: met.caught.pivot ? 1 : 0 };
  if (at === -1) return { cdr: 0, opa: null, reduction: null, ...powers };
  const after = sessions.slice(first + at + 1, first + at + 3).map(({ influence }) => influence ?? 0);
  const before = two[at]?.influence ?? 0;
  // A bloc without influence has none to lose.
  const reduction = before <= 0 || after.length === 0 ? null : (before - mean(after)) / before;
  return { cdr: 1, opa: 0, reduction, ...powers };
}

const SETTLED_WITHIN = 0.02;
const SETTLED_FOR = 20;

/** First round after which a series stays within a band for twenty rounds. */
export function settled(series: readonly number[]): number {
  const at = series.findIndex((value, round) => {
    const next = series.slice(round + 1, round + 1 + SETTLED_FOR);
    return next.length === SETTLED_FOR && next.every((later) => Math.abs(later - value) < SETTLED_WITHIN);
  });
  return at === -1 ? series.length : at;
}

const RECOVERED = 0.95;
const BEFORE = 20;
const WINDOW = 5;

/** Rounds from a shock until five rounds' mean compliance is back at 95 % of its earlier value. */
export function recovery(rounds: readonly Pick<RoundFigures, "csr">[], shock: number): number | null {
  const csr = rounds.map((round) => round.csr);
  const before = mean(csr.slice(Math.max(0, shock - BEFORE), shock));
  for (let end = shock + WINDOW; end <= csr.length; end++) if (mean(csr.slice(end - WINDOW, end)) >= RECOVERED * before) return end - shock;
  return null;
}
