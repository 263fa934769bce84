import { expect } from "chai";
import { agreementHash, messageBytes, openLife, readAgreement } from "../../orchestrator/agreements/index.ts";
import { rejection } from "../support/rejection.ts";
import { EXAMPLE, keyOf, signers } from "./example.ts";

/** The refusal of a proposal whose terms are the example's with these in their place. */
async function refusal(terms: object) {
  const agreement = readAgreement({ ...EXAMPLE, ...terms });
  const signature = signers.client.sign(messageBytes("proposal", agreementHash(agreement)));
  const act = { act: "propose", document: JSON.parse(JSON.stringify(agreement)), signature } as const;
  const now = Date.parse(EXAMPLE.created_at) / 1_000;
  const found = await rejection(Promise.resolve().then(() => openLife(act, { keyOf, now }))).catch(() => undefined);
  return found === undefined ? undefined : { code: Reflect.get(found, "code"), problem: found.message };
}

const { service, verification, escrow, dispute } = EXAMPLE;
const canaries = (changed: object) => ({ verification: { ...verification, canary_tasks: { ...verification.canary_tasks, ...changed } } });
const release = (changed: object) => ({
  escrow: {
    ...escrow,
    payment: { ...escrow.payment, graduated_release: { ...escrow.payment.graduated_release, ...changed } },
  },
});
const judged = (method: string) => ({
  parties: { ...EXAMPLE.parties, evaluator: { type: "panel", panel: ["a", "b", "c"].map((value) => ({ scheme: "uri", value })) } },
  verification: { ...verification, consensus: { evaluators: 3, method } },
  escrow: { ...escrow, binding: { type: "manual" } },
});

describe("a proposal whose terms nobody would enforce", () => {
  const REFUSED: Readonly<Record<string, object>> = {
    "service.resources": { service: { ...service, resources: { token_budget: 10_000 } } },
    "service.constraints.max_cost_usd": { escrow: { ...escrow, payment: { ...escrow.payment, currency: "EURC" } } },
    "verification.canary_tasks.frequency": canaries({ frequency: "1_per_2_deliveries" }),
    "verification.canary_tasks.failure_action": canaries({ failure_action: "terminate" }),
    "verification.consensus.method": judged("majority"),
    "dispute.evidence_includes": { dispute: { ...dispute, evidence_includes: ["agreement", "deliverable"] } },
    "escrow.payment.graduated_release.dynamic": release({ dynamic: { band: 3 } }),
  };
  for (const [term, terms] of Object.entries(REFUSED))
    it(`is refused by the name of ${term}`, async () => {
      const found = await refusal(terms);
      expect(found?.code).to.equal("NotHonoured");
      expect(found?.problem).to.include(term);
    });

  it("is read all the same: another system may enforce them", () => {
    for (const terms of Object.values(REFUSED)) expect(readAgreement({ ...EXAMPLE, ...terms }).status).to.equal("proposed");
  });

  it("begins with what is enforced: the paper's example, medians, tiers as they are", async () => {
    for (const terms of [{}, judged("median"), release({ dynamic: false })]) expect(await refusal(terms)).to.equal(undefined);
  });
});
