import { Button, Group, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import { formatMoney, grouped } from "../../../orchestrator/primitives/amounts.ts";
import type { Case, Condition, Event, Metric, Mission, Money, Order, Page, Panel, Session, Summary } from "../city/answers.ts";
import { useAsked } from "../city/live.tsx";
import { Asked, Empty } from "../parts/asked.tsx";
import { EventList } from "../parts/event-list.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { isNone, missionWords, moment, sessionWords, short, span } from "../parts/words.ts";

import { useGone } from "./gone.ts";

/** Current activity, problems, and what people have to do, at a glance. */
export function CityPage() {
  return (
    <>
      <Title order={1}>What this city is doing</Title>
      <Standing />
      <NeededNow />
      <Missions />
      <div className="columns">
        <MoneyCard />
        <PanelCard />
        <News />
      </div>
    </>
  );
}

/** What a case asks of the person who decides it. */
const ASKED: Readonly<Record<string, string>> = {
  "human tier": "its law requires a human's approval",
  disputed: "the verifiers contradict each other",
  vetoed: "its output is held back",
  frozen: "it was frozen",
  appeal: "its clearing is appealed",
  bloc: "voters ranked alike: does the vote stand?",
  suspension: "its mission is suspended: does it continue?",
};

const WELL = { word: "Nothing is wrong", look: "done", means: "" } as const;

/** In one line: whether there are problems, missions by state, and the state of chain and records. */
function Standing() {
  const condition = useAsked<Condition>("/v1/condition");
  return (
    <Asked of={condition}>
      {({ problems, missions, chain, records }) => {
        const behind = Math.max(0, records.entries - records.told);
        const counts = MISSION_ORDER.flatMap((state) => {
          const many = missions.byState[state] ?? 0;
          return many === 0 ? [] : [`${many} ${missionWords(state).word}`];
        });
        return (
          <section
            className="verdict-line"
            data-wrong={problems.length > 0}
            data-block={chain.block}
            aria-label="Whether anything is wrong"
            role={problems.length > 0 ? "alert" : undefined}
          >
            <strong>
              <StateMark
                state={
                  problems.length === 0
                    ? WELL
                    : {
                        word: problems.length === 1 ? "One thing is wrong" : `${problems.length} things are wrong`,
                        look: "failed",
                        means: "",
                      }
                }
              />
            </strong>
            <p>
              {missions.count === 0 ? "0 missions" : `${missions.count} mission${missions.count === 1 ? "" : "s"}: ${counts.join(", ")}`}
            </p>
            <p className="muted">
              chain: block {grouped(chain.block)}, {moment(chain.time)} · records: {grouped(records.entries)},{" "}
              {behind === 0 ? "all in the log" : `${grouped(behind)} on their way into the log`}
            </p>
            {problems.length > 0 && (
              <ul>
                {problems.map(({ what, means, mission }) => (
                  <li key={`${what}${mission}`} data-problem={what}>
                    <strong>{what}</strong>
                    {mission !== null && (
                      <>
                        {" "}
                        (<Link to={`/missions/${mission}`}>{short(mission)}</Link>)
                      </>
                    )}
                    : {means}
                  </li>
                ))}
              </ul>
            )}
          </section>
        );
      }}
    </Asked>
  );
}

const MISSION_ORDER = ["EXECUTING", "VERIFICATION", "PENDING", "ACTIVE", "DEGRADED", "COMPLETED", "FAILED", "ABORTED"] as const;

export function NeededNow() {
  const cases = useAsked<{ readonly cases: readonly Case[]; readonly asOf: number }>("/v1/cases");
  const orders = useAsked<{ readonly orders: readonly Order[] }>("/v1/orders");
  const gone = useGone(cases.data?.cases, orders.data?.orders, cases.data?.asOf ?? 0);
  return (
    <section aria-labelledby="needed">
      <Title order={2} id="needed">
        Waiting for a human
      </Title>
      <Asked of={cases}>
        {({ cases: found, asOf }) => {
          const open = found.filter(({ isCurrent }) => isCurrent);
          const waiting = orders.data?.orders ?? [];
          if (open.length === 0 && waiting.length === 0) return <Empty>No one has to act. Everything continues on its own.</Empty>;
          return (
            <ul className="cards">
              {open.map((each) => (
                <li key={each.name} className="card card-now" data-case={each.name}>
                  <strong>
                    {each.label === null ? each.name : <Quoted text={each.label} short={60} />}:{" "}
                    {ASKED[each.reason ?? each.kind] ?? each.kind}
                  </strong>
                  <span>
                    {each.deadline === null
                      ? "no deadline"
                      : each.deadline > asOf
                        ? `${span(each.deadline - asOf)} left of chain time, then ${each.escalated ? "it fails" : "the backup pool has it"}`
                        : "its time is over"}
                  </span>
                  {each.onTurn !== null && (
                    <span className="muted">
                      on turn: <span className="mono">{short(each.onTurn)}</span>
                    </span>
                  )}
                  <Button component={Link} to={`/panel/cases/${each.name}`} size="compact-sm">
                    Look and decide
                  </Button>
                </li>
              ))}
              {waiting.map(({ digest, action, signedBy, needed, deadline }) => (
                <li key={digest} className="card card-now" data-order={digest}>
                  <strong>{action}</strong>
                  <span>
                    signed by {signedBy.length} of {needed}; another adjudicator has to sign,{" "}
                    {deadline > asOf
                      ? `within ${span(deadline - asOf)} of chain time, else it lapses`
                      : "and its time is over: it has lapsed"}
                  </span>
                  <Button component={Link} to={`/panel/orders/${digest}`} size="compact-sm">
                    Look and sign
                  </Button>
                </li>
              ))}
            </ul>
          );
        }}
      </Asked>
      {gone.length > 0 && (
        <ul className="plain small" aria-label="What left the queue">
          {gone.map(({ key, title, because }) => (
            <li key={key} className="muted" data-gone={key}>
              <Quoted text={title} short={80} /> no longer waits: {because}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Missions() {
  const missions = useAsked<Page<Summary>>("/v1/missions", { newest: true, limit: 24 });
  const sessions = useAsked<Page<Session>>("/v1/sessions", { newest: true, limit: 24 });
  return (
    <section aria-labelledby="missions">
      <Title order={2} id="missions">
        Missions
      </Title>
      <Asked of={sessions}>
        {({ items }) => {
          const making = items.filter(({ mission }) => mission === null);
          const made = missions.data?.items ?? [];
          if (making.length + made.length === 0)
            return (
              <Empty>
                No mission yet. <code>npm run mission -- missions/csv-estimates.yaml</code> begins one.
              </Empty>
            );
          return (
            <ul className="cards">
              {making.map((each) => (
                <li key={each.missionId} className="card">
                  <Link to={`/missions/${each.missionId}`} className="card-title">
                    A law is being made (session {each.session})
                  </Link>
                  <StateMark state={sessionWords(each.state)} />
                  <span className="muted">
                    {sessionWords(each.state).means}. {each.electorate} may vote, {each.ballots} did.
                  </span>
                </li>
              ))}
              {made.map((each) => (
                <MissionCard key={each.mission} of={each} />
              ))}
            </ul>
          );
        }}
      </Asked>
    </section>
  );
}

function MissionCard({ of }: { readonly of: Summary }) {
  const mission = useAsked<Mission>(`/v1/missions/${of.mission}`);
  const { title = null, goal = null } = mission.data ?? {};
  return (
    <li className="card" data-mission={of.mission}>
      <Link to={`/missions/${of.missionId}`} className="card-title">
        {title === null ? `Mission ${short(of.mission)}` : <Quoted text={title} short={60} />}
      </Link>
      {goal !== null && (
        <span>
          <Quoted text={goal} short={120} />
        </span>
      )}
      <StateMark state={missionWords(of.state)} />
      {!["COMPLETED", "FAILED", "ABORTED"].includes(of.state) && <Attention mission={of.mission} />}
      <span className="muted">
        {formatMoney(BigInt(of.deposit))} tokens, since {moment(of.deployedAt)}
        {of.epoch > 0 && `, law ${of.epoch + 1} for its goal`}
      </span>
    </li>
  );
}

/** A mission's progress, and its metrics that need attention. */
function Attention({ mission }: { readonly mission: string }) {
  const vitals = useAsked<{ readonly metrics: readonly Metric[] }>(`/v1/missions/${mission}/vitals`);
  const metrics = vitals.data?.metrics ?? [];
  const alerts = metrics.filter((each) => each.alerts);
  const progress = metrics.find(({ name }) => name === "progress");
  return (
    <>
      {progress !== undefined && (
        <span>
          {progress.value} done <meter min={0} max={10_000} value={progress.parts[0]?.share ?? 0} aria-label={`${progress.value} done`} />
        </span>
      )}
      {alerts.length > 0 && <strong className="alerting">asks for attention: {alerts.map(({ name }) => name).join(", ")}</strong>}
    </>
  );
}

function MoneyCard() {
  const money = useAsked<Money>("/v1/money");
  const condition = useAsked<Condition>("/v1/condition");
  return (
    <section aria-labelledby="money">
      <Title order={2} id="money">
        Money
      </Title>
      <Asked of={money}>
        {({ missions: sums, treasury }) => {
          const spent = (["paid", "fees", "insurance", "discount", "refunded", "children"] as const).reduce(
            (sum, name) => sum + BigInt(sums[name]),
            0n,
          );
          const rows: readonly (readonly [string, bigint])[] = [
            ["deposited by sponsors", BigInt(sums.deposit)],
            ["in escrow now", BigInt(sums.deposit) - spent],
            ["paid for work", BigInt(sums.paid)],
            ["back to sponsors", BigInt(sums.refunded)],
            ["treasury, free", BigInt(treasury.free)],
            ["treasury, insurance", BigInt(treasury.insurance)],
          ];
          return (
            <table>
              <tbody>
                {rows.map(([name, units]) => (
                  <tr key={name}>
                    <th scope="row">{name}</th>
                    <td className="amount">{formatMoney(units)}</td>
                  </tr>
                ))}
                <tr>
                  <th scope="row">taken from stakes{(condition.data?.slashes ?? 0) > 0 && `, ${condition.data?.slashes} times`}</th>
                  <td className="amount">{condition.data === undefined ? "…" : formatMoney(BigInt(condition.data.slashed))}</td>
                </tr>
              </tbody>
            </table>
          );
        }}
      </Asked>
    </section>
  );
}

function PanelCard() {
  const panel = useAsked<Panel>("/v1/panel");
  return (
    <section aria-labelledby="panel">
      <Title order={2} id="panel">
        The panel
      </Title>
      <Asked of={panel}>
        {({ seats, senior, hasQuorum, watchdog }) => (
          <>
            <Text>
              {seats.filter(({ isActive }) => isActive).length} seats; {hasQuorum ? "it has its quorum" : "too few for its quorum"}.{" "}
              {isNone(senior) ? (
                "No adjudicator is senior."
              ) : (
                <>
                  Senior: <span className="mono">{short(senior)}</span>
                </>
              )}
            </Text>
            <Text>
              {watchdog.isFrozen ? "The watchdog has frozen it." : "The watchdog is calm."} Seats take turns by the part that is judged; who
              is on turn stands at each case.
            </Text>
            <Group my="xs">
              <Button component={Link} to="/panel" variant="default" size="compact-sm">
                Override panel
              </Button>
            </Group>
          </>
        )}
      </Asked>
    </section>
  );
}

function News() {
  const events = useAsked<Page<Event>>("/v1/events", { newest: true, limit: 12 });
  return (
    <section aria-labelledby="news">
      <Title order={2} id="news">
        Last heard
      </Title>
      <Asked of={events}>{({ items }) => <EventList events={items} timeOnly withNode />}</Asked>
      <Link to="/log">The whole log</Link>
    </section>
  );
}
