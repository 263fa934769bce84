// @long
import { expect } from "chai";
import type { Address } from "viem";
import { type Anvil, startAnvil } from "../../orchestrator/chain/anvil.ts";
import { ANVIL_GENESIS, openAnvilChain } from "../../orchestrator/chain/anvil-chain.ts";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import type { DrivenChain } from "../../orchestrator/chain/driven.ts";
import { ChainSilent, RpcUnreachable } from "../../orchestrator/chain/errors.ts";
import { intentKey, memoryOutbox } from "../../orchestrator/chain/outbox.ts";
import { requestOver } from "../../orchestrator/chain/rpc.ts";
import { createSender, type Sender } from "../../orchestrator/chain/sender.ts";
import { RETRIES, type SilenceNews, SilenceRetry } from "../../orchestrator/chain/silence-retry.ts";
import { JumpingClock } from "../../orchestrator/primitives/clock.ts";
import { counterAbi, counterCode, countOf, notBefore } from "../chain/counter.ts";
import { rejection } from "../support/rejection.ts";
import { RpcProxy, type Weather } from "../support/rpc-proxy.ts";

/** A city's chain in an Anvil of its own, behind a network that fails in every way a network can. */
describe("fault: the chain's node does not answer", function () {
  this.timeout(30_000);
  const START = 5_000n;
  const running: Anvil[] = [];
  let anvil: Anvil;
  let proxy: RpcProxy;
  let chain: DrivenChain;
  let clock: JumpingClock;
  let silenceRetry: SilenceRetry;
  let sender: Sender;
  let counter: Address;
  const news: SilenceNews[] = [];
  const said: string[] = [];

  const newAnvil = async () => {
    const started = await startAnvil({ driven: ANVIL_GENESIS });
    running.push(started);
    return started;
  };
  const count = async (name: string) => sender.send({ intent: intentKey(name), to: counter });

  /** The network is like this for so many calls of a method, then clear. */
  const upset = (weather: Weather, times: number, matters: (method: string) => boolean = () => true) => {
    let left = times;
    proxy.weather = (method) => (matters(method) && left-- > 0 ? weather : "clear");
  };

  beforeEach(async () => {
    news.length = 0;
    said.length = 0;
    anvil = await newAnvil();
    proxy = await new RpcProxy(anvil.url).open();
    clock = new JumpingClock(START);
    silenceRetry = new SilenceRetry({
      clock,
      notify: async (each) => {
        news.push(each);
      },
    });
    chain = await openAnvilChain({ url: proxy.url, silenceRetry, log: (line) => said.push(line) });
    sender = createSender({
      chain,
      outbox: memoryOutbox(),
      relayers: [devnetAccount(1), devnetAccount(2)],
      abis: [counterAbi],
      silenceRetry,
    });
    const { contractAddress } = await sender.send({ intent: intentKey("deploy"), data: counterCode });
    if (contractAddress == null) throw new Error("no contract");
    counter = contractAddress;
  });
  afterEach(async () => {
    proxy.weather = () => "clear";
    await chain.close();
    await proxy.close();
    for (const each of running.splice(0)) await each.stop("SIGKILL");
  });

  /** The transcript of a chain that recovered is one that replays. */
  const replays = async () => {
    const again = await openAnvilChain({ url: (await newAnvil()).url, transcript: chain.transcript() });
    expect(again.head().hash).to.equal(chain.head().hash);
    await again.close();
  };

  for (const weather of ["cut", "deaf", "unavailable"] as const) {
    for (const method of ["eth_estimateGas", "eth_sendRawTransaction", "evm_mine", "eth_getTransactionReceipt"]) {
      it(`${weather} at ${method}: the step happens once, 30 s later, and the transcript replays`, async () => {
        upset(weather, 1, (each) => each === method);
        await count("one");
        expect(news.map(({ kind }) => kind)).to.deep.equal(["silent", "back"]);
        expect(clock.now() - START).to.equal(RETRIES[0]);
        expect(await countOf(chain, counter)).to.equal(1);
        await count("two");
        expect(await countOf(chain, counter)).to.equal(2);
        await replays();
      });
    }
  }

  it("answers of a node that is behind are not believed: it is asked again until it has the block", async () => {
    for (let each = 0; each < 4; each += 1) await count(`before ${each}`);
    upset({ behind: 3 }, 4, (method) => method.startsWith("eth_"));
    const balance = await chain.publicClient.getTransactionCount({ address: devnetAccount(1).address });
    proxy.weather = () => "clear";
    expect(balance).to.equal(await chain.publicClient.getTransactionCount({ address: devnetAccount(1).address }));
    expect(news.length).to.be.greaterThan(0);
    await replays();
  });

  it("what was asked meanwhile is sent in the order in which it was asked", async () => {
    let open = false;
    proxy.weather = () => (open ? "clear" : "cut");
    const order: string[] = [];
    const time = chain.clock.now();
    const steps = ["a", "b", "c", "d", "e", "f"].map(async (name) => {
      const { blockNumber } = await sender.send({ intent: intentKey("queued", name), to: counter, data: notBefore(time) });
      order.push(name);
      return blockNumber;
    });
    await retryBegan();
    open = true;
    const blocks = await Promise.all(steps);
    expect(order).to.deep.equal(["a", "b", "c", "d", "e", "f"]);
    expect(blocks).to.deep.equal([...blocks].sort((a, b) => Number(a - b)));
    expect(await countOf(chain, counter)).to.equal(6);
  });

  /** Until everybody waits. */
  async function retryBegan(): Promise<void> {
    while (news.length === 0) await new Promise((resolve) => setImmediate(resolve));
  }

  it("escalates at the constitution's limit: after 30 s, 2, 8, 16 and 24 min it was asked for the last time at 30 min", async () => {
    proxy.weather = () => "unavailable";
    const error = await rejection(count("never"));
    expect(error).to.be.instanceOf(ChainSilent);
    expect(clock.now() - START).to.equal(1_800n);
    expect(news).to.deep.equal([
      { kind: "silent", since: START },
      { kind: "halted", since: START, lasted: 1_800n },
    ]);
    // Whoever asks now is told at once.
    expect(await rejection(count("later"))).to.be.instanceOf(ChainSilent);
    expect(clock.now() - START).to.equal(1_800n);
    upset("cut", 2);
    expect(await silenceRetry.untilHeard(() => chain.request({ method: "eth_blockNumber" }))).to.equal(1_800n + 960n);
    await count("never");
    expect(await countOf(chain, counter)).to.equal(1);
  });

  it("killed and started again without its memory: every block is mined again, hash for hash, and work goes on", async () => {
    await count("before");
    const { hash } = chain.head();
    await anvil.stop("SIGKILL");
    let asked = 0;
    proxy.weather = () => {
      asked += 1;
      return "clear";
    };
    const fresh = await newAnvil();
    clock.sleepUntil = async (time) => {
      // The operator starts it while everybody waits.
      proxy.target = fresh.url;
      clock.advanceTo(time);
    };
    await count("after");
    expect(asked).to.be.greaterThan(1);
    expect(await countOf(chain, counter)).to.equal(2);
    expect((await chain.publicClient.getBlock({ blockHash: hash })).hash).to.equal(hash);
    expect(said.some((line) => /had lost blocks: \d+ were mined again, hash for hash/.test(line))).to.equal(true);
    await replays();
  });

  it("reorganized, so that a step's block is gone: the recorded blocks are mined again and nothing is lost", async () => {
    await count("before");
    await count("removed");
    await requestOver(anvil.url, 5_000)({ method: "anvil_reorg", params: [1, []] });
    await count("after");
    expect(await countOf(chain, counter)).to.equal(3);
    expect(said.some((line) => /was reorganized: 1 were mined again, hash for hash/.test(line))).to.equal(true);
    await replays();
  });

  it("without patience silence is an error at once", async () => {
    const hasty = createSender({ chain, outbox: memoryOutbox(), relayers: [devnetAccount(3)] });
    proxy.weather = () => "cut";
    expect(await rejection(hasty.send({ intent: intentKey("hasty"), to: counter }))).to.be.instanceOf(RpcUnreachable);
    expect(clock.now()).to.equal(START);
  });
});
