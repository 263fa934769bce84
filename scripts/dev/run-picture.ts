/**
 * Draws a finished mission as the picture of the README: the vote, the law's nodes and who did them, and where the money went. Everything on it
 * is read from the outcome that a run left behind.
 */
import { formatMoney } from "../../orchestrator/primitives/amounts.ts";
import { plainLine } from "../../orchestrator/primitives/plain-text.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";

const WIDTH = 860;
const MARGIN = 24;
const ROW = 34;
const NODE_ROW = 42;
const COLOURS = {
  ink: "#1f2937",
  faint: "#4b5563",
  line: "#cbd5e1",
  paper: "#ffffff",
  law: "#4f46e5",
  good: "#059669",
  bad: "#dc2626",
} as const;
/** By tier: run again by an issuer, redundant, signed by a human. */
const TIERS = ["", "#dbeafe", "#dcfce7", "#fef3c7"] as const;
const TIER_WORDS = ["", "work run again", "several must agree", "a human signs"] as const;
const PARTS = [
  ["paid", "#059669", "executors"],
  ["fees", "#4f46e5", "fees"],
  ["insurance", "#0891b2", "insurance"],
  ["discount", "#9ca3af", "discount"],
  ["refunded", "#cbd5e1", "back to the sponsor"],
] as const;

const escaped = (text: string) => plainLine(text).replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
const shortened = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

interface TextStyle {
  readonly size?: number;
  readonly fill?: string;
  readonly bold?: boolean;
  readonly anchor?: "start" | "middle" | "end";
}

function text(
  x: number,
  y: number,
  words: string,
  { size = 12, fill = COLOURS.ink, bold = false, anchor = "start" }: TextStyle = {},
): string {
  const weight = bold ? ' font-weight="600"' : "";
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" text-anchor="${anchor}"${weight}>${escaped(words)}</text>`;
}

function box(x: number, y: number, width: number, height: number, fill: string, stroke: string = COLOURS.line): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4" fill="${fill}" stroke="${stroke}"/>`;
}

/** Words in lines of at most so many characters, the last one cut. */
function wrapped(words: string, most: number): readonly [string, string] {
  if (words.length <= most) return [words, ""];
  const end = words.lastIndexOf(" ", most);
  const cut = end > 0 ? end : most;
  return [words.slice(0, cut), shortened(words.slice(cut).trim(), most)];
}

/** One row per candidate law, with how many ballots rank it first. Duels decide, so the winner need not have most of them. */
function vote({ law, winner, ballots }: Outcome, top: number): readonly string[] {
  const bar = 48;
  return law.candidates.flatMap(({ entry, title }, row) => {
    const isWinner = entry === winner?.entry;
    const votes = ballots.filter(({ ranking }) => ranking[0] === entry).length;
    const y = top + row * ROW;
    const [first, second] = wrapped(title, 34);
    return [
      box(MARGIN, y, bar, 16, "#f1f5f9"),
      `<rect x="${MARGIN}" y="${y}" width="${(bar * votes) / Math.max(1, ballots.length)}" height="16" rx="4" fill="${isWinner ? COLOURS.law : COLOURS.line}"/>`,
      text(MARGIN + bar + 8, y + 12, `${votes}`, { fill: COLOURS.faint }),
      text(MARGIN + bar + 24, y + 12, first, { bold: isWinner }),
      ...(second === "" ? [] : [text(MARGIN + bar + 24, y + 25, second, { size: 11, bold: isWinner })]),
    ];
  });
}

function node({ label, tier, end, class: evidence, executors }: Outcome["nodes"][number], x: number, y: number, width: number): string {
  const last = Math.max(0, ...executors.map(({ attempt }) => attempt));
  const who = executors
    .filter(({ attempt }) => attempt === last)
    .map(({ agent, result }) => (result === "agreed" ? agent : `(${agent})`))
    .join(" ");
  return [
    box(x, y, width, 34, TIERS[tier] ?? COLOURS.paper, end === "done" ? COLOURS.good : COLOURS.bad),
    text(x + 8, y + 14, `${end === "done" ? "✓" : "✗"} ${shortened(label, 18)}`, { bold: true }),
    text(x + width - 8, y + 14, evidence ?? "", { size: 12, fill: COLOURS.faint, anchor: "end" }),
    text(x + 8, y + 28, shortened(who, 26), { size: 12, fill: COLOURS.faint }),
  ].join("");
}

function money({ money: moved }: Outcome, top: number): readonly string[] {
  const whole = Number(moved.deposit);
  const wide = WIDTH - 2 * MARGIN;
  let x = MARGIN;
  let legend = MARGIN;
  return PARTS.flatMap(([part, colour, name]) => {
    const amount = BigInt(moved[part]);
    if (amount === 0n || whole === 0) return [];
    const width = Math.max(2, (wide * Number(amount)) / whole);
    const words = `${name} ${formatMoney(amount)}`;
    const drawn = [
      `<rect x="${x.toFixed(1)}" y="${top}" width="${width.toFixed(1)}" height="18" fill="${colour}"/>`,
      `<rect x="${legend}" y="${top + 27}" width="9" height="9" fill="${colour}"/>`,
      text(legend + 14, top + 36, words, { size: 12, fill: COLOURS.faint }),
    ];
    x += width;
    legend += 26 + words.length * 6.6;
    return drawn;
  });
}

/** What the marks on the nodes mean, of those that are there. */
function legendOf(nodes: Outcome["nodes"]): string {
  const classes = new Set(nodes.map(({ class: evidence }) => evidence));
  return [
    ...(classes.has("ATT") ? ["ATT: re-executed by an issuer"] : []),
    ...(classes.has("REC") ? ["REC: outputs compared"] : []),
    ...(nodes.some(({ executors }) => executors.some(({ result }) => result === "dissented")) ? ["(in brackets): outvoted, not paid"] : []),
  ].join(" · ");
}

/** The picture, as SVG. The same outcome gives the same bytes. */
export function runPicture(outcome: Outcome): string {
  const { name, nodes, law, human, money: moved, ballots } = outcome;
  const tasks = [...new Set(nodes.map(({ task }) => task))];
  const columns = tasks.map((task) => nodes.filter((each) => each.task === task));
  const top = 76;
  const rows = Math.max(law.candidates.length, ...columns.map(({ length }) => Math.ceil((length * NODE_ROW) / ROW)), 1);
  const bottom = top + rows * ROW + 40;
  const start = 300;
  const step = Math.floor((WIDTH - MARGIN - start) / Math.max(1, tasks.length));
  const width = Math.min(170, step - 28);
  const work = columns.flatMap((column, at) => {
    const x = start + at * step;
    const tier = column[0]?.tier ?? 0;
    const arrow = at === 0 ? [] : [`<path d="M${x - 24} ${top + 17}h14m-5-4 5 4-5 4" fill="none" stroke="${COLOURS.faint}"/>`];
    return [
      text(x, top - 10, `${shortened(tasks[at] ?? "", 14)}: ${TIER_WORDS[tier] ?? ""}`, { size: 11, fill: COLOURS.faint }),
      ...arrow,
      ...column.map((each, row) => node(each, x, top + row * NODE_ROW, width)),
    ];
  });
  const signed = human.map(({ adjudicator, action, simulated }) => `${adjudicator}${simulated ? " (simulated)" : ""} ${action}`).join(", ");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 76}" font-family="ui-sans-serif, system-ui, sans-serif" role="img">`,
    `<title>${escaped(`A run of ${name}: ${ballots.length} ballots, ${nodes.length} nodes, ${formatMoney(BigInt(moved.deposit))} tokens`)}</title>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${bottom + 75}" rx="8" fill="${COLOURS.paper}" stroke="${COLOURS.line}"/>`,
    text(MARGIN, 30, name, { size: 15, bold: true }),
    text(MARGIN, top - 10, `First choices of ${law.producers} agents of ${law.principals} owners`, {
      size: 12,
      fill: COLOURS.faint,
    }),
    ...vote(outcome, top),
    ...work,
    ...(signed === "" ? [] : [text(WIDTH - MARGIN, 30, signed, { size: 12, fill: COLOURS.faint, anchor: "end" })]),
    ...(nodes.length === 0 ? [] : [text(start, bottom - 18, legendOf(nodes), { fill: COLOURS.faint, size: 11 })]),
    text(MARGIN, bottom + 12, `Where the deposit of ${formatMoney(BigInt(moved.deposit))} went`, { size: 12, fill: COLOURS.faint }),
    ...money(outcome, bottom + 20),
    "</svg>\n",
  ].join("\n");
}
