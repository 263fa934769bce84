/** Twin of `contracts/libraries/MissionParamsCodec.sol`: one word of mission parameters (decision 3). */
import { RuleError } from "./rule-error.ts";
import { field, place } from "./words.ts";

/** What a clone enforces of the parameter table. */
export interface MissionParams {
  /** Seconds. */
  readonly verificationTimeout: number;
  /** Seconds. */
  readonly maxHumanReviewTimeout: number;
  /** Seconds. */
  readonly baseEscalationWindow: number;
  readonly maxRefinementIterations: number;
  readonly escalationFreezeCount: number;
  readonly reputationScaling: boolean;
  readonly reputationScalingBonus: number;
  /** Basis points. */
  readonly protocolFeeRate: number;
  /** Basis points. */
  readonly insuranceReserveRate: number;
  /** × 1000. */
  readonly reputationMultiplierAlpha: number;
  readonly predicateGasLimit: number;
  /** Minutes, by band. */
  readonly appealWindows: readonly [number, number, number, number];
  /** Basis points, by risk. */
  readonly minConfidence: readonly [number, number, number];
}

/** Name, first bit, width of the plain fields. */
const FIELDS = [
  ["verificationTimeout", 0, 20],
  ["maxHumanReviewTimeout", 20, 20],
  ["baseEscalationWindow", 40, 16],
  ["maxRefinementIterations", 56, 8],
  ["escalationFreezeCount", 64, 8],
  ["reputationScalingBonus", 73, 3],
  ["protocolFeeRate", 76, 14],
  ["insuranceReserveRate", 90, 14],
  ["reputationMultiplierAlpha", 104, 14],
  ["predicateGasLimit", 118, 24],
] as const;
const SCALING = 72;
const APPEALS = { first: 142, bits: 16 };
const CONFIDENCE = { first: 206, bits: 14 };
const USED_BITS = 248n;

const tooLarge = (first: number) => (value: bigint) => new RuleError("ParamTooLarge", first, value);

/** The word; a field beyond its width is refused. */
export function packMissionParams(p: MissionParams): bigint {
  let word = p.reputationScaling ? 1n << BigInt(SCALING) : 0n;
  for (const [name, first, bits] of FIELDS) word |= place(p[name], first, bits, tooLarge(first));
  for (const [list, { first, bits }] of [
    [p.appealWindows, APPEALS],
    [p.minConfidence, CONFIDENCE],
  ] as const) {
    list.forEach((value, k) => {
      word |= place(value, first + bits * k, bits, tooLarge(first + bits * k));
    });
  }
  return word;
}

/** The parameters of a word; a word with a spare bit set is refused. */
export function unpackMissionParams(word: bigint): MissionParams {
  if (word >> USED_BITS !== 0n) throw new RuleError("MalformedParams", word);
  const read = (first: number, bits: number): number => Number(field(word, first, bits));
  const appeal = (band: number): number => read(APPEALS.first + APPEALS.bits * band, APPEALS.bits);
  const confidence = (risk: number): number => read(CONFIDENCE.first + CONFIDENCE.bits * risk, CONFIDENCE.bits);
  return {
    verificationTimeout: read(0, 20),
    maxHumanReviewTimeout: read(20, 20),
    baseEscalationWindow: read(40, 16),
    maxRefinementIterations: read(56, 8),
    escalationFreezeCount: read(64, 8),
    reputationScaling: read(SCALING, 1) === 1,
    reputationScalingBonus: read(73, 3),
    protocolFeeRate: read(76, 14),
    insuranceReserveRate: read(90, 14),
    reputationMultiplierAlpha: read(104, 14),
    predicateGasLimit: read(118, 24),
    appealWindows: [appeal(0), appeal(1), appeal(2), appeal(3)],
    minConfidence: [confidence(0), confidence(1), confidence(2)],
  };
}
