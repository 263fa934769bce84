import type { Address } from "../primitives/hex.ts";
import { act, type Panel, seatsOnMission, signaturesFor } from "./act.ts";

/** Why a mission is suspended until humans have reviewed it (AgentCity B.11.5, failure modes 3 and 4; B.11.2, emergency stop). */
export interface Suspension {
  readonly mission: Address;
  /** `freezes`: an agent's freezes stopped the mission; `stopped`: an adjudicator did. */
  readonly cause: "silence" | "divergence" | "freezes" | "stopped";
  /** Facts for the person who decides. */
  readonly facts: readonly string[];
  /** Where records and chain differ. */
  readonly divergences: readonly string[];
}

/** Decides whether a suspended mission resumes: people at a terminal, or a labelled simulation. */
export interface SuspensionJudge {
  readonly simulated: boolean;
  /** Undefined if external adjudicators decided on chain meanwhile. */
  decideResumption(subject: Suspension): Promise<{ readonly resume: boolean; readonly justification: string } | undefined>;
}

/**
 * Decides whether a mission that is DEGRADED or stopped resumes, and submits a yes with EMERGENCY_CLEAR_SIGNATURES signatures. A no needs
 * no act: the mission expires. But an unconfirmed suspension lapses, so one adjudicator signs a confirmation.
 */
export async function ruleOnSuspension(panel: Panel, judge: SuspensionJudge, subject: Suspension): Promise<boolean> {
  const { client, keep } = panel;
  const { mission } = subject;
  const decided = await judge.decideResumption(subject);
  if (decided === undefined) return true;
  if (!decided.resume) {
    if (subject.cause !== "divergence") {
      await keep(decided.justification);
      return false;
    }
    const one = await seatsOnMission(panel, mission, { action: "EMERGENCY_STOP", needed: 1 });
    const seen = await client.mission(mission).caseHash(0);
    await act(panel, one, { action: "EMERGENCY_STOP", mission, caseHash: seen, because: decided.justification });
    return false;
  }
  const caseHash = await client.mission(mission).caseHash(0);
  const order = { action: "CLEAR_EMERGENCY_STOP", mission, caseHash, because: decided.justification } as const;
  const needed = await signaturesFor(panel, order);
  await act(panel, await seatsOnMission(panel, mission, { action: order.action, needed }), order);
  return true;
}
