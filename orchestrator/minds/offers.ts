import { BASIS_POINTS } from "../primitives/amounts.ts";
import type { Address } from "../primitives/hex.ts";
import type { RandomStream } from "../primitives/random.ts";
import { leastPrice, lockCost, reputationFactor } from "../rules/deterrence.ts";
import { fits } from "./fit.ts";
import type { ProducerFacts } from "./goal.ts";
import type { BidRequest, Offer, OpenNode } from "./mind.ts";

/** Bidders for a single-slot node: enough for a choice, few enough to leave stake for other nodes. */
const RIVALS = 2;
const CENT = 10_000n;
/** Yearly return of a stake elsewhere, and days for which it is locked (AgentCity, table S1: a working day). */
const YEARLY = 0.1;
const LOCKED = 8 / 24;

/**
 * A convention that needs no messages, because it relies on public facts alone. For each node the able principals form a circle; the node's
 * number determines who is first. The first `redundancy` (two for a single slot) bid, each through one of its agents, and the one at
 * position k offers service k, so that executors of one node run different code and no stake is idle. When an agent drops out, the next
 * attempt has another circle.
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
    const least = leastOf(node, request);
    if (least === undefined || least > node.slotBudget) continue;
    free -= node.stake;
    const asked = priceOf(node.slotBudget, share);
    offers.push({ node: node.node, service, price: greater(asked, least) });
  }
  return offers;
}

/** The agent's position among the node's bidders; undefined if it is not its turn. */
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

/**
 * The price of EQ-10, smallest unit: below it, locking the stake costs more than what remains after fees at the agent's reputation. Only
 * the owner knows the cost of the work itself, and sets it as a limit. Undefined if no price suffices.
 */
function leastOf({ stake }: OpenNode, { self, producers, pay }: BidRequest): bigint | undefined {
  if (pay === undefined) return 1n;
  const reputation = producers.find(({ agent }) => agent === self)?.reputation ?? 0;
  const locking = lockCost(Number(stake), YEARLY, LOCKED);
  const least = leastPrice(locking, 0, pay.fees, reputationFactor(reputation, pay.alpha));
  return Number.isFinite(least) ? BigInt(Math.max(1, Math.ceil(least))) : undefined;
}

const greater = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** The slot's budget minus the rebate, in hundredths of a token where the budget allows. */
function priceOf(slotBudget: bigint, share: number): bigint {
  const rebate = (slotBudget * BigInt(Math.round(share * BASIS_POINTS))) / BigInt(BASIS_POINTS);
  const price = slotBudget - rebate;
  const rounded = price >= 100n * CENT ? price - (price % CENT) : price;
  return rounded > 0n ? rounded : 1n;
}
