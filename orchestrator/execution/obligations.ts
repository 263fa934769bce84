import { zeroAddress } from "viem";
import { obligationHash, obligationSchema, signObligation } from "../clearing/obligation.ts";
import type { CityClient } from "../client/client.ts";
import { parametersOf } from "../client/editions.ts";
import { keccak256 } from "../primitives/hash.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import type { MissionDocument, MissionNode } from "../protocol/mission-document.ts";
import { obligationOf } from "../rules/commitments.ts";
import { Band, lawHeader, lawNode, Risk } from "../rules/law-codec.ts";
import type { NodeView } from "./chain-view.ts";
import { type AttemptPlace, type BranchTerms, houseOf, termsOfBranch } from "./delegation.ts";
import { type NodeTerms, termsOfNode } from "./obligation.ts";
import { attemptKey } from "./work.ts";
import type { Mission, World } from "./world.ts";

/** Predicates apply to the node that makes the mission's output. */
export function predicatesOf({ output, predicates }: MissionDocument, { task }: Pick<MissionNode, "task">): MissionDocument["predicates"] {
  return task === output.task ? predicates : [];
}

/** Terms of a node's current attempt, fixed by law, market and session: all of it is on chain or in the law's document. */
export async function termsAt(
  client: CityClient,
  { address: mission, sponsor, document }: Pick<Mission, "address" | "sponsor" | "document">,
  { law, slots, attempt }: Pick<NodeView, "law" | "slots" | "attempt">,
): Promise<NodeTerms> {
  const contract = client.mission(mission);
  const [obligation, { params, session }, locked, bound] = await Promise.all([
    contract.obligationOf(law.number),
    contract.context(),
    parametersOf(client, mission),
    contract.history("ExecutorBound", { node: law.number }),
  ]);
  const above = await branchAbove(client, session);
  const awards = bound.filter(({ args }) => args.attempt === attempt).map(({ blockNumber }) => blockNumber);
  return {
    obligation,
    requestor: above?.house ?? sponsor,
    executors: slots.map(({ slot, agent, price }) => ({ slot, agent, price })),
    mission,
    attempt,
    law,
    predicates: predicatesOf(document, law),
    minConfidence: params.minConfidence[Risk[law.risk]] ?? 0,
    stake: await locked.units(`MIN_STAKE_${law.risk}`),
    rates: params,
    appealWindow: params.appealWindows[Band[law.band]] ?? 0,
    parent: above?.obligation,
    mandate: document,
    boundAt: await lastTimeOf(client, awards),
  };
}

/** Unix seconds of the latest of some blocks. Throws RangeError if there is none. */
export async function lastTimeOf({ chain }: CityClient, blocks: readonly bigint[]): Promise<bigint> {
  const last = blocks.reduce<bigint | undefined>((latest, block) => (latest === undefined || block > latest ? block : latest), undefined);
  if (last === undefined) throw new RangeError("the node was not awarded");
  return (await chain.publicClient.getBlock({ blockNumber: last })).timestamp;
}

/** The terms of an attempt whose slots are all awarded; its obligation is recorded the first time, before any work. */
export async function boundTerms(
  world: Pick<World, "client" | "remember">,
  mission: Mission,
  view: Pick<NodeView, "law" | "slots" | "attempt">,
): Promise<NodeTerms> {
  const terms = await termsAt(world.client, mission, view);
  await world.remember(["obligation", ...attemptKey(mission, view)], obligationSchema, async () => signObligation(termsOfNode(terms), {}));
  return terms;
}

/** The obligation of a node that is a mission, once a session was opened for the attempt. */
export async function branchTermsAt(
  client: CityClient,
  { mission, node, attempt }: AttemptPlace & { readonly mission: Address },
): Promise<BranchTerms> {
  const contract = client.mission(mission);
  const [{ session, sponsor, docHash }, packed, amended, opened] = await Promise.all([
    contract.context(),
    contract.law(),
    contract.history("NodeAmended", { node }),
    contract.history("ChildOpened", { node }),
  ]);
  const loan = opened.find(({ args }) => args.attempt === attempt);
  if (loan === undefined) throw new RangeError(`no session was opened for node ${node}, attempt ${attempt + 1}`);
  const above = await branchAbove(client, session);
  const amendment = amended.find(({ args }) => args.attempt === attempt)?.args.amendment ?? NOT_AMENDED;
  const place = { chainId: BigInt(client.chain.id), clone: mission, node, attempt };
  return {
    obligation: obligationOf({ ...place, lawHash: keccak256(packed), amendment }),
    requestor: above?.house ?? sponsor,
    house: houseOf(loan.args),
    ...{ mission, node, attempt, docHash },
    law: lawNode(packed, node),
    duration: lawHeader(packed).duration,
    lent: loan.args.amount,
    boundAt: await lastTimeOf(client, [loan.blockNumber]),
    parent: above?.obligation,
  };
}

/** Whose node a session's mission is: the party that it is there, and the hash of what it undertook; undefined for a mission of its own. */
export async function branchAbove(
  client: CityClient,
  session: bigint,
): Promise<{ readonly house: string; readonly obligation: Hash } | undefined> {
  const [mission, node] = await client.legislation.parentOf(session);
  if (mission === zeroAddress) return undefined;
  const [opened] = await client.mission(mission).history("ChildOpened", { session });
  if (opened === undefined) throw new RangeError(`session ${session} is of a node that never opened it`);
  const terms = await branchTermsAt(client, { mission, node, attempt: opened.args.attempt });
  return { house: terms.house, obligation: obligationHash(termsOfBranch(terms)) };
}

const NOT_AMENDED = `0x${"00".repeat(32)}` as const;
