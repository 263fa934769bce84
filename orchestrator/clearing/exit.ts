import { z } from "zod";
import type { Hash } from "../primitives/hex.ts";
import type { BoundObligation } from "./bind.ts";
import { type Cleared, floorMet, isSigned } from "./clearing-decision.ts";
import type { Deployment } from "./deployment.ts";
import type { Docket } from "./docket.ts";
import { isEngineSignature, requireEngine } from "./engine.ts";
import { amountSchema, digestSchema, nameSchema, secondsOf, timeOf, timeSchema } from "./fields.ts";
import { EXITS } from "./lifecycle.ts";
import { type Checked, refuse } from "./refusal.ts";
import { hashOf, messageOf, signHash, without } from "./seal.ts";
import { collateralEndSchema } from "./settlement-instruction.ts";
import { type Signature, type Signer, signatureSchema } from "./signature.ts";

/**
 * How an obligation ended without finality (RAILS 6.3): both parties cancelled it, its time passed without evidence, or nothing resolved its
 * dispute. No settlement: the fee goes back, the collateral back or, if the provider did not perform, to the requestor.
 */
export const exitRecordSchema = z.strictObject({
  exit_id: digestSchema,
  obligation_hash: digestSchema,
  exit: z.enum(EXITS),
  /** The parties' signatures over a cancellation, by role. */
  cancelled_by: z.strictObject({ requestor: signatureSchema, provider: signatureSchema }).optional(),
  /** The decision that nothing resolved. */
  clearing_decision_hash: digestSchema.optional(),
  fee_action: z.strictObject({ type: z.literal("refund"), refund_amount: amountSchema, currency: nameSchema }),
  /** Absent without collateral. */
  collateral_action: collateralEndSchema.optional(),
  passport_delta: z.record(nameSchema, z.int()).readonly(),
  closed_at: timeSchema,
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
});
export type ExitRecord = z.infer<typeof exitRecordSchema>;

/** Content of both parties' signatures over a cancellation. */
export function cancellationHash(obligationHash: Hash): Hash {
  return hashOf({ obligation_hash: obligationHash, exit: "CANCELLED" });
}

/** What ends an obligation. */
export type ExitCause =
  | { readonly exit: "CANCELLED"; readonly requestor: Signature; readonly provider: Signature }
  /** `began`: when the execution window started, if another clock than `bound_at` keeps it. */
  | { readonly exit: "EXPIRED"; readonly began?: bigint }
  | { readonly exit: "UNVERIFIABLE"; readonly cleared: Cleared };

export interface ExitInput {
  readonly obligation: BoundObligation;
  readonly cause: ExitCause;
  readonly deployment: Deployment;
  readonly engine: Signer;
  readonly docket: Docket;
  /** Seconds since 1970. */
  readonly now: bigint;
}

/**
 * Closes an obligation without a clearing. EXIT_NOT_DUE: a party did not sign the cancellation, the execution window is still open, or the
 * decision is not an undecided one of this obligation, or can still be escalated. The docket refuses obligations that are settled, and
 * settles none that ended here. The engine vouches that no evidence came in time. Throws NotTheEngine unless the caller is an engine of this
 * obligation.
 */
export function recordExit({ obligation, cause, deployment, engine, docket, now }: ExitInput): Checked<ExitRecord> {
  requireEngine(engine.id, obligation, deployment);
  const problem = exitProblem(obligation, cause, deployment, now);
  if (problem !== undefined) return refuse("EXIT_NOT_DUE", obligation.obligation_id, problem);
  const { fee, currency, collateral } = obligation.economic_terms;
  const { provider } = obligation.parties;
  const isDefault = cause.exit === "EXPIRED";
  const body = {
    obligation_hash: obligation.obligation_hash,
    exit: cause.exit,
    ...(cause.exit === "CANCELLED" ? { cancelled_by: { requestor: cause.requestor, provider: cause.provider } } : {}),
    ...(cause.exit === "UNVERIFIABLE" ? { clearing_decision_hash: cause.cleared.decision.clearing_decision_hash } : {}),
    fee_action: { type: "refund" as const, refund_amount: fee, currency },
    ...(collateral === 0 ? {} : { collateral_action: collateralEnd(collateral, isDefault) }),
    passport_delta: DELTAS[cause.exit](provider),
    closed_at: timeOf(now),
    clearing_engine: engine.id,
  };
  const id = hashOf(body);
  return docket.exit({ ...body, exit_id: id, clearing_engine_signature: signHash(engine, "exit", id) });
}

/** Whether an exit record is what a registered engine signed. */
export function isExitSigned(record: ExitRecord, deployment: Deployment): boolean {
  const id = hashOf(without(record, "exit_id", "clearing_engine_signature"));
  return id === record.exit_id && isEngineSignature(record.clearing_engine, "exit", id, record.clearing_engine_signature, deployment);
}

/** A cancellation leaves nothing but its event; who does not perform failed; an unresolved dispute is nobody's fault. */
const DELTAS: Readonly<Record<ExitRecord["exit"], (provider: string) => Readonly<Record<string, number>>>> = {
  CANCELLED: (provider) => ({ [`${provider}.cancelled_obligations`]: 1 }),
  EXPIRED: (provider) => ({ [`${provider}.failed_obligations`]: 1 }),
  UNVERIFIABLE: () => ({}),
};

function collateralEnd(amount: number, isDefault: boolean): NonNullable<ExitRecord["collateral_action"]> {
  return isDefault ? { type: "slash", amount, return_amount: 0 } : { type: "return", amount };
}

function exitProblem(obligation: BoundObligation, cause: ExitCause, deployment: Deployment, now: bigint): string | undefined {
  const { parties, obligation_hash, bound_at, deadlines } = obligation;
  switch (cause.exit) {
    case "CANCELLED": {
      const message = messageOf("cancellation", cancellationHash(obligation_hash));
      const missing = (["requestor", "provider"] as const).find((part) => {
        const key = deployment.registry.identity(parties[part])?.key;
        return key === undefined || !deployment.verify(key, message, cause[part]);
      });
      return missing === undefined ? undefined : `${parties[missing]} has not signed the cancellation`;
    }
    case "EXPIRED": {
      const own = deadlines.execution_begins === undefined && bound_at !== undefined ? BigInt(secondsOf(bound_at)) : undefined;
      const began = own ?? cause.began;
      if (began === undefined) return "it is not known when its execution window began";
      const ends = began + BigInt(Math.ceil(deadlines.execution_window_hours * 3600));
      return now > ends ? undefined : `its execution window is open until ${timeOf(ends)}`;
    }
    case "UNVERIFIABLE": {
      const { decision, aggregates } = cause.cleared;
      if (cause.cleared.obligation.obligation_hash !== obligation_hash || !isSigned(decision, deployment))
        return "the decision is not a signed one of this obligation";
      if (floorMet(aggregates.fee_release) || floorMet(aggregates.collateral_hold)) return "the decision decides it";
      const until = decision.appeal_window_closes_at;
      return now > BigInt(secondsOf(until)) ? undefined : `it can be escalated until ${until}`;
    }
  }
}
