import { isAddressEqual, type LocalAccount, type PublicClient, parseAbi } from "viem";
import { type Agreement, AgreementRefused, agreementHash, DEFAULTS, switchPercent, unitsOf } from "../agreements/index.ts";
import type { Address, Hash, Hex } from "../primitives/hex.ts";
import { recoverAddress } from "../primitives/recovery.ts";
import {
  type Cancellation,
  cancellationTypedData,
  type EscrowDomain,
  type EscrowTerms,
  escrowTypedData,
} from "../protocol/escrow-terms.ts";

export * from "../protocol/escrow-terms.ts";

/** The accounts of an agreement's roles. */
export type EscrowParties = Pick<EscrowTerms, "client" | "provider" | "evaluator" | "backup" | "arbiter" | "token">;

/**
 * An agreement's terms as the escrow enforces them; both parties derive the same. `now`: chain time, unix seconds, from which the
 * agreement's windows run. `nonce` distinguishes jobs under one agreement. Throws NothingToDivide without an escrow.
 */
export function escrowTerms(
  agreement: Agreement,
  parties: EscrowParties,
  { now, nonce = 0n }: { now: number; nonce?: bigint },
): EscrowTerms {
  const { escrow, verification } = agreement;
  if (escrow === undefined || !escrow.enabled) throw new AgreementRefused("NothingToDivide", "The agreement has no escrow");
  const guard = escrow.dead_mans_switch;
  const fundBy = now + (guard?.client_timeout_seconds ?? DEFAULTS.switchSeconds);
  return {
    ...parties,
    amount: unitsOf(escrow.payment.amount, escrow.payment.currency),
    agreementHash: agreementHash(agreement),
    fundBy,
    deliverBy: fundBy + (guard?.provider_timeout_seconds ?? DEFAULTS.switchSeconds),
    evaluatorTimeout: verification.evaluator_timeout_seconds ?? DEFAULTS.evaluatorSeconds,
    challengeWindow: verification.strategy === "optimistic" ? (verification.challenge_window_seconds ?? DEFAULTS.challengeSeconds) : 0,
    arbiterTimeout: DEFAULTS.disputeSeconds,
    silenceShare: shareOf(switchPercent(agreement)),
    nonce,
    deadline: fundBy,
  };
}

/** A percentage in basis points. Hundredths of a percent convert exactly. */
export function shareOf(percent: number): number {
  return Math.floor(percent * 100 + 1e-6);
}

export function signEscrowTerms(account: LocalAccount, domain: EscrowDomain, terms: EscrowTerms): Promise<Hex> {
  return account.signTypedData(escrowTypedData(domain, terms));
}

/** Whether an account, or a contract wallet by ERC-1271, signed this hash. */
export async function isSignedByWallet(
  reader: Pick<PublicClient, "readContract">,
  wallet: Address,
  hash: Hash,
  signature: Hex,
): Promise<boolean> {
  const signer = await recoverAddress({ hash, signature }).catch(() => undefined);
  if (signer !== undefined && isAddressEqual(signer, wallet)) return true;
  const answer = await reader
    .readContract({ abi: ERC1271_ABI, address: wallet, functionName: "isValidSignature", args: [hash, signature] })
    .catch(() => "0x");
  return answer === ERC1271_YES;
}

const ERC1271_ABI = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);
const ERC1271_YES = "0x1626ba7e";

export function signCancellation(account: LocalAccount, domain: EscrowDomain, message: Cancellation): Promise<Hex> {
  return account.signTypedData(cancellationTypedData(domain, message));
}
