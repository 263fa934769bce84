// @long
/** What a panel judged of a stranger's job, written into a bundle and verified from it alone. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { concat, createWalletClient, encodeFunctionData, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { clearingEvaluatorAbi } from "../../orchestrator/chain/abi/ClearingEvaluator.ts";
import { AuditFailed } from "../../orchestrator/city/audit/audit-failed.ts";
import {
  auditHearing,
  type HearingContext,
  hearingChecks,
  inspectHearing,
  openHearing,
} from "../../orchestrator/city/audit/audit-hearing.ts";
import { OwnerBusy, requestHearingBundle } from "../../orchestrator/city/bundle/bundle-requests.ts";
import {
  HEARING_FILE,
  type HearingFile,
  HearingNotOver,
  hearingFileSchema,
  writeHearingBundle,
} from "../../orchestrator/city/bundle/hearing-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { Hearings } from "../../orchestrator/city/hearings/hearings.ts";
import { type SeatDesk, seatDesk } from "../../orchestrator/city/missions/open-seats.ts";
import { issuersIn, verifiersIn } from "../../orchestrator/city/world.ts";
import type { Judgement } from "../../orchestrator/clearing/judgement.ts";
import type { Judge } from "../../orchestrator/clearing/mesh.ts";
import { hashOf, signHash } from "../../orchestrator/clearing/seal.ts";
import { sealerOf } from "../../orchestrator/execution/clearing-record.ts";
import { obligationOfJob, submittedSince } from "../../orchestrator/execution/hearing.ts";
import type { Verifier } from "../../orchestrator/execution/seat.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import type { Hash, Hex } from "../../orchestrator/primitives/hex.ts";
import { canonicalBytes, canonicalJson, type JsonObject, type JsonValue, parseJson } from "../../orchestrator/primitives/json.ts";
import { auditReportSchema } from "../../orchestrator/protocol/audit-report.ts";
import { hearingKey } from "../../orchestrator/protocol/hearing.ts";
import type { Commission } from "../../orchestrator/protocol/hearing-schema.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import { forge } from "../city/audit/forgery.ts";
import { alterations } from "../support/alterations.ts";
import { openHome } from "../support/city-home.ts";
import { runCli } from "../support/cli.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions, wall } from "./gateway-city.ts";
import { foreignJob, HEARING, type Job, type JobOptions, openJob, WORK } from "./job-parties.ts";

/** Creation code of a contract that calls the address in the first 20 bytes it is given with the rest of them. */
const FORWARDER: Hex = "0x601e8060095f395ff3601436038060145f375f5f825f5f5f3560601c5af115601a57005b5f5ffd";

describe("the audit of a hearing", function () {
  this.timeout(600_000);
  const directory = suiteDirectory();
  let city: City;
  let gateway: Gateway;
  let hearings: Hearings;
  let desk: SeatDesk;
  let job: Job;
  let bundle: string;
  let isOpen = true;
  let context: HearingContext;
  /** Whose judgement can be asked, and what becomes of it. */
  let seated: (all: readonly Verifier[]) => readonly Verifier[] = (all) => all;

  before(async () => {
    city = await openHome(join(directory(), "home"), "7");
    const { millis } = serveOptions;
    desk = await seatDesk(city, { clock: { millis, wait: () => new Promise<void>(() => {}) } });
    const verifiers = async () => seated(verifiersIn(city));
    hearings = new Hearings(city, { verifiers, issuers: issuersIn(city), relays: desk.relays, millis: () => wall.now });
    gateway = await serveGateway(city, { ...serveOptions, hearings });
    job = await brought(await openJob(place(), options()));
    expect(await rejection(writeHearingBundle(city, job.hearing, join(directory(), "early")))).to.be.instanceOf(HearingNotOver);
    bundle = await over(job);
    context = await openHearing(city.chain, fileIn(bundle));
  });
  after(async () => {
    if (!isOpen) return;
    await gateway?.close();
    await city?.close();
  });
  beforeEach(() => {
    seated = (all) => all;
  });

  const place = () => ({ url: gateway.url, rpcUrl: city.rpcUrl, addresses: city.client.addresses });
  const options = (): JobOptions => ({ endow: (party: Hex) => desk.faucet(party), now: Number(city.chain.clock.now()) });
  /** Up to the work that the panel has. */
  async function brought<One extends Pick<Job, "open" | "receipts" | "deliver" | "handIn">>(
    one: One,
    work: JsonObject = WORK,
  ): Promise<One> {
    await one.open();
    const items = await one.receipts(work);
    await one.deliver(work, items);
    await one.handIn(work, items);
    return one;
  }
  async function turn(one: Pick<Job, "get">): ReturnType<Job["get"]> {
    wall.now += 60_000;
    await hearings.step();
    await hearings.settled();
    return one.get();
  }
  /** The bundle of a job that is led to its end; where nobody decides, its panels' time passes. */
  async function over(one: Pick<Job, "get" | "hearing">): Promise<string> {
    for (let turns = 0; (await turn(one))["isClosed"] !== true; turns += 1) {
      if (turns > 40) throw new Error("it is not over");
      if (turns % 8 === 7) await city.chain.clock.sleepUntil(city.chain.clock.now() + BigInt(HEARING + 1));
    }
    const dir = join(directory(), one.hearing);
    await writeHearingBundle(city, one.hearing, dir);
    return dir;
  }

  const fileIn = (dir: string): HearingFile => hearingFileSchema.parse(parseJson(openBundle(dir).text(HEARING_FILE)));
  const rewritten = (file: JsonValue): string =>
    forge(bundle, join(directory(), "forged"), (files) => void files.set(HEARING_FILE, canonicalBytes(file)));

  /** What the first check that finds something finds: those after it could only find more. */
  async function firstFindings(context: HearingContext): Promise<readonly string[]> {
    for (const each of hearingChecks) {
      const { findings } = await inspectHearing(each, context);
      if (findings.length > 0) return findings.map(({ check, subject, problem }) => `${check} ${subject} ${problem}`);
    }
    return [];
  }

  /** What the first check that finds something finds in another file on the same chain. */
  async function found(file: HearingFile): Promise<readonly string[]> {
    const { terms } = file.record;
    const told = {
      ...context,
      file,
      key: hearingKey(terms.escrow, BigInt(terms.jobId)),
      obligation: obligationOfJob(context.client, terms),
    };
    return firstFindings(told);
  }

  /** The record as an operator who holds its engine's key would sign it anew. */
  function signed(record: HearingFile["record"]): HearingFile {
    const signer = sealerOf(context.file.clearing_engine, memberOf(city.society, "runner").seal());
    return { ...context.file, record, signature: signHash(signer, "hearing", hashOf(record)) };
  }

  it("passes what the city wrote, offline, and the same every time", async () => {
    const report = await auditHearing(bundle);
    expect(report.checks.map(({ name }) => name)).to.deep.equal(["FILES", "CHAIN", ...hearingChecks.map(({ name }) => name)]);
    for (const { name, verified } of report.checks) expect(verified, name).to.be.greaterThan(0);
    expect(await auditHearing(bundle)).to.deep.equal(report);
    const { course, work } = fileIn(bundle).record;
    expect(course.decisions.map(({ outcome, isComplete, verdicts }) => [outcome, isComplete, verdicts?.length])).to.deep.equal([
      ["PASS", true, 3],
    ]);
    expect(course.end?.moved.map(({ what, to }) => [what, to])).to.deep.include(["released", job.provider.account.address]);
    expect(work?.output).to.deep.equal(WORK);
  });

  it("finds a changed file, whichever field it is", async () => {
    const file: JsonValue = parseJson(canonicalJson(fileIn(bundle)));
    const lies = alterations(file).filter(({ value }) => canonicalJson(value) !== canonicalJson(file));
    expect(lies.length).to.be.at.least(60);
    for (const { path, value } of lies) {
      const parsed = hearingFileSchema.safeParse(value);
      if (parsed.success) expect(await found(parsed.data), path).to.have.length.greaterThan(0);
    }
    const error = await rejection(auditHearing(rewritten(lies[0]?.value ?? null)));
    expect(error).to.be.instanceOf(AuditFailed);
  });

  it("finds what the operator itself signs otherwise, whichever field it is", async () => {
    const { record } = fileIn(bundle);
    expect(await found(signed(record))).to.deep.equal([]);
    const plain: JsonValue = parseJson(canonicalJson(record));
    for (const { path, value } of alterations(plain)) {
      const parsed = hearingFileSchema.shape.record.safeParse(value);
      if (!parsed.success || canonicalJson(value) === canonicalJson(plain)) continue;
      expect(await found(signed(parsed.data)), path).to.have.length.greaterThan(0);
    }
  });

  it("holds of whatever a hearing comes to", async () => {
    const failed = await over(await brought(await openJob(place(), options()), { answer: "forty-two" }));
    const bond = 2_000_000n;
    const disputed = await brought(await openJob(place(), { ...options(), change: { panelSize: 1, bond: String(bond) } }));
    for (let turns = 0; turns < 10 && (await disputed.get())["outcome"] !== "PASS"; turns += 1) await turn(disputed);
    await disputed.challenge("client", bond);
    const challenged = await over(disputed);
    const foreign = await over(await brought(await foreignJob(place(), options())));
    seated = () => [];
    const silent = await over(await brought(await openJob(place(), options())));
    const ends = [failed, challenged, foreign, silent].map((dir) => {
      const { panels, challenge, end } = fileIn(dir).record.course;
      const moved = [...new Set(end?.moved.map(({ what }) => what))].sort();
      return [panels.length, challenge !== null, end?.outcome, end?.share, end?.bond?.bond ?? null, ...moved];
    });
    expect(ends).to.deep.equal([
      [1, false, "FAIL", 0, null, "refunded"],
      [2, true, "PASS", 10_000, "2000000", "released"],
      [1, false, "PASS", 10_000, null, "transferred"],
      [2, false, "NONE", 0, null, "refunded"],
    ]);
    for (const dir of [failed, challenged, foreign, silent]) expect((await auditHearing(dir)).passed).to.equal(true);
  });

  it("reads what another contract handed in, as a party's own contract may", async () => {
    const { chain, client } = city;
    const account = privateKeyToAccount(generatePrivateKey());
    await desk.faucet(account.address);
    const wallet = createWalletClient({ account, chain: hardhat, transport: http(city.rpcUrl) });
    const { contractAddress } = await chain.publicClient.waitForTransactionReceipt({
      hash: await wallet.sendTransaction({ data: FORWARDER }),
    });
    if (contractAddress == null) throw new Error("it was not deployed");
    let handedIn: Hash | undefined;
    const evaluate: typeof client.evaluator.evaluate = async (args) => {
      const data = encodeFunctionData({ abi: clearingEvaluatorAbi, functionName: "evaluate", args });
      const through = concat([client.addresses.ClearingEvaluator, data]);
      handedIn = await wallet.sendTransaction({ to: contractAddress, data: through });
      await chain.publicClient.waitForTransactionReceipt({ hash: handedIn });
      return undefined;
    };
    const elsewhere = { ...city, client: { ...client, evaluator: { ...client.evaluator, evaluate } } };
    const own = hearings;
    const through = await brought(await openJob(place(), options()));
    const { relays } = desk;
    hearings = new Hearings(elsewhere, {
      verifiers: async () => verifiersIn(city),
      issuers: issuersIn(city),
      relays,
      millis: () => wall.now,
    });
    const dir = await over(through).finally(() => {
      hearings = own;
    });
    expect(handedIn, "the forwarder was used").to.not.equal(undefined);
    const { course } = fileIn(dir).record;
    expect(course.decisions.map(({ outcome, verdicts }) => [outcome, verdicts?.length])).to.deep.equal([["PASS", 3]]);
    const report = await auditHearing(dir);
    expect(report.checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
    expect(report.checks.find(({ name }) => name === "JUDGEMENTS")?.verified).to.be.at.least(3);
  });

  it("counts what was submitted before a job was brought only as far back as the city looks", async () => {
    const early = async () => {
      const one = await openJob(place(), options());
      await one.submit(WORK);
      await one.open();
      const items = await one.receipts(WORK);
      await one.deliver(WORK, items, null);
      await one.handIn(WORK, items);
      return one;
    };
    const dir = await over(await early());
    const file = fileIn(dir);
    expect(file.record.course.end?.outcome).to.equal("PASS");
    const told = await openHearing(city.chain, file);
    const [registered] = await city.client.evaluator.history("Registered", { key: told.key });
    const submitted = await submittedSince(city.client, file.record.terms, 0);
    const distance = Number(registered?.blockNumber) - (submitted?.block ?? 0);
    expect(distance).to.be.greaterThan(0);
    const findingsWithin = async (earlier: number) =>
      (await Promise.all(hearingChecks.map((check) => inspectHearing(check, { ...told, earlier })))).flatMap(({ findings }) =>
        findings.map(({ check, subject }) => `${check} ${subject}`),
      );
    expect(await findingsWithin(distance)).to.deep.equal([]);
    expect(await findingsWithin(distance - 1)).to.deep.equal(["WORK the work against what the escrow was given"]);

    const [own, { relays }] = [hearings, desk];
    const others = { verifiers: async () => verifiersIn(city), issuers: issuersIn(city), relays, millis: () => wall.now };
    hearings = new Hearings(city, { ...others, earlier: 0 });
    await gateway.close();
    gateway = await serveGateway(city, { ...serveOptions, hearings });
    const unseen = await over(await early());
    expect(fileIn(unseen).record.course).to.deep.include({ decisions: [] });
    await gateway.close();
    hearings = own;
    gateway = await serveGateway(city, { ...serveOptions, hearings });
  });

  it("names verifiers who signed something else than follows from the work", async () => {
    const generous = (said: Judgement): Judgement => ({ ...said, score: 7_000 });
    seated = (all) => all.map((each) => ({ ...each, hear: async (brief) => (await each.hear(brief)).map(generous) }));
    const dir = await over(await brought(await openJob(place(), options())));
    const error = await rejection(auditHearing(dir));
    if (!(error instanceof AuditFailed)) throw error;
    const findings = error.report.checks.flatMap((check) => check.findings);
    expect(new Set(findings.map(({ check }) => check))).to.deep.equal(new Set(["JUDGEMENTS"]));
    const drawn = fileIn(dir).record.course.decisions.flatMap(({ verdicts }) => (verdicts ?? []).map(({ verifier }) => verifier));
    expect(findings.map(({ subject }) => subject)).to.deep.equal(
      drawn.map((verifier) => `decision 1: judgement of ${verifier}, made again`),
    );
  });

  it("keeps what each member's model said, and finds another verdict in its mouth", async () => {
    const judge: Judge = { model: "test:judge", ask: async () => canonicalJson({ verdict: "PASS", score: 80, because: "It answers." }) };
    seated = (all) => all.map((each) => ({ ...each, hear: (brief) => brief.conclude(each.account.address, judge) }));
    const commission: Commission = { version: 1, kinds: ["semantic"], rubric: "It answers." };
    const dir = await over(await brought(await openJob(place(), { ...options(), commission })));
    expect((await auditHearing(dir)).passed).to.equal(true);
    const file = fileIn(dir);
    const drawn = file.record.course.decisions.flatMap(({ verdicts }) => (verdicts ?? []).map(({ verifier }) => verifier));
    expect(Object.keys(file.record.said).sort()).to.deep.equal([...drawn].sort());
    expect(file.record.course.end?.share).to.equal(8_000);
    const told = await openHearing(city.chain, file);
    const lie = parseJson(canonicalJson(file.record.said).replaceAll('\\"score\\":80', '\\"score\\":90'));
    const record = hearingFileSchema.shape.record.parse({ ...file.record, said: lie });
    const results = await Promise.all(hearingChecks.map((check) => inspectHearing(check, { ...told, file: signed(record) })));
    expect(results.filter(({ findings }) => findings.length > 0).map(({ name }) => name)).to.deep.equal(["JUDGEMENTS"]);
  });

  it("is written by a command while the city runs, by the city itself", async () => {
    const home = join(directory(), "home");
    const written = await runCli(["hearing", job.hearing, "--network", "embedded", "--json"], { home });
    expect(written.code, written.stderr).to.equal(0);
    const dir = join(home, "hearings", job.hearing);
    expect(parseJson(written.stdout)).to.deep.equal({ bundle: dir });
    expect((await auditHearing(dir)).passed).to.equal(true);
    rmSync(dir, { recursive: true });
    const unknown: Hash = `0x${"ab".repeat(32)}`;
    const refused = await runCli(["hearing", unknown, "--network", "embedded", "--json"], { home });
    expect([refused.code === 0, `${refused.stdout}${refused.stderr}`.includes("HearingNotOver")]).to.deep.equal([false, true]);
    expect(readdirSync(join(city.dir, "bundle-requests")), "nothing is left behind").to.deep.equal([]);
  });

  it("names an owner that answers no requests, and goes on without one that ended", async () => {
    const dir = join(directory(), "elsewhere");
    let waited = 0;
    const sleep = async (millis: number) => {
      waited += millis;
    };
    const asked = (isAlive: () => boolean) => requestHearingBundle(dir, job.hearing, join(dir, "bundle"), { sleep, isAlive });
    expect(await rejection(asked(() => true))).to.be.instanceOf(OwnerBusy);
    expect(waited).to.equal(60_000);
    expect(await asked(() => false)).to.equal(false);
    const stops = await asked(() => waited < 61_000);
    expect([stops, readdirSync(join(dir, "bundle-requests"))]).to.deep.equal([false, []]);
  });

  it("is written by one command, and verified by another, once the city is stopped", async () => {
    await gateway.close();
    await city.close();
    isOpen = false;
    const home = join(directory(), "home");
    const written = await runCli(["hearing", job.hearing, "--network", "embedded", "--json"], { home });
    expect(written.code, written.stderr).to.equal(0);
    const audited = await runCli(["audit", job.hearing, "--json"], { home });
    expect(audited.code, audited.stderr).to.equal(0);
    expect(auditReportSchema.parse(parseJson(audited.stdout))).to.include({
      passed: true,
      name: `job ${job.jobId} of ${job.terms.escrow}`,
    });
  });
});
