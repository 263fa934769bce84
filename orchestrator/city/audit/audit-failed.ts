import type { ReplayLimits } from "../../chain/replay-limits.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import type { AuditReport } from "../../protocol/audit-report.ts";

/** Replaying the bundle takes more than an audit may: nothing of it is verified, and nothing is said against it. */
export class AuditTooHeavy extends AgentCityError {
  /** @param what What took too much, e.g. "Executing this takes more than 600 s". */
  constructor(what: string, { gas, cpuSeconds, memoryMb, events }: ReplayLimits, cause: unknown) {
    super("AuditTooHeavy", `The audit was stopped, nothing is verified: ${what}`, {
      details: `chain.ndjson may take ${[
        `${gas.toLocaleString("en")} gas`,
        `${cpuSeconds} s of processor time`,
        `${memoryMb} MiB of memory`,
        `${events.logs.toLocaleString("en")} events`,
      ].join(", ")}; a block 2,048 MiB and 120 s`,
      action:
        "a city of many missions may need more: give --effort 4 for four times as much in all, if you trust its source with your machine; else do not rely on this bundle",
      cause,
    });
  }
}

const MAX_LISTED = 20;

/** A bundle is not what it claims to be. The report says which file and what in it, check by check. */
export class AuditFailed extends AgentCityError {
  readonly report: AuditReport;

  constructor(report: AuditReport) {
    const findings = report.checks.flatMap((check) => check.findings);
    const lines = findings.slice(0, MAX_LISTED).map(({ check, file, subject, problem }) => `${check}: ${file}: ${subject}: ${problem}`);
    if (findings.length > MAX_LISTED) lines.push(`… and ${findings.length - MAX_LISTED} more`);
    super("AuditFailed", `The audit failed: ${findings.length} ${findings.length === 1 ? "check" : "checks"} failed`, {
      details: lines.join("\n"),
      action: "do not rely on this bundle; get it again from its source, and compare the chain's last block with another witness",
    });
    this.report = report;
  }
}
