import { expect } from "chai";
import type { City } from "../../orchestrator/city/city.ts";
import { offersOf, registeredService, registerServices } from "../../orchestrator/city/founding/services.ts";
import { membersOf } from "../../orchestrator/city/founding/society.ts";
import { CATALOG } from "../../services/catalog.ts";
import { openHome } from "../support/city-home.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("services that a law names", function () {
  this.timeout(120_000);
  const home = suiteDirectory();
  let city: City;
  before(async () => {
    city = await openHome(home(), "7");
  });
  after(() => city.close());

  it("are signed for and registered once: the next mission's are there", async () => {
    const { client, chain, society } = city;
    const offers = await offersOf(membersOf(society, "producer").slice(0, 2), CATALOG.slice(0, 2));
    let signed = 0;
    const sold = offers.map((offer) => {
      const { account } = offer.seller;
      const signTypedData: typeof account.signTypedData = (data) => {
        signed += 1;
        return account.signTypedData(data);
      };
      return { owner: { ...account, signTypedData }, record: registeredService(offer).record };
    });
    const [first, ...rest] = sold;
    if (first === undefined) throw new Error("nobody sells anything");
    await registerServices(client, [first]);
    expect(signed).to.equal(1);
    await registerServices(client, sold);
    expect(signed).to.equal(sold.length);
    for (const offer of offers) expect(await client.services.isLive(registeredService(offer).id)).to.equal(true);
    const { hash } = chain.head();
    await registerServices(client, sold);
    expect([signed, chain.head().hash]).to.deep.equal([1 + rest.length, hash]);
  });
});
