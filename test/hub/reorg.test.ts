import { expect } from "chai";
import { numberToHex } from "viem";
import { z } from "zod";
import { DEVNET_GENESIS, devnetAccount } from "../../orchestrator/chain/devnet.ts";
import type { Engine } from "../../orchestrator/chain/driven.ts";
import { connectEdr } from "../../orchestrator/chain/edr.ts";
import { chainSource } from "../../orchestrator/hub/chain-source.ts";
import { type Hub, openHub } from "../../orchestrator/hub/hub.ts";
import type { StreamEvent } from "../../orchestrator/hub/view.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { ManualClock } from "../../orchestrator/primitives/clock.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { parseJsonBytes } from "../../orchestrator/primitives/json.ts";
import { memoryBlocks } from "../../orchestrator/records/blocks.ts";
import { type Database, openDatabase } from "../../orchestrator/records/database.ts";
import { RecordLog } from "../../orchestrator/records/log.ts";
import { cache } from "../support/cache.ts";
import { rejection } from "../support/rejection.ts";
import { cityOf, emitterCode } from "./emitter.ts";

const [alice, bob] = [devnetAccount(1).address, devnetAccount(2).address];

describe("a hub whose chain is reorganized", () => {
  let engine: Engine;
  let emitter: Address;
  let database: Database;
  let hub: Hub;
  let time = DEVNET_GENESIS.timestamp;

  const request = (method: string, ...params: readonly unknown[]) => engine.request({ method, params });

  /** One block with one call, of its own second. */
  async function call(from: Address, value: number, to?: Address, data?: string) {
    const hash = await request("eth_sendTransaction", { from, to, data, value: numberToHex(value), gas: numberToHex(200_000) });
    time += 2;
    await request("evm_setNextBlockTimestamp", time);
    await request("evm_mine");
    return hash;
  }

  function open(finality: number): Promise<Hub> {
    return openHub({
      sql: database,
      chain: chainSource(engine.request),
      log: new RecordLog(database, new ManualClock(BigInt(time))),
      blocks: memoryBlocks(),
      addresses: cityOf(emitter),
      epochOf: async () => 0,
      finality,
    });
  }

  beforeEach(async () => {
    engine = await connectEdr(DEVNET_GENESIS);
    time = DEVNET_GENESIS.timestamp;
    const deployed = await call(alice, 0, undefined, emitterCode);
    const receipt = await request("eth_getTransactionReceipt", deployed);
    emitter = z.object({ contractAddress: addressSchema }).parse(receipt).contractAddress;
    database = await openDatabase({ cache });
    hub = await open(8);
  });
  afterEach(() => database.close());

  const sentIn = async ({ payloadCid }: StreamEvent) =>
    z.object({ args: z.object({ value: z.string() }) }).parse(parseJsonBytes((await hub.payload(payloadCid)) ?? new Uint8Array())).args
      .value;
  const all = async () => (await hub.query({ limit: 200 })).events;

  it("appends corrections, deletes nothing, and reads the new history", async () => {
    await call(alice, 1, emitter);
    const snapshot = await request("evm_snapshot");
    await call(alice, 2, emitter);
    await call(bob, 3, emitter);
    expect(await hub.sync()).to.equal(3);
    const before = await all();

    await request("evm_revert", snapshot);
    await call(bob, 4, emitter);
    expect(await hub.sync()).to.equal(3);
    const events = await all();
    expect(events.slice(0, 3).map(({ hash }) => hash)).to.deep.equal(before.map(({ hash }) => hash));
    expect(events.map(({ isCorrected }) => isCorrected)).to.deep.equal([false, true, true, false, false, false]);
    expect(events.map(({ corrects }) => corrects)).to.deep.equal([null, null, null, before[1]?.eventId, before[2]?.eventId, null]);
    const standing = events.filter(({ isCorrected, corrects }) => !isCorrected && corrects === null);
    expect(await Promise.all(standing.map(sentIn))).to.deep.equal(["1", "4"]);
    expect((await hub.query({ agent: bob })).events.map(({ sequence }) => sequence)).to.deep.equal([3, 5, 6]);
    await hub.verify();
    expect(await hub.sync()).to.equal(0);
  });

  it("follows the chain back to a history that it had left", async () => {
    const snapshot = await request("evm_snapshot");
    const first = time;
    await call(alice, 1, emitter);
    await hub.sync();
    await request("evm_revert", snapshot);
    time = first;
    const again = await request("evm_snapshot");
    await call(bob, 2, emitter);
    await hub.sync();
    await request("evm_revert", again);
    time = first;
    await call(alice, 1, emitter);
    await hub.sync();
    const standing = (await all()).filter(({ isCorrected, corrects }) => !isCorrected && corrects === null);
    expect(standing.map(({ primaryEntity }) => primaryEntity)).to.deep.equal([alice]);
    await hub.verify();
  });

  it("sees a chain that became shorter", async () => {
    const snapshot = await request("evm_snapshot");
    await call(alice, 1, emitter);
    await hub.sync();
    await request("evm_revert", snapshot);
    expect(await hub.sync()).to.equal(1);
    expect((await all()).map(({ name }) => name)).to.deep.equal(["CityToken.Transfer", "hub.reorganized"]);
    await hub.verify();
  });

  it("marks as final what lies deep enough, and refuses a reorganization below that", async () => {
    hub = await open(2);
    const snapshot = await request("evm_snapshot");
    for (const value of [1, 2, 3, 4]) await call(alice, value, emitter);
    await hub.sync();
    expect((await all()).map(({ isFinal }) => isFinal)).to.deep.equal([true, true, false, false]);
    await request("evm_revert", snapshot);
    for (const value of [5, 6, 7, 8]) await call(bob, value, emitter);
    expect(await rejection(hub.sync())).to.include({ code: "ReorgTooDeep" });
    expect(await all()).to.have.length(4);
  });
});
