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

interface PlacedBid {
  readonly worker: Worker;
  readonly view: NodeView;
  readonly signed: SignedBid;
}

/**
 * Submits the bids of a market, many per transaction. Each bid of an agent is signed with the nonce that the previous one left. Bids
 * refused by the chain are reported, and the market continues without them.
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
  const queues = [...offers].map(([worker, list]) =>
    list.flatMap((offer) => {
      const view = nodes.find(({ law }) => law.number === offer.node);
      return view === undefined ? [] : [{ worker, view, offer }];
    }),
  );
  const rounds = Math.max(0, ...queues.map(({ length }) => length));
  for (let round = 0; round < rounds; round += 1) {
    const due = queues.flatMap((queue) => queue.slice(round, round + 1)).filter(({ worker }) => !absent.has(worker));
    const signed = await Promise.all(
      due.map(({ worker, view, offer }) => unlessAbsent(() => signBid(world, mission, view.law, worker, offer))),
    );
    const bids = due.flatMap((bid, place) => {
      const own = signed[place];
      if (own === undefined) absent.add(bid.worker);
      return own === undefined ? [] : [{ ...bid, signed: own }];
    });
    for (const part of partsOf(bids, BIDS_PER_TRANSACTION))
      for (const { worker, view } of await send(world, mission, part)) {
        bidders.set(view.law.number, [...(bidders.get(view.law.number) ?? []), worker]);
      }
  }
  return bidders;
}

async function signBid(world: World, mission: Mission, law: NodeView["law"], worker: Worker, offered: Offer): Promise<SignedBid> {
  const { node, service: name, price } = offered;
  const agent = worker.account.address;
  const service = admittedAmong(law, world.services).find((candidate) => candidate.owner === agent && candidate.name === name);
  if (service === undefined) throw new RangeError(`${worker.name} does not sell ${name}`);
  const admission = admissionOf(admittedBy(mission.document), service.record, node);
  if (admission === undefined) throw new ServiceChanged(service.id, [name]);
  const { execution, chain } = world.client;
  const offer = { mission: mission.address, node, service: service.id, price };
  const deadline = Number(chain.clock.now() + BID_VALIDITY);
  const message = { agent, ...offer, nonce: await execution.nonceOf(agent), deadline };
  return [offer, await signAuth(world.client, worker.account, "Bid", message), admission];
}

/** @returns the bids that the chain accepted */
async function send({ client, progress }: World, mission: Mission, bids: readonly PlacedBid[]): Promise<readonly PlacedBid[]> {
  const names = bids.flatMap(({ view, worker }) => [view.law.number, view.attempt, worker.account.address]);
  const call = [
    bids.map(({ signed: [offer] }) => offer),
    bids.map(({ signed: [, auth] }) => auth),
    bids.map(({ signed: [, , admission] }) => admission),
  ] as const;
  const gas = GAS_OF_TRANSACTION + GAS_PER_BID * BigInt(bids.length);
  const intent = client.execution.call.bidAll(call, { intent: intentKey("bids", mission.address, ...names), gas });
  const refused = (await writeMany(client, [intent])).flatMap((receipt) => client.execution.events(receipt, "BidRefused"));
  return bids.filter(({ view, worker }) => {
    const refusal = refused.find(({ args }) => args.node === view.law.number && args.agent === worker.account.address);
    if (refusal === undefined) return true;
    const { errorName, reason } = decodeRevert(refusal.args.reason, errorsAbi);
    progress(`${view.law.label}: the bid of ${worker.name} was refused (${errorName ?? reason})`);
    return false;
  });
}
