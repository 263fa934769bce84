/**
 * A hub process for kill.test.ts: reads what the chain and the log of a directory hold, and at the named boundary says so and blocks until
 * it is killed. usage: node kill-child.ts <dir> <emitter> <boundary> <crossing>
 */

import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { openDatabase } from "../../orchestrator/records/database.ts";
import { hubOver } from "./hub-fixture.ts";

const [dir = "", emitter = "", stopAt = "", crossing = "1"] = process.argv.slice(2);
const chain = await openEmbeddedChain({ dir });
const database = await openDatabase({ dir: `${dir}/records` });
let crossed = 0;
const hub = await hubOver(chain, database, addressSchema.parse(emitter), async (name) => {
  if (name !== stopAt) return;
  crossed += 1;
  if (crossed < Number(crossing)) return;
  process.send?.(name);
  setInterval(() => {}, 60_000);
  await new Promise(() => {});
});
await hub.sync();
process.send?.("never reached");
