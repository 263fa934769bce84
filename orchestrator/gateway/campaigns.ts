import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { keccak256 } from "../primitives/hash.ts";
import { count, hash } from "./wire.ts";

const figure = z.number();
const between = z.object({ mean: figure, low: figure, high: figure });
const verdicts = ["supported", "falsified", "inconclusive", "not measured"] as const;

/** The displayed part of a campaign's result file; the file itself is served whole. */
const summarySchema = z.object({
  experiment: z.union([z.literal(1), z.literal(2)]),
  seeds: z.array(count),
  notRun: z.array(z.string()),
  cells: z.array(
    z.object({
      configuration: z.string(),
      agents: count,
      variant: z.string(),
      seeds: count,
      metrics: z.record(z.string(), between),
    }),
  ),
  findings: z.array(
    z.object({
      id: z.string(),
      says: z.string(),
      verdict: z.enum(verdicts),
      mean: figure.optional(),
      interval: z.object({ low: figure, high: figure }).optional(),
      p: figure.optional(),
      because: z.string(),
    }),
  ),
});
/** How it was run, as stated in committed files. */
const publishedSchema = z.object({ commit: z.string(), machine: z.string(), command: z.string(), summary: summarySchema });

export const campaignOutput = z.strictObject({
  name: z.string(),
  experiment: count,
  /** `published`: included with the software; `own`: run in this city's folder. */
  origin: z.enum(["published", "own"]),
  commit: z.string().nullable(),
  machine: z.string().nullable(),
  command: z.string().nullable(),
  seeds: z.array(count),
  notRun: z.array(z.string()),
  verdicts: z.record(z.enum(verdicts), count),
  /** keccak256 of the file served by `get_campaign_data`. */
  hash,
});
type CampaignOutput = z.input<typeof campaignOutput>;

export const campaignDetail = z.strictObject({
  ...campaignOutput.shape,
  findings: z.array(
    z.strictObject({
      id: z.string(),
      says: z.string(),
      verdict: z.enum(verdicts),
      mean: figure.nullable(),
      low: figure.nullable(),
      high: figure.nullable(),
      p: figure.nullable(),
      because: z.string(),
    }),
  ),
  cells: z.array(
    z.strictObject({
      configuration: z.string(),
      agents: count,
      variant: z.string(),
      seeds: count,
      metrics: z.array(z.strictObject({ name: z.string(), mean: figure, low: figure, high: figure })),
    }),
  ),
});

export interface Campaign {
  readonly summary: CampaignOutput;
  readonly detail: z.input<typeof campaignDetail>;
  readonly text: string;
}

/** Folders of campaigns: those included with the software, and those run here. */
export interface CampaignFolders {
  readonly published: string;
  readonly own: string;
}

/** Every readable campaign; invalid or unfinished files are skipped. */
export function campaignsIn({ published, own }: CampaignFolders): readonly Campaign[] {
  const named = (folder: string, pattern: RegExp) => (existsSync(folder) ? readdirSync(folder).filter((name) => pattern.test(name)) : []);
  return [
    ...named(published, /^economy-[\w-]+\.json$/).map(
      (file) => [file.slice(0, -".json".length), "published", join(published, file)] as const,
    ),
    ...named(own, /^economy-[\w-]+$/).map((folder) => [`own-${folder}`, "own", join(own, folder, "summary.json")] as const),
  ].flatMap(([name, origin, path]) => read(name, origin, path) ?? []);
}

function read(name: string, origin: CampaignOutput["origin"], path: string): Campaign | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, "utf8");
  const found = z.union([publishedSchema, summarySchema.transform((summary) => ({ summary }))]).safeParse(jsonOrNone(text));
  if (!found.success) return undefined;
  const { summary, ...run } = found.data;
  const { experiment, seeds, notRun, findings, cells } = summary;
  const overview: CampaignOutput = {
    ...{ name, experiment, origin, seeds, notRun },
    ...("commit" in run ? run : { commit: null, machine: null, command: null }),
    verdicts: Object.fromEntries(verdicts.map((word) => [word, findings.filter(({ verdict }) => verdict === word).length])) as Record<
      (typeof verdicts)[number],
      number
    >,
    hash: keccak256(new TextEncoder().encode(text)),
  };
  return {
    text,
    summary: overview,
    detail: {
      ...overview,
      findings: findings.map(({ id, says, verdict, mean = null, interval, p = null, because }) => ({
        ...{ id, says, verdict, mean, p, because },
        ...(interval === undefined ? { low: null, high: null } : { low: interval.low, high: interval.high }),
      })),
      cells: cells.map(({ metrics, configuration, agents, variant, seeds: runs }) => ({
        ...{ configuration, agents, variant },
        seeds: runs,
        metrics: Object.entries(metrics).map(([metric, { mean, low, high }]) => ({ name: metric, mean, low, high })),
      })),
    },
  };
}

function jsonOrNone(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
