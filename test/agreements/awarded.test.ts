/** A mission's awarded slots read as agreements, and back: whoever would show other terms than those bound. */
import { expect } from "chai";
import { agreementOf, divide, obligationOf, readAgreement, releasePercent } from "../../orchestrator/agreements/index.ts";
import { obligationHash, obligationSchema, signObligation } from "../../orchestrator/clearing/index.ts";
import { type NodeTerms, termsOfNode } from "../../orchestrator/execution/obligation.ts";
import { refusalOf } from "./refusals.ts";

const account = (digit: string) => `0x${digit.repeat(40)}`;
const PLACE = { chain: "eip155:31337", currency: "USDC" } as const;
const IGNORED = { floor: "SELF", boundAt: "2020-01-01T00:00:00Z" };

/** A node of three executors who compare their outputs. */
const node = (changed: Partial<NodeTerms> = {}): NodeTerms => ({
  obligation: `0x${"11".repeat(32)}`,
  requestor: account("a"),
  executors: ["b", "c", "d"].map((digit, slot) => ({ slot, agent: account(digit), price: 1_234_567n + BigInt(slot) })),
  mission: account("e"),
  attempt: 0,
  law: {
    ...{ label: "scan", task: "scan", shard: null, tier: 2, redundancy: 3, threshold: 2, agree: null, rubric: undefined },
    ...{ verifiers: undefined, floor: "REC", questions: ["PERFORMANCE", "POLICY"], panelSize: 3, timeout: 3_600, after: [] },
    ...{ admits: [], options: undefined, capabilities: [], predicate: 0 },
  },
  mandate: { visibility: undefined, anchorInterval: undefined },
  boundAt: 1_800_000_000n,
  predicates: ["every-input-covered"],
  minConfidence: 6_000,
  stake: 5_000_000n,
  rates: { protocolFeeRate: 100, insuranceReserveRate: 50 },
  appealWindow: 120,
  ...changed,
});

describe("an awarded slot as an agreement", () => {
  it("is a document of the schema, whose obligation is the one that was bound, to the bit, for every slot", () => {
    const bound = termsOfNode(node());
    const documents = [0, 1, 2].map((slot) => JSON.parse(JSON.stringify(agreementOf(bound, { ...PLACE, slot }))));
    for (const [slot, document] of documents.entries()) {
      const agreement = readAgreement(document);
      expect(obligationHash(obligationOf(agreement, IGNORED))).to.equal(obligationHash(bound));
      expect(agreement.parties.client.identity.value).to.equal(`did:pkh:eip155:31337:${account("a")}`);
      expect(agreement.parties.provider.identity.value).to.equal(`did:pkh:eip155:31337:${account("bcd"[slot] ?? "")}`);
      expect(agreement.escrow?.payment.amount).to.equal(`1.23456${7 + slot}`);
      expect(agreement.escrow?.binding.type).to.equal("city");
      expect(agreement.verification).to.include({ strategy: "optimistic", challenge_window_seconds: 7_200 });
      expect(agreement.quality_criteria.quality_gates).to.have.length(2);
    }
    expect(new Set(documents.map(({ agreement_id }) => agreement_id)).size).to.equal(3);
  });

  it("divides the awarded price by the score, as the law does before its fees", () => {
    const agreement = agreementOf(termsOfNode(node()), { ...PLACE, slot: 0 });
    const percent = releasePercent(agreement, { composite: 8_000, passed: true });
    expect(divide(agreement, percent)).to.deep.equal({ provider: 987_653n, client: 246_914n });
  });

  it("reads a recorded obligation the same, with the hash and signatures beside it", () => {
    const bound = termsOfNode(node());
    const recorded = obligationSchema.parse(signObligation(bound, {}));
    expect(agreementOf(recorded, { ...PLACE, slot: 1 })).to.deep.equal(agreementOf(bound, { ...PLACE, slot: 1 }));
  });

  it("is refused as an obligation where anything in it was changed, and where there is no such slot", () => {
    const document = JSON.parse(JSON.stringify(agreementOf(termsOfNode(node()), { ...PLACE, slot: 0 })));
    const changed = (edit: (copy: typeof document) => void) => {
      const copy = structuredClone(document);
      edit(copy);
      return refusalOf(() => obligationOf(readAgreement(copy), IGNORED));
    };
    expect(changed(() => undefined)).to.equal("accepted");
    expect(
      changed((copy) => {
        copy.escrow.payment.amount = "9.00";
      }),
    ).to.equal("OtherTerms");
    expect(
      changed((copy) => {
        copy.verification.challenge_window_seconds = 1;
      }),
    ).to.equal("OtherTerms");
    expect(
      changed((copy) => {
        delete copy.escrow.binding.obligation;
      }),
    ).to.equal("OtherTerms");
    const bound = termsOfNode(node());
    // Another obligation within it has another hash than the one on record.
    const forged = structuredClone(document);
    forged.escrow.binding.obligation.economic_terms.collateral = 0;
    expect(obligationHash(obligationOf(readAgreement(forged), IGNORED))).to.not.equal(obligationHash(bound));
    expect(refusalOf(() => agreementOf(bound, { ...PLACE, slot: 3 }))).to.equal("NothingToDivide");
    const { bound_at: _, ...undated } = bound;
    expect(refusalOf(() => agreementOf(undated, { ...PLACE, slot: 0 }))).to.equal("OtherTerms");
  });

  it("is for whole windows, however the law's seconds divide into hours, and without an appeal where there is none", () => {
    const { law } = node();
    const agreement = agreementOf(termsOfNode(node({ law: { ...law, timeout: 1_234 }, appealWindow: 0 })), { ...PLACE, slot: 2 });
    expect(agreement.service.constraints?.max_duration_seconds).to.equal(1_234);
    expect(agreement.verification.strategy).to.equal("immediate");
  });
});
