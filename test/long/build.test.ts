import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect } from "chai";
import ts from "typescript";
import { z } from "zod";
import { buildPackage } from "../../scripts/dev/build.ts";
import { root } from "../../scripts/dev/files.ts";

/** What a stranger writes who has only the package. */
const PROGRAM = `
import { advance, agreementHash, determine, divide, lifecycleTerms, PROPOSED, readAgreement, readSigned, signAgreement } from "agentcity/agreements";
import { claimAttestationSchema, isOutcomeSignedBy, isSignedBy, ruleOracle, signerOf, verify } from "agentcity/attestation";
import { bindObligation, deployment, RAILS_ADMISSIBILITY, registryOf, signerBy, verifySignature } from "agentcity/clearing";

const rule = { rule: "dti/v1", conditions: ["dti 0.31"], conclusion: "approve" };
const sources = { fetch: async () => new TextEncoder().encode(JSON.stringify(rule)) };
const none = { id: "none", determinism: "deterministic", read: () => Promise.reject(new Error()), compute: () => Promise.reject(new Error()) };
const ada = signerOf("ed25519", new Uint8Array(32).fill(7));
const adaClears = signerBy("ada", ada);
const deps = {
  verifierId: "ada",
  signer: ada,
  now: () => 0,
  sources,
  measurements: none,
  similarity: none,
  inference: ruleOracle(sources, () => "urn:rule"),
};
const claim = {
  claim_type: "inference", claim_id: "c1", claim: "approve", attester_id: "bo", attested_at: "2026-01-01T00:00:00Z",
  premises: ["dti 0.31"], conclusion: "approve", inference_method: "dti/v1",
};
const outcome = await verify(claim, deps);
const refused = bindObligation({}, deployment(registryOf([])));
const message = new Uint8Array([1, 2, 3]);

const bo = signerOf("secp256k1", new Uint8Array(32).fill(8));
const keyOf = ({ value }) => ({ ada, bo })[value]?.publicKey;
const party = (value) => ({ identity: { scheme: "uri", value } });
const offer = readAgreement({
  asa_version: "1.0.0", agreement_id: "asa-stranger", created_at: "2026-03-26T14:30:00Z", expires_at: "2026-03-27T14:30:00Z", status: "proposed",
  parties: { client: party("ada"), provider: party("bo"), evaluator: { ...party("cy"), type: "deterministic" } },
  service: { type: "translation", description: "A page into Portuguese", deliverable_format: "markdown" },
  quality_criteria: {
    dimensions: [{ name: "accuracy", weight: 1, metric: "percentage", slo: { operator: "gte", value: 80 } }],
    composite_threshold: 75, composite_method: "weighted_average", guarantee_type: "deterministic",
  },
  verification: { strategy: "immediate" },
  escrow: {
    enabled: true, binding: { type: "x402" },
    payment: { amount: "10.00", currency: "USDC", graduated_release: { enabled: true, mode: "continuous" } },
  },
});
const once = signAgreement(offer, "client", ada, keyOf);
const agreed = readSigned(JSON.parse(JSON.stringify(signAgreement(once, "provider", bo, keyOf))), keyOf);
const life = [{ name: "accept", by: "provider" }, { name: "sign", by: "client" }, { name: "sign", by: "provider" }];
const done = determine(agreed, { accuracy: 91 });
console.log(JSON.stringify({
  agreed: agreementHash(agreed) === agreementHash(offer),
  state: life.reduce((at, event) => advance(at, event, lifecycleTerms(agreed)), PROPOSED).status,
  paid: String(divide(agreed, done.release_percent).provider),
  status: outcome.status, method: outcome.method, sealed: isOutcomeSignedBy(outcome, ada.publicKey),
  parses: claimAttestationSchema.safeParse({}).success,
  meet: RAILS_ADMISSIBILITY.meet("WIT", "REC"),
  signed: isSignedBy(ada.publicKey, message, ada.sign(message)) && verifySignature(adaClears.key, message, adaClears.sign(message)),
  guard: refused.ok ? "bound" : refused.refusals[0].guard,
}));
`;
const TYPED = `
import type { ClaimAttestation, VerificationOutcome } from "agentcity/attestation";
import { type Cleared, RAILS_ADMISSIBILITY } from "agentcity/clearing";

export const type: ClaimAttestation["claim_type"] = "analogy";
export const floor: string = RAILS_ADMISSIBILITY.meet("WIT", "REC");
export const paid = ({ decision }: Cleared): boolean => decision.performance === "cleared";
export const status = ({ status }: VerificationOutcome): "verified" | "rejected" | "unverifiable" => status;
export const wrong: ClaimAttestation["claim_type"] = "rumour";
import { type CityAddresses, createAgentCityClient } from "agentcity";
import { http } from "viem";
import { mainnet } from "viem/chains";

export const city = (addresses: CityAddresses) => createAgentCityClient({ chain: mainnet, transport: http(), city: addresses });
export const count = async (addresses: CityAddresses): Promise<number> => city(addresses).agents.activeProducers();
export const text = async (addresses: CityAddresses): Promise<string> => city(addresses).agents.activeProducers();
import { type Agreement, type AgreementEvent, divide, type KeyOf, signAgreement, signerOf } from "agentcity/agreements";

const key = signerOf("ed25519", new Uint8Array(32));
const keyOf: KeyOf = ({ value }) => (value === "ada" ? key.publicKey : undefined);
export const sign = (offer: Agreement): Agreement => signAgreement(offer, "client", key, keyOf);
export const owed = (agreement: Agreement, share: number): bigint => divide(agreement, share).provider;
export const event: AgreementEvent = { name: "sign", by: "client" };
export const bribe: AgreementEvent = { name: "bribe" };
export const euros = (agreement: Agreement): number => divide(agreement, 50).provider;
export const paidTwice = ({ decision }: Cleared): boolean => decision.performance === "cleared twice";
`;

const manifestSchema = z.looseObject({
  exports: z.record(z.string(), z.unknown()),
  dependencies: z.unknown().optional(),
  peerDependencies: z.record(z.string(), z.string()),
  peerDependenciesMeta: z.unknown(),
});

describe("npm run build", () => {
  let project: string;
  const shell = (command: string, args: readonly string[], cwd = project) =>
    execFileSync(command, args, { cwd, encoding: "utf8", env: { ...process.env, PATH: ownPath(), npm_config_offline: "true" } });

  before(async function () {
    this.timeout(240_000);
    project = mkdtempSync(join(tmpdir(), "agentcity-build-"));
    await buildPackage(join(project, "dist"));
    mkdirSync(join(project, "stranger"));
    writeFileSync(join(project, "stranger/package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }));
    shell("npm", ["pack", "--silent", "./dist"]);
    const [tarball = ""] = readdirSync(project).filter((name) => name.endsWith(".tgz"));
    shell("npm", ["install", "--offline", "--silent", "--no-audit", "--no-fund", join("..", tarball)], join(project, "stranger"));
  });
  after(() => rmSync(project, { recursive: true, force: true }));

  it("makes a package that a stranger's project runs, without network and with nothing else installed", () => {
    writeFileSync(join(project, "stranger/main.js"), PROGRAM);
    // The Node of the machine, and the one of this project.
    for (const node of ["node", process.execPath])
      expect(JSON.parse(shell(node, ["main.js"], join(project, "stranger"))), node).to.deep.equal({
        agreed: true,
        state: "active",
        paid: "9100000",
        status: "verified",
        sealed: true,
        method: "inference/rule-replayed",
        parses: false,
        meet: "SIGN",
        signed: true,
        guard: "OBLIGATION_SHAPE",
      });
    expect(readdirSync(join(project, "stranger/node_modules")).filter((name) => !name.startsWith("."))).to.deep.equal(["agentcity"]);
  });

  it("declares types that hold and that refuse, whatever zod lies beside it", function () {
    this.timeout(240_000);
    const modules = join(project, "stranger/node_modules");
    // The client's user has viem. This zod has nothing that ours has: whoever looked there for a type would find none.
    if (!existsSync(join(modules, "viem"))) symlinkSync(join(root, "node_modules/viem"), join(modules, "viem"), "dir");
    mkdirSync(join(modules, "zod"));
    writeFileSync(join(modules, "zod/package.json"), JSON.stringify({ name: "zod", version: "4.1.0", types: "index.d.ts" }));
    writeFileSync(join(modules, "zod/index.d.ts"), "export {};\n");
    writeFileSync(join(project, "stranger/main.ts"), TYPED);
    const options = {
      strict: true,
      noEmit: true,
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      types: [],
      skipLibCheck: false,
    };
    const program = ts.createProgram([join(project, "stranger/main.ts")], options);
    const refused = ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
    expect(refused).to.have.length(5);
    expect(refused[0]).to.match(/"rumour".* is not assignable/);
    expect(refused[1]).to.match(/'number' is not assignable to type 'string'/);
    expect(refused[2]).to.match(/"bribe".* is not assignable/);
    expect(refused[3]).to.match(/'bigint' is not assignable to type 'number'/);
    expect(refused[4]).to.match(/"cleared twice".* no overlap/);
  });

  it("asks for nothing but Node 24, viem in any later version of 2, and what asks a verifier's model, each only where it is used", () => {
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(project, "dist/package.json"), "utf8")));
    expect(Object.keys(manifest.exports)).to.deep.equal([
      ".",
      "./agent",
      "./agreements",
      "./attestation",
      "./clearing",
      "./schemas/*.json",
      "./package.json",
    ]);
    expect(manifest.dependencies).to.equal(undefined);
    const peers = ["viem", "@langchain/core", "@langchain/openai", "@langchain/anthropic", "node"];
    expect(manifest.peerDependencies).to.have.all.keys(peers);
    expect(manifest.peerDependencies["viem"]).to.match(/^\^2\./);
    expect(manifest.peerDependenciesMeta).to.deep.equal(Object.fromEntries(peers.map((peer) => [peer, { optional: true }])));
    const imported = (file: string) =>
      [...readFileSync(join(project, "dist", file), "utf8").matchAll(/(?:from|import)"([a-z@][^"]*)";?/g)].map(([, name]) => name);
    expect(new Set(imported("client.js"))).to.deep.equal(new Set(["viem"]));
    for (const file of ["agreements.js", "attestation.js", "clearing.js"])
      expect(imported(file).filter((name) => !name?.startsWith("node:"))).to.deep.equal([]);
  });

  it("has entries below 378 kB, agreements below 515, with all that they share", () => {
    const sizeOf = (file: string): number => {
      const path = join(project, "dist", file);
      const shared = [...readFileSync(path, "utf8").matchAll(/from"\.\/(chunk-\w+\.js)"/g)].map(([, chunk = ""]) => chunk);
      return statSync(path).size + [...new Set(shared)].reduce((sum, chunk) => sum + sizeOf(chunk), 0);
    };
    for (const file of ["client.js", "attestation.js", "clearing.js"]) expect(sizeOf(file), file).to.be.within(50_000, 378_000);
    // A deliverable's JSON Schema is compiled: what does that is a third of it.
    expect(sizeOf("agreements.js")).to.be.within(50_000, 515_000);
  });

  it("brings a README and the examples", () => {
    const installed = join(project, "stranger/node_modules/agentcity");
    expect(readFileSync(join(installed, "README.md"), "utf8")).to.include("createAgentCityClient");
    expect(readdirSync(join(installed, "examples")).sort()).to.deep.equal([
      "README.md",
      "agent-with-a-model.ts",
      "agent.ts",
      "agree.ts",
      "attest.ts",
      "clear.ts",
      "connect.ts",
      "job.ts",
      "read-a-city.ts",
      "register.ts",
      "test-an-agent.ts",
      "verify-a-bundle.ts",
    ]);
  });

  it("names every licence that it passes on", () => {
    const text = readFileSync(join(project, "dist/LICENSES.txt"), "utf8");
    for (const name of ["@noble/curves", "@noble/hashes", "canonicalize", "hono", "multiformats", "zod"])
      expect(text).to.include(`# ${name}\n`);
  });
});

/** Where a stranger finds Node: outside this project, if the machine has one. */
function ownPath(): string {
  const outside = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return [...outside, dirname(process.execPath)].join(delimiter);
}
