import type { Outcome } from "../../orchestrator/protocol/outcome.ts";

const hash = (digit: string): `0x${string}` => `0x${digit.repeat(64)}`;
const NOTHING = { part: 0, whole: 0 };
const MISSION = `0x${"a1".repeat(20)}`;

/** 300.00 were deposited, 120.00 came back. */
export const MONEY: Outcome["money"] = {
  deposit: "300000000",
  paid: "170000000",
  fees: "6000000",
  insurance: "4000000",
  discount: "0",
  refunded: "120000000",
  children: "0",
  subsidy: "1000000",
};

type Node = Outcome["nodes"][number];

export function executor(agent: string, service: string, more: Partial<Node["executors"][number]> = {}): Node["executors"][number] {
  return { agent, service, attempt: 1, price: "10000000", paid: "9000000", result: "agreed", fault: null, slashed: "0", ...more };
}

export function node(label: string, more: Partial<Node> = {}): Node {
  return {
    label,
    task: label.replace(/-\d+$/, ""),
    state: "COMPLETED",
    end: "done",
    tier: 1,
    gas: 100_000,
    attempts: 1,
    class: "ATT",
    executors: [executor("P1", "fetch-and-parse")],
    failures: [],
    dissent: 0,
    disagreement: null,
    output: { file: "blocks/bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku", items: 3 },
    ...more,
  };
}

/** An order that went well, with one item on which three classifiers differ; `more` replaces fields. */
export function outcomeLike(more: Partial<Outcome> = {}): Outcome {
  const money = more.money ?? MONEY;
  return {
    status: "completed",
    name: "small-notes",
    goal: "Sort three notes by topic.",
    input: { kind: "files", items: 3, unreadable: { count: 0, first: [] } },
    network: "embedded L2",
    chainId: 31337,
    seed: "7",
    session: "1",
    mission: MISSION,
    law: {
      producers: 8,
      principals: 4,
      candidates: [
        { entry: 0, letter: "no law", title: "no law", specHash: hash("0"), proposer: "", sponsors: 0 },
        { entry: 1, letter: "A", title: "2 shards, 3 classifiers", specHash: hash("1"), proposer: "P1", sponsors: 2 },
        { entry: 2, letter: "B", title: "1 shard, 3 classifiers", specHash: hash("2"), proposer: "P2", sponsors: 2 },
      ],
      lawHash: hash("3"),
      fidelity: true,
      past: [],
    },
    ballots: ["P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8"].map((agent) => ({ agent, ranking: [1, 2, 0] })),
    pairwise: [
      [0, 0, 0],
      [8, 0, 8],
      [8, 0, 0],
    ],
    winner: { entry: 1, letter: "A", title: "2 shards, 3 classifiers" },
    metrics: {
      turnout: { part: 8, whole: 8 },
      lpr: { part: 8, whole: 8 },
      dsi: NOTHING,
      msr: NOTHING,
      pvrr: NOTHING,
      cfr: NOTHING,
      dvr: NOTHING,
    },
    execution: { ccr: NOTHING, gar: NOTHING, grr: NOTHING, aru: NOTHING },
    market: { tasks: 3, bids: 9, fairness: 968, minFairness: 600, stakeLocked: "2500000000" },
    nodes: [
      node("read"),
      node("topics", {
        tier: 2,
        class: "REC",
        executors: [
          executor("P2", "by-title"),
          executor("P3", "by-words"),
          executor("P4", "by-length", { result: "dissented", paid: "0" }),
        ],
        dissent: 1,
        disagreement: {
          field: "label",
          share: 10_000,
          needed: 8_500,
          compared: 3,
          differing: 1,
          first: [
            {
              id: "notes/a.md",
              answers: [
                { by: "by-title (P2)", value: "access" },
                { by: "by-words (P3)", value: "access" },
                { by: "by-length (P4)", value: "storage" },
              ],
              chosen: "access",
            },
          ],
        },
      }),
      node("report", { tier: 3, executors: [executor("P5", "aggregate")] }),
    ],
    excluded: [],
    epochs: [{ epoch: 0, session: "1", mission: MISSION, status: more.status ?? "completed", cause: null, money }],
    children: [],
    hybrid: null,
    human: [{ node: "report", action: "approved", adjudicator: "adjudicator-2", simulated: true, because: "SIMULATED: all is there" }],
    settlement: { appealWindow: 3600, advancedClock: true, closed: true },
    money,
    total: money,
    slashed: "0",
    gasByStage: [{ stage: "legislate", transactions: 31, gas: 4_132_516 }],
    reputations: [{ agent: "P1", before: 500, after: 595 }],
    failure: null,
    released: true,
    format: "markdown",
    report: `missions/${MISSION}/report.md`,
    bundle: `missions/${MISSION}`,
    finalBlock: { number: 233, hash: hash("4") },
    ...more,
  };
}
