import { join } from "node:path";
import { expect } from "chai";
import { runSession, SEED } from "../records/session-process.ts";
import { foundHome } from "../support/city-home.ts";
import { type PostgresServer, postgresBinaries, startPostgres } from "../support/postgres.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** A real server, started for these tests. Without one installed they are skipped; in CI that is a failure. */
describe("a session with its records in any Postgres", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  let server: PostgresServer;

  before(async function () {
    const binaries = postgresBinaries();
    if (binaries === undefined && process.env["CI"] === undefined) this.skip();
    if (binaries === undefined) throw new Error("Postgres is not installed: apt-get install -y postgresql");
    server = await startPostgres(binaries);
  });
  after(() => server?.stop());

  it("is the same session as the embedded one, through a kill in the middle of the ballots, entry for entry and block for block", async () => {
    const embedded = join(directory(), "embedded-records");
    await foundHome(embedded, SEED);
    const { held: expected } = await runSession(embedded);
    expect(expected).to.have.property("database", "pglite");

    const databaseUrl = server.database("city");
    const home = join(directory(), "postgres-records");
    await foundHome(home, SEED, { databaseUrl });
    const killed = await runSession(home, { databaseUrl, stopAt: "legislature:mid-ballots>sender:broadcast" });
    expect(killed).to.include({ signal: "SIGKILL", stoppedAt: "sender:broadcast" });
    const { held } = await runSession(home, { databaseUrl });
    expect(held).to.deep.equal({ ...expected, database: "postgres" });
  });
});
