import { Button, Group, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import { formatMoney, grouped } from "../../../orchestrator/primitives/amounts.ts";
import type { Case, Event, Mission, Money, Order, Page, Panel, Session, Summary } from "../city/answers.ts";
import { useAsked } from "../city/live.tsx";
import { Asked, Empty } from "../parts/asked.tsx";
import { EventList } from "../parts/event-list.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { isNone, missionWords, moment, sessionWords, short, span } from "../parts/words.ts";

/** What is going on, whether anything is wrong, and what is asked of people: within half a minute. */
export function CityPage() {
  return (
    <>
      <Title order={1}>What this city is doing</Title>
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

export function NeededNow() {
  const cases = useAsked<{ readonly cases: readonly Case[]; readonly asOf: number }>("/v1/cases");
  const orders = useAsked<{ readonly orders: readonly Order[] }>("/v1/orders");
  return (
    <section aria-labelledby="needed">
      <Title order={2} id="needed">
        Waiting for a human
      </Title>
      <Asked of={cases}>
        {({ cases: found, asOf }) => {
          const open = found.filter(({ isCurrent }) => isCurrent);
          const waiting = orders.data?.orders ?? [];
          if (open.length === 0 && waiting.length === 0) return <Empty>Nobody is waited for. Everything goes on by itself.</Empty>;
          return (
            <ul className="cards">
              {open.map((each) => (
                <li key={each.name} className="card card-now" data-case={each.name}>
                  <strong>
                    {each.label === null ? each.name : <Quoted text={each.label} short={60} />} {each.reason ?? each.kind}
                  </strong>
                  <span>
                    {each.deadline === null
                      ? "no deadline"
                      : each.deadline > asOf
                        ? `${span(each.deadline - asOf)} left of chain time, then ${each.escalated ? "it fails" : "the backup pool has it"}`
                        : "its time is over"}
                  </span>
                  <Button component={Link} to={`/panel/cases/${each.name}`} size="compact-sm">
                    Look and decide
                  </Button>
                </li>
              ))}
              {waiting.map(({ digest, action, signedBy, needed }) => (
                <li key={digest} className="card card-now" data-order={digest}>
                  <strong>{action}</strong>
                  <span>
                    signed by {signedBy.length} of {needed}; another adjudicator has to sign
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
      <span className="muted">
        {formatMoney(BigInt(of.deposit))} tokens, since {moment(of.deployedAt)}
        {of.epoch > 0 && `, law ${of.epoch + 1} for its goal`}
      </span>
    </li>
  );
}

function MoneyCard() {
  const money = useAsked<Money>("/v1/money");
  const slashes = useAsked<Page<Event>>("/v1/events", { eventType: "STAKE_SLASHED", limit: 200 });
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
                  <th scope="row">slashes</th>
                  <td className="amount">
                    {slashes.data === undefined ? "…" : `${slashes.data.items.length}${slashes.data.next === null ? "" : " or more"}`}
                  </td>
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
        {({ seats, senior, hasQuorum }) => (
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
  const health = useAsked<{ readonly sequence: number; readonly block: number }>("/health");
  return (
    <section aria-labelledby="news">
      <Title order={2} id="news">
        Last heard
      </Title>
      {health.data !== undefined && (
        <Text className="muted" size="sm" data-block={health.data.block}>
          block {grouped(health.data.block)}, entry {grouped(health.data.sequence)} of the log
        </Text>
      )}
      <Asked of={events}>{({ items }) => <EventList events={items} timeOnly withNode />}</Asked>
      <Link to="/log">The whole log</Link>
    </section>
  );
}
