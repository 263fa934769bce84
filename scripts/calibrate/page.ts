import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Calibration, calibrationSchema } from "../../orchestrator/execution/guardian/calibrate.ts";
import { root } from "../dev/files.ts";
import { MADE, table } from "../dev/markdown.ts";

/** Last result of `npm run calibrate -- --write`. */
export const CALIBRATION_FILE = join(root, "bench/calibration.json");

const SIGNIFICANCE = 0.05;
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const figure = (value: number): string => value.toFixed(2);

/** The result as Markdown tables, for the command and the page. */
export function calibrationTables(calibration: Calibration): string {
  const { scorers, seed, threshold, honest, spread, falsePositives, percentile, manipulated, traces } = calibration;
  const { first: one, second: two } = scorers;
  return [
    `Scorers ${one} and ${two}, seed ${seed}, threshold ${figure(threshold / 100)} σ, ${honest} honest outputs of ${traces.length} traces.\n\n`,
    "## Scores of honest work\n\n",
    table(
      ["scorer", "mean", "deviation", "skewness", "kurtosis", "Jarque–Bera", "p", "normal", "97.72nd percentile", "honest above threshold"],
      spread.map((each) => [
        each.scorer,
        figure(each.mean),
        figure(each.deviation),
        figure(each.skewness),
        figure(each.kurtosis),
        figure(each.jarqueBera),
        String(each.p),
        each.p < SIGNIFICANCE ? "rejected" : "not rejected",
        figure(each.percentile),
        percent(each.falsePositives),
      ]),
    ),
    `\nCorrelation of the two: ${figure(calibration.correlation)}. Both above the threshold, so that honest work freezes: **${percent(falsePositives)}** `,
    `(2.3 % if scores were normal). 97.72nd percentile of the lower score: ${figure(percentile)}.\n\n`,
    "## Manipulated outputs that pass\n\n",
    table(
      ["manipulation", "description", "outputs", `pass ${one}`, `pass ${two}`, "pass the Guardian", "pass at the percentile"],
      manipulated.map((each) => [
        `\`${each.name}\``,
        each.what,
        String(each.count),
        percent(each.missed.first),
        percent(each.missed.second),
        `**${percent(each.missedByBoth)}**`,
        percent(each.missedAtPercentile),
      ]),
    ),
    "\n## By trace\n\n",
    table(
      ["trace", "honest outputs", "honest that freeze", "manipulated that pass"],
      traces.map((each) => [each.name, String(each.honest), percent(each.falsePositives), percent(each.missedByBoth)]),
    ),
  ].join("");
}

/** `docs/calibration.md`. */
export function calibrationPage(): string {
  const calibration = calibrationSchema.parse(JSON.parse(readFileSync(CALIBRATION_FILE, "utf8")));
  return [
    MADE("bench/calibration.json, which `npm run calibrate -- --write` writes"),
    "\n# How good the Guardian's scorers are\n\n",
    "    npm run calibrate -- --scorers char-ngrams,word-projection --seed 7\n\n",
    "Honest traces are real outputs of the bundled services over random parts of real inputs: installed packages, undici's manuals,\n",
    "OpenZeppelin's contracts, the sample estimates. Each output is scored against the preceding window, as in a mission; then each is manipulated\n",
    "in ten ways and scored again. The threshold is the constitution's; nothing was fitted to this set. `--scorers` takes any two of\n",
    "[scorers.ts](../orchestrator/execution/guardian/scorers.ts).\n\n",
    calibrationTables(calibration),
  ].join("");
}
