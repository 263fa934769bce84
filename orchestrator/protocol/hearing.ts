/**
 * A job of somebody's escrow before a panel of the city (`ClearingEvaluator`): what both parties sign, and by what the panel judges. Solidity
 * side: `contracts/interfaces/IClearingEvaluator.sol`; a test compares digests.
 */
import { encodeAbiParameters, hashTypedData, keccak256 } from "viem";
import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { sha256 } from "../primitives/hash.ts";
import { type Address, type Hash, hashSchema } from "../primitives/hex.ts";
import { canonicalBytes, type JsonObject } from "../primitives/json.ts";
import { evidenceClasses, type QuestionName, questions } from "./evidence.ts";
import { typedDataDomain } from "./typed-data.ts";
import { PANEL_KINDS } from "./verifier-kinds.ts";

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

/** Which words of what an escrow's `getJob` returns are client, provider, evaluator and expiry, a byte each. */
export const JOB_LAYOUTS = {
  /** `AgreementEscrow`, which has no expiry of its own. */
  agreement: 0x00_04_07_00,
  /** The draft ERC-8183's text. */
  draft: 0x02_03_04_07,
  /** Its later, packed versions. */
  packed: 0x01_03_05_04,
} as const;

const seconds = z.int().nonnegative();
const share = z.int().min(0).max(10_000);

/** What both parties sign, as JSON. */
export const hearingTermsSchema = z.strictObject({
  escrow: addressSchema,
  /** As decimal text. */
  jobId: z.string().regex(/^(?:0|[1-9]\d{0,77})$/),
  client: addressSchema,
  provider: addressSchema,
  clientPrincipal: addressSchema,
  providerPrincipal: addressSchema,
  agreementHash: hashSchema,
  /** Number of an evidence class. */
  floor: z
    .int()
    .min(0)
    .max(evidenceClasses.length - 1),
  questions: z.int().min(1).max(3),
  minConfidence: share,
  passScore: share,
  panelSize: z.int().min(1).max(7),
  graduated: z.boolean(),
  layout: z.int().min(0).max(0xff_ff_ff_ff),
  deliverBy: seconds,
  hearing: seconds,
  deadline: seconds,
  /** Of a challenge, in the city's token, smallest unit, as decimal text; "0": nobody challenges. */
  bond: z.string().regex(/^(?:0|[1-9]\d{0,27})$/),
});
export type HearingTerms = z.infer<typeof hearingTermsSchema>;

/** Where a hearing is: the evaluator on its chain. */
export interface HearingPlace {
  readonly chainId: number;
  readonly evaluator: Address;
}

/** The same with numbers beyond 2^53 as viem takes them, for calls and for wallets. */
export function termsOnChain({ jobId, bond, ...terms }: HearingTerms) {
  return { ...terms, jobId: BigInt(jobId), bond: BigInt(bond) };
}

/** What a party's wallet signs. */
export function hearingTypedData({ chainId, evaluator }: HearingPlace, terms: HearingTerms) {
  const domain = typedDataDomain(chainId, evaluator);
  return { domain, types: HEARING_TYPES, primaryType: "ClearingTerms" as const, message: termsOnChain(terms) };
}

/** What evidence and verdicts are about: the digest of the terms. */
export function hearingObligation(place: HearingPlace, terms: HearingTerms): Hash {
  return hashTypedData(hearingTypedData(place, terms));
}

/** By what the evaluator knows a job. */
export function hearingKey(escrow: Address, jobId: bigint): Hash {
  return keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [escrow, jobId]));
}

/** The questions of terms, in the order of their answers. */
export function questionsOf({ questions: asked }: Pick<HearingTerms, "questions">): readonly QuestionName[] {
  return questions.filter((_, place) => ((asked >> place) & 1) === 1);
}

/** Characters of a rubric, bytes of a commission and of delivered work, items of evidence for it. */
const MOST_RUBRIC = 8_000;
export const MOST_COMMISSION = 65_536;
export const MOST_WORK = 1_048_576;
export const MOST_EVIDENCE = 8;

/**
 * By what a panel judges a job: kinds as under a law, the JSON Schema that work has to meet, and the rubric by which a model reads it. Its
 * SHA-256 is the terms' `agreementHash`, so both parties have signed it.
 */
export const commissionSchema = z
  .strictObject({
    version: z.literal(1),
    kinds: z.array(z.enum(PANEL_KINDS)).min(1),
    schema: z.record(z.string(), z.json()).optional(),
    rubric: z.string().min(1).max(MOST_RUBRIC).optional(),
  })
  .refine(({ kinds }) => new Set(kinds).size === kinds.length, "each kind once")
  .refine(({ kinds, schema }) => kinds.includes("constraint") === (schema !== undefined), "a schema, for the kind `constraint` alone")
  .refine(({ kinds, rubric }) => kinds.includes("semantic") === (rubric !== undefined), "a rubric, for the kind `semantic` alone");
export type Commission = z.infer<typeof commissionSchema>;

/** SHA-256 of a commission's RFC 8785 text. */
export function commissionHash(commission: Commission): Hash {
  return sha256(canonicalBytes(commission));
}

/** What the provider submits to the escrow: Keccak-256 of the work's RFC 8785 text. */
export function deliverableOf(work: JsonObject): Hash {
  return keccak256(canonicalBytes(work));
}
