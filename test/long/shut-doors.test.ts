import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { createAgent } from "../../orchestrator/agent/agent.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { closedSeats, openSeats } from "../../orchestrator/city/missions/open-seats.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import type { Outsiders } from "../../orchestrator/execution/seat.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import type { BoundaryName } from "../../orchestrator/protocol/boundaries.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { CATALOG } from "../../services/catalog.ts";
import { openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const secretOf = (name: string) => keccak256(new TextEncoder().encode(name));
const KEY = secretOf("an agent of another owner");
const AGENT = privateKeyToAccount(KEY).address;
const SELLS = ["fetch-and-parse", "estimate-by-pert", "estimate-by-triangle", "estimate-by-median", "aggregate"];
const millis = () => performance.timeOrigin + performance.now();
const wait = (time: number, signal: AbortSignal) => sleep(time, undefined, { signal }).catch(() => undefined);

/** The point at which the operator's process ends. */
class Ended extends Error {}

describe("a mission that goes on in a city whose seats were closed meanwhile", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();

  /** A mission with an executor elsewhere ends at `point`; the city is opened again without seats, and the mission given again. */
  async function resumedAfter(point: BoundaryName): Promise<Outcome & { readonly home: string }> {
    const folder = join(directory(), point.replaceAll(":", " "));
    const home = join(folder, "home");
    const text = smallMission(smallInputs(folder, CALM_ROWS).csv);
    const file = parseMissionFile(text, { fileName: "mission.yaml", catalog: CATALOG, budgetCap: 10n ** 15n });
    const run = (city: City, outsiders: Outsiders) => {
      const order = { file, catalog: CATALOG, input: readInput(file.input, folder), id: "shut", judge: simulatedJudge(city.chain.id) };
      return runToEnd(city, { ...order, outsiders }, text, home);
    };
    const works = async (city: City) => (await city.client.agents.stakeOf(AGENT)).locked > 0n;

    const open: { city?: City } = {};
    const boundary = async (name: string) => {
      if (name === point && open.city !== undefined && (await works(open.city))) throw new Ended(point);
    };
    open.city = await openHome(home, "7", { boundary });
    const seats = await openSeats(open.city, { clock: { millis, wait } });
    const gone = new AbortController();
    const answering = Promise.withResolvers<void>();
    const agent = createAgent({
      city: seats.url,
      key: KEY,
      principal: privateKeyToAccount(secretOf("another owner")),
      folder: join(folder, "agent"),
      services: SELLS,
      clock: { millis, sleep: async (time) => void (await sleep(time)) },
      progress: (line) => line.startsWith("answering") && answering.resolve(),
    });
    const living = agent.run(gone.signal);
    await Promise.race([answering.promise, living]);
    const ended = await run(open.city, await seats.outsiders()).catch((error: unknown) => error);
    expect(ended).to.be.instanceOf(Ended);
    gone.abort();
    await living;
    await seats.close();
    await open.city.close();

    const city = await openHome(home, "7");
    try {
      return { ...(await run(city, await closedSeats(city, { millis, wait }))), home };
    } finally {
      await city.close();
    }
  }

  const slotsOf = ({ nodes }: Outcome) => nodes.flatMap(({ executors }) => executors).filter(({ agent }) => agent === AGENT);

  it("charges an executor that had been awarded and is silent since, and is completed by others", async () => {
    const outcome = await resumedAfter("execution:routed");
    expect(outcome.failure).to.equal(null);
    expect(slotsOf(outcome)).to.not.have.length(0);
    for (const slot of slotsOf(outcome))
      expect(slot).to.deep.include({ paid: "0", slashed: "50000000", fault: "absent: its executor handed in nothing" });
    expect((await auditBundle(join(outcome.home, outcome.bundle ?? ""))).passed).to.equal(true);
  });

  it("pays an executor for what it committed before, and charges it for what it left undone", async () => {
    const outcome = await resumedAfter("execution:committed");
    expect(outcome.failure).to.equal(null);
    const done = slotsOf(outcome).filter(({ fault }) => fault === null);
    const undone = slotsOf(outcome).filter(({ fault }) => fault !== null);
    expect(done).to.not.have.length(0);
    for (const slot of done) expect(BigInt(slot.paid) > 0n && slot.slashed === "0").to.equal(true);
    expect(undone).to.not.have.length(0);
    for (const slot of undone) expect(slot).to.deep.include({ paid: "0", slashed: "50000000" });
    expect((await auditBundle(join(outcome.home, outcome.bundle ?? ""))).passed).to.equal(true);
  });
});
