import { requireArc } from "../../../orchestrator/rules/arcs.ts";
import { RuleError } from "../../../orchestrator/rules/rule-error.ts";
import { type SessionStateName, sessionTransitions } from "../../../orchestrator/rules/transitions/session.ts";
import type { Machine, Move } from "../explore.ts";

const { states } = sessionTransitions;
const ENDS: readonly SessionStateName[] = ["DEPLOYED", "FAILED", "EXPIRED", "CANCELLED"];

/** A walk over the arcs. `left`: it has been in an end, and is no more. */
interface State {
  readonly at: SessionStateName;
  readonly left: boolean;
}

/** The arcs of a session alone: an end is reached from everywhere, and kept. */
export const session = (table: bigint = sessionTransitions.table): Machine<State> => ({
  name: "arcs: session",
  about: "every arc of contracts/libraries/SessionTransitions.sol",
  initial: { at: "NONE", left: false },
  *moves({ at }): Iterable<Move<State>> {
    for (const [to, label] of states.entries()) {
      try {
        requireArc(table, states.indexOf(at), to);
      } catch (error) {
        if (error instanceof RuleError) continue;
        throw error;
      }
      yield { label, next: { at: label, left: ENDS.includes(at) } };
    }
  },
  key: ({ at, left }) => `${at}${left}`,
  invariants: [{ name: "an end is kept", holds: ({ left }) => !left }],
  end: ({ at }) => ENDS.includes(at),
});

/** The table with one arc put in. */
export function withArc(from: SessionStateName, to: SessionStateName): bigint {
  return sessionTransitions.table | (1n << BigInt(16 * states.indexOf(from) + states.indexOf(to)));
}
