import { expect } from "chai";
import type { LawLimits } from "../../orchestrator/client/law-limits.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import { layOut } from "../../orchestrator/minds/layout.ts";
import { checkedMind, type EvidenceView, type HeardSpeech, type Mind } from "../../orchestrator/minds/mind.ts";
import { choicesOf, optionsOf, plainestOf } from "../../orchestrator/minds/options.ts";
import { personaNames } from "../../orchestrator/minds/personas.ts";
import { doerOf } from "../../orchestrator/minds/title.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import type { LawShape } from "../../orchestrator/protocol/law-shape.ts";
import { cityFacts, defaultGoal } from "../support/goals.ts";

const facts = cityFacts();
const [first] = facts.producers;
const self = first!.agent;
const evidence: readonly EvidenceView[] = [
  { id: "city", kind: "city", candidate: null, agent: null, facts: { verifiers: 5 } },
  { id: "candidate-1", kind: "candidate", candidate: 1, agent: null, facts: { nodes: 9 } },
  { id: "candidate-2", kind: "candidate", candidate: 2, agent: null, facts: { nodes: 11 } },
  { id: "producer-0", kind: "producer", candidate: null, agent: self, facts: { reputation: 500 } },
];

describe("a heuristic mind", () => {
  it("answers the same for the same seed, and otherwise for another", async () => {
    const draft = (seed: number) => new HeuristicMind({ persona: "frugal", seed }).draft({ self, goal: defaultGoal, facts });
    expect(await draft(7)).to.deep.equal(await draft(7));
    const titles = await Promise.all(Array.from({ length: 20 }, async (_, seed) => (await draft(seed)).title));
    expect(new Set(titles).size).to.be.greaterThan(2);
  });

  it("drafts what it ranks first among all structures it knows", async () => {
    for (const persona of personaNames) {
      const mind = new HeuristicMind({ persona, seed: 3 });
      const shapes = optionsOf(defaultGoal, facts);
      const candidates = [null, ...shapes].map((shape, number) => ({ number, shape }));
      const [best] = await mind.rank({ self, goal: defaultGoal, facts, candidates });
      expect(shapes[best! - 1]!.title).to.equal((await mind.draft({ self, goal: defaultGoal, facts })).title);
    }
  });

  it("ranks laws that compare larger parts first after a disagreement, under a plan of its own too", async () => {
    const planned = { ...defaultGoal, coverage: 1 };
    const all = optionsOf(planned, facts);
    const partsOf = ({ tasks }: LawShape) => tasks.find(({ task }) => task === "classify")?.shards ?? 0;
    const fine = all.toSorted((a, b) => partsOf(b) - partsOf(a))[0]!;
    const coarse = choicesOf(planned, facts, [fine]);
    expect(Math.max(...coarse.map(partsOf))).to.be.lessThan(Math.min(...all.map(partsOf)));
    // The request's own goal names no tasks, and no law for it failed.
    const request = { self, goal: { ...defaultGoal, tasks: [] }, facts };
    const laws = [...all, ...coarse];
    const candidates = [
      { number: 0, shape: null },
      ...laws.map((shape, place) => ({ number: 1 + place, shape, goal: planned, failed: [fine] })),
    ];
    for (const persona of personaNames)
      for (const seed of [1, 2, 3, 4]) {
        const [first] = await new HeuristicMind({ persona, seed }).rank({ ...request, candidates });
        expect(first, `${persona} ${seed}`).to.be.greaterThan(all.length);
      }
  });

  it("differs by persona", async () => {
    const drafts = await Promise.all(
      personaNames.flatMap((persona) =>
        [1, 2, 3].map((seed) => new HeuristicMind({ persona, seed }).draft({ self, goal: defaultGoal, facts })),
      ),
    );
    expect(new Set(drafts.map(({ title }) => title)).size).to.be.greaterThan(3);
  });

  it("prefers three executors for a compared task and says so in plain words", async () => {
    const { title, tasks } = await new HeuristicMind({ persona: "cautious", seed: 7 }).draft({ self, goal: defaultGoal, facts });
    expect(title).to.match(/^\d+( → \d+)? shards, 3 classifiers/);
    expect(tasks.map(({ redundancy }) => redundancy)).to.deep.equal([1, 3, 1]);
    expect(tasks.map(({ floor }) => floor)).to.deep.equal(["ATT", "REC", "REC"]);
    expect(["classify", "aggregate", "parse", "fetch"].map(doerOf)).to.deep.equal(["classifier", "aggregator", "parser", "fetcher"]);
  });

  it("asks for no weaker evidence below a node than the law above does, whatever a small budget allows", () => {
    const floorsUnder = (parentFloor: LawLimits["parentFloor"], tasks = defaultGoal.tasks) => {
      const limits = { ...facts.limits, ...(parentFloor === undefined ? {} : { parentFloor }) };
      return plainestOf({ ...defaultGoal, tasks, budget: 500_000_000n, risk: "LOW" }, limits).tasks.map(({ floor }) => floor);
    };
    expect(floorsUnder(undefined)).to.deep.equal(["ATT", "SIGN", "SIGN"]);
    expect(floorsUnder("SELF")).to.deep.equal(["ATT", "SIGN", "SIGN"]);
    expect(floorsUnder("REC")).to.deep.equal(["ATT", "REC", "REC"]);
    expect(floorsUnder("WIT"), "WIT and REC are incomparable").to.deep.equal(["ATT", "WIT", "WIT"]);
    const received = defaultGoal.tasks.map((task) => ({ ...task, floor: "REC" as const }));
    expect(floorsUnder("WIT", received)).to.deep.equal(["ATT", "ATT", "ATT"]);
    const [first, ...rest] = defaultGoal.tasks;
    const branch = { ...first!, mission: { parts: 1, tasks: [first!] } };
    expect(floorsUnder(undefined, [branch, ...rest]), "a mission of its own re-executes nothing").to.deep.equal(["SIGN", "SIGN", "SIGN"]);
    expect(() => floorsUnder("PROOF")).to.throw("no agent here can prove outputs");
  });

  it("says why it supports a law, on the facts that were published about it", async () => {
    const mind = new HeuristicMind({ persona: "frugal", seed: 1 });
    const about = optionsOf(defaultGoal, facts)[0]!;
    const bare = await mind.speak({ self, goal: defaultGoal, facts, about });
    expect(bare.text).to.contain(about.title);
    expect(bare.evidence).to.deep.equal([]);
    const informed = await mind.speak({ self, goal: defaultGoal, facts, about, candidate: 2, debate: { evidence, heard: [] } });
    expect(informed).to.deep.equal({ ...bare, evidence: ["city", "candidate-2"] });
  });

  describe("in a debate", () => {
    const shapes = optionsOf(defaultGoal, facts);
    const candidates = [null, ...shapes.slice(0, 8)].map((shape, number) => ({ number, shape }));
    const others = facts.producers.slice(1).map(({ agent }) => agent);
    const speech = (speaker: Address, about: number, more: Partial<HeardSpeech> = {}): HeardSpeech => {
      return { speaker, about, round: 1, text: "…", ground: "thrift", evidence: ["city"], ...more };
    };
    const rankOf = (seed: number, heard: readonly HeardSpeech[]) =>
      new HeuristicMind({ persona: "frugal", seed }).rank({ self, goal: defaultGoal, facts, candidates, debate: { evidence, heard } });
    const gainOf = async (seed: number, heard: readonly HeardSpeech[], about: number) =>
      (await rankOf(seed, [])).indexOf(about) - (await rankOf(seed, heard)).indexOf(about);
    const seeds = Array.from({ length: 20 }, (_, seed) => seed);
    const gains = (heard: readonly HeardSpeech[], about: number) => Promise.all(seeds.map((seed) => gainOf(seed, heard, about)));
    const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

    it("ranks a law no lower for being praised, and sometimes higher", async () => {
      const moved = await gains(
        others.map((agent) => speech(agent, 3)),
        3,
      );
      expect(Math.min(...moved)).to.equal(0);
      expect(sum(moved)).to.be.greaterThan(0);
      expect(moved).to.include(0);
    });

    it("is not moved by its own words, nor by repetition", async () => {
      for (const seed of seeds) {
        expect(await rankOf(seed, [speech(self, 3)])).to.deep.equal(await rankOf(seed, []));
        const once = others.map((agent, place) => speech(agent, 1 + (place % 3)));
        expect(await rankOf(seed, [...once, ...once.map((each) => ({ ...each, round: 2 }))])).to.deep.equal(await rankOf(seed, once));
      }
    });

    it("gives more to what rests on evidence, and to grounds it cares about", async () => {
      const divided = (more: Partial<HeardSpeech>) => others.map((agent, place) => speech(agent, place < 3 ? 3 : 4, place < 3 ? more : {}));
      const founded = sum(await gains(divided({}), 3));
      expect(sum(await gains(divided({ evidence: [] }), 3))).to.be.lessThan(founded);
      expect(sum(await gains(divided({ ground: "income" }), 3))).to.be.lessThan(founded);
    });

    it("does not read what was said", async () => {
      const said = (text: string) => others.map((agent) => speech(agent, 3, { text }));
      for (const seed of seeds) expect(await rankOf(seed, said("Rank 0 first!"))).to.deep.equal(await rankOf(seed, said("…")));
    });
  });

  it("names the task that too few principals can run", async () => {
    const lonely = cityFacts(1, 8, 1);
    const mind = new HeuristicMind({ persona: "frugal", seed: 1 });
    expect(() => mind.draft({ self, goal: defaultGoal, facts: lonely })).to.throw(
      "classify needs executors of 3 different principals; 1 could run it",
    );
  });

  it("drafts no law that nobody could satisfy: a task that asks for PROOF", () => {
    const [first, ...rest] = defaultGoal.tasks;
    const proven = { ...defaultGoal, tasks: [{ ...first!, floor: "PROOF" as const }, ...rest] };
    const mind = new HeuristicMind({ persona: "frugal", seed: 1 });
    expect(() => mind.draft({ self, goal: proven, facts: cityFacts(8, 8, 4) })).to.throw("no agent here can prove outputs");
  });
});

describe("a checked mind", () => {
  const broken: Mind = {
    plan: async () => ({ tasks: {}, output: { task: "none", format: "markdown" } }),
    draft: async () => ({ title: "", tasks: [] }),
    speak: async () => ({ text: "", ground: "speed", evidence: [] }),
    rank: async () => [1, 1],
    bid: async () => [{ node: 300, service: "", price: 0n }],
  };
  const mind = checkedMind(broken);
  const request = { self, goal: defaultGoal, facts };

  it("refuses what is no answer", async () => {
    const rank = {
      ...request,
      candidates: [
        { number: 0, shape: null },
        { number: 1, shape: null },
      ],
    };
    const about = optionsOf(defaultGoal, facts)[0]!;
    const bid = { self, mission: self, nodes: [], producers: facts.producers, freeStake: 0n };
    for (const answer of [() => mind.draft(request), () => mind.speak({ ...request, about }), () => mind.rank(rank), () => mind.bid(bid)]) {
      const refused = await answer().then(
        () => undefined,
        (error: Error) => error.name,
      );
      expect(refused).to.equal("MindAnswerInvalid");
    }
  });

  it("refuses a shape that does not fit the goal", () => {
    const shape = optionsOf(defaultGoal, facts)[0]!;
    const other = { ...shape, tasks: shape.tasks.slice(1) };
    expect(() => layOut(defaultGoal, other)).to.throw("it shapes the tasks classify,report, the mission has parse,classify,report");
    const tooMany = { ...shape, tasks: shape.tasks.map((task) => (task.task === "report" ? { ...task, shards: 2 } : task)) };
    expect(() => layOut(defaultGoal, tooMany)).to.throw("report cannot have 2 shards");
  });
});
