import { Alert, Button, Group, Text, Title } from "@mantine/core";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { Link, useParams } from "react-router";
import { formatMoney } from "../../../orchestrator/primitives/amounts.ts";
import { sessionTransitions } from "../../../orchestrator/rules/transitions/session.ts";
import type {
  Case,
  ChainNode,
  Clearings,
  Condition,
  Event,
  History,
  Law,
  LawNode,
  Ledger,
  Metric,
  Mission,
  Origin,
  Page,
  Session,
  Verdict,
} from "../city/answers.ts";
import { ask, GatewayRefusal, send as post, request } from "../city/gateway.ts";
import { askAgain, useAsked } from "../city/live.tsx";
import { LawPicture } from "../pages/law-picture.tsx";
import { Sankey, sum } from "../pages/money.tsx";
import { DEPOSIT, type Flow } from "../pages/money-flows.ts";
import { Asked, Empty, Problem } from "../parts/asked.tsx";
import { EventList } from "../parts/event-list.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { WhyCleared } from "../parts/why-cleared.tsx";
import { CLASSES, eventMoment, liveStateWords, missionWords, moment, percent, sessionWords, short, span, TIERS } from "../parts/words.ts";
import { useBearer } from "./bearer.tsx";
import { Metrics } from "./metrics.tsx";
import { Verify } from "./verify.tsx";
import { Feed, Json, type Looking, useLooking, ViewChoice } from "./views.tsx";

/** Charts, which a mission's first sight does not wait for. */
const Look = lazy(async () => ({ default: (await import("./look-back.tsx")).Look }));

/** Wallets are looked for where somebody may sign in, and nowhere else. */
const SignIn = lazy(async () => ({ default: (await import("./sign-in.tsx")).SignInAlone }));

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

/** The stages that a session passes when nothing goes wrong. */
const STAGES: readonly string[] = sessionTransitions.states.slice(1, 9);

function Making({ origin }: { readonly origin: Origin }) {
  const session = useAsked<Session>(`/v1/sessions/${origin.session}`);
  const condition = useAsked<Condition>("/v1/condition");
  return (
    <>
      <Title order={1}>A law is being made</Title>
      <Asked of={session}>
        {({ state, deadline, electorate, ballots, deposit }) => (
          <>
            <Text>
              {electorate} agents may vote, {ballots} did. {formatMoney(BigInt(deposit))} tokens are deposited.{" "}
              <Link to={`/sessions/${origin.session}`}>See how the law comes about</Link>
            </Text>
            <Steps state={state} />
            <WaitingFor
              who={sessionWords(state).means}
              until={deadline === 0 ? undefined : deadline}
              then="the session goes on with what it has, or ends without a law"
              push={<SessionPush session={origin.session} state={state} deadline={deadline} asOf={condition.data?.chain.time ?? 0} />}
            />
          </>
        )}
      </Asked>
    </>
  );
}

export function Steps({ state }: { readonly state: string }) {
  const at = STAGES.indexOf(state);
  return (
    <ol className="stages" aria-label="Stages of the session">
      {STAGES.map((stage, place) => (
        <li
          key={stage}
          data-is={place < at || state === "DEPLOYED" ? "done" : place === at ? "now" : "later"}
          aria-current={place === at ? "step" : undefined}
        >
          {sessionWords(stage).word}
        </li>
      ))}
      {at === -1 && <li data-is="failed">{sessionWords(state).word}</li>}
    </ol>
  );
}

interface WaitingForProps {
  readonly who: string;
  readonly until: number | undefined;
  readonly then: string;
  /** What anybody may do about it. */
  readonly push?: ReactNode;
}

function WaitingFor({ who, until, then, push }: WaitingForProps) {
  return (
    <aside className="card" aria-label="Waiting for">
      <strong>Waiting for: {who}</strong>
      <span>
        {until === undefined ? "no clock runs" : `until ${moment(until)} of chain time`}; then {then}.
      </span>
      {push}
    </aside>
  );
}

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

interface PushProps {
  readonly step: string;
  readonly name: string;
  readonly of: { readonly mission?: string; readonly node?: number; readonly session?: string };
}

/** A step that anybody may send once it is due: the city sends it, and the chain refuses what is not. */
function Push({ step, name, of }: PushProps) {
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await post("/v1/pushes", { step, ...of });
      await askAgain();
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button size="compact-sm" variant="default" loading={isBusy} onClick={() => void send()} data-push={step}>
        {name}
      </Button>
      {problem !== undefined && <Problem error={problem} />}
    </>
  );
}

interface SessionPushProps {
  readonly session: string;
  readonly state: string;
  readonly deadline: number;
  /** Chain time, seconds. */
  readonly asOf: number;
}

/** What anybody may send for a session whose clock ran out: the count of its vote, else its end. */
function SessionPush({ session, state, deadline, asOf }: SessionPushProps) {
  if (deadline === 0 || deadline >= asOf) return null;
  return state === "VOTING" ? (
    <Push step="tally" name="The vote is over: have it counted" of={{ session }} />
  ) : (
    <Push step="expire" name="Its time is over: have it ended" of={{ session }} />
  );
}

interface Drawn {
  readonly law: LawNode;
  readonly now: ChainNode | undefined;
  readonly end: { readonly state: string; readonly executors: readonly { readonly agent: string; readonly attempt: number }[] };
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

/** Questions for a report that is about to be written: after 0.3, 0.6, 1.2 … seconds. */
const REPORT_TRIES = 5;

/** What came out, as the mission's own report says; agents' words are in it. */
function Report({ mission, root }: { readonly mission: string; readonly root: string | undefined }) {
  // It is written once, just after the records' root was anchored: whatever else happens in the city, a report that is not there stays away.
  const report = useQuery({
    queryKey: ["once", "report", mission, root],
    queryFn: ({ signal }) => ask<{ readonly markdown: string }>(`/v1/missions/${mission}/report`, {}, signal),
    retry: (count, error) => error instanceof GatewayRefusal && error.status === 404 && root !== undefined && count < REPORT_TRIES,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <section aria-labelledby="report">
      <Title order={2} id="report">
        The report
      </Title>
      {report.error !== null && report.data === undefined ? (
        <Empty>This city does not keep the bundle of this mission, so its report is not here.</Empty>
      ) : (
        <Asked of={report}>
          {({ markdown }) => (
            <div className="excerpt" data-report>
              <Quoted text={markdown} short={1_500} />
            </div>
          )}
        </Asked>
      )}
    </section>
  );
}

/** Whether a part failed, is frozen, or was begun again after an attempt that failed. */
const hasFailed = ({ now }: Drawn): boolean => now !== undefined && (["FAILED", "FROZEN"].includes(now.state) || now.attempt > 1);

const ENDED: readonly string[] = ["COMPLETED", "FAILED", "ABORTED"];

function together(law: Law | undefined, nodes: readonly ChainNode[] | undefined): readonly Drawn[] {
  return (law?.nodes ?? []).map((each) => {
    const now = nodes?.find(({ number }) => number === each.number);
    const executors = (now?.executors ?? []).map(({ agent }) => ({ agent: short(agent), attempt: now?.attempt ?? 1 }));
    return { law: each, now, end: { state: now?.state ?? "WAITING", executors } };
  });
}

/** Over the whole screen until it was seen; then it stays at the top. A later stop is another one. */
function StopAlert({ what, since }: { readonly what: string; readonly since: string }) {
  const key = `${what} ${since}`;
  const [seen, setSeen] = useState("");
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (seen !== key) dialog.current?.showModal();
  }, [seen, key]);
  return (
    <>
      {seen !== key && (
        <dialog ref={dialog} className="stop-screen" aria-labelledby="stop-screen" onClose={() => setSeen(key)} data-stop>
          <h2 id="stop-screen">EMERGENCY STOP: {what}</h2>
          <p>
            Nothing is routed until adjudicators clear it{since === "" ? "" : `. Since ${since} of chain time`}. What is under way goes on.
          </p>
          <form method="dialog">
            <button type="submit">I have seen it</button>
          </form>
        </dialog>
      )}
      <div className="stopped" role="alert">
        <strong>EMERGENCY STOP: {what}.</strong> Nothing is routed until adjudicators clear it. <Link to="/panel">Override panel</Link>
      </div>
    </>
  );
}

function Alerts({ metrics }: { readonly metrics: readonly Metric[] }) {
  const alerts = metrics.filter((each) => each.alerts);
  const stop = alerts.find(({ name }) => name === "emergency stops");
  if (alerts.length === 0) return null;
  return (
    <>
      {stop !== undefined && <StopAlert what={stop.value} since={stop.parts[0]?.value ?? ""} />}
      <Alert color="red" variant="outline" role="alert" title={`${alerts.length} of 11 metrics ask for attention`} my="sm">
        <ul className="plain">
          {alerts.map(({ name, value, parts }) => (
            <li key={name}>
              <strong>{name}:</strong> {value}
              {parts.length > 0 && parts.length < 6 && ` (${parts.map(({ label, value: own }) => `${short(label)} ${own}`).join("; ")})`}
            </li>
          ))}
        </ul>
      </Alert>
    </>
  );
}

/** Who is waited for, until when, and what happens then. */
interface WaitsProps {
  readonly address: string;
  readonly drawn: readonly Drawn[];
  readonly state: string | undefined;
  /** Chain time, seconds. */
  readonly asOf: number;
  readonly isClosed: boolean;
}

function Waits({ address, drawn, state, asOf, isClosed }: WaitsProps) {
  const cases = useAsked<{ readonly cases: readonly Case[] }>("/v1/cases");
  const own = (cases.data?.cases ?? []).filter(({ mission, isCurrent }) => isCurrent && mission?.toLowerCase() === address.toLowerCase());
  const working = drawn.filter(({ now }) => now !== undefined && ["EXECUTING", "PENDING_VERIFICATION"].includes(now.state));
  const next = working.toSorted((a, b) => (a.now?.deadline ?? 0) - (b.now?.deadline ?? 0)).at(0);
  if (own.length > 0)
    return (
      <ul className="cards">
        {own.map((each) => (
          <li key={each.name} className="card card-now">
            <strong>Waiting for an adjudicator: {each.label ?? each.name}</strong>
            <Button component={Link} to={`/panel/cases/${each.name}`} size="compact-sm">
              Look and decide
            </Button>
          </li>
        ))}
      </ul>
    );
  if (next?.now !== undefined)
    return (
      <WaitingFor
        who={`${next.now.state === "EXECUTING" ? "the executors" : "the verifiers"} of ${next.law.label}, attempt ${next.now.attempt}`}
        until={next.now.deadline === 0 ? undefined : next.now.deadline}
        then={
          next.now.state === "EXECUTING"
            ? "the attempt fails, and whoever was silent loses reputation"
            : "a majority of the posted verdicts decides"
        }
        push={
          next.now.deadline > 0 && next.now.deadline < asOf ? (
            <Push step="timeout" name="Its time is over: have the chain say so" of={{ mission: address, node: next.law.number }} />
          ) : undefined
        }
      />
    );
  if (state === "COMPLETED")
    return (
      <WaitingFor
        who="nobody; what is earned can be claimed by anybody for its owner after the appeal window"
        until={undefined}
        then="the mission is closed"
        push={isClosed ? undefined : <Push step="close" name="Close it, if all is claimed" of={{ mission: address }} />}
      />
    );
  return null;
}

function Books({ books }: { readonly books: Ledger }) {
  const of = (name: Exclude<keyof Ledger, "isClosed">) => BigInt(books[name]);
  const out: readonly Flow[] = [
    { from: DEPOSIT, to: "Paid for work", units: of("paid"), why: "claimed by executors" },
    { from: DEPOSIT, to: "Verifiers and protocol (fees)", units: of("fees"), why: "for checking, and for the city" },
    { from: DEPOSIT, to: "Insurance", units: of("insurance"), why: "set aside against losses" },
    { from: DEPOSIT, to: "Treasury (discount)", units: of("discount"), why: "what executors of low reputation got less" },
    { from: DEPOSIT, to: "Missions below", units: of("children"), why: "lent to missions below" },
    { from: DEPOSIT, to: "Back to the sponsor", units: of("refunded"), why: "not spent" },
  ];
  const held = of("deposit") - sum(out);
  const flows = [...out, { from: DEPOSIT, to: "Still in escrow", units: held, why: "held by the mission's contract" }].filter(
    ({ units }) => units > 0n,
  );
  const total = sum(flows);
  return (
    <>
      <Text>
        {formatMoney(of("deposit"))} tokens were deposited; {formatMoney(held)} are still in escrow, of which {formatMoney(of("entitled"))}{" "}
        are earned and not claimed yet.
      </Text>
      {flows.length > 1 && <Sankey flows={flows} />}
      <div className="wide">
        <table>
          <caption>The same as a table, to the unit</caption>
          <tbody>
            {flows.map(({ to, why, units }) => (
              <tr key={to}>
                <th scope="row">{to}</th>
                <td>{why}</td>
                <td className="amount">{formatMoney(units)}</td>
              </tr>
            ))}
            <tr className="total">
              <th scope="row" colSpan={2}>
                Deposit{total === of("deposit") ? ": adds up" : `: ${formatMoney(of("deposit"))} expected`}
              </th>
              <td className="amount" data-sum={DEPOSIT} data-units={total.toString()}>
                {formatMoney(total)}
              </td>
            </tr>
          </tbody>
        </table>
      </div>
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

function NodeCard({
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
  /** Somebody has earned what nobody has claimed yet. */
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
