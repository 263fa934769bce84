import { Link } from "react-router";
import { plainLine } from "../../../orchestrator/primitives/plain-text.ts";
import type { Event } from "../city/answers.ts";
import { Empty } from "./asked.tsx";
import { eventMoment, eventWords, short } from "./words.ts";

interface EventListProps {
  readonly events: readonly Event[];
  /** Without the day, if all are of the same one. */
  readonly timeOnly?: boolean;
  readonly withNode?: boolean;
  /** A node's name; its number if unknown. */
  readonly nameOf?: (node: number) => string | undefined;
  readonly withEntity?: boolean;
  /** A link from each to its entry of the log. */
  readonly isLinked?: boolean;
}

const nodeWords = (node: number, nameOf: EventListProps["nameOf"]): string => plainLine((nameOf?.(node) ?? `node ${node}`).slice(0, 60));

/** Events in a line each: when, what, about what. */
export function EventList({ events, timeOnly = false, withNode = false, nameOf, withEntity = false, isLinked = false }: EventListProps) {
  if (events.length === 0) return <Empty>Nothing yet.</Empty>;
  return (
    <ol className="news">
      {events.map((event) => (
        <li key={event.eventId}>
          <span className="muted">{timeOnly ? eventMoment(event).slice(11) : eventMoment(event)}</span>{" "}
          {eventWords(event.eventType, event.name)}
          {(withNode || nameOf !== undefined) && event.nodeId !== null && ` · ${nodeWords(event.nodeId, nameOf)}`}
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
