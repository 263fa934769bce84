import { MIN_BLOC, MIN_PROMINENCE } from "../../orchestrator/clerks/blocs.ts";
import { MADE, table } from "../dev/markdown.ts";
import { type BlocStudy, readBlocStudy } from "./blocs.ts";

type Row = BlocStudy["detection"][number];

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
const electorate = ({ misjudgement }: Row): string => (misjudgement === "impartial" ? "at random" : misjudgement.toFixed(2));

/** `docs/blocs.md`: blocs that the Regulator detects, and those it cannot. */
export function blocsPage(): string {
  const { detection, power } = readBlocStudy();
  const byError = detection.filter(({ candidates }) => candidates === 8);
  const bySize = [...detection.filter(({ misjudgement }) => misjudgement === 0.1)].sort((a, b) => a.candidates - b.candidates);
  const runs = detection[0]?.runs ?? 0;
  const found = (first: (row: Row) => string) => (row: Row) => [
    first(row),
    `${row.caught}/${row.runs}`,
    `${percent(row.pairs)} (${percent(row.pairsWorst)})`,
    `${percent(row.above)} (${percent(row.aboveWorst)})`,
    row.flagged.toFixed(2),
    `${row.runsFlagged}/${row.runs}`,
  ];
  const head = ["bloc caught", "honest pairs flagged", "honest pairs above τ and Jaccard", "honest voters flagged", "elections with any"];
  return [
    MADE("bench/blocs.json, which `node scripts/bench/blocs.ts` writes"),
    "\n# Voters who rank alike\n\n",
    "The chain records every ranking. Two are *alike* when Kendall's τ reaches `BLOC_TAU_THRESHOLD` (0.90) and the Jaccard index of their first\n",
    "places `BLOC_JACCARD_THRESHOLD` (0.80): of eight candidates, the same three in front and at most one exchange of neighbours. After the count\n",
    "the Regulator compares all distinct rankings ([`clerks/blocs.ts`](../orchestrator/clerks/blocs.ts)) and submits its findings to the contract;\n",
    "`flagBloc` compares the recorded rankings again, and refuses voters that are not alike. If flagged voters hold `CRITICAL_BLOC_SHARE` (10 %) of the\n",
    "ballots, `approve` waits for two adjudicators, who release the law or void the vote. On a devnet a simulation labelled SIMULATED decides\n",
    "in their place: it voids exactly if another candidate wins without the flagged ballots.\n\n",
    "## The rule\n\n",
    `A bloc is at least ${MIN_BLOC} voters, at most half of all, every two of whom are alike, around one ranking that is held by more than\n`,
    `${MIN_PROMINENCE} times as many voters as an average ranking one or two exchanges away from it. Pairs alone are not flagged, as the measurements\n`,
    "below explain: among a hundred honest voters a few always agree by chance. Those pairs are far below 1 %, but involve so many voters that every law\n",
    "would wait for adjudicators. The last condition distinguishes a ranking that honest voters tend to, whose neighbours are also common, from one\n",
    "that was handed out; it also keeps short ballots from being flagged, on which many must agree because there are few rankings.\n\n",
    `## Detection: a bloc of five among a hundred honest voters, ${runs} seeded elections per row\n\n`,
    "Honest voters are the population of [legislature.md](legislature.md#hold-a-session); the column on the left is the standard deviation of\n",
    "their error about a law's utility (0–1), 0.10 in a session. *At random*: every voter ranks by lot (impartial culture). The bloc repeats its\n",
    "leader's ranking. Shares are means, the worst election in brackets.\n\n",
    table(["error", ...head], byError.map(found(electorate))),
    "\nVoters who never err and share interests rank alike without any contact, up to thirty at a time: no analysis of rankings\n",
    "can distinguish them from a bloc, and without any error more than one honest pair in a hundred is flagged. Therefore a flag only delays, and\n",
    "adjudicators decide.\n\n",
    "The same with other ballots, error 0.10:\n\n",
    table(["candidates", ...head], bySize.map(found(({ candidates }) => String(candidates)))),
    "\nA ballot of few candidates carries too little information: with four there are 24 rankings for a hundred voters. Detection needs eight.\n\n",
    "## Power: blocs that agree on less\n\n",
    "*correlated-top-3* shares the first three and ranks the rest at random; *single-pivot* shares only its favourite. Eight candidates, error 0.10.\n",
    "The first row of each block has the constitution's thresholds; the others are weaker ones that adjudicators could choose (down to 0.50), with\n",
    "their cost to honest voters.\n\n",
    table(
      ["strategy", "bloc", "τ", "Jaccard", "bloc caught whole", "members flagged", "honest voters flagged", "honest pairs flagged"],
      power.map((row) => [
        row.strategy,
        String(row.bloc),
        (row.blocTau / 100).toFixed(2),
        (row.blocJaccard / 100).toFixed(2),
        `${row.caught}/${row.runs}`,
        percent(row.members),
        row.flagged.toFixed(2),
        percent(row.pairs),
      ]),
    ),
    "\nOnly identical rankings are caught reliably, at any size. Blocs that share only three places or one have too little in common, and thresholds weak\n",
    "enough to flag them flag more honest voters than members: this is the paper's NP-4, measured. A bloc of fewer than five, or one that\n",
    "varies its rankings, is not detected either.\n",
  ].join("");
}
