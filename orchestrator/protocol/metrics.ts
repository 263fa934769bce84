import { z } from "zod";

/** An exact fraction. `whole` is 0 if there was nothing to measure. */
export const shareSchema = z.strictObject({ part: z.int().min(0), whole: z.int().min(0) });
export type Share = z.infer<typeof shareSchema>;

/** Metrics of a session. `legislature/metrics.ts` computes them. */
export const metricsSchema = z.strictObject({
  /** Ballots of producers. */
  turnout: shareSchema,
  /** Legislative Participation Rate: producers that took part in any way. */
  lpr: shareSchema,
  /** Deliberation Shift Index: pairs of candidates whose order changed in voters' rankings. */
  dsi: shareSchema,
  /** Minority Survival Rate: dissenting proposals on the ballot with more than a tenth of the first places. */
  msr: shareSchema,
  /** Policy Validation Rejection Rate: winners that the constitution rejected. */
  pvrr: shareSchema,
  /** Codification Fidelity Rate: validated laws that were codified as voted. */
  cfr: shareSchema,
  /** Deployment Verification Rate: codified laws that were deployed without another session. */
  dvr: shareSchema,
});
export type Metrics = z.infer<typeof metricsSchema>;

/** Metrics of the execution of an order. `execution/metrics.ts` computes them. */
export const executionMetricsSchema = z.strictObject({
  /** Commit Compliance Rate: executors of routed attempts that committed. */
  ccr: shareSchema,
  /** Guard Anomaly Rate: worked attempts whose output deviated. */
  gar: shareSchema,
  /** Gate Rejection Rate: rejected attempts among those that a gate examined. */
  grr: shareSchema,
  /** Adaptive Refinement Utilization: failed nodes that a further attempt, or a further law, completed. */
  aru: shareSchema,
});
export type ExecutionMetrics = z.infer<typeof executionMetricsSchema>;
