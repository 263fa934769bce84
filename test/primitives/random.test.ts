import { expect } from "chai";
import fc from "fast-check";
import { InvalidValue } from "../../orchestrator/primitives/errors.ts";
import { bytesToHex } from "../../orchestrator/primitives/hex.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { expectNear } from "../support/fractions.ts";

describe("random streams", () => {
  it("never change: these values are fixed for ever", () => {
    const stream = randomStream(7, "agent-1", "bid");
    expect(bytesToHex(stream.bytes(16))).to.equal("0xbbde88b4ccd78306628b7c8a122ddca1");
    expect(stream.int(1000)).to.equal(66);
    expect(stream.shuffle(["a", "b", "c", "d", "e", "f"]).join("")).to.equal("afecdb");
  });

  it("are one per name: neither order of use nor joined names mix them", () => {
    const first = randomStream(7, "a", "b");
    const drawn = [first.next(), first.next()];
    randomStream(7, "ab").next();
    expect([randomStream(7, "a", "b").next()]).to.deep.equal(drawn.slice(0, 1));
    expect(randomStream(7, "ab").next()).to.not.equal(drawn[0]);
    expect(randomStream(8, "a", "b").next()).to.not.equal(drawn[0]);
  });

  it("fork without moving the parent", () => {
    const parent = randomStream(7);
    const child = parent.fork("x", 1);
    child.bytes(100);
    expect(parent.next()).to.equal(randomStream(7).next());
    expect(parent.fork("x", 1).next()).to.equal(randomStream(7, "x", 1).next());
  });

  it("stay in range and are roughly even", () => {
    const stream = randomStream("even");
    const counts = new Array<number>(10).fill(0);
    for (let draw = 0; draw < 10_000; draw += 1) {
      const index = stream.int(10);
      counts[index] = (counts[index] ?? 0) + 1;
    }
    for (const count of counts) expect(count).to.be.within(880, 1120);
    let sum = 0;
    for (let draw = 0; draw < 10_000; draw += 1) {
      const value = stream.next();
      expect(value).to.be.within(0, 1 - 2 ** -53);
      sum += value;
    }
    // not closeTo: the chain matchers, once loaded by a neighbour, read its numbers as integers
    expectNear(sum / 10_000, 0.5, 0.02);
  });

  it("take integers as the remainder of 53 bits, and draw again above the last multiple of the bound", () => {
    const all = 2n ** 53n;
    const bounds = fc.oneof(
      fc.integer({ min: 1, max: 1000 }),
      fc.maxSafeInteger().map(Math.abs),
      fc.constantFrom(2 ** 53 - 1, 2 ** 52 + 1),
    );
    const bits = (bytes: Uint8Array) => BigInt(`0x${bytesToHex(bytes).slice(2)}`) >> 3n;
    fc.assert(
      fc.property(fc.integer(), bounds, (seed, bound) => {
        const below = Math.max(1, bound);
        const [stream, same] = [randomStream(seed), randomStream(seed)];
        for (let draw = 0; draw < 5; draw += 1) {
          let value = bits(same.bytes(7));
          while (value >= all - (all % BigInt(below))) value = bits(same.bytes(7));
          expect(stream.int(below)).to.equal(Number(value % BigInt(below)));
        }
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it("shuffle keeps every element, and leaves its input alone", () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 50 }), fc.integer(), (items, seed) => {
        const before = [...items];
        const shuffled = randomStream(seed).shuffle(items);
        expect(items).to.deep.equal(before);
        expect([...shuffled].sort((a, b) => a - b)).to.deep.equal([...items].sort((a, b) => a - b));
      }),
      { seed: 7, numRuns: 100 },
    );
  });

  it("refuse a meaningless request", () => {
    expect(() => randomStream(1).int(0)).to.throw(InvalidValue);
    expect(() => randomStream(1).int(2.5)).to.throw(InvalidValue);
    expect(() => randomStream(1).pick([])).to.throw(InvalidValue);
  });
});
