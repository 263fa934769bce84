import { BASIS_POINTS, formatAmount, parseAmount } from "../primitives/amounts.ts";
import { canonicalJson, isObject, type JsonObject } from "../primitives/json.ts";
import { describeProblem, withDefaults } from "../primitives/json-schema.ts";
import { TIER, type Tier } from "../primitives/tier.ts";
import { parseDuration } from "./duration.ts";
import type { Gate } from "./gates.ts";
import { MissionFileError, type MissionFileProblem } from "./mission-file-error.ts";
import {
  type COMPARISONS,
  type EvidenceClassName,
  MAX_TASKS,
  type MissionFileText,
  type MissionPredicate,
  type MODES,
  meant,
  type OutputFormat,
  type StatedExposure,
  shapeOf,
  type TaskText,
} from "./mission-file-schema.ts";
import { parseLocatedYaml } from "./mission-file-yaml.ts";
import { orderTasks } from "./task-order.ts";
import { ASKED_KINDS, type AskedKind } from "./verifier-kinds.ts";
import type { Visibility } from "./visibility.ts";

/** One task as the sponsor wants it; the legislature decides on shards, redundancy and budget split. */
export interface MissionTask {
  readonly name: string;
  /** Catalogue ids of candidate services; none for a mission of its own. */
  readonly services: readonly string[];
  /** Any code that meets the schemas of these services may do it. */
  readonly anyCode?: true;
  /** It works on the mission's input, in shards. */
  readonly overInput: boolean;
  readonly after: readonly string[];
  /** Minimum tier. */
  readonly tier: Tier;
  /**
   * How outputs of redundant executors are compared; present exactly for tier 2. Without a share the constitution's JACCARD_THRESHOLD
   * applies.
   */
  readonly agree: { readonly on: string; readonly as?: (typeof COMPARISONS)[number]; readonly atLeastBps?: number | undefined } | null;
  /** Criteria for reviewers of the output: the human of tier 3, and a model if required. */
  readonly rubric?: string;
  /** Kinds of check required in addition to re-execution, in the table's order. */
  readonly verifiers?: readonly AskedKind[];
  /** Smallest unit, or null if the legislature decides. */
  readonly budget: bigint | null;
  /** Time limit of an executor, seconds, or null if the legislature decides. */
  readonly timeout: number | null;
  /** Minimum evidence class, or null for the default of the risk. */
  readonly floor: EvidenceClassName | null;
  /** The on-chain check of its outputs, if any. */
  readonly gate?: Gate;
  /** Options of its services, with defaults filled in; absent if there are none. */
  readonly options?: JsonObject;
  /** Present if the task is a mission of its own: it gets its own law instead of a service (AgentCity 3.4, recursion). */
  readonly plan: MissionPlan | null;
}

/** A mission within a mission: the input of its own legislature. Money, risk and input come from the mission above. */
export interface MissionPlan {
  readonly goal: string;
  /** Number of missions of this plan among which the input is divided. */
  readonly parts: number;
  /** Seconds, or null for half of the parent's time. */
  readonly deadline: number | null;
  readonly tasks: readonly MissionTask[];
  /** Task whose items are returned to the parent. */
  readonly output: string;
  readonly predicates: readonly MissionPredicate[];
}

/** Every gate that a mission names, and where: its output, its tasks, and tasks of missions within it. */
export function gatesIn({
  tasks,
  output,
}: {
  readonly tasks: readonly MissionTask[];
  readonly output?: { readonly gate?: Gate | undefined } | null | undefined;
}) {
  const own = output?.gate === undefined ? [] : [{ name: "output", gate: output.gate }];
  return [...own, ...gatesOf(tasks)];
}

function gatesOf(tasks: readonly MissionTask[]): { readonly name: string; readonly gate: Gate }[] {
  return tasks.flatMap(({ name, gate, plan }) => [
    ...(gate === undefined ? [] : [{ name, gate }]),
    ...(plan === null ? [] : gatesOf(plan.tasks)),
  ]);
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
  /** The sponsor's statement of what is at stake; it may raise the risk. */
  readonly exposure?: StatedExposure;
  readonly mode: (typeof MODES)[number];
  readonly input: MissionFileText["input"];
  /** Topologically sorted, otherwise in the order of the file. Empty if the file states only a goal: producers then plan the tasks. */
  readonly tasks: readonly MissionTask[];
  /** Null while there are no tasks. */
  readonly output: MissionFileText["output"] | null;
  /** Present if producers, not the file, planned the tasks. */
  readonly planned?: true;
  readonly predicates: readonly MissionPredicate[];
  readonly seed: string | number | null;
  /** Who may read the mission's contents. */
  readonly visibility: Visibility;
  /** A directory of additional services. */
  readonly services: string | null;
}

/** A mission whose tasks are known, whoever planned them. */
export interface PlannedMission extends MissionFile {
  readonly output: NonNullable<MissionFile["output"]>;
}

export function isPlanned(mission: MissionFile): mission is PlannedMission {
  return mission.output !== null;
}

/** What the parser needs to know about a service. */
export interface KnownService {
  readonly id: string;
  readonly accepts: readonly string[];
  readonly produces: "items" | "document";
  /** Format of its document; markdown unless stated. */
  readonly writes?: OutputFormat;
  /** JSON Schema of a task's `with`; absent if it takes none. */
  readonly options?: JsonObject;
  readonly deterministic: boolean;
}

export interface MissionFileOptions {
  readonly fileName: string;
  readonly catalog: readonly KnownService[];
  /** Parameter missionBudgetCap in the smallest unit. */
  readonly budgetCap: bigint;
  /** Overrides the file's own mode. */
  readonly mode?: (typeof MODES)[number] | undefined;
  /** Used if the file states none. Default: public. */
  readonly visibility?: Visibility | undefined;
  /** Whether an input path exists; without it the check is left to the reader of the input. */
  readonly inputExists?: (path: string) => boolean;
}

/** Maximum number of missions above a mission (contracts/meta/legislation/Convocation.sol). */
export const DEEPEST = 8;

/** Comparison for tier 2 unless the file states one. */
const DEFAULT_AGREE = { on: "label" };

/** Parses a mission file. Throws MissionFileError with the position of the first problem. */
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
  const tasks = readMissionTasks(reading);
  checkReserved(reading, tasks, budget);
  const mode = options.mode ?? file.mode ?? "onchain";
  if (mode === "hybrid" && file.risk === "HIGH") {
    refuse("InvalidField", [file.mode === undefined ? "risk" : "mode"], "work of HIGH risk is not anchored later: every stage is on chain");
  }
  return {
    mission: file.mission,
    goal: file.goal,
    budget,
    deadline: secondsOf(file.deadline),
    risk: file.risk,
    ...(file.exposure === undefined ? {} : { exposure: file.exposure }),
    mode,
    input: file.input,
    tasks,
    output: file.output ?? null,
    predicates: file.predicates ?? [],
    seed: file.seed ?? null,
    visibility: file.visibility ?? options.visibility ?? "public",
    services: file.services ?? null,
  };
}

/** The directory of the file's own services, which must be known before the file can be checked. */
export function servicesPathOf(text: string, fileName: string): string | null {
  return shapeOf(parseLocatedYaml(text, fileName), fileName).services ?? null;
}

type Path = readonly PropertyKey[];

/** A file of valid shape, while its meaning is checked. */
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

/** Tasks that may depend on each other, and their position. */
interface Scope {
  readonly tasks: Readonly<Record<string, TaskText>>;
  /** Path of the mission, or of the task that is one. */
  readonly at: Path;
  /** Missions above. */
  readonly depth: number;
}

function readTasks(reading: Reading, scope: Scope): MissionTask[] {
  const { refuse } = reading;
  const at = [...scope.at, "tasks"];
  const tasks = Object.entries(scope.tasks).map(([name, task]) => readTask(reading, scope, name, task));
  if (tasks.length > MAX_TASKS) refuse("InvalidField", at, `${tasks.length} tasks; at most ${MAX_TASKS}`);
  const ordered = orderTasks(tasks);
  if ("order" in ordered) return ordered.order;
  return refuse("CyclicTasks", [...at, ordered.cycle[0] ?? ""], `tasks wait for each other: ${ordered.cycle.join(" → ")}`);
}

/** The mission's own tasks, and whether they produce its output. None: producers plan them. */
function readMissionTasks(reading: Reading): MissionTask[] {
  const { tasks: written, output } = reading.file;
  const help = "list tasks, or leave out `tasks` and `output`: then the producers plan the goal";
  if (written === undefined) {
    if (output !== undefined) reading.refuse("UnknownTask", ["output"], "output names a task, but the file has no tasks", help);
    return [];
  }
  if (Object.keys(written).length === 0) reading.refuse("MissingField", ["tasks"], "tasks is empty", help);
  const tasks = readTasks(reading, { tasks: written, at: [], depth: 0 });
  checkOutput(reading, written, tasks);
  return tasks;
}

function checkReserved({ refuse }: Reading, tasks: readonly MissionTask[], budget: bigint): void {
  const reserved = tasks.reduce((sum, task) => sum + (task.budget ?? 0n), 0n);
  if (reserved <= budget) return;
  const message = `the tasks' own budgets add up to ${formatAmount(reserved)}, more than ${formatAmount(budget)}`;
  refuse("InvalidBudget", ["budget"], message);
}

function readTask(reading: Reading, scope: Scope, name: string, task: TaskText): MissionTask {
  const at = [...scope.at, "tasks", name];
  checkKeys(reading, at, task);
  const budget = task.budget === undefined ? null : reading.amountAt([...at, "budget"]);
  const common = { name, overInput: task.over !== undefined, after: task.after ?? [], budget };
  return task.tasks === undefined
    ? { ...common, ...readWork(reading, scope, name, task) }
    : { ...common, ...NO_WORK, plan: readPlan(reading, scope, name, task, task.tasks) };
}

function readWork(
  reading: Reading,
  scope: Scope,
  name: string,
  task: TaskText,
): Pick<MissionTask, "services" | "tier" | "agree" | "rubric" | "verifiers" | "timeout" | "floor" | "gate" | "options" | "plan"> {
  const { refuse } = reading;
  const at = [...scope.at, "tasks", name];
  const { service = missing(reading, at, "service"), tier = missing(reading, at, "tier") } = task;
  const anyCode = service === ANY;
  if (anyCode && tier === TIER.RERUN) refuse("InvalidField", [...at, "service"], ...NEEDS_REDUNDANCY);
  if (!anyCode && task.like !== undefined) refuse("InvalidField", [...at, "like"], "only `service: any` is like another service");
  const [key, named] = anyCode ? ["like", task.like ?? missing(reading, at, "like")] : ["service", service];
  const services = typeof named === "string" ? [named] : named;
  for (const [index, id] of services.entries()) {
    checkService(reading, task, id, typeof named === "string" ? [...at, key] : [...at, key, index]);
  }
  if (new Set(services).size !== services.length) refuse("InvalidField", [...at, key], "a service is named twice");
  checkAfter(reading, scope, name, task);
  if (tier === TIER.CONSENSUS && !anyCode) checkIndependence(reading, services, [...at, "service"]);
  if (tier === TIER.RERUN) checkRepeatable(reading, services, [...at, "service"]);
  const verifiers = readVerifiers(reading, at, task);
  if (task.rubric !== undefined && tier !== TIER.HUMAN && verifiers?.includes("semantic") !== true)
    refuse("InvalidField", [...at, "rubric"], "only the output of tier 3 is read by a human, and no model is asked to judge it");
  if (task.agree !== undefined && tier !== TIER.CONSENSUS)
    refuse("InvalidField", [...at, "agree"], "only a task of tier 2 compares executors");
  return {
    services,
    ...(anyCode ? { anyCode } : {}),
    tier,
    agree: tier === TIER.CONSENSUS ? agreeOf(task) : null,
    ...(task.rubric === undefined ? {} : { rubric: task.rubric }),
    ...(verifiers === undefined ? {} : { verifiers }),
    timeout: task.timeout === undefined ? null : secondsOf(task.timeout),
    floor: task.floor ?? null,
    ...(task.gate === undefined ? {} : { gate: task.gate }),
    ...readOptions(reading, at, services, task.with),
    plan: null,
  };
}

/** Kinds of check available for a task, each once. */
function readVerifiers({ refuse }: Reading, at: Path, { verifiers, tier, rubric }: TaskText): readonly AskedKind[] | undefined {
  if (verifiers === undefined) return undefined;
  const place = [...at, "verifiers"];
  if (new Set(verifiers).size !== verifiers.length) refuse("InvalidField", place, "a kind of verifier is named twice");
  if (verifiers.includes("human") && tier !== TIER.HUMAN)
    refuse("InvalidField", place, "a human reads the output of tier 3 only", "write `tier: 3`, or leave `human` out");
  if (verifiers.includes("semantic") && rubric === undefined)
    refuse("MissingField", place, "a model judges by a rubric, and there is none", "add `rubric: <what a good output is>`");
  return ASKED_KINDS.filter((kind) => verifiers.includes(kind));
}

/**
 * Options of the task's services: those of the file, completed by the services' defaults. If the defaults differ, a file may omit all
 * options (each service then uses its own), but not only those that differ.
 */
function readOptions(
  { options: { catalog }, refuse }: Reading,
  at: Path,
  services: readonly string[],
  written: JsonObject | undefined,
): Pick<MissionTask, "options"> {
  const completed = services.map((id): JsonObject => {
    const schema = catalog.find((service) => service.id === id)?.options;
    if (schema === undefined) {
      if (written !== undefined) refuse("InvalidOptions", [...at, "with"], `${id} takes no options`, "leave `with` out");
      return {};
    }
    const { value, problem } = withDefaults(schema, written ?? {});
    if (problem === undefined) return value;
    const known = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
    const help = `options of ${id}: ${known.join(", ")} (docs/missions.md)`;
    return refuse(
      "InvalidOptions",
      [...at, "with", ...problem.path],
      `${id}: ${describeProblem({ ...problem, path: ["with", ...problem.path] })}`,
      help,
    );
  });
  const [first = {}, ...others] = completed;
  const alike = others.every((other) => canonicalJson(other) === canonicalJson(first));
  if (!alike && written !== undefined) {
    const help = "write out every option";
    refuse("InvalidOptions", [...at, "with"], `${services.join(", ")} complete these options differently`, help);
  }
  return !alike || Object.keys(first).length === 0 ? {} : { options: first };
}

/** A model's answers are replayed from the records on re-execution, which would confirm anything. */
function checkRepeatable({ options: { catalog }, refuse }: Reading, services: readonly string[], at: Path): void {
  const opinion = services.find((id) => catalog.some((service) => service.id === id && !service.deterministic));
  if (opinion === undefined) return;
  const help = "compare different services with tier 2, or let a human read the output with tier 3";
  refuse("ServiceMismatch", at, `tier 1 runs the work again and compares, and ${opinion} is not deterministic`, help);
}

function checkAfter({ refuse }: Reading, scope: Scope, name: string, { over, after = [] }: TaskText): void {
  const at = [...scope.at, "tasks", name];
  const names = Object.keys(scope.tasks);
  for (const [index, other] of after.entries()) {
    if (!names.includes(other)) refuse("UnknownTask", [...at, "after", index], `there is no task ${other}${meant(other, names)}`);
  }
  if (new Set(after).size !== after.length) refuse("InvalidField", [...at, "after"], "a task is named twice");
  if (over === undefined && after.length === 0) {
    refuse("MissingField", at, `${name} has nothing to work on`, "add `over: input`, or `after: [<task>]`");
  }
}

/**
 * Executors that run the same code on the same input agree, and a model asked the same question is queried once: each run costs money and
 * confirms nothing.
 */
function checkIndependence({ refuse }: Reading, services: readonly string[], at: Path): void {
  const [only, second] = services;
  if (second !== undefined) return;
  const help =
    "name a second service that does the same in another way, or use `tier: 1` for one that is deterministic: there an issuer runs it once more";
  refuse("InvalidField", at, `tier 2 compares different services, and ${only} alone always agrees with itself`, help);
}

/** A key that does not apply to a task of its kind is a mistake of the author. */
function checkKeys({ refuse }: Reading, at: Path, task: TaskText): void {
  const [foreign, has] = task.tasks === undefined ? [PLAN_KEYS, "no tasks of its own"] : [WORK_KEYS, "tasks of its own"];
  for (const key of Object.keys(task)) {
    if (!foreign.includes(key)) continue;
    const help = "a task has a service and a tier, or a goal, tasks of its own and an output";
    refuse("InvalidField", [...at, key], `${at.join(".")} has ${has}: ${key} says nothing about it`, help);
  }
}

function missing({ refuse }: Reading, at: Path, key: string): never {
  return refuse("MissingField", at, `${[...at, key].join(".")} is missing`);
}

/** In place of a service's name: any code registered with the schemas of the listed services (decision 93). */
const ANY = "any";
const NEEDS_REDUNDANCY = [
  "AnyNeedsRedundancy: tier 1 runs the work again, which shows that the code ran and not that it answers the goal",
  "let different code be compared with tier 2, or a human read the output with tier 3, or name the services",
] as const;

/** Keys of a task done by a service, and of one that is a mission of its own. */
const WORK_KEYS: readonly string[] = [
  "service",
  "like",
  "tier",
  "agree",
  "rubric",
  "verifiers",
  "timeout",
  "floor",
  "gate",
  "with",
  "after",
];
const PLAN_KEYS: readonly string[] = ["goal", "parts", "deadline", "output", "predicates"];
const NO_WORK = { services: [], tier: TIER.RERUN, agree: null, timeout: null, floor: null } as const;

function readPlan(reading: Reading, scope: Scope, name: string, task: TaskText, tasks: NonNullable<TaskText["tasks"]>): MissionPlan {
  const { refuse } = reading;
  const at = [...scope.at, "tasks", name];
  const depth = scope.depth + 1;
  if (depth > DEEPEST) refuse("InvalidField", at, `${name} is a mission below ${depth} others; at most ${DEEPEST}`);
  const { goal = missing(reading, at, "goal"), output = missing(reading, at, "output") } = task;
  if (Object.keys(tasks).length === 0) missing(reading, at, "tasks");
  if (task.over === undefined) {
    refuse("MissingField", at, `${name} has nothing to work on`, "a task with tasks of its own works on the input: add `over: input`");
  }
  const names = Object.keys(tasks);
  if (!names.includes(output)) {
    refuse("UnknownTask", [...at, "output"], `there is no task ${output} in ${name}${meant(output, names)}`);
  }
  return {
    goal,
    parts: task.parts ?? 1,
    deadline: task.deadline === undefined ? null : secondsOf(task.deadline),
    tasks: readTasks(reading, { tasks, at, depth }),
    output,
    predicates: task.predicates ?? [],
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

function checkOutput(reading: Reading, written: NonNullable<MissionFileText["tasks"]>, tasks: readonly MissionTask[]): void {
  const { options } = reading;
  const { output = missing(reading, [], "output") } = reading.file;
  const last = tasks.find(({ name }) => name === output.task);
  if (last === undefined) {
    reading.refuse("UnknownTask", ["output", "task"], `there is no task ${output.task}${meant(output.task, Object.keys(written))}`);
  }
  const writes = (id: string): boolean =>
    options.catalog.some(
      (service) => service.id === id && service.produces === "document" && (service.writes ?? "markdown") === "markdown",
    );
  if (last.plan !== null) {
    const help = "let a task after it write the output: it receives the items";
    reading.refuse("ServiceMismatch", ["output", "task"], `${last.name} is a mission and returns items, not a document`, help);
  }
  const isCsv = (id: string): boolean => options.catalog.some((service) => service.id === id && service.writes === "csv");
  if (output.format === "csv" && !last.services.every(isCsv)) {
    const help = "let a last task of the service `csv` write it, after this one";
    reading.refuse("ServiceMismatch", ["output", "format"], `${last.services.join(", ")} writes no CSV`, help);
  }
  if (output.format === "markdown" && !last.services.every(writes)) {
    const help = "use `format: json` (of `csv` also `format: csv`), or let `aggregate` write one";
    reading.refuse("ServiceMismatch", ["output", "format"], `${last.services.join(", ")} writes no Markdown`, help);
  }
}

function agreeOf({ agree }: TaskText): NonNullable<MissionTask["agree"]> {
  if (agree === undefined) return DEFAULT_AGREE;
  const { on, as = "answers", atLeast } = agree;
  return { on, ...(as === "answers" ? {} : { as }), atLeastBps: Math.round(atLeast * BASIS_POINTS) };
}

function secondsOf(text: string): number {
  return parseDuration(text) ?? 0;
}
