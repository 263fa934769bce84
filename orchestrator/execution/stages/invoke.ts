import { canonicalBytes, isObject } from "../../primitives/json.ts";
import { Turns } from "../../primitives/turns.ts";
import type { NodeView, SlotView } from "../chain-view.ts";
import { hold } from "../escrow-buffer.ts";
import { toolsOf } from "../fetch/tools.ts";
import { watchTerms } from "../guardian/terms.ts";
import { DEFAULT_LIMITS, type SandboxLimits } from "../sandbox/limits.ts";
import { attemptKey, inputOf, outputHashOf, serviceById, type Work, workSchema } from "../work.ts";
import { type Mission, type World, workerOf } from "../world.ts";

/** One executor's work on one node. */
export interface Invocation {
  readonly view: NodeView;
  readonly slot: SlotView;
  readonly work: Work;
}

/** Stage 2: every executor that has not committed yet runs its service on the node's input, in a sandbox (AgentCity 3.5; decision 44). */
export async function invoke(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<readonly Invocation[]> {
  return runAll(
    world,
    mission,
    nodes.filter(({ state }) => state === "EXECUTING"),
  );
}

/** The same for these nodes, wherever the chain thinks they are. */
export async function runAll(world: World, mission: Mission, nodes: readonly NodeView[]): Promise<readonly Invocation[]> {
  const due = nodes.flatMap((view) => view.slots.filter(({ committed }) => !committed).map((slot) => ({ view, slot })));
  if (due.length === 0) return [];
  // Recorded before anything runs side by side: it is written once.
  await watchTerms(world, mission);
  // Services run side by side; what they did enters the log in the order of nodes and slots.
  const turns = new Turns();
  const done = await Promise.all(
    due.map(async ({ view, slot }): Promise<Invocation> => {
      const work = await turns.take((before) =>
        world.remember(["work", ...attemptKey(mission, view), slot.slot], workSchema, async () => {
          const done = await run(world, mission, view, slot);
          await before;
          tellRun(world, view, slot, done);
          return done;
        }),
      );
      return { view, slot, work };
    }),
  );
  for (const { view, slot, work } of done) if (work.ok) await hold(world, mission, view, slot, work);
  return done;
}

function tellRun(world: World, { law }: NodeView, { agent }: SlotView, work: Work): void {
  const { name } = serviceById(world, work.service);
  const what = work.ok ? `ran ${name}` : `failed to run ${name} (${work.fault}: ${work.details})`;
  world.tell(`${law.label}: ${workerOf(world, agent).name} ${what}`);
}

/** What one run of a node's service may use: the constitution's counts, and no more time than the law gives the node. */
export async function limitsOf(world: World, mission: Mission, { law }: Pick<NodeView, "law">): Promise<Partial<SandboxLimits>> {
  const { tools, messages } = await watchTerms(world, mission);
  return { tools, messages, wallClockMs: Math.min(DEFAULT_LIMITS.wallClockMs, 1000 * law.timeout) };
}

async function run(world: World, mission: Mission, view: NodeView, slot: SlotView): Promise<Work> {
  const { id: service, bundle, schemas } = serviceById(world, slot.pledge);
  const [input, limits] = await Promise.all([inputOf(world, mission, view), limitsOf(world, mission, view)]);
  const run = await world.sandbox.run({ bundle, schemas, input, limits, tools: toolsOf(world, mission) });
  if (run.status === "failed") return { ok: false, service, fault: run.kind, details: run.details };
  if (!isObject(run.output)) return { ok: false, service, fault: "schema", details: "the output is not an object" };
  const agent = workerOf(world, slot.agent).name;
  const output = world.tamper?.({ label: view.law.label, attempt: view.attempt, agent }, run.output) ?? run.output;
  return {
    ok: true,
    service,
    outputId: await world.store.put(canonicalBytes(output)),
    outputHash: outputHashOf(output),
    trail: run.trail.map(({ hash }) => hash),
    tools: run.meters.tools,
    messages: run.meters.messages,
  };
}
