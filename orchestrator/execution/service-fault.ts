import { z } from "zod";
import { keccak256 } from "../primitives/hash.ts";
import { hashSchema } from "../primitives/hex.ts";
import { canonicalBytes, isObject, type JsonObject, type JsonValue } from "../primitives/json.ts";
import type { NodeView, SlotView } from "./chain-view.ts";
import { type Ending, endingOf, noteEnding } from "./ending.ts";
import { toolsOf } from "./fetch/tools.ts";
import type { SandboxLimits } from "./sandbox/limits.ts";
import type { FailureKind } from "./sandbox/result.ts";
import { ABSENT, attemptKey, serviceById, type Work } from "./work.ts";
import { type Mission, type World, workerOf } from "./world.ts";

/** Result of an independent run of a failed run's bundle on the same input. */
const secondRunSchema = z.strictObject({
  codeHash: hashSchema,
  inputHash: hashSchema,
  /** Both runs failed in the same way: the fault is the service's, not its executor's. */
  alike: z.boolean(),
  fault: z.string().nullable(),
  details: z.string().nullable(),
});

/** Exceeded tool and message limits are left to the Guardian, and to a human. */
const GUARDED: readonly string[] = ["tools", "messages"] satisfies FailureKind[];

/**
 * Whether a failed run is the service's own fault: the city, which is no party, runs the same bundle on the same input, and it fails in the
 * same way. Then the mission ends here. A run that fails only for the executor is its executor's fault.
 */
export async function judgeFailure(
  world: World,
  mission: Mission,
  { view, slot, work }: { readonly view: NodeView; readonly slot: SlotView; readonly work: Work },
  input: JsonObject,
  limits: Partial<SandboxLimits>,
): Promise<void> {
  if (work.ok || work.fault === ABSENT || GUARDED.includes(work.fault)) return;
  if ((await endingOf(world, mission)) !== undefined) return;
  const { bundle, schemas, name, record } = serviceById(world, work.service, view.law.services);
  const second = await world.remember(["second-run", ...attemptKey(mission, view), slot.slot], secondRunSchema, async () => {
    const run = await world.sandbox.run({
      bundle,
      schemas,
      input,
      limits,
      constraints: record.constraints,
      tools: toolsOf(world, mission),
    });
    const [fault, details] = run.status === "failed" ? [run.kind, run.details] : [null, null];
    const alike = fault === work.fault && normalised(details) === normalised(work.details);
    return { codeHash: bundle.codeHash, inputHash: keccak256(canonicalBytes(input)), alike, fault, details };
  });
  if (!second.alike) return;
  const by = `${workerOf(world, slot.agent).name} and this city`;
  const why = `${by} ran the same code on the same input, ${itemsOf(input)}, and it failed in the same way`;
  await noteEnding(world, mission, failing(view.law.label, name, work, why));
}

const MAX_NAMED = 3;

/** The first item ids of a service's input, one of which may have caused the failure. */
export function itemsOf(input: JsonObject): string {
  const given = [input, ...listIn(input["upstream"])].flatMap((source) => listIn(source["items"]));
  const ids = given.flatMap(({ id }) => (typeof id === "string" ? [id] : []));
  const more = ids.length > MAX_NAMED ? " …" : "";
  return ids.length === 0 ? "no items" : `${ids.length} item${ids.length === 1 ? "" : "s"}: ${ids.slice(0, MAX_NAMED).join(", ")}${more}`;
}

function listIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The ending of a mission whose service fails for every executor. */
export function failing(
  node: string,
  service: string,
  { fault, details }: { readonly fault: string; readonly details: string },
  why: string,
): Ending {
  return {
    code: "ServiceFails",
    node,
    reason: `the service ${service} fails in task ${node}: ${fault}: ${firstLine(details)} (${why})`,
    action: ADVICE[fault] ?? "fix the service or its input, then run the mission again",
    disagreement: null,
  };
}

const ADVICE: Readonly<Record<string, string>> = {
  timeout: "make the service faster (an endless loop, an expensive pattern?), or give its task a longer `timeout`",
  memory: "reduce the service's memory use, or divide the input",
  "too-large": "make the service return less, or divide the input",
  schema: "make the service return what its `output` schema says, and accept what its `input` schema says",
  garbage: "make the service return plain JSON",
  empty: "make the service return something: a function without `return`, or a promise that never settles, returns nothing",
};

/** Removes places, numbers and addresses, so that the same fault of the same code has the same text. */
function normalised(details: string | null): string {
  return firstLine(details ?? "")
    .replaceAll(/0x[0-9a-f]+/gi, "#")
    .replaceAll(/\d+/g, "#")
    .trim();
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.slice(0, 300) ?? "";
}
