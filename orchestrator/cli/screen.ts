import { join } from "node:path";
import { counted, ending, percent } from "../city/report/node-words.ts";
import { formatMoney, grouped } from "../primitives/amounts.ts";
import { plainLine } from "../primitives/plain-text.ts";
import { type Outcome, THE_MISSION, wasLive } from "../protocol/outcome.ts";
import { type Excerpt, excerptOf } from "./excerpt.ts";
import { explanation } from "./explanation.ts";
import type { Paint } from "./paint.ts";
import { block, SCREEN_WIDTH, whole } from "./screen-parts.ts";
import { asTyped } from "./shell.ts";
import { wrapped } from "./text-width.ts";

export interface ScreenOptions {
  /** The city's home; the outcome's paths are relative to it. */
  readonly home: string;
  /** Text of the report. */
  readonly report: string;
  /** Wall time, seconds. */
  readonly elapsed: number;
  /** Also show votes, market, stages, gas and reputations. */
  readonly explain: boolean;
  readonly paint: Paint;
}

/** The first screen: result, course, cost, and how to verify them. Rendered from outcome and report alone. */
export function renderScreen(outcome: Outcome, { home, report, elapsed, explain, paint }: ScreenOptions): string {
  const groups = [
    wrapped(`${STATUS[outcome.status]}  ${plainLine(outcome.name)} · ${elapsed.toFixed(0)} s`, SCREEN_WIDTH),
    [...block("ASKED", asked(outcome)), ...block("FAILED", failure(outcome))],
    [...block("RESULT", result(outcome, excerptOf(report))), ...whole("REPORT", join(home, outcome.report))],
    block("UNSURE", uncertain(outcome)),
    [...block("LAW", law(outcome)), ...block("WORK", work(outcome)), ...block("HUMAN", humans(outcome))],
    block("COST", cost(outcome)),
    [
      ...(outcome.mission === null
        ? []
        : whole("CHECK", asTyped(`npm run audit -- ${outcome.mission}${wasLive(outcome) ? " --rpc <url>" : ""}`))),
      ...(explain ? [] : block("MORE", ["--explain: votes, market, gas, reputations"])),
    ],
    ...(explain ? [explanation(outcome)] : []),
  ];
  const lines = groups.filter(({ length }) => length > 0).flatMap((group, at) => (at === 0 ? group : ["", ...group]));
  return `${lines.map((line, at) => (at === 0 ? paint(line, COLOUR[outcome.status]) : line.replace(HEADING, (text) => paint(text, "bold")))).join("\n")}\n`;
}

const HEADING = /^[A-Z]+(?= )/;
const STATUS: Readonly<Record<Outcome["status"], string>> = {
  completed: "COMPLETED",
  failed: "FAILED",
  aborted: "ENDED EARLY",
  "no-law": "NO LAW",
};
const COLOUR = { completed: "green", failed: "red", aborted: "red", "no-law": "red" } as const;

function asked({ goal, input: { items, kind, unreadable } }: Outcome): string[] {
  const read = unreadable.count === 0 ? "" : `; ${grouped(unreadable.count)} could not be read, or only in part`;
  return [plainLine(goal), `${counted(items, "item")} of kind ${kind}${read}`];
}

function failure({ failure: found }: Outcome): string[] {
  return found === null ? [] : [plainLine(found.reason), `What to do: ${plainLine(found.action)}`];
}

function result({ released, nodes }: Outcome, { lines, more }: Excerpt): string[] {
  if (!released) return ["nothing was handed out"];
  if (lines.length === 0) return [`${counted(nodes.at(-1)?.output?.items ?? 0, "item")}, no document: the report has the first of them`];
  return more === 0 ? [...lines] : [...lines, `… ${counted(more, "more line")} in the report`];
}

function uncertain({ nodes }: Outcome): string[] {
  return byTask(nodes).flatMap(([task, own]) => {
    const found = own.flatMap(({ disagreement }) => (disagreement === null || disagreement.differing === 0 ? [] : [disagreement]));
    const [first] = found;
    if (first === undefined) return [];
    const sum = (field: "differing" | "compared") => found.reduce((total, each) => total + each[field], 0);
    const least = Math.min(...found.map(({ share }) => share));
    const short = found.filter(({ share, needed }) => share < needed).length;
    const parts = found.length === 1 ? "" : ` in ${short === found.length ? "all" : short} of ${found.length} parts`;
    return [
      `${task}: executors differ on ${grouped(sum("differing"))} of ${counted(sum("compared"), "item")} (${first.field}); ` +
        `${percent(least)} agreed, ${percent(first.needed)} needed: ${short === 0 ? "the majority's answer was taken" : `no answer was taken${parts}`}`,
    ];
  });
}

function law({ law: made, ballots, winner, epochs }: Outcome): string[] {
  const voters = `${made.producers} agents of ${counted(made.principals, "owner")}`;
  if (winner === null) return [`${voters}: no law was made`];
  const before = epochs.findIndex(({ status, mission }) => status === "completed" && mission !== null);
  const tried = epochs.length < 2 ? "" : `; law ${before < 0 ? epochs.length : before + 1} of ${epochs.length}: those before it failed`;
  return [
    `${voters} voted (${ballots.length} ballots) on ${counted(made.candidates.length - 1, "law")}: "${plainLine(winner.title)}" won${tried}`,
  ];
}

/** One line per successful task, one per failed node. */
function work({ nodes, excluded }: Outcome): string[] {
  const lines = byTask(nodes).flatMap(([task, own]): string[][] => {
    const done = own.filter(({ end }) => end === "done");
    const agents = [
      ...new Set(
        done.flatMap(({ executors, attempts }) => executors.filter(({ attempt }) => attempt === attempts).map(({ agent }) => agent)),
      ),
    ];
    const dissenters = [
      ...new Set(own.flatMap(({ executors }) => executors.filter(({ result }) => result === "dissented").map(({ agent }) => agent))),
    ];
    const by = `${few(agents)}${dissenters.length === 0 ? "" : `; in the minority: ${few(dissenters)}`}`;
    const retried = done.flatMap(({ label, failures }) =>
      failures.map(({ attempt, by: whom, words }) => ["", `${label}: attempt ${attempt} by ${few(whom)} failed: ${plainLine(words)}`]),
    );
    const isCause = ({ end, executors }: Outcome["nodes"][number]) => end === "failed" || executors.some(({ fault }) => fault !== null);
    const left = own.filter(({ end }) => end !== "done");
    const rest = [...left.filter(isCause), ...left.filter((node) => !isCause(node))].map((node) => [
      "",
      `${node.label}: ${ending(node, plainLine)}`,
    ]);
    const head = [task, `${done.length} of ${own.length} done${agents.length === 0 ? "" : ` by ${by}`}`];
    return [
      head,
      ...retried,
      ...rest.slice(0, MAX_FAILED),
      ...(rest.length > MAX_FAILED ? [["", `… ${rest.length - MAX_FAILED} more`]] : []),
    ];
  });
  return [...aligned(lines), ...excluded.map(({ agent, reason }) => `without ${agent}: ${plainLine(reason)}`)];
}

const MAX_FAILED = 6;

/** Tasks in their own column, next to their unabridged text. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(0, ...rows.map(([task = ""]) => task.length));
  return rows.map(([task = "", words = ""]) => `${task.padEnd(width)}  ${words}`);
}

function humans({ human }: Outcome): string[] {
  return human.map(({ node, action, adjudicator, simulated, because }) => {
    if (simulated) return `${node}: ${action} by a simulated ${adjudicator}; nobody was asked (--ask: decide it yourself)`;
    return `${node === THE_MISSION ? "" : `${node}: `}${adjudicator} ${action}${because === "" ? "" : `: "${plainLine(because)}"`}`;
  });
}

function cost({ total, epochs, slashed }: Outcome): string[] {
  const spent = (BigInt(total.deposit) - BigInt(total.refunded)).toString();
  const paid = (BigInt(total.paid) + BigInt(total.children)).toString();
  const lines = [`${amount(total.deposit)} tokens deposited, ${amount(spent)} spent, ${amount(total.refunded)} came back to you`];
  if (spent !== "0") lines.push(`${amount(paid)} of it to those who did the work, the rest to verifiers, treasury and insurance`);
  if (epochs.length > 1) lines.push(`this is what all ${epochs.length} laws cost together`);
  if (slashed !== "0") lines.push(`executors lost ${amount(slashed)} of their own stake for work that failed`);
  return lines;
}

/** Nodes by task, in the order of the law. */
function byTask(nodes: Outcome["nodes"]): readonly (readonly [task: string, nodes: Outcome["nodes"]])[] {
  const groups = new Map<string, Outcome["nodes"]>();
  for (const node of nodes) groups.set(node.task, [...(groups.get(node.task) ?? []), node]);
  return [...groups];
}

const MAX_NAMES = 8;

function few(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(", ");
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}

function amount(units: string): string {
  return formatMoney(BigInt(units));
}
