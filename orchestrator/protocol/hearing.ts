/**
 * A job of an external escrow before a city panel (`ClearingEvaluator`): what both parties sign, and what the panel judges by. Solidity
 * side: `contracts/interfaces/IClearingEvaluator.sol`; a test compares digests.
 */
import { encodeAbiParameters, hashTypedData, keccak256 } from "viem";
import { sha256 } from "../primitives/hash.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { canonicalBytes, type JsonObject } from "../primitives/json.ts";
import { type QuestionName, questions } from "./evidence.ts";
import type { Commission, HearingTerms } from "./hearing-schema.ts";
import { typedDataDomain } from "./typed-data.ts";

export const HEARING_TYPES = {
  ClearingTerms: [
    { name: "escrow", type: "address" },
    { name: "jobId", type: "uint256" },
    { name: "client", type: "address" },
    { name: "provider", type: "address" },
    { name: "clientPrincipal", type: "address" },
    { name: "providerPrincipal", type: "address" },
    { name: "agreementHash", type: "bytes32" },
    { name: "floor", type: "uint8" },
    { name: "questions", type: "uint8" },
    { name: "minConfidence", type: "uint16" },
    { name: "passScore", type: "uint16" },
    { name: "panelSize", type: "uint8" },
    { name: "graduated", type: "bool" },
    { name: "layout", type: "uint32" },
    { name: "deliverBy", type: "uint40" },
    { name: "hearing", type: "uint32" },
    { name: "deadline", type: "uint40" },
    { name: "bond", type: "uint96" },
  ],
} as const;

/** Positions of client, provider, evaluator and expiry among the words that an escrow's `getJob` returns, one byte each. */
export const JOB_LAYOUTS = {
  /** `AgreementEscrow`, which has no expiry: its `evaluatorTimeout` must leave the evaluator its hearings. */
  agreement: 0x00_04_07_00,
  /** The draft text of ERC-8183. */
  draft: 0x02_03_04_07,
  /** Its later, packed versions. */
  packed: 0x01_03_05_04,
} as const;

/** Where hearings are held: the evaluator contract and its chain. */
export interface HearingPlace {
  readonly chainId: number;
  readonly evaluator: Address;
}

/** The terms with numbers beyond 2^53 as bigints, for calls and wallets. */
export function termsOnChain({ jobId, bond, ...terms }: HearingTerms) {
  return { ...terms, jobId: BigInt(jobId), bond: BigInt(bond) };
}

/** What a party's wallet signs. */
export function hearingTypedData({ chainId, evaluator }: HearingPlace, terms: HearingTerms) {
  const domain = typedDataDomain(chainId, evaluator);
  return { domain, types: HEARING_TYPES, primaryType: "ClearingTerms" as const, message: termsOnChain(terms) };
}

/** The obligation that evidence and verdicts are about: the digest of the terms. */
export function hearingObligation(place: HearingPlace, terms: HearingTerms): Hash {
  return hashTypedData(hearingTypedData(place, terms));
}

/** The evaluator's key of a job. */
export function hearingKey(escrow: Address, jobId: bigint): Hash {
  return keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [escrow, jobId]));
}

/** The questions of the terms, in the order of their answers. */
export function questionsOf({ questions: asked }: Pick<HearingTerms, "questions">): readonly QuestionName[] {
  return questions.filter((_, place) => ((asked >> place) & 1) === 1);
}

/** Maximum size of a commission and of delivered work, bytes; and items of evidence for it. */
export const MAX_COMMISSION = 65_536;
export const MAX_WORK = 1_048_576;
export const MAX_EVIDENCE = 8;

/** SHA-256 of a commission's RFC 8785 text. */
export function commissionHash(commission: Commission): Hash {
  return sha256(canonicalBytes(commission));
}

/** Keccak-256 of the work's RFC 8785 text, which the provider submits to the escrow. */
export function deliverableOf(work: JsonObject): Hash {
  return keccak256(canonicalBytes(work));
}
