import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type Anvil, startAnvil } from "../../orchestrator/chain/anvil.ts";
import type { Chain } from "../../orchestrator/chain/chain.ts";
import { DEVNET_GENESIS, devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { MethodNotAllowed, RpcUnreachable, TransactionReverted } from "../../orchestrator/chain/errors.ts";
import { intentKey, memoryOutbox } from "../../orchestrator/chain/outbox.ts";
import { connectRpcChain } from "../../orchestrator/chain/rpc.ts";
import { createSender } from "../../orchestrator/chain/sender.ts";
import { rejection } from "../support/rejection.ts";
import { counterAbi, counterCode, countOf, notBefore } from "./counter.ts";

const wall = { millis: () => 0, sleep: () => Promise.reject(new Error("nobody should sleep")) };
const relayers = [devnetAccount(1), devnetAccount(2)];

describe("Anvil as a chain in another process", () => {
  let dir: string;
  let anvil: Anvil;
  let chain: Chain;

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "agentcity-anvil-"));
    anvil = await startAnvil({ dir });
    chain = await connectRpcChain({ url: anvil.url, chainId: 31337, travel: true, wall });
  });
  afterEach(async () => {
    await anvil.stop("SIGKILL");
    rmSync(dir, { recursive: true });
  });

  it("carries the sender, travels through time and keeps its state over a restart", async () => {
    const outbox = memoryOutbox();
    const sender = createSender({ chain, outbox, relayers, abis: [counterAbi] });
    const { contractAddress: counter } = await sender.send({ intent: intentKey("deploy"), data: counterCode });
    if (counter === null || counter === undefined) throw new Error("no contract");
    await sender.sendMany([1, 2, 3, 4].map((index) => ({ intent: intentKey(index), to: counter })));
    expect(await countOf(chain, counter)).to.equal(4);

    const tomorrow = chain.clock.now() + 86_400n;
    const step = { intent: intentKey("later"), to: counter, data: notBefore(tomorrow) };
    expect(await rejection(sender.send(step)))
      .to.be.instanceOf(TransactionReverted)
      .with.property("errorName", "Early");
    expect(await rejection(sender.send({ ...step, gas: 100_000n, intent: intentKey("soon") })))
      .to.be.instanceOf(TransactionReverted)
      .and.include({ errorName: "Early", phase: "mined" });
    await chain.clock.sleepUntil(tomorrow);
    await sender.send(step);
    expect(await countOf(chain, counter)).to.equal(5);
    expect(await rejection(chain.request({ method: "evm_mine" }))).to.be.instanceOf(MethodNotAllowed);

    await anvil.stop("SIGTERM");
    expect(await rejection(sender.send({ intent: intentKey("dark"), to: counter }))).to.be.instanceOf(RpcUnreachable);
    anvil = await startAnvil({ dir });
    const again = await connectRpcChain({ url: anvil.url, travel: true, wall });
    expect(await countOf(again, counter)).to.equal(5);
    expect(again.clock.now() >= tomorrow).to.equal(true);
    expect(again.clock.now() > BigInt(DEVNET_GENESIS.timestamp)).to.equal(true);
  });
});
