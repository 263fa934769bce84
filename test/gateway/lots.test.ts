/** Evaluators that both name, a lot after the delivery, and several results, all drafted, signed and sent over HTTP. */
import { expect } from "chai";
import { z } from "zod";
import { commitmentOf, isSampled, readAgreement } from "../../orchestrator/agreements/index.ts";
import { agreementOutput } from "../../orchestrator/gateway/commands/agreements.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import type { ByteSigner } from "../../orchestrator/primitives/signing.ts";
import { DELIVERABLE, identityOf, people, proposing, START, signerNamed } from "../agreements/acts.ts";
import { AgreementCity, fieldsOf } from "./agreement-city.ts";

const draftSchema = z.object({ text: z.string(), statement: z.looseObject({}).nullable() });
const evaluators = Array.from({ length: 5 }, (_, place) => signerNamed(`evaluator ${place} over HTTP`));
const didOf = (signer: ByteSigner) => identityOf(signer).value;
const nonceOf = (name: string): Hash => sha256(`nonce ${name}`);

describe("who judges what, over HTTP", function () {
  this.timeout(120_000);
  const home = new AgreementCity();
  before(() => home.serve());

  const terms: Parameters<typeof proposing>[2] = {
    visibility: "public",
    verification: {
      ...{ strategy: "optimistic", depth: "semantic", evaluator_timeout_seconds: 600 },
      consensus: { evaluators: 3 },
      sampling: { one_in: 2, commitment: commitmentOf(nonceOf("of the sample")) },
    },
    parties: {
      client: { identity: identityOf(people.client) },
      provider: { identity: identityOf(people.provider) },
      evaluator: {
        type: "panel",
        selection: {
          mode: "mutual",
          commitment: commitmentOf(nonceOf("of the draw")),
          register: evaluators.map((each) => ({
            ...{ identity: identityOf(each), domains: ["research"], price: 1, available: true, evaluations: 60 },
            ...{ canaries: 20, canaries_passed: 19, deviation: 4 },
          })),
        },
      },
    },
  };

  it("is what both would have, the lot says, and the medians come to", async () => {
    const proposed = await home.call("/v1/agreements", { body: fieldsOf(proposing("lots", START + 864_000, terms)) });
    const { agreement } = agreementOutput.parse(proposed.body);
    const now = async () => agreementOutput.parse((await home.call(`/v1/agreements/${agreement}`)).body);
    /** Has an act drafted, signs its text, and sends it. */
    async function act(
      path: string,
      by: ByteSigner,
      draft: Readonly<Record<string, unknown>>,
      sent: (statement: object, signature: string) => object,
    ) {
      const drafted = draftSchema.parse((await home.call("/v1/agreement-drafts", { body: { agreement, draft } })).body);
      const signature = by.sign(new TextEncoder().encode(drafted.text));
      const answer = await home.call(path, { body: { agreement, ...sent(drafted.statement ?? {}, signature) } });
      expect(answer.code, path).to.equal("taken");
      return agreementOutput.parse(answer.body);
    }
    const { client, provider } = people;
    const signedInside = (field: string) => (statement: object, signature: string) => ({ [field]: { ...statement, signature } });
    const beside = (field: string) => (statement: object, signature: string) => ({ [field]: statement, signature });
    const accept = { act: "accept", by: "provider", rationale: "other" };
    await act("/v1/agreement-messages", provider, accept, signedInside("message"));

    const [first, second] = evaluators.map(didOf);
    const nominate = (by: string, named: readonly (string | undefined)[]) => ({ act: "nominate", by, evaluators: named });
    await act("/v1/agreement-nominations", client, nominate("client", [first, second]), beside("nomination"));
    await act("/v1/agreement-nominations", provider, nominate("provider", [second]), beside("nomination"));
    const draw = (by: string, nonce: Hash) => ({ act: "draw", by, nonce });
    await act("/v1/agreement-draws", provider, draw("provider", nonceOf("of the provider")), beside("draw"));
    const drawn = await act("/v1/agreement-draws", client, draw("client", nonceOf("of the draw")), beside("draw"));
    expect([drawn.evaluators.length, drawn.evaluators[0]], "whom both named, and four by lot").to.deep.equal([5, second]);
    for (const by of ["client", "provider"] as const)
      await act("/v1/agreement-signatures", people[by], { act: "sign" }, (_, signature) => ({ by, signature }));

    const sample = { deliverable: DELIVERABLE, client: nonceOf("of the sample") };
    const document = readAgreement((await now()).document);
    const nonce = Array.from({ length: 64 }, (_, number) => nonceOf(`${number}`)).find((each) =>
      isSampled(document, { ...sample, provider: each }),
    );
    const deliver = { act: "deliver", deliverable: DELIVERABLE, nonce };
    expect((await act("/v1/agreement-deliveries", provider, deliver, beside("delivery"))).lot).to.equal("open");
    const open = { act: "sample", nonce: sample.client };
    expect((await act("/v1/agreement-samples", client, open, beside("sample"))).lot).to.equal("judged");

    const judging = drawn.evaluators.slice(0, 3).map((did) => evaluators.find((each) => didOf(each) === did) ?? client);
    for (const [place, judge] of judging.entries()) {
      const before = await now();
      expect([before.status, before.results.length]).to.deep.equal(["delivered", place]);
      const measured = { accuracy: 86 + place, completeness: 90, relevance: 90, sources: 5, writing: 90 };
      const draft = { act: "result", evaluator: didOf(judge), measured, evidence: { accuracy: "read" }, confidence: 1, cost: 0 };
      await act("/v1/agreement-results", judge, draft, signedInside("result"));
    }
    const { status, verdict, results } = await now();
    expect(status).to.equal("verified");
    expect(verdict?.composite, "the one in the middle").to.equal(results[1]?.composite);
    expect(verdict).to.deep.include({ result: "PASS", disputed: [] });
  });
});
