import { readFileSync } from "node:fs";
import { z } from "zod";
import { AgentCityError, messageOf } from "./errors.ts";
import { isSystemError } from "./files.ts";
import { parseJson } from "./json.ts";

/** A state file of this program is damaged. */
export class StateDamaged extends AgentCityError {
  readonly path: string;
  constructor(path: string, problem: string, action: string, cause?: unknown) {
    super("StateDamaged", `${path} is damaged: ${problem}`, { action, cause });
    this.path = path;
  }
}

/** Reads a JSON state file; undefined if there is none. `action`: what to do if it is damaged. */
export function readStateFile<Value>(path: string, schema: z.ZodType<Value>, action: string): Value | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return undefined;
    throw new StateDamaged(path, messageOf(error), action, error);
  }
  if (text === "") throw new StateDamaged(path, "it is empty", action);
  try {
    return schema.parse(parseJson(text));
  } catch (error) {
    throw new StateDamaged(path, error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error), action, error);
  }
}
