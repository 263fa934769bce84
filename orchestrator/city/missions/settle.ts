import { type AppealCase, type AppealJudge, ruleOnAppeal } from "../../adjudication/rule-on-appeal.ts";
import { collaborationContractAbi } from "../../chain/abi/CollaborationContract.ts";
import { intentKey } from "../../chain/outbox.ts";
import { batched } from "../../execution/batches.ts";
import { viewNodes } from "../../execution/chain-view.ts";
import { finalise, instruct } from "../../execution/settlements.ts";
import type { Mission, World } from "../../execution/world.ts";
import type { City } from "../city.ts";
import { appealsOn } from "../humans/case-file.ts";
import { panelOf } from "../humans/panel.ts";
import { postPassports } from "./passports.ts";
import { payOut } from "./pay-out.ts";

/**
 * Brings open appeals before humans, waits until every appeal window is over, has payments credited and pending slashes made, returns the
 * rest, and brings home what the vault owes to accounts of this city (decisions 5, 6, 24, 29, 65).
 */
export async function settle(city: City, world: World, mission: Mission, judge: AppealJudge): Promise<void> {
  const contract = world.client.mission(mission.address);
  // If a human ended it, others may still rule on the fault.
  const views = await viewNodes(world, mission);
  const held = await Promise.all(views.map(({ law }) => world.client.execution.heldUntil(mission.address, law.number)));
  if (held.some((until) => until > 0)) await city.chain.clock.sleepUntil(BigInt(Math.max(...held)));
  await hearAppeals(city, world, mission, judge);
  const { due, nodes } = await pending(world, mission);
  if (nodes.length > 0) {
    await city.chain.clock.sleepUntil(due);
    // Appeals filed during the windows exclude what they are about from claiming.
    await hearAppeals(city, world, mission, judge);
    for (const batch of batched(world, nodes)) await contract.claim([batch], { intent: intentKey("claim", mission.address, ...batch) });
  }
  const settled = await viewNodes(world, mission);
  await instruct(world, mission, settled);
  await finalise(world, mission, settled);
  await postPassports(city, world, mission, settled);
  const alreadyDone = async () => (await contract.ledger()).closed;
  await contract.close([], { intent: intentKey("close", mission.address), alreadyDone });
  await payOut(world, mission.address);
  await freeLocks(world, mission);
}

/** Every open appeal is decided or expires: then the clearing stands. */
async function hearAppeals(city: City, world: World, mission: Mission, judge: AppealJudge): Promise<void> {
  for (const view of await viewNodes(world, mission)) {
    const heard = new Set<number>();
    for (;;) {
      // A ruling on one attempt changes the case that a ruling on another would name.
      const subject = (await appealsOn(city, world, mission, view)).find(({ attempt }) => !heard.has(attempt));
      if (subject === undefined) break;
      heard.add(subject.attempt);
      await hearAppeal(city, world, judge, subject);
    }
  }
}

/** Decides the appeals on one attempt, or waits until they expire. */
async function hearAppeal(city: City, world: World, judge: AppealJudge, subject: AppealCase): Promise<void> {
  const { mission, node, attempt, label, appeals } = subject;
  const contract = world.client.mission(mission);
  const [, until] = await contract.appealsOf(node, attempt);
  // An appeal that was not decided when it was heard is not asked again.
  if (BigInt(until) < city.chain.clock.now()) return;
  world.progress(`${label}: ${appeals.length === 1 ? "an appeal waits" : `${appeals.length} appeals wait`} for a human`);
  const ruling = await ruleOnAppeal(panelOf(city), judge, subject);
  const [open] = await contract.appealsOf(node, attempt);
  if (open > 0) {
    await city.chain.clock.sleepUntil(BigInt(until) + 1n);
    world.progress(`${label}: the appeal was not decided: the verdict stands`);
  } else if (ruling === undefined) world.progress(`${label}: adjudicators have decided the appeal`);
  else
    world.progress(
      `${label}: appeal ${ruling.upheld.length === 0 ? "rejected" : "upheld"}${judge.simulated ? " (simulated: nobody was asked)" : ""}`,
    );
}

/** A mission that ended early leaves executors bound to work that will not be done: their stake is freed. */
async function freeLocks(world: World, mission: Mission): Promise<void> {
  const { execution } = world.client;
  for (const { law, attempt, slots } of await viewNodes(world, mission)) {
    for (const { slot, agent } of slots) {
      if ((await execution.lockOf(mission.address, law.number, slot)) === 0n) continue;
      await execution.withdrawBid([mission.address, law.number, { agent, deadline: 0, signature: "0x" }], {
        intent: intentKey("free-lock", mission.address, law.number, attempt, agent),
      });
    }
  }
}

/** Nodes with an entitlement or a slash, and the time from which all of them are final. */
async function pending(world: World, mission: Mission): Promise<{ readonly due: bigint; readonly nodes: readonly number[] }> {
  const contract = world.client.mission(mission.address);
  const events = await world.client.chain.publicClient.getContractEvents({
    address: mission.address,
    abi: collaborationContractAbi,
    fromBlock: 0n,
  });
  let due = 0n;
  for (const event of events) {
    const at = event.eventName === "Recorded" ? event.args.claimableAt : event.eventName === "SlashPending" ? event.args.dueAt : undefined;
    if (at !== undefined && BigInt(at) > due) due = BigInt(at);
  }
  const views = await viewNodes(world, mission);
  const nodes: number[] = [];
  for (const { law, recorded, faulted, slots } of views) {
    const claimed = await Promise.all(slots.map(({ slot }) => contract.entitlementOf(law.number, slot)));
    if (faulted || (recorded && claimed.some(({ claimed: paid }) => !paid))) nodes.push(law.number);
  }
  return { due: due + 1n, nodes };
}
