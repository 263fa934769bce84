import { Link } from "react-router";
import type { Event } from "../city/answers.ts";
import { Empty } from "./asked.tsx";
import { eventMoment, eventWords, short } from "./words.ts";

interface EventListProps {
  readonly events: readonly Event[];
  /** Without the day, where all are of one. */
  readonly timeOnly?: boolean;
  readonly withNode?: boolean;
  readonly withEntity?: boolean;
  /** A link from each to its entry of the log. */
  readonly isLinked?: boolean;
}

/** Events in a line each: when, what, about what. */
export function EventList({ events, timeOnly = false, withNode = false, withEntity = false, isLinked = false }: EventListProps) {
  if (events.length === 0) return <Empty>Nothing yet.</Empty>;
  return (
    <ol className="news">
      {events.map((event) => (
        <li key={event.eventId}>
          <span className="muted">{timeOnly ? eventMoment(event).slice(11) : eventMoment(event)}</span>{" "}
          {eventWords(event.eventType, event.name)}
          {withNode && event.nodeId !== null && ` · node ${event.nodeId}`}
          {withEntity && event.primaryEntity !== null && ` · ${short(event.primaryEntity)}`}
          {isLinked && (
            <>
              {" "}
              · <Link to={`/log?event=${event.eventId}`}>read it</Link>
            </>
          )}
        </li>
      ))}
    </ol>
  );
}
