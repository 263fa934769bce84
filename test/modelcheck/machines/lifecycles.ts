import { requireArc, type TransitionTable } from "../../../orchestrator/rules/arcs.ts";
import { RuleError } from "../../../orchestrator/rules/rule-error.ts";
import { missionTransitions } from "../../../orchestrator/rules/transitions/mission.ts";
import { nodeTransitions } from "../../../orchestrator/rules/transitions/node.ts";
import { sessionTransitions } from "../../../orchestrator/rules/transitions/session.ts";
import type { Machine, Move } from "../explore.ts";

interface Lifecycle {
  readonly name: string;
  readonly table: bigint;
  readonly states: readonly string[];
  /** States that are an answer; reached for good unless `reopens`. */
  readonly ends: readonly string[];
  readonly reopens?: readonly string[];
}

/** A walk over a table of arcs. `met`: which ends it has been in, so that leaving one is seen. */
interface State {
  readonly at: number;
  readonly left: boolean;
}

const of = <Name extends string>(
  name: string,
  { states, table }: TransitionTable<Name>,
  ends: readonly NoInfer<Name>[],
  reopens: readonly NoInfer<Name>[] = [],
): Lifecycle => ({ name, states, table, ends, reopens });

export const LIFECYCLES: readonly Lifecycle[] = [
  of("session", sessionTransitions, ["DEPLOYED", "FAILED", "EXPIRED", "CANCELLED"]),
  of("mission", missionTransitions, ["COMPLETED", "FAILED", "ABORTED"]),
  of("node", nodeTransitions, ["COMPLETED", "FAILED"], ["FAILED"]),
];

/** The arcs alone, as the contracts' own tables have them: an end is reached from everywhere, and kept. */
export function lifecycleOf({ name, table, states, ends, reopens = [] }: Lifecycle): Machine<State> {
  const isEnd = (at: number) => ends.includes(states[at] ?? "");
  return {
    name: `arcs: ${name}`,
    about: `every arc of contracts/libraries/${name.charAt(0).toUpperCase()}${name.slice(1)}Transitions.sol`,
    initial: { at: 0, left: false },
    *moves({ at }): Iterable<Move<State>> {
      for (const [to, label] of states.entries()) {
        try {
          requireArc(table, at, to);
        } catch (error) {
          if (error instanceof RuleError) continue;
          throw error;
        }
        yield { label, next: { at: to, left: isEnd(at) && !reopens.includes(states[at] ?? "") } };
      }
    },
    key: ({ at, left }) => `${at}${left}`,
    invariants: [{ name: "an end is kept", holds: ({ left }) => !left }],
    end: ({ at }) => isEnd(at),
  };
}

/** The same with one arc taken away, or put in. */
export function withArc(lifecycle: Lifecycle, from: string, to: string): Lifecycle {
  const [source, target] = [lifecycle.states.indexOf(from), lifecycle.states.indexOf(to)];
  if (source < 0 || target < 0) throw new Error(`${lifecycle.name} has no arc ${from} → ${to}`);
  return { ...lifecycle, table: lifecycle.table ^ (1n << BigInt(16 * source + target)) };
}
