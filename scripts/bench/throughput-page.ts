import { grouped } from "../../orchestrator/primitives/amounts.ts";
import { MADE, table } from "../dev/markdown.ts";
import { LOOP } from "./measure.ts";
import { fifthsOf, type MemorySample, readMemoryBench } from "./memory.ts";
import { readRestartBench } from "./restart.ts";
import { readThroughputBench } from "./throughput.ts";

/** `docs/throughput.md`: concurrent missions in one city. */
export function throughputPage(): string {
  const { cores, loop, rows } = readThroughputBench();
  const cells = rows.map(({ missions, completed, nodes, seconds, processor, transactions, gas }) => [
    String(missions),
    String(completed),
    String(nodes),
    seconds.toFixed(1),
    processor.toFixed(1),
    (processor / loop / missions).toFixed(2),
    ((60 * missions) / seconds).toFixed(1),
    (nodes / seconds).toFixed(2),
    grouped(Math.round(transactions / missions)),
    grouped(Math.round(gas / missions)),
  ]);
  const head = [
    "missions at once",
    "completed",
    "nodes",
    "wall, s",
    "processor, s",
    "loops a mission",
    "missions a minute",
    "nodes a second",
    "transactions a mission",
    "gas a mission",
  ];
  return [
    MADE("bench/throughput.json, which `npm run bench` writes"),
    "\n# Concurrent missions\n\n",
    "`missions/csv-estimates.yaml` several times concurrently in one city of sixteen producers on the embedded chain, from the opening of the first\n",
    `session to the settlement of the last mission; ${cores} cores, records on disk, seed 7. Processor seconds are those of the orchestrator and the chain\n`,
    `in its process; services run in child processes. ${LOOP} (here ${loop}\n`,
    "processor seconds): to compare machines or commits, compare loops, not seconds.\n\n",
    table(head, cells),
    "\nMissions take turns with shared resources: the sponsor's allowance while a deposit is paid, and every agent's nonce and free stake while bids\n",
    "are placed. Everything else runs concurrently, and chain time jumps only when all of them wait. In each mission the nodes of a wave are\n",
    "routed, cleared and claimed together, at most eight in one transaction.\n",
    ...memorySection(),
    ...restartSection(),
  ].join("");
}

/** The orchestrator's memory after hundreds of missions. */
function memorySection(): string[] {
  const bench = readMemoryBench();
  const missions = bench.samples.at(-1)?.missions ?? 0;
  const rowOf = (name: string, of: (sample: MemorySample) => number) => {
    const [early, late] = fifthsOf(bench, of);
    return [name, (early / 2 ** 20).toFixed(1), (late / 2 ** 20).toFixed(1), `${((100 * late) / early - 100).toFixed(1)} %`];
  };
  return [
    "\n## Memory\n\n",
    `${missions} missions of one node, one after the other in one city of six producers whose chain is a separate Anvil; ${bench.completed} completed.\n`,
    "MiB after a full collection, every tenth mission, mean over the second and over the last fifth (bench/memory.json, which\n",
    "`npm run bench:memory` writes).\n\n",
    table(
      ["", `missions ${missions / 5}–${(2 * missions) / 5}`, `missions ${(4 * missions) / 5}–${missions}`, "change"],
      [
        rowOf("JavaScript heap", ({ heap }) => heap),
        rowOf("outside it (the database's WebAssembly)", ({ external }) => external),
        rowOf("process, resident", ({ resident }) => resident),
      ],
    ),
  ];
}

/** Restart time of a city with a history. */
function restartSection(): string[] {
  const { cores, chains } = readRestartBench();
  return [
    "\n## Restart\n\n",
    "`missions/csv-estimates.yaml` several times in one city of the founders with its gateway open; then the city is closed. `npm run city` on its\n",
    `folder continues from Anvil's stored state, executes later blocks (the embedded chain: all), compares every hash and prints its address (bench/restart.json, which \`node scripts/bench/restart.ts\` writes; ${cores} cores):\n\n`,
    table(
      ["chain", "missions", "completed", "blocks", "seconds", "load"],
      chains.map(({ network, missions, completed, blocks, seconds, load }) => [
        ...[network, String(missions), String(completed), grouped(blocks), seconds.toFixed(1), load.toFixed(1)],
      ]),
    ),
  ];
}
