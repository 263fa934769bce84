import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { grouped } from "../../orchestrator/primitives/amounts.ts";
import { root } from "../dev/files.ts";
import { table, withBlock } from "../dev/markdown.ts";

const count = z.int().nonnegative();
const timesSchema = z.object({ medianMs: count, worstMs: count });
const framesSchema = z.object({ p50: count, p95: count, worst: count });
const consoleSchema = z.object({
  machine: z.string(),
  load: z.tuple([z.string(), z.string()]),
  times: count,
  firstLoad: timesSchema.extend({ kB: z.number() }),
  graphOf256: timesSchema.extend({ panFrame: framesSchema }),
  logOf100000: timesSchema.extend({ scrollFrame: framesSchema }),
  blockToPixel: timesSchema,
});
const loadSchema = z.object({ perSecond: z.number(), p99Ms: z.number() });
const gatewaySchema = z.object({
  limits: z.object({ readsP99Ms: count, signedP99Ms: count, signedPerSecond: count, slowerPercent: count }),
  cores: count,
  loadBefore: z.number(),
  clients: count,
  reads: loadSchema,
  signed: loadSchema,
  mission: z.object({ slowerPercent: z.number(), thread: z.object({ morePercent: z.number() }) }),
});

const ms = (value: number) => `${grouped(Math.round(value))} ms`;
const more = (percent: number) => `${percent < 0 ? "−" : "+"} ${Math.abs(percent).toFixed(1)} %`;

function consoleTable(given: unknown): string {
  const { machine, load, times, firstLoad, graphOf256, logOf100000, blockToPixel } = consoleSchema.parse(given);
  const row = (what: string, { medianMs, worstMs }: z.infer<typeof timesSchema>) => [what, ms(medianMs), ms(worstMs)];
  const frames = (what: string, { p50, p95, worst }: z.infer<typeof framesSchema>) => [
    `between two frames while the ${what} (95 % within ${ms(p95)})`,
    ms(p50),
    ms(worst),
  ];
  return table(
    [`${machine}, load ${load[0]} before and ${load[1]} after, each ${times} times`, "median", "worst"],
    [
      row(`first load, ${firstLoad.kB} kB after gzip, until the city's page has its heading`, firstLoad),
      row("a law of 256 nodes, until its graph is drawn", graphOf256),
      row("a log of 100,000 entries, until its end is shown", logOf100000),
      row("a block, from its receipt until the page shows its number", blockToPixel),
      frames("graph is moved", graphOf256.panFrame),
      frames("log scrolls", logOf100000.scrollFrame),
    ],
  );
}

function gatewayTable(given: unknown): string {
  const { limits, cores, loadBefore, clients, reads, signed, mission } = gatewaySchema.parse(given);
  const slower = more(limits.slowerPercent).replace(".0", "");
  return table(
    ["", "goal", `${cores} cores, load ${loadBefore} before`],
    [
      ["open reads, 99 % within", ms(limits.readsP99Ms), `${ms(reads.p99Ms)}, at ${grouped(Math.round(reads.perSecond))} a second`],
      ["signed requests, 99 % within", ms(limits.signedP99Ms), ms(signed.p99Ms)],
      ["signed requests a second", String(limits.signedPerSecond), grouped(Math.round(signed.perSecond))],
      [`a mission while ${clients} clients read once a second, wall time`, slower, more(mission.slowerPercent)],
      ["the same, processor time of the city's thread", slower, more(mission.thread.morePercent)],
    ],
  );
}

const BLOCKS = [
  { page: "docs/console.md", of: "bench/console.json", text: consoleTable },
  { page: "docs/gateway.md", of: "bench/gateway.json", text: gatewayTable },
] as const;

/** Hand-written pages with a table of measurements: path → text. */
export function facesPages(): ReadonlyMap<string, string> {
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  return new Map(BLOCKS.map(({ page, of, text }) => [page, withBlock(read(page), `bench: ${of}`, text(JSON.parse(read(of))))]));
}
