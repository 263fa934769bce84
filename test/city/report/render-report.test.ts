import { expect } from "chai";
import MarkdownIt from "markdown-it";
import { renderReport } from "../../../orchestrator/city/report/render-report.ts";
import { type Outcome, outcomeSchema, totalOf } from "../../../orchestrator/protocol/outcome.ts";
import { executor, MONEY, node, outcomeLike } from "../../support/outcome.ts";

const DOCUMENT = "# Topics\n\n| topic | notes |\n|---|---|\n| access | 2 |\n| storage | 1 |\n";
const OUTPUT = { items: [{ id: "notes/a.md", label: "access", value: 2 }], document: DOCUMENT };
const reader = new MarkdownIt({ html: true, linkify: true });

function headingsOf(report: string): string[] {
  const tokens = reader.parse(report, {});
  return tokens.flatMap((token, at) =>
    token.type === "heading_open" && token.level === 0 ? [`${token.tag} ${tokens[at + 1]?.content ?? ""}`] : [],
  );
}

/** One node failed at its second attempt, one never began. */
const FAILED: Partial<Outcome> = {
  status: "failed",
  nodes: [
    node("read"),
    node("topics", {
      state: "FAILED",
      end: "failed",
      tier: 2,
      attempts: 2,
      executors: [executor("P2", "by-title", { result: "failed", paid: "0" }), executor("P4", "by-words", { result: "failed", paid: "0" })],
      failures: [
        { attempt: 1, by: ["P2"], reason: "TIMEOUT", words: "its executors did not deliver in time" },
        { attempt: 2, by: ["P4"], reason: "UNVERIFIABLE", words: "too few of its executors agreed" },
      ],
      output: null,
    }),
    node("report", { state: "WAITING", end: "not-started", class: "", executors: [], output: null }),
  ],
  failure: { node: "topics", reason: "topics failed: too few of its executors agreed (2 attempts)", action: "lower agree.atLeast" },
  released: false,
};

describe("report of an order", () => {
  it("answers in order: what was asked, what came out, what is uncertain, who did it, what it cost, how to check", () => {
    const report = renderReport(outcomeLike(), [OUTPUT]);
    expect(outcomeSchema.parse(outcomeLike())).to.deep.equal(outcomeLike());
    expect(headingsOf(report)).to.deep.equal([
      "h1 small-notes: completed",
      "h2 What was asked",
      "h2 What came out",
      "h2 What is uncertain",
      "h2 Who did what",
      "h2 What it cost",
      "h2 How to check it",
    ]);
    expect(report).to.include("Sort three notes by topic.\n\nInput: 3 items of kind files; all could be read.");
    expect(report).to.include("> ### Topics\n>\n> | topic | notes |\n> | --- | --- |\n> | access | 2 |\n");
    expect(report).to.include("| `notes/a.md` | access | access | storage | access |");
    expect(report).to.include("on 100 %; the law asks for 85 %, so their answer was taken");
    expect(report).to.include("No human looked at this: 1 decision of adjudicators was simulated.");
    expect(report).to.include("300.00 tokens were deposited, 180.00 were spent, 120.00 came back to the sponsor.");
    expect(report).to.include(`npm run audit -- ${outcomeLike().mission}`);
  });

  it("says of a mission that failed where, at which attempt and why, and what to do", () => {
    const report = renderReport(outcomeLike(FAILED), []);
    expect(headingsOf(report)).to.include.members(["h1 small-notes: failed", "h2 Why it failed"]);
    expect(report).to.include("Topics failed: too few of its executors agreed (2 attempts).\n\nWhat to do: Lower `agree.atLeast`.");
    expect(report).to.include("| failed at attempt 2 by P4: too few of its executors agreed |");
    expect(report).to.include("| report |  | not started |");
    expect(report).to.include("Nothing was handed out.");
  });

  it("says who ended a mission and why, which service failed it, and what was done by then", () => {
    const because = "The notes name customers: see https://example.org/rules.";
    const human = [
      { node: "the mission", action: "ended the mission", adjudicator: "adjudicator-2", simulated: false, because },
      { node: "topics", action: "approved", adjudicator: "adjudicator-3", simulated: true, because: "SIMULATED: fine" },
    ];
    const crashed = executor("P4", "by-words", { result: "stopped", paid: "0", fault: "crash: TypeError: no severity" });
    const nodes = [node("read"), node("topics", { state: "ROUTED", end: "stopped", executors: [crashed], output: null })];
    const report = renderReport(outcomeLike({ status: "aborted", released: false, nodes, human }), []);
    expect(report).to.include('* adjudicator-2 ended the mission: "The notes name customers: see `https://example.org/rules`."\n');
    expect(report).to.include("* topics: adjudicator-3 approved (simulated: nobody was asked)").and.to.not.include("SIMULATED: fine");
    expect(report).to.include("| its service failed: crash: TypeError: no severity |");
    expect(report).to.include('Nothing was handed out. 1 task was done before: "Who did what" names the files with their output.');
    expect(report).to.include("| law 1 (ended early) |");
  });

  it("says of an order without a law why, and that there is nothing to audit", () => {
    const report = renderReport(
      outcomeLike({
        ...{ status: "no-law", mission: null, bundle: null, winner: null, nodes: [], human: [], released: false, format: null },
        failure: { node: null, reason: 'no law was made: "no law" won the vote', action: "try again" },
      }),
      [],
    );
    expect(headingsOf(report).slice(0, 3)).to.deep.equal(["h1 small-notes: no law was made", "h2 What was asked", "h2 Why it failed"]);
    expect(report).to.include('No law was made: "no law" won the vote.');
    expect(report).to.include("there is no bundle to audit");
  });

  it("adds up what several laws cost", () => {
    const first = { ...MONEY, deposit: "500000000", paid: "190000000", fees: "6000000", insurance: "4000000", refunded: "300000000" };
    const epochs: Outcome["epochs"] = [
      { epoch: 0, session: "1", mission: "0x01", status: "failed", cause: null, money: first },
      { epoch: 1, session: "2", mission: "0x02", status: "completed", cause: null, money: MONEY },
    ];
    const total = totalOf(epochs);
    expect(total).to.include({ deposit: "500000000", paid: "360000000", fees: "12000000", refunded: "120000000" });
    const report = renderReport(outcomeLike({ epochs, total }), [OUTPUT]);
    expect(report).to.include("500.00 tokens were deposited, 380.00 were spent, 120.00 came back to the sponsor.");
    expect(report).to.include("| together | 500.00 | 360.00 | 12.00 | 8.00 | 120.00 |");
  });

  it("shows items where no document was written, and stays short whatever there is", () => {
    const items = Array.from({ length: 50_000 }, (_, row) => ({ id: `row-${row}`, value: row, nested: { a: 1 } }));
    const nodes = Array.from({ length: 256 }, (_, at) => node(`read-${at}`));
    const report = renderReport(outcomeLike({ nodes, input: { kind: "csv", items: 50_000, unreadable: { count: 0, first: [] } } }), [
      { items },
    ]);
    expect(report).to.include("50,000 items, no document:");
    expect(report).to.include("| row-0 | 0 |").and.to.include("… 49,980 more");
    expect(report).to.include("… 216 more");
    expect(report.split("\n").length).to.be.below(150);
  });

  it("lets nobody write into it: names, values, problems and documents are text", () => {
    const evil = "a |\n\n# PAID\n<script>x</script>\u001b[31m\u202e[x](https://evil.example) `";
    const [read, topics, report] = outcomeLike().nodes;
    const disagreement = topics?.disagreement;
    if (read === undefined || topics === undefined || report === undefined || disagreement == null) throw new Error("no nodes");
    const first = [
      {
        id: evil,
        answers: [
          { by: evil, value: evil },
          { by: `${evil}2`, value: null },
        ],
        chosen: evil,
      },
    ];
    const text = renderReport(
      outcomeLike({
        name: evil,
        goal: evil,
        input: { kind: evil, items: 3, unreadable: { count: 1, first: [{ id: evil, problem: evil }] } },
        nodes: [
          { ...read, label: evil, executors: [executor(evil, evil)] },
          { ...topics, disagreement: { ...disagreement, field: evil, first } },
          { ...report, end: "failed", failures: [{ attempt: 1, by: [evil], reason: evil, words: evil }] },
        ],
        human: [{ node: evil, action: evil, adjudicator: evil, simulated: false, because: evil }],
        failure: { node: evil, reason: evil, action: evil },
      }),
      [
        { items: [{ id: evil, [evil]: evil }], document: evil },
        { items: [], document: `${evil}\n\n## What it cost\n\nnothing` },
      ],
    );
    expect(text).to.not.match(/[^\P{Cc}\n]|\u202e/u);
    expect(reader.render(text)).to.not.match(/<(?:script|a|img)\b/);
    expect(headingsOf(text).map((heading) => heading.slice(0, 2))).to.deep.equal(["h1", "h2", "h2", "h2", "h2", "h2", "h2", "h2"]);
    expect(headingsOf(text).filter((heading) => heading === "h2 What it cost")).to.have.length(1);
  });
});
