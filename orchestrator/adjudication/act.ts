import { type LocalAccount, zeroAddress, zeroHash } from "viem";
import { intentKey } from "../chain/outbox.ts";
import type { CityClient } from "../client/client.ts";
import { signOrder } from "../client/sign/order.ts";
import { keccak256 } from "../primitives/hash.ts";
import type { Address, ContentId, Hash, Hex } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { ACTS, type ActionName, APPEALABLE, actionNumber, caseHashFor, encodeActionData } from "../protocol/actions.ts";
import type { OverrideAction } from "../protocol/acts.ts";
import { parameterIndex } from "../protocol/parameters.ts";

/** Validity of a signature, seconds of chain time. */
export const VALIDITY = 86_400n;

/** A seat of the override panel whose key is in this process. */
export interface Seat {
  readonly name: string;
  readonly account: LocalAccount;
}

/** Where adjudicators act, and with which keys. */
export interface Panel {
  readonly client: CityClient;
  readonly seats: readonly Seat[];
  /** Stores the justification's text under the id that goes on chain. */
  readonly keep: (text: string) => ContentId | Promise<ContentId>;
  /** Account that pays for the act, so that no queued transaction delays it. Default: a relayer. */
  readonly sender?: LocalAccount | undefined;
}

/** One action of the table, on the state that was judged. Unused fields are zero. */
export interface OverrideOrder {
  readonly action: ActionName;
  /** The state that was judged. An act that binds no state is salted with it. */
  readonly caseHash: Hash;
  readonly because: string;
  readonly mission?: Address;
  readonly node?: number;
  readonly target?: Address;
  readonly data?: Hex;
}

/** An order as submitted. The same order on the same state is identical, so that it cannot be carried out twice. */
export function overrideOf(order: OverrideOrder, deadline: bigint): OverrideAction {
  const { action, caseHash, because, mission = zeroAddress, node = 0, target = zeroAddress, data = "0x" } = order;
  return {
    action: actionNumber(action),
    mission,
    node,
    target,
    data,
    because,
    ...(ACTS[action].binds === "case"
      ? { caseHash, salt: 0n }
      : { caseHash: zeroHash, salt: BigInt(keccak256(canonicalBytes([caseHash, action]))) }),
    deadline: Number(deadline),
  };
}

/** The current state of a mission that an action binds (decision 85). */
export async function stateOf(
  client: CityClient,
  action: ActionName,
  mission: Address,
  node = 0,
): Promise<Pick<OverrideOrder, "caseHash" | "data">> {
  const contract = client.mission(mission);
  const caseHash = await caseHashFor(contract, action, node);
  if (action !== "FREEZE" && action !== "VETO_OUTPUT") return { caseHash };
  const { attempt } = await contract.nodeOf(node);
  return { caseHash, data: encodeActionData(action, [attempt]) };
}

/** How many must sign an order, on the chain as it is. */
export async function signaturesFor({ client }: Pick<Panel, "client">, order: OverrideOrder): Promise<number> {
  return Number(await client.adjudication.signaturesFor(overrideOf(order, client.chain.clock.now() + VALIDITY)));
}

/** Signs an order with every given seat, stores its reason, and submits it once (AgentCity B.12; decision 28). */
export async function act({ client, keep, sender }: Panel, seats: readonly Seat[], order: OverrideOrder): Promise<void> {
  await keep(order.because);
  const message = overrideOf(order, client.chain.clock.now() + VALIDITY);
  const signatures = [];
  for (const { account } of seats) {
    signatures.push({ adjudicator: account.address, signature: await signOrder(client, account, message) });
  }
  // Two rulings on one case may differ in their data alone: appeals on two attempts at a node.
  const intent = intentKey("act", message.mission, message.node, order.caseHash, order.action, message.data);
  await client.adjudication.act([message, ascending(signatures)], { intent, account: sender });
}

/** Sorts signatures as `act` requires. */
export function ascending<Signed extends { readonly adjudicator: Address }>(signatures: readonly Signed[]): readonly Signed[] {
  return signatures.toSorted((a, b) => (a.adjudicator.toLowerCase() < b.adjudicator.toLowerCase() ? -1 : 1));
}

export class TooFewSeats extends RangeError {
  constructor(needed: number, subject: string) {
    super(`fewer than ${needed} adjudicators here may judge ${subject}`);
  }
}

/** The next seats in turn that have no interest in a mission (AgentCity B.12), as many as are needed; a seat that must rest comes last. */
export async function seatsOnMission(
  panel: Panel,
  mission: Address,
  {
    action,
    needed = 1,
    turn = 0,
    appealed,
  }: {
    readonly action: ActionName;
    readonly needed?: number;
    readonly turn?: number;
    /** The node that an appeal is about: seats that decided on it are left out. */
    readonly appealed?: number;
  },
): Promise<readonly Seat[]> {
  const resting = needed === 1 ? await restingSeat(panel.client, mission, action) : undefined;
  const judges = appealed === undefined ? new Set<Address>() : await judgesOf(panel.client, mission, appealed);
  const may = async ({ account: { address } }: Seat) => !judges.has(address) && !(await panel.client.roster.isConflicted(address, mission));
  const seats = inTurn(panel.seats, turn).toSorted((a, b) => Number(a.account.address === resting) - Number(b.account.address === resting));
  return seatsFor({ ...panel, seats }, { needed, subject: `mission ${mission}`, may });
}

/** Signers of acts on the node that can be appealed: none of them may resolve the appeal. */
async function judgesOf({ adjudication }: CityClient, mission: Address, node: number): Promise<ReadonlySet<Address>> {
  const acts = await adjudication.history("OverrideExecuted", { mission });
  const judgements = acts.filter(({ args }) => args.node === node && APPEALABLE.some((name) => actionNumber(name) === args.action));
  return new Set(judgements.flatMap(({ args }) => args.adjudicators));
}

/** The seat that took this action on the mission alone as often in a row as rotation allows. */
async function restingSeat({ adjudication, constitution }: CityClient, mission: Address, action: ActionName): Promise<Address | undefined> {
  const limit = Number(await constitution.param(parameterIndex("SOLE_APPROVAL_LIMIT")));
  const acts = await adjudication.history("OverrideExecuted", { mission, action: actionNumber(action) });
  const last = acts.slice(-limit).map(({ args }) => args.adjudicators);
  const seat = last.at(-1)?.[0];
  return last.length === limit && last.every((signers) => signers.length === 1 && signers[0] === seat) ? seat : undefined;
}

/** The next seats in turn that may judge, as many as are needed. */
export async function seatsFor(
  { seats }: Panel,
  { needed, turn = 0, subject, may }: { needed: number; turn?: number; subject: string; may: (seat: Seat) => Promise<boolean> },
): Promise<readonly Seat[]> {
  const chosen: Seat[] = [];
  for (const seat of inTurn(seats, turn)) {
    if (chosen.length < needed && (await may(seat))) chosen.push(seat);
  }
  if (chosen.length < needed) throw new TooFewSeats(needed, subject);
  return chosen;
}

function inTurn(seats: readonly Seat[], turn: number): readonly Seat[] {
  return [...seats.slice(turn % seats.length), ...seats.slice(0, turn % seats.length)];
}
