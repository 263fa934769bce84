import { z } from "zod";

/**
 * Gates that a mission file may name: the contract required behind the name, and the number under which a city's adjudicators approve it.
 * Other gates are named by number.
 */
export const NAMED_GATES = {
  "non-empty-output": { number: 1, contract: "collaboration/predicates/NonEmptyOutput", asksCity: false },
  /** Its constructor takes the city's constitution. */
  "keeps-schema": { number: 2, contract: "collaboration/predicates/KeepsSchema", asksCity: true },
} as const;
type GateName = keyof typeof NAMED_GATES;

/** A law stores it in 16 bits; 0 means no gate. */
const MOST = 65_535;
const names = Object.keys(NAMED_GATES).join(", ");

/** The on-chain check of a task's outputs (AgentCity 3.5, Gate). */
export const gateSchema = z.union([z.enum(["non-empty-output", "keeps-schema"] satisfies GateName[]), z.int().min(1).max(MOST)], {
  error: `expected ${names}, or the number of an approved predicate, 1 to ${MOST}`,
});
export type Gate = z.infer<typeof gateSchema>;

/** A gate's number in a law; 0 for none. */
export function gateNumber(gate: Gate | undefined): number {
  return gate === undefined ? 0 : typeof gate === "number" ? gate : NAMED_GATES[gate].number;
}
