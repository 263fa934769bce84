/** What the audit of 27 November 2026 found and nothing closes yet. */
import { expect } from "chai";
import { type Wallet, ZeroAddress } from "ethers";
import { attempt } from "../attacks/attempt.ts";
import { AMOUNT, openEscrow, RESULT } from "../support/agreement-fixture.ts";
import { networkHelpers, probeAt, tokens } from "../support/city-fixture.ts";
import { type Answer, HEARING, LAYOUT, openEvaluator } from "../support/evaluator-fixture.ts";
import { APPROVAL, billOf, GOAL, hash, lawOf, loadLegislature, PROPOSAL, State, setParameter } from "../support/legislature.ts";
import { openMission, Result, TASK } from "../support/mission-fixture.ts";
import { panelOver } from "../support/panel.ts";
import { stillOpen } from "./still-open.ts";

const { time } = networkHelpers;

describe("known holes of the audit", () => {
  stillOpen("a client leaves out one of a member's two answers, and nobody can add it any more", async () => {
    const { contract, delivered, hearing, voice, recordOf } = await openEvaluator();
    const { terms, work, judges } = await delivered({ questions: 3, graduated: true });
    const second = { question: 1 };
    const answers = [
      [{ score: 9000 }, second],
      [{ score: 9000 }, second],
      [{ score: 5000 }, second],
    ];
    const handIn = async (voices: readonly (readonly Answer[])[]) =>
      contract.evaluate(terms, recordOf(work, await Promise.all(judges.map((judge, i) => voice(judge, work, ...(voices[i] ?? []))))));
    await attempt(handIn(answers.map((own, i) => (i === 1 ? [second] : own))));
    await attempt(handIn(answers));
    expect((await hearing(terms)).score).to.equal(9000);
  });

  stillOpen("a provider submits at once and delivers nothing, and is paid for the silence of a panel that nobody drew", async () => {
    const { city, contract, at, client, provider, base, register, nobody, increase } = await openEvaluator();
    const { escrow, at: there, open, creditOf } = await openEscrow(city);
    await city.fund(client, there, AMOUNT);
    const parties = { client: client.address, provider: provider.address, evaluator: at, backup: nobody };
    const jobId = await open({ ...parties, evaluatorTimeout: 4 * HEARING, challengeWindow: 0 }, [client, provider]);
    await attempt(register({ ...base, escrow: there, jobId, layout: LAYOUT.ours, graduated: true }));
    if (BigInt((await contract.hearingOf(there, jobId)).digest) !== 0n) {
      await escrow.connect(client).fund(jobId, AMOUNT, "0x");
      await escrow.connect(provider).submit(jobId, RESULT, "0x");
      await increase(4 * HEARING + 1);
      await attempt(escrow.finalise(jobId));
    }
    expect(await creditOf(provider)).to.equal(0);
  });

  stillOpen("a Regulator flags one more voter after humans released the law, and the law's time runs out", async () => {
    const house = await loadLegislature();
    const { legislation, steps, offices, voters } = house;
    await setParameter(house, "CRITICAL_BLOC_SHARE", 2000);
    const bill = billOf(lawOf());
    const session = await steps.toVoting([bill.specHash, hash("B"), hash("C")]);
    const alike = [1, 2, 3, 0];
    await steps.vote(session, [alike, alike, alike, [1, 2, 0, 3], [3, 0, 2, 1], [2, 0, 1, 3], [0, 3, 1, 2], [1, 0, 2, 3]]);
    await legislation.tally(session);
    await legislation.validate(session, bill.law, bill.docHash, steps.witnesses());
    const delegation = await steps.delegate(session, bill.specHash);
    await legislation.connect(offices.CODIFIER[0] as Wallet).codify(session, [delegation]);
    const flag = (member: number) =>
      legislation
        .connect(offices.REGULATOR[0] as Wallet)
        .flagBloc(session, (voters[0] as Wallet).address, [(voters[member] as Wallet).address], { gasLimit: 2_000_000 });
    await flag(1);
    await legislation.ruleOnBloc(session, (await legislation.blocOf(session)).caseHash, true);
    await attempt(flag(2));
    const signers = [offices.SPEAKER[0], ...offices.REGULATOR].map(
      (clerk, i) => [i === 0 ? "SPEAKER" : "REGULATOR", clerk as Wallet] as const,
    );
    await attempt(legislation.approve(session, bill.law, bill.docHash, await steps.approvals(session, bill.specHash, signers)));
    await time.increase(APPROVAL + 1n);
    await attempt(legislation.expire(session));
    expect((await legislation.sessionOf(session)).state).to.equal(State.DEPLOYED);
  });

  stillOpen("a stranger that backs nothing begins a petition, and the signatures for it run out", async () => {
    const { legislation, account, steps, voters } = await loadLegislature();
    const backers = await Promise.all(voters.slice(0, 2).map((agent) => steps.backer(agent, GOAL)));
    await attempt(legislation.connect(await account("stranger")).petition(GOAL, ZeroAddress, []));
    await time.increase(PROPOSAL + 1n);
    await attempt(legislation.petition(GOAL, ZeroAddress, backers));
    expect(await legislation.sessionCount()).to.equal(1);
  });

  stillOpen("a house's own runner finds other code where another's agent was awarded, and the house takes the work over", async () => {
    const mission = await (await openMission({ nodes: [TASK] })).activate();
    const { city, contract, address } = mission;
    await mission.bid(0, 0, tokens(50));
    await mission.closeMarket();
    await city.execution.award(address, [0]);
    const runner = await city.account("runner of the house");
    await city.evidence.registerRunner(runner.address, (await city.account("principal 1")).address);
    await attempt(contract.mismatch(...(await mission.otherCode(0, { key: runner }))));
    await attempt(contract.reopen(0));
    await attempt(mission.bid(0, 1, tokens(100)));
    await mission.closeMarket();
    await attempt(city.execution.award(address, [0]));
    expect((await contract.slotOf(0, 0)).agent).not.to.equal(mission.worker(1).agent.address);
  });

  stillOpen("an adjudicator approves work on what its own house attested", async () => {
    const mission = await (await (await openMission({ nodes: [TASK] })).activate()).awardAll();
    const { city } = mission;
    await mission.route(0);
    await mission.work(0);
    for (let i = 0; i < 2; i++) await mission.clear(0, { result: Result.ABSTAIN });
    const judge = await city.account("judge of the issuer's house");
    await city.fund(judge, city.addresses.ROSTER, tokens(5000));
    await city.roster.seat(judge.address, (await city.account("issuer's principal")).address);
    const seats = panelOver(city, [judge], await probeAt(mission.address));
    await attempt(seats.act(await seats.override("APPROVE_POP", { node: 0, data: await mission.approval(0) }), judge));
    expect((await mission.contract.ledger()).entitled).to.equal(0n);
  });
});
