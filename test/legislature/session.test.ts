import { expect } from "chai";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { Speaker } from "../../orchestrator/clerks/speaker.ts";
import { compileLaw, recompileLaw } from "../../orchestrator/client/compile-law.ts";
import { signSessionMessage } from "../../orchestrator/client/sign/session-message.ts";
import type { LegislatureOptions } from "../../orchestrator/legislature/context.ts";
import type { LegislaturePorts } from "../../orchestrator/legislature/ports.ts";
import type { LegislatureResult, NoLaw } from "../../orchestrator/legislature/result.ts";
import { runLegislature } from "../../orchestrator/legislature/run-legislature.ts";
import type { Mind } from "../../orchestrator/minds/mind.ts";
import { messageOf } from "../../orchestrator/primitives/errors.ts";
import { canonicalBytes } from "../../orchestrator/primitives/json.ts";
import { LEGISLATURE_BOUNDARIES, type LegislatureBoundary } from "../../orchestrator/protocol/boundaries.ts";
import { packRanking, tally } from "../../orchestrator/rules/condorcet.ts";
import { address } from "../support/goals.ts";
import { hashOf, keyOf, type LivingCity, openLivingCity, tokens } from "../support/living-city.ts";
import { rejection } from "../support/rejection.ts";
import { changed, deployed, memoryPorts, mission, sessionOptions, task } from "../support/sessions.ts";

describe("a legislative session on a chain", function () {
  this.timeout(60_000);
  let city: LivingCity;
  let ports: ReturnType<typeof memoryPorts>;
  let result: LegislatureResult;

  before(async () => {
    city = await openLivingCity();
    ports = memoryPorts();
    result = await runLegislature(sessionOptions(city, ports, 7));
  });
  after(() => city.chain.close());

  it("ends with a mission whose deployed code is the law the ballot chose", async () => {
    const enacted = deployed(result);
    const clone = city.client.mission(enacted.mission);
    expect(await clone.law()).to.equal(enacted.law);
    expect(await clone.lawHash()).to.equal(enacted.lawHash);
    expect((await clone.context()).docHash).to.equal(enacted.docHash);
    expect(await city.client.token.balanceOf(enacted.mission)).to.equal(mission.budget);
    expect(enacted.specHash).to.equal(enacted.candidates[enacted.winner]!.specHash);
    expect(compileLaw(enacted.document).law).to.equal(enacted.law);
    expect(recompileLaw(canonicalBytes(enacted.document)).specHash).to.equal(enacted.specHash);
    expect(ports.records.getJson(enacted.documentId)).to.deep.equal(enacted.document);
  });

  it("gives the law 8 to 12 nodes, three executors wherever outputs are compared, and the whole deposit", () => {
    const { nodes } = deployed(result).document;
    expect(nodes.length).to.be.within(8, 12);
    expect(new Set(nodes.filter(({ tier }) => tier === 2).map(({ redundancy }) => redundancy))).to.deep.equal(new Set([3]));
    expect(nodes.reduce((sum, { budget }) => sum + BigInt(budget), 0n)).to.equal(mission.budget);
    expect(nodes.filter(({ shard }) => shard !== null).at(-1)!.shard!.to).to.equal(675);
  });

  it("counts every ballot once, and chain and twin agree about the winner", async () => {
    const { candidates, ballots, pairwise, winner, electorate, session } = result;
    expect(ballots.length).to.equal(electorate);
    for (const [i, row] of pairwise.entries()) {
      for (const [j, count] of row.entries()) expect(count + pairwise[j]![i]!).to.equal(i === j ? 0 : electorate);
    }
    const { tieSeed } = await city.client.legislation.sessionOf(session);
    const rankings = ballots.map(({ ranking }) => packRanking(ranking));
    expect(tally(rankings, candidates.length, tieSeed).winner).to.equal(winner);
    expect(candidates.length).to.be.at.least(3);
    expect(candidates[0]!.title).to.equal("no law");
    for (const { sponsors } of candidates.slice(1)) expect(sponsors).to.be.at.least(3);
  });

  it("crosses every boundary there is, and submits the ballots in two batches", () => {
    expect(new Set(ports.crossed)).to.deep.equal(new Set(LEGISLATURE_BOUNDARIES));
    expect(city.notes.filter(({ kind }) => kind === "legislature.ballots").length).to.equal(2);
  });

  it("writes one log entry per transaction that says something, each naming the session", () => {
    expect(new Set(city.notes.map(({ kind }) => kind))).to.include.members([
      "legislature.proposal",
      "legislature.tally",
      "legislature.approval",
    ]);
    for (const { subjects } of city.notes) expect(subjects[0]).to.equal("test-7");
  });

  it("asked again with its id, tells the same and sends nothing", async () => {
    const { number } = city.chain.head();
    expect(deployed(await runLegislature(sessionOptions(city, ports, 7))).mission).to.equal(deployed(result).mission);
    expect(city.chain.head().number).to.equal(number);
  });

  it("is the same, to the last block, in another city with the same seed", async () => {
    const twin = await openLivingCity();
    try {
      const other = await runLegislature(sessionOptions(twin, memoryPorts(), 7));
      expect(other).to.deep.equal(result);
      expect(twin.chain.head().hash).to.equal(city.chain.head().hash);
    } finally {
      await twin.chain.close();
    }
  });

  it("goes on where it stopped, wherever that was, and does nothing twice", async () => {
    const straight = await openLivingCity();
    const broken = await openLivingCity();
    try {
      const expected = await runLegislature(sessionOptions(straight, memoryPorts(), 11));
      const surviving = memoryPorts();
      const left = new Set<LegislatureBoundary>(LEGISLATURE_BOUNDARIES);
      const stopping: LegislaturePorts = {
        ...surviving,
        boundary: async (name) => {
          if (left.delete(name)) throw new Error(`stopped at ${name}`);
        },
      };
      let last: LegislatureResult | undefined;
      for (let runs = 0; last === undefined && runs <= LEGISLATURE_BOUNDARIES.length; runs += 1) {
        last = await runLegislature(sessionOptions(broken, stopping, 11)).catch((error: Error) => {
          expect(error.message).to.match(/^stopped at legislature:/);
          return undefined;
        });
      }
      expect(left.size).to.equal(0);
      expect(last).to.deep.equal(expected);
      expect(broken.chain.head().hash).to.equal(straight.chain.head().hash);
      expect(broken.notes).to.deep.equal(straight.notes);
    } finally {
      await straight.chain.close();
      await broken.chain.close();
    }
  });
});

describe("a legislative session that makes no law", function () {
  this.timeout(60_000);
  let city: LivingCity;
  beforeEach(async () => {
    city = await openLivingCity({ parameters: { MIN_SPONSORS: 3n } });
  });
  afterEach(() => city.chain.close());

  /** Runs the session and checks that the sponsor has its money back. */
  async function failed(options: LegislatureOptions): Promise<NoLaw> {
    const before = await city.client.token.balanceOf(city.sponsor.address);
    const result = await runLegislature(options);
    expect(await city.client.token.balanceOf(city.sponsor.address)).to.equal(before);
    if (result.status !== "failed") throw new Error("it made a law");
    return result;
  }

  it("because producers prefer none: the deposit goes back", async () => {
    const options = sessionOptions(city, memoryPorts(), 7);
    const unwilling = options.producers.map((producer) => ({ ...producer, mind: preferringNothing(producer.mind) }));
    const result = await failed({ ...options, producers: unwilling });
    expect(result.reason).to.equal('"no law" won the vote: most voters found none of the laws worth its price');
    expect(result.winner).to.equal(0);
  });

  it("because too few vote: it waits for the rest, then the deposit goes back", async () => {
    const options = sessionOptions(city, memoryPorts(), 7);
    const result = await failed({ ...options, producers: options.producers.slice(0, 4) });
    expect(result.reason).to.equal("4 of 8 producers voted, fewer than 60 %");
  });

  it("because nothing finds sponsors: it waits for the end of proposing, then the deposit goes back", async () => {
    await city.chain.close();
    city = await openLivingCity({ parameters: { MIN_SPONSORS: 5n } });
    const options = sessionOptions(city, memoryPorts(), 7);
    // For code of the sponsor's own the Speaker's office drafts nothing.
    const result = await failed({ ...options, producers: options.producers.slice(0, 4), mission: { ...mission, services: "own" } });
    expect(result.reason).to.equal("no candidate found enough sponsors");
  });
});

describe("a legislative session in trouble", function () {
  this.timeout(60_000);
  let city: LivingCity;
  beforeEach(async () => {
    city = await openLivingCity();
  });
  afterEach(() => city.chain.close());

  /** Ports of a process that is stopped at one boundary, once. */
  function stoppedAt(boundary: LegislatureBoundary): LegislaturePorts {
    const left = new Set([boundary]);
    return {
      ...memoryPorts(),
      boundary: async (name) => {
        if (left.delete(name)) throw new Error(`stopped at ${name}`);
      },
    };
  }

  it("that its sponsor cancelled ends with the deposit returned", async () => {
    const options = sessionOptions(city, stoppedAt("legislature:voting-opened"), 7);
    await rejection(runLegislature(options));
    await city.client.legislation.cancel([1n], { intent: intentKey("cancel"), account: city.sponsor });
    const result = await runLegislature(options);
    expect(result).to.include({ status: "failed", reason: "the sponsor cancelled the session" });
    expect((await city.client.legislation.sessionOf(1n)).deposit).to.equal(0n);
  });

  it("goes on without an agent whose mind has no usable answer", async () => {
    const options = sessionOptions(city, memoryPorts(), 7);
    const silent: Mind = {
      plan: async () => ({ tasks: {}, output: { task: "", format: "json" } }),
      draft: async () => ({ title: "", tasks: [] }),
      speak: async () => ({ text: "", ground: "speed", evidence: [] }),
      rank: async () => [],
      bid: async () => [],
    };
    const producers = options.producers.map((producer, index) => (index === 3 ? { ...producer, mind: silent } : producer));
    const result = deployed(await runLegislature({ ...options, producers }));
    expect(result.ballots.length).to.equal(7);
    expect(result.ballots.map(({ agent }) => agent)).to.not.include(producers[3]!.account.address);
  });

  it("does not put an unconstitutional draft on the ballot", async () => {
    const options = sessionOptions(city, memoryPorts(), 7);
    const reckless = (mind: Mind): Mind =>
      changed(mind, {
        draft: async (request) => {
          const shape = await mind.draft(request);
          return { title: "no evidence needed", tasks: shape.tasks.map((each) => ({ ...each, floor: "SELF" })) };
        },
      });
    const producers = options.producers.map((producer, index) => (index < 2 ? { ...producer, mind: reckless(producer.mind) } : producer));
    const result = deployed(await runLegislature({ ...options, producers }));
    expect(result.candidates.map(({ title }) => title)).to.not.include("no evidence needed");
    expect(result.ballots.length).to.equal(8);
  });

  it("refuses what cannot become law before any money moves", async () => {
    const before = await city.client.token.balanceOf(city.sponsor.address);
    const options = sessionOptions(city, memoryPorts(), 7);
    const tasks = [task("classify", 2, ["unheard-of"], [])];
    const refused = await rejection(runLegislature({ ...options, mission: { ...mission, tasks } }));
    expect(messageOf(refused)).to.contain("names the service unheard-of, which no agent offers");
    expect(await city.client.token.balanceOf(city.sponsor.address)).to.equal(before);
    expect(await city.client.legislation.sessionCount()).to.equal(0n);
  });
});

describe("a clerk", function () {
  this.timeout(60_000);
  let city: LivingCity;
  before(async () => {
    city = await openLivingCity();
  });
  after(() => city.chain.close());

  it("does not act outside its office", async () => {
    const impostor = new Speaker(city.client, keyOf("registrar"));
    const refused = await rejection(impostor.openVoting(1n, { intent: intentKey("impostor") }));
    expect(messageOf(refused)).to.contain("The speaker may not openVoting");
  });

  it("does not sign another law than the ballot's", async () => {
    const enacted = deployed(await runLegislature(sessionOptions(city, memoryPorts(), 7)));
    const other = canonicalBytes({ ...enacted.document, duration: enacted.document.duration + 1 });
    const refused = await rejection(city.clerks.speaker.approve(enacted.session, other));
    expect(messageOf(refused)).to.match(/^The speaker does not sign: the document compiles to 0x[0-9a-f]+, the ballot chose 0x/);
  });

  it("keeps out whoever attests something false", async () => {
    const { client, clerks, producers, sponsor } = city;
    await client.token.approve([client.legislation.address, tokens(10)], { intent: intentKey("allow"), account: sponsor });
    const receipt = await client.legislation.openSession([hashOf("goal"), tokens(10), address(0)], {
      intent: intentKey("open"),
      account: sponsor,
    });
    const session = client.legislation.events(receipt!, "SessionOpened")[0]!.args.session;
    const { account, principal } = producers[0]!;
    const request = await clerks.registrar.request(session);
    const truth = {
      session,
      agent: account.address,
      principal,
      reputation: Number(await client.agents.reputationOf(account.address)),
      nonce: request.nonce,
      deadline: 1,
    };
    const check = async (claim: typeof truth, key = account) => {
      const signature = await signSessionMessage(client, key, "IdentityAttestation", claim);
      return (await clerks.registrar.check([{ ...claim, signature }], request))[0];
    };
    expect(await check(truth)).to.equal(null);
    expect(await check(truth, producers[1]!.account)).to.equal("signature");
    expect(await check({ ...truth, principal: producers[1]!.principal })).to.equal("principal");
    expect(await check({ ...truth, reputation: truth.reputation + 1 })).to.equal("reputation");
    expect(await check({ ...truth, nonce: hashOf("another question") })).to.equal("request");
    const verifier = keyOf("verifier 0");
    expect(await check({ ...truth, agent: verifier.address }, verifier)).to.equal("kind");
  });
});

/** A mind that would rather have no law at all. */
function preferringNothing(mind: Mind): Mind {
  return changed(mind, {
    rank: async (request) => {
      const ranking = await mind.rank(request);
      return [...ranking.filter((number) => number === 0), ...ranking.filter((number) => number !== 0)];
    },
  });
}
