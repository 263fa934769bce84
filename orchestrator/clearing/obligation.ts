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
  shareSchema,
  timeSchema,
} from "./fields.ts";
import { hashOf, signHash, without } from "./seal.ts";
import { type Signature, type Signer, signatureSchema } from "./signature.ts";

/** One class for both questions, or one for each (the charger scenario, RAILS 8.6). */
const floorSchema = z.union([classSchema, z.strictObject({ performance: classSchema, policy: classSchema })]);
export type Floor = z.infer<typeof floorSchema>;

/** What a verdict is used for; each use has its own floor. */
export const purposeSchema = z.enum(["fee_release", "collateral_hold", "final_settlement"]);
export type Purpose = z.infer<typeof purposeSchema>;

const verifierKindSchema = z.enum(Object.keys(VERIFIER_KINDS) as [VerifierKind, ...VerifierKind[]]);

const verifierPolicySchema = z.strictObject({
  /** Seats by name; none where a rule draws them. */
  verifiers: z.array(nameSchema).max(64).readonly(),
  /** Seats; at most so many where a rule draws them. */
  count: z.int().positive(),
  /** The rule by which a panel is drawn once the work is done, from what nobody knew before; whoever clears hands in who that was. */
  drawn_by: nameSchema.optional(),
  /** Questions asked; both by default. */
  questions: z.array(questionSchema).min(1).readonly().optional(),
  /** Clauses of a question that somebody must answer; one without survivors makes the question UNVERIFIABLE. */
  clauses: z
    .strictObject({ performance: z.array(nameSchema).readonly().optional(), policy: z.array(nameSchema).readonly().optional() })
    .optional(),
  /** Verdicts that must survive, sure enough, before anything is decided; more than half of the panel by default. */
  quorum: z.int().positive().max(64).optional(),
  /** By which kinds the performance question is judged: every verdict follows from a finding by each, and what a human is asked for is settled by a human act alone. */
  kinds: z.array(verifierKindSchema).min(1).readonly().optional(),
  /** A verdict less sure than it backs no side. */
  min_confidence: shareSchema.optional(),
  /** `mass`, the default, is monotone in the classes (RAILS 5.3); `mean` is A.4.2 and the chain's. */
  confidence_form: z.enum(["mean", "mass"]).optional(),
});
export type VerifierPolicy = z.infer<typeof verifierPolicySchema>;

/** What one of those who share the work was promised. */
const promiseSchema = z.strictObject({
  payee: nameSchema,
  price: amountSchema,
  /** How the ids of items about this payee's work begin. */
  items: nameSchema,
});

/** How a score becomes money, price by price (AgentCity equation 9; decision 80). `distribution.ts` computes it. */
const releaseSchema = z.strictObject({
  protocol_fee_bps: z.int().min(0).max(BASIS_POINTS),
  insurance_bps: z.int().min(0).max(BASIS_POINTS),
  /** Whether only those are paid whose work the verifiers found to agree. */
  agreeing_only: z.boolean(),
  /** They add up to the fee. */
  promises: z.array(promiseSchema).min(1).max(16).readonly(),
});
export type ReleaseRule = z.infer<typeof releaseSchema>;

const settlementPolicySchema = z.strictObject({
  execution_rail: z.strictObject({ name: nameSchema, mode: nameSchema.optional() }),
  receipt_requirement: z.strictObject({ type: nameSchema, target: nameSchema }).optional(),
  /** What a failed performance does with money that the rail holds. */
  on_failure: z.enum(["refund", "reverse"]).optional(),
  /** Without it the fee is one sum: released, or released less a loss. */
  release: releaseSchema.optional(),
});

/** The contract (RAILS 4.2, A.3.1). Fields that the appendix lacks but the tuple has are optional. */
export const obligationSchema = z.strictObject({
  obligation_id: digestSchema,
  obligation_hash: digestSchema,
  parties: z.strictObject({ requestor: nameSchema, provider: nameSchema, marketplace_witness: nameSchema.optional() }),
  /** Agents that may act besides the provider. */
  agents: z.array(nameSchema).readonly().optional(),
  task: z.record(z.string(), jsonSchema).readonly(),
  scope: z.record(z.string(), jsonSchema).readonly(),
  prohibitions: z.array(z.string()).readonly(),
  required_actions: z.array(z.string()).readonly(),
  acceptance_criteria: z.array(z.string()).readonly(),
  /** Items the envelope must hold before anything is released: of which type, at which class, from whom, and how old at most. */
  evidence_requirements: z
    .array(
      z.strictObject({
        type: nameSchema,
        class: classSchema.optional(),
        /** Somebody who vouched for it. */
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
    /** What starts the execution window, and who keeps that clock, where it does not run from `bound_at`. */
    execution_begins: nameSchema.optional(),
  }),
  settlement_policy: settlementPolicySchema.optional(),
  finality_policy: z.strictObject({ confidence_threshold: shareSchema }).optional(),
  /** Who clears it; any registered engine of no party's principal where nobody is named. */
  clearing_engine: nameSchema.optional(),
  /** Vetted template it was rendered from. */
  template: nameSchema.optional(),
  /** A subdelegation names the obligation it serves. */
  parent_obligation_hash: digestSchema.optional(),
  /** No evidence is older than this. The execution window runs from here, unless `deadlines.execution_begins` says otherwise. */
  bound_at: timeSchema.optional(),
  signatures: z.record(nameSchema, signatureSchema).readonly(),
});
export type Obligation = z.infer<typeof obligationSchema>;
/** What the parties agree on before anybody signs. */
export type ObligationTerms = Omit<Obligation, "obligation_hash" | "signatures">;

/** Hash of everything the parties sign: the rendered object, not the brief it came from (RAILS 10.3). */
export function obligationHash(obligation: ObligationTerms & Partial<Pick<Obligation, "obligation_hash" | "signatures">>): Hash {
  return hashOf(without(obligation, "obligation_hash", "signatures"));
}

/** Seals the terms with the signatures of their parties; the name of a signature is the party's part. */
export function signObligation(terms: ObligationTerms, signers: Readonly<Record<string, Signer>>): Obligation {
  const hash = obligationHash(terms);
  const signatures: Record<string, Signature> = {};
  for (const [part, signer] of Object.entries(signers)) signatures[part] = signHash(signer, "obligation", hash);
  return { ...terms, obligation_hash: hash, signatures };
}

/** Who may act under an obligation, and so submit its evidence. */
export function actorsOf({ parties, agents = [] }: Pick<Obligation, "parties" | "agents">): readonly string[] {
  return [parties.provider, ...agents];
}

/** The floor that a use sets for a question. A use without one takes the fee's. */
export function floorFor(
  { admissibility_floors: floors }: Pick<Obligation, "admissibility_floors">,
  purpose: Purpose,
  question: QuestionName,
): ClassName {
  const floor = floors[purpose] ?? floors.fee_release;
  return typeof floor === "string" ? floor : floor[question];
}
