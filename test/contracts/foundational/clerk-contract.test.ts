import { expect } from "chai";
import { type City, Kind, keyOf, loadCity, Office } from "../../support/city-fixture.ts";

const [A, B, C] = ["0x00000001", "0x00000002", "0x00000003"] as const;
const clerk = keyOf("clerk").address;
const principal = keyOf("clerk's principal").address;

describe("ClerkContract", () => {
  let city: City;
  let contract: City["clerks"];

  beforeEach(async () => {
    city = await loadCity();
    contract = city.clerks;
  });

  describe("appoint", () => {
    it("gives an office to an account, enrolled for good as a clerk", async () => {
      await expect(contract.appoint(Office.SPEAKER, clerk, principal))
        .to.emit(contract, "ClerkAppointed")
        .withArgs(Office.SPEAKER, clerk, principal);
      expect(await contract.isClerk(Office.SPEAKER, clerk)).to.equal(true);
      expect(await contract.isClerk(Office.REGISTRAR, clerk)).to.equal(false);
      expect(await contract.appointedTo(Office.SPEAKER)).to.equal(1);
      const record = await city.producers.agentOf(clerk);
      expect([record.kind, record.principal]).to.deep.equal([BigInt(Kind.CLERK), principal]);
    });

    it("gives one office to one clerk, an office to several", async () => {
      await contract.appoint(Office.REGULATOR, clerk, principal);
      await contract.appoint(Office.REGULATOR, keyOf("second").address, principal);
      expect(await contract.appointedTo(Office.REGULATOR)).to.equal(2);
      await expect(contract.appoint(Office.SPEAKER, clerk, principal))
        .to.be.revertedWithCustomError(contract, "AlreadyClerk")
        .withArgs(clerk);
    });

    it("lets a revoked clerk return for the same principal only", async () => {
      await contract.appoint(Office.SPEAKER, clerk, principal);
      await contract.revoke(Office.SPEAKER, clerk);
      await expect(contract.appoint(Office.CODIFIER, clerk, keyOf("other").address))
        .to.be.revertedWithCustomError(city.producers, "AlreadyRegistered")
        .withArgs(clerk);
      await contract.appoint(Office.CODIFIER, clerk, principal);
      expect(await contract.isClerk(Office.CODIFIER, clerk)).to.equal(true);
    });

    it("refuses who is already something else", async () => {
      const { agent } = await city.register("producer");
      await expect(contract.appoint(Office.SPEAKER, agent.address, principal)).to.be.revertedWithCustomError(
        city.producers,
        "AlreadyRegistered",
      );
      expect(await contract.isClerk(Office.SPEAKER, agent.address)).to.equal(false);
    });
  });

  describe("revoke", () => {
    it("ends the office", async () => {
      await contract.appoint(Office.SPEAKER, clerk, principal);
      await expect(contract.revoke(Office.REGISTRAR, clerk))
        .to.be.revertedWithCustomError(contract, "NotClerk")
        .withArgs(Office.REGISTRAR, clerk);
      await expect(contract.revoke(Office.SPEAKER, clerk)).to.emit(contract, "ClerkRevoked").withArgs(Office.SPEAKER, clerk);
      expect(await contract.isClerk(Office.SPEAKER, clerk)).to.equal(false);
      expect(await contract.appointedTo(Office.SPEAKER)).to.equal(0);
    });
  });

  describe("setEnvelope", () => {
    it("replaces the whole allow-list of one office", async () => {
      await expect(contract.setEnvelope(Office.SPEAKER, [A, B], 2))
        .to.emit(contract, "EnvelopeSet")
        .withArgs(Office.SPEAKER, [A, B], 2);
      expect(await contract.isPermitted(Office.SPEAKER, A)).to.equal(true);
      expect(await contract.isPermitted(Office.SPEAKER, C)).to.equal(false);
      expect(await contract.isPermitted(Office.REGISTRAR, A)).to.equal(false);
      await contract.setEnvelope(Office.SPEAKER, [C], 2);
      expect(await contract.isPermitted(Office.SPEAKER, A)).to.equal(false);
      expect(await contract.isPermitted(Office.SPEAKER, C)).to.equal(true);
    });

    it("takes 32 selectors at most", async () => {
      const selectors = Array.from({ length: 33 }, (_, i) => `0x${(i + 1).toString(16).padStart(8, "0")}`);
      await expect(contract.setEnvelope(Office.SPEAKER, selectors, 1))
        .to.be.revertedWithCustomError(contract, "TooManySelectors")
        .withArgs(33, 32);
      await contract.setEnvelope(Office.SPEAKER, selectors.slice(1), 1);
      for (const selector of selectors.slice(1)) expect(await contract.isPermitted(Office.SPEAKER, selector)).to.equal(true);
    });
  });

  describe("consume", () => {
    it("counts uses by office, selector and session up to the maximum", async () => {
      await contract.appoint(Office.REGULATOR, clerk, principal);
      await contract.appoint(Office.REGULATOR, keyOf("second").address, principal);
      await contract.setEnvelope(Office.REGULATOR, [A, B], 2);
      const procedure = contract.connect(await city.as("LEGISLATION"));
      await expect(procedure.consume(Office.REGULATOR, clerk, A, 7))
        .to.emit(contract, "EnvelopeConsumed")
        .withArgs(Office.REGULATOR, clerk, A, 7, 1);
      await procedure.consume(Office.REGULATOR, keyOf("second").address, A, 7);
      await expect(procedure.consume(Office.REGULATOR, clerk, A, 7))
        .to.be.revertedWithCustomError(contract, "EnvelopeExhausted")
        .withArgs(Office.REGULATOR, A, 7, 2);
      await procedure.consume(Office.REGULATOR, clerk, B, 7);
      await procedure.consume(Office.REGULATOR, clerk, A, 8);
    });

    it("refuses what the envelope does not list, and who holds no such office", async () => {
      await contract.appoint(Office.SPEAKER, clerk, principal);
      await contract.setEnvelope(Office.SPEAKER, [A], 1);
      const procedure = contract.connect(await city.as("EXECUTION"));
      await expect(procedure.consume(Office.SPEAKER, clerk, B, 1))
        .to.be.revertedWithCustomError(contract, "OutsideEnvelope")
        .withArgs(Office.SPEAKER, B);
      await expect(procedure.consume(Office.REGISTRAR, clerk, A, 1))
        .to.be.revertedWithCustomError(contract, "NotClerk")
        .withArgs(Office.REGISTRAR, clerk);
      await contract.revoke(Office.SPEAKER, clerk);
      await expect(procedure.consume(Office.SPEAKER, clerk, A, 1)).to.be.revertedWithCustomError(contract, "NotClerk");
    });

    it("belongs to procedures", async () => {
      await expect(contract.consume(Office.SPEAKER, clerk, A, 1))
        .to.be.revertedWithCustomError(contract, "NotProcedure")
        .withArgs(city.deployer.address);
      await expect(contract.connect(await city.as("ROSTER")).consume(Office.SPEAKER, clerk, A, 1)).to.be.revertedWithCustomError(
        contract,
        "NotProcedure",
      );
    });
  });

  it("is the governor's", async () => {
    const own = contract.connect(await city.account("stranger"));
    await expect(own.appoint(Office.SPEAKER, clerk, principal)).to.be.revertedWithCustomError(contract, "NotGovernor");
    await expect(own.revoke(Office.SPEAKER, clerk)).to.be.revertedWithCustomError(contract, "NotGovernor");
    await expect(own.setEnvelope(Office.SPEAKER, [], 1)).to.be.revertedWithCustomError(contract, "NotGovernor");
  });
});
