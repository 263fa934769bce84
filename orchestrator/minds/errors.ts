import { AgentCityError } from "../primitives/errors.ts";

/** A mind's answer is invalid. */
export class MindAnswerInvalid extends AgentCityError {
  constructor(what: string, problem: string) {
    super("MindAnswerInvalid", `A mind's ${what} is invalid: ${problem}`, {
      action: "ask again, or give the agent another mind",
    });
  }
}

/** No law can divide the goal into nodes. */
export class GoalNotFeasible extends AgentCityError {
  constructor(
    problem: string,
    action: string,
    { code = "GoalNotFeasible", details }: { readonly code?: string; readonly details?: string } = {},
  ) {
    super(code, `No law can be drafted for this mission: ${problem}`, { action, details });
  }
}

/** No plan reaches the goal with the available services. Nothing has been paid. */
export class NoPlan extends AgentCityError {
  /** Id of the closest service, or null. */
  readonly nearest: string | null;
  constructor(problem: string, nearest: string | null) {
    super("NoPlan", `No plan reaches this goal: ${problem}`, {
      details: "no session was opened, and nothing was paid",
      action: "rephrase it in the words of a service in docs/service-catalog.md, list `tasks`, or add your own service with `services:`",
    });
    this.nearest = nearest;
  }
}
