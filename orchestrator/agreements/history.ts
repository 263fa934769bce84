import { sha256 } from "../primitives/hash.ts";
import type { Hash } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { agreementHash } from "./canonical.ts";
import type { Agreement } from "./schema.ts";
import { deliveriesOf } from "./score.ts";

/** A delivery that was judged, under whatever agreement. */
export interface JudgedDelivery {
  readonly agreement: Agreement;
  /** Unix second in which its result was taken. */
  readonly at: number;
  /** Hundredths of a point. */
  readonly composite: number;
}

/** What agreements of one promise have in common: their parties, the type of service, and the criteria. */
export function promiseOf({ parties: { client, provider }, service, quality_criteria }: Agreement): Hash {
  const parties = [client, provider].map(({ identity }) => [identity.scheme, identity.value]);
  return sha256(canonicalJson(["asa/1 promise", ...parties, service.type, quality_criteria]));
}

/** How many deliveries before its own an agreement's promise is about, at most. */
export function promisedBefore({ quality_criteria: { guarantee } }: Agreement): number {
  return guarantee === undefined ? 0 : deliveriesOf(guarantee) - 1;
}

/**
 * Composites of the deliveries before, oldest first, that an agreement's promise is about; none where it promises nothing over many. It is made of
 * all that was judged, by whoever takes a result: neither a party nor an evaluator leaves one out.
 */
export function historyOf(agreement: Agreement, judged: readonly JudgedDelivery[]): readonly number[] {
  const promise = promiseOf(agreement);
  const hash = agreementHash(agreement);
  const before = judged
    .filter((each) => promiseOf(each.agreement) === promise && agreementHash(each.agreement) !== hash)
    // Of one second by their hashes, so that it is one order for everybody.
    .toSorted((one, other) => one.at - other.at || (agreementHash(one.agreement) < agreementHash(other.agreement) ? -1 : 1))
    .map(({ composite }) => composite);
  return before.slice(Math.max(0, before.length - promisedBefore(agreement)));
}
