import { MADE, table } from "../dev/markdown.ts";
import { readFirstMinuteBench } from "./first-minute.ts";
import { LOOP } from "./measure.ts";

/** `docs/first-minute.md`: how long a newcomer waits after `npm ci`. */
export function firstMinutePage(): string {
  const { cores, loop, rows } = readFirstMinuteBench();
  return [
    MADE("bench/first-minute.json, which `npm run bench` writes"),
    "\n# The first minute\n\n",
    `How long a newcomer waits after \`npm ci\`. ${LOOP} (here\n`,
    `${loop} processor seconds): to compare machines or commits, compare loops, not seconds. Processor time covers Node's processes, including\n`,
    `the chain and the database, but not the child processes in which services run. Measured on ${cores} cores.\n\n`,
    table(
      ["step", "processor, loops", "processor, s", "wall, s"],
      rows.map((row) => [row.step, row.loops.toFixed(1), row.processor.toFixed(1), row.seconds.toFixed(1)]),
    ),
    "\n`npm start` unpacks the compiled contracts and recompiles only if one changed; tests always compile first. The first start also prepares an\n",
    "empty database, bundles the program and the services, founds its city instead of copying one, and fills Node's compile cache.\n",
  ].join("");
}
