/**
 * How another command of this machine gets a hearing's bundle from the process that owns the city, which alone has its records open: by files in
 * the city's folder, where nobody else can write.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AgentCityError, messageOf } from "../../primitives/errors.ts";
import { writeFileAtomic } from "../../primitives/files.ts";
import { type Hash, hashSchema } from "../../primitives/hex.ts";
import { canonicalJson } from "../../primitives/json.ts";
import { readStateFile } from "../../primitives/state-file.ts";
import type { City } from "../city.ts";
import { writeHearingBundle } from "./hearing-bundle.ts";

const requestSchema = z.strictObject({ directory: z.string().min(1) });
const problemSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  details: z.string().optional(),
  action: z.string().optional(),
});
const answerSchema = z.strictObject({ problem: problemSchema.nullable() });

const ASK_AGAIN = "run `npm run hearing` again";
/** Between two looks of the command that waits, and for as long as it waits to be noticed; milliseconds. */
const LOOK = 100;
const PATIENCE = 60_000;

const folderOf = (cityDir: string): string => join(cityDir, "bundle-requests");
const requestOf = (cityDir: string, key: Hash): string => join(folderOf(cityDir), `${key}.request.json`);
const answerOf = (cityDir: string, key: Hash): string => join(folderOf(cityDir), `${key}.answer.json`);

/** The process that owns the city does not look at requests. */
export class OwnerBusy extends AgentCityError {
  constructor() {
    super("OwnerBusy", "The process that owns this city writes no bundles now", {
      action: "wait until its mission is over, or stop it: then this command opens the city itself",
    });
  }
}

/** What the caller of a request has. */
export interface Waiting {
  readonly sleep: (millis: number) => Promise<void>;
  /** Whether the city's process still runs. */
  readonly isAlive: () => boolean;
}

/**
 * Has the city's process write a hearing's bundle. False: it ended before it did. Throws OwnerBusy, and what the process could not do as
 * AgentCityError.
 */
export async function requestHearingBundle(cityDir: string, key: Hash, directory: string, { sleep, isAlive }: Waiting): Promise<boolean> {
  mkdirSync(folderOf(cityDir), { recursive: true });
  const [request, answer] = [requestOf(cityDir, key), answerOf(cityDir, key)];
  rmSync(answer, { force: true });
  writeFileAtomic(request, canonicalJson({ directory }));
  try {
    for (let waited = 0; isAlive(); waited += LOOK) {
      const found = readStateFile(answer, answerSchema, ASK_AGAIN);
      if (found !== undefined) {
        if (found.problem === null) return true;
        const { code, message, details, action } = found.problem;
        throw new AgentCityError(code, message, { details, action });
      }
      if (waited >= PATIENCE && isWaiting(cityDir, key)) throw new OwnerBusy();
      await sleep(LOOK);
    }
    return false;
  } finally {
    for (const file of [request, answer]) rmSync(file, { force: true });
  }
}

/** A request is taken away when it is noticed. */
function isWaiting(cityDir: string, key: Hash): boolean {
  return requestsIn(cityDir).includes(key);
}

function requestsIn(cityDir: string): readonly Hash[] {
  // The owner looks every turn of its loop: nothing is made there before somebody asks.
  if (!existsSync(folderOf(cityDir))) return [];
  return readdirSync(folderOf(cityDir)).flatMap((name) => hashSchema.safeParse(name.replace(/\.request\.json$/, "")).data ?? []);
}

/** Answers requests for bundles in the process that owns the city. */
export class BundleRequests {
  readonly #city: City;

  constructor(city: City) {
    this.#city = city;
  }

  /** Answers what was asked since the last time; whatever goes wrong is its asker's. */
  async step(): Promise<void> {
    const { dir } = this.#city;
    for (const key of requestsIn(dir)) {
      const problem = await this.#write(key).then(() => null, plainly);
      writeFileAtomic(answerOf(dir, key), canonicalJson({ problem }));
    }
  }

  async #write(key: Hash): Promise<void> {
    const { dir } = this.#city;
    const request = requestOf(dir, key);
    let asked: z.output<typeof requestSchema> | undefined;
    try {
      asked = readStateFile(request, requestSchema, ASK_AGAIN);
    } finally {
      rmSync(request, { force: true });
    }
    if (asked !== undefined) await writeHearingBundle(this.#city, key, asked.directory);
  }
}

function plainly(error: unknown): z.output<typeof problemSchema> {
  return error instanceof AgentCityError ? error.toPlain() : { code: "Failed", message: messageOf(error) };
}
