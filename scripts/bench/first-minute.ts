/**
 * Measures a newcomer's waiting times, as multiples of a fixed loop that is measured in the same run, so that machines can be compared.
 * Writes bench/first-minute.json; `npm run docs` generates docs/first-minute.md from it. Part of `npm run bench`.
 *
 * usage: node scripts/bench/first-minute.ts
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { root } from "../dev/files.ts";
import { openWorkshop } from "../dev/workshop.ts";
import { referenceLoop } from "./measure.ts";

const FIRST_MINUTE_FILE = join(root, "bench", "first-minute.json");

const rowSchema = z.strictObject({
  step: z.string(),
  /** Seconds of wall time, and processor seconds of Node's processes without services. */
  seconds: z.number().positive(),
  processor: z.number().positive(),
  /** Processor time in loops. */
  loops: z.number().positive(),
});
const reportSchema = z.strictObject({ cores: z.int().positive(), loop: z.number().positive(), rows: z.array(rowSchema) });
export type FirstMinuteBench = z.infer<typeof reportSchema>;
type Row = z.infer<typeof rowSchema>;

export const readFirstMinuteBench = (): FirstMinuteBench => reportSchema.parse(JSON.parse(readFileSync(FIRST_MINUTE_FILE, "utf8")));

const rounded = (seconds: number) => Number(seconds.toFixed(2));

/** Every process of a step records its processor time. */
const METER = `data:text/javascript,${encodeURIComponent(
  'import{appendFileSync}from"node:fs";process.on("exit",()=>{const{user,system}=process.cpuUsage();appendFileSync(process.env.BENCH_METER,user+system+"\\n")})',
)}`;

interface Command {
  readonly step: string;
  readonly cwd?: string;
  readonly args: readonly string[];
}

/** Files that a newcomer's first start writes below the installed packages. */
const MADE_ONCE = ["program", "own-bundles"];

function measure(home: string, loop: number, { step, cwd = root, args }: Command): Row {
  const meter = join(home, "meter");
  rmSync(meter, { force: true });
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env: {
      ...process.env,
      AGENTCITY_HOME: home,
      BENCH_METER: meter,
      NODE_COMPILE_CACHE: join(home, "compiled"),
      NODE_OPTIONS: `--import=${METER}`,
    },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${step}: ${stderr}`);
  const seconds = (performance.now() - began) / 1000;
  const used = readFileSync(meter, "utf8").trim().split("\n");
  const processor = used.reduce((sum, micros) => sum + Number(micros), 0) / 1e6;
  const row = { step, seconds: rounded(seconds), processor: rounded(processor), loops: rounded(processor / loop) };
  console.log(JSON.stringify(row));
  return row;
}

/** A mission whose law has exactly fifty nodes: with one input row no task is divided. */
function fiftyNodes(home: string): string {
  const estimates = Array.from({ length: 48 }, (_, index) => `e${index + 1}`);
  const csv = join(home, "one.csv");
  const file = join(home, "fifty.yaml");
  writeFileSync(csv, "id,optimistic,likely,pessimistic\nW1,1,2,3\n");
  const lines = [
    "mission: fifty-nodes",
    "goal: Estimate one work package forty-eight times.",
    'budget: "2000.00"',
    "deadline: 60m",
    "risk: LOW",
    `input: { kind: csv, path: ${JSON.stringify(csv)} }`,
    "tasks:",
    "  read: { service: fetch-and-parse, over: input, tier: 1 }",
    ...estimates.map((name) => `  ${name}: { service: estimate-by-pert, after: [read], tier: 1 }`),
    `  report: { service: aggregate, after: [${estimates.join(", ")}], tier: 1 }`,
    "output: { task: report, format: markdown }",
    "predicates: [every-input-covered]",
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

const CITY = ["scripts/agentcity.js"];

if (import.meta.main) {
  const home = mkdtempSync(join(tmpdir(), "agentcity-first-minute-"));
  const workshop = openWorkshop("first-minute", false);
  try {
    const loop = referenceLoop();
    for (const name of MADE_ONCE) rmSync(join(root, "node_modules/.cache/agentcity", name), { recursive: true, force: true });
    const run = (command: Command) => measure(home, loop, command);
    const rows = [
      run({ step: "contracts unpacked", cwd: workshop, args: ["scripts/dev/compile.ts", "--contracts"] }),
      run({ step: "first start, nothing cached", args: [...CITY, "start"] }),
      run({ step: "start again", args: [...CITY, "start"] }),
    ];
    const [mission = ""] = readdirSync(join(home, "missions"));
    rows.push(run({ step: "audit of that mission", args: [...CITY, "audit", mission] }));
    rows.push(run({ step: "mission of 50 nodes in that city", args: [...CITY, "mission", fiftyNodes(home)] }));
    writeFileSync(FIRST_MINUTE_FILE, `${JSON.stringify({ cores: availableParallelism(), loop, rows }, null, 2)}\n`);
  } finally {
    rmSync(home, { recursive: true, force: true });
    rmSync(workshop, { recursive: true, force: true });
  }
}
