import { zeroHash } from "viem";
import { z } from "zod";
import { AgentCityError } from "../primitives/errors.ts";
import { contentIdOfJson, digestOf, keccak256, parseContentId } from "../primitives/hash.ts";
import { type Hash, hashSchema } from "../primitives/hex.ts";
import { canonicalBytes, isObject, type JsonObject, parseJsonBytes } from "../primitives/json.ts";
import { Recent } from "../primitives/recent.ts";
import { answerBySchema } from "../protocol/disagreement.ts";
import type { NodeView } from "./chain-view.ts";
import type { Place } from "./seat.ts";
import { knownService } from "./strangers.ts";
import type { Mission, RegisteredService, World } from "./world.ts";

/** The result of an executor's run. The output is stored by content, so that verifiers, successors and auditors read the same bytes. */
export const workSchema = z.discriminatedUnion("ok", [
  z.strictObject({
    ok: z.literal(true),
    /** On-chain id of the service that ran. */
    service: hashSchema,
    outputId: z.string(),
    outputHash: hashSchema,
    trail: z.array(hashSchema),
    tools: z.int(),
    messages: z.int(),
  }),
  z.strictObject({ ok: z.literal(false), service: hashSchema, fault: z.string(), details: z.string() }),
]);
export type Work = z.infer<typeof workSchema>;

/** Work handed in sealed. Once its commitment is open it becomes a `Work`. */
export const sealedSchema = z.strictObject({
  ok: z.literal(true),
  service: hashSchema,
  sealedId: z.string(),
  /** Keccak of the sealed bytes. */
  sealedHash: hashSchema,
  tools: z.int(),
  messages: z.int(),
});
export type SealedWork = z.infer<typeof sealedSchema>;

/** The bytes that an executor handed in: an output, or sealed work. */
export interface HandedIn {
  readonly service: Hash;
  readonly id: string;
  readonly hash: Hash;
}

export function handedIn(work: (Work & { ok: true }) | SealedWork): HandedIn {
  const { service } = work;
  return "sealedId" in work ? { service, id: work.sealedId, hash: work.sealedHash } : { service, id: work.outputId, hash: work.outputHash };
}

/** What a completed node passes to its successors: one output, and where redundant executors disagree. */
export const resultSchema = z.strictObject({
  outputId: z.string(),
  outputHash: hashSchema,
  dissent: z.array(z.strictObject({ id: z.string(), chosen: z.union([z.string(), z.number()]), answers: z.array(answerBySchema) })),
});
export type NodeResult = z.infer<typeof resultSchema>;

/** Hashes of a slot's output, zero if it cannot be read, and of what was handed in. */
export function hashesOf(work: Work | undefined, sealed: SealedWork | undefined): { readonly outputHash: Hash; readonly handed: Hash } {
  const outputHash = work?.ok === true ? work.outputHash : zeroHash;
  return { outputHash, handed: sealed?.sealedHash ?? outputHash };
}

/** Key of an attempt at a node, for records and intents. */
export function attemptKey(mission: Mission, view: Pick<NodeView, "law" | "attempt">): readonly (string | number)[] {
  return [mission.address, view.law.number, view.attempt];
}

/** A slot of a node's attempt, as its executor knows it. */
export function placeOf(
  { address: mission }: Mission,
  { law: { number: node }, attempt }: Pick<NodeView, "law" | "attempt">,
  { slot }: { readonly slot: number },
): Place {
  return { mission, node, attempt, slot };
}

/** Fault of an executor that handed in nothing. */
export const ABSENT = "absent";
/** Fault of an executor whose opening does not decrypt what it handed in. */
export const UNREADABLE = "unreadable";

/** Keccak of an output's canonical bytes, which is committed on chain. */
export function outputHashOf(output: JsonObject): Hash {
  return keccak256(canonicalBytes(output));
}

/** Reads an output from the content store. */
export function readOutput(world: Pick<World, "store" | "recent">, outputId: string): Promise<JsonObject> {
  return world.recent.outputs.of(outputId, async () => {
    const value = parseJsonBytes(await world.store.get(parseContentId(outputId)));
    if (!isObject(value)) throw new AgentCityError("OutputNotAnObject", "A stored output is not a JSON object", { details: outputId });
    return value;
  });
}

/** Total length of texts whose parsed form is cached, characters. */
const MAX_RECENT = 8_388_608;

/** An empty cache. */
export function nothingRecent(): World["recent"] {
  const weigh = (value: JsonObject) => JSON.stringify(value).length;
  return { inputs: new Recent(MAX_RECENT, weigh), outputs: new Recent(MAX_RECENT, weigh) };
}

/** An executor is bound to code that is not here: a service was changed during a mission that uses it. */
export class ServiceChanged extends AgentCityError {
  constructor(id: string, names: readonly string[]) {
    const which = names.length === 1 ? `The service ${names[0]}` : `One of the services ${names.join(", ")}`;
    super("ServiceChanged", `${which} has changed since this mission began, and executors are bound to the code that they bid with`, {
      details: id,
      action:
        "undo the change to its file (or to a file that it imports) and run the command again: the mission continues where it stopped. Other missions of this city may use the new code",
    });
  }
}

/** The service that a slot's executor bound. `names`: services its law allows, for the error. */
export function serviceById(world: Pick<World, "services" | "strangers">, id: Hash, names: readonly string[]): RegisteredService {
  const service = knownService(world, id);
  if (service === undefined) throw new ServiceChanged(id, names);
  return service;
}

/** On-chain digest of a list of items. */
export function itemsDigest(items: readonly JsonObject[]): Hash {
  return digestOf(contentIdOfJson(items));
}

/** A node's input: its shard of the mission's items and its predecessors' results. */
export function inputOf(
  world: Pick<World, "store" | "remember" | "recent">,
  mission: Mission,
  { law }: Pick<NodeView, "law">,
): Promise<JsonObject> {
  return world.recent.inputs.of(`${mission.address}/${law.number}`, () => makeInput(world, mission, law));
}

async function makeInput(world: Pick<World, "store" | "remember" | "recent">, mission: Mission, law: NodeView["law"]): Promise<JsonObject> {
  const results = law.after.map(async (number) => {
    const { outputId, dissent } = await resultOf(world, mission, number);
    return { number, dissent, output: await readOutput(world, outputId) };
  });
  return composeInput(mission, law, await Promise.all(results));
}

/** The same from given results of its predecessors, in the law's order. */
export function composeInput(
  mission: Pick<Mission, "document" | "items">,
  law: NodeView["law"],
  results: readonly { readonly number: number; readonly output: JsonObject; readonly dissent: NodeResult["dissent"] }[],
): JsonObject {
  const upstream = results.map(({ number, output, dissent }): JsonObject => {
    const before = mission.document.nodes[number];
    return { task: before?.task ?? "", node: before?.label ?? "", items: output["items"] ?? [], dissent };
  });
  const options = mission.document.nodes[law.number]?.options;
  const items = law.shard === null ? [] : mission.items.slice(law.shard.from, law.shard.to);
  const { columns } = mission.document.input;
  return {
    goal: mission.document.goal,
    items,
    upstream,
    ...(columns === undefined ? {} : { columns }),
    ...(options === undefined ? {} : { options }),
  };
}

/** The recorded result of a completed node. */
export async function resultOf(world: Pick<World, "remember">, mission: Mission, node: number): Promise<NodeResult> {
  return world.remember(["result", mission.address, node], resultSchema, async () => {
    throw new AgentCityError("ResultMissing", `Node ${node} is completed on chain but its result is not in the records`, {
      action: "restore the city's records from a bundle or a backup",
    });
  });
}

/** A slot has committed, but nothing was handed in for it. */
export class WorkMissing extends AgentCityError {
  constructor(label: string, slot: number) {
    super("WorkMissing", `Slot ${slot} of ${label} committed, but its work is not in the records`);
  }
}

/** The recorded work of a slot. Throws WorkMissing if there is none or it failed. */
export async function workOf(
  world: Pick<World, "remember">,
  mission: Mission,
  view: Pick<NodeView, "law" | "attempt">,
  slot: number,
): Promise<Work & { ok: true }> {
  const work = await world.remember(["work", ...attemptKey(mission, view), slot], workSchema, async () => {
    throw new WorkMissing(view.law.label, slot);
  });
  // An executor that handed in nothing may have committed by itself.
  if (!work.ok) throw new WorkMissing(view.law.label, slot);
  return work;
}
