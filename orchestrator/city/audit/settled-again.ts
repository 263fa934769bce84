/** Settlements once more from their documents. Free of Node and of the chain, like `documents.ts`: a browser runs it as it is. */

import { type DistributionLine, distributionOf, type Multipliers } from "../../clearing/distribution.ts";
import { isExitSigned } from "../../clearing/exit.ts";
import { secondsOf } from "../../clearing/fields.ts";
import type { Obligation } from "../../clearing/obligation.ts";
import { isOverrideSigned, type OverrideRecord } from "../../clearing/override.ts";
import { subjectsOf } from "../../clearing/passport.ts";
import { isInstructionSigned, type SettlementInstruction } from "../../clearing/settlement-instruction.ts";
import { type ClearingRecord, cityDeployment, type Standing } from "../../execution/clearing-record.ts";
import { type Exit, exitOf } from "../../execution/exits.ts";
import {
  type Attempt,
  deltasAfter,
  evaluationOf,
  type Finality,
  instructionOf,
  type Override,
  overrideOf,
  type Settlement,
} from "../../execution/settlement-record.ts";
import { accountOfKey } from "../../primitives/recovery.ts";
import { hexOf } from "./documents.ts";
import type { Inspection } from "./inspection.ts";

/** All that the records hold about what an attempt settled. */
export interface SettledAttempt {
  readonly subject: string;
  readonly file: string;
  readonly obligation: Obligation;
  /** Clearings of the attempt by the block that drew their panel. */
  readonly recordOf: (drawBlock: number) => ClearingRecord | undefined;
  readonly overrides: readonly Override[];
  /** In order: each took the place of the one before. */
  readonly settlements: readonly Settlement[];
  readonly finality: Finality | undefined;
  readonly exit: Exit | undefined;
  readonly standings: (record: ClearingRecord | undefined, keys: ClearingRecord["keys"], engine: string) => readonly Standing[];
  readonly undertook: (obligation: Obligation, party: string) => boolean;
}

/** Where every unit of the attempt's prices went in the end; undefined if nothing was settled. */
export function recomputeSettlement(seen: Inspection, attempt: SettledAttempt): readonly DistributionLine[] | undefined {
  const { subject, file, settlements, overrides, finality, exit } = attempt;
  if (exit !== undefined) {
    seen.same(settlements.length, 0, `${subject}: instructions of what ended without finality`, file);
    leftAgain(seen, attempt, exit);
  }
  for (const { engine, override } of overrides)
    if (override.exonerated !== undefined) {
      const of = attemptBehind(seen, attempt, { engine, signed: override, drawBlock: 0 });
      ruledAgain(seen, { ...attempt, what: "the human act that freed somebody of the failure" }, of, override);
    }
  const instructions: SettlementInstruction[] = [];
  let last: { readonly of: Attempt; readonly override: OverrideRecord | undefined } | undefined;
  for (const settlement of settlements) {
    const { instruction } = settlement;
    const of = attemptBehind(seen, attempt, { ...settlement, signed: instruction });
    const override = overrides.find(({ override: { override_id } }) => override_id === instruction.override_id)?.override;
    if (instruction.override_id !== undefined) ruledAgain(seen, { ...attempt, what: "the human act behind its instruction" }, of, override);
    const again = instructionOf(of, { override, earlier: instructions, multipliers: multipliersIn(instruction) });
    seen.same(instruction.instruction_id, again?.instruction_id, `${subject}: instruction, derived again`, file);
    seen.holds(isInstructionSigned(instruction, of.world), `${subject}: instruction`, "is not signed by the engine", file);
    instructions.push(instruction);
    last = { of, override };
  }
  const final = instructions.at(-1);
  if (last === undefined || final === undefined) return undefined;
  if (finality !== undefined) {
    const { evaluation, deltas } = finality;
    const now = BigInt(secondsOf(evaluation.evaluated_at));
    const again = evaluationOf(last.of, { override: last.override, instructions }, { appealsFiledAt: [], resolvedConflicts: [] }, now);
    seen.same(evaluation.finality_evaluation_id, again.finality_evaluation_id, `${subject}: finality, evaluated again`, file);
    const acts = overrides.map(({ override }) => override);
    const due = deltasAfter(last.of, final, acts);
    seen.same(
      deltas.map(({ delta_id }) => delta_id),
      due.map(({ delta_id }) => delta_id),
      `${subject}: what it means for passports`,
      file,
    );
  }
  return linesOf(final, attempt.obligation);
}

/** The record of an end without finality, made again from what it says of the chain. */
function leftAgain(seen: Inspection, attempt: SettledAttempt, { engine, drawBlock, exit }: Exit): void {
  const { subject, file } = attempt;
  const of = attemptBehind(seen, attempt, { engine, drawBlock, signed: exit });
  const name = `${subject}: its end`;
  seen.holds(isExitSigned(exit, of.world), name, "is not signed by the engine", file);
  if (!seen.holds(exit.ended_by !== undefined, name, "is not the chain's", file) || exit.ended_by === undefined) return;
  const { ended_by, slashed = {}, closed_at } = exit;
  const again = exitOf(of, { exit: exit.exit, end: { ...ended_by, atFault: faultyIn(exit), slashed } }, BigInt(secondsOf(closed_at)));
  seen.same(exit.exit_id, again.exit_id, `${name}, written down again`, file);
}

/** Whom an exit holds at fault. */
export function faultyIn({ passport_delta }: Pick<Exit["exit"], "passport_delta">): readonly string[] {
  return subjectsOf({ passport_delta }).filter((subject) => passport_delta[`${subject}.failed_obligations`] !== undefined);
}

type SignedByEngine = Pick<OverrideRecord, "clearing_engine" | "clearing_engine_signature">;

/** The parties as somebody knows them, and the engine as one that signs again what it has signed there. */
function attemptBehind(
  seen: Inspection,
  { subject, file, obligation, recordOf, standings, undertook }: SettledAttempt,
  { engine: key, drawBlock, signed }: Pick<Settlement, "engine" | "drawBlock"> & { readonly signed: SignedByEngine },
): Attempt {
  const { clearing_engine: id, clearing_engine_signature: signature } = signed;
  seen.same(accountOfKey(hexOf(key)), id.split("/")[0], `${subject}: the engine's key`, file);
  const record = drawBlock === 0 ? undefined : recordOf(drawBlock);
  seen.holds(drawBlock === 0 || record !== undefined, `${subject}: the clearing that it follows from`, "is not in the log", file);
  const keys = { ...record?.keys, [id]: key };
  // That the chain ended an attempt so, or heard an appeal, is compared with the chain, or left to the replay.
  const world = cityDeployment(keys, standings(record, keys, id), { undertook, ended: () => true, appealed: () => true });
  return { obligation, record, world, engine: { id, key, sign: () => signature } };
}

/** The record of a human act that moved money, or freed somebody of a failure: signed, and resting on nothing below the floor. */
function ruledAgain(
  seen: Inspection,
  { subject, file, what }: Pick<SettledAttempt, "subject" | "file"> & { readonly what: string },
  of: Attempt,
  override: OverrideRecord | undefined,
): void {
  const name = `${subject}: ${what}`;
  if (!seen.holds(override !== undefined, name, "is not in the log", file) || override === undefined) return;
  seen.holds(isOverrideSigned(override, of.world), name, "is not signed by the engine", file);
  const { act, acted_by, justification, receipt, ruling, exonerated, acted_at, appeal_window_closes_at } = override;
  const decision = override.clearing_decision_hash;
  const deed = { act, acted_by, justification, receipt, ...(ruling === undefined ? {} : { ruling }), exonerated, decision };
  const times = { at: BigInt(secondsOf(acted_at)), appealsUntil: BigInt(secondsOf(appeal_window_closes_at)) };
  seen.same(override.override_id, overrideOf(of, { ...deed, ...times }).override_id, `${name}, written down again`, file);
}

/** What an instruction counted with. Whether a payee's record was worth that, only the chain's ledger of reputation tells. */
function multipliersIn({ fee_action }: SettlementInstruction): Multipliers {
  const lines = fee_action !== undefined && "distribution" in fee_action ? (fee_action.distribution ?? []) : [];
  return Object.fromEntries(lines.flatMap(({ payee, multiplier }) => (multiplier === undefined ? [] : [[payee, multiplier] as const])));
}

/** Promise by promise; of a refund all of each comes back. */
function linesOf({ fee_action }: SettlementInstruction, { settlement_policy }: Obligation): readonly DistributionLine[] {
  if (fee_action !== undefined && "distribution" in fee_action && fee_action.distribution !== undefined) return fee_action.distribution;
  const rule = settlement_policy?.release;
  return rule === undefined ? [] : distributionOf(rule, { score: 0, payees: [] }, {});
}
