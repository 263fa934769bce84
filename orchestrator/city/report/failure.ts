import type { CityClient } from "../../client/client.ts";
import type { Ending } from "../../execution/ending.ts";
import { formatMoney } from "../../primitives/amounts.ts";
import type { Address } from "../../primitives/hex.ts";
import { actionNumber } from "../../protocol/actions.ts";
import { type Outcome, totalOf } from "../../protocol/outcome.ts";
import { pastTenseOf } from "../humans/verbs.ts";
import { isTooExpensive } from "../missions/epochs.ts";
import { crashWords, faultWords } from "./fault-words.ts";

type Failure = NonNullable<Outcome["failure"]>;
type Ended = Pick<Outcome, "status" | "nodes" | "released" | "human" | "epochs">;

/** Why a session that made no law made none, in words, and what helps. */
export function noLawFailure({ reason, action }: Pick<Failure, "reason" | "action">): Failure {
  return { node: null, reason: `no law was made: ${reason}`, action };
}

/** Why a mission did not reach its goal; null if it did. */
export async function failureOf(
  client: CityClient,
  mission: Address,
  { status, nodes, released, human, epochs }: Ended,
  ending: Ending | undefined,
): Promise<Failure | null> {
  if (status === "completed") return released ? null : WITHHELD;
  if (ending !== undefined) return { node: ending.node, reason: ending.reason, action: ending.action };
  const failed = nodes.findLast(({ end }) => end === "failed") ?? nodes.find(({ failures }) => failures.length > 0);
  const last = decisive(failed?.failures ?? []);
  const order = human.findLast(({ action }) => action === pastTenseOf(actionNumber("TERMINATE_MISSION")));
  if (order !== undefined) return terminated(order);
  const halted = await haltOf(client, mission);
  if (halted !== undefined) return halted;
  const decided = await client.mission(mission).history("OutputDecided");
  if (decided.at(-1)?.args.allowed === false) return VETOED;
  if (failed === undefined || last === undefined) return expired(nodes);
  const crash = failed.executors.find(({ attempt, fault }) => attempt === last.attempt && fault !== null)?.fault;
  const { action } = crash == null ? faultWords(last.reason, failed.tier) : crashWords(crash);
  const tries = failed.failures.length === 1 ? "" : ` (${failed.failures.length} attempts)`;
  const rejected = human.findLast(({ node, action: done }) => node === failed.label && done === pastTenseOf(actionNumber("REJECT_POP")));
  const why = last.reason !== "REJECTED" || rejected === undefined ? "" : ` (${rejected.adjudicator}: ${quoted(rejected.because)})`;
  const laws = epochs.length < 2 ? "" : `. ${lawsTried(epochs)}`;
  return { node: failed.label, reason: `${failed.label} failed: ${last.words}${why}${tries}${laws}`, action };
}

/** The failure that explains a node's: if a later attempt had no bids, all able agents had failed before. */
export function decisive<Attempt extends { readonly reason: string }>(failures: readonly Attempt[]): Attempt | undefined {
  return failures.findLast(({ reason }) => reason !== "NO_BIDS") ?? failures.at(-1);
}

const WITHHELD: Failure = {
  node: null,
  reason: "all work is done, but the city's records and the chain differ, so nothing was handed out",
  action: "restore the city's folder from a backup, and audit the bundle",
};
/** Work that passed is paid all the same. */
const VETOED: Failure = {
  node: null,
  reason: "all work is done, but the gate that the mission file names for its output vetoes it",
  action: "read the gate's contract and the report; change the tasks or the gate, and run the mission again",
};
/** Describes failed laws, and whether their cost is why no further one was made (`nextEpoch`). */
function lawsTried(epochs: Outcome["epochs"]): string {
  const { deposit, refunded } = totalOf(epochs);
  const spent = BigInt(deposit) - BigInt(refunded);
  const last = epochs.at(-1)?.money;
  const another = last === undefined ? 0n : BigInt(last.deposit) - BigInt(last.refunded);
  const tried = `${epochs.length} laws failed and cost ${formatMoney(spent)} tokens`;
  if (!isTooExpensive(spent, another, BigInt(deposit))) return tried;
  return `${tried}: another like the last could raise that above half of the deposit, so none was made`;
}

function terminated({ adjudicator, because }: Outcome["human"][number]): Failure {
  return {
    node: null,
    reason: `${adjudicator} ended the mission: ${quoted(because)}`,
    action: "change what they object to in goal, input or tasks, and run the mission again; finished work is paid",
  };
}

function quoted(because: string): string {
  return because === "" ? "the reason is not in these records" : `"${because}"`;
}

function expired(nodes: Outcome["nodes"]): Failure {
  const done = nodes.filter(({ end }) => end === "done").length;
  return {
    node: null,
    reason: `the mission's time was over before its work was done: ${done} of ${nodes.length} tasks were`,
    action: "give it a longer `deadline` and run it again",
  };
}

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
