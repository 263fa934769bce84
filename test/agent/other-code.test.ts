// @long
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { entries, missionTemplate, sources } from "../../deploy/genesis.ts";
import { createAgent } from "../../orchestrator/agent/agent.ts";
import { requireOwnCode } from "../../orchestrator/agent/city-code.ts";
import { OtherCode } from "../../orchestrator/agent/errors.ts";
import { limitsSchema } from "../../orchestrator/agent/limits.ts";
import { type OwnBuild, ownBuilds } from "../../orchestrator/agent/own-builds.ts";
import { connectRpcChain } from "../../orchestrator/chain/rpc.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { type OpenSeats, openSeats } from "../../orchestrator/city/missions/open-seats.ts";
import { type CityClient, createCityClient } from "../../orchestrator/client/client.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { type Address, type Hex, hexSchema } from "../../orchestrator/primitives/hex.ts";
import { openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const wall = { millis: () => performance.timeOrigin + performance.now(), sleep: async (time: number) => void (await sleep(time)) };
const callSchema = z.looseObject({ id: z.json(), method: z.string(), params: z.array(z.json()).default([]) });
const STRANGER = "00".repeat(12) + "de".repeat(20);

/** A real chain, by a node whose operator says that other code is there: what a hostile city serves. */
describe("a city of another code", function () {
  this.timeout(120_000);
  const directory = suiteDirectory();
  /** Code that its operator's node says is somewhere, by address in lower case. */
  const served = new Map<string, Hex>();
  /** Calls that it does not answer. */
  let silent = 0;
  let node: Server;
  let rpc: string;
  let city: City;
  /** Of the chain as that node tells it. */
  let client: CityClient;
  let seats: OpenSeats;
  let build: OwnBuild;
  let contracts: readonly { readonly source: string; readonly address: Address }[];

  before(async () => {
    city = await openHome(join(directory(), "home"), "7");
    node = createServer(async (request, response) => {
      const body = await text(request);
      const { method, params, id } = callSchema.parse(JSON.parse(body));
      if (method === "eth_call" && silent > 0) {
        silent -= 1;
        return request.socket.destroy();
      }
      const code = method === "eth_getCode" ? served.get(String(params[0]).toLowerCase()) : undefined;
      response.setHeader("content-type", "application/json");
      if (code !== undefined) return response.end(JSON.stringify({ jsonrpc: "2.0", id, result: code }));
      const headers = { "content-type": "application/json" };
      return response.end(await (await fetch(city.rpcUrl, { method: "POST", headers, body })).text());
    });
    node.listen(0, "127.0.0.1");
    await once(node, "listening");
    rpc = `http://127.0.0.1:${z.object({ port: z.int() }).parse(node.address()).port}`;
    client = createCityClient({ chain: await connectRpcChain({ url: rpc, chainId: 31_337, wall }), addresses: city.client.addresses });
    seats = await openSeats(city, { clock: { millis: wall.millis, wait: () => new Promise(() => {}) } });
    const [first] = ownBuilds();
    if (first === undefined) throw new Error("nothing is compiled");
    build = first;
    const { addresses, templates } = client;
    const published = await templates.history("TemplatePublished");
    contracts = [
      ...entries(sources).flatMap(([contract, source]) => (contract === "CityToken" ? [] : [{ source, address: addresses[contract] }])),
      ...published.map(({ args }) => ({ source: missionTemplate.source, address: args.implementation })),
    ];
  });
  after(async () => {
    await seats?.close();
    await city?.close();
    node?.close();
  });

  const codeAt = async (address: Address): Promise<Hex> => hexSchema.parse(await client.chain.publicClient.getCode({ address }));
  const setCode = (address: Address, code: Hex) => void served.set(address.toLowerCase(), code);
  const written = (code: Hex, start: number, digits: string): Hex =>
    `0x${code.slice(2, 2 + 2 * start)}${digits}${code.slice(2 + 2 * start + digits.length)}`;
  /** What it says to a code in which something else stands at a place. */
  async function saidTo(address: Address, start: number, digits: string): Promise<Error> {
    const code = await codeAt(address);
    setCode(address, written(code, start, digits));
    try {
      return await rejection(requireOwnCode(client, [build]));
    } finally {
      setCode(address, code);
    }
  }
  const isFilled = (source: string, place: number) =>
    build.code[source]?.holes.some(({ start, length }) => place >= start && place < start + length) === true;
  /** The other value of the first byte of a code, from a place on, that deployment does not fill. */
  async function changed(source: string, address: Address, from: number) {
    let start = from;
    while (isFilled(source, start)) start += 1;
    const byte = Number.parseInt((await codeAt(address)).slice(2 + 2 * start, 4 + 2 * start), 16);
    return { start, digits: (byte ^ 1).toString(16).padStart(2, "0") };
  }

  it("is what none of this version's cities is", async () => {
    await requireOwnCode(client);
    expect(contracts).to.have.length(18);
  });

  it("is known by one byte of any contract or library, wherever it stands", async () => {
    const left = [...contracts];
    const seen = new Set<string>();
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { source, address } = next;
      if (seen.has(source)) continue;
      seen.add(source);
      const code = await codeAt(address);
      for (const place of [0, 0.97]) {
        const { start, digits } = await changed(source, address, Math.floor((place * code.length) / 2));
        const said = await saidTo(address, start, digits);
        expect(said, source).to.be.instanceOf(OtherCode);
        expect(said.message, source).to.include(source).and.to.include(address);
      }
      for (const { source: library, starts } of build.code[source]?.libraries ?? [])
        left.push({
          source: library,
          address: addressSchema.parse(`0x${code.slice(2 + 2 * (starts[0] ?? 0), 42 + 2 * (starts[0] ?? 0))}`),
        });
    }
    expect([...seen].sort()).to.deep.equal(Object.keys(build.code).sort());
  });

  it("is known by code that is cut, longer, or not there", async () => {
    const address = client.addresses.ProducerContract;
    const code = await codeAt(address);
    for (const other of ["0x", `${code}00`, code.slice(0, -2)] as readonly Hex[]) {
      setCode(address, other);
      expect(await rejection(requireOwnCode(client, [build]))).to.be.instanceOf(OtherCode);
    }
    setCode(address, code);
  });

  it("is known by a library of its own that it links, and by an immutable address that is not the city's", async () => {
    let [links, immutables] = [0, 0];
    for (const { source, address } of contracts) {
      const { libraries = [], holes = [] } = build.code[source] ?? {};
      for (const { source: library, starts } of libraries) {
        // The library's code, with a byte of its own, at another place.
        const code = await codeAt(address);
        const linked = addressSchema.parse(`0x${code.slice(2 + 2 * (starts[0] ?? 0), 42 + 2 * (starts[0] ?? 0))}`);
        const own = addressSchema.parse(`0x${"ab".repeat(20)}`);
        const { start, digits } = await changed(library, linked, 100);
        setCode(own, written(await codeAt(linked), start, digits));
        for (const place of new Set([starts[0] ?? 0, starts.at(-1) ?? 0])) {
          const said = await saidTo(address, place, "ab".repeat(20));
          expect(said, library).to.be.instanceOf(OtherCode);
          expect(said.message).to.include(library).and.to.include(own);
          links += 1;
        }
      }
      // The root's only address is its deployer's.
      if (source === sources.ConstitutionContract) continue;
      const code = await codeAt(address);
      const places = holes.filter(({ start, length }) => length === 32 && /^0{24}(?!0{8})/.test(code.slice(2 + 2 * start, 66 + 2 * start)));
      for (const { start } of places) {
        expect(await saidTo(address, start, STRANGER), `${source} ${start}`).to.be.instanceOf(OtherCode);
        immutables += 1;
      }
    }
    expect(
      [links, immutables].every((count) => count > 10),
      `${links} ${immutables}`,
    ).to.equal(true);
  });

  it("is not of two builds, half each", async () => {
    const source = sources.StakePool;
    const { hash: _, ...rest } = build.code[source] ?? { hash: "0x", length: 0, holes: [], libraries: [] };
    const other: OwnBuild = {
      profile: "production",
      code: { ...build.code, [source]: { ...rest, hash: keccak256(new Uint8Array([1])) } },
    };
    await requireOwnCode(client, [other, build]);
    const said = await rejection(requireOwnCode(client, [other]));
    expect(said).to.be.instanceOf(OtherCode);
    expect(said.message).to.include(source);
  });

  it("may settle in any token", async () => {
    const { CityToken } = client.addresses;
    const code = await codeAt(CityToken);
    setCode(CityToken, "0x00");
    await requireOwnCode(client, [build]);
    setCode(CityToken, code);
  });

  it("is not confused with one whose chain is silent for a while, whenever it is: that one is asked again until the agent has joined", async () => {
    const secret = (name: string) => keccak256(new TextEncoder().encode(name));
    const stop = new AbortController();
    const said: string[] = [];
    const agent = createAgent({
      city: seats.url,
      rpc,
      key: secret("a patient agent"),
      principal: secret("its patient owner"),
      folder: join(directory(), "patient"),
      limits: limitsSchema.parse({}),
      services: ["aggregate"],
      clock: wall,
      progress: (line) => {
        said.push(line);
        if (line.startsWith("answering")) stop.abort();
      },
    });
    silent = 20;
    await agent.run(stop.signal);
    expect(silent).to.equal(0);
    expect(said.filter((line) => line.includes("does not answer"))).to.have.length(1);
    const principal = await city.client.agents.principalOf(privateKeyToAccount(secret("a patient agent")).address);
    expect(principal).to.equal(privateKeyToAccount(secret("its patient owner")).address);
  });

  it("is left by an agent before it signs anything: it does not even join", async () => {
    const address = client.addresses.ExecutionProcedure;
    const code = await codeAt(address);
    const { start, digits } = await changed(sources.ExecutionProcedure, address, 1_000);
    setCode(address, written(code, start, digits));
    const secret = (name: string) => keccak256(new TextEncoder().encode(name));
    const stop = new AbortController();
    const agent = createAgent({
      city: seats.url,
      rpc,
      key: secret("an agent elsewhere"),
      principal: secret("its owner"),
      folder: join(directory(), "agent"),
      limits: limitsSchema.parse({}),
      services: ["aggregate"],
      clock: wall,
      progress: () => {},
    });
    expect(await rejection(agent.run(stop.signal))).to.be.instanceOf(OtherCode);
    stop.abort();
    expect(await city.client.agents.principalOf(privateKeyToAccount(secret("an agent elsewhere")).address)).to.match(/^0x0+$/);
    setCode(address, code);
  });
});
