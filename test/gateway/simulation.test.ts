import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "chai";
import { encodeAbiParameters, keccak256, toHex } from "viem";
import { z } from "zod";
import { type Anvil, startAnvil } from "../../orchestrator/chain/anvil.ts";
import { MethodNotAllowed } from "../../orchestrator/chain/errors.ts";
import { openLiveChain } from "../../orchestrator/chain/live-chain.ts";
import { namedChanges } from "../../orchestrator/chain/storage.ts";
import { type City, openCity } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { askNode } from "../../orchestrator/gateway/ask-node.ts";
import { simulationOutput } from "../../orchestrator/gateway/commands/panel.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import type { Hex } from "../../orchestrator/primitives/hex.ts";
import { cache } from "../support/cache.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions, wall } from "./gateway-city.ts";
import { drafted, signedAndSent } from "./orders.ts";
import { signedRequest } from "./signed-fetch.ts";

const TOKENS = "5000000";

/** What would follow from an order, by the best method that the city's node has. */
describe("an order simulated before it is signed", function () {
  this.timeout(180_000);
  const directory = suiteDirectory();
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function served(network: "embedded" | "anvil"): Promise<{ readonly city: City; readonly gateway: Gateway }> {
    const city = await openCity({
      dir: join(directory(), network),
      cacheDir: cache,
      network,
      seed: "7",
      progress: () => {},
      millis: () => 0,
    });
    closing.push(() => city.close());
    const gateway = await serveGateway(city, serveOptions);
    closing.push(() => gateway.close());
    return { city, gateway };
  }

  /** As an adjudicator's page asks: by a session that its wallet opened. */
  async function simulated({ city, gateway: { url } }: Awaited<ReturnType<typeof served>>, asked: object) {
    const draft = await drafted(url, asked);
    const now = Math.floor(wall.now / 1_000);
    const { url: to, init } = await signedRequest(memberOf(city.society, "adjudicator").account, `${url}/v1/session`, { now });
    const { bearer } = z.object({ bearer: z.string() }).parse(await (await fetch(to, init)).json());
    const signers = draft.seats.filter(({ may }) => may).map(({ adjudicator }) => adjudicator);
    const body = JSON.stringify({ message: draft.message, signers: signers.slice(0, draft.needed) });
    const headers = { "content-type": "application/json", authorization: `Bearer ${bearer}` };
    const answer = await fetch(`${url}/v1/orders/simulate`, { method: "POST", headers, body });
    return { draft, told: simulationOutput.parse(await answer.json()) };
  }

  it("on an Anvil by its trace: every word of storage by its name, money by events, and nothing stays", async () => {
    const town = await served("anvil");
    const { client, chain, society } = town.city;
    const target = memberOf(society, "producer").account.address;
    const before = { stake: await client.agents.stakeOf(target), block: chain.head().hash };
    const { draft, told } = await simulated(town, { action: "SLASH", target, values: [TOKENS, false], because: "it was seen twice" });
    expect(told).to.include({ method: "debug_traceCall", succeeds: true, refusal: null });
    expect(told.unreported).to.deep.equal([]);
    expect(told.transfers).to.deep.equal([{ from: client.addresses.ProducerContract, to: client.addresses.Treasury, units: TOKENS }]);
    const storage = told.storage ?? [];
    expect(storage).to.deep.include({
      ...{ contract: "AdjudicationProcedure", address: client.addresses.AdjudicationProcedure },
      ...{ what: `executed[${draft.hashes.digest}]`, from: "no", to: "yes" },
    });
    expect(
      storage.filter(({ what }) => what.startsWith("word ")),
      "without a name",
    ).to.deep.equal([]);
    const stakes = (word: { readonly contract: string; readonly what: string }) =>
      word.contract === "ProducerContract" && word.what.includes(target);
    const held = storage.find((word) => stakes(word) && BigInt(word.from) - BigInt(word.to) === BigInt(TOKENS));
    expect(held?.from).to.equal(String(before.stake.held));
    expect({ stake: await client.agents.stakeOf(target), block: chain.head().hash }).to.deep.equal(before);

    // Then it is done, and the chain holds what was told.
    const [first, second] = ["adjudicator-1", "adjudicator-2"].map((name) => society.find((each) => each.name === name)?.account);
    if (first === undefined || second === undefined) throw new Error("two adjudicators are needed");
    await signedAndSent(town.gateway.url, draft, first);
    const sent = await signedAndSent(town.gateway.url, draft, second);
    expect(sent.relayed?.status, sent.body).to.equal("executed");
    expect(String((await client.agents.stakeOf(target)).held)).to.equal(held?.to);
    // A trace costs a node more than a call: nobody outside asks for one.
    const asked = { method: "debug_traceCall", params: [] };
    expect(await rejection(chain.request(asked))).to.be.instanceOf(MethodNotAllowed);
  });

  it("on the embedded chain, whose trace knows no other code than the accounts' own, by what views answer before and after", async () => {
    const town = await served("embedded");
    const target = memberOf(town.city.society, "producer").account.address;
    const { told } = await simulated(town, { action: "SLASH", target, values: [TOKENS, false], because: "it was seen twice" });
    expect(told).to.include({ method: "eth_call", succeeds: true, storage: null, transfers: null });
    expect(told.changes.map(({ what }) => what)).to.include(`stake of ${target}`);
    const [trace] = told.unreported;
    expect(trace?.method).to.equal("debug_traceCall");
    expect(trace?.reason).to.include("fails in its trace");
  });

  it("on a network that only simulates blocks by the events of one; and not at all where a node has neither", async () => {
    const anvil: Anvil = await startAnvil();
    closing.push(() => anvil.stop());
    const clock = { millis: () => performance.now(), sleep: (millis: number) => wait(Math.min(millis, 20)) };
    const chain = await openLiveChain({ network: { name: "town", chainId: 31337 }, url: anvil.url, wall: clock });
    closing.push(() => chain.close());
    const signer = "0x00000000000000000000000000000000000000a1";
    // Writes 1 into its first word, and says so by an event without data.
    const call = {
      to: signer,
      data: "0x",
      gas: 100_000n,
      stateOverride: [{ address: signer, code: "0x6001600055600760006000a100" }],
    } as const;
    const event = { address: "0x00000000000000000000000000000000000000A1", topics: [toHex(7, { size: 32 })], data: "0x" };
    const { report, unreported } = await askNode(chain, call);
    expect(report).to.deep.equal({ method: "eth_simulateV1", logs: [event], storage: undefined });
    expect(unreported.map(({ method }) => method)).to.deep.equal(["debug_traceCall"]);
    expect(unreported[0]?.reason).to.include("debug_traceCall");
    const none = { simulation: () => Promise.reject(new Error("Method not found")) };
    const reason = "Method not found";
    expect(await askNode(none, call)).to.deep.equal({
      unreported: [
        { method: "debug_traceCall", reason },
        { method: "eth_simulateV1", reason },
      ],
    });
  });
});

describe("a change of storage", () => {
  const word = (value: bigint): Hex => toHex(value, { size: 32 });
  const layout = {
    places: [
      ["_head", 0, 0, "struct Head"],
      ["_stakes", 1, 0, "mapping(address => uint64[5])"],
      ["_list", 2, 0, "uint128[]"],
    ],
    types: {
      "struct Head": {
        encoding: "inplace",
        bytes: 32,
        members: [
          ["state", 0, 0, "uint8"],
          ["isOver", 0, 1, "bool"],
          ["delta", 0, 2, "int16"],
        ],
      },
      "mapping(address => uint64[5])": { encoding: "mapping", bytes: 32, key: "address", value: "uint64[5]" },
      "uint64[5]": { encoding: "inplace", bytes: 64, base: "uint64" },
      "uint128[]": { encoding: "dynamic_array", bytes: 32, base: "uint128" },
      uint8: { encoding: "inplace", bytes: 1 },
      bool: { encoding: "inplace", bytes: 1 },
      int16: { encoding: "inplace", bytes: 2 },
      uint64: { encoding: "inplace", bytes: 8 },
      uint128: { encoding: "inplace", bytes: 16 },
    },
  } as const;
  const agent = "0x00000000000000000000000000000000000000A1";
  const entry = BigInt(keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [agent, 1n])));
  const list = BigInt(keccak256(word(2n)));

  it("is named by field, key and place in a list, also where several share a word", () => {
    const changed = new Map([
      [0n, [word(0x00_01_03n), word(0xffff_00_03n)]],
      [entry + 1n, [word(0n), word(9n)]],
      [2n, [word(2n), word(3n)]],
      [list + 1n, [word(5n), word((6n << 128n) | 5n)]],
    ] as const);
    expect(namedChanges(layout, changed, { addresses: [agent], numbers: [], words: [] })).to.deep.equal([
      { what: "head.isOver", from: "yes", to: "no" },
      { what: "head.delta", from: "0", to: "-1" },
      { what: `stakes[${agent}][4]`, from: "0", to: "9" },
      { what: "list.length", from: "2", to: "3" },
      { what: "list[3]", from: "0", to: "6" },
    ]);
  });

  it("whose key is not known is told as a word", () => {
    const changed = new Map([[entry, [word(0n), word(9n)]]] as const);
    const expected = [{ what: `word ${word(entry)}`, from: word(0n), to: word(9n) }];
    expect(namedChanges(layout, changed, { addresses: [], numbers: [1n], words: [] })).to.deep.equal(expected);
  });
});
