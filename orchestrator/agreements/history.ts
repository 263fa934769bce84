import { sha256 } from "../primitives/hash.ts";
import type { Hash } from "../primitives/hex.ts";
import { canonicalJson } from "../primitives/json.ts";
import { agreementHash } from "./canonical.ts";
import type { Agreement } from "./schema.ts";
import { deliveriesOf } from "./score.ts";

/** A judged delivery, under any agreement. */
export interface JudgedDelivery {
  readonly agreement: Agreement;
  /** Unix second in which its result was accepted. */
  readonly at: number;
  /** Hundredths of a point. */
  readonly composite: number;
}

/** Properties that agreements under one guarantee share: their parties, the type of service, and the criteria. */
export function promiseOf({ parties: { client, provider }, service, quality_criteria }: Agreement): Hash {
  const parties = [client, provider].map(({ identity }) => [identity.scheme, identity.value]);
  return sha256(canonicalJson(["asa/1 promise", ...parties, service.type, quality_criteria]));
}

/** Maximum number of earlier deliveries that a guarantee covers. */
export function promisedBefore({ quality_criteria: { guarantee } }: Agreement): number {
  return guarantee === undefined ? 0 : deliveriesOf(guarantee) - 1;
}

/**
 * Composites of the earlier deliveries that an agreement's guarantee covers, oldest first; none without such a guarantee. The recipient of
 * a result derives it from all judged deliveries, so neither a party nor an evaluator can omit one.
 */
export function historyOf(agreement: Agreement, judged: readonly JudgedDelivery[]): readonly number[] {
  const promise = promiseOf(agreement);
  const hash = agreementHash(agreement);
  const before = judged
    .filter((each) => promiseOf(each.agreement) === promise && agreementHash(each.agreement) !== hash)
    // Deliveries of the same second are ordered by hash, so that everyone has the same order.
    .toSorted((one, other) => one.at - other.at || (agreementHash(one.agreement) < agreementHash(other.agreement) ? -1 : 1))
    .map(({ composite }) => composite);
  return before.slice(Math.max(0, before.length - promisedBefore(agreement)));
}
