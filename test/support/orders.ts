/** Orders of adjudicators on missions under test. */
import { ZeroAddress, ZeroHash } from "ethers";
import type { Hex } from "viem";
import { ACTS, actionName, type Cases, caseHashFor, encodeActionData } from "../../orchestrator/protocol/actions.ts";

interface OnChain extends Cases<string> {
  nodeOf(node: number): Promise<{ readonly attempt: bigint }>;
}

/** The data of an act that stops is the node's attempt; any other's is as given. */
export async function stopData(contract: Pick<OnChain, "nodeOf">, action: number, node: number, data = "0x"): Promise<string> {
  const name = actionName(action);
  if (data !== "0x" || (name !== "FREEZE" && name !== "VETO_OUTPUT")) return data;
  return encodeActionData(name, [Number((await contract.nodeOf(node)).attempt)]);
}

/** The state of a mission that an action judges. */
export async function judgedBy(contract: Cases<string>, action: number, node: number): Promise<string> {
  const name = actionName(action);
  return name === undefined ? contract.caseHash(node) : caseHashFor(contract, name, node);
}

/** An order on a mission as it stands, with what its act signs and nothing else. */
export async function orderOn(
  mission: { readonly address: string; readonly contract: OnChain },
  action: number,
  node: number,
  { data, salt, deadline }: { readonly data?: string; readonly salt: bigint; readonly deadline: bigint | number },
) {
  const name = actionName(action);
  if (name === undefined) throw new RangeError(`no action ${action}`);
  const { on, target, binds } = ACTS[name];
  const at = on === "node" ? node : 0;
  const bound = binds === "case" ? { caseHash: await caseHashFor(mission.contract, name, at), salt: 0n } : { caseHash: ZeroHash, salt };
  return {
    action,
    mission: mission.address,
    node: at,
    target: target === undefined ? ZeroAddress : mission.address,
    data: (await stopData(mission.contract, action, at, data)) as Hex,
    because: "why",
    ...bound,
    deadline,
  };
}
