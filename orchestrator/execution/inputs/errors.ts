import type { InputKind } from "../../../services/shared/contract.ts";
import { AgentCityError } from "../../primitives/errors.ts";

/** A mission's input does not exist. */
export class InputNotFound extends AgentCityError {
  constructor(path: string, from: string) {
    super("InputNotFound", `The input ${path} does not exist`, {
      details: `looked from ${from}`,
      action: "correct `input.path` (relative to the mission file), or name another input with --input",
    });
  }
}

/** Minimum content of an input of each kind. */
const LEAST: Readonly<Record<InputKind, string>> = {
  packages: "no package is installed below it: point it at a folder with package.json files, such as node_modules",
  files: "no file is in it: point it at a folder that has some (links, .git and node_modules are not followed)",
  csv: "it has no record: the first line names the columns, and at least one more line is needed",
  urls: "it contains no address: write one per line (empty lines and those that begin with # are ignored)",
};

/** A mission's input exists but is empty: no one is asked, and nothing is paid. */
export class InputEmpty extends AgentCityError {
  constructor(path: string, kind: InputKind) {
    super("InputEmpty", `The input ${path} is empty`, { action: LEAST[kind] });
  }
}

/** A mission's input is too large for a mission. */
export class InputTooLarge extends AgentCityError {
  constructor(path: string, details: string) {
    super("InputTooLarge", `The input ${path} is too large`, { details, action: "split the mission, or point it at a part of the input" });
  }
}

/** A mission's input is not of the stated kind. */
export class InputUnreadable extends AgentCityError {
  constructor(path: string, details: string, cause?: unknown) {
    super("InputUnreadable", `The input ${path} cannot be read`, { details, cause });
  }
}
