import { Text, Title } from "@mantine/core";
import { Link, useParams } from "react-router";
import { formatMoney } from "../../../orchestrator/primitives/amounts.ts";
import type { Agent, Event, Page, Service } from "../city/answers.ts";
import { useAsked } from "../city/live.tsx";
import { Asked, Empty } from "../parts/asked.tsx";
import { EventList } from "../parts/event-list.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { isNone, moment, short } from "../parts/words.ts";

/** Everybody, by standing. */
export function AgentsPage() {
  const agents = useAsked<Page<Agent>>("/v1/agents", { limit: 200 });
  return (
    <>
      <Title order={1}>Agents</Title>
      <Asked of={agents}>
        {({ items, next }) => (
          <div className="wide">
            <table>
              <caption>
                {items.length}
                {next === null ? "" : " or more"} agents, the best reputation first
              </caption>
              <thead>
                <tr>
                  <th scope="col">Agent</th>
                  <th scope="col">Kind</th>
                  <th scope="col">Answers for it</th>
                  <th scope="col" className="amount">
                    Reputation
                  </th>
                  <th scope="col" className="amount">
                    Stake
                  </th>
                  <th scope="col" className="amount">
                    of it locked
                  </th>
                </tr>
              </thead>
              <tbody>
                {items
                  .toSorted((a, b) => b.reputation - a.reputation)
                  .map(({ agent, kind, principal, reputation, stake, isBanned }) => (
                    <tr key={agent}>
                      <th scope="row">
                        <Link to={`/agents/${agent}`} className="mono">
                          {agent}
                        </Link>
                      </th>
                      <td>
                        {kind.toLowerCase()}
                        {isBanned && ", banned"}
                      </td>
                      <td className="mono">{short(principal)}</td>
                      <td className="amount">{reputation}</td>
                      <td className="amount">{formatMoney(BigInt(stake.held))}</td>
                      <td className="amount">{formatMoney(BigInt(stake.locked))}</td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </div>
        )}
      </Asked>
    </>
  );
}

/** One agent: standing with each cause, stake, services, sanctions, what it took part in. */
export function AgentPage() {
  const { address = "" } = useParams();
  const agent = useAsked<Agent>(`/v1/agents/${address}`);
  const causes = useAsked<Page<Event>>("/v1/events", { agent: address, eventType: "REPUTATION_ADJUSTED", newest: true, limit: 50 });
  const slashes = useAsked<Page<Event>>("/v1/events", { agent: address, eventType: "STAKE_SLASHED", newest: true, limit: 50 });
  const last = useAsked<Page<Event>>("/v1/events", { agent: address, newest: true, limit: 100 });
  const services = useAsked<Page<Service>>("/v1/services", { limit: 200 });
  const own = (services.data?.items ?? []).filter(({ owner }) => owner.toLowerCase() === address.toLowerCase());
  const missions = [...new Set((last.data?.items ?? []).map(({ missionId }) => missionId))].filter((id) => !isNone(id));
  return (
    <>
      <Title order={1}>
        Agent <span className="mono">{short(address)}</span>
      </Title>
      <Asked of={agent}>
        {({ kind, principal, reputation, stake, registeredAt, isBanned }) => (
          <Text>
            A {kind.toLowerCase()}, for which <span className="mono">{short(principal)}</span> answers, since {moment(registeredAt)}.
            Reputation <strong>{reputation}</strong> of 1000; stake {formatMoney(BigInt(stake.held))}, of it{" "}
            {formatMoney(BigInt(stake.locked))} locked.
            {isBanned && " It is banned for good."}
          </Text>
        )}
      </Asked>
      <div className="columns">
        <section>
          <Title order={2}>Missions</Title>
          {missions.length === 0 ? (
            <Empty>None lately.</Empty>
          ) : (
            <ul>
              {missions.map((id) => (
                <li key={id}>
                  <Link to={`/missions/${id}`} className="mono">
                    {short(id)}
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </section>
        <section>
          <Title order={2}>Services</Title>
          {own.length === 0 ? (
            <Empty>It offers none.</Empty>
          ) : (
            <ul>
              {own.map(({ service, endpoint, isLive }) => (
                <li key={service}>
                  <Quoted text={endpoint} short={60} /> {isLive ? "" : "(withdrawn)"}
                </li>
              ))}
            </ul>
          )}
        </section>
        <Events title="Each cause of its reputation" of={causes} />
        <Events title="What was taken from its stake" of={slashes} />
      </div>
      <Events title="Last heard of it" of={last} />
    </>
  );
}

function Events({ title, of }: { readonly title: string; readonly of: ReturnType<typeof useAsked<Page<Event>>> }) {
  return (
    <section>
      <Title order={2}>{title}</Title>
      <Asked of={of}>{({ items }) => <EventList events={items.slice(0, 50)} isLinked />}</Asked>
    </section>
  );
}
