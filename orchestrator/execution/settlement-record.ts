import { z } from "zod";
import { bindObligation } from "../clearing/bind.ts";
import type { Deployment } from "../clearing/deployment.ts";
import type { Multipliers } from "../clearing/distribution.ts";
import { type Docket, openDocket, type RailAppeal } from "../clearing/docket.ts";
import { secondsOf } from "../clearing/fields.ts";
import { type Environment, evaluateFinality, type FinalityEvaluation, finalityEvaluationSchema } from "../clearing/finality.ts";
import { ingest } from "../clearing/ingest.ts";
import { floorFor, type Obligation } from "../clearing/obligation.ts";
import { type HumanDeed, type OverrideRecord, overrideRecordSchema, recordOverride } from "../clearing/override.ts";
import { deltasOf, type PassportDelta, passportDeltaSchema } from "../clearing/passport.ts";
import { type SettlementInstruction, settle, settlementInstructionSchema, settleOverride } from "../clearing/settlement-instruction.ts";
import { publicKeySchema, type Signer } from "../clearing/signature.ts";
import { numbersIn } from "../primitives/bitmap.ts";
import type { Hash } from "../primitives/hex.ts";
import { type ClearingRecord, clearAgain, granted, isAgainst } from "./clearing-record.ts";
import { itemsOfSlot } from "./obligation.ts";

/** The settlement of an attempt at a node. After an appeal, a later one replaces it. */
export const settlementSchema = z.strictObject({
  engine: publicKeySchema,
  /** Identifies the clearing that it follows from (`clearingKey`); 0 if nothing was cleared. */
  drawBlock: z.int().nonnegative(),
  instruction: settlementInstructionSchema,
});
export type Settlement = z.infer<typeof settlementSchema>;

/** A human act on a node whose work was awarded. */
export const overrideSchema = z.strictObject({ engine: publicKeySchema, override: overrideRecordSchema });
export type Override = z.infer<typeof overrideSchema>;

/** How the last instruction of an attempt became final, and the consequences for those involved. */
export const finalitySchema = z.strictObject({
  engine: publicKeySchema,
  evaluation: finalityEvaluationSchema,
  deltas: z.array(passportDeltaSchema).readonly(),
});
export type Finality = z.infer<typeof finalitySchema>;

/** An attempt at a node, with its clearing, if there is one. */
export interface Attempt {
  readonly obligation: Obligation;
  readonly record: ClearingRecord | undefined;
  readonly world: Deployment;
  readonly engine: Signer;
}

/** The city's record of a human act. Throws what the library refuses. */
export function overrideOf({ obligation, record, world, engine }: Attempt, deed: HumanDeed): OverrideRecord {
  const bound = granted(bindObligation(obligation, world));
  const envelope = record === undefined ? undefined : granted(ingest(record.envelope, bound, world));
  return granted(recordOverride({ obligation: bound, envelope, deed, deployment: world, engine }));
}

/** Hashes of the items above the fee's floor about the work of some payees, on which an approval rests. */
export function shownFor({ obligation, record, world }: Omit<Attempt, "engine">, payees: readonly string[]): HumanDeed["ruling"] & object {
  const bound = granted(bindObligation(obligation, world));
  const items = record === undefined ? [] : [...granted(ingest(record.envelope, bound, world)).items.values()];
  const prefixes = (obligation.settlement_policy?.release?.promises ?? []).filter(({ payee }) => payees.includes(payee));
  const floor = floorFor(obligation, "fee_release", "performance");
  const basis = items.filter(
    ({ class: own, item: { id } }) =>
      world.admissibility.geq(own, floor) && !isAgainst(id) && prefixes.some((promise) => id.startsWith(promise.items)),
  );
  return { score: 0, payees, basis: basis.map(({ hash }) => hash) };
}

/** Inputs of an instruction. */
export interface Settling {
  /** The human act that replaced the decision, if any. */
  readonly override?: OverrideRecord | undefined;
  /** Earlier instructions, oldest first, each revoked by an appeal. */
  readonly earlier: readonly SettlementInstruction[];
  readonly multipliers: Multipliers;
}

/** The instruction for an attempt, by its clearing or by a human act; undefined if nothing is decided. Throws what the library refuses. */
export function instructionOf(attempt: Attempt, { override, earlier, multipliers }: Settling): SettlementInstruction | undefined {
  const { obligation, record, world, engine } = attempt;
  const docket = docketAfter(earlier);
  const standing = earlier.at(-1);
  if (standing !== undefined) granted(docket.appeal(withdrawn(standing, override?.override_id ?? standing.instruction_id)));
  if (override !== undefined)
    return granted(settleOverride(override, granted(bindObligation(obligation, world)), engine, docket, multipliers, earlier[0]));
  if (record === undefined) return undefined;
  const cleared = clearAgain(record, world, engine, BigInt(secondsOf(record.decision.emitted_at)));
  return granted(settle(cleared, engine, docket, multipliers));
}

/** Evaluates whether the last of an attempt's instructions is final. Throws what the library refuses. */
export function evaluationOf(
  { obligation, record, world, engine }: Attempt,
  { override, instructions }: { readonly override?: OverrideRecord | undefined; readonly instructions: readonly SettlementInstruction[] },
  environment: Environment,
  now: bigint,
): FinalityEvaluation {
  const instruction = instructions.at(-1);
  const decision = override ?? record?.decision;
  if (instruction === undefined || decision === undefined) throw new RangeError("nothing was settled");
  const docket = docketAfter(instructions);
  const bound = granted(bindObligation(obligation, world));
  return granted(evaluateFinality({ obligation: bound, decision, instruction, docket, deployment: world, environment, engine, now }));
}

/** What a final instruction changes in passports: what the panel found, and what appeals made of it. `overrides`: human acts on the attempt. */
export function deltasAfter(
  { record, engine }: Attempt,
  instruction: SettlementInstruction,
  overrides: readonly OverrideRecord[],
): readonly PassportDelta[] {
  const { override_id } = instruction;
  const behind = override_id === undefined ? record?.decision : overrides.find((each) => each.override_id === override_id);
  return behind === undefined ? [] : deltasOf(instruction, behind, engine, exoneratedIn(overrides));
}

/** A ruling on the appeals of an attempt, as the chain has it. */
export interface Resolved {
  /** Bit per appeal. */
  readonly upheld: number;
  /** Smallest unit. */
  readonly slash: bigint;
  /** Bit per slot. */
  readonly culprits: number;
}

/**
 * Whom a ruling on appeals frees of a failure: everyone whose slash waited for it, but whom it slashes itself
 * (`contracts/collaboration/Appeals.sol`). `waiting`: bit per slot.
 */
export function exoneratedBy(
  { upheld, slash, culprits }: Resolved,
  waiting: number,
  { settlement_policy }: Pick<Obligation, "settlement_policy">,
): readonly string[] {
  const freed = upheld === 0 ? 0 : waiting & ~(slash === 0n ? 0 : culprits);
  const promises = settlement_policy?.release?.promises ?? [];
  return numbersIn(BigInt(freed)).flatMap((slot) => promises.find(({ items }) => items === itemsOfSlot(slot))?.payee ?? []);
}

/** Whom human acts on an attempt freed of its failure. */
export function exoneratedIn(overrides: readonly OverrideRecord[]): readonly string[] {
  return overrides.flatMap(({ exonerated = [] }) => exonerated);
}

/** The chain's appeal against an instruction; the act that ruled on it stands for it. */
function withdrawn({ obligation_hash, instruction_id }: SettlementInstruction, receipt: Hash): RailAppeal {
  return { obligation_hash, instruction_id, receipt };
}

/** An engine's docket of an attempt, rebuilt from the signed instructions. */
function docketAfter(instructions: readonly SettlementInstruction[]): Docket {
  const docket = openDocket();
  for (const [place, instruction] of instructions.entries()) {
    const before = instructions[place - 1];
    if (before !== undefined) granted(docket.appeal(withdrawn(before, instruction.override_id ?? instruction.instruction_id)));
    granted(docket.settle(instruction));
  }
  return docket;
}
