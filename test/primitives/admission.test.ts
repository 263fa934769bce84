import { expect } from "chai";
import { Admission } from "../../orchestrator/primitives/admission.ts";

describe("admission", () => {
  /** One hand, which is busy until `free`; what is asked for meanwhile, in the order in which it was answered. */
  function desk(mayWait: number) {
    const admission = new Admission(1, mayWait, () => new Error("full"));
    const first = Promise.withResolvers<void>();
    const done: string[] = [];
    const busy = admission.run(() => first.promise);
    const ask = (party: string, what: string) =>
      admission
        .run(async () => {
          done.push(`${party}${what}`);
        }, party)
        .catch((error: Error) => {
          done.push(`${party}${what} ${error.message}`);
        });
    const free = () => {
      first.resolve();
      return busy;
    };
    return { ask, done, free };
  }

  it("lets parties take turns, and answers each one in order", async () => {
    const { ask, done, free } = desk(10);
    const all = [ask("a", "1"), ask("a", "2"), ask("a", "3"), ask("b", "1"), ask("c", "1"), ask("b", "2")];
    await free();
    await Promise.all(all);
    expect(done).to.deep.equal(["a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  it("lets nobody who asks much close the door for others", async () => {
    const { ask, done, free } = desk(4);
    const all = [..."12345678"].map((what) => ask("much", what));
    all.push(ask("other", "1"), ask("third", "1"));
    await free();
    await Promise.all(all);
    const refused = done.filter((each) => each.endsWith("full"));
    expect(refused).to.have.members(["3", "4", "5", "6", "7", "8"].map((what) => `much${what} full`));
    expect(done.filter((each) => !each.endsWith("full"))).to.deep.equal(["much1", "other1", "third1", "much2"]);
  });

  it("refuses a newcomer where nobody waits with more", async () => {
    const { ask, done, free } = desk(2);
    const all = [ask("a", "1"), ask("b", "1"), ask("c", "1")];
    await free();
    await Promise.all(all);
    expect(done).to.have.members(["a1", "b1", "c1 full"]);
  });

  it("hands the place on after a failure", async () => {
    const admission = new Admission(1, 1, () => new Error("full"));
    const failed = admission.run(() => Promise.reject(new Error("no"))).catch(() => "failed");
    const next = admission.run(async () => "done");
    expect(await Promise.all([failed, next])).to.deep.equal(["failed", "done"]);
  });
});
