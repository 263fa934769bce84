import { expect } from "chai";
import { id, type Wallet } from "ethers";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { type City, Kind, keyOf, loadCity, networkHelpers, Office, tokens } from "../../support/city-fixture.ts";

const WHY = id("because");
/** Dimension 0: 300, dimension 9: 5. */
const CAPABILITIES = 300n | (5n << 144n);

let city: City;
let contract: City["producers"];
let creator: Wallet;
let principal: Wallet;
async function fresh(): Promise<void> {
  city = await loadCity();
  contract = city.producers;
  ({ agent: creator, principal } = await city.register("creator", { capabilities: CAPABILITIES }));
  await city.fund(creator, city.addresses.PRODUCERS, tokens(50_000));
}

const floor = (points: number) => city.constitution.setParam(parameterIndex("REPUTATION_FLOOR"), points, WHY);

describe("ProducerContract.registerSubAgent", () => {
  let agent: Wallet;
  beforeEach(async () => {
    await fresh();
    agent = await city.account("sub-agent");
  });
  type Signed = Awaited<ReturnType<City["subBinding"]>>;
  const register = ({ message, did, byCreator, byAgent }: Signed) => contract.registerSubAgent(message, did, byCreator, byAgent);
  const bound = (options: Parameters<City["subBinding"]>[2] = {}) => city.subBinding(agent, creator, options);

  describe("when the binding is late, its nonce not the creator's next, or a signature missing or another's", () => {
    it("it should revert with Expired, InvalidNonce or InvalidSignature", async () => {
      const signed = await bound();
      for (const [by, signer] of [
        ["byCreator", creator],
        ["byAgent", agent],
      ] as const) {
        for (const signature of ["0x", by === "byAgent" ? signed.byCreator : signed.byAgent]) {
          await expect(register({ ...signed, [by]: signature }))
            .to.be.revertedWithCustomError(contract, "InvalidSignature")
            .withArgs(signer.address);
        }
      }
      await expect(register({ ...signed, message: { ...signed.message, stake: tokens(4000) } })).to.be.revertedWithCustomError(
        contract,
        "InvalidSignature",
      );
      await expect(register({ ...signed, message: { ...signed.message, nonce: 1n } }))
        .to.be.revertedWithCustomError(contract, "InvalidNonce")
        .withArgs(creator.address, 1);
      await networkHelpers.time.increase(3601);
      await expect(register(signed)).to.be.revertedWithCustomError(contract, "Expired").withArgs(signed.message.deadline);
    });
  });

  describe("when the creator is no eligible producer", () => {
    it("it should revert with NotEligible", async () => {
      const { agent: verifier } = await city.register("verifier", { kind: Kind.VERIFIER });
      const refused = async (by: Wallet) =>
        expect(register(await city.subBinding(agent, by)))
          .to.be.revertedWithCustomError(contract, "NotEligible")
          .withArgs(by.address);
      await refused(verifier);
      await refused(keyOf("stranger"));
      await contract.freezePrincipal(principal.address, true);
      await refused(creator);
    });
  });

  describe("when a capability exceeds the creator's", () => {
    it("it should revert with CapabilityTooHigh", async () => {
      for (const [capabilities, dimension, value, most] of [
        [301n, 0, 301, 300],
        [1n << 16n, 1, 1, 0],
        [6n << 144n, 9, 6, 5],
      ] as const) {
        await expect(register(await bound({ capabilities })))
          .to.be.revertedWithCustomError(contract, "CapabilityTooHigh")
          .withArgs(dimension, value, most);
      }
    });

    it("it should refuse what nobody may claim, whatever was attested of the creator", async () => {
      await city.constitution.seal();
      const good = { ...(await city.register("good", { capabilities: 39_322n })) };
      const clerk = await city.account("regulator");
      const selector = contract.interface.getFunction("attestCapabilities").selector;
      const governed = city.clerks.connect(await city.as("ADJUDICATION"));
      await governed.appoint(Office.REGULATOR, clerk.address, keyOf("regulator's principal").address);
      await governed.setEnvelope(Office.REGULATOR, [selector], 8);
      await contract.connect(clerk).attestCapabilities(good.agent.address, 60_000n, id("outcomes"));
      await city.fund(good.agent, city.addresses.PRODUCERS, tokens(50_000));
      await expect(register(await city.subBinding(agent, good.agent, { capabilities: 39_323n })))
        .to.be.revertedWithCustomError(contract, "CapabilityTooHigh")
        .withArgs(0, 39_323, 39_322);
      await register(await city.subBinding(agent, good.agent, { capabilities: 39_322n }));
    });
  });

  describe("when the name is malformed, the stake too small, or the agent known", () => {
    it("it should revert with MalformedDid, StakeBelowMinimum or AlreadyRegistered", async () => {
      const signed = await bound();
      await expect(register({ ...signed, did: "did:city:other" })).to.be.revertedWithCustomError(contract, "MalformedDid");
      await expect(register(await bound({ stake: tokens(999) })))
        .to.be.revertedWithCustomError(contract, "StakeBelowMinimum")
        .withArgs(tokens(999), tokens(1000));
      await expect(register(await city.subBinding(creator, creator))).to.be.revertedWithCustomError(contract, "AlreadyRegistered");
    });
  });

  describe("given a binding that creator and agent signed", () => {
    it("it should enter a producer that inherits the creator's principal, at the creator's cost", async () => {
      const signed = await bound({ capabilities: CAPABILITIES, stake: tokens(1200) });
      const [had, owned] = [await city.token.balanceOf(creator.address), await city.token.balanceOf(principal.address)];
      const call = register(signed);
      await expect(call).to.emit(contract, "SubAgentRegistered").withArgs(agent.address, creator.address);
      await expect(call)
        .to.emit(contract, "AgentRegistered")
        .withArgs(agent.address, principal.address, Kind.PRODUCER, 1, signed.did, CAPABILITIES, tokens(1200));
      expect(await contract.principalOf(agent.address)).to.equal(principal.address);
      expect(await city.token.balanceOf(creator.address)).to.equal(had - tokens(1200));
      expect(await city.token.balanceOf(principal.address)).to.equal(owned);
      expect([await contract.activeProducers(), await contract.nonceOf(creator.address)]).to.deep.equal([2n, 1n]);
      // Either may be the caller instead of signing.
      const other = await city.account("another sub-agent");
      const next = await city.subBinding(other, creator);
      await contract.connect(creator).registerSubAgent(next.message, next.did, "0x", next.byAgent);
      expect(await contract.isEligible(other.address, Kind.PRODUCER)).to.equal(true);
    });

    it("it should share the principal's fate: its freeze, its right to deregister, its claim to the stake", async () => {
      await register(await bound());
      await contract.freezePrincipal(principal.address, true);
      expect(await contract.isEligible(agent.address, Kind.PRODUCER)).to.equal(false);
      await contract.freezePrincipal(principal.address, false);
      await contract.connect(principal).deregister(agent.address);
      await networkHelpers.time.increase(1_209_600);
      const owned = await city.token.balanceOf(principal.address);
      await contract.withdrawStake(agent.address);
      expect(await city.token.balanceOf(principal.address)).to.equal(owned + tokens(5000));
    });
  });
});

describe("ProducerContract.attestCapabilities", () => {
  let regulator: Wallet;
  beforeEach(async () => {
    await fresh();
    regulator = await city.account("regulator");
    await city.clerks.appoint(Office.REGULATOR, regulator.address, keyOf("regulator's principal").address);
    await city.clerks.setEnvelope(Office.REGULATOR, [contract.interface.getFunction("attestCapabilities").selector], 8);
  });

  describe("when the caller is no Regulator, its envelope does not list the call, or it shares the agent's principal", () => {
    it("it should revert with NotAuthorised", async () => {
      const refused = (by: Wallet) =>
        expect(contract.connect(by).attestCapabilities(creator.address, 1n, WHY))
          .to.be.revertedWithCustomError(contract, "NotAuthorised")
          .withArgs(by.address);
      await refused(principal);
      const kin = await city.account("kin");
      await city.clerks.appoint(Office.REGULATOR, kin.address, principal.address);
      await refused(kin);
      await city.clerks.setEnvelope(Office.REGULATOR, [], 8);
      await refused(regulator);
    });
  });

  describe("when the agent is unknown, or neither producer nor verifier", () => {
    it("it should revert with NotRegistered or WrongKind", async () => {
      const attest = (agent: string) => contract.connect(regulator).attestCapabilities(agent, 1n, WHY);
      await expect(attest(keyOf("stranger").address)).to.be.revertedWithCustomError(contract, "NotRegistered");
      await expect(attest(regulator.address)).to.be.revertedWithCustomError(contract, "WrongKind");
    });
  });

  describe("when it takes from what the agent can do", () => {
    it("it should revert with CapabilityTooHigh", async () => {
      await expect(contract.connect(regulator).attestCapabilities(creator.address, CAPABILITIES - 1n, WHY))
        .to.be.revertedWithCustomError(contract, "CapabilityTooHigh")
        .withArgs(0, 300, 299);
    });
  });

  describe("given a Regulator of another principal", () => {
    it("it should add to the capabilities and tell before, after, by whom and on what", async () => {
      await expect(contract.connect(regulator).attestCapabilities(creator.address, CAPABILITIES + 9n, WHY))
        .to.emit(contract, "CapabilitiesAttested")
        .withArgs(creator.address, CAPABILITIES, CAPABILITIES + 9n, regulator.address, WHY);
      expect(await contract.capabilitiesOf(creator.address)).to.equal(CAPABILITIES + 9n);
      expect(await contract.stakeOf(creator.address)).to.deep.equal([tokens(5000), 0n, 0n]);
    });
  });
});

describe("ProducerContract.slash", () => {
  beforeEach(fresh);

  describe("when the caller is not the governor", () => {
    it("it should revert with NotGovernor", async () => {
      await expect(contract.connect(creator).slash(creator.address, 1, WHY))
        .to.be.revertedWithCustomError(contract, "NotGovernor")
        .withArgs(creator.address);
    });
  });

  describe("when the agent has no stake here", () => {
    it("it should revert with NotRegistered or WrongKind", async () => {
      await expect(contract.slash(keyOf("stranger").address, 1, WHY)).to.be.revertedWithCustomError(contract, "NotRegistered");
      await city.clerks.appoint(Office.SPEAKER, keyOf("speaker").address, principal.address);
      await expect(contract.slash(keyOf("speaker").address, 1, WHY)).to.be.revertedWithCustomError(contract, "WrongKind");
    });
  });

  describe("given a producer", () => {
    it("it should take at most what is held, locks last, half to the treasury, the rest to insurance", async () => {
      await contract.connect(await city.as("EXECUTION")).lock(creator.address, tokens(1000));
      const [free, insured] = [await city.treasury.freeBalance(), await city.treasury.insuranceBalance()];
      await expect(contract.slash(creator.address, tokens(4000) + 1n, WHY))
        .to.emit(contract, "StakeSlashed")
        .withArgs(creator.address, tokens(4000) + 1n, WHY);
      expect(await contract.stakeOf(creator.address)).to.deep.equal([tokens(1000) - 1n, tokens(1000) - 1n, 0n]);
      expect(await contract.slash.staticCall(creator.address, tokens(9000), WHY)).to.equal(tokens(1000) - 1n);
      await contract.slash(creator.address, tokens(9000), WHY);
      expect(await contract.stakeOf(creator.address)).to.deep.equal([0n, 0n, 0n]);
      // 4,000.000001 and 999.999999 are both odd: insurance takes the odd unit of each.
      expect(await city.treasury.freeBalance()).to.equal(free + tokens(2500) - 1n);
      expect(await city.treasury.insuranceBalance()).to.equal(insured + tokens(2500) + 1n);
    });

    it("it should move nothing where nothing is held", async () => {
      await contract.slash(creator.address, tokens(5000), WHY);
      await expect(contract.slash(creator.address, 1, WHY)).to.not.emit(contract, "StakeSlashed");
    });
  });
});

describe("ProducerContract.meetsReputationFloor", () => {
  beforeEach(fresh);

  describe("given an unknown agent", () => {
    it("it should be false, whatever the floor", async () => {
      await floor(0);
      expect(await contract.meetsReputationFloor(keyOf("stranger").address)).to.equal(false);
    });
  });

  describe("given a registered agent", () => {
    it("it should compare whole points with the floor of now, and nothing else", async () => {
      await contract.ban(creator.address, WHY);
      for (const [points, met] of [
        [500, true],
        [499, true],
      ] as const) {
        await floor(points);
        expect(await contract.meetsReputationFloor(creator.address)).to.equal(met);
      }
      await contract.adjustReputation(creator.address, -2, WHY);
      expect(await contract.meetsReputationFloor(creator.address)).to.equal(false);
    });
  });
});
