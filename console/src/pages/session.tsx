import { Button, Text, Title } from "@mantine/core";
import { cell, type PlotOptions, text } from "@observablehq/plot";
import { type ReactNode, useMemo, useState } from "react";
import { plainLine } from "../../../orchestrator/primitives/plain-text.ts";
import { packRanking, pairwise, standingsOf } from "../../../orchestrator/rules/condorcet.ts";
import type { MissionView } from "../bundle/view.ts";
import { Chart } from "../parts/chart.tsx";
import { PlainTable } from "../parts/plain-table.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { WithMission } from "../parts/states.tsx";

/** The tie-break is on the chain only, not in a bundle's documents, so a tie is shown as one. */
export const ANY_SEED = `0x${"00".repeat(32)}` as const;

/** The candidates, their duels, and the result with changed ballots. */
export function Component() {
  return <WithMission>{(view) => <Session view={view} />}</WithMission>;
}

function Session({ view: { outcome } }: { readonly view: MissionView }) {
  const { candidates, producers, principals } = outcome.law;
  return (
    <>
      <Title order={1}>How the law came about</Title>
      <Text>
        {producers} agents of {principals} owners could vote; {outcome.ballots.length} did, on {candidates.length - 1} laws and on “no law”.
      </Text>
      <Candidates candidates={candidates} winner={outcome.winner?.entry} />
      <Vote candidates={candidates} ballots={outcome.ballots} winner={outcome.winner?.entry} />
    </>
  );
}

interface VoteProps {
  readonly candidates: readonly {
    readonly entry: number;
    readonly letter: string;
    readonly title: string;
    readonly proposer: string;
    readonly sponsors: number;
  }[];
  readonly ballots: readonly { readonly agent: string; readonly ranking: readonly number[] }[];
  readonly winner: number | undefined;
  /** What a live session shows between the duels and the count. */
  readonly children?: ReactNode;
}

/** Voters that ranked the row's entry above the column's. */
export const pairwiseOf = (rankings: readonly (readonly number[])[], entries: number) => pairwise(rankings.map(packRanking), entries);

function Candidates({ candidates, winner }: Pick<VoteProps, "candidates" | "winner">) {
  return (
    <div className="wide">
      <table>
        <caption>The candidates</caption>
        <thead>
          <tr>
            {["On the ballot", "Title", "Proposed by", "Sponsors"].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {candidates.map(({ entry, letter, title, proposer, sponsors }) => (
            <tr key={entry}>
              <th scope="row">
                {plainLine(letter.slice(0, 20))}
                {entry === winner && " (won)"}
              </th>
              <td>
                <Quoted text={title} short={120} />
              </td>
              <td>{proposer === "" ? "always there" : plainLine(proposer.slice(0, 42))}</td>
              <td>{sponsors}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface DuelsProps {
  readonly duels: readonly (readonly number[])[];
  readonly names: readonly string[];
  readonly isChanged: boolean;
}

/** A duel as both sides of the matrix show it: green if the row won, red if it lost, deeper for a clearer result. */
function Duels({ duels, names, isChanged }: DuelsProps) {
  const title = `${isChanged ? "Every duel, with your changes" : "Every duel"}: how many voters put the row before the column`;
  const pairs = useMemo(
    () =>
      names.flatMap((row, first) =>
        names.flatMap((column, second) => {
          const [own, other] = [duels[first]?.[second] ?? 0, duels[second]?.[first] ?? 0];
          const says = own > other ? "wins" : own < other ? "loses" : "draws";
          return first === second ? [] : [{ row, column, own, says, lead: (own - other) / Math.max(1, own + other) }];
        }),
      ),
    [duels, names],
  );
  const options = useMemo<PlotOptions>(
    () => ({
      ...{ width: 90 * names.length + 60, height: 34 * names.length + 30, marginLeft: 60 },
      x: { axis: "top", label: null, domain: names, tickSize: 0 },
      y: { label: null, domain: names, tickSize: 0 },
      color: { type: "linear", domain: [-1, 0, 1], range: SIDES, interpolate: "rgb" },
      marks: [
        cell(pairs, { x: "column", y: "row", fill: "lead", inset: 1 }),
        text(pairs, { x: "column", y: "row", text: ({ own, says }: Pair) => `${own} ${says}`, fill: "#1a1d21" }),
      ],
    }),
    [pairs, names],
  );
  return (
    <>
      <div className="heat">
        <Chart label={`${title}; the table below says the same`} options={options} />
      </div>
      <PlainTable
        caption={title}
        heads={["before →", ...names]}
        rows={names.map((row) => [row, ...names.map((column) => duelOf(pairs.find((each) => each.row === row && each.column === column)))])}
      />
    </>
  );
}

interface Pair {
  readonly row: string;
  readonly column: string;
  readonly own: number;
  readonly says: string;
}
const duelOf = (pair: Pair | undefined) => (pair === undefined ? "–" : `${pair.own} ${pair.says}`);

/** From lost over equal to won; dark text is readable on each in both themes. */
const SIDES = ["#f0b1ae", "#ffffff", "#a6d9bd"];

/** Duels, the count in words, and the effect of another ballot. */
export function Vote({ candidates, ballots, winner, children }: VoteProps) {
  const [rankings, setRankings] = useState(() => ballots.map(({ ranking }) => ranking));
  const letterOf = (entry: number) => {
    const candidate = candidates.find((each) => each.entry === entry);
    return plainLine((candidate?.letter ?? String(entry)).slice(0, 20));
  };
  const isChanged = rankings.some((ranking, voter) => ranking !== ballots[voter]?.ranking);
  const duels = useMemo(() => pairwiseOf(rankings, candidates.length), [rankings, candidates.length]);
  const standings = useMemo(() => standingsOf(duels, ANY_SEED), [duels]);
  const [best] = standings;
  const tied = standings.filter(({ points, worst }) => points === best?.points && worst === best.worst);
  const leading = standings.filter(({ points }) => points === best?.points);
  const move = (voter: number, place: number) =>
    setRankings((before) =>
      before.map((ranking, each) => {
        if (each !== voter) return ranking;
        const [moved = 0] = ranking.slice(place, place + 1);
        return ranking.toSpliced(place, 1).toSpliced(place - 1, 0, moved);
      }),
    );
  if (ballots.length === 0) return <Text>No one voted: the session ended before a ballot.</Text>;
  return (
    <>
      <Duels duels={duels} names={candidates.map(({ entry }) => letterOf(entry))} isChanged={isChanged} />
      {children}
      <section aria-labelledby="count" aria-live="polite">
        <Title order={2} id="count">
          {isChanged ? "With your changes" : "The count"}
        </Title>
        <ol className="steps">
          <li>
            <strong>Who wins most duels?</strong> Two points for a duel won, one for a draw (Copeland):{" "}
            {standings.map(({ candidate, points }) => `${letterOf(candidate)} ${points}`).join(", ")}.
          </li>
          <li>
            {leading.length === 1 ? (
              <>
                <strong>{letterOf(leading[0]?.candidate ?? 0)} leads alone</strong>, so nothing else is asked.
              </>
            ) : (
              <>
                <strong>{leading.map(({ candidate }) => letterOf(candidate)).join(" and ")} are equal.</strong> Then the one wins whose
                worst defeat is smallest (Minimax):{" "}
                {leading.map(({ candidate, worst }) => `${letterOf(candidate)} at worst ${worst} against`).join(", ")}.
              </>
            )}
          </li>
          <li data-result="count">
            {tied.length === 1 ? (
              <strong>{letterOf(best?.candidate ?? 0)} wins.</strong>
            ) : (
              <>
                <strong>{tied.map(({ candidate }) => letterOf(candidate)).join(" and ")} are still equal.</strong> A seed decides that was
                fixed on the chain before anybody voted{isChanged ? "." : `: ${letterOf(winner ?? 0)} won.`}
              </>
            )}
            {isChanged &&
              tied.length === 1 &&
              (best?.candidate === winner ? " The winner is the same." : " The winner would have been another.")}
          </li>
        </ol>
      </section>
      <section aria-labelledby="whatif">
        <Title order={2} id="whatif">
          What if a voter had ranked otherwise?
        </Title>
        <Text>Move an entry up in anybody's ballot and see the count change. It changes this page only.</Text>
        {isChanged && (
          <Button variant="default" my="sm" onClick={() => setRankings(ballots.map(({ ranking }) => ranking))}>
            Back to the ballots as cast
          </Button>
        )}
        <div className="voters">
          {ballots.map(({ agent }, voter) => (
            <div key={agent} className="voter">
              <strong>{plainLine(agent.slice(0, 42))}</strong>
              <ol>
                {(rankings[voter] ?? []).map((entry, place) => (
                  <li key={entry}>
                    {letterOf(entry)}{" "}
                    {place > 0 && (
                      <Button
                        size="compact-xs"
                        variant="default"
                        aria-label={`${plainLine(agent.slice(0, 42))}: move ${letterOf(entry)} up`}
                        onClick={() => move(voter, place)}
                      >
                        up
                      </Button>
                    )}
                  </li>
                ))}
              </ol>
            </div>
          ))}
        </div>
      </section>
    </>
  );
}
