import type { BlocCase } from "../../adjudication/rule-on-bloc.ts";
import { isSimulated } from "../../adjudication/simulated-judge.ts";
import type { CityClient } from "../../client/client.ts";
import { recordedBallots } from "../../client/recorded-ballots.ts";
import { winnerAmong } from "../../legislature/pivots.ts";
import type { RulingRequest } from "../../legislature/ports.ts";
import { contentIdFromDigest } from "../../primitives/hash.ts";
import type { Address } from "../../primitives/hex.ts";
import { actionNumber } from "../../protocol/actions.ts";
import { missionDocumentSchema } from "../../protocol/mission-document.ts";
import type { SessionReport } from "../../protocol/session-report.ts";
import { unpackRanking } from "../../rules/condorcet.ts";
import type { City } from "../city.ts";
import { nameOf } from "../founding/society.ts";

/** One flag as recorded on chain. */
export interface FlaggedBloc {
  readonly leader: Address;
  readonly members: readonly Address[];
}

/** Blocs that the Regulator flagged in a session; one with more members than fit into a call is merged. */
export async function flaggedBlocs({ legislation }: CityClient, session: bigint): Promise<readonly FlaggedBloc[]> {
  const events = await legislation.history("BlocFlagged", { session });
  const byLeader = Map.groupBy(events, ({ args }) => args.leader);
  return [...byLeader].map(([leader, flags]) => ({ leader, members: flags.flatMap(({ args }) => args.members) }));
}

/** Every flagged voter. */
export function flaggedIn(blocs: readonly FlaggedBloc[]): ReadonlySet<Address> {
  return new Set(blocs.flatMap(({ leader, members }) => [leader, ...members]));
}

/** The case for adjudicators, entirely from the chain. */
export async function blocCaseOf(city: City, { session, caseHash }: RulingRequest): Promise<BlocCase> {
  const { client, society } = city;
  const { ballotSize, tieSeed, winner } = await client.legislation.sessionOf(session);
  const paper = await client.legislation.ballotOf(session);
  const blocs = await flaggedBlocs(client, session);
  const flagged = flaggedIn(blocs);
  const ballots = await recordedBallots(client, session);
  const others = ballots
    .filter(({ agent }) => !flagged.has(agent))
    .map(({ agent, ranking }) => ({ agent, ranking: unpackRanking(ranking, ballotSize) }));
  const otherwise = winnerAmong(others, ballotSize, tieSeed);
  const title = await titlesOf(city, session);
  return {
    session,
    caseHash,
    blocs: blocs.map(({ leader, members }) => [leader, ...members].map((agent) => nameOf(society, agent))),
    flagged: flagged.size,
    ballots: ballots.length,
    winner: title(winner),
    otherwise: otherwise === null ? undefined : title(paper[otherwise] ?? 0),
  };
}

/** Names of the candidates, from the documents whose digests their proposers signed. */
async function titlesOf({ client, blocks }: City, session: bigint): Promise<(candidate: number) => string> {
  const events = await client.legislation.history("Proposed", { session });
  const titles = new Map(
    events.map(({ args }) => [args.candidate, missionDocumentSchema.parse(blocks.getJson(contentIdFromDigest(args.cid))).title]),
  );
  return (candidate) => titles.get(candidate) ?? "no law";
}

/** How adjudicators ruled on a session's bloc, if they did. */
export async function rulingOf(
  { client, blocks }: City,
  session: bigint,
  nameOf: (address: Address) => string,
): Promise<SessionReport["delay"]["ruling"]> {
  const [ruled] = await client.legislation.history("BlocRuled", { session });
  if (ruled === undefined) return null;
  const acts = await client.adjudication.history("OverrideExecuted");
  const act = acts.find(
    ({ args, transactionHash }) => transactionHash === ruled.transactionHash && args.action === actionNumber("RULE_ON_BLOC"),
  );
  if (act === undefined) return null;
  const justification = new TextDecoder().decode(blocks.get(contentIdFromDigest(act.args.justification)));
  return {
    released: ruled.args.released,
    adjudicators: act.args.adjudicators.map(nameOf),
    simulated: isSimulated(justification),
    justification,
  };
}
