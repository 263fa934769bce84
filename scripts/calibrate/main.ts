/**
 * Calibrates a pair of scorers: distribution of scores of honest work, a normality test, the empirical 97.72nd percentile, and how
 * often honest work would freeze and manipulated work would pass (AgentCity B.11.2, calibration requirements).
 *
 * usage: npm run calibrate [-- --scorers char-ngrams,word-projection] [--seed 7] [--tasks 40] [--threshold 200] [--json | --write]
 *        --write puts the result into bench/calibration.json, from which `npm run docs` makes docs/calibration.md
 */
import { writeFileSync } from "node:fs";
import { z } from "zod";
import { whileWorking } from "../../orchestrator/cli/while-working.ts";
import { calibrate } from "../../orchestrator/execution/guardian/calibrate.ts";
import { WINDOW_MIN } from "../../orchestrator/execution/guardian/deviation.ts";
import { openScorerPair } from "../../orchestrator/execution/guardian/scorers.ts";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import { PARAMETERS } from "../../orchestrator/protocol/parameters.ts";
import { flags, refuseFlags } from "../dev/flags.ts";
import { CALIBRATION_FILE, calibrationTables } from "./page.ts";
import { DEFAULT_TASKS, honestTraces } from "./traces.ts";

const law = PARAMETERS.find(({ name }) => name === "DEVIATION_THRESHOLD");
const optionsSchema = z.object({
  scorers: z.string().transform((names) => names.split(",")),
  seed: z.string(),
  tasks: z.coerce
    .number()
    .int()
    .min(WINDOW_MIN + 1)
    .max(1_000),
  threshold: z.coerce.number().int().min(Number(law?.min)).max(Number(law?.max)),
  json: z.boolean(),
  write: z.boolean(),
});

const USAGE = "agentcity calibrate [--scorers char-ngrams,word-projection] [--seed 7] [--tasks 40] [--threshold 200] [--json | --write]";

try {
  const values = flags(USAGE, {
    scorers: { type: "string", default: "char-ngrams,word-projection" },
    seed: { type: "string", default: "7" },
    tasks: { type: "string", default: String(DEFAULT_TASKS) },
    threshold: { type: "string", default: String(law?.default) },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  });
  const options = optionsSchema.parse(values);
  const pair = await openScorerPair(options.scorers, process.env);
  const what = `services run ${options.tasks} tasks each and scorers measure them; 40 tasks take about a minute`;
  const result = await whileWorking(what, async () => calibrate(await honestTraces(options.seed, options.tasks), pair, options));
  if (options.write) writeFileSync(CALIBRATION_FILE, `${JSON.stringify(result, null, 2)}\n`);
  process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : calibrationTables(result));
} catch (error) {
  if (!(error instanceof AgentCityError) && !(error instanceof z.ZodError)) throw error;
  refuseFlags(USAGE, error instanceof z.ZodError ? z.prettifyError(error) : error.message);
}
