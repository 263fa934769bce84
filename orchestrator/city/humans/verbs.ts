import { isSimulated } from "../../adjudication/simulated-judge.ts";
import { plainLine } from "../../primitives/plain-text.ts";
import { actionNumber } from "../../protocol/actions.ts";
import { type Outcome, THE_MISSION } from "../../protocol/outcome.ts";

/** By number of `enum Action`. */
const PAST_TENSE: Readonly<Record<number, string>> = {
  [actionNumber("FREEZE")]: "froze it",
  [actionNumber("UNFREEZE")]: "released it",
  [actionNumber("TERMINATE_MISSION")]: "ended the mission",
  [actionNumber("APPROVE_POP")]: "approved",
  [actionNumber("REJECT_POP")]: "rejected",
  [actionNumber("EMERGENCY_STOP")]: "stopped the mission",
  [actionNumber("CLEAR_EMERGENCY_STOP")]: "let the mission continue",
  [actionNumber("VETO_OUTPUT")]: "vetoed the output",
  [actionNumber("RELEASE_OUTPUT")]: "released the output",
  [actionNumber("RESOLVE_APPEAL")]: "decided an appeal",
  [actionNumber("CLASSIFY_FALSE_POSITIVE")]: "called a freeze a false alarm",
};

/** An adjudicator's act in the past tense, for an outcome. */
export function pastTenseOf(action: number): string {
  return PAST_TENSE[action] ?? "acted";
}

/** Actions on a mission as a whole: their node says nothing. */
const ON_THE_MISSION = [actionNumber("TERMINATE_MISSION"), actionNumber("EMERGENCY_STOP"), actionNumber("CLEAR_EMERGENCY_STOP")];
/** Characters of a reason that an outcome keeps; all of it is in the block that the chain names. */
const MAX_REASON = 300;

/** An order's entry in an outcome: the same for the city and for an audit. `text`: the justification, if available. */
export function humanEntry(action: number, node: string, adjudicator: string, text: string | undefined): Outcome["human"][number] {
  const because = plainLine(text ?? "");
  return {
    node: ON_THE_MISSION.includes(action) ? THE_MISSION : node,
    action: pastTenseOf(action),
    adjudicator,
    simulated: isSimulated(text ?? ""),
    because: because.length > MAX_REASON ? `${because.slice(0, MAX_REASON)}…` : because,
  };
}
