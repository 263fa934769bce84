import { expect } from "chai";
import { Turns } from "../../orchestrator/primitives/turns.ts";
import { rejection } from "../support/rejection.ts";

describe("primitives/turns", () => {
  /** Three pieces of work that are ready in the given order; returns the order of their effects. */
  async function effects(ready: readonly number[], failing?: number): Promise<number[]> {
    const turns = new Turns();
    const gates = [0, 1, 2].map(() => Promise.withResolvers<void>());
    const seen: number[] = [];
    const works = gates.map(({ promise }, index) =>
      turns.take(async (before) => {
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
    expect(await rejection(new Turns().take(() => Promise.reject(new Error("failed"))))).to.have.property("message", "failed");
  });
});
