import { Group, Text, Title } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useMemo } from "react";
import { Link, useParams } from "react-router";
import { formatMoney } from "../../../orchestrator/primitives/amounts.ts";
import type { ChainNode, History, Law, Ledger, Metric, Mission, Origin } from "../city/answers.ts";
import { useAsked } from "../city/live.tsx";
import { LawPicture } from "../pages/law-picture.tsx";
import { Asked, Empty } from "../parts/asked.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { liveStateWords, missionWords, moment, short } from "../parts/words.ts";
import { Metrics } from "./metrics.tsx";
import { Alerts } from "./mission-alerts.tsx";
import { Books } from "./mission-books.tsx";
import { type Drawn, ENDED, hasFailed, together } from "./mission-nodes.ts";
import { Report } from "./mission-report.tsx";
import { Waits } from "./mission-waits.tsx";
import { NodeCard } from "./node-card.tsx";
import { Making } from "./session-progress.tsx";
import { Verify } from "./verify.tsx";
import { Feed, Json, type Looking, useLooking, ViewChoice } from "./views.tsx";

/** Charts, which a mission's first sight does not wait for. */
const Look = lazy(async () => ({ default: (await import("./look-back.tsx")).Look }));

/** One mission, from the first word about its law to its last payout. */
export function Component() {
  const { id = "" } = useParams();
  const origin = useAsked<Origin>(`/v1/missions/${id}/origin`);
  return (
    <Asked of={origin}>
      {(found) => (found.mission === null ? <Making origin={found} /> : <Running mission={found.mission} origin={found} />)}
    </Asked>
  );
}

function Running({ mission: address, origin }: { readonly mission: string; readonly origin: Origin }) {
  const { id = "", node: named } = useParams();
  const mission = useAsked<Mission>(`/v1/missions/${address}`);
  const law = useAsked<Law>(`/v1/missions/${address}/law`, {}, true);
  const nodes = useAsked<{ readonly nodes: readonly ChainNode[] }>(`/v1/missions/${address}/nodes`);
  const vitals = useAsked<{ readonly metrics: readonly Metric[]; readonly asOf: number }>(`/v1/missions/${address}/vitals`);
  const ledger = useAsked<Ledger>(`/v1/missions/${address}/money`);
  const history = useAsked<History>(`/v1/missions/${address}/history`);
  const drawn = useMemo(() => together(law.data, nodes.data?.nodes), [law.data, nodes.data]);
  const node = drawn.find(({ law: each }) => String(each.number) === named);
  const looking = useLooking();
  const labels = useMemo(() => new Map(drawn.map(({ law: { number, label } }) => [number, label])), [drawn]);
  return (
    <>
      <Asked of={mission}>
        {({ title, goal, state, deposit, expiresAt, visibility }) => (
          <>
            <Title order={1}>{title === null ? `Mission ${short(address)}` : <Quoted text={title} short={80} />}</Title>
            {goal !== null && (
              <Text>
                <Quoted text={goal} short={300} />
              </Text>
            )}
            <Group my="xs" data-mission-state={state}>
              <StateMark state={missionWords(state)} />
              <Text size="sm">{missionWords(state).means}.</Text>
              <Text size="sm" className="muted">
                {formatMoney(BigInt(deposit))} tokens · ends at the latest {moment(expiresAt)} · session{" "}
                <Link to={`/sessions/${origin.session}`}>{origin.session}</Link> · <span className="mono">{short(address)}</span>
              </Text>
            </Group>
            {visibility === "parties" && (
              <Text size="sm" className="muted" data-visibility={visibility}>
                This mission is for its parties. Here stands what everybody may see of it: law, debate, verdicts, hashes, money. Its items,
                outputs and report are for its sponsor and for those who have a part in a node, who ask the gateway with their key.
              </Text>
            )}
          </>
        )}
      </Asked>
      {ENDED.includes(mission.data?.state ?? "") && <Verify mission={address} visibility={mission.data?.visibility ?? "public"} />}
      <Alerts metrics={vitals.data?.metrics ?? []} />
      <Waits
        address={address}
        drawn={drawn}
        state={mission.data?.state}
        asOf={vitals.data?.asOf ?? 0}
        isClosed={ledger.data?.isClosed ?? true}
      />
      <section aria-labelledby="work">
        <Title order={2} id="work">
          Law and work
        </Title>
        <ViewChoice looking={looking} />
        {looking.view === "feed" ? (
          <Feed mission={address} isFailures={looking.isFailures} labels={labels} />
        ) : looking.view === "json" ? (
          <Json mission={address} />
        ) : (
          <Picture law={law} drawn={drawn} looking={looking} current={node?.law.number} id={id}>
            {node !== undefined && (
              <NodeCard
                key={node.law.number}
                address={address}
                id={id}
                node={node}
                asOf={vitals.data?.asOf ?? 0}
                isOver={ENDED.includes(mission.data?.state ?? "")}
                isOwed={BigInt(ledger.data?.entitled ?? 0) > 0n}
              />
            )}
          </Picture>
        )}
      </section>
      <section aria-labelledby="flows">
        <Title order={2} id="flows">
          Money
        </Title>
        <Asked of={ledger}>{(books) => <Books books={books} />}</Asked>
      </section>
      {ENDED.includes(mission.data?.state ?? "") && <Report mission={address} root={history.data?.anchor?.root} />}
      <section aria-labelledby="metrics">
        <Title order={2} id="metrics">
          Eleven live metrics
        </Title>
        <Asked of={vitals}>{({ metrics, asOf }) => <Metrics metrics={metrics} asOf={asOf} />}</Asked>
      </section>
      <section aria-labelledby="history">
        <Title order={2} id="history">
          Looking back
        </Title>
        <Asked of={history}>
          {(found) => (
            <Suspense fallback={<div className="checking" role="status" />}>
              <Look history={found} labels={labels} />
            </Suspense>
          )}
        </Asked>
      </section>
    </>
  );
}

interface PictureProps {
  readonly law: UseQueryResult<Law>;
  readonly drawn: readonly Drawn[];
  readonly looking: Looking;
  readonly current: number | undefined;
  readonly id: string;
  readonly children: ReactNode;
}

/** The law as a graph, or only what of it failed. */
function Picture({ law, drawn, looking: { isFailures, query }, current, id, children }: PictureProps) {
  const linkTo = useMemo(() => (number: number) => `/missions/${id}/nodes/${number}${query}`, [id, query]);
  const failed = useMemo(() => new Set(drawn.filter(hasFailed).map((each) => each.law.number)), [drawn]);
  if (law.error !== null && law.data === undefined)
    return <Empty>This city does not keep the law's document, so its graph cannot be drawn.</Empty>;
  if (drawn.length === 0) return <Asked of={law}>{() => null}</Asked>;
  if (isFailures && failed.size === 0) return <Empty>No part of it failed, is frozen, or was begun again.</Empty>;
  return (
    <LawPicture nodes={drawn} current={current} linkTo={linkTo} words={liveStateWords} only={isFailures ? failed : undefined}>
      {children}
    </LawPicture>
  );
}
