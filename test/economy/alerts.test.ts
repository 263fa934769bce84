import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { ALERT_ANSWERS, type Alert } from "../../orchestrator/economy/order.ts";
import { agreementIn, BadRatings, sampleOf, sheetOf } from "../../scripts/economy/alerts.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("alerts for people to judge", () => {
  const directory = suiteDirectory();
  const alerts: Alert[] = [
    { round: 1, kind: "breach", facts: "Agent 1 took more, it is said.", answer: "warning" },
    { round: 2, kind: "work", facts: "Task 3: its panel was divided.", answer: "reject" },
    { round: 20, kind: "bloc", facts: "5 of 200 voters", answer: "freeze" },
  ];
  const rated = (...rows: readonly string[]): string => {
    const path = join(directory(), "ratings.csv");
    writeFileSync(path, ["alert,rater,answer", ...rows].join("\n"));
    return path;
  };

  it("are a sheet that does not give the simulation's answers away", () => {
    const [head, first] = sheetOf(alerts).split("\n");
    expect(head).to.equal("alert,kind,facts,answers");
    expect(first).to.equal(`1,breach,"Agent 1 took more, it is said.",${ALERT_ANSWERS.breach.join(" | ")}`);
    expect(sampleOf([])).to.deep.equal([]);
  });

  it("are compared with what people answer", () => {
    const all = ["1,Ana,warning", "1,Ben,warning", "2,Ana,reject", "2,Ben,reject", "3,Ana,freeze", "3,Ben,freeze"];
    expect(agreementIn(rated(...all), alerts)).to.deep.equal({ alerts: 3, raters: 2, alpha: 1, asSimulated: 1 });
    const apart = agreementIn(rated("1,Ana,slash", "1,Ben,warning", "2,Ana,approve"), alerts);
    expect(apart).to.deep.include({ alerts: 2, raters: 2, asSimulated: 1 / 3 });
    expect(apart.alpha, "the one alert that both answered").to.be.at.most(0);
  });

  it("refuses answers that are to nothing, are none, or are given twice", () => {
    const problemOf = (...rows: readonly string[]): string => {
      try {
        agreementIn(rated(...rows), alerts);
      } catch (error) {
        if (error instanceof BadRatings) return String(error.toPlain().details);
      }
      return "accepted";
    };
    expect(problemOf("4,Ana,approve")).to.match(/no alert 4/);
    expect(problemOf("2,Ana,freeze")).to.match(/is not an answer to alert 2/);
    expect(problemOf("1,Ana,slash", "1,Ana,slash")).to.match(/Ana answers alert 1 twice/);
    expect(problemOf("one,Ana,slash")).to.match(/alert/);
    expect(problemOf()).to.match(/no rows/);
    expect(problemOf("1,Ana")).to.match(/row 0/);
  });
});
