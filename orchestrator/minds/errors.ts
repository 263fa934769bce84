import { AgentCityError } from "../primitives/errors.ts";

/** A mind answered with something that is not an answer. */
export class MindAnswerInvalid extends AgentCityError {
  constructor(what: string, problem: string) {
    super("MindAnswerInvalid", `A mind's ${what} cannot be used: ${problem}`, {
      action: "ask again, or give the agent another mind",
    });
  }
}

/** A goal that no law can divide. */
export class GoalNotFeasible extends AgentCityError {
  constructor(problem: string, action: string) {
    super("GoalNotFeasible", `No law can be drafted for this mission: ${problem}`, { action });
  }
}
