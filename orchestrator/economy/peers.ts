/** Agents' observations of each other's reports, and the beliefs that follow. */
import type { Agent } from "./agents.ts";
import type { Commons, Harvested } from "./order.ts";

/** A belief is half observation, half announcement. */
const FRESH = 0.5;

export const beliefOf = ({ seen, credibility }: Agent, announced: number): number => FRESH * seen + (1 - FRESH) * announced * credibility;

/** Everyone observes some reports and may detect lies. Returns the agents seen breaking the norm. */
export function watch(
  harvested: readonly Harvested[],
  norm: number,
  announced: number,
  { chance, world }: Pick<Commons, "chance" | "world">,
): Set<Agent> {
  const lot = chance("peers");
  const breached = new Set<Agent>();
  for (const { agent } of harvested) {
    let kept = 0;
    for (let look = 0; look < world.peers; look++) {
      const { agent: peer, choice } = lot.pick(harvested);
      const isSeen = choice.amount > norm && (choice.truthful || lot.next() < world.lieFound);
      if (isSeen) breached.add(peer);
      else kept += 1;
    }
    const seen = kept / world.peers;
    const worth = announced === 0 ? 0 : Math.min(1, seen / announced);
    agent.credibility = world.beliefKept * agent.credibility + (1 - world.beliefKept) * worth;
    agent.seen = world.beliefKept * agent.seen + (1 - world.beliefKept) * seen;
  }
  return breached;
}
