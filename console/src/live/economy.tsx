import { Button, NativeSelect, Text, Title } from "@mantine/core";
import { dot, type PlotOptions, ruleX, ruleY, text } from "@observablehq/plot";
import { useMemo, useState } from "react";
import { Link, useParams } from "react-router";
import { keccak256 } from "../../../orchestrator/primitives/hash.ts";
import type { Campaign, CampaignDetail } from "../city/answers.ts";
import { ask } from "../city/gateway.ts";
import { useAsked } from "../city/live.tsx";
import { Asked, Empty, Problem } from "../parts/asked.tsx";
import { Chart } from "../parts/chart.tsx";
import { PlainTable } from "../parts/plain-table.tsx";
import { save } from "../parts/save.ts";
import { StateMark } from "../parts/state-mark.tsx";
import type { StateWords } from "../parts/words.ts";

type Verdict = CampaignDetail["findings"][number]["verdict"];

const VERDICTS: Readonly<Record<Verdict, StateWords>> = {
  supported: { word: "supported", look: "done", means: "" },
  falsified: { word: "falsified", look: "failed", means: "" },
  inconclusive: { word: "inconclusive", look: "working", means: "" },
  "not measured": { word: "not measured", look: "waiting", means: "" },
};
const ORDER = Object.keys(VERDICTS) as Verdict[];

/** `/economy`: the available campaigns; `/economy/:name`: one of them. */
export function Component() {
  const { name } = useParams();
  return name === undefined ? <Campaigns /> : <One key={name} name={name} />;
}

function Campaigns() {
  const found = useAsked<{ readonly campaigns: readonly Campaign[] }>("/v1/campaigns");
  return (
    <>
      <Title order={1}>The economy</Title>
      <Text>
        Agents that fish, farm and build in a commons, under more or less of the law. All results are shown; every hypothesis was fixed
        before its runs.
      </Text>
      <Asked of={found}>
        {({ campaigns }) =>
          campaigns.length === 0 ? (
            <Empty>
              No campaign is here. <code>npm run economy -- --experiment 1 --seeds 3</code> runs one.
            </Empty>
          ) : (
            <ul className="cards">
              {campaigns.map(({ name, experiment, origin, seeds, notRun, verdicts, machine }) => (
                <li key={name} className="card" data-campaign={name}>
                  <Link to={`/economy/${name}`} className="card-title">
                    Experiment {experiment}
                    {name.endsWith("-contracts") && ", on the contracts"}
                    {origin === "own" && ", run here"}
                  </Link>
                  <span>
                    {seeds.length} seeds{machine !== null && ` on ${machine}`}
                    {notRun.length > 0 && `; without ${notRun.join(" and ")}`}
                  </span>
                  <span>
                    {ORDER.filter((verdict) => (verdicts[verdict] ?? 0) > 0)
                      .map((verdict) => `${verdicts[verdict]} ${verdict}`)
                      .join(", ")}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Asked>
    </>
  );
}

function One({ name }: { readonly name: string }) {
  const campaign = useAsked<CampaignDetail>(`/v1/campaigns/${encodeURIComponent(name)}`, {}, true);
  return (
    <>
      <Title order={1}>A campaign of the economy</Title>
      <Asked of={campaign}>
        {(found) => (
          <>
            <Text>
              Experiment {found.experiment}, seeds {found.seeds.join(", ")}
              {found.commit !== null && (
                <>
                  , from commit <span className="mono">{found.commit}</span> on {found.machine}
                </>
              )}
              .{found.notRun.length > 0 && ` Not run: ${found.notRun.join(", ")}.`}
            </Text>
            {found.command !== null && (
              <Text size="sm">
                Again: <code>{found.command}</code>
              </Text>
            )}
            <RawData campaign={found} />
            <Hypotheses findings={found.findings} />
            <Figures cells={found.cells} />
          </>
        )}
      </Asked>
      <Link to="/economy">All campaigns</Link>
    </>
  );
}

/** The file itself, hashed here before it is saved. */
function RawData({ campaign: { name, hash } }: { readonly campaign: CampaignDetail }) {
  const [problem, setProblem] = useState<unknown>();
  const run = async () => {
    try {
      const { text } = await ask<{ readonly text: string }>(`/v1/campaigns/${encodeURIComponent(name)}/data`);
      if (keccak256(new TextEncoder().encode(text)) !== hash) throw new Error("the file differs from the listed one: try again");
      save(`${name}.json`, text, "application/json");
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <>
      {problem !== undefined && <Problem error={problem} />}
      <Button my="xs" size="compact-sm" variant="default" onClick={() => void run()}>
        All figures as JSON
      </Button>
    </>
  );
}

const shown = (value: number | null): string => (value === null ? "" : Number(value.toPrecision(3)).toString());

function Hypotheses({ findings }: { readonly findings: CampaignDetail["findings"] }) {
  return (
    <section aria-labelledby="hypotheses">
      <Title order={2} id="hypotheses">
        Hypotheses
      </Title>
      <div className="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">It says</th>
              <th scope="col">Verdict</th>
              <th scope="col" className="amount">
                Mean
              </th>
              <th scope="col" className="amount">
                95 % between
              </th>
              <th scope="col" className="amount">
                p
              </th>
              <th scope="col">Because</th>
            </tr>
          </thead>
          <tbody>
            {findings.map(({ id, says, verdict, mean, low, high, p, because }) => (
              <tr key={id} data-hypothesis={id} data-verdict={verdict}>
                <th scope="row">
                  {id}: {says}
                </th>
                <td>
                  <StateMark state={VERDICTS[verdict]} />
                </td>
                <td className="amount">{shown(mean)}</td>
                <td className="amount">{low === null ? "" : `${shown(low)} – ${shown(high)}`}</td>
                <td className="amount">{shown(p)}</td>
                <td>{because}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** One figure of every configuration with its interval, as a chart and as a table. */
function Figures({ cells }: { readonly cells: CampaignDetail["cells"] }) {
  const names = [...new Set(cells.flatMap(({ metrics }) => metrics.map(({ name }) => name)))];
  const variants = [...new Set(cells.map(({ variant }) => variant))];
  const [name, setName] = useState(names[0] ?? "");
  const [variant, setVariant] = useState(variants[0] ?? "");
  const rows = useMemo(
    () =>
      cells
        .filter((cell) => cell.variant === variant)
        .flatMap(({ configuration, agents, seeds, metrics }) => {
          const found = metrics.find((metric) => metric.name === name);
          return found === undefined ? [] : [{ label: `${configuration}, ${agents} agents`, seeds, ...found }];
        }),
    [cells, name, variant],
  );
  return (
    <section aria-labelledby="figures">
      <Title order={2} id="figures">
        Figures
      </Title>
      <div className="filters">
        <NativeSelect size="xs" label="Figure" value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} data={names} />
        <NativeSelect
          size="xs"
          label="Variant"
          value={variant}
          onChange={({ currentTarget }) => setVariant(currentTarget.value)}
          data={variants}
        />
      </div>
      {rows.length === 0 ? <Empty>This variant has no such figure.</Empty> : <Intervals name={name} rows={rows} />}
      <PlainTable
        caption={`${name}, ${variant}: mean with 95 % interval`}
        heads={["Configuration", "Seeds", "Mean", "From", "To"]}
        rows={rows.map(({ label, seeds, mean, low, high }) => [label, String(seeds), shown(mean), shown(low), shown(high)])}
      />
    </section>
  );
}

interface Interval {
  readonly label: string;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

function Intervals({ name, rows }: { readonly name: string; readonly rows: readonly Interval[] }) {
  const options = useMemo<PlotOptions>(
    () => ({
      ...{ width: 760, height: 24 * rows.length + 50, marginLeft: 250, marginRight: 60 },
      x: { label: null, grid: true, nice: true },
      y: { label: null, domain: rows.map(({ label }) => label), tickSize: 0 },
      marks: [
        ruleX([0]),
        ruleY(rows, { x1: "low", x2: "high", y: "label", stroke: "var(--link)", strokeWidth: 2 }),
        dot(rows, { x: "mean", y: "label", fill: "var(--link)", r: 5 }),
        text(rows, { x: "high", y: "label", text: ({ mean }: Interval) => shown(mean), dx: 8, textAnchor: "start" }),
      ],
    }),
    [rows],
  );
  return <Chart label={`${name} by configuration; the table below says the same`} options={options} />;
}
