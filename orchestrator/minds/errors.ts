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
  constructor(
    problem: string,
    action: string,
    { code = "GoalNotFeasible", details }: { readonly code?: string; readonly details?: string } = {},
  ) {
    super(code, `No law can be drafted for this mission: ${problem}`, { action, details });
  }
}

/** A goal without tasks that no plan reaches with the services there are. Nothing has been paid. */
export class NoPlan extends AgentCityError {
  /** Id of the service that comes nearest, or null. */
  readonly nearest: string | null;
  constructor(problem: string, nearest: string | null) {
    super("NoPlan", `No plan reaches this goal: ${problem}`, {
      details: "no session was opened, and nothing was paid",
      action: "say it in the words of a service in docs/service-catalog.md, list `tasks`, or add a service of your own with `services:`",
    });
    this.nearest = nearest;
  }
}
