import { z } from "zod";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import type { Hash } from "../primitives/hex.ts";
import type { Aggregate } from "./aggregate.ts";
import type { BoundObligation } from "./bind.ts";
import { type Cleared, floorMet } from "./clearing-decision.ts";
import type { Deployment } from "./deployment.ts";
import { distributionLineSchema, distributionOf, type Multipliers, type Release } from "./distribution.ts";
import type { Docket } from "./docket.ts";
import { isEngineRecord, NotTheEngine } from "./engine.ts";
import { amountSchema, digestSchema, nameSchema, secondsOf, timeSchema, toBps } from "./fields.ts";
import { type Obligation, type Outcomes, outcomesOf, type Purpose, performersOf, type ReleaseRule } from "./obligation.ts";
import { type OverrideRecord, type Ruling, UPHELD_DISPUTES } from "./override.ts";
import { accept, type Checked, refuse } from "./refusal.ts";
import { hashOf, signHash, without } from "./seal.ts";
import { type Signer, signatureSchema } from "./signature.ts";

const currency = nameSchema;
/** Division of the fee by promise, under a release rule. */
const distribution = z.array(distributionLineSchema).readonly();
const feeActionSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("release"), release_amount: amountSchema, currency, distribution: distribution.optional() }),
  z.strictObject({
    type: z.literal("partial_release"),
    release_amount: amountSchema,
    retain_amount: amountSchema,
    currency,
    rationale: z.string().optional(),
    distribution: distribution.optional(),
  }),
  z.strictObject({ type: z.literal("refund"), refund_amount: amountSchema, currency }),
]);
export const principalActionSchema = z.strictObject({ type: z.enum(["release", "refund", "reverse"]), amount: amountSchema, currency });
/** The end of a collateral: at finality, or with an obligation that ends without it (`exit.ts`). */
export const collateralEndSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("return"), amount: amountSchema }),
  z.strictObject({ type: z.literal("slash"), amount: amountSchema, return_amount: amountSchema }),
]);
type CollateralEnd = z.infer<typeof collateralEndSchema>;
/** Held until finality, or one of its ends at once. */
const collateralActionSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("hold"),
    amount: amountSchema,
    until: timeSchema,
    /** Its effect at finality. */
    on_final: collateralEndSchema,
  }),
  ...collateralEndSchema.options,
]);
type CollateralAction = z.infer<typeof collateralActionSchema>;
/** `escalate`: somebody else decides the claim, up to this amount; the rest of the instruction does not wait for it. */
export const claimActionSchema = z.strictObject({ type: z.enum(["pay", "deny", "escalate"]), amount: amountSchema, currency });
const announcedDeltaSchema = z.strictObject({ passport_delta: z.record(nameSchema, z.int()).readonly() });

/** Instruction to the rail (RAILS 4.6, A.3.5). An absent action was not decided under its own floor. */
export const settlementInstructionSchema = z.strictObject({
  instruction_id: digestSchema,
  /** Its basis: the decision, or the human act that replaced it, which `override_id` then names as well. */
  clearing_decision_hash: digestSchema,
  override_id: digestSchema.optional(),
  /** The instruction that an appeal withdrew, in whose place the decision after it puts this one. */
  supersedes: digestSchema.optional(),
  obligation_hash: digestSchema,
  fee_action: feeActionSchema.optional(),
  principal_action: principalActionSchema.optional(),
  collateral_action: collateralActionSchema.optional(),
  claim_action: claimActionSchema.optional(),
  penalty_action: announcedDeltaSchema.optional(),
  reputation_action: announcedDeltaSchema.optional(),
  execution_rail: z.strictObject({ name: nameSchema, mode: nameSchema.optional() }),
  receipt_requirement: z.strictObject({ type: nameSchema, target: nameSchema }).optional(),
  finality: z.literal("PROVISIONAL"),
  clearing_engine: nameSchema,
  clearing_engine_signature: signatureSchema,
});
export type SettlementInstruction = z.infer<typeof settlementInstructionSchema>;

/** Verdicts under one floor, all decided. Money moves only on these. */
interface Settled {
  readonly performed: boolean;
  readonly complied: boolean;
}

/**
 * Applies the obligation's settlement policy (RAILS 6.1, stage 9). Emits nothing unless the verdicts under the fee's or the collateral's
 * floor are decided; each action depends on its own floor. The outcome's template
 * (`outcomesOf`) states what happens to fee, principal, collateral and claim; collateral is held until finality, unless the parties agreed on
 * `at_once`. Under a release rule a released fee is divided by the score and the payees' multipliers. The docket refuses obligations that are
 * already settled. Throws NotTheEngine unless the caller is the decision's engine.
 */
export function settle(
  cleared: Cleared,
  engine: Signer,
  docket: Docket,
  multipliers: Multipliers = {},
): Checked<SettlementInstruction | undefined> {
  const { obligation, decision, aggregates } = cleared;
  if (engine.id !== decision.clearing_engine) throw new NotTheEngine(engine.id, `${decision.clearing_engine} decided it`);
  const settled = (purpose: Purpose) => settledOf(aggregates[purpose]);
  const [fee, collateral] = [settled("fee_release"), settled("collateral_hold")];
  if (fee === undefined && collateral === undefined) return accept(undefined);
  // A panel's pass is not paid before the decision of a required human; a failure needs none.
  if (fee?.performed && fee.complied && obligation.verifier_policy.kinds?.includes("human"))
    return refuse("HUMAN_AWAITED", obligation.obligation_id, "it asks for a human's word, and a panel's decision is none");
  const missing = fee?.performed && fee.complied ? unknownPayee(decision.payees ?? [], multipliers) : undefined;
  if (missing !== undefined) return missing;
  const { obligation_hash } = obligation;
  // The evidence of an appeal is judged before anything is settled again, and only that of one that the docket has.
  if (decision.appeal_id !== docket.appeals(obligation_hash).at(-1)?.appeal_id)
    return refuse("APPEAL_UNHEARD", obligation_hash, `the decision is about ${decision.appeal_id ?? "no appeal"}`);
  const before = docket.withdrawn(obligation_hash);
  const { posted: stake = obligation.economic_terms.collateral } = docket.margin(obligation_hash);
  const body = {
    clearing_decision_hash: decision.clearing_decision_hash,
    ...(before === undefined ? {} : { supersedes: before.instruction_id }),
    obligation_hash,
    ...(fee === undefined ? {} : moneyActions(fee, cleared, multipliers)),
    ...(collateral === undefined || stake === 0 ? {} : { collateral_action: collateralAction(collateral, cleared, stake) }),
    ...(fee === undefined ? {} : passportActions(fee, cleared)),
    ...railOf(obligation),
  };
  return docket.settle(signed(before === undefined ? body : { ...body, ...afterDispute(before, body, obligation) }, engine));
}

/**
 * The instruction of a human ruling that replaces a decision without settlement, or one whose instruction was withdrawn by an appeal
 * (`docket.appeal`). `undefined` for an act without a ruling on money. `overruled`: the first instruction, if an appeal withdrew it;
 * the passport deltas that it announced stay, except for performers that are now paid less. Throws NotTheEngine unless the caller is the
 * engine that recorded it.
 */
export function settleOverride(
  override: OverrideRecord,
  obligation: BoundObligation,
  engine: Signer,
  docket: Docket,
  multipliers: Multipliers = {},
  overruled?: SettlementInstruction,
): Checked<SettlementInstruction | undefined> {
  if (engine.id !== override.clearing_engine) throw new NotTheEngine(engine.id, `${override.clearing_engine} wrote it down`);
  if (override.obligation_hash !== obligation.obligation_hash)
    return refuse("OVERRIDE_ANCHOR", override.override_id, "it is about another obligation");
  if (overruled !== undefined && overruled.obligation_hash !== obligation.obligation_hash)
    return refuse("OVERRIDE_ANCHOR", override.override_id, "what it overrules settles another obligation");
  const { ruling, override_id } = override;
  if (ruling === undefined) return accept(undefined);
  const { fee, currency } = obligation.economic_terms;
  const release = { score: toBps(ruling.score), payees: ruling.payees };
  const rule = obligation.settlement_policy?.release;
  const paid = release.score > 0 && release.payees.length > 0;
  // If nothing is divided, records do not matter and the document states no multiplier.
  const missing = paid && rule !== undefined ? unknownPayee(ruling.payees, multipliers) : undefined;
  if (missing !== undefined) return missing;
  const whole = { type: "partial_release" as const, release_amount: Math.floor((fee * release.score) / BASIS_POINTS), currency };
  const fee_action = !paid
    ? { type: "refund" as const, refund_amount: fee, currency }
    : rule === undefined
      ? { ...whole, retain_amount: fee - whole.release_amount }
      : releaseAction(rule, release, obligation.economic_terms, multipliers);
  const body = {
    clearing_decision_hash: override_id,
    override_id,
    obligation_hash: obligation.obligation_hash,
    fee_action,
    ...collateralRuled(override, ruling, docket.margin(obligation.obligation_hash).posted ?? obligation.economic_terms.collateral),
    ...(overruled === undefined ? ruledOn(obligation, ruling, paid) : announcedAfterAppeal(overruled, fee_action, obligation)),
    ...railOf(obligation),
  };
  return docket.settle(signed(body, engine));
}

/** What a ruling makes of the collateral: held as long as somebody can appeal. */
function collateralRuled(
  { acted_at, appeal_window_closes_at }: OverrideRecord,
  { slashed }: Ruling,
  collateral: number,
): Pick<SettlementInstruction, "collateral_action"> {
  if (slashed === undefined || collateral === 0) return {};
  const slash = Object.values(slashed).reduce((sum, amount) => sum + amount, 0);
  const isFinal = secondsOf(appeal_window_closes_at) <= secondsOf(acted_at);
  return { collateral_action: heldUntil(appeal_window_closes_at, collateral, slash, isFinal) };
}

/** What a ruling in the panel's place makes of everyone's performance: whom it pays cleared the obligation. */
function ruledOn(obligation: Obligation, { payees }: Ruling, paid: boolean): Pick<SettlementInstruction, "reputation_action"> {
  const isDivided = obligation.settlement_policy?.release !== undefined;
  return { reputation_action: { passport_delta: performances(obligation, (each) => paid && (!isDivided || payees.includes(each))) } };
}

/** What an upheld appeal leaves of the announced changes: who is paid less lost a dispute, and did not clear the obligation. */
function announcedAfterAppeal(
  overruled: SettlementInstruction,
  fee_action: NonNullable<SettlementInstruction["fee_action"]>,
  obligation: Obligation,
): Pick<SettlementInstruction, "penalty_action" | "reputation_action"> {
  const { penalty_action, reputation_action } = overruled;
  return {
    ...(penalty_action === undefined ? {} : { penalty_action }),
    ...afterDispute(overruled, { fee_action, reputation_action }, obligation),
  };
}

/** The changes that an instruction announces in another's place: for whom it pays less they are a lost dispute, and nothing else about the work. */
function afterDispute(
  { fee_action: before }: SettlementInstruction,
  { fee_action: after, reputation_action }: Pick<SettlementInstruction, "fee_action" | "reputation_action">,
  obligation: Obligation,
): Pick<SettlementInstruction, "reputation_action"> {
  const losers = performersOf(obligation).filter(
    (each) => before !== undefined && after !== undefined && released(after, each) < released(before, each),
  );
  if (reputation_action === undefined && losers.length === 0) return {};
  const delta = { ...reputation_action?.passport_delta };
  for (const loser of losers) {
    delete delta[`${loser}.cleared_obligations`];
    delete delta[`${loser}.failed_obligations`];
    delta[`${loser}.${UPHELD_DISPUTES}`] = 1;
  }
  return { reputation_action: { passport_delta: delta } };
}

/** What an action releases to a performer: all of it, if it is not divided. */
function released(action: NonNullable<SettlementInstruction["fee_action"]>, payee: string): number {
  if (action.type === "refund") return 0;
  if (action.distribution === undefined) return action.release_amount;
  return action.distribution.find((line) => line.payee === payee)?.paid ?? 0;
}

/** One cleared or failed obligation for each who performs it. */
function performances(obligation: Obligation, hasCleared: (performer: string) => boolean): Record<string, number> {
  return Object.fromEntries(
    performersOf(obligation).map((each) => [`${each}.${hasCleared(each) ? "cleared_obligations" : "failed_obligations"}`, 1]),
  );
}

function railOf({ settlement_policy }: Obligation): Pick<SettlementInstruction, "execution_rail" | "receipt_requirement" | "finality"> {
  const { execution_rail = { name: "escrow", mode: "fee_only" }, receipt_requirement } = settlement_policy ?? {};
  return { execution_rail, ...(receipt_requirement === undefined ? {} : { receipt_requirement }), finality: "PROVISIONAL" };
}

function signed(
  actions: Omit<SettlementInstruction, "instruction_id" | "clearing_engine" | "clearing_engine_signature">,
  engine: Signer,
): SettlementInstruction {
  const body = { ...actions, clearing_engine: engine.id };
  const id = hashOf(body);
  return { ...body, instruction_id: id, clearing_engine_signature: signHash(engine, "settlement-instruction", id) };
}

function unknownPayee(payees: readonly string[], multipliers: Multipliers) {
  const unknown = payees.find((payee) => multipliers[payee] === undefined);
  return unknown === undefined ? undefined : refuse("MULTIPLIER_UNKNOWN", unknown, "no multiplier of it was given");
}

/** Division of the fee by a passing score, exact to the smallest unit. */
function releaseAction(
  rule: ReleaseRule,
  release: Release,
  { fee, currency: of }: Obligation["economic_terms"],
  multipliers: Multipliers,
): NonNullable<SettlementInstruction["fee_action"]> {
  const lines = distributionOf(rule, release, multipliers);
  const release_amount = lines.reduce((sum, { paid }) => sum + paid, 0);
  const retain_amount = fee - release_amount;
  return { type: "partial_release", release_amount, retain_amount, currency: of, distribution: lines };
}

export function instructionId(instruction: SettlementInstruction): Hash {
  return hashOf(without(instruction, "instruction_id", "clearing_engine_signature"));
}

/** Whether a registered engine signed this instruction. */
export function isInstructionSigned(instruction: SettlementInstruction, deployment: Deployment): boolean {
  return isEngineRecord(instruction, "settlement-instruction", "instruction_id", deployment);
}

function settledOf(result: Aggregate): Settled | undefined {
  if (!floorMet(result)) return undefined;
  return { performed: result.verdicts.performance.status !== "FAIL", complied: result.verdicts.policy.status !== "FAIL" };
}

function moneyActions(
  settled: Settled,
  { obligation, decision }: Cleared,
  multipliers: Multipliers,
): Pick<SettlementInstruction, "fee_action" | "principal_action" | "claim_action"> {
  const { principal = 0, claim_ceiling = 0, currency } = obligation.economic_terms;
  const template = templateFor(settled, obligation);
  return {
    fee_action: feeAction(template.fee, { obligation, decision }, multipliers),
    ...(principal > 0 ? { principal_action: { type: template.principal, amount: principal, currency } } : {}),
    ...(claim_ceiling > 0 ? { claim_action: { ...claimed(template.claim, decision.loss_estimate?.point, claim_ceiling), currency } } : {}),
  };
}

/** A claim on a loss that nobody estimated is neither paid nor denied here. */
function claimed(what: Outcomes["passed"]["claim"], loss: number | undefined, ceiling: number) {
  if (what === "deny") return { type: "deny" as const, amount: 0 };
  const amount = Math.min(loss ?? ceiling, ceiling);
  return what === "escalate" || loss === undefined ? { type: "escalate" as const, amount } : { type: "pay" as const, amount };
}

function templateFor({ performed, complied }: Settled, obligation: Obligation): Outcomes["passed"] {
  const { passed, violated, failed } = outcomesOf(obligation);
  return performed ? (complied ? passed : violated) : failed;
}

function feeAction(
  what: Outcomes["passed"]["fee"],
  { obligation, decision }: Pick<Cleared, "obligation" | "decision">,
  multipliers: Multipliers,
): NonNullable<SettlementInstruction["fee_action"]> {
  const rule = obligation.settlement_policy?.release;
  const { fee, currency } = obligation.economic_terms;
  if (what === "refund") return { type: "refund", refund_amount: fee, currency };
  if (rule !== undefined)
    return releaseAction(
      rule,
      { score: toBps(decision.score ?? 1), payees: decision.payees ?? [] },
      obligation.economic_terms,
      multipliers,
    );
  const retain = what === "release" ? 0 : Math.min(decision.loss_estimate?.point ?? 0, fee);
  if (retain === 0) return { type: "release", release_amount: fee, currency };
  const rationale = "estimated loss of the broken rules";
  return { type: "partial_release", release_amount: fee - retain, retain_amount: retain, currency, rationale };
}

function collateralAction(settled: Settled, { obligation, decision, aggregates }: Cleared, collateral: number): CollateralAction {
  const what = templateFor(settled, obligation).collateral;
  const loss = what === "slash" ? collateral : Math.min(collateral, decision.loss_estimate?.point ?? collateral);
  const isFinal = obligation.settlement_policy?.collateral === "at_once" && isFinalOutcome(settled, aggregates);
  return heldUntil(decision.appeal_window_closes_at, collateral, what === "return" ? 0 : loss, isFinal);
}

function heldUntil(until: string, collateral: number, slash: number, isFinal: boolean): CollateralAction {
  const end = endOfCollateral(collateral, slash);
  return isFinal ? end : { type: "hold", amount: collateral, until, on_final: end };
}

/** Whether the final settlement's floor decides the same: what moves before finality rests on no less than what moves after it. */
function isFinalOutcome({ performed, complied }: Settled, { final_settlement }: Cleared["aggregates"]): boolean {
  const final = settledOf(final_settlement);
  return final?.performed === performed && final.complied === complied;
}

/** What a collateral ends as of which this much is taken; a rail may take more than was posted for it. */
export function endOfCollateral(collateral: number, slash: number): CollateralEnd {
  if (slash === 0) return { type: "return", amount: collateral };
  return { type: "slash", amount: slash, return_amount: Math.max(0, collateral - slash) };
}

/** The end of a collateral, at once or after it was held. */
export function collateralEndOf(action: CollateralAction): CollateralEnd {
  return action.type === "hold" ? action.on_final : action;
}

/**
 * The passport deltas of all who perform the obligation, which take effect at finality. Of what passed, whoever it does not pay has failed:
 * dissenters, and those whose work nobody vouches for.
 */
function passportActions(
  { performed, complied }: Settled,
  { obligation, aggregates, decision, forgeries }: Cleared,
): Pick<SettlementInstruction, "penalty_action" | "reputation_action"> {
  const agents = performersOf(obligation);
  const { survivors } = aggregates.fee_release;
  const broken = survivors
    .filter(({ output }) => output.verdict === "FAIL")
    .flatMap(({ output }) =>
      output.answers.flatMap(({ question, clause }) => (question === "policy" && clause !== undefined ? [clause] : [])),
    );
  const each = (fields: readonly string[], step: number) =>
    Object.fromEntries(agents.flatMap((agent) => fields.map((field) => [`${agent}.${field}`, step])));
  const penalties = complied
    ? {}
    : each(
        broken.map((clause) => `${clause.replaceAll(".", "_")}_compliance`),
        -1,
      );
  const isFaultless = decision.fault !== "provider_agent" && decision.fault !== "none";
  const reputation = {
    ...performances(obligation, (agent) => performed && (decision.payees?.includes(agent) ?? true)),
    ...(complied ? {} : each(["policy_violations"], 1)),
    ...Object.fromEntries(Object.entries(forgeries).map(([submitter, count]) => [`${submitter}.forge_up_attempts`, count])),
    ...(isFaultless ? each(["faultless_failures"], 1) : {}),
  };
  return {
    ...(Object.keys(penalties).length === 0 ? {} : { penalty_action: { passport_delta: penalties } }),
    reputation_action: { passport_delta: reputation },
  };
}
