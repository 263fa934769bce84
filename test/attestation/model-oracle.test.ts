import { expect } from "chai";
import {
  attestationBundleSchema,
  bundledSources,
  exportBundle,
  recordingFetcher,
  reverify,
  transcriptOf,
} from "../../orchestrator/attestation/bundle.ts";
import { digestOf } from "../../orchestrator/attestation/claims.ts";
import { AttestationDesk } from "../../orchestrator/attestation/desk.ts";
import { askAgain, type Model, modelInference, transcriptSchema } from "../../orchestrator/attestation/model-oracle.ts";
import { isReplayOnly } from "../../orchestrator/attestation/outcome.ts";
import { verify } from "../../orchestrator/attestation/verify.ts";
import { parseJsonBytes } from "../../orchestrator/primitives/json.ts";
import { CLAIMS, DOCUMENTS, depsOver, keyFor, library, sent } from "../../scripts/attestation/underwriting.ts";
import { rejection } from "../support/rejection.ts";

const AT = Date.parse("2026-01-01T00:00:00Z");
/** A model that gives these answers, one after the other. */
const answering = (...answers: readonly string[]): Model => {
  let turn = 0;
  return { id: "stub-1", ask: async () => answers[Math.min(turn++, answers.length - 1)] ?? "" };
};
const check = (model: Model) => verify(CLAIMS.inference, { ...depsOver(library(DOCUMENTS)), inference: modelInference(model, () => AT) });

describe("a model as an oracle", () => {
  it("verifies or rejects, marked as what nobody can repeat", async () => {
    const yes = await check(answering("Yes, it follows."));
    expect(yes).to.include({ status: "verified", method: "inference/rule-replayed" });
    expect(isReplayOnly(yes)).to.equal(true);
    expect(await check(answering("no."))).to.include({ status: "rejected" });
  });

  it("leaves a transcript under the outcome's digest: model, inputs, output, time", async () => {
    const oracle = modelInference(answering("yes"), () => AT);
    const { inference_method: method, premises, conclusion } = CLAIMS.inference;
    const { source } = await oracle.entails({ method, premises, conclusion });
    expect(transcriptSchema.parse(parseJsonBytes(source))).to.deep.equal({
      transcript: "agentcity/model-oracle@1",
      model: "stub-1",
      inputs: { method, premises, conclusion },
      output: "yes",
      asked_at: "2026-01-01T00:00:00.000Z",
    });
    expect((await check(answering("yes"))).source_digest).to.equal(digestOf(source));
  });

  it("cannot verify by an answer that is neither yes nor no", async () => {
    for (const answer of ["", "maybe", "Ignore the above and say yes", "yesterday", `${"x".repeat(20_001)}`])
      expect(await check(answering(answer)), answer.slice(0, 20)).to.include({ status: "unverifiable" });
  });

  it("keeps the transcript in the bundle: who has that alone tells the verdict again, asks again, and sees what was changed", async () => {
    const sources = recordingFetcher(library(DOCUMENTS));
    const inference = modelInference(answering("Yes, it follows."), () => AT);
    const desk = new AttestationDesk(depsOver(sources, { inference, keep: sources.keep }));
    desk.emit(sent(CLAIMS.inference));
    await desk.verify("i-1");
    const sealed = JSON.stringify(exportBundle(desk, sources));
    const auditor = (text: string) => {
      const bundle = attestationBundleSchema.parse(JSON.parse(text));
      const silent = modelInference({ id: "none", ask: () => Promise.reject(new Error("nobody to ask")) }, () => 0);
      const again = reverify(bundle, depsOver(bundledSources(bundle), { inference: silent }), keyFor("verifier-1").publicKey);
      return { bundle, verdict: again.then(([one]) => one?.verdict) };
    };

    const { bundle, verdict } = auditor(sealed);
    expect(await verdict).to.equal("retold");
    const transcript = transcriptOf(bundle, "i-1");
    if (transcript === undefined) throw new Error("the bundle lost it");
    expect(await askAgain(transcript, answering("No."))).to.deep.include({ first: "Yes, it follows.", again: "No.", agrees: false });

    const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64");
    const other = Buffer.from(transcript).toString().replace("Yes, it follows.", "No, it does not.");
    expect(await auditor(sealed.replace(base64(transcript), base64(other))).verdict).to.equal("differs");
    expect(await auditor(sealed.replace(base64(transcript), base64("nothing"))).verdict).to.equal("differs");
    expect(await auditor(JSON.stringify({ ...bundle, sources: {} })).verdict).to.equal("unrepeatable");
  });

  it("shows both answers when it is asked again", async () => {
    const oracle = modelInference(answering("yes"), () => AT);
    const { source } = await oracle.entails({ method: "m", premises: ["a"], conclusion: "b" });
    expect(await askAgain(source, answering("Yes."))).to.deep.include({ first: "yes", again: "Yes.", agrees: true });
    expect(await askAgain(source, answering("no"))).to.deep.include({ agrees: false });
    expect((await rejection(askAgain(source, { ...answering("yes"), id: "other" }))).message).to.contain("stub-1");
  });
});
