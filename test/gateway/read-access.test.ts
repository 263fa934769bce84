import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import type { LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { envelope, verificationOutcomeSchema } from "../../orchestrator/attestation/index.ts";
import type { Chain } from "../../orchestrator/chain/chain.ts";
import { chainOver } from "../../orchestrator/chain/rpc.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { auditDocuments } from "../../orchestrator/city/audit/audit-documents.ts";
import { AuditFailed } from "../../orchestrator/city/audit/audit-failed.ts";
import { renderAudit } from "../../orchestrator/city/audit/render.ts";
import { type City, openCity } from "../../orchestrator/city/city.ts";
import { memberOf, type Role } from "../../orchestrator/city/founding/society.ts";
import { casesIn } from "../../orchestrator/city/humans/case-desk.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { createCityClient } from "../../orchestrator/client/client.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { BEARER_LIFE } from "../../orchestrator/gateway/bearers.ts";
import { bundleOutput } from "../../orchestrator/gateway/commands/bundles.ts";
import { clearingsOutput } from "../../orchestrator/gateway/commands/clearings.ts";
import { eventOutput } from "../../orchestrator/gateway/commands/events.ts";
import { nodeOutput } from "../../orchestrator/gateway/commands/missions.ts";
import { nodeWorkOutput } from "../../orchestrator/gateway/commands/node-work.ts";
import { COMMANDS } from "../../orchestrator/gateway/commands/table.ts";
import { Laws } from "../../orchestrator/gateway/laws.ts";
import { MissionMemory } from "../../orchestrator/gateway/mission-memory.ts";
import { pathFields } from "../../orchestrator/gateway/openapi.ts";
import { withheldFrom } from "../../orchestrator/gateway/reading.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { toAddress } from "../../orchestrator/gateway/wire.ts";
import type { StreamEvent } from "../../orchestrator/hub/view.ts";
import { contentIdOf, sha256 } from "../../orchestrator/primitives/hash.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { canonicalBytes, canonicalJson } from "../../orchestrator/primitives/json.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import type { Visibility } from "../../orchestrator/protocol/visibility.ts";
import { openBundle, receiveBundle } from "../../orchestrator/records/bundle.ts";
import { manifestText, withoutFiles } from "../../orchestrator/records/bundle-manifest.ts";
import { CATALOG } from "../../services/catalog.ts";
import { cache } from "../support/cache.ts";
import { PACKAGES, SMALL_MISSION } from "../support/mission-bundle.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions, wall } from "./gateway-city.ts";
import { signedRequest } from "./signed-fetch.ts";

/** In every item's name, and with it in every output: nothing else in the city says it. */
const MARK = "quagga";
const MARKED = PACKAGES.replaceAll(/^(?!package,)/gm, `${MARK}-`).replace(new RegExp(`${MARK}-$`), "");

const eventsSchema = z.object({ items: z.array(eventOutput), next: z.string().nullable() });
const lawSchema = z.object({ nodes: z.array(z.object({ number: z.number(), task: z.string() })) });
const nodesSchema = z.object({ nodes: z.array(nodeOutput) });

/** What somebody could read, of the table's objects: the face of each is named in `reads`. */
type Seen = Readonly<Record<string, readonly string[]>>;

interface Played {
  readonly city: City;
  readonly gateway: Gateway;
  readonly mission: Address;
  /** When the first work was done, and none committed. */
  readonly before: Seen;
  /** While a human was asked about the report, its work revealed and judged. */
  readonly during: Seen;
  readonly after: Seen;
  /** Anonymous answers while it ran. */
  readonly whileItRan: string;
}

const expectedWhileRunning = {
  ...{ stranger: ["law"], "executor of another node": ["law"], "issuer of another node": ["law"], "verifier who was not drawn": ["law"] },
  ...{ "adjudicator of no open case": ["law"], "adjudicator of an open case": ["items", "law", "output", "record", "verdict"] },
  ...{ sponsor: ["items", "law", "output", "record", "verdict"], executor: ["items", "law", "output", "record", "verdict"] },
  ...{ issuer: ["items", "law", "output", "record", "verdict"], verifier: ["items", "law", "output", "record", "verdict"] },
  successor: ["law", "output", "record"],
};
const everything = ["bundle", "items", "law", "output", "record", "report", "verdict"];
const expectedOnceOver: Record<Visibility, Seen> = {
  public: Object.fromEntries(Object.keys(expectedWhileRunning).map((who) => [who, everything])),
  parties: {
    ...{ stranger: ["law", "verdict"], "executor of another node": ["law", "verdict"], "issuer of another node": ["law", "verdict"] },
    ...{ "verifier who was not drawn": ["law", "verdict"], "adjudicator of no open case": ["law", "verdict"] },
    // It was decided: nothing waits any more.
    "adjudicator of an open case": ["law", "verdict"],
    ...{ sponsor: everything, executor: ["items", "law", "output", "record", "verdict"] },
    ...{ issuer: ["items", "law", "output", "record", "verdict"], verifier: ["items", "law", "output", "record", "verdict"] },
    successor: ["law", "output", "record", "verdict"],
  },
};

for (const visibility of ["public", "parties"] as const)
  describe(`who reads what of a mission that is ${visibility === "public" ? "public" : "for its parties"}`, function () {
    this.timeout(240_000);
    const home = suiteDirectory();
    let played: Played;

    before(async () => {
      played = await play(join(home(), visibility), visibility);
    });
    after(async () => {
      await played.gateway.close();
      await played.city.close();
    });

    it("is an input alone as long as somebody could copy, for executors and the sponsor too", () => {
      expect(played.before).to.deep.equal({ executor: ["items", "law"], sponsor: ["items", "law"] });
    });

    it("is what the table says while it runs, for every role and everybody without one", () => {
      expect(played.during).to.deep.equal(expectedWhileRunning);
    });

    it("is what the table says once it is over", () => {
      expect(played.after).to.deep.equal(expectedOnceOver[visibility]);
    });

    if (visibility === "public") return;

    it("is looked up for a key a mission at a time: a page of all its nodes costs the chain no more than one event", async () => {
      const { city, gateway } = played;
      const { hub } = gateway;
      let asked = 0;
      const counted: Chain["request"] = (call) => {
        asked += 1;
        return city.chain.request(call);
      };
      const chain = await chainOver(counted, { wall: serveOptions, gathers: true });
      const client = createCityClient({ chain, addresses: city.client.addresses });
      const { blocks, dir } = city;
      const missions = new MissionMemory({ client, hub });
      const world = { client, hub, blocks, dir, missions, laws: new Laws({ client, hub, blocks }) };
      const { events } = await hub.query({ name: "execution.work" });
      const nodes = new Set(events.map(({ nodeId }) => nodeId));
      expect(nodes.size).to.be.greaterThan(4);
      const costOf = async (role: Role, page: readonly StreamEvent[]) => {
        asked = 0;
        const isWithheld = withheldFrom(world, { key: memberOf(city.society, role).account.address });
        const withheld = await Promise.all(page.map(isWithheld));
        return { asked, shown: withheld.filter((each) => !each).length };
      };
      // Law and nodes of the mission are read for whoever comes first.
      await costOf("sponsor", events);
      for (const role of ["sponsor", "verifier", "adjudicator"] as const) {
        const [page, one] = [await costOf(role, events), await costOf(role, events.slice(0, 1))];
        expect(page.asked, role).to.equal(one.asked).and.to.be.lessThan(4);
        if (role === "sponsor") expect(page.shown).to.equal(events.length);
        if (role === "adjudicator") expect(page.shown, "of a decided case").to.equal(0);
      }
    });

    it("shows nobody in particular a byte of it, by whatever face", async () => {
      const { gateway, mission, whileItRan } = played;
      expect(whileItRan).to.not.include(MARK);
      expect(await crawl(gateway, mission)).to.not.include(MARK);
      for (const text of [MARK, MARK.toUpperCase()])
        expect(eventsSchema.parse(await json(gateway, `/v1/events?text=${text}`)).items, "full-text search").to.deep.equal([]);
    });

    it("answers an id that one may not read as one that nobody knows", async () => {
      const { gateway, mission } = played;
      const [work] = (await gateway.hub.query({ name: "execution.work" })).events;
      const bearers = await Promise.all([undefined, privateKeyToAccount(generatePrivateKey())].map((who) => bearerOf(gateway, who)));
      for (const bearer of bearers)
        for (const [known, unknown] of [
          [`/v1/payloads/${work?.payloadCid}`, `/v1/payloads/${contentIdOf(canonicalBytes({ is: "a guess" }))}`],
          [`/v1/missions/${mission}/nodes/0/work`, `/v1/missions/${mission}/nodes/200/work`],
          [`/v1/missions/${mission}/report`, `/v1/missions/${toAddress(`0x${"12".repeat(20)}`)}/report`],
        ] as const) {
          const [one, other] = [await ask(gateway, known, bearer), await ask(gateway, unknown, bearer)];
          expect([one.status, other.status], known).to.deep.equal([404, 404]);
          const same = (text: string) => text.replaceAll(/bafkrei[a-z2-7]{52}|0x[0-9a-fA-F]{40}|node \d+/g, "…");
          expect(same(one.body)).to.equal(same(other.body));
        }
    });

    it("makes a claim that cites it unverifiable, a true one and a guess alike, whoever makes it", async () => {
      const { gateway, city } = played;
      const [work] = (await gateway.hub.query({ name: "execution.work" })).events;
      const cid = work?.payloadCid ?? contentIdOf(new Uint8Array());
      const words = new TextDecoder().decode(city.blocks.get(cid)).slice(10, 60);
      const at = "2027-01-01T00:00:00.000Z";
      let made = 0;
      async function found(by: LocalAccount, source: string, source_excerpt: string) {
        made += 1;
        const claim_id = `${by.address}:withheld-${made}`;
        const claim = { claim_type: "citation", claim_id, claim: "It says so.", attester_id: by.address, attested_at: at } as const;
        const attestation = { ...claim, retrieved_at: at, source_uri: `urn:agentcity:block:${source}`, source_excerpt };
        const terms = {
          verify_endpoint_hint: `${gateway.url}/v1/attestation/verify`,
          sla_window_ms: 60_000,
          signature_alg: "ed25519",
        } as const;
        const body = JSON.stringify(envelope({ attestation, ...terms }));
        const { url, init } = await signedRequest(by, `${gateway.url}/v1/attestation/claims`, { body, now: Math.floor(wall.now / 1_000) });
        expect((await fetch(url, init)).status).to.equal(200);
        const asked = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ claim_id }) };
        const answer = await fetch(`${gateway.url}/v1/attestation/verify`, asked);
        const { status, method, evidence, source_digest } = verificationOutcomeSchema.parse(await answer.json());
        // The claim's own digest is all that differs.
        return { status, method, source_digest, evidence: { ...evidence, claim_digest: "" } };
      }
      const stranger = accountOf(city, "P1");
      const unknown = await found(stranger, contentIdOf(canonicalBytes({ is: "a guess" })), words);
      expect(unknown).to.include({ status: "unverifiable", method: "citation/source-unavailable", source_digest: null });
      for (const excerpt of [words, "a guess at what it says"]) expect(await found(stranger, cid, excerpt), excerpt).to.deep.equal(unknown);
      // Whoever worked on it may read it; what is found out about a claim is everybody's.
      const [{ executors } = { executors: [] }] = nodesSchema.parse(await json(gateway, `/v1/missions/${played.mission}/nodes`)).nodes;
      const executor = city.society.find(({ account }) => account.address === executors[0]?.agent)?.account ?? stranger;
      expect(await found(executor, cid, words), "an executor's").to.deep.equal(unknown);
    });

    it("refuses a bearer that has expired, by name", async () => {
      const { gateway, city, mission } = played;
      const bearer = await bearerOf(gateway, accountOf(city, "sponsor"));
      wall.now += 1_000 * (BEARER_LIFE + 1);
      const answer = await ask(gateway, `/v1/missions/${mission}/report`, bearer);
      expect([answer.status, answer.body]).to.satisfy(
        ([status, body]: [number, string]) => status === 401 && body.includes("BearerUnknown"),
      );
    });

    it("shows a sponsor its items and outputs by MCP too, and a stranger that there is nothing", async () => {
      const { gateway, city, mission } = played;
      const use = async (bearer?: string) => {
        const call = { name: "get_work", arguments: { mission, node: 0, ...(bearer === undefined ? {} : { bearer }) } };
        const answer = await fetch(`${gateway.url}/mcp`, {
          method: "POST",
          headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
        });
        return answer.text();
      };
      expect(await use())
        .to.include("NotFound")
        .and.not.include(MARK);
      expect(await use(await bearerOf(gateway, accountOf(city, "sponsor")))).to.include(MARK);
    });

    it("gives its sponsor the whole bundle, and everybody a copy whose audit says what is withheld", async () => {
      const { gateway, city, mission } = played;
      const whole = await fetched(gateway, mission, join(home(), "whole"), accountOf(city, "sponsor"));
      expect(openBundle(whole).manifest).to.deep.equal(openBundle(join(home(), "parties/missions", mission.toLowerCase())).manifest);
      const audited = await auditBundle(whole);
      expect(audited.withheld).to.equal(undefined);
      const open = await fetched(gateway, mission, join(home(), "open"));
      const seen = await auditBundle(open);
      expect([seen.passed, seen.head, seen.root]).to.deep.equal([true, audited.head, audited.root]);
      const kinds = new Map(seen.withheld?.map(({ of, files }) => [of, files]));
      expect([...kinds.keys()]).to.deep.equal(["bundle", "items", "output", "report"]);
      expect(kinds.get("output")).to.be.greaterThan(5);
      const total = [...kinds.values()].reduce((sum, files) => sum + files, 0);
      expect(renderAudit(seen)).to.include(`${total} blocks withheld`).and.to.include("PASSED as far as it can be seen");
      // What needs nothing that is withheld is verified as ever.
      const verified = (report: typeof seen, name: string) => report.checks.find((check) => check.name === name);
      for (const name of ["BALLOTS", "EVIDENCE", "VERDICTS", "DECISIONS", "SETTLEMENTS", "MONEY", "PAYOUTS"])
        expect(verified(seen, name), name).to.deep.equal(verified(audited, name));
      expect(verified(seen, "CLAIMS")?.verified, "claims by their hashes").to.be.greaterThan(20);
      for (const name of ["CLAIMS", "COMMITS", "RESULTS", "OUTCOME"]) expect(verified(seen, name)?.withheld, name).to.be.greaterThan(0);
      for (const [path, bytes] of openBundle(open).files) expect(new TextDecoder().decode(bytes), path).to.not.include(MARK);
      const files = new Map([...openBundle(open).files, ["manifest.json", new Uint8Array(readFileSync(join(open, "manifest.json")))]]);
      expect(await auditDocuments(files), "in a browser").to.deep.include({ passed: true, withheld: seen.withheld });
    });

    it("is found out when a copy withholds what is everybody's, or says another verdict", async () => {
      const { gateway, mission } = played;
      const copy = await fetched(gateway, mission, join(home(), "hidden"));
      const bundle = openBundle(copy);
      const [cleared] = (await gateway.hub.query({ name: "execution.clearing" })).events;
      const path = `blocks/${cleared?.payloadCid}`;
      const hiding = withoutFiles({ ...bundle.manifest, files: bundle.manifest.files }, new Map([[path, "verdict"]]));
      const withheld = [...(bundle.manifest.withheld ?? []), ...(hiding.withheld ?? [])].sort((a, b) => (a.path < b.path ? -1 : 1));
      const folder = join(home(), "hidden-too");
      await receiveBundle(folder, async (take) => {
        const { digest: _, ...body } = { ...hiding, withheld };
        for (const file of body.files) take(file.path, bundle.bytes(file.path));
        take("manifest.json", new TextEncoder().encode(manifestText({ ...body, digest: sha256(canonicalBytes(body)) })));
      });
      const problems = await auditBundle(folder).then(
        () => [],
        (error: unknown) => (error instanceof AuditFailed ? error.report.checks.flatMap(({ findings }) => findings) : [String(error)]),
      );
      expect(JSON.stringify(problems)).to.include("is withheld, and is everybody's to read");
    });

    it("stays withheld in the bundle of the next mission of the same city", async () => {
      const { gateway, city, mission } = played;
      const other = await carriedOut(city, join(home(), "parties"), "public", "next", PACKAGES, async () => {});
      await gateway.sync();
      expect(other).to.not.equal(mission);
      const open = await fetched(gateway, other, join(home(), "next"));
      for (const [path, bytes] of openBundle(open).files) expect(new TextDecoder().decode(bytes), path).to.not.include(MARK);
      const report = await auditBundle(open);
      expect(report.withheld?.map(({ of }) => of)).to.deep.equal(["bundle", "output"]);
      expect(report.checks.find(({ name }) => name === "OUTCOME")?.withheld, "its own work is all there").to.equal(undefined);
      const files = new Map([...openBundle(open).files, ["manifest.json", new Uint8Array(readFileSync(join(open, "manifest.json")))]]);
      expect((await auditDocuments(files)).checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
    });
  });

/** Founds a city, carries the small mission out, and asks as everybody while a human is asked about its report, and when it is over. */
async function play(folder: string, visibility: Visibility): Promise<Played> {
  mkdirSync(folder, { recursive: true });
  let before: Seen = {};
  let atFirstWork: (() => Promise<void>) | undefined;
  const city = await openCity({
    ...{ dir: join(folder, "embedded"), cacheDir: cache, seed: "7", tell: () => {}, millis: () => 0 },
    async boundary(name) {
      if (name !== "execution:invoked") return;
      const look = atFirstWork;
      atFirstWork = undefined;
      await look?.();
    },
  });
  const gateway = await serveGateway(city, { ...serveOptions, bundles: join(folder, "missions") });
  atFirstWork = async () => {
    await gateway.sync();
    const { items } = z.object({ items: z.array(z.object({ mission: z.string() })).min(1) }).parse(await json(gateway, "/v1/missions"));
    const mission = toAddress(items[0]?.mission ?? "");
    const staffed = nodesSchema.parse(await json(gateway, `/v1/missions/${mission}/nodes`)).nodes;
    const agent = staffed[0]?.executors[0]?.agent;
    const executor = city.society.find(({ account }) => account.address === agent)?.account;
    before = await seenBy(gateway, mission, {
      executor: { account: executor, node: 0 },
      sponsor: { account: accountOf(city, "sponsor"), node: 0 },
    });
  };
  let during: Seen = {};
  let whileItRan = "";
  let people: Awaited<ReturnType<typeof peopleOf>> | undefined;
  const mission = await carriedOut(city, folder, visibility, "first", MARKED, async (about) => {
    await gateway.sync();
    people = await peopleOf(city, gateway, about);
    during = await seenBy(gateway, about, people);
    whileItRan = await crawl(gateway, about);
  });
  await gateway.sync();
  if (people === undefined) throw new Error("no human was asked");
  const after = await seenBy(gateway, mission, people);
  return { city, gateway, mission, before, during, after, whileItRan };
}

/** `asked`: what happens while the report waits for a human. */
async function carriedOut(
  city: City,
  folder: string,
  visibility: Visibility,
  id: string,
  packages: string,
  asked: (mission: Address) => Promise<void>,
): Promise<Address> {
  writeFileSync(join(folder, "packages.csv"), packages);
  const text = `${SMALL_MISSION}visibility: ${visibility}\n`;
  const file = parseMissionFile(text, { fileName: "packages.yaml", catalog: CATALOG, budgetCap: 10n ** 12n });
  const simulated = simulatedJudge(city.chain.id);
  const judge = {
    ...simulated,
    async decide(subject: Parameters<typeof simulated.decide>[0]) {
      const common = { kind: "review", chainId: city.chain.id, adjudication: city.client.addresses.AdjudicationProcedure } as const;
      casesIn(city.dir).write("review-now", { ...common, ...subject });
      await asked(subject.mission);
      casesIn(city.dir).remove("review-now");
      return simulated.decide(subject);
    },
  };
  const order = { file, catalog: CATALOG, input: readInput(file.input, folder), id, judge, cheat: false };
  const outcome = await runToEnd(city, order, text, folder);
  expect(outcome.status).to.equal("completed");
  return toAddress(outcome.mission ?? "");
}

function accountOf({ society }: City, name: string): LocalAccount {
  const member = society.find((each) => each.name === name);
  if (member === undefined) throw new Error(`nobody is called ${name}`);
  return member.account;
}

interface Person {
  readonly account: LocalAccount | undefined;
  readonly node: number;
}

/** Somebody of each role at the estimate, or at the report where a case waits, and those who have none there. */
async function peopleOf(city: City, gateway: Gateway, mission: Address): Promise<Readonly<Record<string, Person>>> {
  const { nodes } = lawSchema.parse(await json(gateway, `/v1/missions/${mission}/law`));
  const numberOf = (task: string) => nodes.find((each) => each.task === task)?.number ?? -1;
  const [node, report] = [numberOf("estimate"), numberOf("report")];
  const staffed = nodesSchema.parse(await json(gateway, `/v1/missions/${mission}/nodes`)).nodes;
  const executors = (number: number) => staffed[number]?.executors.map(({ agent }) => agent) ?? [];
  const sealed = await gateway.hub.query({
    name: "execution.clearing",
    nodeId: node,
    missionId: gateway.hub.missionAt(mission)?.id ?? "0x",
  });
  const record = z
    .object({
      weights: z.record(z.string(), z.number()),
      envelope: z.object({ items: z.array(z.object({ provenance: z.array(z.object({ emitter: z.string() })) })) }),
    })
    .parse(city.blocks.getJson(sealed.events[0]?.payloadCid ?? ("" as never)));
  const emitters = new Set(record.envelope.items.flatMap(({ provenance }) => provenance.map(({ emitter }) => emitter.split("/")[0] ?? "")));
  const panel = new Set(Object.keys(record.weights).map((seat) => seat.split("/")[0] ?? ""));
  const who = (address: string | undefined): LocalAccount => {
    const member = city.society.find(({ account }) => account.address === address);
    if (member === undefined) throw new Error(`nobody here is ${address}`);
    return member.account;
  };
  const kind = (wanted: string) => city.society.filter(({ role }) => role === wanted).map(({ account }) => account.address as string);
  const own = new Set([...executors(node), ...executors(report)]);
  const others = nodes.flatMap(({ number }) => executors(number)).filter((agent) => !own.has(agent));
  const at = (address: string | undefined, place = node): Person => ({ account: who(address), node: place });
  return {
    stranger: { account: privateKeyToAccount(generatePrivateKey()), node },
    "executor of another node": at(others[0]),
    "issuer of another node": at(kind("issuer").find((each) => !emitters.has(each))),
    "verifier who was not drawn": at(kind("verifier").find((each) => !panel.has(each))),
    "adjudicator of no open case": at(accountOf(city, "adjudicator-1").address),
    "adjudicator of an open case": at(accountOf(city, "adjudicator-1").address, report),
    sponsor: at(accountOf(city, "sponsor").address),
    executor: at(executors(node)[0]),
    issuer: at(kind("issuer").find((each) => emitters.has(each))),
    verifier: at([...panel][0]),
    successor: at(executors(report).find((each) => !executors(node).includes(each))),
  };
}

async function seenBy(gateway: Gateway, mission: Address, people: Readonly<Record<string, Person>>): Promise<Seen> {
  const seen: Record<string, readonly string[]> = {};
  for (const [name, { account, node }] of Object.entries(people)) {
    const bearer = await bearerOf(gateway, account);
    const reads: Record<string, boolean> = {};
    const get = (path: string) => ask(gateway, path, bearer);
    reads["law"] = (await get(`/v1/missions/${mission}/law`)).status === 200;
    const work = await get(`/v1/missions/${mission}/nodes/${node}/work`);
    const parts = work.status === 200 ? nodeWorkOutput.parse(JSON.parse(work.body)) : { items: null, outputs: null };
    reads["items"] = parts.items !== null;
    reads["output"] = parts.outputs !== null && parts.outputs.length > 0;
    const clearings = await get(`/v1/missions/${mission}/nodes/${node}/clearings`);
    reads["verdict"] = clearings.status === 200 && clearingsOutput.parse(JSON.parse(clearings.body)).claims.length > 0;
    const [own] = (await gateway.hub.query({ name: "execution.work", missionId: gateway.hub.missionAt(mission)?.id ?? "0x", nodeId: node }))
      .events;
    reads["record"] = (await get(`/v1/payloads/${own?.payloadCid}`)).status === 200;
    const listed = eventsSchema.parse(JSON.parse((await get(`/v1/events?mission=${mission}&node=${node}&name=execution.work`)).body));
    expect(listed.items[0]?.payloadCid === own?.payloadCid, `${name} is told the id of what it may read`).to.equal(reads["record"]);
    reads["report"] = (await get(`/v1/missions/${mission}/report`)).status === 200;
    const bundle = await get(`/v1/missions/${mission}/bundle`);
    reads["bundle"] = bundle.status === 200 && !manifestIn(bundle.body).includes('"withheld"');
    seen[name] = Object.keys(reads)
      .filter((object) => reads[object])
      .sort();
  }
  return seen;
}

/** Text of the manifest, which is on some page of the bundle. */
function manifestIn(body: string): string {
  const found = bundleOutput.parse(JSON.parse(body)).files.find(({ path }) => path === "manifest.json");
  return Buffer.from(found?.base64 ?? "", "base64").toString();
}

async function bearerOf(gateway: Gateway, account: LocalAccount | undefined): Promise<string | undefined> {
  if (account === undefined) return undefined;
  const { url, init } = await signedRequest(account, `${gateway.url}/v1/session`, { now: Math.floor(wall.now / 1_000) });
  return z.object({ bearer: z.string() }).parse(await (await fetch(url, init)).json()).bearer;
}

async function ask({ url }: Gateway, path: string, bearer?: string) {
  const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  const answer = await fetch(`${url}${path}`, { headers });
  return { status: answer.status, body: await answer.text() };
}

async function json(gateway: Gateway, path: string): Promise<unknown> {
  return JSON.parse((await ask(gateway, path)).body);
}

/** Everything that the gateway tells nobody in particular about a mission, page by page, payload by payload. */
async function crawl(gateway: Gateway, mission: Address): Promise<string> {
  const told: string[] = [];
  const row = gateway.hub.missionAt(mission);
  const { nodes } = lawSchema.parse(await json(gateway, `/v1/missions/${mission}/law`));
  const known: Readonly<Record<string, readonly string[]>> = {
    ...{ mission: [mission], id: [mission], session: [row?.session ?? ""], node: nodes.map(({ number }) => String(number)) },
    agent: nodesSchema
      .parse(await json(gateway, `/v1/missions/${mission}/nodes`))
      .nodes.flatMap(({ executors }) => executors.map(({ agent }) => agent)),
  };
  for (const { path, method, access } of COMMANDS) {
    if (method !== "GET" || (access !== "open" && access !== "reader")) continue;
    let paths = [path];
    for (const field of pathFields(path))
      paths = paths.flatMap((each) => (known[field] ?? []).map((value) => each.replace(`{${field}}`, value)));
    for (const each of paths) if (!each.endsWith("/bundle")) told.push((await ask(gateway, each)).body);
  }
  for (let cursor: string | null = "s0"; cursor !== null; ) {
    const page: z.infer<typeof eventsSchema> = eventsSchema.parse(await json(gateway, `/v1/events?limit=200&cursor=${cursor}`));
    for (const { payloadCid } of page.items) if (payloadCid !== null) told.push((await ask(gateway, `/v1/payloads/${payloadCid}`)).body);
    told.push(canonicalJson(page.items));
    cursor = page.next;
  }
  return told.join("\n");
}

/** A bundle as somebody fetches it. Returns its folder. */
async function fetched(gateway: Gateway, mission: Address, folder: string, account?: LocalAccount): Promise<string> {
  mkdirSync(dirname(folder), { recursive: true });
  const bearer = await bearerOf(gateway, account);
  await receiveBundle(folder, async (take) => {
    for (let after: string | null = ""; after !== null; ) {
      const query: string = after === "" ? "" : `?after=${encodeURIComponent(after)}`;
      const page: z.infer<typeof bundleOutput> = bundleOutput.parse(
        JSON.parse((await ask(gateway, `/v1/missions/${mission}/bundle${query}`, bearer)).body),
      );
      for (const { path, base64 } of page.files) take(path, Buffer.from(base64, "base64"));
      after = page.next;
    }
  });
  return folder;
}
