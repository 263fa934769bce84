import { sha256 } from "../primitives/hash.ts";
import type { Hash } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { agreementHash } from "./canonical.ts";
import { AgreementRefused } from "./errors.ts";
import { commitmentOf } from "./evaluators.ts";
import type { Agreement } from "./schema.ts";

/** What the lot on whether a delivery is judged is drawn from, beside the terms. */
export interface SampleDraw {
  /** Hash of what was delivered, and the nonce that the provider signed with it. */
  readonly deliverable: Hash;
  readonly provider: Hash;
  /** The client's nonce, which it opens afterwards. */
  readonly client: Hash;
}

/**
 * Whether a delivery is judged, where the terms have one in several judged. The client's nonce is fixed by the terms and opened after the delivery, so
 * the provider delivers without knowing the lot; the client's was fixed before it knew the provider's. Throws WrongSeed.
 */
export function isSampled(agreement: Agreement, { deliverable, provider, client }: SampleDraw): boolean {
  const { sampling } = agreement.verification;
  if (sampling === undefined) return true;
  if (commitmentOf(client) !== sampling.commitment) throw new AgreementRefused("WrongSeed", "The client committed to another nonce");
  const lot = sha256(canonicalBytes(["asa/1 sample", agreementHash(agreement), deliverable, provider, client]));
  return BigInt(lot) % BigInt(sampling.one_in) === 0n;
}
