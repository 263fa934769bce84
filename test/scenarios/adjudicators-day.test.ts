import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { z } from "zod";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { judgesElsewhere } from "../../orchestrator/city/case-desk.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { membersOf } from "../../orchestrator/city/society.ts";
import { wallTime } from "../../orchestrator/cli/wall-time.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { carryOutIn, missionsOf, openHome, suiteDirectory } from "../support/city-home.ts";
import { OVERRIDE, refusalIn, runCli } from "../support/cli.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";

const queueSchema = z.object({
  cases: z.array(z.looseObject({ name: z.string(), current: z.boolean(), label: z.string(), node: z.number() })),
});
const signedSchema = z.object({ status: z.literal("signed"), file: z.string(), signatures: z.number(), needed: z.number() });
const executedSchema = z.object({ status: z.literal("executed"), transaction: z.string().nullable() });
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
  let waits: () => void;

  before(async () => {
    city = await openHome(home(), "41");
    const waiting = new Promise<void>((resolve) => {
      waits = resolve;
    });
    const judge = judgesElsewhere({ client: city.client, dir: join(home(), "embedded"), tell: () => waits(), sleep: wallTime.sleep });
    running = carryOutIn(city, smallMission(smallInputs(directory(), CALM_ROWS).csv), { id: "day", home: home(), judge });
    await Promise.race([waiting, running]);
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
    expect(stderr).to.contain("now PENDING_REVIEW, with 100 % of its price").and.to.contain('"primaryType":"OverrideAction"');
    expect(await stateOfReport()).to.equal(PENDING_REVIEW);
  });

  it("leaves a signed order as a file, which nobody can alter", async () => {
    const { stdout } = await override(["approve", name, "--as", "adjudicator-2", "--sign-only", ...BECAUSE]);
    const signed = signedSchema.parse(JSON.parse(stdout));
    expect(signed).to.include({ signatures: 1, needed: 1 });
    order = signed.file;
    const text = readFileSync(order, "utf8");
    const forged = join(directory(), "forged.order.json");
    writeFileSync(forged, text.replace("I checked the sums", "I was told to"));
    expect(refusalIn(await override(["relay", forged])).message).to.contain("its reason is not the one that was signed");
    writeFileSync(forged, text.replace('"action": 4', '"action": 5'));
    expect(refusalIn(await override(["relay", forged])).code).to.equal("TransactionReverted");
    expect(await stateOfReport()).to.equal(PENDING_REVIEW);
  });

  it("changes the constitution when a second adjudicator signs the same order", async () => {
    const index = parameterIndex("TURNOUT_QUORUM");
    const args = ["amend", "turnout_quorum", "6500", ...BECAUSE];
    expect((await override([...args, "--as", "adjudicator-1", "--dry-run"])).stderr).to.contain(
      "change TURNOUT_QUORUM from 6000 to 6500 bps",
    );
    const first = signedSchema.parse(JSON.parse((await override([...args, "--as", "adjudicator-1"])).stdout));
    expect(first).to.include({ signatures: 1, needed: 2 });
    expect(refusalIn(await override(["relay", first.file])).message).to.contain("NotEnoughSignatures");
    expect(await city.client.constitution.param(index)).to.equal(6000n);
    await override(["sign-only", first.file, "--as", "adjudicator-2"]);
    executedSchema.parse(JSON.parse((await override(["relay", first.file])).stdout));
    expect(await city.client.constitution.param(index)).to.equal(6500n);
  });

  it("removes an adjudicator when two thirds sign, and its signature is worth nothing from then on", async () => {
    const seats = membersOf(city.society, "adjudicator");
    const target = seats[6]?.account.address ?? "";
    const { file, needed } = signedSchema.parse(
      JSON.parse((await override(["impeach", target, "--as", "adjudicator-1", ...BECAUSE])).stdout),
    );
    expect(needed).to.equal(5);
    for (const { name: seat } of seats.slice(1, needed)) await override(["sign-only", file, "--as", seat]);
    executedSchema.parse(JSON.parse((await override(["relay", file])).stdout));
    const barred = await override(["approve", name, "--as", "adjudicator-7", ...BECAUSE]);
    expect(refusalIn(barred).message).to.contain("NotAdjudicator");
  });

  it("relays it once, by anybody, and the mission goes on to a bundle that audits", async () => {
    const first = executedSchema.parse(JSON.parse((await override(["relay", order])).stdout));
    expect(first.transaction).to.be.a("string");
    const again = executedSchema.parse(JSON.parse((await override(["relay", order])).stdout));
    expect(again.transaction).to.equal(null);
    const outcome = await running;
    expect(outcome.status).to.equal("completed");
    expect(outcome.human.map(({ adjudicator, simulated }) => [adjudicator, simulated])).to.deep.equal([["adjudicator-2", false]]);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});

/** In `enum NodeState`. */
const PENDING_REVIEW = 4;
