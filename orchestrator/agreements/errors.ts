import { AgentCityError } from "../primitives/errors.ts";

/** Codes of refused agreements, messages and events. Callers act on the code; the text is for people. */
export const REFUSALS = [
  "MalformedAgreement",
  "UnsupportedVersion",
  "OneParty",
  "UnknownKey",
  "BadSignature",
  "OtherTerms",
  "Frozen",
  "IllegalTransition",
  "NotYourTurn",
  "WrongSender",
  "WrongRound",
  "BrokenChain",
  "PathNotNegotiable",
  "ChangeTooLarge",
  "TooManyRounds",
  "BadAmount",
  "UnknownGate",
  "DeliverableMismatch",
  "Replayed",
  "CostTooHigh",
  "NoEvaluator",
  "NotIndependent",
  "WrongDetermination",
  "WrongSeed",
  "NothingToDivide",
  "BrokenRecord",
  "LedByEscrow",
  "BreakerOpen",
  "NotInEscrow",
  "NotHonoured",
  "OtherHistory",
  "NoRegistry",
] as const;
export type RefusalCode = (typeof REFUSALS)[number];

/** Refused by a rule of the agreement, without any change. */
export class AgreementRefused extends AgentCityError {
  readonly refusal: RefusalCode;
  constructor(refusal: RefusalCode, problem: string, details?: string, action?: string) {
    super(refusal, problem, { details, action });
    this.refusal = refusal;
  }
}
