import type { LocalAccount } from "viem";
import type { AgentCityClient } from "../client/client.ts";
import { recompileLaw } from "../client/compile-law.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import type { Address, Hex } from "../primitives/hex.ts";
import { ClerkRefuses, OFFICES } from "./clerk.ts";

/** An office's signature under a law, as `approve` takes it. */
export interface Approval {
  readonly clerk: Address;
  readonly office: number;
  /** Unix seconds. */
  readonly deadline: number;
  readonly signature: Hex;
}

/** Recompiles the document, compares it with the ballot's winner on chain, and signs only if they are the same. */
export async function signApproval(
  client: AgentCityClient,
  account: LocalAccount,
  office: "SPEAKER" | "REGULATOR",
  session: bigint,
  documentBytes: Uint8Array,
): Promise<Approval> {
  const { specHash } = recompileLaw(documentBytes);
  const { winner, deadline } = await client.legislation.sessionOf(session);
  const chosen = await client.legislation.candidateOf(session, winner);
  if (chosen.specHash !== specHash)
    throw new ClerkRefuses(office, `the document compiles to ${specHash}, the ballot chose ${chosen.specHash}`);
  const message = { clerk: account.address, office: OFFICES[office], session, specHash, deadline };
  const signature = await signMessage(client, account, "OfficeApproval", message);
  return { clerk: account.address, office: OFFICES[office], deadline, signature };
}
