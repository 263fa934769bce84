import { AgentCityError } from "../primitives/errors.ts";

/** A stored block is missing, or does not match its name. */
export class BlockDamaged extends AgentCityError {
  readonly file: string;
  constructor(file: string, problem: string) {
    super("BlockDamaged", `The block ${file} ${problem}`, {
      action: "restore the file from a bundle; its name is the hash of what it must hold",
    });
    this.file = file;
  }
}

/** Another version of this program created the database. */
export class MigrationMismatch extends AgentCityError {
  constructor(found: string, expected: string) {
    super("MigrationMismatch", "The records were made by another version", {
      details: `found migration "${found}" where this version has "${expected}"`,
      action: "use the version that made them, or start with an empty directory or database",
    });
  }
}

/** A new city was given a database that holds another city's records. */
export class DatabaseInUse extends AgentCityError {
  constructor() {
    super("DatabaseInUse", "The database has another city's records", {
      action: "give each city an empty database of its own: createdb <name>",
    });
  }
}

/** The records cannot be opened or reached. */
export class DatabaseUnreachable extends AgentCityError {
  constructor(where: string, reason: string, cause?: unknown) {
    super("DatabaseUnreachable", `The records at ${where} cannot be opened`, {
      details: reason,
      action: "check the path or the Postgres URL, and that no other process has the directory open",
      cause,
    });
  }
}

/** The records' own files are damaged or missing. */
export class RecordsDamaged extends AgentCityError {
  constructor(where: string, problem: string, cause?: unknown) {
    super("RecordsDamaged", `The records at ${where} are damaged: ${problem}`, {
      action:
        "restore the folder from a copy; or start a new city (npm start), which moves this one aside. Bundles of finished missions are elsewhere and stay",
      cause,
    });
  }
}

/** The log's hash chain breaks at this entry. */
export class LogBroken extends AgentCityError {
  readonly seq: number;
  constructor(seq: number, problem: string) {
    super("LogBroken", `Entry ${seq} of the log does not hold: ${problem}`, {
      action: "the log was changed after it was written; trust the chain and the bundles, not this log",
    });
    this.seq = seq;
  }
}

/** The bundle's mission ran under contracts with different calls. */
export class BundleOfAnotherEdition extends AgentCityError {
  constructor(found: number, known: number) {
    super("BundleOfAnotherEdition", `The bundle is of edition ${found} of the law, this version verifies edition ${known}`, {
      action: "verify it with the version of agentcity that made it",
    });
  }
}

/** A file of a bundle does not match the manifest. `file` is relative to the bundle. */
export class BundleDamaged extends AgentCityError {
  readonly file: string;
  constructor(file: string, problem: string, cause?: unknown) {
    super("BundleDamaged", `The bundle's file ${file} ${problem}`, {
      action: "get the bundle from its source again; nothing in it can be trusted as it is",
      cause,
    });
    this.file = file;
  }
}

/** A file was left out of a bundle because its recipient may not read it. */
export class Withheld extends AgentCityError {
  readonly file: string;
  constructor(file: string, of: string) {
    super("Withheld", `${file} is withheld from this bundle`, {
      details: `it is ${of} of a mission that is for its parties`,
      action: "ask the mission's sponsor for the whole bundle",
    });
    this.file = file;
  }
}
