import { Button, Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Link } from "react-router";
import { formatMoney } from "../../../orchestrator/primitives/amounts.ts";
import type { Clearings, Event, Page, Verdict } from "../city/answers.ts";
import { ask, request } from "../city/gateway.ts";
import { useAsked } from "../city/live.tsx";
import { Asked, Empty } from "../parts/asked.tsx";
import { EventList } from "../parts/event-list.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { WhyCleared } from "../parts/why-cleared.tsx";
import { CLASSES, eventMoment, liveStateWords, percent, short, span, TIERS } from "../parts/words.ts";
import { useBearer } from "./bearer.tsx";
import type { Drawn } from "./mission-nodes.ts";
import { Push } from "./mission-waits.tsx";
import { useLooking } from "./views.tsx";

/** Wallets are looked up only where a user may sign in. */
const SignIn = lazy(async () => ({ default: (await import("./sign-in.tsx")).SignInAlone }));

/** From claim to decision; while the mission runs it is for adjudicators, since executors of other nodes could copy. */
function Why({ address, node, isOver }: { readonly address: string; readonly node: number; readonly isOver: boolean }) {
  const { bearer } = useBearer();
  const path = `/v1/missions/${address}/nodes/${node}`;
  const found = useQuery<Clearings>({
    queryKey: ["live", "clearings", path, isOver, bearer?.key],
    queryFn: ({ signal }) =>
      isOver
        ? ask<Clearings>(`${path}/clearings`, {}, signal)
        : request<Clearings>(`${path}/sealed-clearings`, {
            method: "GET",
            headers: { authorization: `Bearer ${bearer?.bearer}` },
            signal,
          }),
    enabled: isOver || bearer !== undefined,
  });
  if (!isOver && bearer === undefined)
    return (
      <>
        <Text size="sm" className="muted">
          Claims, evidence and verdicts are withheld until the mission is over. Adjudicators may read them now.
        </Text>
        <Suspense>
          <SignIn isSmall>Read as an adjudicator</SignIn>
        </Suspense>
      </>
    );
  return (
    <Asked of={found}>
      {({ claims, clearings, watched, limits }) => (
        <>
          <WhyCleared claims={claims} clearings={clearings} nameOf={short} />
          <Watched watched={watched} limits={limits} />
        </>
      )}
    </Asked>
  );
}

/** The Guardian's scores of each run against what stops one: both have to be above it. */
function Watched({ watched, limits }: Pick<Clearings, "watched" | "limits">) {
  return (
    <>
      <Title order={4}>What the Guardian measured</Title>
      <Text size="sm" className="muted">
        A run is stopped when both scorers put it more than {limits.deviation.toFixed(2)} standard deviations beyond its service's earlier
        work, or when it uses more than {limits.tools} tools or {limits.messages} messages.
      </Text>
      {watched.length === 0 && <Empty>No run was measured yet.</Empty>}
      <ul>
        {watched.map(({ service, agent, tasks, scores, reason, repeated }, place) => (
          // A run is named by its place: its service may have run twice.
          // biome-ignore lint/suspicious/noArrayIndexKey: their order is all that tells them apart
          <li key={place} data-watched={service}>
            <span className="mono">{short(agent)}</span>:{" "}
            {scores.length === 0
              ? `no scores, since only ${tasks} earlier tasks of this service cleared`
              : scores.map(({ scorer, z }) => (
                  <span key={scorer} className="row">
                    <span>
                      {scorer}: {z.toFixed(2)} of {limits.deviation.toFixed(2)}
                    </span>
                    <meter min={0} max={limits.deviation} value={Math.max(0, z)} aria-label={`${scorer}: ${z.toFixed(2)}`} />
                  </span>
                ))}
            {reason !== null && <strong> Stopped: {reason}.</strong>}
            {repeated === true && " It stood out, and an issuer got the same from the same code: the input is unusual, not the work."}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The seven stages of a node, and which event shows that each was reached. */
const SEVEN: readonly (readonly [stage: string, isIt: (event: Event) => boolean])[] = [
  ["orchestrate", ({ name }) => name === "CollaborationContract.Routed"],
  ["invoke", ({ name }) => name === "execution.work" || name === "execution.held"],
  ["commit", ({ name }) => name === "CollaborationContract.Committed"],
  ["guard", ({ name }) => name === "CollaborationContract.Revealed" || name === "CollaborationContract.AnomalyReported"],
  ["verify", ({ name }) => name === "CollaborationContract.Cleared" || name === "CollaborationContract.ReviewApproved"],
  ["gate", ({ name }) => name === "CollaborationContract.GateDecided"],
  ["record", ({ name }) => name === "CollaborationContract.Recorded"],
];

export function NodeCard({
  address,
  id,
  node,
  asOf,
  isOver,
  isOwed,
}: {
  readonly address: string;
  readonly id: string;
  readonly node: Drawn;
  readonly asOf: number;
  readonly isOver: boolean;
  /** Earned, and not yet claimed. */
  readonly isOwed: boolean;
}) {
  const { law, now } = node;
  const { query: closed } = useLooking();
  const events = useAsked<Page<Event>>("/v1/events", { mission: address, node: law.number, limit: 200 });
  const verdicts = useAsked<{ readonly verdicts: readonly Verdict[] }>(`/v1/missions/${address}/verdicts`);
  const own = (verdicts.data?.verdicts ?? []).filter((each) => each.node === law.number);
  const canFreeze = now !== undefined && ["EXECUTING", "PENDING_VERIFICATION", "ELIGIBLE", "PENDING_REVIEW"].includes(now.state);
  return (
    <aside className="panel" aria-labelledby="node">
      <Group justify="space-between">
        <Title order={3} id="node">
          <Quoted text={law.label} short={60} />
        </Title>
        <Link to={`/missions/${id}${closed}`}>Close</Link>
      </Group>
      <Text data-node-state={now?.state}>
        <StateMark state={liveStateWords(now?.state)} /> {liveStateWords(now?.state).means}
      </Text>
      <Text size="sm">
        Tier {law.tier}: {TIERS[law.tier]}. Evidence: at least {law.floor}, {CLASSES[law.floor]}. Up to {formatMoney(BigInt(law.budget))}{" "}
        tokens for {law.redundancy} executor{law.redundancy === 1 ? "" : "s"}.
      </Text>
      {now !== undefined && (
        <Text size="sm">
          Attempt {now.attempt}
          {now.deadline > 0 && `, its clock ends in ${span(now.deadline - asOf)}`}
          {now.freezes > 0 && `, frozen ${now.freezes} times`}
        </Text>
      )}
      <ol className="stages" aria-label="Seven stages">
        {SEVEN.map(([stage, isIt]) => {
          const reached = (events.data?.items ?? []).findLast(isIt);
          return (
            <li key={stage} data-is={reached === undefined ? "later" : "done"} title={reached === undefined ? "" : eventMoment(reached)}>
              {stage}
            </li>
          );
        })}
      </ol>
      <Title order={4}>Why it cleared, or not</Title>
      {own.length === 0 ? (
        <Empty>Nothing was decided yet.</Empty>
      ) : (
        <ul>
          {own.map((each) => (
            <li key={each.eventId}>
              The chain, attempt {each.attempt}: <strong>{each.result}</strong>, confidence {percent(each.confidence / 10_000)}, resting on{" "}
              {each.evidenceClass} ({CLASSES[each.evidenceClass]}); {each.agreeing.length} of {law.redundancy} agreed
            </li>
          ))}
        </ul>
      )}
      <Why address={address} node={law.number} isOver={isOver} />
      <Title order={4}>Executors</Title>
      {(now?.executors ?? []).length === 0 ? (
        <Empty>Nobody is bound to it yet.</Empty>
      ) : (
        <ul>
          {now?.executors.map(({ slot, agent, price, isCommitted, isRevealed }) => (
            <li key={slot}>
              <Link to={`/agents/${agent}`} className="mono">
                {short(agent)}
              </Link>{" "}
              for {formatMoney(BigInt(price))}: {isRevealed ? "handed in" : isCommitted ? "committed" : "at work"}
            </li>
          ))}
        </ul>
      )}
      {isOwed && now?.isRecorded === true && (
        <Push step="claim" name="Have what was earned here paid out" of={{ mission: address, node: law.number }} />
      )}
      {canFreeze && (
        <Button
          component={Link}
          to={`/panel/act?action=FREEZE&mission=${address}&node=${law.number}`}
          color="red"
          variant="outline"
          size="compact-sm"
          my="xs"
        >
          Freeze this node
        </Button>
      )}
      <Title order={4}>What happened here</Title>
      <EventList events={(events.data?.items ?? []).slice(-30)} timeOnly />
      <Link to={`/log?mission=${address}&node=${law.number}`}>In the log</Link>
    </aside>
  );
}
