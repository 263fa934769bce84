/** Receipts for a job's work by an issuer of another house: `npm run issuer` in a process of its own, killed, and gone. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { privateKeyToAddress } from "viem/accounts";
import { z } from "zod";
import { act } from "../../orchestrator/adjudication/act.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { Hearings } from "../../orchestrator/city/hearings/hearings.ts";
import { decisionOn } from "../../orchestrator/city/humans/case-decisions.ts";
import { queueOf } from "../../orchestrator/city/humans/case-queue.ts";
import { panelOf } from "../../orchestrator/city/humans/panel.ts";
import { type OpenSeats, openSeats } from "../../orchestrator/city/missions/open-seats.ts";
import { issuersIn, verifiersIn } from "../../orchestrator/city/world.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import type { Hex } from "../../orchestrator/primitives/hex.ts";
import type { JsonObject } from "../../orchestrator/primitives/json.ts";
import { serveOptions } from "../gateway/gateway-city.ts";
import { AMOUNT, ask, type Job, type JobOptions, openJob, type Receipt, WORK } from "../gateway/job-parties.ts";
import { cache } from "../support/cache.ts";
import { openHome } from "../support/city-home.ts";
import { PROGRAM, PROJECT } from "../support/cli.ts";
import { writeKeystore } from "../support/keystore.ts";
import { secretOf, wallClock } from "../support/office-holder.ts";
import { type Program, programs } from "../support/programs.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const PASSWORD = "correct horse";
const KEY = secretOf("issuer of another house");
const OWNER = secretOf("owner of the issuer of another house");
const ISSUER = privateKeyToAddress(KEY);

describe("a job's work before an issuer of another house", function () {
  this.timeout(600_000);
  const directory = suiteDirectory();
  let city: City;
  let seats: OpenSeats;
  let gateway: Gateway;
  let hearings: Hearings;
  const run = programs();
  let issuer: Program;
  /** The machine's clock, as far as the city waits by it before it tries again. */
  let now = 0;

  before(async () => {
    city = await openHome(join(directory(), "home"), "7");
    seats = await openSeats(city, { clock: wallClock });
    hearings = new Hearings(city, {
      verifiers: async () => verifiersIn(city),
      issuers: issuersIn(city),
      issuersElsewhere: async () => (await seats.outsiders()).issuers,
      ...{ relays: seats.desk.relays, millis: () => now },
    });
    gateway = await serveGateway(city, { ...serveOptions, seats: seats.desk, hearings });
    const at = (...parts: string[]) => join(directory(), ...parts);
    mkdirSync(at("issuer"), { recursive: true });
    writeFileSync(at("password"), `${PASSWORD}\n`);
    const keys = ["--key", writeKeystore(at("key.json"), KEY, PASSWORD), "--principal", writeKeystore(at("owner.json"), OWNER, PASSWORD)];
    const args = [
      "issuer",
      "--city",
      seats.url,
      ...keys,
      "--password-file",
      at("password"),
      "--contact",
      "ops@example.org",
      "--weak-sandbox",
    ];
    issuer = run([join(PROJECT, PROGRAM), ...args], { env: { ...process.env, AGENTCITY_HOME: at("issuer"), AGENTCITY_CACHE: cache } });
    await issuer.heard(/petition-\w+-[0-9a-f]{40}/);
    const panel = panelOf(city);
    for (const { name, subject } of await queueOf(city))
      if (subject.kind === "petition")
        await act(panel, panel.seats.slice(0, 2), { ...decisionOn(name, subject, "approve"), because: "A test." });
    await issuer.heard(/answering as/);
  });
  after(async () => {
    await gateway?.close();
    await seats?.close();
    await city?.close();
  });

  const opened = async (options: Partial<JobOptions> = {}): Promise<Job> => {
    const at = { url: gateway.url, rpcUrl: city.rpcUrl, addresses: city.client.addresses };
    const endow = (party: Hex) => seats.desk.faucet(party);
    const job = await openJob(at, { endow, now: Number(city.chain.clock.now()), ...options });
    await job.open();
    return job;
  };
  const shown = async ({ hearing }: Job, more: JsonObject = {}): Promise<readonly Receipt[]> => {
    const { items } = await ask(gateway.url, "/v1/hearing-receipts", { hearing, work: WORK, ...more });
    return z.array(z.custom<Receipt>()).parse(items);
  };
  const issuersOf = (items: readonly Receipt[]) => items.map((item) => item.issuer);
  async function over(job: Job): Promise<JsonObject> {
    for (let turn = 0; turn < 40; turn += 1) {
      now += 60_000;
      await hearings.step();
      await hearings.settled();
      const state = await job.get();
      if (state["isClosed"] === true) return state;
    }
    throw new Error("it is not over");
  }

  it("is shown to it only if the provider says so, and its receipt alone carries the job", async () => {
    const job = await opened();
    expect(issuersOf(await shown(job))).to.not.include(ISSUER);
    expect(issuer.stderr).to.not.include("answered acknowledge");
    const all = await shown(job, { elsewhere: true });
    expect(issuersOf(all).at(-1)).to.equal(ISSUER);
    expect(all.map(({ index }) => index)).to.deep.equal(all.map((_, place) => place));
    await issuer.heard(/answered acknowledge/);
    const others = issuersIn(city).filter(({ account }) => issuersOf(all).includes(account.address));
    expect(others).to.have.length(all.length - 1);

    // The provider trusts nobody of the operator's: the only item is this issuer's, in the first place.
    const own = await seats.outsiders();
    const [remote] = own.issuers;
    if (remote === undefined) throw new Error("nobody is seated");
    const mine = new Hearings(city, {
      ...{ verifiers: async () => verifiersIn(city), issuers: [], issuersElsewhere: async () => [remote] },
      ...{ relays: seats.desk.relays, millis: () => now },
    });
    const only = await mine.receive(job.hearing, WORK, { isShown: true });
    expect(only.map(({ issuer: by, index, class: of }) => [by, index, of])).to.deep.equal([[ISSUER, 0, "REC"]]);
    await job.deliver(WORK, only);
    await job.handIn(WORK, only);
    expect(await over(job)).to.include({ outcome: "PASS", isComplete: true });
    expect(await job.withdrawn("provider")).to.equal(AMOUNT);
  });

  it("gets no receipt of an issuer whose house is a party's, nor for a job that is over", async () => {
    const related = await opened({ houses: { provider: privateKeyToAddress(OWNER) } });
    expect(issuersOf(await shown(related, { elsewhere: true }))).to.not.include(ISSUER);
    const job = await opened();
    const items = await shown(job);
    await job.deliver(WORK, items);
    await job.handIn(WORK, items);
    await over(job);
    expect(issuersOf(await shown(job, { elsewhere: true }))).to.not.include(ISSUER);
    expect(issuer.stderr).to.match(/declined acknowledge/);
  });

  it("goes on with the city's own while the issuer is silent, and after it was killed, without a gap in the envelope", async () => {
    const job = await opened();
    issuer.child.kill("SIGSTOP");
    const own = await shown(job, { elsewhere: true });
    expect(issuersOf(own)).to.not.include(ISSUER);
    issuer.child.kill("SIGCONT");
    issuer.child.kill("SIGKILL");
    await issuer.ended;
    const items = await shown(job, { elsewhere: true });
    expect(items.map(({ issuer: by, index }) => [by, index])).to.deep.equal(own.map(({ issuer: by, index }) => [by, index]));
    expect(items).to.have.length.greaterThan(0);
    await job.deliver(WORK, items);
    await job.handIn(WORK, items);
    expect(await over(job)).to.include({ outcome: "PASS" });
  });
});
