import { expect } from "chai";
import { attempt } from "../attacks/attempt.ts";
import { keyOf } from "../support/city-fixture.ts";
import { Class, Outcome, openEvaluator, Result } from "../support/evaluator-fixture.ts";
import { stillOpen } from "./still-open.ts";

describe("known holes: evaluator", () => {
  stillOpen("a provider that the city knows names another house than its own, and its own lab grades its evidence", async () => {
    const { city, delivered, hearing } = await openEvaluator();
    const house = await city.account("the provider's true house");
    const agent = keyOf("evaluator's provider");
    await city.register("evaluator's provider", { principal: house });
    expect(await city.producers.principalOf(agent.address)).to.equal(house.address);
    const lab = keyOf("provider's lab");
    await city.evidence.registerIssuer(lab.address, house.address, 1 << Class.ATT);
    const { terms, evaluate } = await delivered({}, [{ class: Class.ATT, issuer: lab }]);
    await attempt(evaluate([{}, {}, {}]));
    expect(Number((await hearing(terms)).outcome)).to.equal(Outcome.NONE);
  });

  stillOpen("two of five decide because two who were drawn with them are frozen", async () => {
    const { city, delivered, hearing } = await openEvaluator();
    const { terms, judges, evaluate } = await delivered({ panelSize: 5 });
    const governor = city.producers.connect(await city.as("ADJUDICATION"));
    for (const judge of judges.slice(2, 4)) await governor.freezeAgent(judge.address, true);
    const fail = { result: Result.FAIL };
    await attempt(evaluate([{}, {}, fail, fail, fail]));
    expect(Number((await hearing(terms)).outcome)).not.to.equal(Outcome.PASS);
  });
});
