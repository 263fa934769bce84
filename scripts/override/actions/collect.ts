import { intentKey } from "../../../orchestrator/chain/outbox.ts";
import { formatMoney } from "../../../orchestrator/primitives/amounts.ts";
import { InvalidValue } from "../../../orchestrator/primitives/errors.ts";
import { addressIn } from "../arguments.ts";
import { type OfficeOptions, openOffice } from "../office.ts";
import { payingClient } from "../order.ts";

/** Pays an adjudicator for decided cases, as far as the treasury may; needs no signature. */
export async function collect(adjudicator: string, options: OfficeOptions & { readonly json?: boolean }): Promise<void> {
  const seat = addressIn(adjudicator, "adjudicator");
  const office = await openOffice(options);
  try {
    const due = await office.client.roster.dueTo(seat);
    if (due === 0n) throw new InvalidValue("adjudicator", `nothing is due to ${seat} for cases`);
    await payingClient(office).roster.collect([seat], { intent: intentKey("collect", seat) });
    const left = await office.client.roster.dueTo(seat);
    if (options.json === true)
      process.stdout.write(`${JSON.stringify({ adjudicator: seat, paid: String(due - left), left: String(left) })}\n`);
    else process.stdout.write(`paid ${formatMoney(due - left)} to ${seat}; ${formatMoney(left)} remain due\n`);
  } finally {
    await office.close();
  }
}
