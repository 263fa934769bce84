import { formatMoney, grouped } from "../primitives/amounts.ts";
import { balances, type Outcome } from "../protocol/outcome.ts";
import { block, INDENT, metricLines, pairwiseTable, stageLines, table } from "./screen-parts.ts";

/** The first screen (decision 54), drawn from the outcome alone. `elapsed` is wall time in seconds. */
export function renderScreen(outcome: Outcome, elapsed: number): string {
  const lines = [
    `AgentCity · ${outcome.name} · ${outcome.network} ${outcome.chainId} · seed ${outcome.seed}`,
    ...block("LAW", law(outcome)),
    ...block("DEBATE", metricLines(outcome.metrics)),
    ...(outcome.mission === null ? [] : running(outcome)),
    ...block("MONEY", money(outcome)),
    ...table("TALLY", pairwiseTable(outcome.law.candidates, outcome.pairwise)),
    ...table("GAS", gasRows(outcome)),
    ...table("REPUTATION", reputationRows(outcome)),
    ...(outcome.report === null ? [] : block("REPORT", [outcome.report])),
    ...(outcome.mission === null ? [] : block("CHECK", [`npm run audit -- ${outcome.mission}`])),
    `${`${outcome.status.toUpperCase()}`.padEnd(INDENT)} ${elapsed.toFixed(0)} s`,
  ];
  return `${lines.join("\n")}\n`;
}

function running(outcome: Outcome): string[] {
  return [
    ...block("MARKET", [
      `${outcome.market.tasks} tasks · ${outcome.market.bids} bids · fairness ${outcome.market.fairness} (≥ ${outcome.market.minFairness}) · stake locked ${amount(outcome.market.stakeLocked)}`,
    ]),
    ...block("RUN", outcome.nodes.map(nodeLine)),
    ...block("STAGES", stageLines(outcome.execution)),
    ...block("EPOCHS", outcome.epochs.length < 2 ? [] : outcome.epochs.map(epochLine)),
    ...block("ANCHOR", outcome.hybrid === null ? [] : [anchorLine(outcome.hybrid)]),
    ...block("BELOW", outcome.children.map(childLine)),
    ...block("HUMAN", outcome.human.map(humanLine)),
    ...block("SETTLE", [settlement(outcome)]),
  ];
}

function law({ law, ballots, pairwise, winner }: Outcome): string[] {
  const lines = [
    `${law.producers} producers of ${law.principals} principals · ${law.candidates.length - 1} candidates · ${ballots.length}/${law.producers} ballots`,
  ];
  for (const { session, end } of law.past) lines.unshift(`session ${session} ended ${end}: the matter came back in another`);
  if (winner === null) return [...lines, "no law: nothing won the ballot, the deposit went back"];
  const duels = law.candidates
    .filter(({ entry }) => entry !== winner.entry)
    .map(({ entry, letter }) => `${letter} ${pairwise[winner.entry]?.[entry] ?? 0}–${pairwise[entry]?.[winner.entry] ?? 0}`);
  lines.push(`${winner.letter} "${winner.title}" wins: ${duels.join(", ")}`);
  if (law.lawHash !== null)
    lines.push(
      `law ${short(law.lawHash)}: deployed code ${law.fidelity ? "equals the ballot's spec ✓" : "DIFFERS from the ballot's spec ✗"}`,
    );
  return lines;
}

function nodeLine({ label, state, attempts, class: evidence, executors, dissent, tier }: Outcome["nodes"][number]): string {
  const parts = [`${label} ${state === "COMPLETED" ? "✓" : state}`];
  if (evidence !== "") parts.push(evidence);
  if (tier === 2) {
    const agreed = executors.filter(({ result }) => result === "agreed");
    const last = executors.filter(({ result }) => result !== "failed");
    parts.push(`${agreed.length}/${last.length}`);
    const dissenters = executors.filter(({ result }) => result === "dissented").map(({ agent }) => agent);
    if (dissenters.length > 0) parts.push(`${dissenters.join(", ")} dissents`);
    if (dissent > 0) parts.push(`(${dissent} items differ)`);
  }
  for (const { agent, result, slashed } of executors) {
    if (result === "failed") parts.push(`· ${agent} failed${slashed === "0" ? "" : `, slashed ${amount(slashed)}`}`);
  }
  if (attempts > 1)
    parts.push(
      `· attempt ${attempts} by ${executors
        .filter(({ result }) => result === "agreed")
        .map(({ agent }) => agent)
        .join(", ")}`,
    );
  return parts.join(" ");
}

function epochLine({ epoch, mission, status, cause, money }: Outcome["epochs"][number]): string {
  const why = cause === null ? "" : ` after ${cause.type}`;
  return `${epoch}${why}: ${status}${mission === null ? "" : ` ${short(mission)}`} · ${amount(money.deposit)}, ${amount(money.refunded)} not spent`;
}

function anchorLine({ interval, checkpoints, anchored, late, unaudited, longest }: NonNullable<Outcome["hybrid"]>): string {
  const parts = [`hybrid, τ ${span(interval)}`, `${checkpoints} checkpoints took ${anchored} nodes`];
  if (late > 0) parts.push(`${late} came into none`);
  return [...parts, `N_unaudited ${unaudited}, ${longest} s at most`].join(" · ");
}

function childLine({ path, status, attempt, mission, title, leaves, money: { deposit, refunded } }: Outcome["children"][number]): string {
  const spent = (BigInt(deposit) - BigInt(refunded)).toString();
  const parts = [`${path} ${status === "completed" ? "✓" : status.toUpperCase()}`, ...(attempt > 1 ? [`attempt ${attempt}`] : [])];
  if (mission !== null) parts.push(`"${title}" · ${leaves} tasks`, short(mission));
  return [...parts, `${amount(spent)} of ${amount(deposit)} spent`].join(" · ");
}

function humanLine({ node, action, adjudicator, simulated }: Outcome["human"][number]): string {
  return `${node}: ${simulated ? "SIMULATED " : ""}${adjudicator} ${action}${simulated ? "   (--ask: sign it yourself)" : ""}`;
}

function settlement({ settlement: { appealWindow, advancedClock, closed } }: Outcome): string {
  const window =
    appealWindow === 0 ? "no appeal window" : `appeal window ${span(appealWindow)}${advancedClock ? " (chain clock advanced)" : ""}`;
  return `${window} · ${closed ? "claimed and closed" : "open"}`;
}

function money({ money, slashed }: Outcome): string[] {
  const below = money.children === "0" ? "" : ` + ${amount(money.children)} below`;
  const parts = `${amount(money.paid)} paid + ${amount(money.fees)} fees + ${amount(money.insurance)} insurance + ${amount(money.discount)} discount + ${amount(money.refunded)} refunded${below}`;
  const lines = [`${amount(money.deposit)} = ${parts} ${balances(money) ? "✓" : "✗"}`, `subsidy apart ${amount(money.subsidy)}`];
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
