import { expect } from "chai";
import type { z } from "zod";
import { isSessionMessageBy } from "../../orchestrator/client/sign/session-message.ts";
import { MAX_SPEAKERS, speakingOrder } from "../../orchestrator/legislature/deliberate.ts";
import { runLegislature } from "../../orchestrator/legislature/run-legislature.ts";
import type { Mind, Ranking } from "../../orchestrator/minds/mind.ts";
import { digestOf } from "../../orchestrator/primitives/hash.ts";
import type { Address, ContentId } from "../../orchestrator/primitives/hex.ts";
import {
  briefingSchema,
  debateSchema,
  opinionsSchema,
  publishedSchema,
  speechContentSchema,
  strawsSchema,
} from "../../orchestrator/protocol/debate.ts";
import { packRanking } from "../../orchestrator/rules/condorcet.ts";
import { address } from "../support/goals.ts";
import { hashOf, type LivingCity, openLivingCity } from "../support/living-city.ts";
import { changed, deployed, memoryPorts, sessionOptions } from "../support/sessions.ts";

const SEED = 7;

describe("a debate before the vote", function () {
  this.timeout(60_000);
  let city: LivingCity;
  let ports: ReturnType<typeof memoryPorts>;

  beforeEach(async () => {
    city = await openLivingCity({ sealed: false });
    ports = memoryPorts();
  });
  afterEach(() => city.chain.close());

  /** Runs a session whose minds some function changes, by place. */
  async function run(alter: (mind: Mind, place: number) => Mind = (mind) => mind) {
    const options = sessionOptions(city, ports, SEED);
    const producers = options.producers.map((producer, place) => ({ ...producer, mind: alter(producer.mind, place) }));
    return runLegislature({ ...options, producers });
  }
  const record = <Value>(id: ContentId | undefined, schema: z.ZodType<Value>): Value => schema.parse(ports.records.getJson(id!));
  const noteOf = (kind: string) => city.notes.find((note) => note.kind === `legislature.${kind}`);
  const debateOf = () => record(noteOf("voting")?.content, debateSchema);
  const speechesOf = () =>
    debateOf().rounds.flatMap(({ turns }) => turns.map((turn) => ({ ...turn, ...record(turn.content, speechContentSchema) })));
  /** Candidates that an event of the session names. */
  async function entriesOf(eventName: "DebateOpened" | "VotingOpened"): Promise<readonly number[]> {
    const [event] = await city.client.legislation.history(eventName);
    return event!.args.candidates;
  }

  it("begins with facts of the chain, signed by a Regulator and in the log before anybody gives an opinion", async () => {
    const result = deployed(await run());
    const kinds = city.notes.map(({ kind }) => kind);
    const place = (kind: string) => kinds.indexOf(`legislature.${kind}`);
    expect([place("briefing"), place("straws"), place("voting"), place("ballots")]).to.deep.equal(
      [place("briefing"), place("straws"), place("voting"), place("ballots")].toSorted((a, b) => a - b),
    );
    const { regulator, content, signature } = record(noteOf("briefing")?.content, publishedSchema);
    expect(regulator).to.equal(city.clerks.regulators[0]!.address);
    const message = { session: result.session, regulator, content: digestOf(content) };
    expect(await isSessionMessageBy(city.client, regulator, "EvidenceBriefing", message, signature)).to.equal(true);
    const { evidence, block } = record(content, briefingSchema);
    expect((await city.chain.publicClient.getBlock({ blockNumber: BigInt(block.number) })).hash).to.equal(block.hash);
    expect(evidence.filter(({ kind }) => kind === "candidate").map(({ specHash }) => specHash)).to.deep.equal(
      result.candidates.slice(1).map(({ specHash }) => specHash),
    );
    for (const { agent, facts } of evidence.filter(({ kind }) => kind === "producer"))
      expect(facts["reputation"]).to.equal(Number(await city.client.agents.reputationOf(agent!)));
    expect(new Set(evidence.map(({ id }) => id)).size).to.equal(evidence.length);
  });

  it("records everybody's opinion on chain before the talk, and the ballots are the opinions after it", async () => {
    const { session, ballots } = deployed(await run());
    const { straws, rounds } = debateOf();
    const polled = record(straws, strawsSchema);
    expect(polled).to.have.length(8);
    for (const { agent, ranking } of polled) expect(await city.client.legislation.strawRankingOf(session, agent)).to.equal(ranking);
    expect(record(rounds.at(-1)!.opinions, opinionsSchema)).to.deep.equal(ballots);
  });

  it("is held in an order drawn by the chain, each turn signed, reasoned, and resting on published facts", async () => {
    const { session, candidates } = deployed(await run());
    const { opened, rounds, briefing } = debateOf();
    const published = new Set(record(briefing.content, briefingSchema).evidence.map(({ id }) => id));
    const voters = city.producers.map(({ account }) => account.address);
    const proposers = new Set(candidates.flatMap(({ proposer }) => proposer ?? []));
    for (const [index, { turns }] of rounds.entries()) {
      expect(turns.map(({ agent }) => agent)).to.deep.equal(speakingOrder(opened, index + 1, voters, proposers));
    }
    for (const { agent, round, turn, content, signature, text, evidence, about } of speechesOf()) {
      const message = { session, agent, round, turn, content: digestOf(content) };
      expect(await isSessionMessageBy(city.client, agent, "Speech", message, signature)).to.equal(true);
      expect(await isSessionMessageBy(city.client, agent, "Speech", { ...message, turn: turn + 1 }, signature)).to.equal(false);
      expect(text).to.not.equal("");
      expect(evidence).to.not.have.length(0);
      for (const id of evidence) expect(published).to.include(id);
      expect(candidates.map(({ specHash }) => specHash)).to.include(about);
    }
  });

  it("ends after the round that changes nobody's mind", async () => {
    const steadfast = (mind: Mind): Mind => changed(mind, { rank: ({ debate: _, ...request }) => mind.rank(request) });
    await run(steadfast);
    expect(debateOf().rounds).to.have.length(1);
  });

  it("ends after as many rounds as the constitution says, whoever is still undecided", async () => {
    await city.amend("DEBATE_ROUNDS", 2n);
    // Turns its ranking round whenever it has heard more.
    const fickle = (mind: Mind): Mind =>
      changed(mind, {
        rank: async (request) => {
          const ranking = await mind.rank({ ...request, debate: undefined });
          return (request.debate?.heard.length ?? 0) % 16 === 8 ? ranking.toReversed() : ranking;
        },
      });
    await run(fickle);
    expect(debateOf().rounds).to.have.length(2);
  });

  it("has no rounds where the constitution says none: the ballots are the opinions before it", async () => {
    await city.amend("DEBATE_ROUNDS", 0n);
    const { ballots } = deployed(await run());
    const { straws, rounds } = debateOf();
    expect(rounds).to.deep.equal([]);
    const polled = record(straws, strawsSchema);
    expect(ballots.map(({ agent }) => agent)).to.have.members(polled.map(({ agent }) => agent));
  });

  it("keeps every candidate on the ballot, however few prefer it and whatever the others say", async () => {
    // Two of eight put the first candidate first; six put it last, before the talk and after it.
    const order = (numbers: readonly number[], place: number): Ranking => {
      const others = numbers.filter((number) => number !== 1);
      return place < 2 ? [1, ...others] : [...others, 1];
    };
    const result = deployed(
      await run((mind, place) =>
        changed(mind, {
          rank: async (request) => {
            const numbers = request.candidates.map(({ number }) => number);
            const isBallot = request.candidates.some(({ shape }) => shape === null);
            return isBallot
              ? order(
                  numbers.toSorted((a, b) => (a === 0 ? 1 : b === 0 ? -1 : a - b)),
                  place,
                )
              : mind.rank(request);
          },
        }),
      ),
    );
    expect(result.winner).to.not.equal(1);
    expect(result.ballots.filter(({ ranking }) => ranking[0] === 1)).to.have.length(2);
    expect(await entriesOf("VotingOpened")).to.deep.equal(await entriesOf("DebateOpened"));
    expect(await entriesOf("VotingOpened")).to.include(result.candidates[1]!.candidate);
  });

  it("passes over whoever cites what nobody published, or nothing", async () => {
    const liars = new Map<number, readonly string[]>([
      [1, ["the minutes of a secret meeting"]],
      [2, []],
      [3, ["city", "city"]],
    ]);
    await run((mind, place) => {
      const cited = liars.get(place);
      if (cited === undefined) return mind;
      return changed(mind, {
        speak: async (request) => ({ ...(await mind.speak(request)), ...(request.debate === undefined ? {} : { evidence: [...cited] }) }),
      });
    });
    const speakers = new Set(speechesOf().map(({ agent }) => agent));
    expect(speakers.size).to.equal(8 - liars.size);
    for (const place of liars.keys()) expect(speakers).to.not.include(city.producers[place]!.account.address);
  });

  it("lets every listener hear what was said before, and each speaker its own round so far", async () => {
    const heard: number[] = [];
    const known: number[] = [];
    await run((mind, place) =>
      changed(mind, {
        speak: (request) => {
          if (request.debate !== undefined) heard.push(request.debate.heard.length);
          return mind.speak(request);
        },
        rank: (request) => {
          if (place === 0 && request.debate !== undefined) known.push(request.debate.heard.length);
          return mind.rank(request);
        },
      }),
    );
    expect(heard).to.deep.equal(heard.map((_, turn) => turn));
    expect(known).to.deep.equal(known.map((_, round) => 8 * (round + 1)));
  });

  it("changes some ballots of heuristic minds, not all, and leaves the poll as it was", async () => {
    const result = deployed(await run());
    const polled = new Map(record(debateOf().straws, strawsSchema).map(({ agent, ranking }) => [agent, ranking]));
    expect([...polled.keys()]).to.deep.equal(result.ballots.map(({ agent }) => agent));
    const moved = result.ballots.filter(({ agent, ranking }) => polled.get(agent) !== packRanking(ranking));
    expect(moved.length).to.be.greaterThan(0).and.lessThan(8);
  });
});

describe("an order of speakers", () => {
  const voters = Array.from({ length: 1000 }, (_, index) => address(index + 1));
  const proposers = new Set<Address>(voters.slice(500, 507));

  it("has every proposer, as many others as there is time for, and nobody twice", () => {
    const order = speakingOrder(hashOf("block"), 1, voters, proposers);
    expect(order).to.have.length(MAX_SPEAKERS);
    expect(new Set(order).size).to.equal(MAX_SPEAKERS);
    for (const agent of proposers) expect(order).to.include(agent);
  });

  it("is the same for the same block and round, and another for others", () => {
    const order = (block: string, round: number) => speakingOrder(hashOf(block), round, voters, proposers);
    expect(order("a", 1)).to.deep.equal(order("a", 1));
    expect(order("a", 2)).to.not.deep.equal(order("a", 1));
    expect(order("b", 1)).to.not.deep.equal(order("a", 1));
  });
});
