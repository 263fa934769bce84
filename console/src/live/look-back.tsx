import { Text } from "@mantine/core";
import { areaY, barX, dot, type PlotOptions, ruleY } from "@observablehq/plot";
import { useMemo } from "react";
import { Link } from "react-router";
import { grouped } from "../../../orchestrator/primitives/amounts.ts";
import { plainLine } from "../../../orchestrator/primitives/plain-text.ts";
import type { History } from "../city/answers.ts";
import { Empty } from "../parts/asked.tsx";
import { Chart } from "../parts/chart.tsx";
import { PlainTable } from "../parts/plain-table.tsx";
import { liveStateWords, moment, short, span } from "../parts/words.ts";

type Span = History["spans"][number];
/** Rows drawn; the table of the law has all nodes. */
const MAX_ROWS = 64;

/** The historical views: states of each node over time, gas, freezes, verdicts by tier, epochs. */
export function Look({ history, labels }: { readonly history: History; readonly labels: ReadonlyMap<number, string> }) {
  const contracts = useMemo(() => history.gas.map(({ contract }) => contract), [history]);
  return (
    <>
      <Gantt history={history} labels={labels} />
      <Spent of={history.spent} contracts={contracts} />
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

/** Colours distinguishable with any kind of colour vision (Paul Tol's); further series share the last one. */
const LAYERS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8866", "#bbbbbb"];

/** Cumulated gas by contract, in the order of the log; the tables below show its use. */
function Spent({ of, contracts }: { readonly of: History["spent"]; readonly contracts: readonly string[] }) {
  const last = of.at(-1);
  const options = useMemo<PlotOptions>(() => {
    const total = of.at(-1)?.by ?? [];
    const layers = of.flatMap(({ sequence, by }) =>
      contracts.map((contract, place) => ({
        ...{ sequence, contract, gas: by[place] ?? 0 },
        says: `${contract}: ${grouped(total[place] ?? 0)}`,
      })),
    );
    return {
      ...{ width: 960, height: 210, marginLeft: 80, marginBottom: 40 },
      x: { label: "entry of the log" },
      y: { label: "gas", tickFormat: grouped },
      color: { domain: contracts, range: contracts.map((_, place) => LAYERS[Math.min(place, LAYERS.length - 1)]), legend: true },
      marks: [
        areaY(layers, { x: "sequence", y: "gas", fill: "contract", z: "contract", order: [...contracts], title: "says" }),
        ruleY([0]),
      ],
    };
  }, [of, contracts]);
  if (last === undefined) return null;
  return (
    <figure data-spent={last.gas}>
      <figcaption className="small">
        Gas spent so far by contract, in the order of the log: {grouped(last.gas)} at entry {grouped(last.sequence)}
      </figcaption>
      <Chart label={`Gas spent by contract, up to ${grouped(last.gas)}; the tables below say the same`} options={options} />
    </figure>
  );
}

/** Freezes of each agent by hour: a bar and its number. */
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

/** Checkpoints and anchors of the mission's work and records. */
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

/** States shown, in the order in which a node passes them; each has a colour in console.css. */
const DRAWN = ["ELIGIBLE", "EXECUTING", "PENDING_VERIFICATION", "PENDING_REVIEW", "FROZEN", "FAILED", "COMPLETED"];

/** By position in the log: a devnet's clock stops while agents work, so that most spans would have no length. */
function Gantt({ history: { spans }, labels }: { readonly history: History; readonly labels: ReadonlyMap<number, string> }) {
  const start = Math.min(...spans.map(({ first }) => first));
  const end = Math.max(...spans.map(({ first, last }) => last ?? first + 1));
  const chainTime = Math.max(...spans.map(({ from, to }) => to ?? from)) - Math.min(...spans.map(({ from }) => from));
  const options = useMemo<PlotOptions>(() => {
    const rows = [...new Set(spans.map(({ node }) => node))].sort((a, b) => a - b).slice(0, MAX_ROWS);
    const drawn = spans.filter(({ node, state }) => rows.includes(node) && DRAWN.includes(state));
    const states = DRAWN.filter((state) => drawn.some((each) => each.state === state));
    const bars = drawn.filter(({ state }) => state !== "COMPLETED").map((each) => ({ ...each, last: each.last ?? end }));
    const took = ({ state, from, to }: Span) =>
      `${liveStateWords(state).word}: ${span((to ?? from) - from)} of chain time, from ${moment(from)}`;
    return {
      ...{ width: 960, height: 20 * rows.length + 60, marginLeft: 170, marginBottom: 40 },
      x: { label: "entry of the log", domain: [start, end] },
      y: {
        ...{ label: null, domain: rows, tickSize: 0, padding: 0.3 },
        tickFormat: (node: number) => plainLine((labels.get(node) ?? `node ${node}`).slice(0, 24)),
      },
      color: {
        ...{ domain: states, legend: true, tickFormat: (state: string) => liveStateWords(state).word },
        range: states.map((state) => `var(--span-${state})`),
      },
      marks: [
        // Visible however short it is.
        barX(bars, { x1: "first", x2: "last", y: "node", fill: "state", title: took, insetLeft: -1, insetRight: -1 }),
        dot(
          drawn.filter(({ state }) => state === "COMPLETED"),
          { x: "first", y: "node", fill: "state", r: 5, title: ({ from }: Span) => `done at ${moment(from)}` },
        ),
      ],
    };
  }, [spans, labels, start, end]);
  if (spans.length === 0) return <Empty>No node has moved yet.</Empty>;
  return (
    <>
      <Text size="sm" className="muted">
        When each node was in which state, in the order of the log, entries {grouped(start)} to {grouped(end)}: {span(chainTime)} of chain
        time. Point at a bar for its time.
      </Text>
      <Chart label="When each node was in which state; the log says the same" options={options} />
    </>
  );
}
