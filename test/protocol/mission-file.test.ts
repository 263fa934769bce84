import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import fc from "fast-check";
import { parseDuration } from "../../orchestrator/protocol/duration.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import { MissionFileError } from "../../orchestrator/protocol/mission-file-error.ts";
import { missionFileJsonSchema } from "../../orchestrator/protocol/mission-file-schema.ts";
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
      input: { kind: "packages", path: "node_modules" },
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
      services: null,
    });
  });

  it("reads every sample mission and every optional field", () => {
    for (const name of ["csv-estimates", "incident-notes", "estimates-by-lot"])
      expect(parseMissionFile(sample(name), options).mission).to.equal(name);
    const text = `${edited("over: input, tier: 1", "over: input, tier: 1, budget: 100.5, timeout: 45s, floor: REC")}seed: 7\nservices: my-services\n`;
    const file = parseMissionFile(text, options);
    expect(file.tasks[0]).to.include({ budget: 100_500_000n, timeout: 45, floor: "REC" });
    expect(file).to.include({ seed: 7, services: "my-services" });
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
      ["a report that it would write", "output: { task: report", "output: { task: lots", "ServiceMismatch", /hands up items/],
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
      "licence-by-text",
      "ServiceMismatch",
      9,
      21,
      /does not take input of kind packages/,
    ],
    ["a document nobody writes", "service: aggregate", "service: sort", "ServiceMismatch", 16, 33, /sort writes no document/],
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
      /expected non-empty-output, or the number/,
    ],
    ["a gate that no law has room for", "over: input, tier: 1", "over: input, tier: 1, gate: 65536", "InvalidField", 9, 66, /65535/],
    ["a repeated key", "goal:", "mission: x\ngoal:", "DuplicateKey", 3, 1, /unique/],
    ["a predicate that does not exist", "[every-input-covered,", "[every-input,", "InvalidField", 17, 14, /expected every-input-covered/],
  ];
  for (const [title, from, to, code, line, column, says] of cases) {
    it(`refuses ${title}, and says where`, () => {
      const error = refusal(
        code === "MissingField" && from === "pth"
          ? edited("{ kind: packages, path: node_modules }", "{ kind: packages }")
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

  it("refuses task budgets that exceed the mission's", () => {
    expect(refusal(edited("over: input, tier: 1", "over: input, tier: 1, budget: 1200.01")).code).to.equal("InvalidBudget");
  });

  it("refuses an input that is not there, when it can look", () => {
    const error = refusal(base, { inputExists: (path: string) => path !== "node_modules" });
    expect([error.code, error.place]).to.deep.equal(["InputNotFound", { line: 7, column: 32 }]);
  });

  it("says that a goal without tasks needs a model", () => {
    for (const text of [base.replace(/tasks:[\s\S]*?(?=output:)/, ""), base.replace(/tasks:[\s\S]*?(?=output:)/, "tasks: {}\n")]) {
      const error = refusal(text);
      expect(error.code).to.equal("GoalNeedsTasks");
      expect(error.action).to.match(/--model/);
    }
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

  it("offers its shape as JSON Schema", () => {
    expect(missionFileJsonSchema()).to.have.nested.property("properties.tasks");
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
