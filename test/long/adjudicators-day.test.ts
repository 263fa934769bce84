import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { z } from "zod";
import { act, type OverrideOrder } from "../../orchestrator/adjudication/act.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { externalJudges } from "../../orchestrator/city/humans/case-desk.ts";
import { panelOf } from "../../orchestrator/city/humans/panel.ts";
import { readWaiting, writeWaiting } from "../../orchestrator/city/humans/waiting.ts";
import { wallTime } from "../../orchestrator/cli/wall-time.ts";
import { signOrder } from "../../orchestrator/client/sign/order.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { encodeActionData } from "../../orchestrator/protocol/actions.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { signedOverrideJson, signedOverrideSchema } from "../../orchestrator/protocol/signed-override.ts";
import { carryOutIn, missionsOf, openHome } from "../support/city-home.ts";
import { executedSchema, OVERRIDE, refusalIn, runCli, signedSchema } from "../support/cli.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const queueSchema = z.object({
  cases: z.array(z.looseObject({ name: z.string(), current: z.boolean(), label: z.string(), node: z.number() })),
});
const BECAUSE = ["--because", "Three rows, each with its spread: I checked the sums."];

/** A mission runs in this process and waits; an adjudicator works in others, from fresh terminals. */
describe("scenario: an adjudicator's day", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  const home = () => join(directory(), "home");
  const override = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runCli([...args, "--json"], { home: home(), program: OVERRIDE, env });
  let city: City;
  let running: Promise<Outcome>;
  let name: string;
  let report: number;
  let order: string;
  let told = () => {};
  /** The mission left one case more. */
  const nextCase = () => Promise.race([running, new Promise<void>((resolve) => (told = resolve))]);

  before(async () => {
    city = await openHome(home(), "41");
    const judge = externalJudges({ client: city.client, dir: join(home(), "embedded"), progress: () => told(), sleep: wallTime.sleep });
    running = carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv), { id: "day", home: home(), judge });
    await nextCase();
  });
  after(() => city?.close());

  const stateOfReport = async (): Promise<number> => {
    const [mission] = await missionsOf(city);
    return mission === undefined ? -1 : (await city.client.mission(mission).nodeOf(report)).state;
  };

  it("begins with a queue in which the waiting work is found", async () => {
    const { cases } = queueSchema.parse(JSON.parse((await override(["queue"])).stdout));
    expect(cases.map(({ label, current }) => [label, current])).to.deep.equal([["report", true]]);
    name = cases[0]?.name ?? "";
    report = cases[0]?.node ?? -1;
    const { stdout } = await runCli(["show", name], { home: home(), program: OVERRIDE });
    expect(stdout).to.contain("Estimate three work packages.").and.to.contain(`approve ${name}`);
  });

  it("refuses an order without a reason, without a key, by a stranger, and on what does not wait", async () => {
    expect(refusalIn(await override(["approve", name, "--as", "adjudicator-1"])).code).to.equal("ReasonMissing");
    expect(refusalIn(await override(["approve", name, ...BECAUSE])).code).to.equal("KeyUnusable");
    expect(refusalIn(await override(["approve", name, "--as", "sponsor", ...BECAUSE])).code).to.equal("NoSuchSeat");
    expect(refusalIn(await override(["approve", "review-0-0", "--as", "adjudicator-1", ...BECAUSE])).code).to.equal("NoSuchCase");
    const stranger = { AGENTCITY_ADJUDICATOR_KEY: `0x${"11".repeat(32)}` };
    expect(refusalIn(await override(["approve", name, ...BECAUSE], stranger)).message).to.contain("NotAdjudicator");
    expect(await stateOfReport()).to.equal(PENDING_REVIEW);
  });

  it("shows in a dry run what would change, in words and byte for byte, and signs nothing", async () => {
    const { stdout, stderr } = await override(["approve", name, "--as", "adjudicator-1", "--dry-run", ...BECAUSE]);
    expect(JSON.parse(stdout)).to.deep.equal({ status: "shown" });
    expect(stderr).to.contain("now PENDING_REVIEW, with 100 % of its price").and.to.contain('"primaryType":"ApprovePop"');
    expect(await stateOfReport()).to.equal(PENDING_REVIEW);
  });

  it("names the functions of an envelope and the version of a template, and refuses what the city does not have", async () => {
    const dry = (...words: readonly string[]) => override([...words, "--as", "adjudicator-1", "--dry-run", ...BECAUSE]);
    const [envelope, template, unknown] = await Promise.all([
      dry("envelope", "speaker", "8", "LegislativeProcedure.openDebate", "LegislativeProcedure.approve"),
      dry("publish", city.client.addresses.Treasury, "agentcity.collaboration", `0x${"11".repeat(32)}`),
      dry("envelope", "speaker", "8", "LegislativeProcedure.abolish"),
    ]);
    expect(envelope.stderr).to.contain("let the SPEAKER call LegislativeProcedure.openDebate, LegislativeProcedure.approve, 8 times");
    expect(template.stderr).to.contain("as version 2 of template");
    expect(refusalIn(unknown).message).to.contain("LegislativeProcedure has no function abolish");
  });

  it("stops the mission alone and lets it go on with a second signature; the case comes back as it was", async () => {
    const [mission = ""] = await missionsOf(city);
    const stopped = nextCase();
    executedSchema.parse(JSON.parse((await override(["stop", mission, "--as", "adjudicator-3", ...BECAUSE])).stdout));
    await stopped;
    const { stdout } = await override(["queue"]);
    expect(stdout).to.contain(`"kind":"suspension"`).and.to.not.contain(`"kind":"review"`);
    const { file } = signedSchema.parse(JSON.parse((await override(["clear-stop", mission, "--as", "adjudicator-3", ...BECAUSE])).stdout));
    const back = nextCase();
    await override(["sign-only", file, "--as", "adjudicator-4"]);
    executedSchema.parse(JSON.parse((await override(["relay", file])).stdout));
    await back;
    const { cases } = queueSchema.parse(JSON.parse((await override(["queue"])).stdout));
    expect(cases.map((each) => [each.name, each.current])).to.deep.equal([[name, true]]);
  });

  it("pays from insurance and from fees within their caps, says so before anything is signed, and loses no unit", async () => {
    const [mission] = await missionsOf(city);
    const { client, society } = city;
    const { agent } = await client.mission(mission ?? "0x").slotOf(0, 0);
    const recipient = memberOf(society, "adjudicator", "adjudicator-5").account.address;
    const purses = async () => {
      const balances = await Promise.all([agent, recipient, client.addresses.Treasury].map((each) => client.token.balanceOf(each)));
      const pools = (await client.treasury.freeBalance()) + (await client.treasury.insuranceBalance());
      return { balances, treasury: pools, sum: balances.reduce((sum, each) => sum + each, 0n) };
    };
    const before = await purses();
    const order = (...words: readonly string[]) => override([...words, "--as", "adjudicator-1", ...BECAUSE]);
    const [greedy, lavish, claimed, paid] = await Promise.all([
      order("insure", mission ?? "", agent, "100000"),
      order("disburse", "governance", recipient, "50.000001"),
      order("insure", mission ?? "", agent, "5"),
      order("disburse", "governance", recipient, "20"),
    ]);
    expect(refusalIn(greedy)).to.include({ code: "OverCap" });
    expect(refusalIn(lavish).message).to.contain("does not pay 50.000001: 50.00 at most");
    expect(claimed.stderr).to.contain("of the mission's deposit").and.to.contain("0.00 were claimed");
    for (const { stdout } of [claimed, paid]) {
      const { file, needed } = signedSchema.parse(JSON.parse(stdout));
      expect(needed).to.equal(2);
      await cosign(file, "adjudicator-2");
      executedSchema.parse(JSON.parse((await override(["relay", file])).stdout));
    }
    const after = await purses();
    const [toAgent, toRecipient, toTreasury] = after.balances.map((each, i) => each - (before.balances[i] ?? 0n));
    expect([toAgent, toRecipient, toTreasury]).to.deep.equal([5_000_000n, 20_000_000n, -25_000_000n]);
    expect([after.sum, after.treasury]).to.deep.equal([before.sum, before.treasury - 25_000_000n]);
    expect(after.treasury <= (after.balances[2] ?? 0n)).to.equal(true);
  });

  it("ends the watchdog's freeze with everybody who is not flagged, and nothing else meanwhile", async () => {
    const [mission = ""] = await missionsOf(city);
    await misbehave("adjudicator-7", "adjudicator-6");
    expect(await city.client.watchdog.isFrozen()).to.equal(true);
    const [stopped, begun] = await Promise.all([
      override(["stop", mission, "--as", "adjudicator-3", ...BECAUSE]),
      override(["release-watchdog", "--as", "adjudicator-1", ...BECAUSE]),
    ]);
    expect(refusalIn(stopped).message).to.contain("FrozenByWatchdog");
    const { file, needed } = signedSchema.parse(JSON.parse(begun.stdout));
    expect(needed).to.equal(5);
    for (const number of [2, 3, 4, 5]) await cosign(file, `adjudicator-${number}`);
    executedSchema.parse(JSON.parse((await override(["relay", file])).stdout));
    expect(await city.client.watchdog.isFrozen()).to.equal(false);
  });

  /** Another adjudicator's signature on the same paper, as `sign-only` puts it there. */
  async function cosign(file: string, seat: string): Promise<void> {
    const paper = readWaiting(file, signedOverrideSchema);
    const { account } = memberOf(city.society, "adjudicator", seat);
    const own = { adjudicator: account.address, signature: await signOrder(city.client, account, paper.message) };
    writeWaiting(file, signedOverrideJson({ ...paper, signatures: [...paper.signatures, own] }));
  }

  /** Approves twenty times in a row and, with a colleague, weakens a parameter four times: two families of anomalies. */
  async function misbehave(seat: string, colleague: string): Promise<void> {
    const panel = panelOf(city);
    const judges = [seat, colleague].map((each) => memberOf(city.society, "adjudicator", each));
    const fairness = await city.client.constitution.param(parameterIndex("MIN_FAIRNESS_SCORE"));
    for (let i = 1; i <= 24; i++) {
      const caseHash = keccak256(new TextEncoder().encode(`misconduct ${i}`));
      const order =
        i <= 20
          ? { action: "APPROVE_PREDICATE", target: city.client.addresses.Treasury, data: encodeActionData("APPROVE_PREDICATE", [1000 + i]) }
          : {
              action: "AMEND_PARAMETER",
              data: encodeActionData("AMEND_PARAMETER", [parameterIndex("MIN_FAIRNESS_SCORE"), fairness - BigInt(i - 20)]),
            };
      await act(panel, judges.slice(0, i <= 20 ? 1 : 2), { ...order, caseHash, because: "No reason at all." } as OverrideOrder);
    }
  }

  it("leaves a signed order as a file, which nobody can alter", async () => {
    const { stdout } = await override(["approve", name, "--as", "adjudicator-2", "--sign-only", ...BECAUSE]);
    const signed = signedSchema.parse(JSON.parse(stdout));
    expect(signed).to.include({ signatures: 1, needed: 1 });
    order = signed.file;
    const text = readFileSync(order, "utf8");
    const forged = join(directory(), "forged.order.json");
    writeFileSync(forged, text.replace("I checked the sums", "I was told to"));
    expect(refusalIn(await override(["relay", forged])).code).to.equal("TransactionReverted");
    writeFileSync(forged, text.replace('"action": 4', '"action": 5'));
    expect(refusalIn(await override(["relay", forged])).code).to.equal("TransactionReverted");
    expect(await stateOfReport()).to.equal(PENDING_REVIEW);
  });

  it("relays it once, by anybody, and the mission goes on to a bundle that audits", async () => {
    const first = executedSchema.parse(JSON.parse((await override(["relay", order])).stdout));
    expect(first.transaction).to.be.a("string");
    const again = executedSchema.parse(JSON.parse((await override(["relay", order])).stdout));
    expect(again.transaction).to.equal(null);
    const outcome = await running;
    expect(outcome.status).to.equal("completed");
    expect(outcome.human.map(({ adjudicator, action, simulated }) => [adjudicator, action, simulated])).to.deep.equal([
      ["adjudicator-3", "stopped the mission", false],
      ["adjudicator-3, adjudicator-4", "let the mission continue", false],
      ["adjudicator-2", "approved", false],
    ]);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });

  it("leaves a city that opens again, although adjudicators' transactions are not in its records", async () => {
    await city.close();
    city = await openHome(home(), "41");
    expect(await missionsOf(city)).to.have.length(1);
  });
});

/** In `enum NodeState`. */
const PENDING_REVIEW = 4;
