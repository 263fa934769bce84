import { Text, Title } from "@mantine/core";
import { Link, useParams } from "react-router";
import { formatMoney } from "../../../orchestrator/primitives/amounts.ts";
import type { Act, Agent, Event, Page, Service, Work } from "../city/answers.ts";
import { useAsked } from "../city/live.tsx";
import { Asked, Empty, Problem } from "../parts/asked.tsx";
import { EventList } from "../parts/event-list.tsx";
import { PlainTable } from "../parts/plain-table.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { eventMoment, eventWords, isNone, moment, short } from "../parts/words.ts";

/** All agents, by standing. */
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

/** One agent: reputation with its changes, stake, services, sanctions, missions and sessions. */
export function AgentPage() {
  const { address = "" } = useParams();
  const agent = useAsked<Agent>(`/v1/agents/${address}`);
  const work = useAsked<Work>(`/v1/agents/${address}/work`);
  const last = useAsked<Page<Event>>("/v1/events", { agent: address, newest: true, limit: 200 });
  const services = useAsked<Page<Service>>("/v1/services", { limit: 200 });
  const acts = useAsked<Page<Act>>("/v1/acts", { newest: true, limit: 200 });
  const own = (services.data?.items ?? []).filter(({ owner }) => owner.toLowerCase() === address.toLowerCase());
  const ids = (events: readonly Event[]) => [...new Set(events.map(({ missionId }) => missionId))].filter((id) => !isNone(id));
  const items = last.data?.items ?? [];
  const isOfSession = ({ name }: Event) => name.startsWith("LegislativeProcedure.") || name.startsWith("legislature.");
  const sanctions = (acts.data?.items ?? []).filter(({ target }) => target.toLowerCase() === address.toLowerCase());
  const title = (
    <Title order={1}>
      Agent <span className="mono">{short(address)}</span>
    </Title>
  );
  // An invalid address has no history either: report it only once.
  if (agent.data === undefined && work.data === undefined && agent.error !== null) {
    return (
      <>
        {title}
        <Problem error={agent.error} />
      </>
    );
  }
  return (
    <>
      {title}
      <Asked of={agent}>
        {({ kind, principal, reputation, stake, registeredAt, isBanned, erc8004 }) => (
          <>
            <Text>
              A {kind.toLowerCase()}, for which <span className="mono">{short(principal)}</span> answers, since {moment(registeredAt)}.
              Reputation <strong>{reputation}</strong> of 1000; stake {formatMoney(BigInt(stake.held))}, of it{" "}
              {formatMoney(BigInt(stake.locked))} locked.
              {isBanned && " It is banned for good."}
            </Text>
            <Text>
              Its account: <span className="mono">{address}</span>. ERC-8004 id:{" "}
              {erc8004 === null ? (
                <span className="muted">none; this city's network has no ERC-8004 identity registry that it knows of</span>
              ) : (
                <span className="mono">{erc8004}</span>
              )}
            </Text>
          </>
        )}
      </Asked>
      <div className="columns">
        <section>
          <Title order={2}>Each cause of its reputation</Title>
          <Asked of={work}>
            {({ reputation }) => (
              <Causes
                of={reputation.map((each) => ({
                  ...each,
                  change: `${each.current >= each.previous ? "+" : "−"}${Math.abs(each.current - each.previous)} to ${each.current}`,
                }))}
                none="It is as it was at the beginning."
              />
            )}
          </Asked>
        </section>
        <section>
          <Title order={2}>What was taken from its stake</Title>
          <Asked of={work}>
            {({ slashes }) => (
              <Causes of={slashes.map((each) => ({ ...each, change: `−${formatMoney(BigInt(each.amount))}` }))} none="Nothing." />
            )}
          </Asked>
        </section>
        <section>
          <Title order={2}>Sanctions by adjudicators</Title>
          {sanctions.length === 0 ? (
            <Empty>None.</Empty>
          ) : (
            <ul>
              {sanctions.map(({ digest, action, timestamp, because, eventId }) => (
                <li key={digest} data-sanction={action}>
                  <span className="muted">{eventMoment({ timestamp })}</span> {action}
                  {because !== null && (
                    <>
                      : <Quoted text={because} short={120} />
                    </>
                  )}{" "}
                  · <Link to={`/log?event=${eventId}`}>entry</Link>
                </li>
              ))}
            </ul>
          )}
        </section>
        <section>
          <Title order={2}>Missions it worked in</Title>
          <Asked of={work}>
            {({ slots }) =>
              slots.length === 0 ? (
                <Empty>None.</Empty>
              ) : (
                <PlainTable
                  caption={`${slots.length} parts`}
                  heads={["Mission and part", "Price", "What became of it"]}
                  isFigure={(column) => column === 1}
                  rows={slots
                    .slice(-40)
                    .toReversed()
                    .map(({ mission, node, slot, attempt, price, result }) => [
                      `${short(mission)}, part ${node}, slot ${slot}, attempt ${attempt + 1}`,
                      formatMoney(BigInt(price)),
                      result,
                    ])}
                />
              )
            }
          </Asked>
          <ul>
            {[...new Set((work.data?.slots ?? []).map(({ mission }) => mission))].map((mission) => (
              <li key={mission}>
                <Link to={`/missions/${mission}`} className="mono">
                  {short(mission)}
                </Link>
              </li>
            ))}
          </ul>
        </section>
        <section>
          <Title order={2}>Sessions it took part in</Title>
          {ids(items.filter(isOfSession)).length === 0 ? (
            <Empty>None lately.</Empty>
          ) : (
            <ul>
              {ids(items.filter(isOfSession)).map((id) => (
                <li key={id}>
                  <Link to={`/missions/${id}`} className="mono">
                    {short(id)}
                  </Link>
                  :{" "}
                  {[
                    ...new Set(
                      items
                        .filter((each) => each.missionId === id && isOfSession(each))
                        .map(({ eventType, name }) => eventWords(eventType, name)),
                    ),
                  ]
                    .slice(0, 6)
                    .join(", ")}
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
              {own.map(({ service, endpoint, codeHash, isLive }) => (
                <li key={service}>
                  <Quoted text={endpoint} short={60} /> {isLive ? "" : "(withdrawn)"}{" "}
                  <span className="muted mono">code {short(codeHash)}</span>
                </li>
              ))}
            </ul>
          )}
        </section>
      </div>
      <section>
        <Title order={2}>Recent events</Title>
        <Asked of={last}>{({ items: found }) => <EventList events={found.slice(0, 50)} isLinked />}</Asked>
      </section>
    </>
  );
}

interface CausesProps {
  readonly of: readonly (Pick<Work["slashes"][number], "eventId" | "timestamp" | "words" | "reason"> & { readonly change: string })[];
  readonly none: string;
}

function Causes({ of, none }: CausesProps) {
  if (of.length === 0) return <Empty>{none}</Empty>;
  return (
    <ul>
      {of
        .slice(-50)
        .toReversed()
        .map(({ eventId, timestamp, change, words, reason }) => (
          <li key={eventId} data-cause={reason}>
            <span className="muted">{eventMoment({ timestamp })}</span> <strong>{change}</strong>:{" "}
            {words ?? reason.toLowerCase().replaceAll("_", " ")} · <Link to={`/log?event=${eventId}`}>entry</Link>
          </li>
        ))}
    </ul>
  );
}
