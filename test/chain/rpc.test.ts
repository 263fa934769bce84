import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect } from "chai";
import { createPublicClient, http } from "viem";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import type { DrivenChain } from "../../orchestrator/chain/driven.ts";
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import { ReceiptTimeout, RpcUnreachable, TransactionRefused, TransactionReverted, WrongChain } from "../../orchestrator/chain/errors.ts";
import { intentKey, memoryOutbox } from "../../orchestrator/chain/outbox.ts";
import { connectRpcChain } from "../../orchestrator/chain/rpc.ts";
import { type RpcServer, serveRpc } from "../../orchestrator/chain/rpc-server.ts";
import { createSender } from "../../orchestrator/chain/sender.ts";
import { InvalidValue } from "../../orchestrator/primitives/errors.ts";
import { rejection } from "../support/rejection.ts";
import { counterAbi, counterCode, countOf, notBefore } from "./counter.ts";
import { transfer } from "./transfers.ts";

/** Nothing in these tests waits for a real second: asking for one fails. */
const wall = {
  millis: () => 1_800_000_000_000,
  sleep: () => Promise.reject(new Error("nobody should sleep")),
};

describe("the loopback RPC", () => {
  let chain: DrivenChain;
  let server: RpcServer;

  before(async () => {
    chain = await openEmbeddedChain();
    server = await serveRpc({ request: chain.request, origins: ["http://127.0.0.1:4000"] });
  });
  after(async () => {
    await server.close();
    await chain.close();
  });

  async function post(body: string, headers: Record<string, string> = { "content-type": "application/json" }) {
    const response = await fetch(server.url, { method: "POST", body, headers });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      json: text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>),
    };
  }

  const call = (method: string, params: unknown[] = [], id = 1) => ({ jsonrpc: "2.0", id, method, params });

  it("listens on this machine only and serves the chain", async () => {
    expect(server.url).to.match(/^http:\/\/127\.0\.0\.1:\d+\/rpc$/);
    const client = createPublicClient({ transport: http(server.url) });
    expect(await client.getChainId()).to.equal(31337);
    expect((await client.getBlock()).hash).to.equal(chain.head().hash);
  });

  it("refuses what is not on the list", async () => {
    for (const method of ["evm_mine", "eth_sendTransaction", "hardhat_reset", "debug_traceTransaction"]) {
      expect((await post(JSON.stringify(call(method)))).json).to.deep.nested.include({ "error.code": -32601 });
    }
    expect((await post(JSON.stringify(call("eth_accounts")))).json).to.deep.include({ result: [] });
  });

  it("answers bad requests as JSON-RPC does", async () => {
    expect((await post("{")).json).to.deep.nested.include({ "error.code": -32700 });
    expect((await post("[]")).json).to.deep.nested.include({ "error.code": -32600 });
    expect((await post('{"method":"eth_chainId"}')).json).to.deep.nested.include({ "error.code": -32600 });
    expect((await post(JSON.stringify(Array.from({ length: 101 }, () => call("eth_chainId"))))).json).to.deep.nested.include({
      "error.code": -32600,
    });
    expect((await post(JSON.stringify(call("eth_sendRawTransaction", ["0x12"])))).json).to.deep.nested.include({ "error.code": -32000 });
    expect((await post(JSON.stringify(call("eth_call", [{ data: "0x60006000fd" }, "latest"])))).json).to.deep.nested.include({
      "error.code": 3,
    });
    expect((await post(JSON.stringify({ jsonrpc: "2.0", method: "eth_chainId" }))).status).to.equal(204);
    const batch = await post(JSON.stringify([call("eth_chainId", [], 5), call("evm_mine", [], 6)]));
    expect(batch.json).to.have.length(2);
  });

  it("does not read a request that is too large", async () => {
    // The connection is closed on a sender that goes on writing, so that not every client sees the answer.
    const answer = await post(JSON.stringify(call("eth_call", ["0x".padEnd(1_100_000, "0")])), {
      "content-type": "application/json",
      connection: "close",
    }).catch((error: unknown) => error);
    if (!(answer instanceof TypeError)) expect(answer).to.include({ status: 413 });
    expect((await post(JSON.stringify(call("eth_chainId")))).json).to.deep.include({ result: "0x7a69" });
  });

  it("lets no foreign page in", async () => {
    for (const type of ["text/plain", "application/jsonp", "application/json-seq", "application/json, text/plain"])
      expect((await post(JSON.stringify(call("eth_chainId")), { "content-type": type })).status, type).to.equal(415);
    expect((await post(JSON.stringify(call("eth_chainId")), { "content-type": "Application/JSON; charset=utf-8" })).status).to.equal(200);
    const foreign = await post(JSON.stringify(call("eth_chainId")), { "content-type": "application/json", origin: "http://evil.example" });
    expect(foreign.headers.get("access-control-allow-origin")).to.equal(null);
    const own = await post(JSON.stringify(call("eth_chainId")), { "content-type": "application/json", origin: "http://127.0.0.1:4000" });
    expect(own.headers.get("access-control-allow-origin")).to.equal("http://127.0.0.1:4000");
  });

  it("answers only requests that name this machine, in the header and in the request line", async () => {
    const { port } = new URL(server.url);
    const body = JSON.stringify(call("eth_chainId"));
    const statusOf = (target: string, host: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), "127.0.0.1").on("error", reject);
        let answer = "";
        socket.on("data", (bytes) => (answer += bytes)).on("close", () => resolve(answer.split(" ")[1] ?? answer));
        const head = [`POST ${target} HTTP/1.1`, `host:${host}`, "content-type: application/json", `content-length: ${body.length}`];
        socket.write([...head, "connection: close", "", body].join("\r\n"));
      });
    for (const host of ["127.0.0.1", "localhost:8545", "[::1]:1"]) expect(await statusOf("/rpc", host), host).to.equal("200");
    expect(await statusOf("http://127.0.0.1/rpc", "127.0.0.1")).to.equal("200");
    for (const host of ["", " ", "evil.example", "127.0.0.1.evil.example"]) expect(await statusOf("/rpc", host), host).to.equal("403");
    expect(await statusOf("http://evil.example/rpc", "127.0.0.1")).to.equal("403");
    expect(await statusOf("http://127.0.0.1/rpc", "evil.example")).to.equal("403");
  });

  it("carries a whole sender of another process", async () => {
    const remote = await connectRpcChain({ url: server.url, chainId: 31337, wall });
    const sender = createSender({
      chain: remote,
      outbox: memoryOutbox(),
      relayers: [devnetAccount(4), devnetAccount(5)],
      abis: [counterAbi],
    });
    const { contractAddress } = await sender.send({ intent: intentKey("deploy"), data: counterCode });
    if (contractAddress === null || contractAddress === undefined) throw new Error("no contract");
    await sender.sendMany([1, 2, 3].map((index) => ({ intent: intentKey(index), to: contractAddress })));
    expect(await countOf(chain, contractAddress)).to.equal(3);
    const late = notBefore(chain.clock.now() + 60n);
    const simulated = await rejection(sender.send({ intent: intentKey("late"), to: contractAddress, data: late }));
    expect(simulated).to.be.instanceOf(TransactionReverted).and.include({ errorName: "Early", phase: "simulated" });
    const mined = await rejection(sender.send({ intent: intentKey("late"), to: contractAddress, data: late, gas: 100_000n }));
    expect(mined).to.be.instanceOf(TransactionReverted).and.include({ errorName: "Early", phase: "mined" });
    const twice = await transfer(devnetAccount(6), 0);
    await remote.broadcast([twice]);
    await remote.broadcast([twice]);
    expect(await rejection(remote.broadcast([await transfer(devnetAccount(6), 5)]))).to.be.instanceOf(TransactionRefused);
    await remote.close();
  });
});

describe("a chain by URL", () => {
  it("that nobody serves is told with what to do, soon", async () => {
    const error = await rejection(connectRpcChain({ url: "http://127.0.0.1:9", wall }));
    expect(error).to.be.instanceOf(RpcUnreachable);
    expect(error.message).to.contain("http://127.0.0.1:9").and.to.contain("What to do");
    expect(await rejection(connectRpcChain({ url: "nonsense", wall }))).to.be.instanceOf(RpcUnreachable);
  });

  it("that never answers, or answers garbage, is bounded by the timeout", async () => {
    const silent = createServer((request, response) => {
      if (request.url === "/garbage") response.end("<html>");
      if (request.url === "/broken") response.writeHead(502).end();
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    try {
      for (const path of ["never", "garbage", "broken"]) {
        const error = await rejection(connectRpcChain({ url: `http://127.0.0.1:${port}/${path}`, timeoutMillis: 50, wall }));
        expect(error, path).to.be.instanceOf(RpcUnreachable);
      }
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });

  it("of another id is refused, and time travel off a devnet too", async () => {
    const chain = await openEmbeddedChain({
      genesis: { ...(await import("../../orchestrator/chain/devnet.ts")).DEVNET_GENESIS, chainId: 4242 },
    });
    const server = await serveRpc({ request: chain.request });
    try {
      expect(await rejection(connectRpcChain({ url: server.url, chainId: 10, wall }))).to.be.instanceOf(WrongChain);
      expect(await rejection(connectRpcChain({ url: server.url, travel: true, wall }))).to.be.instanceOf(InvalidValue);
      const remote = await connectRpcChain({ url: server.url, wall, receiptTimeoutMillis: 300 });
      expect(await rejection(remote.receipt(`0x${"11".repeat(32)}`))).to.be.instanceOf(ReceiptTimeout);
    } finally {
      await server.close();
      await chain.close();
    }
  });
});
