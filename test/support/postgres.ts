import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const DEBIAN = "/usr/lib/postgresql";
/** A server that needs longer does not start. */
const START_MS = 60_000;

export interface PostgresServer {
  /** An empty database of its own for each caller. */
  database(name: string): string;
  stop(): Promise<void>;
}

/** Where initdb and postgres are; undefined where Postgres is not installed. */
function postgresBinaries(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, "bin")) : [];
  const onPath = (process.env["PATH"] ?? "").split(":");
  return [...versions, ...onPath].find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

/** A real server for a suite, started before its tests. Without one installed they are skipped; in CI that is a failure. */
export function suitePostgres(): () => PostgresServer {
  let server: PostgresServer | undefined;
  before(async function () {
    const binaries = postgresBinaries();
    if (binaries === undefined && process.env["CI"] === undefined) this.skip();
    if (binaries === undefined) throw new Error("Postgres is not installed: apt-get install -y postgresql");
    server = await startPostgres(binaries);
  });
  after(() => server?.stop());
  return () => {
    if (server === undefined) throw new Error("no Postgres before the tests begin");
    return server;
  };
}

/** A Postgres server of this process on a free loopback port, gone with `stop`. */
async function startPostgres(binaries: string): Promise<PostgresServer> {
  const dir = mkdtempSync(join(tmpdir(), "agentcity-postgres-"));
  const owner = serverUser();
  if (owner.uid !== undefined) chownSync(dir, owner.uid, owner.gid ?? owner.uid);
  const data = join(dir, "data");
  run(join(binaries, "initdb"), ["-D", data, "-U", "city", "--auth=trust", "--no-sync", "-E", "UTF8"], owner);
  const port = await freePort();
  const server = spawn(join(binaries, "postgres"), ["-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", dir, "-F"], {
    ...owner,
    cwd: dir,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => {
    server.on("close", () => resolve());
  });
  await ready(server);
  return {
    database(name) {
      run(join(binaries, "createdb"), ["-h", "127.0.0.1", "-p", String(port), "-U", "city", name], owner);
      return `postgres://city@127.0.0.1:${port}/${name}`;
    },
    async stop() {
      server.kill("SIGINT");
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Postgres refuses to run as root: there its own user runs it. */
function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout.trim());
  return { uid: id("-u"), gid: id("-g") };
}

function run(command: string, args: readonly string[], user: ReturnType<typeof serverUser>): void {
  const { status, stderr, error } = spawnSync(command, args, { ...user, encoding: "utf8", cwd: tmpdir() });
  if (status !== 0) throw error ?? new Error(`${command} failed: ${stderr}`);
}

function ready(server: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    const limit = setTimeout(() => reject(new Error(`Postgres did not start:\n${said}`)), START_MS);
    server.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (!said.includes("ready to accept connections")) return;
      clearTimeout(limit);
      resolve();
    });
    server.on("close", () => {
      clearTimeout(limit);
      reject(new Error(`Postgres ended:\n${said}`));
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}
