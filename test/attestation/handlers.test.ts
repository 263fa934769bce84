import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { z } from "zod";
import { attestationHandlers } from "../../orchestrator/attestation/handlers.ts";
import { agentExtension, type PramanaServiceRef } from "../../orchestrator/attestation/wire.ts";
import { CLAIMS, DOCUMENTS, openDesk, sent } from "../../scripts/attestation/underwriting.ts";

const anything = z.looseObject({});
const schema = z.record(z.string(), z.unknown());
const serviceRef: Omit<PramanaServiceRef, "version"> = {
  verify_endpoint: "https://desk.example/verify",
  audit_endpoint: "https://desk.example/audit",
  claim_types: ["citation"],
  source_schemes: ["https"],
  signature_alg: "ed25519",
  sla_window_ms: 60_000,
};

/** Who asks is what a header says: real ones check a signature. */
function served() {
  const { desk } = openDesk(DOCUMENTS);
  const app = attestationHandlers({ desk, authenticate: async (request) => request.headers.get("x-caller") ?? undefined });
  const ask = async (path: string, body?: unknown, caller?: string) => {
    const headers = caller === undefined ? {} : { "x-caller": caller };
    const init =
      body === undefined ? { headers } : { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) };
    const answer = await app.request(path, init);
    return { status: answer.status, body: anything.parse(await answer.json()) };
  };
  return { desk, ask };
}

describe("attestation/handlers", () => {
  it("takes a claim in, checks it and tells its whole story", async () => {
    const { ask } = served();
    expect(await ask("/claims", sent(CLAIMS.citation), "agent-1")).to.deep.equal({ status: 201, body: { claim_id: "c-1" } });
    const { status, body } = await ask("/verify", { claim_id: "c-1" });
    expect([status, body["status"]]).to.deep.equal([200, "verified"]);
    const audit = await ask("/audit/c-1");
    expect(audit.body["outcome"]).to.deep.equal(body);
    expect(audit.body["envelope"]).to.deep.equal(sent(CLAIMS.citation));
    expect(audit.body["trail"]).to.have.length(2);
  });

  it("tells strangers what travels, in schemas that take what is sent and nothing without where to have it checked", async () => {
    const { ask } = served();
    const { status, body } = await ask("/manifest.json");
    const manifest = z.object({ uri: z.string(), envelope: schema, a2a: z.object({ params: schema }) }).parse(body);
    const { uri, params } = agentExtension(serviceRef);
    expect([status, manifest.uri]).to.deep.equal([200, uri]);
    const takes = (what: typeof manifest.envelope, value: unknown) =>
      new Ajv2020({ strict: false, validateFormats: false }).compile(what)(value);
    for (const claim of Object.values(CLAIMS)) expect(takes(manifest.envelope, sent(claim)), claim.claim_type).to.equal(true);
    const { verify_endpoint_hint: _, ...nowhere } = sent(CLAIMS.citation);
    expect(takes(manifest.envelope, nowhere)).to.equal(false);
    expect(takes(manifest.a2a.params, params)).to.equal(true);
    expect(takes(manifest.a2a.params, { ...params, claim_types: ["opinion"] })).to.equal(false);
  });

  it("takes claims from their attesters only", async () => {
    const { ask, desk } = served();
    expect((await ask("/claims", sent(CLAIMS.citation))).status).to.equal(401);
    expect((await ask("/claims", sent(CLAIMS.citation), "agent-2")).status).to.equal(403);
    expect(desk.trail).to.have.length(0);
  });

  it("answers bad requests by name, and changes nothing", async () => {
    const { ask, desk } = served();
    await ask("/claims", sent(CLAIMS.citation), "agent-1");
    for (const [path, body, status] of [
      ["/claims", sent(CLAIMS.citation), 409],
      ["/claims", { ...sent(CLAIMS.analogy), sla_window_ms: 0 }, 400],
      ["/claims", "{not json", 400],
      ["/claims", `"${"x".repeat(70_000)}"`, 413],
      ["/verify", { claim_id: "unknown" }, 404],
      ["/verify", { claim: "c-1" }, 400],
    ] as const) {
      const answer = await ask(path, body, "agent-1");
      expect(answer.status, JSON.stringify(body).slice(0, 60)).to.equal(status);
    }
    expect((await ask("/audit/unknown")).status).to.equal(404);
    expect(desk.trail).to.have.length(1);
  });
});
