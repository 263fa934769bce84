import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import fc from "fast-check";
import type { JsonObject } from "../../orchestrator/primitives/json.ts";
import { parseDuration } from "../../orchestrator/protocol/duration.ts";
import { isPlanned, parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import { MissionFileError } from "../../orchestrator/protocol/mission-file-error.ts";
import { missionOfPlan, planId } from "../../orchestrator/protocol/mission-plan.ts";
import { editDistance, nearest } from "../../orchestrator/protocol/nearest.ts";
import { CATALOG } from "../../services/catalog.ts";
import { missionFiles } from "../support/mission-file-arbitrary.ts";

const options = { fileName: "m.yaml", catalog: CATALOG, budgetCap: 100_000_000_000n };
const sample = (name: string): string => readFileSync(fileURLToPath(new URL(`../../missions/${name}.yaml`, import.meta.url)), "utf8");
const base = sample("dependency-licences");

function refusal(text: string, more: object = {}): MissionFileError {
  try {
    parseMissionFile(text, { ...options, ...more });
  } catch (error) {
    if (error instanceof MissionFileError) return error;
    throw error;
  }
  throw new Error("the file was accepted");
}

function edited(from: string, to: string): string {
  expect(base).to.include(from);
  return base.replace(from, to);
}

describe("protocol/mission-file", () => {
  it("reads the default mission exactly", () => {
    const file = parseMissionFile(base, options);
    expect(file).to.deep.equal({
      mission: "dependency-licences",
      goal: "Audit licences and topics of the packages installed here.",
      budget: 1_200_000_000n,
      deadline: 1_800,
      risk: "MEDIUM",
      input: { kind: "packages", path: "../node_modules" },
      tasks: [
        {
          name: "parse",
          services: ["fetch-and-parse"],
          overInput: true,
          after: [],
          tier: 1,
          agree: null,
          budget: null,
          timeout: null,
          floor: null,
          plan: null,
        },
        {
          name: "classify",
          services: ["licence-by-spdx", "licence-by-text", "licence-by-headings"],
          overInput: false,
          after: ["parse"],
          tier: 2,
          agree: { on: "label", atLeastBps: 8_500 },
          budget: null,
          timeout: null,
          floor: null,
          plan: null,
        },
        {
          name: "report",
          services: ["aggregate"],
          overInput: false,
          after: ["classify"],
          tier: 3,
          agree: null,
          budget: null,
          timeout: null,
          floor: null,
          plan: null,
        },
      ],
      output: { task: "report", format: "markdown" },
      predicates: ["every-input-covered", { maxBytes: 2_000_000 }],
      mode: "onchain",
      seed: null,
      visibility: "public",
      services: null,
    });
  });

  it("reads every sample mission and every optional field", () => {
    for (const name of ["csv-estimates", "incident-notes", "estimates-by-lot", "letters", "accounting"])
      expect(parseMissionFile(sample(name), options).mission).to.equal(name);
    const text = `${edited("over: input, tier: 1", "over: input, tier: 1, budget: 100.5, timeout: 45s, floor: REC")}seed: 7\nservices: my-services\n`;
    const file = parseMissionFile(text, options);
    expect(file.tasks[0]).to.include({ budget: 100_500_000n, timeout: 45, floor: "REC" });
    expect(file).to.include({ seed: 7, services: "my-services" });
  });

  it("refuses to compare a deterministic service with itself, and says why", () => {
    const alone = sample("csv-estimates").replace(/service: \[estimate-by-pert.*\]/, "service: estimate-by-pert");
    expect(refusal(alone)).to.include({ code: "InvalidField" });
    expect(refusal(alone).shortMessage).to.match(
      /tier 2 compares different services, and estimate-by-pert alone always agrees with itself/,
    );
  });

  it("takes a service that is not deterministic for tier 2 with others, or for a human, and never for tier 1 or alone", () => {
    const wavering = {
      catalog: CATALOG.map((entry) => (/^(estimate-by-pert|fetch-and-parse)$/.test(entry.id) ? { ...entry, deterministic: false } : entry)),
    };
    const text = sample("csv-estimates");
    const repeated = refusal(text, wavering);
    expect(repeated).to.include({ code: "ServiceMismatch" });
    expect(repeated.shortMessage).to.match(/tier 1 runs the work again and compares, and fetch-and-parse is not deterministic/);
    expect(parseMissionFile(text.replace("tier: 1", "tier: 3"), { ...options, ...wavering }).tasks[1]?.services).to.include(
      "estimate-by-pert",
    );
    const alone = text.replace("tier: 1", "tier: 3").replace(/service: \[estimate-by-pert.*\]/, "service: estimate-by-pert");
    expect(refusal(alone, wavering).shortMessage).to.match(/estimate-by-pert alone always agrees with itself/);
  });

  it("takes any code that is like a service, where executors are compared or a human reads, and never in tier 1", () => {
    const text = sample("csv-estimates");
    const any = text.replace(/service: \[estimate-by-pert.*\]/, "service: any\n    like: estimate-by-pert");
    expect(parseMissionFile(any, options).tasks[1]).to.deep.include({ services: ["estimate-by-pert"], anyCode: true, tier: 2 });
    const rerun = text.replace("service: fetch-and-parse", "service: any, like: fetch-and-parse");
    expect(refusal(rerun).shortMessage).to.match(/AnyNeedsRedundancy/);
    expect(parseMissionFile(rerun.replace("tier: 1", "tier: 3"), options).tasks[0]).to.deep.include({ anyCode: true, tier: 3 });
    expect(refusal(any.replace("like: estimate-by-pert", "")).shortMessage).to.match(/like is missing/);
    expect(refusal(any.replace("like: estimate-by-pert", "like: nobody")).code).to.equal("UnknownService");
    expect(refusal(text.replace("service: fetch-and-parse", "service: fetch-and-parse, like: hash")).shortMessage).to.match(
      /only `service: any`/,
    );
  });

  it("compares as the file says, and gives a rubric to tier 3 only", () => {
    const compared = sample("csv-estimates").replace("on: value,", "on: value, as: spread,");
    expect(parseMissionFile(compared, options).tasks[1]?.agree).to.deep.equal({ on: "value", as: "spread", atLeastBps: 6_000 });
    expect(parseMissionFile(compared.replace("spread", "answers"), options).tasks[1]?.agree).to.deep.equal({
      on: "value",
      atLeastBps: 6_000,
    });
    expect(refusal(compared.replace("spread", "lists")).code).to.equal("InvalidField");
    const read = edited("tier: 3 }", 'tier: 3, rubric: "Are all terms named? " }');
    expect(parseMissionFile(read, options).tasks.at(-1)?.rubric).to.equal("Are all terms named?");
    expect(refusal(edited("over: input, tier: 1", "over: input, tier: 1, rubric: x")).shortMessage).to.match(
      /only the output of tier 3 is read/,
    );
  });

  it("asks for kinds of verifier that can be had, each once, in the order of the table", () => {
    const asking = (verifiers: string) => edited("tier: 3 }", `tier: 3, rubric: "All terms.", verifiers: ${verifiers} }`);
    expect(parseMissionFile(asking("[human, semantic, constraint]"), options).tasks.at(-1)?.verifiers).to.deep.equal([
      "constraint",
      "semantic",
      "human",
    ]);
    expect(refusal(asking("[semantic, semantic]")).shortMessage).to.match(/a kind of verifier is named twice/);
    expect(refusal(asking("[oracle]")).code).to.equal("InvalidField");
    expect(refusal(asking("[]")).code).to.equal("InvalidField");
    expect(refusal(edited("tier: 3 }", "tier: 3, verifiers: [semantic] }")).shortMessage).to.match(
      /a model judges by a rubric, and there is none/,
    );
    const one = (more: string) => edited("over: input, tier: 1", `over: input, tier: 1, ${more}`);
    expect(refusal(one("verifiers: [human]")).shortMessage).to.match(/a human reads the output of tier 3 only/);
    expect(parseMissionFile(one("verifiers: [semantic], rubric: x"), options).tasks[0]?.rubric).to.equal("x");
  });

  describe("a task that is a mission of its own", () => {
    const lots = sample("estimates-by-lot");
    const changed = (from: string, to: string): string => {
      expect(lots).to.include(from);
      return lots.replace(from, to);
    };
    const nested = (levels: number): string => {
      let text = "{ goal: g, over: input, output: a, tasks: { a: { service: hash, over: input, tier: 1 } } }";
      for (let level = 1; level < levels; level += 1) text = `{ goal: g, over: input, output: a, tasks: { a: ${text} } }`;
      return lots.replace(/ {2}lots:\n[\s\S]*?(?= {2}report:)/, `  lots: ${text}\n`);
    };

    it("has a plan, and no service", () => {
      const [task] = parseMissionFile(lots, options).tasks;
      expect(task).to.deep.include({ name: "lots", services: [], overInput: true, after: [], tier: 1, agree: null, budget: null });
      expect(task?.plan).to.deep.include({ goal: "Estimate the work packages of one lot.", parts: 2, deadline: 7_200, output: "estimate" });
      expect(task?.plan?.tasks.map(({ name, tier, plan }) => [name, tier, plan])).to.deep.equal([
        ["read", 1, null],
        ["estimate", 2, null],
      ]);
    });

    it("may be nested eight deep, and no deeper", () => {
      expect(parseMissionFile(nested(8), options).tasks[0]?.plan).to.not.equal(null);
      expect(refusal(nested(9)).shortMessage).to.match(/below 9 others; at most 8/);
    });

    const wrong: readonly (readonly [title: string, from: string, to: string, code: string, says: RegExp])[] = [
      ["an unknown key in a task below", "after: [read]", "aftre: [read]", "UnknownKey", /did you mean after\?/],
      ["an unknown task below", "after: [read]", "after: [raed]", "UnknownTask", /did you mean read\?/],
      ["a task of the mission above", "after: [read]", "after: [report]", "UnknownTask", /there is no task report/],
      ["an unknown service below", "service: fetch-and-parse", "service: fetch", "UnknownService", /no service is called fetch/],
      ["an output that is no task below", "output: estimate", "output: report", "UnknownTask", /no task report in lots/],
      ["no goal", "    goal: Estimate the work packages of one lot.\n", "", "MissingField", /tasks\.lots\.goal is missing/],
      ["nothing to work on", "    over: input\n    parts", "    parts", "MissingField", /nothing to work on/],
      ["a service beside tasks", "    parts: 2", "    tier: 2\n    parts: 2", "InvalidField", /has tasks of its own: tier/],
      ["parts of a task without tasks", "after: [lots]", "parts: 2, after: [lots]", "InvalidField", /no tasks of its own: parts/],
      ["a cycle below", "over: input, tier: 1", "after: [estimate], tier: 1", "CyclicTasks", /read → estimate → read/],
      ["a report that it would write", "output: { task: report", "output: { task: lots", "ServiceMismatch", /returns items/],
    ];
    for (const [title, from, to, code, says] of wrong) {
      it(`is refused with ${title}`, () => {
        const error = refusal(changed(from, to));
        expect(error.code).to.equal(code);
        expect(error.shortMessage).to.match(says);
      });
    }
  });

  it("puts tasks after those they wait for, whatever their order in the file", () => {
    const text = edited("tasks:\n", "tasks:\n  summary: { service: count, after: [classify], tier: 1 }\n");
    expect(parseMissionFile(text, options).tasks.map(({ name }) => name)).to.deep.equal(["parse", "classify", "summary", "report"]);
  });

  const cases: readonly (readonly [title: string, from: string, to: string, code: string, line: number, column: number, says: RegExp])[] = [
    ["an unknown key", "budget:", "buget:", "UnknownKey", 4, 1, /did you mean budget\?/],
    ["an unknown key inside a task", "over: input, tier: 1", "ovr: input, tier: 1", "UnknownKey", 9, 38, /did you mean over\?/],
    ["an unknown key inside agree", "atLeast:", "atleast:", "UnknownKey", 14, 25, /did you mean atLeast\?/],
    ["a key that is special in JavaScript", "mission:", "__proto__: {}\nmission:", "UnknownKey", 2, 1, /__proto__/],
    ["a missing field", "pth", "pth", "MissingField", 7, 8, /input\.path is missing/],
    ["a cycle", "over: input, tier: 1", "after: [report], tier: 1", "CyclicTasks", 9, 10, /parse → report → classify → parse/],
    ["a task that waits for itself", "after: [parse]", "after: [classify]", "CyclicTasks", 11, 5, /classify → classify/],
    ["an unknown task", "after: [parse]", "after: [prase]", "UnknownTask", 12, 13, /did you mean parse\?/],
    ["an unknown output task", "task: report", "task: raport", "UnknownTask", 16, 17, /did you mean report\?/],
    ["an unknown service", "[licence-by-spdx", "[licence-by-spdy", "UnknownService", 11, 15, /did you mean licence-by-spdx\?/],
    [
      "a service that cannot take the input",
      "fetch-and-parse",
      "licence-by-spdx",
      "ServiceMismatch",
      9,
      21,
      /does not take input of kind packages/,
    ],
    ["a document nobody writes", "service: aggregate", "service: sort", "ServiceMismatch", 16, 33, /sort writes no Markdown/],
    ["a budget that is no decimal", '"1200.00"', '"12x"', "InvalidBudget", 4, 9, /"12x"/],
    ["a negative budget", '"1200.00"', "-5", "InvalidBudget", 4, 9, /"-5"/],
    ["a budget of nothing", '"1200.00"', '"0"', "InvalidBudget", 4, 9, /"0"/],
    ["a budget with too many digits", '"1200.00"', "1.0000001", "InvalidBudget", 4, 9, /1\.0000001/],
    ["a budget over the cap", '"1200.00"', "100000.000001", "BudgetOverCap", 4, 9, /over the cap of 100000$/],
    ["a deadline that is no duration", "30m", "soon", "InvalidDuration", 5, 11, /not a duration/],
    ["a tier that does not exist", "over: input, tier: 1", "over: input, tier: 4", "InvalidField", 9, 57, /tier/],
    ["agree outside tier 2", "tier: 3 }", "tier: 3, agree: { on: label, atLeast: 0.9 } }", "InvalidField", 15, 68, /only a task of tier 2/],
    ["a task without work", "over: input, tier: 1", "tier: 1", "MissingField", 9, 10, /nothing to work on/],
    [
      "a gate that nobody knows",
      "over: input, tier: 1",
      "over: input, tier: 1, gate: non-empty",
      "InvalidField",
      9,
      66,
      /expected non-empty-output, keeps-schema, or the number/,
    ],
    ["a gate that no law has room for", "over: input, tier: 1", "over: input, tier: 1, gate: 65536", "InvalidField", 9, 66, /65535/],
    ["a repeated key", "goal:", "mission: x\ngoal:", "DuplicateKey", 3, 1, /unique/],
    ["a predicate that does not exist", "[every-input-covered,", "[every-input,", "InvalidField", 17, 14, /expected every-input-covered/],
  ];
  for (const [title, from, to, code, line, column, says] of cases) {
    it(`refuses ${title}, and says where`, () => {
      const error = refusal(
        code === "MissingField" && from === "pth"
          ? edited("{ kind: packages, path: ../node_modules }", "{ kind: packages }")
          : edited(from, to),
      );
      expect([error.code, error.name, error.place]).to.deep.equal([code, code, { line, column }]);
      expect(error.shortMessage).to.match(says);
      expect(error.shortMessage.startsWith(`m.yaml:${line}:${column}: `)).to.equal(true);
    });
  }

  it("reads a gate by its name or its number, and has none without", () => {
    const gateOf = (keys: string) => parseMissionFile(edited("over: input, tier: 1", keys), options).tasks[0]?.gate;
    expect(gateOf("over: input, tier: 1, gate: non-empty-output")).to.equal("non-empty-output");
    expect(gateOf("over: input, tier: 1, gate: 7")).to.equal(7);
    expect(parseMissionFile(base, options).tasks.every((task) => !("gate" in task))).to.equal(true);
  });

  describe("options of services", () => {
    const most = { type: "integer", minimum: 1, default: 10 };
    const topOf = (properties: JsonObject) => ({ type: "object", properties, additionalProperties: false });
    const known = (id: string, schema?: JsonObject) => ({
      id,
      accepts: ["packages", "items"],
      produces: "document" as const,
      deterministic: true,
      ...(schema === undefined ? {} : { options: schema }),
    });
    const catalog = [
      ...CATALOG.filter(({ id }) => id !== "top"),
      known("top", topOf({ by: { enum: ["bytes", "words"] }, most })),
      known("head", topOf({ most })),
      known("tail", topOf({ most: { ...most, default: 20 } })),
    ];
    const withOptions = (task: string) =>
      edited("{ service: aggregate, after: [classify], tier: 3 }", `{ ${task} after: [classify], tier: ${task.includes("[") ? 2 : 3} }`);
    const given = (task: string) => parseMissionFile(withOptions(task), { ...options, catalog }).tasks.at(-1)?.options;

    it("are completed by the schema's defaults", () => {
      expect(given("service: top, with: { by: words },")).to.deep.equal({ by: "words", most: 10 });
      expect(given("service: top, with: { most: 3 },")).to.deep.equal({ most: 3 });
      expect(given("service: top,")).to.deep.equal({ most: 10 });
      expect(given("service: aggregate,")).to.equal(undefined);
    });

    it("are one for all services of a task, or each keeps its own defaults where the file says nothing", () => {
      expect(given("service: [head, tail], with: { most: 5 },")).to.deep.equal({ most: 5 });
      expect(given("service: [head, tail],")).to.equal(undefined);
      expect(refusal(withOptions("service: [head, tail], with: {},"), { catalog }).shortMessage).to.match(/head, tail complete these/);
    });

    it("are refused where they stand when the service does not take them", () => {
      const refused: readonly (readonly [string, string, RegExp])[] = [
        ["service: aggregate, with: { most: 5 },", "{ most", /aggregate takes no options$/],
        ["service: top, with: { most: 0 },", "0", /top: with\.most must be >= 1$/],
        ["service: top, with: { by: size },", "size", /top: with\.by must be one of \["bytes","words"\]$/],
        ["service: top, with: { mots: 3 },", "{", /top: with must not have "mots"$/],
        ["service: top, with: 3,", "3", /tasks\.report\.with: /],
        ["service: [top, head], with: { by: words },", "{", /head: with must not have "by"$/],
      ];
      for (const [task, at, says] of refused) {
        const error = refusal(withOptions(task), { catalog });
        expect(error.place, task).to.deep.equal({ line: 15, column: "  report: { ".length + task.indexOf(at) + 1 });
        expect(error.shortMessage).to.match(says);
      }
      expect(refusal(withOptions("service: top, with: { mots: 3 },"), { catalog }).action).to.equal(
        "options of top: by, most (docs/missions.md)",
      );
    });

    it("are part of a plan's identity", () => {
      const idOf = (text: string) => {
        const [task] = parseMissionFile(text, { ...options, catalog: [...CATALOG, known("hash-x", topOf({ most }))] }).tasks;
        return task?.plan === null || task?.plan === undefined ? "" : planId(task.plan);
      };
      const lots = (options: string) =>
        edited(
          "{ service: fetch-and-parse, over: input, tier: 1 }",
          `{ goal: g, over: input, output: a, tasks: { a: { service: hash-x, over: input, tier: 1${options} } } }`,
        );
      expect(idOf(lots(""))).to.equal(idOf(lots(", with: { most: 10 }")));
      expect(idOf(lots(""))).not.to.equal(idOf(lots(", with: { most: 11 }")));
    });
  });

  it("refuses task budgets that exceed the mission's", () => {
    expect(refusal(edited("over: input, tier: 1", "over: input, tier: 1, budget: 1200.01")).code).to.equal("InvalidBudget");
  });

  it("refuses an input that is not there, when it can look", () => {
    const error = refusal(base, { inputExists: (path: string) => path !== "../node_modules" });
    expect([error.code, error.place]).to.deep.equal(["InputNotFound", { line: 7, column: 32 }]);
  });

  describe("with a goal and no tasks", () => {
    const tasks = /tasks:[\s\S]*?(?=output:)/;
    const output = /output:[\s\S]*?(?=\n\w|$)/;
    const goalAlone = base.replace(tasks, "").replace(output, "");

    it("leaves tasks and output to the producers", () => {
      const file = parseMissionFile(goalAlone, options);
      expect([file.tasks, file.output, isPlanned(file)]).to.deep.equal([[], null, false]);
    });

    it("refuses an output without tasks, tasks without an output, and an empty list of tasks", () => {
      expect(refusal(base.replace(tasks, "")).code).to.equal("UnknownTask");
      expect(refusal(base.replace(output, "")).code).to.equal("MissingField");
      const empty = refusal(base.replace(tasks, "tasks: {}\n"));
      expect([empty.code, empty.action]).to.deep.equal([
        "MissingField",
        "list tasks, or leave out `tasks` and `output`: then the producers plan the goal",
      ]);
    });

    it("takes a plan's tasks after the checks of a file written by hand", () => {
      const brief = parseMissionFile(goalAlone, options);
      const read = { service: "fetch-and-parse", over: "input" as const, tier: 1 as const };
      const report = { service: "aggregate", after: ["read"], tier: 3 as const };
      const output = { task: "report", format: "markdown" as const };
      const planned = missionOfPlan(brief, { tasks: { report, read }, output }, CATALOG);
      expect(planned.tasks.map(({ name, after }) => [name, after])).to.deep.equal([
        ["read", []],
        ["report", ["read"]],
      ]);
      expect([planned.budget, planned.deadline, planned.planned]).to.deep.equal([brief.budget, brief.deadline, true]);
      expect(() => missionOfPlan(brief, { tasks: { report }, output }, CATALOG))
        .to.throw(MissionFileError)
        .with.property("code", "UnknownTask");
    });
  });

  it("refuses what only looks like a mission file, by name and without hanging", () => {
    const corpus: readonly (readonly [string, string])[] = [
      ["", "YamlSyntax"],
      ["[]", "YamlSyntax"],
      ["just words", "YamlSyntax"],
      [`x: ${"[".repeat(60_000)}`, "YamlSyntax"],
      [`x: ${"{a: ".repeat(15_000)}`, "YamlSyntax"],
      [`${"- ".repeat(30_000)}x`, "YamlSyntax"],
      ["--- a\n--- b", "YamlSyntax"],
      ["a: !!js/function 'x'", "YamlSyntax"],
      ["? [a]\n: b", "YamlSyntax"],
      ["\tmission: x", "YamlSyntax"],
      ["x".repeat(65_537), "MissionFileTooLarge"],
      ["a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]", "AliasNotAllowed"],
      ["<<: { mission: x }", "UnknownKey"],
    ];
    for (const [text, code] of corpus) expect(refusal(text).code, text.slice(0, 40)).to.equal(code);
  });

  it("refuses every file cut short or with one line removed, or finds it still valid; it never throws anything else", () => {
    const lines = base.split("\n");
    for (let index = 0; index < lines.length; index += 1) {
      for (const text of [lines.slice(0, index).join("\n"), lines.filter((_, line) => line !== index).join("\n")]) {
        try {
          parseMissionFile(text, options);
        } catch (error) {
          expect(error).to.be.instanceOf(MissionFileError);
        }
      }
    }
  });

  it("accepts what the generator of mission files makes", () => {
    const arbitrary = missionFiles({ paths: { packages: "node_modules", files: "docs", csv: "data.csv" } });
    fc.assert(
      fc.property(arbitrary, (generated) => {
        const file = parseMissionFile(generated.yaml, options);
        expect(file.tasks.map(({ name }) => name)).to.have.members(generated.tasks.map(({ name }) => name));
        for (const [index, task] of file.tasks.entries()) {
          const before = file.tasks.slice(0, index).map(({ name }) => name);
          expect(before).to.include.members([...task.after]);
          expect(task.overInput || task.after.length > 0).to.equal(true);
        }
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});

describe("protocol/duration and nearest", () => {
  it("reads durations", () => {
    const read = ["30m", "90s", "1h30m", "2d", "1d2h3m4s", "", "30", "m", "1m1h", "-1m", "0s", "1.5h"].map(parseDuration);
    expect(read).to.deep.equal([1_800, 90, 5_400, 172_800, 93_784, ...Array(7).fill(undefined)]);
  });

  it("finds the name that was meant, and none when nothing is near", () => {
    expect(editDistance("kitten", "sitting")).to.equal(3);
    expect(nearest("teir", ["tier", "over", "after"])).to.equal("tier");
    expect(nearest("zzzzzz", ["tier", "over", "after"])).to.equal(undefined);
    expect(nearest("x", [])).to.equal(undefined);
  });
});
