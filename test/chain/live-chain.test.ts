import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "chai";
import {
  ContractFunctionExecutionError,
  createTestClient,
  formatEther,
  http,
  keccak256,
  numberToHex,
  parseGwei,
  parseTransaction,
  publicActions,
  serializeTransaction,
  zeroAddress,
} from "viem";
import { z } from "zod";
import { type Anvil, startAnvil } from "../../orchestrator/chain/anvil.ts";
import { rawBlockSchema, rawReceiptSchema, requireProven } from "../../orchestrator/chain/block-proof.ts";
import type { CityChain } from "../../orchestrator/chain/chain.ts";
import { viemChain } from "../../orchestrator/chain/chain.ts";
import { dataFeeOf, GAS_PRICE_ORACLE } from "../../orchestrator/chain/data-fee.ts";
import { DEVNET_GENESIS, devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { type Engine, openDrivenChain } from "../../orchestrator/chain/driven.ts";
import { connectEdr } from "../../orchestrator/chain/edr.ts";
import { ChainDisagrees, MethodNotAllowed, NoDataFee, ReceiptTimeout, WrongChain } from "../../orchestrator/chain/errors.ts";
import { type LiveNetwork, openLiveChain } from "../../orchestrator/chain/live-chain.ts";
import { intentKey, memoryOutbox } from "../../orchestrator/chain/outbox.ts";
import { serveRpc } from "../../orchestrator/chain/rpc-server.ts";
import { createSender } from "../../orchestrator/chain/sender.ts";
import type { Genesis } from "../../orchestrator/chain/transcript.ts";
import { openWitnessedChain } from "../../orchestrator/chain/witnessed-chain.ts";
import { type Hex, isHex } from "../../orchestrator/primitives/hex.ts";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { counterAbi, counterCode, countOf } from "./counter.ts";
import { transfer } from "./transfers.ts";

const relayers = [devnetAccount(1), devnetAccount(2)];
const wall = { millis: () => performance.now(), sleep: (millis: number) => wait(Math.min(millis, 20)) };

/** An Anvil whose blocks the test makes, as a network's validators do; the chain under test only watches them. */
describe("a chain in real time", function () {
  this.timeout(60_000);
  const directory = suiteDirectory();
  let anvil: Anvil;
  let chain: CityChain;
  const told: string[] = [];
  const node = () =>
    createTestClient({ mode: "anvil", chain: viemChain(31337, "Anvil"), transport: http(anvil.url) }).extend(publicActions);
  const open = (network: Partial<LiveNetwork> = {}, dir?: string) =>
    openLiveChain({
      ...{ network: { name: "town", chainId: 31337, ...network }, url: anvil.url, wall, log: (line: string) => told.push(line) },
      ...(dir === undefined ? {} : { dir }),
      receiptTimeoutMillis: 3_000,
    });
  /** Until the node holds so many transactions that no block has. */
  const pending = async (count: number) => {
    for (;;) {
      const { pending: now } = await node().getTxpoolStatus();
      if (now === count) return;
      await wait(10);
    }
  };

  beforeEach(async () => {
    told.length = 0;
    anvil = await startAnvil({ driven: DEVNET_GENESIS });
    chain = await open();
  });
  afterEach(async () => {
    await chain.close();
    await anvil.stop("SIGKILL");
  });

  it("counts a step when its block is deep enough, and never moves time", async () => {
    const sender = createSender({ chain, outbox: memoryOutbox(), relayers, abis: [counterAbi] });
    let done = false;
    const sending = sender.send({ intent: intentKey("deploy"), data: counterCode, gas: 200_000n }).finally(() => {
      done = true;
    });
    await pending(1);
    await node().mine({ blocks: 1 });
    await wait(200);
    expect(done).to.equal(false);
    await node().mine({ blocks: 1 });
    const { blockNumber } = await sending;
    expect(chain.head()).to.include({ number: blockNumber });
    const then = chain.clock.now();
    let woken = false;
    const sleeping = chain.clock.sleepUntil(then + 60n).then(() => {
      woken = true;
    });
    await wait(200);
    expect(woken).to.equal(false);
    await node().mine({ blocks: 1, interval: 61 });
    await sleeping;
    expect(await rejection(chain.request({ method: "evm_mine" }))).to.be.instanceOf(MethodNotAllowed);
  });

  it("sends a step again, byte for byte, whose block was replaced before it counted", async () => {
    const sender = createSender({ chain, outbox: memoryOutbox(), relayers, abis: [counterAbi] });
    const deploying = sender.send({ intent: intentKey("deploy"), data: counterCode, gas: 200_000n });
    await pending(1);
    await node().mine({ blocks: 2 });
    const { contractAddress: counter } = await deploying;
    if (counter == null) throw new Error("no contract");
    const counting = sender.send({ intent: intentKey("count"), to: counter, gas: 100_000n });
    await pending(1);
    await node().mine({ blocks: 1 });
    const { number: taken } = await node().getBlock();
    await wait(100);
    await node().request({ method: "anvil_rollback", params: [1] } as never);
    await node()
      .dropTransaction({ hash: keccak256("0x") })
      .catch(() => {});
    await node().request({ method: "anvil_dropAllTransactions" } as never);
    await pending(1);
    await node().mine({ blocks: 2 });
    const { blockNumber, status } = await counting;
    expect({ status, blockNumber }).to.deep.equal({ status: "success", blockNumber: taken });
    expect(await countOf(chain, counter)).to.equal(1);
    expect(told.join()).to.match(/replaced a block before it counted/);
  });

  it("says by name that a step was not mined", async () => {
    await chain.broadcast([await transfer(devnetAccount(3), 0)]);
    const hash = keccak256(await transfer(devnetAccount(3), 0));
    expect(await rejection(chain.receipt(hash))).to.be.instanceOf(ReceiptTimeout);
  });

  it("waits while the network asks for more than may be paid, and never signs for more", async () => {
    await chain.close();
    chain = await open({ maxFeePerGas: parseGwei("1.2") });
    await node().setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei("5") });
    await node().mine({ blocks: 1 });
    let fees: Awaited<ReturnType<CityChain["fees"]>> | undefined;
    const asking = chain.fees().then((given) => {
      fees = given;
    });
    await wait(200);
    expect(fees).to.equal(undefined);
    expect(told.join()).to.match(/above the cap of 1200000000: waiting/);
    await node().setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei("1") });
    await node().mine({ blocks: 1 });
    await asking;
    expect(fees?.maxFeePerGas).to.equal(parseGwei("1.2"));
  });

  it("knows the chain that a city lives on, and refuses another", async () => {
    const dir = join(directory(), "residence");
    await (await open({}, dir)).close();
    expect(await rejection(open({ chainId: 10 }, dir))).to.be.instanceOf(WrongChain);
    await anvil.stop("SIGKILL");
    anvil = await startAnvil({ driven: { ...DEVNET_GENESIS, timestamp: DEVNET_GENESIS.timestamp + 1 } });
    expect(await rejection(open({}, dir))).to.be.instanceOf(ChainDisagrees);
    rmSync(dir, { recursive: true });
    await (await open({}, dir)).close();
  });
});

const L1_BLOCK: Hex = "0x4200000000000000000000000000000000000015";

/** An OP chain in this process stands for a rollup's node: it charges for data as one does. */
describe("the fee for data on L1", () => {
  it("is told, with the rest, when the city closes", async () => {
    let engine: Engine | undefined;
    const connect = async (genesis: Genesis) => {
      engine = await connectEdr(genesis);
      return engine;
    };
    const rollup = await openDrivenChain({ kind: "embedded", name: "rollup", genesis: DEVNET_GENESIS, connect }, {});
    // What L1 asks, where OP chains keep it: the base fee, and how much of it counts.
    for (const [slot, value] of [
      ["0x1", parseGwei("1")],
      ["0x3", 1_000_000n << 96n],
    ] as const)
      await engine?.request({ method: "hardhat_setStorageAt", params: [L1_BLOCK, slot, numberToHex(value, { size: 32 })] });
    const server = await serveRpc({ request: rollup.request });
    const told: string[] = [];
    const network = { name: "town", chainId: 31337, confirmations: 1 };
    const chain = await openLiveChain({ network, url: server.url, wall, log: (line) => told.push(line) });
    const raw = await transfer(devnetAccount(3), 0);
    await chain.broadcast([raw]);
    const receipt = await chain.receipt(keccak256(raw));
    await chain.receipt(keccak256(raw));
    const [before = ""] = told.splice(0);
    expect(before).to.match(/^town charges for L1 data in addition to gas: 0\.\d*[1-9]\d* ether for 1000 bytes now$/);
    const { r: _, s: __, v: ___, yParity: ____, ...unsigned } = parseTransaction(raw);
    const asked = await dataFeeOf(chain.publicClient, "town", serializeTransaction(unsigned));
    await chain.close();
    const { l1Fee: forData } = z.object({ l1Fee: z.coerce.bigint() }).parse(receipt);
    expect(forData > 0n).to.equal(true);
    // The rollup's own GasPriceOracle says beforehand what is charged, but for how far the signature compresses.
    expect(Math.abs(Number(asked) / Number(forData) - 1), `${asked} for ${forData}`).to.be.below(0.05);

    // With the rollup's contracts an Anvil says what the rollup says. It charges views, too: they are asked by nobody, who gets something for it.
    const anvil = await startAnvil();
    const town = () => openLiveChain({ network, url: anvil.url, wall, log: (line) => told.push(line) });
    const node = createTestClient({ mode: "anvil", chain: viemChain(31337, "Anvil"), transport: http(anvil.url) });
    await node.setCode({ address: GAS_PRICE_ORACLE, bytecode: "0x" });
    const without = await town();
    expect(await rejection(dataFeeOf(without.publicClient, "town", raw))).to.be.instanceOf(NoDataFee);
    // Neither does another contract at its place say anything.
    await node.setCode({ address: GAS_PRICE_ORACLE, bytecode: "0x5f5ffd" });
    expect(await rejection(dataFeeOf(without.publicClient, "town", raw))).to.be.instanceOf(NoDataFee);
    await without.close();
    expect(told.splice(1)).to.deep.equal([]);
    const word = z.custom<Hex>(isHex);
    for (const address of [GAS_PRICE_ORACLE, L1_BLOCK] as const) {
      const of = async (method: string, ...more: readonly string[]) =>
        word.parse(await engine?.request({ method, params: [address, ...more, "latest"] }));
      await node.setCode({ address, bytecode: await of("eth_getCode") });
      for (const index of ["0x0", "0x1", "0x3", "0x7", "0x8"] as const)
        await node.setStorageAt({ address, index: Number(index), value: await of("eth_getStorageAt", index) });
    }
    // A node that does not run the view says nothing of the chain.
    const poor = await town();
    const refusal = await rejection(dataFeeOf(poor.publicClient, "town", raw));
    expect(refusal).to.be.instanceOf(ContractFunctionExecutionError);
    await poor.close();
    expect(told.splice(1))
      .to.have.length(1)
      .and.satisfy(([line]: string[]) => line?.startsWith("the L1 data fee of town is unknown: "));
    await node.setBalance({ address: zeroAddress, value: 10n ** 18n });
    await (await town()).close();
    expect(told.splice(1)).to.deep.equal([before]);
    await anvil.stop("SIGKILL");
    const [wei, data] = [receipt.gasUsed * receipt.effectiveGasPrice + forData, forData].map((value) => formatEther(value));
    expect(told).to.deep.equal([`gas: 1 transactions on town cost ${wei} ether, ${data} of it for L1 data`]);
    await server.close();
    await rollup.close();
  });
});

describe("blocks against their headers", function () {
  this.timeout(60_000);
  let anvil: Anvil;
  const ask = async (method: string, params: readonly unknown[] = []): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const answer = await fetch(anvil.url, { method: "POST", body, headers: { "content-type": "application/json" } });
    return ((await answer.json()) as { result: unknown }).result;
  };
  const provenAt = async (number: number) => {
    const tag = `0x${number.toString(16)}`;
    const block = rawBlockSchema.parse(await ask("eth_getBlockByNumber", [tag, true]));
    return { block, receipts: rawReceiptSchema.array().parse(await ask("eth_getBlockReceipts", [tag])) };
  };

  before(async () => {
    anvil = await startAnvil({ driven: DEVNET_GENESIS });
    const from = devnetAccount(5);
    const common = { chainId: 31337, gas: 100_000n, to: relayers[0]?.address ?? null, value: 1n };
    const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 3n };
    const accessList = [{ address: from.address, storageKeys: [keccak256("0x01")] }];
    const authorization = await from.signAuthorization?.({ chainId: 31337, address: from.address, nonce: 9 });
    const raws = [
      await from.signTransaction({ ...common, type: "legacy", gasPrice: 20_000_000_000n, nonce: 0 }),
      await from.signTransaction({ ...common, type: "eip2930", gasPrice: 20_000_000_000n, nonce: 1, accessList }),
      await from.signTransaction({ ...common, ...fees, type: "eip1559", nonce: 2, accessList }),
      await from.signTransaction({ ...common, ...fees, type: "eip1559", to: null, value: 0n, data: counterCode, gas: 200_000n, nonce: 3 }),
      ...(authorization === undefined
        ? []
        : [
            await from.signTransaction({
              ...{ ...common, ...fees, to: relayers[0]?.address ?? "0x", type: "eip7702" as const },
              ...{ nonce: 4, authorizationList: [authorization] },
            }),
          ]),
      ...(await Promise.all(Array.from({ length: 140 }, (_, nonce) => transfer(devnetAccount(6), nonce)))),
    ];
    for (const raw of raws) await ask("eth_sendRawTransaction", [raw]);
    await ask("evm_mine");
    await ask("evm_mine");
  });
  after(() => anvil.stop("SIGKILL"));

  it("hold for blocks of a real node, whatever the transactions' types", async () => {
    for (const number of [1, 2]) {
      const { block, receipts } = await provenAt(number);
      requireProven(block, receipts);
      if (number === 1) expect(new Set(block.transactions.map(({ type }) => type))).to.deep.equal(new Set(["0x0", "0x1", "0x2", "0x4"]));
    }
  });

  it("fail for every field that a node changes", async () => {
    const { block, receipts } = await provenAt(1);
    const [transaction, ...others] = block.transactions;
    const [receipt, ...rest] = receipts;
    if (transaction === undefined || receipt === undefined) throw new Error("an empty block");
    const cases: [string, () => void][] = [
      ["time", () => requireProven({ ...block, timestamp: "0x1" }, receipts)],
      ["state", () => requireProven({ ...block, stateRoot: block.transactionsRoot }, receipts)],
      ["a value", () => requireProven({ ...block, transactions: [{ ...transaction, value: "0x2" }, ...others] }, receipts)],
      ["an order", () => requireProven({ ...block, transactions: [...others, transaction] }, receipts)],
      ["one left out", () => requireProven({ ...block, transactions: others }, rest)],
      ["a status", () => requireProven(block, [{ ...receipt, status: "0x0" }, ...rest])],
      [
        "an event",
        () =>
          requireProven(block, [{ ...receipt, logs: [{ address: transaction.from, topics: [], data: "0x", logIndex: "0x0" }] }, ...rest]),
      ],
      [
        "receipts' names",
        () => requireProven(block, receipts.with(7, { ...receipts[7], transactionHash: receipt.transactionHash } as never)),
      ],
    ];
    for (const [what, tamper] of cases) expect(tamper, what).to.throw(/^Block 1: /);
  });

  it("give an audit its chain: everything up to a named block, nothing that the node made up", async () => {
    const [zero, two] = [await provenAt(0), await provenAt(2)];
    const line = (more: object = {}) =>
      `${canonicalJson({ live: 1, name: "town", chainId: 31337, genesis: zero.block.hash, from: 1, head: { number: 2, hash: two.block.hash }, ...more })}\n`;
    const chain = await openWitnessedChain(line(), anvil.url);
    expect(chain.head()).to.deep.equal({ number: 2n, hash: two.block.hash });
    const block = await chain.publicClient.getBlock({ blockNumber: 1n, includeTransactions: true });
    expect(block.transactions).to.have.length(145);
    const { status, contractAddress } = await chain.publicClient.getTransactionReceipt({ hash: block.transactions[3]?.hash ?? "0x" });
    expect(status).to.equal("success");
    expect(await countOf(chain, contractAddress ?? "0x")).to.equal(0);
    expect(await rejection(chain.publicClient.getBlock({ blockNumber: 3n }))).to.match(/not between the city's founding/);
    expect(await rejection(openWitnessedChain(line({ genesis: two.block.hash }), anvil.url))).to.match(/Block 0/);
    expect(await rejection(openWitnessedChain(line({ head: { number: 2, hash: zero.block.hash } }), anvil.url))).to.match(/Block 2/);
    expect(await rejection(openWitnessedChain(line({ chainId: 10 }), anvil.url))).to.be.instanceOf(WrongChain);
  });
});
