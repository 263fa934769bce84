import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { outcomeIn, runCli } from "../support/cli.ts";
import { smallInputs } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const SHOUT = `
export const about = {
  id: "shout", title: "Names in capitals", description: "Writes the name of each item in capital letters.",
  accepts: ["files"], produces: "items", perItem: true, input: { type: "object" }, output: { type: "object" },
  capabilities: [0, 0, 0, 0, 0, 0, 0, 60, 0, 0], deterministic: true,
};
export default (input) => ({ items: input.items.map(({ id }) => ({ id, label: id.toUpperCase() })) });
`;

describe("a service that is edited while a mission that uses it is interrupted", function () {
  this.timeout(480_000);
  const directory = suiteDirectory();

  it("is named with what to do, and the mission continues when the change is undone", async () => {
    const home = join(directory(), "city");
    const services = join(directory(), "own");
    mkdirSync(services);
    const file = join(services, "shout.js");
    writeFileSync(file, SHOUT);
    const mission = join(directory(), "shout.yaml");
    writeFileSync(
      mission,
      stringify({
        mission: "shout",
        goal: "Write the names in capitals.",
        budget: "200.00",
        deadline: "20m",
        risk: "LOW",
        input: { kind: "files", path: smallInputs(directory()).files },
        services,
        tasks: { shout: { service: "shout", over: "input", tier: 1 }, report: { service: "aggregate", after: ["shout"], tier: 1 } },
        output: { task: "report", format: "markdown" },
      }),
    );
    const command = ["mission", mission, "--json"];
    expect((await runCli(command, { home, stopAt: "execution:routed", limitMs: 200_000 })).signal).to.equal("SIGKILL");

    writeFileSync(file, SHOUT.replace("toUpperCase", "toLowerCase"));
    const edited = await runCli(command, { home, limitMs: 200_000 });
    expect(edited.code, edited.stderr).to.equal(1);
    expect(JSON.parse(edited.stdout)).to.have.nested.property("error.code", "ServiceChanged");
    expect(JSON.parse(edited.stdout).error.message).to.equal(
      "The service shout has changed since this mission began, and executors are bound to the code that they bid with",
    );
    expect(edited.stdout).to.contain("undo the change");

    writeFileSync(file, SHOUT);
    const outcome = outcomeIn(await runCli(command, { home, limitMs: 200_000 }));
    expect(outcome.status).to.equal("completed");
    expect(readFileSync(join(home, outcome.report), "utf8")).to.contain("A.MD");
  });
});
