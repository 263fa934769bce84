/** Whatever is called in whatever order: the escrow owes exactly what it holds, and the clock ends every job. */
import { expect } from "chai";
import { randomStream } from "../../../orchestrator/primitives/random.ts";
import { AMOUNT, openEscrow, RESULT, Status, WORK } from "../../support/agreement-fixture.ts";
import { networkHelpers } from "../../support/city-fixture.ts";

const STEPS = 220;
const LONG = 400 * 86_400;
/** What leads on from a status: every other step is one of these, the rest anything. */
const LEADING: Readonly<Record<number, readonly string[]>> = {
  [Status.OPEN]: ["fund"],
  [Status.FUNDED]: ["submit"],
  [Status.SUBMITTED]: ["settle", "complete"],
  [Status.JUDGED]: ["challenge", "wait", "finalise"],
  [Status.DISPUTED]: ["rule"],
};
const PAID: readonly number[] = [Status.FUNDED, Status.SUBMITTED, Status.JUDGED, Status.DISPUTED];

describe("AgreementEscrow, walked at random", () => {
  /** Acts that went through, in all walks together. */
  const done = new Map<string, number>();

  for (const seed of [1, 2, 3])
    it(`owes what it holds after every step, and ends by silence: seed ${seed}`, async () => {
      const agreement = await openEscrow();
      const { escrow, city, at, client, provider, evaluator, backup, arbiter, signedCancel } = agreement;
      const draw = randomStream("agreement walk", seed);
      const jobs: bigint[] = [];
      const pick = <Item>(items: readonly Item[]): Item => draw.pick(items);
      const moves: Readonly<Record<string, (job: bigint, share: number) => Promise<unknown>>> = {
        fund: (job) => escrow.connect(pick([client, client, provider])).fund(job, AMOUNT, "0x"),
        submit: (job) => escrow.connect(pick([provider, provider, client])).submit(job, WORK, "0x"),
        settle: (job, share) => escrow.connect(pick([evaluator, evaluator, backup])).settle(job, share, RESULT),
        complete: (job) => escrow.connect(pick([evaluator, client])).complete(job, RESULT, "0x"),
        reject: (job) => escrow.connect(pick([evaluator, client])).reject(job, RESULT, "0x"),
        challenge: (job) => escrow.connect(pick([client, provider, arbiter])).challenge(job, RESULT),
        rule: (job, share) => escrow.connect(arbiter).rule(job, share, RESULT),
        finalise: (job) => pick([escrow.finalise, escrow.claimRefund])(job),
        withdraw: () => escrow.withdraw(city.addresses.TOKEN, pick([client, provider]).address),
        cancel: async (job, share) =>
          escrow.cancel(
            job,
            share,
            2 ** 40 - 1,
            ...(await both(signedCancel(client, job, share, 2 ** 40 - 1), signedCancel(provider, job, share, 2 ** 40 - 1))),
          ),
        wait: () => networkHelpers.time.increase(pick([60, 60, 900, 8000])),
      };
      const owed = async () => {
        let sum = (await agreement.creditOf(client)) + (await agreement.creditOf(provider));
        for (const job of jobs) if (PAID.includes(await agreement.statusOf(job))) sum += AMOUNT;
        return sum;
      };
      for (let step = 0; step < STEPS; step += 1) {
        const now = await networkHelpers.time.latest();
        if (step % 18 === 0)
          jobs.push(
            await agreement.open({
              nonce: BigInt(step),
              fundBy: now + 86_400,
              deliverBy: now + 200_000,
              deadline: now + 600,
              challengeWindow: step % 54 === 0 ? 0 : 7200,
            }),
          );
        const job = pick(jobs.slice(-2));
        const leading = LEADING[await agreement.statusOf(job)] ?? ["withdraw"];
        const name = pick(draw.int(2) === 0 ? leading : Object.keys(moves));
        const went = await (moves[name]?.(job, draw.int(10_001)) ?? Promise.resolve()).then(
          () => 1,
          () => 0,
        );
        done.set(name, (done.get(name) ?? 0) + went);
        expect(await city.token.balanceOf(at), `${step}: ${name}`).to.equal(await owed());
      }
      await networkHelpers.time.increase(LONG);
      // A job that has ended refuses; one that lives is ended by it.
      for (const job of jobs)
        await escrow.finalise(job).then(
          () => done.set("finalise", (done.get("finalise") ?? 0) + 1),
          () => undefined,
        );
      for (const job of jobs) expect([Status.COMPLETED, Status.REJECTED, Status.EXPIRED]).to.include(await agreement.statusOf(job));
      for (const one of [client, provider])
        if ((await agreement.creditOf(one)) > 0n) await escrow.withdraw(city.addresses.TOKEN, one.address);
      expect(await city.token.balanceOf(at)).to.equal(0);
    }).timeout(120_000);

  it("did everything at least once", () => {
    expect([...done].filter(([, times]) => times === 0).map(([name]) => name)).to.deep.equal([]);
    expect(done.size).to.equal(11);
  });
});

async function both(one: Promise<string>, other: Promise<string>): Promise<[string, string]> {
  return [await one, await other];
}
