import { existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { endOrphan } from "../../chain/anvil-chain.ts";
import { CityBusy } from "../../chain/errors.ts";
import { acquireLock, livingOwner } from "../../chain/lock.ts";
import { formatMoney } from "../../primitives/amounts.ts";
import { AgentCityError, messageOf } from "../../primitives/errors.ts";
import { syncDirectory } from "../../primitives/files.ts";
import { earlierCities, foundedSeed } from "../founding/city-folder.ts";
import { casesIn } from "../humans/case-desk.ts";
import { CodificationDesk, readRequest } from "../humans/codification-desk.ts";
import { isOpen, openRuns, type RunKey, runsBegun } from "./runs.ts";

/** Number of earlier cities kept; each takes some 50 MB. */
const MAX_EARLIER_CITIES = 20;

/** A new city was asked for where something of the present one is unfinished. */
export class CityWaits extends AgentCityError {
  constructor(dir: string, waiting: readonly string[]) {
    super("CityWaits", `The city in ${dir} is not done, and this command begins a new one`, {
      details: waiting.join("\n"),
      action: "continue it as shown, or add --new-city: this one is then moved aside as it is, with its deposits",
    });
  }
}

export class TooManyCities extends AgentCityError {
  constructor(earlier: readonly string[]) {
    super("TooManyCities", `${earlier.length} earlier cities are kept: nothing was moved`, {
      details: `${earlier[0]} is the oldest`,
      action: `delete those you do not need, e.g. rm -r ${earlier[0]}; bundles of finished missions are elsewhere and stay`,
    });
  }
}

export class CannotMoveAside extends AgentCityError {
  constructor(dir: string, aside: string, cause: unknown) {
    super("CannotMoveAside", `The city in ${dir} cannot be moved to ${aside}: ${messageOf(cause)}`, {
      action: "move the folder yourself, or set AGENTCITY_HOME to another one",
      cause,
    });
  }
}

export interface Room {
  /** The network's folder. */
  readonly dir: string;
  /** The requesting run: if it was interrupted here, the city stays so that it can resume. */
  readonly key: RunKey;
  /** Move the city aside although something in it is unfinished. */
  readonly newCity: boolean;
  readonly progress: (line: string) => void;
}

/** Makes room for a new city. The existing city is moved aside whole and never deleted; folders of others are not touched. */
export function makeRoom({ dir, key, newCity, progress }: Room): void {
  const seed = foundedSeed(dir);
  const owner = livingOwner(dir);
  if (owner !== undefined) throw new CityBusy(join(dir, "lock"), owner.pid);
  if (seed === undefined || (isOpen(dir, key) && !newCity)) return;
  const waiting = unfinishedIn(dir);
  if (waiting.length > 0 && !newCity) throw new CityWaits(dir, waiting);
  const runs = runsBegun(dir);
  const aside = moveAside(dir, progress);
  progress(
    `the earlier city (seed ${seed}, ${runs} ${runs === 1 ? "run" : "runs"}) is kept in ${aside}; delete it when you do not need it: rm -r ${aside}`,
  );
}

/** Unfinished runs of a city that is about to be moved aside, one line each. */
function unfinishedIn(dir: string): readonly string[] {
  const sessions = new CodificationDesk(dir).waiting().map((file) => `${sessionIn(file)}: ${file}`);
  const cases = casesIn(dir)
    .list()
    .map((file) => `a case waits for adjudicators: ${file}`);
  const runs = openRuns(dir).map(({ mission, command }) => `${mission} has not ended; to continue it: ${command}`);
  return [...sessions, ...cases, ...runs];
}

function sessionIn(file: string): string {
  try {
    const { session, document } = readRequest(file);
    return `session ${session} (${document.name}) waits for an adjudicator, its deposit of ${formatMoney(BigInt(document.budget))} is paid`;
  } catch {
    return "a session waits for an adjudicator, its request cannot be read";
  }
}

/** Renames the folder to the next free number. Its lock is held meanwhile, so that no city is moved from under a process. */
function moveAside(dir: string, progress: (line: string) => void): string {
  const earlier = earlierCities(dir);
  if (earlier.length >= MAX_EARLIER_CITIES) throw new TooManyCities(earlier);
  const last = Number(earlier.at(-1)?.slice(dir.length + 1) ?? 0);
  const aside = `${dir}.${last + 1}`;
  const lock = acquireLock(dir, progress);
  try {
    endOrphan(dir, progress);
    if (existsSync(aside)) throw new CannotMoveAside(dir, aside, new Error("it exists"));
    renameSync(dir, aside);
    syncDirectory(dirname(aside));
  } catch (error) {
    lock.release();
    throw error instanceof AgentCityError ? error : new CannotMoveAside(dir, aside, error);
  }
  lock.release(aside);
  return aside;
}
