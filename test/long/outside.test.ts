import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { z } from "zod";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { membersOf } from "../../orchestrator/city/founding/society.ts";
import { type OpenSeats, openSeats } from "../../orchestrator/city/missions/open-seats.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { type Hex, hexSchema } from "../../orchestrator/primitives/hex.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { openDatabase } from "../../orchestrator/records/database.ts";
import { root } from "../../scripts/dev/files.ts";
import { CATALOG } from "../../services/catalog.ts";
import { cache } from "../support/cache.ts";
import { openHome } from "../support/city-home.ts";
import { PROGRAM, PROJECT } from "../support/cli.ts";
import { outsideFolder } from "../support/outside-folder.ts";
import { type Program, programs } from "../support/programs.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** A service of tier 2, whose outputs are compared; and one of tier 1, which an issuer runs again. */
const SERVICE = "estimate-by-median";
const READS = "fetch-and-parse";
const millis = () => performance.timeOrigin + performance.now();
/** Missions in which a newcomer has won something, and milliseconds in which it is paid. */
const MISSIONS = 3;
const TO_PAID = 180_000;

const line = z.looseObject({ happened: z.string() });
const over = z.object({
  credit: z.string(),
  balance: z.string(),
  slots: z.array(z.object({ mission: addressSchema, node: z.int(), slot: z.int(), result: z.string() })),
  slashes: z.array(z.object({ amount: z.string(), reason: z.string(), words: z.string().nullable() })),
  reputation: z.array(z.object({ reason: z.string(), current: z.int(), previous: z.int() })),
});

/** Files below a folder that contain these bytes: as they are, in hexadecimal digits, or in base64. */
function whereIn(folder: string, hex: Hex): readonly string[] {
  const bytes = Buffer.from(hex.slice(2), "hex");
  const texts = [bytes.toString("hex"), bytes.toString("base64").slice(0, -2), bytes.toString("base64url").slice(0, -1)];
  const forms = texts.map((each) => each.toLowerCase());
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  const isIn = (content: Buffer) =>
    content.includes(bytes) || forms.some((form) => content.toString("latin1").toLowerCase().includes(form));
  return paths.filter((path) => isIn(readFileSync(path))).map((path) => relative(folder, path));
}

/** Every row of a city's database as text: the files of a database may compress what they hold. */
async function rowsOf(dir: string): Promise<string> {
  const database = await openDatabase({ dir, cache });
  try {
    const tables = await database.query("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()");
    const rows = [];
    for (const { tablename } of tables) rows.push(...(await database.query(`SELECT t::text AS text FROM "${tablename}" t`)));
    return rows.map(({ text }) => text).join("\n");
  } finally {
    await database.close();
  }
}

describe("an agent that has nothing of ours", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  const run = programs();
  let city: City;
  let seats: OpenSeats;
  let gateway: Gateway;
  let files: { readonly stranger: string; readonly decider: string; readonly sponsor: string };
  let missions = 0;

  before(async () => {
    const [stranger = "", decider = "", sponsor = ""] = outsideFolder(
      join(directory(), "elsewhere"),
      ["stranger.ts", "decider.ts", "sponsor.ts"],
      ["@modelcontextprotocol/client", "@modelcontextprotocol/sdk", "viem"],
    );
    files = { stranger, decider, sponsor };
    city = await openHome(join(directory(), "home"), "7");
    const wait = (time: number, signal: AbortSignal) => sleep(time, undefined, { signal }).catch(() => undefined);
    seats = await openSeats(city, { clock: { millis, wait }, patience: 6 });
    const pause = (time: number) => sleep(time, undefined);
    gateway = await serveGateway(city, { port: 0, version: "test", millis, sleep: pause, seats: seats.desk, seatsUrl: seats.url });
  });
  after(async () => {
    await gateway?.close();
    await seats?.close();
    await city?.close();
  });

  const stranger = (service: string, manner: string, sdk = "2", url = gateway.url) => start(files.stranger, url, service, manner, sdk);

  /** With nothing in its environment but where programs are. */
  const start = (...command: readonly string[]) =>
    run(command, { cwd: join(directory(), "elsewhere"), env: { PATH: process.env["PATH"] } });
  const linesOf = ({ stdout }: Program) =>
    stdout
      .split("\n")
      .filter((each) => each !== "")
      .map((each) => line.parse(JSON.parse(each)));

  /** The first line of what happened; waits for it. */
  const heard = async (of: Program, happened: string) =>
    line.parse(JSON.parse(await of.heard(new RegExp(`^\\{"happened":"${happened}".*\\}$`, "m"))));

  async function mission(): Promise<Outcome> {
    missions += 1;
    const text = smallMission(smallInputs(directory(), CALM_ROWS).csv);
    const file = parseMissionFile(text, { fileName: "mission.yaml", catalog: CATALOG, budgetCap: 10n ** 15n });
    const order = { file, catalog: CATALOG, input: readInput(file.input, directory()), judge: simulatedJudge(city.chain.id) };
    return runToEnd(city, { ...order, id: `outside-${missions}`, outsiders: await seats.outsiders() }, text, join(directory(), "home"));
  }

  /** Missions until this agent won something: what it says in the end, and the last mission. */
  async function untilOver(of: Program) {
    const agent = String((await heard(of, "registered"))["agent"]);
    for (let at = 0; at < MISSIONS; at += 1) {
      const outcome = await of.during(mission());
      const won = outcome.nodes.flatMap(({ executors }) => executors).filter((slot) => slot.agent === agent);
      if (won.length > 0) return { outcome, won, work: over.parse(await heard(of, "over")) };
    }
    throw new Error(`it won nothing in ${MISSIONS} missions: ${of.said}`);
  }

  /** What the missions' contracts owe for all that an agent won. */
  async function entitledTo({ slots }: z.infer<typeof over>): Promise<bigint> {
    const all = await Promise.all(slots.map(({ mission, node, slot }) => city.client.mission(mission).entitlementOf(node, slot)));
    return all.reduce((sum, { paid, premium }) => sum + paid + premium, 0n);
  }

  it("is no more than 120 lines, and imports packages alone", () => {
    for (const name of ["stranger.ts", "decider.ts", "sponsor.ts"]) {
      const text = readFileSync(join(root, "test/outside", name), "utf8");
      expect(text.trimEnd().split("\n").length, name).to.be.at.most(120);
      const modules = [...text.matchAll(/(?:from |import\()"([^"]+)"|"(@[^"]+\/[^"]+|\.[^"]*)"/g)].map(([, from, named]) => from ?? named);
      for (const module of modules)
        expect(module, name).to.match(
          /^(node:(crypto|fs)|@modelcontextprotocol\/(client(\/stdio)?|sdk\/client\/\w+\.js)|viem(\/accounts)?)$/,
        );
    }
  });

  /** That it worked where three owners' answers are compared, and that the two others are of this city. */
  function expectAmongThree({ nodes }: Outcome, agent: string): void {
    const locals = new Map(membersOf(city.society, "producer").map(({ name, principal }) => [name, principal]));
    const own = nodes.filter(({ executors }) => executors.some((slot) => slot.agent === agent));
    expect(own.map(({ tier }) => tier)).to.deep.equal(own.map(() => 2));
    for (const { executors } of own) {
      const others = executors.filter((slot) => slot.agent !== agent);
      expect(executors).to.have.length(3);
      expect(others.map((slot) => locals.get(slot.agent))).to.not.include(undefined);
      expect(new Set(others.map((slot) => locals.get(slot.agent))).size).to.equal(2);
      expect(executors.map(({ attempt }) => attempt)).to.deep.equal([1, 1, 1]);
    }
  }

  for (const sdk of ["1", "2"])
    it(`joins by HTTP with SDK ${sdk} and random keys, wins, delivers, is paid, and the audit passes`, async () => {
      const running = stranger(SERVICE, "honest", sdk);
      const { outcome, won, work } = await untilOver(running);
      expect(outcome.failure, `${JSON.stringify(outcome.failure)} ${running.said}`).to.equal(null);
      expect(work.slots.map(({ result }) => result)).to.deep.equal(won.map(() => "agreed"));
      expect(work.slashes).to.deep.equal([]);
      expect(work.reputation.some(({ previous, current }) => current > previous)).to.equal(true);
      expectAmongThree(outcome, won[0]?.agent ?? "");
      const entitled = await entitledTo(work);
      expect(entitled > 0n).to.equal(true);
      expect(BigInt(work.balance) + BigInt(work.credit)).to.equal(entitled);
      expect(millis() - running.begun).to.be.below(TO_PAID);
      expect(linesOf(running).filter(({ happened }) => happened === "refused")).to.deep.equal([]);
      const report = await auditBundle(join(directory(), "home", outcome.bundle ?? ""));
      expect(report.checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
      expect(report.passed).to.equal(true);
    });

  for (const sdk of ["1", "2"])
    it(`decides by standard input and output in the protocol's older era with SDK ${sdk}, for a key that stays in the process it started`, async () => {
      const folder = join(directory(), `decided-for-${sdk}`);
      await start(join(PROJECT, PROGRAM), "agent", "init", "--folder", folder).ended;
      const running = start(
        files.decider,
        sdk,
        SERVICE,
        process.execPath,
        join(PROJECT, PROGRAM),
        "mcp",
        "--city",
        gateway.url,
        "--folder",
        folder,
        "--sells",
        SERVICE,
      );
      expect((await heard(running, "connected"))["era"]).to.match(/^2025-/);
      const { outcome, won, work } = await untilOver(running);
      expect(outcome.failure, `${JSON.stringify(outcome.failure)} ${running.said}`).to.equal(null);
      expect(work.slots.map(({ result }) => result)).to.deep.equal(won.map(() => "agreed"));
      expect(BigInt(work.balance) + BigInt(work.credit)).to.equal(await entitledTo(work));
      expect(
        linesOf(running)
          .filter(({ happened }) => happened === "decided")
          .map(({ kind }) => kind),
      ).to.include.members(["bid", "perform"]);
    });

  it("is slashed for garbage, and told why", async () => {
    const running = stranger(READS, "garbage");
    const { outcome, won, work } = await untilOver(running);
    expect(outcome.failure, `${JSON.stringify(outcome.failure)} ${running.said}`).to.equal(null);
    expect(work.slots.map(({ result }) => result)).to.deep.equal(won.map(() => "failed"));
    expect(BigInt(work.balance) + BigInt(work.credit)).to.equal(0n);
    // Another agent did it again, and the mission's sponsor has what was paid for.
    const done = outcome.nodes.filter(({ executors }) => executors.some((slot) => won.includes(slot)));
    expect(done.map(({ state, attempts }) => [state, attempts])).to.deep.equal(done.map(() => ["COMPLETED", 2]));
    const told = ["CLEARED_FAIL", "the verifiers rejected the work"];
    expect(work.slashes.map(({ reason, words }) => [reason, words])).to.deep.equal(won.map(() => told));
    expect(BigInt(work.slashes[0]?.amount ?? 0) > 0n).to.equal(true);
    expect(work.reputation.some(({ previous, current }) => current < previous)).to.equal(true);
  });

  it("is refused by name when another key signed for it", async () => {
    const running = stranger(SERVICE, "wrong-key");
    await running.ended;
    expect(running.end).to.not.equal(0);
    expect(running.stderr).to.contain("BadSignature");
  });

  it("says why it stopped to whoever decides for it", async () => {
    const folder = join(directory(), "stopped");
    await start(join(PROJECT, PROGRAM), "agent", "init", "--folder", folder).ended;
    const own = [process.execPath, join(PROJECT, PROGRAM), "mcp", "--city", gateway.url, "--folder", folder, "--sells", "no-such-service"];
    const running = start(files.decider, "2", SERVICE, ...own);
    await running.ended;
    expect(running.stderr).to.contain("The agent stopped: There is no service no-such-service");
    expect(running.end).to.not.equal(0);
  });

  it("leaves no key of its own or of its owner in anything that the program `agentcity city` writes", async () => {
    const home = join(directory(), "program");
    const served = run([join(PROJECT, PROGRAM), "city", "--embedded", "--port", "0", "--open", "0", "--simulate-humans", "--json"], {
      env: { ...process.env, AGENTCITY_HOME: home, AGENTCITY_CACHE: cache },
    });
    const { url } = z.object({ url: z.url() }).parse(JSON.parse(await served.heard(/^\{.*\}$/m)));
    const { csv } = smallInputs(directory(), CALM_ROWS);
    writeFileSync(join(directory(), "posted.yaml"), smallMission(csv));
    writeFileSync(join(directory(), "items.json"), JSON.stringify(readInput({ kind: "csv", path: csv }, "/").items));
    const running = stranger(SERVICE, "honest", "2", url);
    const { agent, keys } = z.object({ agent: hexSchema, keys: z.record(z.string(), hexSchema) }).parse(await heard(running, "registered"));
    for (let at = 0; at < MISSIONS && !running.stdout.includes('"over"'); at += 1)
      await start(files.sponsor, url, join(directory(), "posted.yaml"), join(directory(), "items.json")).ended;
    expect(over.parse(await heard(running, "over")).slots, running.said).to.not.deep.equal([]);
    served.child.kill("SIGINT");
    await served.ended;

    for (const name of ["stdout", "stderr"] as const) writeFileSync(join(home, name), served[name]);
    writeFileSync(join(home, "rows"), await rowsOf(join(home, "embedded/records")));
    // What it wrote tells of the agent, in the chain and in the database, and so it would of a key.
    expect(whereIn(home, agent)).to.include.members(["embedded/chain.ndjson", "rows"]);
    for (const [name, key] of Object.entries(keys)) expect(whereIn(home, key), name).to.deep.equal([]);
  });

  it("takes no seat once whoever decides is gone", async () => {
    const folder = join(directory(), "left");
    await start(join(PROJECT, PROGRAM), "agent", "init", "--folder", folder).ended;
    // Its input is at its end before it begins.
    const running = start(join(PROJECT, PROGRAM), "mcp", "--city", gateway.url, "--folder", folder, "--sells", SERVICE);
    await running.ended;
    expect(running.end, running.stderr).to.equal(0);
  });
});
