import { ending } from "../city/report/node-words.ts";
import { formatMoney, grouped } from "../primitives/amounts.ts";
import { plainLine } from "../primitives/plain-text.ts";
import { TIER } from "../primitives/tier.ts";
import { balances, type Outcome } from "../protocol/outcome.ts";
import { block, metricLines, pairwiseTable, stageLines, table } from "./screen-parts.ts";

/** What `--explain` adds to the screen: how the law was made, the market, evidence, previous laws, exact amounts, gas, reputations. */
export function explanation(outcome: Outcome): string[] {
  return [
    ...block("CITY", [`${outcome.network} ${outcome.chainId} · seed ${outcome.seed}`]),
    ...block("VOTE", vote(outcome)),
    ...block("DEBATE", metricLines(outcome.metrics)),
    ...(outcome.mission === null ? [] : execution(outcome)),
    ...block("MONEY", money(outcome)),
    ...table("TALLY", pairwiseTable(outcome.law.candidates, outcome.pairwise)),
    ...table("GAS", gasRows(outcome)),
    ...table("REPUTATION", reputationRows(outcome)),
  ];
}

function execution(outcome: Outcome): string[] {
  const { market } = outcome;
  return [
    ...block("MARKET", [
      `${market.tasks} tasks · ${market.bids} bids · fairness ${market.fairness} (≥ ${market.minFairness}) · stake locked ${amount(market.stakeLocked)}`,
    ]),
    ...block("RUN", outcome.nodes.map(nodeLine)),
    ...block("STAGES", stageLines(outcome.execution)),
    ...block("EPOCHS", outcome.epochs.length < 2 ? [] : outcome.epochs.map(epochLine)),
    ...block("ANCHOR", outcome.hybrid === null ? [] : [anchorLine(outcome.hybrid)]),
    ...block("BELOW", outcome.children.map(childLine)),
    ...block("SETTLE", [settlement(outcome)]),
  ];
}

function vote({ law, ballots, pairwise, winner }: Outcome): string[] {
  const lines = [
    ...law.past.map(({ session, end }) => `session ${session} ended ${end}: the goal was taken up again in another`),
    `${law.producers} producers of ${law.principals} principals · ${law.candidates.length - 1} candidates · ${ballots.length}/${law.producers} ballots`,
  ];
  if (winner === null) return lines;
  const duels = law.candidates
    .filter(({ entry }) => entry !== winner.entry)
    .map(({ entry, letter }) => `${letter} ${pairwise[winner.entry]?.[entry] ?? 0}–${pairwise[entry]?.[winner.entry] ?? 0}`);
  lines.push(`${winner.letter} "${plainLine(winner.title)}" wins: ${duels.join(", ")}`);
  if (law.lawHash !== null)
    lines.push(
      `law ${short(law.lawHash)}: deployed code ${law.fidelity ? "equals the ballot's spec ✓" : "DIFFERS from the ballot's spec ✗"}`,
    );
  return lines;
}

/** State, evidence class, agreement and executors of one node. */
function nodeLine(node: Outcome["nodes"][number]): string {
  const { label, end, class: evidence, executors, dissent, tier, attempts } = node;
  if (end !== "done") return `${label} ✗ ${ending(node, plainLine)}`;
  const last = executors.filter(({ attempt }) => attempt === attempts);
  const dissenters = last.filter(({ result }) => result === "dissented").map(({ agent }) => agent);
  const parts = [`${label} ✓ ${evidence}`];
  if (tier === TIER.CONSENSUS) parts.push(`${last.filter(({ result }) => result === "agreed").length}/${last.length}`);
  if (dissenters.length > 0) parts.push(`${dissenters.join(", ")} ${dissenters.length === 1 ? "dissents" : "dissent"}`);
  if (dissent > 0) parts.push(`(${dissent} items differ)`);
  for (const { agent, result, slashed } of executors)
    if (result === "failed") parts.push(`· ${agent} failed${slashed === "0" ? "" : `, slashed ${amount(slashed)}`}`);
  if (attempts > 1) parts.push(`· attempt ${attempts} by ${last.map(({ agent }) => agent).join(", ")}`);
  return parts.join(" ");
}

function epochLine({ epoch, mission, status, cause, money: spent }: Outcome["epochs"][number]): string {
  const why = cause === null ? "" : ` after ${cause.type}`;
  return `${epoch}${why}: ${status}${mission === null ? "" : ` ${short(mission)}`} · ${amount(spent.deposit)}, ${amount(spent.refunded)} not spent`;
}

function anchorLine({ interval, checkpoints, anchored, late, unaudited, longest }: NonNullable<Outcome["hybrid"]>): string {
  const parts = [`hybrid, τ ${span(interval)}`, `${checkpoints} checkpoints anchored ${anchored} nodes`];
  if (late > 0) parts.push(`${late} in none`);
  return [...parts, `N_unaudited ${unaudited}, at most ${longest} s`].join(" · ");
}

function childLine({ path, status, attempt, mission, title, leaves, money: { deposit, refunded } }: Outcome["children"][number]): string {
  const spent = (BigInt(deposit) - BigInt(refunded)).toString();
  const parts = [`${path} ${status === "completed" ? "✓" : status.toUpperCase()}`, ...(attempt > 1 ? [`attempt ${attempt}`] : [])];
  if (mission !== null) parts.push(`"${plainLine(title ?? "")}" · ${leaves} tasks`, short(mission));
  return [...parts, `${amount(spent)} of ${amount(deposit)} spent`].join(" · ");
}

function settlement({ settlement: { appealWindow, advancedClock, closed } }: Outcome): string {
  const window =
    appealWindow === 0 ? "no appeal window" : `appeal window ${span(appealWindow)}${advancedClock ? " (chain clock advanced)" : ""}`;
  return `${window} · ${closed ? "claimed and closed" : "open"}`;
}

/** Money of the last law, to the unit. */
function money({ money: spent, slashed }: Outcome): string[] {
  const below = spent.children === "0" ? "" : ` + ${amount(spent.children)} below`;
  const parts = `${amount(spent.paid)} paid + ${amount(spent.fees)} fees + ${amount(spent.insurance)} insurance + ${amount(spent.discount)} discount + ${amount(spent.refunded)} refunded${below}`;
  const lines = [`${amount(spent.deposit)} = ${parts} ${balances(spent) ? "✓" : "✗"}`, `plus a subsidy of ${amount(spent.subsidy)}`];
  if (slashed !== "0") lines.push(`slashed from stake ${amount(slashed)}: half to the treasury, half to insurance`);
  return lines;
}

function gasRows({ gasByStage }: Outcome): string[][] {
  if (gasByStage.length === 0) return [];
  return [
    ["stage", "transactions", "gas"],
    ...gasByStage.map(({ stage, transactions, gas }) => [stage, String(transactions), grouped(gas)]),
  ];
}

function reputationRows({ reputations }: Outcome): string[][] {
  const moved = reputations.filter(({ before, after }) => before !== after);
  if (moved.length === 0) return [];
  return [["agent", "before", "after"], ...moved.map(({ agent, before, after }) => [agent, String(before), String(after)])];
}

function amount(units: string): string {
  return formatMoney(BigInt(units));
}

function short(hash: string): string {
  return `${hash.slice(0, 6)}…${hash.slice(-4)}`;
}

function span(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
