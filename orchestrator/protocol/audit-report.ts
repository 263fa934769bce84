import { z } from "zod";
import { readObjects } from "./read-access.ts";

const hex = z.string().regex(/^0x[0-9a-f]*$/i);

/** One thing that is not what it must be. */
export const auditFindingSchema = z.strictObject({
  /** Check that found it. */
  check: z.string(),
  /** File of the bundle it is about. */
  file: z.string(),
  /** What in that file: `ballot of P3`, `log entry 17`, `classify-2, slot 1`. */
  subject: z.string(),
  /** What is wrong, in words. */
  problem: z.string(),
});

const auditCheckSchema = z.strictObject({
  name: z.string(),
  /** What it verifies, in words. */
  what: z.string(),
  /** How many things held or did not. */
  verified: z.int().min(0),
  /** Files that parts of it need and that are withheld from this copy: those parts neither held nor failed. Absent: none. */
  withheld: z.int().positive().optional(),
  findings: z.array(auditFindingSchema),
});

/** What an audit of one mission's bundle found. Nothing in it depends on when or where the audit ran. */
export const auditReportSchema = z.strictObject({
  passed: z.boolean(),
  /** Null when the bundle could not be read so far. */
  mission: hex.nullable(),
  name: z.string().nullable(),
  /** Last block of the replayed chain: all else rests on it, so it is what to compare with another source. */
  head: z.strictObject({ number: z.int(), hash: hex }).nullable(),
  /** Root of the mission's records, as a runner anchored it. */
  root: hex.nullable(),
  /** What it rests on and could not check, in words. */
  trusts: z.array(z.string()),
  /** Of seats that were not in the operator's process; all empty where there were none. */
  elsewhere: z.strictObject({
    /** Answers whose senders signed nothing of them: `bid × 2: unsigned by 0x…`. */
    unsigned: z.array(z.string()),
    /** Who let what pass, and by which clock. */
    absent: z.array(z.string()),
    /** What rests on the operator's word alone. */
    word: z.array(z.string()),
  }),
  /** Files that are not in this copy of the bundle, by what they are: nobody checked here what they hold. Absent: it is whole. */
  withheld: z
    .array(z.strictObject({ of: z.enum(readObjects), files: z.int().positive() }))
    .min(1)
    .optional(),
  checks: z.array(auditCheckSchema),
});

export type AuditFinding = z.infer<typeof auditFindingSchema>;
export type AuditReport = z.infer<typeof auditReportSchema>;

/** Nothing to say of seats elsewhere. */
export const NOBODY_ELSEWHERE: AuditReport["elsewhere"] = { unsigned: [], absent: [], word: [] };
