import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { CATALOG } from "../../services/catalog.ts";
import { simulatedJudge } from "../adjudication/simulated-judge.ts";
import type { City } from "../city/city.ts";
import { externalJudges } from "../city/humans/case-desk.ts";
import type { Order } from "../city/missions/conduct.ts";
import { runToEnd } from "../city/missions/run.ts";
import { beginRun, endRun } from "../city/missions/runs.ts";
import { readInput } from "../execution/inputs/read-input.ts";
import { TOKEN_DECIMALS } from "../primitives/amounts.ts";
import { messageOf } from "../primitives/errors.ts";
import { parseMissionFile } from "../protocol/mission-file.ts";
import { parameter } from "../protocol/parameters.ts";
import { wallTime } from "./wall-time.ts";

/** The missions shown, in turn: compared estimates, a dishonest executor that is slashed, a rubric, a table. */
const SHOWN = [
  { name: "csv-estimates", cheat: false },
  { name: "incident-notes", cheat: true },
  { name: "customer-reviews", cheat: false },
  { name: "accounting", cheat: false },
] as const;
/** Pauses between missions, milliseconds: short while the pages are still empty, then long enough for a machine to rest. */
const SOON = 5_000;
const LATER = 120_000;
const PATIENCE = 45_000;

export interface Demo {
  readonly home: string;
  readonly progress: (line: string) => void;
  /** Number of missions. Default: no limit. */
  readonly most?: number;
  /** Time that a case waits for a person before the simulation decides it, milliseconds. */
  readonly patience?: number;
  readonly sleep?: (millis: number) => Promise<void>;
  /** External agents that are seated when a mission starts. */
  readonly outsiders?: () => Promise<NonNullable<Order["outsiders"]>>;
}

/**
 * Runs one mission after another, so that the city's pages have something to show. A failed mission is reported, and the next one starts.
 */
export async function keepBusy(city: City, demo: Demo): Promise<void> {
  const {
    outsiders = async () => undefined,
    home,
    progress,
    most = Number.POSITIVE_INFINITY,
    patience = PATIENCE,
    sleep = wallTime.sleep,
  } = demo;
  for (let turn = 0; turn < most; turn += 1) {
    const { name, cheat } = SHOWN[turn % SHOWN.length] ?? SHOWN[0];
    progress(`demo: ${name} starts${cheat ? "; one executor will hand in a false result" : ""}`);
    try {
      const { status } = await runOne(city, name, cheat, home, patientJudge(city, { progress, patience, sleep }), await outsiders());
      progress(`demo: ${name} is ${status}`);
    } catch (error) {
      progress(`demo: ${name} ended early: ${messageOf(error)}`);
    }
    if (turn + 1 < most) await sleep(turn + 1 < SHOWN.length ? SOON : LATER);
  }
}

async function runOne(city: City, name: string, cheat: boolean, home: string, judge: Order["judge"], outsiders: Order["outsiders"]) {
  const path = fileURLToPath(new URL(`../../missions/${name}.yaml`, import.meta.url));
  const text = readFileSync(path, "utf8");
  const budgetCap = parameter("MISSION_BUDGET_CAP").default * 10n ** BigInt(TOKEN_DECIMALS);
  const file = parseMissionFile(text, { fileName: `missions/${name}.yaml`, catalog: CATALOG, budgetCap });
  const key = { command: "demo", name };
  const { id } = beginRun(city.dir, key, { mission: file.mission, command: "npm run city -- --demo", decides: "simulation" }, true);
  try {
    return await runToEnd(
      city,
      {
        file,
        catalog: CATALOG,
        input: readInput(file.input, dirname(path)),
        id,
        judge,
        cheat,
        ...(outsiders === undefined ? {} : { outsiders }),
      },
      text,
      home,
    );
  } finally {
    endRun(city.dir, key);
  }
}

/** No person decided in time. */
class NobodyCame extends Error {}

/** People may decide at the override panel; the labelled simulation decides a case that no one takes up in time. */
function patientJudge(
  { client, dir, chain }: City,
  { progress, patience, sleep }: Required<Pick<Demo, "progress" | "patience" | "sleep">>,
): Order["judge"] {
  const simulated = simulatedJudge(chain.id);
  const waiting = () => {
    const until = wallTime.millis() + patience;
    return externalJudges({
      ...{ client, dir, progress },
      async sleep(millis) {
        if (wallTime.millis() >= until) throw new NobodyCame();
        await sleep(millis);
      },
    });
  };
  async function either<Decided>(byPeople: Promise<Decided>, bySimulation: () => Promise<Decided>): Promise<Decided> {
    try {
      return await byPeople;
    } catch (error) {
      if (!(error instanceof NobodyCame)) throw error;
      return bySimulation();
    }
  }
  return {
    simulated: true,
    decide: (subject) => either(waiting().decide(subject), () => simulated.decide(subject)),
    decideAppeal: (subject) => either(waiting().decideAppeal(subject), () => simulated.decideAppeal(subject)),
    decideBloc: (subject) => either(waiting().decideBloc(subject), () => simulated.decideBloc(subject)),
    decideResumption: (subject) => either(waiting().decideResumption(subject), () => simulated.decideResumption(subject)),
  };
}
