import { expect } from "chai";
import { parameter } from "../../orchestrator/protocol/parameters.ts";
import { all, contract, contractWith, implies, neverReverts, onReturn, type Prover, part, smt, startProver } from "../proofs/prove.ts";
import { type Composite, Run, type Value } from "../proofs/symbolic.ts";
import { WHOLE_NUMBERS } from "../proofs/theory.ts";

const sum = (values: readonly Value[]) => `(+ 0 ${values.map((value) => smt(value)).join(" ")})`;
const list = (values: readonly Value[]): Composite => ({ kind: "composite", items: new Map(values.map((value, i) => [`${i}`, value])) });

describe("proofs: sums come out, for all numbers", function () {
  this.timeout(600_000);
  let prover: Prover;
  before(async () => {
    prover = await startProver();
  });
  after(() => prover.close());

  /** Whatever holds of `given` makes each formula true; asked one by one, which z3 is faster at. */
  const proves = async (run: Run, given: string, ...formulas: readonly string[]) => {
    for (const formula of formulas) expect(await prover.counterexample(run, implies(given, formula)), formula).to.equal(undefined);
  };
  const disproves = async (run: Run, formula: string) => expect(await prover.counterexample(run, formula)).to.be.a("string");

  describe("Payout", () => {
    const PARTS = ["fee", "insurance", "paid", "discount", "toSponsor"];
    const begin = (sources = contract("contracts/libraries/Payout.sol")) => {
      const run = new Run(sources, WHOLE_NUMBERS);
      const [price, fee, insurance, share] = [
        run.unknown(64, "price"),
        run.unknown(16, "fee"),
        run.unknown(16, "insurance"),
        run.unknown(16, "share"),
      ];
      const psi = run.unknown(256, "psi");
      const endings = run.call("Payout", "split", [price, fee, insurance, share, psi]);
      const rates = all(`(<= (+ ${fee.smt} ${insurance.smt}) 10000)`, `(<= ${share.smt} 10000)`);
      const lawful = all(rates, `(<= ${psi.smt} 2000)`);
      return { run, price, share, psi, endings, rates, lawful };
    };

    it("splits every price without losing or making a unit", async () => {
      const { run, price, endings } = begin();
      await proves(
        run,
        "true",
        onReturn(endings, (it) => `(= ${price.smt} ${sum(PARTS.map((name) => part(it, name)))})`),
      );
    });

    it("is found out when a part is given twice", async () => {
      const wrong = contractWith(
        "contracts/libraries/Payout.sol",
        "price - s.fee - s.insurance - s.released",
        "price - s.fee - s.released",
      );
      const { run, price, endings } = begin(wrong);
      await disproves(
        run,
        onReturn(endings, (it) => `(= ${price.smt} ${sum(PARTS.map((name) => part(it, name)))})`),
      );
    });

    it("never reverts on lawful rates, and always on others", async () => {
      const { run, endings, rates, lawful } = begin();
      await proves(run, lawful, ...neverReverts(endings));
      await proves(
        run,
        `(not ${rates})`,
        onReturn(endings, () => "false"),
      );
    });

    it("pays at most what is released, and a premium of at most as much again", async () => {
      const { run, psi, endings, lawful } = begin();
      await proves(
        run,
        lawful,
        onReturn(endings, (it) => `(<= (+ ${smt(it, "paid")} ${smt(it, "discount")}) ${smt(it, "base")})`),
      );
      await proves(
        run,
        lawful,
        onReturn(endings, (it) => `(<= ${smt(it, "premium")} ${smt(it, "released")})`),
      );
      await proves(
        run,
        `(>= ${psi.smt} 1000)`,
        onReturn(endings, (it) => `(= ${smt(it, "paid")} ${smt(it, "released")})`),
      );
    });

    it("takes nothing from an attempt that is paid nothing", async () => {
      const { run, price, share, endings } = begin();
      await proves(
        run,
        `(= ${share.smt} 0)`,
        onReturn(endings, (it) => `(= ${smt(it, "toSponsor")} ${price.smt})`),
      );
    });
  });

  describe("Fairness", () => {
    it("is between 0 and 1000 and never reverts, for as many producers as a city can have", async () => {
      const run = new Run(contract("contracts/libraries/Fairness.sol"), WHOLE_NUMBERS);
      const [squares, total, p] = [run.unknown(64, "squares"), run.unknown(64, "total"), run.unknown(16, "p")];
      const endings = run.call(
        "Fairness",
        "score",
        [squares, total, p].map((n) => ({ ...n, bits: 256 })),
      );
      await proves(
        run,
        "true",
        ...neverReverts(endings),
        onReturn(endings, (it) => `(<= ${smt(it)} 1000)`),
      );
    });
  });

  describe("LossShares", () => {
    /** The sorting of OpenZeppelin, which is assembly, as a network of comparisons. */
    const sort = ([array]: readonly Value[], run: Run): readonly Value[] => {
      if (array?.kind !== "composite") throw new Error("nothing to sort");
      const keys = [...array.items.keys()];
      for (let end = keys.length; end > 1; end--) {
        for (let i = 1; i < end; i++) {
          const [a, b] = [part(array, i - 1), part(array, i)];
          const swapped = `(< ${smt(b)} ${smt(a)})`;
          array.items.set(`${i - 1}`, run.either(swapped, b, a));
          array.items.set(`${i}`, run.either(swapped, a, b));
        }
      }
      return [array];
    };

    for (const n of [1, 2]) {
      it(`of ${n}: everybody bears at most what it put in, and all bear the loss`, async () => {
        const run = new Run(contract("contracts/libraries/LossShares.sol"), WHOLE_NUMBERS, { "Arrays.sort": sort });
        const loss = run.unknown(64, "loss");
        const put = Array.from({ length: n }, (_, i) => run.unknown(64, `put${i}`));
        const endings = run.call("LossShares", "divide", [loss, list(put)]);
        const covered = `(<= ${loss.smt} ${sum(put)})`;
        await proves(run, covered, ...neverReverts(endings));
        await proves(
          run,
          covered,
          onReturn(endings, (it) => `(= ${loss.smt} ${sum(put.map((_, i) => part(it, i)))})`),
        );
        await proves(
          run,
          covered,
          onReturn(endings, (it) => all(...put.map((mine, i) => `(<= ${smt(it, i)} ${mine.smt})`))),
        );
      });
    }
  });

  describe("Reputation", () => {
    const begin = () => new Run(contract("contracts/libraries/Reputation.sol"), WHOLE_NUMBERS);
    const wide = (run: Run, name: string, most: bigint) => {
      const it = run.unknown(256, name);
      return { it, within: `(<= ${it.smt} ${most})` };
    };

    it("stays between 0 and its most, whatever the outcome", async () => {
      const run = begin();
      const [current, score, lambda] = [wide(run, "current", 1_000_000n), wide(run, "score", 10_000n), wide(run, "lambda", 1000n)];
      const endings = run.call("Reputation", "ema", [current.it, score.it, lambda.it]);
      const given = all(current.within, score.within, lambda.within);
      await proves(
        run,
        given,
        all(
          ...neverReverts(endings),
          onReturn(endings, (it) => `(<= ${smt(it)} 1000000)`),
        ),
      );
    });

    it("multiplies by what fits sixteen bits, for every α that the constitution allows", async () => {
      const run = begin();
      const { max } = parameter("REPUTATION_MULTIPLIER_ALPHA");
      const [rho, alpha] = [wide(run, "rho", 1000n), wide(run, "alpha", max)];
      const endings = run.call("Reputation", "multiplier", [rho.it, alpha.it]);
      await proves(
        run,
        all(rho.within, alpha.within),
        ...neverReverts(endings),
        onReturn(endings, (it) => `(< ${smt(it)} 65536)`),
      );
    });
  });

  describe("BidScore", () => {
    it("is at most a million, and never reverts", async () => {
      const run = new Run(contract("contracts/libraries/BidScore.sol"), WHOLE_NUMBERS);
      const args = ["reputation", "fit", "price", "budget", "wq", "wp"].map((name) => run.unknown(256, name));
      const [reputation, fit, price, budget, wq, wp] = args.map(({ smt: name }) => name);
      const given = all(
        `(<= ${reputation} 1000)`,
        `(<= ${fit} 1000)`,
        `(< ${price} 18446744073709551616)`,
        `(< ${budget} 18446744073709551616)`,
        `(= 1000 (+ ${wq} ${wp}))`,
      );
      const endings = run.call("BidScore", "score", args);
      await proves(
        run,
        given,
        ...neverReverts(endings),
        onReturn(endings, (it) => `(<= ${smt(it)} 1000000)`),
      );
    });
  });
});
