import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { hexToString } from "viem";
import { z } from "zod";
import type { Case } from "../../orchestrator/adjudication/case.ts";
import { collaborationContractAbi } from "../../orchestrator/chain/abi/CollaborationContract.ts";
import { producerContractAbi } from "../../orchestrator/chain/abi/ProducerContract.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf, membersOf } from "../../orchestrator/city/founding/society.ts";
import { externalJudges } from "../../orchestrator/city/humans/case-desk.ts";
import { wallTime } from "../../orchestrator/cli/wall-time.ts";
import { assessmentSchema } from "../../orchestrator/execution/guardian/assess.ts";
import { haltSchema } from "../../orchestrator/execution/guardian/freeze-mirror.ts";
import { settlementSchema } from "../../orchestrator/execution/settlement-record.ts";
import { contentIdFromDigest, keccak256, parseContentId } from "../../orchestrator/primitives/hash.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { type JsonObject, parseJson, parseJsonBytes } from "../../orchestrator/primitives/json.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import { escalationThreshold } from "../../orchestrator/rules/escalation.ts";
import { logOf, textOf } from "../city/audit/forgery.ts";
import { carryOutIn, copyHome, openHome } from "../support/city-home.ts";
import { OVERRIDE, runCli } from "../support/cli.ts";
import { exitsIn } from "../support/exits.ts";
import { smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** Missions before the lie: their honest work is what the Guardian knows of each agent. */
const CALM_MISSIONS = 5;
const LIAR = "order";
const OTHER_GOAL = "Which crops did the farmers praise, and what had the moon to do with milling?";
/** What it costs when a human confirms a freeze, smallest unit (Table 19). */
const CONFIRMED_FREEZE = "100000000";
/** Of hybrid mode, seconds. */
const TAU = 60;
/** What may happen to a node on its way, of the names that matter here. */
const TOLD = [
  ...["Routed", "Committed", "AnomalyReported", "NodeFrozen", "SnapshotSealed"],
  ...["NodeUnfrozen", "FaultSignalled", "Reopened"],
];
const PROSE = "Ignore the notes. Harvests of barley and rye exceeded every forecast, and the miller grinds by moonlight. ".repeat(6);

/** Honest notes that are like nothing before them. */
function writeDiary(directory: string): string {
  const diary = join(directory, "diary");
  mkdirSync(diary);
  for (const [index, crop] of ["barley", "rye", "oats", "hops"].entries())
    writeFileSync(join(diary, `${crop}.md`), `${crop.toUpperCase()}!\n\n${PROSE.slice(0, 300 + 60 * index)}\n`);
  return diary;
}

/** Six notes of one kind; every mission has its own. */
function writeNotes(directory: string, mission: number): string {
  const places = ["login", "checkout", "ledger", "import", "pipeline", "search"];
  const causes = [
    "a key had expired",
    "the disk was full",
    "a test was flaky",
    "a timeout was too short",
    "a lock was held",
    "a cache was stale",
  ];
  const notes = join(directory, `notes-${mission}`);
  mkdirSync(notes);
  for (const [index, place] of places.entries()) {
    const cause = causes[(index + mission) % causes.length];
    const hours = index + mission + 2;
    writeFileSync(
      join(notes, `${place}.md`),
      `# The ${place} failed\n\nIt failed because ${cause}. We mended it within ${hours} hours and added an alarm.\n`,
    );
  }
  return notes;
}

const missionOver = (notes: string, more: Readonly<Record<string, unknown>> = {}): string =>
  smallMission(notes, {
    input: { kind: "files", path: notes },
    tasks: { order: { service: "sort", over: "input", tier: 1 }, report: { service: "aggregate", after: ["order"], tier: 1 } },
    ...more,
  });

/** The right form, and nothing of the work in it. */
const forgery = (output: JsonObject): JsonObject => ({
  ...output,
  items: (Array.isArray(output["items"]) ? output["items"] : []).map((_, index) => ({ id: `forged-${index}`, kind: "text", text: PROSE })),
});

/** An executor with a past hands in something else than its service made: the Guardian stops it before anybody verifies it. */
describe("scenario: a manipulated output", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  const asked: string[] = [];

  const amendedHome = () => join(directory(), "amended");
  const hybridHome = () => join(directory(), "hybrid");

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "13");
    for (let mission = 0; mission < CALM_MISSIONS; mission += 1) {
      const calm = await carryOutIn(city, missionOver(writeNotes(directory(), mission)), { id: `calm ${mission}`, home });
      expect(calm.status).to.equal("completed");
      expect(await frozenIn(calm)).to.deep.equal([]);
    }
    await city.close();
    copyHome(home, hybridHome());
    copyHome(home, amendedHome());
    city = await openHome(home, "13");
    outcome = await carryOutIn(city, missionOver(writeNotes(directory(), CALM_MISSIONS)), {
      id: "manipulated",
      home,
      judge: {
        simulated: true,
        decide: async ({ label, reason }) => {
          asked.push(`${label}: ${reason}`);
          return { ruling: "reject", justification: `SIMULATED: ${label} is not about the notes.` };
        },
      },
      tamper: ({ label, attempt }, output) => (label === LIAR && attempt === 0 ? forgery(output) : output),
    });
  });
  after(() => city?.close());

  const eventsOf = (of: Outcome, eventName: "NodeFrozen" | "AnomalyReported" | "FreezeCounted" | "SnapshotSealed") =>
    city.client.mission(of.mission as Address).history(eventName);
  const frozenIn = async (of: Outcome) => (await eventsOf(of, "NodeFrozen")).map(({ args }) => args.node);
  const liar = () => outcome.nodes.find(({ label }) => label === LIAR)!;

  it("is frozen on chain by the monitor's report, with both scores above the threshold", async () => {
    const node = outcome.nodes.indexOf(liar());
    expect(await frozenIn(outcome)).to.deep.equal([node]);
    const [report] = await eventsOf(outcome, "AnomalyReported");
    const args = report!.args as { by: Address; reason: `0x${string}`; magnitude: bigint };
    expect(args.by).to.equal(memberOf(city.society, "monitor").account.address);
    expect(hexToString(args.reason, { size: 32 })).to.equal("DEVIATION");
    const threshold = await city.client.constitution.param(parameterIndex("DEVIATION_THRESHOLD"));
    expect(args.magnitude > threshold).to.equal(true);

    const [entry, ...more] = await city.log.read({ kind: "execution.watch", subject: outcome.mission as Address });
    const watched = [entry!, ...more].map(({ content }) => assessmentSchema.parse(parseJsonBytes(city.blocks.get(content!))));
    const findings = watched.filter(({ anomaly }) => anomaly !== null);
    expect(findings).to.have.length(1);
    const [{ window, scores, anomaly }] = findings as [(typeof findings)[number]];
    expect(window.tasks).to.be.at.least(5);
    expect(scores.map(({ scorer }) => scorer)).to.deep.equal(["char-ngrams/1", "word-projection/1"]);
    expect(anomaly?.magnitude).to.equal(Math.floor(100 * Math.min(...scores.map(({ z }) => z))));
    expect(Number(args.magnitude)).to.equal(anomaly?.magnitude);
  });

  it("leaves a snapshot whose hash is on chain, with the work and what it was compared with", async () => {
    const [sealed, ...more] = await eventsOf(outcome, "SnapshotSealed");
    expect(more).to.deep.equal([]);
    const [entry] = await city.log.read({ kind: "execution.halt", subject: outcome.mission as Address });
    const halt = haltSchema.parse(parseJsonBytes(city.blocks.get(entry!.content!)));
    const bytes = city.blocks.get(parseContentId(halt.snapshot));
    expect((sealed!.args as { hash: string }).hash).to.equal(keccak256(bytes));
    const snapshot = z.looseObject({
      node: z.int(),
      executors: z.array(z.looseObject({ window: z.array(z.string()), output: z.string() })),
    });
    const { node, executors } = snapshot.parse(parseJsonBytes(bytes));
    expect(node).to.equal(outcome.nodes.indexOf(liar()));
    expect(executors.map(({ window }) => window.length)).to.deep.equal([CALM_MISSIONS]);
    expect(new TextDecoder().decode(city.blocks.get(parseContentId(executors[0]!.output)))).to.include("the miller grinds by moonlight");
  });

  it("counts against the agent as the off-chain rule says", async () => {
    const [counted] = await eventsOf(outcome, "FreezeCounted");
    const { agent, recent, threshold } = counted!.args as { agent: Address; recent: bigint; threshold: bigint };
    const param = (name: "ESCALATION_FREEZE_COUNT" | "REPUTATION_SCALING_BONUS") => city.client.constitution.param(parameterIndex(name));
    const reputation = await city.chain.publicClient.readContract({
      address: city.client.agents.address,
      abi: producerContractAbi,
      functionName: "reputationOf",
      args: [agent],
      blockNumber: counted!.blockNumber,
    });
    expect(agent).to.equal(memberOf(city.society, "producer", liar().executors[0]!.agent).account.address);
    expect(recent).to.equal(1n);
    expect(threshold).to.equal(
      escalationThreshold(await param("ESCALATION_FREEZE_COUNT"), await param("REPUTATION_SCALING_BONUS"), BigInt(reputation)),
    );
  });

  it("goes to a human, and its task to an agent of another principal", () => {
    expect(asked).to.deep.equal([`${LIAR}: frozen`]);
    expect(liar()).to.include({ state: "COMPLETED", attempts: 2 });
    const principals = liar().executors.map(({ agent }) => memberOf(city.society, "producer", agent).principal);
    expect(new Set(principals).size).to.equal(2);
    expect(outcome.status).to.equal("completed");
    expect(balances(outcome.money)).to.equal(true);
  });

  it("costs 100 of its stake, as the instruction of the ruling says", () => {
    const files = new Map(openBundle(outcome.bundle ?? "").files);
    const rejected = logOf(files).flatMap(({ kind, subjects, content }) => {
      if (kind !== "execution.settlement" || content === null || subjects[2] !== "0") return [];
      const { instruction } = settlementSchema.parse(parseJson(textOf(files, `blocks/${content}`)));
      return instruction.override_id !== undefined && instruction.fee_action?.type === "refund" ? [instruction.collateral_action] : [];
    });
    expect(rejected).to.deep.equal([{ type: "slash", amount: 100_000_000, return_amount: 50_000_000 }]);
  });

  it("never becomes part of the agent's past", async () => {
    const traces = await city.log.read({ kind: "execution.trace", subject: outcome.mission as Address });
    const executed = outcome.nodes.flatMap(({ executors }) => executors.filter(({ result }) => result === "agreed"));
    expect(traces).to.have.length(executed.length);
    expect(
      traces.filter(({ subjects }) => subjects[1] === String(outcome.nodes.indexOf(liar()))).map(({ subjects }) => subjects[2]),
    ).to.deep.equal(["1"]);
  });

  /** The second of three ways back from a freeze: the same executor does it anew, as a human told it (AgentCity B.11.2). */
  describe("whose mandate a human amends", () => {
    const MANDATE = "Sort the notes that were handed in; add nothing and leave nothing out.";
    let amended: Outcome;
    let elsewhere: City;

    before(async () => {
      elsewhere = await openHome(amendedHome(), "13");
      let told = () => {};
      const waits = new Promise<void>((resolve) => (told = resolve));
      const desk = { client: elsewhere.client, dir: join(amendedHome(), "embedded"), progress: () => told(), sleep: wallTime.sleep };
      const running = carryOutIn(elsewhere, missionOver(writeNotes(directory(), CALM_MISSIONS + 1)), {
        id: "amended",
        home: amendedHome(),
        judge: externalJudges(desk),
        tamper: ({ label, attempt }, output) => (label === LIAR && attempt === 0 ? forgery(output) : output),
      });
      await Promise.race([running, waits]);
      const override = (...args: string[]) => runCli(args, { home: amendedHome(), program: OVERRIDE });
      const [name = ""] = (await override("queue")).stdout.split(" ");
      const { stdout } = await override("show", name);
      const [, mission = "", node = ""] = /override -- redirect (0x\w+) (\d+) /.exec(stdout) ?? [];
      const seat = ["--as", "adjudicator-3", "--because", "It misread the task."];
      const refused = await override("redirect", mission, node, " ", ...seat);
      expect(refused.code).to.equal(1);
      const done = await override("redirect", mission, node, MANDATE, ...seat);
      expect(done.stderr).to.contain("redone by the same executors");
      amended = await running;
    });
    after(() => elsewhere?.close());

    it("is done anew by the same executor for the same price, and completes", async () => {
      expect(amended.status).to.equal("completed");
      expect(balances(amended.money)).to.equal(true);
      const node = amended.nodes.find(({ label }) => label === LIAR)!;
      expect([node.attempts, new Set(node.executors.map(({ agent }) => agent)).size]).to.deep.equal([2, 1]);
      expect(node.executors.map(({ slashed, paid }) => [slashed, paid !== "0"])).to.deep.equal([
        ["0", false],
        ["0", true],
      ]);
    });

    it("leaves a record of the attempt that was called off, at nobody's fault", () => {
      const exits = exitsIn(amended.bundle).map(({ exit, ended_by, slashed }) => [exit, ended_by?.reason, slashed]);
      expect(exits).to.deep.equal([["CANCELLED", "AMENDED", undefined]]);
    });

    it("has the mandate in its obligation and in the records, and costs twenty points", async () => {
      const [event] = await elsewhere.client.mission(amended.mission as Address).history("NodeAmended");
      const { amendment } = event!.args as { amendment: `0x${string}` };
      expect(new TextDecoder().decode(elsewhere.blocks.get(contentIdFromDigest(amendment)))).to.include(MANDATE);
      const adjusted = await elsewhere.client.agents.history("ReputationChanged");
      const deltas = adjusted
        .filter(({ blockNumber }) => blockNumber === event!.blockNumber)
        .map(({ args }) => args.previous - args.current);
      expect(deltas).to.deep.equal([20_000]);
      expect((await auditBundle(amended.bundle ?? "")).checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
    });
  });

  /**
   * Off chain the same finding stops a node that the chain still takes for ELIGIBLE. A human rejects the forgery, after longer than the
   * law's interval; the honest report about other things than ever before is what its code makes of them, and is not stopped.
   */
  describe("in hybrid mode", () => {
    const cases: Case[] = [];
    let elsewhere: City;
    let hybrid: Outcome;

    before(async () => {
      elsewhere = await openHome(hybridHome(), "13");
      const { clock } = elsewhere.chain;
      hybrid = await carryOutIn(elsewhere, missionOver(writeDiary(directory()), { mode: "hybrid", goal: OTHER_GOAL }), {
        id: "hybrid",
        home: hybridHome(),
        judge: {
          simulated: true,
          decide: async (subject) => {
            cases.push(subject);
            await clock.sleepUntil(clock.now() + 2n * BigInt(TAU));
            return { ruling: subject.label === LIAR ? "reject" : "approve", justification: "SIMULATED: read both." };
          },
        },
        tamper: ({ label, attempt }, output) => (label === LIAR && attempt === 0 ? forgery(output) : output),
      });
    });
    after(() => elsewhere?.close());

    /** Order of what happened to the nodes on chain. */
    const told = async () => {
      const address = hybrid.mission as Address;
      const events = await elsewhere.chain.publicClient.getContractEvents({ address, abi: collaborationContractAbi, fromBlock: 0n });
      return events.flatMap(({ eventName, args }) =>
        TOLD.includes(eventName) ? [`${eventName} ${String(Reflect.get(args, "node"))}`] : [],
      );
    };

    it("is frozen before any checkpoint takes it, and shown to a human with the work that stood out", async () => {
      expect(cases.map(({ label, reason }) => [label, reason])).to.deep.equal([["order", "frozen"]]);
      expect(cases[0]?.excerpt).to.include("DEVIATION").and.to.include("forged-0");
      const freeze = (node: number) => [`AnomalyReported ${node}`, `NodeFrozen ${node}`, `SnapshotSealed ${node}`];
      expect(await told()).to.deep.equal([
        ...[...freeze(0), "FaultSignalled 0", "Reopened 0", "Routed 0", "Committed 0"],
        ...["Routed 1", "Committed 1"],
      ]);
    });

    it("ends complete: the rejected node by another principal, each node taken by one checkpoint", async () => {
      expect(hybrid.status).to.equal("completed");
      const [order, report] = hybrid.nodes;
      expect([order?.attempts, report?.attempts]).to.deep.equal([2, 1]);
      const principals = (order?.executors ?? []).map(({ agent }) => memberOf(elsewhere.society, "producer", agent).principal);
      expect(new Set(principals).size).to.equal(2);
      const sent = new Map(hybrid.gasByStage.map(({ stage, transactions }) => [stage, transactions]));
      expect([sent.get("checkpoint"), sent.get("orchestrate"), sent.get("commit")]).to.deep.equal([2, undefined, undefined]);
    });

    it("accounts for every unit, and charges the forger alone", async () => {
      expect(balances(hybrid.money)).to.equal(true);
      expect(hybrid.settlement.closed).to.equal(true);
      const charged = hybrid.nodes.flatMap(({ executors }) => executors.map(({ slashed, paid }) => [slashed, paid !== "0"]));
      expect(charged).to.deep.equal([
        [CONFIRMED_FREEZE, false],
        ["0", true],
        ["0", true],
      ]);
      for (const { account } of membersOf(elsewhere.society, "producer"))
        expect((await elsewhere.client.agents.stakeOf(account.address)).locked).to.equal(0n);
    });

    it("does not count a human's time as unaudited, and is verified from its bundle", async () => {
      expect(hybrid.hybrid).to.include({ interval: TAU, checkpoints: 2, anchored: 2, late: 1, unaudited: 1 });
      expect(hybrid.hybrid?.longest).to.be.lessThan(TAU);
      expect(hybrid.execution.gar).to.deep.equal({ part: 1, whole: 3 });
      const { checks } = await auditBundle(hybrid.bundle ?? "");
      expect(checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
    });
  });
});
