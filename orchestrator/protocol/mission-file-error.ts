import { AgentCityError } from "../primitives/errors.ts";

/** Every reason for which a mission file is rejected. */
export type MissionFileProblem =
  | "AliasNotAllowed"
  | "BudgetOverCap"
  | "CyclicTasks"
  | "DuplicateKey"
  | "InputNotFound"
  | "InvalidBudget"
  | "InvalidDuration"
  | "InvalidField"
  | "InvalidOptions"
  | "MissingField"
  | "MissionFileTooLarge"
  | "ServiceMismatch"
  | "UnknownKey"
  | "UnknownService"
  | "UnknownTask"
  | "YamlSyntax";

/** A position in a text, counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A mission file that cannot become law, and where. `code` and `name` are the problem. */
export class MissionFileError extends AgentCityError {
  readonly fileName: string;
  readonly place: Place;

  constructor(problem: MissionFileProblem, fileName: string, place: Place, message: string, action?: string) {
    super(problem, `${fileName}:${place.line}:${place.column}: ${message}`, { action });
    this.fileName = fileName;
    this.place = place;
  }
}
