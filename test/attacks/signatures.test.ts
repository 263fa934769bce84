/** Signatures that nobody gave, gave for somebody else, or gave once and is counted for twice. */
import { expect } from "chai";
import { concat, id, N, Signature, toBeHex, type Wallet, ZeroAddress } from "ethers";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import { encodeActionData } from "../../orchestrator/protocol/actions.ts";
import { encodeCommitWave } from "../../orchestrator/rules/wire.ts";
import { directly, ethers, loadCity, networkHelpers, tokens } from "../support/city-fixture.ts";
import { loadLegislature } from "../support/legislature.ts";
import { Action, type Mission, NodeState, openMission, packed, Result, TASK } from "../support/mission-fixture.ts";
import { openPanel } from "../support/panel.ts";
import { attempt } from "./attempt.ts";

const CONSENSUS = { ...TASK, tier: 2, redundancy: 3, threshold: 2, panelSize: 3 };

/** The other signature that the curve allows for the same message and key. */
function twinOf(signature: string): string {
  const { r, s, v } = Signature.from(signature);
  return concat([r, toBeHex(N - BigInt(s), 32), toBeHex(v === 27 ? 28 : 27)]);
}

describe("attacks with signatures", () => {
  describe("in a mission", () => {
    let mission: Mission;
    const routed = async (...nodes: (typeof TASK)[]) => {
      mission = await (await (await openMission({ nodes })).activate()).awardAll();
      await mission.route(0);
    };

    it("a third party turns a bid's signature into another valid one", async () => {
      mission = await (await openMission()).activate();
      const { execution, sign, addresses, deployer } = mission.city;
      const { agent, service, record } = mission.worker(0);
      const shown = mission.shownBy(record, 0);
      const offer = { mission: mission.address, node: 0, service, price: tokens(90) };
      const deadline = await mission.soon();
      const signature = await sign("Bid", addresses.EXECUTION, { ...offer, agent: agent.address, nonce: 0n, deadline }, agent);
      await attempt(execution.connect(deployer).bid(offer, { agent: agent.address, deadline, signature: twinOf(signature) }, shown));
      expect(await execution.bidsOf(mission.address, 0)).to.have.length(0);
    });

    it("a rival commits nonsense in an executor's name", async () => {
      await routed(TASK);
      const rival = await mission.city.account("rival");
      const opening = { ...(await mission.opening(0)), outputHash: id("nonsense") };
      await attempt(mission.contract.connect(rival).commitOpen(0, 0, opening, await mission.soon(), "0x"));
      expect(await mission.stateOf(0)).to.equal(NodeState.EXECUTING);
    });

    it("an executor writes the verdicts of its panel itself", async () => {
      await routed(TASK);
      await mission.work(0);
      await networkHelpers.mine();
      const order = await mission.clearOrder(0, { result: Result.FAIL });
      const forged = order.verdicts.map((verdict) => ({ ...verdict, result: Result.PASS }));
      await attempt(mission.contract.clear(packed({ ...order, verdicts: forged })));
      expect((await mission.contract.ledger()).entitled).to.equal(0);
    });

    it("an executor signs its own evidence as a registered issuer", async () => {
      await routed(TASK);
      await mission.work(0);
      await networkHelpers.mine();
      const order = await mission.clearOrder(0);
      const { agent } = await mission.executorOf(0);
      await attempt(mission.contract.clear(packed({ ...order, items: [await mission.item(0, 0, agent)] })));
      expect((await mission.contract.ledger()).entitled).to.equal(0);
    });

    it("somebody fixes the mission's record in a runner's name", async () => {
      await routed(TASK);
      await attempt(mission.contract.anchor(id("another history"), mission.city.runner.address, await mission.soon(), "0x"));
      expect(BigInt(await mission.contract.anchored())).to.equal(0n);
    });

    it("an executor commits nonsense in another's slot, under its own signature over a wave", async () => {
      await routed(CONSENSUS);
      const { agent } = await mission.executorOf(0, 0);
      const deadline = Number(await mission.soon());
      const commitment = hexSchema.parse(id("nonsense"));
      const message = { agent: agent.address, slots: [1n], commitments: [commitment], deadline };
      const signature = hexSchema.parse(await mission.city.sign("Commits", mission.address, message, agent));
      const signers = [{ agent: hexSchema.parse(agent.address), deadline, signature }];
      const pledges = [{ node: 0, slot: 1, attempt: 0, signer: 0, commitment }];
      await attempt(mission.contract.commitWave(encodeCommitWave({ signers, pledges })));
      expect((await mission.contract.nodeOf(0)).commitMask).to.equal(0);
    });

    it("a relayer puts another commitment into a wave than its executor signed", async () => {
      await routed(CONSENSUS);
      const commitment = hexSchema.parse(id("another"));
      const wave = await mission.commitWave([[0, 0]], ({ signers, pledges }) => ({
        signers,
        pledges: pledges.map(({ node, slot, attempt: number, signer }) => ({ node, slot, attempt: number, signer, commitment })),
      }));
      await attempt(mission.contract.commitWave(wave));
      expect((await mission.contract.nodeOf(0)).commitMask).to.equal(0);
    });

    it("a wave signed for one attempt is posted in the next", async () => {
      await routed(CONSENSUS);
      const wave = await mission.commitWave([[0, 0]]);
      await mission.override(Action.FREEZE, 0);
      await mission.override(Action.RESUME_WITH_AMENDMENT, 0, encodeActionData("RESUME_WITH_AMENDMENT", [hexSchema.parse(id("amended"))]));
      await mission.route(0);
      await attempt(mission.contract.commitWave(wave));
      expect((await mission.contract.nodeOf(0)).commitMask).to.equal(0);
    });

    it("an old commitment that its executor let lapse is posted late", async () => {
      await routed(CONSENSUS);
      const { agent } = await mission.executorOf(0, 0);
      const deadline = await mission.city.now();
      const message = { agent: agent.address, node: 0, slot: 0, attempt: 0, commitment: id("withdrawn"), deadline };
      const signature = await mission.city.sign("Commit", mission.address, message, agent);
      await networkHelpers.time.increase(5);
      await attempt(mission.contract.commit(0, 0, message.commitment, deadline, signature));
      expect((await mission.contract.nodeOf(0)).commitMask).to.equal(0);
    });
  });

  describe("under an appeal", () => {
    let mission: Mission;
    let executor: Wallet;
    const text = id("what I showed is right");
    const open = async () => (await mission.contract.appealsOf(0, 0)).open;

    beforeEach(async () => {
      mission = await (await (await openMission()).activate()).awardAll();
      await mission.run(0);
      executor = (await mission.executorOf(0)).agent;
      for (const party of [executor, mission.city.sponsor]) await mission.city.fund(party, mission.address, tokens(100));
    });

    it("somebody appeals in an executor's name, with its bond", async () => {
      await attempt(mission.contract.appeal(0, 0, text, directly(executor)));
      expect(await open()).to.equal(0);
    });

    it("whoever relays an appeal puts another text before the human who rules", async () => {
      const word = await mission.signedAppeal(mission.city.sponsor, { evidence: text });
      await attempt(mission.contract.appeal(0, 0, id("nonsense"), word));
      expect(await open()).to.equal(0);
    });

    it("an appeal that its party let lapse is filed late", async () => {
      const word = await mission.signedAppeal(executor, { evidence: text, deadline: await mission.city.now() });
      await networkHelpers.time.increase(5);
      await attempt(mission.contract.appeal(0, 0, text, word));
      expect(await open()).to.equal(0);
    });

    it("the code that an executor lends its account to signs an appeal for it", async () => {
      const rival = await mission.city.account("rival");
      const code = await ethers.provider.getCode(await ethers.deployContract("OwnedWallet", [rival.address]));
      await networkHelpers.setCode(executor.address, code);
      const word = await mission.signedAppeal(rival, { appellant: executor.address, evidence: text });
      await attempt(mission.contract.appeal(0, 0, text, word));
      expect(await open()).to.equal(0);
    });
  });

  it("somebody casts a ballot in a producer's name without any signature", async () => {
    const { legislation, steps, voters } = await loadLegislature();
    const session = await steps.toVoting([id("one") as `0x${string}`]);
    const ballot = await steps.ballot(session, (voters as [Wallet])[0], [0, 1]);
    await attempt(legislation.castBallots(session, [{ ...ballot, signature: "0x" }]));
    expect((await legislation.sessionOf(session)).ballots).to.equal(0);
  });

  it("one adjudicator signs for two", async () => {
    const { city, seat, seats, wide, signed, contract } = await openPanel();
    const principal = await city.account("a principal");
    const message = await wide("FREEZE_PRINCIPAL", principal.address, true);
    const signature = await signed(message, seat(0));
    await attempt(contract.act(message, [signature, signature]));
    expect(await city.evidence.isSuspended(principal.address)).to.equal(false);
    expect(seats).to.have.length(7);
  });

  it("somebody who holds no seat signs an override", async () => {
    const { mission, override, signed, contract, city } = await openPanel();
    const message = await override("TERMINATE_MISSION");
    await attempt(contract.act(message, [await signed(message, await city.account("nobody"))]));
    expect(await mission.missionCaseHash()).to.equal(message.caseHash);
  });

  it("a principal registers a rival's key as its own agent", async () => {
    const city = await loadCity();
    const [rival, principal] = [await city.account("rival"), await city.account("principal")];
    await city.fund(principal, city.addresses.PRODUCERS, tokens(5000));
    const { message, did, byPrincipal } = await city.binding(rival, principal);
    await attempt(city.producers.connect(principal).register(message, did, byPrincipal, byPrincipal));
    expect((await city.producers.agentOf(rival.address)).kind).to.equal(0);
  });

  it("an agent spends the allowance of a principal that never heard of it", async () => {
    const city = await loadCity();
    const [agent, principal] = [await city.account("agent"), await city.account("principal")];
    await city.fund(principal, city.addresses.PRODUCERS, tokens(5000));
    const { message, did, byAgent } = await city.binding(agent, principal);
    await attempt(city.producers.register(message, did, byAgent, byAgent));
    expect(await city.token.balanceOf(principal.address)).to.equal(tokens(5000));
  });

  it("an agent bears another's name", async () => {
    const city = await loadCity();
    const { agent: first } = await city.register("first");
    const [second, principal] = [await city.account("second"), await city.account("second's principal")];
    await city.fund(principal, city.addresses.PRODUCERS, tokens(5000));
    const { message, did, byPrincipal, byAgent } = await city.binding(second, principal, {
      did: `did:city:${first.address.toLowerCase()}`,
    });
    await attempt(city.producers.register(message, did, byPrincipal, byAgent));
    expect(await city.producers.principalOf(second.address)).to.equal(ZeroAddress);
  });

  it("an agent bears the name of another's account", async () => {
    const city = await loadCity();
    const [agent, principal, other] = [await city.account("second"), await city.account("second's principal"), await city.account("other")];
    await city.fund(principal, city.addresses.PRODUCERS, tokens(5000));
    const { message, did, byPrincipal, byAgent } = await city.binding(agent, principal, { did: `did:pkh:eip155:1:${other.address}` });
    await attempt(city.producers.register(message, did, byPrincipal, byAgent));
    expect(await city.producers.principalOf(agent.address)).to.equal(ZeroAddress);
  });
});
