import { sliceHex, zeroAddress } from "viem";
import { z } from "zod";
import { RETRIES } from "../../chain/silence-retry.ts";
import { stageOf } from "../../city/report/gas.ts";
import { contractAbis } from "../../client/contracts.ts";
import { missionStates, nodeStates } from "../../execution/chain-view.ts";
import { heldSchema, releasedSchema } from "../../execution/output-buffer.ts";
import type { StreamEvent } from "../../hub/view.ts";
import { addressSchema } from "../../primitives/address.ts";
import { grouped } from "../../primitives/amounts.ts";
import { numbersIn } from "../../primitives/bitmap.ts";
import { hashSchema } from "../../primitives/hex.ts";
import { parseJsonBytes } from "../../primitives/json.ts";
import { functionNames } from "../../primitives/selectors.ts";
import { parameterIndex } from "../../protocol/parameters.ts";
import { type Command, command, type World } from "../command.ts";
import type { KnownMission } from "../mission-memory.ts";
import { decoded } from "../payloads.ts";
import { PHASES, type PhaseDurations } from "../phase-times.ts";
import { address, count, hash, seconds } from "../wire.ts";
import { missionInput, missionNamed } from "./missions.ts";

/** The eleven live metrics of the execution dashboard (AgentCity B.12), in the paper's order, with their alert conditions. */
export const METRICS = {
  "node states": "a node is frozen or failed, or its commitment waits longer than 30 s",
  "mission phase":
    "a node has been in a phase for more than twice the usual time of this city, and at least half a minute longer, or its clock expired",
  "guardian counters": "an agent's freezes reach 70 % of the threshold that stops the mission",
  "active freezes": "a node is frozen",
  "review queue": "a node is waiting for a human",
  "gas spent": "more than 90 % of the mission's gas budget, set by the operator, is spent",
  reputations: "an agent at work falls below the constitution's floor",
  consistency: "records and chain diverged, the mission is suspended after an outage, or a commitment is pending",
  "escrow buffer": "an output is about to be submitted for the third and last time",
  progress: "no node changed for twice the time limit of a node",
  "emergency stops": "the mission or the whole city is stopped",
} as const;
export type MetricName = keyof typeof METRICS;
const metricNames = Object.keys(METRICS) as [MetricName, ...MetricName[]];

export const metricOutput = z.strictObject({
  name: z.enum(metricNames),
  value: z.string(),
  alerts: z.boolean(),
  /** Alert condition. */
  condition: z.string(),
  /** Its components, each with the share of its limit reached, basis points, if there is a limit. */
  parts: z.array(z.strictObject({ label: z.string(), value: z.string(), share: count.nullable(), until: seconds.nullable() })),
});
type Metric = z.input<typeof metricOutput>;
type Part = Metric["parts"][number];

const part = (label: string, value: string, share: number | null = null, until: number | null = null): Part => ({
  label,
  value,
  share,
  until,
});

const WHOLE = 10_000;
const GUARDIAN_ALERT = 7_000;
const GAS_ALERT = 9_000;
const PENDING_SECONDS = 30;
const ENDED: readonly string[] = ["COMPLETED", "FAILED", "ABORTED"];

const countedSchema = z.object({ agent: addressSchema, recent: z.coerce.number(), threshold: z.coerce.number() });
const refusedSchema = z.object({ at: z.number() });

const checkpointSchema = z.object({ root: hashSchema, nodes: z.coerce.bigint() });
const anchoredSchema = z.object({ root: hashSchema });

/** `Contract.function` by selector. */
const FUNCTIONS = functionNames(Object.entries(contractAbis));

/** Cached stages of transactions, which never change, while pages ask again with every event. */
const stagesSeen = new Map<string, string>();
const MAX_SEEN = 20_000;

async function stageOfTransaction({ client }: World, hash: `0x${string}`): Promise<string> {
  const key = `${client.chain.id} ${hash}`;
  const seen = stagesSeen.get(key);
  if (seen !== undefined) return seen;
  const { input } = await client.chain.publicClient.getTransaction({ hash });
  const stage = stageOf(FUNCTIONS.get(sliceHex(input, 0, 4))?.split(".")[1] ?? "");
  if (stagesSeen.size >= MAX_SEEN) stagesSeen.clear();
  stagesSeen.set(key, stage);
  return stage;
}

/** Gas of a mission's transactions by stage, in order of appearance. */
async function stagesOf(world: World, events: readonly StreamEvent[]) {
  const sums = new Map<string, { gas: number; transactions: number }>();
  for (const { gasUsed, transactionHash } of events) {
    if (gasUsed === 0 || transactionHash === null) continue;
    const stage = await stageOfTransaction(world, transactionHash);
    const sum = sums.get(stage) ?? { gas: 0, transactions: 0 };
    sums.set(stage, { gas: sum.gas + gasUsed, transactions: sum.transactions + 1 });
  }
  return [...sums].map(([stage, sum]) => ({ stage, ...sum }));
}

const named = (events: readonly StreamEvent[], name: string) => events.filter((event) => event.name === name);

async function jsonOf({ hub }: World, { payloadCid }: StreamEvent): Promise<unknown> {
  const bytes = await hub.payload(payloadCid);
  return bytes === undefined ? undefined : parseJsonBytes(bytes);
}

/** Outputs held and not on chain yet, with their next submission. */
async function heldIn(world: World, events: readonly StreamEvent[], now: number) {
  const released = new Set<string>();
  for (const event of named(events, "execution.released")) {
    const parsed = releasedSchema.safeParse(await jsonOf(world, event));
    if (parsed.success) released.add(`${event.nodeId} ${parsed.data.outputHash}`);
  }
  const held = [];
  for (const event of named(events, "execution.held")) {
    const parsed = heldSchema.safeParse(await jsonOf(world, event));
    if (!parsed.success || released.has(`${event.nodeId} ${parsed.data.outputHash}`)) continue;
    const refusals = [];
    for (const each of named(events, "execution.refused").filter(({ nodeId }) => nodeId === event.nodeId)) {
      const refusal = refusedSchema.safeParse(await jsonOf(world, each));
      if (refusal.success && refusal.data.at >= parsed.data.since) refusals.push(refusal.data.at);
    }
    const delay = refusals.length === 0 ? undefined : RETRIES[refusals.length - 1];
    held.push({
      ...{
        node: event.nodeId ?? 0,
        agent: parsed.data.agent,
        since: parsed.data.since,
        refusals: refusals.length,
        waits: now - parsed.data.since,
      },
      next: delay === undefined ? null : (refusals[0] ?? 0) + Number(delay),
    });
  }
  return held;
}

/** Nodes in a phase that someone has to end, with its usual duration here and the law's clock. Slowest first. */
function phasesOf(
  { events, nodes }: Pick<KnownMission, "events" | "nodes">,
  durations: Pick<PhaseDurations, "longest">,
  now: number,
): { readonly part: Part; readonly isSlow: boolean }[] {
  const since = new Map(
    named(events, "CollaborationContract.NodeStateChanged").map(({ nodeId, timestamp }) => [nodeId, timestamp / 1_000]),
  );
  return nodes
    .flatMap(({ state: code, deadline }, number) => {
      const state = nodeStates[code] ?? "WAITING";
      if (!PHASES.includes(state)) return [];
      const stay = Math.max(0, Math.floor(now - (since.get(number) ?? now)));
      const longest = durations.longest(state);
      const late = deadline !== 0 && deadline < now ? `, late by ${now - deadline} s` : "";
      const expected = longest === undefined ? "" : ` of ${longest} s expected at most`;
      const share = longest === undefined ? null : Math.min(WHOLE, Math.round((stay * WHOLE) / longest));
      const shown = part(`node ${number}`, `${state.toLowerCase().replaceAll("_", " ")} for ${stay} s${expected}${late}`, share);
      return [{ part: shown, isSlow: late !== "" || (longest !== undefined && stay > longest) }];
    })
    .sort((a, b) => Number(b.isSlow) - Number(a.isSlow) || (b.part.share ?? 0) - (a.part.share ?? 0));
}

/** The contract to which a transaction's gas is attributed. */
const contractOf = ({ name, record, gasUsed }: StreamEvent): string | undefined =>
  record === null && gasUsed > 0 ? name.split(".")[0] : undefined;

/** Gas of a mission's transactions by the contract of their first event, largest first. */
function gasOf(events: readonly StreamEvent[]): { contract: string; gas: number; transactions: number }[] {
  const sums = new Map<string, { gas: number; transactions: number }>();
  for (const event of events) {
    const contract = contractOf(event);
    if (contract === undefined) continue;
    const { gasUsed } = event;
    const sum = sums.get(contract) ?? { gas: 0, transactions: 0 };
    sums.set(contract, { gas: sum.gas + gasUsed, transactions: sum.transactions + 1 });
  }
  return [...sums].map(([contract, sum]) => ({ contract, ...sum })).sort((a, b) => b.gas - a.gas);
}

/** Maximum number of points of the gas curve. */
const MAX_POINTS = 120;

/** The cumulative gas of a mission over the log, in total and for each of these contracts. */
function spentIn(events: readonly StreamEvent[], contracts: readonly string[]): { sequence: number; gas: number; by: number[] }[] {
  let by = contracts.map(() => 0);
  const sums: { sequence: number; gas: number; by: number[] }[] = [];
  for (const event of events) {
    const spender = contractOf(event);
    if (spender === undefined) continue;
    by = by.map((gas, place) => (contracts[place] === spender ? gas + event.gasUsed : gas));
    sums.push({ sequence: event.sequence, gas: by.reduce((sum, gas) => sum + gas, 0), by });
  }
  const step = Math.ceil(sums.length / MAX_POINTS);
  return sums.filter((_, place) => (sums.length - 1 - place) % step === 0);
}

function consistencyOf(events: readonly StreamEvent[], missionState: string, held: number): string {
  if (events.some(({ eventType }) => eventType === "DIVERGENCE_DETECTED")) return "DIVERGENCE_DETECTED";
  if (missionState === "DEGRADED") return "DEGRADED_MODE";
  return held > 0 ? "PENDING_FINALIZATION" : "consistent";
}

export const vitalCommands: readonly Command[] = [
  command({
    name: "get_vitals",
    method: "GET",
    path: "/v1/missions/{mission}/vitals",
    group: "Missions",
    doc: "The eleven live metrics of a mission, each with its alert condition and whether it is met.",
    access: "open",
    cost: 10,
    input: missionInput,
    output: z.strictObject({ metrics: z.array(metricOutput), asOf: seconds }),
    async run(world, input) {
      const { client } = world;
      const { mission, missionId } = await missionNamed(world, input.mission);
      const contract = client.mission(mission);
      const [{ timestamp }, state, watch, { events, nodes, laws, slots }, durations] = await Promise.all([
        client.chain.publicClient.getBlock(),
        contract.state(),
        contract.watch(),
        world.missions.read({ mission, missionId }),
        world.phases.read(),
      ]);
      const now = Number(timestamp);
      const numbers = [...nodes.keys()];
      const stateOf = (number: number) => nodeStates[nodes[number]?.state ?? 0] ?? "WAITING";
      const inState = (...wanted: readonly string[]) => numbers.filter((number) => wanted.includes(stateOf(number)));
      const missionState = missionStates[state] ?? "PENDING";
      const isOver = ENDED.includes(missionState);
      const frozen = inState("FROZEN");
      const reviewed = inState("PENDING_REVIEW");
      const done = inState("COMPLETED");
      const held = isOver ? [] : await heldIn(world, events, now);
      const phases = isOver ? [] : phasesOf({ events, nodes }, durations, now);

      const counters = new Map<string, Part>();
      for (const { args } of await decoded(world, named(events, "CollaborationContract.FreezeCounted"), countedSchema)) {
        const share = Math.min(WHOLE, Math.round((args.recent * WHOLE) / Math.max(1, args.threshold)));
        counters.set(args.agent, part(args.agent, `${args.recent} of ${args.threshold} freezes`, share));
      }

      const gas = gasOf(events);
      const spent = gas.reduce((sum, each) => sum + each.gas, 0);

      const agents = [...new Set(slots.flat().map(({ agent }) => agent))].filter((agent) => agent !== zeroAddress);
      const floor = Number(await client.constitution.param(parameterIndex("REPUTATION_FLOOR")));
      const standings = await Promise.all(
        agents.map(async (agent) => ({ agent, points: Number(await client.agents.reputationOf(agent)) })),
      );
      standings.sort((a, b) => b.points - a.points);

      const consistency = consistencyOf(events, missionState, held.length);
      const isCityStopped = await client.watchdog.isStopped();
      const moved = Math.max(
        0,
        ...events.filter(({ name }) => name === "CollaborationContract.NodeStateChanged").map(({ timestamp: at }) => at / 1_000),
      );
      const longest = Math.max(0, ...inState("EXECUTING", "PENDING_VERIFICATION", "ELIGIBLE").map((number) => laws[number]?.timeout ?? 0));
      const silence = moved === 0 ? 0 : Math.max(0, now - moved);
      const isStalled = !isOver && longest > 0 && silence > 2 * longest;

      const pending = held.filter(({ waits }) => waits > PENDING_SECONDS);
      const failed = inState("FAILED");
      const values: Readonly<Record<MetricName, Omit<Metric, "name" | "condition">>> = {
        "node states": {
          value: nodeStates
            .flatMap((name) => (inState(name).length === 0 ? [] : [`${inState(name).length} ${name.toLowerCase().replaceAll("_", " ")}`]))
            .join(", "),
          alerts: frozen.length > 0 || failed.length > 0 || pending.length > 0,
          parts: [...frozen, ...failed].map((number) => part(`node ${number}`, stateOf(number).toLowerCase())),
        },
        "mission phase": {
          value: missionState.toLowerCase(),
          alerts: phases.some(({ isSlow }) => isSlow),
          parts: phases.map(({ part: shown }) => shown),
        },
        "guardian counters": {
          value: counters.size === 0 ? "no agent was frozen" : `${counters.size} agents were frozen`,
          alerts: [...counters.values()].some(({ share }) => (share ?? 0) >= GUARDIAN_ALERT),
          parts: [...counters.values()],
        },
        "active freezes": {
          value: String(frozen.length),
          alerts: frozen.length > 0,
          parts: frozen.map((number) => part(`node ${number}`, `frozen, ${nodes[number]?.freezeCount ?? 0} times in all`)),
        },
        "review queue": {
          value: String(reviewed.length),
          alerts: reviewed.length > 0,
          parts: reviewed.map((number) => part(`node ${number}`, "waits for a human", null, nodes[number]?.deadline ?? null)),
        },
        "gas spent": {
          value: world.gasBudget === undefined ? `${grouped(spent)}; no budget is set` : `${grouped(spent)} of ${grouped(world.gasBudget)}`,
          alerts: world.gasBudget !== undefined && spent * WHOLE > GAS_ALERT * world.gasBudget,
          parts: gas.map(({ contract: name, gas: used }) => part(name, grouped(used), Math.round((used * WHOLE) / spent))),
        },
        reputations: {
          value:
            standings.length === 0
              ? "no agent is working yet"
              : `${standings.at(-1)?.points} to ${standings[0]?.points}; the floor is ${floor}`,
          alerts: standings.some(({ points }) => points < floor),
          parts: standings.map(({ agent, points }) => part(agent, String(points), points * 10)),
        },
        consistency: { value: consistency, alerts: consistency !== "consistent", parts: [] },
        "escrow buffer": {
          value: String(held.length),
          alerts: held.some(({ refusals }) => refusals >= RETRIES.length),
          parts: held.map(({ node, refusals, next }) =>
            part(`node ${node}`, refusals === 0 ? "not submitted yet" : `refused ${refusals} times`, null, next),
          ),
        },
        progress: {
          value: `${done.length} of ${nodes.length} nodes`,
          alerts: isStalled,
          parts: [
            part(
              "done",
              `${Math.round((done.length * 100) / Math.max(1, nodes.length))} %`,
              Math.round((done.length * WHOLE) / Math.max(1, nodes.length)),
            ),
          ],
        },
        "emergency stops": {
          value: isCityStopped ? "the city is stopped" : watch.stopped ? "the mission is stopped" : "none",
          alerts: isCityStopped || (watch.stopped && !isOver),
          parts: watch.stopped ? [part("since", new Date(watch.stoppedAt * 1_000).toISOString())] : [],
        },
      };
      return { metrics: metricNames.map((name) => ({ name, condition: METRICS[name], ...values[name] })), asOf: now };
    },
  }),
  command({
    name: "get_mission_history",
    method: "GET",
    path: "/v1/missions/{mission}/history",
    group: "Missions",
    doc: "A mission's history: phases of each node, gas by contract, freezes by agent, verdicts by tier.",
    access: "open",
    cost: 10,
    input: missionInput,
    output: z.strictObject({
      /**
       * Each node's states in order: chain time in seconds and positions in the log, null for the current one. A devnet's clock jumps; the
       * log does not.
       */
      spans: z.array(
        z.strictObject({ node: count, state: z.enum(nodeStates), from: count, to: count.nullable(), first: count, last: count.nullable() }),
      ),
      gas: z.array(z.strictObject({ contract: z.string(), gas: count, transactions: count })),
      /** Cumulative gas at positions in the log, ending with the total; `by`: the part of each contract, in the order of `gas`. */
      spent: z.array(z.strictObject({ sequence: count, gas: count, by: z.array(count) })),
      /** The same gas by stage. */
      stages: z.array(z.strictObject({ stage: z.string(), gas: count, transactions: count })),
      /** Under a law with checkpoints: nodes whose work was off chain until each checkpoint. */
      checkpoints: z.array(z.strictObject({ at: count, nodes: z.array(count), root: hash, block: count, eventId: hash })),
      /** Root of the mission's records, once they are anchored. */
      anchor: z.strictObject({ root: hash, block: count, eventId: hash }).nullable(),
      freezes: z.array(z.strictObject({ agent: address, at: count, recent: count, threshold: count })),
      verdicts: z.array(z.strictObject({ tier: count, passed: count, rejected: count, undecided: count })),
      epochs: z.array(z.strictObject({ epoch: count, completed: count, failed: count, gas: count })),
    }),
    async run(world, input) {
      const { mission, missionId } = await missionNamed(world, input.mission);
      const { events, laws } = await world.missions.read({ mission, missionId });
      const saying = <Args>(event: string, schema: z.ZodType<Args>) =>
        decoded(world, named(events, `CollaborationContract.${event}`), schema);
      const changed = await saying("NodeStateChanged", z.object({ node: z.number(), to: z.number() }));
      const spans: {
        node: number;
        state: (typeof nodeStates)[number];
        from: number;
        to: number | null;
        first: number;
        last: number | null;
      }[] = [];
      for (const { event, args } of changed) {
        const at = Math.floor(event.timestamp / 1_000);
        const last = spans.findLast(({ node }) => node === args.node);
        if (last !== undefined) {
          last.to = at;
          last.last = event.sequence;
        }
        spans.push({ node: args.node, state: nodeStates[args.to] ?? "WAITING", from: at, to: null, first: event.sequence, last: null });
      }
      const counted = await saying("FreezeCounted", countedSchema);
      const checkpointed = await saying("Checkpointed", checkpointSchema);
      const anchored = (await saying("Anchored", anchoredSchema)).at(-1);
      const cleared = await saying("Cleared", z.object({ node: z.number(), result: z.number() }));
      const tiers = new Map<number, { tier: number; passed: number; rejected: number; undecided: number }>();
      for (const { args } of cleared) {
        const { tier = 0 } = laws[args.node] ?? {};
        const row = tiers.get(tier) ?? { tier, passed: 0, rejected: 0, undecided: 0 };
        if (args.result === PASS) row.passed += 1;
        else if (args.result === FAIL) row.rejected += 1;
        else row.undecided += 1;
        tiers.set(tier, row);
      }
      const gas = gasOf(events);
      const epochs = [...Map.groupBy(events, ({ epoch }) => epoch)].map(([epoch, own]) => ({
        epoch,
        completed: own.filter(({ eventType }) => eventType === "TASK_COMPLETED").length,
        failed: own.filter(({ eventType }) => eventType === "TASK_FAILED").length,
        gas: own.reduce((sum, { gasUsed }) => sum + gasUsed, 0),
      }));
      return {
        spans,
        stages: await stagesOf(world, events),
        checkpoints: checkpointed.map(({ event, args: { root, nodes } }) => ({
          ...{ at: Math.floor(event.timestamp / 1_000), root, block: event.blockNumber, eventId: event.eventId },
          nodes: [...numbersIn(nodes)],
        })),
        anchor:
          anchored === undefined ? null : { root: anchored.args.root, block: anchored.event.blockNumber, eventId: anchored.event.eventId },
        gas,
        spent: spentIn(
          events,
          gas.map(({ contract }) => contract),
        ),
        freezes: counted.map(({ event, args }) => ({ ...args, at: Math.floor(event.timestamp / 1_000) })),
        verdicts: [...tiers.values()].sort((a, b) => a.tier - b.tier),
        epochs,
      };
    },
  }),
];

/** `enum ClearingResult`. */
const PASS = 1;
const FAIL = 2;
