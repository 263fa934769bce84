import type { BlocJudge } from "../../adjudication/rule-on-bloc.ts";
import type { LegislatureResult } from "../../legislature/result.ts";
import type { BoundaryName } from "../../protocol/boundaries.ts";
import type { MissionFile } from "../../protocol/mission-file.ts";
import type { SessionReport } from "../../protocol/session-report.ts";
import type { City } from "../city.ts";
import { sessionReport } from "../report/session-report.ts";
import { type Assembly, assemblyOf, type PlantedBloc } from "./assembly.ts";
import { legislate, type SessionRequest } from "./legislate.ts";
import { startBlockOf } from "./start-block.ts";

/** A session held for its own sake: its law is not executed. */
export interface Sitting extends Pick<SessionRequest, "inputs" | "services" | "id" | "byPetition"> {
  readonly file: MissionFile;
  /** Entries on the ballot, "no law" among them. */
  readonly candidates: number;
  readonly bloc: PlantedBloc;
  /** Decides when flagged voters delay the law. */
  readonly judge: BlocJudge;
}

/** Ballots per transaction: 1.9 million gas. */
const BALLOTS_PER_BATCH = 100;

/** The result of a session. */
export interface Held {
  readonly law: LegislatureResult;
  readonly assembly: Assembly;
  /** Chain block before the session opened. */
  readonly fromBlock: bigint;
}

/** Holds one real session in an open city and reports on it. */
export async function holdSession(city: City, sitting: Sitting): Promise<SessionReport> {
  const { file, inputs, services, id, candidates } = sitting;
  const assembly = assemblyOf(city, sitting.bloc);
  const fromBlock = await startBlockOf(city, id);
  const law = await legislate(city, {
    file,
    inputs,
    services,
    id,
    byPetition: sitting.byPetition,
    minds: assembly.minds,
    judge: sitting.judge,
    mostLaws: candidates - 1,
    ballotBatch: BALLOTS_PER_BATCH,
    onBoundary: progressOf(city, assembly.minds.size),
  });
  return sessionReport(city, file.mission, { law, assembly, fromBlock });
}

/** Progress lines at boundaries that take time to reach. */
const NEWS: Partial<Record<BoundaryName, string>> = {
  "legislature:petitioned": "producers called for the session by petition",
  "legislature:adopted": "the sponsor adopted the petition: its deposit is in",
  "legislature:session-opened": "session opened: the sponsor's deposit is in",
  "legislature:attestations-signed": "every agent signed who it is",
  "legislature:identities-confirmed": "the Registrar compared that with the chain; agents draft laws",
  "legislature:drafted": "laws drafted; agents say which they support",
  "legislature:sponsored": "candidates proposed and sponsored on chain",
  "legislature:office-drafted": "no draft found its sponsors; the Speaker's office drafts the plainest law, if one is feasible",
  "legislature:debate-opened": "the ballot is fixed, the facts are published; agents rank it",
  "legislature:polled": "opinions recorded on chain; the debate begins",
  "legislature:reconsidered": "a round of talk is over; agents ranked again",
  "legislature:voting-opened": "the debate is over, the vote is open",
  "legislature:ballots-signed": "every ballot signed",
  "legislature:tallied": "counted on chain",
  "legislature:blocs-flagged": "the Regulator compared all rankings",
  "legislature:validated": "the constitution allows the winner",
  "legislature:deployed": "deployed",
};

function progressOf({ progress }: City, voters: number): City["boundary"] {
  let cast = 0;
  return async (name) => {
    const news = NEWS[name];
    if (news !== undefined) progress(news);
    if (name !== "legislature:mid-ballots") return;
    cast += BALLOTS_PER_BATCH;
    progress(`${cast} of ${voters} ballots cast`);
  };
}
