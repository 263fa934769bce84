// @long
import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import { HUB_BOUNDARIES } from "../../orchestrator/hub/hub.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { openDatabase } from "../../orchestrator/records/database.ts";
import { RecordLog } from "../../orchestrator/records/log.ts";
import { cache } from "../support/cache.ts";
import { emit, hubOver } from "./hub-fixture.ts";

const child = join(import.meta.dirname, "kill-child.ts");
/** More blocks than one step reads, so that there is more than one. */
const CALLS = 140;
const RECORDS = 12;

describe("a hub killed for real", () => {
  let made = "";
  let emitter: Address;
  /** What a hub that nobody interrupts comes to. */
  let whole: { readonly sequence: number; readonly hash: string };

  before(async () => {
    made = mkdtempSync(join(tmpdir(), "agentcity-hub-"));
    const chain = await openEmbeddedChain({ dir: made });
    const database = await openDatabase({ dir: join(made, "records"), cache });
    const log = new RecordLog(database, chain.clock);
    await log.append(Array.from({ length: RECORDS }, (_, at) => ({ kind: "test.noted", subjects: [`before ${at}`] })));
    emitter = await emit(chain, CALLS);
    await log.append(Array.from({ length: RECORDS }, (_, at) => ({ kind: "test.noted", subjects: [`after ${at}`] })));
    await chain.close();
    await database.close();
    whole = await readOn(copyOf(made));
    expect(whole.sequence).to.equal(CALLS + 2 * RECORDS);
  });
  after(() => {
    for (const dir of [made, ...copies]) rmSync(dir, { recursive: true });
  });

  const copies: string[] = [];
  function copyOf(dir: string): string {
    const copy = mkdtempSync(join(tmpdir(), "agentcity-hub-"));
    cpSync(dir, copy, { recursive: true });
    copies.push(copy);
    return copy;
  }

  /** Goes on where the directory's hub was left; returns where the stream ends once it was verified. */
  async function readOn(dir: string) {
    const chain = await openEmbeddedChain({ dir });
    const database = await openDatabase({ dir: join(dir, "records"), cache });
    const hub = await hubOver(chain, database, emitter);
    await hub.sync();
    const head = await hub.verify();
    expect(await hub.sync()).to.equal(0);
    await chain.close();
    await database.close();
    return head;
  }

  for (const boundary of HUB_BOUNDARIES)
    for (const crossing of [1, 2])
      it(`by SIGKILL at crossing ${crossing} of ${boundary}, has every event once`, async () => {
        const dir = copyOf(made);
        const process = fork(child, [dir, emitter, boundary, String(crossing)], {
          stdio: ["ignore", "ignore", "inherit", "ipc"],
          execArgv: [],
        });
        const [reached] = await once(process, "message");
        expect(reached).to.equal(boundary);
        process.kill("SIGKILL");
        const [, signal] = await once(process, "exit");
        expect(signal).to.equal("SIGKILL");
        // The same hash: the same events in the same order, none twice, none missing.
        expect(await readOn(dir)).to.deep.equal(whole);
      });
});
