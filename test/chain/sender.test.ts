import { expect } from "chai";
import type { Address } from "viem";
import { DEVNET_GENESIS, devnetAccount } from "../../orchestrator/chain/devnet.ts";
import type { DrivenChain } from "../../orchestrator/chain/driven.ts";
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import { ChainDisagrees, LockLost, NonceTaken, TransactionRefused, TransactionReverted } from "../../orchestrator/chain/errors.ts";
import { intentKey, memoryOutbox, type Outbox } from "../../orchestrator/chain/outbox.ts";
import { createSender, type Sender, type SenderOptions } from "../../orchestrator/chain/sender.ts";
import { InvalidValue } from "../../orchestrator/primitives/errors.ts";
import { rejection } from "../support/rejection.ts";
import { counterAbi, counterCode, countOf, dearerCode, notBefore } from "./counter.ts";
import { transfer } from "./transfers.ts";

const START = BigInt(DEVNET_GENESIS.timestamp);
const relayers = [devnetAccount(1), devnetAccount(2), devnetAccount(3)];

describe("the sender", () => {
  let chain: DrivenChain;
  let outbox: Outbox;
  let sender: Sender;
  let counter: Address;

  function senderWith(options: Partial<SenderOptions<never>> = {}): Sender {
    return createSender({ chain, outbox, relayers, abis: [counterAbi], ...options });
  }

  beforeEach(async () => {
    chain = await openEmbeddedChain();
    outbox = memoryOutbox();
    sender = senderWith();
    const { contractAddress } = await sender.send({ intent: intentKey("deploy"), data: counterCode });
    if (contractAddress === null || contractAddress === undefined) throw new Error("no contract");
    counter = contractAddress;
  });
  afterEach(() => chain.close());

  it("does one step once, however often it is asked for", async () => {
    const step = { intent: intentKey("mission", 3, "count", "a"), to: counter };
    const first = await sender.send(step);
    const again = await sender.send(step);
    expect(again.transactionHash).to.equal(first.transactionHash);
    const other = await senderWith().send(step);
    expect(other.transactionHash).to.equal(first.transactionHash);
    expect(await countOf(chain, counter)).to.equal(1);
  });

  it("does concurrent requests for one step once", async () => {
    const step = { intent: intentKey("same"), to: counter };
    const receipts = await Promise.all([sender.send(step), sender.send(step), sender.send(step)]);
    expect(new Set(receipts.map(({ transactionHash }) => transactionHash)).size).to.equal(1);
    expect(await countOf(chain, counter)).to.equal(1);
  });

  it("sends many in one block, in order, from relayers chosen by their keys alone", async () => {
    const steps = Array.from({ length: 12 }, (_, index) => ({ intent: intentKey("many", index), to: counter }));
    const receipts = await sender.sendMany(steps);
    expect(new Set(receipts.map(({ blockNumber }) => blockNumber)).size).to.equal(1);
    expect(receipts.map(({ transactionIndex }) => transactionIndex)).to.deep.equal(steps.map((_, index) => index));
    expect(new Set(receipts.map(({ from }) => from)).size).to.equal(3);
    expect(await countOf(chain, counter)).to.equal(12);

    const more = await sender.sendMany([...steps.slice(0, 3), { intent: intentKey("many", "new"), to: counter }]);
    expect(more.slice(0, 3)).to.deep.equal(receipts.slice(0, 3));
    expect(await countOf(chain, counter)).to.equal(13);
  });

  it("gives the same final block hash for the same steps", async () => {
    const hashes = [];
    for (let run = 0; run < 2; run += 1) {
      const fresh = await openEmbeddedChain();
      const { sendMany, send } = boundSender(createSender({ chain: fresh, outbox: memoryOutbox(), relayers }));
      await send({ intent: intentKey("deploy"), data: counterCode });
      await Promise.all([1, 2, 3, 4, 5].map((index) => send({ intent: intentKey(index), to: counter })));
      await sendMany([6, 7, 8].map((index) => ({ intent: intentKey(index), to: counter })));
      hashes.push(fresh.head().hash);
      await fresh.close();
    }
    expect(hashes[0]).to.equal(hashes[1]);
  });

  it("tells a revert by name before a nonce is burnt, and the step can be tried again", async () => {
    const step = { intent: intentKey("early"), to: counter, data: notBefore(START + 60n), what: "count" };
    const error = await rejection(sender.send(step));
    expect(error).to.be.instanceOf(TransactionReverted);
    expect(error).to.deep.include({ phase: "simulated", errorName: "Early", args: [START] });
    expect(error.message).to.contain(`count would be refused by the contract; nothing was sent: Early(${START})`);
    expect(chain.head().number).to.equal(1n);
    expect(await outbox.find(step.intent)).to.equal(undefined);

    await chain.advanceTo(START + 60n);
    await sender.send(step);
    expect(await countOf(chain, counter)).to.equal(1);
  });

  it("sends none of many when one would revert", async () => {
    const steps = [
      { intent: intentKey(1), to: counter },
      { intent: intentKey(2), to: counter, data: notBefore(START + 60n) },
    ];
    expect(await rejection(sender.sendMany(steps))).to.be.instanceOf(TransactionReverted);
    expect(chain.head().number).to.equal(1n);
    expect(await outbox.unsettled(chain.head().number)).to.deep.equal([]);
  });

  it("sends once more what ran out of gas because another's transaction went first", async () => {
    const { contractAddress } = await sender.send({ intent: intentKey("dearer"), data: dearerCode });
    if (contractAddress === null || contractAddress === undefined) throw new Error("no contract");
    // Both are estimated as the first.
    const steps = ["one", "two"].map((name) => ({ intent: intentKey(name), to: contractAddress }));
    const receipts = await sender.sendMany(steps);
    expect(receipts.map(({ status }) => status)).to.deep.equal(["success", "success"]);
    expect(await countOf(chain, contractAddress)).to.equal(2);
    expect((await outbox.find(intentKey("two")))?.status).to.equal("reverted");
    expect(await sender.sendMany(steps)).to.deep.equal(receipts);
    expect(await countOf(chain, contractAddress)).to.equal(2);
  });

  it("does not spend twice on untrusted code that runs out of gas", async () => {
    const { contractAddress } = await sender.send({ intent: intentKey("dearer"), data: dearerCode });
    if (contractAddress === null || contractAddress === undefined) throw new Error("no contract");
    const steps = ["one", "two"].map((name) => ({ intent: intentKey(name), to: contractAddress, maxGas: 10n ** 6n }));
    expect(await rejection(sender.sendMany(steps))).to.be.instanceOf(TransactionReverted);
    expect(await countOf(chain, contractAddress)).to.equal(1);
  });

  it("decodes a revert that happened in a block, every time it is asked, and settles the others", async () => {
    const steps = [
      { intent: intentKey("bad"), to: counter, data: notBefore(START + 60n), gas: 100_000n },
      { intent: intentKey("good"), to: counter },
    ];
    for (let ask = 0; ask < 2; ask += 1) {
      const error = await rejection(sender.sendMany(steps));
      expect(error).to.be.instanceOf(TransactionReverted);
      expect(error).to.deep.include({ phase: "mined", errorName: "Early", args: [START] });
    }
    expect(await outbox.unsettled(chain.head().number)).to.deep.equal([]);
    expect(await countOf(chain, counter)).to.equal(1);
    expect((await outbox.find(intentKey("bad")))?.status).to.equal("reverted");
  });

  for (const point of ["sender:signed", "sender:broadcast"] as const) {
    it(`stopped at ${point}, goes on with the same bytes`, async () => {
      const stopped = senderWith({
        boundary: async (name) => {
          if (name === point) throw new Error("stopped");
        },
      });
      const step = { intent: intentKey("stopped"), to: counter };
      expect((await rejection(stopped.send(step))).message).to.equal("stopped");
      const [row] = await outbox.unsettled(chain.head().number);

      const next = senderWith();
      expect(await next.recover()).to.equal(1);
      expect(await next.recover()).to.equal(0);
      const receipt = await next.send(step);
      expect(receipt.transactionHash).to.equal(row?.hash);
      expect(await countOf(chain, counter)).to.equal(1);
    });

    it(`stopped at ${point} without recovery, settles the open nonce before the next step`, async () => {
      let isOff = false;
      const shaky = senderWith({
        relayers: relayers.slice(0, 1),
        boundary: async (name) => {
          if (name === point && !isOff) throw new Error("stopped");
        },
      });
      await rejection(shaky.send({ intent: intentKey("first"), to: counter }));
      isOff = true;
      await shaky.send({ intent: intentKey("second"), to: counter });
      expect(await countOf(chain, counter)).to.equal(2);
      expect(await outbox.unsettled(chain.head().number)).to.deep.equal([]);
    });
  }

  it("sends nothing when the city was taken over", async () => {
    const stale = senderWith({
      guard: () => {
        throw new LockLost("lock");
      },
    });
    expect(await rejection(stale.send({ intent: intentKey("late"), to: counter }))).to.be.instanceOf(LockLost);
    expect(await countOf(chain, counter)).to.equal(0);
  });

  it("stops by name when somebody else used a recorded nonce", async () => {
    const account = devnetAccount(5);
    const broken = senderWith({
      relayers: [account],
      boundary: async () => {
        throw new Error("stopped");
      },
    });
    await rejection(broken.send({ intent: intentKey("lost"), to: counter }));
    await chain.mine([await transfer(account, 0)]);
    expect(await rejection(senderWith().recover())).to.be.instanceOf(NonceTaken);
  });

  it("sends again what a chain that lost its last blocks had, in the same order", async () => {
    await sender.send({ intent: intentKey("kept"), to: counter });
    const kept = chain.transcript();
    await sender.sendMany([1, 2, 3].map((index) => ({ intent: intentKey(index), to: counter })));
    await chain.close();
    chain = await openEmbeddedChain({ transcript: kept });
    expect(await countOf(chain, counter)).to.equal(1);
    expect(await senderWith().recover()).to.equal(3);
    expect(await countOf(chain, counter)).to.equal(4);
    expect(await senderWith().recover()).to.equal(0);
  });

  it("stops by name on a chain that is not the one its records were made with", async () => {
    await chain.close();
    chain = await openEmbeddedChain();
    for (let nonce = 0; nonce < 3; nonce += 1) await chain.mine([await transfer(devnetAccount(5), nonce)]);
    expect(await rejection(senderWith().recover())).to.be.instanceOf(ChainDisagrees);
  });

  it("tells refusals that are no reverts by their own name", async () => {
    const pauper = devnetAccount(50);
    const error = await rejection(sender.send({ intent: intentKey("poor"), to: counter, account: pauper, gas: 100_000n }));
    expect(error).to.be.instanceOf(TransactionRefused);
    expect(error.message).to.contain("enough funds");
    expect(await rejection(sender.sendMany([{ intent: intentKey(1) }, { intent: intentKey(1) }]))).to.be.instanceOf(InvalidValue);
    expect(() => createSender({ chain, outbox, relayers: [] })).to.throw(InvalidValue);
  });
});

function boundSender(sender: Sender): Pick<Sender, "send" | "sendMany"> {
  return { send: (intent) => sender.send(intent), sendMany: (intents) => sender.sendMany(intents) };
}
