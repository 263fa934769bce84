import { join } from "node:path";
import { expect } from "chai";
import { runSession, SEED } from "../records/session-process.ts";
import { foundHome } from "../support/city-home.ts";
import { suitePostgres } from "../support/postgres.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("a session with its records in any Postgres", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  const server = suitePostgres();

  it("is the same session as the embedded one, through a kill in the middle of the ballots, entry for entry and block for block", async () => {
    const embedded = join(directory(), "embedded-records");
    await foundHome(embedded, SEED);
    const { held: expected } = await runSession(embedded);
    expect(expected).to.have.property("database", "pglite");

    const databaseUrl = server().database("city");
    const home = join(directory(), "postgres-records");
    await foundHome(home, SEED, { databaseUrl });
    const killed = await runSession(home, { databaseUrl, stopAt: "legislature:mid-ballots>sender:broadcast" });
    expect(killed).to.include({ signal: "SIGKILL", stoppedAt: "sender:broadcast" });
    const { held } = await runSession(home, { databaseUrl });
    expect(held).to.deep.equal({ ...expected, database: "postgres" });
  });
});
