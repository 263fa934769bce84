import { expect } from "chai";
import { id, ZeroAddress } from "ethers";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import {
  AMENDMENT_NOTICE,
  type City,
  ethers,
  INSTITUTIONS,
  keyOf,
  loadCity,
  networkHelpers,
  Standing,
  tokens,
} from "../../support/city-fixture.ts";

const WHY = id("because");
const [LEGISLATION, EXECUTION, ADJUDICATION] = (["LEGISLATION", "EXECUTION", "ADJUDICATION"] as const).map((name) =>
  INSTITUTIONS.indexOf(name),
) as [number, number, number];

let city: City;
let contract: City["constitution"];
let replacement: string;
async function fresh(): Promise<void> {
  city = await loadCity();
  contract = city.constitution;
  replacement = String((await ethers.deployContract("MissionProbe")).target);
}
const over = () => networkHelpers.time.increase(AMENDMENT_NOTICE);

describe("ConstitutionContract.amend", () => {
  beforeEach(fresh);

  describe("when the caller is not the governor", () => {
    it("it should revert with NotGovernor", async () => {
      const stranger = await city.account("stranger");
      await expect(contract.connect(stranger).amend(EXECUTION, replacement, WHY))
        .to.be.revertedWithCustomError(contract, "NotGovernor")
        .withArgs(stranger.address);
    });
  });

  describe("when the institution is no procedure", () => {
    it("it should revert with NotReplaceable", async () => {
      for (const [index, name] of INSTITUTIONS.entries()) {
        if ([LEGISLATION, EXECUTION, ADJUDICATION].includes(index)) continue;
        await expect(contract.amend(index, replacement, WHY), name)
          .to.be.revertedWithCustomError(contract, "NotReplaceable")
          .withArgs(index);
      }
    });
  });

  describe("when the replacement has no code, or held the office before", () => {
    it("it should revert with NotAContract or AlreadyWired", async () => {
      await expect(contract.amend(EXECUTION, keyOf("nobody").address, WHY))
        .to.be.revertedWithCustomError(contract, "NotAContract")
        .withArgs(EXECUTION, keyOf("nobody").address);
      const refused = (at: string) =>
        expect(contract.amend(EXECUTION, at, WHY))
          .to.be.revertedWithCustomError(contract, "AlreadyWired")
          .withArgs(EXECUTION, at);
      await refused(city.addresses.EXECUTION);
      await contract.amend(EXECUTION, replacement, WHY);
      await over();
      await contract.enact(EXECUTION);
      await refused(city.addresses.EXECUTION);
      await refused(replacement);
    });
  });

  describe("given a contract new to the office", () => {
    it("it should announce it for a week after the unbonding period, and change nothing", async () => {
      expect(await contract.amendmentOf(EXECUTION)).to.deep.equal([ZeroAddress, 0n]);
      const call = await contract.amend(EXECUTION, replacement, WHY);
      const from = (await city.now()) + AMENDMENT_NOTICE;
      await expect(call).to.emit(contract, "AmendmentAnnounced").withArgs(EXECUTION, replacement, from, WHY);
      expect(await contract.amendmentOf(EXECUTION)).to.deep.equal([replacement, from]);
      expect(await contract.at(EXECUTION)).to.equal(city.addresses.EXECUTION);
      expect(await contract.standingOf(EXECUTION, replacement)).to.equal(Standing.NONE);
    });

    it("it should keep the unbonding period as it is until it stands or is taken back", async () => {
      const unbonding = parameterIndex("UNBONDING_PERIOD");
      const longer = (await contract.param(unbonding)) + 1n;
      await contract.amend(EXECUTION, replacement, WHY);
      await expect(contract.setParam(unbonding, longer, WHY))
        .to.be.revertedWithCustomError(contract, "AmendmentWaits")
        .withArgs(EXECUTION);
      await contract.withdrawAmendment(EXECUTION, WHY);
      await contract.setParam(unbonding, longer, WHY);
    });

    it("it should take the place of an earlier announcement", async () => {
      await contract.amend(EXECUTION, replacement, WHY);
      await over();
      const better = String((await ethers.deployContract("MissionProbe")).target);
      await contract.amend(EXECUTION, better, WHY);
      await expect(contract.enact(EXECUTION)).to.be.revertedWithCustomError(contract, "NotYet");
      expect((await contract.amendmentOf(EXECUTION))[0]).to.equal(better);
    });
  });
});

describe("ConstitutionContract.withdrawAmendment", () => {
  beforeEach(fresh);

  describe("when the caller is not the governor, or nothing is announced", () => {
    it("it should revert with NotGovernor or NothingAnnounced", async () => {
      const stranger = await city.account("stranger");
      await expect(contract.connect(stranger).withdrawAmendment(EXECUTION, WHY)).to.be.revertedWithCustomError(contract, "NotGovernor");
      await expect(contract.withdrawAmendment(EXECUTION, WHY))
        .to.be.revertedWithCustomError(contract, "NothingAnnounced")
        .withArgs(EXECUTION);
    });
  });

  describe("given an announcement", () => {
    it("it should forget it", async () => {
      await contract.amend(EXECUTION, replacement, WHY);
      await expect(contract.withdrawAmendment(EXECUTION, WHY))
        .to.emit(contract, "AmendmentWithdrawn")
        .withArgs(EXECUTION, replacement, WHY);
      await over();
      await expect(contract.enact(EXECUTION)).to.be.revertedWithCustomError(contract, "NothingAnnounced");
    });
  });
});

describe("ConstitutionContract.enact", () => {
  beforeEach(fresh);

  describe("when nothing is announced, or its time has not come", () => {
    it("it should revert with NothingAnnounced or NotYet", async () => {
      await expect(contract.enact(LEGISLATION)).to.be.revertedWithCustomError(contract, "NothingAnnounced").withArgs(LEGISLATION);
      await contract.amend(LEGISLATION, replacement, WHY);
      const [, from] = await contract.amendmentOf(LEGISLATION);
      await networkHelpers.time.setNextBlockTimestamp(from - 1n);
      await expect(contract.enact(LEGISLATION)).to.be.revertedWithCustomError(contract, "NotYet").withArgs(LEGISLATION, from);
      await networkHelpers.time.setNextBlockTimestamp(from);
      await contract.enact(LEGISLATION);
    });
  });

  describe("given an announcement whose time has come", () => {
    it("it should put the replacement in office and retire the former, by anyone, once", async () => {
      await contract.amend(EXECUTION, replacement, WHY);
      await over();
      await expect(contract.connect(await city.account("anyone")).enact(EXECUTION))
        .to.emit(contract, "ProcedureReplaced")
        .withArgs(EXECUTION, city.addresses.EXECUTION, replacement);
      expect(await contract.at(EXECUTION)).to.equal(replacement);
      expect(await contract.standingOf(EXECUTION, replacement)).to.equal(Standing.CURRENT);
      expect(await contract.standingOf(EXECUTION, city.addresses.EXECUTION)).to.equal(Standing.RETIRED);
      expect(await contract.amendmentOf(EXECUTION)).to.deep.equal([ZeroAddress, 0n]);
      await expect(contract.enact(EXECUTION)).to.be.revertedWithCustomError(contract, "NothingAnnounced");
    });

    it("it should hand government over with the adjudication procedure", async () => {
      await contract.amend(ADJUDICATION, replacement, WHY);
      await over();
      await contract.enact(ADJUDICATION);
      expect(await contract.isGovernor(replacement)).to.equal(true);
      expect(await contract.isGovernor(city.addresses.ADJUDICATION)).to.equal(false);
    });

    it("it should leave a retired legislature nothing to open and nobody to lapse", async () => {
      const { agent } = await city.register("producer");
      const sponsor = await city.account("sponsor");
      await city.fund(sponsor, city.addresses.LEGISLATION, tokens(10));
      await contract.amend(LEGISLATION, replacement, WHY);
      await over();
      await contract.enact(LEGISLATION);
      await expect(city.legislation.connect(sponsor).openSession(WHY, tokens(10), ZeroAddress)).to.be.revertedWithCustomError(
        city.legislation,
        "ProcedureRetired",
      );
      const retired = await city.as(city.addresses.LEGISLATION);
      await expect(city.producers.connect(retired).lapse(agent.address))
        .to.be.revertedWithCustomError(city.producers, "NotAuthorised")
        .withArgs(retired.address);
    });
  });
});
