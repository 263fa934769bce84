import type { ProducerFacts } from "../minds/goal.ts";
import type { Address, Hash } from "../primitives/hex.ts";

/** Producers compare a few laws better than many. */
export const MAX_LAWS = 4;
/** A producer sponsors at most three candidates, its own proposal included (decision 9). */
export const MAX_SPONSORSHIPS = 3;

export interface Endorsements {
  /** Proposers of drafts, by producer index. */
  readonly proposals: readonly { readonly proposer: Address; readonly specHash: Hash }[];
  /** Their sponsors, by producer index. */
  readonly sponsorships: readonly { readonly agent: Address; readonly specHash: Hash }[];
}

/** An agent's draft and its ranking of all distinct drafts, best first. */
export interface Opinion {
  readonly agent: Address;
  readonly draft: Hash;
  readonly ranking: readonly Hash[];
}

/**
 * Selects drafts that find sponsors. Every agent supports its three favourites among those on the table; a draft with too few sponsors, the
 * least popular first, makes room for the next, until each has enough sponsors of at least two principals. No one is prevented from
 * proposing, but a draft without support gains nothing by it.
 */
export function endorse(
  opinions: readonly Opinion[],
  producers: readonly ProducerFacts[],
  minSponsors: number,
  mostLaws: number = MAX_LAWS,
): Endorsements {
  const most = Math.max(1, Math.min(mostLaws, Math.floor((MAX_SPONSORSHIPS * opinions.length) / minSponsors)));
  const principalOf = new Map(producers.map(({ agent, principal }) => [agent, principal]));
  const liked = inOrder(opinions);
  const next = liked.slice(most);
  for (let kept = liked.slice(0, most); kept.length > 0; ) {
    const supporters = supportersOf(kept, opinions);
    const failing = kept.findLast((draft) => {
      const agents = supporters.get(draft) ?? [];
      return agents.length < minSponsors || new Set(agents.map((agent) => principalOf.get(agent))).size < 2;
    });
    if (failing === undefined) return written(kept, supporters, opinions, { minSponsors, principalOf });
    kept = [...kept.filter((draft) => draft !== failing), ...next.splice(0, 1)];
  }
  return { proposals: [], sponsorships: [] };
}

/**
 * Distinct drafts in the order in which they get on the table: first those that more than a tenth rank first, whatever the others think
 * (AgentCity 3.4, minority preservation), then the rest; in both groups by Borda count, ties by hash.
 */
function inOrder(opinions: readonly Opinion[]): Hash[] {
  const distinct = [...new Set(opinions.map(({ draft }) => draft))].sort();
  const borda = (draft: Hash) => opinions.reduce((sum, { ranking }) => sum + ranking.length - ranking.indexOf(draft), 0);
  const points = new Map(distinct.map((draft) => [draft, borda(draft)]));
  const liked = distinct.toSorted((a, b) => (points.get(b) ?? 0) - (points.get(a) ?? 0));
  const isProtected = (draft: Hash) => 10 * opinions.filter(({ ranking }) => ranking[0] === draft).length > opinions.length;
  return [...liked.filter(isProtected), ...liked.filter((draft) => !isProtected(draft))];
}

/** By draft, its supporters by producer index: its author, and those with it among their favourites on the table. */
export function supportersOf(kept: readonly Hash[], opinions: readonly Opinion[]): Map<Hash, Address[]> {
  const proposers = proposersOf(kept, opinions);
  const supporters = new Map<Hash, Address[]>(kept.map((draft) => [draft, []]));
  for (const { agent, ranking } of opinions) {
    const own = kept.filter((draft) => proposers.get(draft) === agent);
    const favourites = ranking.filter((draft) => kept.includes(draft) && !own.includes(draft));
    for (const draft of [...own, ...favourites].slice(0, MAX_SPONSORSHIPS)) supporters.get(draft)?.push(agent);
  }
  return supporters;
}

/** The first author of each draft. */
function proposersOf(kept: readonly Hash[], opinions: readonly Opinion[]): Map<Hash, Address> {
  return new Map(
    kept.flatMap((draft) =>
      opinions
        .filter((opinion) => opinion.draft === draft)
        .slice(0, 1)
        .map(({ agent }) => [draft, agent] as const),
    ),
  );
}

/** The required number of sponsors and no more: each costs a transaction. */
function written(
  kept: readonly Hash[],
  supporters: ReadonlyMap<Hash, readonly Address[]>,
  opinions: readonly Opinion[],
  { minSponsors, principalOf }: { readonly minSponsors: number; readonly principalOf: ReadonlyMap<Address, Address> },
): Endorsements {
  const proposers = proposersOf(kept, opinions);
  const proposals = opinions.flatMap(({ agent, draft }) => (proposers.get(draft) === agent ? [{ proposer: agent, specHash: draft }] : []));
  const needed = new Map(
    proposals.map(({ proposer, specHash }) => {
      const others = (supporters.get(specHash) ?? []).filter((agent) => agent !== proposer);
      // At least two principals: a sponsor of another principal comes first.
      const stranger = others.find((agent) => principalOf.get(agent) !== principalOf.get(proposer));
      const first = others.toSorted((a, b) => Number(b === stranger) - Number(a === stranger));
      return [specHash, new Set(first.slice(0, minSponsors - 1))];
    }),
  );
  const sponsorships = opinions.flatMap(({ agent }) =>
    proposals.filter(({ specHash }) => needed.get(specHash)?.has(agent)).map(({ specHash }) => ({ agent, specHash })),
  );
  return { proposals, sponsorships };
}
