import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { build } from "esbuild";
import { type AttestationBundle, exportBundle, recordingFetcher } from "../../orchestrator/attestation/bundle.ts";
import { digestOf } from "../../orchestrator/attestation/claims.ts";
import { AttestationDesk } from "../../orchestrator/attestation/desk.ts";
import { httpFetcher } from "../../orchestrator/attestation/http-fetcher.ts";
import { CLAIMS, DOCUMENTS, depsOver, keyFor, RULES, sent } from "../../scripts/attestation/underwriting.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Where each name of the walkthrough is really served. */
const PATHS: Readonly<Record<string, string>> = {
  "https://records.example/applicant-7": "/records/7",
  [`${RULES}tier_2_eligibility_rule_v1.2`]: "/rules/tier-2",
  "policy://underwriting/v1.2#section-3": "/policies/v1.2",
};

/** What an examiner runs, with the bundle and nothing else. */
const EXAMINER = `
import { readFileSync } from "node:fs";
import { attestationBundleSchema, bundledSources, fixedMetricSimilarity, recordMeasurements, reverify, ruleOracle } from "${root}/orchestrator/attestation/index.ts";
import { signerOf } from "${root}/orchestrator/primitives/signing.ts";
const [, , file, key] = process.argv;
const bundle = attestationBundleSchema.parse(JSON.parse(readFileSync(file, "utf8")));
const sources = bundledSources(bundle);
const deps = {
  verifierId: "examiner", signer: signerOf("ed25519", new Uint8Array(32).fill(7)), now: () => 0, sources,
  measurements: recordMeasurements(sources), similarity: fixedMetricSimilarity(sources),
  inference: ruleOracle(sources, (method) => "${RULES}" + method),
};
try {
  console.log(JSON.stringify((await reverify(bundle, deps, { algorithm: "ed25519", key })).map(({ verdict }) => verdict)));
} catch (error) {
  console.log(JSON.stringify(error.code));
}
`;

describe("the underwriting decision of Pramana 4.7", () => {
  const directory = suiteDirectory();
  let server: Server;
  let bundle: AttestationBundle;
  let examiner: string;

  before(async () => {
    const byPath = new Map(Object.entries(PATHS).map(([uri, path]) => [path, DOCUMENTS[uri]]));
    server = createServer((request, response) => {
      const found = byPath.get(request.url ?? "");
      response.writeHead(found === undefined ? 404 : 200).end(typeof found === "string" ? found : JSON.stringify(found));
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const http = httpFetcher({ allow: [{ origin, privateNetwork: true }], maxBytes: 100_000, timeoutMs: 5000 });
    const sources = recordingFetcher({ fetch: (uri) => http.fetch(`${origin}${PATHS[uri] ?? "/nowhere"}`) });
    const desk = new AttestationDesk(depsOver(sources));
    for (const [uri, claim] of [
      ["https://records.example/applicant-7", CLAIMS.measurement],
      [`${RULES}tier_2_eligibility_rule_v1.2`, CLAIMS.inference],
      ["policy://underwriting/v1.2#section-3", CLAIMS.citation],
    ] as const) {
      desk.emit(sent(claim, { source_digest: digestOf(await sources.fetch(uri)) }));
      expect(await desk.verify(claim.claim_id)).to.include({ status: "verified" });
      desk.show(claim.claim_id, "examiner");
    }
    bundle = exportBundle(desk, sources);
    examiner = join(directory(), "examiner.mjs");
    const entry = join(directory(), "examiner.ts");
    writeFileSync(entry, EXAMINER);
    await build({
      entryPoints: [entry],
      outfile: examiner,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "silent",
      nodePaths: [join(root, "node_modules")],
    });
    server.close();
    server.closeAllConnections();
  });

  /** Runs the examiner in an empty folder, with an empty environment, after the sources are gone. */
  function examine(evidence: AttestationBundle): unknown {
    const away = join(directory(), "away");
    mkdirSync(away, { recursive: true });
    writeFileSync(join(away, "bundle.json"), JSON.stringify(evidence));
    const { stdout, stderr } = spawnSync(process.execPath, [examiner, "bundle.json", keyFor("verifier-1").publicKey.key], {
      cwd: away,
      env: {},
      encoding: "utf8",
    });
    expect(stderr).to.equal("");
    return JSON.parse(stdout);
  }

  it("is verified again from its bundle alone, on a machine with nothing else", () => {
    expect(examine(bundle)).to.deep.equal(["same", "same", "same"]);
  });

  it("does not survive a lie in the bundle: a claim, an outcome, a source or the trail", () => {
    const change = (edit: (copy: AttestationBundle) => void) => {
      const copy = structuredClone(bundle);
      edit(copy);
      return examine(copy);
    };
    const first = (copy: AttestationBundle) => {
      const [claim] = copy.claims;
      if (claim === undefined || claim.outcome === null) throw new Error("the bundle holds three");
      return { envelope: claim.envelope, outcome: claim.outcome };
    };
    expect(change((copy) => Object.assign(first(copy).envelope.attestation, { measured_value: { dti: 0.2 } }))).to.deep.equal([
      "mistold",
      "same",
      "same",
    ]);
    expect(change((copy) => Object.assign(first(copy).outcome, { status: "rejected" }))).to.deep.equal(["mistold", "same", "same"]);
    expect(change((copy) => Object.assign(first(copy).outcome, { verifier_id: "another" }))).to.deep.equal(["unsigned", "same", "same"]);
    const [uri = ""] = Object.keys(bundle.sources);
    const forged = Buffer.from(JSON.stringify({ dti: 0.31, fico: 742, claims: 0, note: "new" })).toString("base64");
    expect(change((copy) => Object.assign(copy.sources, { [uri]: forged }))).to.deep.equal(["differs", "same", "same"]);
    expect(change((copy) => void copy.trail.splice(1, 1))).to.equal("TrailBroken");
  });
});
