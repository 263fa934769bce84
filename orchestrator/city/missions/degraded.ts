import { z } from "zod";
import { ruleOnSuspension, type SuspensionJudge } from "../../adjudication/rule-on-suspension.ts";
import { silenceIn } from "../../chain/errors.ts";
import { intentKey } from "../../chain/outbox.ts";
import { parametersOf } from "../../client/editions.ts";
import { missionState } from "../../execution/chain-view.ts";
import { type Halt, runMission } from "../../execution/run-mission.ts";
import type { Mission, World } from "../../execution/world.ts";
import type { City } from "../city.ts";
import { panelOf } from "../humans/panel.ts";
import { divergencesOf, lapseInTime, writtenDown } from "./reconcile.ts";

/**
 * Execution while the chain may fall silent (AgentCity B.11.5, failure mode 3). A silence longer than DEGRADED_MODE_THRESHOLD stops all
 * work; when the chain is back the mission is suspended there, before anything that waited is sent.
 */
export async function runThroughSilence(city: City, world: World, mission: Mission): Promise<Halt> {
  const { silenceRetry, client } = city;
  const limit = await (await parametersOf(client, mission.address)).param("DEGRADED_MODE_THRESHOLD");
  silenceRetry?.escalateAfter(limit);
  const before = await silenceBefore(city);
  if (before !== undefined && before >= limit) await suspend(city, world, mission, before);
  try {
    return await runMission(world, mission);
  } catch (error) {
    if (silenceRetry === undefined || silenceIn(error) === undefined) throw error;
    await suspend(city, world, mission);
    return runMission(world, mission);
  }
}

const silenceSchema = z.object({ since: z.int(), lasted: z.int().optional() });

/**
 * How long the silence lasted in which an earlier process ended, seconds: the log has its beginning, but no process saw its end. Reported
 * once, then the log has its end too.
 */
async function silenceBefore({ log, blocks, silenceRetry }: City): Promise<bigint | undefined> {
  if (silenceRetry === undefined || silenceRetry.isSilent) return undefined;
  const last = async (kind: string) => (await log.read({ kind, newest: true, limit: 1 })).at(0);
  const [silent, halted, back] = [await last("chain.silent"), await last("chain.halted"), await last("chain.back")];
  if (silent === undefined || silent.seq < (back?.seq ?? 0) || silent.content === null) return undefined;
  const { since } = silenceSchema.parse(blocks.getJson(silent.content));
  const isHalted = halted !== undefined && halted.seq > silent.seq && halted.content !== null;
  const known = isHalted ? (silenceSchema.parse(blocks.getJson(halted.content)).lasted ?? 0) : 0;
  const passed = Number(silenceRetry.clock.now()) - since;
  const lasted = Math.max(known, passed);
  await log.append([{ kind: "chain.back", subjects: [], content: blocks.putJson({ kind: "back", since, lasted }) }]);
  return BigInt(lasted);
}

/** Waits until the chain answers, gives it the time that has passed, and suspends the mission there. `known`: an earlier process's silence. */
async function suspend({ chain, silenceRetry }: City, world: World, mission: Mission, known?: bigint): Promise<void> {
  const silentSince = chain.clock.now();
  const lasted = known ?? (await silenceRetry?.untilHeard(() => chain.request({ method: "eth_blockNumber" })));
  await chain.clock.sleepUntil(silentSince + (lasted ?? 0n));
  if ((await missionState(world, mission)) !== "EXECUTING") return;
  await world.client.mission(mission.address).degrade([Number(silentSince)], {
    intent: intentKey("degrade", mission.address, silentSince),
    account: world.monitor.account,
  });
  world.progress(`suspended: the chain was silent for ${lasted} s; humans decide`);
}

/**
 * Humans resume a degraded mission, and calls signed before the silence are sent in order; otherwise the mission is
 * aborted when its time is over (DEGRADED → ABORTED). Returns whether it continues.
 */
export async function humansResume(city: City, judge: SuspensionJudge, world: World, mission: Mission): Promise<boolean> {
  const contract = world.client.mission(mission.address);
  const { degradedSince, degradedUntil } = await contract.watch();
  const divergences = await divergencesOf(world, mission);
  const queued = await city.sender.open();
  const goesOn = await ruleOnSuspension({ ...panelOf(city), sender: world.monitor.account }, judge, {
    mission: mission.address,
    cause: "silence",
    facts: [`silent since ${degradedSince}, ended by itself at ${degradedUntil} (chain time)`, `${queued} signed transactions wait`],
    divergences,
  });
  if (!goesOn) {
    await writtenDown(city, mission, "degraded", divergences);
    const until = BigInt(Math.min(degradedUntil, await contract.expiresAt()));
    await city.chain.clock.sleepUntil(until);
    await contract.expire([], { intent: intentKey("expire", mission.address), account: world.monitor.account });
    world.progress("the suspended mission was not resumed: aborted, unearned money is refunded");
  }
  const sent = await city.sender.recover();
  if (goesOn) world.progress(`resumed by adjudicators: ${sent} transactions that waited were sent, in their order`);
  return goesOn;
}

/**
 * Asks humans about a mission that is stopped (AgentCity B.11.2): by too many freezes, by an adjudicator, or for a time by a monitor that finds
 * records and chain apart. Two signatures resume it, with a longer window from then on; without them its own time ends it. Returns whether it
 * continues.
 */
export async function humansClear(city: City, judge: SuspensionJudge, world: World, mission: Mission): Promise<boolean> {
  const contract = world.client.mission(mission.address);
  const { suspendedBy, suspendedUntil } = await contract.watch();
  if (suspendedUntil !== 0) {
    world.progress(`${suspendedBy} suspended this mission: its records and the chain differ`);
    await ruleOnSuspension({ ...panelOf(city), sender: world.monitor.account }, judge, {
      mission: mission.address,
      cause: "divergence",
      facts: [`${suspendedBy} suspended it until ${suspendedUntil} (chain time)`],
      divergences: await divergencesOf(world, mission),
    });
    await lapseInTime(world, mission);
    return !(await contract.watch()).stopped;
  }
  const stops = await contract.history("EmergencyStopped");
  const last = stops.at(-1);
  const byFreezes = last !== undefined && BigInt(last.args.agent) !== 0n;
  const why = byFreezes ? `the freezes of ${last.args.agent} stopped it` : `${last?.args.by ?? "an adjudicator"} stopped it`;
  world.progress(`EMERGENCY STOP: ${why}; only adjudicators can resume this mission`);
  const goesOn = await ruleOnSuspension({ ...panelOf(city), sender: world.monitor.account }, judge, {
    mission: mission.address,
    cause: byFreezes ? "freezes" : "stopped",
    facts: [why, `stop number ${stops.length} of this mission`],
    divergences: await divergencesOf(world, mission),
  });
  if (goesOn) world.progress("adjudicators cleared the stop: the mission continues");
  return goesOn;
}
