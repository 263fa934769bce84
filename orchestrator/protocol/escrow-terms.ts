import { hashTypedData } from "viem";
import type { Address, Hash } from "../primitives/hex.ts";
import { typedDataDomain } from "./typed-data.ts";

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

/** The escrow and chain for which a signature is valid. */
export interface EscrowDomain {
  readonly chainId: number;
  readonly escrow: Address;
}

function typedTerms({ chainId, escrow }: EscrowDomain) {
  return { domain: typedDataDomain(chainId, escrow), types: ESCROW_TYPES } as const;
}

/** The typed data for a wallet, as `eth_signTypedData_v4` takes it once its bigints are text. */
export function escrowTypedData(domain: EscrowDomain, terms: EscrowTerms) {
  return { ...typedTerms(domain), primaryType: "AgreementTerms" as const, message: terms };
}

/** The job's id, known before it is opened: the digest of its terms. */
export function jobOf(domain: EscrowDomain, terms: EscrowTerms): bigint {
  return BigInt(hashTypedData(escrowTypedData(domain, terms)));
}

/** Consent to end a job with this share, basis points, for the provider; valid until a unix second. */
export interface Cancellation {
  readonly jobId: bigint;
  readonly share: number;
  readonly deadline: number;
}

export function cancellationTypedData(domain: EscrowDomain, message: Cancellation) {
  return { ...typedTerms(domain), primaryType: "Cancellation" as const, message };
}
