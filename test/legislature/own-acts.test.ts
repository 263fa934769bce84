import { expect } from "chai";
import type { LocalAccount } from "viem";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { signAuth } from "../../orchestrator/client/sign/auth.ts";
import { signMessage } from "../../orchestrator/client/sign/sign-message.ts";
import type { LegislatureOptions } from "../../orchestrator/legislature/context.ts";
import { runLegislature } from "../../orchestrator/legislature/run-legislature.ts";
import type { LegislatureBoundary } from "../../orchestrator/protocol/boundaries.ts";
import { packRanking } from "../../orchestrator/rules/condorcet.ts";
import { hashOf, type LivingCity, openLivingCity } from "../support/living-city.ts";
import { deployed, memoryPorts, sessionOptions } from "../support/sessions.ts";

/** Producers need no city to act: whatever one has signed, anybody may send, and so may it, before its city does. */
describe("a session with a producer that sends acts of its own first", function () {
  this.timeout(60_000);
  let city: LivingCity;
  beforeEach(async () => {
    city = await openLivingCity();
  });
  afterEach(() => city.chain.close());

  /** The session's options, where one producer acts by itself whenever it is asked to sign such a message. */
  function withOwnActs(place: number, primaryType: string, act: (self: LocalAccount, fields: Record<string, unknown>) => Promise<unknown>) {
    const options = sessionOptions(city, memoryPorts(), 7);
    const acts: string[] = [];
    const producers = options.producers.map((producer, index) => {
      if (index !== place) return producer;
      const { account } = producer;
      const signTypedData: LocalAccount["signTypedData"] = async (data) => {
        if (data.primaryType === primaryType) {
          acts.push(primaryType);
          await act(account, data.message as Record<string, unknown>);
        }
        return account.signTypedData(data);
      };
      return { ...producer, account: { ...account, signTypedData } };
    });
    return { options: { ...options, producers }, acts };
  }

  const own = (...parts: readonly (string | number | bigint)[]) => ({ intent: intentKey("own", ...parts) });
  const inAnHour = () => Number(city.chain.clock.now() + 3_600n);

  /** Which producer proposes, or sponsors, in a session of these minds. */
  async function placesOf(kind: "Proposed" | "Sponsored"): Promise<readonly number[]> {
    const twin = await openLivingCity();
    try {
      await runLegislature(sessionOptions(twin, memoryPorts(), 7));
      const proposers = (await twin.client.legislation.history("Proposed")).map(({ args }) => args.proposer);
      const sponsors = (await twin.client.legislation.history("Sponsored")).map(({ args }) => args.agent);
      const agents = kind === "Proposed" ? proposers : sponsors.filter((agent) => !proposers.includes(agent));
      return [...new Set(agents)].map((agent) => twin.producers.findIndex(({ account }) => account.address === agent));
    } finally {
      await twin.chain.close();
    }
  }

  it("another proposal: its law is proposed by who drafted the same, or not at all", async () => {
    const { legislation } = city.client;
    const [place = 0] = await placesOf("Proposed");
    const { options, acts } = withOwnActs(place, "Propose", async (self, { session }) => {
      const message = {
        session: session as bigint,
        agent: self.address,
        specHash: hashOf("nothing"),
        cid: hashOf("nowhere"),
        deadline: inAnHour(),
      };
      await legislation.propose(
        [message.session, message.specHash, message.cid, await signAuth(city.client, self, "Propose", message)],
        own("propose"),
      );
    });
    const { candidates, ballots } = deployed(await runLegislature(options));
    expect(acts).to.have.length(1);
    expect(candidates.map(({ specHash }) => specHash)).to.not.include(hashOf("nothing"));
    expect(candidates.length).to.be.at.least(2);
    expect(ballots.length).to.equal(8);
  });

  it("the proposal that its city asked it for: it stands", async () => {
    const { legislation } = city.client;
    const [place = 0] = await placesOf("Proposed");
    const { options, acts } = withOwnActs(place, "Propose", async (self, fields) => {
      const { session, specHash, cid } = fields as { session: bigint; specHash: `0x${string}`; cid: `0x${string}` };
      const message = { session, agent: self.address, specHash, cid, deadline: inAnHour() };
      await legislation.propose([session, specHash, cid, await signAuth(city.client, self, "Propose", message)], own("propose"));
    });
    const { candidates } = deployed(await runLegislature(options));
    expect(acts).to.have.length(1);
    const before = await placesOf("Proposed");
    expect(candidates).to.have.length(before.length + 1);
  });

  it("all the sponsorships it has: another supporter takes its place", async () => {
    const { legislation } = city.client;
    const [place = 0] = await placesOf("Sponsored");
    const { options, acts } = withOwnActs(place, "Sponsor", async (self, { session }) => {
      if (acts.length > 1) return;
      for (let candidate = 1; candidate <= 3; candidate += 1) {
        const message = { session: session as bigint, agent: self.address, candidate, deadline: inAnHour() };
        const auth = await signAuth(city.client, self, "Sponsor", message);
        await legislation.sponsor([message.session, candidate, auth], own("sponsor", candidate)).catch(() => undefined);
      }
    });
    const { candidates, ballots } = deployed(await runLegislature(options));
    expect(acts).to.not.have.length(0);
    for (const { sponsors } of candidates.slice(1)) expect(sponsors).to.be.at.least(3);
    expect(ballots.length).to.equal(8);
  });

  it("its straw ballot, and its ballot: each counts once, and everybody else's counts", async () => {
    const { legislation } = city.client;
    for (const [name, send] of [
      ["StrawPoll", legislation.strawPoll],
      ["Ballot", legislation.castBallots],
    ] as const) {
      const { options, acts } = withOwnActs(5, name, async (self, fields) => {
        const { session, ranking } = fields as { session: bigint; ranking: bigint };
        const message = { session, agent: self.address, ranking, deadline: inAnHour() };
        const signature = await signMessage(city.client, self, name, message);
        await send([session, [{ agent: self.address, ranking, deadline: message.deadline, signature }]], own(name));
      });
      const result = deployed(await runLegislature({ ...options, id: name }));
      expect(acts).to.have.length(1);
      expect(result.ballots.length).to.equal(8);
      const polled = await legislation.history("StrawPollCast", { session: result.session });
      expect(new Set(polled.map(({ args }) => args.agent)).size).to.equal(8);
      expect(result.ballots.map(({ ranking }) => packRanking(ranking))).to.have.length(8);
    }
  });

  /** As many as a law needs put a law on the ballot whose document nobody has; returns what it is called there. */
  async function withUnknownLaw(options: LegislatureOptions, whenVoting: (session: bigint, candidate: number) => Promise<void>) {
    const { legislation } = city.client;
    const unknown = hashOf("unknown");
    let candidate = 0;
    const propose = async (session: bigint) => {
      const { rules } = await legislation.sessionOf(session);
      for (const { account: self } of city.producers.slice(0, rules.minSponsors)) {
        const deadline = inAnHour();
        const proposal = { session, agent: self.address, specHash: unknown, cid: hashOf("nowhere"), deadline };
        if (candidate !== 0) {
          const auth = await signAuth(city.client, self, "Sponsor", { session, agent: self.address, candidate, deadline });
          await legislation.sponsor([session, candidate, auth], own("sponsor", self.address));
          continue;
        }
        await legislation.propose([session, unknown, proposal.cid, await signAuth(city.client, self, "Propose", proposal)], own("propose"));
        candidate = (await legislation.sessionOf(session)).candidates - 1;
      }
    };
    const boundary = async (name: LegislatureBoundary) => {
      const session = await legislation.sessionCount();
      if (name === "legislature:drafted") await propose(session);
      if (name === "legislature:voting-opened") await whenVoting(session, candidate);
    };
    const result = await runLegislature({ ...options, ports: { ...options.ports, boundary } });
    return { result, unknown };
  }

  it("a law of which nobody has the document: no mind prefers it, and another wins", async () => {
    const { result, unknown } = await withUnknownLaw(sessionOptions(city, memoryPorts(), 7), async () => {});
    const { candidates, ballots, specHash } = deployed(result);
    const entry = candidates.findIndex((law) => law.specHash === unknown);
    expect(entry).to.be.above(0);
    expect(specHash).to.not.equal(unknown);
    for (const { ranking } of ballots) expect(ranking.at(-1)).to.equal(entry);
  });

  it("a law of which nobody has the document, and a majority for it: the session ends without a law, and returns the deposit", async () => {
    const { legislation, token } = city.client;
    const before = await token.balanceOf(city.sponsor.address);
    const { result } = await withUnknownLaw(sessionOptions(city, memoryPorts(), 7), async (session, candidate) => {
      const paper = await legislation.ballotOf(session);
      const first = paper.indexOf(candidate);
      const ranking = packRanking([first, ...paper.map((_, entry) => entry).filter((entry) => entry !== first)]);
      for (const { account } of city.producers) {
        const message = { session, agent: account.address, ranking, deadline: inAnHour() };
        const signature = await signMessage(city.client, account, "Ballot", message);
        await legislation.castBallots([session, [{ ...message, signature }]], own("vote", account.address));
      }
    });
    expect(result).to.include({ status: "failed", reason: "the law that won was proposed elsewhere, and its document is not here" });
    expect(await token.balanceOf(city.sponsor.address)).to.equal(before);
  });

  it("its petition: the others' open the session", async () => {
    const { legislation } = city.client;
    const { options, acts } = withOwnActs(0, "Petition", async (self, fields) => {
      const { goalHash, parent, round } = fields as { goalHash: `0x${string}`; parent: `0x${string}`; round: number };
      const message = { agent: self.address, goalHash, parent, round, deadline: inAnHour() };
      await legislation.petition([goalHash, parent, [await signAuth(city.client, self, "Petition", message)]], own("petition"));
    });
    deployed(await runLegislature({ ...options, byPetition: true }));
    expect(acts).to.have.length(1);
  });
});
