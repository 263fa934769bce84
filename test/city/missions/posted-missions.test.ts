import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { simulatedJudge } from "../../../orchestrator/adjudication/simulated-judge.ts";
import { intentKey } from "../../../orchestrator/chain/outbox.ts";
import type { City } from "../../../orchestrator/city/city.ts";
import { memberOf } from "../../../orchestrator/city/founding/society.ts";
import { depositCalls } from "../../../orchestrator/city/missions/deposit.ts";
import { seatDesk } from "../../../orchestrator/city/missions/open-seats.ts";
import { PostedMissions } from "../../../orchestrator/city/missions/posted-missions.ts";
import { whenOver } from "../../../orchestrator/cli/sponsor.ts";
import { serveGateway } from "../../../orchestrator/gateway/serve.ts";
import { addressSchema } from "../../../orchestrator/primitives/address.ts";
import { type Address, type Hash, hashSchema } from "../../../orchestrator/primitives/hex.ts";
import { sessionTransitions } from "../../../orchestrator/rules/transitions/session.ts";
import { serveOptions } from "../../gateway/gateway-city.ts";
import { openHome } from "../../support/city-home.ts";
import { POSTED_ITEMS, postedMission } from "../../support/posted-mission.ts";
import { rejection } from "../../support/rejection.ts";
import { suiteDirectory } from "../../support/temporary-directory.ts";

const TOKEN = 1_000_000n;
const MOST = 128;
const OF_SPONSOR = 8;
const TEN_MINUTES = 600_000;
/** Seconds: longer than any stage of a session. */
const FORTY_DAYS = 40n * 86_400n;

const missionFor = (tokens: number) => postedMission("estimates", "Estimate a work package.", tokens);

describe("missions that nobody has paid for", function () {
  this.timeout(60_000);
  const directory = suiteDirectory();
  let city: City;
  let posted: PostedMissions;
  let now = 0;
  let sponsors = 0;

  before(async () => {
    city = await openHome(directory(), "7");
  });
  after(() => city?.close());
  beforeEach(() => {
    posted = new PostedMissions(
      { ...city, dir: `${directory()}/${sponsors}` },
      { home: directory(), judge: simulatedJudge(city.chain.id), millis: () => now, sleep: async () => {} },
    );
  });

  /** A sponsor that holds so many tokens. */
  async function sponsor(tokens = 0n): Promise<Address> {
    sponsors += 1;
    const address = addressSchema.parse(`0x${sponsors.toString(16).padStart(40, "5")}`);
    const options = { intent: intentKey("test-mint", sponsors), account: memberOf(city.society, "deployer").account };
    if (tokens > 0n) await city.client.token.mint([address, tokens * TOKEN], options);
    return address;
  }

  /** As many as there is room for, each of so many tokens, by sponsors that hold so many, the first of them `first`. */
  async function fill(tokens: number, held: bigint, first?: Address): Promise<readonly Hash[]> {
    const ids: Hash[] = [];
    while (ids.length < MOST) {
      const by = ids.length === 0 && first !== undefined ? first : await sponsor(held);
      for (let at = 0; at < OF_SPONSOR; at += 1) {
        now += 1;
        ids.push((await posted.post(by, missionFor(tokens), POSTED_ITEMS, at)).id);
      }
    }
    return ids;
  }
  const left = (ids: readonly Hash[]) => ids.filter((id) => posted.get(id) !== undefined);

  it("of sponsors without the money make room for one who has it, at once", async () => {
    const idle = await fill(300, 0n);
    const poor = await sponsor();
    expect(await rejection(posted.post(poor, missionFor(300), POSTED_ITEMS))).to.include({ code: "TooManyPosted" });
    const { state } = await posted.post(await sponsor(300n), missionFor(300), POSTED_ITEMS);
    expect(state).to.equal("unpaid");
    expect(left(idle)).to.deep.equal(idle.slice(1));
  });

  it("of sponsors who hold the money for one of their eight are as good as without", async () => {
    await fill(300, 300n);
    expect((await posted.post(await sponsor(300n), missionFor(300), POSTED_ITEMS)).state).to.equal("unpaid");
  });

  it("keep out nobody who holds more, and nobody for longer than ten minutes", async () => {
    const first = await sponsor(1_600n);
    const cheap = await fill(200, 1_600n, first);
    expect((await posted.post(await sponsor(300n), missionFor(300), POSTED_ITEMS)).state).to.equal("unpaid");
    expect(left(cheap)).to.have.length(MOST - 1);
    const equal = await sponsor(200n);
    expect(await rejection(posted.post(equal, missionFor(200), POSTED_ITEMS))).to.include({ code: "TooManyPosted" });
    now += TEN_MINUTES;
    const { id } = await posted.post(equal, missionFor(200), POSTED_ITEMS);
    expect(posted.get(id)).to.include({ state: "unpaid" });
    expect(left(cheap)).to.have.length(MOST - 2);
    // Nothing is lost with one that went: it is the same mission again.
    const [gone] = cheap;
    expect(left(cheap)).to.not.include(gone);
    now += TEN_MINUTES;
    expect((await posted.post(first, missionFor(200), POSTED_ITEMS, 0)).id).to.equal(gone);
  });

  /** A key with a faucet's money. */
  async function payer(): Promise<LocalAccount> {
    const account = privateKeyToAccount(generatePrivateKey());
    const desk = await seatDesk(city, { clock: { millis: () => now, wait: () => new Promise<void>(() => {}) } });
    await desk.faucet(account.address);
    return account;
  }

  /** The sponsor opens so many sessions by its own transactions, each with so much. */
  async function pay(by: LocalAccount, budget: bigint, times = 1): Promise<void> {
    const { id: chainId, publicClient, request } = city.chain;
    const terms = { sponsor: by.address, goal: "Estimate a work package." };
    const [approve] = depositCalls(city.client.addresses, { ...terms, budget: BigInt(times) * budget });
    const [, opening] = depositCalls(city.client.addresses, { ...terms, budget });
    const calls = [approve, ...Array.from({ length: times }, () => opening)].flatMap((call) => (call === undefined ? [] : [call]));
    for (const { to, data, gas } of calls) {
      const nonce = await publicClient.getTransactionCount({ address: by.address });
      const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 0n };
      const raw = await by.signTransaction({ type: "eip1559", chainId, nonce, to, data, gas, ...fees });
      await city.chain.receipt(hashSchema.parse(await request({ method: "eth_sendRawTransaction", params: [raw] })));
    }
  }

  it("say that they stopped, and why, if the city cannot go on, until it is opened again", async () => {
    const dir = `${directory()}/${sponsors}`;
    const by = await payer();
    const { id } = await posted.post(by.address, missionFor(300), POSTED_ITEMS);
    const items = join(dir, "posted", `${id}.items.json`);
    const kept = readFileSync(items);
    rmSync(items);
    await pay(by, 300n * TOKEN);
    await posted.step();
    await posted.settled();
    const stopped = posted.get(id);
    expect(stopped).to.include({ state: "stopped" });
    expect(stopped?.reason).to.match(/ENOENT/);
    const gateway = await serveGateway(city, { ...serveOptions, posted });
    await gateway.sync();
    const health = z.looseObject({ stoppedMissions: z.int() }).parse(await (await fetch(`${gateway.url}/health`)).json());
    await gateway.close();
    expect(health.stoppedMissions).to.equal(1);
    const said: string[] = [];
    const sleep = async () => {
      if (said.length > 9) throw new Error("it is waited for for ever");
      said.push("slept");
    };
    const statusOf = async () => ({ ...posted.get(id), state: posted.get(id)?.state ?? "", reason: posted.get(id)?.reason ?? null });
    const gone = await rejection(whenOver(await statusOf(), { look: statusOf, sleep, progress: (line) => said.push(line) }));
    expect(gone).to.include({ code: "MissionStopped" });
    expect(gone.message).to.match(/ENOENT/);
    writeFileSync(items, kept);
    const again = new PostedMissions(
      { ...city, dir },
      { home: directory(), judge: simulatedJudge(city.chain.id), millis: () => now, sleep: async () => {} },
    );
    expect(again.get(id)).to.include({ state: "working" });
    await again.settled();
    expect(again.get(id)).to.include({ state: "completed", reason: undefined });
  });

  /** What is left lying in sessions of this sponsor goes back to it. Anybody may see to that. */
  async function takeBack(by: LocalAccount): Promise<readonly bigint[]> {
    const { legislation } = city.client;
    await city.chain.clock.run(() => city.chain.clock.sleepUntil(city.chain.clock.now() + FORTY_DAYS));
    const opened = await legislation.history("SessionOpened", { sponsor: by.address });
    for (const { args } of opened) {
      const { state } = await legislation.sessionOf(args.session);
      if (sessionTransitions.states[state] !== "IDENTIFYING") continue;
      await legislation.expire([args.session], { intent: intentKey("test-expire", args.session.toString()) });
      await legislation.withdraw([args.session], { intent: intentKey("test-withdraw", args.session.toString()) });
    }
    const back = await legislation.history("DepositWithdrawn", { sponsor: by.address });
    return back.map(({ args }) => args.amount);
  }

  it("stay unpaid where the sponsor deposits less or more, which goes back to it", async () => {
    for (const budget of [300n * TOKEN - 1n, 300n * TOKEN + 1n]) {
      const by = await payer();
      const before = await city.client.token.balanceOf(by.address);
      const { id } = await posted.post(by.address, missionFor(300), POSTED_ITEMS);
      await pay(by, budget);
      await posted.step();
      expect(posted.get(id)).to.include({ state: "unpaid" });
      expect(await takeBack(by)).to.deep.equal([budget]);
      expect(await city.client.token.balanceOf(by.address)).to.equal(before);
    }
  });

  it("are carried out once where the sponsor deposits twice, and the second deposit goes back to it", async () => {
    const by = await payer();
    const before = await city.client.token.balanceOf(by.address);
    const { id } = await posted.post(by.address, missionFor(300), POSTED_ITEMS);
    await pay(by, 300n * TOKEN, 2);
    await posted.step();
    await posted.step();
    await posted.settled();
    expect(posted.get(id)).to.include({ state: "completed" });
    const [first] = await city.client.legislation.history("SessionOpened", { sponsor: by.address });
    expect(posted.get(id)?.session).to.equal(first?.args.session);
    expect(await takeBack(by)).to.deep.equal([300n * TOKEN]);
    const spent = before - (await city.client.token.balanceOf(by.address));
    expect(spent > 0n && spent <= 300n * TOKEN, String(spent)).to.equal(true);
  });
});
