import { Alert, Text, Title } from "@mantine/core";
import { sankey, sankeyLinkHorizontal } from "d3-sankey";
import { formatMoney } from "../../../orchestrator/primitives/amounts.ts";
import { plainLine } from "../../../orchestrator/primitives/plain-text.ts";
import type { MissionView } from "../bundle/view.ts";
import { Quoted } from "../parts/quoted.tsx";
import { WithMission } from "../parts/states.tsx";
import { DEPOSIT, type Flow, moneyFlows, PAID } from "./money-flows.ts";

const WIDTH = 960;
const HEIGHT = 420;
/** Space for the names right of the last bars. */
const NAMES = 300;

/** Where the deposit went, to the unit. */
export function Component() {
  return <WithMission>{(view) => <Money view={view} />}</WithMission>;
}

function Money({ view }: { readonly view: MissionView }) {
  const flows = moneyFlows(view);
  const { total } = view.outcome;
  const out = sum(flows.filter(({ from }) => from === DEPOSIT));
  const isWhole = out === BigInt(total.deposit);
  return (
    <>
      <Title order={1}>Money</Title>
      <Text>
        {formatMoney(BigInt(total.deposit))} tokens were deposited. {formatMoney(BigInt(total.paid))} paid for work,{" "}
        {formatMoney(BigInt(total.refunded))} came back.
      </Text>
      {!isWhole && (
        <Alert color="red" role="alert" title="It does not add up">
          {formatMoney(out)} of {formatMoney(BigInt(total.deposit))} are accounted for.
        </Alert>
      )}
      {flows.length > 0 && <Sankey flows={flows} />}
      <div className="wide">
        <table>
          <caption>The same as a table, to the unit</caption>
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col">Why</th>
              <th scope="col" className="amount">
                Tokens
              </th>
            </tr>
          </thead>
          <Rows flows={flows} from={DEPOSIT} total={BigInt(total.deposit)} />
          <Rows flows={flows} from={PAID} total={BigInt(total.paid)} />
        </table>
      </div>
      <Text my="md">
        Premium apart from the deposit: {formatMoney(BigInt(total.subsidy))}, which the treasury paid on top for a reputation above par.
      </Text>
    </>
  );
}

export function Rows({ flows, from, total }: { readonly flows: readonly Flow[]; readonly from: string; readonly total: bigint }) {
  const own = flows.filter((flow) => flow.from === from);
  const found = sum(own);
  return (
    <tbody>
      {own.map(({ to, why, units }) => (
        <tr key={to}>
          <td>{from}</td>
          <td>
            <Quoted text={to} short={60} />
          </td>
          <td>{why}</td>
          <td className="amount">{formatMoney(units)}</td>
        </tr>
      ))}
      <tr className="total">
        <th scope="row" colSpan={3}>
          {from}
          {found === total ? ": adds up" : `: ${formatMoney(total)} expected`}
        </th>
        <td className="amount" data-sum={from} data-units={found.toString()}>
          {formatMoney(found)}
        </td>
      </tr>
    </tbody>
  );
}

/** Widths use rounded numbers; the table has the exact ones. */
export function Sankey({ flows }: { readonly flows: readonly Flow[] }) {
  const ids = [...new Set(flows.flatMap(({ from, to }) => [`> ${from}`, from === PAID ? `agent ${to}` : `> ${to}`]))];
  const { nodes, links } = sankey<{ id: string }, { units: bigint }>()
    .nodeId(({ id }) => id)
    .nodeWidth(14)
    .nodePadding(16)
    .extent([
      [8, 8],
      [WIDTH - NAMES, HEIGHT - 8],
    ])({
    nodes: ids.map((id) => ({ id })),
    links: flows.map(({ from, to, units }) => ({
      source: `> ${from}`,
      target: from === PAID ? `agent ${to}` : `> ${to}`,
      value: Number(units),
      units,
    })),
  });
  const path = sankeyLinkHorizontal();
  return (
    <svg
      className="sankey"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label="Where the deposit went; the table below has the exact amounts"
    >
      {links.map((link) => (
        <path key={link.index} className="flow" d={path(link) ?? ""} strokeWidth={Math.max(1, link.width ?? 0)} />
      ))}
      {nodes.map(({ id, x0 = 0, x1 = 0, y0 = 0, y1 = 0, value = 0 }) => (
        <g key={id}>
          <rect className="bar" x={x0} y={y0} width={x1 - x0} height={Math.max(1, y1 - y0)} />
          <text x={x1 + 6} y={(y0 + y1) / 2} dominantBaseline="middle">
            {plainLine(id.replace(/^(> |agent )/, "").slice(0, 30))} {formatMoney(BigInt(Math.round(value)))}
          </text>
        </g>
      ))}
    </svg>
  );
}

export function sum(flows: readonly Flow[]): bigint {
  return flows.reduce((total, { units }) => total + units, 0n);
}
