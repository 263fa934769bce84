import { expect } from "chai";
import { id, ZeroAddress } from "ethers";
import { DEVNET, leastUnbonding, PARAMETERS, type ParameterName, parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { ethers, INSTITUTIONS, keyOf, loadCity, MANDATE, parameterValues, Standing, tokens } from "../../support/city-fixture.ts";

const WHY = id("because");

describe("ConstitutionContract", () => {
  describe("constructor", () => {
    it("keeps the mandate and every value, and tells each in an event", async () => {
      const constitution = await ethers.deployContract("ConstitutionContract", [MANDATE.hash, MANDATE.cid, parameterValues()]);
      expect(await constitution.mandate()).to.deep.equal([MANDATE.hash, MANDATE.cid]);
      for (const { index, name } of PARAMETERS) expect(await constitution.param(index), name).to.equal(DEVNET[name]);
      const events = await constitution.queryFilter(constitution.filters.ParameterSet());
      expect(events.map(({ args }) => args.value)).to.deep.equal(parameterValues());
    });

    it("refuses too few values and a value out of range", async () => {
      const factory = await ethers.getContractFactory("ConstitutionContract");
      const values = parameterValues();
      await expect(factory.deploy(MANDATE.hash, MANDATE.cid, values.slice(1)))
        .to.be.revertedWithCustomError(factory, "LengthMismatch")
        .withArgs(values.length - 1, values.length);
      const index = parameterIndex("TURNOUT_QUORUM");
      values[index] = 4999n;
      await expect(factory.deploy(MANDATE.hash, MANDATE.cid, values))
        .to.be.revertedWithCustomError(factory, "ParameterOutOfRange")
        .withArgs(index, 4999, 5000, 9000);
    });
  });

  describe("setParam", () => {
    it("takes both ends of every range and nothing beyond them", async () => {
      const { constitution } = await loadCity();
      for (const { index, min, max } of PARAMETERS) {
        const previous = await constitution.param(index);
        await expect(constitution.setParam(index, min, WHY))
          .to.emit(constitution, "ParameterSet")
          .withArgs(index, previous, min, WHY);
        await constitution.setParam(index, max, WHY);
        expect(await constitution.param(index)).to.equal(max);
        await expect(constitution.setParam(index, max + 1n, WHY))
          .to.be.revertedWithCustomError(constitution, "ParameterOutOfRange")
          .withArgs(index, max + 1n, min, max);
        await expect(constitution.setParam(index, 2n ** 64n + max, WHY)).to.be.revertedWithCustomError(constitution, "ParameterOutOfRange");
        if (min > 0n) await expect(constitution.setParam(index, min - 1n, WHY)).to.revert(ethers);
      }
    });

    it("changes no neighbour in the packed table", async () => {
      const { constitution } = await loadCity();
      const index = parameterIndex("REPUTATION_FLOOR");
      await constitution.setParam(index, 321, WHY);
      const expected = parameterValues().map((value, i) => (i === index ? 321n : value));
      const found = await Promise.all(PARAMETERS.map((p) => constitution.param(p.index)));
      expect(found).to.deep.equal(expected);
    });

    it("keeps the weights of a bid at one thousand, whichever of them is set", async () => {
      const { constitution } = await loadCity();
      const [quality, price] = [parameterIndex("BID_WEIGHT_QUALITY"), parameterIndex("BID_WEIGHT_PRICE")];
      for (const [one, other] of [
        [quality, price],
        [price, quality],
      ] as const) {
        const previous = await constitution.param(other);
        await expect(constitution.setParam(one, 250, WHY))
          .to.emit(constitution, "ParameterSet")
          .withArgs(other, previous, 750, WHY);
        expect([await constitution.param(one), await constitution.param(other)]).to.deep.equal([250n, 750n]);
      }
    });

    it("belongs to the governor", async () => {
      const { constitution, account, as } = await loadCity();
      const stranger = await account("stranger");
      const index = parameterIndex("BIDDING_WINDOW");
      await expect(constitution.connect(stranger).setParam(index, 60, WHY))
        .to.be.revertedWithCustomError(constitution, "NotGovernor")
        .withArgs(stranger.address);
      await constitution.connect(await as("ADJUDICATION")).setParam(index, 61, WHY);
      expect(await constitution.param(index)).to.equal(61);
    });
  });

  describe("missionParams", () => {
    /** Field: parameter, lowest bit and width in the word (`MissionParamsCodec`), and how a value is stored. */
    const FIELDS: [ParameterName, bigint, bigint, (value: bigint) => bigint][] = [
      ["VERIFICATION_TIMEOUT", 0n, 17n, (v) => v],
      ["MAX_HUMAN_REVIEW_TIMEOUT", 17n, 17n, (v) => v],
      ["BASE_ESCALATION_WINDOW", 34n, 13n, (v) => v],
      ["MAX_REFINEMENT_ITERATIONS", 47n, 4n, (v) => v],
      ["ESCALATION_FREEZE_COUNT", 51n, 4n, (v) => v],
      ["REPUTATION_SCALING_ENABLED", 55n, 1n, (v) => v],
      ["REPUTATION_SCALING_BONUS", 56n, 3n, (v) => v],
      ["PROTOCOL_FEE_RATE", 59n, 10n, (v) => v],
      ["INSURANCE_RESERVE_RATE", 69n, 9n, (v) => v],
      ["REPUTATION_MULTIPLIER_ALPHA", 78n, 11n, (v) => v],
      ["PREDICATE_GAS_LIMIT", 89n, 20n, (v) => v],
      ["APPEAL_WINDOW_LOW", 109n, 16n, (v) => (v + 59n) / 60n],
      ["APPEAL_WINDOW_MODERATE", 125n, 16n, (v) => (v + 59n) / 60n],
      ["APPEAL_WINDOW_ELEVATED", 141n, 16n, (v) => (v + 59n) / 60n],
      ["APPEAL_WINDOW_CRITICAL", 157n, 16n, (v) => (v + 59n) / 60n],
      ["MIN_CONFIDENCE_LOW", 173n, 14n, (v) => v],
      ["MIN_CONFIDENCE_MEDIUM", 187n, 14n, (v) => v],
      ["MIN_CONFIDENCE_HIGH", 201n, 14n, (v) => v],
    ];
    const EDITION = 215n;
    const field = (word: bigint, lowest: bigint, width: bigint) => (word >> lowest) & ((1n << width) - 1n);

    it("holds the table's values from the start", async () => {
      const { constitution } = await loadCity();
      const word = await constitution.missionParams();
      for (const [name, lowest, width, stored] of FIELDS) {
        expect(field(word, lowest, width), name).to.equal(stored(DEVNET[name]));
      }
    });

    it("follows each of its fields, and only them", async () => {
      const { constitution } = await loadCity();
      const inside = new Set(FIELDS.map(([name]) => name));
      for (const { name, index, min, max } of PARAMETERS) {
        const before = await constitution.missionParams();
        const value = DEVNET[name] === max ? min : max;
        await constitution.setParam(index, value, WHY);
        const after = await constitution.missionParams();
        const edition = field(after, EDITION, 32n) - field(before, EDITION, 32n);
        expect(edition, name).to.equal(PARAMETERS[index]?.locked ? 1n : 0n);
        if (!inside.has(name)) expect(after, name).to.equal(before + (edition << EDITION));
        for (const [own, lowest, width, stored] of FIELDS) {
          const expected = own === name ? stored(value) : field(before, lowest, width);
          expect(field(after, lowest, width), `${own} after ${name}`).to.equal(expected);
        }
      }
    });

    it("rounds an appeal window up to whole minutes", async () => {
      const { constitution } = await loadCity();
      await constitution.setParam(parameterIndex("APPEAL_WINDOW_LOW"), 61, WHY);
      expect(field(await constitution.missionParams(), 109n, 16n)).to.equal(2);
    });
  });

  describe("paramIn", () => {
    it("answers what a locked parameter was in every edition, and what it is in those to come", async () => {
      const { constitution } = await loadCity();
      const [timeout, panel] = [parameterIndex("MAX_NODE_TIMEOUT"), parameterIndex("MIN_PANEL_LOW")];
      for (const value of [100, 200, 300]) {
        await constitution.setParam(timeout, value, WHY);
        await constitution.setParam(panel, value / 100, WHY);
      }
      // Editions 1, 3, 5 are the timeouts', 2, 4, 6 the panels'.
      const read = (which: number) => Promise.all([0, 1, 2, 3, 4, 5, 6, 99].map((edition) => constitution.paramIn(edition, which)));
      const first = DEVNET.MAX_NODE_TIMEOUT;
      expect(await read(timeout)).to.deep.equal([first, 100n, 100n, 200n, 200n, 300n, 300n, 300n]);
      expect(await read(panel)).to.deep.equal([1n, 1n, 1n, 1n, 2n, 2n, 3n, 3n]);
      expect(await read(parameterIndex("MIN_STAKE_LOW"))).to.deep.equal(Array(8).fill(DEVNET.MIN_STAKE_LOW));
    });

    it("scales whole tokens, and keeps nothing of parameters that are not locked", async () => {
      const { constitution } = await loadCity();
      const stake = parameterIndex("MIN_STAKE_LOW");
      await constitution.setParam(stake, 7, WHY);
      expect(await constitution.unitsIn(0, stake)).to.equal(tokens(DEVNET.MIN_STAKE_LOW));
      expect(await constitution.unitsIn(1, stake)).to.equal(tokens(7));
      const open = parameterIndex("BIDDING_WINDOW");
      await expect(constitution.paramIn(0, open)).to.be.revertedWithCustomError(constitution, "NotLocked").withArgs(open);
    });
  });

  describe("paramInUnits", () => {
    it("scales whole tokens to six decimals", async () => {
      const { constitution } = await loadCity();
      expect(await constitution.paramInUnits(parameterIndex("REGISTRATION_STAKE"))).to.equal(tokens(1000));
      const cap = parameterIndex("MISSION_BUDGET_CAP");
      await constitution.setParam(cap, 10_000_000, WHY);
      expect(await constitution.paramInUnits(cap)).to.equal(tokens(10_000_000));
    });
  });

  describe("wire", () => {
    const fresh = () => ethers.deployContract("ConstitutionContract", [MANDATE.hash, MANDATE.cid, parameterValues()]);

    it("names each institution once; procedures become CURRENT, nothing else has a standing", async () => {
      const { constitution, addresses } = await loadCity();
      for (const [index, name] of INSTITUTIONS.entries()) {
        expect(await constitution.at(index), name).to.equal(addresses[name]);
        const procedure = ["LEGISLATION", "EXECUTION", "ADJUDICATION"].includes(name);
        const standing = procedure ? Standing.CURRENT : Standing.NONE;
        expect(await constitution.standingOf(index, addresses[name]), name).to.equal(standing);
      }
      expect(await constitution.standingOf(9, addresses.EXECUTION)).to.equal(Standing.NONE);
      await expect(constitution.wire([3], [keyOf("other").address]))
        .to.be.revertedWithCustomError(constitution, "AlreadyWired")
        .withArgs(3, addresses.MANAGEMENT);
    });

    it("tells each in an event", async () => {
      const constitution = await fresh();
      const other = keyOf("other").address;
      await expect(constitution.wire([4], [other]))
        .to.emit(constitution, "Wired")
        .withArgs(4, other);
    });

    it("refuses the zero address, lists of different length, and anyone but the deployer", async () => {
      const { account } = await loadCity();
      const stranger = await account("stranger");
      const constitution = await fresh();
      await expect(constitution.wire([0], [ZeroAddress]))
        .to.be.revertedWithCustomError(constitution, "NotWired")
        .withArgs(0);
      await expect(constitution.wire([0, 1], [stranger.address]))
        .to.be.revertedWithCustomError(constitution, "LengthMismatch")
        .withArgs(1, 2);
      await expect(constitution.connect(stranger).wire([0], [stranger.address]))
        .to.be.revertedWithCustomError(constitution, "NotDeployer")
        .withArgs(stranger.address);
    });

    it("is needed before an institution can be asked for", async () => {
      const constitution = await fresh();
      await expect(constitution.at(6)).to.be.revertedWithCustomError(constitution, "NotWired").withArgs(6);
    });
  });

  describe("seal", () => {
    it("waits until every institution is wired to a contract", async () => {
      const { constitution, addresses } = await loadCity();
      const fresh = await ethers.deployContract("ConstitutionContract", [MANDATE.hash, MANDATE.cid, parameterValues()]);
      await expect(fresh.seal()).to.be.revertedWithCustomError(constitution, "NotWired").withArgs(0);
      const noContract = keyOf("no contract").address;
      await fresh.wire(
        INSTITUTIONS.map((_, index) => index),
        INSTITUTIONS.map((name) => (name === "SERVICES" ? noContract : addresses.TOKEN)),
      );
      await expect(fresh.seal()).to.be.revertedWithCustomError(constitution, "NotAContract").withArgs(4, noContract);
    });

    it("belongs to the deployer and happens once", async () => {
      const { deployer, account, addresses } = await loadCity();
      const constitution = await ethers.deployContract("ConstitutionContract", [MANDATE.hash, MANDATE.cid, parameterValues()]);
      await constitution.wire(
        INSTITUTIONS.map((_, index) => index),
        INSTITUTIONS.map(() => addresses.TOKEN),
      );
      const stranger = await account("stranger");
      await expect(constitution.connect(stranger).seal()).to.be.revertedWithCustomError(constitution, "NotDeployer");
      expect(await constitution.isGovernor(deployer.address)).to.equal(true);
      expect(await constitution.isSealed()).to.equal(false);
      await expect(constitution.seal()).to.emit(constitution, "Sealed").withArgs(deployer.address);
      expect(await constitution.isGovernor(deployer.address)).to.equal(false);
      expect(await constitution.isGovernor(addresses.TOKEN)).to.equal(true);
      expect(await constitution.isSealed()).to.equal(true);
      await expect(constitution.seal()).to.be.revertedWithCustomError(constitution, "AlreadySealed");
      await expect(constitution.wire([], [])).to.be.revertedWithCustomError(constitution, "AlreadySealed");
    });

    it("asks of values what they must be beside each other, from then on", async () => {
      const { as, addresses } = await loadCity();
      const constitution = await ethers.deployContract("ConstitutionContract", [MANDATE.hash, MANDATE.cid, parameterValues()]);
      await constitution.wire(
        INSTITUTIONS.map((_, index) => index),
        // The registry is asked whether a template waits.
        INSTITUTIONS.map((name) => (name === "TEMPLATES" ? addresses.TEMPLATES : addresses.TOKEN)),
      );
      const set = (name: ParameterName, value: bigint) => constitution.setParam(parameterIndex(name), value, WHY);
      await set("MIN_PANEL_LOW", DEVNET.MIN_PANEL_MEDIUM + 1n);
      await expect(constitution.seal())
        .to.be.revertedWithCustomError(constitution, "ParametersDescend")
        .withArgs(parameterIndex("MIN_PANEL_LOW"), DEVNET.MIN_PANEL_MEDIUM + 1n, DEVNET.MIN_PANEL_MEDIUM);
      await set("MIN_PANEL_LOW", DEVNET.MIN_PANEL_LOW);
      await constitution.seal();

      const unequal = parameterValues().map((value, index) => (index === parameterIndex("BID_WEIGHT_PRICE") ? 999n : value));
      const other = await ethers.deployContract("ConstitutionContract", [MANDATE.hash, MANDATE.cid, unequal]);
      await other.wire(
        INSTITUTIONS.map((_, index) => index),
        INSTITUTIONS.map(() => addresses.TOKEN),
      );
      await expect(other.seal())
        .to.be.revertedWithCustomError(constitution, "ParametersDoNotAddUp")
        .withArgs(parameterIndex("BID_WEIGHT_QUALITY"), parameterIndex("BID_WEIGHT_PRICE"), 600n + 999n, 1000n);

      const governor = constitution.connect(await as(addresses.TOKEN));
      await governor.setParam(parameterIndex("APPEAL_WINDOW_CRITICAL"), 400_000, WHY);
      const longest = leastUnbonding({ ...DEVNET, APPEAL_WINDOW_CRITICAL: 400_000n });
      const unbonding = parameterIndex("UNBONDING_PERIOD");
      await expect(governor.setParam(unbonding, longest - 1n, WHY))
        .to.be.revertedWithCustomError(constitution, "UnbondingTooShort")
        .withArgs(longest - 1n, longest);
      await governor.setParam(unbonding, longest, WHY);
      expect(await constitution.param(unbonding)).to.equal(longest);
    });
  });

  describe("pulse", () => {
    it("keeps the second in which the chain was heard, whoever called", async () => {
      const { constitution, account, now } = await loadCity();
      expect(await constitution.pulsedAt()).to.equal(0);
      const call = await constitution.connect(await account("anybody")).pulse();
      await expect(call)
        .to.emit(constitution, "Pulsed")
        .withArgs(await now());
      expect(await constitution.pulsedAt()).to.equal(await now());
    });
  });
});
