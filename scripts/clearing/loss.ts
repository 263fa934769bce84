import { randomStream, type Seed } from "../../orchestrator/primitives/random.ts";
import { bareReportSettles } from "./population.ts";
import type { Report, Row } from "./report.ts";

const SETTLEMENTS = 10_000;
const LOSS = 200;
/** Mistral Large on the inadmissible-evidence slice (RAILS 11.3). */
const FALSE_CLEAR = 0.867;
const RATES = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2] as const;
const PAPER: Readonly<Record<number, string>> = { 0.005: "about $8,700", 0.2: "about $347,000" };
const RUNS = 101;

/** RAILS 11.8: dollars of defective work that a permissive judge clears per 10,000 settlements, at $200 each, and what the floor clears. */
export function loss(seed: Seed): Report {
  const rows = RATES.map((rate): Row => {
    const runs = Array.from({ length: RUNS }, (_, run) => simulated(seed, rate, run)).sort((a, b) => a.judge - b.judge);
    const expected = SETTLEMENTS * rate * FALSE_CLEAR * LOSS;
    const [low, mid, high] = [0.05, 0.5, 0.95].map((share) => runs[Math.floor(share * (RUNS - 1))]?.judge ?? 0);
    const governed = runs.reduce((sum, run) => sum + run.rails, 0);
    const holds = governed === 0 && low !== undefined && high !== undefined && low <= expected && expected <= high;
    return {
      figure: `defect rate ${(100 * rate).toFixed(1)} %: judge / RAILS`,
      paper: PAPER[rate] === undefined ? "(figure only) / $0" : `${PAPER[rate]} / $0`,
      closedForm: `${dollars(expected)} / $0`,
      ours: `${dollars(mid ?? 0)} (5–95 %: ${dollars(low ?? 0)}–${dollars(high ?? 0)}) / ${dollars(governed)}`,
      verdict: holds ? "reproduced" : "NOT REPRODUCED",
    };
  });
  return {
    title: "RAILS 11.8: cleared-but-defective exposure per 10,000 settlements",
    rows,
    notes: [
      `Closed form: 10,000 × rate × ${FALSE_CLEAR} × $200. Ours: ${RUNS} seeded runs; in each, every defective settlement is put before Γ with a bare self-report under an ATT floor.`,
      `The judge's ${100 * FALSE_CLEAR} % is the paper's measurement of Mistral Large, taken as given: no model is called here.`,
    ],
    data: { settlements: SETTLEMENTS, false_clear_rate: FALSE_CLEAR, loss_per_defective: LOSS, runs: RUNS },
  };
}

function simulated(seed: Seed, rate: number, run: number): { judge: number; rails: number } {
  const random = randomStream(seed, "clearing", "loss", rate * 1000, run);
  // A binomial draw over the settlements: which are defective, and which of those the judge passes.
  let [judge, rails] = [0, 0];
  for (let left = SETTLEMENTS; left > 0; left -= 1) {
    const draw = random.next();
    if (draw >= rate) continue;
    if (draw < rate * FALSE_CLEAR) judge += LOSS;
    if (bareReportSettles("ATT")) rails += LOSS;
  }
  return { judge, rails };
}

function dollars(amount: number): string {
  return `$${Math.round(amount).toLocaleString("en-US")}`;
}
