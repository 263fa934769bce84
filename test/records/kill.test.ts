// @long
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import { acquireLock } from "../../orchestrator/chain/lock.ts";
import { createSender } from "../../orchestrator/chain/sender.ts";
import { openDatabase } from "../../orchestrator/records/database.ts";
import { RecordLog } from "../../orchestrator/records/log.ts";
import { openOutbox } from "../../orchestrator/records/outbox.ts";
import { countOf } from "../chain/counter.ts";
import { cache } from "../support/cache.ts";
import { runSteps } from "./kill-steps.ts";

const child = join(import.meta.dirname, "kill-child.ts");

/** Boundary, how often it is crossed before the kill, whether the chain has the transactions in hand by then. */
const kills = [
  ["sender:signed", 1],
  ["sender:broadcast", 2],
  ["sender:signed", 3],
  ["sender:broadcast", 3],
] as const;

describe("a city killed for real", () => {
  for (const [boundary, crossing] of kills) {
    it(`by SIGKILL at crossing ${crossing} of ${boundary}, goes on with nothing doubled and nothing lost`, async () => {
      const dir = mkdtempSync(join(tmpdir(), "agentcity-kill-"));
      try {
        const process = fork(child, [dir, boundary, String(crossing)], { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
        const [reached] = await once(process, "message");
        expect(reached).to.equal(boundary);
        process.kill("SIGKILL");
        const [, signal] = await once(process, "exit");
        expect(signal).to.equal("SIGKILL");

        const said: string[] = [];
        const lock = acquireLock(dir, (line) => said.push(line));
        expect(said.join()).to.contain("taking over");
        const chain = await openEmbeddedChain({ dir });
        const database = await openDatabase({ dir: join(dir, "records"), cache });
        const log = new RecordLog(database, chain.clock);
        const outbox = openOutbox(database, log);
        const open = await outbox.unsettled(chain.head().number);
        expect(open).to.have.length(crossing === 3 ? 3 : 1);

        const sender = createSender({ chain, outbox, relayers: [devnetAccount(1), devnetAccount(2)], guard: () => lock.assertHeld() });
        expect(await sender.recover()).to.equal(open.length);
        for (const { hash } of open) expect((await chain.receipt(hash)).status).to.equal("success");
        const counter = await runSteps(sender);
        expect(await countOf(chain, counter)).to.equal(4);
        expect(await outbox.unsettled(chain.head().number)).to.deep.equal([]);
        expect((await log.read()).map(({ subjects }) => subjects[0])).to.deep.equal(["deploy", "one", "two", "three", "four"]);
        await log.verify();

        const { hash } = chain.head();
        await chain.close();
        const again = await openEmbeddedChain({ dir });
        expect(again.head().hash).to.equal(hash);
        await again.close();
        await database.close();
        lock.release();
      } finally {
        rmSync(dir, { recursive: true });
      }
    });
  }
});
