import { expect } from "chai";
import { compileLaw } from "../../orchestrator/client/compile-law.ts";
import type { LegislatureOptions } from "../../orchestrator/legislature/context.ts";
import type { EnactedLaw } from "../../orchestrator/legislature/result.ts";
import { runLegislature } from "../../orchestrator/legislature/run-legislature.ts";
import { NoPlan } from "../../orchestrator/minds/errors.ts";
import { parseContentId } from "../../orchestrator/primitives/hash.ts";
import type { LegislatureBoundary } from "../../orchestrator/protocol/boundaries.ts";
import { missionDocumentSchema } from "../../orchestrator/protocol/mission-document.ts";
import type { MissionFile } from "../../orchestrator/protocol/mission-file.ts";
import type { PlanText } from "../../orchestrator/protocol/mission-file-schema.ts";
import { planRecordSchema } from "../../orchestrator/protocol/mission-plan.ts";
import { type LivingCity, openLivingCity } from "../support/living-city.ts";
import { rejection } from "../support/rejection.ts";
import { changed, deployed, memoryPorts, mission, sessionOptions } from "../support/sessions.ts";

const brief: MissionFile = {
  ...mission,
  mission: "notes",
  goal: "Which dates, amounts of money and names of people come up in these notes?",
  input: { kind: "files", path: "notes" },
  risk: "LOW",
  tasks: [],
  output: null,
  predicates: [],
};
const fields = [
  { name: "kind", types: ["string"] },
  { name: "bytes", types: ["integer"] },
  { name: "binary", types: ["boolean"] },
  { name: "text", types: ["string"] },
];

/** A plan of one service and the report. */
function planWith(service: string): PlanText {
  return {
    tasks: {
      work: { service, over: "input", tier: 1 },
      report: { service: "aggregate", after: ["work"], tier: 1 },
    },
    output: { task: "report", format: "markdown" },
  };
}

describe("a session about a goal without tasks", function () {
  this.timeout(60_000);
  let city: LivingCity;
  beforeEach(async () => {
    city = await openLivingCity();
  });
  afterEach(() => city.chain.close());

  function options(ports: ReturnType<typeof memoryPorts>, goal = brief.goal): LegislatureOptions {
    const { inputs, ...others } = sessionOptions(city, ports, 7);
    return { ...others, mission: { ...brief, goal }, inputs: { ...inputs, fields } };
  }

  /** The same with some agents' plans replaced, by place. */
  function planning(ports: ReturnType<typeof memoryPorts>, plans: Readonly<Record<number, () => Promise<PlanText>>>): LegislatureOptions {
    const all = options(ports);
    const producers = all.producers.map((producer, place) => {
      const plan = plans[place];
      return plan === undefined ? producer : { ...producer, mind: changed(producer.mind, { plan }) };
    });
    return { ...all, producers };
  }

  function tasksOf({ document }: EnactedLaw): string[] {
    return [...new Set(document.nodes.flatMap(({ services }) => services))];
  }

  const planIn = (document: unknown) => missionDocumentSchema.parse(document).plan;

  it("enacts a plan of its producers, which the document names and the records hold", async () => {
    const ports = memoryPorts();
    const law = deployed(await runLegislature(options(ports)));
    expect(tasksOf(law)).to.include("extract-entities").and.to.include("aggregate");
    const plan = planRecordSchema.parse(ports.records.getJson(parseContentId(law.document.plan ?? "")));
    expect(plan.tasks.map(({ name }) => name)).to.deep.equal([...new Set(law.document.nodes.map(({ task }) => task))]);
    expect([plan.goal, plan.output]).to.deep.equal([brief.goal, law.document.output.task]);
    expect(compileLaw(law.document).specHash).to.equal(law.specHash);
    expect(ports.asked.filter((key) => key.includes('"plan"')).length).to.equal(8);
    expect(law.document.title).to.match(/^extract-entities, report: /);
  });

  it("votes between different plans, and prefers the one that answers more of the goal", async () => {
    const { tasks, output } = planWith("extract-entities");
    const read = { service: "fetch-and-parse", over: "input" as const, tier: 1 as const };
    const longer = { tasks: { ...tasks, read, work: { service: "extract-entities", after: ["read"], tier: 1 as const } }, output };
    const ports = memoryPorts();
    const others = { 0: async () => longer, 1: async () => longer, 2: async () => longer, 3: async () => planWith("count") };
    const law = deployed(await runLegislature(planning(ports, others)));
    const plans = law.candidates.flatMap(({ document }) => (document === null ? [] : [planIn(ports.records.getJson(document))]));
    expect(new Set(plans).size).to.be.at.least(2);
    expect(tasksOf(law)).to.include("extract-entities").and.to.not.include("count");
  });

  it("leaves out whoever plans what no mission file could say, or what lacks a field", async () => {
    const read = { service: "no-such-service", over: "input" as const, tier: 1 as const };
    const unknown: PlanText = { tasks: { read }, output: { task: "read", format: "markdown" } };
    const refusals = { 0: async () => unknown, 1: async () => planWith("estimate-by-pert") };
    const ports = memoryPorts();
    const law = deployed(await runLegislature(planning(ports, refusals)));
    const drafted = ports.asked.filter((key) => key.includes('"draft"'));
    expect(drafted.length).to.equal(6);
    expect(tasksOf(law)).to.deep.equal(["extract-entities", "aggregate"]);
  });

  it("is not opened, and costs nothing, when no service reaches the goal; the error names what comes nearest", async () => {
    const before = await city.client.token.balanceOf(city.sponsor.address);
    const sessions = await city.client.legislation.sessionCount();
    const error = await rejection(
      runLegislature(options(memoryPorts(), "Translate the names and dates into Klingon poetry and set it to music.")),
    );
    expect(error).to.be.instanceOf(NoPlan);
    expect(error).to.have.property("nearest", "extract-entities");
    expect(error.message).to.contain("translate").and.to.contain("music");
    expect(await city.client.token.balanceOf(city.sponsor.address)).to.equal(before);
    expect(await city.client.legislation.sessionCount()).to.equal(sessions);
  });

  it("asks nobody for a plan twice when it is stopped and goes on", async () => {
    const surviving = memoryPorts();
    const stops: LegislatureBoundary[] = ["legislature:session-opened", "legislature:drafted", "legislature:debate-opened"];
    const left = new Set(stops);
    const stopping = {
      ...surviving,
      boundary: async (name: LegislatureBoundary) => {
        if (left.delete(name)) throw new Error(`stopped at ${name}`);
      },
    };
    const once = new Set<number>();
    const plans = Object.fromEntries(
      Array.from({ length: 8 }, (_, place) => [
        place,
        async () => {
          if (once.has(place)) throw new Error("asked twice");
          once.add(place);
          return planWith(place % 2 === 0 ? "extract-entities" : "classify");
        },
      ]),
    );
    for (const _ of stops) expect((await rejection(runLegislature(planning(stopping, plans)))).message).to.match(/^stopped at/);
    expect(tasksOf(deployed(await runLegislature(planning(stopping, plans))))).to.include("extract-entities");
    expect(once.size).to.equal(8);
  });
});
