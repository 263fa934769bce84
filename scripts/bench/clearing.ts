/**
 * Measures the attestation and clearing libraries on one core, in CPU time, with and without real signatures. Writes
 * bench/clearing.json and prints it as a table.
 *
 * usage: node scripts/bench/clearing.ts [--check]      --check writes nothing and fails if a row is missing or twenty times slower
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { VerifierDeps } from "../../orchestrator/attestation/ports.ts";
import { verify } from "../../orchestrator/attestation/verify.ts";
import { aggregate } from "../../orchestrator/clearing/aggregate.ts";
import { bindObligation } from "../../orchestrator/clearing/bind.ts";
import { clear, termsOf } from "../../orchestrator/clearing/clearing-decision.ts";
import { type Deployment, deployment } from "../../orchestrator/clearing/deployment.ts";
import { openDocket } from "../../orchestrator/clearing/docket.ts";
import { ingest } from "../../orchestrator/clearing/ingest.ts";
import { settle } from "../../orchestrator/clearing/settlement-instruction.ts";
import type { Signer } from "../../orchestrator/clearing/signature.ts";
import { CLAIMS, DOCUMENTS, depsOver, library } from "../attestation/underwriting.ts";
import { charger } from "../clearing/charger.ts";
import { granted, play, type Scenario } from "../clearing/scenario.ts";
import { webhook } from "../clearing/webhook.ts";
import { root } from "../dev/files.ts";
import { processorSeconds } from "./measure.ts";

const FILE = join(root, "bench", "clearing.json");
const Row = z.strictObject({ operation: z.string(), signatures: z.string(), perSecond: z.number().positive(), runs: z.int().positive() });
const Rows = z.array(Row).min(1);
type Row = z.infer<typeof Row>;

/** Long enough for start-up and garbage collection to be negligible. */
const SECONDS = 1.5;

/** Runs per second of CPU time, after a warm-up. */
async function measure([operation, signatures, run]: Case): Promise<Row> {
  for (let warm = 0; warm < 20; warm += 1) await run();
  const start = process.cpuUsage();
  let runs = 0;
  let spent = 0;
  while (spent < SECONDS) {
    await run();
    runs += 1;
    spent = processorSeconds(start);
  }
  return { operation, signatures, runs, perSecond: Math.round((10 * runs) / spent) / 10 };
}

/** One measurement: operation, signatures, one run of it. */
type Case = readonly [operation: string, signatures: string, run: () => unknown];

/** A claim of each kind against documents in memory: parsed, checked, and its outcome sealed or not. */
function claimCases(): Case[] {
  const real = depsOver(library(DOCUMENTS));
  const silent: VerifierDeps = { ...real, signer: { ...real.signer, sign: () => "0x00" } };
  const both: readonly (readonly [string, VerifierDeps])[] = [
    ["1 made", real],
    ["none", silent],
  ];
  return Object.entries(CLAIMS).flatMap(([kind, claim]) =>
    both.map(([signatures, deps]): Case => [`claim verified: ${kind}`, signatures, () => verify(claim, deps)]),
  );
}

async function clearingCases(name: string, scenario: Scenario): Promise<Case[]> {
  const { obligation, envelope, deployment: real, engine, now } = scenario;
  const free: Deployment = deployment(real.registry, { verify: () => true });
  const played = await play(scenario);
  const bound = granted(bindObligation(obligation, real));
  const admitted = granted(ingest(envelope, bound, real));
  const written = played.decision.clearing_engine_signature;
  const silent: Signer = { ...engine, sign: () => written };
  const hops = envelope.items.reduce((sum, item) => sum + item.provenance.length, 0);
  const clearing = (at: Deployment, by: Signer) => () => {
    settle(clear({ obligation: bound, envelope: admitted, outputs: played.outputs, deployment: at, engine: by, now }), by, openDocket());
  };
  const what = `${envelope.items.length} items, ${hops} hops`;
  const outputs = `${played.outputs.length} verifiers`;
  return [
    [`${name}: envelope ingested (${what})`, `${hops + 1} verified`, () => granted(ingest(envelope, bound, real))],
    [`${name}: envelope ingested (${what})`, "none", () => granted(ingest(envelope, bound, free))],
    [`${name}: decided and settled (${outputs})`, `${played.outputs.length} verified, 2 made`, clearing(real, engine)],
    [`${name}: decided and settled (${outputs})`, "none", clearing(free, silent)],
    [
      `${name}: Γ alone (${outputs})`,
      "none",
      () => {
        aggregate(played.aggregates.fee_release.survivors, termsOf(bound, "fee_release"), real.admissibility);
      },
    ],
  ];
}

const print = (rows: readonly Row[]) => {
  console.log(`${"attestation and clearing, per second on one core".padEnd(56)}${"signatures".padEnd(22)}${"per second".padStart(12)}`);
  for (const { operation, signatures, perSecond } of rows) {
    console.log(operation.padEnd(56) + signatures.padEnd(22) + perSecond.toLocaleString("en-US").padStart(12));
  }
};

const names = (rows: readonly Row[]) => rows.map(({ operation, signatures }) => `${operation}, ${signatures}`);

const cases = [
  ...claimCases(),
  ...(await clearingCases("webhook", webhook("bench"))),
  ...(await clearingCases("charger", charger("bench"))),
];
const rows: Row[] = [];
for (const each of cases) rows.push(await measure(each));
print(rows);
if (process.argv.includes("--check")) {
  // Speed depends on the machine; only another order of magnitude indicates a problem in the code.
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
