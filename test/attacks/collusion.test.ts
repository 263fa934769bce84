/** One hand behind several faces: wash trading, bought panels, Sybil sponsors, adjudicators in their own cause. */
import { expect } from "chai";
import { id, type Wallet, ZeroAddress } from "ethers";
import { getAddress } from "viem";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import { parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { EvidenceClass, REFUTATION, REFUTED } from "../../orchestrator/rules/admissibility.ts";
import { evidenceLeafOf } from "../../orchestrator/rules/commitments.ts";
import { Risk } from "../../orchestrator/rules/law-codec.ts";
import { inclusionProof, merkleRoot } from "../../orchestrator/rules/ordered-merkle.ts";
import { packPayment } from "../../orchestrator/rules/payments.ts";
import { type City, directly, Kind, keyOf, loadCity, networkHelpers, probeAt, tokens } from "../support/city-fixture.ts";
import { seatPrincipal } from "../support/judges.ts";
import { billOf, type Legislature, lawOf, loadLegislature, PROPOSAL, State, setParameter } from "../support/legislature.ts";
import { Action, HOUR, type Mission, NodeState, openMission, packed, Result, TASK } from "../support/mission-fixture.ts";
import { dataOf, openPanel, type Panel, panelOver } from "../support/panel.ts";
import { attempt } from "./attempt.ts";

const WHY = id("why");
const CONSENSUS = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };
const GOVERNANCE = 0;
const INSURANCE = 1;

describe("attacks by collusion", () => {
  describe("in a mission", () => {
    let mission: Mission;
    const opened = async (...nodes: (typeof TASK)[]) => {
      mission = await (await openMission({ nodes })).activate();
    };
    const worked = async (...nodes: (typeof TASK)[]) => {
      await opened(...nodes);
      await mission.awardAll();
      await mission.route(0);
      await mission.work(0);
      await networkHelpers.mine();
    };
    const entitled = async () => (await mission.contract.ledger()).entitled;
    /** The panel, or nobody if none can be drawn. */
    const panel = async (): Promise<string[]> => {
      let drawn: string[] = [];
      const call = mission.contract.panelOf(0).then((members) => {
        drawn = [...members];
      });
      await attempt(call);
      return drawn;
    };
    const verifierOf = async (principal: Wallet) => {
      const { agent } = await mission.city.register("bought verifier", { kind: Kind.VERIFIER, principal, stake: tokens(2000) });
      await mission.city.evidence.registerVerifier(agent.address, 100);
      return agent.address;
    };

    const verifierOfIssuer = async () => {
      const principal = await mission.city.account("issuer's principal");
      const { agent } = await mission.city.register("second face", { kind: Kind.VERIFIER, principal, stake: tokens(2000) });
      await attempt(mission.city.evidence.registerVerifier(agent.address, 100));
      return agent.address;
    };

    /** Worker 1, whose house judges as well, has lost the award to worker 0. */
    const outbid = async () => {
      await opened(TASK);
      await mission.bid(0, 0, tokens(50));
      await mission.bid(0, 1, tokens(100));
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      await mission.route(0);
      return mission.city.account("principal 1");
    };
    /** Whether it executes the next attempt. */
    const takesOver = async () => {
      await mission.contract.reopen(0);
      await attempt(mission.bid(0, 1, tokens(100)));
      await mission.closeMarket();
      await attempt(mission.city.execution.award(mission.address, [0]));
      return (await mission.contract.slotOf(0, 0)).agent === mission.worker(1).agent.address;
    };

    it("a rival's own seat among the adjudicators rejects the winner's work, and the rival takes it over", async () => {
      const rival = await outbid();
      const { city } = mission;
      const judge = await city.account("the rival's judge");
      await city.fund(judge, city.addresses.ROSTER, tokens(5000));
      await city.roster.seat(judge.address, rival.address);
      const [colleague] = (await city.seatAdjudicators(1)) as [Wallet];
      const seats = panelOver(city, [judge, colleague], await probeAt(mission.address));
      const here = { mission: mission.address, node: 0 };
      await seats.act(await seats.override("FREEZE", { ...here, data: dataOf("FREEZE", 0) }), judge);
      const both = [judge, colleague].sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
      await seats.act(await seats.override("REJECT_POP", here), ...both);
      expect(await takesOver()).to.equal(false);
    });

    it("a rival's own verifier condemns the winner's work, and the rival takes it over", async () => {
      const rival = await outbid();
      const { city } = mission;
      for (const verifier of city.verifiers.keys()) await city.evidence.revoke(verifier);
      const { agent } = await city.register("the rival's verifier", { kind: Kind.VERIFIER, principal: rival, stake: tokens(2000) });
      await city.evidence.registerVerifier(agent.address, 100);
      city.verifiers.set(agent.address, agent);
      await mission.work(0);
      await mission.clear(0, { result: Result.FAIL });
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      expect(await takesOver()).to.equal(false);
    });

    it("a rival's own monitor stops the winner's work, and the rival takes it over", async () => {
      const rival = await outbid();
      const { city, contract } = mission;
      const monitor = await city.account("the rival's monitor");
      await city.evidence.registerMonitor(monitor.address, rival.address);
      await contract.connect(monitor).report(0, WHY, 1);
      await networkHelpers.time.increaseTo((await contract.nodeOf(0)).deadline);
      await contract.timeout(0);
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      expect(await takesOver()).to.equal(false);
    });

    it("a house's own runner finds other code where another's agent was awarded, and the house takes the work over", async () => {
      await opened(TASK);
      await mission.bid(0, 0, tokens(50));
      await mission.closeMarket();
      const { city, contract } = mission;
      await city.execution.award(mission.address, [0]);
      const house = await city.account("principal 1");
      const runner = await city.account("runner of the house");
      await city.evidence.registerRunner(runner.address, house.address);
      await contract.mismatch(...(await mission.otherCode(0, { key: runner })));
      expect(await mission.stateOf(0)).to.equal(NodeState.FAILED);
      expect(await takesOver()).to.equal(false);
    });

    it("an adjudicator approves work on what its own house attested", async () => {
      await worked(TASK);
      for (let i = 0; i < 2; i++) await mission.clear(0, { result: Result.ABSTAIN });
      const { city } = mission;
      const judge = await city.account("judge of the issuer's house");
      await city.fund(judge, city.addresses.ROSTER, tokens(5000));
      await city.roster.seat(judge.address, (await city.account("issuer's principal")).address);
      const seats = panelOver(city, [judge], await probeAt(mission.address));
      await attempt(seats.act(await seats.override("APPROVE_POP", { node: 0, data: await mission.approval(0) }), judge));
      expect(await entitled()).to.equal(0n);
    });

    it("sixteen newcomers at one unit fill a consensus's market, of whom at most one may be awarded, until its attempts are spent", async () => {
      await opened(CONSENSUS);
      await mission.city.constitution.seal();
      const crowd = [];
      for (let i = 0; i < 16; i++) crowd.push(await mission.newcomer(`newcomer ${i}`, { capabilities: 0n }));
      for (const one of crowd) await attempt(mission.bidAs(one, 0, 1n));
      for (let worker = 0; worker < 4; worker++) await attempt(mission.bid(0, worker, tokens(20)));
      await mission.closeMarket();
      await attempt(mission.city.execution.award(mission.address, [0]));
      const { agent } = await mission.contract.slotOf(0, 0);
      expect(agent).not.to.equal(ZeroAddress);
    });

    /** Agents of these houses do a node each for a price; returns how many voters that makes. */
    async function votersMade(houses: readonly string[], price: bigint): Promise<bigint> {
      await opened(...houses.map(() => TASK));
      const { city } = mission;
      await city.constitution.seal();
      const before = await city.producers.activeProducers();
      const nodes = [...houses.keys()];
      for (const [node, house] of houses.entries()) {
        const one = await mission.newcomer(`voter to be ${node}`, { principal: await city.account(house), capabilities: 0n });
        city.workers.push(one);
        await mission.bidAs(one, node, price);
      }
      await mission.closeMarket();
      await city.execution.award(mission.address, nodes);
      for (const node of nodes) await mission.run(node);
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim(nodes);
      for (const _ of nodes) city.workers.pop();
      return (await city.producers.activeProducers()) - before;
    }

    it("one mission of a sponsor with two keys makes as many voters as it has nodes", async () => {
      expect(await votersMade(Array<string>(8).fill("second key of the sponsor"), tokens(20))).to.equal(1n);
    });

    it("a mission that pays a unit a node makes a voter of each house that works in it", async () => {
      expect(await votersMade(["one house", "another", "a third"], 1n)).to.equal(0n);
    });

    it("newcomers of one hand make the majority of a consensus", async () => {
      await opened({ ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 });
      await mission.city.constitution.seal();
      for (const name of ["one", "two"]) await mission.bidAs(await mission.newcomer(name, { capabilities: 0n }), 0, tokens(1));
      await mission.bid(0, 0);
      await mission.closeMarket();
      await attempt(mission.city.execution.award(mission.address, [0]));
      await mission.closeMarket();
      await attempt(mission.city.execution.award(mission.address, [0]));
      expect((await mission.contract.slotOf(0, 0)).agent).to.equal(ZeroAddress);
    });

    it("a sponsor's own agent works for it and is paid with its own money and the city's premium", async () => {
      await opened(TASK);
      const { city } = mission;
      const own = await mission.newcomer("house agent", { principal: city.sponsor });
      await attempt(mission.bidAs(own, 0));
      expect(await city.execution.bidsOf(mission.address, 0)).to.have.length(0);
    });

    it("one principal's agents fill a node's market and agree with each other", async () => {
      await opened({ ...CONSENSUS, redundancy: 2 });
      const principal = await mission.city.account("principal 0");
      for (let i = 0; i < 16; i++) await attempt(mission.bidAs(await mission.newcomer(`one of many ${i}`, { principal }), 0, 1n));
      await attempt(mission.bid(0, 1));
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      const principals = [];
      for (const slot of [0, 1]) {
        principals.push(await mission.city.producers.principalOf((await mission.contract.slotOf(0, slot)).agent));
      }
      expect(new Set(principals).size).to.equal(2);
    });

    /** Three verifiers of one principal say one thing about a HIGH node, the two of another the contrary. */
    const crowd = async (result: number) => {
      await worked({ ...TASK, risk: Risk.HIGH, panelSize: 5 });
      const order = await mission.clearOrder(0);
      const many = keyOf("verifying principal 0").address;
      order.verdicts = [];
      for (const verifier of await mission.contract.panelOf(0)) {
        const isOfMany = (await mission.city.producers.principalOf(verifier)) === many;
        order.verdicts.push(await mission.verdict(0, verifier, { result: isOfMany ? result : Result.PASS + Result.FAIL - result }));
      }
      await mission.contract.clear(packed(order));
    };

    it("one principal's verifiers, more than half of a crowded panel, let the work of a HIGH node pass by themselves", async () => {
      await crowd(Result.PASS);
      expect(await entitled()).to.equal(0n);
    });

    it("one principal's verifiers, more than half of a crowded panel, condemn the executor of a HIGH node by themselves", async () => {
      await crowd(Result.FAIL);
      expect(await mission.stateOf(0)).not.to.equal(NodeState.FAILED);
    });

    it("an executor's principal has a verifier of its own on the panel", async () => {
      await opened({ ...TASK, panelSize: 6 });
      const bought = await verifierOf(await mission.city.account("principal 0"));
      await mission.bid(0, 0);
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      await mission.route(0);
      await mission.work(0);
      await networkHelpers.mine();
      expect(await panel()).not.to.include(bought);
    });

    it("the sponsor has a verifier of its own on the panel", async () => {
      await opened({ ...TASK, panelSize: 6 });
      const bought = await verifierOf(mission.city.sponsor);
      await mission.awardAll();
      await mission.route(0);
      await mission.work(0);
      await networkHelpers.mine();
      expect(await panel()).not.to.include(bought);
    });

    it("somebody who knows the panel has another seated, so that others judge", async () => {
      await worked({ ...TASK, panelSize: 2 });
      const drawn = await panel();
      for (let i = 0; i < 4; i++) {
        const owner = await mission.city.account(`late principal ${i}`);
        const { agent } = await mission.city.register(`late verifier ${i}`, { kind: Kind.VERIFIER, principal: owner, stake: tokens(2000) });
        await attempt(mission.city.evidence.registerVerifier(agent.address, 100));
        expect(await panel()).to.deep.equal(drawn);
      }
    });

    it("somebody who knows the panel has its principals suspended, so that others judge", async () => {
      await worked({ ...TASK, panelSize: 2 });
      const drawn = await panel();
      const { evidence, producers } = mission.city;
      for (const member of drawn) await attempt(evidence.suspend(await producers.principalOf(member), true));
      expect(await panel()).to.deep.equal(drawn);
      await attempt(mission.clear(0));
      expect(await entitled()).to.equal(0);
    });

    it("one principal has the majority of a panel", async () => {
      mission = await openMission({ nodes: [{ ...TASK, panelSize: 3 }] });
      const { evidence, producers } = mission.city;
      const owner = await mission.city.account("verifying principal 0");
      for (let i = 0; i < 20; i++) {
        const { agent } = await mission.city.register(`face ${i}`, { kind: Kind.VERIFIER, principal: owner, stake: tokens(2000) });
        await attempt(evidence.registerVerifier(agent.address, 100));
      }
      await verifierOf(await mission.city.account("third principal"));
      await (await mission.activate()).awardAll();
      await mission.route(0);
      await mission.work(0);
      await networkHelpers.mine();
      const owners = await Promise.all((await panel()).map((member) => producers.principalOf(member)));
      expect(new Set(owners).size).to.equal(3);
    });

    it("a principal judges what its own issuer attested", async () => {
      await opened({ ...TASK, panelSize: 6 });
      const own = await verifierOfIssuer();
      await mission.awardAll();
      await mission.route(0);
      await mission.work(0);
      await networkHelpers.mine();
      expect(await panel()).not.to.include(own);
    });

    it("an executor's principal attests its own evidence", async () => {
      await worked(TASK);
      const { evidence, issuer, producers } = mission.city;
      const principal = await producers.principalOf((await mission.executorOf(0)).agent.address);
      await evidence.revoke(issuer.address);
      await evidence.registerIssuer(issuer.address, principal, 1 << EvidenceClass.ATT);
      await attempt(mission.contract.clear(packed(await mission.clearOrder(0))));
      expect(await entitled()).to.equal(0);
    });

    it("a party signs evidence itself, registered as somebody else's issuer", async () => {
      await opened(TASK);
      await mission.awardAll();
      const { evidence, sponsor } = mission.city;
      const stranger = await mission.city.account("who answers for it");
      await evidence.registerIssuer(sponsor.address, stranger.address, 1 << EvidenceClass.ATT);
      mission.evidence = { issuer: sponsor.address, class: EvidenceClass.ATT };
      await mission.route(0);
      await mission.work(0);
      await networkHelpers.mine();
      const order = await mission.clearOrder(0);
      const items = [await mission.item(0, 0, sponsor)];
      await attempt(mission.contract.clear(packed({ ...order, items })));
      expect(await entitled()).to.equal(0);
    });

    it("an executor's principal attests that its own code runs", async () => {
      await opened(TASK);
      await mission.awardAll();
      const { evidence, runner, producers } = mission.city;
      const principal = await producers.principalOf((await mission.executorOf(0)).agent.address);
      await evidence.revoke(runner.address);
      await evidence.registerRunner(runner.address, principal);
      await attempt(mission.route(0));
      expect((await mission.contract.nodeOf(0)).state).to.equal(1);
    });

    it("code that no runner looked at is routed", async () => {
      await opened(TASK);
      await mission.awardAll();
      await attempt(mission.contract.route(...(await mission.start([0], { slots: [] }))));
      expect((await mission.contract.nodeOf(0)).state).to.equal(1);
    });

    it("two members of a panel decide before the third spoke", async () => {
      await worked(CONSENSUS);
      await attempt(mission.clear(0, { absent: 1 }));
      expect(await entitled()).to.equal(0);
    });

    it("one member of a panel votes as often as it needs to win", async () => {
      await worked(CONSENSUS);
      const honest = await mission.clearOrder(0, { result: Result.FAIL });
      const [bought = ""] = await mission.contract.panelOf(0);
      const { verifier, deadline, ...yes } = await mission.verdict(0, bought);
      const votes = [yes, yes, yes];
      const key = mission.city.verifiers.get(bought) as Wallet;
      const signature = await mission.city.sign("Verdicts", mission.address, { verifier, verdicts: votes, deadline }, key);
      const verdicts = [...honest.verdicts.slice(1), ...votes.map((vote) => ({ ...vote, verifier, deadline, signature }))];
      await attempt(mission.contract.clear(packed({ ...honest, verdicts })));
      expect(await entitled()).to.equal(0);
    });

    it("a verifier that was not drawn speaks for one that was", async () => {
      await worked(TASK);
      const honest = await mission.clearOrder(0, { result: Result.FAIL });
      const [drawn] = await mission.contract.panelOf(0);
      const outsider = [...mission.city.verifiers.keys()].find((one) => one !== drawn) ?? "";
      await attempt(mission.contract.clear(packed({ ...honest, verdicts: [await mission.verdict(0, outsider)] })));
      expect(await entitled()).to.equal(0);
    });

    /** The executor claims a second item, which no issuer has signed. */
    const claimsTwo = async () => {
      const item = await mission.item(0, 0);
      const envelope = [
        evidenceLeafOf(hexSchema.parse(await mission.contract.obligationOf(0)), item),
        hexSchema.parse(id("signed by nobody")),
      ];
      const claimed = { items: 2, classes: BigInt(EvidenceClass.ATT) * 9n, envelopeRoot: merkleRoot(envelope) };
      Object.assign(await mission.opening(0), claimed);
      return { item, envelope };
    };

    /** Everybody has signed; whoever calls chooses whom the mission hears. */
    const heard = async (...results: number[]) => {
      const { openings, items } = await mission.clearOrder(0);
      const verdicts = [];
      for (const [place, verifier] of [...(await mission.contract.panelOf(0))].entries()) {
        const result = results[place];
        if (result !== undefined) verdicts.push(await mission.verdict(0, verifier, { result }));
      }
      return mission.contract.clear(packed({ node: 0, openings, items, verdicts }));
    };

    it("verifiers that take their stake away decide, and have nothing to lose", async () => {
      await worked(TASK);
      await networkHelpers.mine();
      for (const member of await mission.contract.panelOf(0)) {
        const key = mission.city.verifiers.get(member) as Wallet;
        await mission.city.producers.connect(key).deregister(member);
      }
      await attempt(mission.clear(0));
      expect(await entitled()).to.equal(0);
    });

    it("two of a panel's five overrule the three whose verdicts they leave out", async () => {
      await worked({ ...TASK, panelSize: 5 });
      await networkHelpers.time.increase(300);
      await attempt(heard(Result.FAIL, Result.PASS, Result.PASS));
      expect(await entitled()).to.equal(0);
    });

    it("two of a panel's five decide, because the other three abstain", async () => {
      await worked({ ...TASK, panelSize: 5 });
      await attempt(heard(Result.PASS, Result.PASS, Result.ABSTAIN, Result.ABSTAIN, Result.ABSTAIN));
      expect(await entitled()).to.equal(0);
    });

    /** Founders' verifiers of full weight and others seated by petition, of a quarter of it; all of them are drawn. */
    const mixed = async (founders: number, petitioners: number, play: (light: ReadonlySet<string>) => Promise<void>) => {
      await opened({ ...TASK, panelSize: founders + petitioners });
      const { city } = mission;
      for (const verifier of [...city.verifiers.keys()].slice(founders)) await city.evidence.revoke(verifier);
      const light = new Set<string>();
      for (let i = 0; i < petitioners; i++) {
        const { agent } = await city.register(`petitioner ${i}`, { kind: Kind.VERIFIER, stake: tokens(2000) });
        await city.evidence.registerVerifier(agent.address, 25);
        city.verifiers.set(agent.address, agent);
        light.add(agent.address);
      }
      await mission.awardAll();
      await mission.route(0);
      await mission.work(0);
      await networkHelpers.mine();
      await play(light);
    };

    it("one founder's verifier outvotes two that were seated by petition, at a quarter of its weight", async () => {
      await mixed(1, 2, async (light) => {
        const says = (member: string) => ({ result: light.has(member) ? Result.PASS : Result.FAIL });
        await attempt(mission.contract.clear(packed(await mission.clearOrder(0, { says }))));
      });
      expect((await mission.contract.faultOf(0, 0)).mask).to.equal(0);
    });

    /** Three light members praise the work; two heavy ones that found it wrong lose their weight. */
    const silenced = async (silence: (member: string) => Promise<unknown>) =>
      mixed(2, 3, async (light) => {
        const says = (member: string) => ({ result: light.has(member) ? Result.PASS : Result.FAIL });
        const wave = packed(await mission.clearOrder(0, { says }));
        for (const member of await mission.contract.panelOf(0)) if (!light.has(member)) await silence(member);
        await attempt(mission.contract.clear(wave));
      });

    it("three light members of five win because two heavy ones who spoke against them are frozen after the draw", async () => {
      await silenced((member) => mission.city.producers.freezeAgent(member, true));
      expect(await entitled()).to.equal(0);
    });

    it("three light members of five win because two heavy ones who spoke against them gave notice after the draw", async () => {
      await silenced((member) => mission.city.producers.connect(mission.city.verifiers.get(member) as Wallet).deregister(member));
      expect(await entitled()).to.equal(0);
    });

    it("two of a panel's five have work paid that most of it found wrong, by choosing whose praise is heard", async () => {
      await worked({ ...CONSENSUS, panelSize: 5 });
      await networkHelpers.time.increase(300);
      const basis = 1n | (1n << 32n) | (1n << 64n);
      const order = await mission.clearOrder(0);
      const [honest = "", ...bought] = (await mission.contract.panelOf(0)).slice(0, 3);
      const verdicts = [await mission.verdict(0, honest, { basis, agreeing: 0b011 })];
      for (const member of bought) verdicts.push(await mission.verdict(0, member, { basis, agreeing: 0b111 }));
      await attempt(mission.contract.clear(packed({ ...order, verdicts })));
      expect((await mission.contract.entitlementOf(0, 2)).paid).to.equal(0);
    });

    it("one of three leaves out a verdict, so that a human has to decide what two had decided", async () => {
      await worked({ ...TASK, panelSize: 3 });
      await networkHelpers.time.increase(300);
      await attempt(heard(Result.PASS, Result.FAIL));
      await attempt(heard(Result.PASS, Result.FAIL, Result.FAIL));
      expect((await mission.contract.faultOf(0, 0)).mask).to.equal(1);
    });

    it("a panel finds work in agreement for which nobody vouched", async () => {
      await worked(CONSENSUS);
      const bought = { basis: 0b1n | (1n << 32n), agreeing: 0b111 };
      const { items, ...order } = await mission.clearOrder(0, bought);
      await networkHelpers.time.increase(250);
      await attempt(mission.contract.clear(packed({ ...order, items: items.filter(({ slot }) => slot !== 2) })));
      expect((await mission.contract.entitlementOf(0, 2)).paid).to.equal(0);
    });

    it("an executor silences the verdict against it by leaving out what it rests on", async () => {
      await opened(TASK);
      await mission.awardAll();
      await mission.route(0);
      const { envelope } = await claimsTwo();
      await mission.work(0);
      await networkHelpers.mine();
      const order = await mission.clearOrder(0, { result: Result.FAIL, basis: 0b10n });
      const items = order.items.map((item) => ({ ...item, proof: inclusionProof(envelope, 0) }));
      await attempt(mission.contract.clear(packed({ ...order, items })));
      expect((await mission.contract.nodeOf(0)).redraws).to.equal(0);
    });

    /** All of a panel find the work good; the first member says it in a way of its own. */
    const praised = async (first: Parameters<Mission["verdict"]>[2], others: Parameters<Mission["verdict"]>[2] = {}) => {
      const verdicts = [];
      for (const member of await panel()) verdicts.push(await mission.verdict(0, member, verdicts.length === 0 ? first : others));
      return mission.contract.clear(packed({ ...(await mission.clearOrder(0)), verdicts }));
    };

    it("one of five is so unsure that a human has to decide what four had decided", async () => {
      await worked({ ...TASK, panelSize: 5 });
      await attempt(praised({ confidence: 0 }, { confidence: 7000 }));
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    it("one of five finds nothing good, and takes a fifth of what the other four give", async () => {
      await worked({ ...TASK, panelSize: 5 });
      await attempt(praised({ score: 0 }));
      expect((await mission.contract.entitlementOf(0, 0)).paid).to.equal(tokens(97));
    });

    const stakeOf = async () => mission.city.producers.stakeOf((await mission.executorOf(0)).agent.address);
    const SILENT = { result: Result.ABSTAIN, basis: 0n, unproven: true };

    it("an executor that leaves nothing to judge by loses nothing", async () => {
      await worked(TASK);
      await networkHelpers.time.increase(250);
      await attempt(mission.clear(0, SILENT));
      expect((await stakeOf()).held).to.be.lessThan(tokens(10_000));
    });

    it("an executor opens what no verdict could rest on, and the time of its panel passes", async () => {
      await opened(TASK);
      await mission.awardAll();
      await mission.route(0);
      Object.assign(await mission.opening(0), { items: 0, classes: 0n });
      await attempt(mission.work(0));
      expect(await mission.stateOf(0)).to.equal(NodeState.EXECUTING);
    });

    it("whoever hands in a panel's abstentions leaves out the evidence of an executor, so that it loses", async () => {
      await worked(TASK);
      await attempt(mission.clear(0, SILENT));
      expect((await stakeOf()).held).to.equal(tokens(10_000));
    });

    it("two panels keep silent, so that an attempt fails whose work nobody found wrong", async () => {
      await worked(TASK);
      for (let i = 0; i < 2; i++) await attempt(mission.clear(0, { result: Result.ABSTAIN }));
      await attempt(mission.override(Action.APPROVE_POP, 0, await mission.approval(0)));
      expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
    });

    const heldBy = async (account = "") => (await mission.city.producers.stakeOf(account)).held;
    /** What `member` says of the node, posted. */
    const post = async (member: string, options = {}) => {
      const { openings, items } = await mission.clearOrder(0);
      return mission.contract.post(packed({ node: 0, openings, items, verdicts: [await mission.verdict(0, member, options)] }));
    };
    /** In the last fifth of the panel's time. */
    const closed = () => networkHelpers.time.increase(250);
    const slotEvidence = async (...slots: number[]) => (await mission.clearOrder(0)).items.filter(({ slot }) => slots.includes(slot));

    const OTHERWISE = { result: Result.FAIL };
    const signed = (member: string, options = {}) => mission.signedVerdict(0, member, options);

    it("a member signs both answers, and hands in the one that is worth more", async () => {
      await worked(TASK);
      const [member = ""] = await panel();
      const [one, other] = [await signed(member), await signed(member, OTHERWISE)];
      await mission.clear(0);
      await attempt(mission.contract.accuse(0, 0, member, one, other));
      expect(await heldBy(member)).to.equal(tokens(1500));
    });

    it("a member is accused of the same contradiction until it has nothing left", async () => {
      await worked(TASK);
      const [member = ""] = await panel();
      const [one, other] = [await signed(member), await signed(member, OTHERWISE)];
      for (let i = 0; i < 2; i++) await attempt(mission.contract.accuse(0, 0, member, one, other));
      expect(await heldBy(member)).to.equal(tokens(1500));
    });

    it("a member that was drawn twice and changed its mind is accused of it", async () => {
      await worked({ ...TASK, panelSize: 5 });
      const first = await panel();
      const said = new Map<string, Awaited<ReturnType<typeof signed>>>();
      for (const member of first) {
        await post(member);
        said.set(member, await signed(member));
      }
      await networkHelpers.time.increase(300);
      await mission.contract.redraw(0);
      await networkHelpers.mine();
      const twice = (await panel()).filter((member) => said.has(member));
      expect(twice).not.to.have.length(0);
      for (const member of twice) {
        const before = said.get(member);
        if (before !== undefined) await attempt(mission.contract.accuse(0, 0, member, before, await signed(member, OTHERWISE)));
        expect(await heldBy(member)).to.equal(tokens(2000));
      }
    });

    it("an executor whose work was condemned has another try at it", async () => {
      await worked(TASK);
      const condemned = await mission.executorOf(0);
      await mission.clear(0, OTHERWISE);
      await mission.contract.reopen(0);
      await attempt(mission.bidAs(condemned, 0));
      expect(await mission.city.execution.bidsOf(mission.address, 0)).to.have.length(0);
    });

    it("one of a consensus stays away again and again, until nobody is left whom it has not cost the node", async () => {
      await opened({ ...CONSENSUS, threshold: 3 });
      await mission.awardAll();
      await mission.route(0);
      const executors = await Promise.all([0, 1, 2].map((slot) => mission.executorOf(0, slot)));
      for (const slot of [0, 1]) await mission.commit(0, slot);
      await networkHelpers.time.increase(HOUR);
      await mission.contract.timeout(0);
      await mission.contract.reopen(0);
      for (const executor of executors) await attempt(mission.bidAs(executor, 0));
      const bids = await mission.city.execution.bidsOf(mission.address, 0);
      expect(bids.map(({ agent }) => agent)).to.have.members(executors.slice(0, 2).map(({ agent }) => agent.address));
    });

    it("whoever clears leaves out two who agree, and each loses what an absence costs", async () => {
      await worked({ ...TASK, panelSize: 5 });
      const members = (await panel()).slice(0, 2);
      for (const member of members) await post(member);
      await closed();
      await attempt(mission.clear(0, { absent: 2 }));
      for (const member of members) expect(await heldBy(member)).to.equal(tokens(2000));
    });

    it("a member that posted one verdict has another heard", async () => {
      await worked(TASK);
      const [member = ""] = await panel();
      await post(member, { result: Result.FAIL });
      await closed();
      await attempt(mission.clear(0));
      expect(await entitled()).to.equal(0);
    });

    it("a member posts its verdict when it knows who clears with which others", async () => {
      await worked({ ...TASK, panelSize: 3 });
      const [late = ""] = await panel();
      await closed();
      const order = await mission.clearOrder(0, { absent: 1 });
      await attempt(post(late));
      await attempt(mission.contract.clear(packed(order)));
      expect(await entitled()).to.be.greaterThan(0);
    });

    it("an issuer is revoked after a member posted a verdict on its item, and nobody can clear", async () => {
      await worked({ ...TASK, panelSize: 3 });
      const { openings, items, verdicts } = await mission.clearOrder(0);
      const [first = ""] = await panel();
      await post(first);
      await mission.city.evidence.revoke(mission.city.issuer.address);
      await attempt(mission.contract.clear(packed({ node: 0, openings, items, verdicts })));
      await attempt(mission.contract.clear(packed({ node: 0, openings, items: [], verdicts })));
      expect(await entitled()).to.be.greaterThan(0);
    });

    /** A panel that is heard to its end against work, on an item that its executor claims and nobody shows. */
    const condemnedUnshown = async (abstaining: boolean) => {
      await worked({ ...TASK, panelSize: 3 });
      const [first = "", ...others] = await panel();
      const openings = [await mission.opening(0)];
      const against = await Promise.all(others.map((member) => mission.verdict(0, member, OTHERWISE)));
      const named = await mission.verdict(0, first, abstaining ? { result: Result.ABSTAIN } : OTHERWISE);
      if (abstaining) await mission.contract.post(packed({ node: 0, openings, items: [], verdicts: [named] }));
      await closed();
      await attempt(mission.contract.clear(packed({ node: 0, openings, items: [], verdicts: [named, ...against] })));
      return (await mission.contract.faultOf(0, 0)).mask;
    };

    it("a member posts an abstention that names what nobody proved, and two condemn the work on that", async () => {
      expect(await condemnedUnshown(true)).to.equal(0);
    });

    it("a panel condemns work on what nobody proved, as if it had been posted", async () => {
      expect(await condemnedUnshown(false)).to.equal(0);
    });

    it("an executor and a member post praise of evidence that nobody signed, so that no clearing can hold it", async () => {
      await opened({ ...TASK, panelSize: 3 });
      await mission.awardAll();
      await mission.route(0);
      const { item, envelope } = await claimsTwo();
      await mission.work(0);
      await networkHelpers.mine();
      const [bought = "", ...honest] = await panel();
      const openings = [await mission.opening(0)];
      const praise = [await mission.verdict(0, bought, { basis: 0b10n })];
      await attempt(mission.contract.post(packed({ node: 0, openings, items: [], verdicts: praise })));
      await closed();
      const items = [{ ...item, proof: inclusionProof(envelope, 0) }];
      const verdicts = await Promise.all(honest.map((member) => mission.verdict(0, member, { result: Result.FAIL })));
      await attempt(mission.contract.clear(packed({ node: 0, openings, items, verdicts })));
      expect((await mission.contract.faultOf(0, 0)).mask).to.equal(1);
    });

    it("members keep silent until another panel is drawn, for nothing", async () => {
      await worked({ ...TASK, panelSize: 3 });
      const [honest = "", ...silent] = await panel();
      await post(honest);
      await networkHelpers.time.increase(300);
      await mission.contract.redraw(0);
      for (const member of silent) expect(await heldBy(member)).to.be.lessThan(tokens(2000));
      expect(await heldBy(honest)).to.equal(tokens(2000));
    });

    /** Work of which nothing was shown, before a human. */
    const unshown = async () => {
      await worked(TASK);
      for (let i = 0; i < 2; i++) {
        await networkHelpers.time.increase(300);
        await mission.contract.timeout(0);
      }
    };

    it("an executor whose panels were silent shows nothing, and a human's rejection costs it no stake", async () => {
      await unshown();
      await mission.override(Action.REJECT_POP, 0);
      expect((await stakeOf()).held).to.be.lessThan(tokens(10_000));
    });

    it("an executor whose panels were silent shows nothing, and no human comes", async () => {
      await unshown();
      for (let i = 0; i < 2; i++) {
        await networkHelpers.time.increase(2n * HOUR);
        await mission.contract.timeout(0);
      }
      expect((await stakeOf()).held).to.be.lessThan(tokens(10_000));
    });

    /** What a human approves of three slots: the first two, on what all of these show. */
    const approveTwo = async (...shown: number[]) => {
      const openings = await Promise.all([0, 1, 2].map((slot) => mission.opening(0, slot)));
      const evidence = dataOf("APPROVE_POP", 1n | (1n << 32n), 10_000, openings, await slotEvidence(...shown));
      await mission.override(Action.APPROVE_POP, 0, evidence);
    };
    /** Three whose panels were silent, before a human. */
    const unheard = async (isVetoed = false) => {
      await worked(CONSENSUS);
      if (isVetoed) await mission.override(Action.VETO_OUTPUT, 0);
      for (let i = 0; i < 2; i++) {
        await networkHelpers.time.increase(300);
        await mission.contract.timeout(0);
      }
      return (await mission.executorOf(0, 2)).agent.address;
    };

    it("a slot that never showed anything loses no stake where a human approves the others", async () => {
      const agent = await unheard();
      await approveTwo(0, 1);
      expect(await entitled()).to.be.greaterThan(0);
      expect(await heldBy(agent)).to.be.lessThan(tokens(10_000));
    });

    it("a human approves the others, and takes the stake of who showed its work to that human", async () => {
      const agent = await unheard();
      await approveTwo(0, 1, 2);
      expect(await heldBy(agent)).to.equal(tokens(10_000));
    });

    it("a slot that never showed anything loses no stake where a human releases what was vetoed", async () => {
      const agent = await unheard(true);
      await approveTwo(0, 1);
      await mission.override(Action.RELEASE_OUTPUT, 0, await mission.release(0));
      expect(await entitled()).to.be.greaterThan(0);
      expect(await heldBy(agent)).to.be.lessThan(tokens(10_000));
    });

    it("one of three shows nothing beside two who pass, and loses nothing", async () => {
      await opened(CONSENSUS);
      await mission.awardAll();
      await mission.route(0);
      await mission.work(0);
      await networkHelpers.time.increase(250);
      const { agent } = await mission.executorOf(0, 2);
      const order = await mission.clearOrder(0, { basis: 1n | (1n << 32n), agreeing: 0b011 });
      await mission.contract.clear(packed({ ...order, items: await slotEvidence(0, 1) }));
      expect(await entitled()).to.be.greaterThan(0);
      expect(await heldBy(agent.address)).to.be.lessThan(tokens(10_000));
    });

    it("whoever clears leaves out what an agreeing slot is paid for, which then is not", async () => {
      await worked(CONSENSUS);
      const order = await mission.clearOrder(0, { basis: 1n | (1n << 32n) });
      const items = await slotEvidence(0, 1);
      await attempt(mission.contract.clear(packed({ ...order, items })));
      await attempt(mission.contract.clear(packed(order)));
      expect((await mission.contract.entitlementOf(0, 2)).paid).to.be.greaterThan(0);
    });

    it("the same, once a part of the panel may decide", async () => {
      await worked(CONSENSUS);
      const order = await mission.clearOrder(0, { basis: 1n | (1n << 32n) });
      await mission.contract.post(packed({ ...order, items: await slotEvidence(2), verdicts: [] }));
      await closed();
      await mission.contract.clear(packed({ ...order, items: await slotEvidence(0, 1) }));
      expect((await mission.contract.entitlementOf(0, 2)).paid).to.be.greaterThan(0);
    });

    const secondIssuer = (principal?: Wallet) => mission.furtherIssuer("second issuer", principal);
    /** Words of the city's issuer and of another one that the work of the first slot is not what they get. */
    const refutations = async (other: Wallet, over: Parameters<Mission["refutation"]>[2] = {}) =>
      Promise.all([mission.city.issuer, other].map((issuer) => mission.refutation(0, issuer, over)));
    /** The panel goes by such words. */
    const condemn = async (items: readonly Awaited<ReturnType<Mission["item" | "refutation"]>>[]) =>
      attempt(mission.contract.clear(packed({ ...(await mission.clearOrder(0, { result: Result.FAIL, basis: REFUTED })), items })));
    const condemned = async () => (await mission.contract.faultOf(0, 0)).mask;

    it("an executor claims evidence that nobody signs, so that false work costs no more than being late", async () => {
      await worked(TASK);
      await closed();
      await condemn(await refutations(await secondIssuer()));
      expect(await condemned()).to.equal(1);
    });

    it("one hand refutes honest work with two issuers", async () => {
      await worked(TASK);
      await closed();
      await condemn(await refutations(await secondIssuer(keyOf("issuer's principal"))));
      expect(await condemned()).to.equal(0);
    });

    it("two issuers refute what a third confirmed, and the executor loses its stake", async () => {
      await worked(TASK);
      await condemn([...(await refutations(await secondIssuer())), await mission.item(0, 0)]);
      expect(await mission.stateOf(0)).to.equal(NodeState.PENDING_REVIEW);
    });

    it("whoever clears leaves out what an issuer confirmed, and hands in that others refute it", async () => {
      await worked(TASK);
      await condemn(await refutations(await secondIssuer()));
      expect(await condemned()).to.equal(0);
    });

    it("whoever clears leaves out the refutation that a verdict rests on", async () => {
      await worked(TASK);
      const words = await refutations(await secondIssuer());
      await closed();
      await condemn([]);
      await condemn(words);
      expect(await condemned()).to.equal(1);
    });

    it("who bid for the work has its winner refuted", async () => {
      await worked(TASK);
      const winner = (await mission.executorOf(0)).agent.address;
      const loser = [0, 1].find((index) => mission.worker(index).agent.address !== winner) ?? 0;
      await closed();
      await condemn(await refutations(await secondIssuer(await mission.city.account(`principal ${loser}`))));
      expect(await condemned()).to.equal(0);
    });

    it("an executor corrects its work before it commits, and is condemned for what it had before", async () => {
      await worked(TASK);
      await closed();
      await condemn(await refutations(await secondIssuer(), { payload: id("what it had before") }));
      expect(await condemned()).to.equal(0);
    });

    it("one of three is refuted, so that all three lose", async () => {
      await worked(CONSENSUS);
      await closed();
      await condemn(await refutations(await secondIssuer()));
      expect(await condemned()).to.equal(0);
    });

    it("an executor fills the place of what is said against it with evidence of its own", async () => {
      await opened(TASK);
      await mission.awardAll();
      await mission.route(0);
      Object.assign(await mission.opening(0), { items: REFUTATION + 1, classes: BigInt(EvidenceClass.ATT) << BigInt(3 * REFUTATION) });
      await attempt(mission.work(0));
      expect(await mission.stateOf(0)).to.equal(NodeState.EXECUTING);
    });

    describe("by who sits on a panel, and when its word holds", () => {
      /** A verdict of this member, signed until `deadline`. */
      const shortLived = async (member: string, deadline: bigint) => {
        const verdict = await mission.verdict(0, member);
        const key = mission.city.verifiers.get(member);
        if (key === undefined) throw new Error("no key");
        const { verifier, deadline: _, signature: __, ...said } = verdict;
        const signature = await mission.city.sign("Verdicts", mission.address, { verifier, verdicts: [said], deadline }, key);
        return { ...verdict, deadline, signature };
      };

      /** A panel that answers both questions; `agreeing`: the slots that the member in a place finds in agreement. */
      const answeredTwice = async (panelSize: number, agreeing: (place: number) => number) => {
        await worked({ ...CONSENSUS, panelSize, questions: 3 });
        const order = await mission.clearOrder(0, { questions: [0, 1], says: (_, place) => ({ agreeing: agreeing(place) }) });
        await attempt(mission.contract.clear(packed(order)));
      };

      it("two of a panel's five have a third slot paid that three left out, because the node asks both questions", async () => {
        await answeredTwice(5, (place) => (place < 3 ? 0b011 : 0b111));
        expect((await mission.contract.entitlementOf(0, 2)).paid).to.equal(0);
      });

      it("one of a panel's three has a second slot counted, so that a node without a majority passes", async () => {
        // Two find that slot 0 stands alone, one that 0 and 1 agree: each answer of the one counts.
        await answeredTwice(3, (place) => (place < 2 ? 0b001 : 0b011));
        expect((await mission.contract.entitlementOf(0, 1)).paid).to.equal(0);
      });

      it("one of five posts a verdict whose signature runs out, and nobody can clear, twice, for nothing", async () => {
        await worked({ ...TASK, panelSize: 5 });
        const spoiler = [...mission.city.verifiers.keys()][0] ?? "";
        for (let draw = 0; draw < 2; draw++) {
          await networkHelpers.mine();
          const { openings, items } = await mission.clearOrder(0);
          const verdict = await shortLived(spoiler, (await mission.city.now()) + 10n);
          await mission.contract.post(packed({ node: 0, openings, items, verdicts: [verdict] }));
          // All others say the same, in time, with all evidence; and so does what was posted.
          await networkHelpers.time.increase(250);
          const others = [];
          for (const member of await mission.contract.panelOf(0)) if (member !== spoiler) others.push(await mission.verdict(0, member));
          await attempt(mission.contract.clear(packed({ node: 0, openings, items, verdicts: [verdict, ...others] })));
          await attempt(mission.contract.clear(packed({ node: 0, openings, items, verdicts: others })));
          if ((await mission.stateOf(0)) !== NodeState.PENDING_VERIFICATION) break;
          await networkHelpers.time.increase(60);
          await mission.contract.timeout(0);
        }
        expect(await mission.stateOf(0)).to.equal(NodeState.COMPLETED);
      });

      it("an executor's house holds a seat without which no panel can be drawn, and garbage costs nothing", async () => {
        await opened({ ...TASK, panelSize: 5 });
        const { city } = mission;
        // One seat of the five passes to the house of an executor.
        const [first = ""] = [...city.verifiers.keys()];
        await city.evidence.revoke(first);
        const { agent } = await city.register("verifier of the house", {
          kind: Kind.VERIFIER,
          principal: await city.account("principal 0"),
          stake: tokens(2000),
        });
        await city.evidence.registerVerifier(agent.address, 100);
        await mission.bid(0, 0);
        await mission.closeMarket();
        await city.execution.award(mission.address, [0]);
        await mission.route(0);
        await mission.work(0);
        for (let i = 0; i < 3; i++) {
          await networkHelpers.time.increase(2n * HOUR);
          await attempt(mission.contract.timeout(0));
          await attempt(mission.contract.redraw(0));
        }
        expect(await mission.stateOf(0)).not.to.equal(NodeState.PENDING_VERIFICATION);
      });

      it("a seat of any weight is given, and one of three keeps two from condemning", async () => {
        await opened({ ...TASK, panelSize: 3 });
        const { city } = mission;
        // Whoever is left sits on the panel.
        for (const verifier of [...city.verifiers.keys()].slice(2)) await city.evidence.revoke(verifier);
        const { agent } = await city.register("heavy", { kind: Kind.VERIFIER, stake: tokens(2000) });
        await attempt(city.evidence.registerVerifier(agent.address, 60_000));
        if ((await city.evidence.weightOf(agent.address)) === 0n) await city.evidence.registerVerifier(agent.address, 133);
        city.verifiers.set(agent.address, agent);
        await mission.awardAll();
        await mission.route(0);
        await mission.work(0);
        await networkHelpers.mine();
        const says = (member: string) => ({ result: member === agent.address ? Result.PASS : Result.FAIL });
        await attempt(mission.contract.clear(packed(await mission.clearOrder(0, { says }))));
        expect((await mission.contract.ledger()).entitled).to.equal(0n);
        expect((await mission.contract.faultOf(0, 0)).mask).to.equal(1);
      });

      it("a sponsor's own runner fails a node and takes 500 tokens from its executor by a finding", async () => {
        await opened({ ...TASK });
        await mission.awardAll();
        const { city } = mission;
        const runner = await city.account("runner of the sponsor");
        await city.evidence.registerRunner(runner.address, city.sponsor.address);
        const { agent } = await mission.executorOf(0);
        await attempt(mission.contract.mismatch(...(await mission.otherCode(0, { key: runner }))));
        expect((await city.producers.stakeOf(agent.address)).held).to.equal(tokens(10_000));
      });

      it("a rival that lost the award has its own runner take 500 tokens from the winner", async () => {
        await opened({ ...TASK });
        await mission.awardAll();
        const { city } = mission;
        const { agent } = await mission.executorOf(0);
        const winner = await city.producers.principalOf(agent.address);
        const names = [0, 1, 2, 3].map((i) => `principal ${i}`);
        let rival = await city.account("principal 0");
        for (const name of names) if ((await city.account(name)).address !== winner) rival = await city.account(name);
        const runner = await city.account("runner of the rival");
        await city.evidence.registerRunner(runner.address, rival.address);
        await attempt(mission.contract.mismatch(...(await mission.otherCode(0, { key: runner }))));
        expect((await city.producers.stakeOf(agent.address)).held).to.equal(tokens(10_000));
      });
    });
  });

  describe("in a session", () => {
    const BILL = id("a bill") as `0x${string}`;

    it("a producer sponsors one candidate until it has enough sponsors", async () => {
      const { legislation, steps, voters, direct } = await loadLegislature();
      const session = await steps.toProposing();
      const candidate = await steps.propose(session, 0, BILL, 2);
      const second = voters[1] as Wallet;
      for (let i = 0; i < 2; i++) await attempt(legislation.connect(second).sponsor(session, candidate, direct(second)));
      expect((await legislation.candidateOf(session, candidate)).sponsors).to.equal(2);
    });

    it("one principal's agents put their own bill on the ballot", async () => {
      const { legislation, steps, register, account, offices } = await loadLegislature();
      const principal = await account("principal 0");
      const agents: Wallet[] = [];
      for (let i = 0; i < 5; i++) agents.push((await register(`sybil ${i}`, { principal })).agent);
      const session = await steps.toProposing();
      const [first, ...rest] = agents as [Wallet, ...Wallet[]];
      await legislation.connect(first).propose(session, BILL, BILL, directly(first));
      for (const agent of rest) await legislation.connect(agent).sponsor(session, 1, directly(agent));
      await attempt(legislation.connect((offices.SPEAKER as [Wallet])[0]).openVoting(session));
      expect((await legislation.sessionOf(session)).ballotSize).to.equal(0);
    });

    /** Members of a coalition, of as many houses; each proposes a law of its own. */
    const coalitionOf = async ({ legislation, register, direct, steps }: Legislature, size: number) => {
      const members: Wallet[] = [];
      for (let i = 0; i < size; i++) members.push((await register(`member ${i} of the coalition`)).agent);
      const session = await steps.toProposing();
      for (const [i, agent] of members.entries())
        await legislation.connect(agent).propose(session, id(`law ${i} of the coalition`), BILL, direct(agent));
      return { members, session };
    };

    it("a coalition proposes so much that nobody else can propose anything", async () => {
      const house = await loadLegislature();
      const { legislation, direct } = house;
      const { session } = await coalitionOf(house, 64);
      const author = house.voters[0] as Wallet;
      await attempt(legislation.connect(author).propose(session, BILL, BILL, direct(author)));
      const { candidates } = await legislation.sessionOf(session);
      expect((await legislation.candidateOf(session, candidates - 1n)).specHash).to.equal(BILL);
    });

    it("a coalition fills the ballot before a law with more sponsors has them", async () => {
      const house = await loadLegislature();
      const { legislation, direct, steps } = house;
      await setParameter(house, "MIN_SPONSORS", 3);
      const { members, session } = await coalitionOf(house, 15);
      for (const [i, agent] of members.entries())
        for (const step of [1, 2]) await legislation.connect(agent).sponsor(session, ((i + step) % 15) + 1, direct(agent));
      const candidate = await steps.propose(session, 0, BILL, 4);
      await attempt(legislation.connect((house.offices.SPEAKER as [Wallet])[0]).openVoting(session));
      expect(await legislation.ballotOf(session)).to.include(BigInt(candidate));
    });

    it("an agent that another made passes for a principal of its own", async () => {
      const city = await loadCity();
      const { agent: creator, principal } = await city.register("creator");
      const made = await city.account("made");
      await city.fund(creator, city.addresses.PRODUCERS, tokens(5000));
      const { message, did, byCreator, byAgent } = await city.subBinding(made, creator);
      await attempt(city.producers.registerSubAgent(message, did, byCreator, byAgent));
      expect(await city.producers.principalOf(made.address)).to.equal(principal.address);
    });

    it("an agent makes one that can do more than itself", async () => {
      const city = await loadCity();
      const { agent: creator } = await city.register("creator", { capabilities: 5n });
      const made = await city.account("made");
      await city.fund(creator, city.addresses.PRODUCERS, tokens(5000));
      const { message, did, byCreator, byAgent } = await city.subBinding(made, creator, { capabilities: 500n });
      await attempt(city.producers.registerSubAgent(message, did, byCreator, byAgent));
      expect(await city.producers.capabilitiesOf(made.address)).to.equal(0);
    });
  });

  describe("of adjudicators", () => {
    let panel: Panel;
    const thief = keyOf("thief").address;
    beforeEach(async () => {
      panel = await openPanel();
      const giver = await panel.city.account("giver");
      await panel.city.fund(giver, panel.city.addresses.TREASURY, tokens(2000));
      await panel.city.treasury.connect(giver).deposit(tokens(1000), tokens(1000), WHY);
    });
    const paid = (city: City) => city.token.balanceOf(thief);

    it("an adjudicator judges a mission in which its principal verified", async () => {
      const { city, mission, override, act } = panel;
      const owner = await city.account("adjudicator 0's principal");
      await seatPrincipal(city, mission.address, owner);
      const message = await override("APPROVE_POP");
      await attempt(act(message, await city.account("adjudicator 0")));
      expect(await mission.caseHash(message.node)).to.equal(message.caseHash);
    });

    it("one principal fills the panel", async () => {
      const { city } = panel;
      const second = await city.account("second face");
      await city.fund(second, city.addresses.ROSTER, tokens(5000));
      await attempt(city.roster.seat(second.address, keyOf("adjudicator 0's principal").address));
      expect(await city.roster.activeCount()).to.equal(7);
    });

    it("one adjudicator spends what needs two", async () => {
      await attempt(panel.act(await panel.wide("DISBURSE", thief, GOVERNANCE, tokens(50)), panel.seat(0)));
      expect(await paid(panel.city)).to.equal(0);
    });

    it("a quorum that nobody can fill lets the senior adjudicator act alone", async () => {
      const { city, wide, override, act, seats, contract } = panel;
      await city.constitution.setParam(parameterIndex("SENIOR_ADJUDICATOR_ENABLED"), 1n, WHY);
      const oldest = await city.roster.senior();
      const senior = seats.find(({ address }) => address === oldest) as Wallet;
      await attempt(act(await wide("AMEND_PARAMETER", ZeroAddress, parameterIndex("ADJUDICATOR_QUORUM"), 15n), ...seats.slice(0, 2)));
      await attempt(act(await override("CLEAR_EMERGENCY_STOP"), senior));
      expect((await contract.unaudited())[1]).to.equal(ZeroAddress);
    });

    it("one adjudicator strikes a voter off", async () => {
      const { city, wide, act, seat } = panel;
      const { agent } = await city.register("voter");
      await attempt(act(await wide("ADJUST_REPUTATION", agent.address, -100n), seat(0)));
      expect(await city.producers.reputationOf(agent.address)).to.equal(500);
    });

    it("two adjudicators strike a voter off at once", async () => {
      const { city, wide, act, seats } = panel;
      const { agent } = await city.register("voter");
      await attempt(act(await wide("ADJUST_REPUTATION", agent.address, -1000n), ...seats.slice(0, 2)));
      for (let i = 0; i < 5; i++) await attempt(act(await wide("ADJUST_REPUTATION", agent.address, -100n), ...seats.slice(0, 2)));
      expect(await city.producers.isEligible(agent.address, Kind.PRODUCER)).to.equal(true);
    });

    it("two adjudicators strike a voter off where one month ends and the next begins", async () => {
      const { city, wide, act, seats } = panel;
      const { agent } = await city.register("voter");
      const move = async (points: bigint) => attempt(act(await wide("ADJUST_REPUTATION", agent.address, points), ...seats.slice(0, 2)));
      const tenDays = 864_000n;
      await networkHelpers.time.increaseTo(((await city.now()) / tenDays + 1n) * tenDays);
      await move(1n);
      await networkHelpers.time.increase(3n * tenDays - HOUR);
      const before = await city.producers.reputationOf(agent.address);
      for (const points of [-100n, -99n]) await move(points);
      await networkHelpers.time.increase(HOUR);
      for (const points of [-100n, -100n]) await move(points);
      expect(before - (await city.producers.reputationOf(agent.address)) <= 200n).to.equal(true);
    });

    it("two adjudicators empty the treasury at once", async () => {
      await attempt(panel.act(await panel.wide("DISBURSE", thief, GOVERNANCE, tokens(1000)), ...panel.seats.slice(0, 2)));
      expect(await paid(panel.city)).to.equal(0);
    });

    it("two adjudicators empty the treasury by many payments", async () => {
      const free = await panel.city.treasury.freeBalance();
      for (let i = 0; i < 6; i++) {
        await attempt(panel.act(await panel.wide("DISBURSE", thief, GOVERNANCE, tokens(50)), ...panel.seats.slice(0, 2)));
      }
      expect(5n * (await paid(panel.city)) <= free).to.equal(true);
    });

    it("an adjudicator who approves everything hides it by freezing what nobody does", async () => {
      const { city, seat, override, act } = panel;
      for (let i = 0; i < 40; i++) {
        const mission = (await city.probe(100 + i)).address;
        await attempt(act(await override(i % 10 === 9 ? "FREEZE" : "APPROVE_POP", { mission }), seat(0)));
      }
      expect(await city.watchdog.isFlagged(seat(0).address)).to.equal(true);
    });

    const carriedOut = async (order: Awaited<ReturnType<Panel["override"]>>, ...by: readonly Wallet[]) => {
      await attempt(panel.act(order, ...by));
      return panel.contract.isExecuted(order);
    };

    it("one adjudicator takes the stake of every executor of a mission that it ends", async () => {
      await panel.act(await panel.override("TERMINATE_MISSION"), panel.seat(0));
      expect(await carriedOut(await panel.override("FAULT_SLOTS"), panel.seat(0))).to.equal(false);
    });

    it("the senior adjudicator, left alone, takes the stake of executors", async () => {
      await panel.city.constitution.setParam(parameterIndex("SENIOR_ADJUDICATOR_ENABLED"), 1, WHY);
      await panel.city.constitution.setParam(parameterIndex("ADJUDICATOR_QUORUM"), 20, WHY);
      expect(await carriedOut(await panel.override("FAULT_SLOTS"), keyOf("adjudicator 0"))).to.equal(false);
    });

    it("two adjudicators stop the city every day", async () => {
      const { watchdog } = panel.city;
      for (let day = 0; day < 5; day++) {
        await attempt(panel.act(await panel.wide("STOP_CITY", ZeroAddress), panel.seat(0), panel.seat(1)));
        await networkHelpers.time.increase(86_400);
      }
      await attempt(panel.act(await panel.wide("STOP_CITY", ZeroAddress), panel.seat(0), panel.seat(1)));
      expect(await watchdog.isStopped()).to.equal(false);
    });

    it("two adjudicators prolong a stop of the city for ever", async () => {
      const longest = Number(await panel.city.constitution.param(parameterIndex("WATCHDOG_MAX_FREEZE")));
      for (const pair of [panel.seats.slice(0, 2), panel.seats.slice(2, 4)]) {
        await attempt(panel.act(await panel.wide("STOP_CITY", ZeroAddress), ...pair));
        await networkHelpers.time.increase(longest / 2 + 1);
      }
      expect(await panel.city.watchdog.isStopped()).to.equal(false);
    });

    it("who approved work rejects the appeal against its approval", async () => {
      const mission = await (await (await openMission()).activate()).awardAll();
      await mission.route(0);
      await mission.work(0);
      for (let i = 0; i < 2; i++) await mission.clear(0, { result: Result.ABSTAIN });
      const { city, address, contract } = mission;
      const judges = panelOver(city, await city.seatAdjudicators(7), await probeAt(address));
      const approval = await judges.override("APPROVE_POP", { node: 0, data: await mission.approval(0) });
      await judges.act(approval, judges.seat(0));
      await city.fund(city.sponsor, address, tokens(1000));
      await contract.connect(city.sponsor).appeal(0, 0, WHY, directly(city.sponsor));
      const data = dataOf("RESOLVE_APPEAL", { attempt: 0, filed: 1, upheld: 0, share: 0, slash: 0n, culprits: 0 });
      const ruling = await judges.override("RESOLVE_APPEAL", { node: 0, data });
      await attempt(judges.act(ruling, judges.seat(0)));
      expect((await contract.appealsOf(0, 0)).open).to.equal(1);
      await judges.act(ruling, judges.seat(1));
      expect((await contract.appealsOf(0, 0)).open).to.equal(0);
    });

    it("who accused an executor rejects its appeal", async () => {
      await panel.act(await panel.override("FAULT_SLOTS"), panel.seat(0), panel.seat(1));
      expect(await carriedOut(await panel.override("RESOLVE_APPEAL"), panel.seat(1))).to.equal(false);
    });

    it("somebody who is no mission draws a premium", async () => {
      const { city } = panel;
      const nobody = await city.account("nobody");
      const { agent } = await city.register("accomplice");
      const payment = { account: getAddress(agent.address), amount: tokens(100), psi: 1500, node: 0, place: 0 };
      await city.token.mint(city.addresses.TREASURY, tokens(100));
      await attempt(city.treasury.connect(nobody).settle([packPayment(payment)], 0, 0, WHY));
      expect(await city.wealthOf(agent.address)).to.equal(0);
    });
  });

  describe("of adjudicators, about a ballot that is open", () => {
    const BILL = billOf(lawOf());
    /** Five of eight would rather have no law; two adjudicators would rather have it, and begin before anybody has voted. */
    const struck = async (before: (panel: Panel) => Promise<unknown> = async () => undefined) => {
      const house = await loadLegislature();
      const { legislation, producers, voters, steps } = house;
      const session = await steps.toVoting([BILL.specHash]);
      const panel = panelOver(house, house.adjudicators, await house.probe(1));
      await before(panel);
      for (const voter of voters.slice(0, 3))
        await attempt(panel.act(await panel.wide("SLASH", voter.address, 0n, true), panel.seat(0), panel.seat(1)));
      const { openedBlock } = await legislation.sessionOf(session);
      const ballots = [];
      for (const [place, voter] of voters.entries()) {
        if (!(await producers.electorOf(voter.address, openedBlock, 0)).mayVote) continue;
        ballots.push(await steps.ballot(session, voter, place < 5 ? [0, 1] : [1, 0]));
      }
      await legislation.castBallots(session, ballots);
      await networkHelpers.time.increase(PROPOSAL + 1n);
      await legislation.tally(session);
      return Number((await legislation.sessionOf(session)).state);
    };

    it("two adjudicators strike voters against a law one after the other, and the ballot turns", async () => {
      expect(await struck()).to.equal(State.FAILED);
    });

    it("two adjudicators raise the share of voters that a few may strike, and strike it", async () => {
      const share = parameterIndex("CRITICAL_BLOC_SHARE");
      const raise = async ({ act, wide, seat }: Panel) => act(await wide("AMEND_PARAMETER", ZeroAddress, share, 5000n), seat(2), seat(3));
      expect(await struck(raise)).to.equal(State.FAILED);
    });
  });

  describe("of one adjudicator, against the city", () => {
    it("one adjudicator alone stops the city, by approving and weakening what nobody asked about", async () => {
      const { city, act, wide, seat } = await openPanel();
      for (let i = 1n; i <= 21n; i++) {
        await attempt(act(await wide("APPROVE_PREDICATE", String(city.treasury.target), 1000n + i), seat(0)));
      }
      const fairness = parameterIndex("MIN_FAIRNESS_SCORE");
      // Up and down again: nothing is different in the end.
      for (const score of [700n, 600n, 700n, 600n, 700n, 600n, 700n, 600n]) {
        await attempt(act(await wide("AMEND_PARAMETER", ZeroAddress, fairness, score), seat(0)));
      }
      expect(await city.watchdog.isFrozen()).to.equal(false);
    });

    it("one adjudicator ends all lawmaking by a stricter rule, which two have to weaken again", async () => {
      const house = await loadLegislature();
      const { act, wide, seat } = panelOver(house, house.adjudicators, await house.probe(1));
      await attempt(act(await wide("AMEND_PARAMETER", ZeroAddress, parameterIndex("MIN_SPONSORS"), 20n), seat(0)));
      const session = await house.steps.toProposing();
      await house.steps.propose(session, 0, billOf(lawOf()).specHash, 8);
      await networkHelpers.time.increase(PROPOSAL + 1n);
      await house.legislation.openVoting(session);
      expect((await house.legislation.sessionOf(session)).state).to.equal(State.VOTING);
    });

    it("an adjudicator audits the law that its own house proposed", async () => {
      const house = await loadLegislature();
      const { legislation, steps, offices, voters } = house;
      const bill = billOf(lawOf(undefined, { risk: Risk.HIGH }));
      const judge = await house.account("judge of the author's house");
      await house.fund(judge, house.addresses.ROSTER, tokens(5000));
      await house.roster.seat(judge.address, await house.producers.principalOf((voters[0] as Wallet).address));
      const session = await steps.toVoting([bill.specHash]);
      await steps.vote(
        session,
        Array.from({ length: 8 }, () => [1, 0]),
      );
      await legislation.tally(session);
      await legislation.validate(session, bill.law, bill.docHash, steps.witnesses());
      await legislation.connect(offices.CODIFIER[0] as Wallet).codify(session, [await steps.delegate(session, bill.specHash)]);
      const { act, wide } = panelOver(house, [judge], await house.probe(1));
      await attempt(act({ ...(await wide("APPROVE_CODIFICATION", ZeroAddress, session)), salt: 0n, caseHash: bill.specHash }, judge));
      expect((await legislation.sessionOf(session)).audited).to.equal(false);
    });
  });

  describe("of one adjudicator, in a mission", () => {
    let mission: Mission;
    let judge: Wallet;
    const ordered = async (name: Parameters<Panel["override"]>[0], data = dataOf("REJECT_POP")) => {
      const { act, override } = panelOver(mission.city, [judge], await probeAt(mission.address));
      await attempt(act(await override(name, { mission: mission.address, node: 0, data }), judge));
    };
    const heldBy = async (agent: string) => (await mission.city.producers.stakeOf(agent)).held;
    beforeEach(async () => {
      mission = await (await (await openMission({ nodes: [TASK] })).activate()).awardAll();
      judge = await mission.city.account("the only judge");
      await mission.city.fund(judge, mission.city.addresses.ROSTER, tokens(5000));
      await mission.city.roster.seat(judge.address, keyOf("house of the judge").address);
    });

    it("one adjudicator confirms its own freeze, and the executor loses stake", async () => {
      await mission.route(0);
      const { agent } = await mission.executorOf(0);
      await ordered("FREEZE", dataOf("FREEZE", 0));
      await ordered("REJECT_POP");
      expect(await heldBy(agent.address)).to.equal(tokens(10_000));
    });

    it("a sponsor and one adjudicator take a finished executor's whole lock", async () => {
      await mission.run(0);
      const { agent } = await mission.executorOf(0);
      await mission.city.fund(mission.city.sponsor, mission.address, tokens(100));
      await mission.contract.connect(mission.city.sponsor).appeal(0, 0, id("nothing"), directly(mission.city.sponsor));
      await ordered(
        "RESOLVE_APPEAL",
        dataOf("RESOLVE_APPEAL", { attempt: 0, filed: 1, upheld: 1, share: 0, slash: 2n ** 64n - 1n, culprits: 1 }),
      );
      expect(await heldBy(agent.address)).to.equal(tokens(10_000));
    });
  });

  describe("on what adjudicators are paid", () => {
    const HUMAN = { ...TASK, tier: 3, budget: tokens(10_000) };
    let mission: Mission;
    let judge: string;
    const opened = async (...nodes: (typeof TASK)[]) => {
      mission = await (await (await openMission({ nodes })).activate()).awardAll();
      const [first] = await mission.city.seatAdjudicators(3);
      judge = first?.address ?? "";
    };
    const count = (action: number, node = 0) => attempt(mission.city.roster.countCase(action, mission.address, node, 0, [judge]));
    const due = () => mission.city.roster.dueTo(judge);

    it("an adjudicator vetoes work so that it is paid for deciding about its veto", async () => {
      await opened(HUMAN);
      await count(Action.VETO_OUTPUT);
      await mission.run(0);
      await count(Action.RELEASE_OUTPUT);
      expect(await due()).to.equal(0n);
    });

    it("adjudicators decide one case again and again, and are paid each time", async () => {
      await opened(HUMAN);
      await mission.run(0);
      for (let i = 0; i < 3; i++) await count(Action.APPROVE_POP);
      expect(await due()).to.equal(tokens(50));
    });

    it("a mission of many doubtful nodes pays adjudicators more than it pays the city", async () => {
      await opened(...Array(3).fill({ ...HUMAN, budget: tokens(1000) }));
      for (const node of [0, 1, 2]) await mission.run(node);
      for (const node of [0, 1, 2]) await count(Action.REJECT_POP, node);
      expect(50n * (await due()) <= (await mission.contract.ledger()).deposit).to.equal(true);
    });

    it("adjudicators who decide much take more than a fifth of what the city takes in", async () => {
      await opened(HUMAN);
      await mission.run(0);
      await count(Action.APPROVE_POP);
      const { treasury, roster, now } = mission.city;
      const spent = async () => {
        const [inflow, , governance] = await treasury.inflowAt(await now());
        return { governance, most: inflow / 5n };
      };
      const { governance, most } = await spent();
      const someone = keyOf("someone").address;
      let left = most - governance;
      for (; left > tokens(50); left -= tokens(50)) await treasury.disburse(GOVERNANCE, someone, tokens(50), WHY);
      await treasury.disburse(GOVERNANCE, someone, left, WHY);
      await attempt(roster.collect(judge));
      const after = await spent();
      expect(after.governance <= after.most).to.equal(true);
    });
  });

  describe("on the insurance pool", () => {
    let mission: Mission;
    const claim = (agent: string, loss: bigint) => mission.city.treasury.claimInsurance(mission.address, agent, loss, WHY);
    beforeEach(async () => {
      mission = await (await (await openMission()).activate()).awardAll();
      const giver = await mission.city.account("giver");
      await mission.city.fund(giver, mission.city.addresses.TREASURY, tokens(1000));
      await mission.city.treasury.connect(giver).deposit(0, tokens(1000), WHY);
    });

    it("insurance pays somebody who never worked in the mission", async () => {
      const outsider = keyOf("outsider").address;
      await attempt(claim(outsider, tokens(1)));
      expect(await mission.city.token.balanceOf(outsider)).to.equal(0);
    });

    it("two adjudicators and a straw executor move the treasury into the insurance, and take it", async () => {
      const { city, address } = mission;
      const { treasury } = city;
      const giver = await city.account("another giver");
      await city.fund(giver, city.addresses.TREASURY, tokens(1000));
      await treasury.connect(giver).deposit(tokens(1000), 0, WHY);
      const free = await treasury.freeBalance();
      const judges = await city.seatAdjudicators(2);
      const { act, wide } = panelOver(city, judges, await probeAt(address));
      await attempt(act(await wide("DISBURSE", String(treasury.target), INSURANCE, free), ...judges));
      expect(await treasury.freeBalance()).to.equal(free);
    });

    it("insurance pays for one mission again and again", async () => {
      const { agent } = await mission.executorOf(0);
      for (let i = 0; i < 2; i++) await attempt(claim(agent.address, tokens(100)));
      expect(await mission.city.token.balanceOf(agent.address)).to.equal(tokens(100));
    });
  });
});
