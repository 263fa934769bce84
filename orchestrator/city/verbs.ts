import { actionNumber } from "../protocol/actions.ts";

/** By number of `enum Action`. */
const PAST_TENSE: Readonly<Record<number, string>> = {
  [actionNumber("FREEZE")]: "froze it",
  [actionNumber("UNFREEZE")]: "released it",
  [actionNumber("TERMINATE_MISSION")]: "ended the mission",
  [actionNumber("APPROVE_POP")]: "approved",
  [actionNumber("REJECT_POP")]: "rejected",
  [actionNumber("EMERGENCY_STOP")]: "stopped the mission",
  [actionNumber("CLEAR_EMERGENCY_STOP")]: "let the mission go on",
  [actionNumber("VETO_OUTPUT")]: "vetoed the output",
  [actionNumber("RELEASE_OUTPUT")]: "released the output",
  [actionNumber("RESOLVE_APPEAL")]: "decided an appeal",
  [actionNumber("CLASSIFY_FALSE_POSITIVE")]: "called a freeze a false alarm",
};

/** What an outcome says that adjudicators did. */
export function pastTenseOf(action: number): string {
  return PAST_TENSE[action] ?? "acted";
}
