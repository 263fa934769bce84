import { expect } from "chai";
import fc from "fast-check";
import { formatAmount, formatMoney, parseAmount } from "../../orchestrator/primitives/amounts.ts";
import { InvalidValue } from "../../orchestrator/primitives/errors.ts";

describe("amounts", () => {
  it("read and write decimal text exactly", () => {
    expect(parseAmount("1200.00")).to.equal(1_200_000_000n);
    expect(parseAmount("0.000001")).to.equal(1n);
    expect(parseAmount("3", 0)).to.equal(3n);
    expect(formatAmount(1_200_500_000n)).to.equal("1200.5");
    expect(formatAmount(-1n)).to.equal("-0.000001");
    expect(formatMoney(1_200_500_000n)).to.equal("1,200.50");
    expect(formatMoney(1_234_567_000_001n)).to.equal("1,234,567.000001");
    expect(formatMoney(0n)).to.equal("0.00");
  });

  it("round-trip every amount", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n }), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
        expect(parseAmount(formatAmount(units, decimals), decimals)).to.equal(units);
        const readable = formatMoney(units, decimals);
        expect(readable).to.match(/^\d{1,3}(,\d{3})*\.\d{2,}$/);
        expect(parseAmount(readable.replaceAll(",", ""), 18)).to.equal(units * 10n ** BigInt(18 - decimals));
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  for (const text of ["", "-1", "+1", "1e3", "1,000", ".5", "1.", "01", "0.0000001", " 1", "0x10"]) {
    it(`refuse ${JSON.stringify(text)}`, () => expect(() => parseAmount(text)).to.throw(InvalidValue));
  }
});
