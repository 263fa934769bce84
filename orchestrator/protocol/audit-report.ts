import { z } from "zod";
import { readObjects } from "./read-access.ts";

const hex = z.string().regex(/^0x[0-9a-f]*$/i);

/** One violation found by an audit. */
const auditFindingSchema = z.strictObject({
  /** Check that found it. */
  check: z.string(),
  /** File of the bundle in which it was found. */
  file: z.string(),
  /** Subject within that file: `ballot of P3`, `log entry 17`, `classify-2, slot 1`. */
  subject: z.string(),
  /** Description of the violation. */
  problem: z.string(),
});

const auditCheckSchema = z.strictObject({
  name: z.string(),
  /** Description of what is verified. */
  what: z.string(),
  /** Number of verified facts, whether they held or not. */
  verified: z.int().min(0),
  /** Number of files needed for parts of this check but withheld from this copy; those parts neither held nor failed. Absent: none. */
  withheld: z.int().positive().optional(),
  findings: z.array(auditFindingSchema),
});

/** Result of auditing one mission's bundle. Independent of when and where the audit ran. */
export const auditReportSchema = z.strictObject({
  passed: z.boolean(),
  /** Null if the bundle could not be read that far. */
  mission: hex.nullable(),
  name: z.string().nullable(),
  /** Last block of the replayed chain. Everything else rests on it, so it is the hash to compare with another source. */
  head: z.strictObject({ number: z.int(), hash: hex }).nullable(),
  /** Root of the mission's records, as anchored by a runner. */
  root: hex.nullable(),
  /** Assumptions that the audit could not check. */
  trusts: z.array(z.string()),
  /** About external seats, outside the operator's process; all empty if there were none. */
  elsewhere: z.strictObject({
    /** Answers that carry no signature of their sender: `bid × 2: unsigned by 0x…`. */
    unsigned: z.array(z.string()),
    /** Which seats did not answer what, and by which clock. */
    absent: z.array(z.string()),
    /** Facts for which there is only the operator's word. */
    word: z.array(z.string()),
  }),
  /** Files missing from this copy of the bundle, by kind; their content was not checked. Absent: the copy is complete. */
  withheld: z
    .array(z.strictObject({ of: z.enum(readObjects), files: z.int().positive() }))
    .min(1)
    .optional(),
  checks: z.array(auditCheckSchema),
});

export type AuditFinding = z.infer<typeof auditFindingSchema>;
export type AuditReport = z.infer<typeof auditReportSchema>;

/** The report on external seats if there were none. */
export const NOBODY_ELSEWHERE: AuditReport["elsewhere"] = { unsigned: [], absent: [], word: [] };
