import { expect } from "chai";
import type { ContractTransactionResponse, Wallet } from "ethers";
import { MAX_TRANSACTION_GAS } from "../../orchestrator/chain/driven.ts";
import { NODES_PER_TRANSACTION } from "../../orchestrator/execution/batches.ts";
import { caseHashFor } from "../../orchestrator/protocol/actions.ts";
import type { LawNode } from "../../orchestrator/rules/law-codec.ts";
import { gasOf } from "../bench/meter.ts";
import { Kind, keyOf, networkHelpers, tokens } from "../support/city-fixture.ts";
import { billOf, node as lawfulNode, lawOf, loadLegislature } from "../support/legislature.ts";
import { Action, HOUR, loadPeopledCity, MissionState, NodeState, openMissionIn, TASK } from "../support/mission-fixture.ts";

const NODES = 256;
const ROSTER = 256;
const EXECUTORS = 5;
const SEATS = 7;
/** The dearest node there is: sealed work of five executors, seven verifiers, two questions. */
const DEAREST: LawNode = { ...TASK, tier: 2, redundancy: EXECUTORS, threshold: 3, panelSize: SEATS, questions: 3, timeout: 3600 };
const FIRST = Array.from({ length: NODES_PER_TRANSACTION }, (_, node) => node);
const NEXT = FIRST.map((node) => NODES_PER_TRANSACTION + node);
const ALL = (1n << BigInt(FIRST.length)) - 1n;

/** On contracts compiled as for tests, which cost more than those of real networks. */
describe("every call at its largest fits into one transaction", function () {
  this.timeout(600_000);

  const fits = async (call: string, sent: Promise<ContractTransactionResponse>) => {
    const gas = await gasOf(sent);
    expect(gas, call).to.be.at.most(Number(MAX_TRANSACTION_GAS));
  };

  /** A city with as many producing principals as a node has slots, and with every seat of verifiers taken, each by a principal of its own. */
  async function fullCity() {
    const city = await loadPeopledCity();
    const principal = await city.account("fifth producing principal");
    const { agent } = await city.register("producer of the fifth", { principal, stake: tokens(10_000), capabilities: (1n << 160n) - 1n });
    city.workers.splice(EXECUTORS - 1, 0, { agent, ...(await city.offerService(agent, "fifth")) });
    while (city.verifiers.size < ROSTER) {
      const number = city.verifiers.size;
      const house = await city.account(`house ${number}`);
      const verifier = await city.register(`verifier of house ${number}`, { kind: Kind.VERIFIER, principal: house, stake: tokens(2000) });
      if (number + 1 < ROSTER) await city.evidence.registerVerifier(verifier.agent.address, 100);
      else await fits("registerVerifier", city.evidence.registerVerifier(verifier.agent.address, 100));
      city.verifiers.set(verifier.agent.address, verifier.agent);
    }
    const { address } = keyOf("house 255");
    for (const suspended of [true, false]) await fits("suspend", city.evidence.suspend(address, suspended));
    return city;
  }

  it("the seats of verifiers; the longest law, whose first wave is the dearest and frees all others; the same wave in one checkpoint", async () => {
    const city = await fullCity();
    const awarded = async (nodes: LawNode[], session: bigint, anchorInterval: number, waves = [FIRST]) => {
      const mission = await (await openMissionIn(city, { nodes, anchorInterval }, session)).activate();
      for (const node of waves.flat()) for (let worker = 0; worker < EXECUTORS; worker++) await mission.bid(node, worker);
      await mission.closeMarket();
      for (const numbers of waves) await fits("award", city.execution.award(mission.address, numbers));
      return mission;
    };
    const wave = FIRST.map(() => DEAREST);
    const next = NEXT.map(() => ({ ...DEAREST, predecessors: ALL }));
    const rest = Array.from({ length: NODES - 2 * FIRST.length }, () => ({ ...TASK, budget: tokens(1), predecessors: ALL }));
    const mission = await awarded([...wave, ...next, ...rest], 1n, 0, [FIRST, NEXT]);
    const { contract } = mission;
    await fits("route", contract.route(...(await mission.start(FIRST))));
    await fits("commitWave", contract.commitWave(await mission.commitWave(mission.places(FIRST))));
    await fits("revealWave", contract.revealWave(await mission.revealWave(mission.places(FIRST))));
    await networkHelpers.mine();
    const cleared = await mission.clearWave(FIRST, { agreeing: 0b11111, questions: [0, 1] });
    await fits("advance", contract.advance(cleared, ...(await mission.start(NEXT))));
    expect(await mission.stateOf(2 * FIRST.length - 1)).to.equal(NodeState.EXECUTING);
    expect(await mission.stateOf(NODES - 1)).to.equal(NodeState.ELIGIBLE);
    await networkHelpers.time.increase(HOUR);
    await fits("claim", contract.claim(FIRST));
    const hybrid = await awarded(wave, 2n, 300);
    await fits("checkpoint", hybrid.contract.checkpoint(await hybrid.wave(FIRST)));
  });

  it("the stop, the release and the end of a mission of 256 nodes without predecessors", async () => {
    const nodes = Array.from({ length: NODES }, () => ({ ...TASK, budget: tokens(1) }));
    const mission = await openMissionIn(await loadPeopledCity(), { nodes });
    await fits("activate", mission.contract.connect(mission.legislature).activate());
    const adjudication = mission.contract.connect(await mission.city.as("ADJUDICATION"));
    for (const name of ["EMERGENCY_STOP", "CLEAR_EMERGENCY_STOP", "TERMINATE_MISSION"] as const)
      await fits(
        name,
        adjudication.onOverride(Action[name], 0, mission.address, "0x", await caseHashFor(mission.contract, name, 0), {
          gasLimit: MAX_TRANSACTION_GAS,
        }),
      );
    expect(await mission.contract.state()).to.equal(MissionState.ABORTED);
    await fits("close", mission.contract.close());
  });

  it("the approval of a law of 256 nodes", async () => {
    const { legislation, steps, offices } = await loadLegislature();
    const shard = lawfulNode({ budget: tokens(1) });
    const law = lawOf(
      Array.from({ length: NODES }, (_, number) => (number === 0 ? shard : { ...shard, predecessors: (1n << BigInt(number)) - 1n })),
    );
    const bill = billOf(law, "the longest document");
    const session = await steps.toCodified(bill);
    const approvals = await steps.approvals(session, bill.specHash, [
      ["SPEAKER", offices.SPEAKER[0] as Wallet],
      ["REGULATOR", offices.REGULATOR[0] as Wallet],
      ["REGULATOR", offices.REGULATOR[1] as Wallet],
    ]);
    await fits("approve", legislation.approve(session, law, bill.docHash, approvals));
  });
});
