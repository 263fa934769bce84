import { sha256 } from "../primitives/hash.ts";
import type { Hash } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { agreementHash } from "./canonical.ts";
import { AgreementRefused } from "./errors.ts";
import { commitmentOf } from "./evaluators.ts";
import type { Agreement } from "./schema.ts";

/** Inputs of the lot on whether a delivery is judged, besides the terms. */
export interface SampleDraw {
  /** Hash of the delivery, and the nonce that the provider signed with it. */
  readonly deliverable: Hash;
  readonly provider: Hash;
  /** The client's nonce, opened after the delivery. */
  readonly client: Hash;
}

/**
 * Whether a delivery is judged, if deliveries are sampled. The client's nonce is fixed by its commitment in the terms and opened after the
 * delivery: the provider delivers without knowing the lot, and the client committed without knowing the provider's nonce. Throws WrongSeed.
 */
export function isSampled(agreement: Agreement, { deliverable, provider, client }: SampleDraw): boolean {
  const { sampling } = agreement.verification;
  if (sampling === undefined) return true;
  if (commitmentOf(client) !== sampling.commitment)
    throw new AgreementRefused("WrongSeed", "The nonce does not match the client's commitment");
  const lot = sha256(canonicalBytes(["asa/1 sample", agreementHash(agreement), deliverable, provider, client]));
  return BigInt(lot) % BigInt(sampling.one_in) === 0n;
}
