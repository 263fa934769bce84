import type { ContractFunctionArgs } from "viem";
import { errorsAbi } from "../chain/abi/errors.ts";
import { MAX_TRANSACTION_GAS } from "../chain/driven.ts";
import { intentKey } from "../chain/outbox.ts";
import { decodeRevert } from "../chain/revert.ts";
import { admittedBy } from "../client/compile-law.ts";
import type { AbiOf } from "../client/contracts.ts";
import { signAuth } from "../client/sign/auth.ts";
import { writeMany } from "../client/write.ts";
import { unlessAbsent } from "../minds/absence.ts";
import type { Offer } from "../minds/mind.ts";
import { partsOf } from "../primitives/lists.ts";
import { admissionOf } from "../rules/admissions.ts";
import { admittedAmong } from "./admitted.ts";
import type { NodeView } from "./chain-view.ts";
import type { Worker } from "./seat.ts";
import { ServiceChanged } from "./work.ts";
import type { Mission, World } from "./world.ts";

/** Validity of a bid's signature, seconds of chain time. */
const BID_VALIDITY = 86_400n;
/**
 * Maximum gas of one bid: in a full market, with a pool's stake. An estimate would not do: a call that skips failing bids also succeeds
 * with too little gas.
 */
const GAS_PER_BID = 400_000n;
const GAS_OF_TRANSACTION = 100_000n;
const BIDS_PER_TRANSACTION = Number((MAX_TRANSACTION_GAS - GAS_OF_TRANSACTION) / GAS_PER_BID);

type SignedBid = ContractFunctionArgs<AbiOf<"ExecutionProcedure">, "nonpayable", "bid">;

interface UnsignedBid {
  readonly worker: Worker;
  readonly view: NodeView;
  readonly offer: Offer;
}

interface PlacedBid extends UnsignedBid {
  readonly signed: SignedBid;
}

/**
 * Submits the bids of a market, many per transaction. An agent's bids have consecutive nonces, so if one is refused, its later ones are too:
 * those are signed and submitted again. Bids refused by the chain are reported, and the market continues without them.
 * @param absent agents that left a bid of this market unsigned, which are not asked again, since each question waits for its answer; more
 * may be added
 * @returns by node: agents whose bids stand
 */
export async function placeBids(
  world: World,
  mission: Mission,
  nodes: readonly NodeView[],
  offers: ReadonlyMap<Worker, readonly Offer[]>,
  absent: Set<Worker>,
): Promise<ReadonlyMap<number, readonly Worker[]>> {
  const bidders = new Map<number, Worker[]>();
  let due = [...offers].map(([worker, list]) =>
    list.flatMap((offer) => {
      const view = nodes.find(({ law }) => law.number === offer.node);
      return view === undefined ? [] : [{ worker, view, offer }];
    }),
  );
  for (due = due.filter(({ length }) => length > 0); due.length > 0; ) {
    const signed = await Promise.all(due.map((bids) => signBids(world, mission, bids, absent)));
    const refused = new Map<Worker, NodeView>();
    for (const part of partsOf(inRounds(signed), BIDS_PER_TRANSACTION)) {
      for (const { bid, reason } of await send(world, mission, part)) {
        const { worker, view } = bid;
        if (reason === undefined) bidders.set(view.law.number, [...(bidders.get(view.law.number) ?? []), worker]);
        else if (!refused.has(worker)) {
          refused.set(worker, view);
          world.progress(`${view.law.label}: the bid of ${worker.name} was refused (${reason})`);
        }
      }
    }
    due = signed.flatMap((bids) => {
      const first = bids.findIndex(({ worker, view }) => refused.get(worker) === view);
      const later = first < 0 ? [] : bids.slice(first + 1);
      return later.length === 0 ? [] : [later];
    });
  }
  return bidders;
}

/** The first bid of each agent, then each one's second, and so on. */
function inRounds<Bid>(queues: readonly (readonly Bid[])[]): Bid[] {
  const rounds = Math.max(0, ...queues.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) => queues.flatMap((queue) => queue.slice(round, round + 1))).flat();
}

/** An agent's bids, up to the first that it does not sign. */
async function signBids(world: World, mission: Mission, bids: readonly UnsignedBid[], absent: Set<Worker>): Promise<readonly PlacedBid[]> {
  const placed: PlacedBid[] = [];
  const [first] = bids;
  if (first === undefined) return placed;
  const nonce = await world.client.execution.nonceOf(first.worker.account.address);
  for (const { worker, view, offer } of bids) {
    const next = nonce + BigInt(placed.length);
    const signed = absent.has(worker) ? undefined : await unlessAbsent(() => signBid(world, mission, view.law, worker, offer, next));
    if (signed === undefined) {
      absent.add(worker);
      break;
    }
    placed.push({ worker, view, offer, signed });
  }
  return placed;
}

async function signBid(
  world: World,
  mission: Mission,
  law: NodeView["law"],
  worker: Worker,
  offered: Offer,
  nonce: bigint,
): Promise<SignedBid> {
  const { node, service: name, price } = offered;
  const agent = worker.account.address;
  const service = admittedAmong(law, world.services).find((candidate) => candidate.owner === agent && candidate.name === name);
  if (service === undefined) throw new RangeError(`${worker.name} does not sell ${name}`);
  const admission = admissionOf(admittedBy(mission.document), service.record, node);
  if (admission === undefined) throw new ServiceChanged(service.id, [name]);
  const offer = { mission: mission.address, node, service: service.id, price };
  const deadline = Number(world.client.chain.clock.now() + BID_VALIDITY);
  const message = { agent, ...offer, nonce, deadline };
  return [offer, await signAuth(world.client, worker.account, "Bid", message), admission];
}

/** @returns each bid, with the reason if the chain refused it */
async function send(
  { client }: World,
  mission: Mission,
  bids: readonly PlacedBid[],
): Promise<readonly { readonly bid: PlacedBid; readonly reason: string | undefined }[]> {
  const names = bids.flatMap(({ view, worker }) => [view.law.number, view.attempt, worker.account.address]);
  const call = [
    bids.map(({ signed: [offer] }) => offer),
    bids.map(({ signed: [, auth] }) => auth),
    bids.map(({ signed: [, , admission] }) => admission),
  ] as const;
  const gas = GAS_OF_TRANSACTION + GAS_PER_BID * BigInt(bids.length);
  const intent = client.execution.call.bidAll(call, { intent: intentKey("bids", mission.address, ...names), gas });
  const refused = (await writeMany(client, [intent])).flatMap((receipt) => client.execution.events(receipt, "BidRefused"));
  return bids.map((bid) => {
    const refusal = refused.find(({ args }) => args.node === bid.view.law.number && args.agent === bid.worker.account.address);
    if (refusal === undefined) return { bid, reason: undefined };
    const { errorName, reason } = decodeRevert(refusal.args.reason, errorsAbi);
    return { bid, reason: errorName ?? reason };
  });
}
