/** `docs/economy-findings.md`: the combined results of the committed campaigns. */
import { AS_WRITTEN, type Finding, SCALED } from "../../orchestrator/economy/hypotheses.ts";
import type { Configuration } from "../../orchestrator/economy/parameters.ts";
import { grouped } from "../../orchestrator/primitives/amounts.ts";
import { agrees, type Figure, figures } from "../deterrence/printed.ts";
import { MADE, table } from "../dev/markdown.ts";
import { type Cell, shown, within } from "./report.ts";
import { allResults, type Results, readResults } from "./results.ts";

/** The campaign that judges a hypothesis: the one with the seeds or scales that its test needs. */
export function campaignOf(id: string): Results | undefined {
  if (id === "H2h") return readResults(1, "-full") ?? readResults(1, "-contracts");
  return /^H[123]/.test(id) ? readResults(1, "-contracts") : readResults(2, "-contracts");
}

const findingOf = (results: Results | undefined, id: string): Finding | undefined =>
  results?.summary.findings.find((finding) => finding.id === id);

/** Every hypothesis with its judging campaign. */
export function judgedFindings(): readonly { readonly finding: Finding; readonly results: Results }[] {
  const ids = readResults(1, "-contracts")?.summary.findings.map(({ id }) => id) ?? [];
  return ids.flatMap((id) => {
    const results = campaignOf(id);
    const finding = findingOf(results, id);
    return results === undefined || finding === undefined ? [] : [{ finding, results }];
  });
}

/** Reasons in the world or the rules why a hypothesis is not supported here. Printed only in that case. */
export const WHY: Readonly<Record<string, string>> = {
  H1c: "claimed capabilities are not checked: an overclaiming agent is considered for every task",
  H1d: "there are few tasks with random requirements, so shares stabilise late",
  H2a: "three of the four rules are only preferred after failed outputs, which are rare in Full",
  H2b: "a breach recorded by contracts but not punished has no consequence; norms at least allow shunning",
  H2c: "a task takes a round of work and a round of review: half of all task-rounds, by construction",
  H2d: "quality depends on the bidders, on whom the four rules have little effect",
  H2f: "the debate reveals the record: with few failures, few agents change their ranking",
  H2g: "most drafts are one rule away from some agent's ideal, and few of them get a tenth of first places",
  H3e: "confidence starts at its maximum and can only fall: each uncompleted milestone lowers it",
  H4b: "the benefit is limited to ten milestones of 25 tasks, whatever the city's size",
  H4c: "governance pays even in the smallest city",
  H5a: "the depth of failures is limited by graph and deadline",
};

const link = (results: Results): string => {
  const page = allResults().find(
    ({ summary, command }) => summary.experiment === results.summary.experiment && command === results.command,
  )?.page;
  return page === undefined ? "" : `[${page.replace(/^docs\/economy-|\.md$/g, "")}](${page.replace("docs/", "")})`;
};

const meanOf = ({ mean, interval }: Finding): string =>
  mean === undefined ? "" : interval === undefined ? shown(mean) : within({ mean, ...interval });

function campaigns(): string {
  const rows = allResults().map(({ summary, commit, machine, page, command }) => [
    `[${page.replace(/^docs\/economy-|\.md$/g, "")}](${page.replace("docs/", "")})`,
    String(summary.seeds.length),
    `\`${command.replace("npm run economy -- ", "")}\``,
    commit,
    machine,
  ]);
  return table(["campaign", "seeds", "`npm run economy --`", "commit", "machine"], rows);
}

function hypotheses(): string {
  const large = readResults(1, "-1000");
  const rows = judgedFindings().map(({ finding, results }) => {
    const { id, says, verdict, effect, p, because } = finding;
    const at = findingOf(large, id);
    return [
      id,
      says,
      `**${verdict}**`,
      meanOf(finding),
      effect === undefined ? "" : effect.toFixed(1),
      p === undefined ? "" : shown(p),
      because,
      link(results),
      at === undefined || at.verdict === "not measured" ? "" : `${at.verdict}, ${shown(at.mean)}`,
    ];
  });
  return table(["", "hypothesis", "verdict", "mean", "effect", "p", "because", "campaign", "1,000 agents"], rows);
}

const counted = (verdict: Finding["verdict"]): number => judgedFindings().filter(({ finding }) => finding.verdict === verdict).length;

/** Arithmetic of the paper that does not hold, independent of any run. */
function arithmetic(): string[][] {
  const all = figures();
  const power = all.filter(({ what }) => what.startsWith("power of H2h"));
  const percent = (of: (figure: Figure) => number) => power.map((figure) => `${Math.round(of(figure))} %`).join(" and ");
  const large = readResults(1, "-1000");
  const seeds = large?.summary.seeds.length ?? 5;
  return [
    ["the power of H2h at ten seeds, CDR 0.9 and 0.8", percent(({ paper }) => paper), percent(({ ours }) => ours)],
    [`${seeds} seeds test hypotheses at 1,000 agents`, "α' = 0.0083", `a signed rank reaches p = ${shown(0.5 ** seeds)} at best`],
    [
      `${all.length} printed figures of deterrence, equilibrium and power`,
      "as printed",
      `${all.filter((one) => !agrees(one)).length} do not follow ([deterrence.md](deterrence.md))`,
    ],
  ];
}

const CONTRARY: ReadonlySet<Finding["verdict"]> = new Set(["falsified", "inconclusive"]);

function contrary(): string {
  const rows = judgedFindings()
    .filter(({ finding: { verdict } }) => CONTRARY.has(verdict))
    .sort((one, other) => Number(one.finding.verdict !== "falsified") - Number(other.finding.verdict !== "falsified"))
    .map(({ finding, results }) => [finding.id, finding.says, finding.verdict, meanOf(finding), WHY[finding.id] ?? "", link(results)]);
  return table(["", "the paper", "here", "mean", "why", "from"], rows);
}

const cellOf = (results: Results | undefined, configuration: Configuration, agents: number, variant = AS_WRITTEN): Cell | undefined =>
  results?.summary.cells.find((cell) => cell.configuration === configuration && cell.agents === agents && cell.variant === variant);

const figure = (cell: Cell | undefined, name: string): string => {
  const found = cell?.metrics[name];
  return found === undefined ? "–" : within(found);
};
const plain = (cell: Cell | undefined, name: string, digits = 2): string => cell?.metrics[name]?.mean.toFixed(digits) ?? "–";

const CONFIGURED = ["baseline", "emergent", "structural", "full"] as const;
const COMPARED = ["CSR", "survival", "DR", "PCR", "PvR", "CAU", "GOR", "WGC, end", "EPR"];

function configurations(results: Results, agents: number): string {
  return table(
    ["", ...CONFIGURED],
    COMPARED.map((name) => [name, ...CONFIGURED.map((configuration) => figure(cellOf(results, configuration, agents), name))]),
  );
}

/** Secondary figures of the paper, and figures it does not print, of Full. */
const SECONDARY = [
  ["CDR", "blocs of five found, one ranking"],
  ["CDR, three places", "if they had shared three places"],
  ["CDR, one place", "if they had shared one"],
  ["influence lost", "reduction of the bloc's influence"],
  ["honest voters flagged", "honest voters frozen with blocs, per run"],
  ["sessions by petition", "sessions opened by petition, per run"],
  ["reputation and GOR, ρ", "Gini of reputation against overhead, Spearman"],
  ["FPD", "deepest propagation of one failure"],
  ["CCR", "routed attempts that committed"],
  ["ARU", "failed tasks completed by a later attempt"],
  ["HITLRR", "tasks referred to an adjudicator and then certified"],
  ["PVRR", "laws refused by the constitution"],
  ["milestones with EQ-11", "milestones in which EQ-11 held"],
  ["treasury in, tokens", "treasury, in"],
  ["treasury out, tokens", "treasury, out"],
] as const;

function secondary(): string {
  const at: readonly (readonly [string, Cell | undefined])[] = [
    ["200 agents", cellOf(readResults(1, "-contracts"), "full", 200)],
    ["20 seeds", cellOf(readResults(1, "-full"), "full", 200)],
    ["1,000 agents", cellOf(readResults(1, "-1000"), "full", 1000)],
  ];
  const shownCells = at.filter(([, cell]) => cell !== undefined);
  return table(
    ["", ...shownCells.map(([name]) => name)],
    SECONDARY.map(([name, says]) => [says, ...shownCells.map(([, cell]) => figure(cell, name))]),
  );
}

function scales(results: Results, variant: string): string {
  const sizes = [...new Set(results.summary.cells.filter((cell) => cell.variant === variant).map(({ agents }) => agents))];
  const rows = sizes.map((agents) => {
    const [without, full] = [cellOf(results, "baseline", agents, variant), cellOf(results, "full", agents, variant)];
    const saved = (full?.metrics["PCR"]?.mean ?? Number.NaN) - (without?.metrics["PCR"]?.mean ?? Number.NaN);
    return [
      String(agents),
      String(full?.seeds ?? 0),
      plain(without, "PCR"),
      plain(full, "PCR"),
      saved.toFixed(2),
      plain(full, "G(n), tokens", 0),
      plain(full, "CSR", 3),
      plain(full, "survival"),
      plain(full, "SI"),
      plain(without, "FPD", 1),
      plain(full, "FPD", 1),
      plain(full, "CDR"),
      plain(full, "honest voters flagged", 0),
    ];
  });
  return table(
    [
      "agents",
      "seeds",
      "PCR, Baseline",
      "PCR, Full",
      "gain",
      "G(n), tokens",
      "CSR",
      "survival",
      "SI",
      "FPD, Baseline",
      "FPD, Full",
      "CDR",
      "honest flagged",
    ],
    rows,
  );
}

/** The number of agents from which on Full completes nothing if tasks grow. */
function unfinished(results: Results): string {
  const full = results.summary.cells.filter(({ configuration, variant }) => configuration === "full" && variant === SCALED);
  const none = full.filter(({ metrics }) => metrics["PCR"]?.mean === 0).map(({ agents }) => agents);
  return none.length === 0
    ? ""
    : `\nFrom ${Math.min(...none)} agents on Full completes none of these milestones: a layer takes a round of work and a round of review, and so many tasks have more\nlayers than fit into twenty rounds. The deadline is what fails, not the work.\n`;
}

function growth(results: Results): string {
  return table(
    ["metric", "exponent", "best curve", "its weight"],
    results.summary.growth.map(({ metric, exponent, interval, best, weights }) => [
      metric,
      exponent === null ? "–" : interval == null ? shown(exponent) : within({ mean: exponent, ...interval }),
      best,
      shown(weights[best]),
    ]),
  );
}

function sensitivity(results: Results, what: string): string {
  const { sensitivity: rows, seeds } = results.summary;
  const moving = rows.filter(({ moved }) => moved.length > 0).length;
  return `${what}, ${seeds.length} seeds: ${moving} of ${rows.length} constants move a verdict (${link(results)}).\n\n${table(
    ["variant", "CSR", "changed verdicts"],
    rows.map(({ variant, csr, moved }) => [variant, csr.join(", "), moved.join("; ") || "none"]),
  )}\n`;
}

const audited = (): string => {
  const all = allResults().flatMap(({ summary: { audits } }) => (audits === undefined || audits.runs === 0 ? [] : [audits]));
  const sum = (of: (audits: (typeof all)[number]) => number) => all.reduce((whole, one) => whole + of(one), 0);
  return `One randomly drawn mission of each of ${sum(({ runs }) => runs)} runs on contracts was verified from its chain: ${grouped(BigInt(sum(({ verified }) => verified)))} comparisons, of which ${sum(({ findings }) => findings.length)} failed.\n`;
};

/** The page, if there are results of both experiments on contracts. */
export function findingsPages(): Map<string, string> {
  const one = readResults(1, "-contracts");
  const two = readResults(2, "-contracts");
  return new Map(one === undefined || two === undefined ? [] : [["docs/economy-findings.md", pageFrom(one, two)]]);
}

function pageFrom(one: Results, two: Results): string {
  const large = readResults(1, "-1000");
  const open = readResults(1, "");
  const contracts = readResults(1, "-sensitivity");
  const drafts = readResults(2, "-drafts");
  return [
    MADE("bench/economy-*.json, which `npm run economy` writes with --write"),
    "\n# Findings of the economy's campaigns\n\n",
    "World, behaviour, metrics and thresholds were fixed before any measurement: [economy.md](economy.md). Agents here calculate instead of talking: these runs\n",
    "show what follows from their utilities, and nothing about chat models or people. Means over seeds, with 95 % intervals in brackets (bootstrap); effect:\n",
    "distance of the mean beyond the threshold, in standard deviations over seeds.\n\n",
    "## Campaigns\n\n",
    campaigns(),
    `\n${audited()}`,
    `\n## Hypotheses\n\n${counted("supported")} supported, ${counted("falsified")} falsified, ${counted("inconclusive")} inconclusive, ${counted("not measured")} not measured. Each is judged by the campaign with the seeds or scales that its test\nneeds; the last column shows the runs at 1,000 agents.\n\n`,
    hypotheses(),
    "\n## Claims of the paper that do not hold here\n\n*Falsified*: the mean meets the paper's own threshold of falsification. *Inconclusive*: neither threshold is met, or the seeds are too few for the test.\n\n",
    contrary(),
    `\nCSR(Baseline) is ${one.summary.govsim ?? "not measured"}.\n`,
    "\nArithmetic, independent of any run:\n\n",
    table(["", "the paper", "follows"], arithmetic()),
    "\n## Configurations compared\n\n200 agents:\n\n",
    configurations(one, 200),
    large === undefined ? "" : `\n1,000 agents:\n\n${configurations(large, 1000)}`,
    "\n## Secondary figures of Full\n\n",
    secondary(),
    "\nBlocs that agree only on part of their ranking are not detected if their row above is 0, as the paper concedes (NP-4, [blocs.md](blocs.md)).\n",
    "\n## Scales\n\n25 tasks per milestone:\n\n",
    scales(two, AS_WRITTEN),
    "\nTasks that grow with the city:\n\n",
    scales(two, SCALED),
    unfinished(two),
    "\nGrowth, by Akaike's weights and the exponent of a power law:\n\n",
    growth(two),
    drafts === undefined ? "" : `\nSessions over 3, 8 and 20 drafts (${link(drafts)}):\n\n${growth(drafts)}`,
    "\n## Sensitivity to the constants that the paper leaves open\n\nEach constant a quarter lower and higher.\n\n",
    contracts === undefined ? "On contracts: not run.\n\n" : sensitivity(contracts, "On contracts, at 50 agents"),
    open === undefined ? "" : `\n${sensitivity(open, "Without contracts, at 200 agents")}`,
  ].join("");
}
