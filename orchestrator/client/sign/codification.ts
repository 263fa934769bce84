import { type LocalAccount, zeroAddress } from "viem";
import { contentIdOf, digestOf, keccak256 } from "../../primitives/hash.ts";
import { canonicalBytes } from "../../primitives/json.ts";
import { actionNumber, encodeActionData } from "../../protocol/actions.ts";
import type { CodificationApproval, CodificationRequest } from "../../protocol/codification-approval.ts";
import { typedData } from "../../protocol/typed-data.ts";
import type { Message } from "./sign-message.ts";

/** The bytes whose content id stands for a justification. */
export function justificationBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** What an adjudicator signs: nothing of it can be chosen but the justification (AgentCity A.7; decision 28). */
export function codificationMessage(request: CodificationRequest, justification: string): Message<"OverrideAction"> {
  const { legislation, session, specHash, until } = request;
  const digest = digestOf(contentIdOf(justificationBytes(justification)));
  return {
    action: actionNumber("APPROVE_CODIFICATION"),
    mission: zeroAddress,
    node: 0,
    target: legislation,
    data: encodeActionData("APPROVE_CODIFICATION", [BigInt(session)]),
    justification: digest,
    caseHash: specHash,
    salt: BigInt(keccak256(canonicalBytes(["codification", session, specHash, digest]))),
    deadline: until,
  };
}

/** The same as a wallet takes it. */
export function codificationTypedData(request: CodificationRequest, justification: string) {
  const message = codificationMessage(request, justification);
  return { ...typedData("OverrideAction", request.chainId, request.adjudication), message };
}

/** Signs. Pure: needs the request and a key, no network. */
export async function signCodification(
  account: LocalAccount,
  request: CodificationRequest,
  justification: string,
): Promise<CodificationApproval> {
  const { session, specHash } = request;
  const signature = await account.signTypedData(codificationTypedData(request, justification));
  return { session, specHash, adjudicator: account.address, justification, signature };
}
