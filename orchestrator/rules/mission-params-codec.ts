/** Twin of `contracts/libraries/MissionParamsCodec.sol`: one word of mission parameters (decision 3). */
import { RuleError } from "./rule-error.ts";
import { field, place } from "./words.ts";

/** Parameters that a clone enforces. */
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
  /** Version of the parameter table in which all other locked parameters are read. */
  readonly edition: number;
}

/** Name, first bit, width of the plain fields. */
const FIELDS = [
  ["verificationTimeout", 0, 17],
  ["maxHumanReviewTimeout", 17, 17],
  ["baseEscalationWindow", 34, 13],
  ["maxRefinementIterations", 47, 4],
  ["escalationFreezeCount", 51, 4],
  ["reputationScalingBonus", 56, 3],
  ["protocolFeeRate", 59, 10],
  ["insuranceReserveRate", 69, 9],
  ["reputationMultiplierAlpha", 78, 11],
  ["predicateGasLimit", 89, 20],
  ["edition", 215, 32],
] as const;
const SCALING = 55;
const APPEALS = { first: 109, bits: 16 };
const CONFIDENCE = { first: 173, bits: 14 };
const USED_BITS = 247n;

const tooLarge = (first: number) => (value: bigint) => new RuleError("ParamTooLarge", first, value);

/** Packs the word. Throws if a field exceeds its width. */
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

/** Unpacks a word. Throws if a spare bit is set. */
export function unpackMissionParams(word: bigint): MissionParams {
  if (word >> USED_BITS !== 0n) throw new RuleError("MalformedParams", word);
  const read = (first: number, bits: number): number => Number(field(word, first, bits));
  const appeal = (band: number): number => read(APPEALS.first + APPEALS.bits * band, APPEALS.bits);
  const confidence = (risk: number): number => read(CONFIDENCE.first + CONFIDENCE.bits * risk, CONFIDENCE.bits);
  return {
    verificationTimeout: read(0, 17),
    maxHumanReviewTimeout: read(17, 17),
    baseEscalationWindow: read(34, 13),
    maxRefinementIterations: read(47, 4),
    escalationFreezeCount: read(51, 4),
    reputationScaling: read(SCALING, 1) === 1,
    reputationScalingBonus: read(56, 3),
    protocolFeeRate: read(59, 10),
    insuranceReserveRate: read(69, 9),
    reputationMultiplierAlpha: read(78, 11),
    predicateGasLimit: read(89, 20),
    appealWindows: [appeal(0), appeal(1), appeal(2), appeal(3)],
    minConfidence: [confidence(0), confidence(1), confidence(2)],
    edition: read(215, 32),
  };
}
