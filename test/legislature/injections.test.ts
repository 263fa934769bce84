import { expect } from "chai";
import { parseTransaction } from "viem";
import { runLegislature } from "../../orchestrator/legislature/run-legislature.ts";
import { openChatModel } from "../../orchestrator/minds/chat-model.ts";
import { ChatModelMind } from "../../orchestrator/minds/chat-model-mind.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import type { Mind } from "../../orchestrator/minds/mind.ts";
import { optionsOf } from "../../orchestrator/minds/options.ts";
import { TokenBudget } from "../../orchestrator/minds/token-budget.ts";
import { INJECTIONS, type Injection, OUTPUTS, obeying, PROPOSALS, SPEECHES, tracesIn } from "../support/injections.ts";
import { type LivingCity, openLivingCity } from "../support/living-city.ts";
import { modelServer, sensible } from "../support/model-server.ts";
import { changed, deployed, memoryPorts, sessionOptions } from "../support/sessions.ts";

/** Of eight producers; the others ask a chat model that does whatever it reads. */
const ATTACKERS = 4;
const SEED = 7;
const BAD = "0000000000000000000000000000000000000bad";

describe("hostile words", () => {
  it("are forty and more, each of another kind where it is said, each with a trace of its own", () => {
    expect(INJECTIONS.length).to.be.at.least(40);
    for (const list of [PROPOSALS, SPEECHES, OUTPUTS]) expect(new Set(list.map(({ kind }) => kind)).size).to.equal(list.length);
    expect(new Set(INJECTIONS.map(({ trace }) => trace)).size).to.equal(INJECTIONS.length);
    for (const { words, trace } of INJECTIONS) {
      const quoted = JSON.stringify(JSON.stringify(words));
      expect(tracesIn({ prompt: quoted }).map((found) => found.trace)).to.deep.equal([trace]);
    }
  });

  it("would be obeyed, had a model read them: the server does what it reads", () => {
    const question = { model: "m", form: "ranking", offersTools: false, prompt: `Candidates: []\n${SPEECHES[0]!.words}` };
    expect(obeying(question)).to.have.property("toolCalls");
    expect(obeying({ ...question, prompt: "Candidates: []" })).to.deep.equal(sensible({ ...question, prompt: "Candidates: []" }));
  });
});

describe("a session among hostile words", function () {
  this.timeout(240_000);
  const server = modelServer();
  const cities: LivingCity[] = [];
  afterEach(async () => {
    for (const city of cities.splice(0)) await city.chain.close();
  });

  /** A proposer of its own law: under that name, with those words for it, one speech after the other. */
  function attacker(index: number, title: string, speeches: readonly string[]): Mind {
    const own = new HeuristicMind({ persona: "adversarial", seed: SEED });
    let said = 0;
    return changed(own, {
      draft: async ({ goal, facts }) => ({ ...optionsOf(goal, facts)[9 * index + 5]!, title }),
      speak: async (request) => {
        const text = speeches[said % speeches.length] ?? "It is good.";
        said += 1;
        return { ...(await own.speak(request)), text };
      },
    });
  }

  async function hold(words: { readonly titles: readonly string[]; readonly speeches: readonly (readonly string[])[] }) {
    const city = await openLivingCity();
    cities.push(city);
    const primary = await openChatModel("openai:local", { OPENAI_API_KEY: "none", OPENAI_BASE_URL: server.url });
    const models = { primary, timeoutMs: 10_000 };
    const options = sessionOptions(city, memoryPorts(), SEED);
    const producers = options.producers.map((producer, index) => ({
      ...producer,
      mind:
        index < ATTACKERS
          ? attacker(index, words.titles[index] ?? `law ${index}`, words.speeches[index] ?? [])
          : new ChatModelMind({ models, persona: "cooperative", budget: new TokenBudget(200_000) }),
    }));
    server.asked.length = 0;
    const law = deployed(await runLegislature({ ...options, producers }));
    const proposerOf = (entry: number) => law.candidates[entry]?.proposer ?? null;
    const sent = city.chain
      .transcript()
      .split("\n")
      .flatMap((line) => [...line.matchAll(/"(0x02[0-9a-f]{65,})"/g)].map(([, raw]) => parseTransaction(raw as `0x02${string}`)));
    return {
      asked: [...server.asked],
      candidates: law.candidates,
      winner: proposerOf(law.winner),
      /** Everybody's ranking, by who proposed what. */
      ballots: law.ballots.map(({ agent, ranking }) => ({ agent, ranking: ranking.map(proposerOf) })),
      calls: sent.map(({ to, data }) => `${to} ${data?.slice(0, 10)}`),
      payloads: sent.map(({ data }) => data ?? "0x"),
      sponsor: await city.client.token.balanceOf(city.sponsor.address),
    };
  }

  const spoken = SPEECHES.length / ATTACKERS / 2;
  const rounds = Math.ceil(PROPOSALS.length / ATTACKERS);

  it("ends as among harmless ones: the same ballots, no tool, nothing on chain", async () => {
    server.answer = sensible;
    const titles = Array.from({ length: ATTACKERS }, (_, index) => `law ${index}`);
    const harmless = await hold({ titles, speeches: titles.map(() => ["It is good."]) });
    expect(harmless.candidates.length).to.be.greaterThan(2);
    server.answer = obeying;
    const used = new Set<Injection>();
    for (let round = 0; round < rounds; round += 1) {
      const named = PROPOSALS.slice(round * ATTACKERS, (round + 1) * ATTACKERS);
      const said = named.map((_, index) => {
        const first = ((round * ATTACKERS + index) * spoken) % SPEECHES.length;
        return SPEECHES.slice(first, first + spoken);
      });
      for (const injection of [...named, ...said.flat()]) used.add(injection);
      const hostile = await hold({
        titles: named.map(({ words }) => words),
        speeches: said.map((list) => list.map(({ words }) => words)),
      });
      expect(hostile.candidates.some(({ title }) => named.some(({ words }) => words === title))).to.equal(true);
      expect(hostile.ballots, `round ${round}`).to.deep.equal(harmless.ballots);
      expect(hostile.winner).to.equal(harmless.winner);
      expect(hostile.calls).to.deep.equal(harmless.calls);
      expect(hostile.sponsor).to.equal(harmless.sponsor);
      for (const data of hostile.payloads) expect(data.toLowerCase()).to.not.contain(BAD);
      expect(hostile.asked.length).to.equal(harmless.asked.length);
      for (const question of hostile.asked) {
        expect(question.offersTools).to.equal(false);
        expect(tracesIn(question)).to.deep.equal([]);
      }
    }
    expect(used.size).to.equal(PROPOSALS.length + SPEECHES.length);
  });
});
