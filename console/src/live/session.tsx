import { Text, Title } from "@mantine/core";
import { Link, useParams } from "react-router";
import { letterOf } from "../../../orchestrator/city/report/letters.ts";
import { formatMoney, grouped } from "../../../orchestrator/primitives/amounts.ts";
import { standingsOf } from "../../../orchestrator/rules/condorcet.ts";
import type { Ballots, Debate, Event, Page, SessionDetail } from "../city/answers.ts";
import { useAsked } from "../city/live.tsx";
import { ANY_SEED, pairwiseOf, Vote } from "../pages/session.tsx";
import { Asked, Empty } from "../parts/asked.tsx";
import { EventList } from "../parts/event-list.tsx";
import { PlainTable } from "../parts/plain-table.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { CLASSES, percent, short, span } from "../parts/words.ts";
import { Steps } from "./session-progress.tsx";

const NO_LAW = "No law: the deposit goes back";

/** How a law comes about, while it does. */
export function Component() {
  const { id = "" } = useParams();
  const session = useAsked<SessionDetail>(`/v1/sessions/${id}`);
  const cast = useAsked<Ballots>(session.data !== undefined && session.data.ballots > 0 ? `/v1/sessions/${id}/ballots` : undefined);
  const debate = useAsked<Debate>(session.data === undefined ? undefined : `/v1/sessions/${id}/debate`);
  const events = useAsked<Page<Event>>("/v1/events", { session: id, limit: 200 });
  const records = (events.data?.items ?? []).filter(({ name }) => name.startsWith("legislature."));
  const voted = cast.data !== undefined && cast.data.ballots.length > 0 ? cast.data : undefined;
  return (
    <>
      <Title order={1}>How a law comes about: session {id}</Title>
      <Asked of={session}>
        {(found) => (
          <>
            <Steps state={found.state} />
            <Text>
              {found.electorate} agents may vote; {found.ballots} did.{" "}
              <Link to={`/missions/${found.missionId}`}>{found.mission === null ? "What it is for" : "The mission under its law"}</Link>
            </Text>
            <Candidates session={found} entries={voted?.entries} />
            {debate.data !== undefined && <Spoken debate={debate.data} session={found} />}
            {voted !== undefined && (
              <Vote
                key={voted.ballots.length}
                candidates={voted.entries.map((number, entry) => {
                  const candidate = found.candidates.find((each) => each.candidate === number);
                  return {
                    entry,
                    letter: letterOf(entry),
                    title: candidate?.title ?? (candidate === undefined ? NO_LAW : short(candidate.documentId)),
                    proposer: candidate === undefined ? "" : short(candidate.proposer),
                    sponsors: candidate?.sponsors ?? 0,
                  };
                })}
                ballots={voted.ballots.map(({ agent, ranking }) => ({ agent: short(agent), ranking }))}
                winner={found.tally === null ? undefined : voted.entries.indexOf(found.tally.winner)}
              >
                {debate.data !== undefined && <Before debate={debate.data} voted={voted} />}
              </Vote>
            )}
            {debate.data !== undefined && <Blocs debate={debate.data} hasVoted={voted !== undefined} />}
            {debate.data !== undefined && <Checks checks={debate.data.checks} />}
          </>
        )}
      </Asked>
      <section aria-labelledby="records">
        <Title order={2} id="records">
          Every record, in order
        </Title>
        <details>
          <summary>{records.length} records of this session, each with its payload in the log</summary>
          <EventList events={records} timeOnly withEntity isLinked />
        </details>
      </section>
    </>
  );
}

/** All proposed laws side by side, by their numbers: what each would cost and how long each would take, not only the winner. */
function Candidates({
  session: { candidates, tally },
  entries,
}: {
  readonly session: SessionDetail;
  readonly entries: readonly number[] | undefined;
}) {
  if (candidates.length === 0) return <Empty>Nobody has proposed a law yet.</Empty>;
  return (
    <section aria-labelledby="side-by-side">
      <Title order={2} id="side-by-side">
        The proposed laws, side by side
      </Title>
      <ul className="cards laws">
        {candidates.map(({ candidate, title, proposer, sponsors, isKept, shape }) => {
          const entry = entries?.indexOf(candidate) ?? -1;
          const hasWon = tally?.winner === candidate;
          return (
            <li key={candidate} className={hasWon ? "card card-won" : "card"} data-candidate={candidate}>
              <strong>
                {entry > 0 && `${letterOf(entry)}: `}
                {title === null ? `candidate ${candidate}` : <Quoted text={title} short={100} />}
              </strong>
              {hasWon && <StateMark state={{ word: "won", look: "done", means: "" }} />}
              <span className="muted">
                by <Link to={`/agents/${proposer}`}>{short(proposer)}</Link>, {sponsors} sponsors
                {isKept ? "" : ", not on the ballot"}
              </span>
              {shape === null ? (
                <span className="muted">This city does not keep its document.</span>
              ) : (
                <table className="facts">
                  <tbody>
                    {(
                      [
                        ["parts", `${shape.nodes} in ${shape.steps} steps`],
                        ["executions", String(shape.executions)],
                        ["run again / compared / by a human", shape.tiers.join(" / ")],
                        ["verdicts", String(shape.verdicts)],
                        ["weakest evidence it pays for", `${shape.floor}, ${CLASSES[shape.floor]}`],
                        ["budget", `${formatMoney(BigInt(shape.budget))} tokens`],
                        ["hangs on its dearest part", percent(shape.dearestBps / 10_000)],
                        ["without a failure at most", span(shape.longest)],
                      ] as const
                    ).map(([name, value]) => (
                      <tr key={name}>
                        <th scope="row">{name}</th>
                        <td>{value}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

const GROUNDS: Readonly<Record<Debate["rounds"][number]["turns"][number]["ground"], string>> = {
  speed: "it is done sooner",
  thrift: "it costs less",
  assurance: "its results are surer",
  evenness: "it spreads the work",
  income: "it pays the workers more",
};

/** The debate in order, each speech with the facts that it cites. */
function Spoken({ debate: { briefing, rounds }, session }: { readonly debate: Debate; readonly session: SessionDetail }) {
  if (briefing === null && rounds.length === 0) return null;
  const factsOf = new Map((briefing?.evidence ?? []).map((each) => [each.id, each]));
  const inWords = (id: string) => {
    const fact = factsOf.get(id);
    if (fact === undefined) return undefined;
    return Object.entries(fact.facts)
      .map(([name, value]) => `${name.replace(/([A-Z])/g, " $1").toLowerCase()} ${grouped(value)}`)
      .join(", ");
  };
  const about = (id: string) => {
    const fact = factsOf.get(id);
    if (fact?.kind === "producer") return `what the chain says of ${short(fact.agent ?? "")}`;
    const law = session.candidates.find(({ specHash }) => specHash === fact?.specHash);
    return law === undefined ? "what the chain says of this city" : `what the law “${law.title ?? law.candidate}” asks for`;
  };
  return (
    <section aria-labelledby="debate">
      <Title order={2} id="debate">
        The debate
      </Title>
      {briefing !== null && (
        <Text>
          Before anybody spoke, the Regulator <span className="mono">{short(briefing.regulator)}</span> signed {briefing.evidence.length}{" "}
          facts of the chain, as of block {briefing.block}. Speeches cite these and nothing else.
        </Text>
      )}
      {rounds.length === 0 && <Empty>The speeches are recorded when the vote opens.</Empty>}
      {rounds.map(({ turns, changed }, round) => (
        // Rounds have no name but their place.
        // biome-ignore lint/suspicious/noArrayIndexKey: they are numbered
        <section key={round} aria-label={`Round ${round + 1}`}>
          <Title order={3}>Round {round + 1}</Title>
          <ol className="speeches">
            {turns.map((turn) => (
              <li key={`${turn.agent}${turn.contentId}`} data-speech={turn.ground}>
                <span className="row">
                  <strong>
                    <Link to={`/agents/${turn.agent}`} className="mono">
                      {short(turn.agent)}
                    </Link>{" "}
                    {turn.about === null ? "for a law that is not on the ballot" : `for ${letterOf(turn.about)}`}: {GROUNDS[turn.ground]}
                  </strong>
                </span>
                <Quoted text={turn.text} short={400} />
                {turn.evidence.length > 0 && (
                  <ul className="cites">
                    {turn.evidence.map((id) => (
                      <li key={id} data-cites={id}>
                        {inWords(id) === undefined ? `${id}: not among the published facts` : `${about(id)}: ${inWords(id)}`}
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            ))}
          </ol>
          <Text size="sm">
            {changed === 0 ? "Nobody changed its mind." : `${changed} changed ${changed === 1 ? "its ranking" : "their rankings"}.`}
          </Text>
        </section>
      ))}
    </section>
  );
}

/** The straw polls compared with the vote: what the debate changed. */
function Before({ debate: { straws }, voted }: { readonly debate: Debate; readonly voted: Ballots }) {
  if (straws.length === 0) return null;
  const size = voted.entries.length;
  const leaderOf = (rankings: readonly (readonly number[])[]) => standingsOf(pairwiseOf(rankings, size), ANY_SEED)[0]?.candidate ?? 0;
  const firsts = (rankings: readonly (readonly number[])[], entry: number) => rankings.filter(([first]) => first === entry).length;
  const before = straws.map(({ ranking }) => ranking);
  const after = voted.ballots.map(({ ranking }) => ranking);
  const moved = voted.ballots.filter(({ agent, ranking }) => {
    const straw = straws.find((each) => each.agent === agent);
    return straw !== undefined && straw.ranking.join() !== ranking.join();
  });
  return (
    <section aria-labelledby="straw" data-straw={before.length}>
      <Title order={2} id="straw">
        Before and after the debate
      </Title>
      <Text>
        Before it {letterOf(leaderOf(before))} would have won; after it {letterOf(leaderOf(after))} leads. {moved.length} of{" "}
        {voted.ballots.length} ranked otherwise in the vote than in the straw poll
        {moved.length > 0 && moved.length <= 12 && `: ${moved.map(({ agent }) => short(agent)).join(", ")}`}.
      </Text>
      <PlainTable
        caption="How many put it first"
        heads={["Entry", "Straw poll", "Vote"]}
        rows={voted.entries.map((_, entry) => [letterOf(entry), String(firsts(before, entry)), String(firsts(after, entry))])}
      />
    </section>
  );
}

function Blocs({ debate: { blocs, isDelayed, ruling }, hasVoted }: { readonly debate: Debate; readonly hasVoted: boolean }) {
  if (!hasVoted) return null;
  return (
    <section aria-labelledby="blocs" data-blocs={blocs.length}>
      <Title order={2} id="blocs">
        Voters that ranked alike
      </Title>
      {blocs.length === 0 ? (
        <Empty>No bloc was flagged.</Empty>
      ) : (
        <ul>
          {blocs.map(({ leader, members, tau, jaccard }) => (
            <li key={leader}>
              {[leader, ...members].map(short).join(", ")}: τ at least {(tau / 10_000).toFixed(2)}, first places alike to{" "}
              {percent(jaccard / 10_000)}
            </li>
          ))}
        </ul>
      )}
      {isDelayed && <Text>They hold a critical share: approval waits for adjudicators.</Text>}
      {ruling !== null && <Text>Adjudicators {ruling === "void" ? "voided the vote" : "let the vote stand"}.</Text>}
    </section>
  );
}

const CHECKED = {
  holds: { word: "holds", look: "done", means: "" },
  differs: { word: "differs", look: "failed", means: "" },
  "not yet": { word: "not yet", look: "waiting", means: "" },
  "not kept": { word: "cannot be checked here", look: "waiting", means: "" },
} as const;

/** Whether what was voted on is what became law, step by step. */
function Checks({ checks }: { readonly checks: Debate["checks"] }) {
  return (
    <section aria-labelledby="fidelity">
      <Title order={2} id="fidelity">
        Is the law what was voted on?
      </Title>
      <ul className="plain">
        {checks.map(({ what, result, details }) => (
          <li key={what} data-check={result}>
            <StateMark state={CHECKED[result]} /> {what}
            {details !== "" && <span className="muted mono"> {details.startsWith("0x") ? short(details) : details}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
