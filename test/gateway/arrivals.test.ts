import { expect } from "chai";
import { Arrivals, type Arriving } from "../../orchestrator/gateway/arrivals.ts";
import { rejection, thrown } from "../support/rejection.ts";

describe("large bodies on their way in", () => {
  let now = 0;
  const places = (all: number, each: number) => new Arrivals(all, each, () => now);
  /** What became of a body whose place was taken. */
  const codeOf = (body: Arriving | undefined) => rejection(body?.stopped ?? Promise.resolve());

  it("are so many in all and so many of each party, and come back", () => {
    const bodies = places(3, 2);
    const first = bodies.enter("a");
    bodies.enter("a");
    expect(thrown(() => bodies.enter("a"))).to.include({ code: "GatewayBusy" });
    bodies.enter("b");
    // Nobody gains by it: whoever has most would have no more than the newcomer.
    expect(thrown(() => bodies.enter("b"))).to.include({ code: "GatewayBusy" });
    first.leave();
    bodies.enter("b");
  });

  it("of whoever has most make room for a newcomer, however fast they come", async () => {
    const bodies = places(4, 4);
    const held = Array.from({ length: 4 }, () => bodies.enter("a"));
    for (const [place, body] of held.entries()) body.came(1_000_000 * (4 - place));
    bodies.enter("b");
    expect(await codeOf(held[3])).to.include({ code: "GatewayBusy" });
    bodies.enter("b");
    expect(await codeOf(held[2])).to.include({ code: "GatewayBusy" });
    expect(thrown(() => bodies.enter("b"))).to.include({ code: "GatewayBusy" });
  });

  it("that come slowly make room for others, of their own party and of another, and those that come well do not", async () => {
    const bodies = places(4, 2);
    const [slow, quick, other] = [bodies.enter("a"), bodies.enter("a"), bodies.enter("b")];
    now += 1_999;
    expect(thrown(() => bodies.enter("a"))).to.include({ code: "GatewayBusy" });
    quick.came(10_000_000);
    other.came(10_000_000);
    now += 1;
    const next = bodies.enter("a");
    expect(await codeOf(slow)).to.include({ code: "BodyTooSlow" });
    bodies.enter("c");
    now += 2_000;
    bodies.enter("d");
    expect(await codeOf(next)).to.include({ code: "BodyTooSlow" });
  });

  it("that were stopped leave once", () => {
    const bodies = places(1, 1);
    const slow = bodies.enter("a");
    now += 2_000;
    const next = bodies.enter("b");
    slow.leave();
    expect(thrown(() => bodies.enter("c"))).to.include({ code: "GatewayBusy" });
    next.leave();
    bodies.enter("c");
  });
});
