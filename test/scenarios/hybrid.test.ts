// @long
import { join } from "node:path";
import { expect } from "chai";
import { anchors } from "../../orchestrator/city/audit/anchors.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { type AuditContext, openContext } from "../../orchestrator/city/audit/context.ts";
import { inspect } from "../../orchestrator/city/audit/inspection.ts";
import { liveCode } from "../../orchestrator/city/audit/live-code.ts";
import { outcomeCheck } from "../../orchestrator/city/audit/outcome-check.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { liveSchema } from "../../orchestrator/execution/stages/checkpoint.ts";
import { sha256 } from "../../orchestrator/primitives/hash.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import type { LogEntry } from "../../orchestrator/records/log.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** The law's interval, seconds. */
const TAU = 60n;

/** Work goes on off chain and is anchored wave by wave; the first wave misses its anchor. */
describe("scenario: a mission in hybrid mode", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let outcome: Outcome;
  let waves = 0;

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "31", {
      boundary: async (name) => {
        if (name !== "execution:worked") return;
        waves += 1;
        const { clock } = city.chain;
        if (waves === 1) await clock.sleepUntil(clock.now() + TAU + 1n);
        if (waves === 2) await clock.sleepUntil(clock.now() + 7n);
      },
    });
    const text = smallMission(smallInputs(directory(), CALM_ROWS).csv, { mode: "hybrid" });
    outcome = await carryOutIn(city, text, { id: "hybrid", home });
  });
  after(() => city?.close());

  const first = () => outcome.nodes.filter(({ label }) => label.startsWith("read")).length;
  const history = () => city.client.mission(outcome.mission as Address);
  const bundle = () => outcome.bundle ?? "";

  it("completes, and pays to the unit", () => {
    expect(outcome.status).to.equal("completed");
    expect(outcome.nodes.map(({ state, attempts }) => [state, attempts])).to.deep.equal(outcome.nodes.map(() => ["COMPLETED", 1]));
    expect(balances(outcome.money)).to.equal(true);
    expect(outcome.settlement.closed).to.equal(true);
  });

  it("puts on chain, stage by stage, the wave that missed its anchor, with the work that was done", async () => {
    const sent = new Map(outcome.gasByStage.map(({ stage, transactions }) => [stage, transactions]));
    expect([sent.get("orchestrate"), sent.get("commit"), sent.get("checkpoint")]).to.deep.equal([1, 1, 2]);
    const works = await city.log.read({ kind: "execution.work", subject: outcome.mission as Address });
    const executors = outcome.nodes.flatMap((node) => node.executors);
    expect(works).to.have.length(executors.length);
  });

  it("says how many nodes were unaudited, and how long", async () => {
    const taken = await history().history("Checkpointed");
    expect(taken).to.have.length(2);
    const most = Math.max(first(), outcome.nodes.filter(({ tier }) => tier === 2).length);
    expect(outcome.hybrid).to.deep.equal({
      interval: Number(TAU),
      checkpoints: 2,
      anchored: outcome.nodes.length - first(),
      late: first(),
      unaudited: most,
      longest: 7,
    });
  });

  it("is verified from its bundle: every checkpoint names a head of the log that has its work", async () => {
    const report = await auditBundle(bundle());
    expect(report.passed).to.equal(true);
    expect(report.checks.find(({ name }) => name === "ANCHORS")?.verified).to.be.greaterThan(outcome.nodes.length);
  });

  it("is not, when the log or the outcome tell another story than the anchors", async () => {
    const context = await openContext(openBundle(bundle()));
    try {
      const { log, outcome: told } = context;
      const isLive = ({ kind }: LogEntry) => kind === "execution.live";
      const logs: Record<string, readonly LogEntry[]> = {
        "a wave left out": log.filter(({ kind }) => kind !== "execution.wave"),
        "code attested afterwards": log.map((entry) => (isLive(entry) ? { ...entry, seq: entry.seq + log.length } : entry)),
        "another past": log.map((entry) => ({ ...entry, hash: sha256(new TextEncoder().encode(entry.hash)) })),
      };
      for (const [lie, forged] of Object.entries(logs))
        expect((await inspect(anchors, [{ ...context, log: forged }])).findings, lie).to.not.have.length(0);
      // A runner that saw other code live than was bid.
      const block: AuditContext["block"] = (id) => {
        const seen = liveSchema.safeParse(context.block(id));
        return seen.success ? seen.data.map((live) => ({ ...live, hash: sha256(new TextEncoder().encode(live.hash)) })) : context.block(id);
      };
      const subjects = (await inspect(liveCode, [{ ...context, block }])).findings.map(({ subject }) => subject);
      expect(subjects.filter((subject) => subject.endsWith("code hash"))).to.not.have.length(0);
      expect((await inspect(outcomeCheck, [context])).findings).to.deep.equal([]);
      const hybrid = { ...outcome.hybrid!, unaudited: 1 };
      const [finding] = (await inspect(outcomeCheck, [{ ...context, outcome: { ...told, hybrid } }])).findings;
      expect(finding).to.include({ check: "OUTCOME", subject: "hybrid mode" });
    } finally {
      await context.chain.close();
    }
  });
});
