import type { CityClient } from "../../client/client.ts";
import { type Fault, faultsOf } from "../../execution/faults.ts";
import { executionMetrics, milestonesOf } from "../../execution/metrics.ts";
import type { EnactedLaw } from "../../legislature/result.ts";
import { formatMoney } from "../../primitives/amounts.ts";
import type { Address } from "../../primitives/hex.ts";
import type { Outcome } from "../../protocol/outcome.ts";
import type { City } from "../city.ts";
import { moneyIn, moneyOfSession, statusOf } from "./family.ts";

/** A law that is to replace one that was at fault (AgentCity B.11.4, full re-legislation). */
export interface Epoch {
  /** How many missions for the same goal failed before. */
  readonly number: number;
  /** Unspent money of the previous law, smallest unit. */
  readonly deposit: bigint;
  /** Why its law failed. */
  readonly fault: Fault;
}

/**
 * Whether an ended mission gets another law: the chain found its law at fault, its money has returned, and fewer epochs are over than its
 * own MAX_REFINEMENT_ITERATIONS. A third or later law is made only while failed laws, including another like the last, cost at most half of
 * the sponsor's `budget`. The chain's answers are the same after a crash.
 */
export async function nextEpoch({ client, progress }: City, { mission, session }: EnactedLaw, budget: bigint): Promise<Epoch | undefined> {
  if ((await statusOf(client, mission)) !== "failed") return undefined;
  const fault = await faultOfLaw(client, mission);
  if (fault === undefined) return undefined;
  const { params } = await client.mission(mission).context();
  const number = (await client.legislation.sessionOf(session)).epoch + 1;
  const { deposit, refunded } = await client.mission(mission).ledger();
  if (number > params.maxRefinementIterations) {
    progress(`${number} laws failed: no further one is made, and unearned money goes back to the sponsor`);
    return undefined;
  }
  const spent = budget - refunded;
  if (number > 1 && isTooExpensive(spent, deposit - refunded, budget)) {
    progress(
      `${number} laws failed and cost ${formatMoney(spent)} tokens: another like the last could bring that beyond half of the ` +
        "deposit, so none is made, and unearned money goes back to the sponsor",
    );
    return undefined;
  }
  return refunded === 0n ? undefined : { number, deposit: refunded, fault };
}

/** Whether what failed laws cost, with one more like the last, is beyond half of what the sponsor gave. */
export const isTooExpensive = (spent: bigint, last: bigint, budget: bigint): boolean => 2n * (spent + last) > budget;

/** An epoch as the outcome lists it: all of it is on chain. */
export async function describeEpoch(client: CityClient, session: bigint): Promise<Outcome["epochs"][number]> {
  const { mission, parent, epoch } = await client.legislation.sessionOf(session);
  const fault = epoch === 0 ? undefined : await faultOfLaw(client, parent);
  const cause = fault === undefined ? null : { node: fault.node, type: fault.type, class: fault.class, reason: fault.reason };
  const common = { session: session.toString(), epoch, cause };
  if (BigInt(mission) === 0n) return { ...common, mission: null, status: "no-law", money: await moneyOfSession(client, session) };
  return { ...common, mission, status: await statusOf(client, mission), money: await moneyIn(client, mission) };
}

/** Metrics of an order's execution, over the missions of its laws. */
export async function executionOf(client: CityClient, sessions: readonly bigint[]): Promise<Outcome["execution"]> {
  const missions: Address[] = [];
  for (const session of sessions) {
    const { mission } = await client.legislation.sessionOf(session);
    if (BigInt(mission) !== 0n) missions.push(mission);
  }
  const last = missions.at(-1);
  const isCompleted = last !== undefined && (await statusOf(client, last)) === "completed";
  return executionMetrics(await Promise.all(missions.map((mission) => milestonesOf(client, mission))), isCompleted);
}

/** The fault by which a mission's law was found wanting, if it was. */
async function faultOfLaw(client: CityClient, mission: Address): Promise<Fault | undefined> {
  return (await faultsOf(client, mission)).findLast((fault) => fault.class === "SPECIFICATION");
}
