import { fork } from "node:child_process";
import { join } from "node:path";
import { z } from "zod";

/** Seed of the cities of the kill tests. */
export const SEED = "23";
const CHILD = join(import.meta.dirname, "session-child.ts");
/** How a session comes about and goes: as most do; by petition; or half of the voters sleep through its first vote. */
export const WAYS = ["straight", "by-petition", "half-asleep"] as const;
export type Way = (typeof WAYS)[number];
/** A process that takes longer hangs. */
const LIMIT_MS = 280_000;

const heldSchema = z.strictObject({
  database: z.enum(["pglite", "postgres"]),
  ballots: z.array(z.string()),
  mission: z.string(),
  /** Transactions that were ever signed, and those without a known success. */
  sent: z.int(),
  unsettled: z.int(),
  /** Head of the log and its length: an entry written twice would change both. */
  log: z.string(),
  entries: z.int(),
  /** The chain's last block: a transaction sent twice, late or otherwise would change it. */
  head: z.string(),
});
/** What a session left behind: equal for equal sessions, however often their process was killed. */
export type Held = z.infer<typeof heldSchema>;

export interface SessionOptions {
  /** `<boundary>[><boundary>…]`: where it is killed. Default: nowhere. */
  readonly stopAt?: string;
  /** Default: the embedded database. */
  readonly databaseUrl?: string;
  readonly way?: Way;
}

export interface SessionRun {
  readonly signal: NodeJS.Signals | null;
  /** The boundary it reported and was killed at. */
  readonly stoppedAt: string | undefined;
  readonly held: Held | undefined;
}

/** Runs the session of a home in a process of its own, and kills it with SIGKILL where it says it stands. */
export function runSession(home: string, { stopAt, databaseUrl = "", way = "straight" }: SessionOptions = {}): Promise<SessionRun> {
  const env = { ...process.env, ...(stopAt === undefined ? {} : { AGENTCITY_TEST_STOP_AT: stopAt }) };
  const child = fork(CHILD, [home, databaseUrl, way], { env, stdio: ["ignore", "ignore", "pipe", "ipc"], execArgv: [] });
  let stderr = "";
  let stoppedAt: string | undefined;
  let held: Held | undefined;
  let problem: string | undefined;
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      problem = `hung before ${stopAt ?? "its end"}`;
      child.kill("SIGKILL");
    }, LIMIT_MS);
    child.stderr?.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on("message", (message) => {
      const stopped = z.strictObject({ boundary: z.string() }).safeParse(message);
      if (stopped.success) {
        stoppedAt = stopped.data.boundary;
        child.kill("SIGKILL");
        return;
      }
      const parsed = heldSchema.safeParse(message);
      if (parsed.success) held = parsed.data;
      else problem = JSON.stringify(message);
    });
    child.on("error", reject);
    child.on("close", (_, signal) => {
      clearTimeout(limit);
      if (problem !== undefined || (stoppedAt === undefined && held === undefined)) reject(new Error(`${problem ?? "it died"}\n${stderr}`));
      else resolve({ signal, stoppedAt, held });
    });
  });
}
