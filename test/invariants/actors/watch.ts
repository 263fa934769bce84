/** Runners, monitors, anybody and time: what keeps a mission going, and what stops it. */
import { id, ZeroHash } from "ethers";
import { networkHelpers } from "../../support/city-fixture.ts";
import { NodeState, onward } from "../../support/mission-fixture.ts";
import { ANY, type CityMove, type NodeMove, tried } from "../move.ts";

const { WAITING, ELIGIBLE, EXECUTING, PENDING_VERIFICATION, PENDING_REVIEW, FROZEN, COMPLETED, FAILED } = NodeState;

export const WATCH: readonly NodeMove[] = [
  { name: "route", suits: [ELIGIBLE], weight: 10, act: (m, node) => m.route(node) },
  {
    name: "run",
    suits: [ELIGIBLE],
    weight: 8,
    act: async (m, node) => {
      await m.route(node);
      await m.work(node);
      return m.clearSomehow(node);
    },
  },
  { name: "route on", suits: [ELIGIBLE], weight: 3, act: (m, node) => m.contract.route(...onward(node)) },
  { name: "route early", suits: [WAITING, FROZEN], weight: 4, act: (m, node) => m.route(node) },
  {
    name: "mismatch",
    suits: [ELIGIBLE],
    weight: 1,
    act: async (m, node) => m.contract.mismatch(...(await m.otherCode(node))),
  },
  {
    name: "monitor reports",
    suits: [ELIGIBLE, EXECUTING, PENDING_VERIFICATION],
    weight: 2,
    act: async (m, node) => {
      await m.contract.connect(m.city.monitor).report(node, ZeroHash, 1);
      // Nobody stops for that: what is sent on has to be refused.
      for (const slot of [0, 1, 2]) await tried(() => m.commit(node, slot));
      await tried(() => m.clear(node));
    },
  },
  {
    name: "timeout",
    suits: [ELIGIBLE, EXECUTING, PENDING_VERIFICATION, PENDING_REVIEW, FROZEN],
    weight: 2,
    act: (m, node) => m.contract.timeout(node),
  },
  {
    name: "nobody rules",
    suits: [PENDING_REVIEW],
    weight: 1,
    act: async (m, node) => {
      for (const _pool of ["first", "backup"]) {
        await networkHelpers.time.increase(m.node(node).reviewWindow);
        await m.contract.timeout(node);
      }
    },
  },
  { name: "reopen", suits: [FAILED], weight: 6, act: (m, node) => m.contract.reopen(node) },
  { name: "reopen a market", suits: [WAITING, ELIGIBLE], weight: 1, act: (m, node) => m.contract.reopen(node) },
  { name: "record a leaf", suits: ANY, weight: 1, act: (m, node) => m.contract.record(node) },
  { name: "claim", suits: [COMPLETED, FAILED], weight: 6, act: (m, node) => m.contract.claim([node]) },
  { name: "claim all", suits: [COMPLETED], weight: 1, act: (m) => m.contract.claim([...m.nodes.keys()]) },
  { name: "refund", suits: [COMPLETED], weight: 2, act: (m) => m.contract.refund() },
  { name: "abort", suits: [FAILED], weight: 2, act: (m) => m.contract.abort() },
  { name: "close", suits: [COMPLETED], weight: 1, act: (m) => m.contract.close() },
  {
    name: "anchor",
    suits: ANY,
    weight: 1,
    act: async (m, _node, { random }) => {
      const { runner } = m.city;
      const message = { runner: runner.address, root: id(`root ${random.int(5)}`), deadline: await m.soon() };
      const signature = await m.city.sign("Anchor", m.address, message, runner);
      return m.contract.anchor(message.root, runner.address, message.deadline, signature);
    },
  },
];

export const TIME: readonly CityMove[] = [
  { name: "wait", weight: 6, act: ({ random }) => networkHelpers.time.increase(random.pick([1, 10, 60, 300])) },
  { name: "wait long", weight: 2, act: ({ random }) => networkHelpers.time.increase(random.pick([600, 1800, 3600])) },
  {
    name: "oracle changes its mind",
    weight: 3,
    act: ({ say, random }) => say(random.pick(["YES", "YES", "NO", "REVERT"])),
  },
];
