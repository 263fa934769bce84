// @long
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { envelope, verificationOutcomeSchema } from "../../orchestrator/attestation/index.ts";
import type { Chain } from "../../orchestrator/chain/chain.ts";
import { chainOver } from "../../orchestrator/chain/rpc.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { auditDocuments } from "../../orchestrator/city/audit/audit-documents.ts";
import { AuditFailed } from "../../orchestrator/city/audit/audit-failed.ts";
import { renderAudit } from "../../orchestrator/city/audit/render.ts";
import { memberOf, type Role } from "../../orchestrator/city/founding/society.ts";
import { createCityClient } from "../../orchestrator/client/client.ts";
import { BEARER_LIFE } from "../../orchestrator/gateway/bearers.ts";
import { Laws } from "../../orchestrator/gateway/laws.ts";
import { MissionMemory } from "../../orchestrator/gateway/mission-memory.ts";
import { withheldFrom } from "../../orchestrator/gateway/reading.ts";
import { toAddress } from "../../orchestrator/gateway/wire.ts";
import type { StreamEvent } from "../../orchestrator/hub/view.ts";
import { contentIdOf, sha256 } from "../../orchestrator/primitives/hash.ts";
import { canonicalBytes } from "../../orchestrator/primitives/json.ts";
import { openBundle, receiveBundle } from "../../orchestrator/records/bundle.ts";
import { manifestText, withoutFiles } from "../../orchestrator/records/bundle-manifest.ts";
import { PACKAGES } from "../support/mission-bundle.ts";
import { serveOptions, wall } from "./gateway-city.ts";
import {
  accountOf,
  ask,
  bearerOf,
  carriedOut,
  crawl,
  eventsSchema,
  fetched,
  json,
  MARK,
  nodesSchema,
  whoReadsWhat,
} from "./read-access-suite.ts";
import { signedRequest } from "./signed-fetch.ts";

whoReadsWhat("parties", (played, home) => {
  it("is looked up for a key a mission at a time: a page of all its nodes costs the chain no more than one event", async () => {
    const { city, gateway } = played();
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
    const { gateway, mission, whileItRan } = played();
    expect(whileItRan).to.not.include(MARK);
    expect(await crawl(gateway, mission)).to.not.include(MARK);
    for (const text of [MARK, MARK.toUpperCase()])
      expect(eventsSchema.parse(await json(gateway, `/v1/events?text=${text}`)).items, "full-text search").to.deep.equal([]);
  });

  it("answers an id that one may not read as one that nobody knows", async () => {
    const { gateway, mission } = played();
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
    const { gateway, city } = played();
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
    const [{ executors } = { executors: [] }] = nodesSchema.parse(await json(gateway, `/v1/missions/${played().mission}/nodes`)).nodes;
    const executor = city.society.find(({ account }) => account.address === executors[0]?.agent)?.account ?? stranger;
    expect(await found(executor, cid, words), "an executor's").to.deep.equal(unknown);
  });

  it("refuses a bearer that has expired, by name", async () => {
    const { gateway, city, mission } = played();
    const bearer = await bearerOf(gateway, accountOf(city, "sponsor"));
    wall.now += 1_000 * (BEARER_LIFE + 1);
    const answer = await ask(gateway, `/v1/missions/${mission}/report`, bearer);
    expect([answer.status, answer.body]).to.satisfy(([status, body]: [number, string]) => status === 401 && body.includes("BearerUnknown"));
  });

  it("shows a sponsor its items and outputs by MCP too, and a stranger that there is nothing", async () => {
    const { gateway, city, mission } = played();
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
    const { gateway, city, mission } = played();
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
    const { gateway, mission } = played();
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
    const { gateway, city, mission } = played();
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
