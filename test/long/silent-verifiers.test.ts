import { join } from "node:path";
import { expect } from "chai";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { balances, type Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, type InProcess, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** What costs a verifier its silence, smallest unit (SlashingSchedule.NO_SHOW). */
const NO_SHOW = 50_000_000n;

/** Panels of three are drawn from five verifiers, and the keys of some are held by others, who never say a word. */
describe("scenario: verifiers elsewhere, who hand in nothing", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const told: string[] = [];
  let city: City;
  let home: string;
  const addressOf = (name: string): Address => memberOf(city.society, "verifier", name).account.address;
  const stakeOf = async (name: string) => (await city.client.agents.stakeOf(addressOf(name))).held;

  /** The same city as a process sees it that knows these by name and holds no keys of theirs. */
  function without(...names: readonly string[]): City {
    const isAway = ({ role, name }: City["society"][number]) => role === "verifier" && names.includes(name);
    return { ...city, society: city.society.map((member) => (isAway(member) ? { ...member, role: "principal" as const } : member)) };
  }

  /** The city's client, whose posted waves somebody else hands in first. */
  function handedInTwice({ client }: City) {
    let times = 0;
    const mission: City["client"]["mission"] = (address) => {
      const contract = client.mission(address);
      const post: typeof contract.post = async (args, options) => {
        times += 1;
        await contract.post(args, { intent: intentKey("stranger", address, times) });
        return contract.post(args, options);
      };
      return { ...contract, post };
    };
    return { client: { ...client, mission }, count: () => times };
  }

  function work(seen: City, id: string, judge?: InProcess["judge"]): Promise<Outcome> {
    const tasks = {
      read: { service: "fetch-and-parse", over: "input", tier: 1 },
      report: { service: "aggregate", after: ["read"], tier: 1 },
    };
    const text = smallMission(smallInputs(directory(), CALM_ROWS).csv, { risk: "MEDIUM", deadline: "2d", budget: "600.00", tasks });
    return carryOutIn(seen, text, { id, home, ...(judge === undefined ? {} : { judge }) });
  }

  const inMission = (event: "Posted" | "PanelRedrawn", { mission }: Outcome) => city.client.mission(mission as Address).history(event);

  /** Missions until one has this event, five at most: which panels are drawn decides whether a mission meets who is away. */
  async function workUntil(event: "Posted" | "PanelRedrawn", seen: City, id: string, judge?: InProcess["judge"]): Promise<Outcome> {
    for (let times = 1; ; times++) {
      const outcome = await work(seen, `${id}-${times}`, judge);
      if (times === 5 || (await inMission(event, outcome)).length > 0) return outcome;
    }
  }

  before(async () => {
    home = join(directory(), "home");
    city = await openHome(home, "29", { progress: (line) => told.push(line) });
  });
  after(() => city?.close());

  it("are waited for, then the others decide; who posted loses nothing, who was silent its 50 tokens", async () => {
    const before = new Map(await Promise.all(["V1", "V2", "V3", "V4", "V5"].map(async (name) => [name, await stakeOf(name)] as const)));
    const outcome = await workUntil("Posted", without("V5"), "one-silent");
    expect(outcome).to.deep.include({ status: "completed", released: true });
    expect(balances(outcome.money)).to.equal(true);
    const contract = city.client.mission(outcome.mission as Address);
    const posted = await inMission("Posted", outcome);
    expect(posted, told.join("\n")).to.not.have.length(0);
    expect(told.filter((line) => line.endsWith("1 of its panel did not answer; the others posted their verdicts"))).to.have.length(
      posted.length,
    );
    for (const name of ["V1", "V2", "V3", "V4"]) expect(await stakeOf(name), name).to.equal(before.get(name));
    expect(await stakeOf("V5")).to.equal((before.get("V5") ?? 0n) - NO_SHOW * BigInt(posted.length));
    for (const { args } of posted) {
      const { drawBlock } = await contract.nodeOf(args.node);
      const pins = await city.client.evidence.history("SeedPinned", {});
      expect(pins.map(({ args: pin }) => pin.number)).to.include(BigInt(drawBlock));
    }
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });

  it("are heard all the same when a stranger hands the others' wave in before they do", async () => {
    const seen = without("V5");
    const copied = handedInTwice(seen);
    const before = await stakeOf("V1");
    const outcome = await workUntil("Posted", { ...seen, client: copied.client }, "copied-wave");
    expect(copied.count(), told.join("\n")).to.be.greaterThan(0);
    expect(
      told.filter((line) => line.endsWith("the chain refuses the verdicts of a part of its panel (DuplicateVerdict)")),
    ).to.not.have.length(0);
    expect(outcome).to.deep.include({ status: "completed", released: true });
    expect(await stakeOf("V1")).to.equal(before);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });

  it("end no mission where they are too many: another panel, then a human", async () => {
    // Whom the draw names decides how often a human is asked: this one finds that the work is what was claimed, as it is.
    const decide = async () => ({ ruling: "approve", justification: "The file has these three rows." }) as const;
    const outcome = await workUntil("PanelRedrawn", without("V3", "V4", "V5"), "most-silent", { simulated: false, decide });
    expect(outcome.status, told.join("\n")).to.equal("completed");
    expect(await inMission("PanelRedrawn", outcome)).to.not.have.length(0);
    expect(balances(outcome.money)).to.equal(true);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
  });
});
