// @long
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { expect } from "chai";
import type { LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { type Act, type AgreementLife, commitmentOf } from "../../orchestrator/agreements/index.ts";
import { envelope, trailEntrySchema } from "../../orchestrator/attestation/index.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf, membersOf } from "../../orchestrator/city/founding/society.ts";
import { Hearings } from "../../orchestrator/city/hearings/hearings.ts";
import { seatDesk } from "../../orchestrator/city/missions/open-seats.ts";
import { PostedMissions } from "../../orchestrator/city/missions/posted-missions.ts";
import { issuersIn, verifiersIn } from "../../orchestrator/city/world.ts";
import { draftOutput } from "../../orchestrator/gateway/commands/panel.ts";
import { COMMANDS } from "../../orchestrator/gateway/commands/table.ts";
import { startFront } from "../../orchestrator/gateway/front.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { challengeText } from "../../orchestrator/gateway/webhooks.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { contentIdOf, keccak256 } from "../../orchestrator/primitives/hash.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";
import { CALLS } from "../../orchestrator/protocol/calls.ts";
import { sessionTransitions } from "../../orchestrator/rules/transitions/session.ts";
import { CATALOG } from "../../services/catalog.ts";
import {
  cancel,
  challenge,
  deliver,
  delivering,
  identityOf,
  nominating,
  opening,
  people,
  proposing,
  recordOf,
  result,
  SIGNED,
  sampling,
  sign,
} from "../agreements/acts.ts";
import { openHome } from "../support/city-home.ts";
import { POSTED_ITEMS, postedMission } from "../support/posted-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions, wall } from "./gateway-city.ts";
import { escrowHome, reading, x402Home } from "./homes.ts";
import { openJob, WORK } from "./job-parties.ts";
import { decoded, paymentBy, requiredSchema } from "./payment.ts";
import { signedRequest } from "./signed-fetch.ts";

/** One message between front and city: which question, and whether it is that or its answer. */
interface Crossing {
  readonly what: string;
  readonly way: "question" | "answer";
}

const askSchema = z.object({ ask: z.int(), question: z.looseObject({ ask: z.string(), command: z.string().optional() }) });
const answerSchema = z.looseObject({ to: z.int() });
const PRICE = 10_000n;
const payTo = addressSchema.parse("0x00000000000000000000000000000000000a11ce");
const secretOf = (name: string) => keccak256(new TextEncoder().encode(name));

/** What is asked by POST and changes nothing. */
const READS_BY_POST: readonly string[] = ["draft_order", "simulate_order", "prepare_agreement_act", "prepare_hearing", "receive_work"];
/** The chain takes each once, whoever sends it: transactions by their signers' nonces, appeals one a party (and a text is kept by its hash). */
const ONCE_BY_CHAIN = ["send_agreement_step", "file_appeal"];
type Step = (life: AgreementLife) => Act;

const SAMPLED: NonNullable<Parameters<typeof proposing>[2]> = {
  verification: { strategy: "immediate", depth: "semantic", sampling: { one_in: 2, commitment: commitmentOf(secretOf("a nonce")) } },
};
/** Terms whose evaluator is drawn from a register of two. */
const drawnBy = (mode: "random" | "mutual"): NonNullable<Parameters<typeof proposing>[2]> => ({
  parties: {
    client: { identity: identityOf(people.client) },
    provider: { identity: identityOf(people.provider) },
    evaluator: {
      type: "agent_as_judge",
      selection: {
        mode,
        commitment: commitmentOf(secretOf("the client's nonce")),
        register: [people.evaluator, people.backup].map((each) => recordOf(identityOf(each))),
      },
    },
  },
});

/** Something that a client wants done, once, and whose effect can be counted. */
interface Deed {
  /** Asks for it; again whenever it was not answered. */
  readonly ask: () => Promise<Response>;
  /** How often it was done. */
  readonly times: () => Promise<number>;
}

describe("a front that is killed at every message between it and the city", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let gateway: Gateway;
  let posted: PostedMissions;
  let hearings: Hearings;
  let desk: Awaited<ReturnType<typeof seatDesk>>;
  let escrow: Address;
  let made = 0;
  let seller: LocalAccount | undefined;
  const askedOf = new Set<Address>();
  /** Messages since a deed began, and the one of them at which the front dies. */
  let crossings: Crossing[] = [];
  let dies = Number.POSITIVE_INFINITY;

  /** A front whose thread ends at a message: the one that asks has not asked, the one that is answered never hears of it. */
  function dying(port: MessagePort, ...rest: [Parameters<typeof startFront>[1], Parameters<typeof startFront>[2]]): void {
    const { port1, port2 } = new MessageChannel();
    const asked = new Map<number, string>();
    let isDead = false;
    function pass(crossing: Crossing, on: () => void): void {
      if (isDead) return;
      crossings.push(crossing);
      isDead = crossings.length - 1 === dies;
      if (!isDead) on();
      else for (const end of [port1, port]) end.close();
    }
    port1.on("message", (message: unknown) => {
      const { data: asking } = askSchema.safeParse(message);
      if (asking === undefined) return port.postMessage(message);
      const { ask, command } = asking.question;
      if (ask === "progress") return port.postMessage(message);
      const what = command === undefined ? ask : `${ask} ${command}`;
      asked.set(asking.ask, what);
      pass({ what, way: "question" }, () => port.postMessage(message));
    });
    port.on("message", (message: unknown) => {
      const what = asked.get(answerSchema.safeParse(message).data?.to ?? -1);
      if (what === undefined) return port1.postMessage(message);
      pass({ what, way: "answer" }, () => port1.postMessage(message));
    });
    port.on("close", () => port1.close());
    startFront(port2, ...rest);
  }

  before(async () => {
    city = await openHome(directory(), "7");
    const { millis, sleep } = serveOptions;
    desk = await seatDesk(city, { clock: { millis, wait: () => new Promise<void>(() => {}) } });
    escrow = city.client.addresses.AgreementEscrow;
    posted = new PostedMissions(city, { home: directory(), judge: simulatedJudge(city.chain.id), millis, sleep });
    const judges = { verifiers: async () => verifiersIn(city), issuers: issuersIn(city) };
    hearings = new Hearings(city, { ...judges, relays: desk.relays, millis });
    gateway = await serveGateway(city, {
      ...{ ...serveOptions, seats: desk, posted, hearings, escrow, toll: { amount: PRICE, payTo }, begin: dying },
      async push(_, { body }) {
        const { challenge, key } = z
          .object({ challenge: z.string(), key: addressSchema })
          .parse(JSON.parse(new TextDecoder().decode(body)));
        const seat = adjudicators().find(({ address }) => address === key);
        return { status: 200, text: (await seat?.signMessage({ message: challengeText(city.chain.id, key, challenge) })) ?? "" };
      },
    });
  });
  after(async () => {
    dies = Number.POSITIVE_INFINITY;
    await posted?.settled();
    await gateway?.close();
    await city?.close();
  });

  // While somebody elsewhere is asked, the chain's time stands still.
  afterEach(async () => {
    for (const address of askedOf) for (const { id } of desk.mailbox.openTo(address)) await desk.mailbox.decline(address, id, "it is over");
  });

  const adjudicators = () => membersOf(city.society, "adjudicator").map(({ account }) => account);
  const account = () => privateKeyToAccount(generatePrivateKey());
  const json = async (path: string) => (await fetch(`${gateway.url}${path}`)).json();
  async function signed(by: LocalAccount, path: string, given: object, method = "POST"): Promise<Response> {
    const options = { method, body: canonicalJson({ ...given }), now: Math.floor(wall.now / 1_000) };
    const { url, init } = await signedRequest(by, `${gateway.url}${path}`, options);
    return fetch(url, init);
  }
  const open = (path: string, given: object) =>
    fetch(`${gateway.url}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: canonicalJson({ ...given }) });

  const producer = () => memberOf(city.society, "producer").account;
  /** A claim of a producer's, of which nobody has the source, and how often its trail tells of an act. */
  function claiming() {
    made += 1;
    const { address: attester_id } = producer();
    const claim = `${attester_id}:front-${made}`;
    const said = { claim_type: "citation", claim_id: claim, claim: "It is so.", attester_id, attested_at: "2027-01-01T00:00:00Z" } as const;
    const cited = { source_uri: "https://nowhere.example/", source_excerpt: "so", retrieved_at: "2027-01-01T00:00:00Z" };
    const hint = { verify_endpoint_hint: `${gateway.url}/v1/attestation/verify`, sla_window_ms: 60_000, signature_alg: "ed25519" } as const;
    const emitted = envelope({ attestation: { ...said, ...cited }, ...hint });
    const entries = async (id: string, action: string) => {
      const rows = await city.database.query("SELECT entry FROM gateway_claim_steps");
      const events = rows.map(({ entry }) => trailEntrySchema.parse(JSON.parse(String(entry))).event);
      return events.filter((event) => event.claim === id && event.action === action).length;
    };
    return { claim, emitted, entries };
  }

  /** Two strangers' job that is paid in, and not yet before a panel. */
  const job = () =>
    openJob(
      { url: gateway.url, rpcUrl: city.rpcUrl, addresses: city.client.addresses },
      { endow: (party) => desk.faucet(party), now: Number(city.chain.clock.now()) },
    );

  /** A question to an agent, and how often it was settled. */
  async function asking(agent: LocalAccount) {
    made += 1;
    const place = { mission: city.client.addresses.Treasury, node: 1, attempt: 1, slot: made % 5 };
    const request = CALLS.perform.request.parse({
      ...{ ...place, service: secretOf(`service ${made}`), document: "law", items: "items", upstream: [] },
      ...{ inputHash: secretOf("an input"), seconds: 10, tools: 0, messages: 0 },
    });
    let ends = 0;
    const end = () => {
      ends += 1;
    };
    desk.mailbox.ask({ name: "stranger", address: agent.address }, "perform", request).then(end, end);
    while (desk.mailbox.openTo(agent.address).length === 0) await new Promise(setImmediate);
    askedOf.add(agent.address);
    return { call: desk.mailbox.openTo(agent.address)[0]?.id ?? "", ends: () => ends };
  }

  async function registered() {
    const [agent, owner] = [account(), account()];
    await desk.faucet(owner.address);
    const terms = z
      .looseObject({ binding: z.unknown(), did: z.string(), typedData: z.string(), permit: z.string(), permitDeadline: z.number() })
      .parse(await json(`/v1/seats/registration?agent=${agent.address}&principal=${owner.address}`));
    const { binding, did, permitDeadline } = terms;
    const sign = (by: LocalAccount, text: string) => by.signTypedData(JSON.parse(text));
    const [byPrincipal, byAgent] = [await sign(owner, terms.typedData), await sign(agent, terms.typedData)];
    return { agent, owner, body: { binding, did, byPrincipal, byAgent, permit: await sign(owner, terms.permit), permitDeadline } };
  }

  async function joined(): Promise<LocalAccount> {
    const { agent, body } = await registered();
    expect((await open("/v1/seats/registration", body)).status).to.equal(200);
    return agent;
  }

  async function post(sponsor: LocalAccount, name: string): Promise<Response> {
    return signed(sponsor, "/v1/posted", { file: postedMission(name, `Estimate the work packages of ${name}.`, 300), items: POSTED_ITEMS });
  }
  const openedBy = async (sponsor: Address) => (await city.client.legislation.history("SessionOpened", { sponsor })).length;

  /** Pays for a command by x402, again with the same payment. */
  async function paying(path: string, body: object, price: bigint): Promise<Deed["ask"]> {
    made += 1;
    const by = account();
    const minted = { intent: intentKey("test-mint", made), account: memberOf(city.society, "deployer").account };
    await city.client.token.mint([by.address, price], minted);
    const { accepts } = requiredSchema.parse(decoded((await open(path, body)).headers.get("payment-required")));
    const { header: payment } = await paymentBy(by, accepts[0], { now: city.chain.clock.now(), nonce: secretOf(`payment ${made}`) });
    const headers = { "content-type": "application/json", "payment-signature": payment };
    return () => fetch(`${gateway.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  }

  /** Everything that a client can have the city do, each by what it does. */
  const DEEDS: Readonly<Record<string, () => Promise<Deed>>> = {
    async faucet() {
      const principal = account();
      return {
        ask: () => signed(principal, "/v1/faucet", { principal: principal.address }),
        times: async () => Number(await city.client.token.balanceOf(principal.address)) / 100_000_000_000,
      };
    },
    async register_agent() {
      const { agent, owner, body } = await registered();
      return {
        ask: () => open("/v1/seats/registration", body),
        async times() {
          const all = await city.client.agents.history("AgentRegistered");
          const own = all.filter(({ args }) => args.agent === agent.address).length;
          const { held } = await city.client.agents.stakeOf(agent.address);
          const left = await city.client.token.balanceOf(owner.address);
          return held + left === 100_000_000_000n ? own : Number.NaN;
        },
      };
    },
    async register_service() {
      // Agents of elsewhere are so many at most: one sells one service after the other.
      seller ??= await joined();
      const agent = seller;
      made += 1;
      const { id } = CATALOG[made % CATALOG.length] ?? { id: "" };
      const before = (await city.client.services.history("ServiceRegistered", { owner: agent.address })).length;
      const terms = z
        .looseObject({ offer: z.unknown(), typedData: z.string() })
        .parse(await json(`/v1/seats/service?agent=${agent.address}&service=${id}`));
      const signature = await agent.signTypedData(JSON.parse(terms.typedData));
      return {
        ask: () => open("/v1/seats/service", { owner: agent.address, offer: terms.offer, signature }),
        times: async () => (await city.client.services.history("ServiceRegistered", { owner: agent.address })).length - before,
      };
    },
    async deliver() {
      const agent = account();
      const { call } = await asking(agent);
      const output = { a: made };
      const id = contentIdOf(new TextEncoder().encode(canonicalJson(output)));
      return {
        ask: () => signed(agent, "/v1/outputs", { call, output }),
        times: async () => (city.blocks.has(id) ? 1 : 0),
      };
    },
    async "PUT block"() {
      const agent = account();
      const { call } = await asking(agent);
      const bytes = canonicalJson({ block: made });
      const id = contentIdOf(new TextEncoder().encode(bytes));
      return {
        async ask() {
          const { url, init } = await signedRequest(agent, `${gateway.url}/v1/blocks/${id}?call=${call}`, {
            ...{ method: "PUT", body: bytes, now: Math.floor(wall.now / 1_000) },
          });
          return fetch(url, init);
        },
        async times() {
          const rows = await city.database.query("SELECT bytes FROM gateway_quotas WHERE key = $1", [agent.address]);
          const counted = rows.every((row) => Number(row["bytes"]) === bytes.length) && rows.length === 2;
          return city.blocks.has(id) && counted ? 1 : Number.NaN;
        },
      };
    },
    async answer_call() {
      const agent = account();
      const { call, ends } = await asking(agent);
      const { output } = z.object({ output: z.string() }).parse(await (await signed(agent, "/v1/outputs", { call, output: {} })).json());
      const answer = { status: "ok", output, trail: [], tools: 0, messages: 0 };
      return { ask: () => signed(agent, "/v1/answers", { call, answer }), times: async () => ends() };
    },
    async decline_call() {
      const agent = account();
      const { call, ends } = await asking(agent);
      return { ask: () => signed(agent, "/v1/declines", { call, why: "no" }), times: async () => ends() };
    },
    async post_mission() {
      const [sponsor, name] = [account(), `posted-${made}`];
      made += 1;
      const ids = new Set<string>();
      return {
        async ask() {
          const answer = await post(sponsor, name);
          ids.add(z.looseObject({ id: z.string() }).parse(await answer.clone().json()).id);
          return answer;
        },
        times: async () => ids.size,
      };
    },
    async pay_deposit() {
      const [sponsor, name] = [account(), `paid-${made}`];
      made += 1;
      await desk.faucet(sponsor.address);
      const { id } = z.looseObject({ id: z.string() }).parse(await (await post(sponsor, name)).json());
      const { transactions } = z
        .object({ transactions: z.array(z.record(z.string(), z.union([z.string(), z.number()]))) })
        .parse(await json(`/v1/posted/${id}/deposit`));
      const raw = await Promise.all(
        transactions.map(({ to, data, gas, nonce, chainId, maxFeePerGas, maxPriorityFeePerGas }) =>
          sponsor.signTransaction({
            ...{ type: "eip1559", to: addressSchema.parse(to), data: `0x${String(data).slice(2)}`, nonce: Number(nonce) },
            ...{ chainId: Number(chainId), gas: BigInt(gas ?? 0) },
            ...{ maxFeePerGas: BigInt(maxFeePerGas ?? 0), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas ?? 0) },
          }),
        ),
      );
      return { ask: () => open("/v1/deposits", { posted: id, transactions: raw }), times: () => openedBy(sponsor.address) };
    },
    async push_step() {
      const sponsor = memberOf(city.society, "sponsor").account;
      const { legislation, token } = city.client;
      const deposit = 300_000_000n;
      made += 1;
      await token.approve([legislation.address, deposit], { intent: intentKey("test-approve", made), account: sponsor });
      const opening = [secretOf(`goal ${made}`), deposit, "0x0000000000000000000000000000000000000000"] as const;
      await legislation.openSession(opening, { intent: intentKey("test-open", made), account: sponsor });
      const session = (await legislation.history("SessionOpened", { sponsor: sponsor.address })).at(-1)?.args.session ?? 0n;
      await city.chain.clock.run(() => city.chain.clock.sleepUntil(city.chain.clock.now() + 40n * 86_400n));
      return {
        ask: () => open("/v1/pushes", { step: "expire", session: String(session) }),
        async times() {
          const changes = await legislation.history("StateChanged", { session });
          return changes.filter(({ args }) => sessionTransitions.states[args.to] === "EXPIRED").length;
        },
      };
    },
    async relay_order() {
      const agent = memberOf(city.society, "producer").account;
      made += 1;
      const { reputationOf } = city.client.agents;
      const before = await reputationOf(agent.address);
      const asked = { action: "ADJUST_REPUTATION", target: agent.address, values: ["-20"], because: `it was late ${made}` };
      const draft = draftOutput.parse(await (await open("/v1/orders/draft", asked)).json());
      const { types, ...data } = JSON.parse(draft.typedData);
      const { EIP712Domain: _, ...own } = types;
      const signatures = await Promise.all(
        adjudicators()
          .slice(0, draft.needed)
          .map(async (seat) => ({ adjudicator: seat.address, signature: await seat.signTypedData({ ...data, types: own }) })),
      );
      return {
        ask: () => open("/v1/orders", { message: draft.message, signatures }),
        times: async () => Number(before - (await reputationOf(agent.address))) / 20,
      };
    },
    async set_webhook() {
      const [seat] = adjudicators();
      if (seat === undefined) throw new Error("no adjudicator");
      await city.database.query("DELETE FROM gateway_webhooks");
      return {
        ask: () => signed(seat, "/v1/webhook", { url: "https://adjudicator.example/hook" }),
        times: async () => (await city.database.query("SELECT 1 FROM gateway_webhooks")).length,
      };
    },
    async verify_deliverable() {
      made += 1;
      const body = { content: `{"title":"A study ${made}"}`, format: "json", required: ["title"] };
      const before = await city.client.token.balanceOf(payTo);
      const ask = await paying("/v1/verifications", body, PRICE);
      return { ask, times: async () => Number((await city.client.token.balanceOf(payTo)) - before) / Number(PRICE) };
    },
    async pay_agreement() {
      const deal = await x402Home(city).open({ isImmediate: true });
      await deal.deliver();
      await deal.judge("evaluator");
      const ask = await paying(
        "/v1/agreement-payments",
        { agreement: deal.id, ...reading(city.chain.id, Math.floor(wall.now / 1_000)) },
        4_250_000n,
      );
      return { ask, times: async () => Number(await deal.received()) / 4_250_000 };
    },
    async open_hearing() {
      const { opening, hearing } = await job();
      return {
        ask: await paying("/v1/hearings", opening, PRICE),
        times: async () => (await city.client.evaluator.history("Registered", { key: hearing })).length,
      };
    },
    async hand_in_work() {
      const one = await job();
      await (await paying("/v1/hearings", one.opening, PRICE))();
      const items = await one.receipts(WORK);
      await one.deliver(WORK, items);
      return {
        ask: () => open("/v1/hearing-work", one.handed(WORK, items)),
        times: async () => Number((await hearings.get(one.hearing)).hasWork),
      };
    },
    async emit_claim() {
      const { claim, emitted, entries } = claiming();
      return { ask: () => signed(producer(), "/v1/attestation/claims", emitted), times: () => entries(claim, "emit") };
    },
    async verify_claim() {
      const { claim, emitted, entries } = claiming();
      await gateway.world.claims?.emit(emitted, producer().address);
      return { ask: () => open("/v1/attestation/verify", { claim_id: claim }), times: () => entries(claim, "verify") };
    },
    async open_session() {
      const key = account();
      let bearers = 0;
      return {
        async ask() {
          const answer = await signed(key, "/v1/session", {});
          bearers += answer.status === 200 ? 1 : 0;
          return answer;
        },
        times: async () => bearers,
      };
    },
  };

  /** An act of an agreement that has come so far: it is one more of those that are kept. */
  const acting =
    (path: string, past: readonly Step[], step: Step, terms: Parameters<typeof proposing>[2] = {}) =>
    async (): Promise<Deed> => {
      const { agreements } = gateway.world;
      if (agreements === undefined) throw new Error("no agreements");
      made += 1;
      let { life, id } = await agreements.propose(proposing(`front-${made}`, undefined, terms));
      for (const each of past) ({ life } = await agreements.take(id, each(life)));
      const { act: _, ...body } = step(life);
      return {
        ask: () => open(path, { agreement: id, ...body }),
        times: async () => (await city.database.query("SELECT 1 FROM gateway_acts WHERE id = $1", [id])).length - past.length - 1,
      };
    };
  const [accepted, ...signing] = SIGNED;
  if (accepted === undefined) throw new Error("nothing is accepted");
  const evaluated: Step = (life) => result(life, "evaluator");
  const AGREEMENT_DEEDS: typeof DEEDS = {
    async propose_agreement() {
      made += 1;
      const { act: _, ...body } = proposing(`front-${made}`);
      const all = async () => (await city.database.query("SELECT 1 FROM gateway_acts")).length;
      const before = await all();
      return { ask: () => open("/v1/agreements", body), times: async () => (await all()) - before };
    },
    negotiate_agreement: acting("/v1/agreement-messages", [], accepted),
    nominate_agreement_evaluators: acting(
      "/v1/agreement-nominations",
      [accepted],
      (life) => nominating(life, "client", []),
      drawnBy("mutual"),
    ),
    draw_agreement_evaluator: acting(
      "/v1/agreement-draws",
      [accepted],
      (life) => opening(life, "provider", secretOf("a nonce")),
      drawnBy("random"),
    ),
    sign_agreement: acting("/v1/agreement-signatures", [accepted], (life) => sign(life, "client")),
    deliver_agreement: acting("/v1/agreement-deliveries", SIGNED, deliver),
    draw_agreement_sample: acting(
      "/v1/agreement-samples",
      [...SIGNED, (life) => delivering(life.agreement, { nonce: secretOf("another nonce") })],
      (life) => sampling(life, secretOf("a nonce")),
      SAMPLED,
    ),
    verify_agreement: acting("/v1/agreement-results", [...SIGNED, deliver], evaluated),
    challenge_agreement: acting("/v1/agreement-challenges", [...SIGNED, deliver, evaluated], (life) => challenge(life, "client")),
    async consent_to_cancellation() {
      const { id, consent } = await escrowHome(city, escrow).open();
      const { act: _, ...body } = await consent();
      const consents = async () => (await gateway.world.agreements?.get(id))?.life.consents.length ?? Number.NaN;
      return { ask: () => open("/v1/agreement-consents", { agreement: id, ...body }), times: consents };
    },
    cancel_agreement: acting("/v1/agreement-cancellations", [accepted, ...signing], (life) => cancel(life)),
    async stop_agreements() {
      const [seat] = adjudicators();
      if (seat === undefined) throw new Error("no adjudicator");
      // Last of all, since nothing is agreed while it holds; and an adjudicator stops them once in two weeks.
      await city.database.query("DELETE FROM gateway_agreement_stops");
      const path = `/v1/agreement-stop-drafts?adjudicator=${seat.address}&seconds=3600`;
      const { message, typedData } = z.looseObject({ message: z.looseObject({}), typedData: z.string() }).parse(await json(path));
      const signature = await seat.signTypedData(JSON.parse(typedData));
      return {
        ask: () => open("/v1/agreement-stops", { ...message, adjudicator: seat.address, signature }),
        times: async () => (await city.database.query("SELECT 1 FROM gateway_agreement_stops")).length,
      };
    },
  };
  const ALL_DEEDS = { ...DEEDS, ...AGREEMENT_DEEDS };

  /** Asks until it is answered, as a client does whose connection broke. */
  async function persist({ ask }: Deed): Promise<Response> {
    for (;;) {
      const answer = await ask().catch(() => undefined);
      if (answer !== undefined) return answer;
      await new Promise(setImmediate);
    }
  }

  it("is asked here for everything that a client can have the city do", () => {
    const reads = COMMANDS.filter(({ method, name }) => method === "GET" || READS_BY_POST.includes(name));
    const writes = COMMANDS.filter((command) => !reads.includes(command)).map(({ name }) => name);
    expect([...Object.keys(ALL_DEEDS), ...ONCE_BY_CHAIN]).to.have.members([...writes, "PUT block"]);
  });

  for (const [name, deed] of Object.entries(ALL_DEEDS))
    it(`does ${name} once, whichever message it dies at`, async () => {
      const whole = await deed();
      crossings = [];
      expect((await persist(whole)).status).to.equal(200);
      const all = [...crossings];
      expect(await whole.times()).to.equal(1);
      expect(all.filter(({ way }) => way === "answer")).to.have.length(all.length / 2);
      expect(all.some(({ what }) => !["rows", "chain"].includes(what)) || name === "open_session", JSON.stringify(all)).to.equal(true);
      for (let at = 0; at < all.length; at += 1) {
        const killed = await deed();
        crossings = [];
        dies = at;
        const answer = await persist(killed);
        dies = Number.POSITIVE_INFINITY;
        const where = `${at} of ${JSON.stringify(all)}: ${answer.status} ${await answer.text()}`;
        expect(await killed.times(), where).to.equal(1);
        // What was done before its answer got lost may be refused as done.
        expect(answer.status, where).to.be.oneOf([200, 409]);
      }
    });

  it("loses no event of those who follow, and tells none twice", async () => {
    const seen: string[] = [];
    let last = gateway.hub.cursor().sequence;
    for (let at = 0; at < 6; at += 1) {
      // It dies at the first, second … question after somebody has begun to follow.
      crossings = [];
      dies = at;
      await city.log.append([{ kind: "test.noted", subjects: [`event ${at}`] }]);
      await gateway.hub.sync();
      while (seen.length <= at) {
        const stop = new AbortController();
        const headers = { "last-event-id": String(last) };
        const stream = await fetch(`${gateway.url}/v1/events/stream?name=test.noted`, { headers, signal: stop.signal }).catch(
          () => undefined,
        );
        const reader = stream?.body?.pipeThrough(new TextDecoderStream()).getReader();
        let text = "";
        for (let isOpen = reader !== undefined; isOpen; ) {
          const { done, value = "" } = (await reader?.read().catch(() => undefined)) ?? { done: true };
          text += value;
          const id = /^id: (\d+)$/m.exec(text)?.[1];
          if (id !== undefined) {
            last = Number(id);
            seen.push(id);
          }
          isOpen = !done && id === undefined;
        }
        stop.abort();
        await new Promise(setImmediate);
      }
      dies = Number.POSITIVE_INFINITY;
    }
    expect(new Set(seen).size).to.equal(6);
    const noted = await gateway.hub.query({ name: "test.noted" });
    expect(noted.events.map(({ sequence }) => String(sequence))).to.deep.equal(seen);
  });
});
