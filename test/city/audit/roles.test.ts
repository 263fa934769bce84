import { expect } from "chai";
import { zeroAddress, zeroHash } from "viem";
import { intentKey } from "../../../orchestrator/chain/outbox.ts";
import { replayLimits } from "../../../orchestrator/chain/replay-limits.ts";
import { ReplayedRecord } from "../../../orchestrator/city/audit/chain-record.ts";
import { Roles } from "../../../orchestrator/city/audit/roles.ts";
import { OFFICES } from "../../../orchestrator/protocol/offices.ts";
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

  it("have seats and offices until they are given up, so that nobody undoes what was done by leaving", async () => {
    const { client, chain } = city;
    const [seat, regulator] = [keyOf("adjudicator 7"), keyOf("regulator 2").address];
    const read = async () => new Roles(await ReplayedRecord.read(chain, client.addresses, zeroAddress, replayLimits().events));
    const before = LATER;
    expect((await read()).isSeatedBefore(seat.address, before)).to.equal(true);
    const { blockNumber } = (await client.roster.resign([], { intent: intentKey("resign"), account: seat })) ?? {};
    const at = (blockNumber ?? 0n) << 40n;
    const roles = await read();
    expect([roles.isSeatedBefore(seat.address, at), roles.isSeatedBefore(seat.address, LATER)]).to.deep.equal([true, false]);
    expect(roles.isSeatedBefore(keyOf("somebody").address, LATER)).to.equal(false);
    expect(roles.isClerkBefore(OFFICES.REGULATOR, regulator, LATER)).to.equal(true);
    expect(roles.isClerkBefore(OFFICES.SPEAKER, regulator, LATER)).to.equal(false);
    expect(roles.isClerkBefore(OFFICES.REGULATOR, regulator, 0n)).to.equal(false);
  });
});
