import { AgentCityError } from "../orchestrator/primitives/errors.ts";
import { type ParameterValues, PROTOTYPE, parameter } from "../orchestrator/protocol/parameters.ts";
import { adjudicatorStake, deterringStake, effectiveDetection, registrationStake } from "../orchestrator/rules/deterrence.ts";

/** Assumptions for the stakes of a production city; shares and probabilities are fractions of one. */
export interface DeterrenceAssumptions {
  /** Executors of a task, and the number that must agree. */
  readonly executors: number;
  readonly agreeing: number;
  /** Probability that one honest executor detects a manipulation, and the correlation of their detections. */
  readonly notices: number;
  readonly correlation: number;
  /** Probability that one agent would collude: π. */
  readonly malice: number;
  /** Share of the stake lost for a proven fault. */
  readonly slashed: number;
  /** Stakes are this multiple of the minimum deterrent. */
  readonly margin: number;
}

/** The moderate case of AgentCity B.3. */
export const MODERATE: DeterrenceAssumptions = {
  executors: 3,
  agreeing: 2,
  notices: 0.5,
  correlation: 0,
  malice: 0.12,
  slashed: 0.33,
  margin: 1,
};

/** Constitution parameters that follow from deterrence. */
const STAKES = ["REGISTRATION_STAKE", "MIN_STAKE_LOW", "MIN_STAKE_MEDIUM", "MIN_STAKE_HIGH", "ADJUDICATOR_STAKE"] as const;
export type ProductionStakes = Readonly<Record<(typeof STAKES)[number], bigint>>;

/** δ: share of a mission's value gained by subverting one task of a risk tier (Table 16). */
const TAKEN = { LOW: 0.075, MEDIUM: 0.25, HIGH: 1 } as const;
/** Tolerance when rounding up to whole tokens. */
const ROUNDING = 1e-6;

/** A deterrent stake is outside the range allowed by the contracts. */
export class StakeOutsideRange extends AgentCityError {
  constructor(value: number, faults: readonly string[], largest: number) {
    super("StakeOutsideRange", `Missions worth ${value} tokens need stakes that the constitution does not allow`, {
      details: faults.join("\n"),
      action: `found the city for missions worth at most ${largest} tokens, or let more executors do each task`,
    });
  }
}

/** No stake is deterrent under these assumptions. */
export class NotDeterrable extends AgentCityError {
  constructor(because: string) {
    super("NotDeterrable", `No stake deters: ${because}`, {
      action: "use assumptions under which attacks can be detected and are punished",
    });
  }
}

/**
 * Deterrent stakes for missions worth `value` whole tokens (EQ-5 to EQ-7), rounded up. Throws NotDeterrable, and StakeOutsideRange if the
 * contracts do not allow such a stake.
 */
export function productionStakes(value: number, assumed: DeterrenceAssumptions = MODERATE): ProductionStakes {
  const stakes = stakesFor(value, assumed);
  const faults = tooHigh(stakes).map((name) => `${name} = ${stakes[name]} is outside ${parameter(name).min}–${parameter(name).max}`);
  if (faults.length > 0) throw new StakeOutsideRange(value, faults, largestValue(assumed));
  return stakes;
}

/** The full set of parameters: those stakes, all others as in the prototype. */
export const production = (value: number, assumed: DeterrenceAssumptions = MODERATE): ParameterValues => ({
  ...PROTOTYPE,
  ...productionStakes(value, assumed),
});

function stakesFor(value: number, assumed: DeterrenceAssumptions): ProductionStakes {
  const up = (stake: number) => BigInt(Math.ceil(assumed.margin * stake - ROUNDING));
  const task = (share: number, by: DeterrenceAssumptions = assumed) => {
    const answer = deterringStake(share * value, effectiveDetection(by, by.malice), by.slashed);
    if (!answer.deterrable) throw new NotDeterrable(answer.because);
    return up(answer.stake);
  };
  return {
    REGISTRATION_STAKE: up(registrationStake(value)),
    MIN_STAKE_LOW: task(TAKEN.LOW),
    MIN_STAKE_MEDIUM: task(TAKEN.MEDIUM),
    MIN_STAKE_HIGH: task(TAKEN.HIGH, atHighRisk(assumed)),
    ADJUDICATOR_STAKE: up(adjudicatorStake(value, Number(PROTOTYPE.ADJUDICATOR_QUORUM))),
  };
}

/** The constitution's minimum number of executors of a redundant HIGH-risk task; a majority of them must agree. */
function atHighRisk(assumed: DeterrenceAssumptions): DeterrenceAssumptions {
  const fewest = Number(PROTOTYPE.MIN_REDUNDANCY_HIGH);
  return assumed.executors >= fewest ? assumed : { ...assumed, executors: fewest, agreeing: Math.floor(fewest / 2) + 1 };
}

const tooHigh = (stakes: ProductionStakes) =>
  STAKES.filter((name) => stakes[name] < parameter(name).min || stakes[name] > parameter(name).max);

/** The largest value, in whole tokens, whose stakes the contracts allow. */
export function largestValue(assumed: DeterrenceAssumptions = MODERATE): number {
  let [low, high] = [0, Number(parameter("MISSION_BUDGET_CAP").max)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (STAKES.every((name) => stakesFor(middle, assumed)[name] <= parameter(name).max)) low = middle;
    else high = middle;
  }
  return low;
}
