import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { z } from "zod";
import type { Outbox as SenderOutbox } from "../../orchestrator/chain/outbox.ts";
import { ManualClock } from "../../orchestrator/primitives/clock.ts";
import { contentIdOf } from "../../orchestrator/primitives/hash.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import { NotJson } from "../../orchestrator/primitives/json.ts";
import { IntentTaken, intentKey, type SignedRow } from "../../orchestrator/primitives/outbox.ts";
import { openAnswers } from "../../orchestrator/records/answers.ts";
import { type Database, openDatabase } from "../../orchestrator/records/database.ts";
import { DatabaseUnreachable, LogBroken, MigrationMismatch } from "../../orchestrator/records/errors.ts";
import { EMPTY_LOG, type LogInput, RecordLog, verifyLog } from "../../orchestrator/records/log.ts";
import { MIGRATIONS, migrate } from "../../orchestrator/records/migrations.ts";
import { openOutbox } from "../../orchestrator/records/outbox.ts";
import { sqlAfter } from "../../orchestrator/records/sql.ts";
import { cache } from "../support/cache.ts";
import { rejection } from "../support/rejection.ts";

const SIGNER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

function row(name: string, nonce: number, signer: SignedRow["signer"] = SIGNER): SignedRow {
  const intent = intentKey(name);
  return { intent, signer, nonce, to: SIGNER, raw: "0x02", hash: intent };
}

describe("the records' database", () => {
  let database: Database;
  let clock: ManualClock;
  let log: RecordLog;

  before(async () => {
    database = await openDatabase({ cache });
  });
  after(() => database.close());
  beforeEach(async () => {
    await database.query("TRUNCATE log, outbox, answers");
    clock = new ManualClock(1_000n);
    log = new RecordLog(database, clock);
  });

  it("commits a transaction whole, or not at all", async () => {
    const failure = rejection(
      database.transaction(async (sql) => {
        await log.append([{ kind: "a", subjects: [] }], sql);
        throw new Error("stop");
      }),
    );
    expect((await failure).message).to.equal("stop");
    expect(await log.head()).to.deep.equal(EMPTY_LOG);
    await Promise.all([1, 2, 3].map((index) => database.transaction((sql) => log.append([{ kind: `k${index}`, subjects: [] }], sql))));
    expect((await log.verify()).seq).to.equal(3);
  });

  it("goes on after a statement that was refused, and answers those who asked at once each with their own", async () => {
    const ask = (value: string) => database.query("SELECT $1::int + 1 AS next", [value]);
    const [bad, ...good] = await Promise.allSettled([ask("x"), ask("1"), ask("2"), ask("41")]);
    expect(bad?.status).to.equal("rejected");
    expect(good.map((answer) => (answer.status === "fulfilled" ? answer.value[0]?.["next"] : undefined))).to.deep.equal([2, 3, 42]);
  });

  it("applies its migrations once, in order, and refuses another version's", async () => {
    await migrate(database);
    const names = (await database.query("SELECT name FROM migrations ORDER BY position")).map(({ name }) => name);
    expect(names).to.deep.equal(MIGRATIONS.map(({ name }) => name));
    expect(await rejection(migrate(database, MIGRATIONS.slice(0, 1)))).to.be.instanceOf(MigrationMismatch);
    expect(await rejection(migrate(database, [{ name: "000-other", statements: [] }, ...MIGRATIONS]))).to.be.instanceOf(MigrationMismatch);
  });

  it("closes without a word where somebody has removed its folder", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gone-"));
    const gone = await openDatabase({ dir: join(folder, "records"), cache });
    rmSync(folder, { recursive: true });
    await gone.close();
    expect(existsSync(folder)).to.equal(false);
  });

  it("tells by name that a Postgres cannot be reached, without its password", async () => {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const error = await rejection(openDatabase({ url: `postgres://me:secret@127.0.0.1:${port}/city` }));
      expect(error).to.be.instanceOf(DatabaseUnreachable);
      expect(error.message).to.contain(`127.0.0.1:${port}/city`).and.not.to.contain("secret");
    } finally {
      server.close();
    }
  });

  describe("the log", () => {
    it("stays one chain when two processes append in turn, or at once", async () => {
      const other = new RecordLog(database, new ManualClock(7n));
      const entry = (index: number) => [{ kind: "k", subjects: [`s${index}`] }];
      for (let index = 0; index < 3; index += 1) {
        await log.append(entry(index));
        await log.append(entry(index));
        await other.append(entry(index));
      }
      await Promise.all([1, 2, 3, 4].map((index) => (index % 2 === 0 ? log : other).append(entry(index))));
      await database.transaction((sql) => log.append(entry(9), sql));
      await log.append(entry(10));
      expect(await log.verify()).to.deep.equal(await log.head());
      expect((await log.head()).seq).to.equal(15);
    });

    it("refers to nothing that is not ready: before a statement, and before a transaction commits", async () => {
      const ready = Promise.withResolvers<void>();
      const late = new RecordLog(
        sqlAfter(() => ready.promise, database),
        new ManualClock(7n),
      );
      const appended = [late.append([{ kind: "k", subjects: [] }]), late.append([{ kind: "k", subjects: [] }])];
      expect(await late.head()).to.deep.equal(EMPTY_LOG);
      ready.resolve();
      await Promise.all(appended);
      const never = new RecordLog(
        sqlAfter(() => Promise.reject(new Error("disk full")), database),
        new ManualClock(7n),
      );
      expect(await rejection(never.append([{ kind: "k", subjects: [] }]))).to.have.property("message", "disk full");
      expect((await log.verify()).seq).to.equal(2);
    });

    it("chains entries, stamps them with the city's time and finds them by kind and subject", async () => {
      const content = contentIdOf(new Uint8Array([1]));
      const [first] = await log.append([{ kind: "session.opened", subjects: ["s1"], content }]);
      clock.advanceBy(5n);
      await log.append([
        { kind: "session.ballot", subjects: ["s1", "agent-1"] },
        { kind: "session.ballot", subjects: ["s2", "agent-1"] },
      ]);
      expect(first).to.include({ seq: 1, time: 1_000, prev: EMPTY_LOG.hash, content });
      expect((await log.read({ subject: "s1" })).map(({ seq }) => seq)).to.deep.equal([1, 2]);
      expect((await log.read({ subject: "s1", newest: true, limit: 1 })).map(({ seq }) => seq)).to.deep.equal([2]);
      expect((await log.read({ kind: "session.ballot", subject: "agent-1", after: 2 })).map(({ seq, time }) => [seq, time])).to.deep.equal([
        [3, 1_005],
      ]);
      expect(await log.verify()).to.deep.equal(await log.head());
    });

    it("notices a changed, lost or reordered entry and names it", async () => {
      await log.append(Array.from({ length: 5 }, (_, index) => ({ kind: "k", subjects: [`s${index}`] })));
      const lines: string[] = [];
      for await (const line of log.lines()) lines.push(line);
      expect((await verifyLog(lines)).seq).to.equal(5);
      const broken = async (changed: string[]) => {
        const error = await rejection(verifyLog(changed));
        expect(error).to.be.instanceOf(LogBroken);
        return error;
      };
      expect(await broken(lines.with(2, lines[2]?.replace("s2", "s9") ?? ""))).to.have.property("seq", 3);
      expect(await broken(lines.toSpliced(1, 1))).to.have.property("seq", 2);
      expect(await broken(lines.with(3, lines[4] ?? ""))).to.have.property("seq", 4);
      expect(
        await broken(
          lines.with(1, lines[1]?.replace(/"hash":"0x[^"]*/, (hash) => `${hash.slice(0, 9)}${hash.slice(9).toUpperCase()}`) ?? ""),
        ),
      ).to.have.property("seq", 2);
      expect(await broken(lines.with(0, ` ${lines[0]}`))).to.have.property("seq", 1);

      await database.query("UPDATE log SET time = time + 1 WHERE seq = 4");
      expect(await rejection(log.verify()))
        .to.be.instanceOf(LogBroken)
        .with.property("seq", 4);
    });

    it("reads more than a page", async () => {
      await log.append(Array.from({ length: 1_203 }, () => ({ kind: "k", subjects: [] })));
      expect((await log.verify()).seq).to.equal(1_203);
    });
  });

  describe("the outbox", () => {
    it("keeps rows and notes together, or neither", async () => {
      const outbox: SenderOutbox<LogInput> = openOutbox(database, log);
      await outbox.insert([row("a", 0), row("b", 1)], [{ kind: "sent", subjects: ["a", "b"] }]);
      const again = rejection(outbox.insert([row("c", 2), row("a", 3)], [{ kind: "sent", subjects: ["c"] }]));
      expect(await again).to.be.instanceOf(IntentTaken);
      expect(await rejection(outbox.insert([row("d", 1)], []))).to.be.instanceOf(IntentTaken);
      expect(await outbox.find(intentKey("c"))).to.equal(undefined);
      expect((await log.head()).seq).to.equal(1);
      expect(await outbox.nextNonce(SIGNER)).to.equal(2);
      expect(await outbox.nextNonce("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")).to.equal(0);
    });

    it("lets nothing be sent before the rows are where a power cut leaves them", async () => {
      const dir = mkdtempSync(join(tmpdir(), "outbox-"));
      const onDisk = await openDatabase({ dir: join(dir, "records"), cache });
      const found: (boolean | undefined)[] = [];
      const sync = async () => {
        await onDisk.sync();
        cpSync(join(dir, "records"), join(dir, "cut"), { recursive: true });
        const left = await openDatabase({ dir: join(dir, "cut") });
        found.push((await openOutbox(left, new RecordLog(left, clock)).find(intentKey("a"))) !== undefined);
        await left.close();
      };
      try {
        await openOutbox(onDisk, new RecordLog(onDisk, clock), sync).insert([row("a", 0)], [{ kind: "sent", subjects: ["a"] }]);
        expect(found).to.deep.equal([true]);
      } finally {
        await onDisk.close();
        rmSync(dir, { recursive: true });
      }
    });

    it("remembers how each row ended", async () => {
      const outbox = openOutbox(database, log);
      const creation = { ...row("b", 1), to: undefined };
      await outbox.insert([row("a", 0), creation, row("c", 2)], []);
      await outbox.settle(intentKey("b"), "reverted", 7n);
      expect(await outbox.find(intentKey("b"))).to.deep.equal({ ...creation, status: "reverted", block: 7n });
      const open = async (head: bigint) => (await outbox.unsettled(head)).map(({ intent }): Hash => intent);
      expect(await open(7n)).to.deep.equal([intentKey("a"), intentKey("c")]);
      expect(await open(6n)).to.deep.equal([intentKey("a"), intentKey("b"), intentKey("c")]);
      await outbox.settle(intentKey("c"), "success", 9n);
      expect((await outbox.newestSettled(100n))?.intent).to.equal(intentKey("c"));
      expect((await outbox.newestSettled(8n))?.intent).to.equal(intentKey("b"));
      expect(await outbox.newestSettled(6n)).to.equal(undefined);
    });
  });

  describe("a Mind's answers", () => {
    const key = { session: "s1", agent: "agent-1", step: "rank", round: 0 };
    const schema = z.array(z.number());

    it("are computed once and read back for ever", async () => {
      const answers = openAnswers(database);
      let asked = 0;
      const ask = async () => {
        asked += 1;
        return [asked, 2];
      };
      expect(await answers.remember(key, schema, ask)).to.deep.equal([1, 2]);
      expect(await openAnswers(database).remember(key, schema, ask)).to.deep.equal([1, 2]);
      expect(await answers.remember({ ...key, round: 1 }, schema, ask)).to.deep.equal([2, 2]);
      expect(asked).to.equal(2);
      await answers.forget("s1");
      expect(await answers.remember(key, schema, ask)).to.deep.equal([3, 2]);
    });

    it("agree when two ask at once", async () => {
      const answers = openAnswers(database);
      const [one, two] = await Promise.all([
        answers.remember(key, schema, async () => [1]),
        answers.remember(key, schema, async () => [2]),
      ]);
      expect(one).to.deep.equal(two);
    });

    it("are held in memory for the sessions that were asked for last, and read again for the others", async () => {
      const answers = openAnswers(database);
      const ask = (session: string) => answers.remember({ ...key, session }, schema, async () => [7]);
      await ask("s1");
      await database.query("UPDATE answers SET answer = '[8]'");
      expect(await ask("s1")).to.deep.equal([7]);
      for (let other = 2; other <= 17; other += 1) await ask(`s${other}`);
      expect(await ask("s1")).to.deep.equal([8]);
    });

    it("that are not canonical JSON any more are refused", async () => {
      await openAnswers(database).remember(key, schema, async () => [7]);
      await database.query("UPDATE answers SET answer = '[7'");
      expect(await rejection(openAnswers(database).recall(key, schema))).to.be.instanceOf(NotJson);
    });

    it("are not recorded when they do not have the right shape", async () => {
      const answers = openAnswers(database);
      await rejection(answers.remember(key, schema, async () => ["text"]));
      await rejection(answers.remember(key, schema, async () => [1n]));
      expect(await answers.remember(key, schema, async () => [5])).to.deep.equal([5]);
    });
  });
});

describe("PGlite in a directory", () => {
  it("keeps what was committed", async () => {
    const dir = mkdtempSync(join(tmpdir(), "agentcity-pg-"));
    try {
      const first = await openDatabase({ dir, cache });
      await new RecordLog(first, new ManualClock(1n)).append([{ kind: "k", subjects: [] }]);
      await first.close();
      const again = await openDatabase({ dir, cache });
      expect((await new RecordLog(again, new ManualClock(1n)).verify()).seq).to.equal(1);
      await again.close();
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it("begins with a copy of a kept cluster; one that is damaged is put aside and made again", async function () {
    this.timeout(120_000);
    const dir = mkdtempSync(join(tmpdir(), "agentcity-pg-"));
    try {
      const kept = join(dir, "cache");
      const begin = async (name: string) => {
        const opened = await openDatabase({ dir: join(dir, name), cache: kept });
        const [row] = await opened.query("SELECT count(*)::int AS entries FROM log");
        await opened.close();
        return row?.["entries"];
      };
      expect(await begin("first")).to.equal(0);
      const [cluster = ""] = readdirSync(kept);
      writeFileSync(join(kept, cluster, "global", "pg_control"), "damaged");
      expect(await begin("second")).to.equal(0);
      expect(readdirSync(kept).sort()).to.deep.equal([cluster, `${cluster}.1`]);
      rmSync(join(kept, cluster, "PG_VERSION"));
      expect(await begin("third")).to.equal(0);
      expect(readdirSync(kept).sort()).to.deep.equal([cluster, `${cluster}.1`, `${cluster}.2`]);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
