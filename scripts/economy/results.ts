/** Committed results: a campaign's summary with its origin, and the page generated from it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Experiment } from "../../orchestrator/economy/hypotheses.ts";
import { CONFIGURATIONS } from "../../orchestrator/economy/parameters.ts";
import { root } from "../dev/files.ts";
import { MADE } from "../dev/markdown.ts";
import { describe, type Origin } from "./origin.ts";
import { markdown, type Summary } from "./report.ts";

/** A campaign's committed results. */
export interface Results {
  /** Sources and machine of its runs. */
  readonly commit: string;
  readonly machine: string;
  readonly command: string;
  readonly summary: Summary;
}

/** Campaigns with their own pages: on contracts, Full only, a thousand agents, varied constants, and sessions by drafts. */
const KINDS = ["", "-contracts", "-full", "-1000", "-sensitivity", "-drafts"] as const;
export type Kind = (typeof KINDS)[number];

export function kindOf({ experiment, notRun, sensitivity, cells }: Pick<Summary, "experiment" | "notRun" | "sensitivity" | "cells">): Kind {
  if (cells.length === 0) return "-drafts";
  if (notRun.includes("full")) return "";
  if (sensitivity.length > 0) return "-sensitivity";
  if (experiment === 1 && cells.every(({ agents }) => agents === 1000)) return "-1000";
  return notRun.length === CONFIGURATIONS.length - 1 ? "-full" : "-contracts";
}

const fileOf = (experiment: Experiment, kind: Kind): string => join("bench", `economy-${experiment}${kind}.json`);
export const pageOf = (experiment: Experiment, kind: Kind = ""): string => `docs/economy-${experiment}${kind}.md`;

/** Stored digits of a figure. */
const DIGITS = 6;
const kept = (_: string, value: unknown): unknown => (typeof value === "number" ? Number(value.toPrecision(DIGITS)) : value);

/** Stores a campaign's summary in bench/, with the origin of its runs. */
export function writeResults(summary: Summary, command: string, origins: readonly Origin[]): string {
  const { commit, machine } = describe(origins);
  const file = fileOf(summary.experiment, kindOf(summary));
  writeFileSync(join(root, file), `${JSON.stringify({ commit, machine, command, summary } satisfies Results, kept, 2)}\n`);
  return file;
}

/** Committed results of a kind of campaign. */
export function readResults(experiment: Experiment, kind: Kind): Results | undefined {
  const file = join(root, fileOf(experiment, kind));
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

const EVERY: readonly { readonly experiment: Experiment; readonly kind: Kind }[] = ([1, 2] as const).flatMap((experiment) =>
  KINDS.map((kind) => ({ experiment, kind })),
);

/** All of them, with their pages. */
export function allResults(): readonly (Results & { readonly page: string })[] {
  return EVERY.flatMap(({ experiment, kind }) => {
    const results = readResults(experiment, kind);
    return results === undefined ? [] : [{ ...results, page: pageOf(experiment, kind) }];
  });
}

/** The pages of the existing results. */
export function resultPages(): Map<string, string> {
  const pages = EVERY.flatMap(({ experiment, kind }) => {
    const file = fileOf(experiment, kind);
    const results = readResults(experiment, kind);
    if (results === undefined) return [];
    const { commit, machine, command, summary } = results;
    const [title = "", ...rest] = markdown(summary, []).split("\n");
    const from = `From commit ${commit} on ${machine}, by \`${command}\`. Measurements and thresholds were fixed before:\n[economy.md](economy.md).`;
    return [
      [pageOf(experiment, kind), [MADE(`${file}, which the command writes with --write`), title, "", from, ...rest].join("\n")] as const,
    ];
  });
  return new Map(pages);
}
