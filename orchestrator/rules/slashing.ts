import type { Reason } from "./reasons.ts";

/** Twin of `contracts/libraries/SlashingSchedule.sol`: what an executor's fault costs whatever its stake, smallest unit (AgentCity B.3). */
export const FINES: Partial<Readonly<Record<Reason, bigint>>> = {
  TIMEOUT: 50_000_000n,
  FREEZE_CONFIRMED: 100_000_000n,
  CODE_HASH_MISMATCH: 500_000_000n,
};

/** Faults that cost the whole stake of the slot. */
export const WHOLE_STAKE: readonly Reason[] = ["CLEARED_FAIL", "TERMINATED"];
