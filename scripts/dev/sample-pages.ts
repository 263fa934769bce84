/**
 * What the sample mission says, in the pages that show it: each fenced block or table after `<!-- sample: name -->` is written from
 * `bench/sample-run.json`, which `npm run docs:run` records.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { formatMoney } from "../../orchestrator/primitives/amounts.ts";
import { root } from "./files.ts";
import { table, withBlock } from "./markdown.ts";

export const SAMPLE_RUN = "bench/sample-run.json";

/** Two runs of `npm start`, the second with `--cheat`; amounts are those of the first, in the token's smallest unit. */
const sampleRunSchema = z.strictObject({
  honest: z.array(z.string()),
  cheating: z.array(z.string()),
  prices: z.string(),
  money: z.record(z.string(), z.string()),
});
export type SampleRun = z.infer<typeof sampleRunSchema>;

const WIDTH = 82;
const INDENT = /^ {6,}/;

/** The lines of one heading, up to the next one. */
function group(screen: readonly string[], heading: string): readonly string[] {
  const first = screen.findIndex((line) => line.startsWith(`${heading} `));
  if (first < 0) throw new Error(`The sample's screen has no ${heading}: record it again with npm run docs:run`);
  const rest = screen.slice(first + 1);
  const next = rest.findIndex((line) => !INDENT.test(line));
  return [screen[first] ?? "", ...rest.slice(0, next < 0 ? rest.length : next)];
}

/** The first sentences of a heading on one line, cut where the screen of the README ends. */
function short(screen: readonly string[], heading: string): string {
  const [first = "", ...rest] = group(screen, heading);
  const line = [first, ...rest.map((each) => each.trim())].join(" ");
  return line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line;
}

const only = (lines: readonly string[], wanted: RegExp) => lines.filter((line) => wanted.test(line));

function shortScreen({ honest }: SampleRun): readonly string[] {
  return [
    honest[0] ?? "",
    group(honest, "ASKED")[0] ?? "",
    short(group(honest, "RESULT").slice(0, 2), "RESULT"),
    short(honest, "UNSURE"),
    short(honest, "LAW"),
    ...group(honest, "WORK").slice(0, 2),
    short(honest, "HUMAN").replace(/ \(--ask.*/, ""),
    group(honest, "COST")[0] ?? "",
    short(honest, "CHECK"),
  ];
}

function explained({ honest }: SampleRun): readonly string[] {
  return [
    ...group(honest, "CITY"),
    ...group(honest, "VOTE"),
    ...group(honest, "MARKET"),
    ...only(group(honest, "RUN"), / (parse-1|classify-[12]) /),
    ...group(honest, "SETTLE"),
    ...group(honest, "MONEY").slice(0, 2),
  ];
}

const cheated = ({ cheating }: SampleRun): readonly string[] => [...group(cheating, "WORK").slice(0, 3), ...group(cheating, "COST")];

function prices({ prices: sum, money }: SampleRun): string {
  const of = (name: string) => BigInt(money[name] ?? "0");
  const shown = (amount: bigint) => formatMoney(amount);
  const released = of("paid") + of("discount");
  return table(
    ["step", "formula", "in that run"],
    [
      ["prices of accepted slots", "Σ *b*", shown(BigInt(sum))],
      ["fees", "2 % of *b*", shown(of("fees"))],
      ["insurance", "1 % of *b*", shown(of("insurance"))],
      ["base", "97 % of *b*", shown(BigInt(sum) - of("fees") - of("insurance"))],
      ["released", "base · share", shown(released)],
      ["paid", "released · min(ψ, 1)", shown(of("paid"))],
      ["discount", "released − paid", shown(of("discount"))],
      ["refunded", "deposit − all of the above", shown(of("refunded"))],
      ["subsidy", "released · max(ψ − 1, 0), within caps", shown(of("subsidy"))],
    ],
  );
}

const fenced = (lines: readonly string[]) => `\`\`\`text\n${lines.join("\n")}\n\`\`\`\n`;

/** Name of a block → the page it stands in, and what it says. */
const BLOCKS: Readonly<Record<string, { readonly page: string; readonly text: (run: SampleRun) => string }>> = {
  screen: { page: "README.md", text: (run) => fenced(shortScreen(run)) },
  explained: { page: "docs/reading-the-screen.md", text: (run) => fenced(explained(run)) },
  money: { page: "docs/money.md", text: ({ honest }) => fenced(group(honest, "MONEY")) },
  prices: { page: "docs/money.md", text: prices },
  cheating: { page: "docs/commands.md", text: (run) => fenced(cheated(run)) },
};

/** Every hand-written page that shows the sample: path → text. */
export function samplePages(): ReadonlyMap<string, string> {
  const run = sampleRunSchema.parse(JSON.parse(readFileSync(join(root, SAMPLE_RUN), "utf8")));
  const found = new Map<string, string>();
  for (const [name, { page, text }] of Object.entries(BLOCKS)) {
    found.set(page, withBlock(found.get(page) ?? readFileSync(join(root, page), "utf8"), `sample: ${name}`, text(run)));
  }
  return found;
}
