import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { root } from "../dev/files.ts";
import { GAS_BUDGETS, type GasBudget } from "./gas-budgets.ts";

const Row = z.strictObject({
  operation: z.string(),
  median: z.number().int().positive(),
  /** Number of samples. */
  samples: z.number().int().positive(),
  /** Zero if there is none. */
  reference: z.number().int().nonnegative(),
  budget: z.number().int().positive().nullable(),
  /** Only for a missed budget: the row's limit until then. */
  limit: z.number().int().positive().optional(),
});
const Size = z.strictObject({ contract: z.string(), default: z.number().int(), production: z.number().int() });
const GasReport = z.strictObject({ rows: z.array(Row), sizes: z.array(Size) });

export type GasRow = z.infer<typeof Row>;
export type GasReport = z.infer<typeof GasReport>;

export const GAS_FILE = join(root, "bench", "gas.json");

export const readGasReport = (): GasReport => GasReport.parse(JSON.parse(readFileSync(GAS_FILE, "utf8")));

/** Upper median, which is a measured value. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error("no samples");
  return middle;
}

/** The rows of the report, in the order of the budgets. */
export function rowsOf(samples: Readonly<Record<string, readonly number[]>>, budgets: readonly GasBudget[] = GAS_BUDGETS): GasRow[] {
  const of = (operation: string): readonly number[] => {
    const found = samples[operation];
    if (found === undefined) throw new Error(`${operation} was not measured`);
    return found;
  };
  return budgets.map(({ operation, reference, budget, exception }) => {
    const own = of(operation);
    return {
      operation,
      median: median(own),
      samples: own.length,
      reference: typeof reference === "number" ? reference : median(of(reference.row)),
      budget: typeof budget === "object" && budget !== null ? Math.floor(budget.share * median(of(budget.row))) : budget,
      ...(exception === undefined ? {} : { limit: exception.limit }),
    };
  });
}

/** Rows above their budget or limit, and limits that are no longer needed. */
export function overruns(rows: readonly GasRow[]): string[] {
  return rows.flatMap(({ operation, median: gas, budget, limit }) => {
    const most = limit ?? budget;
    if (most !== null && gas > most)
      return [`${operation} costs ${gas} gas, ${gas - most} above its ${limit === undefined ? "budget" : "limit"}`];
    if (limit !== undefined && budget !== null && gas <= budget) return [`${operation} meets its budget: remove its limit`];
    return [];
  });
}

/** Tolerance between committed and measured numbers: any code change draws other panels and changes many rows slightly. */
const TOLERANCE = 0.03;

const drifted = (before: number, now: number): boolean => Math.abs(now - before) > TOLERANCE * before;

/** Stale entries of the committed report. */
export function staleness(committed: GasReport, measured: GasReport): string[] {
  const rows = new Map(committed.rows.map((row) => [row.operation, row]));
  const sizes = new Map(committed.sizes.map((size) => [size.contract, size]));
  return [
    ...measured.rows
      .filter(({ operation, median: gas }) => drifted(rows.get(operation)?.median ?? 0, gas))
      .map(({ operation, median: gas }) => `${operation}: ${rows.get(operation)?.median ?? "nothing"} committed, ${gas} measured`),
    ...measured.sizes
      .filter((size) => drifted(sizes.get(size.contract)?.production ?? 0, size.production))
      .map((size) => `${size.contract}: ${sizes.get(size.contract)?.production ?? "nothing"} bytes committed, ${size.production} compiled`),
  ];
}
