import { join } from "node:path";
import { expect } from "chai";
import { ManualClock } from "../../orchestrator/primitives/clock.ts";
import { openDatabase } from "../../orchestrator/records/database.ts";
import { DatabaseInUse } from "../../orchestrator/records/errors.ts";
import { RecordLog } from "../../orchestrator/records/log.ts";
import { foundHome } from "../support/city-home.ts";
import { suitePostgres } from "../support/postgres.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { SEED } from "./session-process.ts";

describe("records in any Postgres", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  const server = suitePostgres();

  it("keep the log, chained, and checkpoints' tables, across connections", async () => {
    const url = server().database("city");
    const clock = new ManualClock(1_000n);
    const first = await openDatabase({ url });
    await new RecordLog(first, clock).append([
      { kind: "test.first", subjects: ["a"] },
      { kind: "test.second", subjects: [] },
    ]);
    await first.close();
    const again = await openDatabase({ url });
    const log = new RecordLog(again, clock);
    await log.append([{ kind: "test.third", subjects: ["a"] }]);
    expect((await log.read()).map(({ kind }) => kind)).to.deep.equal(["test.first", "test.second", "test.third"]);
    await log.verify();
    await again.close();
  });

  it("are one city's: another is refused by name", async () => {
    const databaseUrl = server().database("taken");
    const database = await openDatabase({ url: databaseUrl });
    await database.query("INSERT INTO log (seq, time, kind, subjects, prev, hash) VALUES (1, 1, 'k', '{}', '0x', '0x')");
    await database.close();
    expect(await rejection(foundHome(join(directory(), "other"), SEED, { databaseUrl }))).to.be.instanceOf(DatabaseInUse);
  });
});
