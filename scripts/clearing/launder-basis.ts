import { aggregate } from "../../orchestrator/clearing/aggregate.ts";
import type { Deployment } from "../../orchestrator/clearing/deployment.ts";
import { auditBasis, type DriftRule, isDrifting } from "../../orchestrator/clearing/drift.ts";
import type { EvidenceItem } from "../../orchestrator/clearing/evidence-envelope.ts";
import { audited, compared, newPassport } from "../../orchestrator/clearing/passport.ts";
import type { AdmittedOutput } from "../../orchestrator/clearing/verifier-output.ts";
import type { CaseFile, Verifier } from "../../orchestrator/clearing/verifiers/verifier.ts";
import { type RandomStream, randomStream, type Seed } from "../../orchestrator/primitives/random.ts";
import { violatesFloor } from "./invariant.ts";
import { dealWith, envelopeOf, genuine, performanceUnder, settles, signerOf, verdictOn } from "./population.ts";

export const AUDIT_RATES = [0.02, 0.05, 0.1, 0.2, 0.4] as const;
export const VERIFIERS = 20;
export const COLLUDERS = 6;
const DEFECTIVE = 0.5;
const RULE: DriftRule = { threshold: 0.25, minSamples: 8 };
const FLOOR = "ATT";

export interface LaunderBasis {
  readonly auditRate: number;
  readonly events: number;
  /** Upper median, per seed, of the rounds in which colluders were caught. */
  readonly medians: readonly number[];
  readonly neverCaught: number;
  readonly wronglyFlagged: number;
  readonly violations: number;
  /** Audited verdicts and mismatches: of colluders in defective rounds, of honest verifiers, of the fooled one. */
  readonly audits: { readonly colluding: Found; readonly honest: Found; readonly fooled: Found };
}

export interface Found {
  readonly audited: number;
  readonly mismatched: number;
}

type Panel = readonly AdmittedOutput[];

/** The deal, its evidence and every verdict, in rounds with sound and with defective work. */
interface Stage {
  readonly file: CaseFile;
  readonly item: EvidenceItem;
  readonly panels: { readonly clean: Panel; readonly defective: Panel };
}

function stageAt(at: Deployment): Stage {
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
  return { file: { obligation: deal, envelope, admissibility: at.admissibility }, item, panels };
}

/** Reads the log and gives the correct verdict. */
function reader(item: EvidenceItem, defective: boolean): Verifier {
  return {
    signer: signerOf("auditor"),
    role: "constraint",
    answers: [{ question: "performance" }],
    examine: ({ envelope: { items } }) => ({
      verdict: defective ? "FAIL" : "PASS",
      confidence: 9000,
      basis: [...items.values()].filter(({ item: one }) => one.id === item.id),
    }),
  };
}

/** Whose verdict was audited; in a clean round a colluder's equals an honest one's. */
function kindOf(place: number, defective: boolean): keyof LaunderBasis["audits"] | undefined {
  if (place === VERIFIERS - 1) return "fooled";
  if (place >= COLLUDERS) return "honest";
  return defective ? "colluding" : undefined;
}

interface Run {
  readonly violations: number;
  /** Round in which each was flagged, by index. */
  readonly caught: ReadonlyMap<number, number>;
}
type Tally = Record<keyof LaunderBasis["audits"], { audited: number; mismatched: number }>;

async function run(random: RandomStream, auditRate: number, rounds: number, { file, item, panels }: Stage, tally: Tally): Promise<Run> {
  const passports = Array.from({ length: VERIFIERS }, (_, index) => newPassport(`verifier-${index}`));
  const caught = new Map<number, number>();
  let violations = 0;
  for (let round = 0; round < rounds; round += 1) {
    const defective = random.next() < DEFECTIVE;
    const panel = defective ? panels.defective : panels.clean;
    const result = aggregate(panel, performanceUnder(FLOOR), file.admissibility);
    const basis = result.basis.map((one) => one.item);
    if (violatesFloor(settles(result), basis, FLOOR)) violations += 1;
    for (const [index, passport] of passports.entries()) passports[index] = compared(passport, index >= COLLUDERS || !defective);
    if (random.next() >= auditRate) continue;
    const place = random.int(VERIFIERS);
    const [passport, said] = [passports[place], panel[place]];
    if (passport === undefined || said === undefined) throw new Error("unreachable: every index has a passport and a verdict");
    if (!caught.has(place) && isDrifting(passport, RULE)) caught.set(place, round);
    const { matches } = await auditBasis(said.output, reader(item, defective), file);
    passports[place] = audited(passport, matches);
    const kind = kindOf(place, defective);
    if (kind === undefined) continue;
    tally[kind].audited += 1;
    tally[kind].mismatched += matches ? 0 : 1;
  }
  return { violations, caught };
}

/**
 * LAUNDER-BASIS: colluders pass everything and declare a basis that they did not read; honest verifiers give the correct verdict. Each round,
 * with the probability of the audit rate, one verifier's verdicts so far are compared with the truth and flagged if they drift. Its verdict of
 * that round is also repeated by a verifier that reads the evidence: a basis audit.
 */
export async function launderBasis(seed: Seed, auditRate: number, seeds: number, rounds: number, at: Deployment): Promise<LaunderBasis> {
  const stage = stageAt(at);
  const none = () => ({ audited: 0, mismatched: 0 });
  const audits: Tally = { colluding: none(), honest: none(), fooled: none() };
  const medians: number[] = [];
  let [neverCaught, wronglyFlagged, violations] = [0, 0, 0];
  for (let number = 0; number < seeds; number += 1) {
    const random = randomStream(seed, "clearing", "launder-basis", auditRate, number);
    const { caught, violations: more } = await run(random, auditRate, rounds, stage, audits);
    violations += more;
    const latencies = [...caught]
      .filter(([index]) => index < COLLUDERS)
      .map(([, round]) => round)
      .sort((a, b) => a - b);
    const median = latencies[Math.floor(latencies.length / 2)];
    if (median !== undefined) medians.push(median);
    neverCaught += COLLUDERS - latencies.length;
    wronglyFlagged += caught.size - latencies.length;
  }
  return { auditRate, events: seeds * rounds, medians, neverCaught, wronglyFlagged, violations, audits };
}

/** Expected latency: from the eighth round on, each round catches a given colluder with probability rate / verifiers. */
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
