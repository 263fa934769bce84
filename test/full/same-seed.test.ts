import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { outcomeIn, runCli } from "../support/cli.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("the sample mission, twice", function () {
  this.timeout(480_000);
  const directory = suiteDirectory();

  it("is the same for the same seed wherever it runs, block for block", async () => {
    const start = (folder: string) => {
      mkdirSync(join(directory(), folder));
      return runCli(["start", "--json"], { home: ".agentcity", cwd: join(directory(), folder) });
    };
    expect(outcomeIn(await start("one"))).to.deep.equal(outcomeIn(await start("two")));
  });
});
