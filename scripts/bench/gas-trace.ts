/**
 * Gas by class of opcode and by contract: of any transaction of a node with traces, or of the reference mission on
 * contracts compiled for production.
 *
 * usage: npm run gas:trace [-- [--hybrid] [--json]]                                  the reference mission
 *        npm run gas:trace -- --rpc URL --transaction HASH [--transaction HASH …] [--json]
 */
import { http } from "viem";
import { z } from "zod";
import { grouped } from "../../orchestrator/primitives/amounts.ts";
import { AgentCityError, messageOf } from "../../orchestrator/primitives/errors.ts";
import { type Hash, isHash } from "../../orchestrator/primitives/hex.ts";
import { compile, compileProduction } from "../dev/compile.ts";
import { flags, refuseFlags } from "../dev/flags.ts";
import { NamedTrace, named, readNames } from "./code-names.ts";
import { measured } from "./measure.ts";
import { type Ask, COMPUTE, GAS_CLASSES, traceGas } from "./trace.ts";

const USAGE = "npm run gas:trace [-- [--hybrid | --rpc URL --transaction HASH …] [--json]]";
const MISSION = "test/bench/trace-mission.ts";

const { hybrid, rpc, transaction, json } = flags(USAGE, {
  hybrid: { type: "boolean" },
  rpc: { type: "string" },
  transaction: { type: "string", multiple: true },
  json: { type: "boolean" },
});

/** The reference mission in a separate process, which reads production artifacts in place of the tests'. */
async function reference(): Promise<NamedTrace[]> {
  compile();
  const production = await compileProduction();
  console.error("running and tracing the reference mission …");
  const env = { HARDHAT_CONFIG: "scripts/dev/production.config.ts", AGENTCITY_ARTIFACTS: production };
  return z.array(NamedTrace).parse(measured(MISSION, [hybrid === true ? "hybrid" : "on-chain", production], env));
}

async function mined(url: string, hashes: readonly Hash[]): Promise<NamedTrace[]> {
  const { request } = http(url)({});
  const ask: Ask = (method, params) => request({ method, params });
  const traces = [];
  for (const hash of hashes) traces.push(await traceGas(ask, hash));
  compile();
  return named(ask, readNames("artifacts"), traces);
}

const WIDTH = 34;

const share = (gas: number, of: number): string => `${((100 * gas) / of).toFixed(1)} %`;
const line = (name: string, ...cells: readonly string[]): string => name.padEnd(WIDTH) + cells.map((cell) => cell.padStart(13)).join("");

/** Sums by a name, largest first. */
function ranked<Item>(items: readonly Item[], nameOf: (item: Item) => string, gasOf: (item: Item) => number): [string, number][] {
  const sums = new Map<string, number>();
  for (const item of items) sums.set(nameOf(item), (sums.get(nameOf(item)) ?? 0) + gasOf(item));
  return [...sums].sort(([, a], [, b]) => b - a);
}

const computeOf = ({ cells }: Pick<NamedTrace, "cells">): number =>
  cells.reduce((sum, { class: name, gas }) => sum + (COMPUTE.includes(name) ? gas : 0), 0);

function print(traces: readonly NamedTrace[]): void {
  const cells = traces.flatMap((trace) => trace.cells);
  const used = traces.reduce((sum, trace) => sum + trace.used, 0);
  const compute = computeOf({ cells });
  const byClass = new Map(
    ranked(
      cells,
      (cell) => cell.class,
      (cell) => cell.gas,
    ),
  );
  const byCode = ranked(
    cells.filter(({ code }) => code !== undefined),
    ({ code }) => code ?? "",
    ({ gas }) => gas,
  );
  const text = [
    line("class", "gas", "share"),
    ...GAS_CLASSES.map((name) => [name, byClass.get(name) ?? 0] as const)
      .filter(([, gas]) => gas !== 0)
      .map(([name, gas]) => line(name, grouped(gas), share(gas, used))),
    line(`all of ${traces.length} transactions`, grouped(used), "100 %"),
    line("hashing, memory, stack and jumps", grouped(compute), share(compute, used)),
    "",
    line("code", "gas", "share"),
    ...byCode.map(([name, gas]) => line(name, grouped(gas), share(gas, used))),
    "",
    line("transaction", "gas", "steps", "compute"),
    ...traces.map((trace) => line(trace.call, grouped(trace.used), grouped(trace.steps), share(computeOf(trace), trace.used))),
  ];
  process.stdout.write(`${text.join("\n")}\n`);
}

if ((rpc === undefined) !== (transaction === undefined)) refuseFlags(USAGE, "--rpc and --transaction go together");
if (rpc !== undefined && hybrid === true) refuseFlags(USAGE, "--hybrid is for the reference mission");
const hashes = (transaction ?? []).map((hash) => (isHash(hash) ? hash : refuseFlags(USAGE, `no transaction hash: ${hash}`)));
try {
  const traces = rpc === undefined ? await reference() : await mined(rpc, hashes);
  if (json === true) process.stdout.write(`${JSON.stringify(traces)}\n`);
  else print(traces);
} catch (error) {
  const code = error instanceof AgentCityError ? error.code : "NotTraced";
  const action = "the node must offer debug_traceTransaction, and the transaction must be mined there";
  if (json === true) process.stdout.write(`${JSON.stringify({ status: "error", error: { code, message: messageOf(error), action } })}\n`);
  process.stderr.write(`${code}: ${messageOf(error)}\nWhat to do: ${action}\n`);
  process.exitCode = 1;
}
