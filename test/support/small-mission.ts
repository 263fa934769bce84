import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";

const ROWS = ["package,optimistic,likely,pessimistic", "survey,13,14,21", "foundation,23,24,25", "walls,10,20,60"];

/** Guesses without a skew: all three ways to estimate give the same. */
export const CALM_ROWS = ["package,optimistic,likely,pessimistic", "survey,3,6,9", "foundation,20,24,28", "walls,10,20,30"];

/** Writes a CSV of three rows, three notes and two packages into a directory; returns their paths. */
export function smallInputs(
  directory: string,
  rows: readonly string[] = ROWS,
): { readonly csv: string; readonly files: string; readonly packages: string } {
  const csv = join(directory, "work.csv");
  const files = join(directory, "notes");
  const packages = join(directory, "installed");
  mkdirSync(files, { recursive: true });
  writeFileSync(csv, `${rows.join("\n")}\n`);
  for (const [name, text] of Object.entries({ a: "# Login fails\nThe key is wrong.\n", b: "Disk full\n", c: "Tests are flaky\n" }))
    writeFileSync(join(files, `${name}.md`), text);
  for (const [name, license] of Object.entries({ one: "MIT", two: "ISC" })) {
    mkdirSync(join(packages, name), { recursive: true });
    writeFileSync(
      join(packages, name, "package.json"),
      JSON.stringify({ name, version: "1.0.0", license, description: `Package ${name}` }),
    );
  }
  return { csv, files, packages };
}

/** Rows are read by one executor and estimated by three, who have to agree on this share of them, 0.5–1. */
export function readAndEstimate(atLeast: number) {
  return {
    read: { service: "fetch-and-parse", over: "input", tier: 1 },
    estimate: {
      service: ["estimate-by-pert", "estimate-by-triangle", "estimate-by-median"],
      after: ["read"],
      tier: 2,
      agree: { on: "value", atLeast },
    },
  };
}

/** The same with a report, every task judged by every kind of verifier that it can have. */
export function judgedByKinds(rubric: string) {
  const { read, estimate } = readAndEstimate(0.5);
  return {
    read: { ...read, verifiers: ["constraint", "receipt"] },
    estimate: { ...estimate, verifiers: ["receipt", "constraint"] },
    report: {
      ...{ service: "aggregate", after: ["estimate"], tier: 3, rubric },
      verifiers: ["human", "semantic", "receipt", "constraint"],
    },
  };
}

/** A short mission of all three tiers over three rows; `more` replaces keys of the file. */
export function smallMission(csv: string, more: Readonly<Record<string, unknown>> = {}): string {
  return stringify({
    mission: "small-estimates",
    goal: "Estimate three work packages.",
    budget: "300.00",
    deadline: "20m",
    risk: "LOW",
    input: { kind: "csv", path: csv },
    tasks: {
      ...readAndEstimate(0.5),
      report: { service: "aggregate", after: ["estimate"], tier: 3 },
    },
    output: { task: "report", format: "markdown" },
    ...more,
  });
}
