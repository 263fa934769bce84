/** Every function of the escrow of agreements, and of the evaluator of jobs, called with success. */
import { CHALLENGE, EVALUATION, openEscrow, RESULT, WORK } from "../../support/agreement-fixture.ts";
import { type AuthorityTrial, type Cast, castOf, endow } from "../../support/authority-trial.ts";
import { loadCity, networkHelpers } from "../../support/city-fixture.ts";
import { BUDGET, Class, HEARING, openEvaluator } from "../../support/evaluator-fixture.ts";

export async function playAgreements(trial: AuthorityTrial): Promise<void> {
  const city = await loadCity();
  const agreement = await openEscrow(city);
  const { escrow, at, client, provider, evaluator, backup, arbiter, terms, signed, signedCancel, upTo } = agreement;
  const cast: Cast = {
    ...(await castOf(city, {})),
    client: client.address,
    provider: provider.address,
    evaluator: evaluator.address,
    backup: backup.address,
    arbiter: arbiter.address,
  };
  await endow(city, cast, at);
  let nonce = 100n;
  const fresh = async () => {
    const now = await networkHelpers.time.latest();
    nonce += 1n;
    return { nonce, fundBy: now + 86_400, deliverBy: now + 172_800, deadline: now + 86_400 };
  };
  const record = (name: string, act: () => Promise<unknown>, when?: string) => trial.record(`AgreementEscrow.${name}`, cast, act, when);
  const both = async (change: Partial<typeof terms>) => {
    const message = { ...terms, ...change };
    return { message, byClient: await signed(client, message), byProvider: await signed(provider, message) };
  };

  const first = await both(await fresh());
  await record("open", () => escrow.open(first.message, first.byClient, first.byProvider), "signed");
  const second = await both(await fresh());
  await record("open", () => escrow.connect(client).open(second.message, "0x", second.byProvider), "the client's signature missing");
  const job = BigInt(await escrow.digestOf(first.message));
  await record("fund", () => escrow.connect(client).fund(job, terms.amount, "0x"));
  await record("submit", () => escrow.connect(provider).submit(job, WORK, "0x"));
  await record("settle", () => escrow.connect(evaluator).settle(job, 8500, RESULT), "in the evaluator's time");
  await record("challenge", () => escrow.connect(client).challenge(job, RESULT));
  await record("rule", () => escrow.connect(arbiter).rule(job, 4000, RESULT));

  const late = await upTo("submitted", await fresh());
  await networkHelpers.time.increase(EVALUATION + 1);
  await record("settle", () => escrow.connect(backup).settle(late, 8500, RESULT), "after it");
  await networkHelpers.time.increase(CHALLENGE + 1);
  await record("finalise", () => escrow.finalise(late));
  const done = await upTo("submitted", await fresh());
  await record("complete", () => escrow.connect(evaluator).complete(done, RESULT, "0x"));
  const poor = await upTo("submitted", await fresh());
  await record("reject", () => escrow.connect(evaluator).reject(poor, RESULT, "0x"), "submitted");
  const unpaid = await upTo("open", await fresh());
  await record("reject", () => escrow.connect(client).reject(unpaid, RESULT, "0x"), "open");

  const given = await upTo("funded", await fresh());
  const deadline = 2 ** 40 - 1;
  const [one, other] = [await signedCancel(client, given, 2000, deadline), await signedCancel(provider, given, 2000, deadline)];
  await record("cancel", () => escrow.cancel(given, 2000, deadline, one, other), "signed");
  const missed = await upTo("funded", await fresh());
  await networkHelpers.time.increase(200_000);
  await record("claimRefund", () => escrow.claimRefund(missed));
  await record("withdraw", () => escrow.withdraw(city.addresses.TOKEN, provider.address));
}

export async function playEvaluator(trial: AuthorityTrial): Promise<void> {
  const city = await loadCity();
  const trialled = await openEvaluator({ city });
  const { contract, jobs, client, provider, issuer, base, createJob, register, workOf, signed, panel, voice, recordOf, nobody } = trialled;
  const cast: Cast = { ...(await castOf(city, {})), client: client.address, provider: provider.address };
  const record = (name: string, act: () => Promise<unknown>, when?: string) => trial.record(`ClearingEvaluator.${name}`, cast, act, when);

  const terms = { ...base, jobId: await createJob() };
  await record("register", () => register(terms), "signed");
  const other = { ...base, jobId: await createJob() };
  const byProvider = await signed(provider, other);
  await record("register", () => contract.connect(client).register(other, "0x", byProvider), "the client's signature missing");
  const work = await workOf(terms, [{ class: Class.ATT, issuer }]);
  await record("deliver", () => contract.connect(provider).deliver(terms, work.opening));
  await panel(terms);
  await networkHelpers.time.increase(HEARING + 1);
  await record("redraw", () => contract.redraw(terms));
  const voices = await Promise.all((await panel(terms)).map((judge) => voice(judge, work, {})));
  await record("evaluate", () => contract.evaluate(terms, recordOf(work, voices)));
  const disputed = await trialled.delivered({ panelSize: 1, bond: 1n });
  await disputed.evaluate([{}]);
  for (const party of [client, provider]) await city.fund(party, trialled.at, 1n);
  await record("challenge", () => contract.connect(client).challenge(disputed.terms));
  await disputed.decideAgain({});
  await contract.finalise(disputed.terms, nobody);
  await record("withdraw", () => contract.withdraw(provider));
  const quiet = { ...base, jobId: await createJob() };
  await register(quiet);
  await jobs.connect(client).fund(quiet.jobId, BUDGET, "0x");
  await networkHelpers.time.increase(200_000);
  await record("finalise", () => contract.finalise(quiet, nobody));
}
