import { ruleOnSuspension, type SuspensionJudge } from "../../adjudication/rule-on-suspension.ts";
import { intentKey } from "../../chain/outbox.ts";
import { parametersOf } from "../../client/editions.ts";
import { isBranch, missionState, type NodeView, viewNodes } from "../../execution/chain-view.ts";
import { type ChainDecision, clearingRecordSchema, isDecidedAs } from "../../execution/clearing-record.ts";
import { heldKey, heldSchema, releasedKey, releasedSchema } from "../../execution/output-buffer.ts";
import { clearingKey } from "../../execution/stages/verify.ts";
import { attemptKey, resultSchema, UNREADABLE, workSchema } from "../../execution/work.ts";
import type { Mission, World } from "../../execution/world.ts";
import type { EnactedLaw } from "../../legislature/result.ts";
import { digestOf } from "../../primitives/hash.ts";
import type { Hash } from "../../primitives/hex.ts";
import type { City } from "../city.ts";
import { panelOf } from "../humans/panel.ts";

/** When records and chain are compared: after the law was made, after the last node, before the output is released (AgentCity B.11.5). */
export const PHASES = ["legislation", "orchestration", "output-release"] as const;
type Phase = (typeof PHASES)[number];

/**
 * Compares records and chain at the end of a phase. True if they agree, or humans accepted the difference; false suspends the mission. The
 * finding is logged as `execution.reconciled` or `execution.divergence`, and a running mission is suspended on chain with it (decision 79).
 */
export async function reconcile(
  city: City,
  judge: SuspensionJudge,
  world: World,
  mission: Mission,
  phase: { readonly name: "legislation"; readonly law: EnactedLaw } | { readonly name: Exclude<Phase, "legislation"> },
): Promise<boolean> {
  const divergences =
    phase.name === "legislation"
      ? await lawDivergences(world, mission, phase.law)
      : [...(await divergencesOf(world, mission)), ...(phase.name === "output-release" ? await releaseDivergences(world, mission) : [])];
  if (phase.name === "orchestration") await tellSlow(world, mission);
  await writtenDown(city, mission, phase.name, divergences);
  if (divergences.length === 0) return true;
  for (const each of divergences) world.progress(`records and chain differ after ${phase.name}: ${each}`);
  const subject = { mission: mission.address, cause: "divergence", facts: [`found after ${phase.name}`], divergences } as const;
  if (await suspend(city, world, mission, divergences)) {
    await ruleOnSuspension({ ...panelOf(city), sender: world.monitor.account }, judge, subject);
    const resumed = await isCleared(world, mission);
    const kind = resumed ? "execution.allowed" : "execution.suspended";
    await city.log.append([{ kind, subjects: [mission.address, phase.name] }]);
    return resumed;
  }
  const decided = await judge.decideResumption(subject);
  const { resume, justification } = decided ?? { resume: false, justification: "no judge is available here" };
  const content = await panelOf(city).keep(justification);
  await city.log.append([{ kind: resume ? "execution.allowed" : "execution.suspended", subjects: [mission.address, phase.name], content }]);
  return resume;
}

/** Has the chain stop a mission that runs; false for one that is over, or that something else stops. */
async function suspend(city: City, world: World, mission: Mission, divergences: readonly string[]): Promise<boolean> {
  const contract = world.client.mission(mission.address);
  if (!["ACTIVE", "EXECUTING"].includes(await missionState(world, mission))) return false;
  const { stopped, suspendedUntil } = await contract.watch();
  if (stopped) return suspendedUntil !== 0;
  const finding = city.blocks.putJson([...divergences]);
  await contract.suspend([digestOf(finding)], { intent: intentKey("suspend", mission.address, finding), account: world.monitor.account });
  world.progress("the mission is suspended on chain; a human confirms that, or its time ends it");
  return true;
}

/**
 * Whether humans resume a suspended mission. Without a decision in time the suspension lapses on chain; but this city, which found the
 * difference, does not continue with it.
 */
async function isCleared(world: World, mission: Mission): Promise<boolean> {
  const { stopped } = await world.client.mission(mission.address).watch();
  await lapseInTime(world, mission);
  return !stopped;
}

/** Ends an unconfirmed suspension after its time; anyone may. */
export async function lapseInTime({ client }: World, { address }: Mission): Promise<void> {
  const contract = client.mission(address);
  const { suspendedUntil } = await contract.watch();
  if (suspendedUntil === 0 || client.chain.clock.now() < BigInt(suspendedUntil)) return;
  await contract.lapse([], { intent: intentKey("lapse", address, suspendedUntil) });
}

/** Writes a comparison into the log, once for each place and result. */
export async function writtenDown(city: City, mission: Mission, place: string, divergences: readonly string[]): Promise<void> {
  const kind = divergences.length === 0 ? "execution.reconciled" : "execution.divergence";
  const before = await city.log.read({ kind, subject: mission.address });
  if (before.some(({ subjects }) => subjects.includes(place))) return;
  await city.log.append([{ kind, subjects: [mission.address, place], content: city.blocks.putJson([...divergences]) }]);
}

/** The clone carries the law that the session's records name, and the registry made it. */
async function lawDivergences({ client }: World, mission: Mission, law: EnactedLaw): Promise<string[]> {
  const contract = client.mission(mission.address);
  const found: string[] = [];
  if ((await contract.law()) !== law.law) found.push("the mission's law is not the one in the records");
  if ((await contract.lawHash()) !== law.lawHash) found.push("the mission's law hash is not the one in the records");
  if ((await contract.context()).docHash !== law.docHash) found.push("the mission's document hash is not the one in the records");
  if (!(await client.templates.isGenuine(mission.address))) found.push("the registry did not deploy this mission");
  return found;
}

/** Node by node: what one record has and the other lacks, or has differently (AgentCity B.11.5, steps 3 to 5). */
export async function divergencesOf(world: World, mission: Mission): Promise<readonly string[]> {
  const contract = world.client.mission(mission.address);
  const story: Story = {
    committed: (await contract.history("Committed")).map(({ args }) => args),
    revealed: (await contract.history("Revealed")).map(({ args }) => args),
    cleared: (await contract.history("Cleared")).map(({ args }) => args),
    approved: (await contract.history("ReviewApproved")).map(({ args }) => args),
    concluded: (await contract.history("ChildConcluded")).map(({ args }) => args),
    gated: (await contract.history("GateDecided")).map(({ args }) => args),
  };
  const found: string[] = [];
  for (const view of await viewNodes(world, mission)) {
    const problems = [...(await nodeProblems(world, mission, view, story)), ...(await slotProblems(world, mission, view, story))];
    found.push(...problems.map((problem) => `${view.law.label}: ${problem}`));
  }
  return found;
}

/** On-chain facts about all nodes and attempts. */
interface Story {
  readonly committed: readonly { readonly node: number; readonly slot: number; readonly attempt: number }[];
  readonly revealed: readonly { readonly node: number; readonly slot: number; readonly attempt: number; readonly outputHash: Hash }[];
  readonly approved: readonly { readonly node: number; readonly attempt: number }[];
  readonly concluded: readonly { readonly node: number; readonly attempt: number }[];
  readonly gated: readonly { readonly node: number; readonly allowed: boolean }[];
  readonly cleared: readonly (ChainDecision & { readonly node: number; readonly attempt: number })[];
}

async function nodeProblems(
  world: World,
  mission: Mission,
  view: NodeView,
  { cleared, approved, concluded, gated }: Story,
): Promise<string[]> {
  const { law, state, recorded, attempt } = view;
  // A child mission's result is stored before the node is recorded.
  const isHandedUp = isBranch(view) && state === "EXECUTING";
  const found: string[] = [];
  const isThis = (each: { readonly node: number; readonly attempt: number }) => each.node === law.number && each.attempt === attempt;
  const result = await world.recall(["result", mission.address, law.number], resultSchema);
  if (result !== undefined && state !== "COMPLETED" && !isHandedUp) found.push("complete in the records, not on chain");
  if (result === undefined && recorded) found.push("recorded on chain, without a result in the records");
  if (state === "COMPLETED" && ![...cleared, ...approved, ...concluded].some(isThis))
    found.push("complete on chain, without the proof of performance that its tier asks for");
  const isLetPass = gated.findLast(({ node }) => node === law.number)?.allowed === true || approved.some(isThis);
  if (state === "COMPLETED" && law.predicate !== 0 && !isLetPass)
    found.push("complete on chain, though neither gate nor human let it pass");
  const decided = cleared.findLast(isThis);
  const documents = decided && (await world.recall(clearingKey(mission, view), clearingRecordSchema));
  if (decided !== undefined && (documents === undefined || !isDecidedAs(documents, decided)))
    found.push("cleared on chain otherwise than in the records");
  return found;
}

async function slotProblems(world: World, mission: Mission, view: NodeView, { committed: story, revealed }: Story): Promise<string[]> {
  const found: string[] = [];
  for (const { slot, committed } of view.slots) {
    const held = await world.recall(heldKey(mission, view, slot), heldSchema);
    const released = await world.recall(releasedKey(mission, view, slot), releasedSchema);
    // The chain drops a commitment that is not opened in time, but its event remains.
    const wasCommitted = story.some((each) => each.node === view.law.number && each.attempt === view.attempt && each.slot === slot);
    if (released !== undefined && !wasCommitted) found.push(`slot ${slot} was released from escrow, but no commitment is on chain`);
    if (committed && held === undefined) found.push(`slot ${slot} committed on chain, without an execution record`);
  }
  for (const { slot, outputHash } of revealed.filter((each) => each.node === view.law.number && each.attempt === view.attempt)) {
    const work = await world.recall(["work", ...attemptKey(mission, view), slot], workSchema);
    // An executor whose opening does not match its work has handed in nothing: its fault, not a divergence.
    if (work?.ok === false && work.fault === UNREADABLE) continue;
    if (work === undefined || !work.ok) found.push(`slot ${slot} revealed an output that the records do not have`);
    else if (work.outputHash !== outputHash) found.push(`slot ${slot}: output ${outputHash} on chain, ${work.outputHash} in the records`);
  }
  return found;
}

/** Only a complete mission whose output gate has ruled may release its output (INVARIANT 1). */
async function releaseDivergences(world: World, mission: Mission): Promise<string[]> {
  if ((await missionState(world, mission)) !== "COMPLETED") return [];
  const decided = await world.client.mission(mission.address).history("OutputDecided");
  return decided.at(-1)?.args.allowed === true ? [] : ["complete, but the output gate did not release it"];
}

/** Confirmed later than OPTIMISTIC_WINDOW_MAX after the run: worth a line, and no divergence. */
async function tellSlow(world: World, mission: Mission): Promise<void> {
  const most = Number(await (await parametersOf(world.client, mission.address)).param("OPTIMISTIC_WINDOW_MAX"));
  for (const view of await viewNodes(world, mission)) {
    for (const { slot } of view.slots) {
      const held = await world.recall(heldKey(mission, view, slot), heldSchema);
      const released = await world.recall(releasedKey(mission, view, slot), releasedSchema);
      const seconds = (released?.at ?? 0) - (held?.since ?? 0);
      if (released !== undefined && seconds > most)
        world.progress(`${view.law.label}: confirmed ${seconds} s after its run, ${most} s are allowed for`);
    }
  }
}
