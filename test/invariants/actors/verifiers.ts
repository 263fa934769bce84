/** Verifiers and issuers: verdicts of every kind on bases of every quality. */
import { networkHelpers } from "../../support/city-fixture.ts";
import { NodeState, Result } from "../../support/mission-fixture.ts";
import type { NodeMove } from "../move.ts";

const { PENDING_VERIFICATION, EXECUTING, FROZEN } = NodeState;
const suits = [PENDING_VERIFICATION];

export const VERIFIERS: readonly NodeMove[] = [
  { name: "clear", suits, weight: 10, act: (m, node, { random }) => m.clear(node, { score: 10_000 - random.int(3000) }) },
  { name: "clear on ice", suits: [FROZEN], weight: 2, act: (m, node) => m.clear(node) },
  { name: "clear on all items", suits, weight: 4, act: async (m, node) => m.clear(node, { basis: (await m.bases(node)).all }) },
  {
    name: "clear on some items",
    suits,
    weight: 2,
    act: async (m, node, { random }) => {
      const { all } = await m.bases(node);
      const mask = BigInt(`0x${Buffer.from(random.bytes(32)).toString("hex")}`);
      return m.clear(node, { basis: all & mask });
    },
  },
  {
    name: "clear without proofs",
    suits,
    weight: 3,
    act: async (m, node) => m.clear(node, { unproven: true, basis: (await m.bases(node)).all }),
  },
  {
    name: "clear with any proof",
    suits,
    weight: 3,
    act: async (m, node) => m.clear(node, { reckless: true, basis: (await m.bases(node)).all }),
  },
  { name: "clear on nothing", suits, weight: 2, act: (m, node) => m.clear(node, { basis: 0n }) },
  { name: "condemn", suits, weight: 2, act: (m, node) => m.clear(node, { result: Result.FAIL }) },
  { name: "dispute", suits, weight: 3, act: (m, node) => m.clear(node, { confidence: 1 }) },
  { name: "dissent", suits, weight: 3, act: (m, node) => m.clear(node, { agreeing: 0b101 }) },
  { name: "abstain", suits, weight: 2, act: (m, node) => m.clear(node, { result: Result.ABSTAIN }) },
  {
    name: "absence",
    suits,
    weight: 2,
    act: async (m, node) => {
      await networkHelpers.time.increase(600);
      return m.clear(node, { absent: 1 });
    },
  },
  { name: "clear too early", suits: [EXECUTING], weight: 1, act: (m, node) => m.clear(node) },
  {
    name: "redraw",
    suits,
    weight: 1,
    act: async (m, node, { random }) => {
      if (random.int(3) > 0) return m.contract.redraw(node);
      await networkHelpers.mine(260, { interval: 0 });
      return m.contract.redraw(node);
    },
  },
];
