import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { CATALOG } from "../../services/catalog.ts";
import { simulatedJudge } from "../adjudication/simulated-judge.ts";
import { openCity } from "../city/city.ts";
import { assemblySociety } from "../city/founding/society.ts";
import { holdSession } from "../city/missions/hold-session.ts";
import { makeRoom } from "../city/missions/make-room.ts";
import { beginRun, endRun } from "../city/missions/runs.ts";
import { readInput } from "../execution/inputs/read-input.ts";
import { MAX_SPONSORSHIPS } from "../legislature/endorse.ts";
import type { BLOC_STRATEGIES } from "../minds/bloc-mind.ts";
import { TOKEN_DECIMALS } from "../primitives/amounts.ts";
import { InvalidValue } from "../primitives/errors.ts";
import { parseMissionFile } from "../protocol/mission-file.ts";
import { DEVNET, parameter } from "../protocol/parameters.ts";
import { home } from "./home.ts";
import { interrupted } from "./interruption.ts";
import { personAtTerminal } from "./person.ts";
import { type ProgressDisplay, withProgress } from "./progress.ts";
import { renderSession } from "./session-screen.ts";
import { typedCommand } from "./shell.ts";
import { staged } from "./stages.ts";
import { testBoundary } from "./test-boundary.ts";
import { wallTime } from "./wall-time.ts";

const SAMPLE = fileURLToPath(new URL("../../missions/dependency-licences.yaml", import.meta.url));

export interface SessionOptions {
  readonly agents: number;
  readonly candidates: number;
  readonly bloc: number;
  readonly strategy: (typeof BLOC_STRATEGIES)[number];
  readonly petition?: boolean;
  readonly seed: string;
  readonly ask?: boolean;
  readonly simulateHumans?: boolean;
  readonly newCity?: boolean;
  readonly json?: boolean;
}

/** Founds a city of many agents and holds one session in it, through the real contracts. Resumes an interrupted one. */
export async function session(options: SessionOptions): Promise<void> {
  refuseTooFew(options);
  process.stdout.write(await withProgress((display) => hold(options, display), options.ask));
}

/** Returns the text for stdout. */
async function hold(options: SessionOptions, { elapsed, progress, enter }: ProgressDisplay): Promise<string> {
  const { agents, candidates, bloc, strategy, petition = false, seed, ask = false, json = false, newCity = false } = options;
  const { dir, cacheDir } = home("session");
  const key = {
    command: "session",
    agents: String(agents),
    candidates: String(candidates),
    bloc: `${bloc} ${strategy}`,
    petition: String(petition),
    seed,
  };
  const file = parseMissionFile(readFileSync(SAMPLE, "utf8"), {
    fileName: "missions/dependency-licences.yaml",
    catalog: CATALOG,
    budgetCap: parameter("MISSION_BUDGET_CAP").default * 10n ** BigInt(TOKEN_DECIMALS),
  });
  const { items, digest } = readInput(file.input, dirname(SAMPLE));
  makeRoom({ dir, key, newCity, progress });
  enter("founding the city");
  progress(`founding a city of ${agents} agents on the embedded chain`);
  const city = await openCity({
    dir,
    cacheDir,
    seed,
    progress,
    millis: wallTime.millis,
    boundary: staged(enter, testBoundary()),
    interrupted,
    society: assemblySociety(agents),
  });
  try {
    const facts = { mission: file.mission, command: typedCommand(), decides: ask ? "terminal" : "simulation" } as const;
    const { id, resumed } = beginRun(dir, key, facts, options.simulateHumans === true);
    if (resumed) progress("resumed an interrupted session; no step is repeated on chain or in the records");
    const report = await holdSession(city, {
      file,
      inputs: { count: items.length, digest },
      services: CATALOG,
      id,
      candidates,
      byPetition: petition,
      bloc: { size: bloc, strategy },
      judge: ask ? personAtTerminal() : simulatedJudge(city.chain.id),
    });
    endRun(dir, key);
    return json ? `${JSON.stringify(report)}\n` : renderSession(report, elapsed());
  } finally {
    await city.close();
  }
}

/** Refuses, before anything is founded, a ballot that so few agents cannot fill, and a bloc that would be a majority. */
function refuseTooFew({ agents, candidates, bloc }: SessionOptions): void {
  const minSponsors = Number(DEVNET.MIN_SPONSORS);
  const needed = Math.ceil(((candidates - 1) * minSponsors) / MAX_SPONSORSHIPS);
  if (agents < needed) {
    throw new InvalidValue("--agents", `${agents} agents cannot sponsor ${candidates - 1} laws`, {
      details: `each law needs ${minSponsors} sponsors, an agent may sponsor at most ${MAX_SPONSORSHIPS}`,
      action: `--agents ${needed} or more, or fewer --candidates`,
    });
  }
  if (2 * bloc > agents)
    throw new InvalidValue("--bloc", `${bloc} of ${agents} agents would be a majority, not a bloc`, { action: "at most half of --agents" });
}
