// @long
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { type Address, getContractAddress, type Hex } from "viem";
import { openAnvilChain } from "../../orchestrator/chain/anvil-chain.ts";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { type DrivenChain, TRANSCRIPT_FILE } from "../../orchestrator/chain/driven.ts";
import { openTranscript } from "../../orchestrator/chain/open-transcript.ts";
import { parseJson } from "../../orchestrator/primitives/json.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** Deploys code that stores the hash of the block five before its own, and reads a slot that nobody wrote. */
const NOTARY: Hex = "0x6a60054303405f55435450005f52600b6015f3";
const FIVE = 5n;
const STATE = "anvil-state.json.gz";
const alice = devnetAccount(1);

/** What depends on a chain's past: BLOCKHASH, and which slots were ever touched. */
describe("an Anvil that goes on from what the last one kept", function () {
  this.timeout(120_000);
  const directory = suiteDirectory();
  const notary: Address = getContractAddress({ from: alice.address, nonce: 0n });
  let nonce = 0;
  let told: string[] = [];

  const open = async (folder: string): Promise<DrivenChain> => {
    told = [];
    return openAnvilChain({ dir: join(directory(), folder), log: (line) => told.push(line) });
  };
  const call = async (to?: Address): Promise<Hex> => {
    const rest = { chainId: 31337, gas: 200_000n, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 0n } as const;
    const signed = await alice.signTransaction({ type: "eip1559", nonce, ...(to === undefined ? { data: NOTARY } : { to }), ...rest });
    nonce += 1;
    return signed;
  };
  const work = async (chain: DrivenChain, blocks: number): Promise<void> => {
    // As the city's own steps are mined.
    for (let made = 0; made < blocks; made += 1) await chain.broadcast([await call(notary)]);
  };
  /** What the contract read is the hash that the chain's own blocks have. */
  const expectKnowsItsPast = async (chain: DrivenChain): Promise<void> => {
    const { number } = chain.head();
    const noted = await chain.publicClient.getStorageAt({ address: notary, slot: "0x0" });
    expect(noted).to.equal((await chain.publicClient.getBlock({ blockNumber: number - FIVE })).hash);
  };
  const lost = () => told.filter((line) => line.includes("mined again")).join();

  it("mines again only what came after, remembers its blocks, and all of it replays hash for hash", async () => {
    const first = await open("city");
    await first.mine([await call()]);
    await work(first, 299);
    await expectKnowsItsPast(first);
    await first.close();
    for (const more of [2, 0, 9]) {
      const again = await open("city");
      expect(lost()).to.match(/had lost (44|46) of 30[02] blocks/);
      await work(again, more);
      await expectKnowsItsPast(again);
      await again.close();
    }
    const replayed = await openTranscript(readFileSync(join(directory(), "city", TRANSCRIPT_FILE), "utf8"));
    expect(replayed.head().number).to.equal(311n);
    await replayed.close();
  });

  it("keeps more as the chain grows, where it is killed as well", async () => {
    const killed = await open("city");
    await work(killed, 202);
    process.kill(anvilOf("city"), "SIGKILL");
    await killed.close();
    const again = await open("city");
    expect(lost()).to.contain("had lost 1 of 513 blocks");
    await work(again, 1);
    await expectKnowsItsPast(again);
    await again.close();
  });

  const refusals = () => told.filter((line) => line.startsWith("Anvil's saved state of this chain is not used: "));

  for (const [damage, change, reason] of [
    ["is no archive", () => new Uint8Array([1, 2, 3]), "cannot be unpacked"],
    ["is no state", () => gzipSync("{}"), "it exited with code"],
    ["was altered in one balance", (bytes: Uint8Array) => gzipSync(richer(gunzipSync(bytes).toString("utf8"))), "next empty block"],
  ] as const)
    it(`forgets what ${damage}, says so, and mines all again`, async () => {
      const path = join(directory(), "city", STATE);
      writeFileSync(path, change(readFileSync(path)));
      const again = await open("city");
      expect(lost()).to.match(/had lost (\d+) of \1 blocks/);
      expect(refusals()).to.have.length(1);
      expect(refusals()[0]).to.include(reason);
      await work(again, 1);
      await again.close();
      expect(existsSync(path)).to.equal(true);
    });

  it("forgets what another chain kept", async () => {
    const other = await open("other");
    for (let made = 0; made < 256; made += 1) await other.mine([], other.head().timestamp + 7n);
    await other.close();
    for (const name of [STATE, "anvil-state.probe"])
      writeFileSync(join(directory(), "city", name), readFileSync(join(directory(), "other", name)));
    const again = await open("city");
    expect(lost()).to.match(/had lost (\d+) of \1 blocks/);
    expect(refusals()[0]).to.include("does not belong to this chain");
    await again.close();
  });

  const anvilOf = (folder: string): number => {
    const owner = parseJson(readFileSync(join(directory(), folder, "anvil.pid"), "utf8"));
    return Number(Object(owner).pid);
  };
});

/** The same state, in which somebody has more money. */
function richer(state: string): string {
  const changed = state.replace('"balance":"0x', '"balance":"0x1');
  expect(changed).to.not.equal(state);
  return changed;
}
