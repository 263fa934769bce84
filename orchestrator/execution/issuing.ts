import { signObligation } from "../clearing/obligation.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import { SeatAbsent } from "../minds/absence.ts";
import { parseContentId } from "../primitives/hash.ts";
import type { Hash } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { randomStream } from "../primitives/random.ts";
import { EvidenceClass } from "../rules/admissibility.ts";
import type { NodeView } from "./chain-view.ts";
import { type Claimed, type ClaimFile, claimFile, claimOf, outputOf } from "./claims.ts";
import { itemDocument } from "./clearing-record.ts";
import type { SignedItem } from "./evidence.ts";
import { toolsOf } from "./fetch/tools.ts";
import { modelTool } from "./models/model-tool.ts";
import { evidenceFor, takesReceipts, termsOfNode } from "./obligation.ts";
import { boundTerms } from "./obligations.ts";
import { limitsOf, originOf } from "./origin.ts";
import { hold } from "./output-buffer.ts";
import type { RunResult } from "./sandbox/result.ts";
import type { Issuer } from "./seat.ts";
import { inputOf, placeOf, serviceById } from "./work.ts";
import type { Mission, RegisteredService, World } from "./world.ts";

/** An issuer's evidence, for the documents and the chain. */
export interface Issued {
  readonly file: ClaimFile;
  readonly item: SignedItem;
}

/**
 * Evidence for a slot's work from the first issuer that confirms it, in an order drawn for this slot. Issuers of a party are not asked,
 * since the chain would refuse their evidence. Throws SeatAbsent if none answers: the slot then has nothing to commit with.
 */
export async function issue(world: World, subject: Claimed, obligation: Hash): Promise<Issued> {
  const { mission, view, slot } = subject;
  const parties = await partiesTo(world, mission, view);
  const able = world.issuers.filter(({ issues, principal }) => issues.includes(evidenceFor(view.law).class) && !parties.has(principal));
  const answers: Issued[] = [];
  for (const issuer of randomStream(obligation, "issuers", slot.slot).shuffle(able)) {
    try {
      const file = await vouchedBy(world, issuer, subject, obligation);
      const item = await itemBy(world, issuer, subject, obligation, file.found);
      // Everything needed of it later is signed now, so that an issuer that leaves cannot take it back.
      await issuer.seal(itemDocument(await termsHash(world, mission, view), item, file.outcome));
      answers.push({ file, item });
    } catch (error) {
      if (!(error instanceof SeatAbsent)) throw error;
      world.progress(`${view.law.label}: ${error.shortMessage}; asking another issuer`);
    }
    if (answers.length === ASKED || answers.some(({ file }) => file.outcome.status === "verified")) break;
  }
  const best = STANDING.map((status) => answers.find(({ file }) => file.outcome.status === status)).find((each) => each !== undefined);
  if (best === undefined) throw new SeatAbsent("every issuer", `vouch for slot ${slot.slot} of ${view.law.label}`, "none of them answered");
  return best;
}

/** Number of issuers that must answer: two refute an output, one confirms it (decision 94). */
const ASKED = 2;
/** Outcomes that count: an issuer that could not check refutes nothing. */
const STANDING = ["verified", "rejected", "unverifiable"] as const;

/** The on-chain evidence for a claim that an issuer has checked already. */
export async function issueAgain(world: World, subject: Claimed, obligation: Hash, { outcome, found }: ClaimFile): Promise<SignedItem> {
  const issuer = world.issuers.find(({ account }) => account.address === outcome.verifier_id);
  if (issuer === undefined) throw new SeatAbsent(outcome.verifier_id, "sign evidence", "it has no seat here");
  return itemBy(world, issuer, subject, obligation, found);
}

/** The hash of a node's obligation in the documents of its clearing. */
export async function termsHash(world: World, mission: Mission, view: NodeView): Promise<Hash> {
  return signObligation(termsOfNode(await boundTerms(world, mission, view)), {}).obligation_hash;
}

/** Principals with a part in a node's work, whose issuers are not accepted. */
export async function partiesTo({ client }: World, { sponsor }: Mission, { slots }: NodeView): Promise<ReadonlySet<string>> {
  const agents = [...slots.map(({ agent }) => agent), sponsor];
  return new Set([sponsor, ...(await Promise.all(agents.map((agent) => client.agents.principalOf(agent))))]);
}

/** Re-executes a node's service on its input. */
export async function rerun(
  world: World,
  mission: Mission,
  view: NodeView,
  { bundle, schemas, record }: RegisteredService,
): Promise<RunResult> {
  const [input, limits] = await Promise.all([inputOf(world, mission, view), limitsOf(world, mission, view)]);
  const tools = { ...toolsOf(world, mission), ...modelTool(world, mission, view.law) };
  return world.sandbox.run({ bundle, schemas, input, limits, constraints: record.constraints, tools });
}

async function vouchedBy(world: World, issuer: Issuer, subject: Claimed, obligation: Hash): Promise<ClaimFile> {
  const { mission, view, slot, handed } = subject;
  const claim = await claimOf(world, subject);
  const service = serviceById(world, handed.service, view.law.services);
  const limits = await limitsOf(world, mission, view);
  const again = async () => canonicalBytes(outputOf(await rerun(world, mission, view, service)));
  const obtain = takesReceipts(view.law) ? () => world.store.get(parseContentId(handed.id)) : again;
  const { since, signature } = await hold(world, mission, view, slot, handed);
  const held = { since, signature };
  const order = { ...placeOf(mission, view, slot), obligation, claim, service, handed, held, limits, obtain };
  return claimFile(claim, await issuer.vouch({ ...order, origin: () => originOf(world, mission, view) }));
}

async function itemBy(world: World, issuer: Issuer, { mission, view, slot: { slot } }: Claimed, obligation: Hash, payload: Hash) {
  const { kind, class: evidenceClass } = evidenceFor(view.law);
  const address = issuer.account.address;
  const item = { obligation, slot, index: 0, kind, payload, class: EvidenceClass[evidenceClass] };
  const signature = await signMessage(world.client, issuer.account, "Evidences", { issuer: address, items: [item] }, mission.address);
  return { slot, index: 0, kind, payload, issuer: address, class: evidenceClass, signature };
}
