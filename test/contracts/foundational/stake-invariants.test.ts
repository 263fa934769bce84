import { expect } from "chai";
import { type Wallet, ZeroAddress } from "ethers";
import fc from "fast-check";
import { type City, Kind, loadCity, tokens } from "../../support/city-fixture.ts";
import { outcomeOf } from "../../support/outcomes.ts";

/** One random step on one of the agents; amounts in thousandths of a token, so that odd units occur. */
type Step =
  | { kind: "lock"; agent: number; amount: bigint }
  | { kind: "settle"; agent: number; release: bigint; slash: bigint }
  | { kind: "topUp"; agent: number; amount: bigint };

const amount = fc.bigInt(0n, tokens(900));
const agent = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("lock" as const), agent, amount }),
  fc.record({ kind: fc.constant("settle" as const), agent, release: amount, slash: amount }),
  fc.record({ kind: fc.constant("topUp" as const), agent, amount }),
);

/** What ProducerContract should hold for an agent. */
interface Account {
  held: bigint;
  locked: bigint;
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);

/** The rule in three lines; answers what is slashed. */
function settle(account: Account, release: bigint, slash: bigint): bigint {
  const slashed = least(slash, account.held);
  account.held -= slashed;
  account.locked = least(account.locked - least(release, account.locked), account.held);
  return slashed;
}

describe("stakes (invariant 11)", () => {
  let city: City;
  let agents: Wallet[];

  beforeEach(async () => {
    city = await loadCity();
    agents = [];
    for (const [name, kind] of Object.entries({ a: Kind.PRODUCER, b: Kind.PRODUCER, v: Kind.VERIFIER })) {
      agents.push((await city.register(name, { kind, stake: tokens(3000) })).agent);
    }
  });

  it("are held to the unit: locked ≤ held, Σ held = tokens here, what is slashed lies in the treasury", async () => {
    const model = agents.map((): Account => ({ held: tokens(3000), locked: 0n }));
    const execution = city.producers.connect(await city.as("EXECUTION"));
    const giver = await city.account("giver");
    await city.fund(giver, city.addresses.PRODUCERS, tokens(1_000_000));
    let slashed = 0n;

    await fc.assert(
      fc.asyncProperty(step, async (s) => {
        const [key, account] = [agents[s.agent], model[s.agent]];
        if (key === undefined || account === undefined) throw new Error("no such agent");
        if (s.kind === "lock") {
          const free = account.held - account.locked - tokens(1000);
          const call = execution.lock(key.address, s.amount);
          if (s.amount > (free > 0n ? free : 0n)) {
            await expect(call).to.be.revertedWithCustomError(city.producers, "InsufficientFreeStake");
          } else {
            await call;
            account.locked += s.amount;
          }
        } else if (s.kind === "topUp") {
          await city.producers.connect(giver).topUpStake(key.address, s.amount);
          account.held += s.amount;
        } else {
          await execution.settle(outcomeOf(key.address, { release: s.release }), s.slash, ZeroAddress);
          slashed += settle(account, s.release, s.slash);
        }
        for (const [i, { address }] of agents.entries()) {
          const { held, locked } = await city.producers.stakeOf(address);
          expect({ held, locked }).to.deep.equal(model[i]);
          expect(locked <= held).to.equal(true);
        }
        const sum = model.reduce((total, { held }) => total + held, 0n);
        expect(await city.token.balanceOf(city.addresses.PRODUCERS)).to.equal(sum);
        expect((await city.treasury.freeBalance()) + (await city.treasury.insuranceBalance())).to.equal(slashed);
        expect(await city.token.balanceOf(city.addresses.TREASURY)).to.equal(slashed);
      }),
      { seed: 7, numRuns: 150, endOnFailure: true },
    );
    expect(slashed > 0n).to.equal(true);
  });
});
