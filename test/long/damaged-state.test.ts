import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import { openDatabase } from "../../orchestrator/records/database.ts";
import { copyHome, foundHome, openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const SEED = "7";

/** What somebody may do to a city's files while no process has it open. */
describe("a city whose files are damaged", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const founded = () => join(directory(), "founded");
  let outbox: string;
  let copies = 0;

  before(async () => {
    await foundHome(founded(), SEED);
    const database = await openDatabase({ dir: join(founded(), "embedded", "records") });
    const [row] = await database.query("SELECT pg_relation_filepath('outbox') AS path");
    await database.close();
    outbox = join("records", "data", String(row?.["path"]));
  });

  /** Opens a copy in which `path` is what `change` makes of it; absent when that is nothing. */
  async function refused(path: string, change: (bytes: Buffer) => Buffer | undefined) {
    const home = copyHome(founded(), join(directory(), `copy-${++copies}`));
    const dir = join(home, "embedded");
    const file = join(dir, path);
    const isFile = statSync(file).isFile();
    const changed = isFile ? change(readFileSync(file)) : undefined;
    if (changed === undefined) rmSync(file, { recursive: true });
    else writeFileSync(file, changed);
    const before = filesOf(dir);
    const error = await rejection(openHome(home, SEED));
    expect(error).to.be.instanceOf(AgentCityError);
    if (!(error instanceof AgentCityError)) throw error;
    expect(error.message).to.contain(join(dir, path.startsWith("records") ? "records" : path));
    expect(error.action, "what to do").to.be.a("string");
    expect(filesOf(dir), "nothing was changed").to.deep.equal(before);
    expect(existsSync(join(dir, "lock"))).to.equal(false);
    return { home, code: error.code, restore: () => cpSync(join(founded(), "embedded", path), file, { recursive: true }) };
  }

  const nothing = () => undefined;
  const empty = () => Buffer.alloc(0);

  it("chain.ndjson is gone, or empty: no new chain is begun, and the file put back opens at once", async () => {
    expect(await refused("chain.ndjson", nothing)).to.include({ code: "HistoryMissing" });
    const { code, home, restore } = await refused("chain.ndjson", empty);
    expect(code).to.equal("HistoryMissing");
    restore();
    await opensAsBefore(home);
  });

  it("chain.ndjson ends early: nothing is sent again, and the file put back opens at once", async () => {
    const { code, home, restore } = await refused("chain.ndjson", (bytes) =>
      Buffer.from(`${bytes.toString().split("\n").slice(0, 12).join("\n")}\n`),
    );
    expect(code).to.equal("HistoryMissing");
    restore();
    await opensAsBefore(home);
  });

  it("a line of chain.ndjson is not what it was: the file and the line are named", async () => {
    const { code } = await refused("chain.ndjson", (bytes) => Buffer.from(bytes.toString().replace('"number":3,', '"number":4,')));
    expect(code).to.equal("TranscriptDamaged");
  });

  it("the records are gone, wholly or in part", async () => {
    for (const path of ["records", "records/ready", "records/data", "records/data/global/pg_control", "records/data/pg_wal"])
      expect(await refused(path, nothing), path).to.include({ code: "RecordsDamaged" });
  });

  it("a page of the records is damaged, or its file gone", async () => {
    expect(await refused(outbox, (bytes) => bytes.fill(0xab, 0, 8_192))).to.include({ code: "RecordsDamaged" });
    expect(await refused(outbox, nothing)).to.include({ code: "RecordsDamaged" });
  });

  it("founding.json is empty, cut, or gone", async () => {
    expect(await refused("founding.json", empty)).to.include({ code: "StateDamaged" });
    expect(await refused("founding.json", (bytes) => bytes.subarray(0, 5))).to.include({ code: "StateDamaged" });
  });

  async function opensAsBefore(home: string): Promise<void> {
    const told: string[] = [];
    const city = await openHome(home, SEED, { progress: (line) => told.push(line) });
    try {
      expect(city.chain.head().number).to.equal(
        BigInt(
          readFileSync(join(founded(), "embedded", "chain.ndjson"), "utf8")
            .trimEnd()
            .split("\n").length - 1,
        ),
      );
      expect(await city.sender.open()).to.equal(0);
      expect(told.join("\n")).to.not.contain("sent again");
    } finally {
      await city.close();
    }
  }
});

/** Every file but what the lock counts and what Postgres writes by itself when it opens: path → hash. */
function filesOf(dir: string): Readonly<Record<string, string>> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).filter((path) => !/\/(fence|records\/data\/.*)$/.test(path));
  return Object.fromEntries(paths.sort().map((path) => [path.slice(dir.length), sha256(readFileSync(path))]));
}
