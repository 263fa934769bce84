import type { Mind } from "../minds/mind.ts";
import type { Work } from "./policy.ts";

/** What an owner can decide in its own code: a mind's decisions, and how work is done that nobody runs again. */
export interface Handlers extends Mind {
  /**
   * Makes a node's output from its input. Only where executors' outputs are compared (tier 2) or read by a human (tier 3): elsewhere
   * an issuer runs the service's own code again, and so does the agent.
   */
  perform(work: Work): unknown;
}

/** What may be handled; the rest of the calls follow from these decisions. */
export const HANDLED = ["plan", "draft", "speak", "rank", "bid", "perform"] as const satisfies readonly (keyof Handlers)[];
