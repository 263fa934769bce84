
import { readFileSync } from "node:fs";
import { attestationBundleSchema, bundledSources, fixedMetricSimilarity, recordMeasurements, reverify, ruleOracle } from "/work/wt/attest//orchestrator/attestation/index.ts";
import { signerOf } from "/work/wt/attest//orchestrator/primitives/signing.ts";
const [, , file, key] = process.argv;
const bundle = attestationBundleSchema.parse(JSON.parse(readFileSync(file, "utf8")));
const sources = bundledSources(bundle);
const deps = {
  verifierId: "examiner", signer: signerOf("ed25519", new Uint8Array(32).fill(7)), now: () => 0, sources,
  measurements: recordMeasurements(sources), similarity: fixedMetricSimilarity(sources),
  inference: ruleOracle(sources, (method) => "https://rules.example/" + method),
};
try {
  console.log(JSON.stringify((await reverify(bundle, deps, { algorithm: "ed25519", key })).map(({ verdict }) => verdict)));
} catch (error) {
  console.log(JSON.stringify(error.code));
}
