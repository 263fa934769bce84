import { Button, Checkbox, Group, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import type { Event, Page } from "../city/answers.ts";
import { ask, GatewayRefusal } from "../city/gateway.ts";
import { Asked, Empty, Problem } from "../parts/asked.tsx";
import { Copy } from "../parts/copy.tsx";
import { EventList } from "../parts/event-list.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { save } from "../parts/save.ts";

const VIEWS = { graph: "Graph and table", feed: "Feed", json: "JSON" } as const;
export type View = keyof typeof VIEWS;

/** The chosen view of a mission, part of the URL so that it can be shared. */
export interface Looking {
  readonly view: View;
  /** Only failures and stops. */
  readonly isFailures: boolean;
  /** Of the address, with its question mark. */
  readonly query: string;
}

export function useLooking(): Looking {
  const [query] = useSearchParams();
  const named = query.get("as") ?? "graph";
  const text = query.toString();
  return {
    view: Object.hasOwn(VIEWS, named) ? (named as View) : "graph",
    isFailures: query.get("only") === "failures",
    query: text === "" ? "" : `?${text}`,
  };
}

export function ViewChoice({ looking: { view, isFailures } }: { readonly looking: Looking }) {
  const [query, setQuery] = useSearchParams();
  const queryWith = (name: string, value: string | undefined) => {
    const next = new URLSearchParams(query);
    if (value === undefined) next.delete(name);
    else next.set(name, value);
    return next;
  };
  return (
    <Group my="xs">
      <nav aria-label="How it is shown" className="row">
        {Object.entries(VIEWS).map(([name, words]) => (
          <Button
            key={name}
            component={Link}
            to={{ search: queryWith("as", name === "graph" ? undefined : name).toString() }}
            preventScrollReset
            size="compact-sm"
            variant={name === view ? "filled" : "default"}
            color="teal.9"
            aria-current={name === view ? "page" : undefined}
          >
            {words}
          </Button>
        ))}
      </nav>
      {view !== "json" && (
        <Checkbox
          label="failures only"
          checked={isFailures}
          // At once: a box that waits for the page behind it would spring back.
          onChange={({ currentTarget }) => setQuery(queryWith("only", currentTarget.checked ? "failures" : undefined), { flushSync: true })}
        />
      )}
    </Group>
  );
}

const PAGE = 50;

interface FeedProps {
  readonly mission: string;
  readonly isFailures: boolean;
  readonly labels: ReadonlyMap<number, string>;
}

/** All events of a mission in one column, from the first draft of its law to its last payout. */
export function Feed({ mission, isFailures, labels }: FeedProps) {
  const pages = useInfiniteQuery({
    queryKey: ["live", "feed", mission, isFailures],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      ask<Page<Event>>("/v1/events", { mission, failures: isFailures || undefined, newest: true, limit: PAGE, cursor: pageParam }, signal),
    getNextPageParam: (last) => last.next ?? undefined,
  });
  if (pages.data === undefined) return <Asked of={pages}>{() => null}</Asked>;
  const events = pages.data.pages.flatMap(({ items }) => items);
  return (
    <div data-feed={isFailures ? "failures" : "all"}>
      {events.length === 0 ? (
        <Empty>{isFailures ? "Nothing went wrong, and nothing was stopped." : "Nothing happened yet."}</Empty>
      ) : (
        <EventList events={events} withEntity isLinked nameOf={(node) => labels.get(node)} />
      )}
      {pages.hasNextPage && (
        <Button size="compact-sm" variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          Earlier
        </Button>
      )}
    </div>
  );
}

/** The gateway's data on a mission, by the last part of the path. */
const PARTS = ["origin", "law", "nodes", "verdicts", "money", "vitals", "history"] as const;

/** A city may have deleted a law's document; other failures are errors. */
function nothingIfGone(error: unknown): null {
  if (error instanceof GatewayRefusal && error.status === 404) return null;
  throw error;
}

/** The gateway's data on a mission, as one document. */
export function Json({ mission }: { readonly mission: string }) {
  const path = `/v1/missions/${mission}`;
  const found = useQuery({
    queryKey: ["live", "json", mission],
    queryFn: async ({ signal }) => {
      const answers = await Promise.all(
        PARTS.map(async (name) => [name, await ask<unknown>(`${path}/${name}`, {}, signal).catch(nothingIfGone)] as const),
      );
      return JSON.stringify({ mission: await ask<unknown>(path, {}, signal), ...Object.fromEntries(answers) }, null, 2);
    },
  });
  return (
    <Asked of={found}>
      {(text) => (
        <div data-json>
          <Group my="xs">
            <Button size="compact-sm" variant="default" onClick={() => save(`mission-${mission}.json`, `${text}\n`, "application/json")}>
              Save
            </Button>
            <Copy text={text} />
            <Text size="sm" className="muted">
              What <code>GET {path}</code> and its parts {PARTS.join(", ")} say; a part that this city does not keep is null.
            </Text>
          </Group>
          {found.error !== null && <Problem error={found.error} />}
          <pre className="mono payload">
            <Quoted text={text} short={8_000} />
          </pre>
        </div>
      )}
    </Asked>
  );
}
