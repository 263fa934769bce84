import { unlessAbsent } from "../../minds/absence.ts";
import { keccak256 } from "../../primitives/hash.ts";
import { InOrder } from "../../primitives/in-order.ts";
import { canonicalBytes, isObject } from "../../primitives/json.ts";
import type { NodeView, SlotView } from "../chain-view.ts";
import { endingOf } from "../ending.ts";
import { toolsOf } from "../fetch/tools.ts";
import { watchTerms } from "../guardian/terms.ts";
import { modelTool } from "../models/model-tool.ts";
import { requireSomethingUsable } from "../nothing-usable.ts";
import { takesReceipts } from "../obligation.ts";
import { limitsOf, originOf } from "../origin.ts";
import { hold } from "../output-buffer.ts";
import { judgeFailure } from "../service-fault.ts";
import {
  ABSENT,
  attemptKey,
  handedIn,
  inputOf,
  outputHashOf,
  placeOf,
  type SealedWork,
  sealedSchema,
  serviceById,
  type Work,
  workSchema,
} from "../work.ts";
import { type Mission, type World, workerOf } from "../world.ts";

/** Runs started in parallel: as many as the sandbox has places. More would only wait, perhaps for work no longer needed. */
const AT_ONCE = 2;

/** One executor's work on one node. */
export interface Invocation {
  readonly view: NodeView;
  readonly slot: SlotView;
  readonly work: Work | SealedWork;
}

/** Stage 2: every executor that has not committed yet runs its service on the node's input, in a sandbox (AgentCity 3.5; decision 44). */
export async function invoke(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<readonly Invocation[]> {
  return runAll(
    world,
    mission,
    nodes.filter(({ state }) => state === "EXECUTING"),
  );
}

/** The same for these nodes, whatever their on-chain state. */
export async function runAll(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<readonly Invocation[]> {
  const due = nodes.flatMap((view) => view.slots.filter(({ committed }) => !committed).map((slot) => ({ view, slot })));
  if (due.length === 0) return [];
  // Recorded before the concurrent runs, so that it is written once.
  await watchTerms(world, mission);
  // Services run concurrently; their results enter the log in the order of nodes and slots.
  const turns = new InOrder();
  const done: Invocation[] = [];
  const queue = due.values();
  const work = async () => {
    for (const { view, slot } of queue) {
      const invocation = await turns.run((before) => workOn(world, mission, view, slot, before));
      if (invocation !== undefined) done.push(invocation);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  done.sort((a, b) => a.view.law.number - b.view.law.number || a.slot.slot - b.slot.slot);
  await requireSomethingUsable(world, mission, nodes);
  const held: Invocation[] = [];
  for (const each of done) {
    const { view, slot, work } = each;
    // A result that its executor does not sign does not count.
    if (!work.ok || (await unlessAbsent(() => hold(world, mission, view, slot, handedIn(work)))) !== undefined) held.push(each);
  }
  return held;
}

/** Undefined if it was skipped because the mission is about to end. */
async function workOn(
  world: World,
  mission: Mission,
  view: NodeView,
  slot: SlotView,
  before: Promise<void>,
): Promise<Invocation | undefined> {
  if ((await endingOf(world, mission)) !== undefined) return undefined;
  const work = await worked(world, mission, view, slot, before);
  if (!work.ok) {
    const [input, limits] = await Promise.all([inputOf(world, mission, view), limitsOf(world, mission, view)]);
    await before;
    await judgeFailure(world, mission, { view, slot, work }, input, limits);
  }
  return { view, slot, work };
}

/** The recorded work of a slot's executor; sealed work is not read before its opening is on chain. */
async function worked(world: World, mission: Mission, view: NodeView, slot: SlotView, before: Promise<void>): Promise<Work | SealedWork> {
  const place = [...attemptKey(mission, view), slot.slot];
  const known = (await world.recall(["sealed", ...place], sealedSchema)) ?? (await world.recall(["work", ...place], workSchema));
  if (known !== undefined) return known;
  const done = await run(world, mission, view, slot);
  await before;
  tellRun(world, view, slot, done);
  return "sealedId" in done
    ? world.remember(["sealed", ...place], sealedSchema, async () => done)
    : world.remember(["work", ...place], workSchema, async () => done);
}

function tellRun(world: World, { law }: NodeView, { agent }: SlotView, work: Work | SealedWork): void {
  const { name } = serviceById(world, work.service, law.services);
  const what = work.ok ? `ran ${name}` : `failed to run ${name} (${work.fault}: ${work.details})`;
  world.progress(`${law.label}: ${workerOf(world, agent).name} ${what}`);
}

async function run(world: World, mission: Mission, view: NodeView, slot: SlotView): Promise<Work | SealedWork> {
  const offered = serviceById(world, slot.pledge, view.law.services);
  const [input, limits] = await Promise.all([inputOf(world, mission, view), limitsOf(world, mission, view)]);
  const tools = { ...toolsOf(world, mission), ...modelTool(world, mission, view.law) };
  const order = {
    ...placeOf(mission, view, slot),
    label: view.law.label,
    service: offered,
    input,
    limits,
    tools,
    origin: () => originOf(world, mission, view),
    sealedUnder: takesReceipts(view.law) ? await world.client.mission(mission.address).obligationOf(view.law.number) : undefined,
  };
  const run = await unlessAbsent(() => workerOf(world, slot.agent).perform(order));
  if (run === undefined) return { ok: false, service: offered.id, fault: ABSENT, details: "its executor handed in nothing" };
  const service = offered.id;
  if (run.status === "failed") return { ok: false, service, fault: run.kind, details: run.details };
  if (run.status === "sealed") {
    const { work, tools, messages } = run;
    return { ok: true, service, sealedId: await world.store.put(work), sealedHash: keccak256(work), tools, messages };
  }
  if (!isObject(run.output)) return { ok: false, service, fault: "schema", details: "the output is not an object" };
  return {
    ok: true,
    service,
    outputId: await world.store.put(canonicalBytes(run.output)),
    outputHash: outputHashOf(run.output),
    trail: [...run.trail],
    tools: run.tools,
    messages: run.messages,
  };
}
