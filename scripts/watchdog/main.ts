/**
 * The watchdog's false-alarm rate: the paper's table (AgentCity B.12) compared with its own model, the exact probability
 * under the contract's rules, and measurements on the real contract.
 *
 * usage: npm run watchdog [-- --adjudicators 100] [--seed 7] [--json | --write]
 *        --write puts the result into bench/watchdog.json, whose figures docs/adjudication.md quotes
 */
import { writeFileSync } from "node:fs";
import { z } from "zod";
import { whileWorking } from "../../orchestrator/cli/while-working.ts";
import { measured } from "../bench/measure.ts";
import { compile } from "../dev/compile.ts";
import { flags, refuseFlags } from "../dev/flags.ts";
import { HEADINGS, studySchema, WATCHDOG_FILE, watchdogRows } from "./study.ts";

const MEASURE = "test/bench/measure-watchdog.ts";

const USAGE = "agentcity watchdog [--adjudicators 1…20000, default 100] [--seed 7] [--json | --write]";
const values = flags(USAGE, {
  adjudicators: { type: "string", default: "100" },
  seed: { type: "string", default: "7" },
  json: { type: "boolean", default: false },
  write: { type: "boolean", default: false },
});
const adjudicators = z.coerce.number().int().min(1).max(20_000).safeParse(values.adjudicators);
if (!adjudicators.success) refuseFlags(USAGE, "--adjudicators must be a whole number from 1 to 20000");
else {
  compile();
  const { data } = adjudicators;
  const what = `${data} adjudicators decide on the real contract, 100 take about a minute`;
  const study = studySchema.parse(await whileWorking(what, () => measured(MEASURE, [String(data), values.seed])));
  if (values.write) writeFileSync(WATCHDOG_FILE, `${JSON.stringify(study, null, 2)}\n`);
  if (values.json) process.stdout.write(`${JSON.stringify(study)}\n`);
  else {
    const lines = [HEADINGS, ...watchdogRows(study)];
    const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
    for (const line of lines) process.stdout.write(`${line.map((cell, column) => cell.padStart(widths[column] ?? 0)).join("  ")}\n`);
    process.stdout.write(
      "\npercent; ± two standard errors; one adjudicator, alert within 30 days, freeze within 60; `exact` is for so many decisions in 30 days\n",
    );
  }
}
