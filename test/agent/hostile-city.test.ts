// @long
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { createAgent } from "../../orchestrator/agent/agent.ts";
import { reach } from "../../orchestrator/agent/contact.ts";
import { AnotherCity, OwnRpcMissing, WillNotSign } from "../../orchestrator/agent/errors.ts";
import { limitsSchema } from "../../orchestrator/agent/limits.ts";
import { CityLink } from "../../orchestrator/agent/link.ts";
import { Memory } from "../../orchestrator/agent/memory.ts";
import { Policy } from "../../orchestrator/agent/policy.ts";
import { isUnreachable } from "../../orchestrator/chain/errors.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { offersOf, registeredService } from "../../orchestrator/city/founding/services.ts";
import { membersOf } from "../../orchestrator/city/founding/society.ts";
import { type OpenSeats, openSeats } from "../../orchestrator/city/missions/open-seats.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { MAX_SPONSORSHIPS } from "../../orchestrator/legislature/endorse.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import type { BidRequest } from "../../orchestrator/minds/mind.ts";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import { contentIdOf, keccak256 } from "../../orchestrator/primitives/hash.ts";
import { hexToBytes } from "../../orchestrator/primitives/hex.ts";
import type { JsonValue } from "../../orchestrator/primitives/json.ts";
import { signerOf } from "../../orchestrator/primitives/signing.ts";
import { CALLS, type Call, SIGNS } from "../../orchestrator/protocol/calls.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { typedDataTypes } from "../../orchestrator/protocol/typed-data.ts";
import { CATALOG } from "../../services/catalog.ts";
import { alterations, isFree, splices } from "../support/alterations.ts";
import { openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const secretOf = (name: string) => keccak256(new TextEncoder().encode(name));
const KEY = secretOf("an agent of another owner");
const SELLS = ["fetch-and-parse", "estimate-by-pert", "estimate-by-triangle", "estimate-by-median", "aggregate"];

/** Kinds that are asked about one node after the other. */
const ABOUT_WORK: ReadonlySet<string> = new Set(["perform", "pledge", "open"]);

describe("a city that asks for something else", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  let city: City;
  let seats: OpenSeats;
  let outcome: Outcome;
  const stop = new AbortController();
  const signed: string[] = [];
  /** Fields for which a changed ballot was refused. */
  const ballots = new Set<string>();
  const asked = new Map<string, number>();
  /** The law that it was asked for, to be asked for it again. */
  let drafted: Call | undefined;
  let agent: Policy;
  const bytesChanged: string[] = [];
  /** How often work was made, and the ids of what was brought for it. */
  const sealedTwice: { readonly made: number; readonly brought: readonly string[] }[] = [];
  /** What agents with other limits said to the first question for offers. */
  const bounded: { readonly limit: string; readonly said: JsonValue }[] = [];

  before(async () => {
    city = await openHome(join(directory(), "home"), "7");
    const millis = () => performance.timeOrigin + performance.now();
    const wait = (time: number, signal: AbortSignal) => sleep(time, undefined, { signal }).catch(() => undefined);
    // Each question is first asked with every field changed: a busy machine needs time for that.
    seats = await openSeats(city, { clock: { millis, wait }, patience: 8 });
    const account = privateKeyToAccount(KEY);
    const principal = privateKeyToAccount(secretOf("another owner"));
    const clock = { millis, sleep: async (time: number) => void (await sleep(time)) };
    const folder = join(directory(), "agent");
    const joined = new AbortController();
    const joining = createAgent({
      city: seats.url,
      key: KEY,
      principal,
      folder,
      services: SELLS,
      clock,
      progress: (line) => line.startsWith("answering") && joined.abort(),
    });
    await joining.run(joined.signal);

    const link = new CityLink(seats.url, account, millis);
    await link.card();
    const services = (
      await offersOf(
        [{ account }],
        CATALOG.filter(({ id }) => SELLS.includes(id)),
      )
    ).map(registeredService);
    const mind = new HeuristicMind({ persona: "cooperative", seed: account.address });
    const memory = new Memory(join(folder, "other"));
    const common = {
      ...{ client: city.client, account, services, sandbox: city.sandbox, memory, principal: principal.address },
      seal: signerOf("secp256k1", hexToBytes(KEY)),
      mind,
      limits: limitsSchema.parse({}),
      putBlock: (bytes: Uint8Array) => link.putBlock(bytes),
    };
    const policy = new Policy({ ...common, block: (id) => link.block(id) });
    agent = policy;
    // A city whose blocks differ from what their ids say, in one byte.
    const lied = new Policy({
      ...common,
      block: async (id) => {
        const bytes = new Uint8Array(await link.block(id));
        const place = Math.floor(bytes.length / 2);
        bytes[place] = (bytes[place] ?? 0) ^ 1;
        return bytes;
      },
    });
    /** A mind that obeys whatever it reads: it offers for everything, at any price. */
    const obedient = Object.assign(Object.create(mind), {
      bid: async ({ nodes }: BidRequest) =>
        nodes.flatMap(({ node, services: [service] }) => (service === undefined ? [] : [{ node, service, price: 1n }])),
    }) as HeuristicMind;
    const sponsor = membersOf(city.society, "sponsor")[0]?.account.address;
    const boundedPolicies: readonly (readonly [string, z.input<typeof limitsSchema>])[] = [
      ["notFor", { notFor: sponsor === undefined ? [] : [sponsor] }],
      ["risks", { risks: ["HIGH"] }],
      ["mostNodes", { mostNodes: 2 }],
      ["mostStake", { mostStake: 1n }],
      ["leastPrice", { leastPrice: 2n }],
      ["askAbove", { askAbove: 0n }],
      ["mostMissions", { mostMissions: 0 }],
      ["none", {}],
    ];
    const tryLimits = async (call: Call) => {
      for (const [limit, limits] of boundedPolicies) {
        const own = { limits: limitsSchema.parse(limits), mind: obedient, memory: new Memory(join(folder, `limited-${limit}`)) };
        const said = await new Policy({ ...common, ...own, block: (id) => link.block(id) })
          .answer(call)
          .catch((error: unknown) => (error instanceof AgentCityError ? error.code : String(error)));
        bounded.push({ limit, said });
      }
    };
    /** Work that is another each time it is made, asked for at once, after the city was away, and after a restart. */
    const sealAgain = async (call: Call) => {
      const brought: string[] = [];
      let [made, isAway] = [0, true];
      const policyOf = () =>
        new Policy({
          ...{ ...common, block: (id: string) => link.block(id), memory: new Memory(join(folder, "twice")) },
          perform({ items }) {
            made += 1;
            return { items: items.map(({ id }) => ({ id, name: id, value: made })) };
          },
          putBlock: async (bytes) => {
            brought.push(contentIdOf(bytes));
            if (isAway) throw new Error("the city is away");
            return contentIdOf(bytes);
          },
        });
      const first = policyOf();
      await Promise.allSettled([first.answer(call), first.answer(call)]);
      isAway = false;
      const again = await policyOf().answer(call);
      if (!JSON.stringify(again).includes('"sealed"')) return;
      sealedTwice.push({ made, brought });
    };
    const refuses = async (by: Policy, call: Pick<Call, "kind" | "payload">, name = ""): Promise<boolean> => {
      try {
        await by.answer(call);
        return false;
      } catch (error) {
        expect(error instanceof AgentCityError || error instanceof z.ZodError, String(error)).to.equal(true);
        if (name === "sign Ballot" && error instanceof WillNotSign) ballots.add(error.field);
        return true;
      }
    };
    const before: Call[] = [];
    const answerAll = async () => {
      const seen = new Set<string>();
      while (!stop.signal.aborted) {
        for (const call of await link.calls(1, stop.signal).catch(() => [])) {
          if (seen.has(call.id)) continue;
          seen.add(call.id);
          const name =
            call.kind === "sign"
              ? `sign ${JSON.stringify(call.payload).match(/"type":"(\w+)"/)?.[1]}`
              : call.kind === "seal"
                ? `seal ${JSON.stringify(call.payload).match(/"kind":"(\w+)"/)?.[1]}`
                : call.kind;
          const earlier = ABOUT_WORK.has(call.kind) ? before.filter(({ kind }) => kind === call.kind) : [];
          const spliced = earlier.flatMap(({ payload }) => splices(call.payload, payload));
          if (ABOUT_WORK.has(call.kind)) before.push(call);
          for (const { path, value } of [...alterations(call.payload), ...spliced]) {
            if (isFree(call.kind, path)) continue;
            asked.set(name, (asked.get(name) ?? 0) + 1);
            if (!(await refuses(policy, { kind: call.kind, payload: z.json().parse(value) }, name))) signed.push(`${name}: ${path}`);
          }
          if (call.kind === "draft") drafted ??= call;
          if (call.kind === "bid" && bounded.length === 0) await tryLimits(call);
          if (call.kind === "perform" && !(await refuses(lied, call))) bytesChanged.push(call.id);
          if (call.kind === "perform") await sealAgain(call);
          const answer = policy.answer(call);
          const answered = answer.then((value) => link.answer(call.id, value));
          // On a busy machine a call may be over before it is declined.
          await answered.catch((error: unknown) => link.decline(call.id, String(error))).catch(() => undefined);
        }
      }
    };
    const answering = answerAll();
    const missionOver = async (id: string, rows: readonly string[]) => {
      const text = smallMission(smallInputs(directory(), [...rows]).csv);
      const file = parseMissionFile(text, { fileName: "mission.yaml", catalog: CATALOG, budgetCap: 10n ** 15n });
      const order = { file, catalog: CATALOG, input: readInput(file.input, directory()), id, judge: simulatedJudge(city.chain.id) };
      return runToEnd(city, { ...order, outsiders: await seats.outsiders() }, text, directory());
    };
    // Of another mission first, so that there are questions of another law and input to take parts from.
    await missionOver("another", CALM_ROWS.slice(0, 3));
    outcome = await missionOver("hostile", CALM_ROWS);
    stop.abort();
    await answering;
  });
  after(async () => {
    stop.abort();
    await seats?.close();
    await city?.close();
  });

  it("is refused whichever field of whichever question it changes", () => {
    expect(signed).to.deep.equal([]);
  });

  it("gets no ballot of another ranking, session, voter or deadline", () => {
    expect([...ballots]).to.include.members(["agent", "deadline", "ranking", "session"]);
  });

  it("is shown one sealed work, though it asks twice at once and the agent makes another each time", () => {
    expect(sealedTwice).to.have.length.above(0);
    for (const { made, brought } of sealedTwice) {
      expect(made, "it was made more than once").to.be.above(1);
      expect(brought).to.have.length.above(2);
      expect(new Set(brought).size).to.equal(1);
    }
  });

  it("is refused when a block differs in one byte", () => {
    expect(bytesChanged).to.deep.equal([]);
  });

  it("moves no agent beyond its owner's limits, though its mind obeys everything it reads", () => {
    const count = (limit: string) => {
      const said = bounded.find((each) => each.limit === limit)?.said;
      return Array.isArray(said) ? said.length : said;
    };
    const all = count("none");
    expect(all).to.be.a("number").above(2);
    expect(["notFor", "risks", "mostNodes", "mostStake", "leastPrice", "askAbove", "mostMissions"].map(count)).to.deep.equal([
      "NeedsOwner",
      0,
      2,
      0,
      0,
      "NeedsOwner",
      "NeedsOwner",
    ]);
  });

  it("is left by an agent that saw another history of its chain", async () => {
    const link = new CityLink(seats.url, privateKeyToAccount(KEY), () => performance.timeOrigin + performance.now());
    const memory = new Memory(join(directory(), "elsewhere"));
    const wall = { millis: () => performance.now(), sleep: async (time: number) => void (await sleep(time)) };
    await reach(link, memory, undefined, wall);
    await reach(link, memory, undefined, wall);
    await memory.keep(["block", "1"], z.json(), async () => ({ number: "1", hash: secretOf("another block") }));
    const left = await reach(link, memory, undefined, wall).catch((error: unknown) => error);
    expect(left).to.be.instanceOf(AnotherCity);
    expect(String(left)).to.include("its history is another");
  });

  it("is asked again, and not left, where its node does not answer about a block that the agent saw", async () => {
    const link = new CityLink(seats.url, privateKeyToAccount(KEY), () => performance.timeOrigin + performance.now());
    const memory = new Memory(join(directory(), "unanswered"));
    const wall = { millis: () => performance.now(), sleep: async (time: number) => void (await sleep(time)) };
    const { rpcUrl } = await link.card();
    let isBusy = false;
    const node = createServer(async (request, response) => {
      const body = await text(request);
      if (isBusy && /"eth_getBlockByNumber".*"0x(?!0")/.test(body)) return response.writeHead(503).end();
      return response.end(await (await fetch(rpcUrl, { method: "POST", body, headers: { "content-type": "application/json" } })).text());
    });
    await once(node.listen(0, "127.0.0.1"), "listening");
    try {
      const own = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
      await reach(link, memory, own, wall);
      isBusy = true;
      const left = await rejection(reach(link, memory, own, wall));
      expect(isUnreachable(left), String(left)).to.equal(true);
      isBusy = false;
      await reach(link, memory, own, wall);
    } finally {
      node.close();
    }
  });

  it("is not believed about a chain that is worth something: its owner names a node", async () => {
    const link = new CityLink(seats.url, privateKeyToAccount(KEY), () => performance.timeOrigin + performance.now());
    const card = { ...(await link.card()), chainId: 10 };
    const wall = { millis: () => performance.now(), sleep: async (time: number) => void (await sleep(time)) };
    for (const rpc of [undefined, card.rpcUrl]) {
      const left = reach({ card: async () => card }, new Memory(join(directory(), "public")), rpc, wall);
      expect(await left.catch((error: unknown) => error)).to.be.instanceOf(OwnRpcMissing);
    }
  });

  it("gets no other support than for a favourite, and no other law back than the agent changed", async () => {
    const { legislation } = city.client;
    const self = privateKeyToAccount(KEY).address;
    const plain = (message: object) =>
      z.json().parse(JSON.parse(JSON.stringify(message, (_, each: unknown) => (typeof each === "bigint" ? String(each) : each))));
    const sign = (type: string, message: object) =>
      agent.answer({ kind: "sign", payload: { type, mission: null, message: plain(message) } });
    const { deadline } = await legislation.sessionOf(1n);
    const proposals = (await legislation.history("Proposed", { session: 1n })).map(({ args }) => args);
    const own = proposals.find(({ proposer }) => proposer === self);
    if (own === undefined || drafted === undefined) throw new Error("it proposed nothing");

    const supported = [];
    for (const { candidate } of proposals) {
      const signature = await sign("Sponsor", { session: 1n, agent: self, candidate, deadline }).catch(() => undefined);
      if (signature !== undefined) supported.push(candidate);
    }
    expect(supported, "of those of others").to.not.include(own.candidate);
    expect(supported.length).to.be.within(1, MAX_SPONSORSHIPS - 1);
    const { timestamp } = await city.chain.publicClient.getBlock();
    await agent.answer({ kind: "draft", payload: { ...z.record(z.string(), z.json()).parse(drafted.payload), stage: "amend" } });
    const messages = {
      Sponsor: { session: 1n, agent: self, candidate: supported[0], deadline },
      Reintroduce: {
        session: 1n,
        agent: self,
        candidate: own.candidate,
        specHash: own.specHash,
        cid: own.cid,
        deadline: Number(timestamp) + 600,
      },
    };
    for (const [type, message] of Object.entries(messages)) {
      expect(await sign(type, message), type).to.have.property("signature");
      const later = { path: "deadline", value: plain({ ...message, deadline: Number(message.deadline) + 9_000 }) };
      // The deadline of a session that is over is zero, and so is twice that.
      const changes = alterations(plain(message)).filter(({ path }) => path !== "deadline" && path !== "session");
      // In the other session it supports the same place.
      const elsewhere = { path: "session", value: plain({ ...message, session: 3n }) };
      for (const { path, value } of [...changes, later, elsewhere])
        expect(
          await sign(type, z.record(z.string(), z.json()).parse(value)).catch((error: unknown) => error),
          `${type}: ${path}`,
        ).to.be.instanceOf(AgentCityError);
    }
    for (const type of SIGNS.producer.messages)
      expect([...asked.keys(), ...Object.keys(messages).map((name) => `sign ${name}`)]).to.include(`sign ${type}`);
  });

  it("changed questions of every kind, and every message that an executor signs", () => {
    const kinds = new Set([...asked.keys()].map((name) => name.split(" ")[0]));
    const ofProducers = Object.entries(CALLS).flatMap(([kind, { of }]) => (of.some((role) => role === "producer") ? [kind] : []));
    expect([...kinds].sort()).to.deep.equal(ofProducers.sort());
    expect([...asked.keys()].filter((name) => name.includes(" ")).sort()).to.deep.equal([
      "seal claim",
      "seal envelope",
      "sign Ballot",
      "sign Bid",
      "sign Commits",
      "sign HeldOutput",
      "sign IdentityAttestation",
      "sign Propose",
      "sign Speech",
      "sign StrawPoll",
      "sign Withdrawal",
    ]);
  });

  it("gets no signature under a type that an agent is never asked for", async () => {
    const account = privateKeyToAccount(KEY);
    const policy = new Policy({
      ...{
        client: city.client,
        account,
        services: [],
        sandbox: city.sandbox,
        memory: new Memory(join(directory(), "empty")),
        principal: account.address,
      },
      seal: signerOf("secp256k1", hexToBytes(KEY)),
      mind: new HeuristicMind({ persona: "cooperative", seed: "none" }),
      limits: limitsSchema.parse({}),
      block: async () => new Uint8Array(),
      putBlock: async () => "",
    });
    for (const type of [...Object.keys(typedDataTypes), "Permit", "MailboxRequest", "Speech"]) {
      const payload = { type, mission: null, message: { agent: account.address, deadline: 1 } };
      const answer = await policy.answer({ kind: "sign", payload }).catch((error: unknown) => error);
      expect(answer, type).to.be.instanceOf(AgentCityError);
    }
  });

  it("is left with a mission that is completed and paid once it asks for what was decided", () => {
    expect(outcome.failure).to.equal(null);
    const own = outcome.nodes.flatMap(({ executors }) => executors).filter(({ agent }) => agent === privateKeyToAccount(KEY).address);
    expect(own.filter(({ paid }) => BigInt(paid) > 0n)).to.not.have.length(0);
  });
});
