import { keccak256, stringToHex } from "viem";
import type { CityFacts, Goal, GoalService, GoalTask } from "../../orchestrator/minds/goal.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";

/** Ten levels, the named dimensions set. */
export function levels(set: Readonly<Record<number, number>>): number[] {
  return Array.from({ length: 10 }, (_, dimension) => set[dimension] ?? 0);
}

export function address(number: number): Address {
  return `0x${number.toString(16).padStart(40, "0")}`;
}

/** A service by its name: its code and schemas are its own. */
function serviceNamed(name: string, capabilities: readonly number[]): GoalService {
  return { name, capabilities, code: keccak256(stringToHex(`code of ${name}`)), schema: keccak256(stringToHex(`schemas of ${name}`)) };
}

const parse: GoalTask = {
  name: "parse",
  tier: 1,
  services: [serviceNamed("fetch-and-parse", levels({ 0: 60, 1: 120, 7: 40 }))],
  overInput: true,
  perItem: true,
  after: [],
};
const classify: GoalTask = {
  name: "classify",
  tier: 2,
  services: ["licence-by-spdx", "licence-by-text", "licence-by-headings"].map((name) => serviceNamed(name, levels({ 2: 110, 7: 60 }))),
  overInput: false,
  perItem: true,
  after: ["parse"],
};
const report: GoalTask = {
  name: "report",
  tier: 3,
  services: [serviceNamed("aggregate", levels({ 4: 100, 7: 40 }))],
  overInput: false,
  perItem: false,
  after: ["classify"],
};

/** The default mission as agents see it. */
export const defaultGoal: Goal = {
  text: "Audit the licences.",
  tasks: [parse, classify, report],
  budget: 1_200_000_000n,
  risk: "MEDIUM",
  items: 675,
  duration: 1_800,
};

/** Eight producers of four principals, unlike each other in what they can do. */
export function cityFacts(seed = 1, producers = 8, principals = 4): CityFacts {
  const stream = randomStream(seed, "capabilities");
  return {
    producers: Array.from({ length: producers }, (_, index) => ({
      agent: address(1 + index),
      principal: address(101 + (index % principals)),
      reputation: 500,
      capabilities: Array.from({ length: 10 }, () => 32_000 + stream.int(20_000)),
    })),
    verifiers: 5,
    limits: {
      edition: 0,
      maxNodeTimeout: 60,
      minReview: 300,
      maxReview: 3_600,
      maxDuration: 2_592_000,
      minFloor: ["SIGN", "WIT", "ATT"],
      minPanel: [1, 3, 5],
      minBand: ["LOW", "MODERATE", "ELEVATED"],
      minRedundancy: [2, 3, 5],
      jaccardThreshold: 85,
      numericTolerance: 5,
      mediumRiskFrom: 1_000_000_000n,
      highRiskFrom: 10_000_000_000n,
    },
  };
}
