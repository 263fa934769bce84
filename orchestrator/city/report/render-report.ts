import { formatMoney, grouped } from "../../primitives/amounts.ts";
import { isObject, type JsonObject, type JsonValue } from "../../primitives/json.ts";
import { type Outcome, THE_MISSION, wasLive } from "../../protocol/outcome.ts";
import { counted, ending, percent } from "./node-words.ts";
import { type Quotation, quoteMarkdown, quoteVerbatim } from "./quote-document.ts";
import { code, lineStart, literal, table } from "./safe-markdown.ts";

/** Rows of one table; further ones are only counted. */
export const MAX_ROWS = 40;
/** Items shown of an output that has no document. */
const MAX_ITEMS = 20;
/** Columns of such a table. */
const MAX_FIELDS = 6;

const MARKDOWN = "markdown";

type Node = Outcome["nodes"][number];

/**
 * The report of an order, from its outcome and its output nodes' results: goal, result, uncertainties, course, cost, how to verify it.
 * Pure: an audit writes it again and compares. All text from agents or inputs is neutralised, and their documents are quoted.
 */
export function renderReport(outcome: Outcome, outputs: readonly JsonObject[]): string {
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ["What was asked", asked(outcome)],
    ["Why it failed", failure(outcome)],
    ["What came out", made(outcome, outputs)],
    ["What is uncertain", uncertain(outcome)],
    ["Who did what", work(outcome)],
    ["What it cost", cost(outcome)],
    ["How to check it", check(outcome)],
  ];
  const parts = sections.flatMap(([title, lines]) => (lines.length === 0 ? [] : [`## ${title}`, lines.join("\n")]));
  return `${[`# ${literal(outcome.name)}: ${STATUS[outcome.status]}`, ...parts].join("\n\n")}\n`;
}

const STATUS: Readonly<Record<Outcome["status"], string>> = {
  completed: "completed",
  failed: "failed",
  aborted: "ended before its goal",
  "no-law": "no law was made",
};

function asked({ goal, input }: Outcome): string[] {
  const { count, first } = input.unreadable;
  const read = count === 0 ? "all could be read" : `${grouped(count)} could not be read, or only in part`;
  return [
    lineStart(literal(goal)),
    "",
    `Input: ${counted(input.items, "item")} of kind ${literal(input.kind)}; ${read}.`,
    ...(count === 0
      ? []
      : [
          "",
          ...table(
            ["could not be read", "because"],
            rowsOf(
              first.map(({ id, problem }) => [code(id), literal(problem)]),
              count,
            ),
          ),
        ]),
  ];
}

function failure({ failure: found }: Outcome): string[] {
  if (found === null) return [];
  return [sentence(literal(found.reason)), "", `What to do: ${sentence(literal(found.action))}`];
}

function made(outcome: Outcome, outputs: readonly JsonObject[]): string[] {
  if (!outcome.released) return [nothing(outcome)];
  const texts = outputs.flatMap(({ document }) => (typeof document === "string" ? [document] : []));
  const items = outputs.flatMap(({ items: list }): readonly JsonValue[] => (Array.isArray(list) ? list : []));
  const files = outcome.nodes.flatMap(({ output }) => (output === null ? [] : [output]));
  if (texts.length === 0) return [`${counted(items.length, "item")}, no document:`, "", ...itemTable(items), "", ...fullData(files)];
  const quotations = texts.map((text) => (outcome.format === MARKDOWN ? quoteMarkdown(text) : quoteVerbatim(text)));
  return [
    "Written by the executors, quoted:",
    "",
    ...quotations.flatMap(({ lines }, at) => (at === 0 ? lines : ["", "and:", "", ...lines])),
    "",
    ...cut(quotations),
    ...fullData(files),
  ];
}

/** What exists although the mission did not finish. */
function nothing({ nodes }: Outcome): string {
  const done = nodes.filter(({ output }) => output !== null).length;
  const made =
    done === 0
      ? ""
      : ` ${counted(done, "task")} ${done === 1 ? "was" : "were"} done before: "Who did what" names the files with their output.`;
  return `Nothing was handed out.${made}`;
}

function cut(quotations: readonly Quotation[]): string[] {
  return quotations.some(({ isCut }) => isCut) ? ["The document is longer than this: the rest is in the output's file.", ""] : [];
}

/** Where the bundle has every node's full output, the final one last. */
function fullData(files: readonly NonNullable<Node["output"]>[]): string[] {
  const last = files.at(-1);
  return last === undefined
    ? []
    : [`In full, as JSON: ${code(last.file)} in this folder; every task's output is named under "Who did what".`];
}

/** Scalar fields of the first items. */
function itemTable(items: readonly JsonValue[]): string[] {
  const shown = items.slice(0, MAX_ITEMS).filter(isObject);
  const fields = [...new Set(shown.flatMap((item) => Object.keys(item).filter((field) => isScalar(item[field]))))].slice(0, MAX_FIELDS);
  const rows = shown.map((item) => fields.map((field) => scalar(item[field])));
  return table(fields.map(literal), rowsOf(rows, items.length, MAX_ITEMS));
}

function isScalar(value: JsonValue | undefined): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

const LONGEST_CELL = 120;

function scalar(value: JsonValue | undefined): string {
  if (!isScalar(value)) return "";
  const text = String(value);
  return literal(text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text);
}

function uncertain({ nodes, human }: Outcome): string[] {
  const differing = nodes.flatMap(({ label, end, disagreement }) =>
    disagreement === null || disagreement.differing === 0 ? [] : [{ label, end, disagreement }],
  );
  const simulated = human.filter((each) => each.simulated);
  const said =
    simulated.length === 0
      ? []
      : [
          `No human looked at this: ${counted(simulated.length, "decision")} of adjudicators ${simulated.length === 1 ? "was" : "were"} simulated.`,
        ];
  if (differing.length === 0) return said.length === 0 ? [] : said;
  const parts = differing
    .slice(0, MAX_ROWS)
    .map(({ label, disagreement }) => [...verdict(label, disagreement), "", ...differences(disagreement)]);
  const more = differing.length - parts.length;
  const rest = more <= 0 ? [] : [[`${counted(more, "further task")} had executors who differ.`]];
  return [...(said.length === 0 ? [] : [said]), ...parts, ...rest].flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]));
}

type Difference = NonNullable<Node["disagreement"]>;

function verdict(label: string, { field, share, needed, compared, differing }: Difference): string[] {
  const reached = share >= needed ? "which is enough" : "which is too little";
  return [
    `**${literal(label)}**: executors differ on ${grouped(differing)} of ${counted(compared, "item")}. The closest of them agree in ${code(field)} ` +
      `on ${percent(share)}; the law asks for ${percent(needed)}, ${reached === "which is enough" ? "so their answer was taken" : "so nothing was taken"}.`,
  ];
}

function differences({ first, differing }: Difference): string[] {
  const voices = [...new Set(first.flatMap(({ answers }) => answers.map(({ by }) => by)))];
  const rows = first.map(({ id, answers, chosen }) => [
    code(id),
    ...voices.map((voice) => scalar(answers.find(({ by }) => by === voice)?.value ?? "–")),
    chosen === null ? "–" : scalar(chosen),
  ]);
  return table(["item", ...voices.map(literal), "taken"], rowsOf(rows, differing));
}

function work({ law, ballots, winner, nodes, human, excluded }: Outcome): string[] {
  if (winner === null) return unmade(law, ballots);
  const voted = `Law "${literal(winner.title)}" won the vote: ${grouped(ballots.length)} of ${counted(law.producers, "agent")} voted, ${counted(law.candidates.length - 1, "law")} on the ballot.`;
  const rows = nodes.map((node) => [
    literal(node.label),
    executors(node),
    ending(node, literal),
    node.output === null ? "" : code(node.output.file),
  ]);
  const absent = excluded.map(({ agent, reason }) => `* ${literal(agent)} could not take part: ${literal(reason)}`);
  const decisions = human.map(
    ({ node, action, adjudicator, simulated, because }) =>
      `* ${node === THE_MISSION ? "" : `${literal(node)}: `}${literal(adjudicator)} ${literal(action)}${simulated ? " (simulated: nobody was asked)" : because === "" ? "" : `: "${literal(because)}"`}`,
  );
  return [
    voted,
    "",
    ...table(["task", "done by", "how it went", "output"], rowsOf(rows, nodes.length)),
    ...(decisions.length + absent.length === 0 ? [] : ["", ...decisions, ...absent]),
  ];
}

/** The candidate laws, and who ranked each first. */
function unmade({ producers, candidates }: Outcome["law"], ballots: Outcome["ballots"]): string[] {
  const rows = candidates.map(({ entry, title, proposer }) => [
    entry === 0 ? "no law at all" : `"${literal(title)}"`,
    literal(proposer),
    ballots
      .filter(({ ranking }) => ranking[0] === entry)
      .map(({ agent }) => literal(agent))
      .join(", "),
  ]);
  const voted = `${grouped(ballots.length)} of ${counted(producers, "agent")} voted; no law was made.`;
  return candidates.length < 2 ? [voted] : [voted, "", ...table(["law", "proposed by", "put first by"], rows)];
}

function executors({ executors: all, attempts }: Node): string {
  const last = all.filter(({ attempt }) => attempt === attempts);
  return last
    .map(({ agent, service, result }) => `${literal(agent)} ${literal(service)}${result === "dissented" ? " (differs)" : ""}`)
    .join(", ");
}

const COLUMNS = ["paid", "fees", "insurance", "discount", "children", "refunded"] as const;
const HEADS: Readonly<Record<(typeof COLUMNS)[number], string>> = {
  paid: "to executors",
  fees: "fees",
  insurance: "insurance",
  discount: "discount",
  children: "missions below",
  refunded: "came back",
};

const LAW_STATUS: Readonly<Record<Outcome["status"], string>> = {
  completed: "completed",
  failed: "failed",
  aborted: "ended early",
  "no-law": "not made",
};

function cost({ epochs, total, slashed }: Outcome): string[] {
  const spent = BigInt(total.deposit) - BigInt(total.refunded);
  const used = COLUMNS.filter((column) => column === "refunded" || column === "paid" || total[column] !== "0");
  const row = (name: string, money: Outcome["total"]) => [name, amount(money.deposit), ...used.map((column) => amount(money[column]))];
  const laws = epochs.map(({ status, money }, at) => row(`law ${at + 1} (${LAW_STATUS[status]})`, money));
  return [
    `${amount(total.deposit)} tokens were deposited, ${formatMoney(spent)} were spent, ${amount(total.refunded)} came back to the sponsor.`,
    "",
    ...table(["", "deposited", ...used.map((column) => HEADS[column])], laws.length === 1 ? laws : [...laws, row("together", total)]),
    ...(laws.length === 1
      ? []
      : [
          "",
          "Each law after the first received the unspent money of the previous one. After the second, another is made only while failed laws cost at most half of the deposit.",
        ]),
    ...(slashed === "0" ? [] : ["", `Executors lost ${amount(slashed)} of their own stake for work that failed.`]),
  ];
}

function check(outcome: Outcome): string[] {
  const { mission, finalBlock, seed, network } = outcome;
  if (mission === null) return ["No law was made, so there is no bundle to audit. The city's chain has the session, with every ballot."];
  const isLive = wasLive(outcome);
  const chain = isLive
    ? `asks a node of ${code(network)}, proves the chain's history by its headers`
    : "replays the chain from this folder";
  return [
    `    npm run audit -- ${mission}${isLive ? " --rpc <url>" : ""}`,
    "",
    `It ${chain} and compares everything that was signed, counted or paid, and this report too. Last block: ${finalBlock.number}, ${code(finalBlock.hash)}; seed ${code(seed)}.`,
  ];
}

/** The rows that are shown, and one that counts the others. */
function rowsOf(rows: readonly (readonly string[])[], all: number, most = MAX_ROWS): readonly (readonly string[])[] {
  const shown = rows.slice(0, most);
  return all > shown.length ? [...shown, [`… ${grouped(all - shown.length)} more`]] : shown;
}

/** Ends with a full stop and begins with a capital. */
function sentence(text: string): string {
  const [first = ""] = text;
  return `${first.toUpperCase()}${text.slice(first.length)}${/[.!?]["”]?$/.test(text) ? "" : "."}`;
}

function amount(units: string): string {
  return formatMoney(BigInt(units));
}
