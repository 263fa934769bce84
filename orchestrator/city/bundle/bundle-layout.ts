import { z } from "zod";
import { addressSchema } from "../../primitives/address.ts";
import { parseContentId } from "../../primitives/hash.ts";
import type { ContentId } from "../../primitives/hex.ts";
import { cityAddressesSchema } from "../../protocol/addresses.ts";

/** Files of a mission's bundle, apart from its manifest and blocks. */
export const BUNDLE_FILES = {
  /** The chain's transcript: replaying it gives every block. */
  chain: "chain.ndjson",
  /** The city's log up to the entry whose hash is anchored. */
  log: "log.ndjson",
  /** The mission as it was given. */
  mission: "mission.yaml",
  /** The law in words; docHash is the keccak of these bytes. */
  document: "document.json",
  /** The input's items; the law names their digest. */
  input: "input.json",
  /** Which city, session and mission this is. */
  city: "city.json",
  /** The document printed by `--json`. */
  outcome: "outcome.json",
  /** Goal, result, uncertainties and cost, for people. */
  report: "report.md",
} as const;

const BLOCKS = "blocks/";

export function blockFile(id: ContentId): string {
  return `${BLOCKS}${id}`;
}

/** The id of a block's file, or undefined for another file. */
export function blockIdOf(file: string): ContentId | undefined {
  return file.startsWith(BLOCKS) ? parseContentId(file.slice(BLOCKS.length)) : undefined;
}

const decimal = z.string().regex(/^(0|[1-9]\d*)$/);

/** Which mission of which city. The same fields are in the log's closing entry, so that the chain vouches for them. */
const cityFactsSchema = z.strictObject({
  addresses: cityAddressesSchema,
  chainId: z.int().positive(),
  mission: addressSchema,
  seed: z.string(),
  session: decimal,
  /** Names of accounts, for people; a devnet's follow from its known keys. */
  members: z.record(addressSchema, z.string()).optional(),
});
export type CityFacts = z.output<typeof cityFactsSchema>;

/** `city.json`. */
export const bundledCitySchema = z.strictObject({ ...cityFactsSchema.shape, name: z.string() });

/** Kind of a mission's last log entry, which ties the rest of the bundle to the anchored root. */
export const CLOSING_KIND = "mission.closing";
export const closingSchema = z.strictObject({
  ...cityFactsSchema.shape,
  /** The mission file's text, as a block. */
  missionFile: z.string().transform(parseContentId),
  /** Questions to external seats, as a block (`callsSchema`); absent if all seats were in the city's process. */
  calls: z.string().transform(parseContentId).optional(),
});

/** A content id as a JSON string, as records name each other. */
const NAMED = /"(bafkrei[a-z2-7]{52})"/g;

/**
 * Blocks that some roots lead to: the roots themselves, present or not, and every block that is there and named, as a whole
 * string, by one of them. Sorted.
 */
export function reachableBlocks(roots: Iterable<ContentId>, read: (id: ContentId) => Uint8Array | undefined): readonly ContentId[] {
  const reached = new Set<ContentId>(roots);
  for (const id of reached) {
    const bytes = read(id);
    if (bytes === undefined) continue;
    for (const [, name] of new TextDecoder().decode(bytes).matchAll(NAMED)) {
      const named = idOrNone(name ?? "");
      if (named !== undefined && read(named) !== undefined) reached.add(named);
    }
  }
  return [...reached].sort();
}

/** Text from outside may look like an id without being one. */
function idOrNone(text: string): ContentId | undefined {
  try {
    return parseContentId(text);
  } catch {
    return undefined;
  }
}
