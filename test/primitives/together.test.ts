import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { together } from "../../orchestrator/primitives/together.ts";
import { rejection } from "../support/rejection.ts";

describe("primitives/together", () => {
  /** Doubles numbers; each call waits until it is let go. */
  function doubling() {
    const calls: { readonly asked: readonly number[]; readonly letGo: () => void }[] = [];
    const double = together(async (asked: readonly number[]) => {
      const gate = Promise.withResolvers<void>();
      calls.push({ asked, letGo: gate.resolve });
      await gate.promise;
      if (asked.includes(0)) throw new Error("nothing to double");
      return asked.map((each) => 2 * each);
    });
    return { calls, double };
  }

  it("asks for what came while the last call ran in one call, and answers each with its own", async () => {
    const { calls, double } = doubling();
    const answers = [1, 2, 3].map(double);
    expect(calls.map(({ asked }) => asked)).to.deep.equal([[1]]);
    calls[0]?.letGo();
    expect(await answers[0]).to.equal(2);
    await setImmediate();
    expect(calls.map(({ asked }) => asked)).to.deep.equal([[1], [2, 3]]);
    calls[1]?.letGo();
    expect(await Promise.all(answers)).to.deep.equal([2, 4, 6]);
  });

  it("fails those of a call that failed, and goes on", async () => {
    const { calls, double } = doubling();
    const failing = rejection(double(0));
    const next = double(4);
    calls[0]?.letGo();
    expect(await failing).to.have.property("message", "nothing to double");
    await setImmediate();
    calls[1]?.letGo();
    expect(await next).to.equal(8);
  });

  it("refuses to leave a request without its result", async () => {
    expect(await rejection(together(async () => [])("asked"))).to.have.property("code", "ResultMissing");
  });
});
