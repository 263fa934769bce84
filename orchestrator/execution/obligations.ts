import { obligationSchema, signObligation } from "../clearing/obligation.ts";
import type { CityClient } from "../client/client.ts";
import { parametersOf } from "../client/editions.ts";
import type { Hash } from "../primitives/hex.ts";
import type { MissionDocument, MissionNode } from "../protocol/mission-document.ts";
import { obligationOf } from "../rules/commitments.ts";
import { Band, Risk } from "../rules/law-codec.ts";
import type { NodeView } from "./chain-view.ts";
import { type NodeTerms, termsOfNode } from "./obligation.ts";
import { attemptKey } from "./work.ts";
import type { Mission, World } from "./world.ts";

/** Predicates are asked of the node that makes the mission's output. */
export function predicatesOf({ output, predicates }: MissionDocument, { task }: Pick<MissionNode, "task">): MissionDocument["predicates"] {
  return task === output.task ? predicates : [];
}

/** What law, market and session fixed for the attempt that a node is in: all of it is on chain, or in the law's document. */
export async function termsAt(
  client: CityClient,
  { address: mission, sponsor, document }: Pick<Mission, "address" | "sponsor" | "document">,
  { law, slots, attempt }: Pick<NodeView, "law" | "slots" | "attempt">,
): Promise<NodeTerms> {
  const contract = client.mission(mission);
  const [obligation, { params }, locked, bound] = await Promise.all([
    contract.obligationOf(law.number),
    contract.context(),
    parametersOf(client, mission),
    contract.history("ExecutorBound", { node: law.number }),
  ]);
  const awards = bound.filter(({ args }) => args.attempt === attempt).map(({ blockNumber }) => blockNumber);
  return {
    obligation,
    sponsor,
    executors: slots.map(({ slot, agent, price }) => ({ slot, agent, price })),
    mission,
    attempt,
    law,
    predicates: predicatesOf(document, law),
    minConfidence: params.minConfidence[Risk[law.risk]] ?? 0,
    stake: await locked.units(`MIN_STAKE_${law.risk}`),
    rates: params,
    appealWindow: params.appealWindows[Band[law.band]] ?? 0,
    parent: await parentObligation(client, document),
    mandate: document,
    boundAt: await lastTimeOf(client, awards),
  };
}

/** Unix seconds of the latest of some blocks. Throws RangeError where there is none. */
export async function lastTimeOf({ chain }: CityClient, blocks: readonly bigint[]): Promise<bigint> {
  const last = blocks.reduce<bigint | undefined>((latest, block) => (latest === undefined || block > latest ? block : latest), undefined);
  if (last === undefined) throw new RangeError("nobody was awarded the node");
  return (await chain.publicClient.getBlock({ blockNumber: last })).timestamp;
}

/** The terms of an attempt whose slots are all awarded; its obligation is written down the first time, before any work. */
export async function boundTerms(
  world: Pick<World, "client" | "remember">,
  mission: Mission,
  view: Pick<NodeView, "law" | "slots" | "attempt">,
): Promise<NodeTerms> {
  const terms = await termsAt(world.client, mission, view);
  await world.remember(["obligation", ...attemptKey(mission, view)], obligationSchema, async () => signObligation(termsOfNode(terms), {}));
  return terms;
}

/** The obligation of the node that a mission is, as the chain computes it for that attempt; undefined for a mission of its own. */
export async function parentObligation(client: CityClient, { parent }: Pick<MissionDocument, "parent">): Promise<Hash | undefined> {
  if (parent === undefined) return undefined;
  const contract = client.mission(parent.mission);
  const [lawHash, amended] = await Promise.all([contract.lawHash(), contract.history("NodeAmended", { node: parent.node })]);
  const amendment = amended.find(({ args }) => args.attempt === parent.attempt)?.args.amendment ?? NOT_AMENDED;
  return obligationOf({
    chainId: BigInt(client.chain.id),
    clone: parent.mission,
    node: parent.node,
    attempt: parent.attempt,
    lawHash,
    amendment,
  });
}

const NOT_AMENDED = `0x${"00".repeat(32)}` as const;
