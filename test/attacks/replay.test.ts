/** What was said once, said again: on another chain, about another mission, node, action or amount, or simply twice. */
import { expect } from "chai";
import { id, type Wallet, ZeroAddress } from "ethers";
import type { Hex } from "viem";
import { actionNumber, encodeActionData } from "../../orchestrator/protocol/actions.ts";
import { authorize } from "../support/authorization.ts";
import { loadCity, networkHelpers, probeAt, tokens } from "../support/city-fixture.ts";
import { loadLegislature } from "../support/legislature.ts";
import { Action, HOUR, type Mission, MissionState, NodeState, openMission, TASK } from "../support/mission-fixture.ts";
import { orderOn } from "../support/orders.ts";
import { dataOf, openPanel, type Panel, panelOver } from "../support/panel.ts";
import { attempt } from "./attempt.ts";

const GOVERNANCE = 0;

describe("attacks by replay", () => {
  describe("of an override", () => {
    let panel: Panel;
    beforeEach(async () => {
      panel = await openPanel();
    });

    type Override = Awaited<ReturnType<Panel["override"]>>;
    /** Signatures over whatever the contract says it checks. */
    const signedDigest = async (message: Override, by: readonly Wallet[]) => {
      const digest = await panel.contract.digestOf(message);
      return by.map((one) => ({ adjudicator: one.address, signature: one.signingKey.sign(digest).serialized }));
    };
    /** Signatures under one action are handed in with another. */
    const swapped = async (message: Override, over: Partial<Override>, by: readonly Wallet[]) =>
      attempt(panel.contract.act({ ...message, ...over }, await signedDigest(message, by)));

    it("an override signed for another chain is carried out here", async () => {
      const { city, mission, override, seat, contract } = panel;
      const message = await override("TERMINATE_MISSION");
      const signature = await city.signOrder(message, seat(0), city.addresses.ADJUDICATION, 1);
      await attempt(contract.act(message, [{ adjudicator: seat(0).address, signature }]));
      expect(await mission.missionCaseHash()).to.equal(message.caseHash);
    });

    it("an override signed for another contract is carried out here", async () => {
      const { city, mission, override, seat, contract } = panel;
      const message = await override("TERMINATE_MISSION");
      const signature = await city.signOrder(message, seat(0), city.built.ConstitutionContract);
      await attempt(contract.act(message, [{ adjudicator: seat(0).address, signature }]));
      expect(await mission.missionCaseHash()).to.equal(message.caseHash);
    });

    it("an override of one mission is carried out on another in the same state", async () => {
      const other = await panel.city.probe(2);
      const before = await other.missionCaseHash();
      const message = await panel.override("TERMINATE_MISSION");
      expect(before).to.equal(message.caseHash);
      await swapped(message, { mission: other.address }, [panel.seat(0)]);
      expect(await other.missionCaseHash()).to.equal(before);
    });

    it("the signature under a release fails the node", async () => {
      const message = await panel.override("UNFREEZE");
      await swapped(message, { action: actionNumber("REJECT_POP") }, [panel.seat(0)]);
      expect(await panel.mission.caseHash(3)).to.equal(message.caseHash);
    });

    it("an approval is relayed on other evidence than was read", async () => {
      const opening = {
        salt: id("salt"),
        outputHash: id("output"),
        trailRoot: id("trail"),
        envelopeRoot: id("envelope"),
        items: 0,
        classes: 0,
      };
      const carrying = (...openings: readonly object[]) => dataOf("APPROVE_POP", 1n, 10_000, openings, []);
      const message = await panel.override("APPROVE_POP", { data: carrying() });
      // The words that are signed, then what they carry.
      const data: Hex = `0x${carrying().slice(2, 194)}${carrying(opening).slice(194)}`;
      await swapped(message, { data }, [panel.seat(0)]);
      expect(await panel.mission.caseHash(3)).to.equal(message.caseHash);
    });

    it("whoever relays a stop of a mission puts a node of its choice on record", async () => {
      const { contract, override, seat, signed } = panel;
      const message = await override("EMERGENCY_STOP");
      await attempt(contract.act({ ...message, node: 5 }, [await signed(message, seat(0))]));
      expect((await contract.queryFilter(contract.filters.OverrideExecuted())).map(({ args }) => args.node)).to.deep.equal([]);
    });

    describe("that spends", () => {
      const thief = "0x00000000000000000000000000000000000000A1";
      beforeEach(async () => {
        const { city } = panel;
        const giver = await city.account("giver");
        await city.fund(giver, city.addresses.TREASURY, tokens(1000));
        await city.treasury.connect(giver).deposit(tokens(1000), 0, id("fees"));
      });

      it("a disbursement is relayed with another amount", async () => {
        const { seats, wide } = panel;
        const message = await wide("DISBURSE", thief, GOVERNANCE, tokens(1));
        const { data } = await wide("DISBURSE", thief, GOVERNANCE, tokens(50));
        await swapped(message, { data }, seats.slice(0, 2));
        expect(await panel.city.token.balanceOf(thief)).to.equal(0);
      });

      it("a disbursement is relayed to another recipient", async () => {
        const message = await panel.wide("DISBURSE", panel.city.deployer.address, GOVERNANCE, tokens(1));
        await swapped(message, { target: thief }, panel.seats.slice(0, 2));
        expect(await panel.city.token.balanceOf(thief)).to.equal(0);
      });

      it("a disbursement is relayed a second time", async () => {
        const { seats, wide, act, city } = panel;
        const message = await wide("DISBURSE", thief, GOVERNANCE, tokens(50));
        await act(message, ...seats.slice(0, 2));
        await attempt(act(message, ...seats.slice(0, 2)));
        expect(await city.token.balanceOf(thief)).to.equal(tokens(50));
      });

      it("a disbursement signed long ago is relayed when nobody expects it", async () => {
        const { seats, wide, act, city } = panel;
        const message = await wide("DISBURSE", thief, GOVERNANCE, tokens(50));
        await networkHelpers.time.increaseTo(message.deadline + 1n);
        await attempt(act(message, ...seats.slice(0, 2)));
        expect(await city.token.balanceOf(thief)).to.equal(0);
      });
    });
  });

  describe("in a mission", () => {
    let mission: Mission;
    const opened = async (...nodes: (typeof TASK)[]) => {
      mission = await (await openMission({ nodes })).activate();
    };

    const underway = async () => {
      await mission.bid(0, 0, tokens(50));
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0]);
      await mission.route(0);
    };

    /** A freeze of node 0 as it stands, signed, and its relay. */
    async function signedFreeze() {
      const { city } = mission;
      const [judge] = await city.seatAdjudicators(1);
      if (judge === undefined) throw new Error("nobody was seated");
      const message = await orderOn(mission, Action.FREEZE, 0, { salt: 1n, deadline: (await mission.soon()) + 30n * 86_400n });
      const signature = await city.signOrder(message, judge);
      return () => city.adjudication.act(message, [{ adjudicator: judge.address, signature }]);
    }

    it("an order that ends a mission, signed when nothing had been done, ends it after other nodes went on", async () => {
      await opened(TASK, TASK);
      await mission.awardAll();
      const panel = panelOver(mission.city, await mission.city.seatAdjudicators(1), await probeAt(mission.address));
      await mission.route(1);
      const order = await panel.override("TERMINATE_MISSION");
      const signed = await panel.signed(order, panel.seat(0));
      await mission.work(1);
      await mission.clear(1);
      await attempt(panel.contract.act(order, [signed]));
      expect(await mission.contract.state()).to.equal(MissionState.EXECUTING);
    });

    it("executors at work void order after order that would end their mission, which humans have stopped for it", async () => {
      await opened(TASK, TASK, TASK);
      await mission.awardAll();
      await mission.route(0, 1, 2);
      const panel = panelOver(mission.city, await mission.city.seatAdjudicators(1), await probeAt(mission.address));
      const { contract, seat, act, override, signed } = panel;
      await act(await override("EMERGENCY_STOP"), seat(0));
      // Each moves when it sees the order on its way: one commits, one is cleared, one is late.
      const moves = [() => mission.work(0), () => mission.clear(0), () => mission.work(1)];
      for (const move of moves) {
        const order = await override("TERMINATE_MISSION");
        const signature = await signed(order, seat(0));
        await move();
        await attempt(contract.act(order, [signature]));
        if ((await mission.contract.state()) !== MissionState.EXECUTING) break;
      }
      expect(await mission.contract.state()).to.equal(MissionState.ABORTED);
    });

    it("an executor outruns a freeze by committing", async () => {
      await opened(TASK);
      await underway();
      const freeze = await signedFreeze();
      await mission.commit(0);
      await attempt(freeze());
      expect(await mission.stateOf(0)).to.equal(BigInt(NodeState.FROZEN));
    });

    it("a freeze signed for one attempt stops the next", async () => {
      await opened(TASK);
      await underway();
      const freeze = await signedFreeze();
      await networkHelpers.time.increase(HOUR);
      await mission.contract.timeout(0);
      await mission.contract.reopen(0);
      await attempt(freeze());
      expect(await mission.stateOf(0)).to.not.equal(BigInt(NodeState.FROZEN));
    });

    describe("after the next approval", () => {
      type Order = Awaited<ReturnType<typeof orderOn>>;
      let judge: Wallet;
      let colleague: Wallet;
      /** Two nodes that a monitor has frozen. */
      beforeEach(async () => {
        mission = await (await (await openMission({ nodes: [TASK, TASK] })).activate()).awardAll();
        await mission.route(0, 1);
        for (const node of [0, 1]) await frozen(node);
        [judge, colleague] = (await mission.city.seatAdjudicators(2)) as [Wallet, Wallet];
      });

      const frozen = (node: number) => mission.contract.connect(mission.city.monitor).report(node, id("why"), 41);
      const order = async (action: number, node: number, data = "0x") =>
        orderOn(mission, action, node, { data, salt: 0n, deadline: (await mission.soon()) + 86_400n });
      const act = async (message: Order, by = judge) =>
        mission.city.adjudication.act(message, [{ adjudicator: by.address, signature: await mission.city.signOrder(message, by) }]);
      const carriedOut = async () => (await mission.city.adjudication.queryFilter("OverrideExecuted" as never)).length;

      it("an approval that another one followed is carried out again, on a state that looks the same", async () => {
        const { time } = networkHelpers;
        const release = await order(Action.UNFREEZE, 0);
        const at = await time.latest();
        const next = await order(Action.UNFREEZE, 1);
        for (const step of [() => act(release), () => act(next, colleague), () => frozen(0)]) {
          await time.setNextBlockTimestamp(at);
          await step();
        }
        await attempt(act(release));
        expect(await mission.stateOf(0)).to.equal(BigInt(NodeState.FROZEN));
      });

      it("an old approval is relayed again and again, until the watchdog takes whoever signed it for careless", async () => {
        const { agent } = await mission.executorOf(0);
        const data = encodeActionData("CLASSIFY_FALSE_POSITIVE", [0n]);
        const classification = { ...(await order(Action.CLASSIFY_FALSE_POSITIVE, 0, data)), target: agent.address };
        await act(classification);
        await act(await order(Action.UNFREEZE, 1));
        await attempt(act(classification));
        expect(await carriedOut()).to.equal(2);
      });
    });

    it("a bid of an earlier attempt is placed again at the old price", async () => {
      await opened(TASK);
      const { execution, deployer, producers, sign, addresses } = mission.city;
      const { agent, service, record } = mission.worker(1);
      const offer = { mission: mission.address, node: 0, service, price: tokens(90) };
      const deadline = await mission.soon();
      const message = { ...offer, agent: agent.address, nonce: 0n, deadline };
      const auth = { agent: agent.address, deadline, signature: await sign("Bid", addresses.EXECUTION, message, agent) };
      const place = () => execution.connect(deployer).bid(offer, auth, mission.shownBy(record, 0));
      await place();
      await mission.bid(0, 0, tokens(50));
      await mission.closeMarket();
      await execution.award(mission.address, [0]);
      await mission.route(0);
      await networkHelpers.time.increase(60);
      await mission.contract.timeout(0);
      await mission.contract.reopen(0);
      await attempt(place());
      expect(await execution.bidsOf(mission.address, 0)).to.have.length(0);
      expect((await producers.stakeOf(agent.address)).held).to.equal(tokens(10_000));
    });

    it("a runner's finding about one node costs the executor another", async () => {
      await opened(TASK, TASK);
      for (const node of [0, 1]) await mission.bid(node, 0);
      await mission.closeMarket();
      await mission.city.execution.award(mission.address, [0, 1]);
      const [live, record] = await mission.otherCode(0);
      await mission.contract.mismatch(live, record);
      await attempt(mission.contract.mismatch({ ...live, node: 1 }, record));
      expect((await mission.city.producers.stakeOf(mission.worker(0).agent.address)).held).to.equal(tokens(9500));
    });

    it("an appeal that was rejected is filed again with the same signature, for another bond", async () => {
      await opened(TASK);
      await mission.awardAll();
      await mission.run(0);
      const { sponsor } = mission.city;
      await mission.city.fund(sponsor, mission.address, tokens(100));
      const word = await mission.signedAppeal(sponsor, { evidence: id("evidence") });
      await mission.contract.appeal(0, 0, id("evidence"), word);
      const rejected = { attempt: 0, filed: 1, upheld: 0, share: 0, slash: 0n, culprits: 0 };
      await mission.override(Action.RESOLVE_APPEAL, 0, encodeActionData("RESOLVE_APPEAL", [rejected]));
      await attempt(mission.contract.appeal(0, 0, id("evidence"), word));
      expect(await mission.city.token.balanceOf(sponsor.address)).to.equal(tokens(90));
    });

    it("a claim is made twice, at the cost of those who did not claim yet", async () => {
      await opened(TASK, TASK);
      await mission.awardAll();
      for (const node of [0, 1]) await mission.run(node);
      await networkHelpers.time.increase(HOUR);
      await mission.contract.claim([0]);
      await attempt(mission.contract.claim([0, 1]));
      expect((await mission.contract.ledger()).paid).to.equal(tokens(2 * 97));
      expect(await mission.imbalance()).to.equal("");
    });
  });

  it("a producer votes twice", async () => {
    const { legislation, steps, voters } = await loadLegislature();
    const session = await steps.toVoting([id("one") as `0x${string}`]);
    const [voter] = voters as [Wallet];
    await legislation.castBallots(session, [await steps.ballot(session, voter, [1, 0])]);
    await attempt(legislation.castBallots(session, [await steps.ballot(session, voter, [1, 0])]));
    expect((await legislation.sessionOf(session)).ballots).to.equal(1);
    expect(await legislation.pairwise(session, 1, 0)).to.equal(1);
  });

  it("one producer makes up a whole petition", async () => {
    const { legislation, steps, voters } = await loadLegislature();
    const goal = id("goal of one") as `0x${string}`;
    const [voter] = voters as [Wallet];
    for (let i = 0; i < 2; i++) await attempt(legislation.petition(goal, ZeroAddress, [await steps.backer(voter, goal)]));
    expect(await legislation.sessionCount()).to.equal(0);
  });

  it("of two bindings that a principal signed as alternatives both are registered", async () => {
    const city = await loadCity();
    const [principal, first, second] = [await city.account("principal"), await city.account("first"), await city.account("second")];
    await city.fund(principal, city.addresses.PRODUCERS, tokens(10_000));
    const bindings = [await city.binding(first, principal), await city.binding(second, principal)];
    for (const { message, did, byPrincipal, byAgent } of bindings) {
      await attempt(city.producers.register(message, did, byPrincipal, byAgent));
    }
    expect(await city.token.balanceOf(principal.address)).to.equal(tokens(5000));
  });

  it("a payment that its payer authorised once is made twice", async () => {
    const { token, account } = await loadCity();
    const [payer, payee] = [await account("payer"), await account("payee")];
    await token.mint(payer.address, tokens(10));
    const order = { from: payer.address, to: payee.address, value: tokens(5), validAfter: 0n, validBefore: 2n ** 40n, nonce: id("once") };
    const args = await authorize(token, payer, "TransferWithAuthorization", order);
    await attempt(token.connect(payee).transferWithAuthorization(...args));
    await attempt(token.connect(payee).transferWithAuthorization(...args));
    expect(await token.balanceOf(payee.address)).to.equal(tokens(5));
  });
});
