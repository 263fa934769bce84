/** Result of a campaign: one data document, and its report as Markdown and as an offline HTML page. */
import MarkdownIt from "markdown-it";
import { mean, sampleStandardDeviation } from "simple-statistics";
import { DRAFTS, draftsVariant, OPEN } from "../../orchestrator/economy/campaign.ts";
import {
  AS_WRITTEN,
  benefitPoints,
  byScale,
  COMPARISONS,
  type Comparison,
  type Contrast,
  comparability,
  compare,
  compareOthers,
  contrast,
  costPoints,
  type Experiment,
  type Finding,
  judge,
  resampled,
  runsOf,
  SCALED,
  scalePoints,
  weightsOf,
} from "../../orchestrator/economy/hypotheses.ts";
import { type GovernanceSummary, type RunSummary, TOKENS_A_GAS } from "../../orchestrator/economy/metrics.ts";
import { isExcluded, MAX_FALLBACK } from "../../orchestrator/economy/model.ts";
import { CONFIGURATIONS, type Configuration } from "../../orchestrator/economy/parameters.ts";
import type { RunFigures } from "../../orchestrator/economy/run.ts";
import { bootstrap, effectiveSeeds, type Interval, MIN_EFFECTIVE_SHARE } from "../../orchestrator/economy/statistics/description.ts";
import { type Point, powerLaw, SHAPES, SHAPES_OF_BENEFIT } from "../../orchestrator/economy/statistics/fits.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { table } from "../dev/markdown.ts";
import type { Agreement } from "./alerts.ts";
import { type Ballot, CAPTIONS, type Figures, type Spread } from "./figures.ts";

const METRICS = {
  CSR: (run: RunSummary) => run.csr,
  survival: (run: RunSummary) => run.survival,
  DR: (run: RunSummary) => run.dr,
  "DR, cooperative": (run: RunSummary) => run.drBy.cooperative,
  "DR, self-interested": (run: RunSummary) => run.drBy["self-interested"],
  "DR, adversarial": (run: RunSummary) => run.drBy.adversarial,
  PSR: (run: RunSummary) => run.psr,
  PCR: (run: RunSummary) => run.pcr,
  "SI, round 40": (run: RunSummary) => run.si40,
  SI: (run: RunSummary) => run.si,
  CAU: (run: RunSummary) => run.cau,
  PvR: (run: RunSummary) => run.pvr,
  SS: (run: RunSummary) => run.ss,
  GOR: (run: RunSummary) => run.gor,
  "GOR, by round": (run: RunSummary) => run.gorRounds,
  EPR: (run: RunSummary) => run.epr,
  "WGC, end": (run: RunSummary) => run.wgc.at(-1) ?? 0,
  FPD: (run: RunSummary) => run.fpd,
} as const;

/** Figures that only contracts give; null if there was nothing to measure. */
const GOVERNED: Readonly<Record<string, (governance: GovernanceSummary) => number | null>> = {
  REC: ({ rec }) => rec,
  "sessions by petition": ({ petitioned }) => petitioned,
  RQT: ({ rqt }) => rqt,
  LPR: ({ lpr }) => lpr,
  DSI: ({ dsi }) => dsi,
  MSR: ({ msr }) => msr,
  PVRR: ({ pvrr }) => pvrr,
  CFR: ({ cfr }) => cfr,
  DVR: ({ dvr }) => dvr,
  CDR: ({ cdr }) => cdr,
  "CDR, three places": ({ top3 }) => top3,
  "CDR, one place": ({ pivot }) => pivot,
  OPA: ({ opa }) => opa,
  "influence lost": ({ reduction }) => reduction,
  "honest voters flagged": ({ wronged }) => wronged,
  "ICT, slope": ({ ict }) => ict,
  SAR: ({ sar }) => sar,
  "SAR, slope": ({ sarSlope }) => sarSlope,
  "M(n)": ({ messages }) => messages,
  "CT(n), s": ({ seconds }) => seconds,
  "gas, millions": ({ gas }) => gas / 1e6,
  transactions: ({ transactions }) => transactions,
  "G(n), tokens": ({ gas }) => gas * TOKENS_A_GAS,
  CCR: ({ ccr }) => ccr,
  ARU: ({ aru }) => aru,
  HITLRR: ({ hitlrr }) => hitlrr,
  "milestones with EQ-11": ({ sustained }) => sustained,
  "treasury in, tokens": ({ inflow }) => inflow,
  "treasury out, tokens": ({ outflow }) => outflow,
  "reputation and GOR, ρ": ({ reputationAndOverhead }) => reputationAndOverhead,
};

/** A configuration's figures at one scale. */
export interface Cell {
  readonly configuration: Configuration;
  readonly agents: number;
  readonly variant: string;
  readonly seeds: number;
  readonly metrics: Readonly<Record<string, { readonly mean: number } & Interval>>;
  /** Seeds that recovered from the shock, and their mean number of rounds. */
  readonly recovered: { readonly seeds: number; readonly rounds: number | null };
}

/** All results of a campaign. */
export interface Summary {
  readonly experiment: Experiment;
  readonly seeds: readonly number[];
  readonly notRun: readonly string[];
  readonly cells: readonly Cell[];
  readonly comparisons: readonly Comparison[];
  /** Non-adjacent pairs of configurations. */
  readonly others?: readonly Comparison[];
  /** Experiment 2's planned comparisons. */
  readonly contrasts?: readonly Contrast[];
  readonly effective: readonly {
    readonly configuration: string;
    readonly agents: number;
    readonly seeds: number;
    readonly distinct: number;
    readonly flagged: boolean;
  }[];
  /** Runs with a chat model, and the share of questions that it did not answer itself; above a twentieth they are excluded. */
  readonly models?: readonly {
    readonly variant: string;
    readonly configuration: string;
    readonly agents: number;
    readonly seed: number;
    readonly csr: number;
    readonly dr?: number;
    readonly asked: number;
    readonly share: number;
    readonly excluded: boolean;
  }[];
  /** Sessions only, by number of drafts: statements, and seconds with two per block. */
  readonly ballots?: readonly Ballot[];
  /** Missions verified from the chain, one randomly drawn per run, and the failures. */
  readonly audits?: { readonly runs: number; readonly verified: number; readonly findings: readonly string[] };
  /** People's answers to a sample of alerts; absent if there are none. */
  readonly agreement?: Agreement;
  readonly govsim: string | null;
  /** Mean gas of a run by contract and function, highest first; millions. */
  readonly gas: readonly { readonly configuration: string; readonly agents: number; readonly name: string; readonly gas: number }[];
  readonly findings: readonly Finding[];
  /** The same with each open constant a quarter lower and higher: changed verdicts. */
  readonly sensitivity: readonly { readonly variant: string; readonly csr: readonly string[]; readonly moved: readonly string[] }[];
  readonly growth: readonly {
    readonly metric: string;
    readonly best: string;
    readonly weights: Readonly<Record<string, number>>;
    readonly exponent: number | null;
    /** 95 % interval of the exponent, and the share of the variance explained by the power law. */
    readonly interval?: Interval | null;
    readonly r2?: number;
  }[];
}

const RESAMPLES = 2000;

export function summarise(experiment: Experiment, runs: readonly Ran[]): Summary {
  const whole = runs.filter(({ summary }) => !DRAFTS.map(draftsVariant).includes(summary.variant));
  const all = whole.filter(({ figures }) => figures.calls === undefined || !isExcluded(figures.calls)).map(({ summary }) => summary);
  const lot = randomStream(7, "economy", "report");
  const scales = [...new Set(all.map(({ agents }) => agents))].sort((one, other) => one - other);
  const variants = [...new Set(all.map(({ variant }) => variant))];
  const main = scales.includes(200) ? 200 : (scales[0] ?? 0);
  const judged = (variant: string) =>
    judge(
      all
        .filter((run) => run.variant === variant || run.variant === SCALED)
        .map((run) => (run.variant === variant ? { ...run, variant: AS_WRITTEN } : run)),
      experiment,
      main,
      lot,
    );
  const findings = judge(all, experiment, main, lot);
  const cells = variants.flatMap((variant) =>
    scales.flatMap((agents) =>
      CONFIGURATIONS.flatMap((configuration) => cellOf(runsOf(all, configuration, agents, variant), { configuration, agents, variant })),
    ),
  );
  const baseline = runsOf(all, "baseline", main).map(({ csr }) => csr);
  return {
    experiment,
    seeds: [...new Set(runs.map(({ summary: { seed } }) => seed))].sort((one, other) => one - other),
    notRun: CONFIGURATIONS.filter((name) => !all.some(({ configuration }) => configuration === name)),
    cells,
    comparisons: compare(all, main),
    others: compareOthers(all, main),
    ...(experiment === 2 ? { contrasts: contrast(all) } : {}),
    effective: effectiveOf(runs),
    ...(whole.length === runs.length ? {} : { ballots: ballotsOf(runs) }),
    audits: auditsOf(runs),
    models: runs.flatMap(({ figures: { calls }, summary: { variant, configuration, agents, seed, csr, dr } }) =>
      calls === undefined
        ? []
        : [
            {
              variant,
              configuration,
              agents,
              seed,
              csr,
              dr,
              asked: calls.asked,
              share: calls.asked === 0 ? 0 : (calls.fellBack + calls.unanswered) / calls.asked,
              excluded: isExcluded(calls),
            },
          ],
    ),
    govsim: baseline.length === 0 ? null : comparability(mean(baseline)),
    gas: gasOf(runs),
    findings,
    sensitivity: variants
      .filter(
        (variant) =>
          OPEN.includes(variant) || runs.some(({ figures, summary }) => figures.calls !== undefined && summary.variant === variant),
      )
      .map((variant) => ({
        variant,
        csr: cells.filter((cell) => cell.variant === variant).map((cell) => `${cell.configuration} ${shown(cell.metrics["CSR"]?.mean)}`),
        moved: judged(variant).flatMap(({ id, verdict }) => {
          const before = findings.find((finding) => finding.id === id)?.verdict;
          return before === verdict ? [] : [`${id}: ${before} → ${verdict}`];
        }),
      })),
    growth: experiment === 2 ? growthOf(runs) : [],
  };
}

function cellOf(runs: readonly RunSummary[], cell: Pick<Cell, "configuration" | "agents" | "variant">): Cell[] {
  if (runs.length === 0) return [];
  const governed = Object.entries(GOVERNED).map(
    ([name, of]) => [name, (run: RunSummary) => (run.governance === undefined ? null : of(run.governance))] as const,
  );
  const metrics = [...Object.entries(METRICS), ...governed].flatMap(([name, of]) => {
    const values = runs.flatMap((run) => of(run) ?? []);
    if (values.length === 0) return [];
    const lot = randomStream(7, "economy", "cell", cell.configuration, cell.agents, cell.variant, name);
    return [[name, { mean: mean(values), ...bootstrap(values, (sample) => mean([...sample]), lot, { resamples: RESAMPLES }) }] as const];
  });
  const back = runs.flatMap(({ srt }) => (srt === null ? [] : [srt]));
  return [
    {
      ...cell,
      seeds: runs.length,
      metrics: Object.fromEntries(metrics),
      recovered: { seeds: back.length, rounds: back.length === 0 ? null : mean(back) },
    },
  ];
}

const MAX_FUNCTIONS = 8;

function gasOf(runs: readonly Ran[]): Summary["gas"] {
  const governed = runs.filter(({ figures, summary }) => figures.governance !== undefined && summary.variant === AS_WRITTEN);
  return [...Map.groupBy(governed, ({ summary }) => `${summary.configuration}/${summary.agents}`).values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { configuration, agents } = first.summary;
    const sums = new Map<string, number>();
    for (const { figures } of group)
      for (const [name, gas] of Object.entries(figures.governance?.gas ?? {}))
        sums.set(name, (sums.get(name) ?? 0) + gas / group.length / 1e6);
    return [...sums]
      .sort(([, one], [, other]) => other - one)
      .slice(0, MAX_FUNCTIONS)
      .map(([name, gas]) => ({ configuration, agents, name, gas }));
  });
}

function effectiveOf(runs: readonly Ran[]) {
  const written = runs.filter(({ summary }) => summary.variant === AS_WRITTEN);
  return [...Map.groupBy(written, ({ summary }) => `${summary.configuration}/${summary.agents}`).values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const distinct = effectiveSeeds(group.map(({ figures }) => figures.rounds.map(({ csr }) => csr)));
    const { configuration, agents } = first.summary;
    return [{ configuration, agents, seeds: group.length, distinct, flagged: distinct < MIN_EFFECTIVE_SHARE * group.length }];
  });
}

/** Seconds per block on the paper's chain. */
const BLOCK = 2;
/** Statements of a session, and its duration in seconds of the paper's chain. */
const sessionsOf = ({ figures }: Ran): readonly { readonly messages: number; readonly seconds: number }[] =>
  (figures.governance?.sessions ?? []).map(({ messages, seconds, blocks = 0 }) => ({ messages, seconds: seconds + BLOCK * blocks }));

interface Ran {
  readonly figures: RunFigures;
  readonly summary: RunSummary;
}

function ballotsOf(runs: readonly Ran[]): Ballot[] {
  const spread = (values: readonly number[]): Spread => ({
    mean: mean([...values]),
    sd: values.length < 2 ? 0 : sampleStandardDeviation([...values]),
  });
  return DRAFTS.flatMap((drafts) => {
    const its = runs.filter(({ summary }) => summary.variant === draftsVariant(drafts));
    const scales = [...Map.groupBy(its, ({ summary }) => summary.agents)].sort(([one], [other]) => one - other);
    return scales.map(([agents, group]) => {
      const held = group.flatMap(sessionsOf);
      const of = (name: "messages" | "seconds") => spread(held.map((session) => session[name]));
      return { agents, drafts, seeds: group.length, messages: of("messages"), seconds: of("seconds") };
    });
  });
}

function auditsOf(runs: readonly Ran[]): NonNullable<Summary["audits"]> {
  const audits = runs.flatMap(({ figures }) => figures.governance?.audit ?? []);
  const verified = audits.flatMap((audit) => Object.values(audit.verified)).reduce((sum, one) => sum + one, 0);
  return { runs: audits.length, verified, findings: audits.flatMap(({ findings }) => findings) };
}

function growthOf(runs: readonly Ran[]): Summary["growth"] {
  const all = runs.map(({ summary }) => summary);
  const drafted = (drafts: number, of: "messages" | "seconds"): Point[] =>
    runs
      .filter(({ summary }) => summary.variant === draftsVariant(drafts))
      .flatMap((run) => sessionsOf(run).map((session) => ({ x: run.summary.agents, y: session[of] })));
  const asked = [
    ["FPD(Baseline), tasks scaled", "baseline", SCALED, (run: RunSummary) => run.fpd],
    ["FPD(Baseline), 25 tasks", "baseline", AS_WRITTEN, (run: RunSummary) => run.fpd],
    ["FPD(Emergent), tasks scaled", "emergent", SCALED, (run: RunSummary) => run.fpd],
    ["FPD(Full), tasks scaled", "full", SCALED, (run: RunSummary) => run.fpd],
    ["FPD(Full), 25 tasks", "full", AS_WRITTEN, (run: RunSummary) => run.fpd],
    ["GOR(Emergent)", "emergent", AS_WRITTEN, (run: RunSummary) => run.gor],
    ["GOR(Full)", "full", AS_WRITTEN, (run: RunSummary) => run.gor],
    ["G(Full), 25 tasks", "full", AS_WRITTEN, (run: RunSummary) => (run.governance?.gas ?? 0) * TOKENS_A_GAS],
    ["M(Full)", "full", AS_WRITTEN, (run: RunSummary) => run.governance?.messages ?? 0],
    ["CT(Full)", "full", AS_WRITTEN, (run: RunSummary) => run.governance?.seconds ?? 0],
  ] as const;
  const series: readonly (readonly [metric: string, points: readonly Point[]])[] = [
    ...asked.map(([metric, configuration, variant, of]) => [metric, scalePoints(all, configuration, variant, of)] as const),
    ...DRAFTS.map((drafts) => [`M(n), ${draftsVariant(drafts)}`, drafted(drafts, "messages")] as const),
    ...DRAFTS.map((drafts) => [`CT(n), ${draftsVariant(drafts)}`, drafted(drafts, "seconds")] as const),
    ["G(Full), tasks scaled", costPoints(all, SCALED)],
    ["B(Full), 25 tasks", benefitPoints(all)],
    ["B(Full), tasks scaled", benefitPoints(all, SCALED)],
  ];
  return series.flatMap(([metric, points]) => {
    if (byScale(points).length < 3) return [];
    const weights = weightsOf(points, metric.startsWith("B") ? SHAPES_OF_BENEFIT : SHAPES);
    const positive = points.filter(({ y }) => y > 0);
    const groups = byScale(positive);
    const lot = randomStream(7, "economy", "growth", metric);
    return [
      {
        metric,
        best: weights[0]?.shape ?? "",
        weights: Object.fromEntries(weights.map(({ shape, weight }) => [shape, weight])),
        exponent: groups.length < 3 ? null : powerLaw(positive).exponent,
        interval: groups.length < 3 ? null : resampled(groups, (sample) => powerLaw(sample).exponent, lot),
        r2: weights.find(({ shape }) => shape === "power")?.r2 ?? 0,
      },
    ];
  });
}

/** A figure for display. */
export const shown = (value: number | null | undefined): string =>
  value === null || value === undefined || !Number.isFinite(value)
    ? "–"
    : value === 0 || Math.abs(value) >= 0.001
      ? value.toFixed(3)
      : value.toExponential(1);
/** A mean with its interval. */
export const within = ({ mean: middle, low, high }: { readonly mean: number } & Interval) =>
  `${shown(middle)} (${shown(low)}–${shown(high)})`;

/** The report in Markdown; the HTML page adds the pictures. */
export function markdown(summary: Summary, pictures: readonly string[]): string {
  if (summary.cells.length === 0 && summary.ballots !== undefined) return sessionsOnly(summary, summary.ballots, pictures);
  const counted = (verdict: Finding["verdict"]) => summary.findings.filter((finding) => finding.verdict === verdict).length;
  const written = summary.cells.filter(({ variant }) => variant === AS_WRITTEN);
  const names = [...Object.keys(METRICS), ...Object.keys(GOVERNED)].filter((name) =>
    written.some(({ metrics }) => metrics[name] !== undefined),
  );
  const part = (cells: readonly Cell[]) =>
    table(
      ["", ...cells.map(({ configuration, agents, seeds }) => `${configuration}, ${agents} agents, ${seeds} seeds`)],
      [
        ...names.map((name) => [name, ...cells.map(({ metrics }) => (metrics[name] === undefined ? "–" : within(metrics[name])))]),
        [
          "SRT",
          ...cells.map(({ recovered, seeds }) =>
            recovered.rounds === null ? `never (${seeds} seeds)` : `${shown(recovered.rounds)} (${recovered.seeds} of ${seeds} seeds)`,
          ),
        ],
      ],
    );
  const scales = [...new Set(written.map(({ agents }) => agents))];
  return [
    `# Experiment ${summary.experiment}\n\n`,
    `Seeds ${summary.seeds.join(", ")}. ${summary.notRun.length === 0 ? "All four configurations were run" : `Not run: ${summary.notRun.join(", ")}; hypotheses that need them are not measured`}. World, metrics and\n`,
    "thresholds: docs/economy.md. Means over seeds, with 95 % intervals in brackets (bootstrap); effect: standard deviations over seeds by which the mean is beyond\n",
    "the threshold.\n\n",
    `## Hypotheses\n\n${counted("supported")} supported, ${counted("falsified")} falsified, ${counted("inconclusive")} inconclusive, ${counted("not measured")} not measured.\n\n`,
    outcome(summary.findings),
    table(
      ["", "hypothesis", "verdict", "mean", "effect", "p", "because"],
      summary.findings.map(({ id, says, verdict, mean: middle, interval, effect, p, because }) => [
        id,
        says,
        verdict,
        middle === undefined ? "" : interval === undefined ? shown(middle) : within({ mean: middle, ...interval }),
        effect === undefined ? "" : effect.toFixed(1),
        p === undefined ? "" : shown(p),
        because,
      ]),
    ),
    summary.experiment === 1
      ? `\n## Adjacent configurations (Table 20)\n\nK = ${COMPARISONS[1]}, paired signed ranks, two-sided.\n\n${comparisons(summary.comparisons)}`
      : "",
    summary.others?.some(({ measured }) => measured) === true
      ? `\nThe other pairs, at the same threshold:\n\n${comparisons(summary.others)}`
      : "",
    summary.contrasts === undefined
      ? ""
      : `\n## Scales compared\n\nK = ${COMPARISONS[2]}, Full, paired signed ranks, two-sided.\n\n${table(
          ["from", "to", "metric", "seeds", "W", "p", "corrected", "d"],
          summary.contrasts.map(({ from, to, metric, measured, seeds, w, p, corrected, d }) =>
            measured
              ? [String(from), String(to), metric, String(seeds), shown(w), shown(p), shown(corrected), shown(d)]
              : [String(from), String(to), metric, "not measured", "", "", "", ""],
          ),
        )}`,
    summary.govsim === null ? "" : `\nCSR(Baseline) is ${summary.govsim}.\n`,
    "\n## Figures by scale\n",
    ...scales.map((agents) => `\n${part(written.filter((cell) => cell.agents === agents))}`),
    scaled(summary.cells),
    summary.gas.length === 0
      ? ""
      : `\n## Gas\n\nOf a run after its founding, the dearest functions.\n\n${table(
          ["configuration", "agents", "function", "million gas"],
          summary.gas.map(({ configuration, agents, name, gas }) => [configuration, String(agents), `\`${name}\``, gas.toFixed(1)]),
        )}`,
    summary.growth.length === 0 ? "" : `\n## Growth (Tables 21 and 22)\n\n${growth(summary.growth)}`,
    ballots(summary.ballots ?? []),
    summary.sensitivity.length === 0
      ? ""
      : `\n## Sensitivity\n\n${table(
          ["variant", "CSR", "changed verdicts"],
          summary.sensitivity.map(({ variant, csr, moved }) => [variant, csr.join(", "), moved.join("; ") || "none"]),
        )}`,
    summary.models === undefined || summary.models.length === 0
      ? ""
      : `\n## Chat models\n\nA run in which the model left more than ${100 * MAX_FALLBACK} % of its questions to another, or to the persona, counts for nothing above.\n\n${table(
          ["", "configuration", "agents", "seed", "CSR", "DR", "questions", "not its own", ""],
          summary.models.map(({ variant, configuration, agents, seed, csr, dr, asked, share, excluded }) => [
            variant,
            configuration,
            String(agents),
            String(seed),
            shown(csr),
            shown(dr),
            String(asked),
            shown(share),
            excluded ? "left out" : "",
          ]),
        )}`,
    "\n## Effective seeds\n\n",
    table(
      ["configuration", "agents", "seeds", "distinct", ""],
      summary.effective.map(({ configuration, agents, seeds, distinct, flagged }) => [
        configuration,
        String(agents),
        String(seeds),
        String(distinct),
        flagged ? "too few" : "",
      ]),
    ),
    audits(summary.audits),
    people(summary.agreement),
    gallery(pictures),
  ].join("");
}

const gallery = (pictures: readonly string[]): string =>
  pictures.length === 0
    ? ""
    : `\n## Pictures\n${pictures.map((name) => `\n![${name}](figures/${name}.svg)\n${CAPTIONS[name] === undefined ? "" : `\n*${CAPTIONS[name]}*\n`}`).join("")}`;

/** A campaign of sessions only, without hypotheses. */
const sessionsOnly = ({ experiment, seeds, growth: rows }: Summary, drafted: readonly Ballot[], pictures: readonly string[]): string =>
  [
    `# Experiment ${experiment}: sessions by drafts\n\n`,
    `Seeds ${seeds.join(", ")}. Sessions and their duration are defined in docs/economy.md.\n`,
    ballots(drafted),
    rows.length === 0 ? "" : `\n## Growth (Tables 21 and 22)\n\n${growth(rows)}`,
    gallery(pictures),
  ].join("");

/** The paper's minimum viable outcome, and the contribution that each hypothesis concerns. */
function outcome(findings: readonly Finding[]): string {
  const verdict = (id: string) => findings.find((finding) => finding.id === id)?.verdict ?? "not measured";
  const supported = (...ids: readonly string[]) => ids.filter((id) => verdict(id) === "supported").length;
  const scaling = ["H4a", "H4b", "H4c", "H4d"];
  const asked = ["H3a", "H3d", "H2b"];
  if (asked.some((id) => verdict(id) === "not measured")) return "";
  const isReached = supported(...asked) === asked.length && supported(...scaling) >= 2;
  const verdicts = asked.map((id) => `${id} ${verdict(id)}`).join(", ");
  const parts = CONTRIBUTIONS.map(([name, begins]) => {
    const ids = findings.filter(({ id }) => begins.some((start) => id.startsWith(start))).map(({ id }) => id);
    return `${name} ${supported(...ids)} of ${ids.length}`;
  });
  return `The paper's minimum viable outcome is ${isReached ? "" : "not "}reached here: ${verdicts}, ${supported(...scaling)} of H4a–H4d (two are required, of experiment 2). Supported by\ncontribution: ${parts.join(", ")}.\n\n`;
}
const CONTRIBUTIONS = [
  ["alignment (H1, H3)", ["H1", "H3"]],
  ["self-legislation (H2)", ["H2"]],
  ["scaling (H4)", ["H4"]],
] as const;

/** The arm with tasks that grow with the city, and its differences. */
function scaled(cells: readonly Cell[]): string {
  const rows = cells.filter(({ variant }) => variant === SCALED);
  const names = ["PCR", "FPD", "CSR", "survival", "SI", "G(n), tokens"];
  return rows.length === 0
    ? ""
    : `\n## Tasks that grow with the city\n\n${table(
        ["agents", "configuration", "seeds", ...names],
        rows.map(({ agents, configuration, seeds, metrics }) => [
          String(agents),
          configuration,
          String(seeds),
          ...names.map((name) => (metrics[name] === undefined ? "–" : within(metrics[name]))),
        ]),
      )}`;
}

function ballots(rows: readonly Ballot[]): string {
  if (rows.length === 0) return "";
  const within = ({ mean: middle, sd }: Spread) => `${middle.toFixed(1)} ± ${sd.toFixed(1)}`;
  return `\n## Sessions by drafts\n\nOne session of Full each, mean ± standard deviation over seeds: signed statements, and seconds of chain time with ${BLOCK} for each block.\n\n${table(
    ["drafts", "agents", "seeds", "M(n)", "CT(n), s"],
    rows.map(({ drafts, agents, seeds, messages, seconds }) => [
      String(drafts),
      String(agents),
      String(seeds),
      within(messages),
      within(seconds),
    ]),
  )}`;
}

/** Number of findings printed; the summary has all. */
const FINDINGS = 5;

function audits(found: Summary["audits"]): string {
  if (found === undefined || found.runs === 0) return "";
  const { runs, verified, findings } = found;
  const few = findings.slice(0, FINDINGS).map((finding) => `\n* ${finding}`);
  return `\n## Audits\n\nOne randomly drawn mission of each of ${runs} runs was verified from its chain: ${verified} comparisons, ${findings.length} failed.\n${few.join("")}${few.length === 0 ? "" : "\n"}`;
}

function people(agreement: Agreement | undefined): string {
  if (agreement === undefined) return "\nNot run: people's judgement of the alerts in alerts.csv (`--ratings` reads their answers).\n";
  const { alerts, raters, alpha, asSimulated } = agreement;
  return `\n## People\n\n${raters} people judged ${alerts} alerts: Krippendorff's α ${shown(alpha)}; ${(100 * asSimulated).toFixed(0)} % of their answers are the simulated adjudicator's.\n`;
}

const comparisons = (rows: readonly Comparison[]): string =>
  table(
    ["from", "to", "metric", "W", "p", "corrected", "d", "significant"],
    rows.map(({ from, to, metric, measured, w, p, corrected, d, significant }) =>
      measured
        ? [from, to, metric, shown(w), shown(p), shown(corrected), shown(d), significant === true ? "yes" : "no"]
        : [from, to, metric, "not measured", "", "", "", ""],
    ),
  );

const growth = (rows: Summary["growth"]): string => {
  const shapes = [...new Set(rows.flatMap(({ weights }) => Object.keys(weights)))].sort();
  return table(
    ["metric", "best", ...shapes.map((shape) => `weight: ${shape}`), "exponent", "R²"],
    rows.map(({ metric, best, weights, exponent, interval, r2 }) => [
      metric,
      best,
      ...shapes.map((shape) => shown(weights[shape])),
      exponent === null || interval == null ? shown(exponent) : within({ mean: exponent, ...interval }),
      shown(r2),
    ]),
  );
};

const STYLE =
  "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;font-size:13px}td,th{border:1px solid #ccc;padding:.2rem .5rem;text-align:left}svg{max-width:100%;height:auto}";

/** The same as one self-contained file. */
export function page(text: string, figures: Figures): string {
  const body = new MarkdownIt({ html: false })
    .render(text)
    .replaceAll(/<img src="figures\/([a-z-]+)\.svg" alt="[^"]*">/g, (image, name: string) => figures.get(name) ?? image);
  return `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>The commons production economy</title><style>${STYLE}</style>\n<body>\n${body}</body></html>\n`;
}
