import { AgentCityError } from "../primitives/errors.ts";

/** A seat gave no valid answer: it was absent, too late, declined, or answered something else. */
export class SeatAbsent extends AgentCityError {
  constructor(name: string, question: string, why: string) {
    super("SeatAbsent", `${name} gave no answer to ${question}`, { details: why });
  }
}

/** The answer of a seat; undefined if it is absent. */
export async function unlessAbsent<Answer>(question: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof SeatAbsent) return undefined;
    throw error;
  }
}
