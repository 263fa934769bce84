import { type LocalAccount, zeroAddress } from "viem";
import { actionNumber, encodeActionData } from "../../protocol/actions.ts";
import { actTypedData, type OverrideAction } from "../../protocol/acts.ts";
import type { CodificationApproval, CodificationRequest } from "../../protocol/codification-approval.ts";

/** The bytes behind a justification's content id. */
export function justificationBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** What an adjudicator signs: only the justification can be chosen (AgentCity A.7; decision 28). */
export function codificationMessage(request: CodificationRequest, because: string): OverrideAction {
  const { session, specHash, until } = request;
  return {
    action: actionNumber("APPROVE_CODIFICATION"),
    mission: zeroAddress,
    node: 0,
    target: zeroAddress,
    data: encodeActionData("APPROVE_CODIFICATION", [BigInt(session)]),
    because,
    caseHash: specHash,
    salt: 0n,
    deadline: until,
  };
}

/** The same as typed data for a wallet. */
export function codificationTypedData(request: CodificationRequest, because: string) {
  return actTypedData(request.chainId, request.adjudication, codificationMessage(request, because));
}

/** Signs an approval. Pure: needs the request and a key, no network. */
export async function signCodification(
  account: LocalAccount,
  request: CodificationRequest,
  justification: string,
): Promise<CodificationApproval> {
  const { session, specHash } = request;
  const signature = await account.signTypedData(codificationTypedData(request, justification));
  return { session, specHash, adjudicator: account.address, justification, signature };
}
