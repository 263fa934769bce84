import { BASIS_POINTS } from "../primitives/amounts.ts";
import type { Address } from "../primitives/hex.ts";
import type { RandomStream } from "../primitives/random.ts";
import { fits } from "./fit.ts";
import type { ProducerFacts } from "./goal.ts";
import type { BidRequest, Offer, OpenNode } from "./mind.ts";

/** Bidders for a node of one slot: enough for a choice, few enough to leave stake for the other nodes. */
const RIVALS = 2;
const CENT = 10_000n;

/**
 * A convention that needs no messages, because it rests on public facts alone. For each node the able principals stand in a
 * circle; the node's number says who is first. The first `redundancy` (two for a single slot) bid, each through one of its
 * agents, and the one at place k offers service k: so executors of one node run different code and no stake lies
 * idle. When an agent drops out, the next attempt has another circle.
 */
export function offersOf(request: BidRequest, rebate: number, stream: RandomStream): Offer[] {
  let free = request.freeStake;
  const offers: Offer[] = [];
  for (const node of request.nodes) {
    const share = rebate * (0.5 + stream.next());
    const place = placeIn(node, request.producers, request.self);
    if (place === undefined || node.stake > free) continue;
    const service = node.services[place % node.services.length];
    if (service === undefined) continue;
    free -= node.stake;
    offers.push({ node: node.node, service, price: priceOf(node.slotBudget, share) });
  }
  return offers;
}

/** The agent's place among the node's bidders; undefined: not its turn. */
function placeIn(node: OpenNode, producers: readonly ProducerFacts[], self: Address): number | undefined {
  const able = producers.filter(({ principal, capabilities }) => !node.barred.includes(principal) && fits(capabilities, node.capabilities));
  const principals = [...new Set(able.map(({ principal }) => principal))].sort();
  const bidders = Math.max(node.redundancy, RIVALS);
  for (let place = 0; place < Math.min(bidders, principals.length); place += 1) {
    const principal = principals[(node.node + place) % principals.length];
    const agents = able.filter((producer) => producer.principal === principal);
    const round = Math.floor(node.node / principals.length);
    if (agents[round % agents.length]?.agent === self) return place;
  }
  return undefined;
}

/** The slot's budget less the rebate, in hundredths of a token where the budget allows. */
function priceOf(slotBudget: bigint, share: number): bigint {
  const rebate = (slotBudget * BigInt(Math.round(share * BASIS_POINTS))) / BigInt(BASIS_POINTS);
  const price = slotBudget - rebate;
  const rounded = price >= 100n * CENT ? price - (price % CENT) : price;
  return rounded > 0n ? rounded : 1n;
}
