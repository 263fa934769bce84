import { AgentCityError } from "../primitives/errors.ts";

/** The chain replaced blocks that the hub had to consider final. */
export class ReorgTooDeep extends AgentCityError {
  constructor(block: number) {
    super("ReorgTooDeep", `The chain's history differs from the hub's further back than block ${block}`, {
      action: "ask the operator of the chain's node: either this is another chain, or finality was lost",
    });
  }
}

/** The chain was reorganized during a read. Nothing was written: repeat the read. */
export class ReadTorn extends AgentCityError {
  constructor(block: number) {
    super("ReadTorn", `Block ${block} was replaced while the hub read it`, { action: "synchronize again" });
  }
}

/** Another process advanced this hub's cursor. Nothing was written. */
export class HubTaken extends AgentCityError {
  constructor() {
    super("HubTaken", "Another process is writing to this hub", { action: "let one process own the city's records" });
  }
}

/** The stream's hash chain breaks at this entry. */
export class StreamBroken extends AgentCityError {
  readonly sequence: number;
  constructor(sequence: number, problem: string) {
    super("StreamBroken", `Entry ${sequence} of the hub is invalid: ${problem}`, {
      action: "the hub was changed after it was written; delete its tables, and it is rebuilt from chain and log",
    });
    this.sequence = sequence;
  }
}

/** Not a cursor that this hub issued. */
export class BadCursor extends AgentCityError {
  constructor(cursor: string) {
    super("BadCursor", "The cursor is not one of this hub's", { details: cursor.slice(0, 80), action: "begin without a cursor" });
  }
}

/** Payloads are kept for at least two years (AgentCity B.12). */
export class RetentionTooShort extends AgentCityError {
  constructor(asked: number, least: number) {
    super("RetentionTooShort", `Payloads must be kept for at least ${least} months, not ${asked}`, { action: `ask for ${least} or more` });
  }
}
