import { expect } from "chai";
import type { Address } from "viem";
import { type Anvil, startAnvil } from "../../orchestrator/chain/anvil.ts";
import type { Chain } from "../../orchestrator/chain/chain.ts";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { ReceiptTimeout, TransactionReverted } from "../../orchestrator/chain/errors.ts";
import { intentKey, memoryOutbox, type Outbox } from "../../orchestrator/chain/outbox.ts";
import { connectRpcChain, requestOver } from "../../orchestrator/chain/rpc.ts";
import { createSender, type Sender, type SenderOptions } from "../../orchestrator/chain/sender.ts";
import { RETRIES, SilenceRetry } from "../../orchestrator/chain/silence-retry.ts";
import { JumpingClock } from "../../orchestrator/primitives/clock.ts";
import { counterAbi, counterCode, countOf, notBefore } from "../chain/counter.ts";
import { rejection } from "../support/rejection.ts";

const wall = { millis: () => 0, sleep: () => Promise.reject(new Error("nobody should sleep")) };

/** A real Anvil that mines by itself, and is told to do badly what a node should do well. */
describe("fault: a transaction goes astray", function () {
  this.timeout(30_000);
  const START = 1_000n;
  let anvil: Anvil;
  let chain: Chain;
  let outbox: Outbox;
  let clock: JumpingClock;
  let sender: Sender;
  let counter: Address;
  const admin = (method: string, ...params: readonly unknown[]) => requestOver(anvil.url, 5_000)({ method, params });
  const step = (name: string) => ({ intent: intentKey(name), to: counter });
  const senderWith = (options: Partial<SenderOptions<never>> = {}) =>
    createSender({
      chain,
      outbox,
      relayers: [devnetAccount(1)],
      abis: [counterAbi],
      silenceRetry: new SilenceRetry({ clock }),
      ...options,
    });

  beforeEach(async () => {
    anvil = await startAnvil();
    chain = await connectRpcChain({ url: anvil.url, chainId: 31337, travel: true, wall, receiptTimeoutMillis: 300 });
    outbox = memoryOutbox();
    clock = new JumpingClock(START);
    sender = senderWith();
    const { contractAddress } = await sender.send({ intent: intentKey("deploy"), data: counterCode });
    if (contractAddress == null) throw new Error("no contract");
    counter = contractAddress;
  });
  afterEach(() => anvil.stop("SIGKILL"));

  it("dropped by the node: the same bytes are sent again 30 s later", async () => {
    await admin("evm_setAutomine", false);
    const drops = senderWith({
      boundary: async (name) => {
        if (name !== "sender:broadcast") return;
        await admin("anvil_dropAllTransactions");
        await admin("evm_setAutomine", true);
      },
    });
    const receipt = await drops.send(step("dropped"));
    expect(receipt.status).to.equal("success");
    expect(receipt.transactionHash).to.equal((await outbox.find(intentKey("dropped")))?.hash);
    expect(clock.now() - START).to.equal(RETRIES[0]);
    expect(await countOf(chain, counter)).to.equal(1);
  });

  it("never mined: three more chances, at 30 s, 2 min and 8 min, then an error with its name", async () => {
    await admin("evm_setAutomine", false);
    const times: bigint[] = [];
    const hopeless = senderWith({
      boundary: async (name) => {
        if (name === "sender:broadcast") times.push(clock.now());
      },
    });
    expect(await rejection(hopeless.send(step("never")))).to.be.instanceOf(ReceiptTimeout);
    expect(clock.now() - START).to.equal(480n);
    expect((await outbox.find(intentKey("never")))?.status).to.equal("signed");
    await admin("evm_mine");
    expect((await sender.send(step("never"))).status).to.equal("success");
    expect(await countOf(chain, counter)).to.equal(1);
  });

  it("underpriced when the base fee rose in between: signed again under its nonce with today's fee", async () => {
    const risen = senderWith({
      boundary: async (name) => {
        if (name !== "sender:signed") return;
        await admin("anvil_setNextBlockBaseFeePerGas", "0x2540be40000");
        await admin("evm_mine");
      },
    });
    const nonce = await outbox.nextNonce(devnetAccount(1).address);
    const receipt = await risen.send(step("cheap"));
    expect(receipt.status).to.equal("success");
    const row = await outbox.find(intentKey("cheap"));
    expect(row).to.include({ nonce, hash: receipt.transactionHash, status: "success" });
    expect(clock.now() - START).to.equal(RETRIES[0]);
    expect(await countOf(chain, counter)).to.equal(1);
  });

  it("reverted in its block: it did not happen, and asked for again it is tried again", async () => {
    const time = chain.clock.now() + 100n;
    const early = { ...step("early"), data: notBefore(time), gas: 100_000n };
    expect(await rejection(sender.send(early)))
      .to.be.instanceOf(TransactionReverted)
      .and.include({ phase: "mined" });
    await chain.clock.sleepUntil(time);
    expect((await sender.send(early)).status).to.equal("success");
    expect((await sender.send(early)).status).to.equal("success");
    expect(await countOf(chain, counter)).to.equal(1);
  });

  it("sent twice, by two programs with the same records: mined once", async () => {
    await rejection(
      senderWith({
        boundary: async () => {
          throw new Error("stopped");
        },
      }).send(step("twice")),
    );
    const raw = (await outbox.find(intentKey("twice")))?.raw;
    await chain.broadcast([raw!]);
    await chain.broadcast([raw!]);
    expect((await sender.send(step("twice"))).status).to.equal("success");
    expect((await senderWith().send(step("twice"))).status).to.equal("success");
    expect(await countOf(chain, counter)).to.equal(1);
  });

  it("removed by a reorganization with its block, and one after it: both are sent again, in order, once", async () => {
    await sender.send(step("kept"));
    const removed = await sender.send(step("removed"));
    await sender.send(step("after it"));
    await admin("anvil_reorg", 2, []);
    await admin("anvil_dropAllTransactions");
    expect(await countOf(chain, counter)).to.equal(1);
    const again = await sender.send(step("removed"));
    expect(again.transactionHash).to.equal(removed.transactionHash);
    expect(again.blockHash).to.not.equal(removed.blockHash);
    expect(await countOf(chain, counter)).to.equal(3);
    await sender.send(step("next"));
    expect(await countOf(chain, counter)).to.equal(4);
  });

  it("removed by a reorganization, unasked for: the next step first sends again what was lost", async () => {
    await sender.send(step("lost"));
    await admin("anvil_reorg", 1, []);
    await admin("anvil_dropAllTransactions");
    await sender.send(step("next"));
    expect(await countOf(chain, counter)).to.equal(2);
  });
});
