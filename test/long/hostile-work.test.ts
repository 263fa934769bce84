import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { balances } from "../../orchestrator/protocol/outcome.ts";
import { expectInvariantsAt } from "../support/city-home.ts";
import { outcomeIn, runCli } from "../support/cli.ts";
import { OUTPUTS, obeying, tracesIn } from "../support/injections.ts";
import { modelServer } from "../support/model-server.ts";
import { smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** Work that gives orders: its words are in every output from the first node to the report. */
describe("scenario: hostile work among producers that ask a chat model", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const server = modelServer();

  it("reaches the report and no model: nobody's draft, ballot or bid can depend on it", async () => {
    server.answer = obeying;
    const rows = OUTPUTS.map(({ words }, index) => `"${words.replaceAll('"', '""')}",${index + 3},${index + 6},${index + 9}`);
    const { csv } = smallInputs(directory(), ["package,optimistic,likely,pessimistic", ...rows]);
    const file = join(directory(), "hostile.yaml");
    writeFileSync(file, smallMission(csv));
    const env = { OPENAI_API_KEY: "none", OPENAI_BASE_URL: server.url };
    const home = join(directory(), "home");
    const result = await runCli(["mission", file, "--seed", "7", "--model", "openai:local", "--json"], { home, env });
    expect(result, result.stderr).to.deep.include({ code: 0 });
    const outcome = outcomeIn(result);
    expect(outcome.status).to.equal("completed");
    expect(outcome.ballots).to.have.length(8);
    expect(balances(outcome.money)).to.equal(true);
    expect(new Set(server.asked.map(({ form }) => form))).to.include.members(["draft", "ranking", "bids"]);
    for (const question of server.asked) {
      expect(question.offersTools).to.equal(false);
      expect(tracesIn(question)).to.deep.equal([]);
    }
    await expectInvariantsAt(home, "7", outcome);
    const report = readFileSync(join(home, outcome.report ?? ""), "utf8");
    expect(tracesIn({ prompt: report }).length).to.be.greaterThan(0);
  });
});
