import { hashTypedData, isAddressEqual, type LocalAccount, type PublicClient, parseAbi, recoverAddress } from "viem";
import { type Agreement, AgreementRefused, agreementHash, DEFAULTS, switchPercent, unitsOf } from "../agreements/index.ts";
import type { Address, Hash, Hex } from "../primitives/hex.ts";

/** What both parties sign for the chain: `AgreementTerms` of `contracts/agreements/AgreementEscrow.sol`, and a cancellation. */
export const ESCROW_TYPES = {
  AgreementTerms: [
    { name: "client", type: "address" },
    { name: "provider", type: "address" },
    { name: "evaluator", type: "address" },
    { name: "backup", type: "address" },
    { name: "arbiter", type: "address" },
    { name: "token", type: "address" },
    { name: "amount", type: "uint96" },
    { name: "agreementHash", type: "bytes32" },
    { name: "fundBy", type: "uint40" },
    { name: "deliverBy", type: "uint40" },
    { name: "evaluatorTimeout", type: "uint32" },
    { name: "challengeWindow", type: "uint32" },
    { name: "arbiterTimeout", type: "uint32" },
    { name: "silenceShare", type: "uint16" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint40" },
  ],
  Cancellation: [
    { name: "jobId", type: "uint256" },
    { name: "share", type: "uint16" },
    { name: "deadline", type: "uint40" },
  ],
} as const;

export interface EscrowTerms {
  readonly client: Address;
  readonly provider: Address;
  readonly evaluator: Address;
  readonly backup: Address;
  readonly arbiter: Address;
  readonly token: Address;
  readonly amount: bigint;
  readonly agreementHash: Hash;
  readonly fundBy: number;
  readonly deliverBy: number;
  readonly evaluatorTimeout: number;
  readonly challengeWindow: number;
  readonly arbiterTimeout: number;
  readonly silenceShare: number;
  readonly nonce: bigint;
  readonly deadline: number;
}

/** Who is who on chain. */
export type EscrowParties = Pick<EscrowTerms, "client" | "provider" | "evaluator" | "backup" | "arbiter" | "token">;

/** Where the terms will be used: a signature is good there alone. */
export interface EscrowDomain {
  readonly chainId: number;
  readonly escrow: Address;
}

/**
 * An agreement's terms as the escrow enforces them; both sides come to the same. `now` is the chain's time in unix seconds, from which the
 * agreement's own windows run; `nonce` tells two jobs under one agreement apart. Throws NothingToDivide without an escrow.
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

/** A percentage in basis points, as the escrow takes it; hundredths of a percent are exactly that. */
export function shareOf(percent: number): number {
  return Math.floor(percent * 100 + 1e-6);
}

function typedTerms({ chainId, escrow }: EscrowDomain) {
  return { domain: { name: "AgentCity", version: "1", chainId, verifyingContract: escrow }, types: ESCROW_TYPES } as const;
}

export function signEscrowTerms(account: LocalAccount, domain: EscrowDomain, terms: EscrowTerms): Promise<Hex> {
  return account.signTypedData(escrowTypedData(domain, terms));
}

/** What a wallet is asked to sign, as `eth_signTypedData_v4` takes it once its whole numbers are text. */
export function escrowTypedData(domain: EscrowDomain, terms: EscrowTerms) {
  return { ...typedTerms(domain), primaryType: "AgreementTerms" as const, message: terms };
}

/** Consent to end a job with a share, in basis points, to the provider, until a unix second. */
export interface Cancellation {
  readonly jobId: bigint;
  readonly share: number;
  readonly deadline: number;
}

export function cancellationTypedData(domain: EscrowDomain, message: Cancellation) {
  return { ...typedTerms(domain), primaryType: "Cancellation" as const, message };
}

/** Whether an account, or a contract wallet by ERC-1271, signed what hashes to this. */
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

/** The job's number, known before it is opened: the digest of its terms. */
export function jobOf(domain: EscrowDomain, terms: EscrowTerms): bigint {
  return BigInt(hashTypedData(escrowTypedData(domain, terms)));
}

export function signCancellation(account: LocalAccount, domain: EscrowDomain, message: Cancellation): Promise<Hex> {
  return account.signTypedData(cancellationTypedData(domain, message));
}
