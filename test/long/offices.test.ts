import { join } from "node:path";
import { expect } from "chai";
import { privateKeyToAddress } from "viem/accounts";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { queueOf } from "../../orchestrator/city/humans/case-queue.ts";
import { type OpenSeats, openSeats } from "../../orchestrator/city/missions/open-seats.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { CATALOG } from "../../services/catalog.ts";
import { expectChangesFound } from "../city/audit/changed-calls.ts";
import { openHome } from "../support/city-home.ts";
import { copyForEverybody } from "../support/copy-for-everybody.ts";
import { listener } from "../support/listener.ts";
import { lenient, modelServer } from "../support/model-server.ts";
import { officeHolder, seated, secretOf, wallClock } from "../support/office-holder.ts";
import { CALM_ROWS, judgedByKinds, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const VERIFIER = privateKeyToAddress(secretOf("verifier"));
const ISSUER = privateKeyToAddress(secretOf("issuer"));

describe("a verifier and an issuer of other owners", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  const server = modelServer();
  let city: City;
  let seats: OpenSeats;
  /** What the audit looks at, of missions whose seats are all here, and of one with seats elsewhere. */
  const checks: Record<"here" | "elsewhere", readonly (readonly string[])[]> = { here: [], elsewhere: [] };
  const bundles = new Map<string, string>();
  const missions = new Map<string, Address>();
  const bundleOf = (id: string) => bundles.get(id) ?? "";
  const { said, progress, heard } = listener();
  const stop = new AbortController();
  const running: Promise<void>[] = [];

  /** `outsiders`: those with seats elsewhere; none: everybody is of this process. */
  async function missionIn(id: string, outsiders?: Awaited<ReturnType<OpenSeats["outsiders"]>>): Promise<Outcome> {
    // Panels of three, for which a third owner is always drawn.
    const text = smallMission(smallInputs(directory(), CALM_ROWS).csv, {
      ...{ risk: "MEDIUM", deadline: "2d", budget: "600.00", visibility: "parties" },
      tasks: judgedByKinds("Names every work package."),
    });
    const file = parseMissionFile(text, { fileName: "mission.yaml", catalog: CATALOG, budgetCap: 10n ** 15n });
    const order = { file, catalog: CATALOG, input: readInput(file.input, directory()), id, judge: simulatedJudge(city.chain.id) };
    return runToEnd(city, outsiders === undefined ? order : { ...order, outsiders }, text, join(directory(), "home"));
  }

  before(async () => {
    city = await openHome(join(directory(), "home"), "7", {
      environment: { AGENTCITY_JUDGE: "openai:judge-1", OPENAI_API_KEY: "none", OPENAI_BASE_URL: server.url },
    });
    server.answer = lenient(90);
    const { bundle } = await missionIn("here");
    const report = await auditBundle(join(directory(), "home", bundle ?? ""));
    checks.here = report.checks.map(({ name, what }) => [name, what]);
    seats = await openSeats(city, { clock: wallClock, patience: 4 });
    for (const office of ["verifier", "issuer"] as const) {
      const holder = officeHolder(office, office, { city: seats.url, directory: directory(), progress });
      const { ended } = await seated(city, holder, heard, stop.signal);
      running.push(ended);
    }
  });
  after(async () => {
    stop.abort();
    await Promise.allSettled(running);
    await seats?.close();
    await city?.close();
  });

  it("petition, are seated by two signatures, and wait no longer", async () => {
    expect(await city.client.evidence.weightOf(VERIFIER)).to.equal(25);
    expect(await city.client.evidence.mayIssue(ISSUER, 3)).to.equal(true);
    await seats.outsiders();
    expect(await queueOf(city)).to.deep.equal([]);
  });

  it("judge and vouch in a mission that is cleared, paid and audited", async () => {
    const outcome = await missionIn("offices", await seats.outsiders());
    const log = said.join("\n");
    expect(outcome.failure, log).to.equal(null);
    expect(
      said.filter((line) => line.startsWith("declined")),
      log,
    ).to.deep.equal([]);
    expect(said, log).to.include.members(["answered judge", "answered reexecute", "answered receive", "answered seal", "answered sign"]);
    missions.set("offices", outcome.mission as Address);
    bundles.set("offices", join(directory(), "home", outcome.bundle ?? ""));
    const report = await auditBundle(bundleOf("offices"));
    expect(report.checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
    expect(report.elsewhere.unsigned, "every answer is signed by whoever gave it").to.deep.equal([]);
    expect(report.elsewhere.word).to.have.length(2);
    checks.elsewhere = report.checks.map(({ name, what }) => [name, what]);
    expect(await city.client.treasury.creditOf(VERIFIER)).to.equal(0n);
    expect((await city.client.token.balanceOf(VERIFIER)) > 0n, "the verifier was paid its share").to.equal(true);
  });

  it("cannot be said to have been asked or to have answered anything else", async () => {
    const kinds = await expectChangesFound(bundleOf("offices"), ["judge", "sign"]);
    expect([...kinds]).to.include.members(["judge", "reexecute", "receive", "seal", "sign"]);
  });

  it("are named to everybody without what they were asked: the copy audits, and says what it withholds", async () => {
    const copy = join(directory(), "copy");
    copyForEverybody(bundleOf("offices"), missions.get("offices") ?? "0x", copy);
    const report = await auditBundle(copy);
    expect(report.checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
    expect(report.passed).to.equal(true);
    expect(report.checks.find(({ name }) => name === "CALLS")?.withheld).to.equal(1);
    expect(report.elsewhere).to.deep.include({ unsigned: [], absent: [] });
  });

  it("are missing once they are gone: others vouch, a majority decides, and who was drawn and silent is charged", async () => {
    stop.abort();
    await Promise.allSettled(running);
    await seats.close();
    // Nobody answers now: a test waits for a tenth of the time.
    seats = await openSeats(city, { clock: wallClock, patience: 0.1 });
    const { held: before } = await city.client.agents.stakeOf(VERIFIER);
    const outcome = await missionIn("without", await seats.outsiders());
    expect(outcome.failure).to.equal(null);
    const { passed, elsewhere } = await auditBundle(join(directory(), "home", outcome.bundle ?? ""));
    expect(passed).to.equal(true);
    const [byChain, byWall] = [/was drawn and gave no verdict.*chain's clock/, /let judge pass.*wall clock/];
    for (const clock of [byChain, byWall])
      expect(
        elsewhere.absent.some((line) => line.startsWith(VERIFIER) && clock.test(line)),
        String(clock),
      ).to.equal(true);
    const { held } = await city.client.agents.stakeOf(VERIFIER);
    expect(before - held > 0n, "an absence costs stake").to.equal(true);
  });

  it("change nothing about what an audit looks at: it makes the same checks as where all seats are here", () => {
    expect(checks.elsewhere).to.deep.equal(checks.here);
    expect(checks.here.map(([name]) => name)).to.include("CALLS");
  });
});
