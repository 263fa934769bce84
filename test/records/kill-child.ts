/**
 * One city process for kill.test.ts: opens chain and records in a directory, sends its steps, and at the named boundary says so
 * and blocks until it is killed. usage: node kill-child.ts <dir> <boundary> <crossing>
 */

import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import { acquireLock } from "../../orchestrator/chain/lock.ts";
import { createSender } from "../../orchestrator/chain/sender.ts";
import { openDatabase } from "../../orchestrator/records/database.ts";
import { RecordLog } from "../../orchestrator/records/log.ts";
import { openOutbox } from "../../orchestrator/records/outbox.ts";
import { cache } from "../support/cache.ts";
import { runSteps } from "./kill-steps.ts";

const [dir = "", stopAt = "", crossing = "1"] = process.argv.slice(2);
const lock = acquireLock(dir, () => {});
const chain = await openEmbeddedChain({ dir });
const database = await openDatabase({ dir: `${dir}/records`, cache });
const log = new RecordLog(database, chain.clock);
let crossed = 0;
const sender = createSender({
  chain,
  outbox: openOutbox(database, log),
  relayers: [devnetAccount(1), devnetAccount(2)],
  guard: () => lock.assertHeld(),
  boundary: async (name) => {
    if (name !== stopAt) return;
    crossed += 1;
    if (crossed < Number(crossing)) return;
    process.send?.(name);
    setInterval(() => {}, 60_000);
    await new Promise(() => {});
  },
});
await runSteps(sender);
process.send?.("never reached");
