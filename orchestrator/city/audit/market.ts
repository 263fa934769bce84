import { admittedBy } from "../../client/compile-law.ts";
import type { Address, Hash, Hex } from "../../primitives/hex.ts";
import { admissionOf } from "../../rules/admissions.ts";
import { bidScore, matchOf } from "../../rules/bid-score.ts";
import { fairnessScore } from "../../rules/fairness.ts";
import { burdened, points } from "../../rules/reputation.ts";
import { BUNDLE_FILES } from "../bundle/bundle-layout.ts";
import type { ChainContext } from "./context.ts";
import type { SlotHistory } from "./history.ts";
import type { ChainCheck } from "./inspection.ts";
import { parameterBefore } from "./parameters.ts";
import { isSignedBy } from "./signatures.ts";

interface SignedBid {
  readonly at: bigint;
  readonly node: number;
  readonly attempt: number;
  readonly agent: Address;
  readonly service: Hash;
  readonly price: bigint;
}

/** Every bid is its bidder's, of code that the law admits, is worth what equation 1 says, and executors are among those who bid (decisions 15, 16). */
export const bids: ChainCheck = {
  name: "BIDS",
  what: "signature of every bid, its code against the law, its score by equation 1, every award against a signed bid, fairness counted again",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    const { record, mission, history, law, roles, nameOf, label, document } = context;
    const placed = record.events("ExecutionProcedure", "BidPlaced").filter(({ args }) => args.mission === mission);
    const registered = record.events("ServiceContract", "ServiceRegistered");
    const nonces = new Map<Address, bigint>();
    const signed: SignedBid[] = [];
    for (const { at, from, hash, offer, auth } of sentBids(context)) {
      const { agent, deadline, signature } = auth;
      const nonce = await nonceOf(context, { agent, ...offer, deadline }, signature, from, nonces.get(agent) ?? 0n);
      nonces.set(agent, (nonce ?? nonces.get(agent) ?? 0n) + 1n);
      if (offer.mission !== mission) continue;
      const subject = `bid of ${nameOf(agent)} for ${label(offer.node)}`;
      seen.holds(nonce !== undefined, subject, "is not signed by its bidder");
      const node = law.nodes[offer.node];
      const event = placed.find((each) => each.hash === hash && each.args.node === offer.node && each.args.agent === agent);
      if (node === undefined || !seen.holds(event !== undefined, subject, "left no trace on chain") || event === undefined) continue;
      const slotBudget = node.budget / BigInt(node.redundancy);
      const [quality = 0n, cheapness = 0n, smoothing = 0n] = await Promise.all(
        (["BID_WEIGHT_QUALITY", "BID_WEIGHT_PRICE", "REPUTATION_SMOOTHING"] as const).map((name) => parameterBefore(context, name, at)),
      );
      const reputation = points(burdened(roles.reputationBefore(agent, at), roles.openFaultsBefore(agent, at), smoothing));
      const fit = matchOf(roles.capabilitiesBefore(agent, at), node.capabilities);
      const score = bidScore({ reputation, fit, price: offer.price, slotBudget }, quality, cheapness);
      seen.same(event.args.score, score, `${subject}: score`);
      seen.same([event.args.service, event.args.price], [offer.service, offer.price], `${subject}: recorded terms`);
      const code = registered.find(({ args }) => args.service === offer.service)?.args;
      const admitted = code !== undefined && admissionOf(admittedBy(document.document), code, offer.node) !== undefined;
      seen.holds(admitted, `${subject}: code`, "is none that the law's document admits");
      signed.push({ at, node: offer.node, attempt: history.attemptAt(offer.node, at), agent, service: offer.service, price: offer.price });
    }
    awards(context, seen, signed);
  },
};

/** Bids as they were sent, alone or several in one transaction; of those, what the market refused is no bid. */
export function sentBids({ record }: Pick<ChainContext, "record">) {
  const alone = record.calls("ExecutionProcedure", "bid").map(({ args: [offer, auth], ...sent }) => ({ ...sent, offer, auth }));
  const refused = record.events("ExecutionProcedure", "BidRefused");
  const together = record.calls("ExecutionProcedure", "bidAll").flatMap(({ args: [offers, auths], ...sent }) => {
    const passed = refused.filter(({ hash }) => hash === sent.hash).map(({ args }) => args);
    return offers.flatMap((offer, place) => {
      const auth = auths[place];
      const skips = passed[0];
      if (auth === undefined) return [];
      if (skips?.agent !== auth.agent || skips.mission !== offer.mission || skips.node !== offer.node) return [{ ...sent, offer, auth }];
      passed.shift();
      return [];
    });
  });
  return [...alone, ...together].sort((one, other) => Number(one.at - other.at));
}

function awards(
  { record, mission, history, roles, nameOf, label }: ChainContext,
  seen: Parameters<ChainCheck["run"]>[1],
  signed: readonly SignedBid[],
): void {
  const placed = record.events("ExecutionProcedure", "BidPlaced").filter(({ args }) => args.mission === mission);
  const assigned = new Map<Address, bigint>();
  let [squares, total] = [0n, 0n];
  for (const { at, args } of record.events("ExecutionProcedure", "Awarded").filter((each) => each.args.mission === mission)) {
    const { node, slot, agent, service, price, fairness } = args;
    const subject = `award of ${label(node)} to ${nameOf(agent)}`;
    const attempt = history.attemptAt(node, at);
    const bid = signed.find((each) => each.node === node && each.attempt === attempt && each.agent === agent && each.at < at);
    seen.same([service, price], bid === undefined ? "a signed bid" : [bid.service, bid.price], subject);
    const bound = history.slot(node, attempt, slot);
    seen.same([bound?.agent, bound?.service, bound?.price], [agent, service, price], `${subject}: executor bound`);
    const principal = roles.principalOf(agent);
    const held = assigned.get(principal) ?? 0n;
    assigned.set(principal, held + 1n);
    [squares, total] = [squares + 2n * held + 1n, total + 1n];
    const bidders = new Set(placed.filter((each) => each.at < at).map((each) => roles.principalOf(each.args.agent)));
    seen.same(fairness, fairnessScore(squares, total, BigInt(bidders.size)), `${subject}: fairness`);
  }
  const isKept = ({ node, attempt }: SlotHistory) => history.amendment(node, attempt) !== undefined;
  const kept = history.slots.filter(isKept);
  for (const { node, attempt, slot, agent, service, price } of kept) {
    const former = history.slot(node, attempt - 1, slot);
    const subject = `executor of ${label(node)} under an amended mandate`;
    seen.same([agent, service, price], [former?.agent, former?.service, former?.price], subject);
  }
  seen.same(total, history.slots.length - kept.length, "awards against bound executors");
}

/** How many signed calls of one agent may lie between two of its bids: withdrawals use nonces too. */
const NONCE_GAP = 16n;

/** The nonce under which a bid is signed, which is none below `next`. */
async function nonceOf(
  context: ChainContext,
  message: {
    readonly agent: Address;
    readonly mission: Address;
    readonly node: number;
    readonly service: Hash;
    readonly price: bigint;
    readonly deadline: number;
  },
  signature: Hex,
  from: Address,
  next: bigint,
): Promise<bigint | undefined> {
  if (signature === "0x") return from.toLowerCase() === message.agent.toLowerCase() ? next : undefined;
  for (let nonce = next; nonce < next + NONCE_GAP; nonce += 1n) {
    if (await isSignedBy(context, message.agent, "Bid", { ...message, nonce }, signature)) return nonce;
  }
  return undefined;
}
