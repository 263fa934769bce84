import { AgentCityError } from "../primitives/errors.ts";
import type { Case, Judge } from "./case.ts";
import type { BlocCase, BlocJudge } from "./rule-on-bloc.ts";
import type { Suspension, SuspensionJudge } from "./rule-on-suspension.ts";

/** Thresholds of the paper's simulated human (AgentCity D.5): calibrated there, an upper bound on what people achieve. */
export const SIMULATED_THRESHOLDS = { maxRisk: 0.8, minQuality: 0.6 } as const;

/** Chain id of a devnet: the only place where a simulated signature may stand for a human's (decision 42). */
const DEVNET = 31337;

/** First word of every justification that no human wrote. */
const LABEL = "SIMULATED";

/** True for the justification of a decision that no human took. */
export function isSimulated(justification: string): boolean {
  return justification.startsWith(LABEL);
}

export class SimulationRefused extends AgentCityError {
  constructor(chainId: number) {
    super("SimulationRefused", `A simulated adjudicator may not sign on chain ${chainId}`, {
      action: "let an adjudicator sign: npm start -- --ask, or the command shown beside the waiting case",
    });
  }
}

/**
 * Rejects what is too risky or too poor, approves the rest; voids a vote whose winner changes without the flagged ballots, releases any other;
 * lets a suspended mission go on when its records and the chain agree. Says that no human decided.
 */
export function simulatedJudge(chainId: number) {
  if (chainId !== DEVNET) throw new SimulationRefused(chainId);
  return {
    simulated: true,
    async decide(subject: Case) {
      const { maxRisk, minQuality } = SIMULATED_THRESHOLDS;
      const approve = subject.risk <= maxRisk && subject.quality >= minQuality;
      const figures = `quality ${subject.quality.toFixed(4)} (≥ ${minQuality}), risk ${subject.risk.toFixed(4)} (≤ ${maxRisk})`;
      return {
        ruling: approve ? "approve" : "reject",
        justification: `${LABEL} adjudicator, no human decided. ${subject.label}: ${figures}.`,
      };
    },
    async decideResumption({ cause, divergences }: Suspension) {
      const found = divergences.length === 0 ? "records and chain agree" : `records and chain differ: ${divergences.join("; ")}`;
      return {
        // What a person stopped, no simulation clears.
        resume: divergences.length === 0 && cause !== "stopped",
        justification: `${LABEL} adjudicators, no human decided. Suspended by ${cause}; ${found}.`,
      };
    },
    async decideBloc({ blocs, flagged, ballots, winner, otherwise }: BlocCase) {
      const release = otherwise === winner;
      const found = `${blocs.length === 1 ? "a bloc" : `${blocs.length} blocs`} of ${flagged} of ${ballots} voters`;
      const without = otherwise === undefined ? "no ballot is left" : `"${otherwise}" wins`;
      return {
        release,
        justification: `${LABEL} adjudicators, no human decided. ${found}; without them ${without}, with them "${winner}".`,
      };
    },
  } satisfies Judge & BlocJudge & SuspensionJudge;
}
