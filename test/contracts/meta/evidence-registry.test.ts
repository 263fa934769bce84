import { expect } from "chai";
import { id, MaxUint256, type Wallet, ZeroAddress, ZeroHash } from "ethers";
import fc from "fast-check";
import { addressSchema } from "../../../orchestrator/primitives/address.ts";
import { hexSchema } from "../../../orchestrator/primitives/hex.ts";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { drawPanel, readSeat } from "../../../orchestrator/rules/panel-draw.ts";
import { type City, ethers, Kind, keyOf, loadCity, networkHelpers, Office, tokens } from "../../support/city-fixture.ts";
import { openMission } from "../../support/mission-fixture.ts";

/** Positions in `enum EvidenceClass`. */
const Class = { SELF: 0, SIGN: 1, WIT: 2, REC: 3, ATT: 4, PROOF: 5 } as const;
const one = keyOf("one").address;
const principal = keyOf("principal").address;
const asAddress = (address: string) => addressSchema.parse(address);
/** Any block: of the roster in force now. */
const NOW = MaxUint256;

describe("EvidenceRegistry", () => {
  let city: City;
  let contract: City["evidence"];

  beforeEach(async () => {
    city = await loadCity();
    contract = city.evidence;
  });

  const latestBlock = () => ethers.provider.getBlockNumber();

  /** `sizes[i]` verifiers of principal i, registered here too; answers their addresses by principal. */
  async function verifiers(sizes: number[]): Promise<{ principal: Wallet; agents: string[] }[]> {
    const groups: { principal: Wallet; agents: string[] }[] = [];
    for (const [group, size] of sizes.entries()) {
      const owner = await city.account(`verifying principal ${group}`);
      const agents: string[] = [];
      for (let i = 0; i < size; i++) {
        const { agent } = await city.register(`verifier ${group}.${i}`, { kind: Kind.VERIFIER, principal: owner });
        await contract.registerVerifier(agent.address, 100);
        agents.push(agent.address);
      }
      groups.push({ principal: owner, agents });
    }
    return groups;
  }

  const seats = async (seed: string, size: number, excluded: string[] = [], drawnAt: bigint = NOW) =>
    (await contract.drawPanel(seed, size, excluded, drawnAt)).map(readSeat);
  const drawn = async (...draw: Parameters<typeof seats>) => (await seats(...draw)).map(({ verifier }) => verifier);

  describe("registerIssuer", () => {
    it("gives exactly the classes of the bitmap", async () => {
      const classes = (1 << Class.REC) | (1 << Class.ATT);
      await expect(contract.registerIssuer(one, principal, classes))
        .to.emit(contract, "IssuerRegistered")
        .withArgs(one, principal, classes);
      for (const value of Object.values(Class)) {
        expect(await contract.mayIssue(one, value)).to.equal(value === Class.REC || value === Class.ATT);
      }
      expect(await contract.principalOf(one)).to.equal(principal);
      expect(await contract.mayIssue(keyOf("nobody").address, Class.SELF)).to.equal(false);
    });

    it("refuses no class, an unknown class, nobody, and a second time", async () => {
      for (const classes of [0, 64, 255]) {
        await expect(contract.registerIssuer(one, principal, classes))
          .to.be.revertedWithCustomError(contract, "InvalidClasses")
          .withArgs(classes);
      }
      await expect(contract.registerIssuer(ZeroAddress, principal, 1)).to.be.revertedWithCustomError(contract, "ZeroAddress");
      await expect(contract.registerIssuer(one, ZeroAddress, 1)).to.be.revertedWithCustomError(contract, "ZeroAddress");
      await contract.registerIssuer(one, principal, 1);
      await expect(contract.registerIssuer(one, principal, 2))
        .to.be.revertedWithCustomError(contract, "AlreadyRegistered")
        .withArgs(one);
    });
  });

  describe("registerVerifier", () => {
    it("takes an eligible verifier of ProducerContract, with its principal there", async () => {
      const { agent, principal: owner } = await city.register("v", { kind: Kind.VERIFIER });
      await expect(contract.registerVerifier(agent.address, 120))
        .to.emit(contract, "VerifierRegistered")
        .withArgs(agent.address, owner.address, 120);
      expect(await contract.weightOf(agent.address)).to.equal(120);
      expect(await contract.verifierCount()).to.equal(1);
      await expect(contract.registerVerifier(agent.address, 1)).to.be.revertedWithCustomError(contract, "AlreadyRegistered");
    });

    it("refuses producers, strangers, the banned, no weight and too much of it", async () => {
      const { agent: producer } = await city.register("p");
      const { agent } = await city.register("v", { kind: Kind.VERIFIER });
      await expect(contract.registerVerifier(agent.address, 134))
        .to.be.revertedWithCustomError(contract, "WeightOutOfBounds")
        .withArgs(agent.address, 0, 134);
      await expect(contract.registerVerifier(agent.address, 0))
        .to.be.revertedWithCustomError(contract, "ZeroWeight")
        .withArgs(agent.address);
      await city.producers.ban(agent.address, id("why"));
      for (const account of [producer.address, agent.address, one]) {
        await expect(contract.registerVerifier(account, 1)).to.be.revertedWithCustomError(contract, "NotAVerifier").withArgs(account);
      }
    });

    it("takes 256 at most, all of whom can be drawn", async () => {
      await city.constitution.setParam(parameterIndex("REGISTRATION_STAKE"), 0, id("why"));
      const owner = await city.account("large");
      for (let i = 0; i < 257; i++) {
        const { agent } = await city.register(`many ${i}`, { kind: Kind.VERIFIER, principal: owner, stake: 0n });
        if (i < 256) await contract.registerVerifier(agent.address, 1);
        else
          await expect(contract.registerVerifier(agent.address, 1))
            .to.be.revertedWithCustomError(contract, "TooManyVerifiers")
            .withArgs(256);
      }
      const outside = await city.register("outsider", { kind: Kind.VERIFIER });
      // A third of what one transaction may use (EIP-7825).
      const limit = 2n ** 24n / 3n;
      for (const write of [() => contract.revoke(keyOf("many 3").address), () => contract.registerVerifier(outside.agent.address, 1)])
        expect((await (await write()).wait())?.gasUsed).to.be.below(limit);
      expect(await drawn(id("seed"), 1, [owner.address])).to.deep.equal([outside.agent.address]);
    });
  });

  describe("houseOf", () => {
    const numberOf = ({ principal: owner }: { principal: Wallet }) => contract.houseOf(owner.address);

    it("gives a principal the number of its first verifier, and its further ones the same", async () => {
      const [first, second] = await verifiers([2, 2]);
      if (first === undefined || second === undefined) throw new Error("two principals");
      expect([await numberOf(first), await numberOf(second)]).to.deep.equal([1n, 3n]);
      const houses = (await seats(id("seed"), 4)).map(({ house }) => house);
      expect(houses.sort()).to.deep.equal([1, 1, 3, 3]);
    });

    it("knows nobody without a verifier", async () => {
      await verifiers([1]);
      await contract.registerIssuer(one, principal, 1);
      expect(await contract.houseOf(principal)).to.equal(0);
      expect(await contract.houseOf(ZeroAddress)).to.equal(0);
    });

    it("outlives every verifier of a principal, and is its later ones'", async () => {
      const [first] = await verifiers([1]);
      const [left = ""] = first?.agents ?? [];
      if (first === undefined) throw new Error("a principal");
      await contract.revoke(left);
      expect(await numberOf(first)).to.equal(1);
      const [, other] = await verifiers([0, 1]);
      const { agent } = await city.register("returned", { kind: Kind.VERIFIER, principal: first.principal });
      await contract.registerVerifier(agent.address, 100);
      await contract.registerVerifier(left, 100);
      expect(await numberOf(first)).to.equal(1);
      expect(other && (await numberOf(other))).to.equal(2);
      expect((await seats(id("seed"), 3)).map(({ house }) => house).sort()).to.deep.equal([1, 1, 2]);
    });

    it("stays on the seat of who lost its weight", async () => {
      await verifiers([1]);
      const { agent, principal: owner } = await city.register("banned", { kind: Kind.VERIFIER });
      await contract.registerVerifier(agent.address, 100);
      await city.producers.ban(agent.address, id("why"));
      const seat = (await seats(id("seed"), 2)).find(({ verifier }) => verifier === agent.address);
      expect(seat).to.deep.equal({ verifier: agent.address, weight: 0, serial: 2, house: 2 });
      expect(await contract.houseOf(owner.address)).to.equal(2);
    });
  });

  describe("registerIssuer and registerVerifier", () => {
    it("give a principal one of the two offices, until nobody of its own has the other", async () => {
      const { agent, principal: owner } = await city.register("v", { kind: Kind.VERIFIER });
      const both = (call: Promise<unknown>) =>
        expect(call).to.be.revertedWithCustomError(contract, "IssuesAndVerifies").withArgs(owner.address);
      await contract.registerIssuer(one, owner.address, 1);
      await both(contract.registerVerifier(agent.address, 100));
      await contract.revoke(one);
      await contract.registerVerifier(agent.address, 100);
      await both(contract.registerIssuer(one, owner.address, 1));
      await contract.revoke(agent.address);
      await contract.registerIssuer(one, owner.address, 1);
    });

    it("give a house neither while it has a Speaker, whose drafts it would judge, nor for 180 days after", async () => {
      const { agent, principal: owner } = await city.register("v", { kind: Kind.VERIFIER });
      const speaker = await city.account("Speaker of that house");
      await city.clerks.appoint(Office.SPEAKER, speaker.address, owner.address);
      const neither = async () => {
        const refused = (call: Promise<unknown>) =>
          expect(call).to.be.revertedWithCustomError(contract, "SpeaksAndJudges").withArgs(owner.address);
        await refused(contract.registerVerifier(agent.address, 100));
        await refused(contract.registerIssuer(one, owner.address, 1));
      };
      await neither();
      await city.clerks.revoke(Office.SPEAKER, speaker.address);
      const left = await city.now();
      await neither();
      await networkHelpers.time.setNextBlockTimestamp(left + BigInt(180 * 86_400) - 1n);
      await expect(contract.registerVerifier(agent.address, 100)).to.be.revertedWithCustomError(contract, "SpeaksAndJudges");
      expect(await contract.judges(owner.address)).to.equal(false);
      await networkHelpers.time.setNextBlockTimestamp(left + BigInt(180 * 86_400));
      await contract.registerVerifier(agent.address, 100);
      expect(await contract.judges(owner.address)).to.equal(true);
    });
  });

  describe("pinSeed", () => {
    it("keeps the hash of a block for good, for anybody, as long as the chain knows it", async () => {
      const anybody = contract.connect(await city.account("anybody"));
      const block = await ethers.provider.getBlock("latest");
      const [number, hash] = [block?.number ?? 0, block?.hash];
      await expect(anybody.pinSeed(number + 50))
        .to.be.revertedWithCustomError(contract, "SeedUnknown")
        .withArgs(number + 50);
      await expect(anybody.pinSeed(number)).to.emit(contract, "SeedPinned").withArgs(number, hash);
      await expect(anybody.pinSeed(number)).not.to.emit(contract, "SeedPinned");
      await networkHelpers.mine(300, { interval: 0 });
      expect(await contract.seedOf(number)).to.equal(hash);
      expect(await contract.seedOf(number - 1)).to.equal(ZeroHash);
      await expect(anybody.pinSeed(number - 1)).to.be.revertedWithCustomError(contract, "SeedUnknown");
      await anybody.pinSeed(number);
    });
  });

  describe("registerRunner and registerMonitor", () => {
    it("name them, each once", async () => {
      await expect(contract.registerRunner(one, principal)).to.emit(contract, "RunnerRegistered").withArgs(one, principal);
      expect([await contract.isRunner(one), await contract.isMonitor(one)]).to.deep.equal([true, false]);
      await expect(contract.registerMonitor(one, principal)).to.emit(contract, "MonitorRegistered").withArgs(one, principal);
      expect(await contract.isMonitor(one)).to.equal(true);
      await expect(contract.registerRunner(one, principal)).to.be.revertedWithCustomError(contract, "AlreadyRegistered");
      await expect(contract.registerMonitor(one, principal)).to.be.revertedWithCustomError(contract, "AlreadyRegistered");
    });

    it("keep one principal per account", async () => {
      await contract.registerRunner(one, principal);
      await expect(contract.registerMonitor(one, keyOf("other").address))
        .to.be.revertedWithCustomError(contract, "AlreadyRegistered")
        .withArgs(one);
    });
  });

  describe("revoke", () => {
    it("ends every role and keeps the other verifiers drawable", async () => {
      const [group] = await verifiers([3]);
      if (group === undefined) throw new Error("no verifiers");
      const [first = "", ...rest] = group.agents;
      await contract.registerIssuer(one, principal, 63);
      await contract.revoke(one);
      expect(await contract.mayIssue(one, Class.ATT)).to.equal(false);
      await contract.registerRunner(first, group.principal.address);
      await expect(contract.revoke(first)).to.emit(contract, "Revoked").withArgs(first);
      expect(await contract.isRunner(first)).to.equal(false);
      expect(await contract.weightOf(first)).to.equal(0);
      expect(await contract.principalOf(first)).to.equal(ZeroAddress);
      expect(await drawn(id("seed"), 2)).to.have.members(rest);
      for (const verifier of rest) await contract.revoke(verifier);
      expect(await contract.verifierCount()).to.equal(0);
      await expect(contract.revoke(first)).to.be.revertedWithCustomError(contract, "NotRegistered").withArgs(first);
    });
  });

  describe("countLapse", () => {
    const DAY = 86_400n;
    const counted = async (...days: readonly bigint[]) => {
      const mission = await openMission();
      const { evidence, monitor } = mission.city;
      const from = evidence.connect(await mission.city.as(mission.address));
      for (const day of days) await from.countLapse(monitor.address, day * DAY);
      return evidence.isMonitor(monitor.address);
    };

    it("is a genuine mission's, and ends a monitor's office with the second within 30 days, whichever is reported first", async () => {
      await expect(contract.countLapse(one, 1)).to.be.revertedWithCustomError(contract, "NotMission");
      expect(await counted(100n)).to.equal(true);
      expect(await counted(100n, 130n)).to.equal(true);
      expect(await counted(100n, 129n)).to.equal(false);
      expect(await counted(129n, 100n)).to.equal(false);
      expect(await counted(130n, 100n, 159n)).to.equal(false);
    });

    it("leaves other roles of the account", async () => {
      const mission = await openMission();
      const { evidence, monitor } = mission.city;
      await evidence.registerRunner(monitor.address, await evidence.principalOf(monitor.address));
      const from = evidence.connect(await mission.city.as(mission.address));
      for (let i = 0; i < 2; i++) await from.countLapse(monitor.address, 1);
      expect([await evidence.isMonitor(monitor.address), await evidence.isRunner(monitor.address)]).to.deep.equal([false, true]);
    });
  });

  describe("retire", () => {
    const standing = async (...agents: string[]) => {
      const panel = await seats(id("seed"), agents.length);
      return agents.map((agent) =>
        panel.filter(({ verifier }) => verifier === agent).map(({ weight, serial }) => [weight, serial].map(Number)),
      );
    };

    it("takes the weight of who leaves or is banned, and leaves it its place", async () => {
      const [group] = await verifiers([3]);
      const [first = "", second = "", third = ""] = group?.agents ?? [];
      const before = await drawn(id("seed"), 3);
      await expect(city.producers.connect(keyOf("verifier 0.0")).deregister(first))
        .to.emit(contract, "VerifierRetired")
        .withArgs(first);
      await expect(city.producers.ban(second, id("why")))
        .to.emit(contract, "VerifierRetired")
        .withArgs(second);
      await expect(city.producers.ban(first, id("why"))).not.to.emit(contract, "VerifierRetired");
      expect(await standing(first, second, third)).to.deep.equal([[[0, 1]], [[0, 2]], [[100, 3]]]);
      expect(await contract.weightOf(first)).to.equal(0);
      expect((await contract.verifiersOf([first, third])).map((numbers) => numbers.map(Number))).to.deep.equal([
        [0, 100],
        [0, 3],
      ]);
      expect(await drawn(id("seed"), 3)).to.deep.equal(before);
      await contract.revoke(first);
      expect(await contract.verifierCount()).to.equal(2);
    });

    it("takes it below what two absences cost", async () => {
      const [group] = await verifiers([1]);
      const [first = ""] = group?.agents ?? [];
      const { held } = await city.producers.stakeOf(first);
      await city.producers.slash(first, held - tokens(100), id("why"));
      expect(await contract.weightOf(first)).to.equal(100);
      await city.producers.slash(first, 1n, id("why"));
      expect(await contract.weightOf(first)).to.equal(0);
    });

    it("is for verifiers, by ProducerContract", async () => {
      const { agent } = await city.register("unregistered", { kind: Kind.VERIFIER });
      await expect(city.producers.ban(agent.address, id("why"))).not.to.emit(contract, "VerifierRetired");
      const { agent: producer } = await city.register("producer");
      await city.producers.ban(producer.address, id("why"));
      await expect(contract.retire(one)).to.be.revertedWithCustomError(contract, "NotProducers").withArgs(city.deployer.address);
    });
  });

  describe("stay", () => {
    it("takes a frozen verifier's weight until then, and its place comes back by itself", async () => {
      const groups = await verifiers([1, 1, 1]);
      const [first] = groups[0]?.agents ?? [];
      if (first === undefined) throw new Error("no verifier");
      await networkHelpers.mine();
      expect(await drawn(id("seed"), 3)).to.include(first);
      await city.producers.freezeAgent(first, true);
      await networkHelpers.mine();
      const seated = await seats(id("seed"), 3);
      expect(seated.find(({ verifier }) => verifier === first)?.weight ?? 0).to.equal(0);
      await city.producers.freezeAgent(first, false);
      await networkHelpers.mine();
      const again = await seats(id("seed"), 3);
      expect(again.find(({ verifier }) => verifier === first)?.weight).to.equal(100);
    });
  });

  describe("suspend", () => {
    it("silences all accounts of a principal, those to come too, and nobody else's; twice changes nothing", async () => {
      const [first, second] = await verifiers([1, 1]);
      const owner = first?.principal.address ?? "";
      await contract.registerRunner(one, principal);
      await expect(contract.suspend(owner, true)).to.emit(contract, "PrincipalSuspended").withArgs(owner, true);
      await contract.suspend(owner, true);
      expect(await drawn(id("seed"), 1)).to.deep.equal(second?.agents);
      await expect(contract.drawPanel(id("seed"), 2, [], NOW))
        .to.be.revertedWithCustomError(contract, "PanelUnavailable")
        .withArgs(2, 1);
      const late = keyOf("late").address;
      await contract.registerMonitor(late, owner);
      expect([await contract.isMonitor(late), await contract.isRunner(one)]).to.deep.equal([false, true]);
      await contract.suspend(owner, false);
      await contract.suspend(owner, false);
      expect(await contract.isMonitor(late)).to.equal(true);
      expect((await drawn(id("seed"), 2)).length).to.equal(2);
    });
  });

  describe("reseat", () => {
    it("leaves out who retired, by anybody, and only when somebody did", async () => {
      const [group] = await verifiers([3]);
      const [first = "", ...rest] = group?.agents ?? [];
      const anybody = contract.connect(await city.account("anybody"));
      await expect(anybody.reseat()).to.be.revertedWithCustomError(contract, "RosterCurrent").withArgs(3);
      await city.producers.ban(first, id("why"));
      await expect(anybody.reseat()).to.emit(contract, "RosterWritten");
      expect(await drawn(id("seed"), 2)).to.have.members(rest);
      await expect(contract.drawPanel(id("seed"), 3, [], NOW))
        .to.be.revertedWithCustomError(contract, "PanelUnavailable")
        .withArgs(3, 2);
      await expect(anybody.reseat()).to.be.revertedWithCustomError(contract, "RosterCurrent").withArgs(4);
    });

    it("waits until the last stay is over, unless somebody retires meanwhile", async () => {
      const [group] = await verifiers([3]);
      const [stayed = "", retired = ""] = group?.agents ?? [];
      await city.producers.freezeAgent(stayed, true);
      await expect(contract.reseat()).to.be.revertedWithCustomError(contract, "RosterCurrent").withArgs(3);
      await city.producers.ban(retired, id("why"));
      await contract.reseat();
      await expect(contract.reseat()).to.be.revertedWithCustomError(contract, "RosterCurrent").withArgs(4);
      await networkHelpers.time.increase(60 * 86_400);
      await expect(contract.reseat()).to.emit(contract, "RosterWritten");
      await expect(contract.reseat()).to.be.revertedWithCustomError(contract, "RosterCurrent").withArgs(5);
    });
  });

  describe("postPassports", () => {
    const HASH = id("all passports");
    const DAY = 86_400;

    /** A Regulator that may post, of this principal. */
    async function regulator(house = keyOf("regulator's house").address): Promise<City["evidence"]> {
      const clerk = await city.account(`regulator of ${house}`);
      await city.clerks.appoint(Office.REGULATOR, clerk.address, house);
      await city.clerks.setEnvelope(Office.REGULATOR, [contract.interface.getFunction("postPassports").selector], 64);
      return contract.connect(clerk);
    }

    /** The first seconds of the day after. */
    const tomorrow = async () => networkHelpers.time.increaseTo((Math.floor((await networkHelpers.time.latest()) / DAY) + 1) * DAY);

    it("moves weights by at most three a day, between 100 and 133", async () => {
      const [one, two] = (await verifiers([1, 1])).map(({ agents }) => agents[0] ?? "") as [string, string];
      const office = await regulator();
      await tomorrow();
      await expect(office.postPassports(HASH, [one, two], [103, 101]))
        .to.emit(contract, "PassportsPosted")
        .withArgs(
          HASH,
          (await city.account(`regulator of ${keyOf("regulator's house").address}`)).address,
          [one, two],
          [103, 101],
          [100, 100],
        );
      expect([await contract.weightOf(one), await contract.weightOf(two)]).to.deep.equal([103n, 101n]);
      const today = BigInt(Math.floor((await networkHelpers.time.latest()) / DAY));
      await expect(office.postPassports(HASH, [one], [104]))
        .to.be.revertedWithCustomError(contract, "AlreadyMoved")
        .withArgs(one, today);
      await tomorrow();
      for (const [weight, of, has] of [
        [107, one, 103],
        [99, one, 103],
        [103, one, 103],
        [98, two, 101],
        [65_535, two, 101],
      ] as const)
        await expect(office.postPassports(HASH, [of], [weight]))
          .to.be.revertedWithCustomError(contract, "WeightOutOfBounds")
          .withArgs(of, has, weight);
      for (let weight = 106; weight <= 133; weight += 3) {
        await office.postPassports(HASH, [one], [weight]);
        await tomorrow();
      }
      await expect(office.postPassports(HASH, [one], [134])).to.be.revertedWithCustomError(contract, "WeightOutOfBounds");
      expect(await contract.weightOf(one)).to.equal(133);
    });

    it("raises whoever was seated with less, and lets it fall no more", async () => {
      const { agent } = await city.register("petitioner", { kind: Kind.VERIFIER });
      await contract.registerVerifier(agent.address, 25);
      const office = await regulator();
      for (const weight of [24, 25, 29])
        await expect(office.postPassports(HASH, [agent.address], [weight])).to.be.revertedWithCustomError(contract, "WeightOutOfBounds");
      for (let weight = 28; weight <= 100; weight += 3) {
        await tomorrow();
        await office.postPassports(HASH, [agent.address], [weight]);
      }
      await tomorrow();
      await office.postPassports(HASH, [agent.address], [103]);
      expect(await contract.weightOf(agent.address)).to.equal(103);
    });

    it("moves no panel that was drawn before", async () => {
      const [one = ""] = (await verifiers([1, 1])).map(({ agents }) => agents[0] ?? "");
      const drawnAt = BigInt(await latestBlock());
      await (await regulator()).postPassports(HASH, [one], [103]);
      const weights = async (at: bigint) => (await seats(id("seed"), 2, [], at)).map(({ weight }) => weight).sort();
      expect(await weights(drawnAt)).to.deep.equal([100n, 100n]);
      expect(await weights(NOW)).to.deep.equal([100n, 103n]);
    });

    it("posts the hash alone, and writes no roster for it", async () => {
      await verifiers([1]);
      const posted = (await regulator()).postPassports(HASH, [], []);
      await expect(posted).to.emit(contract, "PassportsPosted");
      await expect(posted).not.to.emit(contract, "RosterWritten");
    });

    it("is a Regulator's, within its envelope, and never about its own house", async () => {
      const [group] = await verifiers([1]);
      const [one = ""] = group?.agents ?? [];
      const own = await regulator(group?.principal.address);
      await expect(own.postPassports(HASH, [one], [103]))
        .to.be.revertedWithCustomError(contract, "OwnHouse")
        .withArgs(one);
      await expect(contract.postPassports(HASH, [], [])).to.be.revertedWithCustomError(contract, "NotRegulator");
      await city.clerks.setEnvelope(Office.REGULATOR, [], 64);
      await expect(own.postPassports(HASH, [], [])).to.be.revertedWithCustomError(contract, "NotRegulator");
    });

    it("moves all that it names or none", async () => {
      const [one = ""] = (await verifiers([1])).map(({ agents }) => agents[0] ?? "");
      const office = await regulator();
      const nobody = keyOf("nobody").address;
      await expect(office.postPassports(HASH, [one, nobody], [103, 103]))
        .to.be.revertedWithCustomError(contract, "NotRegistered")
        .withArgs(nobody);
      await expect(office.postPassports(HASH, [one, one], [103, 106])).to.be.revertedWithCustomError(contract, "AlreadyMoved");
      await expect(office.postPassports(HASH, [one], []))
        .to.be.revertedWithCustomError(contract, "LengthMismatch")
        .withArgs(1, 0);
      expect(await contract.weightOf(one)).to.equal(100);
    });
  });

  describe("drawPanel", () => {
    it("draws from the roster of its block, whoever is seated, suspended, revoked or retires later", async () => {
      const groups = await verifiers([1, 1, 1, 2]);
      const [[suspended = ""], [revoked = ""], [retired = ""]] = groups.map(({ agents }) => agents) as [string[], string[], string[]];
      const drawnAt = BigInt(await latestBlock());
      const before = await drawn(id("seed"), 5, [], drawnAt);
      const few = await drawn(id("another"), 2, [], drawnAt);
      const { agent: late } = await city.register("late", { kind: Kind.VERIFIER });
      await contract.registerVerifier(late.address, 100);
      await contract.suspend(groups[0]?.principal.address ?? "", true);
      await contract.revoke(revoked);
      await city.producers.ban(retired, id("why"));
      const after = await seats(id("seed"), 5, [], drawnAt);
      expect(after.map(({ verifier }) => verifier)).to.deep.equal(before);
      expect(await drawn(id("another"), 2, [], drawnAt)).to.deep.equal(few);
      for (const { verifier, weight } of after) expect(weight).to.equal([suspended, revoked, retired].includes(verifier) ? 0 : 100);
      await contract.reseat();
      expect(await drawn(id("seed"), 3)).to.have.members([...(groups[3]?.agents ?? []), late.address]);
      expect(await drawn(id("seed"), 5, [], drawnAt)).to.deep.equal(before);
    });

    it("does not know a verifier again that was revoked and registered once more", async () => {
      const [group] = await verifiers([2]);
      const [first = ""] = group?.agents ?? [];
      const drawnAt = BigInt(await latestBlock());
      await contract.revoke(first);
      await contract.registerVerifier(first, 100);
      const panel = await seats(id("seed"), 2, [], drawnAt);
      expect(panel.find(({ verifier }) => verifier === first)).to.deep.equal({ verifier: first, weight: 0, serial: 1, house: 1 });
      expect(await contract.weightOf(first)).to.equal(100);
    });

    it("finds nobody before the first roster", async () => {
      const drawnAt = BigInt(await latestBlock());
      await verifiers([2]);
      await expect(contract.drawPanel(id("seed"), 1, [], drawnAt))
        .to.be.revertedWithCustomError(contract, "PanelUnavailable")
        .withArgs(1, 0);
    });

    it("draws distinct verifiers outside the excluded principals, the same for one seed", async () => {
      const groups = await verifiers([2, 3, 1]);
      await fc.assert(
        fc.asyncProperty(fc.nat(), fc.subarray([0, 1, 2]), fc.integer({ min: 1, max: 7 }), async (seed, out, size) => {
          const excluded = out.map((i) => groups[i]?.principal.address ?? "");
          const pool = groups.filter((_, i) => !out.includes(i)).flatMap(({ agents }) => agents);
          const draw = contract.drawPanel(id(`${seed}`), size, excluded, NOW);
          if (size > pool.length) {
            await expect(draw).to.be.revertedWithCustomError(contract, "PanelUnavailable").withArgs(size, pool.length);
            return;
          }
          const words = (await draw).map(readSeat);
          const panel = words.map(({ verifier }) => verifier);
          expect(panel.length).to.equal(size);
          expect(new Set(panel).size).to.equal(size);
          expect(pool).to.include.members(panel);
          const ownerOf = (verifier: string) => groups.find(({ agents }) => agents.includes(verifier))?.principal.address;
          const houses = await Promise.all(panel.map((verifier) => contract.houseOf(ownerOf(verifier) ?? "")));
          expect(words.map(({ house }) => BigInt(house))).to.deep.equal(houses);
          const roster = groups.flatMap(({ agents, principal: owner }) =>
            agents.map((address) => ({ address: asAddress(address), principal: asAddress(owner.address) })),
          );
          expect(drawPanel(hexSchema.parse(id(`${seed}`)), size, roster, excluded.map(asAddress))).to.deep.equal(panel);
          expect(await drawn(id(`${seed}`), size, excluded)).to.deep.equal(panel);
        }),
        { seed: 7, numRuns: 120 },
      );
    });

    it("seats no principal twice while another is left, nor a third time while another sits once", async () => {
      const groups = await verifiers([5, 2, 1]);
      const ownerOf = (verifier: string) => groups.findIndex(({ agents }) => agents.includes(verifier));
      const shapes = [
        [1, 1, 1],
        [2, 1, 1],
        [2, 2, 1],
        [3, 2, 1],
      ];
      for (let seed = 0; seed < 12; seed++) {
        for (const shape of shapes) {
          const size = shape.reduce((a, b) => a + b);
          const owners = (await drawn(id(`${seed}`), size)).map(ownerOf);
          const times = [0, 1, 2].map((owner) => owners.filter((each) => each === owner).length);
          expect(times.sort((a, b) => b - a)).to.deep.equal(shape);
        }
      }
    });

    it("draws each verifier about as often as the others", async () => {
      const [group] = await verifiers([5]);
      const counts = new Map(group?.agents.map((agent) => [agent, 0]));
      for (let i = 0; i < 500; i++) {
        for (const agent of await drawn(id(`seed ${i}`), 2)) counts.set(agent, (counts.get(agent) ?? 0) + 1);
      }
      expect(counts.size).to.equal(5);
      // 1000 seats among five: 200 each, standard deviation about 11.
      for (const count of counts.values()) expect(count).to.be.within(150, 250);
    });

    it("reports an empty city", async () => {
      await expect(contract.drawPanel(id("seed"), 1, [], NOW))
        .to.be.revertedWithCustomError(contract, "PanelUnavailable")
        .withArgs(1, 0);
      expect(await drawn(id("seed"), 0)).to.deep.equal([]);
    });
  });

  it("is the governor's", async () => {
    const own = contract.connect(await city.account("stranger"));
    const refused = (call: Promise<unknown>) => expect(call).to.be.revertedWithCustomError(contract, "NotGovernor");
    await refused(own.registerIssuer(one, principal, 1));
    await refused(own.registerVerifier(one, 1));
    await refused(own.registerRunner(one, principal));
    await refused(own.registerMonitor(one, principal));
    await refused(own.revoke(one));
  });
});
