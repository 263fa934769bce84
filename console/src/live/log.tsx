import { Button, Group, NativeSelect, Text, TextInput, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { contentIdOf, keccak256 } from "../../../orchestrator/primitives/hash.ts";
import { canonicalBytes } from "../../../orchestrator/primitives/json.ts";
import type { Event, Page, Payload } from "../city/answers.ts";
import { ask } from "../city/gateway.ts";
import { useLive } from "../city/live.tsx";
import { Asked, Empty, Problem } from "../parts/asked.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { save } from "../parts/save.ts";
import { SidePanel } from "../parts/side-panel.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { eventMoment, eventWords, isNone, short } from "../parts/words.ts";

/** The nine dimensions of the Logging Hub (AgentCity B.12), as gateway parameters, and text in payloads. */
const FILTERS = [
  { name: "mission", label: "Mission", hint: "contract or missionId" },
  { name: "session", label: "Session", hint: "1" },
  { name: "agent", label: "Agent", hint: "0x…" },
  { name: "principal", label: "Principal", hint: "0x…" },
  { name: "contract", label: "Contract", hint: "0x…" },
  { name: "eventType", label: "Type", hint: "TASK_COMPLETED" },
  { name: "name", label: "Name", hint: "Contract.Event, or a record's kind" },
  { name: "node", label: "Node", hint: "of the mission" },
  { name: "epoch", label: "Epoch", hint: "0" },
  { name: "fromTime", label: "From (ms)", hint: "unix milliseconds" },
  { name: "toTime", label: "To (ms)", hint: "unix milliseconds" },
  { name: "fromBlock", label: "From block", hint: "1" },
  { name: "toBlock", label: "To block", hint: "1" },
  { name: "text", label: "Text", hint: "in payloads" },
] as const;
const PAGE = 200;
const ROW = 34;
/** Entries exported in one file. */
const MAX_EXPORTED = 100_000;

/** All events of chain and records in one stream: newest first, filtered by the city; payloads are read and hashed here. */
export function Component() {
  const [query, setQuery] = useSearchParams();
  const filter = useMemo(
    () =>
      Object.fromEntries(
        ["failures", ...FILTERS.map(({ name }) => name)].flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? ""]] : [])),
      ),
    [query],
  );
  const where = query.get("kind") ?? "";
  const { listen } = useLive();
  const [fresh, setFresh] = useState(0);
  useEffect(() => listen(() => setFresh((count) => count + 1)), [listen]);
  const pages = useInfiniteQuery({
    queryKey: ["log", filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => ask<Page<Event>>("/v1/events", { ...filter, newest: true, limit: PAGE, cursor: pageParam }, signal),
    getNextPageParam: (last) => last.next ?? undefined,
  });
  const all = useMemo(() => (pages.data?.pages ?? []).flatMap(({ items }) => items), [pages.data]);
  const events = useMemo(
    () => (where === "" ? all : all.filter(({ record }) => (record !== null) === (where === "records"))),
    [all, where],
  );
  const chosen = query.get("event") ?? undefined;
  const set = (name: string, value: string) =>
    setQuery((before) => {
      const next = new URLSearchParams(before);
      if (value === "") next.delete(name);
      else next.set(name, value);
      return next;
    });
  return (
    <>
      <Title order={1}>The log</Title>
      <Text>One stream of chain events and the city's records, each entry bound to the one before by its hash.</Text>
      <form
        className="filters"
        key={JSON.stringify(filter)}
        onSubmit={(event) => {
          event.preventDefault();
          const given = new FormData(event.currentTarget);
          const next = new URLSearchParams(
            ["kind", "failures"].flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? ""]] : [])),
          );
          for (const { name } of FILTERS) if (given.get(name) !== "" && given.get(name) !== null) next.set(name, String(given.get(name)));
          setQuery(next);
        }}
      >
        {FILTERS.map(({ name, label, hint }) => (
          <TextInput key={name} name={name} size="xs" label={label} placeholder={hint} defaultValue={filter[name] ?? ""} />
        ))}
        <NativeSelect
          size="xs"
          label="Where"
          value={where}
          onChange={({ currentTarget }) => set("kind", currentTarget.value)}
          data={[
            { value: "", label: "chain and records" },
            { value: "chain", label: "chain only" },
            { value: "records", label: "records only" },
          ]}
        />
        <NativeSelect
          size="xs"
          label="What"
          value={filter["failures"] ?? ""}
          onChange={({ currentTarget }) => set("failures", currentTarget.value)}
          data={[
            { value: "", label: "everything" },
            { value: "true", label: "failures only" },
          ]}
        />
        <Group align="end" gap="xs">
          <Button type="submit" size="xs">
            Filter
          </Button>
          <Button type="button" size="xs" variant="default" onClick={() => setQuery(new URLSearchParams())}>
            All
          </Button>
          <Export filter={filter} />
        </Group>
      </form>
      {fresh > 0 && (
        <Button
          size="compact-sm"
          variant="light"
          my="xs"
          onClick={() => {
            setFresh(0);
            void pages.refetch();
          }}
        >
          {fresh} new entries: show them
        </Button>
      )}
      <div className="split" data-open={chosen !== undefined}>
        <div>
          {pages.error !== null && <Problem error={pages.error} />}
          {pages.data !== undefined && events.length === 0 && !pages.hasNextPage && <Empty>No entry fits this filter.</Empty>}
          <Rows
            events={events}
            chosen={chosen}
            onChoose={(id) => set("event", id)}
            onEnd={() => {
              if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
            }}
          />
          {(pages.data !== undefined || pages.error === null) && (
            <Text size="sm" className="muted" data-loaded={all.length}>
              {all.length.toLocaleString("en")} entries read
              {pages.data === undefined
                ? "; more are on their way …"
                : pages.isFetching && filter["text"] !== undefined
                  ? "; earlier ones are searched …"
                  : pages.hasNextPage
                    ? "; scroll for earlier ones"
                    : ", all there are"}
            </Text>
          )}
        </div>
        {chosen !== undefined && <Entry key={chosen} id={chosen} onClose={() => set("event", "")} />}
      </div>
    </>
  );
}

interface RowsProps {
  readonly events: readonly Event[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly onEnd: () => void;
}

/** Only visible entries are rendered, so that a hundred thousand scroll like ten. */
function Rows({ events, chosen, onChoose, onEnd }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({ count: events.length, getScrollElement: () => scroller.current, estimateSize: () => ROW, overscan: 20 });
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= events.length - 1) onEnd();
  }, [last, events.length, onEnd]);
  return (
    // Keyboards scroll what has the focus.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable without a pointer
    <section ref={scroller} className="rows" tabIndex={0} aria-label="Entries, the last first">
      <div style={{ height: rows.getTotalSize(), position: "relative" }}>
        {items.map(({ index, start }) => {
          const event = events[index];
          if (event === undefined) return null;
          return (
            <button
              key={event.eventId}
              type="button"
              className="entry"
              aria-current={event.eventId === chosen}
              style={{ transform: `translateY(${start}px)` }}
              onClick={() => onChoose(event.eventId)}
            >
              <span className="muted">{event.sequence}</span>
              <span className="muted">{eventMoment(event)}</span>
              <span>{event.record === null ? `block ${event.blockNumber}` : "record"}</span>
              <strong>{eventWords(event.eventType, event.name)}</strong>
              <span className="muted">{event.name}</span>
              <span>{event.nodeId === null ? "" : `node ${event.nodeId}`}</span>
            </button>
          );
        })}
      </div>
    </section>
  );
}

const FITS = { word: "hash fits", look: "done", means: "" } as const;
const DIFFERS = { word: "hash differs: this is not the logged content", look: "failed", means: "" } as const;

function Entry({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const event = useQuery<Event>({
    queryKey: ["once", "event", id],
    queryFn: ({ signal }) => ask<Event>(`/v1/events/${id}`, {}, signal),
    staleTime: 10_000,
  });
  const cid = event.data?.payloadCid ?? undefined;
  const payload = useQuery<Payload>({
    queryKey: ["once", "payload", cid],
    queryFn: ({ signal }) => ask<Payload>(`/v1/payloads/${cid}`, {}, signal),
    enabled: cid !== undefined,
    retry: false,
  });
  const check = useMemo(() => {
    if (payload.data === undefined) return undefined;
    const bytes = canonicalBytes(payload.data.payload);
    return { hash: keccak256(bytes), cid: contentIdOf(bytes) };
  }, [payload.data]);
  const fits = check !== undefined && check.hash === event.data?.payloadHash && check.cid === cid;
  return (
    <SidePanel id="entry" title={`Entry ${event.data?.sequence ?? ""}`} onClose={onClose}>
      <Asked of={event}>
        {(found) => (
          <>
            <table>
              <tbody>
                {(
                  [
                    ["what", found.name],
                    ["when", `${eventMoment(found)}${found.blockNumber > 0 ? `, block ${found.blockNumber}` : ""}`],
                    ["mission", isNone(found.missionId) ? "" : found.missionId],
                    ["about", found.primaryEntity ?? ""],
                    ["and", found.secondaryEntity ?? ""],
                    ["transaction", found.transactionHash ?? ""],
                    ["hash of this entry", found.hash],
                    ["the one before", found.prev],
                  ] as const
                )
                  .filter(([, value]) => value !== "")
                  .map(([name, value]) => (
                    <tr key={name}>
                      <th scope="row">{name}</th>
                      <td className="mono">{name === "mission" ? <Link to={`/missions/${value}`}>{short(value)}</Link> : value}</td>
                    </tr>
                  ))}
              </tbody>
            </table>
            {found.isCorrected && <Text role="alert">A reorganization of the chain invalidated this entry; it stays in the log.</Text>}
            {cid === undefined ? (
              <Text>Withheld until its mission is over: work could be guessed from its hash.</Text>
            ) : (
              <Asked of={payload}>
                {({ payload: value }) => (
                  <>
                    <Text data-payload={fits}>
                      <StateMark state={fits ? FITS : DIFFERS} /> recomputed in this browser:
                    </Text>
                    <Text className="mono" size="sm">
                      {check?.hash}
                    </Text>
                    <pre className="mono payload">
                      <Quoted text={JSON.stringify(value, null, 2)} short={4_000} />
                    </pre>
                  </>
                )}
              </Asked>
            )}
            <Link to={`/log?${subjectOf(found)}`}>Follow its subject</Link>
          </>
        )}
      </Asked>
    </SidePanel>
  );
}

function subjectOf({ primaryEntity, missionId, name }: Event): URLSearchParams {
  if (primaryEntity !== null) return new URLSearchParams({ agent: primaryEntity });
  return isNone(missionId) ? new URLSearchParams({ name }) : new URLSearchParams({ mission: missionId });
}

/** The filtered entries as NDJSON, oldest first, as reported by the city. */
function Export({ filter }: { readonly filter: Readonly<Record<string, string>> }) {
  const [read, setRead] = useState<number>();
  const run = async () => {
    const lines: string[] = [];
    try {
      for (let cursor: string | null | undefined; cursor !== null && lines.length < MAX_EXPORTED; ) {
        const page: Page<Event> = await ask<Page<Event>>("/v1/events", { ...filter, limit: PAGE, cursor });
        for (const event of page.items) lines.push(JSON.stringify(event));
        cursor = page.next;
        setRead(lines.length);
      }
      save("agentcity-log.ndjson", `${lines.join("\n")}\n`, "application/x-ndjson");
    } finally {
      setRead(undefined);
    }
  };
  return (
    <Button size="xs" variant="default" disabled={read !== undefined} onClick={() => void run()}>
      {read === undefined ? "Export" : `${read} read …`}
    </Button>
  );
}
