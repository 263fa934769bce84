/**
 * Who may sign which action of the override panel: what becomes of an order when one of the signatures it needs is theirs.
 * `docs/authority.md` prints it; `test/contracts/authority/signers.test.ts` signs every action as every kind.
 */
import type { ActionName } from "../../orchestrator/protocol/actions.ts";
import type { Role } from "./authority.ts";

/** What the order meets when it is carried out, or that nothing refuses the signature. */
export const SIGNS = "signs";

export interface SignerRule {
  readonly who: string;
  /** Name of the error, or SIGNS. */
  readonly answer: string;
  readonly but?: Partial<Record<ActionName, string>>;
}

const NEEDS_MORE = "NotEnoughSignatures";

/** An action that names no one has no interested party; the release checks who is flagged instead. */
const ABOUT_NOBODY = {
  AMEND_PARAMETER: SIGNS,
  SET_ENVELOPE: SIGNS,
  RELEASE_WATCHDOG: SIGNS,
  STOP_CITY: SIGNS,
  RESUME_CITY: SIGNS,
} as const;

/** Kinds that differ from action to action. */
export const SIGNERS = {
  adjudicator: { who: "together with as many others as the action needs", answer: SIGNS },
  conflicted: {
    who: "its principal takes part, answers for the target, is to, or sponsors the session",
    answer: "Conflicted",
    but: ABOUT_NOBODY,
  },
  flagged: { who: "warned of by the watchdog", answer: SIGNS, but: { RELEASE_WATCHDOG: "Conflicted" } },
  senior: {
    who: "alone, while fewer than half of the quorum are without a conflict",
    answer: SIGNS,
    but: {
      ADJUST_REPUTATION: NEEDS_MORE,
      SLASH: NEEDS_MORE,
      FREEZE_PRINCIPAL: NEEDS_MORE,
      CLAIM_INSURANCE: NEEDS_MORE,
      DISBURSE: NEEDS_MORE,
      APPOINT_CLERK: NEEDS_MORE,
      SET_ENVELOPE: NEEDS_MORE,
      PUBLISH_TEMPLATE: NEEDS_MORE,
      REGISTER_ISSUER: NEEDS_MORE,
      ADMIT_ADJUDICATOR: NEEDS_MORE,
      AMEND_CONSTITUTION: NEEDS_MORE,
      RULE_ON_BLOC: NEEDS_MORE,
      IMPEACH: NEEDS_MORE,
      AUDIT_UNILATERAL: NEEDS_MORE,
      RELEASE_WATCHDOG: NEEDS_MORE,
      SET_MANDATE: NEEDS_MORE,
      FAULT_SLOTS: NEEDS_MORE,
      STOP_CITY: NEEDS_MORE,
      RESUME_CITY: NEEDS_MORE,
      FREEZE_AGENT: NEEDS_MORE,
    },
  },
  frozen: {
    who: "enough of them, while the watchdog has frozen the panel",
    answer: "FrozenByWatchdog",
    but: { IMPEACH: SIGNS, RELEASE_WATCHDOG: SIGNS },
  },
} as const satisfies Record<string, SignerRule>;

/** Kinds whose signature is worth nothing anywhere. */
export const NO_SIGNERS: readonly Role[] = [
  "resigned",
  "impeached",
  "producer",
  "sub-agent",
  "principal",
  "verifier",
  "registrar",
  "speaker",
  "regulator",
  "codifier",
  "outsider",
];
export const NO_SIGNER = "NotAdjudicator";

/** What an order on a mission gets that is about something else, and one on the city that names a mission. */
export const NO_MISSION = "NotGenuine";
export const WITH_MISSION = "NotOfThisAct";

export const answerTo = (rule: SignerRule, action: ActionName): string => rule.but?.[action] ?? rule.answer;
