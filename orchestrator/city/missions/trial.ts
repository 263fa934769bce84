import { z } from "zod";
import { CATALOG, type CatalogEntry } from "../../../services/catalog.ts";
import type { Ending } from "../../execution/ending.ts";
import { DEFAULT_LIMITS } from "../../execution/sandbox/limits.ts";
import { failing, itemsOf } from "../../execution/service-fault.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../primitives/json.ts";
import type { MissionTask } from "../../protocol/mission-file.ts";
import type { City } from "../city.ts";
import { offersOf, registeredService } from "../founding/services.ts";
import { membersOf } from "../founding/society.ts";
import type { Order } from "./conduct.ts";

/** One of the mission's services fails, found before anyone was paid. */
export class ServiceFails extends AgentCityError {
  constructor({ reason, action }: Pick<Ending, "reason" | "action">) {
    super("ServiceFails", reason, { details: "nothing was paid, and no law was made", action });
  }
}

/** Maximum number of shards of a law: the trial covers about the first of them. */
const SHARDS = 12;
const MAX_TRIED = 50;

/**
 * Runs the mission's own services, and their predecessors, on its first items before its deposit moves, so that a service that always fails
 * costs its owner nothing. The city's own services are tested, so missions with only those are skipped. Services that need a page, or
 * anything else from outside, cannot be tried.
 */
export async function tryServices({ sandbox, society }: Pick<City, "sandbox" | "society">, { file, input, catalog }: Order): Promise<void> {
  const tried = catalog.filter(({ id }) => isUsed(file.tasks, id));
  if (tried.every((entry) => CATALOG.includes(entry))) return;
  const services = (await offersOf(membersOf(society, "producer").slice(0, 1), tried)).map(registeredService);
  const items = input.items.slice(0, Math.min(MAX_TRIED, Math.ceil(input.items.length / SHARDS)));

  /** The items each task produces; undefined where that cannot be known here. */
  async function tryAll(goal: string, tasks: readonly MissionTask[]): Promise<ReadonlyMap<string, readonly JsonValue[]> | undefined> {
    const made = new Map<string, readonly JsonValue[]>();
    for (const task of tasks.filter(({ name }) => needed(tasks, name, catalog))) {
      const { plan } = task;
      const output = plan === null ? await tryTask(goal, task, made) : (await tryAll(plan.goal, plan.tasks))?.get(plan.output);
      if (output === undefined) return undefined;
      made.set(task.name, output);
    }
    return made;
  }

  /** The output of a task's first service; all of its services are tried. */
  async function tryTask(goal: string, task: MissionTask, made: ReadonlyMap<string, readonly JsonValue[]>) {
    const upstream = task.after.map((name): JsonObject => ({ task: name, node: name, items: [...(made.get(name) ?? [])], dissent: [] }));
    const options = task.options === undefined ? {} : { options: task.options };
    const outputs: (readonly JsonValue[] | undefined)[] = [];
    for (const id of task.services)
      outputs.push(await tryOne(task, id, { goal, items: task.overInput ? [...items] : [], upstream, ...options }));
    return outputs.includes(undefined) ? undefined : outputs[0];
  }

  async function tryOne(task: MissionTask, id: string, given: JsonObject): Promise<readonly JsonValue[] | undefined> {
    const service = services.find(({ name }) => name === id);
    if (service === undefined) return undefined;
    const wallClockMs = Math.min(DEFAULT_LIMITS.wallClockMs, 1000 * (task.timeout ?? Number.POSITIVE_INFINITY));
    const { bundle, schemas, record } = service;
    const run = await sandbox.run({ bundle, schemas, input: given, limits: { wallClockMs }, constraints: record.constraints });
    if (run.meters.tools > 0) return undefined;
    if (run.status === "failed")
      throw new ServiceFails(failing(task.name, id, { fault: run.kind, details: run.details }, `tried on ${itemsOf(given)}`));
    return isObject(run.output) ? z.array(z.json()).catch([]).parse(run.output["items"]) : [];
  }

  await tryAll(file.goal, file.tasks);
}

function isUsed(tasks: readonly MissionTask[], id: string): boolean {
  return tasks.some(({ services, plan }) => services.includes(id) || isUsed(plan?.tasks ?? [], id));
}

/** Whether a task uses a service of the mission's own, or hands something to one that does. */
function needed(tasks: readonly MissionTask[], name: string, catalog: readonly CatalogEntry[]): boolean {
  const task = tasks.find((each) => each.name === name);
  if (task === undefined) return false;
  const isOwn = (id: string) => catalog.some((entry) => entry.id === id && !CATALOG.includes(entry));
  if (task.services.some(isOwn)) return true;
  if (task.plan?.tasks.some((inner) => needed(task.plan?.tasks ?? [], inner.name, catalog)) === true) return true;
  return tasks.some((later) => later.after.includes(name) && needed(tasks, later.name, catalog));
}
