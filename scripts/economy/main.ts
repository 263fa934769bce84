/**
 * Runs the experiments of docs/economy.md: a process per seed; completed runs are stored, so that the same command with --resume continues
 * after any interruption. Everything is written to one folder.
 *
 * usage: npm run economy -- --experiment 1|2 [--seeds 10] [--scales 200] [--configurations baseline,full] [--sensitivity] [--resume]
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { home } from "../../orchestrator/cli/home.ts";
import { stopWhenAsked } from "../../orchestrator/cli/interruption.ts";
import { ProgressDisplay } from "../../orchestrator/cli/progress.ts";
import { asTyped, typedPath } from "../../orchestrator/cli/shell.ts";
import { wallTime } from "../../orchestrator/cli/wall-time.ts";
import { type Campaign, type Cell, cellsOf, keptRun, MIN_ASSEMBLY, SCALES, summaryOf } from "../../orchestrator/economy/campaign.ts";
import { AS_WRITTEN } from "../../orchestrator/economy/hypotheses.ts";
import { ModelMinds } from "../../orchestrator/economy/model.ts";
import { CONFIGURATIONS, PERSONA_NAMES } from "../../orchestrator/economy/parameters.ts";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import { makeFolder } from "../../orchestrator/primitives/files.ts";
import { flags, refuseFlags } from "../dev/flags.ts";
import { agreementIn, readRatings, sampleOf, sheetOf } from "./alerts.ts";
import { ballotFigures, figuresOfOne, figuresOfTwo, scaleChart } from "./figures.ts";
import { noteOrigin, originOfNow, originsOf } from "./origin.ts";
import { markdown, page, summarise } from "./report.ts";
import { writeResults } from "./results.ts";
import { runAll } from "./workers.ts";

const USAGE = `agentcity economy --experiment <1|2> [--seeds <how many, 10 and 3>] [--scales <agents, 200 and all ten>]
       [--configurations ${CONFIGURATIONS.join(",")}] [--milestones <1 to 10>] [--sensitivity] [--drafts] [--processes <cores>] [--out <folder>] [--resume] [--json]
       [--model <provider:model> [--fallback-model <provider:model>] [--personas ${PERSONA_NAMES.join(",")}]]  the same again with a chat model in their place
       --drafts: experiment 2's sessions by drafts alone, in Full from ${MIN_ASSEMBLY} agents on
       --first-seed <1>: a range of seeds, for another machine; --kept reports the seeds that are whole so far, each variant's, and runs nothing
       --ratings <file>: people's answers to the alerts in the folder's alerts.csv, as a table of alert, rater, answer
       --write puts the summary into bench/, from which docs/economy-1.md and docs/economy-2.md are made`;
const TEXT = { type: "string" } as const;
const values = flags(USAGE, {
  experiment: TEXT,
  seeds: TEXT,
  scales: TEXT,
  configurations: TEXT,
  milestones: TEXT,
  model: TEXT,
  "fallback-model": TEXT,
  personas: TEXT,
  processes: TEXT,
  out: TEXT,
  sensitivity: { type: "boolean", default: false },
  drafts: { type: "boolean", default: false },
  resume: { type: "boolean", default: false },
  kept: { type: "boolean", default: false },
  "first-seed": TEXT,
  ratings: TEXT,
  write: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
});

/** The folder has another campaign, or --resume is missing. */
class CampaignExists extends AgentCityError {
  constructor(folder: string, action: string) {
    super("CampaignExists", `${folder} holds a campaign`, { action });
  }
}

/** No seed of a campaign is complete yet. */
class NothingKept extends AgentCityError {
  constructor(folder: string) {
    super("NothingKept", `${folder} has no complete seed`, { action: "continue with --resume" });
  }
}

const listed = z.string().transform((text) => text.split(",").map((part) => part.trim()));
const schema = z.strictObject({
  experiment: z.enum(["1", "2"], { error: "say --experiment 1 or 2" }),
  seeds: z.coerce.number().int().min(1).max(1000).optional(),
  first: z.coerce.number().int().min(1).max(1_000_000).default(1),
  scales: listed
    .transform((parts) => parts.map(Number))
    .pipe(z.array(z.int().min(5).max(5000)).min(1))
    .optional(),
  configurations: listed.pipe(z.array(z.enum(CONFIGURATIONS)).min(1)).default([...CONFIGURATIONS]),
  milestones: z.coerce.number().int().min(1).max(10).optional(),
  model: z.string().optional(),
  fallback: z.string().optional(),
  personas: listed.pipe(z.array(z.enum(PERSONA_NAMES)).min(1)).default([...PERSONA_NAMES]),
  processes: z.coerce.number().int().min(1).max(256).default(availableParallelism()),
});

function campaignOf(): { readonly campaign: Campaign; readonly processes: number } {
  const { sensitivity, drafts } = values;
  const read = schema.safeParse({
    experiment: values.experiment,
    seeds: values.seeds,
    first: values["first-seed"],
    scales: values.scales,
    configurations: values.configurations,
    milestones: values.milestones,
    processes: values.processes,
    model: values.model,
    fallback: values["fallback-model"],
    personas: values.personas,
  });
  if (!read.success) return refuseFlags(USAGE, z.prettifyError(read.error).replaceAll("\n", " "));
  const { experiment: number, seeds, first, scales, configurations, milestones, processes, model, fallback, personas } = read.data;
  if (model === undefined && (fallback !== undefined || values.personas !== undefined))
    return refuseFlags(USAGE, "--fallback-model and --personas require --model");
  if (drafts && (number !== "2" || sensitivity || model !== undefined || !configurations.includes("full")))
    return refuseFlags(USAGE, "--drafts requires experiment 2 in Full, without --sensitivity and --model");
  const experiment = number === "1" ? 1 : 2;
  const count = seeds ?? (experiment === 1 ? 10 : 3);
  const sizes = [...new Set(scales ?? (experiment === 1 ? [200] : SCALES))].filter((agents) => !drafts || agents >= MIN_ASSEMBLY);
  if (sizes.length === 0) return refuseFlags(USAGE, `fewer than ${MIN_ASSEMBLY} agents cannot sponsor twenty laws`);
  return {
    processes,
    campaign: {
      experiment,
      configurations: drafts ? ["full"] : [...new Set(configurations)],
      scales: sizes,
      seeds: Array.from({ length: count }, (_, at) => first + at),
      sensitivity,
      ...(drafts ? { drafts } : {}),
      ...(milestones === undefined ? {} : { milestones }),
      ...(model === undefined ? {} : { model: { name: model, ...(fallback === undefined ? {} : { fallback }), personas } }),
    },
  };
}

/** The campaign's folder, created or reopened. */
function folderOf(campaign: Campaign): string {
  const folder = values.out === undefined ? join(home().root, `economy-${campaign.experiment}`) : typedPath(values.out);
  const file = join(folder, "campaign.json");
  const text = `${JSON.stringify(campaign, null, 2)}\n`;
  if (existsSync(file)) {
    if (!values.resume && !values.kept) throw new CampaignExists(folder, "continue with --resume, or choose another folder with --out");
    if (readFileSync(file, "utf8") !== text)
      throw new CampaignExists(folder, "it has other seeds, scales or configurations: choose another folder with --out");
  } else if (values.kept) throw new NothingKept(folder);
  makeFolder(join(folder, "runs"));
  makeFolder(join(folder, "figures"));
  writeFileSync(file, text);
  return folder;
}

async function run(): Promise<void> {
  const { campaign, processes } = campaignOf();
  // Check the options of the end before hours of runs.
  if (values.ratings !== undefined) readRatings(typedPath(values.ratings));
  if (campaign.model !== undefined) await ModelMinds.open(campaign.model, "baseline", process.env);
  const folder = folderOf(campaign);
  const cells = cellsOf(campaign);
  const display = new ProgressDisplay({
    write: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
    millis: wallTime.millis,
    every: wallTime.every,
  });
  try {
    const kept = cells.filter((cell) => keptRun(folder, cell) !== undefined);
    let done = kept.length;
    if (!values.kept) {
      if (done < cells.length) noteOrigin(folder, originOfNow());
      display.enter("the economy runs");
      display.progress(`${cells.length} runs, ${done} of them kept from before; ${processes} processes`, { done, of: cells.length });
      await runAll(folder, cells, processes, (line) => {
        done += 1;
        display.progress(`${done} of ${cells.length}: ${line}`, { done, of: cells.length });
      });
    }
    if (values.kept && wholeSeeds(cells, kept).length === 0) throw new NothingKept(folder);
    display.enter("the report is written");
    const summary = report(folder, campaign, values.kept ? wholeSeeds(cells, kept) : cells);
    if (values.write) writeResults(summary, commandOf({ ...campaign, seeds: summary.seeds }), originsOf(folder));
    if (values.json) process.stdout.write(`${JSON.stringify(summary)}\n`);
    else process.stdout.write(`${join(folder, "report.html")}\n`);
  } finally {
    display.end();
  }
}

/** The runs of seeds with every run of a variant. */
const wholeSeeds = (cells: readonly Cell[], kept: readonly Cell[]): readonly Cell[] => {
  const isKept = new Set(kept);
  const missing = new Set(cells.filter((cell) => !isKept.has(cell)).map(({ seed, variant }) => `${seed} ${variant}`));
  return cells.filter(({ seed, variant }) => !missing.has(`${seed} ${variant}`));
};

/** The command that repeats this campaign. */
const commandOf = ({ experiment, seeds, scales, configurations, sensitivity, drafts, milestones, model }: Campaign): string =>
  `npm run economy -- --experiment ${experiment} --seeds ${seeds.length} --scales ${scales.join(",")} --configurations ${configurations.join(",")}${sensitivity ? " --sensitivity" : ""}${drafts === true ? " --drafts" : ""}${milestones === undefined ? "" : ` --milestones ${milestones}`}${seeds[0] === 1 ? "" : ` --first-seed ${seeds[0]}`}${model === undefined ? "" : ` --model ${model.name}`}`;

function report(folder: string, campaign: Campaign, cells: readonly Cell[]) {
  const runs = cells.flatMap((cell) => {
    const figures = keptRun(folder, cell);
    return figures === undefined ? [] : [{ cell, figures, summary: summaryOf(figures, cell) }];
  });
  const alerts = sampleOf(runs.filter(({ summary: { variant } }) => variant === AS_WRITTEN).map(({ figures }) => figures));
  const agreement = values.ratings === undefined ? {} : { agreement: agreementIn(typedPath(values.ratings), alerts) };
  const summary = { ...summarise(campaign.experiment, runs), ...agreement };
  const main = campaign.scales.includes(200) ? 200 : campaign.scales[0];
  const written = runs
    .filter(({ summary: { variant, agents } }) => variant === AS_WRITTEN && agents === main)
    .map(({ figures }) => figures);
  const summaries = runs.map((one) => one.summary);
  const recovery = new Map(
    summary.cells.flatMap(({ configuration, agents, variant, recovered: { rounds } }) =>
      variant === AS_WRITTEN && agents === main && rounds !== null ? [[configuration, rounds] as const] : [],
    ),
  );
  const ofWhole = () => [
    ...figuresOfOne(written, recovery),
    ["csr-by-agents", scaleChart(summaries)] as const,
    ...(campaign.experiment === 2 ? figuresOfTwo(summaries) : []),
  ];
  const figures = new Map([
    ...(campaign.drafts === true ? [] : ofWhole()),
    ...(summary.ballots === undefined ? [] : ballotFigures(summary.ballots)),
  ]);
  const text = markdown(summary, [...figures.keys()]);
  for (const [name, svg] of figures) writeFileSync(join(folder, "figures", `${name}.svg`), svg);
  if (alerts.length > 0) writeFileSync(join(folder, "alerts.csv"), sheetOf(alerts));
  writeFileSync(join(folder, "summary.json"), `${JSON.stringify(summary, null, 2)}\n`);
  writeFileSync(join(folder, "report.md"), text);
  writeFileSync(join(folder, "report.html"), page(text, figures));
  return summary;
}

const words = process.argv.slice(2).filter((word) => word !== "--resume");
stopWhenAsked(values.json, asTyped(`npm run economy -- ${[...words, "--resume"].join(" ")}`));
try {
  await run();
} catch (error) {
  if (!(error instanceof AgentCityError)) throw error;
  if (values.json) process.stdout.write(`${JSON.stringify({ status: "error", error: error.toPlain() })}\n`);
  process.stderr.write(`${error.code}: ${error.message}\n`);
  process.exitCode = 1;
}
