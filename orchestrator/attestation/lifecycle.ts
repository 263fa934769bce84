import { AgentCityError } from "../primitives/errors.ts";
import type { ClaimType } from "./claims.ts";
import type { LifecycleEvent } from "./events.ts";
import type { OutcomeStatus } from "./outcome.ts";
import { entryAfter, type TrailEntry, type TrailHead } from "./trail.ts";

export interface ClaimRecord {
  readonly claimType: ClaimType;
  /** "emitted" until checked, then the outcome, permanently. */
  readonly status: "emitted" | OutcomeStatus;
  readonly suppressed: boolean;
  /** Principals that saw it, in order of first disclosure. */
  readonly shownTo: readonly string[];
}

/** An event that the claim's state does not allow; nothing changed. */
export class LifecycleRefused extends AgentCityError {
  readonly rule: string;
  constructor(rule: string, event: LifecycleEvent) {
    super("LifecycleRefused", `A claim's life does not allow this: ${rule}`, { details: `${event.action} of ${event.claim}` });
    this.rule = rule;
  }
}

export interface LifecycleRule {
  readonly name: string;
  readonly refuses: (event: LifecycleEvent, record: ClaimRecord | undefined) => boolean;
}

/** The guards, one by one, so that the model checker can drop each (P-1, P-2, P-4, disjointness). */
export const LIFECYCLE_RULES: readonly LifecycleRule[] = [
  { name: "a claim is emitted once", refuses: ({ action }, record) => action === "emit" && record !== undefined },
  { name: "only an emitted claim is acted upon", refuses: ({ action }, record) => action !== "emit" && record === undefined },
  {
    name: "a claim is verified once",
    refuses: ({ action }, record) => action === "verify" && record !== undefined && record.status !== "emitted",
  },
  {
    name: "only a rejected or unverifiable claim is suppressed",
    refuses: ({ action }, record) => action === "suppress" && (record?.status === "emitted" || record?.status === "verified"),
  },
  { name: "a claim is suppressed once", refuses: ({ action }, record) => action === "suppress" && record?.suppressed === true },
  {
    name: "only a verified claim is shown",
    refuses: ({ action }, record) => action === "show" && record !== undefined && record.status !== "verified",
  },
];

const BLANK: ClaimRecord = { claimType: "measurement", status: "emitted", suppressed: false, shownTo: [] };

/**
 * Applies an event to its claim and returns the claim with its trail entry: neither exists without the other (P-3). `known`: the claim
 * before, undefined if new; `head`: the end of the trail; `at`: ISO 8601, UTC. Throws LifecycleRefused.
 */
export function advance(
  known: ClaimRecord | undefined,
  head: TrailHead,
  event: LifecycleEvent,
  at: string,
  rules: readonly LifecycleRule[] = LIFECYCLE_RULES,
): { readonly record: ClaimRecord; readonly entry: TrailEntry } {
  const broken = rules.find(({ refuses }) => refuses(event, known));
  if (broken !== undefined) throw new LifecycleRefused(broken.name, event);
  return { record: changed(known ?? BLANK, event), entry: entryAfter(head, event, at) };
}

function changed(record: ClaimRecord, event: LifecycleEvent): ClaimRecord {
  switch (event.action) {
    case "emit":
      return { ...BLANK, claimType: event.claimType };
    case "verify":
      return { ...record, status: event.status };
    case "suppress":
      return { ...record, suppressed: true };
    case "show":
      return record.shownTo.includes(event.principal) ? record : { ...record, shownTo: [...record.shownTo, event.principal] };
  }
}
