import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { BREAKERS, EXITS } from "../../orchestrator/agreements/index.ts";
import { grouped } from "../../orchestrator/primitives/amounts.ts";
import { root } from "../dev/files.ts";
import { table, withBlock } from "../dev/markdown.ts";
import { GAS_BUDGETS } from "./gas-budgets.ts";
import { type GasRow, readGasReport } from "./gas-report.ts";

/** Results of `scripts/bench/agreements.ts`, on one core and in processor time. */
export const reportSchema = z.strictObject({
  rows: z.array(z.strictObject({ operation: z.string(), signatures: z.string(), perSecond: z.int().positive() })),
  /** Share of the speed of a cycle's signatures alone, in the same run. */
  shareOfSignatures: z.number(),
  /** Questions to a judge at the depth `semantic`, by the share of deliveries that are defective. */
  saved: z.array(z.strictObject({ defective: z.number(), deliveries: z.int(), questions: z.int(), asked: z.int() })),
  bytes: z.strictObject({ agreement: z.int(), result: z.int() }),
});

const PAGE = "docs/agreements.md";
const FILE = "bench/agreements.json";

function agreementsTable(given: unknown): string {
  const { rows, shareOfSignatures, saved, bytes } = reportSchema.parse(given);
  return table(
    ["on one core, by processor time", "signatures", ""],
    [
      ...rows.map(({ operation, signatures, perSecond }) => [operation, signatures, `${grouped(perSecond)} a second`]),
      [
        "whole cycle, relative to its signatures alone, measured alternately",
        "3 made, 3 checked",
        `${(100 * shareOfSignatures).toFixed(0)} %`,
      ],
      ...saved.map(({ defective, deliveries, questions, asked }) => [
        `judge queries avoided by structural checks first, ${(100 * defective).toFixed(0)} % of ${grouped(deliveries)} deliveries defective`,
        "",
        `${(100 * (1 - asked / questions)).toFixed(0)} %`,
      ]),
      [
        "stored: a signed agreement of the `general` template; its signed result",
        "",
        `${grouped(bytes.agreement)} and ${grouped(bytes.result)} bytes`,
      ],
    ],
  );
}

/** Gas of a job and of a panel that hears it. */
function jobsTable(rows: readonly GasRow[]): string {
  const budgets = new Map(GAS_BUDGETS.map((budget) => [budget.operation, budget]));
  return table(
    ["operation", "gas", "budget", "what is measured"],
    rows
      .filter(({ operation }) => /^(agreement|panel)-/.test(operation))
      .map(({ operation, median, budget }) => [
        `\`${operation}\``,
        grouped(median),
        budget === null ? "–" : grouped(budget),
        budgets.get(operation)?.measured ?? "",
      ]),
  );
}

/** Every circuit breaker, from the gateway's table. */
function breakersTable(): string {
  return table(
    ["breaker", "opens when", "closes", "stops", "never stops"],
    BREAKERS.map(({ breaker, opens, closes, stops, whose }) => [breaker, opens, closes, `${stops.join(", ")}: ${whose}`, EXITS.join(", ")]),
  );
}

/** The page of agreements with measured figures: path → text. */
export function agreementsPages(): ReadonlyMap<string, string> {
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const onChain = withBlock(
    withBlock(read(PAGE), "table: breakers", breakersTable()),
    "bench: bench/gas.json",
    jobsTable(readGasReport().rows),
  );
  return new Map([[PAGE, withBlock(onChain, `bench: ${FILE}`, agreementsTable(JSON.parse(read(FILE))))]]);
}
