/** The runs of an experiment, their storage and their results. */
import { join } from "node:path";
import { contentIdOf } from "../primitives/hash.ts";
import { canonicalJson } from "../primitives/json.ts";
import { AS_WRITTEN, type Experiment, SCALED } from "./hypotheses.ts";
import { type RunSummary, summarise } from "./metrics.ts";
import type { ModelSettings } from "./model.ts";
import { type Configuration, ECONOMY, type EconomyParameters } from "./parameters.ts";
import { readRun, writeRun } from "./record.ts";
import { type RunFigures, runEconomy } from "./run.ts";

export interface Cell {
  readonly configuration: Configuration;
  readonly agents: number;
  readonly seed: number;
  readonly variant: string;
  /** Decides for some personas. */
  readonly model?: ModelSettings | undefined;
  /** Fewer milestones than the experiment has, for trials; the shock is then in the middle. */
  readonly milestones?: number | undefined;
}

export interface Campaign {
  readonly experiment: Experiment;
  readonly configurations: readonly Configuration[];
  readonly scales: readonly number[];
  readonly seeds: readonly number[];
  /** Also varies each open constant, at the first scale. */
  readonly sensitivity: boolean;
  /** Only experiment 2's sessions by number of drafts. */
  readonly drafts?: true | undefined;
  readonly milestones?: number | undefined;
  /** Repeats everything with a chat model in these personas' place. */
  readonly model?: ModelSettings | undefined;
}

/** Variant of runs with a chat model. */
export const variantOf = ({ name }: ModelSettings): string => `model ${name}`;

/** Scales of experiment 2: the paper's six, and four smaller ones. */
export const SCALES = [10, 20, 30, 40, 50, 100, 200, 500, 750, 1000] as const;

/** Numbers of drafted laws for runs that only measure the session: the paper's three, at its scales. */
export const DRAFTS = [3, 8, 20] as const;
export const draftsVariant = (drafts: number): string => `${drafts} drafts`;
/** Smaller cities cannot sponsor twenty laws. */
export const MIN_ASSEMBLY = 50;
const MIN_TASKS = 5;
const quarter = (value: number, sign: 1 | -1) => value * (1 + sign * 0.25);

/** The constants of a variant, for a city of this size. */
export const VARIANTS: Readonly<Record<string, (world: EconomyParameters, agents: number) => EconomyParameters>> = {
  [AS_WRITTEN]: (world) => world,
  [SCALED]: (world, agents) => ({ ...world, tasks: Math.max(MIN_TASKS, Math.round((world.tasks * agents) / 200)) }),
  ...Object.fromEntries(
    DRAFTS.map((drafts) => [draftsVariant(drafts), (world: EconomyParameters): EconomyParameters => ({ ...world, drafts, rounds: 1 })]),
  ),
  "growth −25 %": (world) => ({ ...world, pool: { ...world.pool, growth: quarter(world.pool.growth, -1) } }),
  "growth +25 %": (world) => ({ ...world, pool: { ...world.pool, growth: quarter(world.pool.growth, 1) } }),
  "capacity −25 %": (world) => ({ ...world, pool: { ...world.pool, capacity: quarter(world.pool.capacity, -1) } }),
  "capacity +25 %": (world) => ({ ...world, pool: { ...world.pool, capacity: quarter(world.pool.capacity, 1) } }),
  "quota −25 %": (world) => ({ ...world, pool: { ...world.pool, quota: quarter(world.pool.quota, -1) } }),
  "quota +25 %": (world) => ({ ...world, pool: { ...world.pool, quota: quarter(world.pool.quota, 1) } }),
  "cooperative −25 %": (world) => ({ ...world, shares: shifted(world, -1) }),
  "cooperative +25 %": (world) => ({ ...world, shares: shifted(world, 1) }),
  "price −25 %": (world) => ({ ...world, price: quarter(world.price, -1) }),
  "price +25 %": (world) => ({ ...world, price: quarter(world.price, 1) }),
};

/** Variants of an open constant. */
export const OPEN = Object.keys(VARIANTS).filter((name) => /[−+]25 %$/.test(name));

/** The other shares keep their proportions. */
function shifted({ shares }: EconomyParameters, sign: 1 | -1): EconomyParameters["shares"] {
  const cooperative = quarter(shares.cooperative, sign);
  const rest = (100 - cooperative) / (100 - shares.cooperative);
  return { cooperative, "self-interested": shares["self-interested"] * rest, adversarial: shares.adversarial * rest };
}

export function worldOf({
  variant,
  agents,
  milestones,
  model,
}: Pick<Cell, "variant" | "agents" | "milestones" | "model">): EconomyParameters {
  const change = VARIANTS[model === undefined ? variant : AS_WRITTEN];
  if (change === undefined) throw new RangeError(`no variant ${variant}`);
  const world = change(ECONOMY, agents);
  return milestones === undefined || world.rounds < world.milestoneRounds ? world : shortened(world, milestones);
}

/** The same with fewer milestones. */
export function shortened(world: EconomyParameters, milestones: number): EconomyParameters {
  const rounds = milestones * world.milestoneRounds;
  return { ...world, rounds, shock: { ...world.shock, round: rounds / 2 } };
}

/** All runs of a campaign; open constants vary at its first scale only. */
export function cellsOf({ experiment, configurations, scales, seeds, sensitivity, drafts, milestones, model }: Campaign): Cell[] {
  const draftsAt = (agents: number, configuration: Configuration) =>
    experiment === 2 && configuration === "full" && agents >= MIN_ASSEMBLY ? DRAFTS.map(draftsVariant) : [];
  const wholeAt = (agents: number) => [
    AS_WRITTEN,
    ...(experiment === 2 ? [SCALED] : []),
    ...(sensitivity && agents === scales[0] ? OPEN : []),
    ...(model === undefined ? [] : [variantOf(model)]),
  ];
  const variantsAt = (agents: number, configuration: Configuration) => [
    ...(drafts === true ? [] : wholeAt(agents)),
    ...draftsAt(agents, configuration),
  ];
  return seeds.flatMap((seed) =>
    scales.flatMap((agents) =>
      configurations.flatMap((configuration) =>
        variantsAt(agents, configuration).map((variant) => ({
          configuration,
          agents,
          seed,
          variant,
          ...(milestones === undefined ? {} : { milestones }),
          ...(model !== undefined && variant === variantOf(model) ? { model } : {}),
        })),
      ),
    ),
  );
}

/** Digest of a run's constants and its set of figures: a stored run with another digest is repeated. */
const digestOfCell = (cell: Cell): string =>
  contentIdOf(
    new TextEncoder().encode(
      canonicalJson({ figures: FIGURES, world: worldOf(cell), ...(cell.model === undefined ? {} : { model: cell.model }) }),
    ),
  );
/** Increase this when the same constants give other figures. */
const FIGURES = 6;

export const fileOf = (folder: string, { configuration, agents, seed, variant }: Cell): string =>
  join(
    folder,
    "runs",
    `${configuration}-${agents}-${variant.replaceAll(/[^a-z0-9]+/g, "-").replace(/-$/, "")}${sign(variant)}-${seed}.ndjson`,
  );
const sign = (variant: string) => (variant.includes("−") ? "-less" : variant.includes("+") ? "-more" : "");

/** Runs a cell and stores the result. */
export async function runCell(folder: string, cell: Cell, environment: Readonly<Record<string, string | undefined>> = {}): Promise<void> {
  const { configuration, agents, seed, model } = cell;
  const run = await runEconomy({ configuration, agents, seed, world: worldOf(cell), model, environment });
  writeRun(fileOf(folder, cell), run, digestOfCell(cell));
}

export const keptRun = (folder: string, cell: Cell): RunFigures | undefined => readRun(fileOf(folder, cell), digestOfCell(cell));

export const summaryOf = (run: RunFigures, cell: Cell): RunSummary => summarise(run, cell.variant, worldOf(cell));
