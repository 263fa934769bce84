import { readFileSync } from "node:fs";
import { expect } from "chai";
import { requireArc, type TransitionTable, targets } from "../../../orchestrator/rules/arcs.ts";
import { missionTransitions } from "../../../orchestrator/rules/transitions/mission.ts";
import { nodeTransitions } from "../../../orchestrator/rules/transitions/node.ts";
import { sessionTransitions } from "../../../orchestrator/rules/transitions/session.ts";
import { exportTransitions } from "../../../scripts/dev/export-transitions.ts";
import { harnessOf } from "../harness.ts";

const LIFECYCLES: readonly (readonly [string, TransitionTable<string>])[] = [
  ["mission", missionTransitions],
  ["node", nodeTransitions],
  ["session", sessionTransitions],
];

/** States that can be reached from the first one. */
function reachable({ states, arcs }: TransitionTable<string>): Set<string> {
  const seen = new Set<string>();
  const open = states.slice(0, 1);
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (seen.has(state)) continue;
    seen.add(state);
    open.push(...(arcs[state] ?? []));
  }
  return seen;
}

describe("transition tables", () => {
  const harness = harnessOf("TransitionsHarness");

  it("are exported as the contracts hold them", async () => {
    for (const [path, text] of await exportTransitions()) expect(readFileSync(path, "utf8")).to.equal(text);
    expect(await harness.call("tables")).to.deep.equal(LIFECYCLES.map(([, { table }]) => table));
  });

  for (const [name, lifecycle] of LIFECYCLES) {
    const { states, arcs, table } = lifecycle;

    it(`${name}: each pair of states is an arc in Solidity exactly if it is in the table`, async () => {
      for (const [from, source] of states.entries()) {
        for (const [to, target] of states.entries()) {
          const drawn = (arcs[source] ?? []).includes(target);
          expect((targets(table, from) >> BigInt(to)) & 1n).to.equal(drawn ? 1n : 0n);
          if (drawn) {
            await harness.call(`${name}Arc`, from, to);
            requireArc(table, from, to);
          } else {
            expect(await harness.refusal(`${name}Arc`, from, to)).to.deep.equal({ code: "IllegalTransition", values: [from, to] });
            expect(() => requireArc(table, from, to)).to.throw(`IllegalTransition(${from}, ${to})`);
          }
        }
      }
    });

    it(`${name}: no state is its own target, every state is reachable, every live state has a way to an end`, () => {
      for (const state of states) expect(arcs[state]).to.not.include(state);
      expect(reachable(lifecycle).size).to.equal(states.length);
      for (const state of states) {
        const ahead = reachable({ states: [state], arcs, table });
        expect(
          [...ahead].some((s) => arcs[s]?.length === 0),
          state,
        ).to.be.true;
      }
    });
  }

  it("refuse codes beyond the table", async () => {
    expect(await harness.refusal("arc", 2n ** 256n - 1n, 16, 0)).to.deep.equal({ code: "IllegalTransition", values: [16, 0] });
    expect(await harness.refusal("arc", 2n ** 256n - 1n, 0, 200)).to.deep.equal({ code: "IllegalTransition", values: [0, 200] });
    expect(() => requireArc(2n ** 256n - 1n, 16, 0)).to.throw("IllegalTransition(16, 0)");
    expect(() => requireArc(2n ** 256n - 1n, 0, 200)).to.throw("IllegalTransition(0, 200)");
  });

  it("end where the documents say", async () => {
    const ends = (t: TransitionTable<string>) => t.states.filter((s) => t.arcs[s]?.length === 0);
    expect(ends(missionTransitions)).to.deep.equal(["COMPLETED", "FAILED", "ABORTED"]);
    expect(ends(nodeTransitions)).to.deep.equal(["COMPLETED"]);
    expect(ends(sessionTransitions)).to.deep.equal(["DEPLOYED", "FAILED", "EXPIRED", "CANCELLED"]);
    const finals = LIFECYCLES.map(([, t]) => t.states.map((s) => t.arcs[s]?.length === 0));
    expect(await harness.call("finals")).to.deep.equal(finals);
  });

  it("let a node past WAITING never wait again, and a failed mission never live again", () => {
    for (const state of nodeTransitions.states) expect(nodeTransitions.arcs[state]).to.not.include("WAITING");
    expect(missionTransitions.arcs.FAILED).to.deep.equal([]);
    for (const state of ["PENDING", "ACTIVE", "EXECUTING", "VERIFICATION", "DEGRADED"] as const) {
      expect(missionTransitions.arcs[state]).to.include("ABORTED");
    }
  });
});
