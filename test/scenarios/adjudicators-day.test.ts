import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { z } from "zod";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { judgesElsewhere } from "../../orchestrator/city/case-desk.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { wallTime } from "../../orchestrator/cli/wall-time.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, missionsOf, openHome } from "../support/city-home.ts";
import { OVERRIDE, refusalIn, runCli } from "../support/cli.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

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
  let told = () => {};
  /** The mission left one case more. */
  const nextCase = () => Promise.race([running, new Promise<void>((resolve) => (told = resolve))]);

  before(async () => {
    city = await openHome(home(), "41");
    const judge = judgesElsewhere({ client: city.client, dir: join(home(), "embedded"), tell: () => told(), sleep: wallTime.sleep });
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
    expect(stderr).to.contain("now PENDING_REVIEW, with 100 % of its price").and.to.contain('"primaryType":"OverrideAction"');
    expect(await stateOfReport()).to.equal(PENDING_REVIEW);
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

  it("relays it once, by anybody, and the mission goes on to a bundle that audits", async () => {
    const first = executedSchema.parse(JSON.parse((await override(["relay", order])).stdout));
    expect(first.transaction).to.be.a("string");
    const again = executedSchema.parse(JSON.parse((await override(["relay", order])).stdout));
    expect(again.transaction).to.equal(null);
    const outcome = await running;
    expect(outcome.status).to.equal("completed");
    expect(outcome.human.map(({ adjudicator, action, simulated }) => [adjudicator, action, simulated])).to.deep.equal([
      ["adjudicator-3", "stopped the mission", false],
      ["adjudicator-3, adjudicator-4", "let the mission go on", false],
      ["adjudicator-2", "approved", false],
    ]);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});

/** In `enum NodeState`. */
const PENDING_REVIEW = 4;
