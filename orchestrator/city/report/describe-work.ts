import { hexToString } from "viem";
import type { z } from "zod";
import { itemsIn as judgedIn } from "../../clearing/judgement.ts";
import type { CityClient } from "../../client/client.ts";
import { type NodeStateName, nodeStates } from "../../execution/chain-view.ts";
import { disagreementOf, type Revealed } from "../../execution/disagreement.ts";
import { type Ending, endingSchema } from "../../execution/ending.ts";
import { leftOutSchema } from "../../execution/left-out.ts";
import { resultSchema, workSchema } from "../../execution/work.ts";
import { parseContentId } from "../../primitives/hash.ts";
import type { Address, Hash } from "../../primitives/hex.ts";
import { isObject, type JsonValue } from "../../primitives/json.ts";
import { TIER } from "../../primitives/tier.ts";
import type { MissionDocument, MissionNode } from "../../protocol/mission-document.ts";
import { MAX_DIFFERING, MAX_PROBLEMS, type Outcome } from "../../protocol/outcome.ts";
import { soldAs } from "../../protocol/sold-as.ts";
import { answersOf } from "../../rules/consensus.ts";
import { blockFile } from "../bundle/bundle-layout.ts";
import { crashWords, faultWords } from "./fault-words.ts";

/** Execution's records about a mission: a city reads its own, an audit the bundle's. */
export interface WorkRecords {
  /** The record of a kind about the mission and these numbers; undefined if there is none. */
  recall<Value>(kind: string, subjects: readonly (string | number)[], schema: z.ZodType<Value>): Promise<Value | undefined>;
  /** Every record of a kind about the mission, oldest first. */
  all<Value>(kind: string, schema: z.ZodType<Value>): Promise<readonly Value[]>;
  /** An output by its content id; undefined when it is not there. */
  output(id: string): Promise<JsonValue | undefined>;
}

/** A mission whose work is described. */
export interface Worked {
  readonly address: Address;
  readonly document: MissionDocument;
  readonly items: readonly JsonValue[];
  readonly records: WorkRecords;
  readonly nameOf: (address: Address) => string;
}

type Node = Outcome["nodes"][number];

/** What the records add to the chain's data about a node. */
export interface WorkedNode extends Pick<Node, "end" | "failures" | "disagreement" | "output"> {
  /** In order of binding. */
  readonly executors: readonly Pick<Node["executors"][number], "attempt" | "fault">[];
}

export interface DescribedWork {
  /** By number. */
  readonly nodes: readonly WorkedNode[];
  readonly unreadable: Outcome["input"]["unreadable"];
  readonly excluded: Outcome["excluded"];
  /** Why it was ended, if no executor could have succeeded. */
  readonly ending: Ending | undefined;
}

/** Describes each node's course and result, from chain and records: the same for the city and for an audit. */
export async function describeWork(client: CityClient, worked: Worked): Promise<DescribedWork> {
  const { address, document, records, nameOf, items } = worked;
  const contract = client.mission(address);
  const [bound, faults] = [await contract.history("ExecutorBound"), await contract.history("FaultSignalled")];
  const revealed = (await contract.history("Revealed")).map(({ args }) => args);
  const opened = bound.flatMap(({ args }) =>
    revealed.some(({ node, attempt, slot }) => node === args.node && attempt === args.attempt && slot === args.slot) ? [args] : [],
  );
  const outputs: JsonValue[] = [];
  const nodes: WorkedNode[] = [];
  const services = await serviceNames(client);
  for (const law of document.nodes) {
    const { number, tier, mission: branch } = law;
    const { state, attempt } = await contract.nodeOf(number);
    const executors: { readonly agent: string; readonly attempt: number; readonly fault: string | null }[] = [];
    for (const { args } of bound.filter((each) => each.args.node === number)) {
      const work = await records.recall("work", [address, number, args.attempt, args.slot], workSchema);
      const fault = work === undefined || work.ok ? null : `${work.fault}: ${work.details}`;
      executors.push({ agent: nameOf(args.agent), attempt: args.attempt + 1, fault });
    }
    const failures = faults.flatMap(({ args }) => {
      if (args.node !== number) return [];
      const reason = hexToString(args.reason, { size: 32 });
      const at = executors.filter((each) => each.attempt === args.attempt + 1);
      const crash = at.find(({ fault }) => fault !== null)?.fault;
      const { words } = crash == null ? faultWords(reason, branch === undefined ? tier : 0) : crashWords(crash);
      return [{ attempt: args.attempt + 1, by: at.map(({ agent }) => agent), reason, words }];
    });
    const name = nodeStates[state];
    const result = name === "COMPLETED" ? await records.recall("result", [address, number], resultSchema) : undefined;
    const output = result === undefined ? undefined : await records.output(result.outputId);
    if (output !== undefined) outputs.push(output);
    nodes.push({
      end: endOf(name, attempt),
      failures,
      disagreement: await differenceOf(worked, law, opened, services, output),
      executors: executors.map(({ attempt: at, fault }) => ({ attempt: at, fault })),
      output: result === undefined ? null : { file: blockFile(parseContentId(result.outputId)), items: itemsOf(output).length },
    });
  }
  const excluded = new Map((await records.all("left-out", leftOutSchema)).flat().map(({ agent, reason }) => [nameOf(agent), reason]));
  const ending = await records.recall("ending", [address], endingSchema);
  return {
    nodes,
    unreadable: unreadableIn([...items, ...outputs.flatMap(itemsOf)]),
    ending,
    excluded: [...excluded].map(([agent, reason]) => ({ agent, reason })),
  };
}

/** Names of services by their ids. */
export async function serviceNames(client: CityClient): Promise<ReadonlyMap<Hash, string>> {
  const registered = await client.services.history("ServiceRegistered");
  return new Map(registered.map(({ args }) => [args.service, soldAs(args)]));
}

/** An executor who opened its commitment. */
interface Opened {
  readonly node: number;
  readonly attempt: number;
  readonly slot: number;
  readonly agent: Address;
}

/** Where executors of a tier-2 node disagree in the last attempt in which two of them opened their commitments. */
async function differenceOf(
  { address, records, nameOf }: Worked,
  { number, tier, agree, threshold }: MissionNode,
  opened: readonly Opened[],
  services: ReadonlyMap<Hash, string>,
  taken: JsonValue | undefined,
): Promise<Node["disagreement"]> {
  if (tier !== TIER.CONSENSUS || agree === null) return null;
  const own = opened.filter(({ node }) => node === number);
  const last = Math.max(...own.map(({ attempt }) => attempt));
  const revealed: Revealed[] = [];
  for (const { slot, agent } of own.filter(({ attempt }) => attempt === last).toSorted((a, b) => a.slot - b.slot)) {
    const work = await records.recall("work", [address, number, last, slot], workSchema);
    const output = work?.ok === true ? await records.output(work.outputId) : undefined;
    if (work === undefined || !isObject(output)) continue;
    revealed.push({ by: `${services.get(work.service) ?? work.service} (${nameOf(agent)})`, output });
  }
  if (revealed.length < 2) return null;
  const { items, ...shares } = disagreementOf(revealed, { ...agree, threshold });
  // A median of numbers may be close enough to all that disagree with each other: it was accepted although nothing dissents from it.
  const chosen = new Map(isObject(taken) ? answersOf(judgedIn(taken), agree).map(({ id, value }) => [id, value]) : []);
  const first = items.slice(0, MAX_DIFFERING).map((item) => ({ ...item, chosen: chosen.get(item.id) ?? null }));
  return { ...shares, differing: items.length, first };
}

function endOf(state: NodeStateName | undefined, attempt: number): Node["end"] {
  if (state === "COMPLETED") return "done";
  if (state === "FAILED") return "failed";
  return attempt === 0 && (state === "WAITING" || state === "ELIGIBLE") ? "not-started" : "stopped";
}

/** Services and input readers state under `problem` why an item could not be read; the first statement about an item counts. */
export function unreadableIn(items: readonly JsonValue[]): Outcome["input"]["unreadable"] {
  const found = new Map<string, string>();
  for (const item of items) {
    if (!isObject(item)) continue;
    const { id, problem } = item;
    if (typeof id === "string" && typeof problem === "string" && problem !== "" && !found.has(id)) found.set(id, problem);
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return { count: found.size, first: sorted.slice(0, MAX_PROBLEMS).map(([id, problem]) => ({ id, problem })) };
}

function itemsOf(output: JsonValue | undefined): readonly JsonValue[] {
  const items = output !== undefined && isObject(output) ? output["items"] : undefined;
  return Array.isArray(items) ? items : [];
}
