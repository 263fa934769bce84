import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { isShown } from "../../orchestrator/city/audit/recorded-calls.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { type SeatDesk, seatDesk } from "../../orchestrator/city/missions/open-seats.ts";
import { seatsOutput } from "../../orchestrator/gateway/commands/seat-list.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { contentIdOf, keccak256 } from "../../orchestrator/primitives/hash.ts";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";
import { callScope } from "../../orchestrator/protocol/call-records.ts";
import { CALLS } from "../../orchestrator/protocol/calls.ts";
import { remoteSeat } from "../../orchestrator/seats/remote.ts";
import { openHome } from "../support/city-home.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions, wall } from "./gateway-city.ts";
import { signedRequest } from "./signed-fetch.ts";

const secretOf = (name: string) => keccak256(new TextEncoder().encode(name));
const agent = privateKeyToAccount(secretOf("an agent"));
const other = privateKeyToAccount(secretOf("another agent"));
const MEBIBYTE = 1_048_576;
const errorSchema = z.object({ error: z.object({ code: z.string() }) });

describe("seats at the gateway", function () {
  this.timeout(120_000);
  const directory = suiteDirectory();
  let city: City;
  let desk: SeatDesk;
  let gateway: Gateway;
  let call = "";
  let performed: Promise<unknown>;
  /** What the operator hears. */
  const told: string[] = [];

  const codeOf = async (answer: Response) => [answer.status, errorSchema.parse(await answer.json()).error.code];
  const now = () => Math.floor(wall.now / 1_000);

  async function send(by: typeof agent, method: string, path: string, body = "{}"): Promise<Response> {
    const { url, init } = await signedRequest(by, `${gateway.url}${path}`, { method, body, now: now() });
    return fetch(url, init);
  }
  async function bearerOf(by: typeof agent): Promise<Record<string, string>> {
    const { bearer } = z.object({ bearer: z.string() }).parse(await (await send(by, "POST", "/v1/session")).json());
    return { authorization: `Bearer ${bearer}` };
  }

  before(async () => {
    city = await openHome(directory(), "7", { progress: (line) => told.push(line) });
    desk = await seatDesk(city, { clock: { millis: () => wall.now, wait: () => new Promise<void>(() => {}) } });
    const stranger = { name: "stranger", address: agent.address, principal: other.address };
    const outsiders = async () => ({ workers: [remoteSeat(stranger, desk.mailbox, desk.store)], verifiers: [], issuers: [] });
    gateway = await serveGateway(city, { ...serveOptions, seats: { ...desk, outsiders } });
    const place = { mission: city.client.addresses.Treasury, node: 1, attempt: 1, slot: 0 };
    const request = CALLS.perform.request.parse({
      ...{ ...place, service: secretOf("a service"), document: "law", items: "items", upstream: [] },
      ...{ inputHash: secretOf("an input"), seconds: 10, tools: 0, messages: 0 },
    });
    performed = desk.mailbox.ask({ name: "stranger", address: agent.address }, "perform", request, undefined, {
      help: () => ({ input: { items: [1, 2] } }),
    });
    performed.catch(() => {});
  });
  after(async () => {
    await gateway?.close();
    await city?.close();
  });

  it("tells an agent alone what it is asked, for fifteen minutes", async () => {
    const headers = await bearerOf(agent);
    const { calls } = z
      .object({ calls: z.array(z.object({ id: z.string(), kind: z.string() })) })
      .parse(await (await fetch(`${gateway.url}/v1/calls`, { headers })).json());
    expect(calls.map(({ kind }) => kind)).to.deep.equal(["perform"]);
    const listed = async () => seatsOutput.parse(await (await fetch(`${gateway.url}/v1/seats`)).json()).seats[0]?.build;
    expect(await listed()).to.equal(null);
    expect((await fetch(`${gateway.url}/v1/calls?build=mine/1.0 node/24.21.0`, { headers })).status).to.equal(200);
    expect(await listed(), "as it names itself").to.equal("mine/1.0 node/24.21.0");
    for (const build of ["", "x".repeat(81), "\u202Eevil", "<b>"])
      expect((await fetch(`${gateway.url}/v1/calls?build=${encodeURIComponent(build)}`, { headers })).status, build).to.equal(400);
    call = calls[0]?.id ?? "";
    expect(await (await fetch(`${gateway.url}/v1/calls/${call}`, { headers })).json()).to.have.nested.property("help.input.items[1]", 2);
    const others = await bearerOf(other);
    expect(await (await fetch(`${gateway.url}/v1/calls`, { headers: others })).json()).to.deep.equal({ calls: [] });
    expect(await codeOf(await fetch(`${gateway.url}/v1/calls/${call}`, { headers: others }))).to.deep.equal([409, "AnswerRefused"]);
    expect(await codeOf(await fetch(`${gateway.url}/v1/calls`))).to.deep.equal([401, "SignatureMissing"]);
    wall.now += 900_000;
    expect(await codeOf(await fetch(`${gateway.url}/v1/calls`, { headers }))).to.deep.equal([401, "BearerUnknown"]);
  });

  it("shows everybody how a seat stands: what kind of question is open, and what it declined and why", async () => {
    const request = { type: "Commit", mission: null, message: { node: 1 } };
    const declined = desk.mailbox.ask({ name: "stranger", address: agent.address }, "sign", request).catch(() => {});
    const listed = async () => seatsOutput.parse(await (await fetch(`${gateway.url}/v1/seats`)).json());
    while ((await listed()).seats[0]?.open.length !== 2);
    const asked = desk.mailbox.openTo(agent.address).find(({ kind }) => kind === "sign");
    if (asked === undefined) throw new Error("nothing is to be signed");
    await desk.mailbox.decline(agent.address, asked.id, "WillNotSign: Commit.node differs");
    await declined;
    const { isOpen, seats, asOf } = await listed();
    expect([isOpen, asOf, seats.length]).to.deep.equal([true, Math.floor(wall.now), 1]);
    expect(seats[0]?.open.map(({ kind }) => kind)).to.deep.equal(["perform"]);
    expect(seats[0]?.refusals).to.deep.equal([
      { kind: "sign", at: Math.floor(wall.now), by: "agent", why: "WillNotSign: Commit.node differs" },
    ]);
  });

  it("ends an agent's first wait when it comes again", async () => {
    const headers = await bearerOf(other);
    const first = fetch(`${gateway.url}/v1/calls?wait=25`, { headers });
    await fetch(`${gateway.url}/health`);
    expect(await (await fetch(`${gateway.url}/v1/calls?wait=0`, { headers })).json()).to.deep.equal({ calls: [] });
    expect(await (await first).json()).to.deep.equal({ calls: [] });
  });

  it("refuses no agent because too many wait: the one that waits longest asks again", async () => {
    const door = gateway.world.seats;
    if (door === undefined) throw new Error("no seats");
    const first = door.callsTo(other.address, 25);
    const strangers = Array.from({ length: 256 }, (_, at) => addressSchema.parse(`0x${at.toString(16).padStart(40, "0")}`));
    const waiting = strangers.map((key) => door.callsTo(key, 25));
    expect(await first).to.deep.equal([]);
    void Promise.all(waiting);
    expect(await door.callsTo(agent.address, 25)).to.have.length(1);
  });

  it("gives blocks to whom a question gave them, and takes bytes for an open question alone, under their own id", async () => {
    const given = await city.blocks.put(new TextEncoder().encode("given"));
    desk.mailbox.grant(agent.address, [given]);
    const [headers, others] = [await bearerOf(agent), await bearerOf(other)];
    const at = (id: string) => `${gateway.url}/v1/blocks/${id}`;
    expect(await (await fetch(at(given), { headers })).text()).to.equal("given");
    expect(await codeOf(await fetch(at(given), { headers: others }))).to.deep.equal([404, "NotFound"]);
    expect(await codeOf(await fetch(at(given)))).to.deep.equal([401, "SignatureMissing"]);

    const body = "an output";
    const id = contentIdOf(new TextEncoder().encode(body));
    const put = (by: typeof agent, of: string, text = body, asked = call) => send(by, "PUT", `/v1/blocks/${of}?call=${asked}`, text);
    expect(await (await put(agent, id)).json()).to.deep.equal({ cid: id, bytes: body.length });
    expect(await codeOf(await put(agent, given))).to.deep.equal([400, "BadRequest"]);
    expect(await codeOf(await put(other, id))).to.deep.equal([409, "NothingAsked"]);
    expect(await codeOf(await put(agent, id, body, secretOf("no call")))).to.deep.equal([409, "NothingAsked"]);
    expect(await codeOf(await send(agent, "PUT", `/v1/blocks/${id}`, body))).to.deep.equal([400, "BadRequest"]);
    // A bearer reads and never writes.
    const unsigned = await fetch(`${at(id)}?call=${call}`, { method: "PUT", body, headers });
    expect(await codeOf(unsigned)).to.deep.equal([401, "SignatureMissing"]);
    const large = "x".repeat(8 * MEBIBYTE + 1);
    expect(await codeOf(await put(agent, contentIdOf(new TextEncoder().encode(large)), large))).to.deep.equal([413, "BodyTooLarge"]);
  });

  it("takes an agent's bytes while eight addresses hold all places of large bodies by sending slowly", async () => {
    const crowded = await serveGateway(city, { ...serveOptions, seats: desk, proxies: ["127.0.0.1"] });
    const { port } = new URL(crowded.url);
    /** A body that never comes; resolves with what is answered. */
    const slow = (address: number) => {
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("error", () => {});
      const head = [`PUT /v1/blocks/x?call=${call} HTTP/1.1`, `host: 127.0.0.1:${port}`, `x-forwarded-for: 203.0.113.${address}`];
      socket.write(`${[...head, `content-length: ${MEBIBYTE}`].join("\r\n")}\r\n\r\n.`);
      return { socket, answer: once(socket, "data").then(([text]) => String(text)) };
    };
    const senders = Array.from({ length: 8 }, (_, address) => Array.from({ length: 5 }, () => slow(address)));
    // One of each five has no place: then all thirty-two are taken.
    for (const own of senders) expect(await Promise.race(own.map(({ answer }) => answer))).to.match(/^HTTP\/1.1 503 .*GatewayBusy/s);
    const body = "y".repeat(200_000);
    // Bytes that are here already, from others, count like those that nobody brought: an allowance says nothing of what the city keeps.
    const id = await desk.store.put(new TextEncoder().encode(body));
    const { url, init } = await signedRequest(agent, `${crowded.url}/v1/blocks/${id}?call=${call}`, { method: "PUT", body, now: now() });
    expect(await (await fetch(url, init)).json()).to.deep.equal({ cid: id, bytes: body.length });
    for (const { socket } of senders.flat()) socket.destroy();
    await crowded.close();
  });

  it("says by name that a block which a question gave is damaged, and the operator hears which", async () => {
    const given = await desk.store.put(new TextEncoder().encode("given and damaged"));
    desk.mailbox.grant(agent.address, [given]);
    writeFileSync(join(city.dir, "blocks", given), "something else");
    const answer = await fetch(`${gateway.url}/v1/blocks/${given}`, { headers: await bearerOf(agent) });
    expect(await codeOf(answer)).to.deep.equal([500, "BlockDamaged"]);
    expect(told.filter((line) => line.includes(given))).to.have.length(1);
    // To nobody else it is there.
    expect(await codeOf(await fetch(`${gateway.url}/v1/blocks/${given}`, { headers: await bearerOf(other) }))).to.deep.equal([
      404,
      "NotFound",
    ]);
  });

  it("takes 64 MiB for a piece of work, and no more after a restart", async () => {
    const block = (first: number) => new Uint8Array(8 * MEBIBYTE).fill(first, 0, 1);
    const bring = (to: Gateway, bytes: Uint8Array) =>
      (to.world.seats?.bring(agent.address, call as `0x${string}`, bytes) ?? Promise.reject(new Error("closed"))).then(
        () => "kept",
        ({ code }: { readonly code?: string }) => code,
      );
    const codes: unknown[] = [];
    for (let at = 0; at < 9; at += 1) codes.push(await bring(gateway, block(at)));
    // 200,009 bytes came before.
    expect(codes).to.deep.equal([...Array.from({ length: 7 }, () => "kept"), "QuotaExceeded", "QuotaExceeded"]);

    const again = await serveGateway(city, { ...serveOptions, seats: desk });
    expect(await bring(again, block(8))).to.equal("QuotaExceeded");
    // What it brought already is not brought twice, and what was refused took nothing.
    expect(await bring(again, block(6))).to.equal("kept");
    expect(await bring(again, new Uint8Array(8 * MEBIBYTE - 200_064).fill(9))).to.equal("kept");
    expect(await bring(again, new Uint8Array(64))).to.equal("QuotaExceeded");
    await again.close();
  });

  it("keeps the first answer, and says what is wrong with one that does not count", async () => {
    const output = z
      .object({ output: z.string(), outputHash: z.string() })
      .parse(await (await send(agent, "POST", "/v1/outputs", canonicalJson({ call, output: { a: 1 } }))).json());
    expect(output.outputHash).to.equal(keccak256(new TextEncoder().encode('{"a":1}')));
    const answer = { status: "ok", output: output.output, trail: [], tools: 0, messages: 0 };
    const said = (by: typeof agent, given: object) => send(by, "POST", "/v1/answers", canonicalJson({ call, answer: { ...given } }));
    expect(await codeOf(await said(other, answer))).to.deep.equal([409, "AnswerRefused"]);
    expect(await codeOf(await said(agent, { status: "fine" }))).to.deep.equal([409, "AnswerRefused"]);
    const received = await (await said(agent, answer)).json();
    expect(await performed).to.deep.equal(answer);
    // It is in the records with what its sender signed, by which anybody can tell whose it is.
    const [kept] = await city.calls.about([callScope("mission", city.client.addresses.Treasury)]);
    const shown = kept?.answered?.shown;
    if (kept === undefined || shown === undefined) throw new Error("nothing of the answer's request was kept");
    expect(await isShown(city.client, kept, answer, shown)).to.equal(true);
    expect(await isShown(city.client, kept, { ...answer, tools: 7 }, shown)).to.equal(false);
    expect(await isShown(city.client, { ...kept, to: other.address }, answer, shown)).to.equal(false);
    // What is answered stays answered: the city signs for the same one again.
    const again = await (await said(agent, { ...answer, tools: 7 })).json();
    expect(z.object({ answer: z.string() }).parse(again).answer).to.equal(z.object({ answer: z.string() }).parse(received).answer);
  });

  const newKey = () => privateKeyToAccount(generatePrivateKey());

  /** A newcomer and the request by which it joins. */
  async function newcomerTo(owner = newKey(), url = gateway.url) {
    const newcomer = newKey();
    await desk.faucet(owner.address);
    const terms = z
      .looseObject({ binding: z.unknown(), did: z.string(), typedData: z.string(), permit: z.string(), permitDeadline: z.number() })
      .parse(await (await fetch(`${url}/v1/seats/registration?agent=${newcomer.address}&principal=${owner.address}`)).json());
    const { binding, did, permitDeadline } = terms;
    const [binds, permits] = [JSON.parse(terms.typedData), JSON.parse(terms.permit)];
    const [byPrincipal, byAgent] = [await owner.signTypedData(binds), await newcomer.signTypedData(binds)];
    const body = canonicalJson({
      ...{ binding: z.json().parse(binding), did, byPrincipal, byAgent, permitDeadline },
      permit: await owner.signTypedData(permits),
    });
    const ask = () => fetch(`${url}/v1/seats/registration`, { method: "POST", headers: { "content-type": "application/json" }, body });
    return { newcomer, owner, ask };
  }

  it("cost the city no more than its operator allows: of a principal, of an address, across restarts", async () => {
    const held = 700_000n;
    await city.database.query("DELETE FROM relayed");
    const open = async () => {
      const seats = await seatDesk(city, {
        clock: { millis: () => wall.now, wait: () => new Promise<void>(() => {}) },
        relayGas: 40n * held,
      });
      return serveGateway(city, { ...serveOptions, seats });
    };
    const narrow = await open();
    const owner = newKey();
    const first = await newcomerTo(owner, narrow.url);
    expect((await first.ask()).status).to.equal(200);
    // Its second agent would cost more than what is left of the principal's day.
    const second = await newcomerTo(owner, narrow.url);
    const refused = z.object({ error: z.object({ code: z.string(), details: z.string() }) });
    const answer = await second.ask();
    expect(answer.status).to.equal(429);
    const { code, details } = refused.parse(await answer.json()).error;
    expect([code, details]).to.deep.equal([
      "RelayQuota",
      `${held} gas; there is room again at ${new Date((now() + 86_400) * 1_000).toISOString()}`,
    ]);
    expect((await first.ask()).status, "what was done costs nothing again").to.equal(200);
    // Keys are free: its address has an allowance too.
    let joined = 0;
    for (;;) {
      const next = await newcomerTo(newKey(), narrow.url);
      const asked = await next.ask();
      if (asked.status !== 200) {
        expect(await codeOf(asked)).to.deep.equal([429, "RelayQuota"]);
        break;
      }
      joined += 1;
    }
    expect(joined).to.be.within(5, 20);
    const push = JSON.stringify({ step: "expire", session: "999" });
    const pushed = (url: string) =>
      fetch(`${url}/v1/pushes`, { method: "POST", headers: { "content-type": "application/json" }, body: push });
    expect(await codeOf(await pushed(narrow.url))).to.deep.equal([429, "RelayQuota"]);
    await narrow.close();
    const again = await open();
    expect(await codeOf(await pushed(again.url)), "after a restart").to.deep.equal([429, "RelayQuota"]);
    expect(await codeOf(await (await newcomerTo(newKey(), again.url)).ask()), "after a restart").to.deep.equal([429, "RelayQuota"]);
    await again.close();
    await city.database.query("DELETE FROM relayed");
  });

  it("have a place for the next where somebody left, once its stake was taken back", async () => {
    const first = await newcomerTo();
    expect((await first.ask()).status).to.equal(200);
    const { agents } = city.client;
    const newcomers = (await agents.history("AgentRegistered")).filter(
      ({ args }) => !city.society.some((each) => each.account.address === args.agent),
    );
    for (let at = newcomers.length; at < 64; at += 1) expect((await (await newcomerTo()).ask()).status, String(at)).to.equal(200);
    const late = await newcomerTo();
    expect(await codeOf(await late.ask())).to.deep.equal([403, "CityFull"]);
    const leaving = [first.newcomer.address] as const;
    await agents.deregister(leaving, { intent: intentKey("test-leave"), account: first.owner });
    expect(await codeOf(await late.ask()), "its stake may still be slashed").to.deep.equal([403, "CityFull"]);
    await city.chain.clock.run(() => city.chain.clock.sleepUntil(city.chain.clock.now() + 40n * 86_400n));
    await agents.withdrawStake(leaving, { intent: intentKey("test-withdraw") });
    // What was signed for a time that is over is signed again.
    expect((await (await newcomerTo()).ask()).status).to.equal(200);
  });

  it("says that no seats are open where none are", async () => {
    // A city of its own: two gateways that follow one city can both want to write the next step of its hub.
    const elsewhere = await openHome(join(directory(), "closed"), "7");
    const closed = await serveGateway(elsewhere, serveOptions);
    const { url, init } = await signedRequest(agent, `${closed.url}/v1/faucet`, {
      body: canonicalJson({ principal: agent.address }),
      now: now(),
    });
    expect(await codeOf(await fetch(url, init))).to.deep.equal([404, "SeatsClosed"]);
    await closed.close();
    await elsewhere.close();
  });
});
