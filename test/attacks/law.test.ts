/** What a codifier, a template or a stranger could do to a law: AgentCity A.7, M1–M7. */
import { expect } from "chai";
import { AbiCoder, encodeBytes32String, id, type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import { DEVNET, parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import type { LawHeader, LawNode } from "../../orchestrator/rules/law-codec.ts";
import { CODE, SCHEMAS } from "../support/admitted.ts";
import {
  EVERYTHING,
  ethers,
  INSTITUTIONS,
  Kind,
  loadCity,
  loadFixture,
  networkHelpers,
  parameterValues,
  tokens,
} from "../support/city-fixture.ts";
import { seatVerifier } from "../support/judges.ts";
import { billOf, DEPOSIT, GOAL, lawOf, loadLegislature, node, PROPOSAL, State } from "../support/legislature.ts";
import { Action, loadPeopledCity, type Mission, MissionState, openMission, openMissionIn, TASK } from "../support/mission-fixture.ts";
import { outcomeOf } from "../support/outcomes.ts";
import { openPanel } from "../support/panel.ts";
import { attempt } from "./attempt.ts";

const WHY = id("why");

async function witnessed() {
  const city = await loadCity();
  const witnesses: string[] = [];
  for (const name of ["one", "two", "three", "four"])
    witnesses.push((await city.register(name, { capabilities: EVERYTHING })).agent.address);
  for (let i = 0; i < 3; i++) {
    const { agent } = await city.register(`verifier ${i}`, { kind: Kind.VERIFIER, stake: tokens(2000) });
    await city.evidence.registerVerifier(agent.address, 100);
  }
  return { city, witnesses };
}

describe("attacks on the law", () => {
  describe("by its parameters", () => {
    /** Whether the constitution lets such a law pass; a lawful one does. */
    async function passes(
      nodes: readonly LawNode[],
      header: Partial<LawHeader> = {},
      deposit = header.budget ?? DEPOSIT,
      over: { sponsor?: string } = {},
    ): Promise<boolean> {
      const { city, witnesses } = await loadFixture(witnessed);
      let passed = false;
      const terms = { goalHash: GOAL, deposit, sponsor: ZeroAddress, drafter: ZeroAddress, edition: 0, ...over };
      const judged = city.validator.validate(lawOf(nodes, header), terms, witnesses).then(() => {
        passed = true;
      });
      await attempt(judged);
      return passed;
    }
    before(async () => {
      expect(await passes([node(), node({ predecessors: 1n })])).to.equal(true);
      expect(await passes([node({ tier: 2, redundancy: 4, threshold: 3 })])).to.equal(true);
    });

    it("two of four executors are a majority", async () => {
      expect(await passes([node({ tier: 2, redundancy: 4, threshold: 2 })])).to.equal(false);
    });

    it("a law takes any code where work is only run again", async () => {
      expect(await passes([node({ anyCode: true })])).to.equal(false);
    });

    it("one executor agrees with itself", async () => {
      expect(await passes([node({ tier: 2, redundancy: 1, threshold: 1 })])).to.equal(false);
    });

    it("a node is content with weaker evidence than its risk asks for", async () => {
      expect(await passes([node({ floor: Number(DEVNET.MIN_FLOOR_LOW) - 1 })])).to.equal(false);
    });

    it("a node is judged by fewer than its risk asks for", async () => {
      expect(await passes([node({ panelSize: Number(DEVNET.MIN_PANEL_LOW) - 1 })])).to.equal(false);
    });

    it("a dear node is declared harmless", async () => {
      const budget = tokens(DEVNET.MEDIUM_RISK_FROM);
      expect(await passes([node({ budget })], { budget, risk: 1 })).to.equal(false);
    });

    it("a mission is declared less risky than its nodes", async () => {
      const risky = node({
        risk: 1,
        floor: Number(DEVNET.MIN_FLOOR_MEDIUM),
        panelSize: Number(DEVNET.MIN_PANEL_MEDIUM),
        band: Number(DEVNET.MIN_BAND_MEDIUM),
      });
      expect(await passes([risky], { risk: 0 })).to.equal(false);
    });

    it("a human has no time to review", async () => {
      expect(await passes([node({ reviewWindow: 1 })])).to.equal(false);
    });

    it("executors have longer than any mission waits", async () => {
      expect(await passes([node({ timeout: 65_535 })])).to.equal(false);
    });

    it("a law spends what its sponsor did not pay", async () => {
      expect(await passes([node()], { budget: 2n * DEPOSIT }, DEPOSIT)).to.equal(false);
    });

    it("a node waits for itself, and the deposit with it", async () => {
      expect(await passes([node({ predecessors: 1n })])).to.equal(false);
    });

    it("a node is gated by a predicate nobody approved", async () => {
      expect(await passes([node({ predicate: 99 })])).to.equal(false);
    });

    it("a verdict on one executor's work pays three", async () => {
      expect(await passes([node({ redundancy: 3, threshold: 2 })])).to.equal(false);
    });

    it("a risky consensus is two executors deep", async () => {
      const risky = node({
        tier: 2,
        redundancy: 2,
        threshold: 2,
        risk: 1,
        floor: Number(DEVNET.MIN_FLOOR_MEDIUM),
        panelSize: Number(DEVNET.MIN_PANEL_MEDIUM),
        band: Number(DEVNET.MIN_BAND_MEDIUM),
      });
      expect(await passes([{ ...risky, redundancy: 3 }], { risk: 1 })).to.equal(true);
      expect(await passes([risky], { risk: 1 })).to.equal(false);
    });

    it("a law asks for more executors than the city has principals, and pays nobody", async () => {
      expect(await passes([node({ tier: 2, redundancy: 5, threshold: 3 })])).to.equal(false);
    });

    it("a law counts on newcomers for the majority of a consensus, and nobody may be awarded", async () => {
      const { city, witnesses } = await loadFixture(witnessed);
      await city.constitution.seal();
      const newcomers: string[] = [];
      for (const name of ["newcomer 1", "newcomer 2"]) newcomers.push((await city.register(name)).agent.address);
      let passed = false;
      const terms = { goalHash: GOAL, deposit: DEPOSIT, sponsor: ZeroAddress, drafter: ZeroAddress, edition: 0 };
      const consensus = node({ tier: 2, redundancy: 3, threshold: 2 });
      const judged = city.validator.validate(lawOf([consensus]), terms, [witnesses[0] ?? "", ...newcomers]).then(() => {
        passed = true;
      });
      await attempt(judged);
      expect(passed).to.equal(false);
    });

    it("a law is made that only its sponsor's own agents could fill", async () => {
      const { city, witnesses } = await loadFixture(witnessed);
      const sponsor = await city.producers.principalOf(witnesses[0] ?? "");
      expect(await passes([node()], {}, DEPOSIT, { sponsor })).to.equal(false);
    });

    it("a law asks for a panel that nobody can draw, and waits for it", async () => {
      expect(await passes([node({ panelSize: 4 })])).to.equal(false);
    });

    it("a law asks no question of its work", async () => {
      expect(await passes([node({ questions: 0 })])).to.equal(false);
    });
  });

  describe("by the parameters it is judged by", () => {
    it("a dear node is protected by a smaller panel than a cheap one", async () => {
      const panel = await openPanel();
      const { constitution } = panel.city;
      await constitution.seal();
      const [medium, high] = [parameterIndex("MIN_PANEL_MEDIUM"), parameterIndex("MIN_PANEL_HIGH")];
      await attempt(panel.act(await panel.wide("AMEND_PARAMETER", ZeroAddress, high, 1n), ...panel.seats.slice(0, 2)));
      expect(await constitution.param(high)).to.be.at.least(await constitution.param(medium));
    });

    it("a city is sealed in which price and quality weigh more than everything", async () => {
      const { addresses } = await loadCity();
      const values = parameterValues().map((value, index) => (index === parameterIndex("BID_WEIGHT_PRICE") ? 1000n : value));
      const constitution = await ethers.deployContract("ConstitutionContract", [WHY, WHY, values]);
      await constitution.wire(
        INSTITUTIONS.map((_, index) => index),
        INSTITUTIONS.map(() => addresses.TOKEN),
      );
      await attempt(constitution.seal());
      expect(await constitution.isSealed()).to.equal(false);
    });
  });

  describe("by its code", () => {
    const words = (count: number) => AbiCoder.defaultAbiCoder().encode(Array(10).fill("uint256"), [BigInt(count), ...Array(9).fill(0n)]);

    it("somebody deploys a mission of its own and has it pass for genuine", async () => {
      const city = await loadCity();
      await city.templates.publish(id("probe"), await ethers.deployContract("MissionProbe"), WHY);
      const at = await city.templates.predict(id("probe"), 1, words(1), 7);
      await attempt(city.templates.connect(await city.account("somebody")).deploy(id("probe"), 1, words(1), 7));
      expect(await city.templates.isGenuine(at)).to.equal(false);
    });

    it("a template without a mission's functions is published", async () => {
      const city = await loadCity();
      const template = await ethers.deployContract("TemplateHarness", [3]);
      await attempt(city.templates.publish(id("hollow"), template, WHY));
      expect(await city.templates.latestVersion(id("hollow"))).to.equal(0);
    });

    it("a template deploys another law than it was given", async () => {
      const city = await loadCity();
      await attempt(city.templates.publish(id("liar"), await ethers.deployContract("TemplateHarness", [1]), WHY));
      expect(await city.templates.latestVersion(id("liar"))).to.equal(0);
    });
  });

  describe("by code that two adjudicators publish", () => {
    const NAME = id("collaboration");
    let city: Awaited<ReturnType<typeof loadCity>>;
    beforeEach(async () => {
      city = await loadCity();
      await city.templates.publish(NAME, await ethers.deployContract("MissionProbe"), WHY);
      await city.constitution.seal();
    });
    const publish = async () =>
      city.templates.connect(await city.as("ADJUDICATION")).publish(NAME, await ethers.deployContract("MissionProbe"), WHY);

    it("two adjudicators publish a template that takes what everybody staked, before anybody can leave", async () => {
      const leaves = (await city.now()) + (await city.constitution.param(parameterIndex("UNBONDING_PERIOD")));
      await attempt(publish());
      await networkHelpers.time.increaseTo(leaves);
      expect(await city.templates.latestVersion(NAME)).to.equal(1);
    });

    it("adjudicators lengthen the time that it takes to leave, while a template waits", async () => {
      const unbonding = parameterIndex("UNBONDING_PERIOD");
      const before = await city.constitution.param(unbonding);
      await publish();
      await attempt(city.constitution.connect(await city.as("ADJUDICATION")).setParam(unbonding, before + 1n, WHY));
      expect(await city.constitution.param(unbonding)).to.equal(before);
    });
  });

  describe("by a door that is not one's own", () => {
    let mission: Mission;
    const stranger = () => mission.city.account("stranger");

    it("a stranger speaks to a mission as adjudication", async () => {
      mission = await (await (await openMission()).activate()).awardAll();
      await attempt(
        mission.contract
          .connect(await stranger())
          .onOverride(Action.TERMINATE_MISSION, 0, mission.address, "0x", await mission.contract.missionCaseHash()),
      );
      expect(await mission.contract.state()).to.equal(MissionState.ACTIVE);
    });

    it("a stranger binds itself to a node as its executor", async () => {
      mission = await (await openMission()).activate();
      const self = await stranger();
      await attempt(mission.contract.connect(self).bind(0, 0, self.address, ZeroHash, tokens(100)));
      expect((await mission.contract.slotOf(0, 0)).agent).not.to.equal(self.address);
    });

    it("a stranger slashes an agent as if it were the market", async () => {
      mission = await (await openMission()).activate();
      const { agent } = mission.worker(0);
      const { producers } = mission.city;
      await attempt(
        producers
          .connect(await stranger())
          .settle(outcomeOf(agent.address, { scored: true, score: 0, reason: encodeBytes32String("SLANDER") }), tokens(150), ZeroAddress),
      );
      expect((await producers.stakeOf(agent.address)).held).to.equal(tokens(10_000));
    });

    it("a mission takes more from a verifier than a silence costs", async () => {
      mission = await (await (await openMission()).activate()).awardAll();
      const [verifier = ""] = mission.city.verifiers.keys();
      const execution = mission.city.execution.connect(await mission.city.as(mission.address));
      await seatVerifier(mission.city, mission.address, verifier);
      await attempt(execution.settleVerifier(verifier, tokens(2000), WHY));
      expect((await mission.city.producers.stakeOf(verifier)).held).to.equal(tokens(2000));
    });

    it("a mission takes stake from a verifier that never judged in it", async () => {
      mission = await (await (await openMission()).activate()).awardAll();
      const [verifier = ""] = mission.city.verifiers.keys();
      const execution = mission.city.execution.connect(await mission.city.as(mission.address));
      await attempt(execution.settleVerifier(verifier, tokens(50), WHY));
      expect((await mission.city.producers.stakeOf(verifier)).held).to.equal(tokens(2000));
    });
  });

  it("a market is flooded with bids until its award costs more gas than there is", async () => {
    const mission = await (await openMission({ nodes: [TASK] })).activate();
    for (let i = 0; i < 16; i++) await mission.bidAs(await mission.newcomer(`bidder ${i}`), 0, tokens(90));
    await attempt(mission.bidAs(await mission.newcomer("one more"), 0, tokens(80)));
    expect(await mission.city.execution.bidsOf(mission.address, 0)).to.have.length(16);
  });

  it("a limit is lowered under a law that is being voted on, which then is none", async () => {
    const { legislation, constitution, steps } = await loadLegislature();
    const bill = billOf(lawOf());
    const session = await steps.toTallied(bill);
    await constitution.setParam(parameterIndex("MAX_NODE_TIMEOUT"), 1, WHY);
    await attempt(legislation.validate(session, bill.law, bill.docHash, steps.witnesses()));
    expect((await legislation.sessionOf(session)).state).to.equal(State.VALIDATED);
  });

  it("a monitor calls a chain silent sooner than the mission's session was told", async () => {
    const city = await loadPeopledCity();
    await city.constitution.setParam(parameterIndex("DEGRADED_MODE_THRESHOLD"), 14_400, WHY);
    await city.constitution.setParam(parameterIndex("DEGRADED_MODE_THRESHOLD"), 60, WHY);
    const mission = await openMissionIn(city, { params: { edition: 1 } });
    await (await mission.activate()).awardAll();
    await mission.route(0);
    await attempt(mission.contract.connect(city.monitor).degrade((await city.now()) - 100n));
    expect(await mission.contract.state()).not.to.equal(MissionState.DEGRADED);
  });

  describe("by other code than it admits", () => {
    let mission: Mission;
    const opened = async (...nodes: (typeof TASK)[]) => {
      mission = await (await openMission({ nodes })).activate();
    };
    const CONSTANT = hexSchema.parse(id("says the same whatever it is asked"));
    /** Somebody whom nobody knows, with a service of that code under the name of one that is known. */
    const stranger = async (codeHash = CONSTANT) => {
      const { agent } = await mission.newcomer("stranger");
      return { agent, ...(await mission.city.offerService(agent, "0", { codeHash })) };
    };
    const bidders = async (node = 0) => (await mission.city.execution.bidsOf(mission.address, node)).map(({ agent }) => agent);

    it("a stranger registers a constant output under the service's name and works for less", async () => {
      await opened(TASK);
      const cheap = await stranger();
      await attempt(mission.bidAs(cheap, 0, 1n));
      expect(await bidders()).to.deep.equal([]);
    });

    it("its operator registers a service anew after the vote, and shows the old one's record", async () => {
      await opened(TASK);
      const { agent, record, service } = mission.worker(0);
      const { execution, services, offerService } = mission.city;
      await services.connect(agent).deprecateService(service);
      const anew = await offerService(agent, "0", { codeHash: CONSTANT });
      const offer = { mission: mission.address, node: 0, service: anew.service, price: 1n };
      const auth = { agent: agent.address, deadline: await mission.soon(), signature: "0x" };
      await attempt(execution.connect(agent).bid(offer, auth, mission.shownBy(record, 0)));
      expect(await bidders()).to.deep.equal([]);
    });

    it("code that one task admits is paid for another", async () => {
      const admitted = [{ codeHash: CODE, schemaHash: SCHEMAS, nodes: 2n }];
      mission = await (await openMission({ nodes: [TASK, TASK], admitted })).activate();
      const { agent, record, service } = mission.worker(0);
      const offer = { mission: mission.address, node: 0, service, price: 1n };
      const auth = { agent: agent.address, deadline: await mission.soon(), signature: "0x" };
      await attempt(mission.city.execution.connect(agent).bid(offer, auth, mission.shownBy(record, 1)));
      expect(await bidders()).to.deep.equal([]);
    });

    it("where a law takes any code, one code agrees with itself", async () => {
      await opened({ ...TASK, tier: 2, redundancy: 2, threshold: 2, anyCode: true });
      for (const worker of [0, 1]) await mission.bid(0, worker, tokens(10));
      await mission.closeMarket();
      await attempt(mission.city.execution.award(mission.address, [0]));
      expect((await mission.contract.slotOf(0, 1)).agent).to.equal(ZeroAddress);
    });
  });

  describe("by adopting it", () => {
    /** A session that producers petitioned for, whose law has won. */
    async function petitioned(bill = billOf(lawOf())) {
      const house = await loadLegislature();
      const { legislation, offices, steps, voters } = house;
      await legislation.petition(GOAL, ZeroAddress, await Promise.all(voters.slice(0, 2).map((agent) => steps.backer(agent, GOAL))));
      await legislation.connect(offices.REGISTRAR[0] as Wallet).confirmIdentities(1, GOAL);
      await steps.propose(1n, 0, bill.specHash);
      await legislation.connect(offices.SPEAKER[0] as Wallet).openVoting(1);
      await steps.vote(
        1n,
        voters.map(() => [1, 0]),
      );
      await legislation.tally(1);
      return { ...house, bill };
    }

    it("somebody adopts a law for one unit, and nobody else may pay for it", async () => {
      const { legislation, bill, sponsor, account, fund, addresses, steps } = await petitioned();
      const griefer = await account("griefer");
      await fund(griefer, addresses.LEGISLATION, 1n);
      const cheap = lawOf([node({ budget: 1n })], { budget: 1n });
      await attempt(legislation.connect(griefer).adopt(1, cheap, bill.docHash));
      await attempt(legislation.connect(sponsor).adopt(1, bill.law, bill.docHash));
      await attempt(legislation.validate(1, bill.law, bill.docHash, steps.witnesses()));
      expect((await legislation.sessionOf(1)).state).to.equal(State.VALIDATED);
    });

    it("a house whose agents a law needs adopts it, and so ends it", async () => {
      // Four houses, and a node that takes them all.
      const four = billOf(lawOf([node({ tier: 2, redundancy: 4, threshold: 3, panelSize: 3 })]));
      const { legislation, bill, sponsor, account, fund, addresses, voters } = await petitioned(four);
      const rival = await account("principal 3");
      await fund(rival, addresses.LEGISLATION, DEPOSIT);
      for (const payer of [rival, sponsor]) await attempt(legislation.connect(payer).adopt(1, bill.law, bill.docHash));
      const all = voters.map((voter) => voter.address);
      await attempt(legislation.validate(1, bill.law, bill.docHash, all));
      expect((await legislation.sessionOf(1)).state).to.equal(State.VALIDATED);
    });

    it("a stranger that backs nothing begins a petition, and the signatures for it run out", async () => {
      const { legislation, account, steps, voters } = await loadLegislature();
      const stranger = legislation.connect(await account("stranger"));
      const backers = await Promise.all(voters.slice(0, 2).map((agent) => steps.backer(agent, GOAL)));
      await attempt(stranger.petition(GOAL, ZeroAddress, []));
      await networkHelpers.time.increase(PROPOSAL + 1n);
      await attempt(legislation.petition(GOAL, ZeroAddress, backers));
      expect(await legislation.sessionCount()).to.equal(1);
    });

    it("somebody adopts what producers petitioned for, and cancels it", async () => {
      const { legislation, bill, sponsor } = await petitioned();
      await legislation.connect(sponsor).adopt(1, bill.law, bill.docHash);
      await attempt(legislation.connect(sponsor).cancel(1));
      expect((await legislation.sessionOf(1)).state).to.equal(State.TALLIED);
    });
  });

  it("who was frozen when a session opened votes beyond its electorate", async () => {
    const { legislation, producers, steps, register } = await loadLegislature();
    const released = (await register("released")).agent;
    const principal = await producers.principalOf(released.address);
    await producers.freezePrincipal(principal, true);
    const session = await steps.toVoting([billOf(lawOf()).specHash]);
    await producers.freezePrincipal(principal, false);
    await attempt(legislation.castBallots(session, [await steps.ballot(session, released, [0, 1])]));
    expect((await legislation.sessionOf(session)).ballots).to.equal(0);
  });
});
