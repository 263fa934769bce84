// @long
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { City } from "../../orchestrator/city/city.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { CHATTY } from "../support/chatty.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("a node whose freeze no human attends", function () {
  this.timeout(60_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  const asked: string[] = [];

  before(async () => {
    const home = join(directory(), "home");
    const services = join(directory(), "services");
    mkdirSync(services);
    writeFileSync(join(services, "chatty.js"), CHATTY);
    smallInputs(directory());
    const tasks = { talk: { service: "chatty", over: "input", tier: 1 }, report: { service: "aggregate", after: ["talk"], tier: 1 } };
    const text = smallMission("notes", { input: { kind: "files", path: "notes" }, services: "services", tasks });
    city = await openHome(home, "21");
    outcome = await carryOutIn(city, text, {
      id: "unattended",
      home,
      directory: directory(),
      judge: {
        simulated: true,
        decide: async ({ label, reason, deadline }) => {
          asked.push(`${label}: ${reason}`);
          await city.chain.clock.sleepUntil(BigInt(deadline));
          return undefined;
        },
      },
    });
  });
  after(() => city?.close());

  const history = (event: "NodeFrozen" | "AnomalyReported") => city.client.mission(outcome.mission as Address).history(event);

  it("is frozen in its first attempt alone: whoever watches has to leave the others alone", async () => {
    expect(asked).to.deep.equal(["talk: frozen"]);
    expect((await history("NodeFrozen")).map(({ args }) => args.node)).to.deep.equal([0]);
    expect(await history("AnomalyReported")).to.have.length(1);
  });

  it("goes on in the next attempts, which end by their own clocks: the service never answers", () => {
    expect(outcome.nodes.map(({ state, attempts }) => [state, attempts])).to.deep.equal([
      ["FAILED", 4],
      ["WAITING", 1],
    ]);
    const failures = outcome.nodes[0]?.failures ?? [];
    expect(failures.map(({ reason }) => reason)).to.deep.equal(["FREEZE_EXPIRED", "TIMEOUT", "TIMEOUT", "TIMEOUT"]);
    expect(outcome.status).to.equal("failed");
    expect(balances(outcome.money)).to.equal(true);
  });
});
