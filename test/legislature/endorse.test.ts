import { expect } from "chai";
import { endorse, MAX_SPONSORSHIPS, type Opinion } from "../../orchestrator/legislature/endorse.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import { personaNames } from "../../orchestrator/minds/personas.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import { canonicalBytes } from "../../orchestrator/primitives/json.ts";
import { packRanking, tally } from "../../orchestrator/rules/condorcet.ts";
import { cityFacts, defaultGoal } from "../support/goals.ts";

const law = (number: number): Hash => `0x${number.toString(16).padStart(64, "0")}`;

describe("endorsement", () => {
  const { producers } = cityFacts();
  const opinionsOf = (favourite: (index: number) => number, laws: number): Opinion[] =>
    producers.map(({ agent }, index) => {
      const draft = favourite(index);
      return { agent, draft: law(draft), ranking: Array.from({ length: laws }, (_, place) => law((draft + place) % laws)) };
    });

  it("leaves each candidate enough sponsors of two principals, and nobody more than three sponsorships", () => {
    for (const minimum of [3, 5]) {
      const { proposals, sponsorships } = endorse(
        opinionsOf((index) => index % 6, 6),
        producers,
        minimum,
      );
      expect(proposals.length).to.be.greaterThan(1);
      for (const { proposer, specHash } of proposals) {
        const sponsors = [proposer, ...sponsorships.filter((each) => each.specHash === specHash).map(({ agent }) => agent)];
        expect(sponsors.length).to.be.at.least(minimum);
        expect(new Set(sponsors).size).to.equal(sponsors.length);
      }
      for (const { agent } of producers) {
        const own = [...proposals.filter(({ proposer }) => proposer === agent), ...sponsorships.filter((each) => each.agent === agent)];
        expect(own.length).to.be.at.most(MAX_SPONSORSHIPS);
      }
      expect(new Set(proposals.map(({ proposer }) => proposer)).size).to.equal(proposals.length);
    }
  });

  it("lets equal drafts be proposed once, by the first author", () => {
    const { proposals, sponsorships } = endorse(
      opinionsOf(() => 0, 1),
      producers,
      5,
    );
    expect(proposals).to.deep.equal([{ proposer: producers[0]!.agent, specHash: law(0) }]);
    expect(sponsorships.length).to.equal(5 - 1);
  });

  it("asks for no more sponsors than a law needs, one of them of another principal, however many there are", () => {
    const many = cityFacts(1, 40, 10).producers;
    const opinions = many.map(({ agent }, index) => {
      const draft = index % 8;
      return { agent, draft: law(draft), ranking: Array.from({ length: 8 }, (_, place) => law((draft + place) % 8)) };
    });
    const { proposals, sponsorships } = endorse(opinions, many, 5, 7);
    expect(proposals.length).to.equal(7);
    const principalOf = new Map(many.map(({ agent, principal }) => [agent, principal]));
    for (const { proposer, specHash } of proposals) {
      const sponsors = sponsorships.filter((each) => each.specHash === specHash).map(({ agent }) => agent);
      expect(sponsors.length).to.equal(4);
      expect(new Set([proposer, ...sponsors].map((agent) => principalOf.get(agent))).size).to.be.at.least(2);
    }
  });

  it("lets the next best liked take the place of a draft without sponsors", () => {
    // Draft 3 is liked as well as draft 4, but hardly anybody has it among its first three of those on the table.
    const rankings = [
      [0, 1, 2, 3, 4],
      [1, 2, 0, 3, 4],
      [2, 0, 1, 3, 4],
      [0, 4, 1, 2, 3],
    ];
    const many = cityFacts(1, 40, 10).producers;
    const opinions = many.map(({ agent }, index) => {
      const ranking = (rankings[index % rankings.length] ?? []).map(law);
      return { agent, draft: index < 5 ? law(index) : law(0), ranking };
    });
    const { proposals } = endorse(opinions, many, 5, 4);
    expect(new Set(proposals.map(({ specHash }) => specHash))).to.deep.equal(new Set([0, 1, 2, 4].map(law)));
  });

  it("keeps a place for what more than a tenth put first, though all others put it last", () => {
    const many = cityFacts(1, 40, 10).producers;
    const tableWith = (minority: number) => {
      const opinions = many.map(({ agent }, index) => {
        const others = index % 2 === 0 ? [0, 1, 2, 3, 4] : [0, 3, 1, 2, 4];
        const ranking = index < minority ? [5, ...others] : [...others, 5];
        return { agent, draft: law(index < minority ? 5 : index % 5), ranking: ranking.map(law) };
      });
      return new Set(endorse(opinions, many, 4, 4).proposals.map(({ specHash }) => specHash));
    };
    expect(tableWith(5)).to.deep.equal(new Set([0, 1, 3, 5].map(law)));
    expect(tableWith(4)).to.deep.equal(new Set([0, 1, 2, 3].map(law)));
  });

  it("proposes nothing when too few take part", () => {
    expect(endorse(opinionsOf(() => 0, 1).slice(0, 2), producers, 3)).to.deep.equal({ proposals: [], sponsorships: [] });
  });
});

describe("elections among heuristic minds", () => {
  /** A whole session without a chain: drafts, endorsements, ballots, the rules' own tally. */
  async function elect(seed: number): Promise<{ winner: string; candidates: string[] }> {
    const facts = cityFacts();
    const minds = facts.producers.map(({ agent }, index) => ({
      agent,
      mind: new HeuristicMind({ persona: personaNames[index % 4]!, seed }),
    }));
    const drafts = new Map<Hash, Awaited<ReturnType<HeuristicMind["draft"]>>>();
    const authors = new Map<string, Hash>();
    for (const { agent, mind } of minds) {
      const shape = await mind.draft({ self: agent, goal: defaultGoal, facts });
      const hash = keccak256(canonicalBytes(shape));
      drafts.set(hash, shape);
      authors.set(agent, hash);
    }
    const laws = [...drafts.keys()].sort();
    const view = (hashes: readonly (Hash | null)[]) =>
      hashes.map((hash, number) => ({ number, shape: hash === null ? null : drafts.get(hash)! }));
    const opinions: Opinion[] = [];
    for (const { agent, mind } of minds) {
      const order = await mind.rank({ self: agent, goal: defaultGoal, facts, candidates: view(laws) });
      opinions.push({ agent, draft: authors.get(agent)!, ranking: order.map((number) => laws[number]!) });
    }
    const ballot = [null, ...endorse(opinions, facts.producers, 5).proposals.map(({ specHash }) => specHash)];
    const rankings = [];
    for (const { agent, mind } of minds)
      rankings.push(packRanking(await mind.rank({ self: agent, goal: defaultGoal, facts, candidates: view(ballot) })));
    const titles = view(ballot).map(({ shape }) => shape?.title ?? "no law");
    return { winner: titles[tally(rankings, ballot.length, law(seed)).winner]!, candidates: titles };
  }

  it("choose at least three different structures over twenty seeds, and always a law", async () => {
    const elections = [];
    for (let seed = 0; seed < 20; seed += 1) elections.push(await elect(seed));
    const winners = new Set(elections.map(({ winner }) => winner));
    expect(winners.size).to.be.at.least(3);
    expect(winners.has("no law")).to.equal(false);
    for (const { candidates } of elections) {
      expect(candidates.length).to.be.at.least(3);
      expect(new Set(candidates).size).to.equal(candidates.length);
    }
  });
});
