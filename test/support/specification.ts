import { MISSION_CONTEXT } from "../../orchestrator/protocol/mission-context.ts";
import type { MissionDocument } from "../../orchestrator/protocol/mission-document.ts";
import { levels } from "./goals.ts";
import { hashOf } from "./living-city.ts";

/** One node that works through the input. */
export const parseNode: MissionDocument["nodes"][number] = {
  number: 0,
  label: "parse-1",
  task: "parse",
  shard: { from: 0, to: 10 },
  services: ["fetch-and-parse"],
  admits: [{ code: hashOf("code"), schema: hashOf("schemas") }],
  after: [],
  tier: 1,
  redundancy: 1,
  threshold: 1,
  agree: null,
  risk: "LOW",
  floor: "ATT",
  questions: ["PERFORMANCE"],
  band: "LOW",
  panelSize: 1,
  timeout: 60,
  reviewWindow: 300,
  budget: "1000",
  predicate: 0,
  capabilities: levels({ 1: 120 }),
};

/** One that compares, and one that a human signs. */
export const reportNode: MissionDocument["nodes"][number] = {
  ...parseNode,
  number: 1,
  label: "report",
  task: "report",
  shard: null,
  after: [0],
  tier: 3,
  agree: { on: "label", atLeastBps: 8_500 },
  floor: "REC",
  questions: ["PERFORMANCE", "POLICY"],
  band: "ELEVATED",
  risk: "MEDIUM",
  panelSize: 3,
  budget: "2000",
};

/** A specification in which every key occurs. */
export const specification: MissionDocument = {
  "@context": MISSION_CONTEXT,
  "@type": "MissionSpecification",
  name: "two-steps",
  goal: "Parse, then report.",
  title: "1 shard",
  risk: "MEDIUM",
  budget: "3000",
  duration: 1_800,
  input: { kind: "csv", count: 10, digest: hashOf("items") },
  nodes: [parseNode, reportNode],
  output: { task: "report", format: "markdown" },
  predicates: ["every-input-covered", { maxBytes: 2_000_000 }],
  outputPredicate: 0,
  anchorInterval: 60,
};
