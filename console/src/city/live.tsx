import { QueryClient, QueryClientProvider, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { createParser } from "eventsource-parser";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import type { Event } from "./answers.ts";
import { ask, GatewayRefusal, type Query } from "./gateway.ts";

/** State of the connection to the city. */
export type Link =
  | { readonly kind: "connecting" }
  | { readonly kind: "live"; readonly sequence: number }
  /** `since`: milliseconds; the shown data is from then. */
  | { readonly kind: "lost"; readonly since: number };

type Listener = (event: Event) => void;

interface Live {
  readonly link: Link;
  /** Receives every event from now on, in order and without gaps. */
  readonly listen: (listener: Listener) => () => void;
}

const Context = createContext<Live>({ link: { kind: "connecting" }, listen: () => () => {} });

/** Milliseconds from the first event to the next query, between two queries, and before reconnecting. */
const SOON = 60;
const AGAIN = 900;
const RECONNECT = 700;
/** Without data for this long, including pings, the connection is dead: milliseconds. */
const SILENCE = 12_000;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (count, error) => error instanceof GatewayRefusal && [429, 503].includes(error.status) && count < 5,
      retryDelay: (count) => 300 * 2 ** count,
      refetchOnWindowFocus: false,
      // The stream shows when the city is reachable; the browser's online state does not.
      networkMode: "always",
    },
  },
});

/** Follows the city through one stream of events, which triggers new queries. */
export function LiveCity({ children }: { readonly children: ReactNode }) {
  const [link, setLink] = useState<Link>({ kind: "connecting" });
  const listeners = useMemo(() => new Set<Listener>(), []);
  useEffect(() => {
    const ended = new AbortController();
    void follow(ended.signal, setLink, (event) => {
      for (const listener of listeners) listener(event);
    });
    return () => ended.abort();
  }, [listeners]);
  const live = useMemo<Live>(
    () => ({
      link,
      listen(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    }),
    [link, listeners],
  );
  return (
    <QueryClientProvider client={client}>
      <Context value={live}>{children}</Context>
    </QueryClientProvider>
  );
}

export function useLive(): Live {
  return useContext(Context);
}

/** Milliseconds between two queries of data without events: cases and orders are files of the city, seats are connections to it. */
const LOOK = 2_000;
const UNTOLD: readonly (string | undefined)[] = ["/v1/cases", "/v1/orders", "/v1/seats"];

/** A query that is repeated after events. */
export function useAsked<Answer>(path: string | undefined, query: Query = {}, once = false): UseQueryResult<Answer> {
  return useQuery<Answer>({
    queryKey: [once ? "once" : "live", path, query],
    queryFn: ({ signal }) => ask<Answer>(path ?? "", query, signal),
    enabled: path !== undefined,
    ...(UNTOLD.includes(path) ? { refetchInterval: LOOK } : {}),
    ...(once ? { staleTime: Number.POSITIVE_INFINITY } : {}),
  });
}

export function askAgain(): Promise<void> {
  return client.invalidateQueries({ queryKey: ["live"] });
}

/** Repeats queries soon after the first of many events, and at most as often as they take. */
function eagerly(): () => void {
  let last = 0;
  let due: ReturnType<typeof setTimeout> | undefined;
  return () => {
    if (due !== undefined) return;
    const wait = Math.max(SOON, last + AGAIN - Date.now());
    due = setTimeout(() => {
      due = undefined;
      last = Date.now();
      void askAgain();
    }, wait);
  };
}

async function follow(ended: AbortSignal, show: (link: Link) => void, listener: Listener): Promise<void> {
  let last: number | undefined;
  let lostAt: number | undefined;
  const news = eagerly();
  while (!ended.aborted) {
    try {
      const { sequence } = await ask<{ readonly sequence: number }>("/health", {}, ended);
      // Another city, or one founded again, has other positions in its stream.
      if (last !== undefined && sequence < last) {
        client.clear();
        last = undefined;
      }
      last ??= sequence;
      show({ kind: "live", sequence });
      if (lostAt !== undefined) void askAgain();
      lostAt = undefined;
      await read(ended, last, (event) => {
        last = event.sequence;
        show({ kind: "live", sequence: event.sequence });
        listener(event);
        news();
      });
    } catch {
      // Reported below, and retried.
    }
    if (ended.aborted) return;
    lostAt ??= Date.now();
    show({ kind: "lost", since: lostAt });
    await new Promise((resolve) => setTimeout(resolve, RECONNECT));
  }
}

/** Reads the stream until it ends or becomes silent. */
async function read(ended: AbortSignal, after: number, listener: Listener): Promise<void> {
  const silent = new AbortController();
  const response = await fetch("/v1/events/stream", {
    headers: { "last-event-id": String(after), accept: "text/event-stream" },
    signal: AbortSignal.any([ended, silent.signal]),
    cache: "no-store",
  });
  if (!response.ok || response.body === null) throw new Error(`the stream answered ${response.status}`);
  const parser = createParser({ onEvent: ({ data }) => listener(JSON.parse(data) as Event) });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const patience = setTimeout(() => silent.abort(), SILENCE);
    const { done, value } = await reader.read().finally(() => clearTimeout(patience));
    if (done) return;
    parser.feed(value);
  }
}
