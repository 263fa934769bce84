import { expect } from "chai";
import fc from "fast-check";
import { renderReport } from "../../orchestrator/city/report/render-report.ts";
import { paintFor } from "../../orchestrator/cli/paint.ts";
import { renderScreen } from "../../orchestrator/cli/screen.ts";
import { SCREEN_WIDTH } from "../../orchestrator/cli/screen-parts.ts";
import { textWidth, wrapped } from "../../orchestrator/cli/text-width.ts";
import type { JsonObject } from "../../orchestrator/primitives/json.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { executor, node, outcomeLike } from "../support/outcome.ts";

const DOCUMENT = "# Topics\n\nThree notes.\n\n| topic | notes |\n|---|---|\n| access | 2 |\n| storage | 1 |\n";

function screenOf(
  outcome: Outcome,
  { explain = false, outputs = [{ items: [], document: DOCUMENT }] as readonly JsonObject[] } = {},
): string {
  const report = renderReport(outcome, outputs);
  return renderScreen(outcome, { home: ".agentcity", report, elapsed: 20.4, explain, paint: (text) => text });
}

/** Without line breaks. */
const flat = (screen: string): string => screen.replace(/\s+/g, " ");
const headingsOf = (screen: string): string[] => screen.match(/^[A-Z]{2,}(?= |$)/gm) ?? [];

describe("the screen", () => {
  it("says what came out first, then how it came about, then what it cost", () => {
    const screen = screenOf(outcomeLike());
    expect(headingsOf(screen)).to.deep.equal([
      "COMPLETED",
      "ASKED",
      "RESULT",
      "REPORT",
      "UNSURE",
      "LAW",
      "WORK",
      "HUMAN",
      "COST",
      "CHECK",
      "MORE",
    ]);
    expect(screen).to.match(/^COMPLETED {2}small-notes · 20 s$/m);
    expect(screen).to.match(/^RESULT {2}Topics\n\n {8}Three notes\.\n\n {8}topic {5}notes\n {8}access {4}2\n {8}storage {3}1$/m);
    expect(screen).to.include("REPORT  .agentcity/missions/0xa1a1");
    expect(flat(screen)).to.include(
      "topics: executors differ on 1 of 3 items (label); 100 % agreed, 85 % needed: the majority's answer was taken",
    );
    expect(screen).to.match(/WORK {4}read {4}1 of 1 done by P1\n {8}topics {2}1 of 1 done by P2, P3, P4; in the minority: P4/);
    expect(flat(screen)).to.include("approved by a simulated adjudicator-2; nobody was asked");
    expect(screen).to.include("300.00 tokens deposited, 180.00 spent, 120.00 came back to you");
  });

  it("keeps governance for those who ask for it", () => {
    const governance = /LPR|DSI|MSR|PVRR|fairness|REPUTATION|GAS|TALLY|gas\b.*\d,\d{3}|SELF|ATT\b|N_unaudited/;
    expect(screenOf(outcomeLike())).to.not.match(governance);
    const explained = screenOf(outcomeLike(), { explain: true });
    expect(headingsOf(explained)).to.include.members(["VOTE", "DEBATE", "MARKET", "RUN", "SETTLE", "MONEY", "TALLY", "GAS", "REPUTATION"]);
    expect(explained)
      .to.match(/300\.00 = 170\.00 paid \+ 6\.00 fees/)
      .and.to.match(/fairness 968 \(≥ 600\)/)
      .and.to.match(/topics ✓ REC 2\/3 P4 dissents/);
    expect(explained).to.not.match(/^MORE/m);
  });

  it("says of a mission that failed where and why, which work was stopped and which never began, and who is not asked", () => {
    const failures = [{ attempt: 4, by: ["P8"], reason: "TIMEOUT", words: "its executors did not deliver in time" }];
    const lost = executor("P8", "by-title", { attempt: 4, result: "failed", paid: "0", slashed: "500000000" });
    const screen = screenOf(
      outcomeLike({
        status: "failed",
        released: false,
        failure: { node: "go-1", reason: "go-1 failed: its executors did not deliver in time (4 attempts)", action: "run it again" },
        nodes: [
          node("go-1", { state: "FAILED", end: "failed", attempts: 4, class: "SELF", executors: [lost], failures, output: null }),
          node("go-2", { state: "EXECUTING", end: "stopped", attempts: 4, class: "SELF", executors: [], failures, output: null }),
          node("report", { state: "WAITING", end: "not-started", class: "", executors: [], output: null }),
        ],
        human: [],
        excluded: [{ agent: "P4", reason: "its reputation is 93, below the floor of 100" }],
        slashed: "500000000",
      }),
      { outputs: [], explain: true },
    );
    expect(screen)
      .to.match(/^FAILED {2}small-notes/m)
      .and.to.match(/^FAILED {2}go-1 failed: its executors did not deliver in time \(4 attempts\)/m);
    expect(screen).to.include("What to do: run it again");
    expect(screen).to.include("RESULT  nothing was handed out");
    expect(flat(screen)).to.include("go-1: failed at attempt 4 by P8: its executors did not deliver in time");
    expect(screen).to.include("without P4: its reputation is 93, below the floor of 100");
    expect(flat(screen)).to.include("go-2: stopped with the mission after 1 failed attempt");
    expect(screen).to.include("report: not started");
    expect(screen).to.not.match(/EXECUTING|WAITING|SELF|by $/m);
    expect(screen).to.match(/executors lost 500\.00 of their own stake/);
  });

  it("is never wider than 80 columns, whatever agents and inputs are called, and no escape comes through", () => {
    const evil = "名前のとても長いファイル \u001b[31m\u202e👩‍👩‍👧 ".repeat(8) + "x".repeat(300);
    const nodes = Array.from({ length: 60 }, (_, at) => node(`task-${at}`, { task: `t${at % 3}`, executors: [executor(`P${at}`, evil)] }));
    const table = `| ${evil} | b |\n|---|---|\n| ${evil} | ${"word ".repeat(60)} |\n`;
    const screen = screenOf(
      outcomeLike({
        name: evil,
        goal: evil,
        nodes,
        winner: { entry: 1, letter: "A", title: evil },
        failure: { node: null, reason: evil, action: evil },
      }),
      { explain: true, outputs: [{ items: [], document: `# ${evil}\n\n${table}` }] },
    );
    expect(screen.split("\n").filter((line) => textWidth(line) > SCREEN_WIDTH)).to.deep.equal([]);
    expect(screen).to.not.match(/[^\P{Cc}\n]|\u202e/u);
  });

  it("wraps without losing a word", () => {
    const words = fc.array(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).filter((word) => !/\s/.test(word)),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(words, fc.integer({ min: 30, max: 80 }), (list, width) => {
        const text = list.join(" ");
        expect(wrapped(text, width).join(" ")).to.equal(text);
        for (const line of wrapped(text, width)) expect(textWidth(line)).to.be.at.most(width);
      }),
      { seed: 7, numRuns: 300 },
    );
    expect(textWidth("naïve 名前 👩‍👩‍👧")).to.equal(13);
  });

  it("has colour on a terminal alone, unless its user wants none", () => {
    const bold = (isTTY: boolean, environment: NodeJS.ProcessEnv) => paintFor({ isTTY }, environment)("x", "bold");
    expect(bold(true, { TERM: "xterm" })).to.equal("\u001b[1mx\u001b[22m");
    expect(bold(true, { NO_COLOR: "1" })).to.equal("x");
    expect(bold(true, { TERM: "dumb" })).to.equal("x");
    expect(bold(false, {})).to.equal("x");
  });
});
