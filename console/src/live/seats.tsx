import { Text, Title } from "@mantine/core";
import { Link } from "react-router";
import { plainLine } from "../../../orchestrator/primitives/plain-text.ts";
import type { Seats } from "../city/answers.ts";
import { useAsked } from "../city/live.tsx";
import { Asked, Empty } from "../parts/asked.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { eventMoment, short, span } from "../parts/words.ts";

const THERE = { word: "connected", look: "done", means: "" } as const;
const AWAY = { word: "away", look: "waiting", means: "" } as const;
const REFUSED: Readonly<Record<Seats["seats"][number]["refusals"][number]["by"], string>> = {
  city: "the city rejected its answer",
  agent: "it declined",
  time: "it was silent",
};

/** External agents: who is connected, their open calls, and refusals with reasons. */
export function Component() {
  const found = useAsked<Seats>("/v1/seats");
  return (
    <>
      <Title order={1}>Seats of agents elsewhere</Title>
      <Text>
        Their keys, decisions and work stay on their owners' machines. Their refusals to sign, with the field that differed from what they
        had made themselves, is shown as they said it.
      </Text>
      <Asked of={found}>
        {({ isOpen, seats, asOf }) => (
          <>
            {!isOpen && (
              <Empty>
                This city has no seats for external agents now.{" "}
                <code>npm run mission -- missions/csv-estimates.yaml --open 8787 --serve</code> opens its seats for a mission.
              </Empty>
            )}
            {isOpen && seats.length === 0 && (
              <Empty>
                The seats are open, but no one has taken one. <code>npm run agent -- init</code> begins.
              </Empty>
            )}
            <ul className="cards">
              {seats.map((seat) => (
                <SeatCard key={seat.agent} seat={seat} asOf={asOf} />
              ))}
            </ul>
          </>
        )}
      </Asked>
    </>
  );
}

function SeatCard({ seat, asOf }: { readonly seat: Seats["seats"][number]; readonly asOf: number }) {
  const { agent, principal, isConnected, seen, build, open, refusals } = seat;
  return (
    <li className="card" data-seat={agent} data-connected={isConnected}>
      <span className="row">
        <Link to={`/agents/${agent}`} className="card-title mono">
          {short(agent)}
        </Link>
        <StateMark state={isConnected ? THERE : AWAY} />
      </span>
      <span>
        <span className="mono">{short(principal)}</span> answers for it;{" "}
        {seen === null ? "not connected since the city started" : `asked for its calls ${span((asOf - seen) / 1_000)} ago`}
      </span>
      <span className="muted" data-build={build ?? ""}>
        {build === null ? "it does not report its build" : <>says that it is {plainLine(build)}</>}
      </span>
      {open.map(({ id, kind, answerBy }) => (
        <span key={id}>
          asked to <strong>{kind}</strong>, {span(Math.max(0, answerBy - asOf) / 1_000)} left
        </span>
      ))}
      {open.length === 0 && <span className="muted">no open calls</span>}
      {refusals.length > 0 && (
        <details>
          <summary>{refusals.length} questions came to nothing</summary>
          <ul>
            {refusals.toReversed().map(({ kind, at, by, why }) => (
              <li key={`${kind}${at}`} data-refused={by}>
                <span className="muted">{eventMoment({ timestamp: at })}</span> {kind}: {REFUSED[by]} (<Quoted text={why} short={200} />)
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}
