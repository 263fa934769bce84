import { expect } from "chai";
import {
  agreementHash,
  DEFAULT_TIERS,
  messageBytes,
  openLife,
  raisedRelease,
  readAgreement,
  say,
  take,
} from "../../orchestrator/agreements/index.ts";
import { rejection } from "../support/rejection.ts";
import { EXAMPLE, keyOf, signers } from "./example.ts";

/** What of the paper's example is kept here: its disputes go to a protocol that nobody here speaks. */
const KEPT = { ...EXAMPLE, dispute: { protocol: "arbiter", evidence_includes: EXAMPLE.dispute.evidence_includes } } as const;

/** The refusal of a proposal whose terms are these in place of the example's. */
async function refusal(terms: object) {
  const found = await rejection(Promise.resolve().then(() => begun({ ...KEPT, ...terms }))).catch(() => undefined);
  return found === undefined ? undefined : { code: Reflect.get(found, "code"), problem: found.message };
}

/** Ten scores just above a boundary, hundredths. */
const HISTORY = Array.from({ length: 10 }, () => 7_600);
const NOW = Date.parse(EXAMPLE.created_at) / 1_000;

/** The life of an agreement as its client proposes it. */
function begun(document: object, isKept = false) {
  const agreement = readAgreement(document);
  const signature = signers.client.sign(messageBytes("proposal", agreementHash(agreement)));
  return openLife({ act: "propose", document: JSON.parse(JSON.stringify(agreement)), signature }, { keyOf, now: NOW, isKept });
}

const { service, verification, escrow, dispute } = KEPT;
const { parties, quality_criteria } = KEPT;
const canaries = (changed: object) => ({ verification: { ...verification, canary_tasks: { ...verification.canary_tasks, ...changed } } });
const release = (changed: object) => ({
  escrow: {
    ...escrow,
    payment: { ...escrow.payment, graduated_release: { ...escrow.payment.graduated_release, ...changed } },
  },
});
const evaluator = (changed: object) => ({ parties: { ...parties, evaluator: { ...parties.evaluator, ...changed } } });
const criteria = (changed: object) => ({ quality_criteria: { ...quality_criteria, ...changed } });
/** Disputed by the terms themselves, under those of a payment that no escrow holds. */
const filed = (changed: object, strategy = "optimistic") => ({
  verification: { ...verification, strategy },
  escrow: { ...escrow, binding: { type: "manual" } },
  dispute: { protocol: "none", auto_file_on: "verification_failure_below_threshold", threshold: 60, ...changed },
});
const held = (seconds: number) => ({
  escrow: { ...escrow, dead_mans_switch: { ...escrow.dead_mans_switch, evaluator_timeout_seconds: seconds } },
});
const paidBy = (type: string, more: object = {}) => ({ escrow: { ...escrow, binding: { type, ...more } }, dispute: { protocol: "none" } });
const judged = (method: string) => ({
  parties: { ...EXAMPLE.parties, evaluator: { type: "panel", panel: ["a", "b", "c"].map((value) => ({ scheme: "uri", value })) } },
  dispute: { protocol: "none" },
  verification: { ...verification, consensus: { evaluators: 3, method } },
  escrow: { ...escrow, binding: { type: "manual" } },
});

describe("a proposal whose terms nobody would enforce", () => {
  const REFUSED: Readonly<Record<string, readonly object[]>> = {
    "parties.evaluator.type": [evaluator({ type: "panel" })],
    "parties.evaluator.selection": [evaluator({ selection: { mode: "random" } })],
    "parties.evaluator.config.model_family": [
      {
        parties: {
          ...parties,
          provider: { ...parties.provider, model_family: "claude" },
          evaluator: { ...parties.evaluator, config: { model_family: "claude" } },
        },
      },
    ],
    "service.deliverable_format": [
      { service: { ...service, deliverable_format: "rust" } },
      { service: { ...service, deliverable_format: "pdf" }, verification: { ...verification, depth: "structural" } },
    ],
    "service.resources": [{ service: { ...service, resources: { token_budget: 10_000 } } }],
    "service.constraints.max_cost_usd": [{ escrow: { ...escrow, payment: { ...escrow.payment, currency: "EURC" } } }],
    "quality_criteria.gate_logic": [criteria({ gate_logic: "any_may_pass" })],
    "quality_criteria.guarantee": [criteria({ guarantee: { kind: "pass_at_k", k: 3, target: 80 } })],
    "quality_criteria.dimensions.shadow_slo": [
      criteria({ dimensions: quality_criteria.dimensions.map((each) => ({ ...each, shadow_metric: undefined })) }),
    ],
    "verification.rotation": [{ verification: { ...verification, rotation: { max_consecutive: 2 } } }],
    "verification.canary_tasks.frequency": [canaries({ frequency: "1_per_2_deliveries" })],
    "verification.canary_tasks.failure_action": [canaries({ failure_action: "terminate" })],
    "verification.consensus.method": [judged("majority")],
    "escrow.binding.type": [paidBy("city")],
    "escrow.binding.url": [paidBy("http_callback"), paidBy("http_callback", { url: "https://payer.example/" })],
    "escrow.payment.graduated_release.dynamic": [
      release({ dynamic: { band: 3 } }),
      release({ dynamic: true }),
      release({ dynamic: raisedRelease(DEFAULT_TIERS, HISTORY).dynamic }),
    ],
    "escrow.payment.graduated_release.tiers": [release({ mode: "continuous" })],
    "escrow.payment.graduated_release.noise": [
      release({ mode: "continuous", tiers: undefined, noise: { points: 3, seed_hash: `0x${"11".repeat(32)}` } }),
    ],
    "escrow.dead_mans_switch.evaluator_timeout_seconds": [held(1_199)],
    "dispute.protocol": [{ dispute: EXAMPLE.dispute }, { dispute: { protocol: "none" } }, filed({ protocol: "arbiter" })],
    "dispute.auto_file_on": [
      { dispute: { ...dispute, threshold: 60, auto_file_on: "verification_failure_below_threshold" } },
      filed({ auto_file_on: "any_failure" }),
      filed({ threshold: undefined }),
      filed({}, "immediate"),
    ],
    "dispute.threshold": [{ dispute: { ...dispute, threshold: 60 } }],
    "dispute.evidence_includes": [{ dispute: { ...dispute, evidence_includes: ["agreement", "deliverable"] } }],
  };
  for (const [term, cases] of Object.entries(REFUSED))
    it(`is refused by the name of ${term}`, async () => {
      for (const [index, terms] of cases.entries()) {
        const found = await refusal(JSON.parse(JSON.stringify(terms)));
        expect(found?.code, `${index}`).to.equal("NotHonoured");
        expect(found?.problem, `${index}`).to.include(`${term}`);
      }
    });

  it("is read all the same: another system may enforce them", () => {
    for (const terms of Object.values(REFUSED).flat())
      expect(readAgreement(JSON.parse(JSON.stringify({ ...EXAMPLE, ...terms }))).status).to.equal("proposed");
  });

  it("begins with what is enforced: the paper's example but for its disputes, medians, tiers as they are", async () => {
    const enforced = [
      {},
      paidBy("manual"),
      paidBy("x402"),
      paidBy("http_callback", { url: "https://payer.example/", operator: `0x${"11".repeat(20)}`, payee: "account 7" }),
      judged("median"),
      release({ dynamic: false }),
      { service: { ...service, deliverable_format: "rust" }, verification: { ...verification, depth: "semantic" } },
      { service: { ...service, deliverable_format: "typescript" } },
      release(raisedRelease(DEFAULT_TIERS, HISTORY)),
      filed({}),
      held(1_200),
      criteria({ gate_logic: "all_must_pass" }),
    ];
    for (const terms of enforced) expect(await refusal(terms)).to.equal(undefined);
  });

  it("is not reached by a counter either", async () => {
    const countered = async (terms: object, term: string) => {
      const life = begun({ ...KEPT, ...terms }, true);
      const said = say(life.negotiation, signers.provider, {
        ...{ by: "provider", action: "counter", rationale_code: "risk", timestamp: EXAMPLE.created_at },
        changes: { "/verification/strategy": "immediate" },
      });
      const act = { act: "negotiate", message: JSON.parse(JSON.stringify(said)) } as const;
      const found = await rejection(Promise.resolve().then(() => take(life, act, { keyOf, now: NOW })));
      expect(Reflect.get(found, "code")).to.equal("NotHonoured");
      expect(found.message).to.include(term);
      expect(take(life, act, { keyOf, now: NOW, isKept: true }).agreement.verification.strategy).to.equal("immediate");
    };
    await countered(filed({}), "dispute.auto_file_on");
    await countered(paidBy("city"), "escrow.binding.type");
  });

  it("stays what it is where it began before its terms were refused", () => {
    for (const terms of Object.values(REFUSED).flat())
      expect(begun(JSON.parse(JSON.stringify({ ...KEPT, ...terms })), true).timed.state.status).to.equal("proposed");
  });
});
