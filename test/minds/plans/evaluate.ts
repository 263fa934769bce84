import type { Impossible } from "../../../orchestrator/minds/planner/impossible.ts";
import { type Plan, plansFor } from "../../../orchestrator/minds/planner/plan.ts";
import type { ItemField, PlannableService } from "../../../orchestrator/minds/planner/skills.ts";
import { namesIn, objectIn, typesOf } from "../../../orchestrator/minds/planner/skills.ts";
import { isObject, type JsonObject } from "../../../orchestrator/primitives/json.ts";
import { INPUT_ITEMS } from "../../../services/shared/inputs.ts";
import { STEP_OF } from "./capability-names.ts";
import type { Branch, HopelessGoal, PlannableGoal, Step } from "./goals.ts";

/** Plans for a goal as producers find them. */
export function planned(
  { goal, kind, columns = [] }: PlannableGoal | HopelessGoal,
  catalogue: readonly PlannableService[],
): { readonly plans: readonly Plan[] } | Impossible {
  const numbers = /amount|total|sales|owed|^age$|price|population|hours|seats|_kb/;
  const cells = columns.map((name): ItemField => ({ name, types: [numbers.test(name) ? "number" : "string"], column: true }));
  return plansFor({ goal, risk: "LOW", input: { kind, fields: [...fieldsOf(INPUT_ITEMS[kind]), ...cells] }, catalogue });
}

function fieldsOf(schema: JsonObject): ItemField[] {
  const item = objectIn(schema, "items");
  const properties = objectIn(item, "properties");
  return namesIn(item["required"]).flatMap((name) => (name === "id" ? [] : [{ name, types: typesOf(properties[name]) }]));
}

/** Whether a plan goes one of the ways that are good for a goal. */
export function isGood({ text }: Plan, { ways, harmless = [], options = [], output }: PlannableGoal): boolean {
  const { tasks } = text;
  const named = Object.entries(tasks).map(([name, task]) => ({
    name,
    after: task.after ?? [],
    step: STEP_OF[typeof task.service === "string" ? task.service : (task.service?.[0] ?? "")],
  }));
  const used = named.flatMap(({ step }) => step ?? []);
  const given = JSON.stringify(Object.values(tasks).map((task) => (isObject(task.with) ? task.with : {})));
  const isWay = (way: readonly Branch[]) =>
    way.every((branch) => hasPath(named, branch)) && used.every((step) => harmless.includes(step) || way.flat().includes(step));
  if (!isOutput(text, output)) return false;
  return ways.some(isWay) && options.some((value) => given.includes(JSON.stringify(value))) === options.length > 0;
}

function isOutput({ tasks, output }: Plan["text"], wanted: PlannableGoal["output"]): boolean {
  return wanted === undefined || (tasks[output.task]?.service === wanted.service && output.format === wanted.format);
}

interface Task {
  readonly name: string;
  readonly after: readonly string[];
  readonly step: Step | undefined;
}

/** Whether the steps follow each other, other tasks between them or not. */
function hasPath(tasks: readonly Task[], [first, ...rest]: Branch, from?: string): boolean {
  if (first === undefined) return true;
  const reached = from === undefined ? tasks : tasks.filter(({ name }) => comesAfter(tasks, name, from));
  return reached.some(({ name, step }) => step === first && hasPath(tasks, rest, name));
}

function comesAfter(tasks: readonly Task[], name: string, other: string): boolean {
  const before = tasks.find((task) => task.name === name)?.after ?? [];
  return before.includes(other) || before.some((each) => comesAfter(tasks, each, other));
}
