import fc from "fast-check";
import { stringify } from "yaml";
import { CATALOG, type CatalogEntry } from "../../services/catalog.ts";

/** A generated mission file and what it says, for tests that follow it further. */
export interface GeneratedMission {
  readonly yaml: string;
  readonly kind: "packages" | "files" | "csv";
  readonly path: string;
  readonly tasks: readonly {
    readonly name: string;
    readonly services: readonly string[];
    readonly after: readonly string[];
    readonly tier: number;
  }[];
  /** Whole tokens. */
  readonly budget: number;
}

export interface MissionFileConstraints {
  /** Where each kind of input lies; kinds without a path are not generated. */
  readonly paths: Partial<Record<GeneratedMission["kind"], string>>;
  /** Whole tokens; at least 100. */
  readonly maxBudget?: number;
  readonly maxTasks?: number;
  readonly maxTier?: 1 | 2 | 3;
}

const slug = fc.stringMatching(/^[a-z][a-z0-9]{0,6}(-[a-z0-9]{1,5})?$/);
const goal = fc.stringMatching(/^[A-Z][a-z ,]{3,60}[a-z]\.$/);
const duration = fc.constantFrom("20m", "30m", "1h", "1h30m", "2d");

/** Valid mission files: any small acyclic graph of catalogue services that can take what they are given. */
export function missionFiles(constraints: MissionFileConstraints): fc.Arbitrary<GeneratedMission> {
  const kinds = (["packages", "files", "csv"] as const).filter((kind) => constraints.paths[kind] !== undefined);
  return fc
    .record({
      name: slug,
      goal,
      budget: fc.integer({ min: 100, max: constraints.maxBudget ?? 5_000 }),
      cents: fc.integer({ min: 0, max: 99 }),
      deadline: duration,
      risk: fc.constantFrom("LOW", "MEDIUM"),
      kind: fc.constantFrom(...kinds),
      drafts: fc.array(taskDraft(constraints.maxTier ?? 3), { minLength: 1, maxLength: constraints.maxTasks ?? 4 }),
      output: fc.nat(),
      covered: fc.boolean(),
      seed: fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: undefined }),
    })
    .map((draft) => {
      const path = constraints.paths[draft.kind] ?? "";
      const tasks: TaskPlan[] = [];
      for (const task of draft.drafts) tasks.push(planTask(task, tasks, draft.kind));
      const output = tasks[draft.output % tasks.length];
      if (output === undefined) throw new Error("a mission has at least one task");
      const budget = `${draft.budget}.${String(draft.cents).padStart(2, "0")}`;
      const yaml = stringify({
        mission: draft.name,
        goal: draft.goal,
        budget,
        deadline: draft.deadline,
        risk: draft.risk,
        input: { kind: draft.kind, path },
        tasks: Object.fromEntries(tasks.map((task) => [task.name, taskText(task)])),
        output: { task: output.name, format: output.writes ? "markdown" : "json" },
        ...(draft.covered ? { predicates: ["every-input-covered"] } : {}),
        ...(draft.seed === undefined ? {} : { seed: draft.seed }),
      });
      return { yaml, kind: draft.kind, path, tasks, budget: draft.budget };
    });
}

interface TaskDraft {
  readonly name: string;
  readonly service: number;
  readonly extra: number;
  readonly after: number;
  readonly overInput: boolean;
  readonly tier: number;
  readonly atLeast: number;
  readonly timeout: string | undefined;
}

function taskDraft(maxTier: number): fc.Arbitrary<TaskDraft> {
  return fc.record({
    name: slug,
    service: fc.nat(),
    extra: fc.nat(2),
    after: fc.nat(),
    overInput: fc.boolean(),
    tier: fc.integer({ min: 1, max: maxTier }),
    atLeast: fc.constantFrom(0.5, 0.85, 1),
    timeout: fc.option(fc.constantFrom("20s", "45s"), { nil: undefined }),
  });
}

interface TaskPlan {
  readonly name: string;
  readonly services: readonly string[];
  readonly after: readonly string[];
  readonly tier: number;
  readonly overInput: boolean;
  readonly writes: boolean;
  readonly draft: TaskDraft;
}

/** Bits of `after` choose among the tasks planned before, so that no cycle can be drawn. */
function planTask(draft: TaskDraft, before: readonly TaskPlan[], kind: GeneratedMission["kind"]): TaskPlan {
  const after = before.filter((_, index) => ((draft.after >> index) & 1) === 1).map(({ name }) => name);
  const overInput = draft.overInput || after.length === 0;
  const able = CATALOG.filter(hasDefaults).filter(
    (entry) => (!overInput || entry.accepts.includes(kind)) && entry.accepts.includes("items"),
  );
  const first = able[draft.service % able.length];
  if (first === undefined) throw new Error(`no service takes ${kind}`);
  const like = (entry: CatalogEntry): boolean => entry !== first && entry.output === first.output;
  const others = draft.tier === 2 ? able.filter(like).slice(0, 1 + draft.extra) : [];
  const services = [first, ...others];
  // Tier 2 compares services: where nothing else does the same, there is nothing to compare.
  const tier = draft.tier === 2 && others.length === 0 ? 1 : draft.tier;
  const name = `${draft.name}-${before.length}`;
  return {
    name,
    services: services.map(({ id }) => id),
    after,
    tier,
    overInput,
    writes: services.every(({ produces, writes }) => produces === "document" && writes === undefined),
    draft,
  };
}

function taskText({ services, after, tier, overInput, draft }: TaskPlan): object {
  return {
    service: services.length === 1 ? services[0] : services,
    ...(overInput ? { over: "input" } : {}),
    ...(after.length > 0 ? { after } : {}),
    tier,
    ...(tier === 2 ? { agree: { on: "label", atLeast: draft.atLeast } } : {}),
    ...(draft.timeout === undefined ? {} : { timeout: draft.timeout }),
  };
}

/** A task that says nothing under `with` may use it. */
function hasDefaults({ options, deterministic }: CatalogEntry): boolean {
  const required: unknown = options?.["required"];
  return deterministic && (!Array.isArray(required) || required.length === 0);
}
