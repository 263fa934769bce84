import { join } from "node:path";
import { z } from "zod";
import { signedItemSchema } from "../../execution/evidence.ts";
import { type Hash, hashSchema } from "../../primitives/hex.ts";
import { readStateFile } from "../../primitives/state-file.ts";
import { MAX_EVIDENCE } from "../../protocol/hearing.ts";
import { hearingTermsSchema } from "../../protocol/hearing-schema.ts";

/** A job that was brought before a panel, as the city keeps it: one file per job. */
const keptHearingSchema = z.strictObject({
  terms: hearingTermsSchema,
  /** Block of the commission. */
  commission: z.string(),
  delivered: z
    .strictObject({ handed: z.string(), salt: hashSchema, trailRoot: hashSchema, items: z.array(signedItemSchema).max(MAX_EVIDENCE) })
    .nullable(),
  isOver: z.boolean(),
  /** The address that brought it, where that is known. */
  by: z.string().default(""),
  /** The block from which on the escrow is asked what was submitted. */
  since: z.int().nonnegative().default(0),
});
export type KeptHearing = z.output<typeof keptHearingSchema>;

const DAMAGED = "restore it from a copy, or remove it: its parties can bring the job again";

/** The folder of a city's jobs. */
export const hearingsFolder = (cityFolder: string): string => join(cityFolder, "hearings");

export const hearingFile = (folder: string, key: Hash): string => join(folder, `${key}.json`);

/** Undefined if there is no such file. Throws StateDamaged. */
export const readHearing = (file: string): KeptHearing | undefined => readStateFile(file, keptHearingSchema, DAMAGED);
