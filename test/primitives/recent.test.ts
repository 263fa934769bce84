import { expect } from "chai";
import { Recent } from "../../orchestrator/primitives/recent.ts";
import { rejection } from "../support/rejection.ts";

describe("primitives/recent", () => {
  it("makes a thing once for all who ask, and again when lighter things have taken its place", async () => {
    const recent = new Recent<string>(6, ({ length }) => length);
    let made = 0;
    const ask = (name: string) =>
      recent.of(name, async () => {
        made += 1;
        return name;
      });
    expect(await Promise.all([ask("aaa"), ask("aaa"), ask("bbb")])).to.deep.equal(["aaa", "aaa", "bbb"]);
    await ask("aaa");
    expect(made).to.equal(2);
    await ask("cc");
    await ask("aaa");
    expect(made).to.equal(3);
    await ask("bbb");
    expect(made).to.equal(4);
    await ask("too heavy to keep");
    await ask("too heavy to keep");
    expect(made).to.equal(6);
  });

  it("keeps no failure", async () => {
    const recent = new Recent<string>(6, () => 1);
    expect(await rejection(recent.of("a", () => Promise.reject(new Error("no"))))).to.have.property("message", "no");
    expect(await recent.of("a", async () => "yes")).to.equal("yes");
  });
});
