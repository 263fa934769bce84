import { AgentCityError } from "../../primitives/errors.ts";

/** A mission's input is not where its file says. */
export class InputNotFound extends AgentCityError {
  constructor(path: string, from: string) {
    super("InputNotFound", `The input ${path} does not exist`, {
      details: `looked from ${from}`,
      action: "correct `input.path` in the mission file, or name another input with --input",
    });
  }
}

/** A mission's input is larger than a mission can hold. */
export class InputTooLarge extends AgentCityError {
  constructor(path: string, details: string) {
    super("InputTooLarge", `The input ${path} is too large`, { details, action: "split the mission, or point it at a part of the input" });
  }
}

/** A mission's input is there but is not of the kind its file says. */
export class InputUnreadable extends AgentCityError {
  constructor(path: string, details: string, cause?: unknown) {
    super("InputUnreadable", `The input ${path} cannot be read`, { details, cause });
  }
}
