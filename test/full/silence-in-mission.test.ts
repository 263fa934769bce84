import { join } from "node:path";
import { expect } from "chai";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { type Anvil, startAnvil } from "../../orchestrator/chain/anvil.ts";
import { ANVIL_GENESIS } from "../../orchestrator/chain/anvil-chain.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { PHASES } from "../../orchestrator/city/missions/reconcile.ts";
import { JumpingClock } from "../../orchestrator/primitives/clock.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { actionNumber } from "../../orchestrator/protocol/actions.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { RpcProxy } from "../support/rpc-proxy.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** The process as good as dies. */
class Died extends Error {}

/** One city on an Anvil behind a network that fails while services have run and nothing of their work is on chain yet. */
describe("fault: the chain falls silent in the middle of a mission", function () {
  this.timeout(400_000);
  const directory = suiteDirectory();
  const clock = new (class extends JumpingClock {
    override async sleepUntil(time: bigint): Promise<void> {
      if (isDying && lines.some((line) => line.includes("all work stops"))) throw new Died("while it waited for the chain");
      await super.sleepUntil(time);
    }
  })(0n);
  const lines: string[] = [];
  let anvil: Anvil;
  let proxy: RpcProxy;
  let city: City;
  /** Seconds of silence after the next invocation. */
  let silence = 0n;
  /** The process ends while it waits for the chain. */
  let isDying = false;

  const open = () =>
    openHome(join(directory(), "home"), "23", {
      network: "anvil",
      rpcUrl: proxy.url,
      silenceClock: clock,
      progress: (line) => lines.push(line),
      boundary: async (name) => {
        if (name !== "execution:invoked" || silence === 0n) return;
        const until = clock.now() + silence;
        silence = 0n;
        proxy.weather = () => (clock.now() < until ? "cut" : "clear");
      },
    });

  before(async () => {
    anvil = await startAnvil({ driven: ANVIL_GENESIS });
    proxy = await new RpcProxy(anvil.url).open();
    city = await open();
  });
  after(async () => {
    await city?.close();
    await proxy?.close();
    await anvil?.stop("SIGKILL");
  });

  const run = (id: string, seconds: bigint, resume = true): Promise<Outcome> => {
    silence = seconds;
    lines.length = 0;
    const judge = simulatedJudge(city.chain.id);
    return carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv), {
      id,
      home: join(directory(), "home"),
      judge: { ...judge, decideResumption: async () => ({ resume, justification: "a test decides" }) },
    });
  };
  const kinds = async (prefix: string, after = 0) =>
    (await city.log.read({ after })).filter(({ kind }) => kind.startsWith(prefix)).map(({ kind }) => kind);

  it("for less than the constitution allows: what waited is sent, and the mission ends as if nothing had happened", async () => {
    const outcome = await run("short", 45n);
    expect(outcome.status).to.equal("completed");
    expect(balances(outcome.money)).to.equal(true);
    expect(outcome.nodes.every(({ attempts }) => attempts === 1)).to.equal(true);
    expect(await kinds("chain.")).to.deep.equal(["chain.silent", "chain.back"]);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });

  it("compares records and chain at the three ends of phases", async () => {
    const entries = await city.log.read({ kind: "execution.reconciled" });
    expect(entries.map(({ subjects: [, phase] }) => phase)).to.deep.equal(PHASES);
  });

  it("for longer, and adjudicators let it go on: suspended on chain, resumed by two signatures, completed", async () => {
    const { seq } = await city.log.head();
    const outcome = await run("long", 700n);
    expect(await kinds("chain.", seq)).to.deep.equal(["chain.silent", "chain.halted", "chain.back"]);
    const contract = city.client.mission(outcome.mission as Address);
    expect(await contract.history("MissionDegraded")).to.have.length(1);
    expect(await contract.history("MissionRecovered")).to.have.length(1);
    const acts = await contract.history("Overridden", { action: actionNumber("CLEAR_EMERGENCY_STOP") });
    expect(acts).to.have.length(1);
    expect(outcome.status).to.equal("completed");
    expect(balances(outcome.money)).to.equal(true);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });

  it("for longer, and nobody lets it go on: aborted when its time is over, nothing handed out, everything refunded", async () => {
    const outcome = await run("abandoned", 700n, false);
    expect(outcome.status).to.equal("aborted");
    expect(outcome.released).to.equal(false);
    expect(balances(outcome.money)).to.equal(true);
    expect(outcome.slashed).to.equal("0");
    expect(await city.client.mission(outcome.mission as Address).history("MissionRecovered")).to.have.length(0);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });

  it("for longer, and the process ends meanwhile: the next one suspends the mission before it does anything", async () => {
    const { seq } = await city.log.head();
    isDying = true;
    expect((await rejection(run("outlived", 700n))).message).to.include("while it waited");
    expect(await kinds("chain.", seq)).to.deep.equal(["chain.silent", "chain.halted"]);
    isDying = false;
    await city.close();
    proxy.weather = () => "clear";
    city = await open();
    const outcome = await run("outlived", 0n);
    expect(await kinds("chain.", seq)).to.deep.equal(["chain.silent", "chain.halted", "chain.back"]);
    const contract = city.client.mission(outcome.mission as Address);
    expect(await contract.history("MissionDegraded")).to.have.length(1);
    expect(await contract.history("Overridden", { action: actionNumber("CLEAR_EMERGENCY_STOP") })).to.have.length(1);
    expect(outcome.status).to.equal("completed");
    expect(balances(outcome.money)).to.equal(true);
  });
});
