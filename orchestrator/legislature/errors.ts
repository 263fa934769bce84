import { AgentCityError } from "../primitives/errors.ts";

/** The tally on chain is not what the recorded ballots give. */
export class TallyDisagrees extends AgentCityError {
  constructor(session: bigint, onChain: string, computed: string) {
    super("TallyDisagrees", `Session ${session}: the chain's tally is not what the ballots give`, {
      details: `on chain ${onChain}, computed ${computed}`,
      action: "do not go on: one of the two implementations of the rules is wrong",
    });
  }
}

/** The deployed mission is not what was approved. */
export class FidelityBroken extends AgentCityError {
  constructor(what: string, expected: string, actual: string) {
    super("FidelityBroken", `The deployed mission is not the approved law: ${what} differs`, {
      details: `expected ${expected}, found ${actual}`,
    });
  }
}

/** A mandated operation that this codifier cannot do. */
export class UnknownOperation extends AgentCityError {
  constructor(operation: string) {
    super("UnknownOperation", "The codifier is told to delegate an operation it does not know", {
      details: operation,
      action: "the adjudicators set mandates; this version knows those of protocol/operations.ts",
    });
  }
}

/** A node of the law that nobody in the city can run. */
export class NoWitness extends AgentCityError {
  constructor(title: string) {
    super("NoWitness", `No eligible producer has the capabilities that a node of "${title}" asks for`);
  }
}

/** A law of HIGH risk waits for an adjudicator. */
export class AuditNeeded extends AgentCityError {
  constructor(specHash: string) {
    super("AuditNeeded", "A law of HIGH risk is deployed only after an adjudicator approved its codification", {
      details: specHash,
      action: "let an adjudicator sign APPROVE_CODIFICATION, then run the mission again: the session goes on",
    });
  }
}
