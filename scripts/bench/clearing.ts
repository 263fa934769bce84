/**
 * Measures how fast the clearing library works on one core, in CPU time, with real signatures and with none. Writes bench/clearing.json
 * and prints it as a table.
 *
 * usage: node scripts/bench/clearing.ts [--check]      --check writes nothing and fails when the file lacks a row, or one is absurd
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { aggregate } from "../../orchestrator/clearing/aggregate.ts";
import { bindObligation } from "../../orchestrator/clearing/bind.ts";
import { clear, termsOf } from "../../orchestrator/clearing/clearing-decision.ts";
import { type Deployment, deployment } from "../../orchestrator/clearing/deployment.ts";
import { ingest } from "../../orchestrator/clearing/ingest.ts";
import { settle } from "../../orchestrator/clearing/settlement-instruction.ts";
import type { Signer } from "../../orchestrator/clearing/signature.ts";
import { charger } from "../clearing/charger.ts";
import { granted, play, type Scenario } from "../clearing/scenario.ts";
import { webhook } from "../clearing/webhook.ts";
import { root } from "../dev/files.ts";

const FILE = join(root, "bench", "clearing.json");
const Row = z.strictObject({ operation: z.string(), signatures: z.string(), perSecond: z.number().positive(), runs: z.int().positive() });
const Rows = z.array(Row).min(1);
type Row = z.infer<typeof Row>;

/** Long enough that start and collection of garbage do not show. */
const MICROSECONDS = 1_500_000;

/** Runs per second of CPU time, after a warm-up. */
function measure(operation: string, signatures: string, run: () => void): Row {
  for (let warm = 0; warm < 20; warm += 1) run();
  const start = process.cpuUsage();
  let runs = 0;
  let spent = 0;
  while (spent < MICROSECONDS) {
    run();
    runs += 1;
    const { user, system } = process.cpuUsage(start);
    spent = user + system;
  }
  return { operation, signatures, runs, perSecond: Math.round((runs * 10_000_000) / spent) / 10 };
}

async function rowsOf(name: string, scenario: Scenario): Promise<Row[]> {
  const { obligation, envelope, deployment: real, engine, now } = scenario;
  const free: Deployment = deployment(real.registry, { verify: () => true });
  const played = await play(scenario);
  const bound = granted(bindObligation(obligation, real));
  const admitted = granted(ingest(envelope, bound, real));
  const written = played.decision.clearing_engine_signature;
  const silent: Signer = { ...engine, sign: () => written };
  const hops = envelope.items.reduce((sum, item) => sum + item.provenance.length, 0);
  const clearing = (at: Deployment, by: Signer) => () => {
    settle(clear({ obligation: bound, envelope: admitted, outputs: played.outputs, deployment: at, engine: by, now }), by);
  };
  const what = `${envelope.items.length} items, ${hops} hops`;
  const outputs = `${played.outputs.length} verifiers`;
  return [
    measure(`${name}: envelope ingested (${what})`, `${hops + 1} verified`, () => granted(ingest(envelope, bound, real))),
    measure(`${name}: envelope ingested (${what})`, "none", () => granted(ingest(envelope, bound, free))),
    measure(`${name}: decided and settled (${outputs})`, `${played.outputs.length} verified, 2 made`, clearing(real, engine)),
    measure(`${name}: decided and settled (${outputs})`, "none", clearing(free, silent)),
    measure(`${name}: Γ alone (${outputs})`, "none", () => {
      aggregate(played.aggregates.fee_release.survivors, termsOf(bound, "fee_release"), real.admissibility);
    }),
  ];
}

const print = (rows: readonly Row[]) => {
  console.log(`${"clearing, per second on one core".padEnd(56)}${"signatures".padEnd(22)}${"per second".padStart(12)}`);
  for (const { operation, signatures, perSecond } of rows) {
    console.log(operation.padEnd(56) + signatures.padEnd(22) + perSecond.toLocaleString("en-US").padStart(12));
  }
};

const names = (rows: readonly Row[]) => rows.map(({ operation, signatures }) => `${operation}, ${signatures}`);

const rows = [...(await rowsOf("webhook", webhook("bench"))), ...(await rowsOf("charger", charger("bench")))];
print(rows);
if (process.argv.includes("--check")) {
  // Speed is the machine's; only another order of magnitude says something about the code.
  const committed = Rows.parse(JSON.parse(readFileSync(FILE, "utf8")));
  const slow = rows.filter((row, index) => row.perSecond * 20 < (committed[index]?.perSecond ?? 0));
  const differs = names(rows).join("\n") !== names(committed).join("\n");
  if (differs) console.error("bench/clearing.json has other rows (npm run bench)");
  for (const { operation } of slow) console.error(`${operation}: twenty times slower than bench/clearing.json says`);
  if (differs || slow.length > 0) process.exitCode = 1;
} else {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, `${JSON.stringify(rows, null, 2)}\n`);
}
