import { formatAmount, parseAmount } from "../primitives/amounts.ts";
import { parseDuration } from "./duration.ts";
import { MissionFileError, type MissionFileProblem } from "./mission-file-error.ts";
import {
  type EvidenceClassName,
  MAX_TASKS,
  type MissionFileText,
  type MissionPredicate,
  meant,
  shapeOf,
  type TaskText,
} from "./mission-file-schema.ts";
import { parseLocatedYaml } from "./mission-file-yaml.ts";
import { orderTasks } from "./task-order.ts";

/** One task as the sponsor wants it; shards, redundancy and split are the legislature's. */
export interface MissionTask {
  readonly name: string;
  /** Catalogue ids of candidate services. */
  readonly services: readonly string[];
  /** It works on the mission's input, in shards. */
  readonly overInput: boolean;
  readonly after: readonly string[];
  /** Minimum tier. */
  readonly tier: 1 | 2 | 3;
  /** How outputs of redundant executors are compared; given exactly for tier 2. */
  readonly agree: { readonly on: string; readonly atLeastBps: number } | null;
  /** Smallest unit, or null when the legislature decides. */
  readonly budget: bigint | null;
  /** Seconds an executor has, or null when the legislature decides. */
  readonly timeout: number | null;
  /** Minimum evidence class, or null for the risk's. */
  readonly floor: EvidenceClassName | null;
}

/** A valid mission file. */
export interface MissionFile {
  readonly mission: string;
  readonly goal: string;
  /** Smallest unit. */
  readonly budget: bigint;
  /** Seconds. */
  readonly deadline: number;
  readonly risk: "LOW" | "MEDIUM" | "HIGH";
  readonly input: MissionFileText["input"];
  /** Each after all it waits for; otherwise in the order of the file. */
  readonly tasks: readonly MissionTask[];
  readonly output: MissionFileText["output"];
  readonly predicates: readonly MissionPredicate[];
  readonly seed: string | number | null;
  /** A directory of further services. */
  readonly services: string | null;
}

/** What the parser must know of a service. */
export interface KnownService {
  readonly id: string;
  readonly accepts: readonly string[];
  readonly produces: "items" | "document";
}

export interface MissionFileOptions {
  readonly fileName: string;
  readonly catalog: readonly KnownService[];
  /** Parameter missionBudgetCap in the smallest unit. */
  readonly budgetCap: bigint;
  /** Tells whether an input path exists; without it that is left to the reader. */
  readonly inputExists?: (path: string) => boolean;
}

/** How tier 2 compares when the file does not say: the label, as often as the paper's Jaccard threshold. */
const DEFAULT_AGREE = { on: "label", atLeastBps: 8_500 };

/** Reads a mission file. Throws MissionFileError with the place of the first problem. */
export function parseMissionFile(text: string, options: MissionFileOptions): MissionFile {
  const yaml = parseLocatedYaml(text, options.fileName);
  const file = shapeOf(yaml, options.fileName);
  const reading: Reading = {
    file,
    options,
    amountAt: (at) => {
      const written = yaml.sourceOf(at) ?? "";
      return (
        positiveAmount(written) ?? refuse("InvalidBudget", at, `${JSON.stringify(written)} is not a positive decimal amount`, AMOUNT_HELP)
      );
    },
    refuse,
  };
  function refuse(problem: MissionFileProblem, at: Path, message: string, action?: string): never {
    throw new MissionFileError(problem, options.fileName, yaml.placeOf(at), message, action);
  }

  const budget = readBudget(reading);
  if (options.inputExists?.(file.input.path) === false) {
    const help = "correct `input.path`, or name another input with --input";
    refuse("InputNotFound", ["input", "path"], `the input ${file.input.path} does not exist`, help);
  }
  const tasks = readTasks(reading, budget);
  checkOutput(reading, tasks);
  return {
    mission: file.mission,
    goal: file.goal,
    budget,
    deadline: secondsOf(file.deadline),
    risk: file.risk,
    input: file.input,
    tasks,
    output: file.output,
    predicates: file.predicates ?? [],
    seed: file.seed ?? null,
    services: file.services ?? null,
  };
}

/** The directory of the file's own services: what is in it must be known before the file can be checked. */
export function servicesPathOf(text: string, fileName: string): string | null {
  return shapeOf(parseLocatedYaml(text, fileName), fileName).services ?? null;
}

type Path = readonly PropertyKey[];

/** A file of the right shape while its meaning is checked. */
interface Reading {
  readonly file: MissionFileText;
  readonly options: MissionFileOptions;
  amountAt(at: Path): bigint;
  refuse(problem: MissionFileProblem, at: Path, message: string, action?: string): never;
}

const AMOUNT_HELP = 'write tokens as "1200.00", at most six decimals';

function positiveAmount(written: string): bigint | undefined {
  try {
    const units = parseAmount(written);
    return units > 0n ? units : undefined;
  } catch {
    return undefined;
  }
}

function readBudget({ amountAt, options, refuse }: Reading): bigint {
  const budget = amountAt(["budget"]);
  if (budget > options.budgetCap) {
    const message = `the budget ${formatAmount(budget)} is over the cap of ${formatAmount(options.budgetCap)}`;
    refuse("BudgetOverCap", ["budget"], message, "lower the budget, or ask the adjudicators to raise missionBudgetCap");
  }
  return budget;
}

function readTasks(reading: Reading, budget: bigint): MissionTask[] {
  const { file, refuse } = reading;
  const tasks = Object.entries(file.tasks).map(([name, task]) => readTask(reading, name, task));
  if (tasks.length > MAX_TASKS) refuse("InvalidField", ["tasks"], `${tasks.length} tasks; at most ${MAX_TASKS}`);
  const reserved = tasks.reduce((sum, task) => sum + (task.budget ?? 0n), 0n);
  if (reserved > budget) {
    const message = `the tasks' own budgets add up to ${formatAmount(reserved)}, more than ${formatAmount(budget)}`;
    refuse("InvalidBudget", ["budget"], message);
  }
  const ordered = orderTasks(tasks);
  if ("order" in ordered) return ordered.order;
  return refuse("CyclicTasks", ["tasks", ordered.cycle[0] ?? ""], `tasks wait for each other: ${ordered.cycle.join(" → ")}`);
}

function readTask(reading: Reading, name: string, task: TaskText): MissionTask {
  const { refuse } = reading;
  const at = ["tasks", name];
  const services = typeof task.service === "string" ? [task.service] : task.service;
  const after = task.after ?? [];
  for (const [index, id] of services.entries()) {
    checkService(reading, task, id, typeof task.service === "string" ? [...at, "service"] : [...at, "service", index]);
  }
  const names = Object.keys(reading.file.tasks);
  for (const [index, other] of after.entries()) {
    if (!names.includes(other)) refuse("UnknownTask", [...at, "after", index], `there is no task ${other}${meant(other, names)}`);
  }
  if (new Set(services).size !== services.length) refuse("InvalidField", [...at, "service"], "a service is named twice");
  if (new Set(after).size !== after.length) refuse("InvalidField", [...at, "after"], "a task is named twice");
  if (task.over === undefined && after.length === 0) {
    refuse("MissingField", at, `${name} has nothing to work on`, "add `over: input`, or `after: [<task>]`");
  }
  if (task.agree !== undefined && task.tier !== 2) refuse("InvalidField", [...at, "agree"], "only a task of tier 2 compares executors");
  return {
    name,
    services,
    overInput: task.over !== undefined,
    after,
    tier: task.tier,
    agree: task.tier === 2 ? agreeOf(task) : null,
    budget: task.budget === undefined ? null : reading.amountAt([...at, "budget"]),
    timeout: task.timeout === undefined ? null : secondsOf(task.timeout),
    floor: task.floor ?? null,
  };
}

function checkService(reading: Reading, task: TaskText, id: string, at: Path): void {
  const { file, options } = reading;
  const known = options.catalog.find((service) => service.id === id);
  if (known === undefined) {
    const ids = options.catalog.map((service) => service.id);
    reading.refuse("UnknownService", at, `no service is called ${id}${meant(id, ids)}`, `known services: ${ids.join(", ")}`);
  }
  if (task.over !== undefined && !known.accepts.includes(file.input.kind)) {
    reading.refuse("ServiceMismatch", at, `${id} does not take input of kind ${file.input.kind}; it takes ${known.accepts.join(", ")}`);
  }
  if ((task.after ?? []).length > 0 && !known.accepts.includes("items")) {
    reading.refuse("ServiceMismatch", at, `${id} does not take what other tasks produce`);
  }
}

function checkOutput(reading: Reading, tasks: readonly MissionTask[]): void {
  const { file, options } = reading;
  const last = tasks.find(({ name }) => name === file.output.task);
  if (last === undefined) {
    const names = Object.keys(file.tasks);
    reading.refuse("UnknownTask", ["output", "task"], `there is no task ${file.output.task}${meant(file.output.task, names)}`);
  }
  const writes = (id: string): boolean => options.catalog.some((service) => service.id === id && service.produces === "document");
  if (file.output.format === "markdown" && !last.services.every(writes)) {
    const help = "use `format: json`, or let `aggregate` write one";
    reading.refuse("ServiceMismatch", ["output", "format"], `${last.services.join(", ")} writes no document`, help);
  }
}

function agreeOf(task: TaskText): { on: string; atLeastBps: number } {
  return task.agree === undefined ? DEFAULT_AGREE : { on: task.agree.on, atLeastBps: Math.round(task.agree.atLeast * 10_000) };
}

function secondsOf(text: string): number {
  return parseDuration(text) ?? 0;
}
