import { randomUUID } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import pg from "pg";
import { z } from "zod";
import { AgentCityError, messageOf } from "../primitives/errors.ts";
import { freeName, makeFolder, syncFiles, syncFolder, writeFileAtomic } from "../primitives/files.ts";
import { sha256 } from "../primitives/hash.ts";
import { canonicalBytes, parseJson } from "../primitives/json.ts";
import { DatabaseInUse, DatabaseUnreachable, RecordsDamaged } from "./errors.ts";
import { MIGRATIONS, migrate } from "./migrations.ts";
import { openPglite, PGLITE_MANIFEST, type Pglite } from "./pglite.ts";
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
  const opened = await (options.url === undefined ? openEmbedded(options) : openPostgres(options.url)).catch((cause: unknown) => {
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

async function openEmbedded({ dir, cache }: DatabaseOptions): Promise<Opened> {
  return dir === undefined ? servedBy(await inMemory(cache)) : servedBy(await openDirectory(dir, cache), dataIn(dir));
}

/** `data`: the cluster's folder, if it is on disk. */
function servedBy(lite: Pglite, data?: string): Opened {
  const one = { max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true };
  const pool = new pg.Pool({ stream: lite.connect, user: "postgres", connectionTimeoutMillis: CONNECTION_TIMEOUT, ...one });
  // An error that ends the connection has been reported to the query that it ended.
  pool.on("error", () => {});
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

/** Without one of these files PGlite would start an empty cluster, or hang. */
const CLUSTER = ["PG_VERSION", "global/pg_control", "base", "pg_wal", "pg_xact"] as const;

const dataIn = (dir: string) => join(dir, "data");

/** A process killed while it created the cluster leaves one without the mark: it holds nothing yet, is put aside, and recreated. */
async function openDirectory(dir: string, cache: string | undefined): Promise<Pglite> {
  const data = dataIn(dir);
  const ready = join(dir, "ready");
  if (existsSync(ready)) {
    const missing = CLUSTER.find((name) => !existsSync(join(data, name)));
    if (missing !== undefined) throw new RecordsDamaged(dir, `${join(data, missing)} is missing`);
    const lite = await openCluster(data, dir);
    // After a crash, opening has replayed the log.
    await syncFolder(data);
    return lite;
  }
  makeFolder(dir);
  if (existsSync(data)) renameSync(data, freeName(data));
  const lite = cache === undefined ? await openPglite({ where: data, exists: false }) : await begin(data, cache);
  await syncFolder(data);
  writeFileAtomic(ready, "1\n");
  return lite;
}

/** A new database in `data`. A cached cluster that turns out to be damaged is put aside and recreated. */
async function begin(data: string, cache: string): Promise<Pglite> {
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

async function copyOf(cluster: string, data: string): Promise<Pglite> {
  cpSync(cluster, data, { recursive: true });
  return openCluster(data, cluster);
}

/** `named` in the error of a damaged one. */
function openCluster(data: string, named: string): Promise<Pglite> {
  return openPglite({ where: data, exists: true }).catch((error: unknown) => {
    throw new RecordsDamaged(named, messageOf(error), error);
  });
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
    await makeCluster(draft);
    if (isWhole(cluster)) return;
    if (existsSync(cluster)) renameSync(cluster, freeName(cluster));
    renameSync(draft, cluster);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Creates a migrated cluster in a new folder. */
async function makeCluster(dir: string): Promise<void> {
  const { pool, close } = servedBy(await openPglite({ where: dir, exists: false }));
  await strip(sqlOver(pool, dir)).finally(close);
}

async function strip(sql: Sql): Promise<void> {
  await migrate(sql);
  for (const name of TEMPLATES) {
    await sql.query("UPDATE pg_database SET datistemplate = false WHERE datname = $1", [name]);
    await sql.query(`DROP DATABASE ${name}`);
  }
}

async function inMemory(cache: string | undefined): Promise<Pglite> {
  const empty = { where: "memory://", exists: false };
  if (cache === undefined) return openPglite(empty);
  const template = join(cache, `pglite-${pgliteVersion()}.tar`);
  if (!existsSync(template)) {
    const lite = await openPglite(empty);
    writeFileAtomic(template, await lite.dump().finally(lite.close));
  }
  // Read at once: another process may be replacing the template.
  return openPglite({ ...empty, from: new Uint8Array(readFileSync(template)) });
}

/** Read from the package itself: a cluster of another version may not open. */
function pgliteVersion(): string {
  return z.object({ version: z.string() }).parse(parseJson(readFileSync(PGLITE_MANIFEST, "utf8"))).version;
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return "the given URL";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
