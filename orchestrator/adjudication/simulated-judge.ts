import { DEVNET_CHAIN_ID } from "../chain/devnet.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Case } from "./case.ts";
import type { Judges } from "./judges.ts";
import type { AppealCase } from "./rule-on-appeal.ts";
import type { BlocCase } from "./rule-on-bloc.ts";
import type { Suspension } from "./rule-on-suspension.ts";

/** Thresholds of the paper's simulated human (AgentCity D.5): calibrated there, and an upper bound on what people achieve. */
export const SIMULATED_THRESHOLDS = { maxRisk: 0.8, minQuality: 0.6 } as const;

type Judged = Pick<Case, "label" | "quality" | "risk">;
const isGood = ({ quality, risk }: Judged): boolean => risk <= SIMULATED_THRESHOLDS.maxRisk && quality >= SIMULATED_THRESHOLDS.minQuality;
const reasonFor = ({ label, quality, risk }: Judged): string =>
  `${LABEL} adjudicator, no human decided. ${label}: quality ${quality.toFixed(4)} (≥ ${SIMULATED_THRESHOLDS.minQuality}), risk ${risk.toFixed(4)} (≤ ${SIMULATED_THRESHOLDS.maxRisk}).`;

/** First word of every justification that was not written by a human. */
const LABEL = "SIMULATED";

/** Whether a justification belongs to a simulated decision. */
export function isSimulated(justification: string): boolean {
  return justification.startsWith(LABEL);
}

export class SimulationRefused extends AgentCityError {
  constructor(chainId: number) {
    super("SimulationRefused", `A simulated adjudicator may not sign on chain ${chainId}`, {
      action: "let an adjudicator sign: npm start -- --ask, or the command shown with the waiting case",
    });
  }
}

/**
 * Rejects work that is too risky, too poor or vetoed by a gate, and approves the rest; voids a vote whose winner changes without the
 * flagged ballots, releases any other; resumes a suspended mission if its records and the chain agree; lets a clearing stand that it would
 * have approved, else upholds every appeal with the mesh's score as share. States that no human decided.
 */
export function simulatedJudge(chainId: number) {
  // Only on the devnet may a simulated signature stand for a human's (decision 42).
  if (chainId !== DEVNET_CHAIN_ID) throw new SimulationRefused(chainId);
  return {
    simulated: true,
    async decide(subject: Case) {
      const isVetoed = subject.reason === "vetoed";
      const justification = isVetoed ? `${reasonFor(subject)} The gate vetoed it.` : reasonFor(subject);
      // The simulation never releases an output that a gate vetoed.
      return { ruling: !isVetoed && isGood(subject) ? "approve" : "reject", justification };
    },
    async decideAppeal(subject: AppealCase) {
      const upheld = isGood(subject) ? [] : [...subject.appeals.keys()];
      return { upheld, share: upheld.length === 0 ? 0 : subject.quality, slash: 0n, culprits: [], justification: reasonFor(subject) };
    },
    async decideResumption({ cause, divergences }: Suspension) {
      const found = divergences.length === 0 ? "records and chain agree" : `records and chain differ: ${divergences.join("; ")}`;
      return {
        // A stop by a person is never lifted by the simulation.
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
  } satisfies Judges;
}
