import { BASIS_POINTS, grouped } from "../primitives/amounts.ts";
import type { SessionReport } from "../protocol/session-report.ts";
import { block, INDENT, metricLines, pairwiseTable, table } from "./screen-parts.ts";

/** Names listed on a line; further ones are counted. */
const SHOWN = 12;

/** Explains a session to a first-time reader, from the report alone. `elapsed`: wall time, seconds. */
export function renderSession(report: SessionReport, elapsed: number): string {
  const { name, network, chainId, seed, gas } = report;
  const lines = [
    `AgentCity session · ${name} · ${network} ${chainId} · seed ${seed}`,
    ...block("WHO", who(report)),
    ...block(
      "LAWS",
      report.candidates.slice(1).map(({ letter, title }) => `${letter} ${title}`),
    ),
    ...table("MATRIX", pairwiseTable(report.candidates, report.pairwise)),
    ...table("RANKING", rankingRows(report)),
    ...block("WHY", why(report)),
    ...block("PIVOTAL", pivotal(report)),
    ...block("BLOCS", blocs(report)),
    ...block("METRICS", metricLines(report.metrics)),
    ...block("GAS", [
      `${grouped(gas.total)} in total · ${grouped(gas.ballots.perBallot)} a ballot (${report.ballots.length} ballots in ${gas.ballots.transactions} transactions)`,
    ]),
    ...(report.mission === null ? [] : block("LAW", [`deployed at ${report.mission}`])),
    `${report.status.toUpperCase().padEnd(INDENT)} ${elapsed.toFixed(0)} s`,
  ];
  return `${lines.join("\n")}\n`;
}

function who({ electorate, candidates, ballots }: SessionReport): string[] {
  const personas = Object.entries(electorate.personas)
    .sort(([, a], [, b]) => b - a)
    .map(([persona, agents]) => `${agents} ${persona}`);
  const lines = [
    `${electorate.agents} agents of ${electorate.principals} owners: ${personas.join(", ")}`,
    `${candidates.length} candidates: ${candidates.length - 1} laws and "no law" · ${ballots.length}/${electorate.agents} ballots, each a full ranking`,
  ];
  if (electorate.planted.length > 0)
    lines.push(`planted: ${few(electorate.planted)} rank as ${electorate.planted[0]} directs (unknown to the city)`);
  return lines;
}

function rankingRows({ candidates, order, pairwise }: SessionReport): string[][] {
  if (order.length === 0) return [];
  const rows = order.flatMap((entry, place) => {
    const candidate = candidates[entry];
    if (candidate === undefined) return [];
    const rivals = candidates.filter((other) => other.entry !== entry);
    const duel = (other: number) => (pairwise[entry]?.[other] ?? 0) - (pairwise[other]?.[entry] ?? 0);
    const won = rivals.filter((other) => duel(other.entry) > 0).length;
    const drawn = rivals.filter((other) => duel(other.entry) === 0).length;
    const title = entry === 0 ? "no law" : `${candidate.letter} ${candidate.title}`;
    return [[`${place + 1}. ${title}`, String(won), String(drawn), String(rivals.length - won - drawn), String(candidate.worst)]];
  });
  return [["place", "duels won", "drawn", "lost", "worst defeat"], ...rows];
}

/** A candidate's name on this screen. */
const labelIn = (candidates: SessionReport["candidates"]) => (entry: number) =>
  entry === 0 ? `"no law"` : (candidates[entry]?.letter ?? String(entry));

/** Why the winner won, for readers new to Condorcet elections. */
function why(report: SessionReport): string[] {
  const { winner, candidates, pairwise, order } = report;
  if (winner === null) return [`no vote was taken: ${report.reason ?? "unknown"}`];
  const label = labelIn(candidates);
  const score = (entry: number) => `${pairwise[winner.entry]?.[entry] ?? 0}–${pairwise[entry]?.[winner.entry] ?? 0}`;
  const rivals = candidates.map(({ entry }) => entry).filter((entry) => entry !== winner.entry);
  const margin = (entry: number) => (pairwise[winner.entry]?.[entry] ?? 0) - (pairwise[entry]?.[winner.entry] ?? 0);
  const lost = rivals.filter((entry) => margin(entry) < 0);
  const drawn = rivals.filter((entry) => margin(entry) === 0);
  const closest = rivals.toSorted((a, b) => margin(a) - margin(b))[0];
  const second = order[1];
  const lines = [`candidates are compared in pairs; the one that more voters rank higher wins the pair`];
  if (lost.length === 0 && drawn.length === 0) {
    lines.push(`${label(winner.entry)} won all its ${rivals.length} duels: whatever it is compared with, more voters prefer it`);
  } else {
    lines.push(
      `${label(winner.entry)} won ${rivals.length - lost.length - drawn.length} of its ${rivals.length} duels` +
        (lost.length === 0 ? "" : `, lost to ${lost.map(label).join(", ")}`) +
        (drawn.length === 0 ? "" : `, drew with ${drawn.map(label).join(", ")}`),
    );
    if (second !== undefined && winner.by !== "duels")
      lines.push(
        winner.by === "smallest defeat"
          ? `${label(second)} won as many; the worst defeat of ${label(winner.entry)} is smaller, which decides`
          : `${label(second)} is equal in everything; the seed fixed before the first ballot decides`,
      );
  }
  if (closest !== undefined) lines.push(`its closest duel was against ${label(closest)}: ${score(closest)}`);
  if (report.status === "no-law" && report.reason !== null) lines.push(`no law was made: ${report.reason}; the deposit was refunded`);
  return lines;
}

function pivotal({ pivotal: { alone, swing, withoutFlagged }, candidates, winner }: SessionReport): string[] {
  if (winner === null) return ["nobody: no vote was taken"];
  const label = labelIn(candidates);
  const lines = [
    alone.length === 0
      ? "no single voter: removing any one ballot leaves the same winner"
      : `${few(alone)}: without the ballot of any one of them another candidate wins`,
  ];
  if (swing === null) lines.push("no group that moved one rival up could have changed the winner");
  else
    lines.push(
      `fewest together: ${swing.voters} ${swing.voters === 1 ? "voter" : "voters"} putting ${label(swing.rival)} before ${label(winner.entry)} would have changed the winner ` +
        `(${swing.adjacent} rank it right behind)`,
    );
  if (withoutFlagged !== null)
    lines.push(
      withoutFlagged === winner.entry
        ? "flagged voters did not decide: without them the same candidate wins"
        : `flagged voters decided: without them ${label(withoutFlagged)} wins`,
    );
  return lines;
}

function blocs({ blocs, delay }: SessionReport): string[] {
  if (blocs.length === 0) return ["none flagged"];
  const lines = blocs.map(
    ({ members, tau, jaccard }) =>
      `${few(members)} ranked alike: Kendall's τ ≥ ${(tau / BASIS_POINTS).toFixed(2)}, first places ≥ ${(jaccard / BASIS_POINTS).toFixed(2)} in common`,
  );
  const share = `${delay.flagged} voters flagged; ${delay.criticalShare / 100} % of the ballots make approval wait for adjudicators`;
  const { ruling } = delay;
  if (ruling === null) return [...lines, share];
  const humans = `${ruling.simulated ? "SIMULATED " : ""}${ruling.adjudicators.join(", ")}`;
  return [...lines, share, `${humans} ${ruling.released ? "released the law" : "voided the vote"}`];
}

function few(names: readonly string[]): string {
  return names.length <= SHOWN ? names.join(", ") : `${names.slice(0, SHOWN).join(", ")} and ${names.length - SHOWN} more`;
}
