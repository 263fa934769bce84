import { expect } from "chai";
import fc from "fast-check";
import { cosineDistance, deviationOf, MAX_Z, WINDOW_MIN } from "../../../orchestrator/execution/guardian/deviation.ts";
import { randomStream } from "../../../orchestrator/primitives/random.ts";
import { expectNear, expectOrder } from "../../support/fractions.ts";

/** Points on the unit circle, by angle: distances can be worked out by hand. */
const at = (...degrees: number[]) =>
  degrees.map((angle) => Float64Array.of(Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)));
const cos = (degrees: number) => Math.cos((degrees * Math.PI) / 180);

describe("execution/guardian/deviation", () => {
  it("measures the window's members as it measures the output: each from the mean of the others", () => {
    const window = at(-10, -5, 0, 5, 10);
    const { distance, mean, spread, z } = deviationOf(at(30)[0]!, window);
    expectNear(distance, 1 - cos(30), 1e-12);
    // By hand: the mean of the other four lies at 2.5°, 1.258976°, 0° and so on.
    const own = [12.5, 6.258976, 0, 6.258976, 12.5].map((angle) => 1 - cos(angle));
    const average = own.reduce((sum, value) => sum + value, 0) / 5;
    expectNear(mean, average, 1e-6);
    expectNear(spread, Math.sqrt(own.reduce((sum, value) => sum + (value - average) ** 2, 0) / 4), 1e-6);
    expectNear(z, (distance - mean) / spread, 1e-12);
    expectOrder(z, ">", 8);
  });

  it("says nothing about an output of the same kind, whatever the window", () => {
    expectOrder(deviationOf(at(1)[0]!, at(-10, -5, 0, 5, 10)).z, "<", 0);
  });

  it("is bounded where the window has no spread: the same is the same, anything else is the most there is", () => {
    const window = at(20, 20, 20, 20, 20);
    expect(deviationOf(at(20)[0]!, window).z).to.equal(0);
    expect(deviationOf(at(21)[0]!, window).z).to.equal(MAX_Z);
    expect(deviationOf(Float64Array.of(0, 0), window)).to.deep.include({ distance: 1, z: MAX_Z });
  });

  it("needs five earlier tasks", () => {
    expect(() => deviationOf(at(0)[0]!, at(1, 2, 3, 4))).to.throw(RangeError, String(WINDOW_MIN));
  });

  it("does not depend on the order of the window, nor on the length of a vector", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -60, max: 60 }), { minLength: 5, maxLength: 20 }),
        fc.integer({ min: -90, max: 90 }),
        (angles, angle) => {
          const [output] = at(angle);
          const { z } = deviationOf(output!, at(...angles));
          const reversed = deviationOf(
            output!.map((value) => 7 * value),
            at(...angles.toReversed()),
          );
          expectNear(reversed.z, z, 1e-6 * Math.max(1, Math.abs(z)));
        },
      ),
      { seed: 7, numRuns: 200 },
    );
  });

  it("gives an honest newcomer and the window's own members the same distances on average", () => {
    const random = randomStream(7, "gauss");
    const draw = () => Float64Array.from({ length: 40 }, (_, index) => (index === 0 ? 3 : random.next() - random.next()));
    let newcomer = 0;
    let member = 0;
    for (let round = 0; round < 400; round += 1) {
      const { distance, mean } = deviationOf(draw(), Array.from({ length: 6 }, draw));
      newcomer += distance / 400;
      member += mean / 400;
    }
    // A window of six leaves means of five: one less than the newcomer meets, hence a little farther.
    expectOrder(newcomer / member, ">=", 0.96);
    expectOrder(newcomer / member, "<=", 1.01);
  });

  it("knows two texts without content to be the same, and one of them to be orthogonal to any other", () => {
    const nothing = Float64Array.of(0, 0);
    expect([cosineDistance(nothing, nothing), cosineDistance(nothing, at(3)[0]!)]).to.deep.equal([0, 1]);
  });
});
