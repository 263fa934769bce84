import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CATALOG, type CatalogEntry } from "../../services/catalog.ts";
import { simulatedJudge } from "../adjudication/simulated-judge.ts";
import { isUnreachable } from "../chain/errors.ts";
import { type City, openCity } from "../city/city.ts";
import { externalJudges } from "../city/humans/case-desk.ts";
import { CodificationDesk } from "../city/humans/codification-desk.ts";
import type { Order } from "../city/missions/conduct.ts";
import { makeRoom } from "../city/missions/make-room.ts";
import { chatMinds } from "../city/missions/minds.ts";
import { closedSeats, type OpenSeats, openSeats } from "../city/missions/open-seats.ts";
import { runToEnd } from "../city/missions/run.ts";
import { beginRun, DECIDES, type Decider, endRun, openRuns, type RunKey } from "../city/missions/runs.ts";
import { ServiceFails } from "../city/missions/trial.ts";
import { requireKnownFields } from "../city/report/known-fields.ts";
import { describeInput, readInput } from "../execution/inputs/read-input.ts";
import { loadServices } from "../execution/sandbox/load-services.ts";
import { createSandbox } from "../execution/sandbox/run.ts";
import { AuditNeeded } from "../legislature/errors.ts";
import { GoalNotFeasible, NoPlan } from "../minds/errors.ts";
import { TOKEN_DECIMALS } from "../primitives/amounts.ts";
import { systemClock } from "../primitives/clock.ts";
import { type MissionFile, parseMissionFile, servicesPathOf } from "../protocol/mission-file.ts";
import type { Outcome } from "../protocol/outcome.ts";
import { parameter } from "../protocol/parameters.ts";
import { lawInWords } from "./codification-screen.ts";
import { EXIT } from "./exit-codes.ts";
import { home } from "./home.ts";
import { interrupted } from "./interruption.ts";
import type { Place } from "./network.ts";
import { paintFor } from "./paint.ts";
import { personAtTerminal } from "./person.ts";
import { type ProgressDisplay, withProgress } from "./progress.ts";
import { renderScreen } from "./screen.ts";
import { forEver, type Serving, serveCity } from "./serve-city.ts";
import { asTyped, typedCommand, typedPath } from "./shell.ts";
import { staged } from "./stages.ts";
import { testBoundary } from "./test-boundary.ts";
import { wallTime } from "./wall-time.ts";

export interface Commission {
  readonly place: Place;
  readonly key: RunKey;
  readonly seed: string;
  readonly fileName: string;
  readonly text: string;
  /** Base directory of the file's paths. */
  readonly directory: string;
  readonly input?: string;
  readonly mode?: MissionFile["mode"];
  readonly cheat?: boolean;
  readonly ask?: boolean;
  /** Leaves human decisions to adjudicators in other processes, and waits for them. */
  readonly waitForHumans?: boolean;
  /** Lets a simulation decide from now on, although people decided before. */
  readonly simulateHumans?: boolean;
  /** The run needs a new city; without it the existing city is used. */
  readonly restart?: { readonly newCity: boolean };
  /** Chat model of the producers' minds, "openai:…". Default: heuristic minds. */
  readonly model?: string;
  /** URL of a Postgres database for the records. */
  readonly database?: string;
  /** Serves the city's gateway meanwhile, and afterwards until the process is stopped. */
  readonly serve?: Serving | undefined;
  readonly json?: boolean;
  /** Opens seats to external agents on this port (0: any), and waits for this many of them. */
  readonly open?: { readonly port: number; readonly agents: number };
  /** Also shows votes, market, gas and reputations. */
  readonly explain?: boolean;
}

/** Opens the city, runs the mission and prints its outcome. Progress goes to stderr. */
export async function carryOut(commission: Commission): Promise<void> {
  const { text, isServed } = await withProgress((display) => perform(commission, display), commission.ask);
  process.stdout.write(text);
  if (isServed) await forEver();
}

/** Returns the text for stdout, and whether the city stays open behind its gateway. */
async function perform(commission: Commission, display: ProgressDisplay): Promise<{ readonly text: string; readonly isServed: boolean }> {
  const { elapsed, progress, enter } = display;
  const { seed, fileName, text, directory, json = false } = commission;
  const { root, dir, cacheDir } = home(commission.place.name);
  const catalog = await catalogOf(servicesPathOf(text, fileName), directory);
  const file = parseMissionFile(text, {
    fileName,
    catalog,
    budgetCap: parameter("MISSION_BUDGET_CAP").default * 10n ** BigInt(TOKEN_DECIMALS),
    mode: commission.mode,
    // A local devnet is public by default.
    visibility: commission.place.live === undefined ? "public" : "parties",
  });
  const input = readInput(
    { ...file.input, path: commission.input === undefined ? file.input.path : resolve(typedPath(commission.input)) },
    directory,
  );
  progress(describeInput(input));
  requireKnownFields(file.tasks, input, catalog);
  const { model } = commission;
  const makeMind = model === undefined ? undefined : await chatMinds(model, process.env["AGENTCITY_FALLBACK_MODEL"], process.env);
  const { name, devnet: network, rpcUrl, forkUrl, forkToken, live, society } = commission.place;
  const isOwn = rpcUrl === undefined && live === undefined;
  // Nobody could decide there: refused before a city is founded.
  if (commission.ask !== true && commission.waitForHumans !== true && live !== undefined) simulatedJudge(live.network.chainId);
  let isPaid = false;
  let isServed = false;
  const stages = staged(enter, testBoundary());
  const boundary: typeof stages = async (name) => {
    isPaid ||= name === "legislature:session-opened";
    await stages(name);
  };
  enter("opening the city");
  if (commission.restart !== undefined) makeRoom({ dir, key: commission.key, newCity: commission.restart.newCity, progress });
  const attempt = async (): Promise<Outcome> => {
    const city = await openCity({
      dir,
      cacheDir,
      databaseUrl: commission.database,
      network,
      rpcUrl,
      ...{ forkUrl, forkToken, live, society },
      seed,
      progress,
      millis: wallTime.millis,
      // An external node has to recover by itself; the city's own is restarted below.
      silenceClock: isOwn ? undefined : systemClock(wallTime),
      boundary,
      interrupted,
      environment: process.env,
      copyFounding: true,
    });
    const seats = await openForAgents(city, commission.open, progress);
    const gateway = commission.serve === undefined ? undefined : await serveCity(city, { ...commission.serve, seats: seats.open });
    try {
      const facts = { mission: file.mission, command: typedCommand(), decides: deciderOf(commission) };
      const { id, resumed, formerDecider } = beginRun(dir, commission.key, facts, commission.simulateHumans === true);
      if (resumed) progress("resumed an interrupted run; no step is repeated on chain or in the records");
      if (formerDecider !== undefined) progress(`until now ${DECIDES[formerDecider]}; from here on ${DECIDES[facts.decides]}`);
      for (const other of openRuns(dir, commission.key))
        progress(`also unfinished in this folder: ${other.mission}; to continue it: ${other.command}`);
      enter("trying the services, then opening a session");
      isPaid = resumed;
      const judge = judgeFor(commission, city, (line) => {
        progress(line);
        enter("waiting for adjudicators");
      });
      const outsiders = await seats.whenThere(enter);
      const order = {
        ...{ file, input, catalog, id, judge, cheat: commission.cheat === true },
        outsiders,
        ...(makeMind === undefined ? {} : { makeMind }),
      };
      const ended = await runToEnd(city, order, text, root).finally(seats.close);
      isServed = gateway !== undefined;
      return ended;
    } catch (error) {
      // Nothing was started that could be resumed.
      if (error instanceof NoPlan || error instanceof ServiceFails || (error instanceof GoalNotFeasible && !isPaid))
        endRun(dir, commission.key);
      throw error;
    } finally {
      await seats.close();
      if (!isServed) {
        await gateway?.close();
        await city.close();
      }
    }
  };
  const outcome = await throughLostChains(attempt, network === "anvil" && isOwn, progress).catch((error: unknown) => {
    if (!(error instanceof AuditNeeded)) throw error;
    process.exitCode = EXIT.WAITS;
    return waiting(error, new CodificationDesk(dir).requestFile(error.request.session), name, json);
  });
  if (typeof outcome === "string") return { text: outcome, isServed };
  endRun(dir, commission.key);
  if (outcome.failure !== null) process.exitCode = EXIT.FAILED;
  if (json) return { text: `${JSON.stringify(outcome)}\n`, isServed };
  const screen = renderScreen(outcome, {
    home: root,
    report: readFileSync(join(root, outcome.report), "utf8"),
    elapsed: elapsed(),
    explain: commission.explain === true,
    paint: paintFor(process.stdout, process.env),
  });
  return { text: screen, isServed };
}

/** A run's seats for external agents. */
interface RunSeats {
  /** Defined while they are open. */
  readonly open: OpenSeats | undefined;
  /** All seated agents, once enough have joined. Closed seats of earlier runs are silent. */
  whenThere(enter: (stage: string) => void): Promise<NonNullable<Order["outsiders"]>>;
  close(): Promise<void>;
}

/** Opens the seats if requested. */
async function openForAgents(city: City, open: Commission["open"], progress: (line: string) => void): Promise<RunSeats> {
  const wait = (millis: number, signal: AbortSignal) => sleep(millis, undefined, { signal }).catch(() => undefined);
  const clock = { millis: wallTime.millis, wait };
  if (open === undefined) return { open: undefined, whenThere: () => closedSeats(city, clock), close: async () => {} };
  const { port, agents } = open;
  const seats = await openSeats(city, { port, clock });
  progress(`external agents join at ${seats.url}`);
  let isClosed = false;
  return {
    open: seats,
    async whenThere(enter) {
      enter("waiting for agents");
      while ((await seats.present()) < agents) await wallTime.sleep(AWAITING_MS);
      return seats.outsiders();
    },
    async close() {
      if (!isClosed) await seats.close();
      isClosed = true;
    },
  };
}

const AWAITING_MS = 250;

/** A person at this terminal, external adjudicators, or on a devnet a labelled simulation. */
function judgeFor({ ask, waitForHumans }: Commission, { client, dir, chain }: City, progress: (line: string) => void): Order["judge"] {
  if (ask === true) return personAtTerminal();
  if (waitForHumans === true) return externalJudges({ client, dir, progress, sleep: wallTime.sleep });
  return simulatedJudge(chain.id);
}

function deciderOf({ ask, waitForHumans }: Commission): Decider {
  if (ask === true) return "terminal";
  return waitForHumans === true ? "elsewhere" : "simulation";
}

/** What the session waits for, and how to resume it. */
function waiting({ request }: AuditNeeded, file: string, network: string, json: boolean): string {
  const where = network === "embedded" ? "" : ` --network ${network}`;
  const sign = asTyped(`npm run approve-codification --${where} --as adjudicator-3`);
  if (json) return `${JSON.stringify({ status: "waiting", for: "APPROVE_CODIFICATION", file, sign, request })}\n`;
  return [
    lawInWords(request),
    "",
    ...(request.refused === null ? [] : [`REFUSED  ${request.refused}`]),
    "WAITS    for an adjudicator: nothing of HIGH risk is deployed on agents' signatures alone",
    `READ     ${file}`,
    `SIGN     ${sign}   (or with AGENTCITY_ADJUDICATOR_KEY)`,
    "THEN     run this command again",
    "",
  ].join("\n");
}

/** Number of lost chains after which the command gives up. */
const MAX_LOST_CHAINS = 5;

/** If a city's own Anvil was killed, reopens the city from its transcript and resumes. */
async function throughLostChains(attempt: () => Promise<Outcome>, ownsChain: boolean, progress: (line: string) => void): Promise<Outcome> {
  for (let lost = 1; ; lost += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!ownsChain || lost > MAX_LOST_CHAINS || !isUnreachable(error)) throw error;
      progress("the chain process died: restarting it from its last state");
    }
  }
}

/** The city's services and those of the mission file's directory, whose descriptions are read in a sandbox. */
async function catalogOf(path: string | null, directory: string): Promise<readonly CatalogEntry[]> {
  if (path === null) return CATALOG;
  const sandbox = createSandbox({ now: wallTime.millis });
  return loadServices(sandbox, resolve(directory, path), CATALOG);
}
