import { expect } from "chai";
import { dataSlice, getCreate2Address, id, keccak256, toBeHex, ZeroAddress } from "ethers";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { cloneArgs } from "../../../orchestrator/rules/law-codec.ts";
import { unpackMissionParams } from "../../../orchestrator/rules/mission-params-codec.ts";
import { type City, ethers, loadCity, networkHelpers } from "../../support/city-fixture.ts";
import { lawOf } from "../../support/legislature.ts";

const NAME = id("template");
const AUDIT = id("audit");
const Lie = { NONE: 0, LAW: 1, CONTEXT: 2, NOT_A_TEMPLATE: 3 } as const;

const template = async (lie: number = Lie.NONE): Promise<string> => (await ethers.deployContract("TemplateHarness", [lie])).getAddress();

/** Immutable arguments of a clone under session `session`. */
async function argsOf(city: City, session = 1n) {
  const params = unpackMissionParams(await city.constitution.missionParams());
  const docHash = id("document") as `0x${string}`;
  const sponsor = city.addresses.TREASURY as `0x${string}`;
  return cloneArgs(lawOf(), { params, docHash, session, sponsor, deployedAt: 1_800_000_000 });
}

describe("TemplateRegistry", () => {
  describe("publish", () => {
    it("numbers the versions of a name from one and never changes them", async () => {
      const { templates, now } = await loadCity();
      const [first, second] = [await template(), await template()];
      await expect(templates.publish(NAME, first, AUDIT))
        .to.emit(templates, "TemplatePublished")
        .withArgs(NAME, 1, first, await now(), AUDIT);
      await templates.publish(NAME, second, id("second audit"));
      expect(await templates.latestVersion(NAME)).to.equal(2);
      for (const [version, implementation, audit] of [
        [1, first, AUDIT],
        [2, second, id("second audit")],
      ] as const) {
        const published = await templates.templateOf(NAME, version);
        expect([published.implementation, published.auditHash]).to.deep.equal([implementation, audit]);
      }
    });

    it("belongs to the governor", async () => {
      const { templates, account, as } = await loadCity();
      const stranger = await account("stranger");
      await expect(templates.connect(stranger).publish(NAME, await template(), AUDIT))
        .to.be.revertedWithCustomError(templates, "NotGovernor")
        .withArgs(stranger.address);
      await templates.connect(await as("ADJUDICATION")).publish(NAME, await template(), AUDIT);
    });

    it("refuses what does not answer as a template: no code, no answer, another answer", async () => {
      const { templates, account, addresses } = await loadCity();
      for (const not of [(await account("nobody")).address, addresses.TOKEN, await template(Lie.NOT_A_TEMPLATE)]) {
        await expect(templates.publish(NAME, not, AUDIT))
          .to.be.revertedWithCustomError(templates, "NotATemplate")
          .withArgs(not);
      }
    });

    it("refuses what reports another law or context than its clones carry", async () => {
      const { templates } = await loadCity();
      for (const lie of [Lie.LAW, Lie.CONTEXT]) {
        await expect(templates.publish(NAME, await template(lie), AUDIT)).to.be.revertedWithCustomError(templates, "Unfaithful");
      }
      expect(await templates.latestVersion(NAME)).to.equal(0);
    });
  });

  describe("publish in a sealed city", () => {
    async function sealed() {
      const city = await loadCity();
      const [first, second, third] = [await template(), await template(), await template()];
      await city.templates.publish(NAME, first, AUDIT);
      await city.constitution.seal();
      const templates = city.templates.connect(await city.as("ADJUDICATION"));
      const notice = 7n * 24n * 3600n + (await city.constitution.param(parameterIndex("UNBONDING_PERIOD")));
      return { city, templates, first, second, third, notice };
    }

    it("gives a version the notice of an amendment, and keeps the one before meanwhile", async () => {
      const { city, templates, second, notice } = await sealed();
      await templates.publish(NAME, second, AUDIT);
      const from = (await city.now()) + notice;
      expect((await templates.templateOf(NAME, 2)).effectiveFrom).to.equal(from);
      expect(await templates.waitsUntil()).to.equal(from);
      await networkHelpers.time.increaseTo(from - 1n);
      expect(await templates.latestVersion(NAME)).to.equal(1);
      await networkHelpers.time.increaseTo(from);
      expect(await templates.latestVersion(NAME)).to.equal(2);
      await templates.connect(await city.as("LEGISLATION")).deploy(NAME, 2, await argsOf(city), 1);
    });

    it("refuses to deploy a version that still waits", async () => {
      const { city, templates, second } = await sealed();
      await templates.publish(NAME, second, AUDIT);
      const legislation = templates.connect(await city.as("LEGISLATION"));
      await expect(legislation.deploy(NAME, 2, await argsOf(city), 1))
        .to.be.revertedWithCustomError(templates, "UnknownTemplate")
        .withArgs(NAME, 2);
    });

    it("withdraws a version that waits when another is published, whose notice begins anew", async () => {
      const { city, templates, second, third, notice } = await sealed();
      await templates.publish(NAME, second, AUDIT);
      await networkHelpers.time.increase(notice - 10n);
      await templates.publish(NAME, third, AUDIT);
      await networkHelpers.time.increase(20n);
      expect(await templates.latestVersion(NAME)).to.equal(1);
      await networkHelpers.time.increase(notice);
      expect(await templates.latestVersion(NAME)).to.equal(2);
      expect((await templates.templateOf(NAME, 2)).implementation).to.equal(third);
      expect(await city.templates.latestVersion(id("another name"))).to.equal(0);
    });

    it("has no version of a name that is new until its notice ends", async () => {
      const { templates, second, notice } = await sealed();
      await templates.publish(id("new"), second, AUDIT);
      expect(await templates.latestVersion(id("new"))).to.equal(0);
      await networkHelpers.time.increase(notice);
      expect(await templates.latestVersion(id("new"))).to.equal(1);
    });
  });

  describe("deploy", () => {
    it("clones at the address anyone can compute from implementation, arguments and session", async () => {
      const city = await loadCity();
      const { templates, as, addresses } = city;
      const implementation = await template();
      await templates.publish(NAME, implementation, AUDIT);
      const args = await argsOf(city);
      const legislation = templates.connect(await as("LEGISLATION"));
      const mission = await templates.predict(NAME, 1, args, 1);

      // ERC-1167 proxy with the arguments behind its code, as OpenZeppelin's Clones lays it out.
      const size = 0x2d + (args.length - 2) / 2;
      const code = `0x61${toBeHex(size, 2).slice(2)}3d81600a3d39f3363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3${args.slice(2)}`;
      expect(mission).to.equal(getCreate2Address(addresses.TEMPLATES, toBeHex(1, 32), keccak256(code)));

      await expect(legislation.deploy(NAME, 1, args, 1))
        .to.emit(templates, "MissionDeployed")
        .withArgs(mission, NAME, 1, 1, addresses.LEGISLATION, addresses.EXECUTION);
      expect(dataSlice(await ethers.provider.getCode(mission), 0x2d)).to.equal(args);
    });

    it("is the only source of genuine missions, pinned to the procedures of their day", async () => {
      const city = await loadCity();
      const { templates, as, addresses } = city;
      const implementation = await template();
      await templates.publish(NAME, implementation, AUDIT);
      const legislation = templates.connect(await as("LEGISLATION"));
      const missions: string[] = [];
      for (const session of [1n, 2n]) {
        const args = await argsOf(city, session);
        missions.push(await templates.predict(NAME, 1, args, session));
        await legislation.deploy(NAME, 1, args, session);
      }
      for (const mission of missions) {
        expect(await templates.isGenuine(mission)).to.equal(true);
        expect(await templates.executionOf(mission)).to.equal(addresses.EXECUTION);
        expect(await templates.missionOf(mission)).to.deep.equal([NAME, 1n, addresses.LEGISLATION, addresses.EXECUTION]);
      }
      expect(await templates.isGenuine(implementation)).to.equal(false);
      expect(await templates.executionOf(implementation)).to.equal(ZeroAddress);
      expect(await templates.missionOf(implementation)).to.deep.equal([ethers.ZeroHash, 0n, ZeroAddress, ZeroAddress]);
    });

    it("serves the current legislation only, and one clone per session and arguments", async () => {
      const city = await loadCity();
      const { templates, as, deployer } = city;
      await templates.publish(NAME, await template(), AUDIT);
      const args = await argsOf(city);
      await expect(templates.deploy(NAME, 1, args, 1))
        .to.be.revertedWithCustomError(templates, "NotLegislation")
        .withArgs(deployer.address);
      const legislation = templates.connect(await as("LEGISLATION"));
      await legislation.deploy(NAME, 1, args, 1);
      await expect(legislation.deploy(NAME, 1, args, 1)).to.revert(ethers);
      await legislation.deploy(NAME, 1, args, 2);
    });

    it("refuses an unknown version", async () => {
      const city = await loadCity();
      const { templates, as } = city;
      const args = await argsOf(city);
      const legislation = templates.connect(await as("LEGISLATION"));
      await expect(legislation.deploy(NAME, 1, args, 1))
        .to.be.revertedWithCustomError(templates, "UnknownTemplate")
        .withArgs(NAME, 1);
      await expect(templates.predict(NAME, 1, args, 1))
        .to.be.revertedWithCustomError(templates, "UnknownTemplate")
        .withArgs(NAME, 1);
    });
  });
});
