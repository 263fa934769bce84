import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { act } from "../../orchestrator/adjudication/act.ts";
import type { Judge } from "../../orchestrator/adjudication/case.ts";
import type { Judges } from "../../orchestrator/adjudication/judges.ts";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { type City, type CityOptions, openCity } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { panelOf } from "../../orchestrator/city/humans/panel.ts";
import type { Order } from "../../orchestrator/city/missions/conduct.ts";
import type { MindMaker } from "../../orchestrator/city/missions/minds.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { loadServices } from "../../orchestrator/execution/sandbox/load-services.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { encodeActionData } from "../../orchestrator/protocol/actions.ts";
import { parseMissionFile, servicesPathOf } from "../../orchestrator/protocol/mission-file.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { type ParameterName, parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { CATALOG } from "../../services/catalog.ts";
import { cache } from "./cache.ts";
import { PROJECT } from "./cli.ts";
import { expectPaperInvariants } from "./paper-invariants.ts";

/** The seed of most tests. Its founding is copied, as commands do: the cache has room for two. */
const USUAL_SEED = "7";

/** Opens the city of a home in this process, founding it if there is none; anew for whoever follows the founding itself. */
export function openHome(
  home: string,
  seed: string,
  hooks: Partial<
    Pick<
      CityOptions,
      | "boundary"
      | "databaseUrl"
      | "environment"
      | "fetchPage"
      | "network"
      | "nodesPerTransaction"
      | "rpcUrl"
      | "silenceClock"
      | "society"
      | "progress"
    >
  > = {},
): Promise<City> {
  return openCity({
    dir: join(home, "embedded"),
    cacheDir: cache,
    seed,
    progress: () => {},
    millis: () => performance.now(),
    copyFounding: seed === USUAL_SEED && hooks.boundary === undefined && hooks.progress === undefined,
    ...hooks,
  });
}

/** That the paper's five invariants hold, as whoever opens a mission's home afterwards can see. */
export async function expectInvariantsAt(home: string, seed: string, outcome: Outcome): Promise<void> {
  const city = await openHome(home, seed);
  try {
    await expectPaperInvariants(city, outcome);
  } finally {
    await city.close();
  }
}

/** A home whose city is founded and closed again: what later commands find. */
export async function foundHome(home: string, seed: string, hooks: Parameters<typeof openHome>[2] = {}): Promise<void> {
  await (await openHome(home, seed, hooks)).close();
}

/** The same city somewhere else. */
export function copyHome(from: string, to: string): string {
  mkdirSync(to, { recursive: true });
  cpSync(from, to, { recursive: true });
  return to;
}

/** Units that the sponsor of this city's missions has in its purse. */
export function purseOf({ client, society }: City): Promise<bigint> {
  return client.token.balanceOf(memberOf(society, "sponsor").account.address);
}

/** Changes a parameter, two adjudicators signing: nothing needs more. Missions that run keep theirs. */
export async function amend(city: City, name: ParameterName, value: bigint): Promise<void> {
  const panel = panelOf(city);
  await act(panel, panel.seats.slice(0, 2), {
    action: "AMEND_PARAMETER",
    data: encodeActionData("AMEND_PARAMETER", [parameterIndex(name), value]),
    caseHash: keccak256(new TextEncoder().encode(`${name} ${value} ${city.chain.clock.now()}`)),
    because: `A test amends ${name} to ${value}.`,
  });
}

/** Every mission that a law of this city made, oldest first. */
export async function missionsOf({ client }: City): Promise<readonly Address[]> {
  const approved = await client.legislation.history("Approved");
  return approved.map(({ args }) => args.mission);
}

export interface InProcess {
  readonly id: string;
  readonly home: string;
  /** What the file's paths are relative to. Default: the project. */
  readonly directory?: string;
  readonly judge?: Judge & Partial<Judges>;
  readonly makeMind?: MindMaker;
  /** Seats elsewhere. */
  readonly outsiders?: Order["outsiders"];
  /** What a lying executor hands in. */
  readonly tamper?: Order["tamper"];
}

/**
 * Carries out a mission file in an open city, as the command line does; afterwards the paper's five invariants hold. Paths in the outcome
 * are made absolute.
 */
export async function carryOutIn(
  city: City,
  text: string,
  { id, home, directory = PROJECT, judge, makeMind, outsiders, tamper }: InProcess,
): Promise<Outcome> {
  const path = servicesPathOf(text, "mission.yaml");
  const catalog = path === null ? CATALOG : await loadServices(city.sandbox, join(directory, path), CATALOG);
  const file = parseMissionFile(text, { fileName: "mission.yaml", catalog, budgetCap: 10n ** 15n });
  const input = readInput(file.input, directory);
  const order = {
    file,
    input,
    catalog,
    id,
    judge: { ...simulatedJudge(city.chain.id), ...judge },
    ...(tamper === undefined ? {} : { tamper }),
    ...(makeMind === undefined ? {} : { makeMind }),
    ...(outsiders === undefined ? {} : { outsiders }),
  };
  const outcome = await runToEnd(city, order, text, home);
  await expectPaperInvariants(city, outcome);
  return atHome(home, outcome);
}

/** An outcome whose paths lead from anywhere to its home. */
export function atHome(home: string, outcome: Outcome): Outcome {
  const { report, bundle } = outcome;
  return { ...outcome, report: join(home, report), bundle: bundle === null ? null : join(home, bundle) };
}
