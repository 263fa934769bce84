import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AgentCityError } from "../../primitives/errors.ts";
import { writeFileAtomic } from "../../primitives/files.ts";
import { parseJson } from "../../primitives/json.ts";

const FOLDER = "waiting";

/** The file at this place is not of the kind that its name says. */
export class WaitingFileBad extends AgentCityError {
  constructor(path: string, cause: unknown) {
    super("WaitingFileBad", `${path} is not a valid file of a waiting mission or an adjudicator`, {
      action: "run the mission again, which rewrites its files; sign with npm run override or npm run approve-codification",
      cause,
    });
  }
}

interface Schema<Value> {
  parse(value: unknown): Value;
}

/** Reads such a file wherever it was carried. */
export function readWaiting<Value>(path: string, schema: Schema<Value>): Value {
  try {
    return schema.parse(parseJson(readFileSync(path, "utf8")));
  } catch (error) {
    throw new WaitingFileBad(path, error);
  }
}

export function writeWaiting(path: string, value: unknown): string {
  writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`);
  return path;
}

/** Files of one kind by which missions and adjudicators reach each other: they can be carried anywhere. */
export class WaitingFiles<Value> {
  readonly #folder: string;
  readonly #suffix: string;
  readonly #schema: Schema<Value>;

  /** `dir` is the network's folder, `.agentcity/embedded`. */
  constructor(dir: string, suffix: string, schema: Schema<Value>) {
    this.#folder = join(dir, FOLDER);
    this.#suffix = suffix;
    this.#schema = schema;
  }

  pathOf(name: string): string {
    return join(this.#folder, `${name}${this.#suffix}`);
  }

  write(name: string, value: Value): string {
    return writeWaiting(this.pathOf(name), value);
  }

  read(name: string): Value | undefined {
    const path = this.pathOf(name);
    return existsSync(path) ? readWaiting(path, this.#schema) : undefined;
  }

  remove(name: string): void {
    rmSync(this.pathOf(name), { force: true });
  }

  /** Every file of this kind, by name with numbers in their order. */
  list(): readonly string[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith(this.#suffix))
      .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
      .map((name) => join(this.#folder, name));
  }
}
