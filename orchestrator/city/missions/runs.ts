import { join } from "node:path";
import { z } from "zod";
import { AgentCityError } from "../../primitives/errors.ts";
import { writeFileAtomic } from "../../primitives/files.ts";
import { keccak256 } from "../../primitives/hash.ts";
import { canonicalBytes, canonicalJson } from "../../primitives/json.ts";
import { readStateFile } from "../../primitives/state-file.ts";

/** Deciders of human cases: a labelled simulation, a person at this terminal, or adjudicators in other processes. */
const DECIDERS = ["simulation", "terminal", "elsewhere"] as const;
export type Decider = (typeof DECIDERS)[number];

const openRunSchema = z.strictObject({
  /** Names the run's sessions, answers and intents. */
  id: z.string(),
  /** The mission's name. */
  mission: z.string(),
  /** The command that continues it. */
  command: z.string(),
  decides: z.enum(DECIDERS),
});
export type OpenRun = z.infer<typeof openRunSchema>;

const runsSchema = z.strictObject({
  /** Runs begun so far. */
  count: z.int(),
  /** Interrupted runs, by name of the key. */
  open: z.record(z.string(), openRunSchema),
});
type Runs = z.infer<typeof runsSchema>;

/** Identifies a run: requesting an interrupted run again resumes it. */
export type RunKey = Readonly<Record<string, string | boolean>>;

/** Facts with which a run starts, beyond its key. */
export type RunFacts = Omit<OpenRun, "id">;

export const DECIDES: Readonly<Record<Decider, string>> = {
  simulation: "a simulation decides what needs a human",
  terminal: "a person at this terminal decides (--ask)",
  elsewhere: "external adjudicators decide (--wait-for-humans)",
};

/** A run that people were to decide was given again without them. */
export class DeciderDiffers extends AgentCityError {
  constructor(run: OpenRun) {
    super("DeciderDiffers", `This run was begun so that ${DECIDES[run.decides]}`, {
      details: `begun with: ${run.command}`,
      action: "give it again with that flag, or with --simulate-humans if a simulation is to decide from here on",
    });
  }
}

/** The run to carry out. */
export interface BegunRun {
  readonly id: string;
  /** It was interrupted and is being resumed. */
  readonly resumed: boolean;
  /** The previous decider, if it changes now. */
  readonly formerDecider?: Decider;
}

/**
 * Begins a run, or resumes the interrupted one with the same key. Who decides belongs to a run: a simulation takes people's place
 * only when `mayReplacePeople`. Throws DeciderDiffers.
 */
export function beginRun(dir: string, key: RunKey, facts: RunFacts, mayReplacePeople: boolean): BegunRun {
  const name = nameOf(key);
  const { count, open } = readRuns(dir);
  const interrupted = open[name];
  if (interrupted === undefined) {
    const id = `${name}-${count + 1}`;
    write(dir, { count: count + 1, open: { ...open, [name]: { id, ...facts } } });
    return { id, resumed: false };
  }
  const { id, decides } = interrupted;
  if (decides === facts.decides) return { id, resumed: true };
  if (facts.decides === "simulation" && !mayReplacePeople) throw new DeciderDiffers(interrupted);
  write(dir, { count, open: { ...open, [name]: { id, ...facts } } });
  return { id, resumed: true, formerDecider: decides };
}

export function endRun(dir: string, key: RunKey): void {
  const { count, open } = readRuns(dir);
  const { [nameOf(key)]: _, ...others } = open;
  write(dir, { count, open: others });
}

/** Every run that was begun and has not ended, by name of its mission; without the one of this key. */
export function openRuns(dir: string, except?: RunKey): readonly OpenRun[] {
  const { open } = readRuns(dir);
  const others = Object.entries(open).filter(([name]) => except === undefined || name !== nameOf(except));
  return others.map(([, run]) => run).sort((a, b) => (a.mission < b.mission ? -1 : 1));
}

export function isOpen(dir: string, key: RunKey): boolean {
  return readRuns(dir).open[nameOf(key)] !== undefined;
}

/** How many runs were begun here. */
export function runsBegun(dir: string): number {
  return readRuns(dir).count;
}

function nameOf(key: RunKey): string {
  return keccak256(canonicalBytes(key)).slice(2, 18);
}

/** A high count: no later run takes the name of one that was begun before. */
const DAMAGED =
  'restore it from a copy, or write {"count":1000000,"open":{}} into it: finished missions stay as they are, interrupted ones are given up';

function readRuns(dir: string): Runs {
  return readStateFile(join(dir, "runs.json"), runsSchema, DAMAGED) ?? { count: 0, open: {} };
}

function write(dir: string, runs: Runs): void {
  writeFileAtomic(join(dir, "runs.json"), `${canonicalJson(runs)}\n`);
}
