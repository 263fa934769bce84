import { missionTransitions } from "../../../../orchestrator/rules/transitions/mission.ts";
import type { Machine } from "../../explore.ts";
import type { GuardName } from "./guards.ts";
import { LAWS, type LawName, REVIEWED, WORKED_ON } from "./laws.ts";
import { type MissionOptions, mission, unhurried, workedOn } from "./mission.ts";
import type { State } from "./state.ts";

interface Dropped {
  readonly law: LawName;
  readonly guard: GuardName;
}

/** Each guard, and the mission that needs it. */
export const DROPPED: readonly Dropped[] = [
  { law: "two nodes in sequence", guard: "a stopped mission routes nothing" },
  { law: "two nodes in sequence", guard: "a waiting node that is reopened goes on waiting" },
  { law: "two nodes in sequence", guard: "too few commitments end the attempt" },
  { law: "two nodes in sequence", guard: "what was committed is decided before the end" },
  { law: "a human's node, an output that is vetoed", guard: "what a human approved is recorded at once" },
  { law: "decisions under appeal", guard: "a claim waits for the window" },
  { law: "decisions under appeal", guard: "a claim waits for open appeals" },
  { law: "decisions under appeal", guard: "bonds go back with the claim" },
  { law: "decisions under appeal", guard: "waiting slashes keep the books open" },
  { law: "decisions under appeal", guard: "what is owed keeps the books open" },
  { law: "decisions under appeal", guard: "a settled slash is not appealed" },
  { law: "decisions under appeal", guard: "a successor ends no appeal" },
  { law: "executors whose mandate is amended", guard: "who was dropped is not brought back" },
  { law: "executors whose mandate is amended", guard: "an amendment is an attempt" },
];

export const without = ({ law, guard }: Dropped): Machine<State> => mission(law, LAWS[law], { without: [guard] });

/** Who works could not finish: the bids for a later node are never looked at. */
export const PASSED_OVER: GuardName = "a node with a market of its own is passed over";

/** A review would be waited for without end. */
const ASKED_ONCE: GuardName = "the backup pool is asked once";

const unmade = (law: LawName, call: NonNullable<MissionOptions["unmade"]>[number]): [string, Machine<State>] => [
  `nobody may call ${call}`,
  mission(law, LAWS[law], { unmade: [call] }),
];

const SOURCE_BITS = 16n;
/** A degraded mission that no arc leaves. */
const withoutWayOut = (): bigint =>
  missionTransitions.table & ~(0xffffn << (SOURCE_BITS * BigInt(missionTransitions.states.indexOf("DEGRADED"))));

/** One guard, call or row of a table less: the promise that it keeps is broken, and the checker says how. */
export const missionMutants = (): readonly (readonly [name: string, machine: Machine<State>])[] => [
  ...DROPPED.map((dropped): [string, Machine<State>] => [`without "${dropped.guard}"`, without(dropped)]),
  [`without "${PASSED_OVER}"`, workedOn("worked on", WORKED_ON, { without: [PASSED_OVER] })],
  [`without "${ASKED_ONCE}"`, unhurried("reviewed", REVIEWED, { without: [ASKED_ONCE] })],
  unmade("a human's node, an output that is vetoed", "abort"),
  unmade("decisions under appeal", "claim"),
  unmade("everything that watches a node", "expire"),
  [
    "a degraded mission has no way out",
    mission("degraded", LAWS["everything that watches a node"], { tables: { mission: withoutWayOut() } }),
  ],
];
