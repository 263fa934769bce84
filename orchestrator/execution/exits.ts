/** Attempts that end without a settlement: why and how, as the chain has it. Free of Node and of the chain. */
import { z } from "zod";
import { bindObligation } from "../clearing/bind.ts";
import { openDocket } from "../clearing/docket.ts";
import { type ExitRecord, exitRecordSchema, type RailEnd, recordExit } from "../clearing/exit.ts";
import { publicKeySchema } from "../clearing/signature.ts";
import type { Hash, Hex } from "../primitives/hex.ts";
import { type Reason, reasonOf } from "../rules/reasons.ts";
import { granted } from "./clearing-record.ts";
import type { Attempt } from "./settlement-record.ts";

/** The end of an attempt that nothing settled. */
export const exitSchema = z.strictObject({
  engine: publicKeySchema,
  /** Identifies its last clearing (`clearingKey`); 0 if nothing was cleared. */
  drawBlock: z.int().nonnegative(),
  exit: exitRecordSchema,
});
export type Exit = z.infer<typeof exitSchema>;

/** A chain event of a mission; `at` orders them. */
export interface Happened<Args> {
  readonly at: bigint;
  readonly block: bigint;
  /** Of its transaction. */
  readonly hash: Hash;
  readonly args: Args;
}

interface AtNode {
  readonly node: number;
}
interface AtAttempt extends AtNode {
  readonly attempt: number;
}
interface AtSlot extends AtNode {
  readonly slot: number;
  readonly agent: string;
}

/** The events of a mission that say how attempts ended, each in order. */
export interface EndingEvents {
  readonly bound: readonly Happened<AtSlot & AtAttempt>[];
  readonly signalled: readonly Happened<AtAttempt & { readonly reason: Hex }>[];
  /** Each names the attempt that it begins. */
  readonly amended: readonly Happened<AtAttempt>[];
  readonly faulted: readonly Happened<AtSlot & { readonly slashed: bigint }>[];
  /** The mission's own end. */
  readonly over: Happened<unknown> | undefined;
}

/** How an attempt left without finality, and the block that says so. */
export interface AttemptEnd {
  readonly exit: ExitRecord["exit"];
  readonly end: RailEnd;
  readonly block: bigint;
}

/**
 * RAILS 6.3 for the chain's reasons. The others are decisions: the panel's, or a human's in its place. A node that was never routed, whose
 * mandate a human amended, or whose mission is over was called off, by nobody's fault.
 */
const EXIT_OF: Readonly<Record<string, ExitRecord["exit"]>> = {
  TIMEOUT: "EXPIRED",
  CODE_HASH_MISMATCH: "EXPIRED",
  REVIEW_EXPIRED: "UNVERIFIABLE",
  FREEZE_EXPIRED: "UNVERIFIABLE",
  NOT_ROUTED: "CANCELLED",
} satisfies Partial<Record<Reason, ExitRecord["exit"]>>;

/** Why an attempt failed by a decision, which an instruction follows; undefined if it did not fail, or ended without one. */
export function failedBy(events: EndingEvents, place: AtAttempt): string | undefined {
  const fault = faultOf(events, place);
  const why = fault && (reasonOf(fault.args.reason) ?? fault.args.reason);
  return why === undefined || EXIT_OF[why] !== undefined ? undefined : why;
}

function faultOf({ signalled }: EndingEvents, { node, attempt }: AtAttempt) {
  return signalled.find(({ args }) => args.node === node && args.attempt === attempt);
}

/** How an attempt that nothing settled ended; undefined if it was decided or still runs. `isOpen`: its node is in it and neither completed nor failed. */
export function endOf(events: EndingEvents, { node, attempt }: AtAttempt, isOpen: boolean): AttemptEnd | undefined {
  const fault = faultOf(events, { node, attempt });
  const amended = events.amended.find(({ args }) => args.node === node && args.attempt === attempt + 1);
  const by = fault ?? amended ?? (isOpen ? events.over : undefined);
  if (by === undefined) return undefined;
  const why = fault && (reasonOf(fault.args.reason) ?? fault.args.reason);
  const exit = why === undefined ? "CANCELLED" : EXIT_OF[why];
  if (exit === undefined) return undefined;
  const slashed = slashedIn(events, { node, attempt });
  const reason = why ?? (amended === undefined ? "MISSION_OVER" : "AMENDED");
  return { exit, end: { reason, receipt: by.hash, atFault: Object.keys(slashed), slashed }, block: by.block };
}

/** What each executor of an attempt lost; `by`: until that human act was done, itself included. */
export function slashedIn(
  { bound, faulted }: Pick<EndingEvents, "bound" | "faulted">,
  place: AtAttempt,
  by?: Pick<Happened<unknown>, "at" | "hash">,
): Readonly<Record<string, number>> {
  const slashed: Record<string, number> = {};
  for (const { at, hash, args } of faultsIn(bound, faulted, place))
    if (by === undefined || at < by.at || hash === by.hash) slashed[args.agent] = (slashed[args.agent] ?? 0) + Number(args.slashed);
  return slashed;
}

/** The faults of an attempt's executors: from each one's award until the same agent was bound to the same slot again. */
export function faultsIn<Fault extends Pick<Happened<AtSlot>, "at" | "args">>(
  bound: readonly Pick<EndingEvents["bound"][number], "at" | "args">[],
  faulted: readonly Fault[],
  { node, attempt }: AtAttempt,
): readonly Fault[] {
  return bound.flatMap(({ at, args }) => {
    if (args.node !== node || args.attempt !== attempt) return [];
    const isSame = (each: AtSlot) => each.node === node && each.slot === args.slot && each.agent === args.agent;
    const until = bound.find((each) => each.at > at && isSame(each.args))?.at;
    return faulted.filter((fault) => fault.at > at && (until === undefined || fault.at < until) && isSame(fault.args));
  });
}

/** The record of an attempt's end. `at`: unix seconds. Throws what the library refuses. */
export function exitOf(
  { obligation, record, world, engine }: Attempt,
  { exit, end }: Pick<AttemptEnd, "exit" | "end">,
  at: bigint,
): ExitRecord {
  const bound = granted(bindObligation(obligation, world));
  const decision = record?.decision.clearing_decision_hash;
  const cause = { exit, ended: end, decision };
  return granted(recordExit({ obligation: bound, cause, deployment: world, engine, docket: openDocket(), now: at }));
}
