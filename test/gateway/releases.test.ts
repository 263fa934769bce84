/** Clients' own payers: how they are instructed, what each of their answers decides, and where nothing is ever sent. */
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { type Agreement, BREAKER_LIMITS } from "../../orchestrator/agreements/index.ts";
import type { AgreementDesk } from "../../orchestrator/gateway/agreements/desk.ts";
import { keyOfRelease, Releases, type ReleasesOptions } from "../../orchestrator/gateway/agreements/releases.ts";
import { guardedPush } from "../../orchestrator/gateway/push.ts";
import { keccak256, sha256 } from "../../orchestrator/primitives/hash.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import { deliver, identityOf, people, proposing, result, SIGNED, sign } from "../agreements/acts.ts";
import { rejection } from "../support/rejection.ts";
import { AgreementCity } from "./agreement-city.ts";
import { openPayer, type Payer } from "./payer.ts";

const accountNamed = (name: string) => privateKeyToAccount(keccak256(new TextEncoder().encode(name)));
const operator = accountNamed("the operator");

describe("releases by a client's payer", function () {
  this.timeout(60_000);
  const home = new AgreementCity();
  let payer: Payer;
  let releases: Releases;
  let desk: AgreementDesk;
  let count = 0;

  before(async () => {
    payer = await openPayer({ operator: operator.address, chainId: home.city.chain.id, now: () => home.now });
  });
  after(() => payer.close());
  beforeEach(async () => {
    await home.city.database.query("DELETE FROM gateway_releases");
    for (const list of [payer.answers, payer.keys, payer.told]) list.length = 0;
    releases = opened();
    desk = home.desk({ releases, refused: () => releases.refused(), limits: { ...BREAKER_LIMITS, disputes: 3 } });
  });

  const opened = (more: Partial<ReleasesOptions> = {}) =>
    new Releases({
      ...{ sql: home.city.database, push: payer.push, operator, chainId: home.city.chain.id },
      ...{ millis: () => home.now * 1_000, desk: () => desk, ...more },
    });

  const escrowOf = (payee: string, binding: object = {}): NonNullable<Agreement["escrow"]> => ({
    enabled: true,
    binding: { ...desk.callback, type: "http_callback", url: `${payer.origin}/pay`, payee, ...binding },
    payment: { amount: "5.00", currency: "USDC", graduated_release: { enabled: true } },
  });
  const offer = (binding: object = {}) => {
    count += 1;
    payer.purses.set(`payee ${count}`, 5_000_000n);
    const verification = { strategy: "immediate", depth: "semantic" } as const;
    const client = { identity: identityOf(people.client) };
    return proposing(`release-${count}`, home.now + 864_000, {
      verification,
      escrow: escrowOf(`payee ${count}`, binding),
      parties: {
        client,
        provider: { identity: identityOf(people.provider) },
        evaluator: { identity: identityOf(people.evaluator), type: "agent_as_judge" },
      },
    });
  };
  /** An agreement that was judged, and is over. */
  async function over(binding: object = {}, measured?: Parameters<typeof result>[2]): Promise<Hash> {
    let { id, life } = await desk.propose(offer(binding));
    for (const step of [...SIGNED, deliver]) ({ life } = await desk.take(id, step(life)));
    expect((await desk.take(id, result(life, "evaluator", measured))).status).to.equal("closed");
    return id;
  }
  const stateOf = async (id: Hash) => (await desk.get(id)).release;
  async function later(seconds: number, by = releases): Promise<void> {
    home.now += seconds;
    await by.step();
  }

  it("are told once it is over, and settled by what the payer answers", async () => {
    const id = await over();
    expect(await stateOf(id)).to.include({ amount: 4_250_000n, state: "due", attempts: 0 });
    await later(1);
    expect(await stateOf(id)).to.include({ state: "settled", attempts: 1, problem: null, due: null });
    expect((await stateOf(id))?.reference).to.match(/^transfer \d+$/);
    expect(payer.received.get(`payee ${count}`)).to.equal(4_250_000n);
    await later(86_400);
    expect(payer.keys).to.deep.equal([keyOfRelease(id)]);
    const said = z.looseObject({}).parse(JSON.parse(payer.told[0] ?? ""));
    expect(said).to.deep.include({ release: 1, agreement: id, amount: "4.25", currency: "USDC", payee: `payee ${count}` });
  });

  it("are tried again until an answer decides, by the same key and in the same words, also after a restart", async () => {
    payer.answers.push(...[500, 302, 409, 429].map((status) => ({ status })));
    const id = await over();
    await later(1);
    expect(await stateOf(id)).to.include({ state: "unknown", attempts: 1, problem: "it answered 500: " });
    const tries: number[] = [];
    for (const pause of [0, 1, 3, 1, 15, 1, 63, 1]) {
      releases = opened();
      await later(pause);
      tries.push(payer.keys.length);
    }
    // One, four, sixteen, sixty-four seconds between them.
    expect(tries).to.deep.equal([1, 2, 2, 3, 3, 4, 4, 5]);
    expect(await stateOf(id)).to.include({ state: "settled", attempts: 5 });
    expect(new Set(payer.told).size).to.equal(1);
    expect(payer.received.get(`payee ${count}`)).to.equal(4_250_000n);
  });

  it("are not told again once the payer refuses, which is a dispute of the client's", async () => {
    payer.answers.push(...Array.from({ length: 3 }, () => ({ status: 402, text: "no" })));
    const ids: Hash[] = [];
    for (let each = 0; each < 3; each += 1) ids.push(await over());
    const next = await desk.propose(offer());
    for (let each = 0; each < 3; each += 1) await later(1);
    for (const id of ids)
      expect(await stateOf(id)).to.include({ state: "rejected", attempts: 1, problem: "it answered 402: no", due: null });
    await later(90_000);
    expect(payer.keys).to.have.length(3);
    // Nothing of this client's begins; the refusals are no fault of the provider.
    expect((await rejection(desk.propose(offer()))).name).to.equal("BreakerOpen");
    expect((await desk.breakers()).map(({ breaker, whose }) => [breaker, whose])).to.deep.equal([
      ["disputes", `w3c_did:${identityOf(people.client).value}`],
    ]);
    expect((await desk.outcomes(identityOf(people.provider), true)).records.filter(({ disputed }) => disputed)).to.deep.equal([]);
    home.now += 604_800;
    expect(await desk.breakers()).to.deep.equal([]);
    expect((await desk.get(next.id)).status).to.not.equal("active");
  });

  it("are refused if the payer says that it paid something else, and settled by its word if it says nothing", async () => {
    payer.answers.push({ status: 200, text: '{"amount":"4.249999","reference":"r"}' });
    const less = await over();
    await later(1);
    expect(await stateOf(less)).to.include({ state: "rejected", reference: "r", problem: "it says that it paid 4.249999, not 4.25" });
    for (const text of ["", "[]", '{"amount":4.25}', '{"amount":"4.250000"}']) {
      payer.answers.push({ status: 201, text });
      const id = await over();
      await later(1);
      expect(await stateOf(id), text).to.include({ state: "settled" });
    }
  });

  it("are told once by several at once, and at once though it ended while it was looked at", async () => {
    let { id, life } = await desk.propose(offer());
    for (const step of [...SIGNED, deliver]) ({ life } = await desk.take(id, step(life)));
    const slow = opened({
      desk: () => ({
        async get(asked) {
          const before = await desk.get(asked);
          await desk.take(id, result(life, "evaluator"));
          return before;
        },
      }),
    });
    await later(1, slow);
    expect(await stateOf(id)).to.include({ state: "due", attempts: 0 });
    home.now += 1;
    await Promise.all([releases.step(), opened().step(), opened().step()]);
    expect(await stateOf(id)).to.include({ state: "settled", attempts: 1 });
    expect(payer.keys).to.have.length(1);
  });

  it("keep what a payer says, in whatever characters it says it", async () => {
    const hostile = [
      { status: 402, text: `a\u0000b${"🙂".repeat(200)}` },
      { status: 402, text: `${"x".repeat(200 - "it answered 402: ".length - 1)}🙂` },
      { status: 200, text: '{"reference":"\\u0000\\ud800"}' },
    ];
    for (const answer of hostile) {
      payer.answers.push(answer);
      const id = await over();
      await later(1);
      const { state, problem, reference } = (await stateOf(id)) ?? {};
      expect(state).to.equal(answer.status === 200 ? "settled" : "rejected");
      expect([problem?.isWellFormed() ?? true, reference?.isWellFormed() ?? true]).to.deep.equal([true, true]);
    }
  });

  it("tell nobody where nothing is to be paid", async () => {
    const id = await over({}, { accuracy: 0, completeness: 0, relevance: 0, sources: 0, writing: 0 });
    await later(1);
    expect(await stateOf(id)).to.include({ amount: 0n, state: "nothing", attempts: 0 });
    await later(90_000);
    expect(payer.keys).to.deep.equal([]);
  });

  it("are sent nowhere inside, whatever a payer's name resolves to", async () => {
    const sent: string[] = [];
    const guarded = guardedPush(async (name) => {
      sent.push(name);
      return ["93.184.216.34", "10.0.0.1"];
    });
    releases = opened({ push: guarded });
    desk = home.desk({ releases });
    const id = await over({ url: "https://inside.example/pay" });
    await later(1);
    expect(sent).to.deep.equal(["inside.example"]);
    const { state, problem } = (await stateOf(id)) ?? {};
    expect(state).to.equal("unknown");
    expect(problem).to.include("not all its addresses are public");
    for (const url of [
      "http://payer.example/",
      "https://payer.example:8443/",
      "https://a:b@payer.example/",
      "https://payer.example/#x",
      "x",
      "",
    ])
      expect((await rejection(desk.propose(offer({ url })))).name, url).to.equal("MalformedAgreement");
  });

  it("are only taken on by the operator whom the terms name, who stays the same", async () => {
    const stranger = accountNamed("another operator");
    expect((await rejection(desk.propose(offer({ operator: stranger.address })))).name).to.equal("MalformedAgreement");
    expect((await rejection(home.desk().propose(offer()))).name, "by nobody").to.equal("MalformedAgreement");
    const id = await over();
    await later(1, opened({ operator: stranger }));
    expect(payer.keys).to.deep.equal([]);
    expect((await stateOf(id))?.problem).to.include("another account");
    await later(1);
    expect(await stateOf(id)).to.include({ state: "settled" });
  });

  it("of one payer that is silent keep no other waiting, and none is told more than once a second", async () => {
    for (let each = 0; each < 4; each += 1) await over({ url: `${payer.origin}/slow` });
    const id = await over({ url: "https://other.example/pay" });
    const asked: string[] = [];
    const busy = opened({
      push: async (url) => {
        asked.push(url.host);
        if (url.host === "payer.example") throw new Error("no answer");
        return { status: 200, text: "" };
      },
    });
    await later(1, busy);
    expect(asked.toSorted()).to.deep.equal(["other.example", "payer.example"]);
    await later(0, busy);
    expect(asked).to.have.length(2);
    expect(await stateOf(id)).to.include({ state: "settled" });
  });

  it("are given up after two days, and stay unknown", async () => {
    const id = await over();
    let tries = 0;
    const dead = opened({
      push: async () => {
        tries += 1;
        throw new Error("no answer");
      },
    });
    for (let hour = 0; hour < 100; hour += 1) await later(3_600, dead);
    expect(tries).to.equal(56);
    expect(await stateOf(id)).to.include({ state: "unknown", attempts: 56, due: null, problem: "no answer" });
    // No breaker for everybody: whose payer is dead is the client's choice.
    expect(await desk.breakers()).to.deep.equal([]);
  });

  it("are watched before the second signature is kept, and forgotten with an agreement that is not", async () => {
    const { life } = await desk.propose(offer());
    await releases.watch(sha256("an agreement that was never kept"), life.agreement);
    await later(1);
    expect(await home.city.database.query("SELECT id FROM gateway_releases")).to.deep.equal([]);
    let { id, life: at } = await desk.propose(offer());
    const [accept] = SIGNED;
    if (accept === undefined) throw new Error("nobody accepts");
    ({ life: at } = await desk.take(id, accept(at)));
    for (const by of ["client", "provider"] as const) {
      const moved = releases.moved.bind(releases);
      // The process ends between keeping the signature and saying so.
      releases.moved = async () => {};
      ({ life: at } = await desk.take(id, sign(at, by)));
      releases.moved = moved;
    }
    for (let each = 0; each < 4; each += 1) await later(864_000);
    expect((await stateOf(id))?.state).to.equal("nothing");
  });

  it("say at signing what nobody holds", async () => {
    const gateway = await home.serve({ push: payer.push });
    const { agreements } = gateway.world;
    if (agreements?.callback === undefined) throw new Error("it instructs nobody");
    desk = agreements;
    const template = z.looseObject({ callback: z.looseObject({}) }).parse((await home.call("/v1/agreement-templates/research")).body);
    expect(template.callback).to.deep.equal(agreements.callback);
    const noticed = async (binding: NonNullable<Agreement["escrow"]>["binding"]) => {
      count += 1;
      const escrow = { ...escrowOf("a payee"), binding };
      const act = proposing(`noticed-${count}`, home.now + 864_000, { escrow, visibility: "public" });
      const { id } = await agreements.propose(act);
      const draft = { agreement: id, draft: { act: "sign" } };
      return z.looseObject({ notice: z.string() }).parse((await home.call("/v1/agreement-drafts", { body: draft })).body).notice;
    };
    const told = await noticed(escrowOf("a payee").binding);
    expect(told).to.match(/^Nobody holds the payment\..*payer\.example.*says so\.$/);
    const wallets = { provider: accountNamed("a provider's wallet").address };
    expect(await noticed({ ...agreements.afterwards, wallets })).to.match(/^Nobody holds the payment\./);
  });
});
