import { expect } from "chai";
import { bindObligation } from "../../orchestrator/clearing/bind.ts";
import { clear } from "../../orchestrator/clearing/clearing-decision.ts";
import { deployment } from "../../orchestrator/clearing/deployment.ts";
import { auditBasis } from "../../orchestrator/clearing/drift.ts";
import { type EvidenceItem, emitted, itemHash, sealEnvelope, selfReport } from "../../orchestrator/clearing/evidence-envelope.ts";
import { ingest } from "../../orchestrator/clearing/ingest.ts";
import { signObligation } from "../../orchestrator/clearing/obligation.ts";
import { hashOf } from "../../orchestrator/clearing/seal.ts";
import { signOutput } from "../../orchestrator/clearing/verifier-output.ts";
import { attestationVerifier, type ClaimOutcome } from "../../orchestrator/clearing/verifiers/attestation.ts";
import { atMost, constraintVerifier, equals, onlyApproved, pathsWithin } from "../../orchestrator/clearing/verifiers/constraint.ts";
import { humanVerifier, signHumanAct } from "../../orchestrator/clearing/verifiers/human.ts";
import { policyVerifier } from "../../orchestrator/clearing/verifiers/policy.ts";
import { receiptVerifier } from "../../orchestrator/clearing/verifiers/receipt.ts";
import { type Judge, semanticVerifier } from "../../orchestrator/clearing/verifiers/semantic.ts";
import { triage, triageVerifier } from "../../orchestrator/clearing/verifiers/triage.ts";
import { type CaseFile, runMesh, runVerifier, type Verifier } from "../../orchestrator/clearing/verifiers/verifier.ts";
import { castOf } from "../../scripts/clearing/cast.ts";
import { granted } from "../../scripts/clearing/scenario.ts";

const { signers, registry } = castOf("roles", {
  buyer: { principal: "buyer" },
  agent: { principal: "agent" },
  runner: { principal: "ci-house", issues: ["REC", "ATT"] },
  network: { principal: "network", issues: ["WIT"] },
  person: { principal: "a person" },
  base: { principal: "mesh-0", role: "constraint" },
  constraint: { principal: "mesh-1", role: "constraint" },
  receipt: { principal: "mesh-2", role: "receipt" },
  policy: { principal: "mesh-3", role: "policy" },
  semantic: { principal: "mesh-4", role: "semantic" },
  human: { principal: "mesh-5", role: "human" },
  attestation: { principal: "mesh-6", role: "attestation" },
  triage: { principal: "mesh-7", role: "triage" },
  engine: { principal: "clearing-house", role: "engine" },
});
const PANEL = ["base", "constraint", "receipt", "policy", "semantic", "human", "attestation", "triage"];
const world = deployment(registry);
const obligation = granted(
  bindObligation(
    signObligation(
      {
        obligation_id: hashOf({ roles: 1 }),
        parties: { requestor: "buyer", provider: "agent" },
        task: { description: "Ship it." },
        scope: {},
        prohibitions: [],
        required_actions: [],
        acceptance_criteria: [],
        admissibility_floors: { fee_release: { performance: "REC", policy: "WIT" } },
        verifier_policy: { verifiers: PANEL, count: PANEL.length, quorum: 1 },
        economic_terms: { fee: 100, collateral: 0, currency: "USD" },
        deadlines: { execution_window_hours: 1, appeal_window_hours: 1 },
      },
      { requestor: signers.buyer, provider: signers.agent },
    ),
    world,
  ),
);
const item = (id: string, type: string, content: NonNullable<EvidenceItem["content"]>, issuer: "runner" | "network", claimed: string) =>
  emitted(obligation.obligation_hash, { id, type, content }, { signer: signers[issuer], class: claimed, issuedAt: "2026-05-01T00:00:00Z" });
const diff = item("diff", "diff", { paths: ["src/a.ts"], added: [], lines: 900 }, "runner", "ATT");
const claim = item("claim", "claim", { claim_type: "measurement" }, "runner", "ATT");
const items = [
  diff,
  claim,
  item("receipt", "receipt", { status: "red" }, "runner", "REC"),
  item(
    "mandate",
    "mandate",
    { mandate: { actions: ["purchase"], counterparties: ["shop"], ceiling: 60 }, action: "purchase", counterparty: "shop", amount: 61 },
    "network",
    "WIT",
  ),
  selfReport("word", "agent_self_report", "all fine"),
];
const envelope = granted(
  ingest(
    sealEnvelope(signers.agent, { obligation_hash: obligation.obligation_hash, submitted_at: "2026-05-01T00:10:00Z", items }),
    obligation,
    world,
  ),
);
const file: CaseFile = { obligation, envelope, admissibility: world.admissibility };

async function decisionOf(mesh: readonly Verifier[]) {
  const outputs = await runMesh(mesh, file);
  const cleared = clear({ obligation, envelope, outputs, deployment: world, engine: signers.engine, now: 0n });
  expect(cleared.refusals).to.deep.equal([]);
  const { performance, policy } = cleared.decision;
  return { performance, policy };
}

const base: readonly Verifier[] = [
  constraintVerifier({
    signer: signers.base,
    answers: [{ question: "performance" }, { question: "policy" }],
    rules: { diff: [pathsWithin("paths", ["src/*"]), onlyApproved("added")] },
  }),
];
const rejecting: Judge = (_, reader) => ({ verdict: "FAIL", confidence: 9000, rationale: JSON.stringify(reader.open("diff") ?? null) });
const act = signHumanAct(signers.person, {
  obligation_hash: obligation.obligation_hash,
  envelope_id: envelope.envelope.envelope_id,
  shown: [itemHash(diff)],
  verdict: "FAIL",
  confidence: 0.9,
});
const performance = (clause: string) => [{ question: "performance", clause }] as const;
const outcome =
  (status: ClaimOutcome["status"], replayable = false) =>
  async () => ({ status, method: "rerun", replayable });

/** One verifier of each role that finds what the others did not. */
const ALONE: Readonly<Record<string, { verifier: Verifier; changes: object }>> = {
  constraint: {
    verifier: constraintVerifier({ signer: signers.constraint, answers: performance("size"), rules: { diff: [atMost("lines", 500)] } }),
    changes: { performance: "failed", policy: "complied" },
  },
  receipt: {
    verifier: receiptVerifier({
      signer: signers.receipt,
      answers: performance("ci"),
      issuers: ["runner"],
      rules: { receipt: [equals("status", "green")] },
    }),
    changes: { performance: "failed", policy: "complied" },
  },
  policy: {
    verifier: policyVerifier({
      signer: signers.policy,
      answers: [{ question: "policy", clause: "mandate" }],
      authority: "mandate",
      actions: ["mandate"],
    }),
    changes: { performance: "cleared", policy: "violated" },
  },
  semantic: {
    verifier: semanticVerifier({ signer: signers.semantic, answers: performance("meaning"), judge: rejecting }),
    changes: { performance: "failed", policy: "complied" },
  },
  human: {
    verifier: humanVerifier({ signer: signers.human, answers: performance("review"), act: () => act, deployment: world }),
    changes: { performance: "failed", policy: "complied" },
  },
  attestation: {
    verifier: attestationVerifier({
      signer: signers.attestation,
      answers: performance("claims"),
      types: ["claim"],
      verifyClaim: outcome("rejected"),
    }),
    changes: { performance: "failed", policy: "complied" },
  },
  triage: {
    verifier: triageVerifier({
      signer: signers.triage,
      answers: [{ question: "performance" }],
      scorers: [{ name: "profile", weight: 1, score: () => 0.5 }],
    }),
    changes: { performance: "disputed", policy: "complied" },
  },
};

describe("a verifier of each role", () => {
  for (const [role, { verifier, changes }] of Object.entries(ALONE)) {
    it(`${role} alone changes the decision`, async () => {
      expect(await decisionOf(base)).to.deep.equal({ performance: "cleared", policy: "complied" });
      expect(await decisionOf([...base, verifier])).to.deep.equal(changes);
      expect(verifier.role).to.equal(role);
    });
  }

  const SILENT: Readonly<Record<string, Verifier>> = {
    "a constraint without one of its items": constraintVerifier({
      signer: signers.constraint,
      answers: performance("x"),
      rules: { diff: [], tests: [] },
    }),
    "a constraint without predicates": constraintVerifier({ signer: signers.constraint, answers: performance("x"), rules: { diff: [] } }),
    "a receipt of a system that it does not take": receiptVerifier({
      signer: signers.receipt,
      answers: performance("x"),
      issuers: ["another"],
      rules: { receipt: [equals("status", "red")] },
    }),
    "a receipt that is no receipt": receiptVerifier({
      signer: signers.receipt,
      answers: performance("x"),
      issuers: [""],
      rules: { agent_self_report: [] },
    }),
    "a policy without an act": policyVerifier({
      signer: signers.policy,
      answers: performance("x"),
      authority: "mandate",
      actions: ["none"],
    }),
    "a judge that read nothing": semanticVerifier({
      signer: signers.semantic,
      answers: performance("x"),
      judge: () => ({ verdict: "PASS", confidence: 10_000, rationale: "trust me" }),
    }),
    "a judge that broke": semanticVerifier({
      signer: signers.semantic,
      answers: performance("x"),
      judge: () => {
        throw new Error("model gone");
      },
    }),
    "a human who has not signed": humanVerifier({
      signer: signers.human,
      answers: performance("x"),
      act: () => undefined,
      deployment: world,
    }),
    "a human whose act was altered": humanVerifier({
      signer: signers.human,
      answers: performance("x"),
      act: () => ({ ...act, verdict: "PASS" }),
      deployment: world,
    }),
    "a human who signed another case": humanVerifier({
      signer: signers.human,
      answers: performance("x"),
      act: () =>
        signHumanAct(signers.person, {
          obligation_hash: hashOf({}),
          envelope_id: act.envelope_id,
          shown: act.shown,
          verdict: "PASS",
          confidence: 1,
        }),
      deployment: world,
    }),
    "a claim that cannot be verified": attestationVerifier({
      signer: signers.attestation,
      answers: performance("x"),
      types: ["claim"],
      verifyClaim: outcome("unverifiable"),
    }),
    "no claims": attestationVerifier({
      signer: signers.attestation,
      answers: performance("x"),
      types: ["none"],
      verifyClaim: outcome("verified"),
    }),
    "a triage that is content": triageVerifier({ signer: signers.triage, answers: performance("x"), disputeBelow: 1 }),
  };
  for (const [what, verifier] of Object.entries(SILENT)) {
    it(`abstains on ${what}`, async () => {
      const output = await runVerifier(verifier, file);
      expect([output.verdict, output.basis]).to.deep.equal(["ABSTAIN", []]);
    });
  }
});

describe("a basis", () => {
  it("of a judge is what the judge opened, self-reports included", async () => {
    const judge: Judge = (_, reader) => {
      for (const { id } of reader.catalogue) reader.open(id);
      return { verdict: "PASS", confidence: 9000, rationale: "looks fine" };
    };
    const output = await runVerifier(semanticVerifier({ signer: signers.semantic, answers: performance("meaning"), judge }), file);
    expect(output.basis).to.have.length(items.length);
    expect(output.class_of_basis).to.equal("SELF");
  });

  it("is not spoilt by weaker copies of an item", async () => {
    const copies = [...items, selfReport("diff-2", "diff", { paths: ["/etc/passwd"], added: [], lines: 0 })];
    const body = { obligation_hash: obligation.obligation_hash, submitted_at: "2026-05-01T00:10:00Z", items: copies };
    const spoilt = granted(ingest(sealEnvelope(signers.agent, body), obligation, world));
    const [verifier] = base;
    const output = await runVerifier(verifier!, { ...file, envelope: spoilt });
    expect([output.verdict, output.basis]).to.deep.equal(["PASS", [itemHash(diff)]]);
  });

  it("is reconstructed by an audit, which finds what was left out, put in or turned round", async () => {
    const honest = ALONE["semantic"]!.verifier;
    const output = await runVerifier(honest, file);
    expect((await auditBasis(output, honest, file)).matches).to.be.true;
    const { verifier: _, signature: __, ...body } = output;
    const padded = signOutput(signers.semantic, { ...body, basis: [...output.basis, itemHash(claim)] });
    const omitted = signOutput(signers.semantic, { ...body, basis: [itemHash(claim)], verdict: "PASS" });
    expect(await auditBasis(padded, honest, file)).to.deep.include({
      padded: [itemHash(claim)],
      omitted: [],
      verdictDiffers: false,
      matches: false,
    });
    expect(await auditBasis(omitted, honest, file)).to.deep.include({
      padded: [itemHash(claim)],
      omitted: [itemHash(diff)],
      verdictDiffers: true,
    });
  });
});

describe("triage", () => {
  it("scores every output from what has arrived and what ingest kept out", () => {
    const evidence_requirements = [
      { type: "diff" },
      { type: "receipt", source: "runner" },
      { type: "security_review", class: "WIT" },
      { type: "load_test", class: "ATT" },
    ];
    const required = { ...file, obligation: { ...obligation, evidence_requirements } };
    expect(triage(required)).to.deep.equal({ score: 7000, parts: { coverage: 5000, integrity: 10_000 } });
    const forged = { ...diff, id: "forged" };
    const body = { obligation_hash: obligation.obligation_hash, submitted_at: "2026-05-01T00:10:00Z", items: [diff, forged] };
    const half = granted(ingest(sealEnvelope(signers.agent, body), obligation, world));
    expect(triage({ ...required, envelope: half })).to.deep.equal({ score: 3500, parts: { coverage: 2500, integrity: 5000 } });
  });
});

describe("an attestation verifier", () => {
  it("refuses a replayable oracle under an attestation floor only", async () => {
    const seat = { signer: signers.attestation, answers: performance("claims"), types: ["claim"], verifyClaim: outcome("verified", true) };
    expect((await runVerifier(attestationVerifier(seat), file)).verdict).to.equal("PASS");
    const terms = { ...obligation, admissibility_floors: { fee_release: "ATT" } };
    expect((await runVerifier(attestationVerifier(seat), { ...file, obligation: terms })).verdict).to.equal("ABSTAIN");
  });
});
