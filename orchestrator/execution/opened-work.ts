import { AgentCityError } from "../primitives/errors.ts";
import { parseContentId } from "../primitives/hash.ts";
import type { Hash } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { ITEMS_PER_SLOT } from "../protocol/evidence.ts";
import { commitmentOf, type Opening } from "../rules/commitments.ts";
import type { NodeView, SlotView } from "./chain-view.ts";
import { takesReceipts } from "./obligation.ts";
import { openWork } from "./sealed-work.ts";
import { attemptKey, type SealedWork, sealedSchema, UNREADABLE, type Work, workSchema } from "./work.ts";
import type { Mission, World } from "./world.ts";

/** Openings of a node's commitments, from the chain: an executor that opens its own there is treated like those this city opened. */
export async function openingsOnChain(
  { client }: Pick<World, "client">,
  { address }: Pick<Mission, "address">,
  { law, attempt, slots }: Pick<NodeView, "law" | "attempt" | "slots">,
): Promise<readonly (Opening | undefined)[]> {
  if (!slots.some(({ revealed }) => revealed)) return slots.map(() => undefined);
  const contract = client.mission(address);
  const [events, obligation] = await Promise.all([contract.history("Revealed", { node: law.number }), contract.obligationOf(law.number)]);
  return slots.map((slot) => {
    if (!slot.revealed) return undefined;
    const event = events.findLast(({ args }) => args.slot === slot.slot && args.attempt === attempt);
    const opening = event && withItems(slot, obligation, event.args);
    if (opening === undefined)
      throw new AgentCityError("OpeningUnknown", `Slot ${slot.slot} of ${law.label} is open on chain, and no event says how`);
    return opening;
  });
}

/** The event omits the number of items; only one number matches the commitment. */
function withItems({ agent, pledge }: SlotView, obligation: Hash, args: Omit<Opening, "items">): Opening | undefined {
  const { salt, outputHash, trailRoot, envelopeRoot, classes } = args;
  for (let items = 0; items <= ITEMS_PER_SLOT; items += 1) {
    const opening = { salt, outputHash, trailRoot, envelopeRoot, classes, items };
    if (commitmentOf(agent, opening, obligation) === pledge) return opening;
  }
  return undefined;
}

/** The sealed bytes of a slot's work. */
function sealedBytes({ store }: Pick<World, "store">, { sealedId }: SealedWork): Promise<Uint8Array> {
  return store.get(parseContentId(sealedId));
}

/** Decrypts the sealed work behind every open commitment; from then on it is recorded like any other. */
export async function readOpened(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<void> {
  for (const view of nodes.filter(({ law, slots }) => takesReceipts(law) && slots.some(({ revealed }) => revealed))) {
    const places = view.slots.map(({ slot }) => [...attemptKey(mission, view), slot] as const);
    const known = await Promise.all(places.map((place) => world.recall(["work", ...place], workSchema)));
    if (view.slots.every(({ revealed }, at) => !revealed || known[at] !== undefined)) continue;
    const [openings, obligation] = await Promise.all([
      openingsOnChain(world, mission, view),
      world.client.mission(mission.address).obligationOf(view.law.number),
    ]);
    for (const [at, place] of places.entries()) {
      const [opening, slot] = [openings[at], view.slots[at]];
      const sealed = await world.recall(["sealed", ...place], sealedSchema);
      if (opening === undefined || slot === undefined || sealed === undefined) continue;
      const work = await world.remember(["work", ...place], workSchema, () =>
        read(world, sealed, { obligation, slot: slot.slot }, opening),
      );
      if (!work.ok)
        world.progress(`${view.law.label}: slot ${slot.slot} opened its commitment with a key that does not decrypt the work it handed in`);
    }
  }
}

async function read(
  world: World,
  sealed: SealedWork,
  place: { readonly obligation: Hash; readonly slot: number },
  opening: Opening,
): Promise<Work> {
  const { service, tools, messages } = sealed;
  const work = openWork(await sealedBytes(world, sealed), place, opening);
  if (work === undefined)
    return { ok: false, service, fault: UNREADABLE, details: "the opening of its commitment does not decrypt the work it handed in" };
  return {
    ...{ ok: true, service, tools, messages, trail: [...work.trail] },
    outputId: await world.store.put(canonicalBytes(work.output)),
    outputHash: opening.outputHash as Hash,
  };
}
