import type { Verification } from "../../deploy/deployment.ts";

/** Prints the findings of a verification; an unlawful difference sets exit code FAILED. */
export function printVerification(verification: Verification, json: boolean): void {
  process.stdout.write(json ? `${JSON.stringify(verification)}\n` : renderVerification(verification));
  if (!verification.passed) process.exitCode = 1;
}

/** `CODE 23 ✓`, one line per check, with differences below. */
function renderVerification({ network, chainId, constitution, checks, passed }: Verification): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const digits = Math.max(...checks.map(({ verified }) => String(verified).length));
  const mark = (findings: Verification["checks"][number]["findings"]) =>
    findings.length === 0 ? "✓" : findings.every(({ amendable }) => amendable) ? "~" : "✗";
  const lines = checks.flatMap(({ name, what, verified, findings }) => [
    `${name.padEnd(width)}  ${String(verified).padStart(digits)} ${mark(findings)}  ${what}`,
    ...findings.map(
      ({ subject, expected, found, amendable }) =>
        `${" ".repeat(width)}  ${subject}: ${amendable ? "was" : "must be"} ${expected}, is ${found}${amendable ? " (adjudicators may change it)" : ""}`,
    ),
  ]);
  const count = checks.reduce((sum, { verified }) => sum + verified, 0);
  const findings = checks.flatMap((check) => check.findings);
  const bad = findings.filter(({ amendable }) => !amendable).length;
  const changed = findings.length - bad;
  const since = changed === 0 ? "" : `, ${changed} changed since genesis`;
  return `${[
    `city of constitution ${constitution} on ${network} (chain ${chainId})`,
    ...lines,
    passed ? `PASSED: ${count - changed} of ${count} things are as founded${since}` : `FAILED: ${bad} of ${count} things differ${since}`,
  ].join("\n")}\n`;
}
