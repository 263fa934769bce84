import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { signerOfRequest } from "../../orchestrator/gateway/http-signature.ts";
import { guardedPush, type Push, requireEndpoint } from "../../orchestrator/gateway/push.ts";
import { challengeText, Webhooks } from "../../orchestrator/gateway/webhooks.ts";
import type { EventDraft } from "../../orchestrator/hub/event.ts";
import type { EventType } from "../../orchestrator/hub/event-types.ts";
import { HubStore } from "../../orchestrator/hub/store.ts";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import { contentIdOf, keccak256 } from "../../orchestrator/primitives/hash.ts";
import { type Database, openDatabase } from "../../orchestrator/records/database.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const secretOf = (name: string) => keccak256(new TextEncoder().encode(name));
const adjudicator = privateKeyToAccount(secretOf("an adjudicator"));
const operator = privateKeyToAccount(secretOf("the operator"));
const CHAIN_ID = 31337;
const HOOK = "https://adjudicator.example/hook";

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "nothing",
    (error: unknown) => (error instanceof AgentCityError ? error.code : String(error)),
  );

function draft(at: number, eventType: EventType | null): EventDraft {
  const payload = new TextEncoder().encode(`{"at":${at}}`);
  return {
    ...{ missionId: secretOf("a mission"), epoch: 0, eventType, emitterContract: operator.address },
    ...{ primaryEntity: null, secondaryEntity: null, nodeId: null, gasUsed: 0, corrects: null, record: null },
    ...{ payloadHash: keccak256(payload), payloadCid: contentIdOf(payload), blockNumber: at, timestamp: at * 1_000 },
    ...{ name: `Test.Event${at}`, blockHash: secretOf(`block ${at}`), transactionHash: secretOf(`transaction ${at}`), logIndex: 0 },
  };
}

describe("critical events on their way to adjudicators", function () {
  this.timeout(30_000);
  const directory = suiteDirectory();
  let database: Database;
  let store: HubStore;
  let server: Server;
  let port = 0;
  let cursor: Awaited<ReturnType<HubStore["cursor"]>>;
  const wall = { now: 1_800_000_000_000 };
  const seated = new Set([adjudicator.address]);
  /** What the endpoint answers next, and everything that it took. */
  const endpoint = { statuses: [] as number[], key: adjudicator, taken: [] as string[], asked: 0, forged: 0 };

  async function answer(request: IncomingMessage): Promise<{ readonly status: number; readonly text: string }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
    const body = new Uint8Array(Buffer.concat(chunks));
    const headers = new Headers(Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]));
    // Anybody who knows the operator's address can check who sends this, and that it is for this endpoint.
    const arrived = { method: "POST", url: new URL(HOOK), headers, body };
    const by = await signerOfRequest(arrived, CHAIN_ID, Math.floor(wall.now / 1_000)).catch(() => undefined);
    if (by?.key !== operator.address) endpoint.forged += 1;
    const said = JSON.parse(new TextDecoder().decode(body));
    if ("challenge" in said)
      return {
        status: 200,
        text: await endpoint.key.signMessage({ message: challengeText(CHAIN_ID, adjudicator.address, said.challenge) }),
      };
    endpoint.asked += 1;
    const status = endpoint.statuses.shift() ?? 200;
    if (status < 300) endpoint.taken.push(said.name);
    return { status, text: "" };
  }

  /** Everything is as on the internet, but that the endpoint's name leads to this process. */
  const push: Push = async (url, { body, headers }) => {
    const response = await fetch(`http://127.0.0.1:${port}${url.pathname}`, {
      method: "POST",
      headers,
      body: new Uint8Array(body),
      redirect: "manual",
    });
    return { status: response.status, text: await response.text() };
  };

  const open = () =>
    new Webhooks({
      ...{ sql: database, push, operator, chainId: CHAIN_ID, millis: () => wall.now },
      isSeated: async (key) => seated.has(key),
      render: async (event) => z.json().parse(event),
      hub: {
        cursor: () => cursor,
        async query(query) {
          const { events, next } = await store.query(query);
          return { events: events.map(({ event, isCorrected }) => ({ ...event, isCorrected, isFinal: true })), next };
        },
      },
    });

  async function happen(...types: readonly (EventType | null)[]): Promise<void> {
    const from = await store.cursor();
    const drafts = types.map((type, at) => ({ draft: draft(from.sequence + 1 + at, type), parties: [], principals: [], payload: null }));
    const rest = { missions: [], accounts: [], contracts: [], marks: [], keepTo: undefined, forgetBefore: 0 };
    await store.write(from, { drafts, ...rest, block: from.block + 1, record: 0 });
    cursor = await store.cursor();
  }

  /** A second of the wall clock, and what is due then. */
  async function later(webhooks: Webhooks, millis = 1_000): Promise<number> {
    wall.now += millis;
    return webhooks.step();
  }

  before(async () => {
    database = await openDatabase({ dir: directory() });
    store = new HubStore(database, () => secretOf("a stream"));
    server = createServer((request, response) => {
      void answer(request).then(({ status, text }) => response.writeHead(status).end(text));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ({ port } = server.address() as AddressInfo);
    await happen("STAKE_SLASHED");
  });
  after(async () => {
    server.close();
    await database.close();
  });

  it("go to nobody but who shows that the endpoint is its own", async () => {
    const webhooks = open();
    endpoint.key = operator;
    expect(await codeOf(webhooks.add(adjudicator.address, HOOK))).to.equal("PushRefused");
    expect(await webhooks.of(adjudicator.address)).to.equal(undefined);
    endpoint.key = adjudicator;
    const added = await webhooks.add(adjudicator.address, HOOK);
    // What happened before is in the hub, and is not told.
    expect([added.url, added.delivered, added.failures]).to.deep.equal([HOOK, 1, 0]);
  });

  it("come in order, each until it is taken, also after a restart, and signed by the operator", async () => {
    await happen("FREEZE_TRIGGERED", "TASK_COMPLETED", null, "DELEGATED_REVIEW_REQUESTED", "EMERGENCY_STOP");
    endpoint.statuses = [500, 302, 503];
    let webhooks = open();
    expect(await later(webhooks)).to.equal(0);
    // A second, four and sixteen have to go by between tries.
    expect([await later(webhooks, 500), endpoint.asked]).to.deep.equal([0, 1]);
    expect([await later(webhooks, 500), endpoint.asked]).to.deep.equal([0, 2]);
    webhooks = open();
    expect([await later(webhooks, 3_999), endpoint.asked]).to.deep.equal([0, 2]);
    expect([await later(webhooks, 1), endpoint.asked]).to.deep.equal([0, 3]);
    expect((await webhooks.of(adjudicator.address))?.problem).to.equal("it answered 503");
    expect(await later(webhooks, 16_000)).to.equal(1);
    webhooks = open();
    for (let at = 0; at < 4; at += 1) await later(webhooks);
    expect(endpoint.taken).to.deep.equal(["Test.Event2", "Test.Event5", "Test.Event6"]);
    expect(endpoint.forged).to.equal(0);
    expect(await webhooks.of(adjudicator.address)).to.deep.include({ delivered: 6, failures: 0, problem: null });
  });

  it("stop when the adjudicator says so", async () => {
    const webhooks = open();
    await webhooks.remove(adjudicator.address);
    await happen("DIVERGENCE_DETECTED");
    expect([await later(webhooks), endpoint.taken.length]).to.deep.equal([0, 3]);
  });

  it("stop when its seat is gone, for good: one that comes back asks again", async () => {
    const webhooks = open();
    await webhooks.add(adjudicator.address, HOOK);
    await happen("STAKE_SLASHED");
    seated.clear();
    expect([await later(webhooks), endpoint.taken.length]).to.deep.equal([0, 3]);
    expect(await webhooks.of(adjudicator.address)).to.equal(undefined);
    seated.add(adjudicator.address);
    expect([await later(webhooks), endpoint.taken.length]).to.deep.equal([0, 3]);
  });

  it("are never sent inward: only https to public addresses at their own port, and no redirect is followed", async () => {
    for (const text of [
      "http://adjudicator.example/",
      "https://adjudicator.example:8443/",
      "https://user@adjudicator.example/",
      "file:///etc/passwd",
      "nonsense",
    ])
      expect(() => requireEndpoint(text), text).to.throw(AgentCityError);
    const posted = { body: new Uint8Array(), headers: {} };
    const inward = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.175.48.1", "::1", "fd00::1", "::ffff:127.0.0.1"];
    for (const address of inward)
      expect(await codeOf(guardedPush(async () => ["1.1.1.1", address])(new URL(HOOK), posted)), address).to.equal("PushRefused");
    for (const url of ["https://127.0.0.1/", "https://[::1]/", "https://0x7f000001/", "https://2130706433/", "https://127.1/"])
      expect(await codeOf(guardedPush()(new URL(url), posted)), url).to.equal("PushRefused");
    expect(await codeOf(guardedPush(async () => [])(new URL(HOOK), posted))).to.equal("PushRefused");
    const large = { body: new Uint8Array(65_537), headers: {} };
    expect(await codeOf(guardedPush(async () => ["1.1.1.1"])(new URL(HOOK), large))).to.equal("PushRefused");
  });
});
