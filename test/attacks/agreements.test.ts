/** The escrow of two parties: what each of them, its evaluators, its arbiter and its token might try. */
import { expect } from "chai";
import { id } from "ethers";
import { AMOUNT, CHALLENGE, EVALUATION, openEscrow, RESULT, Status } from "../support/agreement-fixture.ts";
import { keyOf, networkHelpers, tokens } from "../support/city-fixture.ts";
import { type Answer, BUDGET, Class, HEARING, JobStatus, LAYOUT, Outcome, openEvaluator, Result } from "../support/evaluator-fixture.ts";
import { turnHostile } from "../support/hostile-token.ts";
import { attempt } from "./attempt.ts";

const ALL = 10_000;

describe("attacks on agreements", () => {
  it("a credit is withdrawn twice", async () => {
    const { escrow, city, provider, evaluator, upTo } = await openEscrow();
    await upTo("funded", { nonce: 2n });
    const job = await upTo("submitted", { challengeWindow: 0 });
    await escrow.connect(evaluator).complete(job, RESULT, "0x");
    await escrow.withdraw(city.addresses.TOKEN, provider.address);
    await attempt(escrow.connect(provider).withdraw(city.addresses.TOKEN, provider.address));
    expect(await city.token.balanceOf(provider.address)).to.equal(AMOUNT);
  });

  it("terms that were used open their job again, and the client pays into a job that is over", async () => {
    const { escrow, client, provider, terms, signed, upTo, statusOf } = await openEscrow();
    const job = await upTo("funded");
    const [byClient, byProvider] = [await signed(client, terms), await signed(provider, terms)];
    await attempt(escrow.connect(provider).open(terms, byClient, byProvider));
    expect(await statusOf(job)).to.equal(Status.FUNDED);
  });

  it("an evaluator that was silent decides after all, before anybody calls the clock", async () => {
    const { escrow, provider, client, evaluator, upTo, increase, creditOf } = await openEscrow();
    const job = await upTo("submitted", { challengeWindow: 0 });
    await increase(2 * EVALUATION + 1);
    await attempt(escrow.connect(evaluator).settle(job, 0, RESULT));
    await attempt(escrow.finalise(job));
    expect([await creditOf(provider), await creditOf(client)]).to.deep.equal([AMOUNT / 2n, AMOUNT / 2n]);
  });

  it("a token that keeps a part lets one job be paid with another's money", async () => {
    const { escrow, city, at, client, upTo } = await openEscrow();
    await upTo("funded");
    const token = await turnHostile(city);
    await token.chargeFee(5000);
    const second = await upTo("open", { nonce: 2n });
    await attempt(escrow.connect(client).fund(second, AMOUNT, "0x"));
    const paid = Number((await escrow.getJob(second)).status) === Status.FUNDED ? 2n : 1n;
    expect((await city.token.balanceOf(at)) >= paid * AMOUNT).to.equal(true);
  });

  it("a provider judges its own work", async () => {
    const { escrow, provider, upTo, statusOf } = await openEscrow();
    const job = await upTo("submitted");
    await attempt(escrow.connect(provider).settle(job, ALL, RESULT));
    expect(await statusOf(job)).to.equal(Status.SUBMITTED);
  });

  it("a backup judges before the evaluator had its time", async () => {
    const { escrow, backup, upTo, statusOf } = await openEscrow();
    const job = await upTo("submitted");
    await attempt(escrow.connect(backup).settle(job, 0, RESULT));
    expect(await statusOf(job)).to.equal(Status.SUBMITTED);
  });

  it("a client takes its money back while the work is being judged", async () => {
    const { escrow, client, upTo, creditOf } = await openEscrow();
    const job = await upTo("submitted", { silenceShare: 0 });
    await attempt(escrow.connect(client).claimRefund(job));
    expect(await creditOf(client)).to.equal(0);
  });

  it("an arbiter divides what nobody disputed", async () => {
    const { escrow, arbiter, provider, upTo, increase, creditOf } = await openEscrow();
    const job = await upTo("judged");
    await attempt(escrow.connect(arbiter).rule(job, 0, RESULT));
    await increase(CHALLENGE + 1);
    await attempt(escrow.finalise(job));
    expect(await creditOf(provider)).to.equal((AMOUNT * 85n) / 100n);
  });

  it("a client opens a job in a provider's name", async () => {
    const { escrow, client, terms, signed } = await openEscrow();
    const byClient = await signed(client, terms);
    await attempt(escrow.connect(client).open(terms, byClient, byClient));
    const opened = await escrow.getJob(BigInt(await escrow.digestOf(terms))).then(
      () => true,
      () => false,
    );
    expect(opened).to.equal(false);
  });

  it("a client has its evaluator be its own second name", async () => {
    const { city, client, open, escrow } = await openEscrow();
    const job = await open({ evaluator: client.address, challengeWindow: 0, nonce: 3n }).catch(() => undefined);
    if (job !== undefined) await escrow.connect(client).fund(job, AMOUNT, "0x");
    expect(await city.token.balanceOf(client.address)).to.equal(tokens(100));
    expect(await networkHelpers.time.latest()).to.be.greaterThan(0);
  });

  it("a stranger registers another's job, on terms of its own", async () => {
    const { base, createJob, register, hearing } = await openEvaluator();
    const [one, other] = [keyOf("stranger"), keyOf("stranger's other key")];
    const terms = { ...base, jobId: await createJob(), client: one.address, provider: other.address, floor: Class.SELF };
    await attempt(register(terms, [one, other]));
    expect(BigInt((await hearing(terms)).digest)).to.equal(0n);
  });

  it("a provider's own word is taken for the evidence that was asked for", async () => {
    const { delivered, hearing } = await openEvaluator();
    const { terms, evaluate } = await delivered();
    await attempt(evaluate([{}, {}, {}], []));
    expect(Number((await hearing(terms)).outcome)).to.equal(Outcome.NONE);
  });

  it("whoever hands in leaves the heavy voice out", async () => {
    const { city, delivered, hearing, seat } = await openEvaluator();
    const { evidence } = city;
    for (const { args } of await evidence.queryFilter(evidence.filters.VerifierRegistered())) await evidence.revoke(args.verifier);
    const heavy = await seat("heavy", undefined, 133);
    for (const name of ["one", "two", "three", "four"]) await seat(name, undefined, 25);
    const { terms, judges, evaluate } = await delivered({ panelSize: 5 });
    expect(judges.map(({ address }) => address)).to.include(heavy.address);
    await attempt(evaluate(judges.map((judge) => (judge.address === heavy.address ? undefined : {}))));
    expect(Number((await hearing(terms)).outcome)).to.equal(Outcome.NONE);
  });

  it("a client hands in again without the best verdicts, and the share falls", async () => {
    const { delivered, hearing } = await openEvaluator();
    const { terms, evaluate } = await delivered({ panelSize: 5 });
    await evaluate([{ score: 9000 }, { score: 9000 }, { score: 9000 }, { score: 100 }]);
    await attempt(evaluate([{ score: 9000 }, undefined, { score: 9000 }, { score: 100 }]));
    expect(Number((await hearing(terms)).score)).to.equal(9000);
  });

  it("a provider ends its job before the rest of the panel has spoken", async () => {
    const { contract, provider, delivered, statusOf, nobody } = await openEvaluator();
    const { terms, evaluate, jobId } = await delivered();
    await evaluate([{}, {}]);
    await attempt(contract.connect(provider).finalise(terms, nobody));
    expect(await statusOf(jobId)).to.equal(JobStatus.SUBMITTED);
  });

  it("a party's own lab grades its evidence", async () => {
    const { city, delivered, hearing, providerPrincipal } = await openEvaluator();
    const lab = keyOf("provider's lab");
    await city.evidence.registerIssuer(lab.address, providerPrincipal.address, 1 << Class.ATT);
    const { terms, evaluate } = await delivered({}, [{ class: Class.ATT, issuer: lab }]);
    await attempt(evaluate([{}, {}, {}]));
    expect(Number((await hearing(terms)).outcome)).to.equal(Outcome.NONE);
  });

  it("a provider delivers again until the panel suits it", async () => {
    const { contract, provider, delivered, hearing } = await openEvaluator();
    const { terms, work } = await delivered();
    const { drawBlock } = await hearing(terms);
    await attempt(contract.connect(provider).deliver(terms, work.opening));
    expect((await hearing(terms)).drawBlock).to.equal(drawBlock);
  });

  it("a verifier signs both answers, and whoever hands in last decides", async () => {
    const { contract, provider, delivered, increase, statusOf, nobody } = await openEvaluator();
    const { terms, evaluate, jobId } = await delivered();
    const fail = { result: Result.FAIL };
    await evaluate([undefined, fail, fail]);
    await attempt(evaluate([{}, {}]));
    await increase(HEARING + 1);
    await attempt(contract.connect(provider).finalise(terms, nobody));
    expect(await statusOf(jobId)).not.to.equal(JobStatus.COMPLETED);
  });

  it("a client has another panel drawn when the first has decided", async () => {
    const { contract, client, provider, delivered, increase, balanceOf, nobody } = await openEvaluator();
    const { terms, evaluate } = await delivered();
    await evaluate([{}, {}]);
    await increase(HEARING + 1);
    await attempt(contract.connect(client).redraw(terms));
    await attempt(contract.finalise(terms, nobody));
    expect(await balanceOf(provider)).to.equal(BUDGET);
  });

  it("whoever ends a job takes along what others' jobs left behind", async () => {
    const { contract, city, at, delivered, balanceOf } = await openEvaluator();
    await city.token.mint(at, tokens(3));
    const { terms, evaluate } = await delivered();
    await evaluate([{}, {}, {}]);
    const ender = await city.account("ender");
    await attempt(contract.connect(ender).finalise(terms, city.addresses.TOKEN));
    expect(await balanceOf(ender)).to.equal(0n);
  });

  it("a provider that the city knows names another house than its own, and its own lab grades its evidence", async () => {
    const { city, base, createJob, delivered, hearing } = await openEvaluator();
    const house = await city.account("the provider's true house");
    await city.register("evaluator's provider", { principal: house });
    const lab = keyOf("provider's lab");
    await city.evidence.registerIssuer(lab.address, house.address, 1 << Class.ATT);
    const jobId = await createJob();
    const judged = async () => (await delivered({ jobId }, [{ class: Class.ATT, issuer: lab }])).evaluate([{}, {}, {}]);
    await attempt(judged());
    expect(Number((await hearing({ ...base, jobId })).outcome)).to.equal(Outcome.NONE);
  });

  it("two of five decide because two who were drawn with them are frozen", async () => {
    const { city, delivered, hearing } = await openEvaluator();
    const { terms, judges, evaluate } = await delivered({ panelSize: 5 });
    const governor = city.producers.connect(await city.as("ADJUDICATION"));
    for (const judge of judges.slice(2, 4)) await governor.freezeAgent(judge.address, true);
    const fail = { result: Result.FAIL };
    await attempt(evaluate([{}, {}, fail, fail, fail]));
    expect(Number((await hearing(terms)).outcome)).to.equal(Outcome.NONE);
  });

  const CHALLENGED = { panelSize: 1, bond: tokens(2) };

  it("a client challenges what passed, and the second panel's silence refunds it", async () => {
    const { contract, client, provider, delivered, increase, balanceOf, nobody } = await openEvaluator();
    const { terms, evaluate, challenge } = await delivered(CHALLENGED);
    await evaluate([{}]);
    await challenge(client);
    await increase(HEARING + 1);
    await attempt(contract.connect(client).finalise(terms, nobody));
    await attempt(contract.withdraw(provider.address));
    expect(await balanceOf(provider)).to.equal(BUDGET + CHALLENGED.bond);
  });

  it("a client challenges for the delay alone, and has its bond back", async () => {
    const { contract, client, delivered, balanceOf, nobody } = await openEvaluator();
    const { terms, evaluate, challenge, decideAgain } = await delivered(CHALLENGED);
    await evaluate([{}]);
    await challenge(client);
    const before = await balanceOf(client);
    await decideAgain({});
    await attempt(contract.connect(client).finalise(terms, nobody));
    await attempt(contract.withdraw(client.address));
    expect(await balanceOf(client)).to.equal(before);
  });

  it("a client challenges again what the larger panel has confirmed", async () => {
    const { contract, client, provider, delivered, balanceOf, nobody } = await openEvaluator();
    const { terms, evaluate, challenge, decideAgain } = await delivered(CHALLENGED);
    await evaluate([{}]);
    await challenge(client);
    await decideAgain({});
    await attempt(challenge(client));
    await attempt(contract.connect(provider).finalise(terms, nobody));
    await attempt(contract.withdraw(provider.address));
    expect(await balanceOf(provider)).to.equal(BUDGET + CHALLENGED.bond);
  });

  it("a client ends a challenged job by the escrow's own clock, and the bond stays where it is for ever", async () => {
    const { contract, jobs, provider, delivered, balanceOf, nobody, increase } = await openEvaluator();
    const { terms, evaluate, challenge, decideAgain, jobId } = await delivered(CHALLENGED);
    await evaluate([{ result: Result.FAIL }]);
    await challenge(provider);
    await decideAgain({});
    await increase(40 * 3600);
    await jobs.claimRefund(jobId);
    await attempt(contract.finalise(terms, nobody));
    await increase(31 * 86_400);
    await attempt(contract.finalise(terms, nobody));
    await attempt(contract.withdraw(provider.address));
    expect(await balanceOf(provider)).to.equal(CHALLENGED.bond);
  });

  it("a client leaves out one of a member's two answers, and nobody can add it any more", async () => {
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

  it("a provider submits at once and delivers nothing, and is paid for the silence of a panel that nobody drew", async () => {
    const { city, contract, at, client, provider, base, register, nobody, increase } = await openEvaluator();
    const { escrow, at: there, open, creditOf, statusOf } = await openEscrow(city);
    await city.fund(client, there, AMOUNT);
    const parties = { client: client.address, provider: provider.address, evaluator: at, backup: nobody };
    const jobId = await open({ ...parties, evaluatorTimeout: 4 * HEARING, challengeWindow: 0 }, [client, provider]);
    await attempt(register({ ...base, escrow: there, jobId, layout: LAYOUT.ours, graduated: true }));
    const { digest } = await contract.hearingOf(there, jobId);
    // A client pays in once the panel has taken on the job.
    if (BigInt(digest) !== 0n) {
      await escrow.connect(client).fund(jobId, AMOUNT, "0x");
      await escrow.connect(provider).submit(jobId, RESULT, "0x");
      await increase(4 * HEARING + 1);
      await attempt(escrow.finalise(jobId));
    }
    expect(await creditOf(provider)).to.equal(0);
    expect(await statusOf(jobId)).to.equal(Status.OPEN);
  });

  it("a key proves, by signing something else after the proof in one list", async () => {
    const e = await openEvaluator();
    const lab = await e.city.account("lab with a key");
    await e.city.evidence.registerIssuer(lab.address, keyOf("its house").address, (1 << Class.PROOF) | (1 << Class.ATT));
    const jobId = await e.createJob();
    const terms = { ...e.base, jobId, floor: Class.PROOF as number };
    await e.register(terms);
    await e.jobs.connect(e.client).fund(jobId, BUDGET, "0x");
    await e.jobs.connect(e.provider).submit(jobId, id("the deliverable"), "0x");
    const items = [Class.PROOF, Class.ATT].map((of) => ({ class: of, issuer: lab }));
    const work = await e.workOf(terms, items, { together: true });
    await e.contract.connect(e.provider).deliver(terms, work.opening as never);
    const voices = await Promise.all((await e.panel(terms)).map((one) => e.voice(one, work, { basis: 1n })));
    await attempt(e.contract.evaluate(terms, e.recordOf(work, voices)));
    expect(Number((await e.hearing(terms)).outcome)).to.equal(Outcome.NONE);
  });
});
