/**
 * How often the watchdog flags an honest adjudicator who approves each case with the same probability (AgentCity B.12, watchdog
 * liveness). Exact, from the same rules as the contract.
 */
import { approvesTooMuch, type ConductLimits } from "../../orchestrator/rules/conduct-record.ts";

/** The paper's model: an alert is a run of twenty approvals, nothing else. */
export const RUN = 20;
export const paperAlert = (baseline: number): number => baseline ** RUN;
/** Its bound on a freeze: two alerts of the same adjudicator, independent. */
export const paperFreeze = (baseline: number): number => baseline ** (2 * RUN);

/** The paper's table: baseline, P(alert) per adjudicator and 30 days, P(freeze); percent, undefined where it says "<0.001". */
export const PAPER_TABLE: readonly { readonly baseline: number; readonly alert: number; readonly freeze: number | undefined }[] = [
  { baseline: 0.7, alert: 0.046, freeze: undefined },
  { baseline: 0.75, alert: 0.266, freeze: undefined },
  { baseline: 0.8, alert: 1.15, freeze: undefined },
  { baseline: 0.85, alert: 3.88, freeze: 0.001 },
  { baseline: 0.9, alert: 10.6, freeze: 0.044 },
  { baseline: 0.95, alert: 24.4, freeze: 1.44 },
];

/**
 * The probability that `decisions` cases lead to a warning at any time in one window. States are (approvals, consecutive approvals): the
 * rules depend on nothing else while no day leaves the window.
 */
export function alertProbability(baseline: number, decisions: number, limits: ConductLimits): number {
  let calm = new Map<string, { approvals: number; run: number; chance: number }>([["0/0", { approvals: 0, run: 0, chance: 1 }]]);
  let alert = 0;
  for (let done = 1; done <= decisions; done++) {
    const next: typeof calm = new Map();
    for (const { approvals, run, chance } of calm.values()) {
      for (const [state, share] of [
        [{ approvals: approvals + 1, run: run + 1 }, baseline],
        [{ approvals, run: 0 }, 1 - baseline],
      ] as const) {
        const tally = { approvals: BigInt(state.approvals), decisions: BigInt(done), weakenings: 0n };
        if (approvesTooMuch(tally, BigInt(state.run), limits)) {
          alert += chance * share;
          continue;
        }
        const key = `${state.approvals}/${state.run}`;
        next.set(key, { ...state, chance: (next.get(key)?.chance ?? 0) + chance * share });
      }
    }
    calm = next;
  }
  return alert;
}
