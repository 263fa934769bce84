import { zeroAddress } from "viem";
import { z } from "zod";
import { missionStates, nodeStates } from "../../execution/chain-view.ts";
import { addressSchema } from "../../primitives/address.ts";
import type { Address } from "../../primitives/hex.ts";
import { evidenceClasses } from "../../protocol/evidence.ts";
import { VISIBILITIES } from "../../protocol/visibility.ts";
import { type Command, command, type World } from "../command.ts";
import { Refused } from "../errors.ts";
import type { KnownMission } from "../mission-memory.ts";
import { pageOfPayloads, payloadsOf } from "../payloads.ts";
import { address, contentId, count, hash, pageInput, pageOf, seconds, toAddress, toHash, units } from "../wire.ts";
import { ledgerOf, ledgerOutput } from "./ledger.ts";

export const missionInput = z.strictObject({ mission: address });

export const summaryOutput = z.strictObject({
  mission: address,
  missionId: hash,
  session: units,
  epoch: count,
  state: z.enum(missionStates),
  deposit: units,
  deployedAt: seconds,
  sponsor: address,
});

const deployedSchema = z.object({ mission: addressSchema });

/** The mission that a path names. */
export async function missionNamed(world: World, text: string): Promise<{ readonly mission: Address; readonly missionId: `0x${string}` }> {
  const mission = toAddress(text);
  const row = world.hub.missionAt(mission);
  if (row === undefined) throw new Refused("NotFound", `This city has no mission ${mission}`, { action: "list_missions lists them" });
  return { mission, missionId: row.id };
}

async function summaryOf(world: World, mission: Address): Promise<z.input<typeof summaryOutput>> {
  const contract = world.client.mission(mission);
  const [state, context, books] = await Promise.all([contract.state(), contract.context(), contract.ledger()]);
  const row = world.hub.missionAt(mission);
  return {
    mission,
    missionId: row?.id ?? `0x${"0".repeat(64)}`,
    session: context.session.toString(),
    epoch: row?.epoch ?? 0,
    state: missionStates[state] ?? "PENDING",
    deposit: books.deposit.toString(),
    deployedAt: context.deployedAt,
    sponsor: context.sponsor,
  };
}

export const lawNodeOutput = z.strictObject({
  number: count,
  label: z.string(),
  task: z.string(),
  services: z.array(z.string()),
  after: z.array(count),
  tier: count,
  redundancy: count,
  threshold: count,
  risk: z.string(),
  floor: z.enum(evidenceClasses),
  panelSize: count,
  timeout: count,
  budget: units,
  isMission: z.boolean(),
  shard: z.strictObject({ from: count, to: count }).nullable(),
});

const slotOutput = z.strictObject({
  slot: count,
  agent: address,
  price: units,
  isCommitted: z.boolean(),
  isRevealed: z.boolean(),
});

export const nodeOutput = z.strictObject({
  number: count,
  state: z.enum(nodeStates),
  attempt: count,
  deadline: seconds,
  freezes: count,
  isRecorded: z.boolean(),
  executors: z.array(slotOutput),
});

function nodeOf({ nodes, slots }: KnownMission, number: number): z.input<typeof nodeOutput> {
  const node = nodes[number];
  if (node === undefined) throw new RangeError(`unknown node ${number}`);
  const isSet = (mask: number, slot: number) => ((mask >> slot) & 1) === 1;
  return {
    number,
    state: nodeStates[node.state] ?? "WAITING",
    attempt: node.attempt + 1,
    deadline: node.deadline,
    freezes: node.freezeCount,
    isRecorded: node.recorded,
    executors: (slots[number] ?? []).flatMap(({ agent, price }, slot) =>
      agent === zeroAddress
        ? []
        : [{ slot, agent, price: price.toString(), isCommitted: isSet(node.commitMask, slot), isRevealed: isSet(node.revealMask, slot) }],
    ),
  };
}

/** `enum ClearingResult`. */
const results = ["NONE", "PASS", "FAIL", "DISPUTED", "UNVERIFIABLE"] as const;

const clearedSchema = z.object({
  node: z.number(),
  attempt: z.number(),
  result: z.number(),
  confidence: z.number(),
  score: z.number(),
  evidenceClass: z.number(),
  agreeing: z.number(),
});

export const verdictOutput = z.strictObject({
  node: count,
  attempt: count,
  result: z.enum(results),
  /** Basis points. */
  confidence: count,
  score: count,
  evidenceClass: z.enum(evidenceClasses),
  agreeing: z.array(count),
  block: count,
  eventId: hash,
});

export const bidOutput = z.strictObject({
  node: count,
  agent: address,
  principal: address,
  service: hash,
  price: units,
  score: count,
  locked: units,
  isAwarded: z.boolean(),
});

export const missionCommands: readonly Command[] = [
  command({
    name: "list_missions",
    method: "GET",
    path: "/v1/missions",
    group: "Missions",
    doc: "The city's missions with state and deposit.",
    access: "open",
    cost: 5,
    input: z.strictObject(pageInput),
    output: pageOf(summaryOutput),
    async run(world, query) {
      const { payloads, next } = await pageOfPayloads(world, { ...query, name: "TemplateRegistry.MissionDeployed" }, deployedSchema);
      return { items: await Promise.all(payloads.map(({ args }) => summaryOf(world, args.mission))), next };
    },
  }),
  command({
    name: "get_mission",
    method: "GET",
    path: "/v1/missions/{mission}",
    group: "Missions",
    doc: "One mission: state, sponsor, session, law hash, title and goal of its law, and its visibility.",
    access: "open",
    cost: 2,
    input: missionInput,
    output: z.strictObject({
      ...summaryOutput.shape,
      lawHash: hash,
      docHash: hash,
      nodeCount: count,
      expiresAt: seconds,
      title: z.string().nullable(),
      goal: z.string().nullable(),
      visibility: z.enum(VISIBILITIES).meta({ description: "parties: its contents are readable only by those with a part in it" }),
    }),
    async run(world, input) {
      const { mission } = await missionNamed(world, input.mission);
      const contract = world.client.mission(mission);
      const [summary, lawHash, context, header, expiresAt, law] = await Promise.all([
        summaryOf(world, mission),
        contract.lawHash(),
        contract.context(),
        contract.header(),
        contract.expiresAt(),
        world.laws.of(mission),
      ]);
      const { title = null, goal = null } = law?.document ?? {};
      const visibility = await world.laws.visibilityOf(mission);
      return { ...summary, lawHash, docHash: context.docHash, nodeCount: header.nodeCount, expiresAt, title, goal, visibility };
    },
  }),
  command({
    name: "get_mission_origin",
    method: "GET",
    path: "/v1/missions/{id}/origin",
    group: "Missions",
    doc: "A mission's progress, by its contract or by its missionId, which exists from the first draft of its law on.",
    access: "open",
    cost: 1,
    input: z.strictObject({ id: z.string().regex(/^0x([0-9a-fA-F]{40}|[0-9a-f]{64})$/) }),
    output: z.strictObject({ missionId: hash, session: units, epoch: count, mission: address.nullable() }),
    async run({ hub }, { id }) {
      const row = id.length === 66 ? hub.missionWithId(toHash(id)) : hub.missionAt(toAddress(id));
      if (row === undefined)
        throw new Refused("NotFound", `This city has no mission ${id}`, {
          action: "list_missions lists missions, list_sessions those whose law is being made",
        });
      return { missionId: row.id, session: row.session, epoch: row.epoch, mission: row.mission };
    },
  }),
  command({
    name: "get_law",
    method: "GET",
    path: "/v1/missions/{mission}/law",
    group: "Missions",
    doc: "The mission's law as a graph: every node with its tier, floor, services and predecessors. Its bytes hash to docHash.",
    access: "open",
    cost: 3,
    input: missionInput,
    output: z.strictObject({ documentId: contentId, title: z.string(), goal: z.string(), risk: z.string(), nodes: z.array(lawNodeOutput) }),
    async run(world, input) {
      const { mission } = await missionNamed(world, input.mission);
      const law = await world.laws.of(mission);
      if (law === undefined) throw new Refused("NotFound", `This city does not store the document of ${mission}`);
      const { title, goal, risk, nodes } = law.document;
      return {
        ...{ documentId: law.id, title, goal, risk },
        nodes: nodes.map((node) => ({
          number: node.number,
          label: node.label,
          task: node.task,
          services: [...node.services],
          after: [...node.after],
          tier: node.tier,
          redundancy: node.redundancy,
          threshold: node.threshold,
          risk: node.risk,
          floor: node.floor,
          panelSize: node.panelSize,
          timeout: node.timeout,
          budget: node.budget,
          isMission: node.mission !== undefined,
          shard: node.shard,
        })),
      };
    },
  }),
  command({
    name: "list_nodes",
    method: "GET",
    path: "/v1/missions/{mission}/nodes",
    group: "Missions",
    doc: "The on-chain state of every node of a mission: state, attempt, deadline, executors.",
    access: "open",
    cost: 10,
    input: missionInput,
    output: z.strictObject({ nodes: z.array(nodeOutput) }),
    async run(world, input) {
      const known = await world.missions.read(await missionNamed(world, input.mission));
      return { nodes: [...known.nodes.keys()].map((number) => nodeOf(known, number)) };
    },
  }),
  command({
    name: "get_node",
    method: "GET",
    path: "/v1/missions/{mission}/nodes/{node}",
    group: "Missions",
    doc: "One node's on-chain state. Its history is in its events: list_events with mission and node.",
    access: "open",
    cost: 2,
    input: z.strictObject({ mission: address, node: count.max(255) }),
    output: nodeOutput,
    async run(world, input) {
      const known = await world.missions.read(await missionNamed(world, input.mission));
      const count = known.nodes.length;
      if (input.node >= count) throw new Refused("NotFound", `${input.mission} has nodes 0 to ${count - 1}, but no node ${input.node}`);
      return nodeOf(known, input.node);
    },
  }),
  command({
    name: "list_bids",
    method: "GET",
    path: "/v1/missions/{mission}/bids",
    group: "Missions",
    doc: "Every bid on a mission's nodes with its score, and whether it won.",
    access: "open",
    cost: 10,
    input: missionInput,
    output: z.strictObject({ bids: z.array(bidOutput) }),
    async run(world, input) {
      const { mission } = await missionNamed(world, input.mission);
      const { nodeCount } = await world.client.mission(mission).header();
      const numbers = Array.from({ length: nodeCount }, (_, number) => number);
      const bids = await Promise.all(numbers.map((node) => world.client.execution.bidsOf(mission, node)));
      return {
        bids: bids.flatMap((own, node) =>
          own.map(({ agent, principal, service, price, score, locked, awarded }) => ({
            ...{ node, agent, principal, service, score },
            price: price.toString(),
            locked: locked.toString(),
            isAwarded: awarded,
          })),
        ),
      };
    },
  }),
  command({
    name: "list_verdicts",
    method: "GET",
    path: "/v1/missions/{mission}/verdicts",
    group: "Missions",
    doc: "The chain's decision on each attempt: result, confidence, the weakest evidence class it rests on, agreeing slots.",
    access: "open",
    cost: 3,
    input: missionInput,
    output: z.strictObject({ verdicts: z.array(verdictOutput) }),
    async run(world, input) {
      const { missionId } = await missionNamed(world, input.mission);
      const payloads = await payloadsOf(world, { missionId, name: "CollaborationContract.Cleared" }, clearedSchema);
      return {
        verdicts: payloads.map(({ event, args }) => ({
          node: args.node,
          attempt: args.attempt + 1,
          result: results[args.result] ?? "NONE",
          confidence: args.confidence,
          score: args.score,
          evidenceClass: evidenceClasses[args.evidenceClass] ?? "SELF",
          agreeing: Array.from({ length: 8 }, (_, slot) => slot).filter((slot) => ((args.agreeing >> slot) & 1) === 1),
          block: event.blockNumber,
          eventId: event.eventId,
        })),
      };
    },
  }),
  command({
    name: "get_mission_money",
    method: "GET",
    path: "/v1/missions/{mission}/money",
    group: "Missions",
    doc: "Where a mission's deposit went, from its own accounts.",
    access: "open",
    cost: 2,
    input: missionInput,
    output: ledgerOutput,
    async run(world, input) {
      const { mission } = await missionNamed(world, input.mission);
      return ledgerOf(world, mission);
    },
  }),
];
