// @long
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { type City, openCity } from "../../orchestrator/city/city.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { MissionMemory } from "../../orchestrator/gateway/mission-memory.ts";
import { openCityHub } from "../../orchestrator/gateway/serve.ts";
import type { Hub } from "../../orchestrator/hub/hub.ts";
import type { MissionRow } from "../../orchestrator/hub/registry.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import { CATALOG } from "../../services/catalog.ts";
import { cache } from "../support/cache.ts";
import { PACKAGES, SMALL_MISSION } from "../support/mission-bundle.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

describe("what the gateway keeps of a mission", function () {
  this.timeout(180_000);
  const home = suiteDirectory();
  let city: City;
  let hub: Hub;
  let memory: MissionMemory;
  let row: MissionRow | undefined;
  let isFounded = false;
  let [views, compared, last] = [0, 0, 0];

  const named = () => ({ mission: addressSchema.parse(row?.mission), missionId: row?.id ?? "0x" });

  /** Counts nodes that are read. */
  const counting = () => ({
    hub,
    client: {
      mission(address: `0x${string}`) {
        const contract = city.client.mission(address);
        const nodeOf: typeof contract.nodeOf = (...args) => {
          views += 1;
          return contract.nodeOf(...args);
        };
        return { ...contract, nodeOf };
      },
    },
  });

  /** A memory that saw the whole mission says what one says that reads everything now. */
  async function compare(): Promise<void> {
    await hub.sync();
    const { sequence } = hub.cursor();
    if (sequence === last) return;
    last = sequence;
    const [approved] = (await hub.query({ name: "TemplateRegistry.MissionDeployed" })).events;
    row ??= approved === undefined ? undefined : hub.missionWithId(approved.missionId);
    if (row === undefined) return;
    expect(await memory.read(named())).to.deep.equal(await new MissionMemory({ hub, client: city.client }).read(named()));
    compared += 1;
  }

  before(async () => {
    mkdirSync(home(), { recursive: true });
    writeFileSync(join(home(), "packages.csv"), PACKAGES);
    city = await openCity({
      ...{ dir: join(home(), "embedded"), cacheDir: cache, seed: "7", progress: () => {}, millis: () => 0 },
      boundary: async () => {
        if (isFounded) await compare();
      },
    });
    hub = await openCityHub(city);
    memory = new MissionMemory(counting());
    isFounded = true;
    const file = parseMissionFile(SMALL_MISSION, { fileName: "packages.yaml", catalog: CATALOG, budgetCap: 10n ** 12n });
    const order = { file, catalog: CATALOG, input: readInput(file.input, home()), id: "small", judge: simulatedJudge(city.chain.id) };
    await runToEnd(city, { ...order, cheat: true }, SMALL_MISSION, home());
  });
  after(() => city.close());

  it("is what the chain has, at every boundary of a mission whose work is frozen and done again", async () => {
    expect(compared).to.be.greaterThan(30);
    const { events } = await memory.read(named());
    expect(new Set(events.map(({ eventType }) => eventType))).to.include.members(["POP_REJECTED", "MISSION_COMPLETED"]);
  });

  it("is read again where something happened, and nowhere else", async () => {
    const deployer = city.society.find(({ role }) => role === "deployer");
    if (deployer === undefined) throw new Error("this city has no deployer");
    const before = views;
    await city.client.token.mint([deployer.account.address, 1n], { intent: intentKey("test", "mint"), account: deployer.account });
    await compare();
    expect(views).to.equal(before);
  });
});
