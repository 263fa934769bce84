/** The thread of one PGlite. Started by `pglite.ts`, to which it answers every message, and the start, with `done` or `failed`. */
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import type { FromThread, Start, ToThread } from "./pglite.ts";

if (parentPort === null) throw new Error("pglite-thread.ts runs in a thread only");
const port = parentPort;
const say = (message: FromThread) => port.postMessage(message);
const { where, from, exists, module }: Start = workerData;

/**
 * Reads every table once, so that a damaged page is found before anything is sent, not in the middle of a mission. Uses simple queries:
 * PGlite 0.5 does not return from an extended one whose file is missing.
 */
async function readThrough(lite: PGlite): Promise<void> {
  const [tables] = await lite.exec(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT LIKE 'pg\\_%' AND schemaname <> 'information_schema'",
  );
  for (const { name } of tables?.rows ?? []) await lite.exec(`SELECT count(*) FROM ${name}`);
}

/**
 * Its one process needs few of Postgres' 128 MB of shared buffers: clearing them takes half of the time of opening, and as much memory for
 * every open city.
 */
const startParams = [...PGlite.defaultStartParams, "-c", "shared_buffers=32MB"];

async function begin(): Promise<PGlite> {
  const source = from === undefined ? {} : { loadDataDir: new Blob([from]) };
  const lite = await PGlite.create(where, { startParams, pgliteWasmModule: module, ...source });
  if (exists) await readThrough(lite);
  return lite;
}

const NOTHING = new Uint8Array();

async function act(lite: PGlite, message: ToThread): Promise<Uint8Array<ArrayBuffer>> {
  switch (message.kind) {
    case "request": {
      const parts: Uint8Array[] = [];
      // Copied: the next part overwrites it.
      await lite.execProtocolRawStream(message.bytes, { onRawData: (part) => parts.push(part.slice()) });
      return new Uint8Array(Buffer.concat(parts));
    }
    case "dump":
      return new Uint8Array(await (await lite.dumpDataDir("none")).arrayBuffer());
    case "close":
      await lite.close();
      return NOTHING;
  }
}

async function answer(work: Promise<Uint8Array<ArrayBuffer>>): Promise<void> {
  try {
    say({ kind: "done", bytes: await work });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    say({ kind: "failed", name, message });
  }
}

const started = begin();
// One after the other, so that no answer comes between the parts of another.
let last = answer(started.then(() => NOTHING));
port.on("message", (message: ToThread) => {
  last = last.then(() => answer(started.then((lite) => act(lite, message))));
});
