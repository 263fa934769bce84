// @long
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { encodeFunctionData, erc20Abi } from "viem";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { intentKey } from "../../orchestrator/primitives/outbox.ts";
import { copyHome, foundHome, openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const SEED = "7";

/**
 * The chain's file is on disk after each block; the records' database reaches the disk before each transaction is sent, and otherwise when
 * the system likes. So what a power cut leaves is at worst the chain of now with the records of the moment before it was sent.
 */
describe("a city after a power cut", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const home = () => join(directory(), "home");

  /** A relayer, or the sponsor, sends a transaction; copies the records as they are at `at` beside the chain as it is in the end. */
  async function cutAt(at: "before" | "signed", name: string, sender?: "sponsor"): Promise<string> {
    const cut = copyHome(home(), join(directory(), name));
    const records = join(directory(), `${name}-records`);
    const keep = (from: string) => cpSync(join(from, "embedded", "records"), records, { recursive: true });
    const city = await openHome(cut, SEED, {
      boundary: async (place) => {
        if (at === "signed" && place === "sender:signed") keep(cut);
      },
    });
    if (at === "before") keep(cut);
    await city.sender.send({
      intent: intentKey("test", name),
      to: city.client.token.address,
      data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [city.client.agents.address, 1n] }),
      ...(sender === undefined ? {} : { account: memberOf(city.society, sender).account }),
    });
    await city.close();
    rmSync(join(cut, "embedded", "records"), { recursive: true });
    cpSync(records, join(cut, "embedded", "records"), { recursive: true });
    return cut;
  }

  before(() => foundHome(home(), SEED));

  it("goes on: the records know all that was sent, and learn how it ended from the chain", async () => {
    const cut = await cutAt("signed", "signed");
    const told: string[] = [];
    const city = await openHome(cut, SEED, { progress: (line) => told.push(line) });
    try {
      expect(await city.sender.open()).to.equal(0);
      const [row] = await city.database.query("SELECT status, block FROM outbox ORDER BY seq DESC LIMIT 1");
      expect(row).to.deep.include({ status: "success", block: String(city.chain.head().number) });
    } finally {
      await city.close();
    }
  });

  it("does not go on with older records than that: they are named, with what to do", async () => {
    const cut = await cutAt("before", "before");
    expect(await rejection(openHome(cut, SEED))).to.include({ code: "RecordsDamaged" });
    const sponsored = await cutAt("before", "sponsored", "sponsor");
    expect(await rejection(openHome(sponsored, SEED))).to.include({ code: "RecordsDamaged" });
  });
});
