/** A stream of 100,000 entries, which no city of a test reaches in time, and what moves in a page. */
import type { Page } from "playwright-core";
import type { City } from "../../orchestrator/city/city.ts";
import { openCityHub } from "../../orchestrator/gateway/serve.ts";
import type { Drafted } from "../../orchestrator/hub/drafts.ts";
import { HubStore } from "../../orchestrator/hub/store.ts";
import { contentIdOf, keccak256 } from "../../orchestrator/primitives/hash.ts";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";

const account = (number: number) => `0x${(number + 1).toString(16).padStart(40, "0")}`;
const word = (number: number) => `0x${(number + 1).toString(16).padStart(64, "0")}`;
const STEP = 5_000;
/** Every so many entries one is of this kind. */
export const RARE = { eventType: "FREEZE_TRIGGERED", every: 1_000 } as const;

/** Fills a city's stream up to so many entries, through the hub's own store: each has its place and its hash. The city is
 * not served yet. Returns how many are of the rare kind. */
export async function fillStream(city: City, entries: number): Promise<number> {
  const hub = await openCityHub(city);
  await hub.sync();
  const store = new HubStore(city.database, () => keccak256(new TextEncoder().encode("large")));
  const { timestamp } = await city.chain.publicClient.getBlock();
  const block = await store.cursor();
  const hash = city.chain.head().hash;
  for (let at = block.sequence; at < entries; at += STEP) {
    const drafts = Array.from(
      { length: Math.min(STEP, entries - at) },
      (_, offset): Drafted => drafted(at + offset, block.block, hash, timestamp),
    );
    const cursor = await store.cursor();
    await store.write(cursor, {
      ...{ drafts, missions: [], accounts: [], contracts: [], marks: [], keepTo: undefined, forgetBefore: 0 },
      ...{ block: cursor.block, record: cursor.record },
    });
  }
  await city.database.query("ANALYZE");
  return Math.ceil(entries / RARE.every) - Math.ceil(block.sequence / RARE.every);
}

const PAYLOAD = canonicalJson({ args: {}, event: "CollaborationContract.Committed" });
const BYTES = new TextEncoder().encode(PAYLOAD);
const OF_PAYLOAD = { payloadHash: keccak256(BYTES), payloadCid: contentIdOf(BYTES) };

function drafted(at: number, blockNumber: number, blockHash: `0x${string}`, time: bigint): Drafted {
  return {
    draft: {
      missionId: `0x${"0".repeat(64)}`,
      epoch: 0,
      eventType: at % RARE.every === 0 ? RARE.eventType : "TASK_COMPLETED",
      emitterContract: account(at % 16) as `0x${string}`,
      primaryEntity: null,
      secondaryEntity: null,
      nodeId: at % 256,
      ...OF_PAYLOAD,
      ...{ blockNumber, blockHash, timestamp: Number(time) * 1_000, gasUsed: 0 },
      name: "CollaborationContract.Committed",
      transactionHash: word(at) as `0x${string}`,
      logIndex: 0,
      record: null,
      corrects: null,
    },
    ...{ parties: [], principals: [], payload: PAYLOAD },
  };
}

/** Milliseconds between the frames that a page draws while something moves; the browser's own clock. */
export async function framesWhile(
  page: Page,
  move: () => Promise<void>,
): Promise<{ readonly p50: number; readonly p95: number; readonly worst: number }> {
  await page.evaluate(() => {
    const state = { times: [] as number[], isOn: true };
    Object.assign(globalThis, { framesOfTest: state });
    const note = (time: number) => {
      state.times.push(time);
      if (state.isOn) requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  });
  await move();
  const times = await page.evaluate(() => {
    const state = (globalThis as unknown as { framesOfTest: { times: number[]; isOn: boolean } }).framesOfTest;
    state.isOn = false;
    return state.times;
  });
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? time));
  gaps.sort((a, b) => a - b);
  const at = (share: number) => Math.round(gaps[Math.min(gaps.length - 1, Math.floor(gaps.length * share))] ?? 0);
  return { p50: at(0.5), p95: at(0.95), worst: at(1) };
}
