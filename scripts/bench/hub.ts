/**
 * Measures a page of the Logging Hub through each of its indexes, in a stream of half a million events; writes bench/hub.json.
 *
 * usage: node scripts/bench/hub.ts [--events <n>]
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { toHex } from "viem";
import type { Drafted } from "../../orchestrator/hub/drafts.ts";
import type { EventDraft } from "../../orchestrator/hub/event.ts";
import { eventTypes } from "../../orchestrator/hub/event-types.ts";
import type { HubQuery } from "../../orchestrator/hub/query.ts";
import { HubStore } from "../../orchestrator/hub/store.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { contentIdOf, keccak256 } from "../../orchestrator/primitives/hash.ts";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";
import { openDatabase } from "../../orchestrator/records/database.ts";
import { root } from "../dev/files.ts";
import { flags } from "../dev/flags.ts";
import { processorSeconds } from "./measure.ts";

const given = flags("node scripts/bench/hub.ts [--events <n>]", { events: { type: "string", default: "500000" } });
const EVENTS = Number(given.events);
const STEP = 2_000;
/** Pages of each index, from its beginning, its middle and its end. */
const PAGES = 30;
/** Repetitions per page: the first may read from disk; the best is meaningful on a shared machine. */
const TIMES = 3;
/** Limit for a page of one index, cached or not, in milliseconds. */
const LIMIT = 50;

const account = (family: number, number: number) => addressSchema.parse(toHex(family * 1_000_000 + number, { size: 20 }));
const missionOf = (number: number) => keccak256(toHex(number, { size: 32 }));

/** The `at`-th event of a city of 300 agents, 60 people, 500 missions. */
function drafted(at: number): Drafted {
  const mission = Math.floor(at / (EVENTS / 500));
  const parties = [account(1, (at * 7) % 300), account(1, (at * 13) % 300)];
  const payload = canonicalJson({ event: "CollaborationContract.Committed", args: { at, node: at % 9 } });
  const bytes = new TextEncoder().encode(payload);
  const draft: EventDraft = {
    missionId: missionOf(mission),
    epoch: mission % 3,
    eventType: eventTypes[(at * 11) % eventTypes.length] ?? null,
    emitterContract: account(2, (at * 5) % 517),
    primaryEntity: parties[0] ?? null,
    secondaryEntity: parties[1] ?? null,
    nodeId: at % 9,
    payloadHash: keccak256(bytes),
    payloadCid: contentIdOf(bytes),
    blockNumber: 1 + Math.floor(at / 6),
    timestamp: 1_767_225_600_000 + at * 500,
    gasUsed: at % 6 === 0 ? 120_000 : 0,
    name: `CollaborationContract.Kind${at % 90}`,
    blockHash: missionOf(at),
    transactionHash: missionOf(-1 - at + 2 ** 40),
    logIndex: at % 6,
    record: null,
    corrects: null,
  };
  const principals = [...new Set(parties.map((party) => account(3, Number(BigInt(party) % 60n))))];
  return { draft, parties: [...new Set(parties)], principals, payload };
}

const half = Math.floor(EVENTS / 2);
const from = 1_767_225_600_000 + half * 500;
/** The nine indexes, and pairs of them. */
const QUERIES: Readonly<Record<string, HubQuery>> = {
  mission: { missionId: missionOf(250) },
  agent: { agent: account(1, 77) },
  contract: { contract: account(2, 33) },
  "event type": { eventType: "FREEZE_TRIGGERED" },
  node: { missionId: missionOf(250), nodeId: 4 },
  epoch: { epoch: 1 },
  time: { fromTime: from, toTime: from + 40_000_000 },
  blocks: { fromBlock: Math.floor(half / 6), toBlock: Math.floor(half / 6) + 20_000 },
  principal: { principal: account(3, 7) },
  all: {},
  "agent and type": { agent: account(1, 77), eventType: "FREEZE_TRIGGERED" },
  "epoch and time": { epoch: 2, fromTime: from, toTime: from + 40_000_000 },
};

const round = (millis: number) => Number(millis.toFixed(1));
const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

const [loadBefore = 0] = loadavg();
const dir = mkdtempSync(join(tmpdir(), "agentcity-hub-bench-"));
const database = await openDatabase({ dir });
try {
  const store = new HubStore(database, () => missionOf(0));
  const began = performance.now();
  for (let at = 0; at < EVENTS; at += STEP) {
    const drafts = Array.from({ length: Math.min(STEP, EVENTS - at) }, (_, offset) => drafted(at + offset));
    const rest = { missions: [], accounts: [], contracts: [], marks: [], keepTo: undefined, forgetBefore: 0, block: at, record: 0 };
    await store.write(await store.cursor(), { drafts, ...rest });
  }
  const written = (performance.now() - began) / 1_000;
  await database.query("ANALYZE");
  const pages = [];
  for (const [index, query] of Object.entries(QUERIES))
    for (const newest of [false, true]) {
      const first: number[] = [];
      const best: number[] = [];
      const ofProcessor: number[] = [];
      let cursor: string | null | undefined;
      for (let page = 0; page < PAGES && cursor !== null; page += 1) {
        const times: number[] = [];
        let next: string | null = null;
        for (let time = 0; time < TIMES; time += 1) {
          const [start, used] = [performance.now(), process.cpuUsage()];
          const found = await store.query({ ...query, newest, limit: 50, cursor: cursor ?? undefined });
          times.push(performance.now() - start);
          if (time === 0) ofProcessor.push(1_000 * processorSeconds(used));
          if (found.events.length === 0) throw new Error(`${index} finds nothing`);
          next = found.next;
        }
        first.push(times[0] ?? 0);
        best.push(Math.min(...times));
        cursor = next;
      }
      pages.push({
        index,
        order: newest ? "newest first" : "oldest first",
        pages: best.length,
        medianMs: round(median(best)),
        worstMs: round(Math.max(...best)),
        worstFirstMs: round(Math.max(...first)),
        /** Processor time of the first reading, which does not depend on other load. */
        worstFirstCpuMs: round(Math.max(...ofProcessor)),
      });
    }
  const slow = pages.filter(({ index, worstMs }) => !index.includes(" and ") && worstMs > LIMIT);
  const result = {
    events: EVENTS,
    cores: availableParallelism(),
    loadBefore: round(loadBefore),
    writtenPerSecond: Math.round(EVENTS / written),
    pages,
  };
  writeFileSync(join(root, "bench/hub.json"), `${JSON.stringify(result, null, 2)}\n`);
  console.log(`${EVENTS} events written, ${result.writtenPerSecond} a second`);
  console.table(pages);
  if (slow.length > 0) {
    console.error(`slower than ${LIMIT} ms: ${slow.map(({ index, order }) => `${index}, ${order}`).join("; ")}`);
    process.exitCode = 1;
  }
} finally {
  await database.close();
  rmSync(dir, { recursive: true });
}
