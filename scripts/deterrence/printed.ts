/**
 * Every figure that AgentCity prints about deterrence and equilibrium, with the formulas' result (docs/deterrence.md is generated from
 * it). A figure to which ours does not round must have a reason.
 */

import { binomialAtLeast, criticalHits } from "../../orchestrator/economy/statistics/significance.ts";
import {
  adjudicatorStake,
  briberyCost,
  briberyTarget,
  coalition,
  detection,
  deterredProfit,
  deterringStake,
  effectiveDetection,
  insuranceCover,
  largestFairShare,
  leastPrice,
  lockCost,
  malice,
  type Redundancy,
  recoversFrom,
  registrationStake,
  reputationFactor,
  reward,
  sybilCost,
  treasurySides,
} from "../../orchestrator/rules/deterrence.ts";
import { escalationThreshold, escalationWindow } from "../../orchestrator/rules/escalation.ts";
import { fairnessOf } from "../../orchestrator/rules/fairness.ts";
import { PAPER_TABLE, paperAlert, paperFreeze } from "../watchdog/false-alarms.ts";

/** One printed figure. */
export interface Figure {
  /** Table, equation or passage of the paper. */
  readonly where: string;
  readonly what: string;
  readonly paper: number;
  /** Unit of the last printed digit: rounding explains a difference of half of it. */
  readonly digit: number;
  readonly ours: number;
  /** Why the paper's figure does not follow from its formula. */
  readonly differs?: string;
}

/** Whether rounding explains the difference. */
export const agrees = ({ paper, ours, digit }: Figure): boolean => Math.abs(paper - ours) <= digit / 2 + 1e-9;

/** Default assumptions of the paper's tables. */
export const PAPER = {
  redundancy: { executors: 3, agreeing: 2, notices: 0.5, correlation: 0 },
  /** π as the tables use it, rounded. */
  malice: 0.12,
  openness: { unstaked: 0.9, registration: 1000, scale: 500 },
  slashed: 0.33,
  missionValue: 100_000,
  quorum: 7,
  /** δ: share of a mission's value that one task of a risk tier allows an executor to take. */
  taken: { LOW: 0.075, MEDIUM: 0.25, HIGH: 1 },
  /** Dollars for one unit of stake at the paper's prices of ether and gas. */
  dollars: 0.0025,
  etherDollars: 2500,
  adjudicatorUnits: 5000,
} as const;

const NOTICES = { pessimistic: 0.33, moderate: 0.5, optimistic: 0.67 } as const;
const FEES = { protocol: 0.02, insurance: 0.01 } as const;

/** Minimum and maximum probability that an attack is detected, by tier (Table 12). */
export const DETECTION_BY_TIER = [
  {
    attack: "output substitution",
    tiers: [
      [1, 1],
      [1, 1],
      [1, 1],
    ],
  },
  {
    attack: "subtle semantic manipulation",
    tiers: [
      [0, 0],
      [0.33, 0.67],
      [0.7, 0.9],
    ],
  },
  {
    attack: "gas or resource manipulation",
    tiers: [
      [0, 0],
      [0, 0],
      [0.2, 0.4],
    ],
  },
  {
    attack: "timing manipulation",
    tiers: [
      [0, 0],
      [0.67, 0.67],
      [0.9, 1],
    ],
  },
] as const;

const at = (more: Partial<Redundancy> = {}): Redundancy => ({ ...PAPER.redundancy, ...more });
const noticed = (more: Partial<Redundancy> = {}, malicious: number = PAPER.malice) => effectiveDetection(at(more), malicious);

/** The stake of EQ-5; the tables have no class that cannot be deterred. */
function stakeFor(value: number, detected: number = noticed()): number {
  const answer = deterringStake(value, detected, PAPER.slashed);
  return answer.deterrable ? answer.stake : Number.POSITIVE_INFINITY;
}

/** A figure without its source, and optionally why it does not follow. */
type Plain = readonly [what: string, paper: number, digit: number, ours: number];
type Line = Plain | readonly [what: string, paper: number, digit: number, ours: number, differs?: string];
const lines = (where: string, rows: readonly Line[]): Figure[] =>
  rows.map(([what, paper, digit, ours, differs]) => ({ where, what, paper, digit, ours, ...(differs === undefined ? {} : { differs }) }));

function table12(): Figure[] {
  const least = (tier: 0 | 1 | 2) => Math.min(...DETECTION_BY_TIER.map(({ tiers }) => tiers[tier][0]));
  const why = "the table has 0 for gas or resource manipulation under type 2; 0.33 is the least of the other rows";
  return lines("Table 12", [
    ["least detection, type 1", 0, 0.01, least(0)],
    ["least detection, type 2", 0.33, 0.01, least(1), why],
    ["least detection, type 3", 0.2, 0.01, least(2)],
  ]);
}

function equation2(): Figure[] {
  const printed = [
    [0, [0.699, 0.875, 0.964]],
    [1, [0.551, 0.75, 0.891]],
    [2, [0, 0, 0]],
    [3, [0, 0, 0]],
  ] as const;
  const chances = Object.values(NOTICES);
  return printed.flatMap(([c, row]) =>
    lines(
      "EQ-2",
      row.map(
        (paper, place): Line => [
          `P₂ with ${c} colluding, p = ${chances[place]}`,
          paper,
          0.001,
          detection(c, at({ notices: chances[place] ?? 0 })),
        ],
      ),
    ),
  );
}

function table13(): Figure[] {
  const printed = [
    [0, 0.875, 0.75, 0.805, 376_259],
    [0.1, 0.838, 0.725, 0.773, 392_094],
    [0.2, 0.8, 0.7, 0.74, 409_320],
    [0.3, 0.762, 0.675, 0.708, 428_129],
    [0.5, 0.688, 0.625, 0.643, 471_458],
    [1, 0.5, 0.5, 0.48, 631_145],
  ] as const;
  return printed.flatMap(([correlation, alone, one, effective, stake]) => {
    const redundancy = at({ correlation });
    return lines("Table 13", [
      [`P₂ with 0 colluding, ρ = ${correlation}`, alone, 0.001, detection(0, redundancy)],
      [`P₂ with 1 colluding, ρ = ${correlation}`, one, 0.001, detection(1, redundancy)],
      [`P_eff, ρ = ${correlation}`, effective, 0.001, noticed({ correlation })],
      [`stake, ρ = ${correlation}`, stake, 1, stakeFor(PAPER.missionValue, noticed({ correlation }))],
    ]);
  });
}

function table14(): Figure[] {
  const printed = [
    [3, 2, 0.805, 376_259, 1_128_778, 1],
    [5, 3, 0.934, 324_293, 972_878, 1.67],
    [7, 4, 0.978, 309_819, 929_456, 2.33],
  ] as const;
  return printed.flatMap(([executors, agreeing, effective, once, thrice, cost]) => {
    const found = noticed({ executors, agreeing });
    const stake = stakeFor(PAPER.missionValue, found);
    return lines("Table 14", [
      [`P_eff, ${agreeing} of ${executors}`, effective, 0.001, found],
      [`stake, ${agreeing} of ${executors}`, once, 1, stake],
      [`three times, ${agreeing} of ${executors}`, thrice, 1, 3 * stake],
      [`cost of ${executors} against 3`, cost, 0.01, executors / 3],
    ]);
  });
}

function equation3(): Figure[] {
  return [
    ...lines("π", [["share that would collude", 0.12, 0.01, malice(PAPER.openness)]]),
    ...lines(
      "EQ-3",
      [0.681, 0.279, 0.038, 0.002].map((paper, c): Line => [`coalition of ${c}`, paper, 0.001, coalition(c, 3, PAPER.malice)]),
    ),
  ];
}

const SCALES = [250, 500, 750, 1000, 1500, 2000] as const;
function table15(): Figure[] {
  const printed = [
    [0.5, [0.871, 0.842, 0.796, 0.751, 0.678, 0.627]],
    [0.7, [0.87, 0.824, 0.751, 0.678, 0.562, 0.483]],
    [0.8, [0.869, 0.814, 0.725, 0.637, 0.5, 0.409]],
    [0.9, [0.868, 0.804, 0.699, 0.595, 0.437, 0.335]],
    [0.95, [0.868, 0.799, 0.685, 0.574, 0.406, 0.299]],
  ] as const;
  const open = (unstaked: number, scale: number) => noticed({}, malice({ unstaked, registration: 1000, scale }));
  const rows = printed.flatMap(([unstaked, row]) =>
    row.map((paper, place): Line => {
      const scale = SCALES[place] ?? 0;
      const line: Plain = [`P_eff, π₀ = ${unstaked}, scale ${scale}`, paper, 0.001, open(unstaked, scale)];
      return unstaked === 0.5 && scale === 500 ? [...line, "0.84148 rounds to 0.841"] : line;
    }),
  );
  const doubled = stakeFor(PAPER.missionValue, open(0.9, 1000));
  return lines("Table 15", [
    ...rows,
    ["stake at scale 1,000", 509_119, 1, doubled],
    [
      "its change from scale 500, percent",
      -35,
      1,
      100 * (doubled / stakeFor(PAPER.missionValue) - 1),
      "the stake rises: the sign is wrong",
    ],
  ]);
}

function equation4(): Figure[] {
  const profit = deterredProfit(150, noticed(), PAPER.slashed);
  const dollars = (units: number) => units * PAPER.dollars;
  const effective = [
    ["pessimistic", 0.63, 480_887],
    ["moderate", 0.805, 376_259],
    ["optimistic", 0.905, 334_690],
  ] as const;
  return [
    ...lines(
      "P_eff by p",
      effective.flatMap(([name, found, stake]): Line[] => [
        [`P_eff, ${name}`, found, 0.001, noticed({ notices: NOTICES[name] })],
        [`stake, ${name}`, stake, 1, stakeFor(PAPER.missionValue, noticed({ notices: NOTICES[name] }))],
      ]),
    ),
    ...lines("Stakes in dollars", [
      ["LOW, 150 units", 0.38, 0.01, dollars(150)],
      ["MEDIUM, 500 units", 1.25, 0.01, dollars(500)],
      ["HIGH, 2,000 units", 5, 0.01, dollars(2000)],
      ["registration, 1,000 units", 2.5, 0.01, dollars(1000)],
    ]),
    ...lines("EQ-4", [
      ["deterred profit of 150 units, units", 39.8, 0.1, profit, "39.867 rounds to 39.9; 39.8 is cut off"],
      ["the same, dollars", 0.1, 0.01, dollars(profit)],
    ]),
    ...lines("Sybils", [
      ["50 identities, units", 50_000, 1, sybilCost(50, 0, 1000, 0)],
      ["5 identities, 10 LOW tasks, units", 6500, 1, sybilCost(5, 10, 1000, 150)],
      ["the same, dollars", 16.25, 0.01, dollars(sybilCost(5, 10, 1000, 150))],
    ]),
  ];
}

function equations5to8(): Figure[] {
  const { missionValue: value, quorum, taken } = PAPER;
  const by = Object.entries(NOTICES).map(([name, notices]) => ({ name, found: noticed({ notices }) }));
  const multiple = [4.81, 3.76, 3.35];
  const stakes = { HIGH: [480_887, 376_259, 334_690], MEDIUM: [120_222, 94_065, 83_672], LOW: [36_067, 28_219, 25_102] } as const;
  const five = stakeFor(value, noticed({ executors: 5, agreeing: 3 }));
  return [
    ...lines(
      "EQ-5",
      by.map(({ name, found }, place): Line => [`stake for a value of one, ${name}`, multiple[place] ?? 0, 0.01, stakeFor(1, found)]),
    ),
    ...lines(
      "EQ-5, worked",
      (["HIGH", "MEDIUM", "LOW"] as const).flatMap((tier) =>
        by.map(({ name, found }, place): Line => [`${tier}, ${name}`, stakes[tier][place] ?? 0, 1, taken[tier] * stakeFor(value, found)]),
      ),
    ),
    ...lines("EQ-4, checked", [["stake · P_eff · slash", 100_000, 1, deterredProfit(stakeFor(value), noticed(), PAPER.slashed)]]),
    ...lines("EQ-6", [["registration", 10_000, 1, registrationStake(value)]]),
    ...lines("EQ-7", [
      ["adjudicator", 14_286, 1, adjudicatorStake(value, quorum)],
      ["bribery, in mission values", 0.71, 0.01, briberyCost(quorum, adjudicatorStake(value, quorum)) / value],
    ]),
    ...lines("Locking", [["HIGH stake, one day, 5 %", 52, 1, lockCost(stakeFor(value), 0.05, 1)]]),
    ...lines("EQ-8", [
      ["k = 3, one day, 10 %", 103, 1, lockCost(stakeFor(value), 0.1, 1)],
      ["k = 5, one day, 10 %", 89, 1, lockCost(five, 0.1, 1)],
    ]),
  ];
}

function table16(): Figure[] {
  const { missionValue: value, quorum, taken, dollars } = PAPER;
  const high = stakeFor(value);
  const seat = adjudicatorStake(value, quorum);
  const ether = (usd: number) => usd / PAPER.etherDollars;
  const cut = "Table 14 has 1,128,778: here the rounded stake was multiplied";
  const target = "the table multiplies by all 7 seats; Table 18 and EQ-7 by the 5 that decide";
  return lines("Table 16", [
    ["registration, production, ether", 4, 0.1, ether(registrationStake(value))],
    ["LOW, production, ether", 11.3, 0.1, ether(taken.LOW * high)],
    ["MEDIUM, production, ether", 37.6, 0.1, ether(taken.MEDIUM * high)],
    ["HIGH, production, ether", 150.5, 0.1, ether(high)],
    ["adjudicator, production, ether", 5.71, 0.01, ether(seat)],
    ["registration, three times, ether", 12, 0.1, ether(3 * registrationStake(value))],
    ["LOW, three times, ether", 33.9, 0.1, ether(3 * taken.LOW * high)],
    ["MEDIUM, three times, ether", 112.9, 0.1, ether(3 * taken.MEDIUM * high)],
    ["HIGH, three times, ether", 451.5, 0.1, ether(3 * high)],
    ["adjudicator, three times, ether", 17.1, 0.1, ether(3 * seat)],
    ["registration, three times", 30_000, 1, 3 * registrationStake(value)],
    ["LOW, three times", 84_658, 1, 3 * taken.LOW * high],
    ["MEDIUM, three times", 282_194, 1, 3 * taken.MEDIUM * high, "three times 94,064.84 is 282,194.5; it was cut off"],
    ["HIGH, three times", 1_128_776, 1, 3 * high, cut],
    ["adjudicator, three times", 42_857, 1, 3 * seat],
    ["ten Sybils, prototype, dollars", 25, 1, dollars * sybilCost(10, 0, 1000, 0)],
    ["ten Sybils, production", 100_000, 1, sybilCost(10, 0, registrationStake(value), 0)],
    ["ten Sybils, three times", 300_000, 1, 3 * sybilCost(10, 0, registrationStake(value), 0)],
    ["bribery, prototype at 100 units a seat, dollars", 1.75, 0.01, dollars * briberyCost(quorum, 100), target],
    ["bribery, production", 100_000, 1, briberyCost(quorum, seat), target],
    ["bribery, three times", 300_000, 1, 3 * briberyCost(quorum, seat), target],
    ["adjudicator, prototype, units", 100, 1, PAPER.adjudicatorUnits, "100 units here; 5,000 in AgentCity B.12 and Table 17"],
  ]);
}

const BIDS = [
  [0.01, 1000, [1.61, 1.37, 1.19]],
  [0.01, 10_000, [5.33, 4.53, 3.94]],
  [0.01, 100_000, [42.47, 36.1, 31.39]],
  [0.02, 1000, [1.63, 1.39, 1.2]],
  [0.02, 10_000, [5.38, 4.58, 3.98]],
  [0.02, 100_000, [42.91, 36.47, 31.71]],
  [0.03, 1000, [1.65, 1.4, 1.22]],
  [0.03, 10_000, [5.44, 4.62, 4.02]],
  [0.03, 100_000, [43.35, 36.85, 32.04]],
] as const;
const REPUTATIONS = [200, 500, 800] as const;

function tableS1(): Figure[] {
  const least = (detected: number, protocol: number, value: number, reputation: number) =>
    leastPrice(lockCost(stakeFor(value, detected), 0.1, 8 / 24), 1, { protocol, insurance: 0.01 }, reputationFactor(reputation, 0.5));
  const rows = BIDS.flatMap(([protocol, value, row]) =>
    row.map((paper, place): Line => {
      const rho = REPUTATIONS[place] ?? 0;
      const line: Plain = [`fee ${protocol}, value ${value}, ρ = ${rho}`, paper, 0.01, least(noticed(), protocol, value, rho)];
      const rounded = agrees({ where: "", what: "", paper, digit: 0.01, ours: least(0.805, protocol, value, rho) });
      return agrees({ where: "", what: "", paper, digit: 0.01, ours: line[3] }) || !rounded
        ? line
        : [...line, "the table has P_eff rounded to 0.805"];
    }),
  );
  const locked = (value: number) => lockCost(stakeFor(value), 0.1, 8 / 24);
  return lines("Table S1", [
    ...rows,
    ["lower price at ρ 800 than at 200, percent", 26, 1, 100 * (1 - reputationFactor(200, 0.5) / reputationFactor(800, 0.5))],
    ["locking at a value of 1,000", 0.34, 0.01, locked(1000)],
    ["locking against work at 100,000, times", 34, 1, locked(100_000)],
  ]);
}

/** What a Tier 3 review is paid in the paper's month. */
const REVIEW = { units: 50, dollars: 0.25 } as const;

function equations9to12(): Figure[] {
  const neutral = reward(1, FEES, reputationFactor(500, 0.5));
  const trusted = reward(1, FEES, reputationFactor(800, 0.5));
  const stake = 4700;
  const premium = (alpha: number) => 100 * 8 * reward(1250, FEES, reputationFactor(700, alpha)).treasury;
  const slashed = 100 * 0.05 * 8 * stake * PAPER.slashed;
  const month = {
    fees: 100 * 10_000 * FEES.protocol,
    slashed,
    adjudicators: 10 * REVIEW.units * REVIEW.dollars,
    insurancePayouts: 5 * 300,
    gasSubsidies: 20 * 5,
    premiums: premium(0.5),
  };
  const sides = treasurySides(month);
  const frugal = treasurySides({ ...month, premiums: premium(0.25) });
  return [
    ...lines(
      "ψ(ρ)",
      [
        [0, 0.75],
        [500, 1],
        [800, 1.15],
        [1000, 1.25],
      ].map(([rho = 0, paper = 0]): Line => [`ρ = ${rho}`, paper, 0.01, reputationFactor(rho, 0.5)]),
    ),
    ...lines("EQ-9", [
      ["reward at ρ 500, of the price", 0.97, 0.0001, neutral.escrow + neutral.treasury],
      ["reward at ρ 800, of the price", 1.1155, 0.0001, trusted.escrow + trusted.treasury],
    ]),
    ...lines("EQ-11, a month", [
      ["fees", 20_000, 1, month.fees],
      ["half of what is slashed", 31_020, 1, slashed / 2],
      ["inflow", 51_020, 1, sides.inflow],
      ["ten reviews", 125, 1, month.adjudicators],
      ["a unit in them, dollars", REVIEW.dollars, 0.0001, PAPER.dollars, "every other passage has a unit at 0.0025"],
      ["insurance payouts", 1500, 1, month.insurancePayouts],
      ["gas subsidies", 100, 1, month.gasSubsidies],
      ["premiums", 97_000, 1, month.premiums],
      ["outflow", 98_725, 1, sides.outflow],
      ["balance", -47_705, 1, sides.inflow - sides.outflow],
      ["premiums at α = 0.25", 48_500, 1, premium(0.25)],
      ["balance at α = 0.25", 795, 1, frugal.inflow - frugal.outflow],
    ]),
    ...lines("EQ-12", [
      ["pool after 20 missions", 2000, 1, 20 * 10_000 * FEES.insurance],
      ["expected claims", 500, 1, 20 * 0.05 * 500],
      ["times the expected claims", 4, 0.1, insuranceCover(2000, 1, 500)],
    ]),
    ...lines("AgentCity B.8", [
      ["adversarial failures a round", 0.13, 0.01, 200 * 0.1 * PAPER.slashed * (8 / 200), "the product is 0.264, twice that"],
      ["events in 72 rounds", 3.6, 0.1, 72 * 0.05],
      ["pool after 72 rounds, an agent", 9, 1, (72 * 200 * FEES.insurance * 1250) / 200, "the product is 900"],
    ]),
  ];
}

function bribery(): Figure[] {
  const units = [
    [3, 2, 10_000, 25],
    [5, 4, 20_000, 50],
    [7, 5, 25_000, 62.5],
    [9, 6, 30_000, 75],
    [13, 9, 45_000, 112.5],
  ] as const;
  const production = [
    [3, 33_333, 66_667, 66.7],
    [5, 20_000, 80_000, 80],
    [7, 14_286, 71_429, 71.4],
    [9, 11_111, 66_667, 66.7],
    [13, 7692, 69_231, 69.2],
  ] as const;
  const { missionValue: value, adjudicatorUnits, dollars } = PAPER;
  return [
    ...units.flatMap(([quorum, target, cost, usd]) =>
      lines("Table 17", [
        [`quorum ${quorum}: target`, target, 1, briberyTarget(quorum)],
        [`quorum ${quorum}: units`, cost, 1, briberyCost(quorum, adjudicatorUnits)],
        [`quorum ${quorum}: ether`, cost / 1_000_000, 0.001, (dollars * briberyCost(quorum, adjudicatorUnits)) / PAPER.etherDollars],
        [`quorum ${quorum}: dollars`, usd, 0.01, dollars * briberyCost(quorum, adjudicatorUnits)],
      ]),
    ),
    ...production.flatMap(([quorum, seat, cost, percent]) => {
      const stake = adjudicatorStake(value, quorum);
      return lines("Table 18", [
        [`quorum ${quorum}: a seat`, seat, 1, stake],
        [`quorum ${quorum}: cost`, cost, 1, briberyCost(quorum, stake)],
        [`quorum ${quorum}: percent of the mission`, percent, 0.1, (100 * briberyCost(quorum, stake)) / value],
      ]);
    }),
  ];
}

function fairness(): Figure[] {
  const share = (producers: number, paper: number, differs?: string): Line => {
    const line: Plain = [`largest share among ${producers}`, paper, 0.01, largestFairShare(producers, 600)];
    return differs === undefined ? line : [...line, differs];
  };
  const worked = fairnessOf([3, 2], 2);
  return lines("Fairness", [
    ["score of shares 3/5 and 2/5", 780, 1, worked, "HHI is 0.52 and its least 0.5: 960"],
    ["largest share among 2", 0.816, 0.001, largestFairShare(2, 600)],
    share(5, 0.72, "0.706 follows"),
    share(10, 0.68, "0.669 follows"),
    share(15, 0.63, "0.657 follows; 0.632 is the limit of many producers"),
  ]);
}

function recovery(): Figure[] {
  const least = (bribed: number): number => [3, 4, 5, 6, 7, 8].find((quorum) => recoversFrom(bribed, quorum)) ?? 0;
  return lines("Recovery", [["least quorum with two bribed", 7, 1, least(2)]]);
}

function watchdog(): Figure[] {
  const why = "does not follow from a run of twenty (npm run watchdog)";
  return lines(
    "Watchdog",
    PAPER_TABLE.flatMap(({ baseline, alert, freeze }): Line[] => {
      const line = (what: string, paper: number, digit: number, ours: number): Line =>
        agrees({ where: "", what, paper, digit, ours }) ? [what, paper, digit, ours] : [what, paper, digit, ours, why];
      return [
        line(`alerts at ${baseline}, percent`, alert, alert < 1 ? 0.001 : alert < 10 ? 0.01 : 0.1, 100 * paperAlert(baseline)),
        ...(freeze === undefined
          ? []
          : [line(`freezes at ${baseline}, percent`, freeze, freeze < 1 ? 0.001 : 0.01, 100 * paperFreeze(baseline))]),
      ];
    }),
  );
}

/** Gas in thousands and transactions of a mission, as the paper estimates them. */
const ESTIMATED = {
  /** Authorisation, confirmation, submission, verification, Guardian, gate. */
  node: 45 + 45 + 50 + 55 + 40 + 42,
  deployment: 280,
  anchor: 100,
  finalisation: 60,
} as const;

function hybrid(): Figure[] {
  const { node, deployment, anchor, finalisation } = ESTIMATED;
  const onChain = (nodes: number) => nodes * node + deployment + finalisation;
  const anchored = (anchors: number) => deployment + anchors * anchor + finalisation;
  const transactions = { onChain: 36, hybrid: 5 };
  return lines("Hybrid mode", [
    ["transactions against those on chain, 8 nodes", 0.14, 0.01, transactions.hybrid / transactions.onChain],
    ["times fewer transactions", 7, 1, transactions.onChain / transactions.hybrid],
    ["thousand gas on chain, 8 nodes", 2556, 1, onChain(8)],
    ["thousand gas, 8 nodes", 740, 1, anchored(4)],
    ["gas against that on chain, 8 nodes", 0.29, 0.01, anchored(4) / onChain(8)],
    ["times less gas, 8 nodes", 3.5, 0.1, onChain(8) / anchored(4)],
    ["thousand gas on chain, 100 nodes", 28_040, 1, onChain(100)],
    ["thousand gas, 100 nodes", 1340, 1, anchored(10)],
    ["gas against that on chain, 100 nodes", 0.048, 0.001, anchored(10) / onChain(100)],
    ["times less gas, 100 nodes", 20.9, 0.1, onChain(100) / anchored(10)],
    ["nodes between anchors, 0.2 a second, 10 s", 2, 1, 0.2 * 10],
    ["nodes between anchors, 0.5 a second, 60 s", 30, 1, 0.5 * 60],
  ]);
}

function escalation(): Figure[] {
  const [base, bonus, window] = [3n, 3n, 20n];
  return lines("Escalation", [
    ...[
      [0, 3],
      [500, 4],
      [900, 5],
      [1000, 6],
    ].map(([rho = 0, paper = 0]): Line => [`freezes at ρ = ${rho}`, paper, 1, Number(escalationThreshold(base, bonus, BigInt(rho)))]),
    ...[20, 40, 80].map(
      (paper, cleared): Line => [`window after ${cleared} stops, minutes`, paper, 1, Number(escalationWindow(window, BigInt(cleared)))],
    ),
  ]);
}

/** A backdoor in a codified law, if Codifier and compiler are both taken: what the audit's last step overlooks. */
function backdoor(): Figure[] {
  return lines("AgentCity A.7", [
    ["survives the audit, at least", 0.5, 0.01, 1 - 0.5],
    ["survives the audit, at most", 0.7, 0.01, 1 - 0.3],
  ]);
}

/** Power of H2h, and how far a bloc of one ranking lies from voters who rank by lot. */
function blocs(): Figure[] {
  const seeds = 10;
  const corrected = 0.05 / 6;
  const critical = criticalHits(seeds, 0.5, corrected) ?? seeds + 1;
  const power = (rate: number) => 100 * binomialAtLeast(critical, seeds, rate);
  /** Kendall's τ between rankings of m drawn by lot. */
  const deviation = (m: number) => Math.sqrt((2 * (2 * m + 5)) / (9 * m * (m - 1)));
  const why = `${critical} of ${seeds} blocs must be found: nine have p = 0.0107, above 0.05/6`;
  return lines("AgentCity 4", [
    ["power of H2h at CDR 0.90, percent", 80, 1, power(0.9), why],
    ["power of H2h at CDR 0.80, percent", 55, 1, power(0.8), why],
    ["equal rankings, m = 5, deviations from chance", 2.4, 0.1, 1 / deviation(5)],
    ["equal rankings, m = 20, deviations from chance", 6, 1, 1 / deviation(20)],
  ]);
}

/** Every figure, in the paper's order. */
export function figures(): Figure[] {
  return [
    ...blocs(),
    ...table12(),
    ...equation2(),
    ...table13(),
    ...table14(),
    ...equation3(),
    ...table15(),
    ...equation4(),
    ...equations5to8(),
    ...table16(),
    ...equations9to12(),
    ...tableS1(),
    ...bribery(),
    ...recovery(),
    ...watchdog(),
    ...fairness(),
    ...hybrid(),
    ...escalation(),
    ...backdoor(),
  ];
}
