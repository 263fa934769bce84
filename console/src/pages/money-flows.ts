import type { MissionView } from "../bundle/view.ts";

/** One flow of units. */
export interface Flow {
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
  /** In one sentence. */
  readonly why: string;
}

export const DEPOSIT = "Deposit";
export const PAID = "Paid for work";
/** Payments of the last law that none of its nodes shows. */
const ELSEWHERE = "earlier laws";

/** Every unit of the deposit, and its destination. The flows out of the deposit add up to it, those out of the pay to the pay. */
export function moneyFlows({ outcome, nodes }: MissionView): readonly Flow[] {
  const money = outcome.total;
  const flows: Flow[] = [
    { from: DEPOSIT, to: PAID, units: BigInt(money.paid), why: "to executors whose work was accepted" },
    { from: DEPOSIT, to: "Verifiers and protocol (fees)", units: BigInt(money.fees), why: "for checking, and for the city" },
    { from: DEPOSIT, to: "Insurance", units: BigInt(money.insurance), why: "set aside against losses" },
    { from: DEPOSIT, to: "Treasury (discount)", units: BigInt(money.discount), why: "deducted from executors with low reputation" },
    { from: DEPOSIT, to: "Missions below", units: BigInt(money.children), why: "kept by missions below from their funding" },
    { from: DEPOSIT, to: "Back to the sponsor", units: BigInt(money.refunded), why: "not spent" },
  ];
  const byAgent = new Map<string, bigint>();
  for (const { end } of nodes)
    for (const { agent, paid } of end?.executors ?? []) byAgent.set(agent, (byAgent.get(agent) ?? 0n) + BigInt(paid));
  for (const [agent, units] of byAgent) flows.push({ from: PAID, to: agent, units, why: "its share, by the law's prices" });
  const rest = BigInt(money.paid) - [...byAgent.values()].reduce((sum, units) => sum + units, 0n);
  if (rest > 0n) flows.push({ from: PAID, to: ELSEWHERE, units: rest, why: "to executors of laws before the last" });
  return flows.filter(({ units }) => units > 0n);
}
