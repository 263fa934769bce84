import { floorByValue } from "../../orchestrator/clearing/exposure.ts";
import { randomStream, type Seed } from "../../orchestrator/primitives/random.ts";
import { satisfies } from "./invariant.ts";
import { classSettles } from "./population.ts";
import type { Report, Row } from "./report.ts";

const OBLIGATIONS = 20_000;
const SEEDS = 51;
const [LEAST, MOST] = [1, 100_000];
const DEFECTIVE = 0.1;
/** Floors by value; agents submit self-signed evidence. */
const STEPS = [
  [10, "SELF"],
  [100, "SIGN"],
  [1000, "ATT"],
] as const;
const EVIDENCE = "SIGN";

interface Population {
  readonly throughput: number;
  readonly fixedFloorThroughput: number;
  readonly escalatedDollars: number;
  readonly reduction: number;
  readonly violations: number;
}

/** RAILS 11.6: obligations of $1–$100,000, log-uniform, a tenth of them defective, all with evidence signed by the agent. */
export function exposure(seed: Seed): Report {
  const runs = Array.from({ length: SEEDS }, (_, run) => population(seed, run));
  const violations = runs.reduce((sum, run) => sum + run.violations, 0);
  // log-uniform: P(v < x) = ln x / ln 100,000, and dollars below x are (x − 1) / (100,000 − 1).
  const throughput = Math.log(100) / Math.log(MOST / LEAST);
  const escalated = (MOST - 100) / (MOST - LEAST);
  const reduction = (MOST - LEAST) / (100 - LEAST);
  return {
    title: `RAILS 11.6: floor by exposure, ${SEEDS} seeds of ${OBLIGATIONS.toLocaleString("en-US")} obligations`,
    rows: [
      row(
        "throughput under the exposure's floor",
        "40.7 %",
        throughput,
        0.407,
        runs.map((run) => run.throughput),
        percent,
      ),
      row(
        "throughput under a fixed ATT floor",
        "0 %",
        0,
        0,
        runs.map((run) => run.fixedFloorThroughput),
        percent,
      ),
      row(
        "dollars escalated to ATT or above",
        "99.9 %",
        escalated,
        0.999,
        runs.map((run) => run.escalatedDollars),
        percent,
      ),
      row(
        "residual defective exposure, reduction against a permissive judge",
        "roughly 940×",
        reduction,
        940,
        runs.map((run) => run.reduction),
        times,
      ),
      {
        figure: "floor violations in every regime",
        paper: "0",
        ours: String(violations),
        verdict: violations === 0 ? "reproduced" : "NOT REPRODUCED",
      },
    ],
    notes: ["The paper prints one seed; its definitions give 40.0 % and 1,010×."],
    data: { obligations: OBLIGATIONS, seeds: SEEDS, violations, closed_form: { throughput, escalated, reduction }, runs },
  };
}

function population(seed: Seed, run: number): Population {
  const random = randomStream(seed, "clearing", "exposure", run);
  let [cleared, fixed, dollars, escalated, judged, residual, violations] = [0, 0, 0, 0, 0, 0, 0];
  for (let index = 0; index < OBLIGATIONS; index += 1) {
    const value = LEAST * (MOST / LEAST) ** random.next();
    const defective = random.next() < DEFECTIVE;
    const floor = floorByValue(value, STEPS, "PROOF");
    const settles = classSettles(EVIDENCE, floor);
    dollars += value;
    if (floor === "ATT" || floor === "PROOF") escalated += value;
    if (settles) cleared += 1;
    if (classSettles(EVIDENCE, "ATT")) fixed += 1;
    if (settles && !satisfies(EVIDENCE, floor)) violations += 1;
    // A permissive judge clears everything.
    if (defective) judged += value;
    if (defective && settles) residual += value;
  }
  return {
    throughput: cleared / OBLIGATIONS,
    fixedFloorThroughput: fixed / OBLIGATIONS,
    escalatedDollars: escalated / dollars,
    reduction: judged / residual,
    violations,
  };
}

/** Ours agrees if the mean over seeds matches the closed form within sampling error; the paper's agrees if it is a plausible single seed. */
function row(
  figure: string,
  paper: string,
  exact: number,
  paperValue: number,
  values: readonly number[],
  show: (value: number) => string,
): Row {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
  const sigmas = deviation === 0 ? 0 : (paperValue - exact) / deviation;
  // A ratio of sums is slightly skewed, and the paper rounds: allow half a unit of its last digit.
  const oursAgrees = Math.abs(mean - exact) <= (4 * deviation) / Math.sqrt(values.length) + 0.005 * exact;
  const paperAgrees = deviation === 0 ? paperValue === exact : Math.abs(sigmas) <= 3;
  return {
    figure,
    paper,
    closedForm: show(exact),
    ours: `${show(at(0.5))} (5–95 %: ${show(at(0.05))}–${show(at(0.95))})`,
    verdict: oursAgrees && paperAgrees ? "reproduced" : "NOT REPRODUCED",
    ...(Math.abs(sigmas) < 1
      ? {}
      : { note: `the paper's figure is ${sigmas.toFixed(1)} single-seed standard deviations from the closed form.` }),
  };
}

const percent = (value: number) => `${(100 * value).toFixed(value > 0.99 ? 2 : 1)} %`;
const times = (value: number) => `${Math.round(value).toLocaleString("en-US")}×`;
