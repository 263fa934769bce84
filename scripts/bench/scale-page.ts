import { grouped } from "../../orchestrator/primitives/amounts.ts";
import { MADE, table } from "../dev/markdown.ts";
import { readGasReport } from "./gas-report.ts";
import { LOOP } from "./measure.ts";
import { readSessionBench, type SessionBench } from "./session.ts";

type Row = SessionBench["rows"][number];

/** `docs/scale.md`: how the cost of a session grows. */
export function scalePage(): string {
  const { cores, loop, rows } = readSessionBench();
  const cells = (row: Row) => [
    String(row.agents),
    String(row.candidates),
    row.founding.toFixed(1),
    row.session.toFixed(1),
    row.processor.toFixed(1),
    (row.processor / loop).toFixed(1),
    grouped(row.transactions),
    grouped(row.gas),
    grouped(row.gasPerBallot),
  ];
  const head = ["voters n", "candidates m", "founding, s", "session, s", "processor, s", "loops", "transactions", "gas", "gas per ballot"];
  const byVoters = rows.filter(({ candidates }) => candidates === 8);
  const byCandidates = rows.filter(({ agents }) => agents === 200);
  const [first, last] = [byVoters[0], byVoters.at(-1)];
  const growth = (measure: (row: Row) => number) =>
    first === undefined || last === undefined
      ? "–"
      : (Math.log(measure(last) / measure(first)) / Math.log(last.agents / first.agents)).toFixed(2);
  const budget = readGasReport().rows.find(({ operation }) => operation === "ballot-8-batch100");
  return [
    MADE("bench/session.json, which `npm run bench` writes"),
    "\n# How a session grows\n\n",
    `Whole sessions on the embedded chain, from the deposit to the deployed law, ${cores} cores, records on disk, contracts of the default\n`,
    "profile, seed 7. Founding is the city's setup: contracts, and every agent registered with two signatures and its stake. Wall time\n",
    `depends on the machine and its load; processor time does so less, gas not at all. ${LOOP}\n`,
    `(here ${loop} processor seconds): to compare machines or commits, compare loops, not seconds.\n\n`,
    "## In the number of voters\n\n",
    table(head, byVoters.map(cells)),
    `\nFrom the first row to the last, processor time grows as n^${growth((row) => row.processor)} and gas as n^${growth((row) => row.gas)}: linear, except\n`,
    "for constant costs. Potentially quadratic steps are avoided: facts shared by all voters are judged once, voters are queried in cohorts\n",
    "of fifty, the Regulator compares distinct rankings instead of voters, and a law accepts no more sponsors than it needs.\n",
    "\n## In the number of candidates\n\n",
    table(head, byCandidates.map(cells)),
    "\nA ballot of up to eight entries takes a lane of 32 bits, a larger one 64; m (m − 1) / 2 duels are counted in words of sixteen, once per\n",
    `batch. A ballot of eight entries in a batch of a hundred costs ${budget === undefined ? "–" : grouped(budget.median)} gas compiled for production, against ${budget?.budget == null ? "–" : grouped(budget.budget)} allowed\n`,
    "([gas.md](gas.md), `ballot-8-batch100`): a fifth of OpenZeppelin's `castVoteBySig`, which casts one choice of three.\n",
  ].join("");
}
