import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import type { City } from "../../orchestrator/city/city.ts";
import { seatDesk } from "../../orchestrator/city/missions/open-seats.ts";
import { eventOutput } from "../../orchestrator/gateway/commands/events.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";
import { openHome } from "../support/city-home.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions } from "./gateway-city.ts";
import { signedRequest } from "./signed-fetch.ts";

const agent = privateKeyToAccount(keccak256(new TextEncoder().encode("an agent")));
const now = () => Math.floor(Date.now() / 1_000);
const codeSchema = z.object({ error: z.object({ code: z.string() }) });

/** A client in a thread of its own: asks for these paths one after the other, and wakes whoever waits at `place`. */
const CLIENT = `
  const { workerData: { url, paths, place }, parentPort } = require("node:worker_threads");
  (async () => {
    const answers = [];
    for (const path of paths) answers.push((await fetch(url + path)).status);
    Atomics.store(place, 0, answers.every((status) => status === 200) ? 1 : 2);
    Atomics.notify(place, 0);
  })();`;

describe("a gateway whose front has a thread of its own", function () {
  this.timeout(120_000);
  const [directory, elsewhere] = [suiteDirectory(), suiteDirectory()];
  let city: City;
  /** For other gateways: a city has one, since two would write one stream. */
  let second: City;
  let gateway: Gateway;

  before(async () => {
    [city, second] = await Promise.all([openHome(directory(), "7"), openHome(elsewhere(), "7")]);
    const seats = await seatDesk(city, { clock: { millis: () => Date.now(), wait: (millis) => wait(millis) } });
    gateway = await serveGateway(city, {
      ...{ ...serveOptions, millis: () => Date.now(), sleep: (millis: number) => wait(millis), seats },
      pages: (path) =>
        path === "/" ? { body: new TextEncoder().encode("the console"), headers: { "content-type": "text/html" } } : undefined,
      thread: new URL("../../orchestrator/cli/gateway-thread.ts", import.meta.url),
    });
  });
  after(async () => {
    await gateway?.close();
    await city?.close();
    await second?.close();
  });

  const get = async (path: string) => (await fetch(`${gateway.url}${path}`)).json();
  const events = async () => z.object({ items: z.array(eventOutput) }).parse(await get("/v1/events?newest=true&limit=1")).items;

  it("answers while the city's own thread does something else", async () => {
    const paths = ["/v1/panel", "/v1/city", "/v1/events?limit=10"];
    for (const path of paths) expect((await fetch(`${gateway.url}${path}`)).status).to.equal(200);
    const place = new Int32Array(new SharedArrayBuffer(4));
    const client = new Worker(CLIENT, {
      eval: true,
      workerData: { url: gateway.url, paths: [...paths, "/health", "/openapi.json"], place },
    });
    // Nothing of the city's runs until this returns.
    expect(Atomics.wait(place, 0, 0, 60_000)).to.equal("ok");
    expect(place[0]).to.equal(1);
    await client.terminate();
  });

  it("shows what has happened by now", async () => {
    const [before] = await events();
    await city.log.append([{ kind: "test.noted", subjects: ["threads"] }]);
    await gateway.sync();
    const [after] = await events();
    expect([after?.name, after?.sequence]).to.deep.equal(["test.noted", (before?.sequence ?? 0) + 1]);
  });

  it("hands on what only the city can do, and brings its refusals back", async () => {
    const post = async (path: string, body: object) => {
      const { url, init } = await signedRequest(agent, `${gateway.url}${path}`, { body: canonicalJson({ ...body }), now: now() });
      return { url, init, answer: await fetch(url, init) };
    };
    const faucet = await post("/v1/faucet", { principal: agent.address });
    expect(await faucet.answer.json()).to.deep.equal({ principal: agent.address, balance: "100000000000" });
    const again = await fetch(faucet.url, faucet.init);
    expect([again.status, codeSchema.parse(await again.json()).error.code]).to.deep.equal([409, "SignatureReplayed"]);
    const declined = await post("/v1/declines", { call: `0x${"00".repeat(32)}`, why: "no" });
    expect([declined.answer.status, codeSchema.parse(await declined.answer.json()).error.code]).to.deep.equal([409, "AnswerRefused"]);
    expect(await get("/v1/missions/0x0000000000000000000000000000000000000001")).to.have.nested.property("error.code", "NotFound");
    expect(await get("/v1/seats")).to.include({ isOpen: true });
  });

  it("serves the console's files, and is not mistaken for them", async () => {
    expect(await (await fetch(`${gateway.url}/`)).text()).to.equal("the console");
    expect(codeSchema.parse(await get("/nowhere")).error.code).to.equal("NoSuchCommand");
  });

  it("starts its thread again when that fails, at the same place", async () => {
    const lines: string[] = [];
    const failing = new BroadcastChannel("a front's thread fails");
    const other = await serveGateway(
      { ...second, progress: (line) => lines.push(line) },
      { ...serveOptions, thread: new URL("./failing-thread.ts", import.meta.url) },
    );
    failing.postMessage("now");
    while (lines.length === 0) await wait(1);
    expect(lines[0]).to.contain("told to fail");
    const health = async (): Promise<number> =>
      fetch(`${other.url}/health`).then(
        ({ status }) => status,
        () => wait(10).then(health),
      );
    expect(await health()).to.equal(200);
    await other.close();
    failing.close();
  });

  it("says which port it cannot have, and ends with its city", async () => {
    const port = Number(new URL(gateway.url).port);
    const refused = await serveGateway(second, {
      ...serveOptions,
      port,
      thread: new URL("../../orchestrator/cli/gateway-thread.ts", import.meta.url),
    }).then(() => "served", String);
    expect(refused).to.contain("EADDRINUSE");
    await gateway.close();
    expect(await fetch(`${gateway.url}/health`).then(String, () => "nobody")).to.equal("nobody");
  });
});
