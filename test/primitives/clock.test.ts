import { expect } from "chai";
import { JumpingClock, ManualClock, systemClock } from "../../orchestrator/primitives/clock.ts";
import { InvalidValue } from "../../orchestrator/primitives/errors.ts";

describe("clocks", () => {
  it("a manual clock wakes sleepers when told, earliest first, and never goes back", async () => {
    const clock = new ManualClock(100n);
    const woken: string[] = [];
    const all = Promise.all([
      clock.sleepUntil(130n).then(() => woken.push("late")),
      clock.sleepUntil(110n).then(() => woken.push("early")),
      clock.sleepUntil(100n).then(() => woken.push("now")),
    ]);
    await Promise.resolve();
    expect(woken).to.deep.equal(["now"]);
    expect(clock.nextWake()).to.equal(110n);
    clock.advanceBy(30n);
    await all;
    expect(woken).to.deep.equal(["now", "early", "late"]);
    expect(() => clock.advanceTo(129n)).to.throw(InvalidValue, "back");
  });

  it("a jumping clock goes to the next deadline at once when nobody else works", async () => {
    const clock = new JumpingClock(0n);
    await clock.sleepUntil(3600n);
    expect(clock.now()).to.equal(3600n);
  });

  it("a jumping clock lets independent work wait together, in order of time", async () => {
    const clock = new JumpingClock(0n);
    const seen: string[] = [];
    const worker = (name: string, times: bigint[]) =>
      clock.run(async () => {
        for (const time of times) {
          await clock.sleepUntil(time);
          for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
          seen.push(`${name}@${clock.now()}`);
        }
      });
    await Promise.all([worker("a", [10n, 40n]), worker("b", [20n, 30n, 50n]), worker("c", [])]);
    expect(seen).to.deep.equal(["a@10", "b@20", "b@30", "a@40", "b@50"]);
  });

  it("a jumping clock never hangs, whatever number of turns lies between two sleeps", async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const jumps: bigint[] = [];
      const clock = new JumpingClock(0n, async (time) => {
        jumps.push(time);
        await Promise.resolve();
      });
      const worker = (times: bigint[]) =>
        clock.run(async () => {
          for (const time of times) {
            await clock.sleepUntil(time);
            for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
          }
        });
      await Promise.all([worker([1n, 4n, 6n]), worker([2n, 3n]), worker([5n])]);
      expect(jumps).to.deep.equal([1n, 2n, 3n, 4n, 5n, 6n]);
    }
  });

  it("a jumping clock does not jump while anybody holds it", async () => {
    const clock = new JumpingClock(0n);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = [clock.hold(() => first.promise), clock.hold(() => second.promise)];
    let woken = false;
    const sleeper = clock.sleepUntil(3600n).then(() => {
      woken = true;
    });
    const turns = async () => {
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    };
    await turns();
    first.resolve();
    await turns();
    expect([clock.now(), woken]).to.deep.equal([0n, false]);
    second.reject(new Error("it came to nothing"));
    expect((await Promise.allSettled(held)).map(({ status }) => status)).to.deep.equal(["fulfilled", "rejected"]);
    await sleeper;
    expect(clock.now()).to.equal(3600n);
  });

  it("a jumping clock that cannot jump tells every sleeper", async () => {
    const clock = new JumpingClock(0n, () => Promise.reject(new Error("closed")));
    const results = await Promise.allSettled([clock.run(() => clock.sleepUntil(1n)), clock.run(() => clock.sleepUntil(2n))]);
    expect(results.map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
  });

  it("the system clock sleeps through its injected timer, as long as it takes", async () => {
    let millis = 1_500;
    const slept: number[] = [];
    const clock = systemClock({
      millis: () => millis,
      sleep: async (wait) => {
        slept.push(wait);
        millis += Math.min(wait, 1_000);
      },
    });
    await clock.sleepUntil(3n);
    expect(clock.now()).to.equal(3n);
    expect(slept).to.deep.equal([1_500, 500]);
  });
});
