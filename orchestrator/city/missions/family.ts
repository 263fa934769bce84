import type { CityClient } from "../../client/client.ts";
import { type CompiledLaw, recompileLaw } from "../../client/compile-law.ts";
import { missionStates } from "../../execution/chain-view.ts";
import { contentIdFromDigest } from "../../primitives/hash.ts";
import type { Address, ContentId } from "../../primitives/hex.ts";
import type { MissionDocument } from "../../protocol/mission-document.ts";
import type { Money, Outcome } from "../../protocol/outcome.ts";

/** A session that a mission opened for one of its nodes, and what became of it, as the chain has it (AgentCity 3.4, recursion). */
export interface Child {
  readonly parent: Address;
  readonly node: number;
  readonly attempt: number;
  /** Labels of the nodes above and of this one: `lots-1/rooms-2`. */
  readonly path: string;
  readonly session: bigint;
  /** Smallest unit. */
  readonly lent: bigint;
  /** Null as long as the parent has not heard of its end. */
  readonly returned: bigint | null;
  /** Null when its session made no law. */
  readonly enacted: { readonly mission: Address; readonly documentId: ContentId; readonly law: CompiledLaw } | null;
}

/** A mission that may have child missions. */
interface Parent {
  readonly address: Address;
  readonly document: MissionDocument;
}

/** Every child of a mission and of its children, each before its own, in the order of opening. `read` gives the bytes of a block. */
export async function childrenOf(
  client: CityClient,
  read: (id: ContentId) => Uint8Array,
  { address, document }: Parent,
  above = "",
): Promise<Child[]> {
  const contract = client.mission(address);
  const [opened, concluded] = [await contract.history("ChildOpened"), await contract.history("ChildConcluded")];
  const family: Child[] = [];
  for (const { args } of opened) {
    const { node, attempt, session, amount: lent } = args;
    const label = document.nodes[node]?.label ?? `node ${node}`;
    const path = above === "" ? label : `${above}/${label}`;
    const end = concluded.find((each) => each.args.node === node && each.args.attempt === attempt);
    const enacted = await enactedBy(client, read, session);
    family.push({ parent: address, node, attempt, path, session, lent, returned: end?.args.returned ?? null, enacted });
    if (enacted !== null)
      family.push(...(await childrenOf(client, read, { address: enacted.mission, document: enacted.law.document }, path)));
  }
  return family;
}

/** Sessions and missions that belong together: a mission, its children, and the sessions that they and their forerunners came from. */
export interface Tree {
  readonly sessions: readonly bigint[];
  readonly missions: readonly Address[];
}

/** The tree of a mission, if its session made one. */
export function treeOf(sessions: readonly bigint[], mission: Address | undefined, family: readonly Child[]): Tree {
  return {
    sessions: [...sessions, ...family.map(({ session }) => session)],
    missions: mission === undefined ? [] : [mission, ...family.flatMap(({ enacted }) => enacted?.mission ?? [])],
  };
}

/** The mission that a session made, with the document that won. */
async function enactedBy(client: CityClient, read: (id: ContentId) => Uint8Array, session: bigint): Promise<Child["enacted"]> {
  const { mission, winner } = await client.legislation.sessionOf(session);
  if (BigInt(mission) === 0n) return null;
  const proposals = await client.legislation.history("Proposed", { session });
  const won = proposals.find(({ args }) => args.candidate === winner);
  if (won === undefined) return null;
  const documentId = contentIdFromDigest(won.args.cid);
  return { mission, documentId, law: recompileLaw(read(documentId)) };
}

/** How a mission's state is called in an outcome. */
export async function statusOf(client: CityClient, mission: Address): Promise<Outcome["status"]> {
  const state = missionStates[await client.mission(mission).state()];
  return state === "COMPLETED" ? "completed" : state === "FAILED" ? "failed" : "aborted";
}

/** Where a mission's money went, from its accounts. */
export async function moneyIn(client: CityClient, mission: Address): Promise<Money> {
  const { deposit, paid, fees, insurance, discount, refunded, children, subsidy } = await client.mission(mission).ledger();
  return {
    deposit: deposit.toString(),
    paid: paid.toString(),
    fees: fees.toString(),
    insurance: insurance.toString(),
    discount: discount.toString(),
    refunded: refunded.toString(),
    children: children.toString(),
    subsidy: subsidy.toString(),
  };
}

/** Deposit and refund of a session without a law; the difference is the fee of one that its sponsor cancelled. */
export async function moneyOfSession(client: CityClient, session: bigint): Promise<Money> {
  const [opened] = await client.legislation.history("SessionOpened", { session });
  // A petitioned or reintroduced session gets its deposit when the sponsor adopts it.
  const [adopted] = await client.legislation.history("SessionAdopted", { session });
  const [withdrawn] = await client.legislation.history("DepositWithdrawn", { session });
  const deposit = (opened?.args.deposit ?? 0n) + (adopted?.args.deposit ?? 0n);
  const refunded = withdrawn?.args.amount ?? 0n;
  const nothing = { paid: "0", insurance: "0", discount: "0", children: "0", subsidy: "0" };
  return { ...nothing, deposit: deposit.toString(), fees: (deposit - refunded).toString(), refunded: refunded.toString() };
}

/** A child as the outcome lists it. */
export async function describeChild(client: CityClient, child: Child): Promise<Outcome["children"][number]> {
  const { path, parent, attempt, session, enacted, lent, returned } = child;
  const common = { path, parent, attempt: attempt + 1, session: session.toString() };
  if (enacted === null) {
    const nothing = { paid: "0", fees: "0", insurance: "0", discount: "0", children: "0", subsidy: "0" };
    const money = { ...nothing, deposit: lent.toString(), refunded: (returned ?? 0n).toString() };
    return { ...common, mission: null, status: "no-law", title: null, leaves: 0, money };
  }
  const { mission, law } = enacted;
  const { nodes, title } = law.document;
  return {
    ...common,
    mission,
    status: await statusOf(client, mission),
    title,
    leaves: nodes.filter((node) => node.mission === undefined).length,
    money: await moneyIn(client, mission),
  };
}
