/**
 * The constitution's parameters: unit, default, range, risk and protection of each (the source of docs/parameters.md). Order is the order
 * of `Param` in `contracts/types/Params.sol`; ranges and flags are repeated in `contracts/libraries/ParamRanges.sol` and compared by a
 * test.
 */

/** The unit of a value. Shares are basis points; times are seconds unless the unit says otherwise. */
export type ParameterUnit =
  | "band" // code of `Band`
  | "bps"
  | "class" // code of `EvidenceClass`, compared as a number: 2 admits WIT, REC and above
  | "count"
  | "days"
  | "flag" // 0 or 1
  | "gas"
  | "hundredths"
  | "ms"
  | "percent"
  | "points" // 0–1000
  | "s"
  | "scorers" // two scorer numbers, eight bits each
  | "sigma × 100"
  | "thousandths"
  | "tokens"; // whole tokens

export type ParameterRisk = "LOW" | "MEDIUM" | "HIGH";
/** The direction in which the parameter protects less. */
export type WeakerDirection = "NONE" | "UP" | "DOWN";

export interface Parameter {
  readonly name: ParameterName;
  /** The parameter's number in the Solidity enum. */
  readonly index: number;
  readonly unit: ParameterUnit;
  readonly default: bigint;
  readonly min: bigint;
  readonly max: bigint;
  /** A mission keeps the value that was in force when its session opened. */
  readonly locked: boolean;
  /** HIGH needs two adjudicators' signatures to change. */
  readonly risk: ParameterRisk;
  readonly weaker: WeakerDirection;
  /** A window that people wait for; the devnet preset sets it to its minimum. */
  readonly waits: boolean;
  readonly source: string;
}

type Row = readonly [
  name: string,
  unit: ParameterUnit,
  value: bigint,
  min: bigint,
  max: bigint,
  locked: "L" | "",
  risk: ParameterRisk,
  weaker: WeakerDirection,
  waits: "W" | "",
  source: string,
];

// biome-ignore format: a table
const ROWS = [
  ["DEVIATION_THRESHOLD", "sigma × 100", 200n, 100n, 500n, "L", "HIGH", "UP", "", "AgentCity Table 19"],
  ["MAX_TOOL_INVOCATIONS", "count", 40n, 5n, 200n, "L", "MEDIUM", "UP", "", "AgentCity Table 19"],
  ["MAX_MESSAGE_VOLUME", "count", 120n, 10n, 500n, "L", "MEDIUM", "UP", "", "AgentCity Table 19"],
  ["ESCALATION_FREEZE_COUNT", "count", 3n, 2n, 10n, "L", "HIGH", "UP", "", "AgentCity Table 19"],
  ["BASE_ESCALATION_WINDOW", "s", 1200n, 60n, 7200n, "L", "LOW", "DOWN", "W", "AgentCity Table 19"],
  ["REPUTATION_SCALING_ENABLED", "flag", 1n, 0n, 1n, "L", "MEDIUM", "NONE", "", "AgentCity Table 19"],
  ["REPUTATION_SCALING_BONUS", "count", 3n, 0n, 7n, "L", "MEDIUM", "UP", "", "AgentCity Table 19"],
  ["MISSION_BUDGET_CAP", "tokens", 100_000n, 1000n, 10_000_000n, "L", "MEDIUM", "UP", "", "AgentCity Table 19"],
  ["MAX_NODE_TIMEOUT", "s", 60n, 1n, 3600n, "L", "LOW", "UP", "", "AgentCity Table 19"],
  ["MIN_HUMAN_REVIEW_TIMEOUT", "s", 300n, 60n, 86_400n, "L", "LOW", "DOWN", "W", "AgentCity Table 19"],
  ["MAX_HUMAN_REVIEW_TIMEOUT", "s", 3600n, 300n, 86_400n, "L", "MEDIUM", "NONE", "W", "AgentCity Table 19"],
  ["VERIFICATION_TIMEOUT", "s", 300n, 60n, 86_400n, "L", "LOW", "UP", "W", "AgentCity B.3"],
  ["MAX_REFINEMENT_ITERATIONS", "count", 3n, 1n, 10n, "L", "LOW", "UP", "", "AgentCity Table 19"],
  ["REPUTATION_FLOOR", "points", 100n, 0n, 500n, "", "HIGH", "DOWN", "", "AgentCity Table 19"],
  ["REGISTRATION_STAKE", "tokens", 1000n, 0n, 1_000_000n, "", "HIGH", "DOWN", "", "AgentCity B.3"],
  ["JACCARD_THRESHOLD", "hundredths", 85n, 50n, 100n, "L", "HIGH", "DOWN", "", "AgentCity Table 19"],
  ["NUMERIC_TOLERANCE", "percent", 5n, 1n, 50n, "L", "LOW", "UP", "", "AgentCity Table 19"],
  ["MIN_FAIRNESS_SCORE", "points", 600n, 0n, 1000n, "", "LOW", "DOWN", "", "AgentCity Table 19"],
  ["MIN_STAKE_LOW", "tokens", 150n, 0n, 100_000n, "L", "MEDIUM", "DOWN", "", "AgentCity Table 19"],
  ["MIN_STAKE_MEDIUM", "tokens", 500n, 0n, 100_000n, "L", "MEDIUM", "DOWN", "", "AgentCity Table 19"],
  ["MIN_STAKE_HIGH", "tokens", 2000n, 0n, 10_000_000n, "L", "MEDIUM", "DOWN", "", "AgentCity Table 19"],
  ["DEGRADED_MODE_THRESHOLD", "s", 1800n, 60n, 14_400n, "L", "HIGH", "UP", "W", "AgentCity Table 19"],
  ["DEGRADED_ADJUDICATOR_TIMEOUT", "s", 7200n, 1800n, 86_400n, "L", "MEDIUM", "UP", "W", "AgentCity Table 19"],
  ["OPTIMISTIC_WINDOW_MAX", "s", 10n, 2n, 60n, "L", "MEDIUM", "UP", "W", "AgentCity Table 19"],
  ["MAX_CODE_HASH_LATENCY", "ms", 2000n, 500n, 10_000n, "L", "MEDIUM", "UP", "", "AgentCity Table 19"],
  ["LEGISLATIVE_PROPOSAL_TIMEOUT", "s", 600n, 60n, 3600n, "", "LOW", "NONE", "W", "AgentCity Table 19"],
  ["BIDDING_WINDOW", "s", 900n, 60n, 7200n, "", "LOW", "NONE", "W", "AgentCity Table 19"],
  ["PARTIAL_RELEG_BIDDING_TIMEOUT", "s", 300n, 60n, 3600n, "", "LOW", "NONE", "W", "AgentCity Table 19"],
  ["REGULATORY_APPROVAL_TIMEOUT", "s", 300n, 60n, 3600n, "", "LOW", "NONE", "W", "AgentCity Table 19"],
  ["ADJUDICATOR_QUORUM", "count", 7n, 5n, 20n, "", "HIGH", "DOWN", "", "AgentCity Table 19"],
  ["MULTISIG_REG_QUORUM", "count", 2n, 1n, 20n, "", "MEDIUM", "DOWN", "", "AgentCity Table 19"],
  ["PREDICATE_GAS_LIMIT", "gas", 200_000n, 50_000n, 1_000_000n, "L", "HIGH", "UP", "", "AgentCity Table 19"],
  ["PROTOCOL_FEE_RATE", "bps", 200n, 0n, 1000n, "L", "HIGH", "NONE", "", "AgentCity Table 19"],
  ["INSURANCE_RESERVE_RATE", "bps", 100n, 0n, 500n, "L", "MEDIUM", "DOWN", "", "AgentCity Table 19"],
  ["REPUTATION_MULTIPLIER_ALPHA", "thousandths", 500n, 0n, 2000n, "L", "HIGH", "NONE", "", "AgentCity Table 19"],
  ["ADJUDICATOR_COMPENSATION", "tokens", 50n, 10n, 500n, "", "MEDIUM", "NONE", "", "AgentCity Table 19"],
  ["STAKE_POOL_MIN_PARTICIPANTS", "count", 3n, 2n, 50n, "", "LOW", "DOWN", "", "AgentCity Table 19"],
  ["ADJUDICATOR_STAKE", "tokens", 5000n, 100n, 1_000_000n, "", "HIGH", "DOWN", "", "AgentCity B.12"],
  ["WATCHDOG_MAX_APPROVAL_RATE", "percent", 95n, 50n, 100n, "", "HIGH", "UP", "", "AgentCity B.12"],
  ["WATCHDOG_MAX_CONSECUTIVE", "count", 20n, 5n, 100n, "", "HIGH", "UP", "", "AgentCity B.12"],
  ["WATCHDOG_WEAKENING_LIMIT", "count", 3n, 1n, 20n, "", "HIGH", "UP", "", "AgentCity B.12"],
  ["WATCHDOG_WINDOW_DAYS", "days", 30n, 7n, 90n, "", "HIGH", "UP", "", "AgentCity B.12"],
  ["WATCHDOG_MAX_FREEZE", "s", 259_200n, 3600n, 604_800n, "", "HIGH", "DOWN", "W", "AgentCity B.12"],
  ["REPUTATION_SMOOTHING", "thousandths", 900n, 500n, 990n, "", "MEDIUM", "UP", "", "AgentCity 3.5"],
  ["BID_WEIGHT_QUALITY", "thousandths", 600n, 0n, 1000n, "", "MEDIUM", "DOWN", "", "AgentCity 3.5"],
  ["BID_WEIGHT_PRICE", "thousandths", 400n, 0n, 1000n, "", "MEDIUM", "UP", "", "AgentCity 3.5"],
  ["TURNOUT_QUORUM", "bps", 6000n, 5000n, 9000n, "", "HIGH", "DOWN", "", "AgentCity 3.4"],
  ["MIN_SPONSORS", "count", 5n, 3n, 20n, "", "MEDIUM", "DOWN", "", "AgentCity 3.4"],
  ["PETITION_SHARE", "bps", 2000n, 500n, 5000n, "", "LOW", "NONE", "", "AgentCity 3.4"],
  ["DEBATE_ROUNDS", "count", 3n, 0n, 5n, "", "LOW", "NONE", "", "AgentCity 3.4"],
  ["BLOC_TAU_THRESHOLD", "hundredths", 90n, 50n, 100n, "", "MEDIUM", "UP", "", "AgentCity 3.4"],
  ["BLOC_JACCARD_THRESHOLD", "hundredths", 80n, 50n, 100n, "", "MEDIUM", "UP", "", "AgentCity 3.4"],
  ["CRITICAL_BLOC_SHARE", "bps", 1000n, 500n, 5000n, "", "MEDIUM", "UP", "", "AgentCity 3.4"],
  ["APPEAL_WINDOW_LOW", "s", 0n, 0n, 2_592_000n, "L", "HIGH", "DOWN", "", "decision 47"],
  ["APPEAL_WINDOW_MODERATE", "s", 3600n, 0n, 2_592_000n, "L", "HIGH", "DOWN", "", "decision 47"],
  ["APPEAL_WINDOW_ELEVATED", "s", 86_400n, 0n, 2_592_000n, "L", "HIGH", "DOWN", "", "decision 47"],
  ["APPEAL_WINDOW_CRITICAL", "s", 259_200n, 0n, 2_592_000n, "L", "HIGH", "DOWN", "", "decision 47"],
  ["SOLE_APPROVAL_LIMIT", "count", 2n, 1n, 2n, "", "HIGH", "UP", "", "AgentCity B.12"],
  ["EMERGENCY_CLEAR_SIGNATURES", "count", 2n, 2n, 10n, "", "HIGH", "DOWN", "", "AgentCity B.12"],
  ["SENIOR_ADJUDICATOR_ENABLED", "flag", 0n, 0n, 1n, "", "MEDIUM", "UP", "", "AgentCity Table 19"],
  ["MIN_FLOOR_LOW", "class", 1n, 1n, 5n, "L", "HIGH", "DOWN", "", "decision 8"],
  ["MIN_FLOOR_MEDIUM", "class", 2n, 1n, 5n, "L", "HIGH", "DOWN", "", "decision 8"],
  ["MIN_FLOOR_HIGH", "class", 4n, 1n, 5n, "L", "HIGH", "DOWN", "", "decision 8"],
  ["MIN_PANEL_LOW", "count", 1n, 1n, 7n, "L", "HIGH", "DOWN", "", "decision 8"],
  ["MIN_PANEL_MEDIUM", "count", 3n, 1n, 7n, "L", "HIGH", "DOWN", "", "decision 8"],
  ["MIN_PANEL_HIGH", "count", 5n, 1n, 7n, "L", "HIGH", "DOWN", "", "decision 8"],
  ["MIN_BAND_LOW", "band", 0n, 0n, 3n, "L", "HIGH", "DOWN", "", "decision 8"],
  ["MIN_BAND_MEDIUM", "band", 1n, 0n, 3n, "L", "HIGH", "DOWN", "", "decision 8"],
  ["MIN_BAND_HIGH", "band", 2n, 0n, 3n, "L", "HIGH", "DOWN", "", "decision 8"],
  ["MIN_CONFIDENCE_LOW", "bps", 6000n, 5000n, 10_000n, "L", "HIGH", "DOWN", "", "decision 8"],
  ["MIN_CONFIDENCE_MEDIUM", "bps", 7000n, 5000n, 10_000n, "L", "HIGH", "DOWN", "", "decision 8"],
  ["MIN_CONFIDENCE_HIGH", "bps", 8000n, 5000n, 10_000n, "L", "HIGH", "DOWN", "", "decision 8"],
  ["MEDIUM_RISK_FROM", "tokens", 1000n, 1n, 1_000_000n, "L", "HIGH", "UP", "", "decision 8"],
  ["HIGH_RISK_FROM", "tokens", 10_000n, 1n, 10_000_000n, "L", "HIGH", "UP", "", "decision 8"],
  ["SUBSIDY_CAP_SHARE", "bps", 5000n, 0n, 5000n, "", "HIGH", "UP", "", "decision 5"],
  ["PRINCIPAL_SUBSIDY_SHARE", "bps", 1000n, 0n, 5000n, "", "HIGH", "UP", "", "decision 5"],
  ["UNBONDING_PERIOD", "s", 1_209_600n, 345_600n, 7_776_000n, "", "HIGH", "DOWN", "", "decision 6"],
  ["MAX_MISSION_DURATION", "s", 604_800n, 3600n, 2_592_000n, "L", "MEDIUM", "UP", "", "decision 24"],
  ["SESSION_FEE", "tokens", 10n, 0n, 1000n, "", "LOW", "NONE", "", "decision 4"],
  ["VERIFIER_FEE_SHARE", "bps", 5000n, 0n, 10_000n, "", "MEDIUM", "DOWN", "", "decision 43"],
  ["APPEAL_BOND_MIN", "tokens", 10n, 1n, 1000n, "", "LOW", "NONE", "", "decision 29"],
  ["APPEAL_BOND_SHARE", "bps", 500n, 100n, 5000n, "", "LOW", "NONE", "", "decision 29"],
  ["EMBEDDING_SCORERS", "scorers", 513n, 0n, 65_535n, "L", "MEDIUM", "NONE", "", "AgentCity Table 19"],
  ["MIN_REDUNDANCY_LOW", "count", 2n, 2n, 5n, "L", "HIGH", "DOWN", "", "decision 60"],
  ["MIN_REDUNDANCY_MEDIUM", "count", 3n, 2n, 5n, "L", "HIGH", "DOWN", "", "decision 60"],
  ["MIN_REDUNDANCY_HIGH", "count", 5n, 2n, 5n, "L", "HIGH", "DOWN", "", "decision 60"],
] as const satisfies readonly Row[];

export type ParameterName = (typeof ROWS)[number][0];

/** Every parameter, in the order of the Solidity enum. */
export const PARAMETERS: readonly Parameter[] = ROWS.map(([name, unit, value, min, max, locked, risk, weaker, waits, source], index) => ({
  name,
  index,
  unit,
  default: value,
  min,
  max,
  locked: locked === "L",
  risk,
  weaker,
  waits: waits === "W",
  source,
}));

const BY_NAME: ReadonlyMap<string, Parameter> = new Map(PARAMETERS.map((p) => [p.name, p]));

/** The parameter with that name. */
export function parameter(name: ParameterName): Parameter {
  const found = BY_NAME.get(name);
  if (found === undefined) throw new RangeError(`no parameter is called ${name}`);
  return found;
}

/** The parameter's number in the Solidity enum. */
export function parameterIndex(name: ParameterName): number {
  return parameter(name).index;
}

/** A value for every parameter. */
export type ParameterValues = Readonly<Record<ParameterName, bigint>>;

function values(choose: (p: Parameter) => bigint): ParameterValues {
  return Object.fromEntries(PARAMETERS.map((p) => [p.name, choose(p)])) as ParameterValues;
}

/** The table's defaults. */
export const PROTOTYPE: ParameterValues = values((p) => p.default);

/**
 * Windows that people wait for are as short as allowed (decision 47). Time limits of a law (node timeout, mission duration, unbonding) and
 * the appeal windows (decision 54 shows one hour) keep their defaults.
 */
export const DEVNET: ParameterValues = values((p) => (p.waits ? p.min : p.default));

export const PRESETS = { prototype: PROTOTYPE, devnet: DEVNET } as const;

/** Relations between parameters, at founding and after every change: the rows of `contracts/libraries/ParamRelations.sol`. */
export const RELATIONS = {
  /** Each list in ascending order. */
  ascending: [
    ["MIN_HUMAN_REVIEW_TIMEOUT", "MAX_HUMAN_REVIEW_TIMEOUT"],
    ["APPEAL_WINDOW_LOW", "APPEAL_WINDOW_MODERATE", "APPEAL_WINDOW_ELEVATED", "APPEAL_WINDOW_CRITICAL"],
    ["MIN_STAKE_LOW", "MIN_STAKE_MEDIUM", "MIN_STAKE_HIGH"],
    ["MIN_FLOOR_LOW", "MIN_FLOOR_MEDIUM", "MIN_FLOOR_HIGH"],
    ["MIN_PANEL_LOW", "MIN_PANEL_MEDIUM", "MIN_PANEL_HIGH"],
    ["MIN_BAND_LOW", "MIN_BAND_MEDIUM", "MIN_BAND_HIGH"],
    ["MIN_CONFIDENCE_LOW", "MIN_CONFIDENCE_MEDIUM", "MIN_CONFIDENCE_HIGH"],
    ["MEDIUM_RISK_FROM", "HIGH_RISK_FROM"],
    ["MIN_REDUNDANCY_LOW", "MIN_REDUNDANCY_MEDIUM", "MIN_REDUNDANCY_HIGH"],
  ],
  /** Pairs that add up to 1000: setting one sets the other. */
  whole: [["BID_WEIGHT_QUALITY", "BID_WEIGHT_PRICE"]],
  /** Stake must stay locked at least as long as all of these together, each taken this many times. */
  outlasted: {
    by: "UNBONDING_PERIOD",
    times: { VERIFICATION_TIMEOUT: 2n, APPEAL_WINDOW_CRITICAL: 1n, WATCHDOG_MAX_FREEZE: 2n, MAX_HUMAN_REVIEW_TIMEOUT: 2n },
  },
} as const satisfies {
  readonly ascending: readonly (readonly ParameterName[])[];
  readonly whole: readonly (readonly [ParameterName, ParameterName])[];
  readonly outlasted: { readonly by: ParameterName; readonly times: Partial<Record<ParameterName, bigint>> };
};

/** The smallest `UNBONDING_PERIOD` allowed with these values. */
export function leastUnbonding(v: ParameterValues): bigint {
  const { times } = RELATIONS.outlasted;
  return PARAMETERS.reduce((sum, { name }) => sum + (name in times ? v[name] * times[name as keyof typeof times] : 0n), 0n);
}

/** Violations among these values, one sentence each; empty if there are none. */
export function parameterFaults(v: ParameterValues): string[] {
  const faults = PARAMETERS.filter((p) => v[p.name] < p.min || v[p.name] > p.max).map(
    (p) => `${p.name} = ${v[p.name]} is outside ${p.min}–${p.max}`,
  );
  for (const names of RELATIONS.ascending) {
    for (const [i, low] of names.entries()) {
      const high = names[i + 1];
      if (high && v[low] > v[high]) faults.push(`${low} = ${v[low]} exceeds ${high} = ${v[high]}`);
    }
  }
  for (const [one, other] of RELATIONS.whole) {
    if (v[one] + v[other] !== 1000n) faults.push(`${one} + ${other} = ${v[one] + v[other]}, not 1000`);
  }
  const longest = leastUnbonding(v);
  if (v.UNBONDING_PERIOD < longest) {
    faults.push(
      `UNBONDING_PERIOD = ${v.UNBONDING_PERIOD} is shorter than two draws, an appeal, a freeze, a stop and two reviews together (${longest})`,
    );
  }
  return faults;
}
