import { z } from "zod";

/**
 * Predicates that a mission file calls by name: the contract that has to be behind the name, and the number under which a city's
 * adjudicators approve it. Any other predicate is called by its number.
 */
export const NAMED_GATES = {
  "non-empty-output": { number: 1, contract: "collaboration/predicates/NonEmptyOutput" },
} as const;
type GateName = keyof typeof NAMED_GATES;

/** A law has 16 bits for it; 0 is none. */
const MOST = 65_535;
const names = Object.keys(NAMED_GATES).join(", ");

/** What decides on chain whether a task's outputs pass (AgentCity 3.5, Gate). */
export const gateSchema = z.union([z.enum(["non-empty-output"] satisfies GateName[]), z.int().min(1).max(MOST)], {
  error: `expected ${names}, or the number of an approved predicate, 1 to ${MOST}`,
});
export type Gate = z.infer<typeof gateSchema>;

/** How a law names a gate; 0 is none. */
export function gateNumber(gate: Gate | undefined): number {
  return gate === undefined ? 0 : typeof gate === "number" ? gate : NAMED_GATES[gate].number;
}
