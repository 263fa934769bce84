import { expect } from "chai";
import { AbiCoder, id, keccak256, type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { type City, keyOf, loadCity, Office, tokens } from "../../support/city-fixture.ts";

const OPERATION = id("compile");
const INPUT = id("spec");
const OUTPUT = id("law");
const SCHEMA = id("schema");

describe("ManagementContract", () => {
  let city: City;
  let contract: City["management"];
  let owner: Wallet;
  let clerk: Wallet;
  let service: string;
  let runner: Wallet;

  beforeEach(async () => {
    city = await loadCity();
    contract = city.management;
    ({ agent: owner } = await city.register("owner"));
    clerk = await city.account("codifier");
    await city.clerks.appoint(Office.CODIFIER, clerk.address, keyOf("codifier's principal").address);
    service = await registered("compiler");
    runner = await city.account("runner");
    await city.evidence.registerRunner(runner.address, keyOf("runner's principal").address);
  });

  const registered = async (name: string) => (await city.offerService(owner, name)).service;

  const mandate = (intermediate = false) => contract.setMandate(Office.CODIFIER, OPERATION, service, intermediate, SCHEMA);

  /** With the word of a runner of another house. */
  const record = async (by: City["management"], delegation: string, output: string, intermediate: string, key = runner) =>
    by.recordResult(delegation, output, intermediate, await city.resultBy(key, delegation, output, intermediate));

  describe("setMandate", () => {
    it("names the service an operation must come from", async () => {
      await expect(mandate(true)).to.emit(contract, "MandateSet").withArgs(Office.CODIFIER, OPERATION, service, true, SCHEMA);
      expect(await contract.mandateOf(OPERATION)).to.deep.equal([BigInt(Office.CODIFIER), true, service, SCHEMA]);
      expect(await contract.operationsOf(Office.CODIFIER)).to.deep.equal([OPERATION]);
      await mandate(false);
      expect(await contract.operationsOf(Office.CODIFIER)).to.deep.equal([OPERATION]);
    });

    it("moves an operation to another office", async () => {
      await mandate();
      await contract.setMandate(Office.CODIFIER, id("second"), service, false, SCHEMA);
      await contract.setMandate(Office.CODIFIER, id("third"), service, false, SCHEMA);
      await contract.setMandate(Office.SPEAKER, OPERATION, service, false, SCHEMA);
      expect(await contract.operationsOf(Office.CODIFIER)).to.have.members([id("second"), id("third")]);
      expect(await contract.operationsOf(Office.SPEAKER)).to.deep.equal([OPERATION]);
    });

    it("takes eight operations an office at most, of live services, from the governor", async () => {
      for (let i = 0; i < 8; i++) await contract.setMandate(Office.CODIFIER, id(`${i}`), service, false, SCHEMA);
      await expect(mandate()).to.be.revertedWithCustomError(contract, "TooManyMandates").withArgs(Office.CODIFIER, 8);
      await expect(contract.setMandate(Office.SPEAKER, OPERATION, id("none"), false, SCHEMA))
        .to.be.revertedWithCustomError(contract, "ServiceUnavailable")
        .withArgs(id("none"));
      await expect(contract.connect(clerk).setMandate(Office.SPEAKER, OPERATION, service, false, SCHEMA))
        .to.be.revertedWithCustomError(contract, "NotGovernor")
        .withArgs(clerk.address);
    });
  });

  describe("delegate and recordResult", () => {
    it("leave both hashes under an id of session, operation and input", async () => {
      await mandate(true);
      const delegation = await contract.delegationId(3, OPERATION, INPUT);
      const encoded = AbiCoder.defaultAbiCoder().encode(["uint256", "bytes32", "bytes32"], [3, OPERATION, INPUT]);
      expect(delegation).to.equal(keccak256(encoded));
      const own = contract.connect(clerk);
      await expect(own.delegate(3, OPERATION, service, INPUT))
        .to.emit(contract, "Delegated")
        .withArgs(delegation, clerk.address, OPERATION, service, INPUT);
      await expect(record(own, delegation, OUTPUT, ZeroHash))
        .to.be.revertedWithCustomError(contract, "MissingIntermediate")
        .withArgs(delegation);
      await expect(record(own, delegation, ZeroHash, id("i"))).to.be.revertedWithCustomError(contract, "MissingOutput");
      await expect(record(own, delegation, OUTPUT, id("i")))
        .to.emit(contract, "DelegationRecorded")
        .withArgs(delegation, OUTPUT, id("i"), runner.address);
      expect(await contract.delegationOf(delegation)).to.deep.equal([OPERATION, INPUT, OUTPUT, id("i"), clerk.address]);
      await expect(record(own, delegation, id("other"), id("i"))).to.be.revertedWithCustomError(contract, "AlreadyRecorded");
      await expect(own.delegate(3, OPERATION, service, INPUT))
        .to.be.revertedWithCustomError(contract, "AlreadyRecorded")
        .withArgs(delegation);
    });

    it("commit to their input: another spec's is another delegation", async () => {
      await mandate(true);
      const own = contract.connect(clerk);
      await own.delegate(3, OPERATION, service, INPUT);
      const other = await contract.delegationId(3, OPERATION, id("another spec"));
      await expect(record(own, other, OUTPUT, id("i")))
        .to.be.revertedWithCustomError(contract, "UnknownDelegation")
        .withArgs(other);
    });

    it("come from the mandate's service and from no other", async () => {
      await mandate();
      const own = contract.connect(clerk);
      const other = await registered("another compiler");
      await expect(own.delegate(1, OPERATION, other, INPUT))
        .to.be.revertedWithCustomError(contract, "WrongService")
        .withArgs(OPERATION, service, other);
      // An operation that no mandate names has no service that could be the right one.
      await expect(own.delegate(1, id("write bytecode"), service, INPUT))
        .to.be.revertedWithCustomError(contract, "NoMandate")
        .withArgs(id("write bytecode"));
      // When the adjudicators replace a compiler, what the old one makes counts no more in a session that opens later.
      await contract.setMandate(Office.CODIFIER, OPERATION, other, false, SCHEMA);
      await expect(own.delegate(1, OPERATION, service, INPUT))
        .to.be.revertedWithCustomError(contract, "WrongService")
        .withArgs(OPERATION, other, service);
    });

    it("belong to a clerk of the office", async () => {
      await expect(contract.connect(clerk).delegate(1, OPERATION, service, INPUT))
        .to.be.revertedWithCustomError(contract, "NoMandate")
        .withArgs(OPERATION);
      await mandate();
      await expect(contract.delegate(1, OPERATION, service, INPUT))
        .to.be.revertedWithCustomError(contract, "NotClerk")
        .withArgs(Office.CODIFIER, city.deployer.address);
      const delegation = await contract.delegationId(1, OPERATION, INPUT);
      await expect(record(contract.connect(clerk), delegation, OUTPUT, ZeroHash))
        .to.be.revertedWithCustomError(contract, "UnknownDelegation")
        .withArgs(delegation);
      await contract.connect(clerk).delegate(1, OPERATION, service, INPUT);
      await expect(record(contract, delegation, OUTPUT, ZeroHash)).to.be.revertedWithCustomError(contract, "NotClerk");
      await city.clerks.revoke(Office.CODIFIER, clerk.address);
      await expect(record(contract.connect(clerk), delegation, OUTPUT, ZeroHash)).to.be.revertedWithCustomError(contract, "NotClerk");
    });

    it("take a result from a registered runner of another house, who signed it in time", async () => {
      await mandate();
      const own = contract.connect(clerk);
      await own.delegate(1, OPERATION, service, INPUT);
      const delegation = await contract.delegationId(1, OPERATION, INPUT);
      const stranger = await city.account("stranger");
      await expect(record(own, delegation, OUTPUT, ZeroHash, stranger))
        .to.be.revertedWithCustomError(contract, "NotRunner")
        .withArgs(stranger.address);
      await city.evidence.registerRunner(stranger.address, keyOf("codifier's principal").address);
      await expect(record(own, delegation, OUTPUT, ZeroHash, stranger))
        .to.be.revertedWithCustomError(contract, "RunnerConflict")
        .withArgs(stranger.address);
      const said = await city.resultBy(runner, delegation, OUTPUT, ZeroHash);
      await expect(own.recordResult(delegation, id("other"), ZeroHash, said)).to.be.revertedWithCustomError(contract, "InvalidSignature");
      const direct = { ...said, signature: "0x" };
      await expect(own.recordResult(delegation, OUTPUT, ZeroHash, direct)).to.be.revertedWithCustomError(contract, "InvalidSignature");
      await expect(own.recordResult(delegation, OUTPUT, ZeroHash, { ...said, deadline: 1n })).to.be.revertedWithCustomError(
        contract,
        "Expired",
      );
      await own.recordResult(delegation, OUTPUT, ZeroHash, said);
    });

    it("are recorded by any clerk of the office, whoever began them", async () => {
      await mandate();
      const colleague = await city.account("second codifier");
      await city.clerks.appoint(Office.CODIFIER, colleague.address, keyOf("codifier's principal").address);
      for (const by of [clerk, colleague]) await contract.connect(by).delegate(1, OPERATION, service, INPUT);
      const delegation = await contract.delegationId(1, OPERATION, INPUT);
      await record(contract.connect(clerk), delegation, OUTPUT, ZeroHash);
      expect((await contract.delegationOf(delegation)).clerk).to.equal(clerk.address);
    });

    it("go on with a service that its owner offers nobody else, which no new mandate names", async () => {
      await mandate();
      await city.services.connect(owner).deprecateService(service);
      await contract.connect(clerk).delegate(1, OPERATION, service, INPUT);
      await expect(mandate()).to.be.revertedWithCustomError(contract, "ServiceUnavailable").withArgs(service);
    });

    it("may end with the service that they began with, until it is replaced for cause", async () => {
      const open = async () => {
        const sponsor = await city.account("sponsor");
        await city.fund(sponsor, city.addresses.LEGISLATION, tokens(10));
        await city.legislation.connect(sponsor).openSession(id("goal"), tokens(10), ZeroAddress);
        return city.legislation.sessionCount();
      };
      const own = contract.connect(clerk);
      await mandate();
      const before = await open();
      const [former, next] = [service, await registered("next compiler")];
      const replace = () => contract.setMandate(Office.CODIFIER, OPERATION, next, false, SCHEMA);
      await replace();
      const after = await open();
      await own.delegate(before, OPERATION, former, INPUT);
      await own.delegate(before, OPERATION, next, INPUT);
      const refused = (session: bigint) =>
        expect(own.delegate(session, OPERATION, former, id("another spec")))
          .to.be.revertedWithCustomError(contract, "WrongService")
          .withArgs(OPERATION, next, former);
      for (const session of [after, after + 1n]) await refused(session);
      await replace();
      await refused(before);
    });
  });
});
