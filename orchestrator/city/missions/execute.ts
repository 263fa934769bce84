import type { Judge } from "../../adjudication/case.ts";
import { type Decision, ruleOn } from "../../adjudication/rule.ts";
import type { AppealJudge } from "../../adjudication/rule-on-appeal.ts";
import type { SuspensionJudge } from "../../adjudication/rule-on-suspension.ts";
import { intentKey } from "../../chain/outbox.ts";
import { parametersOf } from "../../client/editions.ts";
import { concludeBranches, isLent, leftFor } from "../../execution/branches.ts";
import {
  awaitsBids,
  isBranch,
  isOver,
  isStaffed,
  type MissionStateName,
  missionState,
  type NodeView,
  viewNodes,
} from "../../execution/chain-view.ts";
import { disagreeing, disagreementAt, isIncurable } from "../../execution/disagreement.ts";
import { noteEnding } from "../../execution/ending.ts";
import { recordFaults } from "../../execution/faults.ts";
import { type MarketTerms, runMarket, withdrawLosers } from "../../execution/market.ts";
import { boundTerms } from "../../execution/obligations.ts";
import { letTimeDecide, timeout } from "../../execution/run-mission.ts";
import type { Mission, World } from "../../execution/world.ts";
import type { EnactedLaw } from "../../legislature/result.ts";
import { BASIS_POINTS } from "../../primitives/amounts.ts";
import { TIER } from "../../primitives/tier.ts";
import type { City } from "../city.ts";
import { caseOf } from "../humans/case-file.ts";
import { panelOf } from "../humans/panel.ts";
import { humansClear, humansResume, runThroughSilence } from "./degraded.ts";
import { reconcile } from "./reconcile.ts";
import { settle } from "./settle.ts";

/** Inputs of the execution of one mission. */
export interface ExecutionOptions {
  /** The law that the records name. */
  readonly law: EnactedLaw;
  /** Decides cases that need a human. */
  readonly judge: Judge & SuspensionJudge & AppealJudge;
  /** Leads a node that is a mission of its own to its end. */
  readonly runChild: (view: NodeView) => Promise<void>;
  /** Whether the parent mission, if any, is over, so that this one's result is no longer needed. */
  readonly isOrphan: () => Promise<boolean>;
}

/**
 * A mission's work and its settlement, with records and chain compared before and after the work (AgentCity B.11.5). False: they differ,
 * and no human let that pass.
 */
export async function execute(city: City, world: World, mission: Mission, options: ExecutionOptions): Promise<boolean> {
  const isLaw = await reconcile(city, options.judge, world, mission, { name: "legislation", law: options.law });
  await (isLaw ? carryOut(city, world, mission, options) : endUnworked(world, mission, "its records and the chain differ"));
  // Loans are returned even to a mission that ended meanwhile.
  for (const view of (await viewNodes(world, mission)).filter(isBranch)) {
    if (await isLent(world, mission, view)) await options.runChild(view);
  }
  await recordFaults(world, mission);
  await concludeBranches(world, mission);
  const agrees = await reconcile(city, options.judge, world, mission, { name: "orchestration" });
  await settle(city, world, mission, options.judge);
  world.progress(`accounts closed; the mission is ${ENDS[await missionState(world, mission)] ?? "not over"}`);
  return isLaw && agrees;
}

/** Market, waves, humans, missions below and further attempts until the mission is over. */
async function carryOut(city: City, world: World, mission: Mission, options: ExecutionOptions): Promise<void> {
  const terms = { ...(await termsOf(city, mission)), barred: [mission.sponsor] };
  const sell = async (nodes: readonly number[]) => {
    const views = await viewNodes(world, mission);
    await runMarket(
      world,
      mission,
      views.filter((view) => nodes.includes(view.law.number) && awaitsBids(view)),
      terms,
    );
    // An award is an obligation: its exact terms are recorded before any work (decision 80).
    for (const view of (await viewNodes(world, mission)).filter(isStaffed)) await boundTerms(world, mission, view);
  };
  // A process that was killed after an award left the losers' stake locked.
  await withdrawLosers(world, mission, (await viewNodes(world, mission)).filter(isStaffed));
  await sell(mission.document.nodes.map(({ number }) => number));
  for (;;) {
    await abortOrphan(world, mission, options);
    const halt = await runThroughSilence(city, world, mission);
    if (halt.kind === "done" || halt.kind === "ended") break;
    if (halt.kind === "decided") await end(world, mission, "what was committed is decided: unearned money goes back to the sponsor");
    else if (halt.kind === "hopeless") await endUnfaulted(world, mission);
    else if (halt.kind === "degraded" || halt.kind === "stopped") {
      if (!(await mayContinue(city, world, mission, halt.kind, options.judge))) break;
    } else if (halt.kind === "review") await judge(city, world, mission, halt.nodes, options.judge);
    // One after the other: one session's stages do not wait while the clock jumps for another.
    else if (halt.kind === "branch") for (const view of halt.nodes.slice(0, 1)) await options.runChild(view);
    else await tryAgain(world, mission, halt.nodes, sell);
  }
}

/** Whether humans resume a mission that only they can resume; otherwise its time ends it. */
async function mayContinue(city: City, world: World, mission: Mission, why: "degraded" | "stopped", by: SuspensionJudge): Promise<boolean> {
  if (why === "degraded") return humansResume(city, by, world, mission);
  if (await humansClear(city, by, world, mission)) return true;
  await endUnworked(world, mission, "it was stopped");
  return false;
}

/** Brings every case that waits for a human before the judge. */
async function judge(city: City, world: World, mission: Mission, nodes: readonly NodeView[], by: Judge): Promise<void> {
  for (const view of nodes) {
    const subject = await caseOf(world, mission, view);
    world.progress(`${view.law.label}: a human has to decide (${subject.reason})`);
    const decision = await ruleOn(panelOf(city), by, subject);
    if (decision === undefined) await afterOthers(world, mission, view);
    else
      world.progress(
        `${view.law.label}: ${decision.adjudicator}${decision.simulated ? " (simulated: nobody was asked)" : ""} ${pastTense(decision.ruling)}`,
      );
  }
}

/** External adjudicators acted, or none did in time: the case then goes to the backup pool, and the second time the attempt ends. */
async function afterOthers(world: World, mission: Mission, { law, state, deadline }: NodeView): Promise<void> {
  const now = (await viewNodes(world, mission)).find((each) => each.law.number === law.number);
  const isSame = now?.state === state && now.deadline === deadline;
  if (isSame && world.client.chain.clock.now() >= deadline) await timeout(world, mission, now);
  else world.progress(`${law.label}: adjudicators have acted`);
}

/** Offers failed nodes again, or ends the mission, where none has another attempt. */
async function tryAgain(
  world: World,
  mission: Mission,
  nodes: readonly NodeView[],
  sell: (reopened: readonly number[]) => Promise<void>,
): Promise<void> {
  const reopened = await reopenFailed(world, mission, nodes);
  await (reopened.length === 0 ? abort(world, mission) : sell(reopened));
}

/** Numbers of the failed nodes that have another attempt; none where the law is at fault: no other executor of it helps (AgentCity B.11.4). */
async function reopenFailed(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<readonly number[]> {
  if ((await recordFaults(world, mission)).every((fault) => fault.class !== "SPECIFICATION")) return reopenAll(world, mission, nodes);
  await judgeDisagreements(world, mission);
  return [];
}

/** Numbers of the nodes that have another attempt. */
async function reopenAll(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<readonly number[]> {
  const reopened: number[] = [];
  for (const view of nodes) if (await reopen(world, mission, view)) reopened.push(view.law.number);
  return reopened;
}

/** Opens another attempt for a failed or unwanted node; false if none is left, or no money for it (AgentCity 3.5, adaptive refinement). */
async function reopen(world: World, mission: Mission, view: NodeView): Promise<boolean> {
  const { params } = await world.client.mission(mission.address).context();
  if (view.attempt >= params.maxRefinementIterations) return false;
  if (isBranch(view) && (await leftFor(world, mission, view)) === 0n) return false;
  await world.client
    .mission(mission.address)
    .reopen([view.law.number], { intent: intentKey("reopen", mission.address, view.law.number, view.attempt) });
  world.progress(`${view.law.label}: offered to other agents (attempt ${view.attempt + 2})`);
  return true;
}

/** Ends a mission that cannot reach its goal: at once when a node is out of attempts, else when its time is over (decision 24). */
async function abort(world: World, mission: Mission): Promise<void> {
  for (const view of await viewNodes(world, mission)) {
    // A node without bids fails by its own timeout, which uses up its attempts.
    if (view.state === "ELIGIBLE" && awaitsBids(view)) await timeout(world, mission, view);
  }
  const isExhausted = (await viewNodes(world, mission)).some(({ state }) => state === "FAILED");
  if (!isExhausted) await expire(world, mission);
  await end(world, mission, "mission ended before its goal: unearned money goes back to the sponsor");
}

async function expire({ client }: World, { address }: Mission): Promise<void> {
  await client.chain.clock.sleepUntil(BigInt(await client.mission(address).expiresAt()) + 1n);
}

/** Anyone may. What was committed is decided before: then it takes a second call. */
async function end(world: World, mission: Mission, because: string): Promise<void> {
  const contract = world.client.mission(mission.address);
  const { ending } = await contract.watch();
  const alreadyDone = async () => isOver(await missionState(world, mission)) || (await contract.watch()).ending !== ending;
  await contract.abort([], { intent: intentKey("abort", mission.address, ...(ending ? ["decided"] : [])), alreadyDone });
  const isEnded = isOver(await missionState(world, mission));
  world.progress(isEnded ? because : "the mission is to end: nothing else starts, and what was committed is decided");
}

/** Ends a mission whose parent ended. */
async function abortOrphan(world: World, mission: Mission, options: ExecutionOptions): Promise<void> {
  if (!(await options.isOrphan()) || isOver(await missionState(world, mission))) return;
  if ((await world.client.mission(mission.address).watch()).ending) return;
  await end(world, mission, "the mission above is over: unearned money goes back to it");
}

/** A disagreement that no law can cure does not lead to another session (AgentCity B.11.4 requires one if the law is at fault). */
async function judgeDisagreements(world: World, mission: Mission): Promise<void> {
  const views = await viewNodes(world, mission);
  for (const view of views.filter(({ state, law }) => state === "FAILED" && law.tier === TIER.CONSENSUS)) {
    const found = await disagreementAt(world, mission, view);
    if (found === undefined || found.share >= found.needed || !(await isIncurable(world, mission, view, views))) continue;
    const task = views.filter(({ law }) => law.task === view.law.task);
    const shares = (await Promise.all(task.map((each) => disagreementAt(world, mission, each)))).flatMap((each) => each?.share ?? []);
    return noteEnding(world, mission, disagreeing(view.law.label, found, Math.min(...shares)));
  }
}

/** Ends a mission without a culprit: no executor's deadline is enforced, so no one is slashed and no reputation changes. */
async function endUnfaulted(world: World, mission: Mission): Promise<void> {
  const { client } = world;
  const until = new Date(1_000 * Number(await client.mission(mission.address).expiresAt())).toISOString();
  world.progress(`the mission can be ended at its deadline, ${until} by the chain's clock; a devnet's clock is moved there`);
  await expire(world, mission);
  await end(world, mission, "mission ended: no one is slashed, unearned money goes back to the sponsor");
}

/** A mission without further work expires, and unearned money is refunded (decision 24). */
async function endUnworked(world: World, mission: Mission, because: string): Promise<void> {
  if (isOver(await missionState(world, mission))) return;
  await expire(world, mission);
  const done = `mission ended since ${because}: unearned money goes back to the sponsor`;
  await end(world, mission, done);
  if (isOver(await missionState(world, mission))) return;
  await letTimeDecide(world, mission);
  await end(world, mission, done);
}

async function termsOf({ client }: City, { address }: Mission): Promise<Pick<MarketTerms, "stakes" | "pay">> {
  const { param, units } = await parametersOf(client, address);
  const share = async (name: "PROTOCOL_FEE_RATE" | "INSURANCE_RESERVE_RATE") => Number(await param(name)) / BASIS_POINTS;
  return {
    stakes: [await units("MIN_STAKE_LOW"), await units("MIN_STAKE_MEDIUM"), await units("MIN_STAKE_HIGH")],
    pay: {
      fees: { protocol: await share("PROTOCOL_FEE_RATE"), insurance: await share("INSURANCE_RESERVE_RATE") },
      alpha: Number(await param("REPUTATION_MULTIPLIER_ALPHA")) / 1000,
    },
  };
}

/** How a mission that is over ended. */
const ENDS: Partial<Record<MissionStateName, string>> = { COMPLETED: "completed", FAILED: "failed", ABORTED: "ended before its goal" };

function pastTense(ruling: Decision["ruling"]): string {
  return { approve: "approved", reject: "rejected", amend: "amended its mandate" }[ruling];
}
