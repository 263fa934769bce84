import { join } from "node:path";
import { expect } from "chai";
import { createTestClient, http, padHex, parseEther, publicActions } from "viem";
import { type Anvil, ForkUrlMissing, startAnvil } from "../../orchestrator/chain/anvil.ts";
import { openAnvilChain } from "../../orchestrator/chain/anvil-chain.ts";
import { viemChain } from "../../orchestrator/chain/chain.ts";
import { DEVNET_GENESIS, devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { TranscriptMismatch } from "../../orchestrator/chain/errors.ts";
import { openTranscript } from "../../orchestrator/chain/open-transcript.ts";
import { intentKey, memoryOutbox } from "../../orchestrator/chain/outbox.ts";
import { createSender } from "../../orchestrator/chain/sender.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { counterAbi, counterCode, countOf } from "./counter.ts";

const L2 = 10;

/** A second Anvil plays the L2: it has blocks, and a contract that counts. */
describe("a fork of an L2", function () {
  this.timeout(60_000);
  const directory = suiteDirectory();
  const relayers = [devnetAccount(1)];
  let l2: Anvil;
  let counter: `0x${string}`;
  const node = () => createTestClient({ mode: "anvil", chain: viemChain(L2, "L2"), transport: http(l2.url) }).extend(publicActions);

  before(async () => {
    l2 = await startAnvil({ driven: { ...DEVNET_GENESIS, chainId: L2 } });
    await node().mine({ blocks: 20 });
    const from = devnetAccount(4);
    const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 0n };
    const deployed = { type: "eip1559" as const, chainId: L2, nonce: 0, to: null, data: counterCode, gas: 200_000n, ...fees };
    const hash = await node().sendRawTransaction({ serializedTransaction: await from.signTransaction(deployed) });
    await node().mine({ blocks: 1 });
    const { contractAddress } = await node().getTransactionReceipt({ hash });
    counter = contractAddress ?? "0x";
    const call = { type: "eip1559" as const, chainId: L2, nonce: 1, to: counter, gas: 100_000n, ...fees };
    await node().sendRawTransaction({ serializedTransaction: await from.signTransaction(call) });
    await node().mine({ blocks: 1 });
  });
  after(() => l2.stop("SIGKILL"));

  it("goes on from its state as a devnet, replays hash for hash, and leaves it alone", async () => {
    const dir = join(directory(), "fork");
    const before = await node().getBlock();
    const chain = await openAnvilChain({ dir, forkUrl: l2.url });
    expect({ id: chain.id, head: chain.head().number, first: chain.firstBlock }).to.deep.equal({
      ...{ id: 31337, head: before.number, first: before.number + 1n },
    });
    const sender = createSender({ chain, outbox: memoryOutbox(), relayers, abis: [counterAbi] });
    expect(await countOf(chain, counter)).to.equal(1);
    await sender.send({ intent: intentKey("count"), to: counter });
    await chain.clock.sleepUntil(chain.clock.now() + 86_400n);
    await sender.send({ intent: intentKey("again"), to: counter });
    expect(await countOf(chain, counter)).to.equal(3);
    const logs = await chain.publicClient.getLogs({ fromBlock: 0n });
    expect(logs.every(({ blockNumber }) => blockNumber > before.number)).to.equal(true);
    const { hash, number } = chain.head();
    await chain.close();

    // The L2 lives on; the fork stays where it began.
    await node().mine({ blocks: 3 });
    expect(await rejection(openAnvilChain({ dir }))).to.be.instanceOf(ForkUrlMissing);
    const again = await openAnvilChain({ dir, forkUrl: l2.url });
    expect(again.head()).to.include({ hash, number });
    const transcript = again.transcript();
    await again.close();
    const audited = await openTranscript(transcript, undefined, l2.url);
    expect(audited.head()).to.include({ hash, number });
    expect(await countOf(audited, counter)).to.equal(3);
    await audited.close();
    expect(await node().getTransactionCount({ address: relayers[0]?.address ?? "0x" })).to.equal(0);
    expect(await node().getStorageAt({ address: counter, slot: padHex("0x0") })).to.equal(padHex("0x1"));
  });

  it("is refused on a chain whose block is another one", async () => {
    const dir = join(directory(), "other");
    await (await openAnvilChain({ dir, forkUrl: l2.url })).close();
    const other = await startAnvil({ driven: { ...DEVNET_GENESIS, chainId: L2, timestamp: DEVNET_GENESIS.timestamp + 5 } });
    try {
      const client = createTestClient({ mode: "anvil", chain: viemChain(L2, "L2"), transport: http(other.url) });
      await client.setBalance({ address: counter, value: parseEther("1") });
      await client.mine({ blocks: 40 });
      expect(await rejection(openAnvilChain({ dir, forkUrl: other.url }))).to.be.instanceOf(TranscriptMismatch);
    } finally {
      await other.stop("SIGKILL");
    }
  });
});
