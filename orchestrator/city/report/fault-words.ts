import { TIER } from "../../primitives/tier.ts";
import type { Reason } from "../../rules/reasons.ts";

/** Why an attempt at a node failed, for people, and what its sponsor can do about it. */
export interface FaultWords {
  readonly words: string;
  readonly action: string;
}

const ANOTHER_TRY = "run the mission again; other agents may take the work";
const READ_THE_WORK = "read the work under `blocks/` and the predicates in the mission file";
const ASK_HUMANS = "make sure that adjudicators see the case (`--ask`, or `--wait-for-humans` and `npm run override -- queue`)";

const DISAGREED: FaultWords = {
  words: "too few of its executors agreed",
  action:
    "look at the items below on which they differ; lower `agree.atLeast`, compare another field, or choose services that answer alike",
};

/** By reason code of the chain's events (`Reasons.sol`). */
const BY_REASON: Readonly<Record<string, FaultWords>> = {
  CLEARED_FAIL: { words: "the verifiers found the work wrong, or against the mission's predicates", action: READ_THE_WORK },
  UNVERIFIABLE: { words: "two panels found nothing to decide on, and a human rejected the work", action: ANOTHER_TRY },
  TIMEOUT: { words: "its executors did not deliver in time", action: "give the task a longer `timeout`, or run the mission again" },
  NO_BIDS: { words: "no agent offered to do it", action: "raise the budget, or name a service that agents of this city offer" },
  NOT_ROUTED: { words: "its executors were never started", action: ANOTHER_TRY },
  CODE_HASH_MISMATCH: { words: "an executor ran other code than it had registered", action: ANOTHER_TRY },
  REJECTED: {
    words: "an adjudicator rejected the work",
    action: "change what the adjudicator objects to in goal, input or tasks, and give the mission again",
  },
  REVIEW_EXPIRED: { words: "no adjudicator decided in time", action: ASK_HUMANS },
  FREEZE_EXPIRED: { words: "it was frozen as suspicious, and no adjudicator decided in time", action: ASK_HUMANS },
  FREEZE_CONFIRMED: { words: "it was frozen as suspicious, and adjudicators confirmed that", action: ANOTHER_TRY },
  CHILD_FAILED: { words: "the mission below it failed", action: "look at that mission's own report" },
} satisfies Partial<Record<Reason, FaultWords>>;

/** `tier` is the failed node's. A reason that this version does not know is given as it is. */
export function faultWords(reason: string, tier: number): FaultWords {
  if (reason === "UNVERIFIABLE" && tier === TIER.CONSENSUS) return DISAGREED;
  return BY_REASON[reason] ?? { words: reason.toLowerCase().replaceAll("_", " "), action: ANOTHER_TRY };
}

/** Explains why a service failed. */
export function crashWords(fault: string): FaultWords {
  return { words: `its service failed: ${fault}`, action: "repair the service, or name another one in the mission file" };
}
