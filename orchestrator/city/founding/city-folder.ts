import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { AgentCityError } from "../../primitives/errors.ts";
import { isSystemError, writeFileAtomic } from "../../primitives/files.ts";
import { canonicalJson } from "../../primitives/json.ts";
import { readStateFile } from "../../primitives/state-file.ts";

/** A city's first file, which identifies its folder, with the seed it was founded with. */
const FOUNDING_FILE = "founding.json";
const foundingSchema = z.strictObject({ seed: z.string() });

const DAMAGED = 'restore it from a copy, or write {"seed":"<the city\'s seed>"} into it: city.json of a mission\'s bundle names the seed';

/** Leftovers of a process that ended before it wrote the founding file. */
const LEFT_BEFORE_FOUNDING = /^(lock|fence)(\.|$)/;

/** The folder holds files, and none of them says that it is a city. */
export class NotACity extends AgentCityError {
  constructor(dir: string, found: readonly string[]) {
    super("NotACity", `${dir} is not a city's folder: nothing in it is touched`, {
      details: `it holds ${found.slice(0, 3).join(", ")}${found.length > 3 ? ` and ${found.length - 3} more` : ""}, and no ${FOUNDING_FILE}`,
      action: "set AGENTCITY_HOME to another folder, or move these files away",
    });
  }
}

/** The city at this place was founded with another seed. */
export class SeedDiffers extends AgentCityError {
  constructor(dir: string, founded: string, asked: string) {
    super("SeedDiffers", `The city in ${dir} was founded with seed ${founded}, not ${asked}`, {
      action: `leave --seed out, or start a new city: npm start -- --seed ${asked}`,
    });
  }
}

/** The seed of the city in this folder; undefined for an empty folder. Throws NotACity for a folder with other content. */
export function foundedSeed(dir: string): string | undefined {
  const names = namesIn(dir);
  const others = names.filter((name) => !LEFT_BEFORE_FOUNDING.test(name));
  if (!names.includes(FOUNDING_FILE)) {
    if (others.length > 0) throw new NotACity(dir, others);
    return undefined;
  }
  return readStateFile(join(dir, FOUNDING_FILE), foundingSchema, DAMAGED)?.seed;
}

/** Marks the folder as a city's; true when the city is founded now. */
export function claimFolder(dir: string, seed: string): boolean {
  const founded = foundedSeed(dir);
  if (founded === undefined) writeFileAtomic(join(dir, FOUNDING_FILE), `${canonicalJson({ seed })}\n`);
  else if (founded !== seed) throw new SeedDiffers(dir, founded, seed);
  return founded === undefined;
}

/** Cities that were moved aside, `<folder>.1`, `<folder>.2` …, oldest first. */
export function earlierCities(dir: string): readonly string[] {
  const home = join(dir, "..");
  const pattern = new RegExp(`^${basename(dir)}\\.([1-9]\\d*)$`);
  const numbers = namesIn(home).flatMap((name) => pattern.exec(name)?.[1] ?? []);
  return numbers.sort((a, b) => Number(a) - Number(b)).map((number) => `${dir}.${number}`);
}

function namesIn(dir: string): readonly string[] {
  if (!existsSync(dir)) return [];
  try {
    return readdirSync(dir).sort();
  } catch (error) {
    if (isSystemError(error, "ENOTDIR")) throw new NotACity(dir, ["the content of a file"]);
    throw error;
  }
}
