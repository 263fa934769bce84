/** Invariant 6, by our own count: what each item of a basis is worth is recomputed from calldata, signatures and the register of issuers. */
import { verifyTypedData } from "ethers";
import { hexSchema } from "../../../orchestrator/primitives/hex.ts";
import { decodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { typesOf } from "../../../orchestrator/protocol/typed-data.ts";
import { classAt, EvidenceClass, geq, itemsOf, meet } from "../../../orchestrator/rules/admissibility.ts";
import { decodeClearWave } from "../../../orchestrator/rules/wire.ts";
import type { Chronicle } from "../chronicle.ts";
import { amount, type Happening, number, type Sent, text } from "../chronicle.ts";
import type { Context, Rule } from "../rule.ts";

interface Item {
  readonly slot: bigint;
  readonly index: bigint;
  readonly kind: bigint;
  readonly payload: string;
  readonly issuer: string;
  readonly class: bigint;
  readonly signature: string;
}

const CLASSES = Object.values(EvidenceClass);
const classOf = (code: bigint): EvidenceClass => CLASSES.find((one) => BigInt(one) === code) ?? EvidenceClass.SELF;

/** Items that a transaction handed in for a node, and the basis if a human named it. */
function handedIn(chronicle: Chronicle, tx: Sent, node: number): { items: Item[]; basis?: bigint } {
  const call = chronicle.callOf(tx);
  if (call?.name === "clear" || call?.name === "advance") {
    const { orders, issuers } = decodeClearWave(call.args[0]);
    const order = orders.findIndex((one) => one.node === node);
    // In a walk every item is signed by itself.
    const entries = issuers.flatMap(({ issuer, signature, items }) =>
      items.flatMap((item) => (typeof item !== "string" && item.order === order ? [{ ...item, issuer, signature }] : [])),
    );
    return { items: entries.map(inWords) };
  }
  const data = call?.name === "act" ? call.args[0].data : call?.name === "onOverride" ? call.args[3] : undefined;
  if (data === undefined) return { items: [] };
  const [basis, , , items] = decodeActionData("APPROVE_POP", hexSchema.parse(data));
  return { items: items.map(inWords), basis };
}

/** The numbers of an item as the chain's own decoder gives them. */
function inWords<Given extends { readonly slot: number; readonly index: number; readonly kind: number; readonly class: number }>(
  item: Given,
) {
  return { ...item, slot: BigInt(item.slot), index: BigInt(item.index), kind: BigInt(item.kind), class: BigInt(item.class) };
}

/** Whether somebody with a stake in the node is behind the issuer: its sponsor, or an executor of this attempt. */
function isPartial(principal: string, event: Happening, { ghost }: Context): boolean {
  const { attempt, executors } = ghost.node(event);
  const working = [...executors].filter(([place]) => place.startsWith(`${attempt}/`)).map(([, agent]) => ghost.agent(agent).principal);
  return [ghost.session(ghost.mission(event.address).session).sponsor, ...working].includes(principal);
}

function isGenuine(item: Item, obligation: string, event: Happening, context: Context): boolean {
  const registered = context.ghost.issuers.get(item.issuer);
  if (registered === undefined || ((registered.classes >> Number(item.class)) & 1) === 0) return false;
  if (isPartial(registered.principal, event, context)) return false;
  const domain = { name: "AgentCity", version: "1", chainId: 31337n, verifyingContract: event.address };
  const { issuer, slot, index, kind, payload } = item;
  const message = { issuer, items: [{ obligation, slot, index, kind, payload, class: item.class }] };
  return verifyTypedData(domain, typesOf("Evidences"), message, item.signature) === issuer;
}

/** The first item of the basis below the floor, if any. */
function weakest(event: Happening, basis: bigint, items: readonly Item[], obligation: string, context: Context): string | undefined {
  const node = context.ghost.node(event);
  const floor = classOf(BigInt(node.law.floor));
  for (const bit of itemsOf(basis)) {
    const [slot, index] = [Math.floor(bit / 32), bit % 32];
    const claimed = classAt(node.claims.get(`${node.attempt}/${slot}`) ?? 0n, index);
    const item = items.find((one) => Number(one.slot) === slot && Number(one.index) === index);
    const proven = item !== undefined && isGenuine(item, obligation, event, context) ? classOf(item.class) : EvidenceClass.SIGN;
    const worth = meet(claimed, proven);
    if (!geq(worth, floor)) return `item ${index} of slot ${slot} is worth ${worth}, the floor is ${floor}`;
  }
  return basis === 0n ? "an empty basis" : undefined;
}

const PASS = 1n;
const APPROVE_POP = 4n;

const admissible: Rule = {
  invariant: 6,
  async on(event, context) {
    if (event.at !== "MISSION") return;
    const { ghost, chronicle, world, require } = context;
    const passed = event.name === "Cleared" && amount(event, "result") === PASS;
    const approved = event.name === "Overridden" && amount(event, "action") === APPROVE_POP;
    if (passed || approved) {
      const { items, basis } = handedIn(chronicle, event.tx, number(event, "node"));
      const clone = world.missions.find(({ address }) => address === event.address)?.contract;
      const obligation = (await clone?.obligationOf(number(event, "node"))) ?? "";
      const flaw = weakest(event, basis ?? amount(event, "basis"), items, obligation, context);
      require(flaw === undefined, () => `node ${text(event, "node")} passed on ${flaw}`);
      const { attempt, vouched } = ghost.node(event);
      if (flaw === undefined) for (const bit of itemsOf(basis ?? amount(event, "basis"))) vouched.add(`${attempt}/${Math.floor(bit / 32)}`);
    }
    if (event.name === "Recorded" && amount(event, "paid") > 0n) {
      const { attempt, vouched } = ghost.node(event);
      const place = `${attempt}/${text(event, "slot")}`;
      // `clear` records in the transaction that clears; the decision was judged before.
      require(vouched.has(place), () => `node ${text(event, "node")} entitles slot ${place} without admissible evidence of its own`);
    }
  },
};

export const EVIDENCE: readonly Rule[] = [admissible];
