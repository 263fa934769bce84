import { Text } from "@mantine/core";
import { Link } from "react-router";
import { grouped } from "../../../orchestrator/primitives/amounts.ts";
import { plainLine } from "../../../orchestrator/primitives/plain-text.ts";
import type { History } from "../city/answers.ts";
import { Empty } from "../parts/asked.tsx";
import { PlainTable } from "../parts/plain-table.tsx";
import { liveStateWords, moment, short, span } from "../parts/words.ts";

const WIDTH = 960;
const NAMES = 170;
const ROW = 20;
/** Rows drawn; the table of the law has all nodes. */
const MOST_ROWS = 64;

/** The historical views: when each node was in which state, what gas went where, freezes, verdicts by tier, epochs. */
export function Look({ history, labels }: { readonly history: History; readonly labels: ReadonlyMap<number, string> }) {
  return (
    <>
      <Gantt history={history} labels={labels} />
      <Spent of={history.spent} contracts={history.gas.map(({ contract }) => contract)} />
      <div className="columns">
        <PlainTable
          caption="Gas by contract"
          heads={["Contract", "Transactions", "Gas"]}
          rows={history.gas.map(({ contract, gas, transactions }) => [contract, grouped(transactions), grouped(gas)])}
        />
        <PlainTable
          caption="Gas by stage"
          heads={["Stage", "Transactions", "Gas"]}
          rows={history.stages.map(({ stage, gas, transactions }) => [stage, grouped(transactions), grouped(gas)])}
        />
        <PlainTable
          caption="Verdicts by tier"
          heads={["Tier", "Cleared", "Not cleared", "Undecided"]}
          rows={history.verdicts.map(({ tier, passed, rejected, undecided }) => [
            String(tier),
            String(passed),
            String(rejected),
            String(undecided),
          ])}
        />
        <Freezes of={history.freezes} />
        <PlainTable
          caption="Epochs: one law after another for the same goal"
          heads={["Epoch", "Nodes done", "Nodes failed", "Gas"]}
          rows={history.epochs.map(({ epoch, completed, failed, gas }) => [
            String(epoch + 1),
            String(completed),
            String(failed),
            grouped(gas),
          ])}
        />
      </div>
      <Anchors history={history} />
    </>
  );
}

const CURVE = { width: 960, height: 160, room: 16 } as const;
/** Layers that have a look of their own; what is beyond has the last one's. */
const LOOKS = 8;
const lookOf = (place: number) => `layer-${Math.min(place, LOOKS - 1)}`;

/** How the mission's gas came together, contract upon contract, in the order of the log; the tables below say what it went to. */
function Spent({ of, contracts }: { readonly of: History["spent"]; readonly contracts: readonly string[] }) {
  const [first, last] = [of[0], of.at(-1)];
  if (first === undefined || last === undefined) return null;
  const { width, height, room } = CURVE;
  const x = (sequence: number) => room + ((sequence - first.sequence) / Math.max(1, last.sequence - first.sequence)) * (width - 2 * room);
  const y = (gas: number) => height - room - (gas / last.gas) * (height - 2 * room);
  const upTo = (by: readonly number[], place: number) => by.slice(0, place).reduce((sum, gas) => sum + gas, 0);
  const edge = (place: number) => of.map(({ sequence, by }) => `${x(sequence)},${y(upTo(by, place))}`);
  return (
    <figure data-spent={last.gas}>
      <figcaption className="small">
        Gas spent so far by contract, in the order of the log: {grouped(last.gas)} at entry {grouped(last.sequence)}
      </figcaption>
      <div className="legend small">
        {contracts.map((contract, place) => (
          <span key={contract} className="key">
            <svg width="12" height="12" aria-hidden="true">
              <rect className={lookOf(place)} width="12" height="12" />
            </svg>
            {contract}
          </span>
        ))}
      </div>
      <svg
        className="curve"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Gas spent by contract, up to ${grouped(last.gas)}; the tables below say the same`}
      >
        <line x1={room} x2={width - room} y1={height - room} y2={height - room} />
        {contracts.map((contract, place) => (
          <polygon
            key={contract}
            className={lookOf(place)}
            data-layer={contract}
            points={[...edge(place), ...edge(place + 1).toReversed()].join(" ")}
          >
            <title>
              {contract}: {grouped(last.by[place] ?? 0)}
            </title>
          </polygon>
        ))}
        <polyline points={edge(contracts.length).join(" ")} />
      </svg>
    </figure>
  );
}

/** How often each agent was frozen, hour by hour: a bar and its number. */
function Freezes({ of }: { readonly of: History["freezes"] }) {
  const hours = [...Map.groupBy(of, ({ agent, at }) => `${agent} ${moment(at).slice(0, 13)}`)];
  const most = Math.max(1, ...hours.map(([, all]) => all.length));
  return (
    <div className="wide">
      <table>
        <caption>Freezes by agent and hour</caption>
        <thead>
          <tr>
            <th scope="col">Agent and hour</th>
            <th scope="col">Freezes</th>
          </tr>
        </thead>
        <tbody>
          {hours.length === 0 && (
            <tr>
              <td colSpan={2} className="muted">
                none
              </td>
            </tr>
          )}
          {hours.map(([key, all]) => {
            const [agent = "", ...hour] = key.split(" ");
            return (
              <tr key={key}>
                <th scope="row">
                  {short(agent)}, {hour.join(" ")} h
                </th>
                <td>
                  <meter min={0} max={most} value={all.length} aria-label={`${all.length} freezes`} /> {all.length}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** What of the mission's work and records stands on chain, and since when. */
function Anchors({ history: { checkpoints, anchor } }: { readonly history: History }) {
  return (
    <>
      {checkpoints.length > 0 && (
        <PlainTable
          caption="Checkpoints: until each of them its parts' work was off chain"
          heads={["At", "Parts", "Root", "Block"]}
          isFigure={(column) => column === 3}
          rows={checkpoints.map(({ at, nodes, root, block }) => [moment(at), nodes.join(", "), short(root), grouped(block)])}
        />
      )}
      <Text size="sm" data-anchored={anchor !== null}>
        {anchor === null ? (
          "The mission's records are not anchored yet: that is its last step."
        ) : (
          <>
            The root of the mission's records, <span className="mono">{short(anchor.root)}</span>, stands on chain since block{" "}
            {grouped(anchor.block)} · <Link to={`/log?event=${anchor.eventId}`}>entry</Link>
          </>
        )}
      </Text>
    </>
  );
}

/** By place in the log: a devnet's clock stands still while agents work, so that most of its spans would have no length. */
function Gantt({ history: { spans }, labels }: { readonly history: History; readonly labels: ReadonlyMap<number, string> }) {
  if (spans.length === 0) return <Empty>No node has moved yet.</Empty>;
  const start = Math.min(...spans.map(({ first }) => first));
  const end = Math.max(...spans.map(({ first, last }) => last ?? first + 1));
  const chainTime = Math.max(...spans.map(({ from, to }) => to ?? from)) - Math.min(...spans.map(({ from }) => from));
  const rows = [...new Set(spans.map(({ node }) => node))].sort((a, b) => a - b).slice(0, MOST_ROWS);
  const x = (place: number) => NAMES + ((place - start) / Math.max(1, end - start)) * (WIDTH - NAMES - 12);
  return (
    <>
      <Text size="sm" className="muted">
        When each node was in which state, in the order of the log, entries {grouped(start)} to {grouped(end)}: {span(chainTime)} of chain
        time. Point at a bar for its time.
      </Text>
      <Keys states={[...new Set(spans.map(({ state }) => state))]} />
      <svg
        className="gantt"
        viewBox={`0 0 ${WIDTH} ${rows.length * ROW + 8}`}
        role="img"
        aria-label="When each node was in which state; the log says the same"
      >
        {rows.map((node, row) => (
          <g key={node}>
            <text x={4} y={row * ROW + ROW / 2 + 7}>
              {plainLine((labels.get(node) ?? `node ${node}`).slice(0, 24))}
            </text>
            {spans
              .filter((each) => each.node === node && each.state !== "WAITING" && each.state !== "COMPLETED")
              .map(({ state, from, to, first, last }) => (
                <rect
                  key={`${state}${first}`}
                  className={`span-${state}`}
                  x={x(first)}
                  y={row * ROW + 5}
                  width={Math.max(2, x(last ?? end) - x(first))}
                  height={ROW - 7}
                >
                  <title>
                    {liveStateWords(state).word}: {span((to ?? from) - from)} of chain time, from {moment(from)}
                  </title>
                </rect>
              ))}
            {spans
              .filter((each) => each.node === node && each.state === "COMPLETED")
              .map(({ from, first }) => (
                <circle key={first} className="span-COMPLETED" cx={x(first) + 5} cy={row * ROW + ROW / 2 + 2} r={5}>
                  <title>done at {moment(from)}</title>
                </circle>
              ))}
          </g>
        ))}
      </svg>
    </>
  );
}

function Keys({ states }: { readonly states: readonly string[] }) {
  return (
    <div className="legend small">
      {states
        .filter((state) => state !== "WAITING")
        .map((state) => (
          <span key={state} className="key">
            <svg width="12" height="12" aria-hidden="true">
              <rect className={`span-${state}`} width="12" height="12" />
            </svg>
            {liveStateWords(state).word}
          </span>
        ))}
    </div>
  );
}
