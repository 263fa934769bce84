import { z } from "zod";
import type { Hash } from "../primitives/hex.ts";
import type { BoundObligation } from "./bind.ts";
import { type Cleared, floorMet, isSigned } from "./clearing-decision.ts";
import type { Deployment } from "./deployment.ts";
import type { Docket, DocketMargin } from "./docket.ts";
import { isEngineRecord, requireEngine } from "./engine.ts";
import { amountSchema, digestSchema, nameSchema, secondsOf, timeOf, timeSchema } from "./fields.ts";
import { EXITS } from "./lifecycle.ts";
import { executionBegins, type Obligation, outcomesOf, performersOf } from "./obligation.ts";
import { type Checked, refuse } from "./refusal.ts";
import { hashOf, messageOf, signHash } from "./seal.ts";
import { claimActionSchema, collateralEndSchema, endOfCollateral, principalActionSchema } from "./settlement-instruction.ts";
import { type Signature, type Signer, signatureSchema } from "./signature.ts";

/**
 * How an obligation ended without finality (RAILS 6.3): it was cancelled, its time passed without evidence, or nothing resolved its dispute.
 * Nothing is released without a clearing: fee and principal go back, no claim is paid, and the collateral goes back or, of whoever did not
 * perform, to the requestor.
 */
export const exitRecordSchema = z.strictObject({
  exit_id: digestSchema,
  obligation_hash: digestSchema,
  exit: z.enum(EXITS),
  /** The parties' signatures over a cancellation, by role. */
  cancelled_by: z.strictObject({ requestor: signatureSchema, provider: signatureSchema }).optional(),
  /** The requestor's signature under a refusal, within its window. */
  refused_by: signatureSchema.optional(),
  /** Why the rail ended it, and where the rail says so; absent if the parties' signatures, the obligation's own clock or a decision did. */
  ended_by: z.strictObject({ reason: nameSchema, receipt: nameSchema }).optional(),
  /** The decision that nothing resolved. */
  clearing_decision_hash: digestSchema.optional(),
  fee_action: z.strictObject({ type: z.literal("refund"), refund_amount: amountSchema, currency: nameSchema }),
  /** Absent without principal. It goes back as after a failure. */
  principal_action: principalActionSchema.optional(),
  /** Absent without a claim ceiling. No loss was found. */
  claim_action: claimActionSchema.optional(),
  /** Absent without collateral. */
  collateral_action: collateralEndSchema.optional(),
  /** What the rail took of whose collateral; absent if it took nothing. */
  slashed: z.record(nameSchema, amountSchema).readonly().optional(),
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

/** Content of the requestor's signature under a refusal: half of a cancellation is none. */
export function refusalHash(obligationHash: Hash): Hash {
  return hashOf({ obligation_hash: obligationHash, exit: "CANCELLED", by: "requestor" });
}

/** An end that the rail itself brought about, by clocks and signatures of its own: a deployment must know of it (`Deployment.ended`). */
export interface RailEnd {
  readonly reason: string;
  /** Where the rail says so. */
  readonly receipt: string;
  /** Performers that it holds responsible. */
  readonly atFault: readonly string[];
  /** By performer, smallest units. */
  readonly slashed: Readonly<Record<string, number>>;
}

/** What ends an obligation. */
export type ExitCause =
  | { readonly exit: ExitRecord["exit"]; readonly ended: RailEnd; readonly decision?: Hash | undefined }
  | { readonly exit: "CANCELLED"; readonly requestor: Signature; readonly provider: Signature }
  /** By the requestor alone, within `deadlines.refusal_window_hours`. */
  | { readonly exit: "CANCELLED"; readonly refused: Signature }
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
 * Closes an obligation without a clearing. EXIT_NOT_DUE: a party did not sign the cancellation, the execution window is still open, the
 * decision is not an undecided one of this obligation or can still be escalated, or the deployment knows of no such end on the rail. The docket
 * refuses obligations that are settled, and settles none that ended here. The engine vouches that no evidence came in time. Throws NotTheEngine
 * unless the caller is an engine of this obligation.
 */
export function recordExit({ obligation, cause, deployment, engine, docket, now }: ExitInput): Checked<ExitRecord> {
  requireEngine(engine.id, obligation, deployment);
  const margin = docket.margin(obligation.obligation_hash);
  const problem = exitProblem(obligation, cause, deployment, { now, paused: margin.paused }) ?? unheardAppeal(obligation, cause, docket);
  if (problem !== undefined) return refuse("EXIT_NOT_DUE", obligation.obligation_id, problem);
  const unsupported = docket.problem(obligation, deployment);
  if (unsupported !== undefined) return refuse("DOCKET_UNSUPPORTED", obligation.obligation_hash, unsupported);
  const { fee, currency, principal = 0, claim_ceiling = 0 } = obligation.economic_terms;
  const { exit } = cause;
  const decision = "cleared" in cause ? cause.cleared.decision.clearing_decision_hash : "ended" in cause ? cause.decision : undefined;
  const slashed = "ended" in cause ? cause.ended.slashed : {};
  const body = {
    obligation_hash: obligation.obligation_hash,
    exit,
    ...("requestor" in cause ? { cancelled_by: { requestor: cause.requestor, provider: cause.provider } } : {}),
    ...("refused" in cause ? { refused_by: cause.refused } : {}),
    ...("ended" in cause ? { ended_by: { reason: cause.ended.reason, receipt: cause.ended.receipt } } : {}),
    ...(decision === undefined ? {} : { clearing_decision_hash: decision }),
    fee_action: { type: "refund" as const, refund_amount: fee, currency },
    ...(principal === 0 ? {} : { principal_action: { type: principalEnd(obligation), amount: principal, currency } }),
    ...(claim_ceiling === 0 ? {} : { claim_action: { type: "deny" as const, amount: 0, currency } }),
    ...collateralEnd(obligation, cause, margin),
    ...(Object.keys(slashed).length === 0 ? {} : { slashed }),
    passport_delta: deltaOf(obligation, cause, margin),
    closed_at: timeOf(now),
    clearing_engine: engine.id,
  };
  const id = hashOf(body);
  return docket.exit({ ...body, exit_id: id, clearing_engine_signature: signHash(engine, "exit", id) });
}

/** Whether an exit record is what a registered engine signed. */
export function isExitSigned(record: ExitRecord, deployment: Deployment): boolean {
  return isEngineRecord(record, "exit", "exit_id", deployment);
}

/**
 * The event of its end in each performer's passport: only who does not perform has failed. A refusal is the requestor's own act: it counts in its
 * name alone, or binding and refusing would mark any provider at no cost.
 */
function deltaOf(obligation: Obligation, cause: ExitCause, margin: DocketMargin): Readonly<Record<string, number>> {
  if ("refused" in cause) return { [`${obligation.parties.requestor}.refused_obligations`]: 1 };
  const isAtFault = (each: string) => ("ended" in cause ? cause.ended.atFault.includes(each) : isUnperformed(cause, margin));
  return Object.fromEntries(
    performersOf(obligation).map((each) => [`${each}.${isAtFault(each) ? "failed_obligations" : ENDED[cause.exit]}`, 1]),
  );
}

/** Whether it expired by the fault of who performs it: nobody must post more than was agreed, and a pause that lasts is no failure. */
function isUnperformed({ exit }: ExitCause, { owed }: DocketMargin): boolean {
  return exit === "EXPIRED" && owed === undefined;
}

/** Passport fields of ends that are nobody's fault, or another's. */
const ENDED: Readonly<Record<ExitRecord["exit"], string>> = {
  CANCELLED: "cancelled_obligations",
  EXPIRED: "released_obligations",
  UNVERIFIABLE: "unverifiable_obligations",
};

/** The way that the parties agreed on for a failure; nothing is released without a clearing. */
function principalEnd(obligation: Obligation): "refund" | "reverse" {
  return outcomesOf(obligation).failed.principal === "reverse" ? "reverse" : "refund";
}

function collateralEnd(obligation: Obligation, cause: ExitCause, margin: DocketMargin): Pick<ExitRecord, "collateral_action"> {
  const { posted: collateral = obligation.economic_terms.collateral } = margin;
  if (collateral === 0) return {};
  const amount = slashOf(obligation, cause, isUnperformed(cause, margin) ? collateral : 0);
  return { collateral_action: endOfCollateral(collateral, amount) };
}

/** A rail has a schedule of its own; otherwise whoever did not perform loses all of it, unless the parties agreed that no failure costs collateral. */
function slashOf(obligation: Obligation, cause: ExitCause, atStake: number): number {
  if ("ended" in cause) return Object.values(cause.ended.slashed).reduce((sum, amount) => sum + amount, 0);
  return outcomesOf(obligation).failed.collateral === "return" ? 0 : atStake;
}

function exitProblem(
  obligation: BoundObligation,
  cause: ExitCause,
  deployment: Deployment,
  { now, paused }: { readonly now: bigint; readonly paused: number },
): string | undefined {
  const { parties, obligation_hash, deadlines } = obligation;
  if ("ended" in cause) return railProblem(obligation, cause.ended, deployment);
  if ("refused" in cause) return refusalProblem(obligation, cause.refused, deployment, now);
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
      const own = executionBegins(obligation);
      const began = own === undefined ? cause.began : BigInt(own);
      if (began === undefined) return "it is not known when its execution window began";
      const ends = began + BigInt(Math.ceil(deadlines.execution_window_hours * 3600) + paused);
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

/** An appeal's evidence is judged before nothing can be decided about it. */
function unheardAppeal({ obligation_hash }: BoundObligation, cause: ExitCause, docket: Docket): string | undefined {
  if (!("cleared" in cause)) return undefined;
  const last = docket.appeals(obligation_hash).at(-1)?.appeal_id;
  return cause.cleared.decision.appeal_id === last ? undefined : `its decision is not about ${last ?? "a first envelope"}`;
}

function refusalProblem(obligation: BoundObligation, refused: Signature, deployment: Deployment, now: bigint): string | undefined {
  const { parties, obligation_hash, deadlines } = obligation;
  const begins = executionBegins(obligation);
  if (deadlines.refusal_window_hours === undefined || begins === undefined) return "it has no window to refuse";
  if (now >= BigInt(begins)) return `it could be refused before ${timeOf(BigInt(begins))}`;
  const key = deployment.registry.identity(parties.requestor)?.key;
  const isIts = key !== undefined && deployment.verify(key, messageOf("cancellation", refusalHash(obligation_hash)), refused);
  return isIts ? undefined : `${parties.requestor} has not signed the refusal`;
}

function railProblem(obligation: BoundObligation, end: RailEnd, deployment: Deployment): string | undefined {
  const performers = performersOf(obligation);
  const stranger = [...end.atFault, ...Object.keys(end.slashed)].find((each) => !performers.includes(each));
  if (stranger !== undefined) return `${stranger} performs nothing here`;
  return deployment.ended(obligation, end) ? undefined : "its rail is not known to have ended it so";
}
