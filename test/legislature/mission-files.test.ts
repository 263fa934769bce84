import { expect } from "chai";
import fc from "fast-check";
import { zeroAddress } from "viem";
import { compileLaw, goalHashOf } from "../../orchestrator/client/compile-law.ts";
import { readLimits, riskOfExposure } from "../../orchestrator/client/law-limits.ts";
import { documentOf } from "../../orchestrator/legislature/document.ts";
import { goalOf } from "../../orchestrator/legislature/goal.ts";
import { witnessesOf } from "../../orchestrator/legislature/propose.ts";
import { producerFacts } from "../../orchestrator/legislature/survey.ts";
import { type CityFacts, RISKS } from "../../orchestrator/minds/goal.ts";
import { MAX_NODES, optionsOf } from "../../orchestrator/minds/options.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { EXPOSURE_INPUTS } from "../../orchestrator/protocol/exposure.ts";
import { isPlanned, type MissionFile, type PlannedMission, parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import { CATALOG } from "../../services/catalog.ts";
import { hashOf, type LivingCity, openLivingCity, tokens } from "../support/living-city.ts";
import { missionFiles } from "../support/mission-file-arbitrary.ts";
import { legislated } from "../support/sessions.ts";

describe("laws for any mission file", function () {
  this.timeout(60_000);
  let city: LivingCity;
  let facts: CityFacts;
  before(async () => {
    city = await openLivingCity();
    const agents = city.producers.map(({ account }) => account.address);
    const producers = (await producerFacts(city.client, agents)).map((producer) => producer.facts);
    facts = { producers, verifiers: 5, limits: await readLimits(city.client, 0) };
  });
  after(() => city.chain.close());

  it("pass the chain's validator, whatever the tasks, the budget and the size of the input", async () => {
    const paths = { packages: "node_modules", files: "docs", csv: "data.csv" };
    const files = missionFiles({ paths, maxTasks: 14 });
    await fc.assert(
      fc.asyncProperty(files, fc.constantFrom(1, 675, 5_000), fc.nat(), async ({ yaml }, count, pick) => {
        const mission = planned(parseMissionFile(yaml, { fileName: "any.yaml", catalog: CATALOG, budgetCap: tokens(100_000) }));
        const goal = goalOf(mission, legislated(CATALOG), facts.limits, count);
        const options = optionsOf(goal, facts);
        const document = documentOf(mission, { count, digest: hashOf("input") }, goal, facts, options[pick % options.length]!);
        expect(document.nodes.length).to.be.at.most(Math.max(MAX_NODES, 2 * mission.tasks.length));
        const witnesses = witnessesOf(document, facts);
        const terms = {
          goalHash: goalHashOf(mission.goal),
          deposit: mission.budget,
          sponsor: city.sponsor.address,
          drafter: zeroAddress,
          edition: 0,
        };
        await city.client.validator.validate(compileLaw(document).law, terms, witnesses!);
      }),
      { seed: 7, numRuns: 60 },
    );
  });

  it("say how much must be alike as the constitution says it, where the mission does not", () => {
    const limits = { ...facts.limits, jaccardThreshold: 90, numericTolerance: 7 };
    const agreeOf = (agree: object) => {
      const text = JSON.stringify({
        mission: "compared",
        goal: "Hash.",
        budget: "500.00",
        deadline: "30m",
        risk: "LOW",
        input: { kind: "csv", path: "data.csv" },
        tasks: {
          read: { service: "fetch-and-parse", over: "input", tier: 1 },
          estimate: { service: ["estimate-by-pert", "estimate-by-triangle", "estimate-by-median"], after: ["read"], tier: 2, ...agree },
          report: { service: "aggregate", after: ["estimate"], tier: 3 },
        },
        output: { task: "report", format: "markdown" },
      });
      const mission = planned(parseMissionFile(text, { fileName: "compared.yaml", catalog: CATALOG, budgetCap: tokens(100_000) }));
      const goal = goalOf(mission, legislated(CATALOG), limits, 3);
      const { nodes } = documentOf(mission, { count: 3, digest: hashOf("input") }, goal, { ...facts, limits }, optionsOf(goal, facts)[0]!);
      return nodes.find(({ task }) => task === "estimate")?.agree;
    };
    expect(agreeOf({})).to.deep.equal({ on: "label", atLeastBps: 9_000, tolerance: 7 });
    expect(agreeOf({ agree: { on: "value", atLeast: 0.6 } })).to.deep.equal({ on: "value", atLeastBps: 6_000, tolerance: 7 });
    expect([facts.limits.jaccardThreshold, facts.limits.numericTolerance], "of the city").to.deep.equal([85, 5]);
  });

  it("name the options of each task's services, so that its hash does", () => {
    const catalog = CATALOG.map((entry) =>
      entry.id === "sort" ? { ...entry, options: { type: "object", properties: { by: { type: "string", default: "name" } } } } : entry,
    );
    const documentWith = (options: object) => {
      const text = JSON.stringify({
        mission: "options",
        goal: "Sort.",
        budget: "100.00",
        deadline: "30m",
        risk: "LOW",
        input: { kind: "csv", path: "data.csv" },
        tasks: { hash: { service: "hash", over: "input", tier: 1 }, sort: { service: "sort", after: ["hash"], tier: 1, with: options } },
        output: { task: "sort", format: "json" },
      });
      const mission = planned(parseMissionFile(text, { fileName: "options.yaml", catalog, budgetCap: tokens(100_000) }));
      const goal = goalOf(mission, legislated(catalog), facts.limits, 3);
      return documentOf(mission, { count: 3, digest: hashOf("input") }, goal, facts, optionsOf(goal, facts)[0]!);
    };
    const [byName, byValue] = [documentWith({}), documentWith({ by: "value" })];
    expect(byValue.nodes.filter(({ options }) => options !== undefined).map(({ task, options }) => [task, options])).to.deep.equal([
      ["sort", { by: "value" }],
    ]);
    expect(byName.nodes.at(-1)?.options).to.deep.equal({ by: "name" });
    expect(compileLaw(byName).docHash).not.to.equal(compileLaw(byValue).docHash);
  });

  it("raise the risk by what they say is exposed, and lower it by nothing", () => {
    const riskWith = (exposure: object, risk = "LOW", budget = "100.00") => {
      const text = JSON.stringify({
        ...{ mission: "exposed", goal: "Sort.", budget, deadline: "30m", risk },
        ...(Object.keys(exposure).length === 0 ? {} : { exposure }),
        input: { kind: "csv", path: "data.csv" },
        tasks: { report: { service: "aggregate", over: "input", tier: 3 } },
        output: { task: "report", format: "markdown" },
      });
      const mission = planned(parseMissionFile(text, { fileName: "exposed.yaml", catalog: CATALOG, budgetCap: tokens(100_000) }));
      const goal = goalOf(mission, legislated(CATALOG), facts.limits, 3);
      const { nodes, ...document } = documentOf(mission, { count: 3, digest: hashOf("input") }, goal, facts, optionsOf(goal, facts)[0]!);
      expect(new Set(nodes.map((node) => node.risk))).to.deep.equal(new Set([document.risk]));
      // Whoever has the law alone comes to the same.
      expect(document.exposure ?? {}).to.deep.equal(exposure);
      const recomputed = riskOfExposure(BigInt(document.budget), document.exposure ?? {}, facts.limits);
      expect(RISKS.indexOf(document.risk)).to.be.at.least(RISKS.indexOf(recomputed));
      return document.risk;
    };
    expect(riskWith({})).to.equal("LOW");
    expect(riskWith({}, "LOW", "999.99"), "money alone raises nothing beyond its own steps").to.equal("LOW");
    expect(riskWith({ irreversibility: 1 })).to.equal("LOW");
    expect(riskWith({ irreversibility: 1, authority_risk: 1 })).to.equal("MEDIUM");
    const all = { authority_risk: 1, intent_ambiguity: 1, irreversibility: 1, agent_history: 1, domain_sensitivity: 1 };
    expect(riskWith({ ...all, value_at_risk: 1 })).to.equal("HIGH");
    expect(riskWith({ value_at_risk: 0, agent_history: 0 }, "HIGH"), "a sponsor talks no risk down").to.equal("HIGH");
    expect(riskWith({ value_at_risk: 0 }, "LOW", "1000.00"), "nor its budget's").to.equal("MEDIUM");
    const random = randomStream(7, "exposure");
    for (let round = 0; round < 50; round += 1) {
      const stated = Object.fromEntries(EXPOSURE_INPUTS.map((input) => [input, random.next()]));
      const more = { ...stated, [random.pick(EXPOSURE_INPUTS)]: 1 };
      expect(RISKS.indexOf(riskWith(more)), JSON.stringify(more)).to.be.at.least(RISKS.indexOf(riskWith(stated)));
    }
    expect(() => riskWith({ irreversibility: 1.1 })).to.throw("irreversibility");
    expect(() => riskWith({ charm: 1 })).to.throw("charm");
  });

  it("divide what can be divided: what looks at everything at once is one node", () => {
    const tasks = { sort: { service: "sort", over: "input", tier: 1 }, hash: { service: "hash", over: "input", tier: 1 } };
    const text = JSON.stringify({
      mission: "two-ways",
      goal: "Sort and hash.",
      budget: "100.00",
      deadline: "30m",
      risk: "LOW",
      input: { kind: "csv", path: "data.csv" },
      tasks,
      output: { task: "sort", format: "json" },
    });
    const mission = planned(parseMissionFile(text, { fileName: "two-ways.yaml", catalog: CATALOG, budgetCap: tokens(100_000) }));
    const goal = goalOf(mission, legislated(CATALOG), facts.limits, 30);
    for (const shape of optionsOf(goal, facts)) {
      const { nodes } = documentOf(mission, { count: 30, digest: hashOf("input") }, goal, facts, shape);
      expect(nodes.filter(({ task }) => task === "sort").map(({ shard }) => shard)).to.deep.equal([{ from: 0, to: 30 }]);
      expect(nodes.filter(({ task }) => task === "hash").length).to.be.within(7, 11);
    }
  });
});

function planned(mission: MissionFile): PlannedMission {
  if (!isPlanned(mission)) throw new Error("the file names no tasks");
  return mission;
}
