// @long
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { lineChart, ticks } from "../../orchestrator/economy/chart.ts";
import { beyond, comparability, HYPOTHESES } from "../../orchestrator/economy/hypotheses.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { kindOf } from "../../scripts/economy/results.ts";
import { type CliOptions, PROJECT, refusalIn, runCli } from "../support/cli.ts";
import { modelServer } from "../support/model-server.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("an economy's campaign", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const folder = () => join(directory(), "campaign");
  const run = (...words: (string | Pick<CliOptions, "interrupt">)[]) => {
    const args = words.filter((word) => typeof word === "string");
    const [options = {}] = words.filter((word) => typeof word !== "string");
    const campaign = ["--experiment", "1", "--seeds", "2", "--scales", "20", "--milestones", "1", "--out", folder()];
    return runCli(["economy", ...campaign, ...args, "--json"], {
      home: join(directory(), "home"),
      cwd: directory(),
      ...options,
    });
  };
  const files = () => readdirSync(folder(), { recursive: true, encoding: "utf8" }).sort();
  const contents = () =>
    new Map(
      files()
        .filter((name) => /\.\w+$/.test(name))
        .map((name) => [name, readFileSync(join(folder(), name), "utf8")]),
    );
  let first: ReadonlyMap<string, string>;

  it("writes runs, summary, report and pictures, and one document", async () => {
    const ended = await run();
    expect(ended.code, ended.stderr).to.equal(0);
    expect(ended.stderr).to.match(/8 of 8/);
    first = contents();
    const summary = JSON.parse(ended.stdout);
    expect(JSON.parse(first.get("summary.json") ?? "")).to.deep.equal(summary);
    expect([...first.keys()].filter((name) => name.endsWith(".ndjson"))).to.have.length(8);
    const verdicts = new Map(summary.findings.map(({ id, verdict }: { id: string; verdict: string }) => [id, verdict]));
    expect([...verdicts.keys()]).to.deep.equal(HYPOTHESES.map(({ id }) => id));
    const unmeasured = [...verdicts].filter(([, verdict]) => verdict === "not measured").map(([id]) => id);
    expect(unmeasured, "what needs fifty agents, many scales, or more milestones").to.deep.equal([
      "H1a",
      "H2d",
      "H2h",
      "H2i",
      "H3e",
      "H4a",
      "H4b",
      "H4c",
      "H4d",
      "H5a",
      "H5b",
    ]);
    expect(summary.notRun).to.deep.equal([]);
    expect(summary.comparisons.every(({ measured }: { measured: boolean }) => measured)).to.equal(true);
    const full = summary.cells.find(({ configuration }: { configuration: string }) => configuration === "full");
    expect(full.metrics.transactions.mean).to.be.above(100);
    expect(full.metrics.REC.mean).to.be.within(0, 4);
    expect(full.metrics.CCR.mean, "who was bound to work committed").to.equal(1);
    const [origin, ...others] = JSON.parse(first.get("origin.json") ?? "");
    expect(others).to.deep.equal([]);
    expect(origin.commit).to.match(/^([0-9a-f]{12}|unknown)$/);
    expect(origin.machine).to.match(/\d cores.*Node v\d/);
    expect(first.get("alerts.csv"), "breaches that adjudicators were asked about").to.match(/^alert,kind,facts,answers\n1,/);
    expect(summary.gas.map(({ name }: { name: string }) => name)).to.include("ExecutionProcedure.bidAll");
  });

  it("has a page that opens offline, with every picture in it", () => {
    const html = first.get("report.html") ?? "";
    expect(html.match(/<svg /g)).to.have.length([...first.keys()].filter((name) => name.endsWith(".svg")).length);
    expect(html).to.not.match(/<img|<script|src=|href=|NaN|undefined/);
    expect(html).to.contain("The paper's minimum viable outcome is not reached here").and.contain("The other pairs, at the same threshold");
    for (const [name, svg] of first) if (name.endsWith(".svg")) expect(svg, name).to.not.match(/NaN|undefined|Infinity/);
  });

  it("goes on after an interruption and ends with the same bytes", async () => {
    rmSync(join(folder(), "runs", "full-20-as-written-2.ndjson"));
    rmSync(join(folder(), "report.html"));
    const kept = await run("--kept");
    expect(JSON.parse(kept.stdout).seeds, "the seed that is whole, and nothing is run for it").to.deep.equal([1]);
    expect(kept.stderr).to.not.match(/runs,/);
    const again = await run("--resume");
    expect(again.code, again.stderr).to.equal(0);
    expect(again.stderr).to.match(/8 runs, 7 of them kept/);
    expect(contents()).to.deep.equal(first);
  });

  it("stops when it is asked to, and names the command that goes on", async () => {
    const out = join(directory(), "stopped");
    const stopped = await run("--out", out, { interrupt: { when: /0 of them kept/, signal: "SIGINT" } });
    expect(stopped.code).to.equal(130);
    expect(JSON.parse(stopped.stdout).continue).to.match(/economy --experiment 1 .*--resume$/);
  });

  it("leaves no worker behind: one whose campaign is gone ends", async () => {
    const worker = join(PROJECT, "scripts", "economy", "worker.ts");
    const cells = [{ configuration: "full", agents: 20, seed: 3, variant: "as written" }];
    const child = spawn(process.execPath, [worker, directory(), JSON.stringify(cells)], { stdio: ["pipe", "ignore", "ignore"] });
    child.stdin?.end();
    const [code] = await once(child, "close");
    expect(code).to.equal(1);
  });

  it("refuses a folder that is taken and a run that is damaged, by name", async () => {
    expect(refusalIn(await run()).code).to.equal("CampaignExists");
    expect(refusalIn(await run("--resume", "--seeds", "3")).code).to.equal("CampaignExists");
    const damaged = join(folder(), "runs", "baseline-20-as-written-1.ndjson");
    writeFileSync(damaged, readFileSync(damaged, "utf8").slice(0, -20));
    expect(refusalIn(await run("--resume")).code).to.equal("RunDamaged");
    expect((await run("--scales", "many")).code).to.equal(2);
  });

  it("refuses what would fail at the end before anything is run, and leaves no folder", async () => {
    const out = join(directory(), "none");
    const cases = [
      ["UnknownModel", "--model", "foo"],
      ["BadRatings", "--ratings", join(directory(), "no-such-file")],
      ["NothingKept", "--kept"],
    ] as const;
    for (const [code, ...words] of cases) expect(refusalIn(await run("--out", out, ...words)).code).to.equal(code);
    expect(existsSync(out)).to.equal(false);
  });
});

describe("an economy's campaign of sessions alone", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const run = (...args: string[]) =>
    runCli(["economy", ...args, "--out", join(directory(), "campaign"), "--json"], {
      home: join(directory(), "home"),
      cwd: directory(),
    });

  it("counts statements and time by drafts, and judges nothing", async () => {
    const ended = await run("--experiment", "2", "--drafts", "--seeds", "1", "--scales", "20,50");
    expect(ended.code, ended.stderr).to.equal(0);
    const summary = JSON.parse(ended.stdout);
    expect(summary.ballots.map(({ agents, drafts }: Record<string, unknown>) => [agents, drafts])).to.deep.equal([
      [50, 3],
      [50, 8],
      [50, 20],
    ]);
    for (const { messages, seconds } of summary.ballots) {
      expect(messages.mean).to.be.above(100);
      expect(seconds.mean).to.be.above(0);
    }
    expect(kindOf(summary)).to.equal("-drafts");
    const text = readFileSync(join(directory(), "campaign", "report.md"), "utf8");
    expect(text)
      .to.contain("## Sessions by drafts")
      .and.contain("Seeds 1.")
      .and.not.match(/Hypotheses|NaN|undefined/);
  });

  it("is refused where there is nothing to hold a session for", async () => {
    for (const args of [
      ["--experiment", "1", "--drafts"],
      ["--experiment", "2", "--drafts", "--scales", "20"],
      ["--experiment", "2", "--drafts", "--configurations", "baseline"],
    ])
      expect((await run(...args)).code, args.join(" ")).to.equal(2);
  });
});

describe("a campaign's results", () => {
  it("have a page for each kind of campaign", () => {
    const cells = (agents: number) =>
      [{ configuration: "full", agents, variant: "as written", seeds: 1, metrics: {}, recovered: { seeds: 0, rounds: null } }] as const;
    const of = (agents: number, notRun: readonly string[] = []) =>
      ({ experiment: 1, notRun, sensitivity: [], cells: cells(agents) }) as const;
    expect([
      kindOf(of(200)),
      kindOf(of(1000)),
      kindOf(of(200, ["baseline", "emergent", "structural"])),
      kindOf(of(200, ["full"])),
    ]).to.deep.equal(["-contracts", "-1000", "-full", ""]);
  });
});

describe("an economy's campaign with a chat model", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const server = modelServer();

  it("runs once more with the model of a local server deciding, and compares both in its report", async () => {
    server.answer = () => ({ content: JSON.stringify({ harvest: 1, report: "truth", work: "real", limit: 1, reviewers: 1 }) });
    const out = join(directory(), "campaign");
    const words =
      "economy --experiment 1 --seeds 1 --scales 5 --milestones 1 --configurations baseline,emergent --processes 1 --json".split(" ");
    const ended = await runCli([...words, "--model", "openai:local", "--out", out], {
      home: join(directory(), "home"),
      cwd: directory(),
      env: { OPENAI_API_KEY: "none", OPENAI_BASE_URL: server.url },
    });
    expect(ended.code, ended.stderr).to.equal(0);
    expect(server.asked.length, "five agents, twenty rounds, two configurations, and who joins in the shock").to.be.at.least(200);
    const { models } = JSON.parse(ended.stdout);
    expect(models.map(({ configuration, csr, excluded }: Record<string, unknown>) => [configuration, csr, excluded])).to.deep.equal([
      ["baseline", 1, false],
      ["emergent", 1, false],
    ]);
    expect(readFileSync(join(out, "report.md"), "utf8"))
      .to.contain("## Chat models")
      .and.contain("model openai:local");
  });
});

describe("a verdict", () => {
  const judged = (values: readonly number[]) => beyond(values, { below: 0.4 }, { above: 0.6 }, 0.05 / 6, randomStream(7)).verdict;
  const seeds = (from: number) => Array.from({ length: 10 }, (_, at) => from + at / 100);

  it("is supported beyond the threshold with enough seeds, falsified beyond the other, else inconclusive", () => {
    expect(judged(seeds(0.1))).to.equal("supported");
    // The mean of 0.10 to 0.19 is 0.255 below 0.4, and their standard deviation is 0.0303.
    const { effect } = beyond(seeds(0.1), { below: 0.4 }, { above: 0.6 }, 0.05 / 6, randomStream(7));
    expect(Math.abs((effect ?? Number.NaN) - 0.255 / 0.030277)).to.be.below(1e-3);
    expect(judged(seeds(0.1).slice(0, 5)), "five seeds cannot show it").to.equal("inconclusive");
    expect(judged(seeds(0.45))).to.equal("inconclusive");
    expect(judged(seeds(0.7))).to.equal("falsified");
    expect(judged([])).to.equal("not measured");
  });

  it("on GovSim depends on compliance without rules", () => {
    expect([0.61, 0.5, 0.39].map((csr) => comparability(csr).split(" ")[0])).to.deep.equal(["above", "between", "below"]);
  });
});

describe("a chart", () => {
  it("has round numbers on its axes, and nothing from a name that is markup", () => {
    expect(ticks(0, 1)).to.deep.equal([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(ticks(-3, 17)).to.deep.equal([0, 5, 10, 15]);
    const svg = lineChart({
      title: "<b>",
      x: "x",
      y: "y",
      series: [
        {
          name: "a & b",
          points: [
            [1, 1],
            [10, 2],
          ],
        },
      ],
      logarithmic: true,
    });
    expect(svg).to.contain("&lt;b&gt;").and.contain("a &amp; b").and.not.contain("<b>");
  });
});
