import { Button, Text, Title } from "@mantine/core";
import { type ReactNode, useMemo, useState } from "react";
import { plainLine } from "../../../orchestrator/primitives/plain-text.ts";
import { packRanking, pairwise, standingsOf } from "../../../orchestrator/rules/condorcet.ts";
import type { MissionView } from "../bundle/view.ts";
import { Quoted } from "../parts/quoted.tsx";
import { WithMission } from "../parts/states.tsx";

/** Decides between equals on the chain; a bundle's documents do not hold it, so a tie is said to be one. */
export const ANY_SEED = `0x${"00".repeat(32)}` as const;

/** The candidates, the duels between them, and what would have been with another ballot. */
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

/** Voters who put the row's entry before the column's. */
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

/** Duels, the count in words, and what another ballot would have changed. */
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
  if (ballots.length === 0) return <Text>Nobody voted: the session ended before a ballot.</Text>;
  return (
    <>
      <div className="wide">
        <table className="heat">
          <caption>{isChanged ? "Every duel, with your changes" : "Every duel"}: how many voters put the row before the column</caption>
          <thead>
            <tr>
              <th scope="col">before →</th>
              {candidates.map(({ entry }) => (
                <th key={entry} scope="col">
                  {letterOf(entry)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {candidates.map(({ entry: row }) => (
              <tr key={row}>
                <th scope="row">{letterOf(row)}</th>
                {candidates.map(({ entry: column }) => {
                  const [own, other] = [duels[row]?.[column] ?? 0, duels[column]?.[row] ?? 0];
                  const result = own > other ? "wins" : own < other ? "loses" : "draws";
                  if (row === column) return <td key={column}>–</td>;
                  // The clearer the duel, the deeper its colour.
                  const depth = Math.min(4, Math.ceil((4 * Math.abs(own - other)) / Math.max(1, own + other)));
                  return (
                    <td key={column} data-won={own === other ? undefined : own > other} data-depth={depth}>
                      {own} {result}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
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
