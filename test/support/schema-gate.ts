/** The gate `keeps-schema` in a mission under test, and what issuers state to it. */
import { id, type Wallet } from "ethers";
import { SCHEMAS } from "./admitted.ts";
import { ethers } from "./city-fixture.ts";
import { type Mission, openMission, TASK } from "./mission-fixture.ts";

export const GATE = 2;

/** Two nodes, executors awarded, whose outputs an issuer has to measure before they may pass. */
export async function openGated(nodes: readonly (typeof TASK)[] = [TASK, TASK]) {
  const gated = nodes.map((node) => ({ ...node, predicate: GATE }));
  return gateOf(await (await (await openMission({ nodes: gated })).activate()).awardAll());
}

/** The gate, approved, and an issuer's word to it: about a node's output as fixtures hand it in, in force for ten minutes. */
export async function gateOf(mission: Mission) {
  const { city } = mission;
  const gate = await ethers.deployContract("KeepsSchema", [city.built.ConstitutionContract]);
  await city.execution.connect(await city.as("ADJUDICATION")).approvePredicate(GATE, gate);
  const at = await gate.getAddress();

  const stated = async (node: number, over: Record<string, unknown> = {}) => ({
    mission: mission.address,
    node,
    obligation: await mission.contract.obligationOf(node),
    outputHash: id(`output ${node}`),
    schemaHash: SCHEMAS,
    issuer: city.issuer.address,
    deadline: (await city.now()) + 600n,
    ...over,
  });
  type Statement = Awaited<ReturnType<typeof stated>>;
  const admitted = async (node: number) => mission.shownBy((await mission.executorOf(node)).record, node);
  const signed = (statement: Statement, by: Wallet = city.issuer) => city.sign("SchemaStatement", at, statement, by);
  /** The statement handed in: of that signer, with the law's entry for the node. */
  const show = async (statement: Statement, by: Wallet = city.issuer) =>
    gate.show(statement, await admitted(Number(statement.node)), await signed(statement, by));
  return { mission, gate, at, stated, admitted, signed, show };
}

export type Gated = Awaited<ReturnType<typeof gateOf>>;
