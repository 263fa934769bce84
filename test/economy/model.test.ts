import { join } from "node:path";
import { expect } from "chai";
import { type Cell, keptRun, runCell, summaryOf, variantOf } from "../../orchestrator/economy/campaign.ts";
import { AS_WRITTEN } from "../../orchestrator/economy/hypotheses.ts";
import { isExcluded, type ModelSettings } from "../../orchestrator/economy/model.ts";
import { summarise } from "../../scripts/economy/report.ts";
import { type Answer, type Asked, modelServer } from "../support/model-server.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const RESTRAINED = { harvest: 1, report: "truth", work: "real", limit: 1, reviewers: 1 };
const answered = (answer: object): Answer => ({ content: JSON.stringify(answer) });
const AGENTS = 5;
const ROUNDS = 20;

describe("a chat model in a persona's place", function () {
  this.timeout(60_000);
  const server = modelServer();
  const directory = suiteDirectory();
  const everybody: ModelSettings = {
    name: "openai:first",
    fallback: "openai:second",
    personas: ["cooperative", "self-interested", "adversarial"],
  };
  const environment = () => ({ OPENAI_API_KEY: "none", OPENAI_BASE_URL: server.url });
  const cellOf = (model: ModelSettings, seed: number, configuration: Cell["configuration"] = "baseline"): Cell => ({
    configuration,
    agents: AGENTS,
    seed,
    variant: variantOf(model),
    milestones: 1,
    model,
  });
  const run = async (cell: Cell) => {
    server.asked.length = 0;
    await runCell(directory(), cell, environment());
    const figures = keptRun(directory(), cell);
    if (figures === undefined) throw new Error("the run was not kept");
    return figures;
  };

  it("decides what is taken, said and done, round by round, and is told figures alone", async () => {
    server.answer = () => answered(RESTRAINED);
    const figures = await run(cellOf(everybody, 1));
    expect(figures.rounds.map(({ csr }) => csr)).to.deep.equal(Array.from({ length: ROUNDS }, () => 1));
    expect(figures.calls).to.deep.equal({ asked: server.asked.length, fellBack: 0, unanswered: 0 });
    const [first] = server.asked;
    expect(first?.prompt)
      .to.match(/There are no rules/)
      .and.match(/"pool":1,"quota":6.25/);
    expect(server.asked.every(({ model, form, offersTools }) => model === "first" && form === "round" && !offersTools)).to.equal(true);
    server.answer = () => answered({ ...RESTRAINED, harvest: 4, report: "norm" });
    const greedy = await run(cellOf(everybody, 2));
    expect(greedy.rounds[0]?.csr).to.equal(0);
  });

  it("leaves the other personas alone, and tells each configuration's institutions", async () => {
    server.answer = () => answered(RESTRAINED);
    const figures = await run(cellOf({ ...everybody, personas: ["adversarial"] }, 1, "emergent"));
    expect(figures.calls?.asked).to.be.below(AGENTS * ROUNDS);
    expect(server.asked[0]?.prompt).to.match(/you cooperate/);
  });

  it("asks the second model once where the first fails, and leaves the rest to the persona", async () => {
    let questions = 0;
    const firstFails = ({ model }: Asked): Answer => {
      if (model === "second") return answered(RESTRAINED);
      questions += 1;
      return questions <= 2 ? { status: 400 } : answered(RESTRAINED);
    };
    server.answer = firstFails;
    const kept = await run(cellOf(everybody, 3));
    expect(kept.calls).to.include({ fellBack: 2, unanswered: 0 });
    expect(server.asked.filter(({ model }) => model === "second")).to.have.length(2);

    server.answer = ({ model }) => (model === "first" ? answered({ ...RESTRAINED, harvest: 7 }) : { status: 400 });
    const lost = await run(cellOf(everybody, 4));
    expect(lost.calls).to.include({ fellBack: 0, unanswered: lost.calls?.asked ?? -1 });
    expect(server.asked.filter(({ prompt }) => prompt.includes("was invalid")).length, "with the reason, once").to.equal(lost.calls?.asked);
    const { milestones, seed, configuration, agents } = cellOf(everybody, 4);
    await runCell(directory(), { milestones, seed, configuration, agents, variant: AS_WRITTEN });
    const persona = keptRun(directory(), { milestones, seed, configuration, agents, variant: AS_WRITTEN });
    expect(lost.rounds, "without answers it is the persona's run").to.deep.equal(persona?.rounds);
  });

  it("counts for nothing in a run that it hardly answered, which is listed apart", async () => {
    expect(isExcluded({ asked: 100, fellBack: 3, unanswered: 2 })).to.equal(false);
    expect(isExcluded({ asked: 100, fellBack: 3, unanswered: 3 })).to.equal(true);
    const cells = [1, 4].map((seed) => cellOf(everybody, seed));
    const runs = cells.flatMap((cell) => {
      const figures = keptRun(directory(), cell);
      return figures === undefined ? [] : [{ figures, summary: summaryOf(figures, cell) }];
    });
    const summary = summarise(1, runs);
    expect(summary.models?.map(({ seed, excluded }) => [seed, excluded])).to.deep.equal([
      [1, false],
      [4, true],
    ]);
    expect(summary.cells.map(({ variant, seeds }) => [variant, seeds])).to.deep.equal([["model openai:first", 1]]);
  });

  it("is refused by name where it is unknown or its key is missing, before anything is founded", async () => {
    const cell = cellOf({ ...everybody, name: "nobody:first" }, 5);
    expect(await rejection(runCell(directory(), cell, environment()))).to.have.property("code", "UnknownModel");
    expect(await rejection(runCell(directory(), cellOf(everybody, 5), {}))).to.have.property("code", "KeyMissing");
    expect(keptRun(join(directory()), cell)).to.equal(undefined);
  });
});
