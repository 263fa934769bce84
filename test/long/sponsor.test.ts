import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { generatePrivateKey } from "viem/accounts";
import { z } from "zod";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { cache } from "../support/cache.ts";
import { writeKeystore } from "../support/keystore.ts";
import { outsideFolder } from "../support/outside-folder.ts";
import { type Program, programs } from "../support/programs.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const PROGRAM = join(import.meta.dirname, "../../scripts/agentcity.js");
const lineSchema = z.looseObject({ happened: z.string(), state: z.string().optional(), code: z.string().optional() });

describe("a sponsor from outside", function () {
  this.timeout(180_000);
  const directory = suiteDirectory();
  const run = programs();
  const at = (...parts: string[]) => join(directory(), ...parts);
  let url = "";
  let city: Program;

  before(async () => {
    mkdirSync(at("elsewhere"), { recursive: true });
    const { csv } = smallInputs(at("elsewhere"), CALM_ROWS);
    writeFileSync(at("elsewhere/mission.yaml"), smallMission(csv));
    writeFileSync(at("elsewhere/items.json"), JSON.stringify(readInput({ kind: "csv", path: csv }, "/").items));
    outsideFolder(at("elsewhere"), ["sponsor.ts"], ["viem"]);
    writeKeystore(at("key.json"), generatePrivateKey(), "secret");
    writeFileSync(at("password"), "secret\n");
    writeFileSync(at("wrong"), "another\n");
    await serve();
  });

  /** `npm run city`, with nothing more than what tests need. */
  async function serve(): Promise<void> {
    city = run([PROGRAM, "city", "--embedded", "--port", "0", "--open", "0", "--simulate-humans", "--json"], {
      env: { ...process.env, AGENTCITY_HOME: at("city"), AGENTCITY_CACHE: cache },
    });
    url = z.object({ url: z.url() }).parse(JSON.parse(await city.heard(/^\{.*\}$/m))).url;
  }

  /** A stranger's program to its end; what it said, by what happened. */
  async function stranger(...manner: readonly string[]) {
    const program = run(["sponsor.ts", url, "mission.yaml", "items.json", ...manner], {
      ...{ cwd: at("elsewhere"), env: { PATH: process.env["PATH"] } },
    });
    await program.ended;
    const lines = program.stdout.trim().split("\n");
    return new Map(lines.map((line) => lineSchema.parse(JSON.parse(line))).map((line) => [line.happened, line]));
  }

  async function command(password = "password", ...more: readonly string[]) {
    const options = ["--city", url, "--key", at("key.json"), "--password-file", at(password), "--json", ...more];
    const program = run([PROGRAM, "mission", at("elsewhere/mission.yaml"), ...options], {
      env: { ...process.env, AGENTCITY_HOME: at("home"), AGENTCITY_CACHE: cache },
    });
    await program.ended;
    return z.looseObject({}).parse(JSON.parse(program.stdout));
  }
  /** Sessions that this city ever had. */
  const sessions = async (): Promise<number> => {
    const answer = await fetch(new URL("/v1/sessions?limit=200", url));
    return z.object({ items: z.array(z.unknown()).min(1) }).parse(await answer.json()).items.length;
  };

  it("asks by HTTP, pays by its own transactions, once, and gets back what was not earned", async () => {
    const said = await stranger();
    expect(said.get("posted")).to.include({ state: "unpaid", session: null });
    expect(said.get("posted again")).to.include({ isSame: true });
    expect(said.get("paid again"), "a second payment").to.include({ session: said.get("paid")?.["session"] });
    const over = said.get("over");
    expect(over, JSON.stringify(over)).to.include({ state: "completed" });
    const output = z.object({ output: z.looseObject({}) }).parse(said.get("output"));
    expect(JSON.stringify(output), "the report").to.match(/survey[\s\S]*foundation[\s\S]*walls/);
    const toStrangers = z.object({ output: z.object({ withheld: z.array(z.unknown()).min(4) }), report: z.literal("NotFound") });
    expect(toStrangers.safeParse(said.get("to strangers")).error, "what it did not say is public is its own").to.equal(undefined);
    // 100,000 tokens of the faucet, 300 deposited.
    expect(Number(over?.["left"])).to.be.greaterThan(99_700_000_000).and.lessThan(100_000_000_000);
  });

  it("is told by name that the key is not the one it says", async () => {
    expect((await stranger("wrong-key")).get("refused")).to.include({ code: "BadSignature" });
    expect(await command("wrong"))
      .to.deep.include({ status: "error" })
      .and.to.have.nested.property("error.code", "KeyUnusable");
  });

  it("cannot have another key's transactions sent, and loses nothing", async () => {
    const said = await stranger("foreign-payer");
    expect(said.get("refused")).to.include({ code: "DepositRefused" });
    expect(said.get("still")).to.include({ state: "unpaid" });
  });

  it("leaves a mission unpaid, and the city still knows it after a restart", async () => {
    const { id } = z.looseObject({ id: z.string() }).parse((await stranger("unpaid")).get("posted"));
    city.child.kill("SIGKILL");
    await city.ended;
    await serve();
    expect(await (await fetch(new URL(`/v1/posted/${id}`, url))).json()).to.include({ id, state: "unpaid" });
  });

  it("has paid when the city is killed: the mission goes on after the restart, and is paid for once", async () => {
    const paid = z.looseObject({ id: z.string(), session: z.string() }).parse((await stranger("paid")).get("paid"));
    city.child.kill("SIGKILL");
    await city.ended;
    await serve();
    const end = async () => z.looseObject({ state: z.string() }).parse(await (await fetch(new URL(`/v1/posted/${paid.id}`, url))).json());
    let now = await end();
    while (now.state === "working") {
      await sleep(100);
      now = await end();
    }
    expect(now).to.include({ state: "completed", session: paid.session });
  });

  it("is one command, which audits the bundle; given twice it is one mission", async () => {
    expect(await command()).to.include({ passed: true, name: "small-estimates" });
    const bundles = readdirSync(at("city/missions"));
    const before = await sessions();
    expect(await command()).to.include({ passed: true });
    expect(await sessions(), "sessions").to.equal(before);
    expect(readdirSync(at("city/missions"))).to.deep.equal(bundles);
    expect(await command("password", "--again", "1"), "another").to.include({ passed: true });
    expect(readdirSync(at("city/missions"))).to.have.lengthOf(bundles.length + 1);
  });
});
