import { Text, Title } from "@mantine/core";
import { Link, useParams } from "react-router";
import { letterOf } from "../../../orchestrator/city/letters.ts";
import type { Ballots, Event, Page, SessionDetail } from "../city/answers.ts";
import { useAsked } from "../city/live.tsx";
import { Vote } from "../pages/session.tsx";
import { Asked, Empty } from "../parts/asked.tsx";
import { EventList } from "../parts/event-list.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { short } from "../parts/words.ts";
import { Steps } from "./mission.tsx";

const NO_LAW = "No law: the deposit goes back";

/** How a law comes about, while it does. */
export function Component() {
  const { id = "" } = useParams();
  const session = useAsked<SessionDetail>(`/v1/sessions/${id}`);
  const cast = useAsked<Ballots>(session.data !== undefined && session.data.ballots > 0 ? `/v1/sessions/${id}/ballots` : undefined);
  const events = useAsked<Page<Event>>("/v1/events", { session: id, limit: 200 });
  const debate = (events.data?.items ?? []).filter(({ name }) => name.startsWith("legislature."));
  return (
    <>
      <Title order={1}>How a law comes about: session {id}</Title>
      <Asked of={session}>
        {({ state, candidates, tally, electorate, ballots, mission, missionId }) => (
          <>
            <Steps state={state} />
            <Text>
              {electorate} agents may vote; {ballots} did.{" "}
              <Link to={`/missions/${missionId}`}>{mission === null ? "What it is for" : "The mission under its law"}</Link>
            </Text>
            {candidates.length === 0 && <Empty>Nobody has proposed a law yet.</Empty>}
            {candidates.length > 0 && cast.data === undefined && (
              <ul className="cards">
                {candidates.map(({ candidate, title, proposer, sponsors, isKept }) => (
                  <li key={candidate} className="card">
                    <strong>{title === null ? `Candidate ${candidate}` : <Quoted text={title} short={100} />}</strong>
                    <span>
                      by {short(proposer)}, {sponsors} sponsors{isKept ? ", on the ballot" : ""}
                    </span>
                  </li>
                ))}
              </ul>
            )}
            {cast.data !== undefined && cast.data.ballots.length > 0 && (
              <Vote
                key={cast.data.ballots.length}
                candidates={cast.data.entries.map((number, entry) => {
                  const candidate = candidates.find((each) => each.candidate === number);
                  return {
                    entry,
                    letter: letterOf(entry),
                    title: candidate?.title ?? (candidate === undefined ? NO_LAW : short(candidate.documentId)),
                    proposer: candidate === undefined ? "" : short(candidate.proposer),
                    sponsors: candidate?.sponsors ?? 0,
                  };
                })}
                ballots={cast.data.ballots.map(({ agent, ranking }) => ({ agent: short(agent), ranking }))}
                winner={tally === null ? undefined : cast.data.entries.indexOf(tally.winner)}
              />
            )}
          </>
        )}
      </Asked>
      <section aria-labelledby="debate">
        <Title order={2} id="debate">
          In order: what was said and signed
        </Title>
        <EventList events={debate} timeOnly withEntity isLinked />
      </section>
    </>
  );
}
