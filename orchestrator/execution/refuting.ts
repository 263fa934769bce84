import { z } from "zod";
import { signMessage } from "../client/sign/sign-message.ts";
import { SeatAbsent } from "../minds/absence.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { randomStream } from "../primitives/random.ts";
import { evidenceKinds } from "../protocol/evidence.ts";
import { EvidenceClass, REFUTATION } from "../rules/admissibility.ts";
import type { Opening } from "../rules/commitments.ts";
import { boundService, type NodeView, type SlotView } from "./chain-view.ts";
import { inferenceOf, NO_OUTPUT, outputOf } from "./claims.ts";
import { itemDocument } from "./clearing-record.ts";
import { type SignedItem, type Word, wordSchema } from "./evidence.ts";
import { partiesTo, rerun, termsHash } from "./issuing.ts";
import { evidenceFor } from "./obligation.ts";
import { limitsOf, originOf } from "./origin.ts";
import type { Issuer, Refuting } from "./seat.ts";
import { learnService } from "./strangers.ts";
import { attemptKey, placeOf } from "./work.ts";
import type { Mission, RegisteredService, World } from "./world.ts";

/** Issuers that must agree: one against one is no ground for a FAIL (decision 94). */
const ASKED = 2;

/**
 * Issuers' refutations of the opened work of a single executor without evidence: those of two issuers of different principals, or none.
 * They are asked in a drawn order until two have answered; an issuer that is silent, or hits a limit, does not count.
 */
export async function refutationsOf(
  world: World,
  mission: Mission,
  view: NodeView,
  slot: SlotView,
  opening: Opening,
): Promise<readonly Word[]> {
  return world.remember(refutationsKey(mission, view), z.array(wordSchema), async () => {
    const service = await learnService(world, await boundService(world, mission, view, slot));
    // A service unknown here cannot be re-executed here.
    if (service === undefined) return [];
    const work = await refutingOf(world, mission, view, slot, opening, service);
    const said: (Word | undefined)[] = [];
    const heard = new Set<Address>();
    for (const issuer of await drawn(world, mission, view, work.obligation)) {
      if (said.length === ASKED) break;
      if (heard.has(issuer.principal)) continue;
      try {
        const { outcome, found } = await issuer.refute(work);
        if (found === NO_OUTPUT) continue;
        said.push(found === opening.outputHash ? undefined : await wordOf(world, mission, view, issuer, work, outcome));
        heard.add(issuer.principal);
      } catch (error) {
        if (!(error instanceof SeatAbsent)) throw error;
        world.progress(`${view.law.label}: ${error.shortMessage}; asking another issuer`);
      }
    }
    const against = said.filter((each) => each !== undefined);
    if (against.length < ASKED) return [];
    world.progress(`${view.law.label}: two issuers got another result than ${slot.agent} committed`);
    return against;
  });
}

/** Record key of issuers' refutations: they are requested once. */
function refutationsKey(mission: Mission, view: Pick<NodeView, "law" | "attempt">): readonly (string | number)[] {
  return ["refutations", ...attemptKey(mission, view)];
}

async function refutingOf(
  world: World,
  mission: Mission,
  view: NodeView,
  slot: SlotView,
  { outputHash }: Opening,
  service: RegisteredService,
): Promise<Refuting> {
  return {
    ...placeOf(mission, view, slot),
    ...{ service, commitment: slot.pledge, outputHash },
    obligation: await world.client.mission(mission.address).obligationOf(view.law.number),
    claim: await inferenceOf(world, { mission, view, slot }, service, outputHash),
    limits: await limitsOf(world, mission, view),
    obtain: async () => canonicalBytes(outputOf(await rerun(world, mission, view, service))),
    origin: () => originOf(world, mission, view),
  };
}

/** Issuers of the class that the law requires, in an order drawn for this work: none of a party, and none that bid for it. */
async function drawn(world: World, mission: Mission, view: NodeView, obligation: Hash): Promise<readonly Issuer[]> {
  const none = await partiesTo(world, mission, view);
  const able = world.issuers.filter(({ issues, principal }) => issues.includes(evidenceFor(view.law).class) && !none.has(principal));
  const bids = await Promise.all(able.map(({ principal }) => world.client.execution.participationOf(mission.address, principal)));
  return randomStream(obligation, "refuters").shuffle(able.filter((_, place) => bids[place]?.bid === false));
}

/** Obtains everything needed of an issuer at once: one that is gone by the hearing cannot take it back. */
async function wordOf(
  world: World,
  mission: Mission,
  view: NodeView,
  issuer: Issuer,
  { slot, obligation, commitment: payload }: Refuting,
  outcome: Word["outcome"],
): Promise<Word> {
  const { class: evidenceClass } = evidenceFor(view.law);
  const address = issuer.account.address;
  const place = { slot, index: REFUTATION, kind: evidenceKinds.REFUTATION, payload };
  const message = { issuer: address, items: [{ obligation, ...place, class: EvidenceClass[evidenceClass] }] };
  const signature = await signMessage(world.client, issuer.account, "Evidences", message, mission.address);
  const item: SignedItem = { ...place, issuer: address, class: evidenceClass, signature };
  await issuer.seal(itemDocument(await termsHash(world, mission, view), item, outcome));
  return { item, outcome };
}
