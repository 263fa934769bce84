import { TransactionReverted } from "../chain/errors.ts";
import type { Intent } from "../chain/sender.ts";
import type { LogNote } from "../client/base.ts";
import { writeEach } from "../client/write.ts";
import type { Address } from "../primitives/hex.ts";
import type { LegislatureContext } from "./context.ts";
import type { RefusedAct } from "./ports.ts";
import { isOver } from "./refund.ts";

/** What an agent signed, in the transaction that carries it. */
export interface Act {
  readonly agent: Address;
  readonly intent: Intent<LogNote>;
}

/** The act stands already, whoever sent it. */
const TAKEN: ReadonlySet<string> = new Set(["AlreadySponsored", "AlreadyProposed"]);

/**
 * Sends acts of agents, in this order. Whoever has signed may send by itself, too, and have its act refused here by one that it sent
 * before: this holds back nobody else's. Returns those that were refused.
 */
export async function sendActs(context: LegislatureContext, acts: readonly Act[]): Promise<readonly RefusedAct[]> {
  const refused: RefusedAct[] = [];
  await writeEach(context.client, acts, async ({ agent, intent: { what = "act", note } }, reason) => {
    refused.push({ agent, what, reason });
    if (TAKEN.has(reason) && note !== undefined) await context.client.sender?.record([note]);
  });
  for (const act of refused) context.options.ports.refused?.(act);
  return refused;
}

/**
 * Sends what agents signed in one transaction or, if the chain refuses that, each agent's in one of its own. `submit` gets what to send,
 * and what distinguishes the step from that of the whole batch. Throws TransactionReverted for a session that is over.
 */
export async function sendBatch<Signed extends { readonly agent: Address }, Receipt>(
  context: LegislatureContext,
  { what, session }: { readonly what: string; readonly session?: bigint },
  batch: readonly Signed[],
  submit: (part: Signed[], name: string) => Promise<Receipt>,
): Promise<readonly Receipt[]> {
  try {
    return [await submit([...batch], "")];
  } catch (error) {
    if (!(error instanceof TransactionReverted) || (session !== undefined && (await isOver(context, session)))) throw error;
  }
  const receipts: Receipt[] = [];
  for (const signed of batch) {
    const { agent } = signed;
    try {
      receipts.push(await submit([signed], `/${agent}`));
    } catch (error) {
      if (!(error instanceof TransactionReverted)) throw error;
      context.options.ports.refused?.({ agent, what, reason: error.errorName ?? error.shortMessage });
    }
  }
  return receipts;
}
