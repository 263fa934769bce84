import { expect } from "chai";
import { Rounds } from "../../orchestrator/gateway/rounds.ts";

describe("rounds of the gateway's event loop", () => {
  /** A loop whose rounds are run by hand; who began in each. */
  function loop() {
    let waiting: (() => void)[] = [];
    const rounds = new Rounds((work) => void waiting.push(work));
    const begun: string[] = [];
    return {
      rounds,
      ask: (name: string) => void rounds.turn().then(() => begun.push(name)),
      async round(): Promise<string> {
        const works = waiting;
        waiting = [];
        for (const work of works) work();
        await Promise.resolve();
        return begun.splice(0).join("");
      },
    };
  }

  it("begin all that waits together, and nothing before the next one", async () => {
    const { ask, round } = loop();
    for (const name of "abc") ask(name);
    expect([await round(), await round()]).to.deep.equal(["abc", ""]);
  });

  it("begin one each, in order, as long as connections come: none of those waits for all the work", async () => {
    const { rounds, ask, round } = loop();
    for (const name of "abcdef") ask(name);
    rounds.accepted();
    const first = await round();
    rounds.accepted();
    ask("g");
    expect([first, await round(), await round(), await round()]).to.deep.equal(["a", "b", "cdefg", ""]);
    ask("h");
    expect(await round()).to.equal("h");
  });
});
