/** A run's figures in one line, by the formulas of docs/economy.md. */
import { type BuiltConfiguration, ECONOMY, type EconomyParameters, PERSONA_NAMES, type PersonaName } from "./parameters.ts";
import type { RoundFigures, RunFigures } from "./run.ts";

export interface RunSummary {
  readonly configuration: BuiltConfiguration;
  readonly agents: number;
  readonly seed: number;
  /** Which set of constants it was run with. */
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
  /** Rounds until specialisation settles; as many as there are if it does not. */
  readonly ss: number;
  readonly gor: number;
  /** Overhead of the first twenty rounds and of the last twenty-one. */
  readonly gorFirst: number;
  readonly gorLast: number;
  readonly epr: number;
  /** At the end of every milestone. */
  readonly wgc: readonly number[];
  /** Rounds until compliance is back after the shock; null if it never is. */
  readonly srt: number | null;
  readonly fpd: number;
}

export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const mean = (values: readonly number[]): number =>
  ratio(
    values.reduce((sum, value) => sum + value, 0),
    values.length,
  );
const total = (rounds: readonly RoundFigures[], of: (round: RoundFigures) => number): number =>
  rounds.reduce((sum, round) => sum + of(round), 0);

/** False statements over all of them. */
export function deception(rounds: readonly RoundFigures[], personas: readonly PersonaName[] = PERSONA_NAMES): number {
  const said = (at: 0 | 1) => total(rounds, (round) => personas.reduce((sum, name) => sum + round.said[name][at], 0));
  return ratio(said(0), said(1));
}

/** Task-rounds that governance took over all of them. */
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
    gorFirst: overhead(rounds.slice(0, 20)),
    gorLast: overhead(rounds.slice(-21)),
    epr: mean(rounds.map(({ epr }) => epr)),
    wgc: rounds.filter(({ round }) => (round + 1) % world.milestoneRounds === 0).map(({ wgc }) => wgc),
    srt: recovery(rounds, world.shock.round),
    fpd: Math.max(0, ...milestones.map(({ propagation }) => propagation)),
  };
}

const SETTLED_WITHIN = 0.02;
const SETTLED_FOR = 20;

/** First round after which a series stays near itself for twenty rounds. */
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

/** Rounds from a shock until five rounds' mean compliance is back at 95 % of what it was. */
export function recovery(rounds: readonly Pick<RoundFigures, "csr">[], shock: number): number | null {
  const csr = rounds.map((round) => round.csr);
  const before = mean(csr.slice(shock - BEFORE, shock));
  for (let end = shock + WINDOW; end <= csr.length; end++) if (mean(csr.slice(end - WINDOW, end)) >= RECOVERED * before) return end - shock;
  return null;
}
