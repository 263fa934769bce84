import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { grouped } from "../../orchestrator/primitives/amounts.ts";
import { root } from "../dev/files.ts";
import { table, withBlock } from "../dev/markdown.ts";

/** What `scripts/bench/agreements.ts` measures, on one core and in processor time. */
export const reportSchema = z.strictObject({
  rows: z.array(z.strictObject({ operation: z.string(), signatures: z.string(), perSecond: z.int().positive() })),
  /** Of what the signatures of a cycle alone allow, in the same run. */
  shareOfSignatures: z.number(),
  bytes: z.strictObject({ agreement: z.int(), result: z.int() }),
});

const PAGE = "docs/agreements.md";
const FILE = "bench/agreements.json";

export function agreementsTable(given: unknown): string {
  const { rows, shareOfSignatures, bytes } = reportSchema.parse(given);
  return table(
    ["on one core, by processor time", "signatures", ""],
    [
      ...rows.map(({ operation, signatures, perSecond }) => [operation, signatures, `${grouped(perSecond)} a second`]),
      [
        "whole cycle, of what its signatures alone allow, in turns with them",
        "3 made, 3 checked",
        `${(100 * shareOfSignatures).toFixed(0)} %`,
      ],
      [
        "stored: a signed agreement of the `general` template; its signed result",
        "",
        `${grouped(bytes.agreement)} and ${grouped(bytes.result)} bytes`,
      ],
    ],
  );
}

/** The page of agreements with what a bench measured: path → text. */
export function agreementsPages(): ReadonlyMap<string, string> {
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  return new Map([[PAGE, withBlock(read(PAGE), `bench: ${FILE}`, agreementsTable(JSON.parse(read(FILE))))]]);
}
