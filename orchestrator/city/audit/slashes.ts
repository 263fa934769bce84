import { collateralEndOf } from "../../clearing/settlement-instruction.ts";
import { faultsIn } from "../../execution/exits.ts";
import { exoneratedIn, type Finality, type Override, type Settlement } from "../../execution/settlement-record.ts";
import { type Reason, reasonOf } from "../../rules/reasons.ts";
import { FINES, WHOLE_STAKE } from "../../rules/slashing.ts";
import type { AuditContext, ChainContext } from "./context.ts";
import type { SlotHistory } from "./history.ts";
import type { Inspection } from "./inspection.ts";

/** Faults that need no decision: an executor did not deliver, or other code was live than it had registered. */
const LATE: readonly (Reason | undefined)[] = ["TIMEOUT", "CODE_HASH_MISMATCH"];

type Fault = ReturnType<typeof faulted>[number];
const faulted = (record: ChainContext["record"]) => record.events("CollaborationContract", "ExecutorFaulted");

/** What a fault takes of the stake; less only of an agent that is left with nothing. */
interface Penalty {
  readonly reason: Reason;
  readonly units: bigint;
}

/** Every slash of an executor is what the law says of its reason, and left stakes in the same transaction. */
export function slashesByLaw(context: ChainContext, seen: Inspection): void {
  const { record, nameOf, label } = context;
  for (const fault of faulted(record)) {
    const { node, agent } = fault.args;
    const subject = `slash of ${nameOf(agent)} at ${label(node)}`;
    seen.same(fault.args.slashed, taken(context, fault, penaltyOf(context, fault)?.units ?? 0n), subject);
    const isSame = (each: typeof fault | { readonly hash: string; readonly args: { readonly agent: string; readonly reason: string } }) =>
      each.hash === fault.hash && each.args.agent === agent && each.args.reason === fault.args.reason;
    const lost = [...record.events("ProducerContract", "StakeSlashed"), ...record.events("StakePool", "PoolSlashed")].filter(isSame);
    const said = sum(
      faulted(record)
        .filter(isSame)
        .map(({ args }) => args.slashed),
    );
    seen.holds(said <= sum(lost.map(({ args }) => args.amount)), subject, "is more than left the stakes in that transaction");
  }
}

function penaltyOf({ record, mission }: ChainContext, { at, hash, args: { node, slot, agent, reason: code } }: Fault): Penalty | undefined {
  const reason = reasonOf(code);
  if (reason === undefined) return undefined;
  const fine = FINES[reason];
  if (fine !== undefined) return { reason, units: fine };
  if (WHOLE_STAKE.includes(reason)) {
    const bids = record.events("ExecutionProcedure", "BidPlaced");
    const bid = bids.findLast(
      (each) => each.at < at && each.args.mission === mission && each.args.node === node && each.args.agent === agent,
    );
    return bid && { reason, units: bid.args.locked };
  }
  const ruling = record.events("CollaborationContract", "AppealResolved").find((each) => each.hash === hash && each.args.node === node);
  const isCulprit = reason === "APPEAL" && ruling !== undefined && ((ruling.args.culprits >> slot) & 1) === 1;
  return isCulprit ? { reason, units: ruling.args.slash } : undefined;
}

/** Of a penalty, what was there to take: an agent whose whole stake went pays no more. */
function taken({ roles }: ChainContext, { at, args: { agent, slashed } }: Fault, units: bigint): bigint {
  return slashed < units && roles.stakeBefore(agent, at) === 0n ? slashed : units;
}

interface SettledDocuments {
  readonly settlements: readonly Settlement[];
  readonly overrides: readonly Override[];
  readonly finality: Finality | undefined;
}

/**
 * What each executor of a settled attempt lost of its stake, against its documents: whom the instruction slashes, or a human's act in its place,
 * loses that much once it is final; whom it pays loses nothing; of the others only who did not deliver.
 */
export function slashesByDocuments(
  context: AuditContext,
  seen: Inspection,
  { node, attempt, subject }: { readonly node: number; readonly attempt: number; readonly subject: string },
  documents: SettledDocuments,
): void {
  const { record, history, nameOf } = context;
  const faults = faultsIn(record.events("CollaborationContract", "ExecutorBound"), faulted(record), { node, attempt });
  const wasFrozen = record.events("CollaborationContract", "NodeFrozen").some(({ args }) => args.node === node);
  const paid = paidBy(documents);
  const executors = history.executors(node, attempt);
  for (const { slot, agent, commitment, revealed } of executors) {
    const name = `${subject}: stake of ${nameOf(agent)}`;
    const own = faults.filter(({ args }) => args.agent === agent);
    const [fault] = own;
    if (!seen.holds(own.length <= 1, name, "was slashed twice in one attempt") || own.length > 1) continue;
    const due = decided(context, { node, attempt, among: executors.length }, documents, { slot, agent });
    // A panel, and who rules on an appeal, reach those alone who have opened their work, and whoever works alone.
    const isReached = revealed !== undefined || executors.length === 1;
    const mayBeLate = isJudged(due) ? !isReached : !paid.includes(agent);
    const late = mayBeLate && fault !== undefined && LATE.includes(reasonOf(fault.args.reason)) ? penaltyOf(context, fault) : undefined;
    const expected = late ?? due;
    const units = expected === undefined || fault === undefined ? expected?.units : taken(context, fault, expected.units);
    seen.same(
      fault === undefined ? [] : [reasonOf(fault.args.reason), fault.args.slashed],
      expected === undefined ? [] : [expected.reason, units],
      `${name}: what was slashed, against documents and law`,
    );
    // Who waited when a freeze ran out is released.
    if (commitment === undefined && !wasFrozen) seen.holds(fault !== undefined, name, "is whole, though it never committed to any work");
  }
}

const isJudged = (due: Penalty | undefined) => due?.reason === "CLEARED_FAIL" || due?.reason === "APPEAL";

/** What the decision on the attempt, or a human's act in its place, takes of an executor's stake. */
function decided(
  { record }: AuditContext,
  { node, attempt, among }: { readonly node: number; readonly attempt: number; readonly among: number },
  { settlements, overrides, finality }: SettledDocuments,
  { slot, agent }: Pick<SlotHistory, "slot" | "agent">,
): Penalty | undefined {
  const ofThis = (each: { readonly args: { readonly node: number; readonly attempt: number } }) =>
    each.args.node === node && each.args.attempt === attempt;
  const first = settlements.find(({ instruction }) => instruction.override_id === undefined)?.instruction.collateral_action;
  const end = first && collateralEndOf(first);
  const slashed = end?.type === "slash" ? BigInt(end.amount) / BigInt(among) : 0n;
  const upheld = record.events("CollaborationContract", "AppealResolved").filter((each) => ofThis(each) && each.args.upheld !== 0);
  const sentence = upheld.findLast(({ args }) => args.slash !== 0n && ((args.culprits >> slot) & 1) === 1);
  if (sentence !== undefined) return { reason: "APPEAL", units: sentence.args.slash };
  if (slashed > 0n) {
    const isFreed = exoneratedIn(overrides.map(({ override }) => override)).includes(agent);
    return isFreed || finality?.evaluation.phi_result !== true ? undefined : { reason: "CLEARED_FAIL", units: slashed };
  }
  const why = record.events("CollaborationContract", "FaultSignalled").find(ofThis)?.args.reason;
  const isConfirmed =
    why !== undefined && reasonOf(why) === "FREEZE_CONFIRMED" && overrides.some(({ override }) => override.act === "REJECT_POP");
  return isConfirmed ? { reason: "FREEZE_CONFIRMED", units: FINES.FREEZE_CONFIRMED ?? 0n } : undefined;
}

/** Whom the last instruction pays, if only nothing of its price: it was in agreement, on evidence. */
function paidBy({ settlements }: SettledDocuments): readonly string[] {
  const action = settlements.at(-1)?.instruction.fee_action;
  const lines = action !== undefined && "distribution" in action ? (action.distribution ?? []) : [];
  return lines.flatMap(({ payee, multiplier }) => (multiplier === undefined ? [] : [payee]));
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
