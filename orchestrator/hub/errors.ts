import { AgentCityError } from "../primitives/errors.ts";

/** The chain replaced blocks that the hub had every reason to call final. */
export class ReorgTooDeep extends AgentCityError {
  constructor(block: number) {
    super("ReorgTooDeep", `The chain's history differs from the hub's further back than block ${block}`, {
      action: "ask the operator of the chain's node: either this is another chain, or finality was lost",
    });
  }
}

/** The chain was reorganized while it was read. Nothing was written: reading again will do. */
export class ReadTorn extends AgentCityError {
  constructor(block: number) {
    super("ReadTorn", `Block ${block} was replaced while the hub read it`, { action: "synchronize again" });
  }
}

/** Another process moved this hub's cursor. Nothing was written. */
export class HubTaken extends AgentCityError {
  constructor() {
    super("HubTaken", "Another process writes this hub", { action: "let one process own the city's records" });
  }
}

/** The stream's chain of hashes does not hold at this entry. */
export class StreamBroken extends AgentCityError {
  readonly sequence: number;
  constructor(sequence: number, problem: string) {
    super("StreamBroken", `Entry ${sequence} of the hub does not hold: ${problem}`, {
      action: "the hub was changed after it was written; delete its tables, it is read again from chain and log",
    });
    this.sequence = sequence;
  }
}

/** A cursor that no page of this hub ends with. */
export class BadCursor extends AgentCityError {
  constructor(cursor: string) {
    super("BadCursor", "The cursor is not one of this hub's", { details: cursor.slice(0, 80), action: "begin without a cursor" });
  }
}

/** Payloads are kept for two years at least (AgentCity B.12). */
export class RetentionTooShort extends AgentCityError {
  constructor(asked: number, least: number) {
    super("RetentionTooShort", `Payloads are kept for ${least} months at least, not ${asked}`, { action: `ask for ${least} or more` });
  }
}
