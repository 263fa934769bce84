/** Invariants 1–5 and 27: a node's way, and the gates on it. */
import { MissionState, NodeState } from "../../support/mission-fixture.ts";
import { amount, type Happening, number, text } from "../chronicle.ts";
import type { Rule } from "../rule.ts";

const { WAITING, PENDING_VERIFICATION, PENDING_REVIEW, FROZEN, COMPLETED, FAILED } = NodeState;
const RUNNING = [MissionState.ACTIVE, MissionState.EXECUTING];
const PASS = 1n;
const APPROVE_POP = 4n;

const released: Rule = {
  invariant: 1,
  on(event, { ghost, world, require }) {
    if (event.at !== "MISSION") return;
    if (event.name === "GateDecided") {
      const asked = ghost.node(event).law.predicate !== 0;
      require(!event.args["allowed"] || !asked || world.said(event.block) === "YES", () =>
        `node ${text(event, "node")} passed against its gate`);
    }
    // The gate of a node that is a mission is that mission's own.
    if (event.name === "ChildConcluded" && event.args["completed"]) {
      require(ghost.mission(text(event, "mission")).outputReleased, () => `node ${text(event, "node")} passed against its mission's gate`);
    }
    if (event.name !== "OutputDecided") return;
    const { bill } = ghost.mission(event.address);
    require(!event.args["allowed"] || bill.outputPredicate === 0 || world.said(event.block) === "YES", () =>
      "released against the output gate");
  },
  always({ missions }, { ghost, require }) {
    for (const { address, state, law, nodes } of missions) {
      if (state !== MissionState.COMPLETED) continue;
      require(nodes.every((node) => node.state === COMPLETED), () => `${address} released with unfinished nodes`);
      require(nodes.every((node, index) => node.gated || law[index]?.leaf === false), () => `${address} released past a node's gate`);
      require(ghost.mission(address).outputReleased, () => `${address} completed without a released output`);
    }
  },
};

const ordered: Rule = {
  invariant: 2,
  always({ missions }, { require }) {
    for (const { address, law, nodes, completed } of missions) {
      for (const [index, node] of nodes.entries()) {
        require(((completed >> BigInt(index)) & 1n) === (node.state === COMPLETED ? 1n : 0n), () => `${address} miscounts node ${index}`);
        const before = law[index]?.predecessors ?? 0n;
        if (node.state === WAITING || before === 0n) continue;
        const done = nodes.every(({ state }, i) => ((before >> BigInt(i)) & 1n) === 0n || state === COMPLETED);
        require(done, () => `${address} node ${index} runs before its predecessors`);
      }
    }
  },
};

const STILL_IN_ICE = new Set(["Routed", "Committed", "Revealed", "Cleared", "GateDecided", "Recorded"]);
const frozen: Rule = {
  invariant: 3,
  on(event, { ghost, require }) {
    if (event.at !== "MISSION" || !STILL_IN_ICE.has(event.name)) return;
    require(!ghost.node(event).frozen, () => `${event.name} on frozen node ${text(event, "node")}`);
  },
  always({ missions }, { ghost, require }) {
    for (const { address, nodes } of missions) {
      for (const [index, { frozen: local }] of ghost.mission(address).nodes.entries()) {
        const state = nodes[index]?.state;
        if (local) require(state === FROZEN || state === FAILED, () => `${address} node ${index} is frozen here and ${state} there`);
      }
    }
  },
};

/** In the same transaction: a clearing that passed, a human's approval, or the end of a mission that completed. */
const isProven = (event: Happening, attempt: bigint): boolean =>
  event.tx.events.some(
    (other) =>
      other.address === event.address &&
      ((other.name === "Cleared" && amount(other, "result") === PASS && amount(other, "attempt") === attempt) ||
        (other.name === "Overridden" && amount(other, "action") === APPROVE_POP) ||
        (other.name === "ChildConcluded" && Boolean(other.args["completed"]))) &&
      number(other, "node") === number(event, "node"),
  );

const cleared: Rule = {
  invariant: 4,
  on(event, { require }) {
    if (event.at !== "MISSION" || event.name !== "NodeStateChanged" || amount(event, "to") !== COMPLETED) return;
    require(isProven(event, amount(event, "attempt")), () => `node ${text(event, "node")} completed without a cleared proof`);
    const from = amount(event, "from");
    require(from === PENDING_VERIFICATION || from === PENDING_REVIEW, () => `node ${text(event, "node")} completed from ${from}`);
  },
};

const trailed: Rule = {
  invariant: 5,
  always({ missions }, { ghost, require }) {
    for (const { address, nodes } of missions) {
      for (const [index, node] of nodes.entries()) {
        if (node.drawBlock === 0n) continue;
        const { trails } = ghost.mission(address).nodes[index] ?? { trails: new Map<string, string>() };
        // Where nobody left anything to judge by, the attempt ended and no slot counts any more.
        require(node.commitMask !== 0n || node.state === FAILED, () => `${address} verifies node ${index} without a commitment`);
        for (let slot = 0; node.commitMask >> BigInt(slot) !== 0n; slot++) {
          if (((node.commitMask >> BigInt(slot)) & 1n) === 0n) continue;
          const root = BigInt(trails.get(`${node.attempt}/${slot}`) ?? 0);
          require(root !== 0n, () => `${address} verifies node ${index} slot ${slot} without its trail`);
        }
      }
    }
  },
};

const stopped: Rule = {
  invariant: 27,
  on(event, { ghost, require }) {
    if (event.at !== "MISSION" || event.name !== "Routed") return;
    const { stopped: halted, terminated } = ghost.mission(event.address);
    require(!halted && !terminated, () => `node ${text(event, "node")} was routed in a stopped mission`);
  },
  always({ missions }, { ghost, require }) {
    for (const { address, state } of missions) {
      if (ghost.mission(address).terminated) require(!RUNNING.includes(state), () => `${address} runs though it was terminated`);
    }
  },
};

export const PROGRESS: readonly Rule[] = [released, ordered, frozen, cleared, trailed, stopped];
