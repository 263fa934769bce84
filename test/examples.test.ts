import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "chai";
import { simulatedJudge } from "../orchestrator/adjudication/simulated-judge.ts";
import { type City, openCity } from "../orchestrator/city/city.ts";
import { Hearings } from "../orchestrator/city/hearings/hearings.ts";
import { seatDesk } from "../orchestrator/city/missions/open-seats.ts";
import { runToEnd } from "../orchestrator/city/missions/run.ts";
import { issuersIn, verifiersIn } from "../orchestrator/city/world.ts";
import { readInput } from "../orchestrator/execution/inputs/read-input.ts";
import { serveGateway } from "../orchestrator/gateway/serve.ts";
import { parseMissionFile } from "../orchestrator/protocol/mission-file.ts";
import { CATALOG } from "../services/catalog.ts";
import { serveOptions } from "./gateway/gateway-city.ts";
import { cache } from "./support/cache.ts";
import { PACKAGES, SMALL_MISSION } from "./support/mission-bundle.ts";
import { strangersFolder } from "./support/stranger.ts";

const run = promisify(execFile);

/** The examples as a stranger runs them: from an installed package, in a process of their own, against a city that lives in this one. */
describe("examples", function () {
  this.timeout(240_000);
  let folder: string;
  let city: City;
  let bundle: string;
  const example = async (name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { stdout } = await run(process.execPath, [`${name}.ts`, ...args], {
      cwd: join(folder, "stranger"),
      env: { ...process.env, ...env },
    });
    return stdout.trimEnd().split("\n");
  };
  const cityFile = () => join(folder, "embedded/city.json");

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "agentcity-examples-"));
    await strangersFolder(folder);
    writeFileSync(join(folder, "packages.csv"), PACKAGES);
    const file = parseMissionFile(SMALL_MISSION, { fileName: "packages.yaml", catalog: CATALOG, budgetCap: 10n ** 12n });
    city = await openCity({ dir: join(folder, "embedded"), cacheDir: cache, seed: "7", progress: () => {}, millis: () => 0 });
    const order = { file, catalog: CATALOG, input: readInput(file.input, folder), id: "small", judge: simulatedJudge(city.chain.id) };
    const outcome = await runToEnd(city, order, SMALL_MISSION, folder);
    bundle = join(folder, outcome.bundle ?? "no bundle");
  });
  after(async () => {
    await city.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("agree brings two strangers from a proposal to a divided payment", async () => {
    const [agreed, ...rest] = await example("agree", []);
    expect(agreed).to.match(/^agreed on 12\.50 USDC, 0x[0-9a-f]{64}$/);
    expect(rest).to.deep.equal(["PASS with 93.7: closed, by schedule", "provider 11712500, client 787500 of the smallest units"]);
  });

  it("attest checks a claim, and one that says more than its source", async () => {
    expect(await example("attest", [])).to.deep.equal([
      "verified, citation/excerpt-present, signed: true",
      "rejected, citation/excerpt-absent, signed: true",
    ]);
  });

  it("clear pays for what somebody attests, and nothing for the same said by its maker", async () => {
    expect(await example("clear", [])).to.deep.equal([
      'ATT by lab: cleared, {"type":"release","release_amount":1000,"currency":"USD"}',
      'SIGN by agent: unverifiable, "nothing is paid"',
    ]);
  });

  it("read-a-city lists producers with their owners, and missions with their money", async () => {
    const lines = await example("read-a-city", [cityFile()]);
    expect(lines[0]).to.equal("producers: 8");
    expect(lines.slice(1, 9).join("\n")).to.match(/^( {2}0x[0-9a-fA-F]{40} of 0x[0-9a-fA-F]{40}, reputation [4-6]\d\d\n?){8}$/);
    expect(lines[9]).to.equal("missions: 1");
    expect(lines[10]).to.match(/^ {2}0x[0-9a-fA-F]{40} since block \d+: deposit 600 tokens, paid \d+(\.\d+)?, fees \d+(\.\d+)?$/);
  });

  it("register lets an agent in, once, and reads it back", async () => {
    const keys = { AGENT_KEY: `0x${"11".repeat(32)}`, PRINCIPAL_KEY: `0x${"22".repeat(32)}` };
    const lines = await example("register", [cityFile()], keys);
    expect(lines).to.deep.equal([
      "registered 0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A for 0x1563915e194D8CfBA1943570603F7606A3115508",
      "reputation 500, stake 20000 tokens",
      "may bid: true",
      "may vote: false, and from its first paid slot on",
    ]);
    expect(await city.client.agents.activeProducers()).to.equal(8);
    const again = await example("register", [cityFile()], keys).then(
      () => "",
      (error: unknown) => String(error),
    );
    expect(again).to.include("AlreadyRegistered");
    expect(await city.client.agents.activeProducers()).to.equal(8);
  });

  it("job pays a provider whose work a panel of the city has judged", async () => {
    const millis = () => performance.timeOrigin + performance.now();
    const desk = await seatDesk(city, { clock: { millis, wait: () => new Promise<void>(() => {}) } });
    const verifiers = async () => verifiersIn(city);
    const hearings = new Hearings(city, { verifiers, issuers: issuersIn(city), relays: desk.relays, millis });
    const gateway = await serveGateway(city, { ...serveOptions, millis, sleep: async (time) => void (await sleep(time)), hearings });
    try {
      expect(await example("job", [cityFile()])).to.deep.equal(["PASS with 100: the provider has 5 tokens"]);
    } finally {
      await gateway.close();
    }
  });

  it("verify-a-bundle finds nothing wrong, and names what was changed", async () => {
    const [last = ""] = (await example("verify-a-bundle", [bundle])).slice(-1);
    expect(last).to.match(/^\d+ files, \d+ log entries, \d+ clearings: 0 problems$/);
    expect(last).to.not.include(" 0 clearings");
    const log = join(bundle, "log.ndjson");
    writeFileSync(log, readFileSync(log, "utf8").replace('"seq":5,', '"seq":6,'));
    const refused = await example("verify-a-bundle", [bundle]).then(
      () => "",
      (error: unknown) => (error instanceof Error && "stdout" in error ? String(error.stdout) : String(error)),
    );
    expect(refused).to.include("✗ log.ndjson was changed\n✗ log entry 5 was changed\n");
  });
});
