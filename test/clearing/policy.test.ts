/** Settlement policies: what each outcome does with the money, and policies that contradict themselves. */
import { expect } from "chai";
import {
  bindObligation,
  clear,
  collateralEndOf,
  deployment,
  emitted,
  hashOf,
  ingest,
  itemHash,
  type Obligation,
  type Outcomes,
  openDocket,
  outcomesOf,
  SETTLEMENT_TEMPLATES,
  sealEnvelope,
  settle,
  signObligation,
  signOutput,
  type VerdictName,
} from "../../orchestrator/clearing/index.ts";
import { castOf } from "../../scripts/clearing/cast.ts";
import { granted } from "../../scripts/clearing/scenario.ts";

const { signers, registry } = castOf("policies", {
  buyer: { principal: "buyer-inc" },
  agent: { principal: "agent-labs" },
  lab: { principal: "ci-house", issues: ["ATT"] },
  works: { principal: "mesh", role: "constraint" },
  rules: { principal: "mesh", role: "policy" },
  engine: { principal: "clearing-house", role: "engine" },
});
const world = deployment(registry);
const RAIL = { execution_rail: { name: "escrow" } };
type Policy = NonNullable<Obligation["settlement_policy"]>;
const termsUnder = (settlement_policy?: Policy, admissibility_floors: Obligation["admissibility_floors"] = { fee_release: "ATT" }) =>
  signObligation(
    {
      ...{ obligation_id: hashOf({ deal: "policies" }), parties: { requestor: "buyer", provider: "agent" }, task: {}, scope: {} },
      ...{ prohibitions: [], required_actions: [], acceptance_criteria: [], admissibility_floors },
      verifier_policy: { verifiers: ["works", "rules"], count: 2, quorum: 2 },
      economic_terms: { fee: 900, collateral: 400, principal: 5000, claim_ceiling: 700, currency: "USD" },
      deadlines: { execution_window_hours: 2, appeal_window_hours: 24 },
      ...(settlement_policy === undefined ? {} : { settlement_policy }),
    },
    { requestor: signers.buyer, provider: signers.agent },
  );
const boundTo = (outcomes: Outcomes, more: Partial<Policy> = {}) => bindObligation(termsUnder({ ...RAIL, outcomes, ...more }), world);

/** The instruction after these verdicts; `loss`: as estimated by whoever finds a failure, if at all. */
function instructed(
  settlement_policy: Policy | undefined,
  performance: VerdictName,
  policy: VerdictName,
  loss: number | null = 250,
  floors?: Obligation["admissibility_floors"],
) {
  const obligation = granted(bindObligation(termsUnder(settlement_policy, floors), world));
  const { obligation_hash } = obligation;
  const item = emitted(
    obligation_hash,
    { id: "log", type: "log", content: {} },
    { signer: signers.lab, class: "ATT", issuedAt: "2027-01-15T08:30:00Z" },
  );
  const sealed = sealEnvelope(signers.agent, { obligation_hash, submitted_at: "2027-01-15T09:00:00Z", items: [item] });
  const envelope = granted(ingest(sealed, obligation, world));
  const says = (by: "works" | "rules", verdict: VerdictName) =>
    signOutput(signers[by], {
      ...{ role: by === "works" ? "constraint" : "policy", obligation_hash, envelope_id: envelope.envelope.envelope_id, verdict },
      ...{
        answers: [{ question: by === "works" ? "performance" : "policy" }],
        class_of_basis: "ATT",
        basis: [itemHash(item)],
        confidence: 1,
      },
      ...(verdict === "FAIL" && loss !== null ? { loss_estimate: { point: loss, currency: "USD" } } : {}),
    });
  const outputs = [says("works", performance), says("rules", policy)];
  const cleared = clear({ obligation, envelope, outputs, deployment: world, engine: signers.engine, now: 1_800_000_000n });
  return granted(settle(cleared, signers.engine, openDocket()));
}

/** What an instruction says: released, principal, slashed, claim paid. */
function paid(...of: Parameters<typeof instructed>) {
  const { fee_action: fee, principal_action, collateral_action, claim_action } = instructed(...of) ?? {};
  const end = collateral_action && collateralEndOf(collateral_action);
  const released = fee === undefined || fee.type === "refund" ? 0 : fee.release_amount;
  return [released, principal_action?.type, end?.type === "slash" ? end.amount : 0, claim_action?.amount];
}

describe("a settlement policy", () => {
  it("is the standard one if the parties agreed on none", () => {
    expect(outcomesOf(termsUnder())).to.deep.equal(SETTLEMENT_TEMPLATES.standard);
    for (const policy of [undefined, { ...RAIL, outcomes: SETTLEMENT_TEMPLATES.standard }]) {
      expect(paid(policy, "PASS", "PASS")).to.deep.equal([900, "release", 0, 0]);
      expect(paid(policy, "PASS", "FAIL")).to.deep.equal([650, "release", 0, 0]);
      expect(paid(policy, "FAIL", "PASS")).to.deep.equal([0, "refund", 250, 250]);
    }
  });

  it("does with each outcome what its template says", () => {
    const strict = { ...RAIL, outcomes: SETTLEMENT_TEMPLATES.strict };
    expect(paid(strict, "PASS", "PASS")).to.deep.equal([900, "release", 0, 0]);
    expect(paid(strict, "PASS", "FAIL")).to.deep.equal([0, "refund", 250, 250]);
    expect(paid({ ...RAIL, outcomes: SETTLEMENT_TEMPLATES.lenient }, "FAIL", "PASS")).to.deep.equal([0, "refund", 0, 0]);
    const harsh: Outcomes = {
      ...SETTLEMENT_TEMPLATES.strict,
      failed: { fee: "refund", principal: "reverse", collateral: "slash", claim: "pay_loss" },
    };
    expect(paid({ ...RAIL, outcomes: harsh }, "FAIL", "PASS", 9999)).to.deep.equal([0, "reverse", 400, 700]);
    expect(paid({ ...RAIL, outcomes: harsh }, "FAIL", "PASS", 10)).to.deep.equal([0, "reverse", 400, 10]);
  });

  it("leaves a claim to somebody else where the parties say so, and where nobody estimated the loss", () => {
    const { standard } = SETTLEMENT_TEMPLATES;
    const left = { ...RAIL, outcomes: { ...standard, failed: { ...standard.failed, claim: "escalate" } } } as const;
    expect(instructed(left, "FAIL", "PASS")?.claim_action).to.deep.equal({ type: "escalate", amount: 250, currency: "USD" });
    expect(instructed(left, "FAIL", "PASS", 9999)?.claim_action).to.deep.equal({ type: "escalate", amount: 700, currency: "USD" });
    expect(instructed(undefined, "FAIL", "PASS", null)?.claim_action).to.deep.equal({ type: "escalate", amount: 700, currency: "USD" });
    expect(instructed(left, "PASS", "PASS")?.claim_action).to.deep.equal({ type: "deny", amount: 0, currency: "USD" });
  });

  it("has the rail hold the collateral until finality, or act on it at once, to be reversed until then", () => {
    const { standard } = SETTLEMENT_TEMPLATES;
    const until = "2027-01-16T08:00:00Z";
    const slashed = { type: "slash", amount: 250, return_amount: 150 } as const;
    const returned = { type: "return", amount: 400 } as const;
    for (const held of [undefined, RAIL, { ...RAIL, collateral: "held" as const }]) {
      const action = (verdict: VerdictName) => instructed(held, verdict, "PASS")?.collateral_action;
      expect(action("FAIL")).to.deep.equal({ type: "hold", amount: 400, until, on_final: slashed });
      expect(action("PASS")).to.deep.equal({ type: "hold", amount: 400, until, on_final: returned });
    }
    const atOnce = { ...RAIL, outcomes: standard, collateral: "at_once" } as const;
    expect(instructed(atOnce, "FAIL", "PASS")?.collateral_action).to.deep.equal(slashed);
    expect(instructed(atOnce, "PASS", "FAIL")?.collateral_action).to.deep.equal(returned);
  });

  it("holds what may move at once where the floor of the final settlement decides nothing, and leaves it alone where no floor is met", () => {
    const atOnce = { ...RAIL, collateral: "at_once" } as const;
    const under = (floors: Partial<Obligation["admissibility_floors"]>) =>
      instructed(atOnce, "FAIL", "PASS", 250, { fee_release: "ATT", ...floors })?.collateral_action;
    expect(under({ final_settlement: "ATT" })?.type).to.equal("slash");
    expect(under({ final_settlement: "PROOF" })?.type).to.equal("hold");
    expect(under({ collateral_hold: "PROOF" })).to.equal(undefined);
  });

  it("does not bind if its parts contradict each other", () => {
    const { standard, strict, lenient } = SETTLEMENT_TEMPLATES;
    for (const template of [standard, strict, lenient]) expect(boundTo(template).ok).to.equal(true);
    const release = {
      ...{ protocol_fee_bps: 0, insurance_bps: 0, agreeing_only: false },
      promises: [{ payee: "agent", price: 900, items: "" }],
    };
    const backwards: Outcomes = { ...strict, failed: { ...strict.failed, fee: "release" } };
    const refused = [
      boundTo(standard, { on_failure: "reverse" }),
      boundTo(standard, { release: { ...release, promises: [{ payee: "agent", price: 900, items: "0/" }] } }),
      boundTo(backwards),
      boundTo({ ...strict, passed: { ...strict.passed, fee: "refund" }, violated: strict.passed }),
      boundTo({ ...strict, failed: { ...strict.failed, collateral: "return" } }),
      boundTo({ ...strict, passed: { ...strict.passed, principal: "refund" }, violated: { ...strict.violated, principal: "release" } }),
      boundTo({ ...strict, passed: { ...strict.passed, claim: "pay_loss" }, violated: { ...strict.violated, claim: "deny" } }),
    ];
    for (const each of refused) expect(each.ok ? [] : each.refusals.map(({ guard }) => guard)).to.deep.equal(["POLICY_CONFLICT"]);
    expect(boundTo(strict, { release: { ...release, promises: [{ payee: "agent", price: 900, items: "0/" }] } }).ok).to.equal(true);
  });
});
