import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";
import { type Hex, keccak256, numberToHex, parseGwei } from "viem";
import { type BoundedRequest, boundedRequest } from "../../orchestrator/chain/bounded-request.ts";
import { DEVNET_GENESIS, devnetAccount } from "../../orchestrator/chain/devnet.ts";
import type { DrivenChain } from "../../orchestrator/chain/driven.ts";
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import { AnswerTooLarge, ChainOverloaded, TooHeavy, TranscriptDamaged, TranscriptMismatch } from "../../orchestrator/chain/errors.ts";
import { openTranscript } from "../../orchestrator/chain/open-transcript.ts";
import { replayLimits } from "../../orchestrator/chain/replay-limits.ts";
import { type RpcServer, serveRpc } from "../../orchestrator/chain/rpc-server.ts";
import { blockLine, headerLine } from "../../orchestrator/chain/transcript.ts";
import { InvalidValue } from "../../orchestrator/primitives/errors.ts";
import { transfer } from "../chain/transfers.ts";
import { rejection } from "../support/rejection.ts";

/** JUMPDEST, PUSH1 0, JUMP. */
const LOOP: Hex = "0x5b600056";
/** As many steps as gas: JUMPDESTs, then back to the first. */
const STRAIGHT: Hex = `0x${"5b".repeat(40_000)}600056`;
/** LOG0 until 4,096 gas are left. */
const EVENTS: Hex = "0x5b5f5fa06110005a115f5700";
const MAX_GROWTH_MB = 600;

const program = `
const [url, ...bodies] = JSON.parse(process.argv[1]);
const ask = async (body) => (await (await fetch(url, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } })).json());
console.log(JSON.stringify(await Promise.all(bodies.map(ask))));`;

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly data?: { readonly code: string } };
}

/** Another process asks all of these at once. */
async function fromOutside(url: string, bodies: readonly unknown[]): Promise<readonly Answer[]> {
  const args = ["--input-type=module", "-e", program, JSON.stringify([url, ...bodies])];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 });
  return JSON.parse(stdout) as readonly Answer[];
}

const call = (method: string, ...params: readonly unknown[]) => ({ jsonrpc: "2.0", id: 1, method, params });
const residentMb = () => process.memoryUsage.rss() / 1_048_576;

function creation(account: number, nonce: number, data: Hex, gas: bigint): Promise<Hex> {
  return devnetAccount(account).signTransaction({
    type: "eip1559",
    chainId: DEVNET_GENESIS.chainId,
    nonce,
    data,
    gas,
    maxFeePerGas: parseGwei("2"),
    maxPriorityFeePerGas: 0n,
  });
}

describe("what other processes may ask of the chain", () => {
  let chain: DrivenChain;
  let bounded: BoundedRequest;
  let server: RpcServer;

  before(async () => {
    chain = await openEmbeddedChain();
    bounded = boundedRequest(chain);
    server = await serveRpc({ request: bounded.request });
    await chain.mine([await transfer(devnetAccount(1), 0)]);
  });
  after(async () => {
    await server.close();
    await bounded.close();
    await chain.close();
  });

  it("ends calls that would take the machine, by name, while the chain answers and its memory stays flat", async function () {
    this.timeout(240_000);
    const before = residentMb();
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, residentMb())), 10);
    try {
      const attack = fromOutside(server.url, [
        call("eth_call", { data: LOOP, gas: "0x3938700" }, "latest"),
        call("eth_estimateGas", { data: STRAIGHT }),
        [call("eth_call", { data: LOOP }, "latest"), call("eth_blockNumber")],
        call("eth_sendRawTransaction", await creation(2, 0, LOOP, 16_000_000n)),
        call("eth_sendRawTransaction", await creation(2, 0, "0x00", 16_777_217n)),
        call("eth_call", { data: "0x602a60005260206000f3" }, "latest"),
      ]);
      let answered = 0;
      let isOver = false;
      const ended = attack.finally(() => (isOver = true));
      while (!isOver) {
        const body = JSON.stringify(call("eth_blockNumber"));
        const response = await fetch(server.url, { method: "POST", body, headers: { "content-type": "application/json" } });
        expect(await response.json()).to.deep.include({ result: "0x1" });
        answered += 1;
      }
      const answers = (await ended).map((answer) => (Array.isArray(answer) ? (answer as Answer[]) : [answer]));
      const errors = answers.map((batch) => batch.map(({ error, result }) => error?.data?.code ?? result));
      const answer = `0x${"2a".padStart(64, "0")}`;
      expect(errors).to.deep.equal([["TooHeavy"], ["TooHeavy"], ["TooHeavy", "0x1"], ["TooHeavy"], ["TransactionRefused"], [answer]]);
      expect(answered).to.be.greaterThan(0);
    } finally {
      clearInterval(watch);
    }
    expect(most - before).to.be.lessThan(MAX_GROWTH_MB);
    expect(chain.head().number).to.equal(1n);
  });

  it("executes on the chain as it is now, and sends what fits", async () => {
    const [to] = [devnetAccount(3).address];
    const balance = () => bounded.request(call("eth_call", { data: `0x73${to.slice(2)}3160005260206000f3` }, "latest"));
    const first = await balance();
    const raw = await transfer(devnetAccount(1), 1);
    expect(await bounded.request(call("eth_sendRawTransaction", raw))).to.equal(keccak256(raw));
    await chain.mine([await creation(4, 0, "0x00", 60_000n)]);
    expect(chain.head().number).to.equal(3n);
    expect(await balance()).to.equal(first);
    expect(await rejection(bounded.request(call("eth_sendRawTransaction", raw)))).to.include({ code: "TransactionRefused" });
    expect(chain.head().number).to.equal(3n);
  });

  it("answers so many at once, and says when there are more", async () => {
    const calls = Array.from({ length: 60 }, () => bounded.request(call("eth_call", { data: "0x00" }, "latest")));
    const ends = await Promise.allSettled(calls);
    const refused = ends.filter((end) => end.status === "rejected");
    expect(refused).to.have.length(27);
    for (const { reason } of refused) expect(reason).to.be.instanceOf(ChainOverloaded);
    expect(await bounded.request(call("eth_blockNumber"))).to.equal("0x3");
  });

  it("hands out so many events, fees and answers of a batch, and says what to ask instead", async () => {
    const first = chain.head().number + 1n;
    for (const nonce of [0, 1, 2, 3, 4, 5]) await chain.mine([await creation(5, nonce, EVENTS, 1_000_000n)]);
    const logs = (filter: object) => bounded.request(call("eth_getLogs", filter));
    const everything = await rejection(logs({ fromBlock: "0x0" }));
    expect(everything).to.be.instanceOf(AnswerTooLarge).and.property("message").contains("10,000 events").and.contains("fewer blocks");
    const one = { fromBlock: numberToHex(first), toBlock: numberToHex(first) };
    const [ofBlock, byHash] = [
      await logs(one),
      await logs({ blockHash: (await chain.publicClient.getBlock({ blockNumber: first })).hash }),
    ];
    expect(ofBlock).to.have.length.within(2_000, 3_000);
    expect(ofBlock)
      .to.deep.equal(byHash)
      .and.to.deep.equal(await chain.request(call("eth_getLogs", one)));
    expect(await logs({ address: devnetAccount(0).address, fromBlock: "earliest", toBlock: "0xffffff" })).to.deep.equal([]);
    expect(await logs({})).to.have.length.within(2_000, 3_000);
    for (const garbage of [undefined, 7, { fromBlock: "soon" }, { address: Array(101).fill(devnetAccount(0).address) }])
      expect(await rejection(logs(garbage as object))).to.be.instanceOf(InvalidValue);
    const fees = call("eth_feeHistory", "0x5", "latest", Array(101).fill(50));
    expect(await rejection(bounded.request(fees))).to.be.instanceOf(InvalidValue);
    expect(await bounded.request(call("eth_feeHistory", "0x5", "latest", [50]))).to.have.property("reward");

    const [batch] = await fromOutside(server.url, [Array(100).fill(call("eth_getLogs", one))]);
    const answers = [batch].flat();
    expect(answers).to.have.length(100);
    expect(answers[0]).to.deep.include({ result: ofBlock });
    expect(answers.at(-1)?.error?.data).to.include({ code: "AnswerTooLarge" });
  });
});

describe("a transcript that somebody else made", () => {
  const hash: Hex = `0x${"11".repeat(32)}`;
  async function transcriptOf(...transactions: Hex[]): Promise<string> {
    const empty = await openEmbeddedChain();
    const first = empty.head().hash;
    await empty.close();
    const timestamp = BigInt(DEVNET_GENESIS.timestamp);
    return headerLine(DEVNET_GENESIS, first) + blockLine({ number: 1n, timestamp, hash, transactions });
  }

  it("cannot take the machine of whoever replays it", async function () {
    this.timeout(120_000);
    const before = residentMb();
    const full = await Promise.all([0, 1, 2].map((account) => creation(account, 0, STRAIGHT, 16_777_216n)));
    expect(await rejection(openTranscript(await transcriptOf(...full)))).to.be.instanceOf(TooHeavy);
    expect(residentMb() - before).to.be.lessThan(MAX_GROWTH_MB);
  });

  it("cannot take it with many blocks either: gas, time and memory are limited in all", async function () {
    this.timeout(120_000);
    const limits = replayLimits();
    const full = await creation(0, 0, STRAIGHT, 16_777_216n);
    const timestamp = BigInt(DEVNET_GENESIS.timestamp);
    const block = (number: bigint) => blockLine({ number, timestamp, hash, transactions: [full, full, full] });
    const blocks = Array.from({ length: 400 }, (_, index) => block(BigInt(index + 1)));
    const long = await rejection(openTranscript(headerLine(DEVNET_GENESIS, hash) + blocks.join("")));
    expect(long).to.be.instanceOf(TooHeavy).and.property("message").contains("20,000,000,000 gas in all (it asks for 20,132,659,200)");

    const chain = await openEmbeddedChain();
    for (let nonce = 0; nonce < 12; nonce += 1) await chain.mine([await creation(0, nonce, LOOP, 500_000n)]);
    const transcript = chain.transcript();
    await chain.close();
    await (await openTranscript(transcript)).close();
    for (const [limit, message] of [
      [{ cpuSeconds: 0.1 }, "0.1 s of processor time in all"],
      [{ memoryMb: 200 }, "200 MiB of memory in all"],
    ] as const) {
      const error = await rejection(openTranscript(transcript, { ...limits, ...limit }));
      expect(error).to.be.instanceOf(TooHeavy).and.property("message").contains(message);
    }
  });

  it("has transactions and blocks no larger than a city's", async () => {
    const large = await rejection(openTranscript(await transcriptOf(await creation(0, 0, "0x00", 16_777_217n))));
    expect(large).to.be.instanceOf(TranscriptMismatch);
    expect(large.message).to.contain("16777217 gas, more than 16777216");
    const blocks = headerLine({ ...DEVNET_GENESIS, gasLimit: 60_000_001 }, hash);
    expect(await rejection(Promise.resolve().then(() => openTranscript(blocks)))).to.be.instanceOf(TranscriptDamaged);
  });
});
