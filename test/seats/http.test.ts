import { expect } from "chai";
import { zeroAddress, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { CityRefused } from "../../orchestrator/agent/errors.ts";
import { CityLink } from "../../orchestrator/agent/link.ts";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { RpcUnreachable } from "../../orchestrator/chain/errors.ts";
import type { WorkOrder } from "../../orchestrator/execution/seat.ts";
import type { ContentStore } from "../../orchestrator/execution/world.ts";
import { contentIdOf, keccak256, parseContentId } from "../../orchestrator/primitives/hash.ts";
import { type Database, openDatabase } from "../../orchestrator/records/database.ts";
import { serveSeats } from "../../orchestrator/seats/http.ts";
import type { Mailbox } from "../../orchestrator/seats/mailbox.ts";
import { remoteSeat } from "../../orchestrator/seats/remote.ts";
import { cache } from "../support/cache.ts";
import { millis, secretOf } from "../support/office-holder.ts";
import { rejection } from "../support/rejection.ts";
import { mailboxOver } from "./mailboxes.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const keyOf = (name: string) => privateKeyToAccount(secretOf(`blocks: ${name}`));
const PERFORM = {
  ...{ mission: zeroAddress, node: 0, attempt: 1, slot: 0, service: keccak256(bytes("service")) },
  ...{ document: "a document", items: "items", upstream: [], inputHash: keccak256(bytes("input")), seconds: 1, tools: 0, messages: 0 },
};

describe("a city's seats over HTTP", () => {
  const blocks = new Map<string, Uint8Array>();
  const told: string[] = [];
  const store: ContentStore = {
    put: async (content) => {
      const id = contentIdOf(content);
      blocks.set(id, content);
      return id;
    },
    get: async (id) => {
      const content = blocks.get(parseContentId(id));
      if (content === undefined) throw new Error(`the file of ${id} is gone`);
      return content;
    },
  };
  let database: Database;
  let mailbox: Mailbox;
  let seats: Awaited<ReturnType<typeof serveSeats>>;

  before(async () => {
    database = await openDatabase({ cache });
    mailbox = mailboxOver(database);
    const nothing = async () => undefined;
    seats = await serveSeats({
      ...{ mailbox, millis, join: nothing, joinUnder: nothing, offer: nothing, petition: nothing },
      faucet: async () => Promise.reject(new RpcUnreachable("http://127.0.0.1:1", "it is busy")),
      progress: (line) => told.push(line),
      store,
      card: {
        ...{ chainId: 31337, rpcUrl: "http://127.0.0.1:1", addresses: {}, receiver: devnetAccount(0).address },
        ...{ genesis: keccak256(bytes("first block")), embedded: true },
      },
    });
  });
  after(async () => {
    await seats?.close();
    await database?.close();
  });

  async function linkOf(name: string): Promise<CityLink> {
    const link = new CityLink(seats.url, keyOf(name), millis);
    await link.card();
    return link;
  }
  const said = (answer: Promise<unknown>) =>
    answer.then(
      () => "there it is",
      (error: unknown) => String(error),
    );

  it("give a block to whom a question gave it to; to anybody else, one that is there looks like one that is not", async () => {
    const secret = contentIdOf(bytes("an output before its reveal"));
    blocks.set(secret, bytes("an output before its reveal"));
    mailbox.grant(keyOf("member of the panel").address, [secret]);
    const [member, other] = [await linkOf("member of the panel"), await linkOf("another executor")];
    expect(new TextDecoder().decode(await member.block(secret))).to.equal("an output before its reveal");
    const unknown = await said(other.block(contentIdOf(bytes("never was here"))));
    expect(unknown).to.include("404 NoSuchBlock");
    expect(await said(other.block(secret))).to.equal(unknown);
    expect(await said(other.block("bafynoid"))).to.equal(unknown);
  });

  it("say by name that a block that was given cannot be read, nothing of the city's disk, and all of it to the operator", async () => {
    const gone = contentIdOf(bytes("deleted"));
    mailbox.grant(keyOf("member of the panel").address, [gone]);
    const answer = await said((await linkOf("member of the panel")).block(gone));
    expect(answer).to.include("500 BlockDamaged").and.to.not.include("gone");
    expect(told).to.have.length(1);
    expect(told[0]).to.include(gone).and.to.include("is gone");
    // Whoever it was not given to hears of nothing, and so does the operator.
    expect(await said((await linkOf("another executor")).block(gone))).to.include("404 NoSuchBlock");
    expect(told).to.have.length(1);
  });

  it("say that the city is the one that cannot answer now, where its chain does not", async () => {
    const link = await linkOf("newcomer");
    const refused = await rejection(link.post("/v1/faucet", { principal: keyOf("newcomer").address }));
    expect(refused).to.be.instanceOf(CityRefused).and.to.include({ isPassing: true });
    expect(refused.message).to.include("503 RpcUnreachable");
  });

  it("take bytes only from whom work is asked now, and only while it is asked", async () => {
    const executor = keyOf("executor");
    const [own, other] = [await linkOf("executor"), await linkOf("another executor")];
    const output = bytes("an output");
    expect(await said(own.putBlock(output))).to.include("401 NothingAsked");
    const asking = mailbox.ask({ name: "executor", address: executor.address }, "perform", PERFORM).catch((error: unknown) => error);
    const [call] = await own.calls(5, AbortSignal.timeout(10_000));
    expect(call?.kind).to.equal("perform");
    expect(await said(other.putBlock(output))).to.include("401 NothingAsked");
    expect(await own.putBlock(output)).to.equal(contentIdOf(output));
    // Who brought a block may not read it back: nothing gave it the right.
    expect(await said(own.block(contentIdOf(output)))).to.include("404 NoSuchBlock");
    await mailbox.decline(executor.address, call?.id ?? "0x", "enough");
    await asking;
    expect(await said(own.putBlock(output))).to.include("401 NothingAsked");
  });

  for (const [manner, sealedUnder] of [
    ["open", undefined],
    ["sealed", keccak256(bytes("an obligation"))],
  ] as const)
    it(`take as ${manner} work what its executor brought, also before a restart, and nothing that the city has from others`, async () => {
      const { address } = keyOf(`${manner} executor`);
      const own = await linkOf(`${manner} executor`);
      const theirs = await store.put(bytes(`{"a":"what another made, ${manner}"}`));
      const never = contentIdOf(bytes(`{"a":"never was here, ${manner}"}`));
      const record = { owner: address, codeHash: zeroHash, schemaHash: zeroHash, endpoint: "", constraints: zeroHash };
      const order: WorkOrder = {
        ...{ mission: zeroAddress, node: 0, attempt: 1, slot: 0, label: "a node", input: {}, limits: {}, tools: {}, sealedUnder },
        service: {
          ...{ id: PERFORM.service, name: "service", owner: address, record, schemas: { input: {}, output: { type: "object" } } },
          bundle: { bytes: new Uint8Array(), codeHash: zeroHash },
        },
        origin: async () => ({ document: PERFORM.document, items: PERFORM.items, upstream: [] }),
      };
      const performed = remoteSeat({ name: manner, address, principal: address }, mailbox, store).perform(order);
      const [call] = await own.calls(5, AbortSignal.timeout(10_000));
      if (call === undefined) throw new Error("nothing was asked");
      const answer = (id: string) => ({
        ...(sealedUnder === undefined ? { status: "ok", output: id, trail: [] } : { status: "sealed", work: id }),
        ...{ tools: 0, messages: 0 },
      });
      const unknown = await said(own.answer(call.id, answer(never)));
      expect(unknown).to.include("AnswerRefused").and.to.include("this agent handed in no");
      expect(await said(own.answer(call.id, answer(theirs)))).to.equal(unknown);
      // Its own, though another brought the same bytes before.
      await own.putBlock(bytes(`{"a":"what another made, ${manner}"}`));
      const restarted = mailboxOver(database);
      expect(await restarted.hasBrought(address, theirs)).to.equal(true);
      expect(await restarted.hasBrought(address, never)).to.equal(false);
      await own.answer(call.id, answer(theirs));
      expect((await performed).status).to.equal(sealedUnder === undefined ? "ok" : "sealed");
    });

  it("sign for every answer, and an agent takes no other receipt for it", async () => {
    const [executor, own] = [keyOf("executor"), await linkOf("executor")];
    const asking = mailbox.ask({ name: "executor", address: executor.address }, "perform", { ...PERFORM, node: 1 });
    const [call] = await own.calls(5, AbortSignal.timeout(10_000));
    if (call === undefined) throw new Error("nothing was asked");
    const receipt = await own.answer(call.id, { status: "failed", details: "no such rows" });
    await asking;
    expect(await own.isReceipt(call.id, receipt)).to.equal(true);
    // The same when it is asked again: the first answer stays.
    const again = await own.answer(call.id, { status: "failed", details: "another reason" });
    expect(again, "of the moment in which it came").to.deep.equal(receipt);
    const restarted = mailboxOver(database);
    expect(await restarted.answer(executor.address, call.id, { status: "failed", details: "a third" })).to.deep.equal(receipt);
    const other = keccak256(bytes("another"));
    for (const changed of [
      { call: other },
      { answer: other },
      { at: receipt.at + 1 },
      { signature: receipt.signature.replace(/../g, "00").replace("00", "0x") },
    ])
      expect(await own.isReceipt(call.id, { ...receipt, ...changed } as typeof receipt), Object.keys(changed).join()).to.equal(false);
    expect(await own.isReceipt(other, receipt)).to.equal(false);
  });
});
