import { expect } from "chai";
import { LAW, LAW_GRANTS } from "../../../deploy/grants.ts";
import { contractAbis } from "../../../orchestrator/client/contracts.ts";
import { AUTHORITY } from "../../../scripts/dev/authority.ts";
import { AGENTS, GRANTS, lawIn, reach } from "../../../scripts/dev/grants.ts";

/** Institutions that only adjudicators move. */
const GOVERNED = ["ADJUDICATION", "ROSTER", "CLERKS"];

describe("grants", () => {
  it("no path leads from anybody but adjudicators to the law, even through every other contract", () => {
    expect(AGENTS).to.include.members(["producer", "sponsor", "mission", "regulator", "LEGISLATION", "EXECUTION", "TREASURY"]);
    expect(lawIn(reach(AGENTS))).to.deep.equal([]);
    expect(reach(AGENTS).has("adjudicator")).to.equal(false);
  });

  it("adjudicators reach all of it", () => {
    expect(lawIn(reach(["adjudicator"]))).to.deep.equal(LAW);
  });

  it("one open door would be found", () => {
    expect(lawIn(reach([...AGENTS, "ADJUDICATION"])).length).to.equal(LAW.length);
  });

  it("lists every function that is the governor's alone and gives standing; what else is the governor's gives none", () => {
    const given = new Set(GRANTS.map(({ contract, functionName }) => `${contract}.${functionName}`));
    const governed = Object.entries(AUTHORITY).flatMap(([contract, rows]) =>
      Object.entries(rows)
        .filter(([, rules]) =>
          rules.every(({ callers }) => callers.length > 0 && callers !== "anyone" && callers.every((role) => GOVERNED.includes(role))),
        )
        .map(([name]) => `${contract}.${name}`),
    );
    const nothing = governed.filter((name) => !given.has(name));
    expect(nothing).to.deep.equal([
      // Institutions write down what adjudicators ordered: the order is the grant.
      "ProducerContract.enroll",
      // One agent's standing, one law's fate, money: no power over others.
      "ProducerContract.adjustReputation",
      "ProducerContract.slash",
      // The panel's own conduct: what it may do, it may do again.
      "AdjudicatorRoster.countCase",
      "AdjudicatorWatchdog.note",
      "AdjudicatorWatchdog.release",
      "AdjudicatorWatchdog.stopCity",
      "AdjudicatorWatchdog.resumeCity",
      "LegislativeProcedure.ruleOnBloc",
      "LegislativeProcedure.approveCodification",
      "Treasury.compensate",
      "Treasury.claimInsurance",
      "Treasury.disburse",
      "CollaborationContract.onOverride",
    ]);
  });

  it("names functions and events that the contracts have", () => {
    for (const { contract, functionName, events } of LAW_GRANTS) {
      const names = contractAbis[contract].map((item) => `${item.type} ${"name" in item ? item.name : ""}`);
      expect(names).to.include.members([`function ${functionName}`, ...events.map((event) => `event ${event}`)]);
    }
  });
});
