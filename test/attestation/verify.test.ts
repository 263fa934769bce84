import { expect } from "chai";
import { type ClaimAttestation, digestOf } from "../../orchestrator/attestation/claims.ts";
import { isOutcomeSignedBy, isReplayOnly } from "../../orchestrator/attestation/outcome.ts";
import { verify } from "../../orchestrator/attestation/verify.ts";
import { CLAIMS, DOCUMENTS, depsOver, keyFor, library } from "../../scripts/attestation/underwriting.ts";

const deps = depsOver(library(DOCUMENTS));
const check = (claim: ClaimAttestation, changes: Parameters<typeof depsOver>[1] = {}, recorded?: Parameters<typeof verify>[2]) =>
  verify(claim, { ...deps, ...changes }, recorded);
const over = (documents: Readonly<Record<string, unknown>>) => depsOver(library({ ...DOCUMENTS, ...documents }));

describe("attestation/verify", () => {
  for (const [kind, claim] of Object.entries(CLAIMS)) {
    it(`verifies a ${kind} that its source bears out, and seals it`, async () => {
      const outcome = await check(claim);
      expect(outcome).to.include({ status: "verified", verifier_id: "verifier-1", verified_at: "2026-01-01T00:00:00.000Z" });
      expect(isOutcomeSignedBy(outcome, keyFor("verifier-1").publicKey)).to.equal(true);
      expect(isOutcomeSignedBy({ ...outcome, verifier_id: "another" }, keyFor("verifier-1").publicKey)).to.equal(false);
      expect(isOutcomeSignedBy(outcome, keyFor("another").publicKey)).to.equal(false);
    });

    it(`gives the same bytes twice for a ${kind}`, async () => {
      expect(JSON.stringify(await check(claim))).to.equal(JSON.stringify(await check(claim)));
    });

    it(`cannot verify a ${kind} whose source is gone`, async () => {
      const outcome = await verify(claim, depsOver(library({})));
      expect(outcome).to.include({ status: "unverifiable", method: `${kind}/source-unavailable`, source_digest: null });
    });

    it(`rejects a ${kind} whose source is not what it was when the claim was made`, async () => {
      const { source_digest: today } = await check(claim);
      if (today === null) throw new Error("it was not verified");
      expect(await check(claim, {}, today)).to.include({ status: "verified" });
      expect(await check(claim, {}, digestOf(new Uint8Array([1])))).to.include({ status: "rejected", method: `${kind}/source-changed` });
    });
  }

  it("names the fields of a measurement that differ", async () => {
    const outcome = await verify(CLAIMS.measurement, over({ "https://records.example/applicant-7": { dti: 0.31, fico: 699 } }));
    expect(outcome).to.include({ status: "rejected", method: "measurement/record-mismatch" });
    expect(outcome.evidence["differing"]).to.deep.equal(["claims", "fico"]);
  });

  it("compares numbers within the uncertainty that the claim declares, words exactly", async () => {
    const single = { ...CLAIMS.measurement, measured_value: 0.33, measurement_source: "https://records.example/applicant-7#dti" };
    expect(await check({ ...single, uncertainty: 0.02 + 1e-9 })).to.include({ status: "verified" });
    expect(await check({ ...single, uncertainty: 0.01 })).to.include({ status: "rejected" });
    expect(await check({ ...single, measured_value: "0.31", uncertainty: 1 })).to.include({ status: "rejected" });
    expect(await check({ ...single, measured_value: true, uncertainty: 1 })).to.include({ status: "rejected" });
  });

  it("rejects a conclusion that the rule does not draw, or not from these premises", async () => {
    const rejected = { status: "rejected", method: "inference/rule-does-not-conclude" };
    expect(await check({ ...CLAIMS.inference, conclusion: "tier 1" })).to.include(rejected);
    expect(await check({ ...CLAIMS.inference, premises: ["DTI < 0.40", "FICO >= 700"] })).to.include(rejected);
  });

  it("rejects another likeness than the recorded one; without one it only documents, or refuses", async () => {
    const { similarity_score, ...unscored } = CLAIMS.analogy;
    expect(await check({ ...unscored, similarity_score: 0.61 })).to.include({ status: "rejected", method: "analogy/score-differs" });
    expect(await check(unscored)).to.include({ status: "verified", method: "analogy/documentary" });
    expect(await check(unscored, { requireSimilarityScore: true })).to.include({ status: "rejected", method: "analogy/score-missing" });
  });

  it("rejects a quotation that the source does not hold, letter for letter", async () => {
    const misquoted = { ...CLAIMS.citation, source_excerpt: "Tier 2 pricing applies when DTI < 0.45" };
    expect(await check(misquoted)).to.include({ status: "rejected", method: "citation/excerpt-absent" });
  });

  it("marks what only a model said: such an outcome can be asked for again, not repeated", async () => {
    const { inference } = deps;
    const asked = await check(CLAIMS.inference, { inference: { ...inference, determinism: "replayable" } });
    expect(isReplayOnly(asked)).to.equal(true);
    expect(isReplayOnly(await check(CLAIMS.inference))).to.equal(false);
  });

  it("never throws: oracles, keys and clocks may", async () => {
    const fault = () => {
      throw new Error("broken");
    };
    const nan = { ...deps.similarity, compute: async () => ({ score: Number.NaN, source: new Uint8Array() }) };
    expect(await check(CLAIMS.analogy, { similarity: nan })).to.include({ status: "unverifiable" });
    expect(await check(CLAIMS.citation, { sources: { fetch: fault } })).to.include({ status: "unverifiable" });
    expect(await check(CLAIMS.citation, { signer: { ...deps.signer, sign: fault } })).to.include({ method: "verifier-failed" });
    expect(await check(CLAIMS.citation, { now: () => Number.NaN })).to.include({ method: "verifier-failed" });
    const wild: unknown = { claim_type: "citation", source_excerpt: "\ud800" };
    expect(await check(wild as ClaimAttestation)).to.include({ status: "unverifiable", method: "schema" });
  });
});
