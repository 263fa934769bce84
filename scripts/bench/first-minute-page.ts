import { MADE, table } from "../dev/markdown.ts";
import { readFirstMinuteBench } from "./first-minute.ts";

/** `docs/first-minute.md`: what a newcomer waits for after `npm ci`. */
export function firstMinutePage(): string {
  const { cores, loop, rows } = readFirstMinuteBench();
  return [
    MADE("bench/first-minute.json, which `npm run bench` writes"),
    "\n# The first minute\n\n",
    "What a newcomer waits for after `npm ci`. A *loop* is 300 million steps of a fixed generator of random numbers, measured in the same run\n",
    `(here ${loop} processor seconds): compare loops between machines and between commits, not seconds. Processor time is that of Node's processes\n`,
    `with the chain and the database in them; services run in children of their own. ${cores} cores.\n\n`,
    table(
      ["step", "processor, loops", "processor, s", "wall, s"],
      rows.map((row) => [row.step, row.loops.toFixed(1), row.processor.toFixed(1), row.seconds.toFixed(1)]),
    ),
    "\n`npm start` unpacks the compiled contracts and compiles only when one was changed; tests always need the compiled ones. The first start also\n",
    "prepares an empty database, puts program and services together, founds its city instead of copying one, and has nothing in Node's compile\n",
    "cache.\n",
  ].join("");
}
