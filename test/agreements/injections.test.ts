/** Hostile words wherever an agreement takes text: its machine reads none of them, and its judge gets the work between marks it cannot end. */
import { expect } from "chai";
import {
  type Agreement,
  agreementHash,
  applyChanges,
  contentHash,
  determine,
  divide,
  evaluateDelivery,
  negotiate,
  openNegotiation,
  readAgreement,
  readResult,
  say,
} from "../../orchestrator/agreements/index.ts";
import { INJECTIONS } from "../support/injections.ts";
import { EXAMPLE, keyOf, signers } from "./example.ts";
import { refusalOf } from "./refusals.ts";

const AT = "2026-03-26T15:00:00Z";
const { identity } = EXAMPLE.parties.evaluator;
const { client, provider, evaluator } = EXAMPLE.parties;

/** The paper's example, with these words in every field that is text of a party's own. */
const saying = (words: string): Agreement =>
  readAgreement({
    ...EXAMPLE,
    parties: {
      client: { ...client, display_name: words },
      provider: { ...provider, display_name: words },
      evaluator: { ...evaluator, config: { ...evaluator.config, rubric_id: words } },
    },
    service: { ...EXAMPLE.service, description: words },
    verification: { ...EXAMPLE.verification, depth: "semantic" },
  });

/** What the money, the score and the terms come to, where work and evidence are these words too. */
async function outcomeOf(words: string) {
  const agreement = saying(words);
  const deliverable = { content: new TextEncoder().encode(words), delivered_at: AT };
  const deliverableHash = contentHash(deliverable);
  const fenced: string[] = [];
  const at = { verification_id: "v", timestamp: AT, startedAt: AT, deliverableHash, signer: signers.stranger, identity };
  const result = await evaluateDelivery(agreement, deliverable, at, {
    evaluator: {
      identity,
      evaluate(question) {
        fenced.push(question.fenced);
        return Promise.resolve({ value: 91, evidence: words, confidence: 0.9, cost_usd: 0.02 });
      },
    },
  });
  const taken = readResult(agreement, result, { keyOf: () => signers.stranger.publicKey, assigned: identity, deliverableHash });
  const { composite, release_percent } = determine(agreement, result.measured);
  const { service: _, parties: __, ...terms } = agreement;
  return {
    fenced,
    deliverableHash,
    outcome: { taken, composite, paid: divide(agreement, release_percent), terms, measured: result.measured },
  };
}

describe("hostile words in an agreement", () => {
  it("are forty and more in descriptions, names, rubrics, work and evidence, and change no term, score or payment", async function () {
    this.timeout(60_000);
    expect(INJECTIONS.length).to.be.at.least(40);
    const { outcome: plain } = await outcomeOf("Literature on federated learning");
    for (const { kind, words } of INJECTIONS) {
      const { fenced, deliverableHash, outcome } = await outcomeOf(words);
      expect(outcome, kind).to.deep.equal(plain);
      expect(fenced.length, kind).to.equal(plain.terms.quality_criteria.dimensions.filter(({ metric }) => metric === "percentage").length);
      const end = `\n</deliverable ${deliverableHash}>`;
      for (const text of fenced) expect([text.indexOf(end), text.endsWith(end)], kind).to.deep.equal([text.length - end.length, true]);
    }
  });

  it("have no place in a negotiation: neither as a path, a reason, a sender nor a field more", () => {
    const proposal = readAgreement(EXAMPLE);
    const start = openNegotiation(proposal);
    const message = { by: "provider", action: "counter", rationale_code: "capacity", timestamp: AT } as const;
    const said = say(start, signers.provider, { ...message, changes: { "/escrow/payment/amount": "4.50" } });
    for (const { kind, words } of INJECTIONS) {
      expect(
        refusalOf(() => applyChanges(proposal, { [words]: 1 })),
        kind,
      ).to.equal("PathNotNegotiable");
      expect(
        refusalOf(() => applyChanges(proposal, { "/escrow/payment/amount": words })),
        kind,
      ).to.not.equal("accepted");
      for (const changed of [{ rationale_code: words }, { note: words }, { sender: { scheme: "uri", value: words } }, { timestamp: words }])
        expect(
          refusalOf(() => negotiate(start, { ...said, ...changed }, { keyOf })),
          `${kind} in ${Object.keys(changed)}`,
        ).to.not.equal("accepted");
    }
    expect(agreementHash(start.offer)).to.equal(agreementHash(proposal));
  });
});
