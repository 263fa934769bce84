/**
 * Measures which blocs the Regulator detects over many seeded elections, and writes bench/blocs.json; `npm run docs` generates docs/blocs.md from it.
 *
 * usage: node scripts/bench/blocs.ts [runs]      100 by default
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { root } from "../dev/files.ts";
import { measured } from "./measure.ts";

const MEASURE = "test/bench/measure-blocs.ts";
const BLOCS_FILE = join(root, "bench", "blocs.json");

const share = z.number().min(0).max(1);
const rowSchema = z.strictObject({
  honest: z.int(),
  bloc: z.int(),
  candidates: z.int(),
  misjudgement: z.union([z.number(), z.literal("impartial")]),
  blocTau: z.int(),
  blocJaccard: z.int(),
  strategy: z.string(),
  runs: z.int(),
  caught: z.int(),
  members: share,
  pairs: share,
  pairsWorst: share,
  above: share,
  aboveWorst: share,
  flagged: z.number(),
  runsFlagged: z.int(),
});
const studySchema = z.strictObject({ detection: z.array(rowSchema), power: z.array(rowSchema) });
export type BlocStudy = z.infer<typeof studySchema>;

export const readBlocStudy = (): BlocStudy => studySchema.parse(JSON.parse(readFileSync(BLOCS_FILE, "utf8")));

if (import.meta.main) {
  const runs = process.argv[2] ?? "100";
  writeFileSync(BLOCS_FILE, `${JSON.stringify(studySchema.parse(measured(MEASURE, [runs])), null, 2)}\n`);
}
