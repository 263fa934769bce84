/** Sizes that no mission of a test reaches in time: a law of 256 nodes as the gateway would tell it, and a stream of 100,000 entries. */
import type { Page } from "playwright-core";
import type { City } from "../../orchestrator/city/city.ts";
import { COMMANDS } from "../../orchestrator/gateway/commands/table.ts";
import { metricOutput } from "../../orchestrator/gateway/commands/vitals.ts";
import { openCityHub } from "../../orchestrator/gateway/serve.ts";
import type { Drafted } from "../../orchestrator/hub/drafts.ts";
import { HubStore } from "../../orchestrator/hub/store.ts";
import { contentIdOf, keccak256 } from "../../orchestrator/primitives/hash.ts";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";

const NODES = 256;
const WIDE = 16;
const account = (number: number) => `0x${(number + 1).toString(16).padStart(40, "0")}`;
const word = (number: number) => `0x${(number + 1).toString(16).padStart(64, "0")}`;
export const LARGE = { address: account(4_000), id: word(4_000), nodes: NODES, tasks: NODES / WIDE } as const;
const STATES = ["COMPLETED", "COMPLETED", "EXECUTING", "PENDING_VERIFICATION", "ELIGIBLE", "WAITING"] as const;

const numbers = Array.from({ length: NODES }, (_, number) => number);
/** Sixteen tasks of sixteen nodes, each node after two of the task before. */
const law = {
  documentId: contentIdOf(new TextEncoder().encode("a law of 256 nodes")),
  title: "256 nodes in sixteen tasks",
  goal: "See whether a law of the largest size can be read.",
  risk: "LOW",
  nodes: numbers.map((number) => {
    const task = Math.floor(number / WIDE);
    const before = (task - 1) * WIDE + (number % WIDE);
    return {
      ...{ number, label: `step-${task + 1}-${(number % WIDE) + 1}`, task: `step-${task + 1}`, services: ["hash"] },
      after: task === 0 ? [] : [before, (task - 1) * WIDE + ((number + 1) % WIDE)].toSorted((a, b) => a - b),
      ...{ tier: 1, redundancy: 1, threshold: 1, risk: "LOW", floor: "ATT", panelSize: 3, timeout: 60, budget: "1000000" },
      ...{ isMission: false, shard: null },
    };
  }),
};
const nodes = numbers.map((number) => ({
  ...{ number, state: STATES[Math.floor(number / 48)] ?? "WAITING", attempt: 1, deadline: 0, freezes: 0, isRecorded: false },
  executors: [{ slot: 0, agent: account(number % 8), price: "900000", isCommitted: true, isRevealed: true }],
}));
const summary = {
  ...{ mission: LARGE.address, missionId: LARGE.id, session: "1", epoch: 0, state: "EXECUTING", deposit: "256000000" },
  ...{ deployedAt: 1_767_225_600, sponsor: account(9) },
};
const none = { paid: "0", fees: "0", insurance: "0", discount: "0", refunded: "0", entitled: "0", children: "0", subsidy: "0", bonds: "0" };

/** What the gateway would answer, by command; each is checked against the command's own schema. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  get_mission_origin: { missionId: LARGE.id, session: "1", epoch: 0, mission: LARGE.address },
  get_mission: {
    ...{ ...summary, lawHash: word(1), docHash: word(2), nodeCount: NODES, expiresAt: 1_767_312_000 },
    ...{ title: law.title, goal: law.goal },
  },
  get_law: law,
  list_nodes: { nodes },
  get_vitals: {
    metrics: metricOutput.shape.name.options.map((name) => ({ name, value: "0", alerts: false, condition: "never here", parts: [] })),
    asOf: 1_767_225_700,
  },
  get_mission_money: { ...none, deposit: "256000000", isClosed: false },
  get_mission_history: {
    spans: numbers.map((number) => ({ node: number, state: "EXECUTING", from: 1_767_225_600, to: null, first: number, last: null })),
    ...{ gas: [], freezes: [], verdicts: [], epochs: [] },
  },
  list_verdicts: { verdicts: [] },
};

/** Has a page see the large mission in whatever city it looks at. Throws where an answer is not what the gateway would give. */
export async function showLargeMission(page: Page): Promise<void> {
  for (const [name, answer] of Object.entries(ANSWERS)) {
    const command = COMMANDS.find((each) => each.name === name);
    if (command === undefined) throw new Error(`the gateway has no ${name}`);
    const body = canonicalJson(command.output.parse(answer));
    const path = command.path.replace("{mission}", LARGE.address).replace("{id}", LARGE.id);
    await page.route(`**${path}`, (route) => route.fulfill({ body, contentType: "application/json" }));
  }
}

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
      nodeId: at % NODES,
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
