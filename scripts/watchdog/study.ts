import { join } from "node:path";
import { z } from "zod";
import { PROTOTYPE } from "../../orchestrator/protocol/parameters.ts";
import { root } from "../dev/files.ts";
import { alertProbability, PAPER_TABLE, paperAlert, paperFreeze } from "./false-alarms.ts";

export const WATCHDOG_FILE = join(root, "bench", "watchdog.json");

const rowSchema = z.strictObject({
  seed: z.string(),
  adjudicators: z.int().positive(),
  decisions: z.int().positive(),
  baseline: z.number(),
  alerts: z.int().nonnegative(),
  freezes: z.int().nonnegative(),
});
export const studySchema = z.array(rowSchema);
type WatchdogStudy = z.infer<typeof studySchema>;

/** Initial parameters of a city (parameters.md). */
export const LIMITS = {
  window: PROTOTYPE.WATCHDOG_WINDOW_DAYS,
  rate: PROTOTYPE.WATCHDOG_MAX_APPROVAL_RATE,
  consecutive: PROTOTYPE.WATCHDOG_MAX_CONSECUTIVE,
  weakenings: PROTOTYPE.WATCHDOG_WEAKENING_LIMIT,
};

const percent = (share: number): string => (share > 0 && share < 0.00001 ? "<0.001" : (100 * share).toPrecision(3));
/** A share of the samples, with two standard errors. */
function measured(hits: number, of: number): string {
  const share = hits / of;
  return `${percent(share)} ± ${percent(2 * Math.sqrt((share * (1 - share)) / of))}`;
}

export const HEADINGS = [
  "baseline",
  "alert: paper",
  "p²⁰",
  "contract",
  "exact, 40",
  "exact, 60",
  "freeze: paper",
  "p⁴⁰",
  "contract",
] as const;

/** One line per baseline, percent. The paper and the runs on the contract have twenty decisions per window. */
export function watchdogRows(study: WatchdogStudy): string[][] {
  return study.map(({ baseline, adjudicators, alerts, freezes }) => {
    const paper = PAPER_TABLE.find((row) => row.baseline === baseline);
    return [
      baseline.toFixed(2),
      String(paper?.alert ?? ""),
      percent(paperAlert(baseline)),
      measured(alerts, adjudicators),
      percent(alertProbability(baseline, 40, LIMITS)),
      percent(alertProbability(baseline, 60, LIMITS)),
      String(paper?.freeze ?? "<0.001"),
      percent(paperFreeze(baseline)),
      measured(freezes, adjudicators),
    ];
  });
}
