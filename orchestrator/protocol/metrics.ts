import { z } from "zod";

/** An exact fraction; `whole` 0: there was nothing to measure. */
export const shareSchema = z.strictObject({ part: z.int().min(0), whole: z.int().min(0) });
export type Share = z.infer<typeof shareSchema>;

/** What a session was like. How each is computed: `legislature/metrics.ts`. */
export const metricsSchema = z.strictObject({
  /** Ballots of producers. */
  turnout: shareSchema,
  /** Legislative Participation Rate: producers that took part in any way. */
  lpr: shareSchema,
  /** Deliberation Shift Index: pairs of candidates that changed places in voters' rankings. */
  dsi: shareSchema,
  /** Minority Survival Rate: dissenting proposals that were on the ballot with more than a tenth of the first places. */
  msr: shareSchema,
  /** Policy Validation Rejection Rate: winners that the constitution refused. */
  pvrr: shareSchema,
  /** Codification Fidelity Rate: validated laws that were codified as they were voted. */
  cfr: shareSchema,
  /** Deployment Verification Rate: codified laws that were deployed without another session. */
  dvr: shareSchema,
});
export type Metrics = z.infer<typeof metricsSchema>;

/** What the execution of an order was like. How each is computed: `execution/metrics.ts`. */
export const executionMetricsSchema = z.strictObject({
  /** Commit Compliance Rate: executors of routed attempts that committed. */
  ccr: shareSchema,
  /** Guard Anomaly Rate: worked attempts whose output deviated. */
  gar: shareSchema,
  /** Gate Rejection Rate: attempts kept back, of those whose gate spoke. */
  grr: shareSchema,
  /** Adaptive Refinement Utilization: failed nodes that another attempt, or another law, completed. */
  aru: shareSchema,
});
export type ExecutionMetrics = z.infer<typeof executionMetricsSchema>;
