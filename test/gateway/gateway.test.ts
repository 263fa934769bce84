import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { TaskState } from "@a2a-js/sdk";
import { ClientFactory } from "@a2a-js/sdk/client";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { expect } from "chai";
import { createWalletClient, custom, encodeDeployData, getAddress, recoverMessageAddress, zeroAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { parseArtifact } from "../../deploy/artifacts.ts";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { didOf, obligationOf, readAgreement } from "../../orchestrator/agreements/index.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { PostedMissions } from "../../orchestrator/city/missions/posted-missions.ts";
import { secondsOf } from "../../orchestrator/clearing/fields.ts";
import { obligationHash } from "../../orchestrator/clearing/obligation.ts";
import { priorWeight, weightsFrom } from "../../orchestrator/clearing/passport.ts";
import { Regulator } from "../../orchestrator/clerks/regulator.ts";
import { passportLines, readPassport } from "../../orchestrator/cli/passport.ts";
import { requireOnChain } from "../../orchestrator/cli/posted-passport.ts";
import { IDENTITY_ABI, registrationSchema } from "../../orchestrator/escrow/registries.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { bundleOutput } from "../../orchestrator/gateway/commands/bundles.ts";
import { cityDocumentSchema, conditionOutput } from "../../orchestrator/gateway/commands/city.ts";
import { clearingsOutput } from "../../orchestrator/gateway/commands/clearings.ts";
import { debateOutput } from "../../orchestrator/gateway/commands/debates.ts";
import { eventOutput } from "../../orchestrator/gateway/commands/events.ts";
import { COMMANDS } from "../../orchestrator/gateway/commands/table.ts";
import { pathFields } from "../../orchestrator/gateway/openapi.ts";
import { serveGateway } from "../../orchestrator/gateway/serve.ts";
import { eventHash, sealOf } from "../../orchestrator/hub/event.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { contentIdOfJson, digestOf, keccak256 } from "../../orchestrator/primitives/hash.ts";
import type { Address, Hex } from "../../orchestrator/primitives/hex.ts";
import { hashSchema } from "../../orchestrator/primitives/hex.ts";
import { canonicalBytes, canonicalJson } from "../../orchestrator/primitives/json.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { signerOf } from "../../orchestrator/primitives/signing.ts";
import { parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { sessionTransitions } from "../../orchestrator/rules/transitions/session.ts";
import { SMALL_MISSION } from "../support/mission-bundle.ts";
import { peerContract } from "../support/peer-contract.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { type ServedCity, servedCity, serveOptions, wall } from "./gateway-city.ts";
import { drafted, post, signedAndSent } from "./orders.ts";
import { signedRequest } from "./signed-fetch.ts";

/** A public key as the city's engines write theirs. */
const compressed = (key: Hex): Hex => `0x${secp256k1.Point.fromHex(key.slice(2)).toHex(true)}`;

const eventsSchema = z.object({ items: z.array(eventOutput), next: z.string().nullable() });
const missionsSchema = z.object({ items: z.array(z.object({ mission: z.string() })).min(1) });
const errorSchema = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string(), details: z.string().optional(), action: z.string().optional() }),
});

/** Open questions about something else than a mission that is over: tests of payments, appeals and agreements ask them. */
const ASKED_ELSEWHERE = [
  "prepare_appeal",
  "verify_claim",
  "get_claim",
  "verify_deliverable",
  "get_agreement",
  "list_agreements",
  "prepare_agreement_step",
  "prepare_agreement_feedback",
  "get_evaluator_calibration",
  "get_hearing",
  "list_hearings",
];

describe("the gateway of a city with a mission", function () {
  this.timeout(180_000);
  const home = suiteDirectory();
  let served: ServedCity;
  let url = "";
  /** What was told of work while the mission ran. */
  let during: {
    readonly work: readonly z.infer<typeof eventOutput>[];
    readonly cid: string;
    readonly status: number;
    readonly clearings: number;
  };

  before(async () => {
    served = await servedCity(home(), async (gateway) => {
      await gateway.sync();
      const { items } = eventsSchema.parse(await (await fetch(`${gateway.url}/v1/events?name=execution.work`)).json());
      const [own] = (await gateway.hub.query({ name: "execution.work" })).events;
      const cid = own?.payloadCid ?? "";
      const missions = missionsSchema.parse(await (await fetch(`${gateway.url}/v1/missions`)).json());
      const path = `/v1/missions/${missions.items[0]?.mission}/nodes/0/clearings`;
      const status = async (asked: string) => (await fetch(`${gateway.url}${asked}`)).status;
      during = { work: items, cid, status: await status(`/v1/payloads/${cid}`), clearings: await status(path) };
    });
    url = served.gateway.url;
  });
  after(async () => {
    await served.gateway.close();
    await served.city.close();
  });

  const get = async (path: string) => {
    const answer = await fetch(`${url}${path}`);
    return { status: answer.status, body: await answer.text() };
  };
  const events = async (query: string) => eventsSchema.parse(JSON.parse((await get(`/v1/events?${query}`)).body));

  const seat = (name: string) => {
    const member = served.city.society.find((each) => each.name === name);
    if (member === undefined) throw new Error(`nobody is called ${name}`);
    return member.account;
  };
  /** A contract for which this owner's key signs. */
  async function contractWallet(owner: Address): Promise<Address> {
    const file = join(import.meta.dirname, "../../artifacts/test/contracts/harness/OwnedWallet.sol/OwnedWallet.json");
    const { abi, bytecode } = parseArtifact(readFileSync(file, "utf8"));
    const data = encodeDeployData({ abi, bytecode, args: [owner] });
    const { contractAddress } = await served.city.sender.send({ intent: intentKey("test-wallet"), data, account: seat("deployer") });
    return addressSchema.parse(contractAddress);
  }
  const WEAKEN = { action: "AMEND_PARAMETER", values: [String(parameterIndex("REPUTATION_FLOOR")), "120"], because: "too many fell below" };

  /** The digest of an order that waits for its second signature. */
  async function halfSigned(): Promise<string> {
    const { relayed } = await signedAndSent(url, await drafted(url, WEAKEN), seat("adjudicator-1"));
    expect(relayed?.status).to.equal("waiting");
    return relayed?.digest ?? "";
  }

  it("keeps an order for its second signature, and refuses what no seated adjudicator signed", async () => {
    const draft = await drafted(url, WEAKEN);
    expect(draft.needed).to.equal(2);
    expect(draft.hashes.digest).to.equal(await halfSigned());
    const stranger = await signedAndSent(url, draft, seat("sponsor"));
    expect([stranger.status, errorSchema.parse(JSON.parse(stranger.body)).error.code]).to.deep.equal([403, "NotAllowed"]);
    const other = await signedAndSent(url, { ...draft, message: { ...draft.message, because: "something else" } }, seat("adjudicator-1"));
    expect(other.status).to.equal(401);
    for (const message of [
      { ...draft.message, action: 99 },
      { ...draft.message, data: "0x12" },
    ]) {
      const unknown = await signedAndSent(url, { ...draft, message }, seat("adjudicator-1"));
      expect(errorSchema.parse(JSON.parse(unknown.body)).error.code).to.equal("InvalidValue");
    }
    const borrowed = {
      message: draft.message,
      signatures: [{ adjudicator: seat("adjudicator-2").address, signature: "0x11" }],
    };
    expect((await post(`${url}/v1/orders`, borrowed)).status).to.equal(401);
    expect(await served.city.client.constitution.param(parameterIndex("REPUTATION_FLOOR"))).to.equal(100n);
  });

  /** A mission that waits for its deposit. */
  async function postedHere(): Promise<string> {
    const { items } = readInput({ kind: "csv", path: "packages.csv" }, home());
    const posted = await served.gateway.world.posted?.post(seat("sponsor").address, SMALL_MISSION, items);
    return posted?.id ?? "";
  }

  it("refuses a mission that no law could come of, before anybody pays", async () => {
    const ask = async (file: string, items: readonly object[]) => {
      const { init } = await signedRequest(seat("sponsor"), `${url}/v1/posted`, {
        body: canonicalJson({ file, items }),
        now: Math.floor(wall.now / 1_000),
      });
      const answer = await fetch(`${url}/v1/posted`, init);
      return [answer.status, errorSchema.parse(await answer.json()).error.details];
    };
    const { items } = readInput({ kind: "csv", path: "packages.csv" }, home());
    const poor = SMALL_MISSION.replace(/budget: .*/, 'budget: "0.01"');
    expect(await ask(poor, items)).to.deep.equal([422, "GoalNotFeasible"]);
    expect(await ask(`${SMALL_MISSION}services: ./mine\n`, items)).to.deep.equal([422, "NotTaken"]);
    expect(await ask(SMALL_MISSION, [...items].reverse())).to.deep.equal([422, "NotTaken"]);
    expect(await ask("mission: [", items)).to.deep.equal([422, "YamlSyntax"]);
  });

  const passportsSchema = z.strictObject({
    items: z.array(z.strictObject({ subject: z.string(), passport_digest: z.string() })),
    next: z.string().nullable(),
    posted: z.strictObject({ index: z.string(), at: z.number(), block: z.number(), transaction: z.string() }).nullable(),
  });
  const passports = async (query = "") => passportsSchema.parse(JSON.parse((await get(`/v1/passports?${query}`)).body));
  /** Who won nodes of the mission, one entry for each. */
  async function executors(): Promise<readonly string[]> {
    const { bids } = z
      .object({ bids: z.array(z.object({ agent: z.string(), isAwarded: z.boolean() })) })
      .parse(JSON.parse((await get(`/v1/missions/${served.outcome.mission}/bids`)).body));
    return bids.flatMap(({ agent, isAwarded }) => (isAwarded ? [agent] : []));
  }

  it("publishes passports as they were posted on chain, signed, for a period", async () => {
    const { items, next, posted } = await passports();
    expect(next).to.equal(null);
    // Whoever has the list has the digest that is on chain.
    expect(digestOf(contentIdOfJson(Object.fromEntries(items.map(({ subject, passport_digest }) => [subject, passport_digest]))))).to.equal(
      posted?.index,
    );
    const [onChain] = (await served.city.client.evidence.history("PassportsPosted")).toReversed();
    expect(posted).to.include({ index: onChain?.args.passports, transaction: onChain?.transactionHash });
    const pages = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: z.infer<typeof passportsSchema> = await passports(`limit=2&cursor=${cursor}`);
      expect(page.items.length).to.be.at.most(2);
      pages.push(...page.items);
      cursor = page.next;
    }
    expect(pages).to.deep.equal(items);

    const winners = await executors();
    const [subject = ""] = winners;
    const cleared = winners.filter((each) => each === subject).length;
    const { card, runner } = await readPassport(url, subject.toLowerCase());
    expect(runner).to.equal(seat("runner").address);
    expect(card).to.deep.include({ subject, fields: { cleared_obligations: cleared }, flagged: false, counted: cleared });
    expect(card.passport_digest).to.equal(items.find((each) => each.subject === subject)?.passport_digest);
    expect(secondsOf(card.period.until)).to.equal(posted?.at);
    expect(secondsOf(card.period.from)).to.be.lessThan(posted?.at ?? 0);
    const judges = await Promise.all(items.map(async (each) => (await readPassport(url, each.subject)).card));
    expect(judges.filter(({ record }) => record.agreed > 0).length).to.be.at.least(3);
    // Weights follow from cards as from passports.
    expect(judges.every((each) => weightsFrom([each])(each.subject) === priorWeight(each))).to.equal(true);

    const before = (posted?.at ?? 0) - 1;
    expect((await passports(`at=${before}`)).items).to.deep.equal([]);
    for (const path of [`/v1/passports/${subject}?at=${before}`, `/v1/passports/0x${"ab".repeat(20)}`]) {
      const { status, body } = await get(path);
      expect([status, errorSchema.parse(JSON.parse(body)).error.code], path).to.deep.equal([404, "NotFound"]);
    }
    expect((await get("/v1/passports/somebody")).status).to.equal(400);
  });

  it("has its passports read by nobody who is handed another's, or one that was changed on its way", async () => {
    const [subject = "", other = ""] = (await passports()).items.map((each) => each.subject);
    const honest = JSON.parse((await get(`/v1/passports/${subject}`)).body);
    const stranger = privateKeyToAccount(`0x${"77".repeat(32)}`);
    const bent: Readonly<Record<string, object>> = {
      "somebody else's": JSON.parse((await get(`/v1/passports/${other}`)).body),
      "did not sign it": { ...honest, card: { ...honest.card, fields: { cleared_obligations: 99 } } },
      "has another key": { ...honest, engine: `secp256k1:${compressed(stranger.publicKey)}` },
      "no account's": { ...honest, engine: `ed25519:0x${"11".repeat(32)}` },
    };
    let said: object = honest;
    const liar = createServer((_, answer) => answer.setHeader("content-type", "application/json").end(JSON.stringify(said)));
    await once(liar.listen(0, "127.0.0.1"), "listening");
    const at = liar.address();
    const away = `http://127.0.0.1:${typeof at === "object" ? at?.port : ""}`;
    expect((await readPassport(away, subject)).card.subject).to.equal(subject);
    for (const [problem, answer] of Object.entries(bent)) {
      said = answer;
      const found = await rejection(readPassport(away, subject));
      expect([Reflect.get(found, "code"), found.message]).to.satisfy(
        ([code, text]: string[]) => code === "CardRefused" && text?.includes(problem),
      );
    }
    liar.close();
  });

  it("has its passports compared with the chain, by a node and a registry that the reader names", async () => {
    const { city, gateway } = served;
    const [subject = ""] = (await passports()).items.map((each) => each.subject);
    const found = await readPassport(url, subject);
    const own = { rpc: city.rpcUrl };
    const { EvidenceRegistry: registry, ProducerContract: another } = city.client.addresses;
    expect(await requireOnChain(url, found, own)).to.deep.equal({ ...own, chainId: 31_337, registry, isNamedByCity: true });
    const known = await requireOnChain(url, found, { ...own, registry });
    expect(known).to.deep.include({ isNamedByCity: false });
    // Whoever reads it is told what nobody compared.
    const unchecked = (onChain: typeof known | null) => passportLines(found, onChain).match(/^NOT CHECKED .*$/gm) ?? [];
    expect(unchecked(null)[0]).to.include("--rpc");
    expect(unchecked({ ...known, isNamedByCity: true })[0]).to.include("--registry");
    expect(unchecked(known)).to.have.length(1);
    const refusal = async (card: object, node: object = own, at?: number) => {
      const { message, name } = await rejection(requireOnChain(url, { ...found, ...card }, { ...own, ...node }, at));
      return `${name}: ${message}`;
    };
    // Anybody may sign as the engine of a key of its own, which the signature alone does not tell.
    const stranger = privateKeyToAccount(`0x${"77".repeat(32)}`).address;
    expect(await refusal({ runner: stranger })).to.match(/^NotOnChain: .*knows no runner/);
    expect(await refusal({}, { registry: another })).to.match(/^NotOnChain: .*is no EvidenceRegistry/);
    expect(await refusal({}, { registry: stranger })).to.match(/^NotOnChain: .*is no EvidenceRegistry/);
    expect(await refusal({}, { rpc: "http://127.0.0.1:1" })).to.match(/^RpcUnreachable/);
    const index = `0x${"ee".repeat(32)}` as const;
    expect(await refusal({ posted: { ...found.posted, index } })).to.include("has no passports 0xee");
    expect(await refusal({ card: { ...found.card, passport_digest: index } })).to.include("another passport of this agent");
    expect(await refusal({ card: { ...found.card, period: { ...found.card.period, until: "2026-01-01T00:00:00Z" } } })).to.include(
      "period",
    );

    // A list of another index, or without an end, is no list.
    const bent = { more: 0, next: "0x1" };
    const liar = createServer(async (asked, answer) => {
      const { body } = await get(asked.url ?? "");
      const isList = asked.url?.startsWith("/v1/passports?") === true;
      if (isList) bent.more += 1;
      answer.setHeader("content-type", "application/json");
      answer.end(isList ? JSON.stringify({ ...JSON.parse(body), next: bent.next }) : body);
    });
    await once(liar.listen(0, "127.0.0.1"), "listening");
    const away = liar.address();
    const endless = requireOnChain(`http://127.0.0.1:${typeof away === "object" ? away?.port : ""}`, found, own);
    expect((await rejection(endless)).message).to.include("another than the city's");
    expect(bent.more).to.equal(2);
    liar.close();

    // What the Regulator posts next, the city does not have: it says so, and no older card passes for the last.
    const { clock } = city.chain;
    await clock.run(async () => clock.sleepUntil(clock.now() + 60n));
    const regulator = new Regulator(city.client, seat("regulator"));
    const post = async (digest: Hex) => {
      await regulator.postPassports(digest, [], intentKey("test-passports", digest));
      await gateway.sync();
    };
    const codes = async () =>
      Promise.all(
        ["/v1/passports", `/v1/passports/${subject}`].map(async (path) => {
          const { status, body } = await get(path);
          return status === 200 ? status : errorSchema.parse(JSON.parse(body)).error.code;
        }),
      );
    await post(index);
    expect(await codes()).to.deep.equal(["PassportMissing", "PassportMissing"]);
    expect(await refusal({})).to.include("others were posted since");
    await post(digestOf(city.blocks.putJson({ [subject]: index })));
    expect(await codes()).to.deep.equal([200, "PassportMissing"]);
    const { error } = errorSchema.parse(JSON.parse((await get(`/v1/passports/${subject}`)).body));
    expect(error.message).to.include(subject);
    expect(error.action).to.include("bundle");
    // As of then, the old card still is the one that was posted last.
    const { at } = found.posted;
    expect(await requireOnChain(url, await readPassport(url, subject, at), own, at)).to.deep.include({ registry });
    await post(hashSchema.parse(found.posted.index));
  });

  it("answers every open question by its own schema", async () => {
    const [first] = (await events("limit=1")).items;
    const [agent] = z.object({ items: z.array(z.object({ agent: z.string() })) }).parse(JSON.parse((await get("/v1/agents")).body)).items;
    const values: Record<string, string> = {
      mission: served.outcome.mission ?? "",
      node: "0",
      session: served.outcome.session,
      agent: agent?.agent ?? "",
      eventId: first?.eventId ?? "",
      cid: first?.payloadCid ?? "",
      id: served.outcome.mission ?? "",
      digest: await halfSigned(),
      posted: await postedHere(),
      campaign: "economy-1-contracts",
      type: "research",
      parameter: "REPUTATION_FLOOR",
      subject: (await executors())[0] ?? "",
      provider: didOf(signerOf("ed25519", new Uint8Array(32).fill(7)).publicKey),
    };
    const asked: Record<string, string> = {
      prepare_registration: `?agent=${`0x${"ab".repeat(20)}`}&principal=${`0x${"cd".repeat(20)}`}`,
      prepare_service: `?agent=${values["agent"]}&service=aggregate`,
    };
    for (const { path, output, access, method, name } of COMMANDS) {
      if ((access !== "open" && access !== "reader") || ASKED_ELSEWHERE.includes(name)) continue;
      expect(method, name).to.equal("GET");
      const filled = pathFields(path).reduce((text, field) => text.replace(`{${field}}`, values[field] ?? ""), path);
      const { status, body } = await get(`${filled}${asked[name] ?? ""}`);
      expect(status, `${name}: ${body}`).to.equal(200);
      expect(output.safeParse(JSON.parse(body)).error, name).to.equal(undefined);
      expect(canonicalJson(JSON.parse(body)), name).to.equal(body);
    }
  });

  it("says the same of the mission as its outcome", async () => {
    const { mission, money, nodes, candidates } = { ...served.outcome, candidates: served.outcome.law.candidates };
    const told = JSON.parse((await get(`/v1/missions/${mission}/money`)).body);
    for (const name of ["deposit", "paid", "fees", "insurance", "refunded"] as const) expect(told[name], name).to.equal(money[name]);
    const { nodes: states } = JSON.parse((await get(`/v1/missions/${mission}/nodes`)).body);
    expect(states.map(({ state }: { state: string }) => state)).to.deep.equal(nodes.map(({ state }) => state));
    const law = JSON.parse((await get(`/v1/missions/${mission}/law`)).body);
    expect(law.nodes.map(({ label }: { label: string }) => label)).to.deep.equal(nodes.map(({ label }) => label));
    const session = JSON.parse((await get(`/v1/sessions/${served.outcome.session}`)).body);
    expect(session.candidates).to.have.length(candidates.filter(({ proposer }) => proposer !== "").length);
    const { ballots } = JSON.parse((await get(`/v1/sessions/${served.outcome.session}/ballots`)).body);
    expect(ballots.map(({ ranking }: { ranking: number[] }) => ranking)).to.deep.equal(
      served.outcome.ballots.map(({ ranking }) => ranking),
    );
  });

  it("shows why a node cleared, from its claims to its decision, once its mission is over", async () => {
    expect(during.clearings).to.equal(403);
    const { mission, nodes } = served.outcome;
    for (const [number, { label, executors }] of nodes.entries()) {
      const path = `/v1/missions/${mission}/nodes/${number}`;
      const shown = clearingsOutput.parse(JSON.parse((await get(`${path}/clearings`)).body));
      const { agreements, claims, clearings, watched, limits } = shown;
      expect(
        agreements.map(({ slot }) => slot),
        "an agreement for each awarded slot",
      ).to.deep.equal(executors.map((_, slot) => slot));
      for (const { document, slot, obligationHash: recorded } of agreements) {
        const agreement = readAgreement(document);
        const account = agreement.parties.provider.identity.value.split(":").at(-1) ?? "";
        expect(nameIs(executors[slot]?.agent ?? "", account), label).to.equal(true);
        expect(obligationHash(obligationOf(agreement, { floor: "SELF", boundAt: "2020-01-01T00:00:00Z" })), label).to.equal(recorded);
      }
      expect(limits.deviation).to.equal(2);
      expect(watched.map(({ agent }) => agent)).to.deep.equal(claims.map(({ by }) => by));
      expect(
        watched.every(({ scores, tasks }) => scores.length === 0 && tasks === 0),
        "a service's first task has no past",
      ).to.equal(true);
      expect(claims, label).to.have.length(executors.length);
      for (const { by, status } of claims)
        expect([executors.some(({ agent }) => nameIs(agent, by)), status], label).to.deep.equal([true, "verified"]);
      expect(clearings, label).to.have.length(1);
      const [{ performance, items, verdicts, floorMet, basis }] = clearings as [(typeof clearings)[number]];
      expect([performance, floorMet], label).to.deep.equal(["cleared", true]);
      expect(
        items.filter(({ counted }) => counted),
        label,
      ).not.to.have.length(0);
      expect(verdicts, label).not.to.have.length(0);
      const { verdicts: chain } = JSON.parse((await get(`/v1/missions/${mission}/verdicts`)).body);
      expect(chain.find((each: { node: number }) => each.node === number).evidenceClass, label).to.equal(basis);
    }
    expect((await get(`/v1/missions/${mission}/nodes/0/sealed-clearings`)).status).to.equal(401);
  });

  /** Whether an account is the member of this name. */
  const nameIs = (name: string, account: string) => seat(name).address === account;

  it("tells a session's debate with the facts that it cites, and whether the law is what was voted on", async () => {
    const { session, law } = served.outcome;
    const debate = debateOutput.parse(JSON.parse((await get(`/v1/sessions/${session}/debate`)).body));
    expect(debate.straws).to.have.length(served.outcome.ballots.length);
    const facts = new Set(debate.briefing?.evidence.map(({ id }) => id));
    const turns = debate.rounds.flatMap((round) => round.turns);
    expect(turns).not.to.have.length(0);
    for (const { about, text, evidence } of turns) {
      expect(about === null || about < law.candidates.length).to.equal(true);
      expect(text).not.to.equal("");
      for (const id of evidence) expect(facts.has(id), id).to.equal(true);
    }
    expect(debate.checks.map(({ result }) => result)).to.deep.equal(["holds", "holds", "holds", "holds", "holds"]);
    const { candidates } = JSON.parse((await get(`/v1/sessions/${session}`)).body);
    const { nodes } = JSON.parse((await get(`/v1/missions/${served.outcome.mission}/law`)).body);
    const { winner } = served.outcome;
    const won = candidates.find(({ title }: { title: string }) => title === winner?.title);
    expect(won.shape.nodes).to.equal(nodes.length);
    expect(won.shape.executions).to.equal(nodes.reduce((sum: number, { redundancy }: { redundancy: number }) => sum + redundancy, 0));
  });

  it("says whether anything is wrong, and how a parameter came to be", async () => {
    const condition = conditionOutput.parse(JSON.parse((await get("/v1/condition")).body));
    expect(condition.problems).to.deep.equal([]);
    expect(condition.missions).to.deep.equal({ count: 1, byState: { COMPLETED: 1 } });
    expect(condition.records.told).to.equal(condition.records.entries);
    const { values } = JSON.parse((await get("/v1/parameters/REPUTATION_FLOOR/history")).body);
    expect(values.at(-1).adjudicators).to.deep.equal([]);
  });

  it("sends no step that is not due, whoever asks", async () => {
    const { mission, session } = served.outcome;
    const push = async (asked: object) => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(asked) };
      const answer = await fetch(`${url}/v1/pushes`, init);
      return [answer.status, errorSchema.parse(await answer.json()).error.code];
    };
    const before = await served.city.chain.publicClient.getBlockNumber();
    for (const step of ["timeout", "record"])
      expect(await push({ step, mission, node: 0 }), step).to.deep.equal([409, "TransactionReverted"]);
    for (const step of ["tally", "expire"]) expect(await push({ step, session }), step).to.deep.equal([409, "TransactionReverted"]);
    expect(await push({ step: "timeout", mission })).to.deep.equal([400, "InvalidValue"]);
    expect(await push({ step: "tally" })).to.deep.equal([400, "InvalidValue"]);
    expect(await push({ step: "close", mission: served.city.client.addresses.Treasury })).to.deep.equal([404, "NotFound"]);
    expect(await served.city.chain.publicClient.getBlockNumber()).to.equal(before);
  });

  it("alerts when a mission has used nine tenths of the gas that its operator set", async () => {
    const { metrics } = JSON.parse((await get(`/v1/missions/${served.outcome.mission}/vitals`)).body);
    const gas = metrics.find(({ name }: { name: string }) => name === "gas spent");
    expect([gas.alerts, /no budget/.test(gas.value)]).to.deep.equal([false, true]);
    const used = Number(gas.value.split(";")[0].replaceAll(",", ""));
    for (const [gasBudget, alerts] of [
      [Math.ceil(used / 0.9) + 1, false],
      [Math.floor(used / 0.9) - 1, true],
    ] as const) {
      const other = await serveGateway(served.city, { ...serveOptions, gasBudget });
      const answer = await (await fetch(`${other.url}/v1/missions/${served.outcome.mission}/vitals`)).json();
      const { metrics: own } = z.object({ metrics: z.array(z.object({ name: z.string(), alerts: z.boolean() })) }).parse(answer);
      expect(own.find(({ name }) => name === "gas spent")?.alerts, String(gasBudget)).to.equal(alerts);
      await other.close();
    }
  });

  it("says how a mission's gas came together, contract by contract", async () => {
    const { gas, spent } = z
      .object({
        gas: z.array(z.object({ contract: z.string(), gas: z.int() })),
        spent: z.array(z.object({ sequence: z.int(), gas: z.int(), by: z.array(z.int()) })),
      })
      .parse(JSON.parse((await get(`/v1/missions/${served.outcome.mission}/history`)).body));
    expect(gas.length).to.be.greaterThan(2);
    for (const [place, point] of spent.entries()) {
      expect(point.by.reduce((sum, each) => sum + each, 0)).to.equal(point.gas);
      for (const [contract, used] of point.by.entries()) expect(used >= (spent[place - 1]?.by[contract] ?? 0)).to.equal(true);
    }
    expect(spent.at(-1)?.by).to.deep.equal(gas.map(({ gas: used }) => used));
  });

  it("hands out a finished mission's bundle whole, and none of a mission that has none", async () => {
    const { mission, bundle } = served.outcome;
    const folder = join(home(), bundle ?? "");
    const told = new Map<string, string>();
    for (let after: string | null = ""; after !== null; ) {
      const { body } = await get(`/v1/missions/${mission}/bundle?after=${after}`);
      const part = bundleOutput.parse(JSON.parse(body));
      for (const { path, base64 } of part.files) told.set(path, base64);
      after = part.next;
    }
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(told.size).to.equal(files.length);
    for (const [path, base64] of told) expect(base64, path).to.equal(readFileSync(join(folder, path)).toString("base64"));
    expect((await get(`/v1/missions/${served.city.client.addresses.Treasury}/bundle`)).status).to.equal(404);
    expect((await get("/v1/missions/..%2f..%2fembedded/bundle")).status).to.equal(400);
  });

  it("signs what it says of itself", async () => {
    const { document, signature } = cityDocumentSchema.parse(JSON.parse((await get("/v1/city")).body));
    const signer = await recoverMessageAddress({ message: canonicalJson(document), signature: signature as `0x${string}` });
    expect(signer).to.equal(document.operator);
    expect(document.addresses).to.deep.equal({ ...served.city.client.addresses });
    expect(document.calls).to.include.members(["draft", "speak", "rank", "bid", "perform", "judge", "sign"]);
    expect(document.admission).to.deep.equal({ isOpen: false, stake: "10000000000", most: 64 });
    expect(document.paid).to.deep.equal(["pay_agreement"]);
  });

  it("withholds work while its mission runs, and gives it afterwards", async () => {
    expect(during.work).not.to.have.length(0);
    for (const { payloadCid, payloadHash } of during.work) expect([payloadCid, payloadHash]).to.deep.equal([null, null]);
    expect(during.status).to.equal(404);
    // What is told covers the entry's hash, and says nothing of the payload; once it may be read, it is what was sealed.
    for (const event of during.work) {
      expect(event.salt).to.equal(null);
      expect(eventHash(event)).to.equal(event.hash);
      const told = eventOutput.parse(JSON.parse((await get(`/v1/events/${event.eventId}`)).body));
      expect(sealOf(told)).to.equal(event.payloadSeal);
    }
    const { items } = await events("name=execution.work");
    expect(items.map(({ payloadCid }) => payloadCid)).to.include(during.cid);
    expect((await get(`/v1/payloads/${during.cid}`)).status).to.equal(200);
  });

  it("gives payloads whose bytes hash to what the event names", async () => {
    const { items } = await events(`mission=${served.outcome.mission}&limit=40&newest=true`);
    for (const { payloadCid, payloadHash, name } of items) {
      const { payload } = JSON.parse((await get(`/v1/payloads/${payloadCid}`)).body);
      expect(keccak256(canonicalBytes(payload)), name).to.equal(payloadHash);
    }
  });

  it("finds all of a law's life under its mission: session, market, work, money", async () => {
    const names = new Set<string>();
    for (let cursor = ""; ; ) {
      const { items, next } = await events(`mission=${served.outcome.mission}&limit=200${cursor}`);
      for (const { name } of items) names.add(name);
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    expect([...names]).to.include.members([
      "LegislativeProcedure.SessionOpened",
      "legislature.ballots",
      "TemplateRegistry.MissionDeployed",
      "ExecutionProcedure.Awarded",
      "CollaborationContract.Cleared",
      "execution.claim",
      "CollaborationContract.Claimed",
    ]);
  });

  it("streams from Last-Event-ID on, and then what happens", async () => {
    const stop = new AbortController();
    const { sequence } = served.gateway.hub.cursor();
    const answer = await fetch(`${url}/v1/events/stream`, { headers: { "last-event-id": String(sequence - 3) }, signal: stop.signal });
    expect(answer.headers.get("content-type")).to.contain("text/event-stream");
    const reader = (answer.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const ids = () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    const until = async (id: number) => {
      while (!ids().includes(id)) text += (await reader.read()).value ?? "";
    };
    await until(sequence);
    await served.city.log.append([{ kind: "test.noted", subjects: ["live"] }]);
    await until(sequence + 1);
    expect(ids()).to.deep.equal([sequence - 2, sequence - 1, sequence, sequence + 1]);
    expect(text).to.contain("test.noted");
    stop.abort();
    await reader.cancel().catch(() => {});
  });

  it("answers under its own names only, and lets no foreign page read", async () => {
    const { port } = new URL(url);
    const asked = (headers: Record<string, string>) =>
      new Promise<{ status: number; body: string; allowed: unknown }>((resolve, reject) => {
        const sent = request({ host: "127.0.0.1", port, path: "/v1/city", headers }, (answer) => {
          let body = "";
          answer.on("data", (part) => {
            body += part;
          });
          answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body, allowed: answer.headers["access-control-allow-origin"] }));
        });
        sent.on("error", reject).end();
      });
    for (const host of ["evil.example", "127.0.0.1.evil.example", "evil.example:80"])
      expect(await asked({ host }), host)
        .to.include({ status: 403 })
        .and.to.have.property("body")
        .that.contains("HostUnknown");
    const foreign = await asked({ host: `localhost:${port}`, origin: "https://evil.example" });
    expect([foreign.status, foreign.allowed]).to.deep.equal([200, undefined]);
  });

  it("limits what one address may ask", async () => {
    const strict = await serveGateway(served.city, { ...serveOptions, limits: { burst: 10, perSecond: 1 } });
    const statuses: number[] = [];
    for (let at = 0; at < 4; at += 1) statuses.push((await fetch(`${strict.url}/v1/missions`)).status);
    expect(statuses).to.deep.equal([200, 200, 429, 429]);
    const refused = await fetch(`${strict.url}/v1/missions`);
    expect(refused.headers.get("retry-after")).to.match(/^[1-9]\d*$/);
    await strict.close();
  });

  it("takes a contract wallet's signature, as the contract says (ERC-1271), and of no other account", async () => {
    const [owner, stranger] = [seat("sponsor"), seat("deployer")];
    const wallet = await contractWallet(owner.address);
    const ask = async (by: typeof owner, as: string) => {
      const account = { ...by, address: addressSchema.parse(as) };
      const { init } = await signedRequest(account, `${url}/v1/session`, { now: Math.floor(wall.now / 1_000) });
      const answer = await fetch(`${url}/v1/session`, init);
      return answer.status === 200 ? z.looseObject({ key: z.string() }).parse(await answer.json()).key : answer.status;
    };
    expect(await ask(owner, wallet)).to.equal(wallet);
    expect(await ask(stranger, wallet)).to.equal(401);
    expect(await ask(owner, stranger.address)).to.equal(401);
    expect(await ask(owner, served.city.client.addresses.Treasury), "a contract that is no wallet").to.equal(401);
  });

  it("goes by what its own proxy says of who asks", async () => {
    const behind = await serveGateway(served.city, { ...serveOptions, proxies: ["127.0.0.1"], limits: { burst: 10, perSecond: 1 } });
    const ask = async (from: string) => (await fetch(`${behind.url}/v1/missions`, { headers: { "x-forwarded-for": from } })).status;
    const one = "203.0.113.7";
    expect([await ask(one), await ask(one), await ask(one)]).to.deep.equal([200, 200, 429]);
    expect([await ask("203.0.113.8"), await ask(`203.0.113.9, ${one}`)]).to.deep.equal([200, 429]);
    await behind.close();
  });

  it("says by name that an address has enough connections, and closes what it says nothing to", async () => {
    const narrow = await serveGateway(served.city, { ...serveOptions, limits: { ...serveOptions.limits, connectionsEach: 3 } });
    const { port } = new URL(narrow.url);
    const open = async () => {
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("error", () => {});
      await once(socket, "connect");
      return socket;
    };
    const sockets = [await open(), await open(), await open()];
    const ask = () => fetch(`${narrow.url}/v1/missions`);
    const refusal = await ask();
    expect([refusal.headers.get("retry-after"), refusal.headers.get("connection")]).to.deep.equal(["1", "close"]);
    expect(await codeOf(refusal)).to.deep.equal([503, "TooManyConnections"]);

    // Who holds the connections that are told so, and asks nothing, keeps nobody from being served.
    const idle: Socket[] = [];
    for (let at = 0; at < 64; at += 1) idle.push(await open());
    const more = connect(Number(port), "127.0.0.1");
    more.on("error", () => {});
    await once(more, "close");
    for (const socket of [...sockets, ...idle]) expect(socket.destroyed).to.equal(false);
    const [first] = sockets;
    first?.destroy();
    for (const socket of idle) socket.destroy();
    // The other side hears of it in its own time.
    for (let status = 0; status !== 200; ) {
      status = await ask().then(
        (answer) => answer.status,
        () => 0,
      );
    }
    for (const socket of sockets) socket.destroy();
    await narrow.close();
  });

  it("says by name that headers took too long", async () => {
    const hasty = await serveGateway(served.city, { ...serveOptions, limits: { ...serveOptions.limits, headersWithin: 1 } });
    const socket = connect(Number(new URL(hasty.url).port), "127.0.0.1");
    socket.write("GET /v1/missions HTTP/1.1\r\nhost:");
    const [answer] = await once(socket, "data");
    expect(String(answer))
      .to.match(/^HTTP\/1\.1 408 Request Timeout\r\n/)
      .and.include('"code":"RequestTooSlow"');
    socket.destroy();
    await hasty.close();
  });

  /** What a stranger's MCP client learned. */
  async function strange(...args: readonly string[]) {
    const stranger = join(import.meta.dirname, "stranger/stranger.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [stranger, ...args], { env: { ...process.env } });
    return z
      .object({
        tools: z.array(z.string()),
        withAnswers: z.int(),
        mission: z.looseObject({ mission: z.string(), state: z.string() }),
        text: z.tuple([z.object({ type: z.literal("text"), text: z.string() })]),
        nobody: z.looseObject({ isError: z.literal(true), content: z.tuple([z.object({ text: z.string() })]) }),
        wrong: z.literal(true),
      })
      .parse(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""));
  }

  const faces: Readonly<Record<string, () => readonly string[]>> = {
    "streamable HTTP": () => ["http", `${url}/mcp`],
    "standard input and output": () => [
      "stdio",
      process.execPath,
      join(import.meta.dirname, "../../scripts/agentcity.js"),
      "mcp",
      "--city",
      url,
    ],
  };
  for (const [face, args] of Object.entries(faces))
    it(`serves a stranger's MCP client by ${face} with the same commands and answers`, async () => {
      const found = await strange(...args());
      // A process without a key asks open questions; by HTTP a caller signs for itself.
      const offered = COMMANDS.filter(({ access }) => face === "streamable HTTP" || access === "open" || access === "reader").map(
        ({ name }) => name,
      );
      expect(found.tools).to.have.members(offered);
      expect(found.withAnswers).to.equal(offered.length);
      expect(found.mission).to.deep.equal(JSON.parse((await get(`/v1/missions/${served.outcome.mission}`)).body));
      expect(JSON.parse(found.text[0].text)).to.deep.equal(found.mission);
      expect(found.nobody.content[0].text).to.contain("This city has no mission");
    });

  const codeOf = async (answer: Response) => [answer.status, errorSchema.parse(await answer.json()).error.code];

  it("opens a session for a key that signs, once a signature, also after a restart", async () => {
    const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
    const now = Math.floor(wall.now / 1_000);
    const { url: to, init } = await signedRequest(account, `${url}/v1/session`, { now });
    const answer = await fetch(to, init);
    expect(answer.status).to.equal(200);
    const { bearer, key, expires } = z.object({ bearer: z.string(), key: z.string(), expires: z.int() }).parse(await answer.json());
    expect([key, expires]).to.deep.equal([account.address, now + 900]);
    expect(await codeOf(await fetch(to, init))).to.deep.equal([409, "SignatureReplayed"]);

    // Another gateway over the same records, under the same name.
    const { port } = new URL(url);
    await served.gateway.close();
    const again = await serveGateway(served.city, { ...serveOptions, port: Number(port) });
    served = { ...served, gateway: again };
    expect(await codeOf(await fetch(to, init))).to.deep.equal([409, "SignatureReplayed"]);
    expect(await codeOf(await fetch(to, { headers: { authorization: `Bearer ${bearer}` } }))).to.deep.equal([401, "BearerUnknown"]);
  });

  it("takes a bearer for fifteen minutes, for reading only", async () => {
    const account = privateKeyToAccount(`0x${"22".repeat(32)}`);
    const { url: to, init } = await signedRequest(account, `${url}/v1/session`, { now: Math.floor(wall.now / 1_000) });
    const { bearer } = z.object({ bearer: z.string() }).parse(await (await fetch(to, init)).json());
    const authorization = { authorization: `Bearer ${bearer}` };
    expect(await (await fetch(to, { headers: authorization })).json()).to.deep.equal({ key: account.address });
    const write = await fetch(to, { method: "POST", body: "{}", headers: { ...authorization, "content-type": "application/json" } });
    expect(await codeOf(write)).to.deep.equal([401, "SignatureMissing"]);
    wall.now += 900_000;
    expect(await codeOf(await fetch(to, { headers: authorization }))).to.deep.equal([401, "BearerUnknown"]);
  });

  it("refuses a signed request whose body was exchanged on its way", async () => {
    const account = privateKeyToAccount(`0x${"33".repeat(32)}`);
    const { url: to, init } = await signedRequest(account, `${url}/v1/session`, { now: Math.floor(wall.now / 1_000) });
    expect(await codeOf(await fetch(to, { ...init, body: "{ }" }))).to.deep.equal([401, "BadSignature"]);
    // What was refused did not use the signature up.
    expect((await fetch(to, init)).status).to.equal(200);
  });

  it("names the error of 600 malformed requests, and shows no stack", async () => {
    const random = randomStream("malformed requests");
    const pick = <Item>(items: readonly Item[]): Item => {
      const item = items[random.int(items.length)];
      if (item === undefined) throw new RangeError("nothing to pick from");
      return item;
    };
    const junk = () =>
      pick([
        () => "../../etc/passwd",
        () => "%00",
        () => "0x".padEnd(2 + random.int(90), "f"),
        () => "-1",
        () => "9".repeat(1 + random.int(40)),
        () => "1e9",
        () => "'; DROP TABLE hub_events; --",
        () => "<script>alert(1)</script>",
        () => "\u202e\u0000é",
        () => "a".repeat(random.int(3_000)),
        () => "true",
        () => "__proto__",
        () => "NaN",
        () => "{}",
      ])();
    const fields = [
      "mission",
      "session",
      "agent",
      "node",
      "cursor",
      "limit",
      "newest",
      "eventType",
      "fromTime",
      "toBlock",
      "__proto__",
      "x",
    ];
    const bodies = [
      "",
      "{",
      "[]",
      "null",
      '{"a":1,"a":2}',
      `{"a":${"[".repeat(500)}`,
      '"\\ud800"',
      "x".repeat(70_000),
      '{"__proto__":1}',
      "\xff",
    ];
    const seen = new Map<string, number>();
    for (let at = 0; at < 600; at += 1) {
      const command = pick(COMMANDS);
      const method = pick([command.method, command.method, "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]);
      const path = pathFields(command.path).reduce(
        (filled, name) => filled.replace(`{${name}}`, encodeURIComponent(junk()) || "x"),
        command.path,
      );
      const query = Array.from({ length: 1 + random.int(4) }, () => `${pick(fields)}=${encodeURIComponent(junk())}`).join("&");
      const headers: Record<string, string> = {
        ...(random.int(2) === 0
          ? { "content-type": pick(["application/json", "text/plain", "x", "application/json;charset=\u00e9"]) }
          : {}),
        ...(random.int(3) === 0
          ? { signature: "eth=:AAAA:", "signature-input": pick(["eth=()", 'eth=("@method");created=1', "junk"]) }
          : {}),
        ...(random.int(command.access === "bearer" ? 2 : 4) === 0
          ? { authorization: pick(["Bearer x", "Basic eDp4", `Bearer ${"a".repeat(43)}`]) }
          : {}),
        ...(random.int(4) === 0 ? { "last-event-id": pick(["-1", "x", "1".repeat(30)]) } : {}),
      };
      const hasBody = method !== "GET" && method !== "OPTIONS";
      const answer = await fetch(`${url}${path}?${query}`, { method, headers, ...(hasBody ? { body: pick(bodies) } : {}) });
      const text = await answer.text();
      // Some junk is a good question after all.
      if (answer.status === 200) continue;
      expect(answer.status, `${method} ${path}?${query}: ${text}`).to.be.within(400, 499);
      const { error } = errorSchema.parse(JSON.parse(text));
      expect(text, `${method} ${path}?${query}`).not.to.match(/\bat .*:\d+|node_modules|orchestrator\/|SELECT /);
      seen.set(error.code, (seen.get(error.code) ?? 0) + 1);
    }
    const refused = [...seen.values()].reduce((sum, count) => sum + count, 0);
    expect(refused).to.be.greaterThan(500);
    expect([...seen.keys()]).to.include.members(["BadRequest", "WrongMethod", "BadSignature", "SignatureMissing", "BearerUnknown"]);
    expect((await get("/health")).status).to.equal(200);
  });

  it("answers by name whoever does not speak HTTP", async () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.end("\u0001\u0002 garbage\r\n\r\n");
    let text = "";
    for await (const part of socket) text += part;
    expect(text).to.contain("400 Bad Request").and.to.contain('"code":"BadRequest"');
  });

  it("tells registries of agents where it is reached, in the form that they read", async () => {
    const { status, body } = await get("/.well-known/agent-registration.json");
    const { services, x402Support, registrations } = registrationSchema.parse(JSON.parse(body));
    expect([status, x402Support, registrations]).to.deep.equal([200, false, []]);
    for (const { endpoint } of services) expect((await fetch(endpoint)).status, endpoint).to.not.equal(404);
    expect(services.map(({ name }) => name)).to.deep.equal(["A2A", "MCP"]);
  });

  it("serves a stranger's A2A client: a card, commands as messages, missions as tasks", async () => {
    const { mission = "" } = served.outcome;
    const client = await new ClientFactory().createFromUrl(url);
    const { skills, supportedInterfaces } = await client.getAgentCard();
    expect(supportedInterfaces.map((each) => [each.url, each.protocolBinding, each.protocolVersion])).to.deep.equal([
      [`${url}/a2a`, "JSONRPC", "1.0"],
    ]);
    for (const { name } of COMMANDS)
      expect(
        skills.some(({ description }) => description.includes(name)),
        name,
      ).to.equal(true);
    const task = await client.getTask({ tenant: "", id: mission ?? "", historyLength: 0 });
    expect([task.id, task.status?.state, task.artifacts.map(({ artifactId }) => artifactId)]).to.deep.equal([
      mission,
      TaskState.TASK_STATE_COMPLETED,
      ["verdicts", "money"],
    ]);
    const unknown = await client.getTask({ tenant: "", id: `0x${"00".repeat(20)}`, historyLength: 0 }).catch(String);
    expect(unknown).to.contain("This city has no mission of that address");

    const rpc = async (method: string, params: object, version = "1.0") => {
      const headers = { "content-type": "application/json", "a2a-version": version };
      const answer = await fetch(`${url}/a2a`, {
        method: "POST",
        headers,
        body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
      });
      return z
        .object({ id: z.literal(7), result: z.looseObject({}).optional(), error: z.object({ code: z.int() }).optional() })
        .parse(await answer.json());
    };
    const message = (data: object) => ({ message: { messageId: "m", role: "ROLE_USER", parts: [{ data }] } });
    const said = await rpc("SendMessage", message({ command: "get_mission", fields: { mission } }));
    expect(said.result).to.have.nested.property("message.parts[0].data.mission", mission);
    expect((await rpc("ListTasks", {})).result).to.have.nested.property("tasks[0].id", mission);
    const codes = await Promise.all([
      rpc("GetTask", { id: mission }, "0.3"),
      rpc("CancelTask", { id: mission }),
      rpc("SubscribeToTask", { id: mission }),
      rpc("CreateTaskPushNotificationConfig", {}),
      rpc("Nonsense", {}),
      rpc("SendMessage", {}),
      rpc("SendMessage", message({ text: "hello" })),
      rpc("SendMessage", message({ command: "open_session", fields: {} })),
    ]);
    expect(codes.map(({ error }) => error?.code)).to.deep.equal([-32_009, -32_002, -32_004, -32_003, -32_601, -32_602, -32_005, -32_602]);
  });

  it("describes exactly its commands in OpenAPI 3.1", async () => {
    const { openapi, paths } = z
      .object({ openapi: z.literal("3.1.0"), paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))) })
      .parse(JSON.parse((await get("/openapi.json")).body));
    expect(openapi).to.equal("3.1.0");
    const told = Object.values(paths).flatMap((operations) => Object.values(operations).map(({ operationId }) => operationId));
    expect(told.sort()).to.deep.equal([...COMMANDS.map(({ name }) => name), "follow_events", "get_block", "put_block"].sort());
    const page = (await get("/docs")).body;
    for (const { name } of COMMANDS) expect(page).to.contain(`id="${name}"`);
  });

  it("sends a sponsor's deposit for the mission it names, and none that the chain would leave lying", async () => {
    const { client, chain } = served.city;
    const { millis, sleep } = serveOptions;
    const posted = new PostedMissions(served.city, { home: home(), judge: simulatedJudge(chain.id), millis, sleep });
    const sponsor = seat("sponsor");
    const { items } = readInput({ kind: "csv", path: "packages.csv" }, home());
    const [first, second] = [
      await posted.post(sponsor.address, SMALL_MISSION, items, 1),
      await posted.post(sponsor.address, SMALL_MISSION, items, 2),
    ];
    const { transactions } = await posted.deposit(second.id);
    const signed = (fee?: bigint) =>
      Promise.all(
        transactions.map(({ to, data, gas, nonce, maxFeePerGas }) =>
          sponsor.signTransaction({
            ...{ type: "eip1559", chainId: chain.id, to, data, gas, nonce },
            ...{ maxFeePerGas: fee ?? maxFeePerGas, maxPriorityFeePerGas: 0n },
          }),
        ),
      );
    const before = await client.token.balanceOf(sponsor.address);
    expect(await rejection(posted.pay(second.id, await signed(1n)))).to.include({ code: "DepositRefused" });
    expect(await client.token.balanceOf(sponsor.address)).to.equal(before);

    // Twice at once is once.
    const raw = await signed();
    const [paid, again] = await Promise.all([posted.pay(second.id, raw), posted.pay(second.id, raw)]);
    expect([paid.session, again.session, paid.state]).to.deep.equal([again.session, paid.session, "working"]);
    expect(before - (await client.token.balanceOf(sponsor.address))).to.equal(second.budget);
    // Goal and budget of the first are the same, but the deposit was this one's.
    expect(posted.get(first.id)).to.include({ state: "unpaid", session: undefined });
    await posted.settled();
    expect(posted.get(second.id)).to.include({ state: "completed" });
  });

  it("sends a step that is due for anybody who asks, and not twice", async () => {
    const { client, chain } = served.city;
    const account = seat("sponsor");
    const deposit = 10_000_000n;
    await client.token.approve([client.legislation.address, deposit], { intent: intentKey("test", "allow"), account });
    const goal = keccak256(new TextEncoder().encode("a goal that nobody legislates for"));
    const opened = await client.legislation.openSession([goal, deposit, zeroAddress], { intent: intentKey("test", "open"), account });
    const session = client.legislation.events(opened!, "SessionOpened")[0]!.args.session;
    const push = () =>
      fetch(`${url}/v1/pushes`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ step: "expire", session: String(session) }),
      });
    const early = await push();
    expect([early.status, errorSchema.parse(await early.json()).error.code]).to.deep.equal([409, "TransactionReverted"]);
    const { deadline } = await client.legislation.sessionOf(session);
    await chain.clock.run(() => chain.clock.sleepUntil(BigInt(deadline) + 1n));
    const answer = await push();
    const { transaction } = z.object({ transaction: hashSchema }).parse(await answer.json());
    expect((await chain.publicClient.getTransactionReceipt({ hash: transaction })).status).to.equal("success");
    const { state } = await client.legislation.sessionOf(session);
    expect(sessionTransitions.states[state]).to.equal("EXPIRED");
    expect((await push()).status, "nothing is left to send").to.equal(409);
  });

  it("shows an agent's id at an ERC-8004 registry: its own, and no other's", async () => {
    const { city } = served;
    const { id, publicClient } = city.chain;
    const on = { chain: publicClient.chain, transport: custom({ request: publicClient.request }) };
    const [deployer, agent] = [seat("sponsor"), seat("P1")];
    const { abi, bytecode } = peerContract("DraftRegistries.sol", "DraftIdentities");
    const wallet = (account: typeof agent) => createWalletClient({ ...on, account });
    const deployed = await wallet(deployer).deployContract({ abi, bytecode, args: [] });
    const { contractAddress } = await city.chain.receipt(deployed);
    if (contractAddress == null) throw new Error("not deployed");
    const register = { address: contractAddress, abi: IDENTITY_ABI, functionName: "register", args: ["ipfs://file"] } as const;
    // Somebody else's registration comes first: its number is not the agent's.
    for (const hash of [
      await wallet(deployer).writeContract(register),
      await wallet(deployer).sendTransaction({ to: agent.address, value: 10n ** 16n }),
      await wallet(agent).writeContract(register),
    ])
      await city.chain.receipt(hash);
    // One of two gateways writes the hub: nothing is left for the other.
    await served.gateway.sync();
    const other = await serveGateway(city, { ...serveOptions, identities: contractAddress });
    const idOf = async ({ address }: typeof agent) =>
      z.object({ erc8004: z.string().nullable() }).parse(await (await fetch(`${other.url}/v1/agents/${address}`)).json()).erc8004;
    try {
      expect(await idOf(agent)).to.equal(`eip155:${id}:${getAddress(contractAddress)}/1`);
      expect(await idOf(seat("P2"))).to.equal(null);
    } finally {
      await other.close();
    }
  });
});
