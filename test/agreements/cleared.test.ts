/** Two libraries about one payment: what an agreement's own rules divide, and what an engine settles under the obligation made of it. */
import { expect } from "chai";
import {
  type Agreement,
  answerOf,
  divide,
  obligationOf,
  readAgreement,
  releasePercent,
  type VerificationResult,
} from "../../orchestrator/agreements/index.ts";
import {
  bindObligation,
  clear,
  deployment,
  emitted,
  ingest,
  itemHash,
  openDocket,
  registryOf,
  sealEnvelope,
  settle,
  signer,
  signObligation,
  signOutput,
} from "../../orchestrator/clearing/index.ts";
import type { Checked } from "../../orchestrator/clearing/refusal.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { EXAMPLE, proposal } from "./example.ts";
import { refusalOf } from "./refusals.ts";

const BOUND_AT = "2026-03-26T14:35:00Z";
const DELIVERED_AT = "2026-03-26T15:00:00Z";
const NOW = BigInt(Date.parse(DELIVERED_AT) / 1_000);
const [CLIENT, PROVIDER, EVALUATOR] = ["coc:sha256:abc123", "erc8004:0x742d", "api_key:eval-key-789"];
const keyOf = (id: string) => signer(id, "ed25519", Buffer.from(sha256(id).slice(2), "hex"));
const registry = registryOf([
  ...[CLIENT, PROVIDER, "engine"].map((id) => ({
    ...{ id, principal: `house of ${id}`, key: keyOf(id).key },
    ...(id === "engine" ? { role: "engine" as const } : {}),
  })),
  { id: EVALUATOR, principal: "house of judges", key: keyOf(EVALUATOR).key, role: "semantic" },
  { id: "lab", principal: "house of labs", key: keyOf("lab").key, issues: ["ATT"] },
]);
const world = deployment(registry);
const granted = <Value>(checked: Checked<Value>): Value => {
  if (!checked.ok) throw new Error(JSON.stringify(checked.refusals));
  return checked.value;
};
const resultOf = (determination: Partial<VerificationResult["determination"]>) => ({
  determination: { result: "PASS" as const, composite: 9_000, payment_release_percent: 100, confidence: 0.9, ...determination },
});

/** What an engine settles of a result, on evidence of one class; undefined where it settles nothing. */
function settled(agreement: Agreement, result: ReturnType<typeof resultOf>, grade: "ATT" | "SIGN" = "ATT") {
  const obligation = signObligation(obligationOf(agreement, { floor: "ATT", boundAt: BOUND_AT }), {
    requestor: keyOf(CLIENT),
    provider: keyOf(PROVIDER),
  });
  const bound = granted(bindObligation(obligation, world));
  const item = emitted(
    obligation.obligation_hash,
    { id: "0/0", type: "deliverable", content: { sha256: sha256("work") } },
    { signer: grade === "ATT" ? keyOf("lab") : keyOf(PROVIDER), class: grade, issuedAt: DELIVERED_AT },
  );
  const body = { obligation_hash: obligation.obligation_hash, submitted_at: DELIVERED_AT, items: [item] };
  const envelope = granted(ingest(sealEnvelope(keyOf(PROVIDER), body), bound, world));
  const output = signOutput(keyOf(EVALUATOR), {
    ...{ role: "semantic", obligation_hash: obligation.obligation_hash, envelope_id: envelope.envelope.envelope_id },
    ...{ class_of_basis: grade, basis: [itemHash(item)], ...answerOf(agreement, result) },
  });
  const cleared = clear({ obligation: bound, envelope, outputs: [output], deployment: world, engine: keyOf("engine"), now: NOW });
  return granted(settle(cleared, keyOf("engine"), openDocket(), { [PROVIDER]: 1000 }))?.fee_action;
}

/** Smallest units to the provider and back to the client. */
function sharesOf(action: ReturnType<typeof settled>) {
  switch (action?.type) {
    case undefined:
      return undefined;
    case "refund":
      return { provider: 0n, client: BigInt(action.refund_amount) };
    case "release":
      return { provider: BigInt(action.release_amount), client: 0n };
    case "partial_release":
      return { provider: BigInt(action.release_amount), client: BigInt(action.retain_amount) };
  }
}

const paying = (payment: Record<string, unknown>): Agreement =>
  readAgreement({
    ...EXAMPLE,
    service: { ...EXAMPLE.service, constraints: {} },
    escrow: { ...EXAMPLE.escrow, payment: { ...EXAMPLE.escrow.payment, ...payment } },
  });

describe("an agreement that is cleared as an obligation", () => {
  it("pays what its own rules divide, to the unit, for every score", () => {
    const random = randomStream("cleared", "agreements");
    const continuous = { enabled: true, mode: "continuous" };
    for (let drawn = 0; drawn < 40; drawn += 1) {
      const amount = `${random.int(100_000) + 1}.${String(random.int(1_000_000)).padStart(6, "0")}`;
      const agreement = paying(drawn % 2 === 0 ? { amount } : { amount, graduated_release: continuous });
      const composite = random.int(10_001);
      const passed = composite >= 7_500;
      const percent = releasePercent(agreement, { composite, passed });
      const result = resultOf({ result: passed ? "PASS" : "FAIL", composite, payment_release_percent: percent });
      expect(sharesOf(settled(agreement, result)), `${amount} at ${composite}`).to.deep.equal(divide(agreement, percent));
    }
  });

  it("pays nothing on evidence below the floor, and nothing for a result that says too little", () => {
    expect(settled(proposal, resultOf({}), "SIGN")).to.equal(undefined);
    expect(settled(proposal, resultOf({ result: "incomplete", payment_release_percent: 0 }))).to.equal(undefined);
  });

  it("asks for its gates as policy, its SLOs as criteria, and for its own windows", () => {
    const gate = { condition: "all_tests_pass", type: "boolean" };
    const gated = readAgreement({ ...EXAMPLE, quality_criteria: { ...EXAMPLE.quality_criteria, quality_gates: [gate] } });
    const { verifier_policy, acceptance_criteria, deadlines, parties, prohibitions } = obligationOf(gated, {
      floor: "ATT",
      boundAt: BOUND_AT,
    });
    expect(parties).to.deep.equal({ requestor: CLIENT, provider: PROVIDER });
    expect(verifier_policy.questions).to.deep.equal(["performance", "policy"]);
    expect(acceptance_criteria).to.include.members(["all_tests_pass", "accuracy is at least 85", "timeliness is exactly true"]);
    expect(deadlines).to.deep.equal({ execution_window_hours: 24, appeal_window_hours: 2 });
    expect(prohibitions).to.have.length(1);
    expect(sharesOf(settled(gated, resultOf({})))).to.deep.equal(divide(gated, 100));
  });

  it("is refused where there is nothing to pay, too much to count, or nobody to ask", () => {
    const at = { floor: "ATT", boundAt: BOUND_AT };
    const { escrow: _, ...free } = EXAMPLE;
    const refused = (document: unknown) => refusalOf(() => obligationOf(readAgreement(document), at));
    expect(refused(free)).to.equal("NothingToDivide");
    const payment = { amount: "1.00", currency: "DAI" };
    expect(refused({ ...EXAMPLE, escrow: { ...EXAMPLE.escrow, payment } })).to.equal("BadAmount");
    const parties = { ...EXAMPLE.parties, evaluator: { type: "panel" } };
    expect(refused({ ...EXAMPLE, parties })).to.equal("NoEvaluator");
  });
});
