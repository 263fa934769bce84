import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import type { LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { type City, openCity } from "../../orchestrator/city/city.ts";
import { casesIn } from "../../orchestrator/city/humans/case-desk.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { bundleOutput } from "../../orchestrator/gateway/commands/bundles.ts";
import { clearingsOutput } from "../../orchestrator/gateway/commands/clearings.ts";
import { eventOutput } from "../../orchestrator/gateway/commands/events.ts";
import { nodeOutput } from "../../orchestrator/gateway/commands/missions.ts";
import { nodeWorkOutput } from "../../orchestrator/gateway/commands/node-work.ts";
import { COMMANDS } from "../../orchestrator/gateway/commands/table.ts";
import { pathFields } from "../../orchestrator/gateway/openapi.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { toAddress } from "../../orchestrator/gateway/wire.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import type { Visibility } from "../../orchestrator/protocol/visibility.ts";
import { receiveBundle } from "../../orchestrator/records/bundle.ts";
import { CATALOG } from "../../services/catalog.ts";
import { cache } from "../support/cache.ts";
import { PACKAGES, SMALL_MISSION } from "../support/mission-bundle.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions, wall } from "./gateway-city.ts";
import { signedRequest } from "./signed-fetch.ts";

/** In every item's name, and with it in every output: nothing else in the city says it. */
export const MARK = "quagga";
const MARKED = PACKAGES.replaceAll(/^(?!package,)/gm, `${MARK}-`).replace(new RegExp(`${MARK}-$`), "");

export const eventsSchema = z.object({ items: z.array(eventOutput), next: z.string().nullable() });
const lawSchema = z.object({ nodes: z.array(z.object({ number: z.number(), task: z.string() })) });
export const nodesSchema = z.object({ nodes: z.array(nodeOutput) });

/** What somebody could read, of the table's objects: the face of each is named in `reads`. */
type Seen = Readonly<Record<string, readonly string[]>>;

export interface Played {
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

/**
 * The suite of a mission of one visibility: as everybody sees it while a human is asked about its report, and when it is over.
 * `more`: further tests of the same mission.
 */
export function whoReadsWhat(visibility: Visibility, more: (played: () => Played, home: () => string) => void = () => {}): void {
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

    more(() => played, home);
  });
}

/** Founds a city, carries the small mission out, and asks as everybody while a human is asked about its report, and when it is over. */
async function play(folder: string, visibility: Visibility): Promise<Played> {
  mkdirSync(folder, { recursive: true });
  let before: Seen = {};
  let atFirstWork: (() => Promise<void>) | undefined;
  const city = await openCity({
    ...{ dir: join(folder, "embedded"), cacheDir: cache, seed: "7", progress: () => {}, millis: () => 0 },
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
export async function carriedOut(
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

export function accountOf({ society }: City, name: string): LocalAccount {
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

export async function bearerOf(gateway: Gateway, account: LocalAccount | undefined): Promise<string | undefined> {
  if (account === undefined) return undefined;
  const { url, init } = await signedRequest(account, `${gateway.url}/v1/session`, { now: Math.floor(wall.now / 1_000) });
  return z.object({ bearer: z.string() }).parse(await (await fetch(url, init)).json()).bearer;
}

export async function ask({ url }: Gateway, path: string, bearer?: string) {
  const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  const answer = await fetch(`${url}${path}`, { headers });
  return { status: answer.status, body: await answer.text() };
}

export async function json(gateway: Gateway, path: string): Promise<unknown> {
  return JSON.parse((await ask(gateway, path)).body);
}

/** Everything that the gateway tells nobody in particular about a mission, page by page, payload by payload. */
export async function crawl(gateway: Gateway, mission: Address): Promise<string> {
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
export async function fetched(gateway: Gateway, mission: Address, folder: string, account?: LocalAccount): Promise<string> {
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
