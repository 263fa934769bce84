import { expect } from "chai";
import { zeroAddress, zeroHash } from "viem";
import { intentKey } from "../../../orchestrator/chain/outbox.ts";
import { replayLimits } from "../../../orchestrator/chain/replay-limits.ts";
import { ReplayedRecord } from "../../../orchestrator/city/audit/chain-record.ts";
import { Roles } from "../../../orchestrator/city/audit/roles.ts";
import { keyOf, type LivingCity, openLivingCity } from "../../support/living-city.ts";

const LATER = 2n ** 200n;

describe("roles as the audit reads them", function () {
  this.timeout(60_000);
  let city: LivingCity;
  before(async () => {
    city = await openLivingCity({ producers: 2, verifiers: 1 });
  });
  after(() => city.chain.close());

  it("have the capabilities that an agent registered with until a Regulator attests others", async () => {
    const { client, chain, producers } = city;
    const [agent = zeroAddress, other = zeroAddress] = producers.map(({ account }) => account.address);
    const registered = await client.agents.capabilitiesOf(agent);
    const account = keyOf("regulator 1");
    const attested = registered | 0xffffn;
    await client.agents.attestCapabilities([agent, attested, zeroHash], { intent: intentKey("attest"), account });
    const roles = new Roles(await ReplayedRecord.read(chain, client.addresses, zeroAddress, replayLimits().events));
    expect([roles.capabilitiesBefore(agent, LATER), roles.capabilitiesBefore(agent, 0n)]).to.deep.equal([attested, registered]);
    expect(roles.capabilitiesBefore(other, LATER)).to.equal(await client.agents.capabilitiesOf(other));
    expect(roles.openFaultsBefore(agent, LATER)).to.equal(0);
  });
});
