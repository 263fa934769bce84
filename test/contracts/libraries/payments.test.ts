import { expect } from "chai";
import { getAddress } from "viem";
import { bytesToHex } from "../../../orchestrator/primitives/hex.ts";
import { type RandomStream, randomStream } from "../../../orchestrator/primitives/random.ts";
import {
  BOND,
  claimedPayments,
  type Payment,
  PREMIUM,
  packPayment,
  premiumOf,
  SEAT,
  unpackPayment,
} from "../../../orchestrator/rules/payments.ts";
import { harnessOf } from "../harness.ts";

const CASES = 200;

const amountOf = (random: RandomStream) => random.pick([0n, 1n, 2n ** 64n - 1n, BigInt(bytesToHex(random.bytes(8)))]);

const paymentOf = (random: RandomStream): Payment => ({
  account: getAddress(bytesToHex(random.bytes(20))),
  amount: amountOf(random),
  psi: random.int(2 ** 16),
  node: random.int(256),
  place: random.pick([0, 4, SEAT, SEAT + 6, BOND, 255]),
});

describe("Payments", () => {
  const harness = harnessOf("PaymentsHarness");

  it("fill a word alike on both sides, and are read back", async () => {
    const random = randomStream(7, "payments");
    for (let k = 0; k < CASES; k++) {
      const payment = paymentOf(random);
      const { account, amount, psi, node, place } = payment;
      const word = packPayment(payment);
      expect(await harness.call<bigint>("pack", account, amount, psi, node, place)).to.equal(word);
      expect([...(await harness.call<unknown[]>("unpack", word))]).to.deep.equal([account, amount, psi]);
      expect(unpackPayment(word)).to.deep.equal(payment);
    }
    expect([...(await harness.call<bigint[]>("places"))].map(Number)).to.deep.equal([SEAT, PREMIUM, BOND]);
  });

  it("make a premium of an executor's payment alike", async () => {
    const random = randomStream(7, "premiums");
    for (let k = 0; k < CASES; k++) {
      const payment = { ...paymentOf(random), place: random.int(5) };
      const amount = amountOf(random);
      expect(await harness.call<bigint>("premiumOf", packPayment(payment), amount)).to.equal(packPayment(premiumOf(payment, amount)));
    }
  });

  it("tell executors with their premiums from verifiers", () => {
    const [agent, verifier] = [getAddress(`0x${"11".repeat(20)}`), getAddress(`0x${"22".repeat(20)}`)];
    const first = { account: agent, amount: 97n, psi: 1100, node: 3, place: 0 };
    const second = { ...first, psi: 1000, place: 1 };
    const payments = [first, second, { account: verifier, amount: 1n, psi: 0, node: 3, place: SEAT }].map(packPayment);
    expect(claimedPayments({ payments, premiums: [packPayment(premiumOf(first, 9n))] })).to.deep.equal({
      executors: [
        { node: 3, slot: 0, agent, paid: 97n, premium: 9n },
        { node: 3, slot: 1, agent, paid: 97n, premium: 0n },
      ],
      verifiers: [{ node: 3, verifier, amount: 1n }],
    });
  });

  it("refuse what does not fit", () => {
    const payment = { account: getAddress(`0x${"11".repeat(20)}`), amount: 1n, psi: 0, node: 0, place: 0 };
    for (const wrong of [{ amount: 2n ** 64n }, { psi: 2 ** 16 }, { node: 256 }, { place: -1 }])
      expect(() => packPayment({ ...payment, ...wrong })).to.throw("FieldTooLarge");
  });
});
