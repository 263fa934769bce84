/** Claims at a city's gateway, over HTTP, MCP and A2A: who emits, what is checked against what, and what is kept. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect } from "chai";
import type { LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { keyOfDid } from "../../orchestrator/agreements/index.ts";
import {
  type CitationClaim,
  type ClaimAttestation,
  type ClaimEnvelope,
  checkSealedHead,
  claimsOf,
  digestOf,
  envelope,
  isOutcomeSignedBy,
  PRAMANA_EXTENSION,
  sealedHeadSchema,
  serviceRefOf,
  trailEntrySchema,
  verificationOutcomeSchema,
} from "../../orchestrator/attestation/index.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions, wall } from "./gateway-city.ts";
import { signedRequest } from "./signed-fetch.ts";

const anything = z.looseObject({});
const errorSchema = z.object({ error: z.object({ code: z.string() }) });
const auditSchema = z.object({
  envelope: anything,
  outcome: verificationOutcomeSchema.nullable(),
  trail: z.array(trailEntrySchema),
  head: sealedHeadSchema,
});
const TEXT = "Article 7: a report is due within thirty days.";

describe("claims at the gateway", function () {
  this.timeout(120_000);
  const directory = suiteDirectory();
  let city: City;
  let gateway: Gateway;
  let sources: Server;
  let origin = "";
  let text = TEXT;
  const fetched: string[] = [];

  const open = () =>
    serveGateway(city, {
      ...serveOptions,
      // The second name is on the list, and leads inward: nobody marked it.
      claimOrigins: [{ origin, privateNetwork: true }, { origin: origin.replace("127.0.0.1", "localhost") }],
    });
  before(async () => {
    sources = createServer((request, response) => {
      fetched.push(request.url ?? "");
      if (request.url === "/silent") return;
      if (request.url === "/inward") return void response.writeHead(302, { location: "/law" }).end();
      if (request.url === "/dti") return void response.end(JSON.stringify({ dti: { value: 41.5, unit: "percent", method: "bureau" } }));
      response.end(text);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => sources.once("listening", resolve));
    origin = `http://127.0.0.1:${(sources.address() as AddressInfo).port}`;
    city = await openHome(join(directory(), "home"), "7");
    gateway = await open();
  });
  after(async () => {
    await gateway?.close();
    await city?.close();
    sources?.closeAllConnections();
    sources?.close();
  });

  const member = (name = "P1"): LocalAccount => memberOf(city.society, "producer", name).account;
  const cited = (name: string, change: Partial<CitationClaim> = {}, by = member()): CitationClaim => ({
    ...{ claim_type: "citation", claim_id: `${by.address}:${name}`, claim: "The report is due in 30 days.", attester_id: by.address },
    ...{ attested_at: "2027-01-01T00:00:00.000Z", retrieved_at: "2027-01-01T00:00:00.000Z" },
    ...{ source_uri: `${origin}/law`, source_excerpt: "within thirty days" },
    ...change,
  });
  const wrapped = (attestation: ClaimAttestation, change: Partial<ClaimEnvelope> = {}): ClaimEnvelope =>
    envelope({
      ...{ attestation, verify_endpoint_hint: `${gateway.url}/v1/attestation/verify`, sla_window_ms: 60_000, signature_alg: "ed25519" },
      ...change,
    });
  async function answered(sent: Promise<Response>) {
    const answer = await sent;
    const body = anything.parse(await answer.json());
    return { status: answer.status, body, code: errorSchema.safeParse(body).data?.error.code ?? "" };
  }
  const now = () => Math.floor(wall.now / 1_000);
  async function emit(claim: object, by = member()) {
    const { url, init } = await signedRequest(by, `${gateway.url}/v1/attestation/claims`, { body: JSON.stringify(claim), now: now() });
    return answered(fetch(url, init));
  }
  const json = { "content-type": "application/json" };
  const verify = (claim: string) =>
    answered(fetch(`${gateway.url}/v1/attestation/verify`, { method: "POST", headers: json, body: JSON.stringify({ claim_id: claim }) }));
  const audit = (claim: string) => answered(fetch(`${gateway.url}/v1/attestation/audit/${encodeURIComponent(claim)}`));
  async function checked(attestation: ClaimAttestation, change: Partial<ClaimEnvelope> = {}) {
    const sent = await emit(wrapped(attestation, change));
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    return verificationOutcomeSchema.parse((await verify(attestation.claim_id)).body);
  }
  const verifierKey = async () => {
    const said = await answered(fetch(`${gateway.url}/v1/city`));
    const { verifier } = z.object({ document: z.looseObject({ verifier: z.string() }) }).parse(said.body).document;
    const key = keyOfDid({ scheme: "w3c_did", value: verifier });
    if (key === undefined) throw new Error(verifier);
    return { verifier, key };
  };

  it("are emitted by members, checked where the card says, and signed by the verifier that the operator names", async () => {
    const card = await answered(fetch(`${gateway.url}/.well-known/agent-card.json`));
    const ref = serviceRefOf(card.body);
    expect(ref).to.deep.include({
      ...{ verify_endpoint: `${gateway.url}/v1/attestation/verify`, audit_endpoint: `${gateway.url}/v1/attestation/audit` },
      ...{ source_schemes: ["urn", "http"], sla_window_ms: 60_000, signature_alg: "ed25519" },
    });
    const { key, verifier } = await verifierKey();
    const claim = cited("law");
    const outcome = await checked(claim, { source_digest: digestOf(new TextEncoder().encode(TEXT)) });
    expect(outcome).to.include({
      ...{ status: "verified", method: "citation/excerpt-present", verifier_id: verifier },
      source_digest: digestOf(new TextEncoder().encode(TEXT)),
    });
    expect(isOutcomeSignedBy(outcome, key)).to.equal(true);
    const { envelope: kept, outcome: found, trail, head } = auditSchema.parse((await audit(claim.claim_id)).body);
    expect([kept["attestation"], found]).to.deep.equal([claim, outcome]);
    expect(trail.map(({ event }) => event.action)).to.deep.equal(["emit", "verify"]);
    expect(() => checkSealedHead(trail, head, key)).to.not.throw();
    const dti = { claim_type: "measurement", unit: "percent", method: "bureau", measurement_source: `${origin}/dti#dti` } as const;
    const { claim_id, claim: words, attester_id, attested_at } = cited("dti");
    const measured = { claim_id, claim: words, attester_id, attested_at, ...dti, measured_value: 41.5, uncertainty: 0 };
    expect((await checked(measured)).method).to.equal("measurement/record-match");
    const manifest = await answered(fetch(`${gateway.url}/v1/attestation/manifest.json`));
    expect(manifest.body["uri"]).to.equal(PRAMANA_EXTENSION);
  });

  it("are refused by name from whoever may not make them", async () => {
    const stranger: LocalAccount = privateKeyToAccount(generatePrivateKey());
    const unsigned = fetch(`${gateway.url}/v1/attestation/claims`, {
      method: "POST",
      headers: json,
      body: JSON.stringify(wrapped(cited("unsigned"))),
    });
    expect((await answered(unsigned)).code).to.equal("SignatureMissing");
    const refusals: readonly (readonly [string, object, typeof stranger, string])[] = [
      ["another's", wrapped(cited("a", {}, member("P2"))), member(), "NotAllowed"],
      ["in another spelling", wrapped(cited("z", { attester_id: member().address.toLowerCase() })), member(), "NotAllowed"],
      ["a stranger's own", wrapped(cited("b", {}, stranger)), stranger, "NotAllowed"],
      ["under another's name", wrapped(cited("c", { claim_id: `${member("P2").address}:c` })), member(), "BadRequest"],
      ["under no name", wrapped(cited("d", { claim_id: "d" })), member(), "BadRequest"],
      [
        "to be checked elsewhere",
        wrapped(cited("e"), { verify_endpoint_hint: "https://elsewhere.example/verify" }),
        member(),
        "BadRequest",
      ],
      ["without an end", wrapped(cited("f"), { sla_window_ms: 60_001 }), member(), "BadRequest"],
      ["with a seal of its own", { ...wrapped(cited("g")), artifact_signature: "0x00" }, member(), "BadRequest"],
      ["nowhere to be checked", { ...wrapped(cited("h")), verify_endpoint_hint: undefined }, member(), "BadRequest"],
      ["too long", wrapped(cited("i", { claim: "x".repeat(9_000) })), member(), "QuotaExceeded"],
    ];
    for (const [name, claim, by, code] of refusals) expect((await emit(claim, by)).code, name).to.equal(code);
    expect((await emit(wrapped(cited("once")))).status).to.equal(200);
    expect((await emit(wrapped(cited("once", { claim: "Another thing." })))).code, "said otherwise").to.equal("LifecycleRefused");
    expect([(await verify("unknown")).code, (await audit("unknown")).code]).to.deep.equal(["UnknownClaim", "UnknownClaim"]);
  });

  it("turn the city inward for nobody: what is not listed, leads to a private network or elsewhere is unverifiable", async () => {
    fetched.length = 0;
    const { port } = new URL(origin);
    const inward = [
      `http://localhost:${port}/law`,
      "http://169.254.169.254/latest/meta-data",
      `http://[::1]:${port}/law`,
      "http://records.example/law",
      "file:///etc/passwd",
      `${origin.replace("//", "//user:secret@")}/law`,
      "urn:agentcity:block:nonsense",
      "urn:agentcity:block:bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy",
    ];
    for (const [place, source_uri] of inward.entries()) {
      const { status, method } = await checked(cited(`inward-${place}`, { source_uri }));
      expect([status, method], source_uri).to.deep.equal(["unverifiable", "citation/source-unavailable"]);
    }
    expect(fetched).to.deep.equal([]);
    const { status, artifact_signature } = await checked(cited("redirected", { source_uri: `${origin}/inward` }));
    expect([status, fetched, artifact_signature === null]).to.deep.equal(["unverifiable", ["/inward"], false]);
  });

  it("are checked against payloads that everybody may read", async () => {
    const { items } = z
      .object({ items: z.array(z.object({ payloadCid: z.string().nullable() })) })
      .parse((await answered(fetch(`${gateway.url}/v1/events?limit=1`))).body);
    const cid = items[0]?.payloadCid;
    const { payload } = z.looseObject({ payload: z.json() }).parse((await answered(fetch(`${gateway.url}/v1/payloads/${cid}`))).body);
    const words = JSON.stringify(payload).slice(1, 12);
    const source_uri = `urn:agentcity:block:${cid}`;
    expect((await checked(cited("event", { source_uri, source_excerpt: words }))).status).to.equal("verified");
  });

  it("end with their window where a source never answers, and are one check however many ask", async () => {
    fetched.length = 0;
    const silent = cited("silent", { source_uri: `${origin}/silent` });
    expect((await emit(wrapped(silent, { sla_window_ms: 50 }))).status).to.equal(200);
    const answers = await Promise.all(Array.from({ length: 6 }, () => verify(silent.claim_id)));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).to.equal(1);
    expect([answers[0]?.body["status"], answers[0]?.body["method"], fetched]).to.deep.equal([
      "unverifiable",
      "sla-window-closed",
      ["/silent"],
    ]);
  });

  it("stay as they were found, through a restart and whatever their source says later", async () => {
    const [early, late] = [cited("early"), cited("late")];
    const before = await checked(early);
    await emit(wrapped(late, { source_digest: digestOf(new TextEncoder().encode(TEXT)) }));
    const recorded = (await audit(early.claim_id)).body;
    text = `${TEXT} (as amended)`;
    await gateway.close();
    gateway = await open();
    expect((await verify(early.claim_id)).body).to.deep.equal(before);
    expect((await audit(early.claim_id)).body).to.deep.equal(recorded);
    expect((await emit(wrapped(early))).code).to.equal("LifecycleRefused");
    expect((await verify(late.claim_id)).body).to.include({ status: "rejected", method: "citation/source-changed" });
    text = TEXT;
    const [{ file = "" } = {}] = await city.database.query("SELECT file FROM gateway_claim_steps WHERE sequence = 0");
    const change = (said: unknown) => city.database.query("UPDATE gateway_claim_steps SET file = $1 WHERE sequence = 0", [said]);
    await change(String(file).replace("30 days", "90 days"));
    expect(await rejection(open())).to.include({ code: "TrailBroken" });
    await change(file);
  });

  it("go beside MCP's content under `pramana`, and beside A2A's for who speaks the extension", async () => {
    const claim = cited("beside");
    await checked(claim);
    const client = new Client({ name: "stranger", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", gateway.url)));
    const result = await client.callTool({ name: "get_claim", arguments: { claim_id: claim.claim_id } });
    expect(claimsOf({ content: [], _meta: result._meta ?? {} }).map(({ attestation }) => attestation)).to.deep.equal([claim]);
    const [content] = z.array(z.object({ text: z.string() })).parse(result.content);
    expect(JSON.parse(content?.text ?? "")).to.deep.equal((await audit(claim.claim_id)).body);
    const without = await client.callTool({ name: "verify_claim", arguments: { claim_id: claim.claim_id } });
    expect(without._meta?.["pramana"]).to.equal(undefined);
    await client.close();

    const part = { data: { command: "get_claim", fields: { claim_id: claim.claim_id } } };
    const message = { messageId: "m", role: "ROLE_USER", parts: [part] };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } });
    const said = async (headers: Record<string, string>) => {
      const answer = await answered(
        fetch(`${gateway.url}/a2a`, { method: "POST", body, headers: { ...json, "a2a-version": "1.0", ...headers } }),
      );
      return z.object({ result: z.object({ message: anything }) }).parse(answer.body).result.message;
    };
    const [spoken, plain] = [await said({ "a2a-extensions": PRAMANA_EXTENSION }), await said({})];
    expect(spoken).to.deep.include({ extensions: [PRAMANA_EXTENSION], parts: plain["parts"] });
    expect(z.record(z.string(), z.array(anything)).parse(spoken["metadata"])[PRAMANA_EXTENSION]?.[0]?.["attestation"]).to.deep.equal(claim);
    expect(plain).to.not.have.property("metadata");
  });

  it("of one attester leave room for others: 256 each, for good", async () => {
    const desk = gateway.world.claims;
    const many = member("P3");
    if (desk === undefined) throw new Error("no claims");
    for (let place = 0; place < 256; place += 1) await desk.emit(wrapped(cited(`many-${place}`, {}, many)), many.address);
    expect((await emit(wrapped(cited("one-more", {}, many)), many)).code).to.equal("QuotaExceeded");
    expect((await emit(wrapped(cited("others", {}, member("P4"))), member("P4"))).status).to.equal(200);
  });
});
