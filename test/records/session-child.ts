/**
 * One city process for the kill tests: holds one session of HIGH risk in a founded home, lets an adjudicator sign when it waits, and
 * tells its parent what came of it.
 * usage: [AGENTCITY_TEST_STOP_AT=…] node session-child.ts <home> <database url or ""> <way>
 */
import { join } from "node:path";
import { z } from "zod";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { membersOf } from "../../orchestrator/city/founding/society.ts";
import { CodificationDesk, readRequest, writeApproval } from "../../orchestrator/city/humans/codification-desk.ts";
import { legislate } from "../../orchestrator/city/missions/legislate.ts";
import { mindsOf } from "../../orchestrator/city/missions/minds.ts";
import { testBoundary } from "../../orchestrator/cli/test-boundary.ts";
import { signCodification } from "../../orchestrator/client/sign/codification.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { AuditNeeded } from "../../orchestrator/legislature/errors.ts";
import type { Mind } from "../../orchestrator/minds/mind.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import { CATALOG } from "../../services/catalog.ts";
import { openHome } from "../support/city-home.ts";
import { asleepFor } from "../support/sessions.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { SEED } from "./session-process.ts";

const [home = "", databaseUrl = "", way = "straight"] = process.argv.slice(2);

const city = await openHome(home, SEED, { ...(databaseUrl === "" ? {} : { databaseUrl }), boundary: testBoundary() });
const text = smallMission(smallInputs(home, CALM_ROWS).csv, { budget: "12000.00", risk: "HIGH" });
const file = parseMissionFile(text, { fileName: "mission.yaml", catalog: CATALOG, budgetCap: 10n ** 15n });
const { items, digest } = readInput(file.input, home);
const bill = {
  file,
  id: "killed",
  services: CATALOG,
  inputs: { count: items.length, digest },
  minds: way === "half-asleep" ? halfAsleep(mindsOf(city, file)) : mindsOf(city, file),
  byPetition: way === "by-petition",
  judge: simulatedJudge(city.chain.id),
};

/** Half of the minds answer no ballot of the first session. */
function halfAsleep(minds: ReadonlyMap<string, Mind>): ReadonlyMap<string, Mind> {
  return new Map([...minds].map(([name, mind], place) => [name, place % 2 === 0 ? mind : asleepFor(1n, mind, city.client)]));
}

/** An adjudicator reads the request and puts a signature beside it. */
async function sign(session: string): Promise<void> {
  const path = new CodificationDesk(join(home, "embedded")).requestFile(session);
  const [, , adjudicator] = membersOf(city.society, "adjudicator");
  if (adjudicator !== undefined) writeApproval(path, await signCodification(adjudicator.account, readRequest(path), "read it"));
}

const law = await legislate(city, bill).catch(async (error: unknown) => {
  if (!(error instanceof AuditNeeded)) throw error;
  await sign(error.request.session);
  return legislate(city, bill);
});
if (law.status === "failed") process.send?.({ failed: law.reason });
else {
  const count = async (table: "outbox" | "log") => {
    const [row] = await city.database.query(`SELECT count(*) AS n FROM ${table}`);
    return z.coerce.number().parse(row?.["n"]);
  };
  process.send?.({
    database: city.database.kind,
    ballots: law.ballots.map(({ agent, ranking }) => `${agent} ${ranking.join()}`),
    mission: law.mission,
    sent: await count("outbox"),
    unsettled: (await city.database.query("SELECT 1 FROM outbox WHERE status <> 'success'")).length,
    log: (await city.log.verify()).hash,
    entries: await count("log"),
    head: city.chain.head().hash,
  });
}
await city.close();
process.disconnect();
