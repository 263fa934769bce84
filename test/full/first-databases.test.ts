import { join } from "node:path";
import { expect } from "chai";
import { openDatabase } from "../../orchestrator/records/database.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("the first databases of a machine", function () {
  this.timeout(120_000);
  const directory = suiteDirectory();

  it("open, whichever of them leaves its empty cluster to the others", async () => {
    const cache = join(directory(), "cache");
    const databases = await Promise.all([1, 2, 3].map((number) => openDatabase({ dir: join(directory(), String(number)), cache })));
    const answers = await Promise.all(databases.map((database) => database.query("SELECT 1 AS one")));
    expect(answers).to.deep.equal(databases.map(() => [{ one: 1 }]));
    await Promise.all(databases.map((database) => database.close()));
  });
});
