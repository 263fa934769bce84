import type { Hash } from "../primitives/hex.ts";
import type { Deployment } from "./deployment.ts";
import type { ExitRecord } from "./exit.ts";
import { evaluationId, type FinalityEvaluation, isEvaluationSigned } from "./finality.ts";
import { advance, LIMITS, type LifecycleState } from "./lifecycle.ts";
import { accept, type Checked, refuse } from "./refusal.ts";
import type { SettlementInstruction } from "./settlement-instruction.ts";

/** What was settled under an obligation, or how it ended without. */
export interface DocketEntry {
  readonly state: LifecycleState;
  /** The instruction, or the record of the exit. */
  readonly instruction: Hash;
  /** The decision behind it; the exit's own id if there was none. */
  readonly decision: Hash;
}

/** Storage of a docket's entries by obligation hash: a Map, or a persistent store. */
export interface DocketStore {
  get(obligation: Hash): DocketEntry | undefined;
  set(obligation: Hash, entry: DocketEntry): void;
}

/**
 * The engine's memory: an obligation is settled once. A second decision replaces the first only after an appeal, and nothing follows
 * finality (RAILS 6). Every step is a transition of the lifecycle.
 */
export interface Docket {
  entry(obligation: Hash): DocketEntry | undefined;
  /** Records an instruction. Idempotent. */
  settle(instruction: SettlementInstruction): Checked<SettlementInstruction>;
  /** Returns the obligation to verification: its instruction never becomes final. */
  appeal(obligation: Hash): Checked<DocketEntry>;
  /** Ends it without a settlement. Idempotent. */
  exit(record: ExitRecord): Checked<ExitRecord>;
  /** Ends it with a signed evaluation that fired. */
  close(evaluation: FinalityEvaluation, deployment: Deployment): Checked<DocketEntry>;
}

/** An obligation's state when its decision arrives; the decision anchors the earlier stages. */
const ADJUDICATION: LifecycleState = { stage: "ADJUDICATION", escalations: 0, appeals: 0 };

/** The state after an exit; undefined if the stage has no such one. What an appeal reopened is decided again before it is unresolved. */
function leaving(exit: ExitRecord["exit"], reopened: LifecycleState | undefined): LifecycleState | undefined {
  switch (exit) {
    case "CANCELLED":
      return advance(reopened ?? ADJUDICATION, "CANCEL");
    case "EXPIRED":
      return reopened === undefined ? advance({ ...ADJUDICATION, stage: "EVIDENCE_SUBMISSION" }, "DEADLINE_PASSED") : undefined;
    case "UNVERIFIABLE":
      return advance(reopened === undefined ? ADJUDICATION : advance(reopened, "OUTPUTS_COMPLETE"), "UNRESOLVED");
  }
}

export function openDocket(store: DocketStore = new Map<Hash, DocketEntry>()): Docket {
  const write = (obligation: Hash, entry: DocketEntry): Checked<DocketEntry> => {
    store.set(obligation, entry);
    return accept(entry);
  };
  return {
    entry: (obligation) => store.get(obligation),

    settle(instruction) {
      const { obligation_hash: obligation, instruction_id, clearing_decision_hash: decision } = instruction;
      const known = store.get(obligation);
      if (known?.instruction === instruction_id && known.state.stage !== "VERIFICATION") return accept(instruction);
      if (known !== undefined && known.state.stage !== "VERIFICATION")
        return refuse("SETTLED_ALREADY", obligation, `by ${known.instruction}, now in ${known.state.stage}`);
      const ready = known === undefined ? ADJUDICATION : advance(known.state, "OUTPUTS_COMPLETE");
      write(obligation, { state: advance(ready, "INSTRUCTION_EMITTED"), instruction: instruction_id, decision });
      return accept(instruction);
    },

    appeal(obligation) {
      const known = store.get(obligation);
      if (known?.state.stage !== "SETTLEMENT_INSTRUCTION" || known.state.appeals >= LIMITS.appeals)
        return refuse("SETTLED_ALREADY", obligation, known === undefined ? "nothing was settled" : `in ${known.state.stage}`);
      return write(obligation, { ...known, state: advance(advance(known.state, "APPEAL"), "REOPEN") });
    },

    exit(record) {
      const { obligation_hash: obligation, exit_id, exit } = record;
      const known = store.get(obligation);
      if (known?.instruction === exit_id) return accept(record);
      if (known !== undefined && known.state.stage !== "VERIFICATION")
        return refuse("SETTLED_ALREADY", obligation, `by ${known.instruction}, now in ${known.state.stage}`);
      const state = leaving(exit, known?.state);
      if (state === undefined) return refuse("EXIT_NOT_DUE", obligation, "after an appeal, evidence was handed in: it cannot expire");
      write(obligation, { state, instruction: exit_id, decision: record.clearing_decision_hash ?? exit_id });
      return accept(record);
    },

    close(evaluation, deployment) {
      const { obligation_hash: obligation, instruction_id, phi_result } = evaluation;
      const known = store.get(obligation);
      if (!phi_result || !isEvaluationSigned(evaluation, deployment))
        return refuse("NOT_FINAL", obligation, "ϕ has not fired, or no engine says so");
      if (known?.instruction !== instruction_id || known.state.stage !== "SETTLEMENT_INSTRUCTION")
        return refuse("NOT_FINAL", obligation, `${evaluationId(evaluation)} is about another instruction`);
      return write(obligation, { ...known, state: advance(known.state, "PHI_FIRED") });
    },
  };
}
