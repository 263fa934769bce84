import { grouped } from "../../primitives/amounts.ts";
import type { AuditReport } from "../../protocol/audit-report.ts";

/** `ROOTS 412 ✓`, one line per check, findings below theirs. Plain text, the same every time. */
export function renderAudit(report: AuditReport): string {
  const width = Math.max(...report.checks.map(({ name }) => name.length));
  const digits = Math.max(...report.checks.map(({ verified }) => String(verified).length));
  const lines = report.checks.flatMap(({ name, what, verified, withheld = 0, findings }) => [
    `${name.padEnd(width)}  ${String(verified).padStart(digits)} ${findings.length > 0 ? "✗" : withheld > 0 ? "·" : "✓"}  ${what}`,
    ...(withheld === 0 ? [] : [`${" ".repeat(width)}  in part: it needs ${grouped(withheld)} files that are withheld`]),
    ...findings.map(({ file, subject, problem }) => `${" ".repeat(width)}  ${file}: ${subject}: ${problem}`),
  ]);
  const count = report.checks.reduce((sum, { verified }) => sum + verified, 0);
  const bad = report.checks.reduce((sum, { findings }) => sum + findings.length, 0);
  if (report.head !== null) lines.push(`last block ${report.head.number} ${report.head.hash}`);
  if (report.root !== null) lines.push(`records' root ${report.root}`);
  for (const trust of report.trusts) lines.push(`trusts ${trust}`);
  const { unsigned, absent, word } = report.elsewhere;
  if (word.length > 0 || absent.length > 0) lines.push("seats elsewhere");
  for (const line of unsigned) lines.push(`  ${line}`);
  for (const line of absent) lines.push(`  absent: ${line}`);
  for (const line of word) lines.push(`  on the operator's word alone: ${line}`);
  const gone = (report.withheld ?? []).reduce((sum, { files }) => sum + files, 0);
  if (gone > 0) {
    const kinds = (report.withheld ?? []).map(({ of, files }) => `${grouped(files)} ${of}`).join(", ");
    lines.push(`${grouped(gone)} blocks withheld (${kinds}): nothing here says whether they are right`);
  }
  lines.push(
    report.passed
      ? `PASSED${gone > 0 ? " as far as it can be seen" : ""}: ${grouped(count)} checks`
      : `FAILED: ${grouped(bad)} of ${grouped(count)} checks`,
  );
  return `${lines.join("\n")}\n`;
}
