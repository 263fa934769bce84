import { expect } from "chai";
import { KeptAnswers } from "../../orchestrator/gateway/kept-answers.ts";
import { rejection } from "../support/rejection.ts";

describe("kept answers", () => {
  it("are given again until something happens", async () => {
    let place = "1/1";
    let asked = 0;
    const answers = new KeptAnswers(() => place);
    const ask = async () => {
      asked += 1;
      return String(asked);
    };
    expect([await answers.get("a", ask), await answers.get("a", ask), await answers.get("b", ask)]).to.deep.equal(["1", "1", "2"]);
    place = "1/2";
    expect(await answers.get("a", ask)).to.equal("3");
  });

  it("are not kept when something happened while they were made", async () => {
    let place = "1/1";
    const answers = new KeptAnswers(() => place);
    const before = await answers.get("a", async () => {
      place = "2/2";
      return "before";
    });
    expect([before, await answers.get("a", async () => "after")]).to.deep.equal(["before", "after"]);
  });

  it("are made once for all who ask meanwhile", async () => {
    const made = Promise.withResolvers<string>();
    let asked = 0;
    const answers = new KeptAnswers(() => "1/1");
    const ask = () => {
      asked += 1;
      return made.promise;
    };
    const all = Promise.all([answers.get("a", ask), answers.get("a", ask), answers.get("a", ask)]);
    made.resolve("one");
    expect([await all, asked]).to.deep.equal([["one", "one", "one"], 1]);
  });

  it("fail for those who asked, and for nobody after them", async () => {
    const answers = new KeptAnswers(() => "1/1");
    const failed = answers.get("a", () => Promise.reject(new Error("silent")));
    expect((await rejection(failed)).message).to.equal("silent");
    expect(await answers.get("a", async () => "there")).to.equal("there");
  });
});
