import { expect } from "chai";
import { z } from "zod";
import { bindObligation } from "../../orchestrator/clearing/bind.ts";
import { clear } from "../../orchestrator/clearing/clearing-decision.ts";
import { type Deployment, deployment } from "../../orchestrator/clearing/deployment.ts";
import { openDocket } from "../../orchestrator/clearing/docket.ts";
import {
  type EvidenceEnvelope,
  type EvidenceItem,
  emit,
  emitted,
  itemHash,
  sealEnvelope,
  selfReport,
} from "../../orchestrator/clearing/evidence-envelope.ts";
import { DEFAULT_EXPOSURE } from "../../orchestrator/clearing/exposure.ts";
import { type AdmittedEnvelope, ingest } from "../../orchestrator/clearing/ingest.ts";
import { type ObligationTerms, signObligation } from "../../orchestrator/clearing/obligation.ts";
import { type Quote, type QuoteVerifier, quoteCheck, quoteStatement } from "../../orchestrator/clearing/quote.ts";
import { GUARDS, type Guard, type Refusal } from "../../orchestrator/clearing/refusal.ts";
import { hashOf, refOf } from "../../orchestrator/clearing/seal.ts";
import { settle } from "../../orchestrator/clearing/settlement-instruction.ts";
import { type Signer, signatureSchema, signer, verifySignature } from "../../orchestrator/clearing/signature.ts";
import { signOutput, type VerifierOutput } from "../../orchestrator/clearing/verifier-output.ts";
import { castOf } from "../../scripts/clearing/cast.ts";
import { granted } from "../../scripts/clearing/scenario.ts";

/** A small deal in order, which every attempt bends in one place. */
const { signers, registry } = castOf("forging", {
  buyer: { principal: "buyer-inc" },
  agent: { principal: "agent-labs" },
  helper: { principal: "agent-labs" },
  market: { principal: "market" },
  runner: { principal: "ci-house", issues: ["REC", "ATT"] },
  "in-house-runner": { principal: "agent-labs", issues: ["REC", "ATT"] },
  "buyers-runner": { principal: "buyer-inc", issues: ["REC", "ATT"] },
  "in-house-witness": { principal: "agent-labs", issues: ["WIT"] },
  "old-runner": { principal: "ci-house", issues: ["ATT"], until: "2026-01-01T00:00:00Z" },
  "next-runner": { principal: "ci-house", issues: ["ATT"], from: "2027-01-01T00:00:00Z" },
  shop: { principal: "shop", issues: ["REC"], scheme: "secp256k1" },
  witness: { principal: "notary", issues: ["WIT"] },
  prover: { principal: "prover", issues: ["PROOF"] },
  judge: { principal: "mesh", role: "constraint" },
  "other-judge": { principal: "mesh", role: "constraint" },
  "agents-judge": { principal: "agent-labs", role: "constraint" },
  engine: { principal: "clearing-house", role: "engine" },
  "agents-engine": { principal: "agent-labs", role: "engine" },
  "agents-other-account": { principal: "agent-labs" },
});
const TERMS: ObligationTerms = {
  obligation_id: hashOf({ deal: 1 }),
  parties: { requestor: "buyer", provider: "agent", marketplace_witness: "market" },
  agents: ["helper"],
  task: { description: "Build it." },
  scope: {},
  prohibitions: [],
  required_actions: [],
  acceptance_criteria: ["CI green"],
  evidence_requirements: [{ type: "ci_log", max_age_seconds: 7200 }],
  admissibility_floors: { fee_release: "ATT" },
  verifier_policy: { verifiers: ["judge", "agents-judge"], count: 2, questions: ["performance"], quorum: 1 },
  economic_terms: { fee: 1000, collateral: 0, currency: "USD" },
  deadlines: { execution_window_hours: 24, appeal_window_hours: 24 },
  template: "delivery",
  bound_at: "2026-05-01T00:00:00Z",
};
const PARTIES = { requestor: signers.buyer, provider: signers.agent, marketplace_witness: signers.market };
const AT = "2026-05-01T10:00:00Z";
const SUBMITTED = "2026-05-01T11:00:00Z";
const world: Deployment = deployment(registry, {
  templates: { delivery: { fee_release: "ATT" } },
  classChecks: { PROOF: (_, { attachment }) => attachment === "a proof that checks" },
});
const OBLIGATION = signObligation(TERMS, PARTIES);
const bound = granted(bindObligation(OBLIGATION, world));
const LOG = { id: "log", type: "ci_log", content: { status: "green" } };
const hash = OBLIGATION.obligation_hash;
const by = (name: keyof typeof signers, claimed: string, issuedAt = AT) => ({ signer: signers[name], class: claimed, issuedAt });
const honest = emitted(hash, LOG, by("runner", "ATT"));
const rewritten = (item: EvidenceItem, change: Partial<EvidenceItem>): EvidenceItem => ({ ...item, ...change });
const rehopped = (item: EvidenceItem, index: number, change: object): EvidenceItem => ({
  ...item,
  provenance: item.provenance.map((hop, at) => (at === index ? { ...hop, ...change } : hop)),
});

const seal = (items: readonly EvidenceItem[], change: Partial<Pick<EvidenceEnvelope, "obligation_hash" | "submitted_at">> = {}) =>
  sealEnvelope(signers.agent, { obligation_hash: hash, submitted_at: SUBMITTED, items, ...change });
const admitted = granted(ingest(seal([honest, selfReport("word", "agent_self_report", "done")]), bound, world));

/** What an attempt ends in: the guard that stopped it, and whether anything of it reached a decision. */
interface Attempt {
  readonly guard: Guard;
  readonly tries: string;
  attack(): readonly Refusal[];
}

/** An item offered for ATT. It must not be admitted above what it is worth, and a verdict on it must not settle. */
function offers(item: EvidenceItem, others: readonly EvidenceItem[] = [], at: Deployment = world): readonly Refusal[] {
  const envelope = granted(ingest(seal([...others, item]), bound, at));
  expect([...envelope.items.values()].filter((one) => one.item === item && world.admissibility.geq(one.class, "ATT"))).to.deep.equal([]);
  if (!envelope.items.has(itemHash(item))) expect(decides(envelope, itemHash(item))).to.equal(undefined);
  return envelope.refusals;
}

/** The instruction that a judge's PASS on an item brings about. */
function decides(envelope: AdmittedEnvelope, item: `0x${string}`) {
  const outputs = [outputOn({ envelope_id: envelope.envelope.envelope_id, basis: [item] })];
  const cleared = clear({ obligation: bound, envelope, outputs, deployment: world, engine: signers.engine, now: 0n });
  return granted(settle(cleared, signers.engine, openDocket()));
}

const refusalsOf = (checked: { ok: true } | { ok: false; refusals: readonly Refusal[] }): readonly Refusal[] =>
  checked.ok ? [] : checked.refusals;
const envelopeOf = (document: unknown) => refusalsOf(ingest(document, bound, world));
const binding = (document: unknown, at: Deployment = world) => refusalsOf(bindObligation(document, at));
const promising = (...promises: readonly { payee: string; price: number; items: string }[]) =>
  resigned({
    settlement_policy: {
      execution_rail: { name: "escrow" },
      release: { protocol_fee_bps: 200, insurance_bps: 100, agreeing_only: false, promises },
    },
  });
const resigned = (change: Partial<ObligationTerms>) => signObligation({ ...TERMS, ...change }, PARTIES);

function outputOn(change: Partial<Omit<VerifierOutput, "signature" | "verifier">>, name: keyof typeof signers = "judge"): VerifierOutput {
  return signOutput(signers[name], {
    role: "constraint",
    obligation_hash: hash,
    envelope_id: admitted.envelope.envelope_id,
    answers: [{ question: "performance" }],
    class_of_basis: "ATT",
    basis: [itemHash(honest)],
    verdict: "PASS",
    confidence: 1,
    ...change,
  });
}
function judged(...outputs: readonly unknown[]): readonly Refusal[] {
  const cleared = clear({ obligation: bound, envelope: admitted, outputs, deployment: world, engine: signers.engine, now: 0n });
  expect(cleared.decision.performance).to.equal("unverifiable");
  expect(granted(settle(cleared, signers.engine, openDocket()))).to.equal(undefined);
  return cleared.refusals;
}

const PLATFORM = signer("platform", "ed25519", new Uint8Array(32).fill(9));
const GARAGE = signer("garage", "ed25519", new Uint8Array(32).fill(8));
const quoteMessage = ({ measurement, reportData }: Quote) => new TextEncoder().encode(`${measurement} ${reportData}`);
/** The smallest TEE: one platform key that signs measurement and report data. */
const tee: QuoteVerifier = {
  platform: "tee",
  verify(quote) {
    const { signature, ...says } = quoteSchema.parse(quote);
    return verifySignature(PLATFORM.key, quoteMessage(says), signature) ? says : undefined;
  },
};
const quoteSchema = z.strictObject({ measurement: z.string(), reportData: z.string(), signature: signatureSchema });
const enclaves = deployment(registry, { classChecks: { ATT: quoteCheck([tee], ["reviewed code"]) } });

/** The runner's log with a quote, bent before the runner signs. */
function quoted(
  bend: { artifact?: typeof LOG; measurement?: string; platform?: string; holder?: Signer; about?: typeof hash } = {},
): EvidenceItem {
  const { measurement = "reviewed code", platform = "tee", holder = PLATFORM, about = hash, artifact = LOG } = bend;
  const hop = { emitter: "runner", class: "ATT", issued_at: AT };
  const says = { measurement, reportData: quoteStatement(about, selfReport(artifact.id, artifact.type, artifact.content), hop) };
  const attachment = { platform, quote: { ...says, signature: holder.sign(quoteMessage(says)) } };
  return emitted(hash, LOG, { ...by("runner", "ATT"), attachment });
}

const twoHops = emit(hash, honest, by("shop", "REC"));
const otherDeal = signObligation({ ...TERMS, obligation_id: hashOf({ deal: 2 }) }, PARTIES);

const ATTEMPTS: readonly Attempt[] = [
  // FORGE-UP: one item claims more than its provenance proves.
  {
    guard: "NO_PROVENANCE",
    tries: "a bare claim of ATT",
    attack: () => offers(rewritten(selfReport("log", "ci_log", "green"), { class: "ATT" })),
  },
  {
    guard: "CLASS_ABOVE_PROVENANCE",
    tries: "a self-signed item promoted",
    attack: () => offers(rewritten(emitted(hash, LOG, by("agent", "SIGN")), { class: "ATT" })),
  },
  {
    guard: "CLASS_ABOVE_PROVENANCE",
    tries: "a receipt promoted",
    attack: () => offers(rewritten(emitted(hash, LOG, by("shop", "REC")), { class: "ATT" })),
  },
  {
    guard: "CLASS_ABOVE_PROVENANCE",
    tries: "WIT and REC in one chain, added up to ATT",
    attack: () => offers(rewritten(emit(hash, emitted(hash, LOG, by("witness", "WIT")), by("shop", "REC")), { class: "ATT" })),
  },
  { guard: "CLASS_ABOVE_PROVENANCE", tries: "an attested artifact rebroadcast by a receipt system", attack: () => offers(twoHops) },
  {
    guard: "CLASS_ABOVE_PROVENANCE",
    tries: "an attested artifact rebroadcast through an unsigned hop",
    attack: () =>
      offers({
        ...honest,
        provenance: [...honest.provenance, { emitter: "agent", class: "SELF", issued_at: AT, previous: hashOf(honest.provenance[0]!) }],
      }),
  },
  {
    guard: "NOT_REGISTERED_FOR_CLASS",
    tries: "an agent that attests itself",
    attack: () => offers(emitted(hash, LOG, by("agent", "ATT"))),
  },
  {
    guard: "NOT_REGISTERED_FOR_CLASS",
    tries: "a receipt system that attests",
    attack: () => offers(emitted(hash, LOG, by("shop", "ATT"))),
  },
  { guard: "UNKNOWN_EMITTER", tries: "a runner nobody registered", attack: () => offers(rehopped(honest, 0, { emitter: "ghost-runner" })) },
  {
    guard: "HOP_UNSIGNED",
    tries: "a hop without its signature",
    attack: () => offers({ ...honest, provenance: honest.provenance.map(({ signature: _, ...hop }) => hop) }),
  },
  {
    guard: "HOP_SIGNATURE",
    tries: "a fabricated receipt: the runner's name over the agent's signature",
    attack: () => offers(rehopped(emitted(hash, LOG, by("agent", "ATT")), 0, { emitter: "runner" })),
  },
  {
    guard: "HOP_SIGNATURE",
    tries: "a replay of another deal's attestation",
    attack: () => offers(emitted(otherDeal.obligation_hash, LOG, by("runner", "ATT"))),
  },
  {
    guard: "HOP_SIGNATURE",
    tries: "an attestation moved to another artifact",
    attack: () => offers(rewritten(honest, { content: { status: "red" }, ref: refOf({ status: "red" }) })),
  },
  {
    guard: "HOP_SIGNATURE",
    tries: "an attestation of a lint report, renamed a CI log",
    attack: () => offers(rewritten(emitted(hash, { ...LOG, type: "lint" }, by("runner", "ATT")), { type: "ci_log" })),
  },
  { guard: "HOP_SIGNATURE", tries: "an attestation under another item's name", attack: () => offers(rewritten(honest, { id: "log-2" })) },
  {
    guard: "HOP_SIGNATURE",
    tries: "a receipt's hop relabelled ATT after signing",
    attack: () => offers(rewritten(rehopped(emitted(hash, LOG, by("runner", "REC")), 0, { class: "ATT" }), { class: "ATT" })),
  },
  {
    guard: "HOP_SIGNATURE",
    tries: "an old attestation redated",
    attack: () => offers(rehopped(honest, 0, { issued_at: "2026-05-01T10:30:00Z" })),
  },
  {
    guard: "HOP_SIGNATURE",
    tries: "the weak first hop cut off a chain",
    attack: () => offers({ ...twoHops, class: "REC", provenance: twoHops.provenance.slice(1) }),
  },
  {
    guard: "HOP_SIGNATURE",
    tries: "a chain in another order",
    attack: () => offers({ ...twoHops, provenance: twoHops.provenance.toReversed() }),
  },
  {
    guard: "HOP_SIGNATURE",
    tries: "a hop spliced from another item's chain",
    attack: () =>
      offers({
        ...twoHops,
        provenance: [
          honest.provenance[0]!,
          emit(hash, emitted(hash, { ...LOG, id: "b" }, by("runner", "ATT")), by("shop", "REC")).provenance[1]!,
        ],
      }),
  },
  {
    guard: "HOP_SIGNATURE",
    tries: "a signature of the other scheme",
    attack: () => offers(rehopped(honest, 0, { signature: honest.provenance[0]!.signature!.replace("ed25519", "secp256k1") })),
  },
  {
    guard: "HOP_SIGNATURE",
    tries: "an envelope signature used as a hop's",
    attack: () => offers(rehopped(honest, 0, { signature: seal([]).submission_signature })),
  },
  {
    guard: "HOP_SIGNATURE",
    tries: "an attachment exchanged after signing",
    attack: () => offers(rehopped(honest, 0, { attachment: "a quote" })),
  },
  {
    guard: "CONTENT_MISMATCH",
    tries: "other content under an attested digest",
    attack: () => offers(rewritten(honest, { content: { status: "green!" } })),
  },
  { guard: "REGISTRATION_NOT_IN_FORCE", tries: "a retired runner", attack: () => offers(emitted(hash, LOG, by("old-runner", "ATT"))) },
  {
    guard: "REGISTRATION_NOT_IN_FORCE",
    tries: "a runner before its registration",
    attack: () => offers(emitted(hash, LOG, by("next-runner", "ATT"))),
  },
  {
    guard: "INTERESTED_ISSUER",
    tries: "a runner of the agent's own house",
    attack: () => offers(emitted(hash, LOG, by("in-house-runner", "ATT"))),
  },
  {
    guard: "INTERESTED_ISSUER",
    tries: "a runner of the buyer's house",
    attack: () => offers(emitted(hash, LOG, by("buyers-runner", "ATT"))),
  },
  {
    guard: "INTERESTED_ISSUER",
    tries: "a witness of the agent's own house",
    attack: () => offers(emitted(hash, LOG, by("in-house-witness", "WIT"))),
  },
  {
    guard: "HOP_IN_THE_FUTURE",
    tries: "evidence of what has not happened yet",
    attack: () => offers(emitted(hash, LOG, by("runner", "ATT", "2026-05-01T12:00:00Z"))),
  },
  {
    guard: "STALE",
    tries: "a run older than the deal allows",
    attack: () => offers(emitted(hash, LOG, by("runner", "ATT", "2026-05-01T08:00:00Z"))),
  },
  {
    guard: "PROOF_NOT_CHECKED",
    tries: "a proof that does not check",
    attack: () => offers(emitted(hash, LOG, { ...by("prover", "PROOF"), attachment: "a proof" })),
  },
  {
    guard: "PROOF_NOT_CHECKED",
    tries: "a proof where nobody can check one",
    attack: () => offers(emitted(hash, LOG, { ...by("prover", "PROOF"), attachment: "a proof that checks" }), [], deployment(registry)),
  },
  {
    guard: "PROOF_NOT_CHECKED",
    tries: "a proof that breaks its checker",
    attack: () =>
      offers(
        emitted(hash, LOG, by("prover", "PROOF")),
        [],
        deployment(registry, {
          classChecks: {
            PROOF: () => {
              throw new Error("parser");
            },
          },
        }),
      ),
  },
  { guard: "PROOF_NOT_CHECKED", tries: "an attestation without the quote it needs", attack: () => offers(honest, [], enclaves) },
  {
    guard: "PROOF_NOT_CHECKED",
    tries: "a quote of other code",
    attack: () => offers(quoted({ measurement: "patched code" }), [], enclaves),
  },
  {
    guard: "PROOF_NOT_CHECKED",
    tries: "a quote of a platform nobody knows",
    attack: () => offers(quoted({ platform: "abacus" }), [], enclaves),
  },
  {
    guard: "PROOF_NOT_CHECKED",
    tries: "a quote that the platform never signed",
    attack: () => offers(quoted({ holder: GARAGE }), [], enclaves),
  },
  {
    guard: "PROOF_NOT_CHECKED",
    tries: "a quote about another artifact",
    attack: () => offers(quoted({ artifact: { ...LOG, content: { status: "red" } } }), [], enclaves),
  },
  {
    guard: "PROOF_NOT_CHECKED",
    tries: "a quote for another deal",
    attack: () => offers(quoted({ about: otherDeal.obligation_hash }), [], enclaves),
  },
  { guard: "UNKNOWN_ITEM_CLASS", tries: "a class above all classes", attack: () => offers(rewritten(honest, { class: "ABSOLUTE" })) },
  {
    guard: "UNKNOWN_ITEM_CLASS",
    tries: "a hop of a class nobody defined",
    attack: () => offers(rehopped(honest, 0, { class: "ABSOLUTE" })),
  },
  {
    guard: "CHAIN_TOO_LONG",
    tries: "a chain that never ends",
    attack: () =>
      offers(
        Array.from({ length: 17 }).reduce<EvidenceItem>((item) => emit(hash, item, by("runner", "ATT")), selfReport("long", "ci_log", "x")),
      ),
  },
  {
    guard: "DUPLICATE_ITEM",
    tries: "a second item under the name of the first",
    attack: () => offers(rewritten(selfReport("log", "ci_log", "red"), {}), [honest]),
  },

  // The envelope as a whole.
  {
    guard: "OTHER_OBLIGATION",
    tries: "the envelope of another deal",
    attack: () => envelopeOf(seal([], { obligation_hash: otherDeal.obligation_hash })),
  },
  { guard: "ENVELOPE_ID", tries: "an item added after sealing", attack: () => envelopeOf({ ...seal([]), items: [honest] }) },
  {
    guard: "SUBMISSION_SIGNATURE",
    tries: "an envelope sealed by nobody",
    attack: () => envelopeOf({ ...seal([honest]), submission_signature: seal([]).submission_signature }),
  },
  {
    guard: "SUBMITTER_NOT_AUTHORISED",
    tries: "an envelope of a stranger",
    attack: () => envelopeOf(sealEnvelope(signers.shop, { obligation_hash: hash, submitted_at: SUBMITTED, items: [honest] })),
  },
  {
    guard: "SUBMITTED_TOO_LATE",
    tries: "evidence after the window",
    attack: () => envelopeOf(seal([honest], { submitted_at: "2026-05-03T00:00:00Z" })),
  },
  {
    guard: "ENVELOPE_SHAPE",
    tries: "a hole where a signature was",
    attack: () => envelopeOf({ ...seal([honest]), submission_signature: undefined }),
  },
  { guard: "ENVELOPE_SHAPE", tries: "a field that no schema knows", attack: () => envelopeOf({ ...seal([honest]), trusted: true }) },

  // LAUNDER-BASIS, as far as one event shows it.
  {
    guard: "BASIS_CLASS_MISSTATED",
    tries: "a self-report under a basis declared ATT",
    attack: () => judged(outputOn({ basis: [...admitted.items.keys()] })),
  },
  { guard: "BASIS_CLASS_MISSTATED", tries: "a class without any item", attack: () => judged(outputOn({ basis: [] })) },
  {
    guard: "BASIS_NOT_IN_ENVELOPE",
    tries: "a basis of items that ingest kept out",
    attack: () => judged(outputOn({ basis: [itemHash(twoHops)] })),
  },
  {
    guard: "BASIS_NOT_IN_ENVELOPE",
    tries: "one item counted twice",
    attack: () => judged(outputOn({ basis: [itemHash(honest), itemHash(honest)] })),
  },
  {
    guard: "VERIFIER_SIGNATURE",
    tries: "a verdict turned after signing",
    attack: () => judged({ ...outputOn({ verdict: "FAIL" }), verdict: "PASS" }),
  },
  {
    guard: "VERIFIER_SIGNATURE",
    tries: "a verdict in another's name",
    attack: () => judged({ ...outputOn({}, "other-judge"), verifier: "judge" }),
  },
  { guard: "NOT_EMPANELLED", tries: "a verifier that nobody asked", attack: () => judged(outputOn({}, "other-judge")) },
  { guard: "VERIFIER_INTERESTED", tries: "a verifier of the agent's own house", attack: () => judged(outputOn({}, "agents-judge")) },
  { guard: "VERIFIER_ROLE", tries: "a constraint checker that answers as a human", attack: () => judged(outputOn({ role: "human" })) },
  {
    guard: "OUTPUT_OF_OTHER_OBLIGATION",
    tries: "a verdict on another deal",
    attack: () => judged(outputOn({ obligation_hash: otherDeal.obligation_hash })),
  },
  {
    guard: "OUTPUT_OF_OTHER_ENVELOPE",
    tries: "a verdict on an earlier envelope",
    attack: () => judged(outputOn({ envelope_id: seal([]).envelope_id })),
  },
  { guard: "DUPLICATE_OUTPUT", tries: "two verdicts of one verifier", attack: () => judged(outputOn({}), outputOn({ confidence: 0.5 })) },
  {
    guard: "LOSS_CURRENCY",
    tries: "a loss in another currency",
    attack: () => judged(outputOn({ loss_estimate: { point: 1, currency: "XAU" } })),
  },
  {
    guard: "AGREEING_STRANGER",
    tries: "a verdict that finds the work of somebody in agreement who did none",
    attack: () => judged(outputOn({ score: 1, agreeing: ["ghost"] })),
  },
  {
    guard: "KIND_MISSING",
    tries: "a model's opinion where the obligation asks for none",
    attack: () =>
      judged(
        outputOn({
          findings: [
            {
              ...{ kind: "semantic", verdict: "PASS", confidence: 1, score: 1, basis: [itemHash(honest)], agreeing: [] },
              from: hashOf({ of: "nothing" }),
            },
          ],
        }),
      ),
  },
  { guard: "OUTPUT_SHAPE", tries: "a confidence above one", attack: () => judged({ ...outputOn({}), confidence: 2 }) },
  {
    guard: "VERIFIER_UNKNOWN",
    tries: "an empanelled verifier that nobody registered",
    attack: () => {
      const open = granted(
        bindObligation(resigned({ verifier_policy: { verifiers: ["ghost"], count: 1, questions: ["performance"] } }), world),
      );
      const envelope = granted(
        ingest(sealEnvelope(signers.agent, { obligation_hash: open.obligation_hash, submitted_at: SUBMITTED, items: [] }), open, world),
      );
      const output = {
        ...outputOn({
          obligation_hash: open.obligation_hash,
          envelope_id: envelope.envelope.envelope_id,
          basis: [],
          class_of_basis: "SELF",
        }),
        verifier: "ghost",
      };
      return clear({ obligation: open, envelope, outputs: [output], deployment: world, engine: signers.engine, now: 0n }).refusals;
    },
  },

  // DOWNGRADE-FLOOR: the obligation binds less than the parties meant.
  {
    guard: "OBLIGATION_HASH",
    tries: "a floor lowered after the signatures",
    attack: () => binding({ ...OBLIGATION, admissibility_floors: { fee_release: "SELF" } }),
  },
  {
    guard: "PARTY_SIGNATURE",
    tries: "a floor lowered and hashed again",
    attack: () => binding({ ...resigned({ admissibility_floors: { fee_release: "SELF" } }), signatures: OBLIGATION.signatures }),
  },
  {
    guard: "FLOOR_BELOW_TEMPLATE",
    tries: "a floor below the template, signed by all",
    attack: () => binding(resigned({ admissibility_floors: { fee_release: "REC" } })),
  },
  {
    guard: "FLOOR_BELOW_TEMPLATE",
    tries: "a lower floor for one question only",
    attack: () => binding(resigned({ admissibility_floors: { fee_release: { performance: "ATT", policy: "SIGN" } } })),
  },
  {
    guard: "FLOOR_BELOW_TEMPLATE",
    tries: "a lower floor for the final settlement only",
    attack: () => binding(resigned({ admissibility_floors: { fee_release: "ATT", final_settlement: "SELF" } })),
  },
  {
    guard: "BELOW_BAND",
    tries: "terms that all signed, and that demand less than what is at stake",
    attack: () => binding(OBLIGATION, { ...world, exposure: { of: () => 0.9, config: DEFAULT_EXPOSURE } }),
  },
  { guard: "UNVETTED_TEMPLATE", tries: "a template of the attacker's", attack: () => binding(resigned({ template: "delivery-lite" })) },
  {
    guard: "UNVETTED_TEMPLATE",
    tries: "no template where one is required",
    attack: () => {
      const { template: _, ...terms } = TERMS;
      return binding(signObligation(terms, PARTIES));
    },
  },
  {
    guard: "PARTY_SIGNATURE",
    tries: "a witness who has not signed",
    attack: () => binding(signObligation(TERMS, { requestor: signers.buyer, provider: signers.agent })),
  },
  {
    guard: "PARTY_SIGNATURE",
    tries: "the provider signing for the buyer",
    attack: () => binding(signObligation(TERMS, { ...PARTIES, requestor: signers.agent })),
  },
  {
    guard: "UNKNOWN_PARTY",
    tries: "a buyer who does not exist",
    attack: () => binding(resigned({ parties: { ...TERMS.parties, requestor: "ghost" } })),
  },
  {
    guard: "UNKNOWN_CLASS",
    tries: "a floor of a class nobody defined",
    attack: () => binding(resigned({ admissibility_floors: { fee_release: "NOTHING" } })),
  },
  {
    guard: "VERIFIER_COUNT",
    tries: "a panel padded with one verifier twice",
    attack: () => binding(resigned({ verifier_policy: { verifiers: ["judge", "judge"], count: 2 } })),
  },
  {
    guard: "RELEASE_RULE",
    tries: "promises above the fee",
    attack: () => binding(promising({ payee: "agent", price: 1001, items: "0/" })),
  },
  {
    guard: "RELEASE_RULE",
    tries: "a promise to nobody who works",
    attack: () => binding(promising({ payee: "buyer", price: 1000, items: "0/" })),
  },
  {
    guard: "RELEASE_RULE",
    tries: "two promises to one worker",
    attack: () => binding(promising({ payee: "agent", price: 500, items: "0/" }, { payee: "agent", price: 500, items: "1/" })),
  },
  {
    guard: "VERIFIER_COUNT",
    tries: "a panel of its own beside the rule that draws one",
    attack: () => binding(resigned({ verifier_policy: { verifiers: ["agents-judge"], count: 1, drawn_by: "lot" } })),
  },
  {
    guard: "ONE_PARTY",
    tries: "an agent that orders from itself by another account",
    attack: () =>
      binding(
        signObligation(
          { ...TERMS, parties: { ...TERMS.parties, requestor: "agents-other-account" } },
          { ...PARTIES, requestor: signers["agents-other-account"] },
        ),
      ),
  },
  {
    guard: "NOT_THE_ENGINE",
    tries: "an engine of the agent's own",
    attack: () => binding(resigned({ clearing_engine: "agents-engine" })),
  },
  { guard: "OBLIGATION_SHAPE", tries: "an obligation without a floor", attack: () => binding({ ...OBLIGATION, admissibility_floors: {} }) },
];

describe("forging", () => {
  it("starts from a deal that settles", () => {
    const instruction = decides(admitted, itemHash(honest));
    expect(instruction?.fee_action).to.deep.equal({ type: "release", release_amount: 1000, currency: "USD" });
    expect([...admitted.items.values()].map((item) => item.class)).to.deep.equal(["ATT", "SELF"]);
  });

  for (const { guard, tries, attack } of ATTEMPTS) {
    it(`${guard} stops ${tries}`, () => expect(attack().map((refusal) => refusal.guard)).to.include(guard));
  }

  it("tries every guard at least once", () => {
    // The last stages are attacked in test/clearing/{exit,gates,settlement,docket,appeal,margin,mesh}.test.ts, findings in the last of them.
    const later = [
      ...GUARDS.exit,
      ...GUARDS.override,
      ...GUARDS.settlement,
      ...GUARDS.appeal,
      ...GUARDS.margin,
      ...GUARDS.finality,
      ...GUARDS.passport,
    ];
    const elsewhere: readonly Guard[] = ["NOT_A_CHILD", "FLOOR_BELOW_PARENT", "POLICY_CONFLICT", "KINDS_CONTRADICT", ...later];
    const guards: readonly Guard[] = Object.values(GUARDS).flat();
    const tried = new Set(ATTEMPTS.map(({ guard }) => guard));
    expect(guards.filter((guard) => !tried.has(guard) && !elsewhere.includes(guard))).to.deep.equal([]);
  });

  it("admits what is honestly less: two hops at the weaker one, a self-signed log at SIGN", () => {
    const weaker = { ...twoHops, class: "REC" };
    const own = emitted(hash, { ...LOG, id: "own" }, by("agent", "SIGN"));
    const modest = { ...emitted(hash, { ...LOG, id: "modest" }, by("runner", "ATT")), class: "SIGN" };
    const envelope = granted(ingest(seal([weaker, own, modest]), bound, world));
    expect(envelope.refusals).to.deep.equal([]);
    expect([...envelope.items.values()].map((item) => item.class)).to.deep.equal(["REC", "SIGN", "SIGN"]);
    const enclave = quoted();
    expect(granted(ingest(seal([enclave]), bound, enclaves)).items.get(itemHash(enclave))?.class).to.equal("ATT");
    const proven = emitted(hash, { ...LOG, id: "proof" }, { ...by("prover", "PROOF"), attachment: "a proof that checks" });
    expect(granted(ingest(seal([proven]), bound, world)).items.get(itemHash(proven))?.class).to.equal("PROOF");
  });

  it("is no reason to refuse the rest of an envelope", () => {
    const envelope = granted(ingest(seal([rewritten(honest, { id: "forged" }), honest]), bound, world));
    expect([...envelope.items.keys()]).to.deep.equal([itemHash(honest)]);
    expect(decides(envelope, itemHash(honest))).to.not.equal(undefined);
  });
});
