import type { CityClient } from "../client/client.ts";
import type { Ending } from "../execution/ending.ts";
import type { Address } from "../primitives/hex.ts";
import { actionNumber } from "../protocol/actions.ts";
import type { Outcome } from "../protocol/outcome.ts";
import { crashWords, faultWords } from "./fault-words.ts";
import { pastTenseOf } from "./verbs.ts";

type Failure = NonNullable<Outcome["failure"]>;
type Ended = Pick<Outcome, "status" | "nodes" | "released" | "human">;

/** Why a session that made no law made none. `reason` in words. */
export function noLawFailure(reason: string): Failure {
  return {
    node: null,
    reason: `no law was made: ${reason}`,
    action: "give the agents more room (a larger budget, a longer deadline, other services) and run the mission again; the deposit is back",
  };
}

/** Why a mission did not reach its goal; null if it did. */
export async function failureOf(
  client: CityClient,
  mission: Address,
  { status, nodes, released, human }: Ended,
  ending: Ending | undefined,
): Promise<Failure | null> {
  if (status === "completed") return released ? null : WITHHELD;
  if (ending !== undefined) return { node: ending.node, reason: ending.reason, action: ending.action };
  const failed = nodes.findLast(({ end }) => end === "failed") ?? nodes.find(({ failures }) => failures.length > 0);
  const last = failed?.failures.at(-1);
  if (human.some(({ action }) => action === pastTenseOf(actionNumber("TERMINATE_MISSION")))) return TERMINATED;
  const halted = await haltOf(client, mission);
  if (halted !== undefined) return halted;
  if (failed === undefined || last === undefined) return EXPIRED;
  const crash = failed.executors.find(({ attempt, fault }) => attempt === last.attempt && fault !== null)?.fault;
  const { action } = crash == null ? faultWords(last.reason, failed.tier) : crashWords(crash);
  const tries = failed.failures.length === 1 ? "" : ` (${failed.failures.length} attempts)`;
  return { node: failed.label, reason: `${failed.label} failed: ${last.words}${tries}`, action };
}

const WITHHELD: Failure = {
  node: null,
  reason: "all work is done, but the city's records and the chain differ, so nothing was handed out",
  action: "restore the city's folder from a backup, and audit the bundle",
};
const TERMINATED: Failure = {
  node: null,
  reason: "adjudicators ended the mission",
  action: "read their justification in the audited bundle",
};
const EXPIRED: Failure = {
  node: null,
  reason: "the mission's time was over before its work was done",
  action: "give it a longer `deadline` and run it again",
};

/** External causes of a mission's end: adjudicators, a stop that was not lifted, a silent chain. */
async function haltOf(client: CityClient, mission: Address): Promise<Failure | undefined> {
  const contract = client.mission(mission);
  if ((await contract.watch()).stopped)
    return {
      node: null,
      reason: "an emergency stop ended it: adjudicators did not clear the stop",
      action: "read why it was stopped (HUMAN, and the log), and run the mission again",
    };
  const silent = (await contract.history("MissionDegraded")).length > (await contract.history("MissionRecovered")).length;
  if (silent)
    return {
      node: null,
      reason: "the chain was silent for too long, and adjudicators did not resume the mission afterwards",
      action: "check the chain's node, and run the mission again",
    };
  return undefined;
}
