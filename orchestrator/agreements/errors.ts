import { AgentCityError } from "../primitives/errors.ts";

/** Why an agreement, a message or an event is refused. A caller tells by the code what to do; the text is for people. */
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
] as const;
export type RefusalCode = (typeof REFUSALS)[number];

/** Refused by a rule of the agreement; nothing changed. */
export class AgreementRefused extends AgentCityError {
  readonly refusal: RefusalCode;
  constructor(refusal: RefusalCode, problem: string, details?: string, action?: string) {
    super(refusal, problem, { details, action });
    this.refusal = refusal;
  }
}
