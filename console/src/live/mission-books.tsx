import { Text } from "@mantine/core";
import { formatMoney } from "../../../orchestrator/primitives/amounts.ts";
import type { Ledger } from "../city/answers.ts";
import { Sankey, sum } from "../pages/money.tsx";
import { DEPOSIT, type Flow } from "../pages/money-flows.ts";

export function Books({ books }: { readonly books: Ledger }) {
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
