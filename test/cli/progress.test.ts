import { expect } from "chai";
import { ProgressDisplay } from "../../orchestrator/cli/progress.ts";

/** A stream and a clock in a test's hands. */
function port(isTerminal: boolean) {
  let now = 0;
  let call: (() => void) | undefined;
  let text = "";
  return {
    isTerminal,
    write: (more: string) => {
      text += more;
    },
    millis: () => now,
    every: (_: number, each: () => void) => {
      call = each;
      return () => {
        call = undefined;
      };
    },
    /** Time passes, four beats a second. */
    pass(seconds: number) {
      for (let beat = 0; beat < 4 * seconds; beat += 1) {
        now += 250;
        call?.();
      }
    },
    /** Time passes, and nothing else. */
    freeze(seconds: number) {
      now += 1000 * seconds;
    },
    taken() {
      const taken = text;
      text = "";
      return taken;
    },
  };
}

describe("progress", () => {
  it("says on a pipe what is happening whenever three seconds were silent, and nothing in between", () => {
    const to = port(false);
    const display = new ProgressDisplay(to);
    display.enter("agents vote");
    to.pass(2);
    expect(to.taken()).to.equal("");
    display.progress("the vote is open");
    to.pass(2);
    expect(to.taken()).to.equal("   2.0 s  the vote is open\n");
    to.pass(5);
    expect(to.taken()).to.equal("   5.0 s  … agents vote\n   8.0 s  … agents vote\n");
  });

  it("says at once what begins when work that left no time for beats was silent", () => {
    const to = port(false);
    const display = new ProgressDisplay(to);
    to.freeze(10);
    display.enter("agents vote");
    expect(to.taken()).to.equal("  10.0 s  … agents vote\n");
  });

  it("counts tasks, and estimates the rest by those that were done", () => {
    const to = port(false);
    const display = new ProgressDisplay(to);
    display.enter("services are running");
    display.progress("a done (1 of 5)", { done: 1, of: 5 });
    to.pass(3);
    expect(to.taken()).to.include("… services are running, 1 of 5 tasks done\n");
    display.progress("b done (2 of 5)", { done: 2, of: 5 });
    to.pass(1);
    display.progress("c done (3 of 5)", { done: 3, of: 5 });
    to.pass(3);
    expect(to.taken()).to.match(/… services are running, 3 of 5 tasks done, about 1 s left\n$/);
    to.pass(3);
    expect(to.taken()).to.match(/… services are running, 3 of 5 tasks done\n$/);
    display.progress("e done (5 of 5)", { done: 5, of: 5 });
    to.pass(3);
    expect(to.taken()).to.match(/5 of 5 tasks done\n$/);
    display.enter("agents prepare another law", true);
    to.pass(3);
    expect(to.taken()).to.match(/… agents prepare another law\n$/);
  });

  it("draws one line again and again on a terminal, never wider than it, and leaves none behind", () => {
    const to = port(true);
    const display = new ProgressDisplay(to);
    display.enter("x".repeat(200));
    to.taken();
    to.pass(1);
    const drawn = to.taken().split("\r\u001b[K").slice(1);
    expect(drawn).to.have.length(4);
    for (const line of drawn)
      expect(line)
        .to.match(/^ {3}[01]\.\d s {2}[⠀-⣿] x+$/)
        .and.to.have.length(79);
    display.progress("done");
    expect(to.taken()).to.equal("\r\u001b[K   1.0 s  done\n");
    display.end();
    to.pass(5);
    expect(to.taken()).to.equal("\r\u001b[K");
  });
});
