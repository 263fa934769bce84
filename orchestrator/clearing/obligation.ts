import { z } from "zod";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import type { Hash } from "../primitives/hex.ts";
import { VERIFIER_KINDS, type VerifierKind } from "../protocol/verifier-kinds.ts";
import type { ClassName } from "./admissibility.ts";
import {
  amountSchema,
  classSchema,
  digestSchema,
  jsonSchema,
  nameSchema,
  type QuestionName,
  questionSchema,
  secondsOf,
  shareSchema,
  timeSchema,
} from "./fields.ts";
import { hashOf, signHash, without } from "./seal.ts";
import { type Signature, type Signer, signatureSchema } from "./signature.ts";

/** One class for both questions, or one for each (the charger scenario, RAILS 8.6). */
const floorSchema = z.union([classSchema, z.strictObject({ performance: classSchema, policy: classSchema })]);
export type Floor = z.infer<typeof floorSchema>;

/** Uses of a verdict, each with its own floor. */
export const purposeSchema = z.enum(["fee_release", "collateral_hold", "final_settlement"]);
export type Purpose = z.infer<typeof purposeSchema>;

const verifierKindSchema = z.enum(Object.keys(VERIFIER_KINDS) as [VerifierKind, ...VerifierKind[]]);

const verifierPolicySchema = z.strictObject({
  /** Seats by name; empty if a rule draws them. */
  verifiers: z.array(nameSchema).max(64).readonly(),
  /** Number of seats; the maximum if a rule draws them. */
  count: z.int().positive(),
  /** The rule that draws a panel after the work, from a value unknown before; the engine supplies the result. */
  drawn_by: nameSchema.optional(),
  /** The asked questions; default: both. */
  questions: z.array(questionSchema).min(1).readonly().optional(),
  /** Clauses of a question that require an answer; one without survivors makes the question UNVERIFIABLE. */
  clauses: z
    .strictObject({ performance: z.array(nameSchema).readonly().optional(), policy: z.array(nameSchema).readonly().optional() })
    .optional(),
  /** Number of sufficiently confident surviving verdicts needed for a decision; default: more than half of the panel. */
  quorum: z.int().positive().max(64).optional(),
  /** Required kinds of judging for performance: every verdict follows from a finding by each. Only a human act settles the human kind. */
  kinds: z.array(verifierKindSchema).min(1).readonly().optional(),
  /** A verdict below this confidence supports no side. */
  min_confidence: shareSchema.optional(),
  /** `mass`, the default, is monotone in the classes (RAILS 5.3); `mean` is A.4.2 and the chain's. */
  confidence_form: z.enum(["mean", "mass"]).optional(),
  /** Who decides a clause on which verifiers conflict: the heavier side, the default, or an arbiter, to whom it goes as disputed. */
  conflict: z.enum(["majority", "arbiter"]).optional(),
});
export type VerifierPolicy = z.infer<typeof verifierPolicySchema>;

/** The price promised to one of several executors. */
const promiseSchema = z.strictObject({
  payee: nameSchema,
  price: amountSchema,
  /** Prefix of ids of items about this payee's work. */
  items: nameSchema,
});

/** Converts a score to payments, price by price (AgentCity equation 9; decision 80). Computed by `distribution.ts`. */
const releaseSchema = z.strictObject({
  protocol_fee_bps: z.int().min(0).max(BASIS_POINTS),
  insurance_bps: z.int().min(0).max(BASIS_POINTS),
  /** Pay only executors whose work the verifiers find to agree. */
  agreeing_only: z.boolean(),
  /** Must add up to the fee. */
  promises: z.array(promiseSchema).min(1).max(16).readonly(),
});
export type ReleaseRule = z.infer<typeof releaseSchema>;

/** What one outcome does with the money. A loss is the decision's estimate; without one, it is the whole amount in question. */
const outcomeSchema = z.strictObject({
  fee: z.enum(["release", "less_loss", "refund"]),
  /** Money held by the rail. */
  principal: z.enum(["release", "refund", "reverse"]),
  collateral: z.enum(["return", "slash_loss", "slash"]),
  /** `pay_loss` without an estimate is escalated. */
  claim: z.enum(["deny", "escalate", "pay_loss"]),
});
/** P_s of RAILS 4.2: a template of the instruction for each outcome: performed by the rules, performed against a rule, not performed. */
const outcomesSchema = z.strictObject({ passed: outcomeSchema, violated: outcomeSchema, failed: outcomeSchema });
export type Outcomes = z.infer<typeof outcomesSchema>;

const FAILED: Outcomes["failed"] = { fee: "refund", principal: "refund", collateral: "slash_loss", claim: "pay_loss" };
const PASSED: Outcomes["passed"] = { fee: "release", principal: "release", collateral: "return", claim: "deny" };

/** Templates to agree on. Without one it is `standard`, or `strict` beside a release rule. */
export const SETTLEMENT_TEMPLATES = {
  /** A broken rule costs its loss. */
  standard: { passed: PASSED, violated: { ...PASSED, fee: "less_loss" }, failed: FAILED },
  /** A broken rule is a failure. */
  strict: { passed: PASSED, violated: FAILED, failed: FAILED },
  /** Nobody loses collateral: for parties that know each other. */
  lenient: {
    passed: PASSED,
    violated: { ...PASSED, fee: "less_loss" },
    failed: { fee: "refund", principal: "refund", collateral: "return", claim: "deny" },
  },
} as const satisfies Record<string, Outcomes>;

const settlementPolicySchema = z.strictObject({
  execution_rail: z.strictObject({ name: nameSchema, mode: nameSchema.optional() }),
  receipt_requirement: z.strictObject({ type: nameSchema, target: nameSchema }).optional(),
  /** What happens on failure to money held by the rail. */
  on_failure: z.enum(["refund", "reverse"]).optional(),
  /** One of `SETTLEMENT_TEMPLATES`, or the parties' own. */
  outcomes: outcomesSchema.optional(),
  /**
   * When the rail returns or slashes the collateral: at finality (`held`, the default), or with the instruction, where the final settlement's
   * floor decides the same; then the rail must be able to take it back until finality.
   */
  collateral: z.enum(["held", "at_once"]).optional(),
  /** Without it the fee is one amount: released, or released less a loss. */
  release: releaseSchema.optional(),
});

/** Deterministic rules over the content of an item, by key path: a closed list, so that both parties and every engine read them alike. */
const ruleSchema = z.discriminatedUnion("is", [
  z.strictObject({ is: z.literal("equal_to"), path: nameSchema, value: z.union([z.string(), z.number(), z.boolean(), z.null()]) }),
  z.strictObject({ is: z.literal("at_most"), path: nameSchema, limit: z.number() }),
  z.strictObject({
    is: z.literal("one_of"),
    path: nameSchema,
    allowed: z
      .array(z.union([z.string(), z.number()]))
      .min(1)
      .readonly(),
  }),
  /** Every listed path is inside one of these trees (`services/payments/*`). */
  z.strictObject({ is: z.literal("paths_within"), path: nameSchema, trees: z.array(nameSchema).min(1).readonly() }),
  /** Everything listed is approved. */
  z.strictObject({ is: z.literal("only_approved"), path: nameSchema, approved: z.array(nameSchema).readonly() }),
]);

/** An acceptance criterion as a predicate over evidence (RAILS 4.2): nothing passes while the evidence does not meet it. */
const criterionSchema = z.strictObject({
  /** In words. */
  criterion: nameSchema,
  /** Type of the items that it is about. */
  evidence: nameSchema,
  rule: ruleSchema,
});
export type Criterion = z.infer<typeof criterionSchema>;

/** The contract (RAILS 4.2, A.3.1). Fields of the tuple that the appendix lacks are optional. */
export const obligationSchema = z.strictObject({
  obligation_id: digestSchema,
  obligation_hash: digestSchema,
  parties: z.strictObject({ requestor: nameSchema, provider: nameSchema, marketplace_witness: nameSchema.optional() }),
  /** Agents that may act in addition to the provider. */
  agents: z.array(nameSchema).readonly().optional(),
  task: z.record(z.string(), jsonSchema).readonly(),
  scope: z.record(z.string(), jsonSchema).readonly(),
  prohibitions: z.array(z.string()).readonly(),
  required_actions: z.array(z.string()).readonly(),
  /** In words, for the verifiers; or as predicates, which the engine applies itself. */
  acceptance_criteria: z.array(z.union([z.string(), criterionSchema])).readonly(),
  /** Items required in the envelope before any release: type, minimum class, issuer, and maximum age. */
  evidence_requirements: z
    .array(
      z.strictObject({
        type: nameSchema,
        class: classSchema.optional(),
        /** An issuer that must have vouched for it. */
        source: nameSchema.optional(),
        max_age_seconds: z.int().positive().optional(),
      }),
    )
    .readonly()
    .optional(),
  admissibility_floors: z.strictObject({
    fee_release: floorSchema,
    collateral_hold: floorSchema.optional(),
    final_settlement: floorSchema.optional(),
  }),
  verifier_policy: verifierPolicySchema,
  economic_terms: z.strictObject({
    fee: amountSchema,
    collateral: amountSchema,
    /** Money that the action moves besides the fee. */
    principal: amountSchema.optional(),
    claim_ceiling: amountSchema.optional(),
    currency: nameSchema,
  }),
  deadlines: z.strictObject({
    execution_window_hours: z.number().positive(),
    appeal_window_hours: z.number().nonnegative(),
    /** Start of the execution window, and its clock's keeper, if it does not start at `bound_at`. */
    execution_begins: nameSchema.optional(),
    /**
     * From `bound_at`: the requestor alone may refuse the object as it was rendered, say with a weaker floor than it asked for (RAILS 10.3).
     * A year at most: the execution window starts afterwards.
     */
    refusal_window_hours: z.number().positive().max(8_760).optional(),
  }),
  settlement_policy: settlementPolicySchema.optional(),
  finality_policy: z.strictObject({ confidence_threshold: shareSchema }).optional(),
  /** The clearing engine; by default any registered engine of no party's principal. */
  clearing_engine: nameSchema.optional(),
  /** The vetted template it was rendered from. */
  template: nameSchema.optional(),
  /** Hash of the parent obligation, in a subdelegation. */
  parent_obligation_hash: digestSchema.optional(),
  /** Older evidence does not count. The execution window starts here, unless `deadlines.execution_begins` says otherwise. */
  bound_at: timeSchema.optional(),
  signatures: z.record(nameSchema, signatureSchema).readonly(),
});
export type Obligation = z.infer<typeof obligationSchema>;
/** The terms before they are signed. */
export type ObligationTerms = Omit<Obligation, "obligation_hash" | "signatures">;

/** Hash of everything that the parties sign: the rendered object, not the brief behind it (RAILS 10.3). */
export function obligationHash(obligation: ObligationTerms & Partial<Pick<Obligation, "obligation_hash" | "signatures">>): Hash {
  return hashOf(without(obligation, "obligation_hash", "signatures"));
}

/** Seals the terms with the signatures of their parties, keyed by role. */
export function signObligation(terms: ObligationTerms, signers: Readonly<Record<string, Signer>>): Obligation {
  const hash = obligationHash(terms);
  const signatures: Record<string, Signature> = {};
  for (const [part, signer] of Object.entries(signers)) signatures[part] = signHash(signer, "obligation", hash);
  return { ...terms, obligation_hash: hash, signatures };
}

/** The instruction's template for each outcome: the agreed one, or the default for the other terms. */
export function outcomesOf({ settlement_policy: policy }: Pick<Obligation, "settlement_policy">): Outcomes {
  if (policy?.outcomes !== undefined) return policy.outcomes;
  const { passed, violated } = policy?.release === undefined ? SETTLEMENT_TEMPLATES.standard : SETTLEMENT_TEMPLATES.strict;
  const failed: Outcomes["failed"] = { ...FAILED, principal: policy?.on_failure ?? "refund" };
  return { passed, violated: policy?.release === undefined ? violated : failed, failed };
}

/** How bad each choice is for the provider. */
const COST = {
  fee: { release: 0, less_loss: 1, refund: 2 },
  principal: { release: 0, refund: 1, reverse: 1 },
  collateral: { return: 0, slash_loss: 1, slash: 2 },
  claim: { deny: 0, escalate: 1, pay_loss: 2 },
} as const;

/** The part of the money that a worse outcome leaves the provider more of. */
function spared(better: Outcomes["passed"], worse: Outcomes["passed"]): keyof typeof COST | undefined {
  if (COST.fee[better.fee] > COST.fee[worse.fee]) return "fee";
  if (COST.principal[better.principal] > COST.principal[worse.principal]) return "principal";
  if (COST.collateral[better.collateral] > COST.collateral[worse.collateral]) return "collateral";
  return COST.claim[better.claim] > COST.claim[worse.claim] ? "claim" : undefined;
}

/** When the execution window starts, seconds since 1970; undefined if another clock keeps it, or nothing says so. */
export function executionBegins({ bound_at, deadlines }: Pick<Obligation, "bound_at" | "deadlines">): number | undefined {
  if (bound_at === undefined || deadlines.execution_begins !== undefined) return undefined;
  return secondsOf(bound_at) + Math.ceil((deadlines.refusal_window_hours ?? 0) * 3600);
}

/** Why the obligation's policies contradict each other; undefined if they do not. */
export function policyConflict(obligation: Obligation): string | undefined {
  const { settlement_policy: policy, verifier_policy, deadlines } = obligation;
  if (verifier_policy.drawn_by !== undefined && verifier_policy.conflict === "arbiter")
    return "a drawn panel decides by majority, as on chain: name its verifiers, or leave conflicts to the majority";
  if (deadlines.refusal_window_hours !== undefined && executionBegins(obligation) === undefined)
    return "a window to refuse starts at bound_at, and execution after it: leave execution_begins out, or the window";
  const { outcomes, on_failure, release } = policy ?? {};
  if (outcomes === undefined) return undefined;
  const { passed, violated, failed } = outcomes;
  if (on_failure !== undefined && on_failure !== failed.principal)
    return `on_failure says ${on_failure}, the failed outcome ${failed.principal}`;
  if (release !== undefined && (passed.fee !== "release" || violated.fee !== "refund" || failed.fee !== "refund"))
    return "a release rule divides what passed by its score, and has no share for anything else";
  const part = spared(passed, violated) ?? spared(violated, failed);
  return part === undefined ? undefined : `a worse outcome is better for the provider: ${part}`;
}

/** More than half of a panel: the default quorum. */
export const majorityOf = (count: number): number => Math.floor(count / 2) + 1;

/** Agents that may act under an obligation, and so submit its evidence. */
export function actorsOf({ parties, agents = [] }: Pick<Obligation, "parties" | "agents">): readonly string[] {
  return [parties.provider, ...agents];
}

/** Those who perform an obligation for their own account: the payees that its release rule promises something; by default the provider. */
export function performersOf({ parties, settlement_policy }: Pick<Obligation, "parties" | "settlement_policy">): readonly string[] {
  const promises = settlement_policy?.release?.promises;
  return promises === undefined ? [parties.provider] : [...new Set(promises.map(({ payee }) => payee))];
}

/** The floor of a use for a question; by default the fee's. */
export function floorFor(
  { admissibility_floors: floors }: Pick<Obligation, "admissibility_floors">,
  purpose: Purpose,
  question: QuestionName,
): ClassName {
  const floor = floors[purpose] ?? floors.fee_release;
  return typeof floor === "string" ? floor : floor[question];
}
