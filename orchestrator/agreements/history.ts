import { canonicalJson } from "../primitives/json.ts";
import { agreementHash } from "./canonical.ts";
import { type Agreement, sameIdentity } from "./schema.ts";
import { deliveriesOf } from "./score.ts";

/** A delivery that was judged, under whatever agreement. */
export interface JudgedDelivery {
  readonly agreement: Agreement;
  /** Unix second in which its result was taken. */
  readonly at: number;
  /** Hundredths of a point. */
  readonly composite: number;
}

/** Whether two agreements are deliveries under one promise: of one provider to one client, of one type, by the same criteria. */
function isOfOnePromise(one: Agreement, other: Agreement): boolean {
  const asked = ({ service, quality_criteria }: Agreement) => canonicalJson([service.type, quality_criteria]);
  return (
    sameIdentity(one.parties.client.identity, other.parties.client.identity) &&
    sameIdentity(one.parties.provider.identity, other.parties.provider.identity) &&
    asked(one) === asked(other)
  );
}

/**
 * Composites of the deliveries before, oldest first, that an agreement's promise is about; none where it promises nothing over many. It is made of
 * all that was judged, by whoever takes a result: neither a party nor an evaluator leaves one out.
 */
export function historyOf(agreement: Agreement, judged: readonly JudgedDelivery[]): readonly number[] {
  const { guarantee } = agreement.quality_criteria;
  if (guarantee === undefined) return [];
  const hash = agreementHash(agreement);
  const before = judged
    .filter((each) => isOfOnePromise(each.agreement, agreement) && agreementHash(each.agreement) !== hash)
    // Of one second by their hashes, so that it is one order for everybody.
    .toSorted((one, other) => one.at - other.at || (agreementHash(one.agreement) < agreementHash(other.agreement) ? -1 : 1))
    .map(({ composite }) => composite);
  return before.slice(Math.max(0, before.length - (deliveriesOf(guarantee) - 1)));
}
