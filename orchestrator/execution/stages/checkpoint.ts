import { z } from "zod";
import { TransactionReverted } from "../../chain/errors.ts";
import { intentKey } from "../../chain/outbox.ts";
import { signMessage } from "../../client/sign/sign-message.ts";
import { SeatAbsent } from "../../minds/absence.ts";
import { addressSchema } from "../../primitives/address.ts";
import { type Hash, hashSchema, hexSchema } from "../../primitives/hex.ts";
import { InOrder } from "../../primitives/in-order.ts";
import { TIER } from "../../primitives/tier.ts";
import { workHashOf } from "../../rules/commitments.ts";
import { batched } from "../batches.ts";
import { isBranch, isStaffed, type NodeView, viewNodes } from "../chain-view.ts";
import type { FreezeMirror } from "../guardian/freeze-mirror.ts";
import { release } from "../output-buffer.ts";
import { knownService } from "../strangers.ts";
import { attemptKey, serviceById } from "../work.ts";
import { type Mission, type World, workerOf } from "../world.ts";
import { envelopeOf, pledgeOf } from "./commit.ts";
import { guardAll } from "./guard.ts";
import { type Invocation, runAll } from "./invoke.ts";

/** Validity of a checkpoint's signatures, seconds of chain time. The law's interval is shorter. */
const CHECKPOINT_VALIDITY = 3600n;

/**
 * Nodes whose work starts off chain, recorded before anything runs. They are unaudited until a checkpoint includes them, like those before
 * them in the list that an earlier checkpoint left.
 */
export const waveSchema = z.strictObject({
  /** Head of the mission's checkpoints so far. */
  previous: hashSchema,
  /** With each node's number of freezes: after a freeze its work restarts, as its clock does on chain. */
  nodes: z.array(z.strictObject({ node: z.int(), attempt: z.int(), freezes: z.int() })),
  /** Chain time, seconds. */
  since: z.int(),
});

/** What a runner saw live in each slot of one attempt, on which its signature of the checkpoint rests. */
export const liveSchema = z.array(
  z.strictObject({
    slot: z.int(),
    service: hashSchema,
    hash: hashSchema,
    deadline: z.int(),
    runner: addressSchema,
    signature: hexSchema,
  }),
);

/** Time and log root of a checkpoint: the log up to `root` holds all the work that it includes. */
export const checkpointSchema = z.strictObject({ root: hashSchema, deadline: z.int() });

/**
 * Hybrid mode (AgentCity B.11.6): works on every node that can start without asking the chain, and submits the wave in one call, which
 * replaces stages 1 to 3. What cannot be included (it is late, an executor has no output, the chain refuses) stays ELIGIBLE: the next stage
 * routes it, and finished work is committed there.
 */
export async function checkpoint(world: World, mission: Mission, mirror: FreezeMirror, nodes: readonly NodeView[]): Promise<void> {
  const numbers = (await startable(world, mission, nodes)).map(({ law }) => law.number);
  const left: NodeView[] = [];
  for (const batch of batched(world, numbers)) left.push(...(await anchor(world, mission, mirror, batch, left)));
}

/**
 * Anchors a wave no larger than one checkpoint: the next nodes start once these are on chain, and their checkpoint follows this one.
 * Returns what was started but not included, which is still unaudited when the next start.
 */
async function anchor(
  world: World,
  mission: Mission,
  mirror: FreezeMirror,
  batch: readonly number[],
  left: readonly NodeView[],
): Promise<readonly NodeView[]> {
  const now = async () => {
    const able = await startable(world, mission, mirror.overlay(await viewNodes(world, mission)));
    return able.filter(({ law }) => batch.includes(law.number));
  };
  const ready = await now();
  if (ready.length === 0) return [];
  const begun = [...left, ...ready];
  const previous = await world.client.mission(mission.address).checkpointed();
  await world.remember(["wave", ...waveKey(mission, previous, begun)], waveSchema, async () => ({
    previous,
    nodes: begun.map(({ law, attempt, freezes }) => ({ node: law.number, attempt, freezes })),
    since: Number(world.client.chain.clock.now()),
  }));
  const invocations = await runAll(world, mission, ready);
  await world.boundary("execution:worked");
  await guardAll(world, mission, mirror, ready, invocations);
  const numbers = ready.filter((view) => hasOutputs(view, invocations)).map(({ law }) => law.number);
  const taken = (await now()).filter(({ law }) => numbers.includes(law.number));
  if (taken.length === 0) return ready;
  try {
    await send(world, mission, previous, taken);
  } catch (error) {
    if (!(error instanceof TransactionReverted || error instanceof SeatAbsent)) throw error;
    const why =
      error instanceof TransactionReverted
        ? `was refused (${error.errorName ?? error.shortMessage})`
        : `lacks a signature (${error.shortMessage})`;
    world.progress(`the checkpoint ${why}: its nodes continue on chain, stage by stage`);
    return ready;
  }
  await world.boundary("execution:checkpointed");
  const views = await viewNodes(world, mission);
  await release(world, mission, views);
  // The chain skips what was frozen meanwhile.
  return ready.filter(({ law }) => views.some((view) => view.law.number === law.number && !view.slots.every(({ committed }) => committed)));
}

/**
 * Nodes that a checkpoint can include now: nothing of them is on chain, their code is what was bid, and they could not have started longer
 * ago than the interval.
 */
async function startable(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<readonly NodeView[]> {
  const { anchorInterval } = mission.document;
  if (anchorInterval === undefined) return [];
  const { params } = await world.client.mission(mission.address).context();
  const now = world.client.chain.clock.now();
  return nodes.filter(
    (view) =>
      view.state === "ELIGIBLE" &&
      !isBranch(view) &&
      isStaffed(view) &&
      view.remainder === 0 &&
      view.slots.every(({ committed, pledge }) => !committed && isRegisteredCode(world, pledge)) &&
      opensEarly(world, view) &&
      now <= view.deadline - BigInt(params.verificationTimeout) + BigInt(anchorInterval),
  );
}

/**
 * A checkpoint contains openings together with commitments. Where outputs are compared, only executors that trust this process open before
 * the chain has the others' commitments (decision 92).
 */
function opensEarly(world: World, { law, slots }: NodeView): boolean {
  return law.tier !== TIER.CONSENSUS || slots.every(({ agent }) => workerOf(world, agent).opensEarly);
}

/** A runner signs only for registered code under a checkpoint; if live code differs, `mismatch` accepts its report and slashes. */
function isRegisteredCode(world: World, service: Hash): boolean {
  const known = knownService(world, service);
  return known !== undefined && known.bundle.codeHash === known.record.codeHash;
}

function hasOutputs({ law }: NodeView, invocations: readonly Invocation[]): boolean {
  return invocations.filter(({ view, work }) => view.law.number === law.number && work.ok).length === law.redundancy;
}

/** Record key of a set of nodes at a point of the mission's checkpoints. */
function waveKey(mission: Mission, previous: string, nodes: readonly NodeView[]): readonly (string | number)[] {
  return [mission.address, previous, ...nodes.flatMap(({ law, attempt, freezes }) => [law.number, attempt, freezes])];
}

async function send(world: World, mission: Mission, previous: Hash, nodes: readonly NodeView[]): Promise<void> {
  for (const view of nodes) await attest(world, mission, view);
  // Issuers run concurrently; their evidence enters the log in the order of nodes and slots.
  const inOrder = new InOrder();
  const slots = nodes.flatMap((view) => view.slots.map((slot) => ({ view, slot })));
  await Promise.all(slots.map(({ view, slot }) => inOrder.run((before) => envelopeOf(world, mission, view, slot, before))));
  const key = waveKey(mission, previous, nodes);
  const { root, deadline } = await world.remember(["checkpoint", ...key], checkpointSchema, async () => ({
    root: await world.logHead(),
    deadline: Number(world.client.chain.clock.now() + CHECKPOINT_VALIDITY),
  }));
  const made = await Promise.all(
    nodes.map(async (view) => ({ view, own: await Promise.all(view.slots.map((slot) => pledgeOf(world, mission, view, slot, deadline))) })),
  );
  const work = workHashOf(
    made.flatMap(({ view, own }) => own.flatMap(({ commitment }, k) => [view.slots[k]?.pledge ?? commitment, commitment])),
  );
  const runner = world.runner.account.address;
  const message = { runner, previous, root, work, deadline };
  const signature = await signMessage(world.client, world.runner.account, "Checkpoint", message, mission.address);
  const pledges = made.map(({ view, own }) => ({
    node: view.law.number,
    openings: own.map(({ opening }) => opening),
    signatures: own.map((each) => each.signature),
  }));
  await world.client
    .mission(mission.address)
    .checkpoint([{ previous, root, runner, deadline, signature, pledges }], { intent: intentKey("checkpoint", ...key) });
}

/** Has the runner inspect the code of every slot of a node. */
async function attest(world: World, mission: Mission, view: NodeView): Promise<void> {
  await world.remember(["live", ...attemptKey(mission, view)], liveSchema, async () => {
    const deadline = Number(world.client.chain.clock.now() + CHECKPOINT_VALIDITY);
    const runner = world.runner.account.address;
    return Promise.all(
      view.slots.map(async ({ slot, pledge }) => {
        const { id: service, bundle } = serviceById(world, pledge, view.law.services);
        const seen = { slot, service, hash: bundle.codeHash, deadline, runner };
        const live = { ...seen, mission: mission.address, node: view.law.number, attempt: view.attempt };
        return { ...seen, signature: await signMessage(world.client, world.runner.account, "LiveHash", live, mission.address) };
      }),
    );
  });
}
