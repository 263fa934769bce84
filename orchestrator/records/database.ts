import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { createPgConfig } from "@electric-sql/pglite/node-postgres";
import pg from "pg";
import { z } from "zod";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { freeName, makeFolder, syncFiles, syncFolder, writeFileAtomic } from "../primitives/files.ts";
import { sha256 } from "../primitives/hash.ts";
import { canonicalBytes, parseJson } from "../primitives/json.ts";
import { DatabaseInUse, DatabaseUnreachable, RecordsDamaged } from "./errors.ts";
import { MIGRATIONS, migrate } from "./migrations.ts";
import type { Sql } from "./sql.ts";
import { sqlOver } from "./sql.ts";

export interface DatabaseOptions {
  /** PGlite in this directory; only one process may have it open. */
  readonly dir?: string;
  /** Any Postgres instead. */
  readonly url?: string;
  /** A directory that keeps clusters to begin with (25 MB each), made on first use: a new PGlite then takes 0.4 s instead of 4 s. */
  readonly cache?: string;
}

/** The one database of a city: log, outbox, answers and LangGraph's checkpoints (decision 39). */
export interface Database extends Sql {
  readonly kind: "pglite" | "postgres";
  /** Names it in errors. */
  readonly where: string;
  /** node-postgres' own pool, over PGlite too: what LangGraph's PostgresSaver takes. */
  readonly pool: pg.Pool;
  /** Returns once a power cut would lose nothing that was committed before. A Postgres sees to that by itself. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** A connection is waited for no longer than this: on PGlite's only one, a transaction that asks for a second would hang. */
const CONNECTION_TIMEOUT = 60_000;

/** A city that is founded now begins with records of its own: throws DatabaseInUse when somebody's are there. */
export async function requireEmpty(database: Database): Promise<void> {
  const [used] = await database.query("SELECT 1 FROM outbox UNION ALL SELECT 1 FROM log LIMIT 1");
  if (used !== undefined) throw new DatabaseInUse();
}

/** Opens and migrates. Neither `dir` nor `url`: in memory, for tests and audits. Keep one per process. */
export async function openDatabase(options: DatabaseOptions = {}): Promise<Database> {
  const where = options.url === undefined ? (options.dir ?? "memory") : withoutPassword(options.url);
  const opened = await (options.url === undefined ? openPglite(options) : openPostgres(options.url)).catch((cause: unknown) => {
    throw cause instanceof AgentCityError ? cause : new DatabaseUnreachable(where, messageOf(cause), cause);
  });
  const database = { where, ...sqlOver(opened.pool, where), ...opened };
  try {
    await migrate(database);
  } catch (cause) {
    await database.close();
    throw cause instanceof AgentCityError ? cause : new DatabaseUnreachable(where, messageOf(cause), cause);
  }
  return database;
}

type Opened = Pick<Database, "kind" | "pool" | "sync" | "close">;

async function openPostgres(url: string): Promise<Opened> {
  const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: CONNECTION_TIMEOUT });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on("error", () => {});
  return { kind: "postgres", pool, sync: async () => {}, close: () => pool.end() };
}

async function openPglite({ dir, cache }: DatabaseOptions): Promise<Opened> {
  return dir === undefined ? servedBy(await create("memory://", cache)) : servedBy(await openDirectory(dir, cache), dataIn(dir));
}

/** `data`: the cluster's folder, for one that is on disk. */
function servedBy(lite: PGlite, data?: string): Opened {
  const pool = new pg.Pool({ ...createPgConfig(wholeQueries(lite)), max: 1, connectionTimeoutMillis: CONNECTION_TIMEOUT });
  return {
    kind: "pglite",
    pool,
    sync: async () => {
      if (data !== undefined) await syncWal(join(data, "pg_wal"));
    },
    async close() {
      await pool.end();
      await lite.close();
      // Closing has written every page and restarts the write-ahead log. A folder removed meanwhile needs none of it.
      if (data !== undefined && existsSync(data)) await syncFolder(data);
    },
  };
}

/** PGlite writes, and leaves it to the system when that reaches the disk. What was committed is in the write-ahead log. */
async function syncWal(folder: string): Promise<void> {
  const segments = readdirSync(folder).filter((name) => /^[0-9A-F]{24}$/.test(name));
  await syncFiles(
    folder,
    segments.map((name) => join(folder, name)),
  );
}

/** Messages after which Postgres answers: Sync, Query, Flush. */
const ENDS = new Set([..."SQH"].map((letter) => letter.charCodeAt(0)));

/** The same database, entered once a query and not once for each message of it: entering costs more than a small query. */
function wholeQueries(lite: PGlite): PGlite {
  let waiting: Uint8Array[] = [];
  const execute: PGlite["execProtocolStream"] = async (message, options) => {
    waiting.push(message);
    if (!ENDS.has(message[0] ?? 0)) return [];
    const whole = Buffer.concat(waiting);
    waiting = [];
    return lite.execProtocolStream(whole, options);
  };
  return new Proxy(lite, { get: (target, name) => (name === "execProtocolStream" ? execute : Reflect.get(target, name, target)) });
}

/** Without one of these PGlite would begin an empty cluster, or never end. */
const CLUSTER = ["PG_VERSION", "global/pg_control", "base", "pg_wal", "pg_xact"] as const;

/**
 * Reads every table once, so that a damaged page is met before anything is sent, not by a later query in the middle of a mission. By
 * simple queries: PGlite 0.5 does not return from an extended one whose file is missing.
 */
async function readThrough(lite: PGlite, dir: string): Promise<PGlite> {
  try {
    const [tables] = await lite.exec(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT LIKE 'pg\\_%' AND schemaname <> 'information_schema'",
    );
    for (const { name } of z.array(z.object({ name: z.string() })).parse(tables?.rows)) await lite.exec(`SELECT count(*) FROM ${name}`);
    return lite;
  } catch (error) {
    await lite.close();
    throw new RecordsDamaged(dir, messageOf(error), error);
  }
}

const dataIn = (dir: string) => join(dir, "data");

/** A process killed while it made the cluster leaves one without the mark: it holds nothing yet, is put aside, and recreated. */
async function openDirectory(dir: string, cache: string | undefined): Promise<PGlite> {
  const data = dataIn(dir);
  const ready = join(dir, "ready");
  if (existsSync(ready)) {
    const missing = CLUSTER.find((name) => !existsSync(join(data, name)));
    if (missing !== undefined) throw new RecordsDamaged(dir, `${join(data, missing)} is missing`);
    const lite = await PGlite.create(data).catch((error: unknown) => {
      throw new RecordsDamaged(dir, messageOf(error), error);
    });
    // After a crash, opening has written what the log held.
    await syncFolder(data);
    return readThrough(lite, dir);
  }
  makeFolder(dir);
  if (existsSync(data)) renameSync(data, freeName(data));
  const lite = cache === undefined ? await PGlite.create(data) : await begin(data, cache);
  await syncFolder(data);
  writeFileAtomic(ready, "1\n");
  return lite;
}

/** A new database in `data`. A cached cluster that turns out to be damaged is put aside and recreated. */
async function begin(data: string, cache: string): Promise<PGlite> {
  const cluster = clusterIn(cache);
  await keepCluster(cluster);
  try {
    return await copyOf(cluster, data);
  } catch (error) {
    if (!(error instanceof RecordsDamaged)) throw error;
    rmSync(data, { recursive: true, force: true });
    if (existsSync(cluster)) renameSync(cluster, freeName(cluster));
    await keepCluster(cluster);
    return copyOf(cluster, data);
  }
}

async function copyOf(cluster: string, data: string): Promise<PGlite> {
  cpSync(cluster, data, { recursive: true });
  const lite = await PGlite.create(data).catch((error: unknown) => {
    throw new RecordsDamaged(cluster, messageOf(error), error);
  });
  return readThrough(lite, cluster);
}

/** An empty database twice, for databases that a city never makes: two thirds of a cluster's files. */
const TEMPLATES = ["template0", "template1"] as const;

/** Where a cluster with this version's tables is kept. */
function clusterIn(cache: string): string {
  return join(cache, `pglite-${pgliteVersion()}-${sha256(canonicalBytes({ MIGRATIONS, without: TEMPLATES })).slice(2, 18)}`);
}

const isWhole = (cluster: string) => CLUSTER.every((name) => existsSync(join(cluster, name)));

/** Makes the cluster unless it is there: copying one takes a tenth of making it. It appears whole; of two makers, the first is taken. */
async function keepCluster(cluster: string): Promise<void> {
  if (isWhole(cluster)) return;
  const draft = `${cluster}.${randomUUID()}.tmp`;
  makeFolder(dirname(cluster));
  try {
    await inThread(draft);
    if (isWhole(cluster)) return;
    if (existsSync(cluster)) renameSync(cluster, freeName(cluster));
    renameSync(draft, cluster);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Making one takes seconds in which this thread could say nothing. */
async function inThread(draft: string): Promise<void> {
  const thread = new Worker(new URL("./cluster-thread.ts", import.meta.url), { workerData: draft, execArgv: [] });
  await once(thread, "exit");
}

/** A migrated cluster in a folder that does not exist yet; what `cluster-thread.ts` does. */
export async function makeCluster(dir: string): Promise<void> {
  const { pool, close } = servedBy(await PGlite.create(dir));
  await strip(sqlOver(pool, dir)).finally(close);
}

async function strip(sql: Sql): Promise<void> {
  await migrate(sql);
  for (const name of TEMPLATES) {
    await sql.query("UPDATE pg_database SET datistemplate = false WHERE datname = $1", [name]);
    await sql.query(`DROP DATABASE ${name}`);
  }
}

async function create(where: string, cache: string | undefined): Promise<PGlite> {
  if (cache === undefined) return PGlite.create(where);
  const template = join(cache, `pglite-${pgliteVersion()}.tar`);
  if (!existsSync(template)) {
    const empty = await PGlite.create("memory://");
    const cluster = await empty.dumpDataDir("none");
    await empty.close();
    writeFileAtomic(template, new Uint8Array(await cluster.arrayBuffer()));
  }
  // Read at once: another process may be putting its own template in this one's place.
  return PGlite.create(where, { loadDataDir: new Blob([readFileSync(template)]) });
}

/** From the package itself: a cluster of another version may not open. */
function pgliteVersion(): string {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const manifest = parseJson(readFileSync(join(dirname(entry), "..", "package.json"), "utf8"));
  return z.object({ version: z.string() }).parse(manifest).version;
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return "the given URL";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
