import { AS_WRITTEN } from "../../orchestrator/economy/hypotheses.ts";
import { powerLaw } from "../../orchestrator/economy/statistics/fits.ts";
import { grouped } from "../../orchestrator/primitives/amounts.ts";
import { MADE, table } from "../dev/markdown.ts";
import { describe } from "../economy/origin.ts";
import { type EconomyBench, readEconomyBench } from "./economy.ts";

type Row = EconomyBench["rows"][number];

/** Processor seconds per round, without the founding. */
const ofRound = ({ processor, founding, rounds }: Row): number => (processor - founding) / rounds;
const nLogN = (agents: number): number => agents * Math.log(agents);

/** Cost of a run of the economy; no page before the first measurement. */
export function economySpeedPages(): Map<string, string> {
  const bench = readEconomyBench();
  return new Map(bench === undefined ? [] : [["docs/economy-speed.md", pageOf(bench)]]);
}

function pageOf({ rows }: EconomyBench): string {
  const { machine } = describe(rows.map(({ origin }) => origin));
  const written = rows.filter(({ variant }) => variant === AS_WRITTEN);
  const [first] = written;
  const per = (row: Row) => (first === undefined ? 1 : ofRound(row) / ofRound(first) / (nLogN(row.agents) / nLogN(first.agents)));
  const { exponent } = powerLaw(written.map((row) => ({ x: row.agents, y: ofRound(row) })));
  return [
    MADE("bench/economy-speed.json, which `npm run bench` writes"),
    "\n# Cost of an economy run\n\n",
    "One run of the Full configuration ([economy.md](economy.md)): two hundred rounds, ten milestones, every session, market, commitment, clearing and\n",
    `settlement a transaction of the contracts on the embedded chain. Seed 1, one process per row, on ${machine}.\n\n`,
    table(
      [
        "agents",
        "tasks a milestone",
        "wall, s",
        "processor, s",
        "founding, s",
        "a round, ms",
        "n log n",
        "memory, MiB",
        "transactions",
        "million gas",
        "commit",
      ],
      rows.map((row) => [
        grouped(row.agents),
        String(row.tasks),
        row.seconds.toFixed(1),
        row.processor.toFixed(1),
        row.founding.toFixed(1),
        (1000 * ofRound(row)).toFixed(0),
        row.variant === AS_WRITTEN ? per(row).toFixed(2) : "–",
        grouped(row.memory),
        grouped(row.transactions),
        grouped(Math.round(row.gas / 1e6)),
        describe([row.origin]).commit,
      ]),
    ),
    "\nFounding and rounds are processor seconds of the process, including the chain. *n log n* is the growth of a round since the first row, relative to\n",
    `growth by n log n: below 1 it grows more slowly. A round grows as n^${exponent.toFixed(2)} over the rows of 25 tasks. Bars: 200 agents in 120 seconds on two\n`,
    "cores, 1,000 in six minutes with 25 tasks and twelve with 125, within 4 GiB.\n",
  ].join("");
}
