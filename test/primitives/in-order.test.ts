import { expect } from "chai";
import { InOrder } from "../../orchestrator/primitives/in-order.ts";
import { rejection } from "../support/rejection.ts";

describe("primitives/inOrder", () => {
  /** Three pieces of work that are ready in the given order; returns the order of their effects. */
  async function effects(ready: readonly number[], failing?: number): Promise<number[]> {
    const inOrder = new InOrder();
    const gates = [0, 1, 2].map(() => Promise.withResolvers<void>());
    const seen: number[] = [];
    const works = gates.map(({ promise }, index) =>
      inOrder.run(async (before) => {
        await promise;
        if (index === failing) throw new Error("failed");
        await before;
        seen.push(index);
      }),
    );
    const ended = Promise.allSettled(works);
    for (const index of ready) gates[index]?.resolve();
    await ended;
    return seen;
  }

  it("take effect in the order they were begun, whichever is ready first", async () => {
    for (const ready of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ])
      expect(await effects(ready)).to.deep.equal([0, 1, 2]);
  });

  it("let the others go on when one fails, without overtaking", async () => {
    expect(await effects([1, 2, 0], 1)).to.deep.equal([0, 2]);
    expect(await rejection(new InOrder().run(() => Promise.reject(new Error("failed"))))).to.have.property("message", "failed");
  });
});
