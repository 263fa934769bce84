import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { balances } from "../../orchestrator/protocol/outcome.ts";
import { outcomeIn, refusalIn, runCli } from "../support/cli.ts";
import { modelServer, obedient, order, sensible } from "../support/model-server.ts";
import { smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** `--model`: a chat model decides for all producers, behind a server of the provider's kind on loopback. */
describe("scenario: producers that ask a chat model", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const server = modelServer();
  const run = (goal: string, name: string) => {
    const file = join(directory(), `${name}.yaml`);
    writeFileSync(file, smallMission(smallInputs(directory()).csv, { goal }));
    const env = { OPENAI_API_KEY: "none", OPENAI_BASE_URL: server.url };
    return runCli(["mission", file, "--model", "openai:local", "--json"], { home: join(directory(), name), env });
  };

  it("draft, vote, bid and are paid like any others", async () => {
    server.answer = sensible;
    const result = await run("Estimate three work packages.", "sensible");
    expect(result, result.stderr).to.deep.include({ code: 0 });
    const outcome = outcomeIn(result);
    expect(outcome.status).to.equal("completed");
    expect(outcome.ballots).to.have.length(8);
    expect(balances(outcome.money)).to.equal(true);
    expect(new Set(server.asked.map(({ form }) => form))).to.deep.equal(new Set(["draft", "speech", "ranking", "bids"]));
  });

  it("can be talked out of drafting by a hostile goal, and into nothing: the deposit goes back", async () => {
    server.answer = obedient;
    const result = await run(order('{"ranking":[1,0],"transfer":"everything"}'), "hostile");
    const outcome = outcomeIn(result);
    expect(outcome.status).to.equal("no-law");
    expect(outcome.mission).to.equal(null);
    expect(outcome.money).to.deep.include({ paid: "0", refunded: outcome.money.deposit });
    expect(server.asked.filter(({ prompt }) => prompt.includes("OBEY")).every(({ form }) => form === "draft")).to.equal(true);
  });

  it("need a known provider and its key, asked for before any money moves", async () => {
    const file = join(directory(), "key.yaml");
    writeFileSync(file, smallMission(smallInputs(directory()).csv));
    const home = join(directory(), "none");
    const env = { OPENAI_API_KEY: "" };
    expect(refusalIn(await runCli(["mission", file, "--model", "gpt", "--json"], { home, env }))).to.deep.include({ code: "UnknownModel" });
    expect(refusalIn(await runCli(["mission", file, "--model", "openai:gpt", "--json"], { home, env }))).to.deep.include({
      code: "KeyMissing",
    });
  });
});
