import type { CityClient } from "../client/client.ts";
import { fits } from "../minds/fit.ts";
import type { ProducerFacts } from "../minds/goal.ts";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import type { Briefing, Evidence } from "../protocol/debate.ts";
import type { MissionDocument } from "../protocol/mission-document.ts";

/** A law that will be debated. */
export interface Debated {
  /** Number on chain. */
  readonly candidate: number;
  readonly specHash: Hash;
  readonly document: MissionDocument;
}

/** Public on-chain facts about city, candidates and producers, as of the chain's head. */
export async function briefingOf(
  client: CityClient,
  session: bigint,
  candidates: readonly Debated[],
  producers: readonly ProducerFacts[],
): Promise<Briefing> {
  const { number, hash } = await client.chain.publicClient.getBlock();
  const records = await recordsOf(client, number);
  const published: Evidence[] = [
    { id: "city", kind: "city", specHash: null, agent: null, facts: await cityFacts(client, producers) },
    ...(await Promise.all(
      candidates.map(async ({ candidate, specHash, document }): Promise<Evidence> => {
        const { sponsors } = await client.legislation.candidateOf(session, candidate);
        const facts = { sponsors, ...documentFacts(document, producers) };
        return { id: `candidate-${candidate}`, kind: "candidate", specHash, agent: null, facts };
      }),
    )),
    ...producers.map(({ agent, reputation }, place): Evidence => {
      const { better = 0, worse = 0, slashed = 0 } = records.get(agent) ?? {};
      return { id: `producer-${place}`, kind: "producer", specHash: null, agent, facts: { reputation, better, worse, slashed } };
    }),
  ];
  return { session: session.toString(), block: { number: Number(number), hash }, evidence: published };
}

async function cityFacts({ legislation, evidence }: CityClient, producers: readonly ProducerFacts[]): Promise<Evidence["facts"]> {
  const reputations = producers.map(({ reputation }) => reputation);
  return {
    sessions: Number(await legislation.sessionCount()),
    verifiers: Number(await evidence.verifierCount()),
    producers: producers.length,
    meanReputation: Math.floor(reputations.reduce((sum, each) => sum + each, 0) / Math.max(1, producers.length)),
  };
}

/** A law's requirements of the city, from the document that the candidate's hash commits to. */
function documentFacts({ nodes }: MissionDocument, producers: readonly ProducerFacts[]): Evidence["facts"] {
  const able = nodes.map(({ capabilities }) => producers.filter((producer) => fits(producer.capabilities, capabilities)).length);
  return {
    nodes: nodes.length,
    executions: nodes.reduce((sum, { redundancy }) => sum + redundancy, 0),
    verdicts: nodes.reduce((sum, { panelSize }) => sum + panelSize, 0),
    dearestNodeBps: dearest(nodes.map(({ budget }) => BigInt(budget))),
    fewestAble: Math.min(...able),
  };
}

/** Largest part of the budget for one node, ten-thousandths. */
function dearest(budgets: readonly bigint[]): number {
  const total = budgets.reduce((sum, budget) => sum + budget, 0n);
  return total === 0n ? 0 : Math.max(...budgets.map((budget) => Number((budget * BigInt(BASIS_POINTS)) / total)));
}

interface PerformanceRecord {
  readonly better: number;
  readonly worse: number;
  readonly slashed: number;
}

/** By agent, how often its reputation rose and fell, and how often its stake, or a pool's for it, was slashed. */
async function recordsOf({ agents, pools }: CityClient, toBlock: bigint): Promise<ReadonlyMap<Address, PerformanceRecord>> {
  const records = new Map<Address, PerformanceRecord>();
  const add = (agent: Address, key: keyof PerformanceRecord) => {
    const known = records.get(agent) ?? { better: 0, worse: 0, slashed: 0 };
    records.set(agent, { ...known, [key]: known[key] + 1 });
  };
  for (const { args } of await agents.history("ReputationChanged", undefined, { toBlock }))
    add(args.agent, args.current >= args.previous ? "better" : "worse");
  const own = await agents.history("StakeSlashed", undefined, { toBlock });
  for (const { args } of own) add(args.agent, "slashed");
  // If the slash exceeds the pool's cover, agent and pool both report the same slash.
  const published = new Set(own.map(({ args, transactionHash }) => `${transactionHash} ${args.agent}`));
  for (const { args, transactionHash } of await pools.history("PoolSlashed", undefined, { toBlock }))
    if (!published.has(`${transactionHash} ${args.agent}`)) add(args.agent, "slashed");
  return records;
}
