import { z } from "zod";
import { immutable } from "../primitives/immutable.ts";
import { assertJson, canonicalJson } from "../primitives/json.ts";
import { MOST_WEIGHT } from "../rules/clearing.ts";
import { AgreementRefused } from "./errors.ts";
import { isDollar, unitsOf } from "./money.ts";

/** The document of ASA, version 1, with the paper's names. Fields of later minor versions are kept and hashed, but not interpreted. */

export const IDENTITY_SCHEMES = ["coc", "erc8004", "a2a", "w3c_vc", "w3c_did", "mcp", "api_key", "uri"] as const;
const text = z.string().min(1).max(500);
const seconds = z.int().positive().max(31_536_000);
const time = z.iso.datetime({ precision: 0 });

export const identitySchema = z.looseObject({ scheme: z.enum(IDENTITY_SCHEMES), value: text });
export type PartyIdentity = z.infer<typeof identitySchema>;

const partySchema = z.looseObject({
  identity: identitySchema,
  display_name: text.optional(),
  /** The person or firm behind it: two names of one principal count as one party. */
  principal: text.optional(),
  organisation: text.optional(),
  /** Models of one family favour each other's work, so its evaluator must be of another family. */
  model_family: text.optional(),
});

/** Weight of an evaluator without a calibration. At most 133 against it: of up to seven evaluators the larger number always weighs more. */
export const LEAST_WEIGHT = 100;

/** An evaluator's entry in a register; both parties sign the register as part of the terms. */
export const evaluatorRecordSchema = z.looseObject({
  identity: identitySchema,
  principal: text.optional(),
  organisation: text.optional(),
  model_family: text.optional(),
  /** Its account, if an escrow pays on its word. */
  wallet: text.optional(),
  /** Types of service it judges. */
  domains: z.array(text).max(32),
  /** Dollars per evaluation. */
  price: z.number().nonnegative(),
  available: z.boolean(),
  evaluations: z.int().nonnegative(),
  canaries: z.int().nonnegative(),
  canaries_passed: z.int().nonnegative(),
  /** Mean distance from the medians of its evaluations, in points. */
  deviation: z.number().nonnegative(),
  /** Weight among several evaluators, by its calibration. */
  weight: z.int().min(LEAST_WEIGHT).max(MOST_WEIGHT).optional(),
});
export type EvaluatorRecord = z.infer<typeof evaluatorRecordSchema>;

const selectionSchema = z.looseObject({
  mode: z.enum(["random", "mutual", "marketplace"]),
  /** If present, no evaluator is named: evaluators are drawn from it once the terms are fixed. */
  register: z.array(evaluatorRecordSchema).min(1).max(64).optional(),
  /** SHA-256 of the client's nonce, which it opens after the provider's, so that neither can choose the draw. */
  commitment: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .optional(),
  /** The provider's latest evaluators, newest last, for the rotation. */
  before: z.array(identitySchema).max(32).optional(),
});

const evaluatorSchema = z.looseObject({
  identity: identitySchema.optional(),
  type: z.enum(["agent_as_judge", "deterministic", "composite", "panel"]),
  principal: text.optional(),
  /** Replaces the evaluator once its time is over. */
  backup: identitySchema.optional(),
  /** With `verification.consensus` and without a draw: the first ones judge together, the others replace silent ones. */
  panel: z.array(identitySchema).min(2).max(9).optional(),
  config: z.looseObject({ model: text.optional(), rubric_id: text.optional(), model_family: text.optional() }).optional(),
  selection: selectionSchema.optional(),
});

export const OPERATORS = ["gte", "lte", "gt", "lt", "eq", "neq", "between"] as const;
const sloSchema = z.looseObject({
  operator: z.enum(OPERATORS),
  value: z.union([z.number(), z.boolean(), z.tuple([z.number(), z.number()])]),
});
export type Slo = z.infer<typeof sloSchema>;

const dimensionSchema = z.looseObject({
  name: text,
  weight: z.number().min(0).max(1),
  metric: z.enum(["percentage", "boolean", "count", "duration_seconds", "score"]),
  slo: sloSchema.optional(),
  shadow_metric: text.optional(),
  shadow_slo: sloSchema.optional(),
});
export type Dimension = z.infer<typeof dimensionSchema>;

export const tierSchema = z.union([
  z.looseObject({ composite_score_gte: z.number().min(0).max(100), release_percent: z.int().min(0).max(100) }),
  z.looseObject({ composite_score_lt: z.number().min(0).max(100), release_percent: z.int().min(0).max(100) }),
]);
export type Tier = z.infer<typeof tierSchema>;

/** Moves each tier's boundary by a seed of which only the hash is known before the result, so that no one can aim at a boundary. */
const noiseSchema = z.looseObject({ points: z.number().positive().max(3), seed_hash: z.string().regex(/^0x[0-9a-f]{64}$/) });

const share = z.number().min(0).max(100);
const guaranteeSchema = z.discriminatedUnion("kind", [
  /** At least one of the last `k` deliveries reaches the threshold. */
  z.looseObject({ kind: z.literal("pass_at_k"), k: z.int().min(1).max(100), target: share }),
  /** Of the last `window` deliveries, `p` percent reach the target. */
  z.looseObject({ kind: z.literal("percentile"), p: share, target: share, window: z.int().min(1).max(1000) }),
]);
export type Guarantee = z.infer<typeof guaranteeSchema>;

export const TIMEOUT_ACTIONS = ["hold_for_backup_evaluator", "split_50_50", "return_to_client", "release_to_provider"] as const;

const signatureSchema = z.looseObject({
  scheme: z.enum(["ed25519", "secp256k1"]),
  /** Selects one of the identity's keys; required if it has several. */
  key: text.optional(),
  value: text,
});
export type PartySignature = z.infer<typeof signatureSchema>;

export const STATUSES = [
  "proposed",
  "negotiating",
  "active",
  "delivered",
  "verified",
  "closed",
  "rejected",
  "disputed",
  "expired",
] as const;
export type Status = (typeof STATUSES)[number];

/** One delivery in `one_in` is judged, by a lot drawn after the delivery; the others count as delivered in full. */
const samplingSchema = z.looseObject({
  one_in: z.int().min(2).max(100),
  /** SHA-256 of the client's nonce, which it opens after the delivery. */
  commitment: z.string().regex(/^0x[0-9a-f]{64}$/),
  /** Time for opening the nonce; a delivery whose nonce is not opened is judged. */
  reveal_seconds: seconds.optional(),
});

export const agreementSchema = z.looseObject({
  asa_version: z.string().regex(/^\d+\.\d+\.\d+$/),
  agreement_id: z.string().regex(/^asa-\S{1,120}$/),
  created_at: time,
  expires_at: time,
  status: z.enum(STATUSES),
  parties: z.looseObject({ client: partySchema, provider: partySchema, evaluator: evaluatorSchema }),
  service: z.looseObject({
    type: text,
    description: z.string().min(1).max(20_000),
    deliverable_format: text,
    constraints: z
      .looseObject({
        max_tokens: z.int().positive().optional(),
        max_duration_seconds: seconds.optional(),
        /** Highest price, dollars: an amount, so at most six decimals. */
        max_cost_usd: z.number().nonnegative().optional(),
        max_bytes: z.int().positive().optional(),
      })
      .optional(),
    /** JSON Schema of a deliverable that is JSON. */
    deliverable_schema: z.looseObject({}).optional(),
    /** Budgets that `requireHonoured` refuses: nobody sees what a provider uses. */
    resources: z.looseObject({}).optional(),
  }),
  quality_criteria: z.looseObject({
    dimensions: z.array(dimensionSchema).min(1).max(32),
    composite_threshold: z.number().min(0).max(100),
    composite_method: z.enum(["weighted_average", "geometric_mean", "harmonic_mean"]),
    guarantee_type: z.enum(["deterministic", "probabilistic"]),
    guarantee: guaranteeSchema.optional(),
    quality_gates: z
      .array(z.looseObject({ condition: text, type: z.enum(["boolean", "threshold"]) }))
      .max(32)
      .optional(),
    gate_logic: text.optional(),
  }),
  verification: z.looseObject({
    strategy: z.enum(["optimistic", "immediate"]),
    depth: z.enum(["structural", "semantic", "composite"]).optional(),
    challenge_window_seconds: seconds.optional(),
    /** Time of each evaluator; then the next one is asked. */
    evaluator_timeout_seconds: seconds.optional(),
    /** Maximum cost of one evaluation, dollars. */
    cost_cap: z.number().nonnegative().optional(),
    rotation: z.looseObject({ max_consecutive: z.int().positive() }).optional(),
    sampling: samplingSchema.optional(),
    /** Number of independent evaluators; the outcome follows from the medians of their measurements. */
    consensus: z.looseObject({ evaluators: z.int().min(2).max(9), method: text.optional() }).optional(),
    /** Tests of the evaluator: works of a known score among those that it judges. */
    canary_tasks: z.looseObject({ enabled: z.boolean(), frequency: text.optional(), failure_action: text.optional() }).optional(),
  }),
  escrow: z
    .looseObject({
      enabled: z.boolean(),
      binding: z.looseObject({
        type: z.enum(["erc8183", "x402", "http_callback", "city", "manual"]),
        contract_address: text.optional(),
        chain: text.optional(),
      }),
      payment: z.looseObject({
        amount: z.string(),
        currency: text,
        graduated_release: z
          .looseObject({
            enabled: z.boolean(),
            mode: z.enum(["tiered", "continuous"]).optional(),
            tiers: z.array(tierSchema).max(32).optional(),
            noise: noiseSchema.optional(),
            /** The ground of raised tiers (`raisedRelease`): those before, and the provider's scores. */
            dynamic: z.unknown().optional(),
          })
          .optional(),
      }),
      dead_mans_switch: z
        .looseObject({
          client_timeout_seconds: seconds.optional(),
          provider_timeout_seconds: seconds.optional(),
          /** Time of all evaluators together; then `timeout_action` ends the agreement. */
          evaluator_timeout_seconds: seconds.optional(),
          timeout_action: z.enum(TIMEOUT_ACTIONS).optional(),
        })
        .optional(),
    })
    .optional(),
  dispute: z
    .looseObject({
      protocol: text,
      threshold: share.optional(),
      auto_file_on: text.optional(),
      evidence_includes: z.array(text).max(32).optional(),
    })
    .optional(),
  /** Who reads what is kept of it: default, the parties alone. */
  visibility: z.enum(["parties", "parties_and_reputation", "public"]).optional(),
  negotiation: z
    .looseObject({
      max_rounds: z.int().min(1).max(20).optional(),
      timeout_seconds: seconds.optional(),
      max_change_percent: z.number().positive().max(100).optional(),
      price_bounds: z.tuple([z.number().nonnegative(), z.number().positive()]).optional(),
    })
    .optional(),
  signatures: z.looseObject({ client: signatureSchema.optional(), provider: signatureSchema.optional() }).optional(),
});
export type Agreement = z.infer<typeof agreementSchema>;

/** Defaults of an agreement. */
export const DEFAULTS = {
  maxRounds: 5,
  maxChangePercent: 25,
  negotiationSeconds: 3600,
  priceBounds: [0.5, 3] as readonly [number, number],
  switchSeconds: 86_400,
  challengeSeconds: 7200,
  evaluatorSeconds: 600,
  revealSeconds: 3600,
  disputeSeconds: 604_800,
  maxBackups: 2,
  maxConsecutive: 5,
} as const;

/**
 * Reads a document and validates its cross-field rules. The result is frozen, since other terms are another document. Throws
 * AgreementRefused.
 */
export function readAgreement(document: unknown): Agreement {
  try {
    assertJson(document);
  } catch (error) {
    throw new AgreementRefused(
      "MalformedAgreement",
      "The agreement is not strict JSON",
      error instanceof Error ? error.message : String(error),
    );
  }
  const version = typeof document === "object" && document !== null && "asa_version" in document ? document.asa_version : undefined;
  if (typeof version === "string" && !version.startsWith("1."))
    throw new AgreementRefused(
      "UnsupportedVersion",
      `Version ${version} is not supported`,
      "1.x is; an agreement keeps the version it was signed with",
    );
  const parsed = agreementSchema.safeParse(document);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "$"}: ${message}`);
    throw new AgreementRefused("MalformedAgreement", "The document is not an agreement of version 1", problems.join("; "));
  }
  const problem = inconsistency(parsed.data);
  if (problem !== undefined) throw new AgreementRefused("MalformedAgreement", "The terms contradict each other", problem);
  requireDistinctParties(parsed.data);
  requireOneWord(parsed.data);
  return immutable(parsed.data);
}

/** `accuracy_gte_80` or `composite_gte_75`: the subject of a gate, its comparison and its threshold. */
export function thresholdOf(condition: string): { readonly name: string; readonly operator?: string; readonly bound?: number } {
  const [, name, operator, bound] = /^(.+)_(gte|lte|gt|lt)_(\d+(?:\.\d+)?)$/.exec(condition) ?? [];
  return name === undefined || operator === undefined ? { name: condition } : { name, operator, bound: Number(bound) };
}

function inconsistency(agreement: Agreement): string | undefined {
  const { created_at, expires_at, parties, service, quality_criteria, escrow } = agreement;
  if (Date.parse(expires_at) <= Date.parse(created_at)) return "it expires before it begins";
  const drawing = drawProblem(parties.evaluator) ?? samplingProblem(agreement) ?? consensusProblem(agreement);
  if (drawing !== undefined) return drawing;
  const { dimensions, quality_gates = [], guarantee_type, guarantee } = quality_criteria;
  const measured = ["composite", ...dimensions.map(({ name }) => name)];
  const unmeasured = quality_gates.find(({ type, condition }) => type === "threshold" && !measured.includes(thresholdOf(condition).name));
  if (unmeasured !== undefined) return `the gate ${unmeasured.condition} names no measurement`;
  if (guarantee_type === "probabilistic" && guarantee === undefined) return "it is probabilistic, but names no guarantee";
  if (new Set(dimensions.map(({ name }) => name)).size < dimensions.length) return "two dimensions have the same name";
  const weight = dimensions.reduce((sum, dimension) => sum + dimension.weight, 0);
  if (Math.abs(weight - 1) > 1e-9) return `the weights sum to ${weight}, not to 1`;
  if (escrow === undefined || !escrow.enabled) return undefined;
  const { amount, currency, graduated_release: release } = escrow.payment;
  if (unitsOf(amount, currency) === 0n) return "the amount is zero";
  const most = service.constraints?.max_cost_usd;
  if (most !== undefined && isDollar(currency) && unitsOf(amount, currency) > unitsOf(String(most), currency))
    return `the amount is above service.constraints.max_cost_usd, ${most}`;
  const tiered = release?.enabled === true && release.mode !== "continuous";
  return tiered && release.tiers !== undefined ? tierProblem(release.tiers) : undefined;
}

/** Whether evaluators are drawn from a register in the terms. */
export function isDrawn({ parties: { evaluator } }: Pick<Agreement, "parties">): boolean {
  return evaluator.selection?.register !== undefined;
}

function drawProblem({ identity, backup, panel, selection }: Agreement["parties"]["evaluator"]): string | undefined {
  const { register, commitment } = selection ?? {};
  if (register === undefined) return undefined;
  if (identity !== undefined || backup !== undefined || panel !== undefined) return "with a register, no evaluator may be named";
  if (commitment === undefined) return "the client's nonce has no commitment, so the client could choose the draw";
  const names = register.map((each) => canonicalJson([each.identity.scheme, each.identity.value]));
  return new Set(names).size < names.length ? "the register lists an evaluator twice" : undefined;
}

function samplingProblem({ verification: { sampling }, parties: { evaluator } }: Agreement): string | undefined {
  if (sampling === undefined || sampling.commitment !== evaluator.selection?.commitment) return undefined;
  return "the same nonce is used for the draw and the sample: opening it for the first would reveal the second";
}

/**
 * An escrow releases by one evaluator's call per delivery: on chain a delivery that the lot spares could not be distinguished from a silent
 * evaluator, and several results could not be combined.
 */
function requireOneWord({ verification: { sampling, consensus }, escrow }: Agreement): void {
  if (escrow?.enabled !== true || escrow.binding.type !== "erc8183") return;
  const refuse = (what: string, instead: string) => {
    throw new AgreementRefused("NotInEscrow", `An escrow pays by one evaluator's word per delivery, not by ${what}`, undefined, instead);
  };
  if (sampling !== undefined) refuse("a lot", "leave verification.sampling out, or have the client pay afterwards (escrow binding x402)");
  if (consensus !== undefined)
    refuse(
      "several results",
      "leave verification.consensus out and have the job's evaluator be a ClearingEvaluator, whose panel is drawn, or pay afterwards (escrow binding x402)",
    );
}

/** Number of evaluators that judge a delivery independently. */
export function judgesAsked({ verification: { consensus } }: Pick<Agreement, "verification">): number {
  return consensus?.evaluators ?? 1;
}

/** Whether this many results suffice: more than half of the evaluators. */
export function haveMostJudged(agreement: Pick<Agreement, "verification">, results: number): boolean {
  return 2 * results > judgesAsked(agreement);
}

function consensusProblem(agreement: Agreement): string | undefined {
  const { verification, parties } = agreement;
  const { identity, backup, panel, selection } = parties.evaluator;
  const asked = judgesAsked(agreement);
  if (verification.consensus === undefined) return panel === undefined ? undefined : "it names a panel, but not how many of it judge";
  if (selection?.register !== undefined) return undefined;
  if (identity !== undefined || backup !== undefined) return "with several evaluators, all of them must be named in the panel";
  return (panel?.length ?? 0) < asked ? `it requires ${asked} evaluators, but names fewer` : undefined;
}

/** Tiers must cover every score exactly once, and may not pay less for a higher score. */
function tierProblem(tiers: readonly Tier[]): string | undefined {
  const from = tiers.flatMap((tier) =>
    typeof tier["composite_score_gte"] === "number" ? [[tier["composite_score_gte"], tier.release_percent]] : [],
  );
  const below = tiers.flatMap((tier) =>
    typeof tier["composite_score_lt"] === "number" ? [[tier["composite_score_lt"], tier.release_percent]] : [],
  );
  const steps = from.map(([at = 0, percent = 0]) => ({ at, percent })).sort((a, b) => a.at - b.at);
  const [lowest] = steps;
  if (lowest === undefined) return "there are no tiers";
  if (new Set(steps.map(({ at }) => at)).size < steps.length) return "two tiers start at the same score";
  const [rest, ...more] = below;
  if (more.length > 0 || (lowest.at > 0 && rest?.[0] !== lowest.at) || (lowest.at === 0 && rest !== undefined))
    return "the tiers do not cover every score exactly once";
  const percents = [...(rest === undefined ? [] : [rest[1] ?? 0]), ...steps.map(({ percent }) => percent)];
  return percents.some((percent, index) => percent < (percents[index - 1] ?? 0)) ? "a higher score pays less" : undefined;
}

/** Client, provider and evaluators must be different, by identity and by principal. */
function requireDistinctParties({ parties: { client, provider, evaluator } }: Agreement): void {
  const named = [
    ...[client, provider, evaluator].map(({ identity, principal }) => ({ identity, principal })),
    ...[evaluator.backup, ...(evaluator.panel ?? [])].flatMap((identity) =>
      identity === undefined ? [] : [{ identity, principal: undefined }],
    ),
  ];
  for (const [index, one] of named.entries()) {
    for (const other of named.slice(0, index)) {
      const sameName = one.identity !== undefined && sameIdentity(one.identity, other.identity);
      if (sameName || (one.principal !== undefined && one.principal === other.principal))
        throw new AgreementRefused(
          "OneParty",
          "Client, provider and evaluators must be different parties",
          one.identity?.value ?? one.principal,
        );
    }
  }
}

export function sameIdentity(one: PartyIdentity, other: PartyIdentity | undefined): boolean {
  return one.scheme === other?.scheme && one.value === other.value;
}
