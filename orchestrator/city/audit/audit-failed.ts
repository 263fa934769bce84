import { AgentCityError } from "../../primitives/errors.ts";
import type { AuditReport } from "../../protocol/audit-report.ts";

const MOST_LISTED = 20;

/** A bundle is not what it claims to be. The report says which file and what in it, check by check. */
export class AuditFailed extends AgentCityError {
  readonly report: AuditReport;

  constructor(report: AuditReport) {
    const findings = report.checks.flatMap((check) => check.findings);
    const lines = findings.slice(0, MOST_LISTED).map(({ check, file, subject, problem }) => `${check}: ${file}: ${subject}: ${problem}`);
    if (findings.length > MOST_LISTED) lines.push(`… and ${findings.length - MOST_LISTED} more`);
    super("AuditFailed", `The audit failed: ${findings.length} ${findings.length === 1 ? "check" : "checks"} failed`, {
      details: lines.join("\n"),
      action: "do not rely on this bundle; get it again from its source, and compare the chain's last block with another witness",
    });
    this.report = report;
  }
}
