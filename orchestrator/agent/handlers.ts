import type { Mind } from "../minds/mind.ts";
import type { Work } from "./policy.ts";

/** Decisions that an owner can implement: a mind's, and how work is done that no issuer re-executes. */
export interface Handlers extends Mind {
  /**
   * Produces a node's output from its input. Called only where outputs are compared (tier 2) or reviewed by a human (tier 3); elsewhere an
   * issuer re-executes the service's own code, and so does the agent.
   */
  perform(work: Work): unknown;
}

/** Calls that can be handled. All others follow from these decisions. */
export const HANDLED = ["plan", "draft", "speak", "rank", "bid", "perform"] as const satisfies readonly (keyof Handlers)[];
