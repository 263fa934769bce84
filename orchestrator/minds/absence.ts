import { AgentCityError } from "../primitives/errors.ts";

/** A seat gave no answer that counts: it was away, too late, unwilling, or answered something else. */
export class SeatAbsent extends AgentCityError {
  constructor(name: string, question: string, why: string) {
    super("SeatAbsent", `${name} gave no answer to ${question}`, { details: why });
  }
}

/** The answer of a seat, or undefined if there is none. */
export async function unlessAbsent<Answer>(question: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof SeatAbsent) return undefined;
    throw error;
  }
}
