import { z } from "zod";
import { collaborationContractAbi } from "../../chain/abi/CollaborationContract.ts";
import { intentKey } from "../../chain/outbox.ts";
import { errorNameOf } from "../../chain/revert.ts";
import type { Intent } from "../../chain/sender.ts";
import type { LogNote } from "../../client/base.ts";
import { signMessage } from "../../client/sign/sign-message.ts";
import { writeEach, writeMany } from "../../client/write.ts";
import { unlessAbsent } from "../../minds/absence.ts";
import { parseContentId } from "../../primitives/hash.ts";
import type { Address, Hash } from "../../primitives/hex.ts";
import { InOrder } from "../../primitives/in-order.ts";
import { partsOf } from "../../primitives/lists.ts";
import { TIER } from "../../primitives/tier.ts";
import { commitmentOf, type Opening } from "../../rules/commitments.ts";
import { encodeCommitWave, encodeRevealWave, placeKey, type WirePledge, type WireReveal, type WireSigner } from "../../rules/wire.ts";
import { type NodeView, type SlotView, viewNodes } from "../chain-view.ts";
import { type ClaimFile, claimFileSchema, claimKey } from "../claims.ts";
import { type SignedItem, signedItemSchema } from "../evidence.ts";
import { type Issued, issue, issueAgain } from "../issuing.ts";
import { requireSomethingUsable } from "../nothing-usable.ts";
import { takesReceipts } from "../obligation.ts";
import { readOpened } from "../opened-work.ts";
import { isDue, refusals, refused, release } from "../output-buffer.ts";
import { outputProblem } from "../sandbox/items-problem.ts";
import { openWork } from "../sealed-work.ts";
import type { CommittedWork } from "../seat.ts";
import {
  attemptKey,
  type HandedIn,
  handedIn,
  inputOf,
  placeOf,
  sealedSchema,
  serviceById,
  type Work,
  WorkMissing,
  workOf,
  workSchema,
} from "../work.ts";
import { type Mission, type World, workerOf } from "../world.ts";
import type { Invocation } from "./invoke.ts";

/** Maximum number of executors of a node. */
const MAX_SLOTS = 5;
/** Validity of an executor's signature, seconds of chain time. */
const COMMIT_VALIDITY = 3600n;

/** What an executor committed, kept for judging and audit. */
export interface Envelope {
  readonly obligation: Hash;
  readonly handed: HandedIn;
  /** Undefined while it is sealed, and if the opening does not decrypt it. */
  readonly work: (Work & { ok: true }) | undefined;
  readonly claimed: ClaimFile;
  readonly items: readonly SignedItem[];
}

/**
 * Stage 3: commits to every output before it is evaluated (decision 19). Tiers 1 and 3 open at once; tier 2 reveals once all executors of a
 * node have committed, which prevents copying.
 */
export async function commit(world: World, mission: Mission, invocations: readonly Invocation[]): Promise<void> {
  const deadline = Number(world.client.chain.clock.now() + COMMIT_VALIDITY);
  const inOrder = new InOrder();
  const due: Promise<Offer | undefined>[] = [];
  for (const { view, slot, work } of invocations) {
    if (!work.ok || !(await isDue(world, mission, view, slot))) continue;
    const offer = inOrder.run(async (before): Promise<Offer | undefined> => {
      const commitment = await commitmentBy(world, mission, view, slot, before);
      return commitment === undefined ? undefined : { view, slot, ...commitment, submission: await refusals(world, mission, view, slot) };
    });
    due.push(offer);
  }
  const offers = (await Promise.all(due)).filter((offer) => offer !== undefined);
  const waves = partsOf(offers, MAX_SLOTS * world.nodesPerTransaction);
  const intents = (await Promise.all(waves.map((wave) => commitIntent(world, mission, wave, deadline)))).filter(
    (each) => each !== undefined,
  );
  // Only commitments that the chain refuses stay in the buffer (AgentCity B.11.5).
  const receipts = await writeEach(world.client, intents, async ({ wave }, reason) => {
    for (const { view, slot } of wave) await refused(world, reason, mission, view, slot);
  });
  const contract = world.client.mission(mission.address);
  for (const { args } of receipts.flatMap((receipt) => contract.events(receipt, "Skipped"))) {
    const offer = offers.find(({ view, slot }) => view.law.number === args.node && slot.slot === args.slot);
    const reason = errorNameOf(args.reason, collaborationContractAbi);
    // Its executor had already committed by itself.
    if (offer !== undefined && reason !== "AlreadyCommitted") await refused(world, reason, mission, offer.view, offer.slot);
  }
  await world.boundary("execution:committed");
  await reveal(world, mission);
}

/** A commitment to be submitted. */
interface Offer {
  readonly view: NodeView;
  readonly slot: SlotView;
  readonly commitment: Hash;
  /** Sealed work is opened later. */
  readonly opening: Opening | undefined;
  /** 0 for the first. */
  readonly submission: number;
}

/** One call, in which each executor signs once for all its commitments. Undefined if none signs. */
async function commitIntent(world: World, mission: Mission, offers: readonly Offer[], deadline: number) {
  const places = (offer: Offer) => ({ node: offer.view.law.number, attempt: offer.view.attempt, slot: offer.slot.slot });
  const sign = async (agent: Address): Promise<WireSigner | undefined> => {
    const own = offers.filter(({ slot }) => slot.agent === agent);
    const slots = own.map((offer) => placeKey(places(offer)));
    const message = { agent, slots, commitments: own.map(({ commitment }) => commitment), deadline };
    const { account } = workerOf(world, agent);
    const signature = await unlessAbsent(() => signMessage(world.client, account, "Commits", message, mission.address));
    return signature === undefined ? undefined : { agent, deadline, signature };
  };
  const agents = [...new Set(offers.map(({ slot }) => slot.agent))];
  const signers = (await Promise.all(agents.map(sign))).filter((signer) => signer !== undefined);
  const wave = offers.filter(({ slot }) => signers.some(({ agent }) => agent === slot.agent));
  if (wave.length === 0) return undefined;
  const pledges = wave.map((offer): WirePledge => {
    const head = { ...places(offer), signer: signers.findIndex(({ agent }) => agent === offer.slot.agent) };
    return offer.opening === undefined ? { ...head, commitment: offer.commitment } : { ...head, opening: offer.opening };
  });
  const steps = wave.flatMap(({ view, slot, submission }) => [...attemptKey(mission, view), view.freezes, slot.slot, submission]);
  const intent = intentKey("commit", ...steps);
  return { wave, intent: world.client.mission(mission.address).call.commitWave([encodeCommitWave({ signers, pledges })], { intent }) };
}

/** An executor's commitment, and its opening unless the law keeps it sealed. Undefined if the executor, or every issuer, is absent. */
async function commitmentBy(world: World, mission: Mission, view: NodeView, slot: SlotView, before?: Promise<void>) {
  return unlessAbsent(async () => {
    const envelope = await envelopeOf(world, mission, view, slot, before);
    if (view.law.tier !== TIER.CONSENSUS) return openedBy(world, mission, view, slot, envelope);
    return {
      opening: undefined,
      commitment: await workerOf(world, slot.agent).pledge(await committedWorkOf(world, mission, view, slot, envelope)),
    };
  });
}

/** The opening of an executor's work, with its commitment. */
async function openedBy(world: World, mission: Mission, view: NodeView, slot: SlotView, envelope: Envelope) {
  const opening = await openingBy(world, mission, view, slot, envelope);
  return { opening, commitment: commitmentOf(slot.agent, opening, envelope.obligation) };
}

/** The opening of an executor's work. */
async function openingBy(world: World, mission: Mission, view: NodeView, slot: SlotView, envelope: Envelope): Promise<Opening> {
  return workerOf(world, slot.agent).open(await committedWorkOf(world, mission, view, slot, envelope));
}

async function committedWorkOf(world: World, mission: Mission, view: NodeView, slot: SlotView, envelope: Envelope): Promise<CommittedWork> {
  const { obligation, handed, work, items } = envelope;
  const sealed = takesReceipts(view.law) || work === undefined;
  return {
    ...{ ...placeOf(mission, view, slot), obligation, handed: handed.hash, items },
    work: sealed ? { sealed: await world.store.get(parseContentId(handed.id)) } : { outputHash: work.outputHash, trail: work.trail },
  };
}

/** An executor's signed commitment and opening. */
export async function pledgeOf(world: World, mission: Mission, view: NodeView, slot: SlotView, deadline: number) {
  const { opening, commitment } = await openedBy(world, mission, view, slot, await envelopeOf(world, mission, view, slot));
  const message = { agent: slot.agent, node: view.law.number, slot: slot.slot, attempt: view.attempt, commitment, deadline };
  const signature = await signMessage(world.client, workerOf(world, slot.agent).account, "Commit", message, mission.address);
  return { commitment, opening, signature };
}

/**
 * Releases outputs whose commitment is confirmed. Opens the sealed commitments of every tier-2 node once all its slots have committed, or
 * enough have and the time is up.
 */
async function reveal(world: World, mission: Mission): Promise<void> {
  const nodes = await viewNodes(world, mission);
  await release(world, mission, nodes);
  const now = world.client.chain.clock.now();
  const due = nodes
    .filter(
      (view) =>
        view.law.tier === TIER.CONSENSUS &&
        view.state === "EXECUTING" &&
        (hasAllCommits(view) || isOpening(view) || (hasEnoughCommits(view) && now >= view.deadline)),
    )
    .flatMap((view) => view.slots.filter(({ committed, revealed }) => committed && !revealed).map((slot) => ({ view, slot })));
  const intents = partsOf(due, MAX_SLOTS * world.nodesPerTransaction).map(async (wave): Promise<Intent<LogNote> | undefined> => {
    const opened = await Promise.all(
      wave.map(async (each) => {
        const { view, slot } = each;
        const envelope = await envelopeIfAny(world, mission, view, slot);
        if (envelope === undefined) return undefined;
        const opening = await unlessAbsent(() => openingBy(world, mission, view, slot, envelope));
        if (opening === undefined || !(await opensWork(world, mission, each, envelope, opening))) return undefined;
        return { ...each, opening };
      }),
    );
    const present = opened.filter((each) => each !== undefined);
    if (present.length === 0) return undefined;
    const reveals = present.map(
      ({ view, slot, opening }): WireReveal => ({ node: view.law.number, attempt: view.attempt, slot: slot.slot, opening }),
    );
    const intent = intentKey("reveal", ...present.flatMap(({ view, slot }) => [...attemptKey(mission, view), view.freezes, slot.slot]));
    return world.client.mission(mission.address).call.revealWave([encodeRevealWave(reveals)], { intent });
  });
  const made = (await Promise.all(intents)).filter((intent) => intent !== undefined);
  await writeMany(world.client, made);
  const open = (made.length === 0 ? nodes : await viewNodes(world, mission)).filter(({ law }) => takesReceipts(law));
  await readOpened(world, mission, open);
  await requireSomethingUsable(
    world,
    mission,
    open.filter(({ state }) => state === "PENDING_VERIFICATION"),
  );
}

/** Like `envelopeOf`; undefined for an executor that itself committed to something other than it handed in. */
export async function envelopeIfAny(world: World, mission: Mission, view: NodeView, slot: SlotView): Promise<Envelope | undefined> {
  try {
    return await envelopeOf(world, mission, view, slot);
  } catch (error) {
    if (error instanceof WorkMissing) return undefined;
    throw error;
  }
}

/** Whether an opening matches the commitment, and reveals work of the bound service: otherwise its executor has opened nothing. */
async function opensWork(
  world: World,
  mission: Mission,
  { view, slot }: { readonly view: NodeView; readonly slot: SlotView },
  { obligation, handed }: Envelope,
  opening: Opening,
): Promise<boolean> {
  if (commitmentOf(slot.agent, opening, obligation) !== slot.pledge) return false;
  if (!takesReceipts(view.law)) return true;
  const bytes = await world.store.get(parseContentId(handed.id));
  const work = openWork(bytes, { obligation, slot: slot.slot }, opening);
  if (work === undefined) return false;
  const { schemas } = serviceById(world, handed.service, view.law.services);
  return outputProblem(schemas, await inputOf(world, mission, view), work.output) === undefined;
}

function hasAllCommits({ law, slots }: NodeView): boolean {
  return slots.filter(({ committed }) => committed).length === law.redundancy;
}

/** The first opening ends committing: copying is no longer possible. */
function isOpening({ slots }: NodeView): boolean {
  return slots.some(({ revealed }) => revealed);
}

/** Enough for the law's threshold: the absent are charged, the others may be opened. */
export function hasEnoughCommits({ law, slots }: NodeView): boolean {
  return slots.filter(({ committed }) => committed).length >= law.threshold;
}

/**
 * What a slot's executor committed, or is about to: its recorded work and the evidence issued for it. Evidence issued now is recorded after
 * `before`.
 */
export async function envelopeOf(
  world: World,
  mission: Mission,
  view: NodeView,
  slot: SlotView,
  before: Promise<void> = Promise.resolve(),
): Promise<Envelope> {
  const obligation = await obligationOf(world, mission, view);
  const { handed, work } = await handedInBy(world, mission, view, slot);
  const subject = { mission, view, slot, handed };
  let issued: Issued | undefined;
  const claimed = await world.remember(claimKey(mission, view, slot.slot), claimFileSchema, async () => {
    issued = await issue(world, subject, obligation);
    await before;
    return issued.file;
  });
  const items = await world.remember(["evidence", ...attemptKey(mission, view), slot.slot], z.array(signedItemSchema), async () => {
    const item = issued?.item ?? (await issueAgain(world, subject, obligation, claimed));
    await before;
    return [item];
  });
  return { obligation, handed, work, claimed, items };
}

/** What a slot's executor handed in, with the work in it once it can be read. */
async function handedInBy(world: World, mission: Mission, view: NodeView, { slot }: SlotView) {
  if (!takesReceipts(view.law)) {
    const work = await workOf(world, mission, view, slot);
    return { handed: handedIn(work), work };
  }
  const place = [...attemptKey(mission, view), slot];
  const sealed = await world.recall(["sealed", ...place], sealedSchema);
  if (sealed === undefined) throw new WorkMissing(view.law.label, slot);
  const work = await world.recall(["work", ...place], workSchema);
  return { handed: handedIn(sealed), work: work?.ok === true ? work : undefined };
}

/** The obligation of a node's current attempt, as computed on chain. */
export function obligationOf(world: World, mission: Mission, view: NodeView): Promise<Hash> {
  return world.client.mission(mission.address).obligationOf(view.law.number);
}
