import { expect } from "chai";
import { id, type Wallet, ZeroAddress } from "ethers";
import { institutionNames } from "../../../orchestrator/protocol/actions.ts";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { alertProbability, paperAlert } from "../../../scripts/watchdog/false-alarms.ts";
import { ethers, keyOf, networkHelpers } from "../../support/city-fixture.ts";
import { openPanel, type Panel } from "../../support/panel.ts";
import { studyWatchdog } from "../../support/watchdog-study.ts";

const WHY = id("why");
const DAY = 86_400;
/** `enum Decision`. */
const Decision = { NEITHER: 0, APPROVES: 1, REJECTS: 2 } as const;
/** `enum IAdjudicatorWatchdog.Family`. */
const Family = { APPROVAL: 0, WEAKENING: 1 } as const;

describe("AdjudicatorWatchdog", () => {
  let panel: Panel;
  let contract: Panel["city"]["watchdog"];

  beforeEach(async () => {
    panel = await openPanel();
    contract = panel.city.watchdog;
  });

  const note = async (who: Wallet, decision: number, times = 1, weakens = false): Promise<unknown> => {
    for (let i = 1; i < times; i++) await contract.note([who.address], decision, weakens);
    return contract.note([who.address], decision, weakens);
  };
  const approve = (who: Wallet, times = 1) => note(who, Decision.APPROVES, times);
  const weaken = (who: Wallet, times = 1) => note(who, Decision.NEITHER, times, true);
  const days = (count: number) => networkHelpers.time.increase(count * DAY);
  const today = async () => (await panel.city.now()) / BigInt(DAY);
  /** Approvals and weakening changes: two families. */
  const freeze = async (who: Wallet): Promise<void> => {
    await approve(who, 20);
    await weaken(who, 4);
  };
  /** Seats by whether they are flagged. */
  const unflagged = async (): Promise<Wallet[]> => {
    const free: Wallet[] = [];
    for (const seat of panel.seats) if (!(await contract.isFlagged(seat.address))) free.push(seat);
    return free;
  };
  const releasing = () => panel.wide("RELEASE_WATCHDOG", ZeroAddress);

  describe("note", () => {
    it("counts what the panel's actions say, for each signer; the rest says nothing", async () => {
      const { act, override, wide, seat } = panel;
      await act(await override("APPROVE_POP"), seat(0));
      await act(await override("CLEAR_EMERGENCY_STOP"), seat(0), seat(1));
      await act(await override("REJECT_POP"), seat(0));
      await act(await override("UNFREEZE"), seat(0));
      // Of another node: nobody judges its own judgement.
      await act(await override("RESOLVE_APPEAL", { node: 1 }), seat(0));
      // Lower, lower, higher.
      for (const score of [599n, 598n, 700n])
        await act(await wide("AMEND_PARAMETER", ZeroAddress, parameterIndex("MIN_FAIRNESS_SCORE"), score), seat(0), seat(1));
      expect(await contract.conductOf(seat(0).address)).to.deep.equal([[3n, 4n, 2n], 1n, [0n, 0n]]);
      expect(await contract.conductOf(seat(1).address)).to.deep.equal([[1n, 1n, 2n], 1n, [0n, 0n]]);
    });

    it("warns at one anomaly: more than 95 % of twenty decisions, or more than twenty approvals in a row", async () => {
      const { seat } = panel;
      await approve(seat(0), 19);
      expect(await contract.isFlagged(seat(0).address)).to.equal(false);
      await expect(approve(seat(0)))
        .to.emit(contract, "Warned")
        .withArgs(seat(0).address, Family.APPROVAL, await today());
      // Nineteen of twenty are not more than 95 %; then a run of twenty-one.
      await note(seat(1), Decision.REJECTS, 5);
      await approve(seat(1), 20);
      expect(await contract.isFlagged(seat(1).address)).to.equal(false);
      await expect(approve(seat(1))).to.emit(contract, "Warned");
      await expect(approve(seat(0), 5)).to.not.emit(contract, "Warned");
      expect(await contract.isFrozen()).to.equal(false);
    });

    it("freezes at two families, not at a rate and a run, which are one", async () => {
      const { seat } = panel;
      await approve(seat(0), 40);
      expect(await contract.isFrozen()).to.equal(false);
      await weaken(seat(0), 3);
      expect(await contract.isFrozen()).to.equal(false);
      const call = weaken(seat(0));
      await expect(call).to.emit(contract, "Warned");
      await expect(call).to.emit(contract, "Frozen");
      expect([await contract.isFrozen(), await contract.isDegraded()]).to.deep.equal([true, false]);
    });

    it("freezes at one family in two disjoint windows, and not within one", async () => {
      const { seat } = panel;
      await approve(seat(0), 20);
      await days(29);
      await approve(seat(0), 20);
      expect(await contract.isFrozen()).to.equal(false);
      await days(1);
      await expect(approve(seat(0))).to.emit(contract, "Frozen");
    });

    it("forgets what left the window, and a warning after two windows", async () => {
      const { seat } = panel;
      await approve(seat(0), 15);
      await days(30);
      await approve(seat(0), 15);
      expect(await contract.isFlagged(seat(0).address)).to.equal(false);
      expect((await contract.conductOf(seat(0).address)).tally.decisions).to.equal(15);
      await approve(seat(0), 5);
      expect(await contract.isFlagged(seat(0).address)).to.equal(true);
      await days(60);
      expect(await contract.isFlagged(seat(0).address)).to.equal(false);
      await expect(approve(seat(0), 20)).to.emit(contract, "Warned");
      expect(await contract.isFrozen()).to.equal(false);
    });

    it("counts by adjudicator, follows the constitution's limits, and costs the same however much is noted", async () => {
      const { city, seat } = panel;
      await approve(seat(0), 10);
      await approve(seat(1), 10);
      expect(await contract.isFlagged(seat(0).address)).to.equal(false);
      await city.constitution.setParam(parameterIndex("WATCHDOG_MAX_CONSECUTIVE"), 5, WHY);
      await expect(approve(seat(0))).to.emit(contract, "Warned");
      await city.constitution.setParam(parameterIndex("WATCHDOG_WINDOW_DAYS"), 90, WHY);
      const cost = async () => {
        const sent = await contract.note([seat(2).address], Decision.REJECTS, false);
        return (await sent.wait())?.gasUsed ?? 0n;
      };
      for (let day = 0; day < 100; day += 3) {
        await note(seat(2), Decision.APPROVES);
        await note(seat(2), Decision.REJECTS);
        await days(3);
      }
      // The first note of eight days included.
      expect(Number(await cost())).to.be.below(120_000);
    });

    it("is the governor's", async () => {
      const stranger = await panel.city.account("stranger");
      await expect(contract.connect(stranger).note([], Decision.APPROVES, false))
        .to.be.revertedWithCustomError(contract, "NotGovernor")
        .withArgs(stranger.address);
      await expect(contract.connect(stranger).release()).to.be.revertedWithCustomError(contract, "NotGovernor");
    });
  });

  describe("invariant 22: while the watchdog has frozen the panel", () => {
    it("every action but release and impeachment is refused, whoever signs", async () => {
      const { city, act, override, wide, seat, seats, others } = panel;
      await freeze(seat(0));
      const since = Number(await city.now());
      const refused = async (message: Awaited<ReturnType<Panel["wide"]>>) =>
        expect(act(message, ...seats))
          .to.be.revertedWithCustomError(contract, "FrozenByWatchdog")
          .withArgs(since);
      for (const name of ["FREEZE", "EMERGENCY_STOP", "APPROVE_POP", "RESOLVE_APPEAL", "TERMINATE_MISSION"] as const)
        await refused(await override(name));
      await refused(await wide("AMEND_PARAMETER", ZeroAddress, parameterIndex("WATCHDOG_MAX_CONSECUTIVE"), 100n));
      await refused(await wide("ADMIT_ADJUDICATOR", keyOf("crony").address, keyOf("crony's principal").address));
      await refused(await wide("AMEND_CONSTITUTION", ZeroAddress, 9));
      await refused(await wide("DISBURSE", keyOf("crony").address, 0, 1n));
      await act(await wide("IMPEACH", seat(0).address), ...others(seat(0)).slice(0, 5));
      expect(await city.roster.isActive(seat(0).address)).to.equal(false);
      await act(await releasing(), ...others(seat(0)));
      expect(await contract.isFrozen()).to.equal(false);
    });

    it("no announced procedure comes into office", async () => {
      const { city, seat } = panel;
      const replacement = await ethers.deployContract("MissionProbe");
      const legislation = institutionNames.indexOf("LEGISLATION");
      await city.constitution.amend(legislation, replacement, WHY);
      await networkHelpers.time.increaseTo((await city.constitution.amendmentOf(legislation)).effectiveFrom);
      await freeze(seat(0));
      await expect(city.constitution.enact(legislation)).to.be.revertedWithCustomError(contract, "FrozenByWatchdog");
      await contract.release();
      await city.constitution.enact(legislation);
    });
  });

  describe("release", () => {
    it("needs all who are not flagged, and nobody who is", async () => {
      const { contract: procedure, act, seat, seats, others } = panel;
      await freeze(seat(0));
      await approve(seat(1), 20);
      const free = await unflagged();
      expect(free.length).to.equal(5);
      expect(await contract.releaseQuorum()).to.equal(5);
      await expect(act(await releasing(), ...free.slice(1)))
        .to.be.revertedWithCustomError(procedure, "NotEnoughSignatures")
        .withArgs(4, 5);
      for (const flagged of [seat(0), seat(1)])
        await expect(act(await releasing(), ...others(flagged === seat(0) ? seat(1) : seat(0))))
          .to.be.revertedWithCustomError(procedure, "Conflicted")
          .withArgs(flagged.address, ZeroAddress);
      await expect(act(await releasing(), ...seats)).to.be.revertedWithCustomError(procedure, "Conflicted");
      await expect(act(await releasing(), ...free)).to.emit(contract, "Released");
      await expect(act(await releasing(), ...(await unflagged()))).to.be.revertedWithCustomError(contract, "NotFrozen");
    });

    it("lets whoever was flagged start with an empty record, and nobody else", async () => {
      const { seat } = panel;
      await freeze(seat(0));
      await approve(seat(1), 7);
      await contract.release();
      expect(await contract.isFlagged(seat(0).address)).to.equal(false);
      expect(await contract.conductOf(seat(0).address)).to.deep.equal([[0n, 0n, 0n], 0n, [0n, 0n]]);
      await approve(seat(0), 19);
      await approve(seat(1));
      expect((await contract.conductOf(seat(0).address)).tally.decisions).to.equal(19);
      expect((await contract.conductOf(seat(1).address)).tally.decisions).to.equal(8);
      expect(await contract.isFlagged(seat(0).address)).to.equal(false);
      await expect(approve(seat(0))).to.emit(contract, "Warned");
      expect(await contract.isFrozen()).to.equal(false);
    });

    it("needs two thirds of them when it has lasted too long, two at least, and waits for a warning to lapse when all are flagged", async () => {
      const { city, contract: procedure, act, seat, seats } = panel;
      await freeze(seat(0));
      const limit = Number(await city.constitution.param(parameterIndex("WATCHDOG_MAX_FREEZE")));
      const free = await unflagged();
      expect(await contract.releaseQuorum()).to.equal(6);
      await networkHelpers.time.increase(limit);
      expect([await contract.isDegraded(), await contract.releaseQuorum()]).to.deep.equal([true, 4n]);
      await expect(act(await releasing(), ...free.slice(0, 3))).to.be.revertedWithCustomError(procedure, "NotEnoughSignatures");
      await act(await releasing(), ...free.slice(0, 4));
      for (const other of seats.slice(1)) await approve(other, 20);
      await freeze(seat(0));
      expect(await contract.releaseQuorum()).to.equal(2);
      await expect(act(await releasing()))
        .to.be.revertedWithCustomError(procedure, "NotEnoughSignatures")
        .withArgs(0, 2);
      await days(60);
      await act(await releasing(), ...seats.slice(0, 5));
    });
  });

  it("a panel of two is released as soon as the warning lapses: neither leaves before", async () => {
    panel = await openPanel(2);
    const { city, act, seats, seat } = panel;
    await freeze(seat(0));
    await expect(city.roster.connect(seat(1)).resign()).to.be.revertedWithCustomError(city.roster, "LastSeats");
    await expect(act(await releasing(), ...seats)).to.be.revertedWithCustomError(city.adjudication, "Conflicted");
    await days(60);
    await expect(act(await releasing(), ...seats)).to.emit(contract, "Released");
  });

  describe("honest adjudicators", () => {
    it("are warned as often as the exact probability says, and freeze only in a second window", async () => {
      const limits = { window: 30n, rate: 95n, consecutive: 20n, weakenings: 3n };
      // Twenty decisions: only twenty approvals warn, which is the paper's model. More decisions are more occasions.
      for (const baseline of [0.7, 0.85, 0.95])
        expect(Math.abs(alertProbability(baseline, 20, limits) - paperAlert(baseline)) < 1e-12).to.equal(true);
      expect(alertProbability(0.85, 40, limits)).to.be.above(2 * paperAlert(0.85));
      const { adjudicators, alerts, freezes } = await studyWatchdog({ seed: "7", adjudicators: 20, decisions: 20, baseline: 0.95 });
      const expected = paperAlert(0.95) * adjudicators;
      const error = Math.sqrt(expected * (1 - paperAlert(0.95)));
      expect(alerts).to.be.within(expected - 3 * error, expected + 3 * error);
      expect(freezes).to.be.within(1, alerts);
    });
  });

  describe("stopCity and resumeCity", () => {
    /** WATCHDOG_MAX_FREEZE of these cities. */
    const LONGEST = 3600;

    it("stop the city for a time that ends by itself, and end it before", async () => {
      const [one = "", two = "", three = ""] = panel.seats.map(({ address }) => address);
      await contract.requireRunning();
      const call = contract.stopCity([one, two]);
      await expect(call).to.emit(contract, "CityStopped");
      const until = (await panel.city.now()) + BigInt(LONGEST);
      await expect(contract.requireRunning()).to.be.revertedWithCustomError(contract, "CityIsStopped").withArgs(until);
      await contract.requireUnfrozen();
      await networkHelpers.time.increase(LONGEST);
      await contract.requireRunning();
      await expect(contract.resumeCity()).to.be.revertedWithCustomError(contract, "CityNotStopped");
      await contract.stopCity([three]);
      await expect(contract.resumeCity()).to.emit(contract, "CityResumed");
      expect(await contract.isStopped()).to.equal(false);
    });

    it("are prolonged from when that is signed, by anybody's signatures", async () => {
      const [one = ""] = panel.seats.map(({ address }) => address);
      await contract.stopCity([one]);
      await networkHelpers.time.increase(2400);
      await contract.stopCity([one]);
      await networkHelpers.time.increase(2400);
      expect(await contract.isStopped()).to.equal(true);
      expect([await contract.stopQuorum(false), await contract.stopQuorum(true)]).to.deep.equal([5n, 5n]);
      await networkHelpers.time.increase(1200);
      expect(await contract.isStopped()).to.equal(false);
      expect([await contract.stopQuorum(false), await contract.stopQuorum(true)]).to.deep.equal([2n, 2n]);
    });

    it("are open to who signed one only after 30 days", async () => {
      const [one = "", two = "", three = ""] = panel.seats.map(({ address }) => address);
      await contract.stopCity([one, two]);
      const at = await panel.city.now();
      await contract.resumeCity();
      await expect(contract.stopCity([two, three]))
        .to.be.revertedWithCustomError(contract, "StoppedLately")
        .withArgs(two, at);
      await days(30);
      await contract.stopCity([two, three]);
    });

    it("move what was open by the time the city was stopped in it", async () => {
      const start = Number(await panel.city.now());
      await contract.stopCity([]);
      const since = Number(await panel.city.now());
      await networkHelpers.time.increaseTo(since + 500);
      expect(await contract.movedByStops(start, since + 100)).to.equal(since + 100 + 500);
      expect(await contract.movedByStops(start - 50, start)).to.equal(start);
      expect(await contract.movedByStops(since + 200, since + 300)).to.equal(since + 300 + 300);
      expect(await contract.stoppedTime()).to.equal(500);
      await networkHelpers.time.increaseTo(since + LONGEST + 5000);
      expect(await contract.movedByStops(start, since + 100)).to.equal(since + 100 + LONGEST);
      expect(await contract.stoppedTime()).to.equal(LONGEST);
      await contract.stopCity([]);
      await networkHelpers.time.increase(300);
      expect(await contract.stoppedTime()).to.equal(LONGEST + 300);
    });
  });

  describe("extended", () => {
    it("gives a window the time that the panel was frozen in it, up to the limit of each freeze", async () => {
      const { city, seat } = panel;
      const start = Number(await city.now());
      const window = (from: number, until: number) => contract.extended(start + from, start + until);
      expect(await window(0, 1000)).to.equal(start + 1000);
      await freeze(seat(0));
      const frozen = Number(await city.now());
      // Open when it froze: it stays open. Over before: it stays over.
      await networkHelpers.time.increaseTo(frozen + 500);
      expect(await contract.extended(start - 50, start)).to.equal(start);
      expect(await contract.extended(frozen - 10, frozen + 100)).to.equal(frozen + 100 + 500);
      expect(await contract.extended(frozen + 200, frozen + 300)).to.equal(frozen + 300 + 300);
      await contract.release();
      const lasted = Number(await city.now()) - frozen;
      expect(await contract.extended(frozen - 10, frozen + 100)).to.equal(frozen + 100 + lasted);
      expect(await contract.extended(frozen + lasted, frozen + 2000)).to.equal(frozen + 2000);
      // A second freeze, in the time that the first one gave.
      await freeze(seat(1));
      const again = Number(await city.now());
      expect(again).to.be.below(frozen + 100 + lasted);
      const limit = Number(await city.constitution.param(parameterIndex("WATCHDOG_MAX_FREEZE")));
      await networkHelpers.time.increaseTo(again + limit + 5000);
      expect(await contract.extended(frozen - 10, frozen + 100)).to.equal(frozen + 100 + lasted + limit);
    });
  });
});
