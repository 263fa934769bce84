/** Twin of `contracts/libraries/ConductRecord.sol`: an adjudicator's recent decisions, and when they are an anomaly (AgentCity B.12). */

/** The constitution's WATCHDOG parameters: days, percent, approvals in a row, weakening changes. */
export interface ConductLimits {
  readonly window: bigint;
  readonly rate: bigint;
  readonly consecutive: bigint;
  readonly weakenings: bigint;
}

export interface ConductTally {
  readonly approvals: bigint;
  readonly decisions: bigint;
  readonly weakenings: bigint;
}

/** Day of the last warning per family, counted from the Unix epoch; 0 = none. */
export interface ConductWarnings {
  readonly approval: bigint;
  readonly weakening: bigint;
}

export interface ConductFinding {
  readonly warnings: ConductWarnings;
  /** A warning is new. */
  readonly approval: boolean;
  readonly weakening: boolean;
  readonly freezes: boolean;
}

/** An action's contribution to its day. */
export interface Conduct {
  readonly decided: boolean;
  readonly approved: boolean;
  readonly weakened: boolean;
}

/** Below this number of decisions a rate is not significant (decision 30). */
const MIN_DECISIONS = 20n;
const DAYS_PER_WORD = 8n;
export const NOTHING: ConductTally = { approvals: 0n, decisions: 0n, weakenings: 0n };

const LANE = 32n;
const DECISIONS = 12n;
const WEAKENINGS = 24n;
const MAX_COUNT = 0xfffn;
const MAX_WEAKENINGS = 0xffn;

const laneOf = (day: bigint): bigint => (day % DAYS_PER_WORD) * LANE;

/** A day's word after one more action. A full lane stays full, with both of its counts. */
export function addConduct(word: bigint, day: bigint, { decided, approved, weakened }: Conduct): bigint {
  const lane = laneOf(day);
  let next = word;
  if (decided && ((next >> (lane + DECISIONS)) & MAX_COUNT) !== MAX_COUNT) {
    next += 1n << (lane + DECISIONS);
    if (approved) next += 1n << lane;
  }
  if (weakened && ((next >> (lane + WEAKENINGS)) & MAX_WEAKENINGS) !== MAX_WEAKENINGS) next += 1n << (lane + WEAKENINGS);
  return next;
}

/** The word of a new day with its first action. */
export const keepConduct = (word: bigint, day: bigint, done: bigint): bigint => word | (done << laneOf(day));

/** Sums the days `first` to `last` in one word. */
export function sumConduct(tally: ConductTally, word: bigint, first: bigint, last: bigint): ConductTally {
  let { approvals, decisions, weakenings } = tally;
  for (let day = first; day <= last; day += 1n) {
    const lane = word >> laneOf(day);
    approvals += lane & MAX_COUNT;
    decisions += (lane >> DECISIONS) & MAX_COUNT;
    weakenings += (lane >> WEAKENINGS) & MAX_WEAKENINGS;
  }
  return { approvals, decisions, weakenings };
}

/** Rate and run are one family. `run`: approvals since the last rejection; of these, those in the window count. */
export function approvesTooMuch({ approvals, decisions }: ConductTally, run: bigint, limits: ConductLimits): boolean {
  if ((run < approvals ? run : approvals) > limits.consecutive) return true;
  return decisions >= MIN_DECISIONS && approvals * 100n > limits.rate * decisions;
}

export const weakensTooMuch = ({ weakenings }: ConductTally, limits: ConductLimits): boolean => weakenings > limits.weakenings;

/** Whether a warning is still in effect: for two windows. */
export const warningStands = (warnedOn: bigint, day: bigint, window: bigint): boolean => warnedOn !== 0n && day < warnedOn + 2n * window;

/** One anomaly warns; two families, or one family in two disjoint windows, freeze. */
export function judgeConduct(
  standing: ConductWarnings,
  anomalous: { readonly approval: boolean; readonly weakening: boolean },
  day: bigint,
  window: bigint,
): ConductFinding {
  const approval = warn(standing.approval, anomalous.approval, day, window);
  const weakening = warn(standing.weakening, anomalous.weakening, day, window);
  const both = (approval.warned || weakening.warned) && approval.day !== 0n && weakening.day !== 0n;
  return {
    warnings: { approval: approval.day, weakening: weakening.day },
    approval: approval.warned,
    weakening: weakening.warned,
    freezes: approval.again || weakening.again || both,
  };
}

function warn(warnedOn: bigint, anomalous: boolean, day: bigint, window: bigint) {
  const standing = warningStands(warnedOn, day, window);
  const kept = standing ? warnedOn : 0n;
  if (!anomalous) return { day: kept, warned: false, again: false };
  if (!standing) return { day, warned: true, again: false };
  return { day: kept, warned: false, again: day >= warnedOn + window };
}
