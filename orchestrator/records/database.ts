import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
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
  /** Directory of a PGlite cluster; only one process may open it. */
  readonly dir?: string;
  /** URL of a Postgres database to use instead. */
  readonly url?: string;
  /** Directory of cluster templates (25 MB each), filled on first use: a new PGlite then takes 0.4 s instead of 4 s. */
  readonly cache?: string;
}

/** The one database of a city: log, outbox, answers and LangGraph's checkpoints (decision 39). */
export interface Database extends Sql {
  readonly kind: "pglite" | "postgres";
  /** Names the database in errors. */
  readonly where: string;
  /** A node-postgres pool, over PGlite too, as LangGraph's PostgresSaver expects. */
  readonly pool: pg.Pool;
  /** Returns once everything committed before survives a power cut. A no-op on Postgres, which syncs by itself. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Longest wait for a connection, milliseconds: on PGlite's only one, a transaction that asks for a second would hang. */
const CONNECTION_TIMEOUT = 60_000;

/** A new city needs an empty database. Throws DatabaseInUse if it holds records. */
export async function requireEmpty(database: Database): Promise<void> {
  const [used] = await database.query("SELECT 1 FROM outbox UNION ALL SELECT 1 FROM log LIMIT 1");
  if (used !== undefined) throw new DatabaseInUse();
}

/** Opens and migrates a database. Without `dir` and `url` it is in memory, for tests and audits. One per process. */
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
  // The pool replaces an idle connection that breaks; without a listener the error would end the process.
  pool.on("error", () => {});
  return { kind: "postgres", pool, sync: async () => {}, close: () => pool.end() };
}

async function openPglite({ dir, cache }: DatabaseOptions): Promise<Opened> {
  return dir === undefined ? servedBy(await create("memory://", cache)) : servedBy(await openDirectory(dir, cache), dataIn(dir));
}

/** `data`: the cluster's folder, if it is on disk. */
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
      // Closing has written every page and restarts the write-ahead log. A folder removed meanwhile needs no sync.
      if (data !== undefined && existsSync(data)) await syncFolder(data);
    },
  };
}

/** PGlite leaves flushing to the system. Whatever was committed is in the write-ahead log. */
async function syncWal(folder: string): Promise<void> {
  const segments = readdirSync(folder).filter((name) => /^[0-9A-F]{24}$/.test(name));
  await syncFiles(
    folder,
    segments.map((name) => join(folder, name)),
  );
}

/**
 * A cluster on PGlite. Its one process needs few of Postgres' 128 MB of shared buffers: clearing them takes half of the time of opening, and
 * as much memory for every open city.
 */
const pglite = (where: string, options: PGliteOptions = {}): Promise<PGlite> =>
  PGlite.create(where, { startParams: [...PGlite.defaultStartParams, "-c", "shared_buffers=32MB"], ...options });

/** Messages after which Postgres answers: Sync, Query, Flush. */
const ENDS = new Set([..."SQH"].map((letter) => letter.charCodeAt(0)));

/** The same database, entered once per query instead of once per protocol message: entering costs more than a small query. */
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

/** Without one of these files PGlite would start an empty cluster, or hang. */
const CLUSTER = ["PG_VERSION", "global/pg_control", "base", "pg_wal", "pg_xact"] as const;

/**
 * Reads every table once, so that a damaged page is found before anything is sent, not in the middle of a mission. Uses simple queries:
 * PGlite 0.5 does not return from an extended one whose file is missing.
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

/** A process killed while it created the cluster leaves one without the mark: it holds nothing yet, is put aside, and recreated. */
async function openDirectory(dir: string, cache: string | undefined): Promise<PGlite> {
  const data = dataIn(dir);
  const ready = join(dir, "ready");
  if (existsSync(ready)) {
    const missing = CLUSTER.find((name) => !existsSync(join(data, name)));
    if (missing !== undefined) throw new RecordsDamaged(dir, `${join(data, missing)} is missing`);
    const lite = await pglite(data).catch((error: unknown) => {
      throw new RecordsDamaged(dir, messageOf(error), error);
    });
    // After a crash, opening has replayed the log.
    await syncFolder(data);
    return readThrough(lite, dir);
  }
  makeFolder(dir);
  if (existsSync(data)) renameSync(data, freeName(data));
  const lite = cache === undefined ? await pglite(data) : await begin(data, cache);
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
  const lite = await pglite(data).catch((error: unknown) => {
    throw new RecordsDamaged(cluster, messageOf(error), error);
  });
  return readThrough(lite, cluster);
}

/** Template databases that a city never uses: two thirds of a cluster's files. */
const TEMPLATES = ["template0", "template1"] as const;

/** Path of a cached cluster with this version's tables. */
function clusterIn(cache: string): string {
  return join(cache, `pglite-${pgliteVersion()}-${sha256(canonicalBytes({ MIGRATIONS, without: TEMPLATES })).slice(2, 18)}`);
}

const isWhole = (cluster: string) => CLUSTER.every((name) => existsSync(join(cluster, name)));

/**
 * Creates the cached cluster if missing: copying takes a tenth of creating. It appears whole; of two concurrent creators, the first wins.
 */
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

/** Creating a cluster blocks a thread for seconds. */
async function inThread(draft: string): Promise<void> {
  const thread = new Worker(new URL("./cluster-thread.ts", import.meta.url), { workerData: draft, execArgv: [] });
  await once(thread, "exit");
}

/** Creates a migrated cluster in a new folder; called by `cluster-thread.ts`. */
export async function makeCluster(dir: string): Promise<void> {
  const { pool, close } = servedBy(await pglite(dir));
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
  if (cache === undefined) return pglite(where);
  const template = join(cache, `pglite-${pgliteVersion()}.tar`);
  if (!existsSync(template)) {
    const empty = await pglite("memory://");
    const cluster = await empty.dumpDataDir("none");
    await empty.close();
    writeFileAtomic(template, new Uint8Array(await cluster.arrayBuffer()));
  }
  // Read at once: another process may be replacing the template.
  return pglite(where, { loadDataDir: new Blob([readFileSync(template)]) });
}

/** Read from the package itself: a cluster of another version may not open. */
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
