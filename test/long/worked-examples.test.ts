import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Case } from "../../orchestrator/adjudication/case.ts";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { PROJECT } from "../support/cli.ts";
import { modelServer } from "../support/model-server.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const sample = (name: string): string => readFileSync(join(PROJECT, `missions/${name}.yaml`), "utf8");

/** AgentCity B.3: sentiment in triplicate, entities by Jaccard similarity, hashes, order, a table, a rubric for a human; and chat models. */
describe("scenario: the paper's worked examples", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  const server = modelServer();
  const shown: Case[] = [];
  let home: string;
  let city: City;
  const executorsOf = (outcome: Outcome, task: string) =>
    outcome.nodes.filter((node) => node.task === task).flatMap(({ executors }) => executors);

  before(async () => {
    home = join(directory(), "home");
    city = await openHome(home, "21", { environment: { OPENAI_API_KEY: "none", OPENAI_BASE_URL: server.url } });
  });
  after(() => city?.close());
  const carryOut = (text: string, id: string): Promise<Outcome> => {
    const judge = simulatedJudge(city.chain.id);
    const decide = (subject: Case) => {
      shown.push(subject);
      return judge.decide(subject);
    };
    return carryOutIn(city, text, { id, home, directory: join(PROJECT, "missions"), judge: { ...judge, decide } });
  };

  it("three tiers with services of different method", async () => {
    const outcome = await carryOut(sample("customer-reviews"), "reviews");
    expect(outcome.status).to.equal("completed");
    const feeling = executorsOf(outcome, "feeling");
    expect(new Set(feeling.map(({ service }) => service))).to.deep.equal(
      new Set(["sentiment-by-afinn", "sentiment-by-vader", "sentiment-by-clauses"]),
    );
    expect(feeling.filter(({ result }) => result === "agreed").length).to.be.at.least(2);
    const entities = executorsOf(outcome, "entities");
    expect(new Set(entities.map(({ service }) => service)).size).to.equal(2);
    expect(entities.every(({ result }) => result === "agreed")).to.equal(true);
    expect(shown.map(({ label, rubric }) => [label, rubric?.split("\n")[0]])).to.deep.equal([
      ["report", "1. Every review is listed with one label."],
    ]);
    const report = readFileSync(outcome.report, "utf8");
    expect(report).to.include("05-invoice.txt");
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });

  it("estimates by their standard deviation, from the file to the payout, and no payout where they lie too far apart", async () => {
    const text = sample("csv-estimates").replace("atLeast: 0.6", "atLeast: 0.6, as: spread");
    const outcome = await carryOut(text, "spread");
    expect(outcome.status).to.equal("completed");
    const estimates = outcome.nodes.filter(({ task }) => task === "estimate");
    for (const { executors, disagreement } of estimates) {
      expect(executors).to.have.length(3);
      expect(disagreement).to.include({ field: "value", needed: 6_000 });
      for (const { result, paid } of executors) expect(paid !== "0").to.equal(result === "agreed");
      for (const { chosen, answers } of disagreement?.first ?? []) expect(answers.map(({ value }) => value)).to.include(chosen);
    }
    expect(estimates.some(({ disagreement }) => (disagreement?.differing ?? 0) > 0)).to.equal(true);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);

    const apart = await carryOut(text.replace("atLeast: 0.6", "atLeast: 1"), "apart");
    expect(apart.status).to.equal("failed");
    expect(apart.failure?.reason).to.contain("value");
    expect(apart.epochs).to.have.length(1);
    const failed = apart.nodes.filter(({ end }) => end === "failed");
    expect(failed).to.not.have.length(0);
    for (const { paid } of failed.flatMap(({ executors }) => executors)) expect(paid).to.equal("0");
  });

  it("two chat models that agree, asked once for each note, whose answers the audit needs no model for", async () => {
    server.answer = ({ prompt }) => ({ content: JSON.stringify({ answer: prompt.includes("power") ? "a supplier" : "ourselves" }) });
    const text = sample("second-opinion").replace("ollama:llama3.2", "openai:first").replace("ollama:qwen3", "openai:second");
    const outcome = await carryOut(text, "models");
    expect(outcome.status).to.equal("completed");
    const cause = executorsOf(outcome, "cause");
    expect(cause.every(({ result }) => result === "agreed")).to.equal(true);
    const count = outcome.input.items;
    expect(server.asked.map(({ model }) => model).sort()).to.deep.equal([
      ...Array.from({ length: count }, () => "first"),
      ...Array.from({ length: count }, () => "second"),
    ]);
    server.answer = () => ({ status: 500 });
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
    expect(server.asked).to.have.length(2 * count);
  });
});
