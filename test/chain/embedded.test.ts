import { execFile } from "node:child_process";
import { appendFileSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { createWalletClient, parseEther } from "viem";
import { z } from "zod";
import { transportOf } from "../../orchestrator/chain/chain.ts";
import { DEVNET_GENESIS, devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { type DrivenChain, TRANSCRIPT_FILE } from "../../orchestrator/chain/driven.ts";
import { NodeRefusal } from "../../orchestrator/chain/edr.ts";
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import {
  ChainClosed,
  MethodNotAllowed,
  TransactionRefused,
  TranscriptDamaged,
  TranscriptMismatch,
} from "../../orchestrator/chain/errors.ts";
import { parseTranscript } from "../../orchestrator/chain/transcript.ts";
import { InvalidValue } from "../../orchestrator/primitives/errors.ts";
import { rejection } from "../support/rejection.ts";
import { transfer } from "./transfers.ts";

const alice = devnetAccount(1);
const START = BigInt(DEVNET_GENESIS.timestamp);

describe("the embedded chain", () => {
  let dir: string;
  const open: DrivenChain[] = [];

  async function opened(options: Parameters<typeof openEmbeddedChain>[0]): Promise<DrivenChain> {
    const chain = await openEmbeddedChain(options);
    open.push(chain);
    return chain;
  }

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "agentcity-chain-"));
  });
  afterEach(async () => {
    for (const chain of open.splice(0)) await chain.close();
    rmSync(dir, { recursive: true });
  });

  it("starts at a fixed date with funded accounts", async () => {
    const chain = await opened({});
    expect(chain.head()).to.include({ number: 0n, timestamp: START });
    expect(await chain.publicClient.getChainId()).to.equal(31337);
    expect(await chain.publicClient.getBalance({ address: devnetAccount(9).address })).to.equal(parseEther("10000"));
  });

  it("mines several transactions in one block in the order given, and time stands still unless told", async () => {
    const chain = await opened({});
    const block = await chain.mine([await transfer(alice, 0), await transfer(devnetAccount(2), 0), await transfer(alice, 1)]);
    expect(block).to.include({ number: 1n, timestamp: START });
    const { transactions } = await chain.publicClient.getBlock({ includeTransactions: true });
    expect(transactions.map(({ from, nonce }) => [from, nonce])).to.deep.equal([
      [alice.address.toLowerCase(), 0],
      [devnetAccount(2).address.toLowerCase(), 0],
      [alice.address.toLowerCase(), 1],
    ]);
    const next = await chain.mine([], START + 60n);
    expect(next.timestamp).to.equal(START + 60n);
    expect(await rejection(chain.mine([], START))).to.be.instanceOf(InvalidValue);
  });

  it("takes all or none of a block's transactions", async () => {
    const chain = await opened({});
    const error = await rejection(chain.mine([await transfer(alice, 0), await transfer(alice, 2)]));
    expect(error).to.be.instanceOf(TransactionRefused);
    expect(error.message).to.contain("nonce is 2");
    expect(chain.head().number).to.equal(0n);
    await chain.mine([await transfer(alice, 0), await transfer(alice, 1)]);
    expect(await rejection(chain.mine([await transfer(alice, 1)]))).to.be.instanceOf(TransactionRefused);
    expect(chain.head().number).to.equal(1n);
  });

  it("mines what was broadcast meanwhile in one block, and what is refused holds back no one else", async () => {
    const chain = await opened({});
    const [bob, carol] = [devnetAccount(4), devnetAccount(5)];
    const sign = async (...nonces: readonly (readonly [typeof alice, number])[]) => Promise.all(nonces.map(([by, at]) => transfer(by, at)));
    const first = [await sign([alice, 0]), await sign([bob, 0], [bob, 1]), await sign([carol, 0])];
    await Promise.all(first.map((raws) => chain.broadcast(raws)));
    expect(chain.head().transactions).to.deep.equal(first.flat());
    const second = [await sign([alice, 1]), await sign([bob, 7]), await sign([carol, 1])];
    const ends = await Promise.allSettled(second.map((raws) => chain.broadcast(raws)));
    expect(ends.map(({ status }) => status)).to.deep.equal(["fulfilled", "rejected", "fulfilled"]);
    expect(ends[1]).to.have.property("reason").that.is.instanceOf(TransactionRefused);
    const counts = [alice, bob, carol].map(({ address }) => chain.publicClient.getTransactionCount({ address }));
    expect(await Promise.all(counts)).to.deep.equal([2, 2, 2]);
  });

  it("jumps when all work waits, and the jump is a block", async () => {
    const chain = await opened({ dir });
    await chain.clock.sleepUntil(START + 3_600n);
    expect(chain.clock.now()).to.equal(START + 3_600n);
    expect((await chain.publicClient.getBlock()).timestamp).to.equal(START + 3_600n);
    await chain.advanceTo(START + 7_200n);
    await chain.close();
    const again = await opened({ dir });
    expect(again.clock.now()).to.equal(START + 7_200n);
    expect(again.head().number).to.equal(2n);
  });

  it("replays 200 transactions to the same hashes, in this process and in a fresh one", async () => {
    const chain = await opened({ dir });
    for (let nonce = 0; nonce < 200; nonce += 1) {
      await chain.mine([await transfer(alice, nonce)], START + BigInt(nonce) * 7n);
    }
    const { hash } = chain.head();
    const text = chain.transcript();
    await chain.close();

    const again = await opened({ dir });
    expect(again.head()).to.include({ number: 200n, hash });
    expect(again.transcript()).to.equal(text);

    expect((await opened({ transcript: text })).head().hash).to.equal(hash);

    // A bundle ends with its mission's last block, whatever others did since.
    const { hash: middle } = await again.publicClient.getBlock({ blockNumber: 150n });
    const cut = again.transcript({ number: 150n, hash: middle });
    expect(text.startsWith(cut)).to.equal(true);
    expect((await opened({ transcript: cut })).head()).to.include({ number: 150n, hash: middle });
    for (const head of [
      { number: 149n, hash: middle },
      { number: 201n, hash },
    ])
      expect(() => again.transcript(head)).to.throw(InvalidValue);

    const script = `
      import { readFileSync } from "node:fs";
      import { openEmbeddedChain } from ${JSON.stringify(new URL("../../orchestrator/chain/embedded.ts", import.meta.url).href)};
      const chain = await openEmbeddedChain({ transcript: readFileSync(process.argv[1], "utf8") });
      console.log(chain.head().hash);
      await chain.close();`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, join(dir, TRANSCRIPT_FILE)]);
    expect(stdout.trim()).to.equal(hash);
  });

  it("is not moved by reads", async () => {
    const quiet = await opened({});
    const noisy = await opened({});
    for (let nonce = 0; nonce < 3; nonce += 1) {
      await noisy.publicClient.getBlock({ blockTag: "pending" });
      await noisy.publicClient.estimateGas({ account: alice.address, to: alice.address, value: 1n });
      await noisy.publicClient.call({ data: "0x00", blockTag: "pending" });
      for (const chain of [quiet, noisy]) await chain.mine([await transfer(alice, nonce)]);
    }
    expect(noisy.head().hash).to.equal(quiet.head().hash);
  });

  it("estimates gas that is enough, in a few executions, and says of a call that fails what it returned", async () => {
    const chain = await opened({});
    const { publicClient, request } = chain;
    // Stores seven words, and frees them again: what it used in the end is less than what it needed.
    const frees =
      `0x${[1, 0].flatMap((value) => [0, 1, 2, 3, 4, 5, 6].map((slot) => `60${"0"}${value}60${"0"}${slot}55`)).join("")}00` as const;
    const gas = await publicClient.estimateGas({ account: alice, data: frees });
    await publicClient.call({ account: alice, data: frees, gas });
    // By two traces: what runs out of gas, and EDR's own estimate, would each take a hundred times as long.
    const tracer = { tracer: "callTracer", tracerConfig: { onlyTopCall: true } };
    const trace = await chain.simulation?.({ method: "debug_traceCall", params: [{ from: alice.address, data: frees }, "latest", tracer] });
    const { gasUsed } = z.object({ gasUsed: z.coerce.bigint() }).parse(trace);
    expect(gas).to.equal((gasUsed * 45n) / 32n);
    expect(Number(await publicClient.estimateGas({ account: alice.address, to: alice.address, value: 1n }))).to.be.within(21_000, 25_000);
    const error = await rejection(request({ method: "eth_estimateGas", params: [{ from: alice.address, data: "0x60aa5f5260205ffd" }] }));
    expect(error)
      .to.be.instanceOf(NodeRefusal)
      .and.include({ code: 3, data: `0x${"aa".padStart(64, "0")}` });
    // Whoever names a limit is asked for nothing beyond it.
    const limited = { from: alice.address, data: frees, gas: "0x5400" };
    expect(await rejection(request({ method: "eth_estimateGas", params: [limited] }))).to.be.instanceOf(NodeRefusal);
  });

  it("does not count a torn last line, says so, and cuts it off when it goes on", async () => {
    const chain = await opened({ dir });
    await chain.mine([await transfer(alice, 0)]);
    const whole = chain.transcript();
    await chain.mine([await transfer(alice, 1)]);
    const torn = chain.transcript().slice(0, -40);
    await chain.close();
    writeFileSync(join(dir, TRANSCRIPT_FILE), torn);

    const said: string[] = [];
    const again = await opened({ dir, log: (line) => said.push(line) });
    expect(again.head().number).to.equal(1n);
    expect(said.join()).to.contain("torn");
    expect(again.transcript()).to.equal(whole);
    expect(readFileSync(join(dir, TRANSCRIPT_FILE), "utf8"), "nothing is lost before something replaces it").to.equal(torn);
    await again.mine([await transfer(alice, 1)]);
    expect(readFileSync(join(dir, TRANSCRIPT_FILE), "utf8")).to.equal(again.transcript());
    expect(again.transcript().startsWith(whole)).to.equal(true);
    expect(parseTranscript(again.transcript()).blocks).to.have.length(2);
  });

  it("goes on after a whole last line that an editor left without its end", async () => {
    const chain = await opened({ dir });
    await chain.mine([await transfer(alice, 0)]);
    const whole = chain.transcript();
    await chain.close();
    writeFileSync(join(dir, TRANSCRIPT_FILE), whole.trimEnd());

    const again = await opened({ dir });
    expect(again.head().number).to.equal(1n);
    expect(again.transcript()).to.equal(whole);
    await again.mine([await transfer(alice, 1)]);
    expect(parseTranscript(readFileSync(join(dir, TRANSCRIPT_FILE), "utf8")).blocks).to.have.length(2);
  });

  it("is over once it is closed: whoever still works with it writes to no other file", async () => {
    const chain = await opened({ dir });
    await chain.mine([], START + 60n);
    await chain.close();
    // The system gives the number of the closed file to the next that is opened.
    const other = openSync(join(dir, "other"), "a+");
    try {
      for (const late of [chain.advanceTo(START + 120n), chain.clock.sleepUntil(START + 120n), chain.mine([await transfer(alice, 0)])])
        expect(await rejection(late)).to.be.instanceOf(ChainClosed);
      expect(readFileSync(join(dir, "other"), "utf8")).to.equal("");
    } finally {
      closeSync(other);
    }
    expect((await opened({ dir })).head()).to.include({ number: 1n, timestamp: START + 60n });
  });

  it("names the block whose record does not replay", async () => {
    const chain = await opened({ dir });
    for (let nonce = 0; nonce < 4; nonce += 1) await chain.mine([await transfer(alice, nonce)], START + BigInt(nonce));
    const lines = chain.transcript().trimEnd().split("\n");
    await chain.close();

    const changed = (index: number, change: (line: string) => string) =>
      `${lines.map((line, at) => (at === index ? change(line) : line)).join("\n")}\n`;
    const otherTime = await rejection(
      openEmbeddedChain({ transcript: changed(2, (line) => line.replace(`${START + 1n}`, `${START + 2n}`)) }),
    );
    expect(otherTime).to.be.instanceOf(TranscriptMismatch).with.property("block", 2n);
    const otherHash = await rejection(openEmbeddedChain({ transcript: changed(4, (line) => line.replace(/"hash":"0x./, '"hash":"0x0')) }));
    expect(otherHash).to.be.instanceOf(TranscriptMismatch).with.property("block", 4n);
    const lostTransaction = await rejection(
      openEmbeddedChain({ transcript: changed(1, (line) => line.replace(/"transactions":\[.*\]/, '"transactions":[]')) }),
    );
    expect(lostTransaction).to.be.instanceOf(TranscriptMismatch).with.property("block", 1n);
    const otherGenesis = await rejection(
      openEmbeddedChain({ transcript: changed(0, (line) => line.replace('"accounts":10', '"accounts":9')) }),
    );
    expect(otherGenesis).to.be.instanceOf(TranscriptMismatch).with.property("block", 0n);
    const garbage = await rejection(openEmbeddedChain({ transcript: changed(3, () => "nonsense") }));
    expect(garbage).to.be.instanceOf(TranscriptDamaged).with.property("line", 4);
    const missing = await rejection(openEmbeddedChain({ transcript: `${lines.toSpliced(2, 1).join("\n")}\n` }));
    expect(missing).to.be.instanceOf(TranscriptDamaged).with.property("line", 3);

    appendFileSync(join(dir, TRANSCRIPT_FILE), "{}\n");
    expect(await rejection(openEmbeddedChain({ dir })))
      .to.be.instanceOf(TranscriptDamaged)
      .with.property("line", 6);
  });

  it("offers reads and raw transactions, nothing that moves state by itself", async () => {
    const chain = await opened({});
    for (const method of [
      "evm_mine",
      "hardhat_setBalance",
      "eth_sendTransaction",
      "eth_sign",
      "debug_traceTransaction",
      "evm_setNextBlockTimestamp",
    ]) {
      expect(await rejection(chain.request({ method, params: [] }))).to.be.instanceOf(MethodNotAllowed);
    }
    expect(await chain.request({ method: "eth_accounts" })).to.deep.equal([]);
    const wallet = createWalletClient({ account: alice, chain: chain.publicClient.chain, transport: transportOf(chain) });
    const hash = await wallet.sendTransaction({ to: alice.address, value: 1n });
    expect((await chain.publicClient.waitForTransactionReceipt({ hash })).status).to.equal("success");
    expect(chain.head().number).to.equal(1n);
  });
});
