import { largestValue, MODERATE, productionStakes } from "../../deploy/production-preset.ts";
import { grouped } from "../../orchestrator/primitives/amounts.ts";
import { readGasReport } from "../bench/gas-report.ts";
import { MADE, table } from "../dev/markdown.ts";
import { agrees, DETECTION_BY_TIER, type Figure, figures } from "./printed.ts";

/** A figure with the paper's precision. */
export function shown(value: number, digit: number): string {
  const places = Math.max(0, Math.round(-Math.log10(digit)));
  const text = value.toFixed(places);
  const [whole = "", rest] = text.replace("-", "").split(".");
  const sign = text.startsWith("-") && Number(text) !== 0 ? "−" : "";
  return `${sign}${grouped(BigInt(whole))}${rest === undefined ? "" : `.${rest}`}`;
}

/** One digit more than the paper's, for figures that differ. */
const ours = (figure: Figure) => shown(figure.ours, agrees(figure) ? figure.digit : figure.digit / (figure.digit < 1 ? 10 : 1));

/** One row of the comparison: source, figure, paper, ours, reason. */
export const comparisonRow = (figure: Figure): string[] => [
  figure.where,
  figure.what,
  shown(figure.paper, figure.digit),
  ours(figure),
  figure.differs ?? "",
];

const FORMULAS = [
  ["EQ-2, 2a", "P₂(c) = 1 − [ρ(1 − p) + (1 − ρ)(1 − p)^(k − c)] while k − c ≥ t, else 0", "`detection`"],
  ["EQ-3", "P(c) = C(k, c) π^c (1 − π)^(k − c); π = π₀ e^(−s_reg / scale)", "`coalition`, `malice`"],
  ["", "P_eff = Σ P(c) · P₂(c)", "`effectiveDetection`"],
  ["EQ-4", "cheating pays from a profit of s · P_eff · slash", "`deterredProfit`"],
  ["EQ-5", "s = δ V_m / (P_eff · slash); *not deterrable* where that product is 0", "`deterringStake`"],
  ["EQ-6", "s_reg = V_m / 10", "`registrationStake`"],
  ["EQ-7", "s_adj = V_m / q; bribery costs ⌈2q/3⌉ · (s_adj + reputation)", "`adjudicatorStake`, `briberyCost`"],
  ["EQ-8", "locking costs s · r · T / 365", "`lockCost`"],
  [
    "EQ-9",
    "base = b(1 − f_p − f_i); escrow pays base · min(ψ, 1), the treasury base · max(ψ − 1, 0); ψ = 1 + α(ρ − 500)/1000",
    "`reward`, `reputationFactor`",
  ],
  ["EQ-10", "b ≥ (locking + work) / ((1 − f_p − f_i) ψ)", "`leastPrice`"],
  ["EQ-11", "fees + slashed/2 > adjudicators + insurance paid + gas + premiums", "`treasurySides`"],
  ["EQ-12", "pool > affected missions · loss of each", "`insuranceCover`"],
  ["AgentCity B.10", "s² + (1 − s)²/(p − 1) − 1/p ≤ (1 − floor)(1 − 1/p)", "`largestFairShare`"],
] as const;

/** Gas of the hybrid mission relative to the on-chain one, as last measured. */
function measuredHybrid(): string {
  const of = (name: string) => readGasReport().rows.find(({ operation }) => operation === name)?.median ?? Number.NaN;
  return `${Math.round((100 * of("mission-8-hybrid")) / of("mission-8-onchain"))} %`;
}

/** `docs/deterrence.md`. */
export function deterrencePage(): string {
  const all = figures();
  const other = all.filter((figure) => !agrees(figure));
  const value = 100_000;
  const stakes = Object.entries(productionStakes(value)).map(([name, stake]) => [`\`${name}\``, grouped(stake)]);
  const range = ([low, high]: readonly [number, number]) => (low === high ? String(low) : `${low}–${high}`);
  return [
    MADE("scripts/deterrence/printed.ts"),
    "\n# Deterrence and equilibrium\n\n",
    "When cheating does not pay and participation does: the closed forms of AgentCity's appendix B as functions\n",
    "([`orchestrator/rules/deterrence.ts`](../orchestrator/rules/deterrence.ts)), every printed figure of the paper compared with their results, and\n",
    "stakes for a city whose missions have value.\n\n",
    "    npm run deterrence                                        # the comparison below\n",
    "    npm run deterrence -- --vm 100000 --k 5 --t 3              # stakes for other missions and assumptions\n",
    "    npm run deterrence -- --vm 100000 --preset > city.yaml     # a founding file with those stakes\n",
    "    npm run deterrence -- --city                              # a city's treasury: EQ-11 and EQ-12 of its last 30 days\n\n",
    "## Formulas\n\n",
    "k executors do a task and t must agree; an honest one notices a manipulation with probability p, correlated by ρ; each would collude with\n",
    "probability π. A proven fault loses the share *slash* of the stake s. V_m is the value of a mission, δ the share of it that one task\n",
    "allows an executor to take. f_p, f_i are the fees, ψ the factor of reputation.\n\n",
    table(["", "formula", "function"], FORMULAS),
    "\nProbability that an attack is detected, by tier (Table 12). An undetectable class has no deterring stake, and the functions say so\n",
    "instead of returning infinity:\n\n",
    table(
      ["attack", "type 1", "type 2", "type 3"],
      DETECTION_BY_TIER.map(({ attack, tiers }) => [attack, ...tiers.map(range)]),
    ),
    "\n## A founding file for production\n\n",
    `The prototype's stakes do not deter taking more than ten cents. For missions worth ${grouped(BigInt(value))} tokens, in the paper's\n`,
    `moderate case (${MODERATE.agreeing} of ${MODERATE.executors}, p = ${MODERATE.notices}, π = ${MODERATE.malice}, slash = ${MODERATE.slashed}; at HIGH risk\n3 of 5, since no law there has fewer executors):\n\n`,
    table(["parameter", "tokens"], stakes),
    `\nThe ranges of [parameters.md](parameters.md) allow missions worth up to ${grouped(BigInt(largestValue()))} tokens so; a larger \`--vm\` is refused with\n`,
    "`StakeOutsideRange`, which says which value would fit. AgentCity's Table 19 ends `MIN_STAKE_HIGH` at 100,000, below the 376,259 of its own Table 16; here it\n",
    "ends at 10,000,000. `--preset` prints a whole founding file ([genesis.md](genesis.md)) whose people are a devnet's\n",
    "own keys: replace every address before founding anything public.\n\n",
    "## The paper's figures and the formulas' results\n\n",
    `${all.length} figures; ${all.length - other.length} follow to the last printed digit, ${other.length} do not:\n\n`,
    table(["source", "figure", "paper", "ours", "why"], other.map(comparisonRow)),
    `\nThe paper's gas of an eight-node mission in hybrid mode is an estimate; measured here it is ${measuredHybrid()} of the on-chain mission's\n`,
    "([gas.md](gas.md)), because entitlements and node records stay on chain.\n",
    "\nAll of them:\n\n",
    table(
      ["source", "figure", "paper", "ours", ""],
      all.map((figure) => [...comparisonRow(figure).slice(0, 4), agrees(figure) ? "" : "≠"]),
    ),
  ].join("");
}
