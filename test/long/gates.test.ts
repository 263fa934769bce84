import { join } from "node:path";
import { expect } from "chai";
import { readArtifact } from "../../deploy/artifacts.ts";
import type { Case } from "../../orchestrator/adjudication/case.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { openContext } from "../../orchestrator/city/audit/context.ts";
import { inspect } from "../../orchestrator/city/audit/inspection.ts";
import { verdicts } from "../../orchestrator/city/audit/verdicts.ts";
import type { City } from "../../orchestrator/city/city.ts";
import type { Address, Hex } from "../../orchestrator/primitives/hex.ts";
import { NAMED_GATES } from "../../orchestrator/protocol/gates.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import { decodeLaw } from "../../orchestrator/rules/law-codec.ts";
import { lying, replaced } from "../city/audit/lies.ts";
import { carryOutIn, openHome, purseOf } from "../support/city-home.ts";
import { OVERRIDE, runCli } from "../support/cli.ts";
import { rejection } from "../support/rejection.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const NAME = "non-empty-output";
const STRICT = 9;
/** A predicate that lets nothing pass: it answers every call with 0. PUSH0 PUSH0 MSTORE PUSH1 32 PUSH0 RETURN, and what deploys that. */
const REFUSAL: Hex = "0x665f5f5260205ff35f5260076019f3";

/** One task's outputs all pass their gate; the other's gate lets nothing pass, and people decide. */
describe("scenario: gates that a mission file names", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const cases: Case[] = [];
  let home: string;
  let unapproved: Error;
  let city: City;
  let outcome: Outcome;
  const ofTask = (task: string) => outcome.nodes.filter(({ label }) => label.startsWith(task));
  const mission = () => city.client.mission(outcome.mission as Address);
  const text = (gates: { readonly read: unknown; readonly report: unknown }) =>
    smallMission(smallInputs(directory(), CALM_ROWS).csv, {
      tasks: {
        read: { service: "fetch-and-parse", over: "input", tier: 1, gate: gates.read },
        report: { service: "aggregate", after: ["read"], tier: 1, gate: gates.report },
      },
    });

  /** Anybody deploys a predicate; an adjudicator lets laws name it. */
  async function approve(id: number, data: Hex): Promise<void> {
    const { contractAddress } = await city.sender.send({ intent: intentKey("deploy predicate", id), data });
    const args = ["predicate", String(id), contractAddress ?? "", "--as", "adjudicator-1", "--because", "Read line by line."];
    const run = await runCli(args, { home, program: OVERRIDE });
    expect(run.code, run.stderr).to.equal(0);
  }

  before(async () => {
    home = join(directory(), "home");
    city = await openHome(home, "23");
    unapproved = await rejection(carryOutIn(city, text({ read: NAME, report: NAME }), { id: "early", home }));
    await approve(NAMED_GATES[NAME].number, readArtifact(NAMED_GATES[NAME].contract).bytecode);
    await approve(STRICT, REFUSAL);
    outcome = await carryOutIn(city, text({ read: NAME, report: STRICT }), {
      id: "gated",
      home,
      judge: {
        simulated: false,
        decide: async (subject) => {
          cases.push(subject);
          return { ruling: cases.length === 1 ? "reject" : "approve", justification: "The report was read beside its rows." };
        },
      },
    });
  });
  after(() => city?.close());

  it("cost nothing before adjudicators approved the shipped one, and the error is the whole command", async () => {
    const [, contract] = /npm run override -- predicate 1 (0x[0-9a-fA-F]{40}) --as adjudicator-1 --because/.exec(unapproved.message) ?? [];
    expect(await city.chain.publicClient.getCode({ address: contract as Address })).to.equal(
      readArtifact(NAMED_GATES[NAME].contract).runtime.code,
    );
  });

  it("are in the law, by number, for every node of their task", async () => {
    const { nodes } = decodeLaw(await mission().law());
    const expected = outcome.nodes.map(({ label }) => (label.startsWith("read") ? NAMED_GATES[NAME].number : STRICT));
    expect(nodes.map(({ predicate }) => predicate)).to.deep.equal(expected);
  });

  it("let pass what their predicate allows, and ask nobody", async () => {
    expect(ofTask("read").map(({ state, attempts }) => [state, attempts])).to.deep.equal(ofTask("read").map(() => ["COMPLETED", 1]));
    const decided = await mission().history("GateDecided");
    expect(decided.filter(({ args }) => args.allowed)).to.have.length(ofTask("read").length);
  });

  it("bring to a human what it vetoes: rejected, the node is tried again; approved, its output goes out", async () => {
    expect(cases.map(({ label, reason }) => [label, reason])).to.deep.equal([
      ["report", "vetoed"],
      ["report", "vetoed"],
    ]);
    expect(ofTask("report")).to.have.length(1);
    expect(ofTask("report")[0]).to.deep.include({ state: "COMPLETED", attempts: 2 });
    expect(outcome.human.map(({ action, simulated }) => [action, simulated])).to.deep.equal([
      ["rejected", false],
      ["approved", false],
    ]);
    expect(outcome).to.deep.include({ status: "completed", slashed: "0" });
    expect(outcome.released).to.equal(true);
    expect(balances(outcome.money)).to.equal(true);
  });

  it("are counted by the Gate Rejection Rate", () => {
    expect(outcome.execution.grr).to.deep.equal({ part: 2, whole: ofTask("read").length + 2 });
  });

  it("are asked again by the audit", async () => {
    const { passed, checks } = await auditBundle(outcome.bundle ?? "");
    expect(passed).to.equal(true);
    expect(checks.find(({ name }) => name === "VERDICTS")?.findings).to.deep.equal([]);
  });

  it("veto the whole output, for good: whose work passed is paid, nothing is handed out, and the audit asks again", async () => {
    const tasks = {
      read: { service: "fetch-and-parse", over: "input", tier: 1 },
      report: { service: "aggregate", after: ["read"], tier: 1 },
    };
    const of = (gate: unknown) =>
      smallMission(smallInputs(directory(), CALM_ROWS).csv, { tasks, output: { task: "report", format: "markdown", gate } });
    const vetoed = await carryOutIn(city, of(STRICT), { id: "vetoed", home });
    expect(vetoed).to.deep.include({ status: "failed", released: false, slashed: "0" });
    expect(vetoed.failure?.reason).to.contain("the gate that the mission file names for its output vetoes it");
    expect(vetoed.nodes.map(({ state }) => state)).to.deep.equal(vetoed.nodes.map(() => "COMPLETED"));
    expect(BigInt(vetoed.money.paid) > 0n && balances(vetoed.money)).to.equal(true);
    const contract = city.client.mission(vetoed.mission as Address);
    expect(decodeLaw(await contract.law()).header.outputPredicate).to.equal(STRICT);
    expect((await auditBundle(vetoed.bundle ?? "")).passed).to.equal(true);

    const context = await openContext(openBundle(vetoed.bundle ?? ""));
    try {
      const change = (args: unknown) => replaced(args, "allowed", () => true);
      const lie = lying(context, { about: "CollaborationContract.OutputDecided", change });
      const { findings } = await inspect(verdicts, [lie]);
      expect(findings.map(({ subject }) => subject)).to.deep.equal(["gate of the output"]);
    } finally {
      await context.chain.close();
    }
    const passed = await carryOutIn(city, of(NAME), { id: "let out", home });
    expect(passed).to.deep.include({ status: "completed", released: true });
  });

  it("cost nothing where adjudicators approved none under that number", async () => {
    const before = await purseOf(city);
    const refused = await rejection(carryOutIn(city, text({ read: 8, report: NAME }), { id: "unknown", home }));
    expect(refused.name).to.equal("GoalNotFeasible");
    expect(refused.message).to.contain("read names the gate 8, but adjudicators approved no predicate 8");
    expect(await purseOf(city)).to.equal(before);
  });
});
