/** Jobs of strangers before a panel of the city: the package and HTTP on their side, a real chain and gateway on the city's. */
import { join } from "node:path";
import { expect } from "chai";
import { hashTypedData } from "viem";
import { z } from "zod";
import type { Request } from "../../orchestrator/chain/chain.ts";
import { chainOver } from "../../orchestrator/chain/rpc.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { Hearings } from "../../orchestrator/city/hearings/hearings.ts";
import { type SeatDesk, seatDesk } from "../../orchestrator/city/missions/open-seats.ts";
import { issuersIn, verifiersIn } from "../../orchestrator/city/world.ts";
import { createCityClient } from "../../orchestrator/client/client.ts";
import { isSubmittedIn, panelOfHearing, submittedSince, viewHearing } from "../../orchestrator/execution/hearing.ts";
import type { Verifier } from "../../orchestrator/execution/seat.ts";
import { COMMANDS } from "../../orchestrator/gateway/commands/table.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import type { Hex } from "../../orchestrator/primitives/hex.ts";
import type { JsonObject } from "../../orchestrator/primitives/json.ts";
import { deliverableOf, termsOnChain } from "../../orchestrator/protocol/hearing.ts";
import { openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions, wall } from "./gateway-city.ts";
import { AMOUNT, COMMISSION, foreignJob, HEARING, type Job, type JobOptions, openJob, WORK } from "./job-parties.ts";

describe("jobs of strangers before a panel", function () {
  this.timeout(120_000);
  const directory = suiteDirectory();
  let city: City;
  let desk: SeatDesk;
  let hearings: Hearings;
  let gateway: Gateway;
  /** Whose judgement can be asked now. */
  let seated: (all: readonly Verifier[]) => readonly Verifier[] = (all) => all;

  const court = () =>
    new Hearings(city, {
      verifiers: async () => seated(verifiersIn(city)),
      issuers: issuersIn(city),
      relays: desk.relays,
      millis: () => wall.now,
    });

  before(async () => {
    city = await openHome(join(directory(), "home"), "7");
    const { millis } = serveOptions;
    desk = await seatDesk(city, { clock: { millis, wait: () => new Promise<void>(() => {}) } });
    hearings = court();
    gateway = await serveGateway(city, { ...serveOptions, hearings });
  });
  after(async () => {
    await gateway?.close();
    await city?.close();
  });
  beforeEach(() => {
    seated = (all) => all;
  });

  const place = () => ({ url: gateway.url, rpcUrl: city.rpcUrl, addresses: city.client.addresses });
  const options = (): JobOptions => ({ endow: (party: Hex) => desk.faucet(party), now: Number(city.chain.clock.now()) });
  const job = (more: Partial<JobOptions> = {}) => openJob(place(), { ...options(), ...more });
  const pass = (seconds: number) => city.chain.clock.sleepUntil(city.chain.clock.now() + BigInt(seconds));
  /** Everything that is due now is done. */
  async function settled(): Promise<void> {
    wall.now += 60_000;
    await hearings.step();
    await hearings.settled();
  }
  async function until(one: Job, holds: (state: Awaited<ReturnType<Job["get"]>>) => boolean) {
    for (let turn = 0; turn < 40; turn += 1) {
      await settled();
      const state = await one.get();
      if (holds(state)) return state;
    }
    return one.get();
  }

  /** Up to the work that the panel has. */
  async function brought(one: Job, work: JsonObject = WORK, items?: Awaited<ReturnType<Job["receipts"]>>): Promise<void> {
    await one.open();
    const evidence = items ?? (await one.receipts(work));
    await one.deliver(work, evidence);
    await one.handIn(work, evidence);
  }
  const isOver = ({ isClosed }: Awaited<ReturnType<Job["get"]>>) => isClosed === true;
  /** Both panels have had their time. */
  async function twice(one: Job): Promise<void> {
    await until(one, () => true);
    await pass(HEARING + 1);
    expect((await until(one, ({ panels }) => panels === 2)).panels).to.equal(2);
    await pass(HEARING + 1);
  }
  const refusal = async (asked: Promise<unknown>) => (await rejection(asked)).message;
  const decided = (one: Job) => city.client.evaluator.history("Decided", { key: one.hearing });
  const drawnFor = async (one: Job) => {
    const view = await viewHearing(city.client, one.terms);
    return panelOfHearing(city.client, one.terms, view);
  };

  it("goes from open to paid: delivered, judged by who was drawn, and the money moves", async () => {
    const one = await job();
    await brought(one);
    const state = await until(one, isOver);
    expect(state).to.include({ outcome: "PASS", score: 10_000, isComplete: true, isClosed: true, panels: 1 });
    expect(await one.withdrawn("provider")).to.equal(AMOUNT);
    expect(await one.withdrawn("client")).to.equal(0n);
  });

  it("fails work that does not fit what was ordered, and the client has its money back", async () => {
    const one = await job();
    await brought(one, { answer: "forty-two" });
    expect(await until(one, isOver)).to.include({ outcome: "FAIL", isClosed: true });
    expect([await one.withdrawn("provider"), await one.withdrawn("client")]).to.deep.equal([0n, AMOUNT]);
  });

  it("is refunded by its clock when no verifier answers: two panels, and nobody decided", async () => {
    seated = () => [];
    const one = await job();
    await brought(one);
    await twice(one);
    expect(await until(one, isOver)).to.include({ outcome: "NONE", panels: 2 });
    expect(await decided(one)).to.have.length(0);
    expect([await one.withdrawn("provider"), await one.withdrawn("client")]).to.deep.equal([0n, AMOUNT]);
  });

  it("pays nobody whose work nothing shows: without evidence each member abstains", async () => {
    const one = await job();
    await brought(one, WORK, []);
    await twice(one);
    expect(await until(one, isOver)).to.include({ outcome: "NONE" });
    expect([await one.withdrawn("provider"), await one.withdrawn("client")]).to.deep.equal([0n, AMOUNT]);
  });

  it("takes no evidence that nobody signed, or that a key signed which may not", async () => {
    const one = await job();
    await one.open();
    const [item] = await one.receipts(WORK);
    if (item === undefined) throw new Error("nobody received it");
    const forged = await one.provider.account.signMessage({ message: "I received it" });
    await brought(one, WORK, [{ ...item, signature: forged }]);
    await twice(one);
    expect(await until(one, isOver)).to.include({ outcome: "NONE" });
    expect(await one.withdrawn("client")).to.equal(AMOUNT);
  });

  it("is refunded when nothing is delivered in time", async () => {
    const one = await job();
    await one.open();
    await pass(2 * 86_400 + 1);
    await settled();
    expect(await one.get()).to.include({ outcome: "NONE", panels: 0 });
    expect(hearings.pending()).not.to.include(one.hearing);
    await one.client.city.escrow.claimRefund([one.jobId]);
    expect(await one.withdrawn("client")).to.equal(AMOUNT);
  });

  it("needs nothing of a client that withholds: the provider registers, and brings what both signed", async () => {
    const one = await job();
    await one.registerByProvider();
    await brought(one);
    expect(await until(one, isOver)).to.include({ outcome: "PASS" });
    expect(await one.withdrawn("provider")).to.equal(AMOUNT);
  });

  it("hears no other work than was submitted for the money, and takes none that was not delivered", async () => {
    const one = await job();
    await one.open();
    const items = await one.receipts(WORK);
    await one.deliver(WORK, items, { answer: 41 });
    expect(await refusal(one.handIn({ answer: 43 }, items))).to.include("HearingRefused");
    await one.handIn(WORK, items);
    await twice(one);
    expect(await until(one, isOver)).to.include({ outcome: "NONE" });
    expect(await decided(one)).to.have.length(0);
  });

  it("needs no node that tells of all events: the city asks from when the job was brought, a verifier about one block", async () => {
    const one = await job();
    const { number: before } = city.chain.head();
    await brought(one);
    const asked: { readonly from: bigint; readonly to: bigint }[] = [];
    /** A node that answers no question about more than a hundred blocks. */
    const node: Request = async (call) => {
      if (call.method !== "eth_getLogs") return city.chain.request(call);
      const { fromBlock, toBlock } = z.object({ fromBlock: z.coerce.bigint(), toBlock: z.string() }).parse(call.params?.[0]);
      const to = toBlock === "latest" ? city.chain.head().number : BigInt(toBlock);
      asked.push({ from: fromBlock, to });
      if (to - fromBlock >= 100n) throw new Error("query exceeds max block range");
      return city.chain.request(call);
    };
    const reader = createCityClient({ chain: await chainOver(node, { wall: serveOptions }), addresses: city.client.addresses });
    const deliverable = deliverableOf(WORK);
    const seen = await submittedSince(reader, one.terms, Number(before));
    expect(seen?.deliverable).to.equal(deliverable);
    const block = seen?.block ?? 0;
    expect(await isSubmittedIn(reader, one.terms, deliverable, block)).to.equal(true);
    expect(await isSubmittedIn(reader, one.terms, deliverable, block - 1)).to.equal(false);
    expect(await isSubmittedIn(reader, one.terms, deliverableOf({ answer: 41 }), block)).to.equal(false);
    expect(asked.at(-1)).to.deep.equal({ from: BigInt(block), to: BigInt(block) });
  });

  it("seats no verifier of a party's house, and takes no job that no others could judge", async () => {
    const [Eve, Finn] = ["Eve", "Finn"].map((name) => memberOf(city.society, "principal", name).account.address);
    if (Eve === undefined || Finn === undefined) throw new Error("nobody verifies");
    const three = await job({ houses: { provider: Eve } });
    expect(await refusal(three.open())).to.include("TransactionReverted");
    const two = await job({ houses: { provider: Eve }, change: { panelSize: 2 } });
    await brought(two);
    const drawn = await drawnFor(two);
    const houses = await Promise.all((drawn ?? []).map((one) => city.client.agents.principalOf(one)));
    expect(houses).to.deep.equal([Finn, Finn]);
    expect(await until(two, isOver)).to.include({ outcome: "PASS" });
  });

  it("pays by those who answer once the others had their time", async () => {
    seated = () => [];
    const one = await job();
    await brought(one);
    const [gone] = (await drawnFor(one)) ?? [];
    seated = (all) => all.filter(({ account }) => account.address !== gone);
    expect(await until(one, ({ outcome }) => outcome === "PASS")).to.include({ isComplete: false, isClosed: false });
    await pass(HEARING + 1);
    expect(await until(one, isOver)).to.include({ outcome: "PASS", panels: 1 });
    expect(await one.withdrawn("provider")).to.equal(AMOUNT);
  });

  it("is decided again by a larger panel when a party challenges it, and the bond is whose the delay cost", async () => {
    const bond = 2_000_000n;
    const one = await job({ change: { panelSize: 1, bond: String(bond) } });
    await brought(one);
    expect(await until(one, ({ outcome }) => outcome === "PASS")).to.include({ panels: 1, isComplete: true, isClosed: false });
    await one.challenge("client", bond);
    const held = await city.client.token.balanceOf(one.terms.provider);
    const state = await until(one, isOver);
    expect(state).to.include({ outcome: "PASS", panels: 2 });
    expect(state["challenged"]).to.deep.equal({ by: "client", outcome: "PASS", score: 10_000 });
    expect(await city.client.evaluator.creditOf(one.terms.provider)).to.equal(bond);
    await one.client.city.evaluator.withdraw([one.terms.provider]);
    expect((await city.client.token.balanceOf(one.terms.provider)) - held).to.equal(bond);
    expect(await one.withdrawn("provider")).to.equal(AMOUNT);
  });

  it("leaves what the escrow's own arbiter is for to it, where the parties gave it a window", async () => {
    const one = await job({ agreed: { challengeWindow: HEARING } });
    await brought(one);
    expect(await until(one, isOver)).to.include({ outcome: "PASS" });
    expect(await one.withdrawn("provider"), "not yet").to.equal(0n);
    await one.client.city.escrow.challenge([one.jobId, one.obligation]);
    await one.arbiter.city.escrow.rule([one.jobId, 4_000, one.obligation]);
    expect([await one.withdrawn("provider"), await one.withdrawn("client")]).to.deep.equal([(AMOUNT * 4n) / 10n, (AMOUNT * 6n) / 10n]);
  });

  it("is all or nothing, by the score that both agreed to, where the escrow knows complete and reject alone", async () => {
    for (const [score, isPaid] of [
      [6_000, true],
      [5_999, false],
    ] as const) {
      const one = await foreignJob(place(), options());
      seated = (all) =>
        all.map((each) => ({ ...each, hear: async (brief) => (await each.hear(brief)).map((said) => ({ ...said, score })) }));
      await brought(one);
      expect(await until(one, isOver)).to.include({ outcome: "PASS", score });
      expect(await city.client.token.balanceOf(one.terms.provider)).to.equal(one.before.provider + (isPaid ? AMOUNT : 0n));
      expect(await city.client.token.balanceOf(one.terms.client)).to.equal(one.before.client - (isPaid ? AMOUNT : 0n));
    }
  });

  it("goes on after a restart, and hands in nothing twice", async () => {
    seated = () => [];
    const one = await job();
    await brought(one);
    const [first] = (await drawnFor(one)) ?? [];
    seated = (all) => all.filter(({ account }) => account.address === first);
    await until(one, () => true);
    const again = court();
    seated = (all) => all;
    await again.step();
    await again.settled();
    await Promise.all([hearings.step(), again.step()]);
    await Promise.all([hearings.settled(), again.settled()]);
    expect(await until(one, isOver)).to.include({ outcome: "PASS", isComplete: true });
    expect(await decided(one)).to.have.length(1);
    expect(await city.client.evaluator.history("Finalised", { key: one.hearing })).to.have.length(1);
  });

  it("refuses by name another commission, other terms, and a job that nobody brought", async () => {
    const one = await job();
    expect(await refusal(one.get())).to.include("HearingUnknown");
    expect(await refusal(one.open({ commission: { ...COMMISSION, kinds: ["receipt"] } }))).to.include("BadRequest");
    expect(await refusal(one.open({ commission: { version: 1, kinds: ["receipt"] } }))).to.include("HearingRefused");
    const spent = () => city.database.query("SELECT sum(gas) AS gas FROM relayed WHERE subject = 'all strangers'");
    const before = await spent();
    expect(await refusal(one.open({ client: "0x" }))).to.include("InvalidSignature");
    expect(await spent(), "what is refused takes nothing of what strangers may cost").to.deep.equal(before);
    await one.open();
    expect(await refusal(one.open({ terms: { ...one.terms, floor: 0 } }))).to.include("HearingRefused");
    expect(await refusal(one.handIn(WORK, []))).to.include("HearingRefused");
    const outputOf = (name: string) => COMMANDS.find((command) => command.name === name)?.output;
    expect(outputOf("get_hearing")?.parse(await one.get())).to.include({ hearing: one.hearing, hasWork: false });
    const { hearings: open } = z.object({ hearings: z.array(z.string()) }).parse(outputOf("list_hearings")?.parse(await one.list()));
    expect(open).to.include(one.hearing);
    const { typedData, ...rest } = z.looseObject({ typedData: z.string() }).parse(await one.prepare());
    expect(rest).to.deep.equal({ hearing: one.hearing, obligation: one.obligation, evaluator: city.client.addresses.ClearingEvaluator });
    expect(hashTypedData(JSON.parse(typedData)), "the typed data is what the contract takes").to.equal(one.obligation);
    expect(await city.client.evaluator.digestOf(termsOnChain(one.terms))).to.equal(one.obligation);
  });
});
