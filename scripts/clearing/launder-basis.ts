import { aggregate } from "../../orchestrator/clearing/aggregate.ts";
import type { Deployment } from "../../orchestrator/clearing/deployment.ts";
import { type DriftRule, isDrifting } from "../../orchestrator/clearing/drift.ts";
import { compared, newPassport } from "../../orchestrator/clearing/passport.ts";
import { randomStream, type Seed } from "../../orchestrator/primitives/random.ts";
import { violatesFloor } from "./invariant.ts";
import { dealWith, envelopeOf, genuine, performanceUnder, settles, verdictOn } from "./population.ts";

export const AUDIT_RATES = [0.02, 0.05, 0.1, 0.2, 0.4] as const;
export const VERIFIERS = 20;
export const COLLUDERS = 6;
const DEFECTIVE = 0.5;
const RULE: DriftRule = { threshold: 0.25, minSamples: 8 };
const FLOOR = "ATT";

export interface LaunderBasis {
  readonly auditRate: number;
  readonly events: number;
  /** Per seed, the upper median of the rounds in which its colluders were caught. */
  readonly medians: readonly number[];
  readonly neverCaught: number;
  readonly wronglyFlagged: number;
  readonly violations: number;
}

/**
 * LAUNDER-BASIS: colluders pass everything on a basis that they declare and did not read; honest verifiers find the truth. Each round,
 * with the audit rate's probability, one verifier's verdicts so far are compared with the truth and flagged when they drift.
 */
export function launderBasis(seed: Seed, auditRate: number, seeds: number, rounds: number, at: Deployment): LaunderBasis {
  const deal = dealWith(FLOOR, at);
  const item = genuine(deal, "log", FLOOR);
  const word = genuine(deal, "word", "SELF");
  const envelope = envelopeOf(deal, [item, word], at);
  const verdicts = (verdict: "PASS" | "FAIL") =>
    Array.from({ length: VERIFIERS }, (_, index) => verdictOn(deal, envelope, [item], at, index, verdict));
  const [passes, fails] = [verdicts("PASS"), verdicts("FAIL")];
  const fooled = verdictOn(deal, envelope, [item, word], at, VERIFIERS - 1);
  const panels = {
    clean: [...passes.slice(0, -1), fooled],
    defective: [...passes.slice(0, COLLUDERS), ...fails.slice(COLLUDERS, -1), fooled],
  };
  const medians: number[] = [];
  let [neverCaught, wronglyFlagged, violations] = [0, 0, 0];
  for (let run = 0; run < seeds; run += 1) {
    const random = randomStream(seed, "clearing", "launder-basis", auditRate, run);
    const passports = Array.from({ length: VERIFIERS }, (_, index) => newPassport(`verifier-${index}`));
    const caught = new Map<number, number>();
    for (let round = 0; round < rounds; round += 1) {
      const defective = random.next() < DEFECTIVE;
      const result = aggregate(defective ? panels.defective : panels.clean, performanceUnder(FLOOR), at.admissibility);
      if (
        violatesFloor(
          settles(result),
          result.basis.map((one) => one.item),
          FLOOR,
        )
      )
        violations += 1;
      for (const [index, passport] of passports.entries()) passports[index] = compared(passport, index >= COLLUDERS || !defective);
      if (random.next() >= auditRate) continue;
      const audited = random.int(VERIFIERS);
      const passport = passports[audited];
      if (passport !== undefined && !caught.has(audited) && isDrifting(passport, RULE)) caught.set(audited, round);
    }
    const latencies = [...caught]
      .filter(([index]) => index < COLLUDERS)
      .map(([, round]) => round)
      .sort((a, b) => a - b);
    const median = latencies[Math.floor(latencies.length / 2)];
    if (median !== undefined) medians.push(median);
    neverCaught += COLLUDERS - latencies.length;
    wronglyFlagged += caught.size - latencies.length;
  }
  return { auditRate, events: seeds * rounds, medians, neverCaught, wronglyFlagged, violations };
}

/** What chance gives: each round catches a given colluder with probability rate / verifiers, from the eighth on. */
export function expectation(
  auditRate: number,
  seeds: number,
  rounds: number,
): { median: number; low: number; high: number; neverCaught: number } {
  const p = auditRate / VERIFIERS;
  const reach = (round: number) => 1 - (1 - p) ** Math.max(0, round - RULE.minSamples + 2);
  const all = reach(rounds - 1);
  /** P(a seed's upper median ≤ round): the (⌊k/2⌋ + 1)-th of the k colluders that are caught at all. */
  const seedMedian = (round: number) => {
    let [sum, some] = [0, 0];
    for (let k = 1; k <= COLLUDERS; k += 1) {
      const weight = binomial(COLLUDERS, k, all);
      some += weight;
      sum += weight * atLeast(k, Math.floor(k / 2) + 1, reach(round) / all);
    }
    return sum / some;
  };
  const ofSeeds = (share: number) => {
    for (let round = 0; round < rounds; round += 1) if (atLeast(seeds, Math.floor(seeds / 2) + 1, seedMedian(round)) >= share) return round;
    return rounds;
  };
  return { median: ofSeeds(0.5), low: ofSeeds(0.0005), high: ofSeeds(0.9995), neverCaught: seeds * COLLUDERS * (1 - all) };
}

function atLeast(n: number, k: number, p: number): number {
  let sum = 0;
  for (let i = k; i <= n; i += 1) sum += binomial(n, i, p);
  return sum;
}

function binomial(n: number, k: number, p: number): number {
  let ways = 1;
  for (let i = 0; i < k; i += 1) ways = (ways * (n - i)) / (i + 1);
  return ways * p ** k * (1 - p) ** (n - k);
}
