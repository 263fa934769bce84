/** What the contracts say of themselves after a step, read in a few calls. */
import type { Ghost } from "./ghost.ts";
import type { World } from "./world.ts";

export async function takeSnapshot(world: World, ghost: Ghost) {
  const { reads, token, addresses } = world;
  const [producers, treasury, legislation] = [
    world.producers.connect(reads),
    world.treasury.connect(reads),
    world.legislation.connect(reads),
  ];
  const coins = token.connect(reads);
  const balanceOf = (address: string) => coins.balanceOf(address);

  const missions = world.missions.map(async (mission) => {
    const clone = mission.contract.connect(reads);
    const [state, completed, ledger, balance, nodes] = await Promise.all([
      clone.state(),
      clone.completed(),
      clone.ledger(),
      balanceOf(mission.address),
      Promise.all(mission.nodes.map((_, node) => clone.nodeOf(node))),
    ]);
    return { address: mission.address, law: mission.nodes, state, completed, ledger, balance, nodes };
  });
  const sessions = [...ghost.sessions].map(async ([id, { ballots, entries }]) => {
    const pairs: { i: number; j: number }[] = [];
    for (let i = 0; i < entries; i++) for (let j = i + 1; j < entries; j++) pairs.push({ i, j });
    const [info, rankings, counts] = await Promise.all([
      legislation.sessionOf(id),
      Promise.all([...ballots.keys()].map(async (agent) => ({ agent, ranking: await legislation.rankingOf(id, agent) }))),
      Promise.all(
        pairs.map(async ({ i, j }) => {
          const [over, under] = await Promise.all([legislation.pairwise(id, i, j), legislation.pairwise(id, j, i)]);
          return { i, j, over, under };
        }),
      ),
    ]);
    return { id, info, rankings, counts };
  });
  const agents = [...ghost.agents.keys()].map(async (address) => {
    const [stake, record] = await Promise.all([producers.stakeOf(address), producers.agentOf(address)]);
    return { address, held: stake.held, locked: stake.locked, reputation: record.reputation, kind: Number(record.kind) };
  });
  const pools = Array.from({ length: Number(ghost.pools) }, async (_, index) => {
    const stakes = world.pools.connect(reads);
    const [sums, seats] = await Promise.all([stakes.poolOf(index + 1), stakes.participantsOf(index + 1)]);
    return { pool: BigInt(index + 1), sums, seats };
  });
  const accounts = [...ghost.credits.keys()].map(async (account) => ({ account, credit: await treasury.creditOf(account) }));
  const [free, insurance, credits, inTreasury, inProducers, inLegislation, inRoster, inPools] = await Promise.all([
    treasury.freeBalance(),
    treasury.insuranceBalance(),
    treasury.credits(),
    balanceOf(addresses.TREASURY),
    balanceOf(addresses.PRODUCERS),
    balanceOf(addresses.LEGISLATION),
    balanceOf(addresses.ROSTER),
    balanceOf(addresses.STAKE_POOL),
  ]);
  return {
    missions: await Promise.all(missions),
    sessions: await Promise.all(sessions),
    agents: await Promise.all(agents),
    pools: await Promise.all(pools),
    accounts: await Promise.all(accounts),
    money: { free, insurance, credits, inTreasury, inProducers, inLegislation, inRoster, inPools },
  };
}

export type Snapshot = Awaited<ReturnType<typeof takeSnapshot>>;
export type MissionView = Snapshot["missions"][number];
