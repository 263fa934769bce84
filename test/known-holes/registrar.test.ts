import { expect } from "chai";
import { attempt } from "../attacks/attempt.ts";
import { keyOf, loadCity, Office } from "../support/city-fixture.ts";
import { stillOpen } from "./still-open.ts";

describe("known holes: registrar", () => {
  stillOpen("a Registrar gives a whole crowd a vote in a day, whatever its envelope counts", async () => {
    const city = await loadCity();
    const registrar = await city.account("registrar");
    await city.clerks.appoint(Office.REGISTRAR, registrar.address, keyOf("registrar's house").address);
    await city.clerks.setEnvelope(Office.REGISTRAR, [city.producers.interface.getFunction("enfranchise").selector], 1);
    await city.constitution.seal();
    for (let i = 0; i < 30; i++) {
      const { agent } = await city.register(`face ${i}`);
      await attempt(city.producers.connect(registrar).enfranchise(agent.address));
    }
    expect(await city.producers.activeProducers()).to.be.lessThan(21n);
  });
});
