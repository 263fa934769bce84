import type { LocalAccount } from "viem";
import type { CityClient } from "../client/client.ts";
import { codificationOf } from "../client/codification.ts";
import { type CompiledLaw, recompileLaw } from "../client/compile-law.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import type { Address, Hex } from "../primitives/hex.ts";
import { OFFICES, type OfficeName } from "../protocol/offices.ts";
import { CODIFIER_OPERATIONS, operationId } from "../protocol/operations.ts";
import { ClerkRefuses } from "./clerk.ts";

/** An office's signature for a law, as `approve` takes it. */
export interface Approval {
  readonly clerk: Address;
  readonly office: number;
  /** Unix seconds. */
  readonly deadline: number;
  readonly signature: Hex;
}

/**
 * Recompiles the document, compares it with the ballot's winner on chain, audits it, compares the Codifier's records, and signs only if
 * everything agrees.
 */
export async function signApproval(
  client: CityClient,
  account: LocalAccount,
  office: "SPEAKER" | "REGULATOR",
  session: bigint,
  documentBytes: Uint8Array,
): Promise<Approval> {
  const law = recompileLaw(documentBytes);
  const { specHash } = law;
  const { winner, deadline } = await client.legislation.sessionOf(session);
  const chosen = await client.legislation.candidateOf(session, winner);
  if (chosen.specHash !== specHash)
    throw new ClerkRefuses(office, `the document compiles to ${specHash}, the ballot chose ${chosen.specHash}`);
  await requireCodified(client, office, session, law);
  const message = { clerk: account.address, office: OFFICES[office], session, specHash, deadline };
  const signature = await signMessage(client, account, "OfficeApproval", message);
  return { clerk: account.address, office: OFFICES[office], deadline, signature };
}

/** The clerk's own compilation and audit must match the Codifier's recorded delegations, without findings. */
async function requireCodified(client: CityClient, office: OfficeName, session: bigint, law: CompiledLaw): Promise<void> {
  const { report, results } = await codificationOf(client, session, law);
  const [finding] = report.findings;
  if (finding !== undefined)
    throw new ClerkRefuses(office, `the audit finds ${finding.manipulation}: ${finding.subject} ${finding.problem}`);
  for (const operation of await client.mandates.operationsOf(OFFICES.CODIFIER)) {
    const name = CODIFIER_OPERATIONS.find((known) => operationId(known) === operation);
    if (name === undefined) continue;
    const id = await client.mandates.delegationId(session, operation, law.specHash);
    const { outputHash } = await client.mandates.delegationOf(id);
    if (outputHash !== results[name].output)
      throw new ClerkRefuses(office, `the Codifier recorded ${outputHash} as the result of ${name}, it is ${results[name].output}`);
  }
}
