import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import { MISSION_CONTEXT } from "./mission-context.ts";
import { COMPARISONS, exposureSchema, optionsSchema } from "./mission-file-schema.ts";
import { ASKED_KINDS } from "./verifier-kinds.ts";

/** Smallest units of the settlement token as decimal text, because JSON numbers lose digits. */
const units = z.string().regex(/^(0|[1-9]\d*)$/);
const hash = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{64}$/)]);

/** A node that is a mission of its own (AgentCity 3.4, recursion). */
const branchSchema = z.strictObject({
  goal: z.string().min(1),
  /** Content id of the plan that its legislature is bound to (`mission-plan.ts`). */
  plan: z.string().min(1),
});

/** The parent node of a child mission. */
const parentSchema = z.strictObject({
  mission: addressSchema,
  node: z.int().min(0).max(255),
  attempt: z.int().min(0).max(255),
});
export type ParentNode = z.infer<typeof parentSchema>;

/** One node in readable form; `compile` turns it into two words of packed law. */
const missionNodeSchema = z
  .strictObject({
    /** 0–255; predecessors have lower numbers. */
    number: z.int().min(0).max(255),
    /** `classify-2`: task and shard, for display. */
    label: z.string().min(1),
    task: z.string().min(1),
    /** Items [from, to) of the mission's input, in order of id; null if the node works only on other nodes' outputs. */
    shard: z.strictObject({ from: z.int().min(0), to: z.int().min(0) }).nullable(),
    /** Catalogue ids, for display; none if the node is a mission. */
    services: z.array(z.string().min(1)),
    /**
     * Hashes of the admitted services: code that may do the work and the schemas it must meet or, without code, any code that meets them
     * (decision 93).
     */
    admits: z.array(z.strictObject({ code: hash.optional(), schema: hash })),
    /** Options passed to the services; absent if empty. */
    options: optionsSchema.optional(),
    /** Present for a branch node: it has no executor, and a child session is opened for it. */
    mission: branchSchema.optional(),
    /** Numbers of the nodes whose output it receives. */
    after: z.array(z.int().min(0).max(254)),
    tier: z.union([z.literal(1), z.literal(2), z.literal(3)]),
    redundancy: z.int().min(1).max(5),
    threshold: z.int().min(1).max(5),
    /** How outputs of redundant executors are compared (tier 2). */
    agree: z
      .strictObject({
        on: z.string().min(1),
        as: z.enum(COMPARISONS).optional(),
        atLeastBps: z.int().min(0).max(BASIS_POINTS),
        /** Percent of the mean, as in the constitution when the session opened (NUMERIC_TOLERANCE). */
        tolerance: z.int().min(1).max(50).optional(),
      })
      .nullable(),
    /** Criteria for the human who reviews the output, and for the model if the law requires one. */
    rubric: z.string().min(1).optional(),
    /** Kinds of check required in addition to re-execution (`verifier-kinds.ts`): a passing decision needs every one of them. */
    verifiers: z.array(z.enum(ASKED_KINDS)).min(1).optional(),
    risk: z.enum(["LOW", "MEDIUM", "HIGH"]),
    floor: z.enum(["SELF", "SIGN", "WIT", "REC", "ATT", "PROOF"]),
    questions: z.array(z.enum(["PERFORMANCE", "POLICY"])).min(1),
    band: z.enum(["LOW", "MODERATE", "ELEVATED", "CRITICAL"]),
    panelSize: z.int().min(1).max(7),
    /** Seconds. */
    timeout: z.int().positive(),
    /** Seconds. */
    reviewWindow: z.int().positive(),
    budget: units,
    /** Gate predicate id; 0 = none. */
    predicate: z.int().min(0),
    /** Ten required levels, 0–255. */
    capabilities: z.array(z.int().min(0).max(255)).length(10),
  })
  .refine(({ services, mission }) => (services.length === 0) === (mission !== undefined), {
    error: "a node has services, or is a mission of its own",
  })
  .refine(({ services, admits }) => services.length === admits.length, { error: "every service of a node is admitted by its hashes" })
  .refine(({ admits }) => new Set(admits.map(({ code }) => code === undefined)).size <= 1, {
    error: "a node admits any code, or such as it names",
  });

/** Whether any code that meets the schemas may do a node's work. */
export function takesAnyCode({ admits }: Pick<MissionNode, "admits">): boolean {
  return admits.some(({ code }) => code === undefined);
}

/** Maximum number of columns that a law lists. */
export const MAX_COLUMNS = 200;

/** A law in readable form. `docHash` is the keccak of its RFC 8785 bytes; it compiles to exactly one packed law. */
export const missionDocumentSchema = z.strictObject({
  "@context": z.literal(MISSION_CONTEXT),
  "@type": z.literal("MissionSpecification"),
  name: z.string().min(1),
  goal: z.string().min(1),
  /** Present if the mission is a node of another mission. */
  parent: parentSchema.optional(),
  /** The candidate's name on the ballot: `4 shards, 3 classifiers`. */
  title: z.string().min(1),
  risk: z.enum(["LOW", "MEDIUM", "HIGH"]),
  /** What is at stake apart from the money, as far as the sponsor stated it, each 0–1; a lower bound for the risk (decision 8). */
  exposure: exposureSchema.optional(),
  budget: units,
  /** Seconds from deployment to expiry. */
  duration: z.int().positive(),
  input: z.strictObject({
    kind: z.enum(["packages", "files", "urls", "csv"]),
    count: z.int().min(0),
    /** Content-id digest of the canonical list of items, in order of id. */
    digest: hash,
    /** Columns of a table in their own order, since JSON objects have none. Omitted for very wide tables. */
    columns: z.array(z.string()).max(MAX_COLUMNS).optional(),
  }),
  nodes: z.array(missionNodeSchema).min(1).max(256),
  /** Content id of the plan that the nodes carry out, if producers planned the tasks (`mission-plan.ts`). */
  plan: z.string().min(1).optional(),
  output: z.strictObject({ task: z.string().min(1), format: z.string().min(1) }),
  /** Conditions that the output must satisfy, judged under the panel's policy question. */
  predicates: z.array(z.union([z.literal("every-input-covered"), z.strictObject({ maxBytes: z.int().positive() })])),
  /** Gate predicate of the mission's output; 0 = none. */
  outputPredicate: z.int().min(0),
  /**
   * Hybrid mode (AgentCity B.11.6): seconds from a node's possible start to the checkpoint that contains its work. Absent: every stage is
   * on chain.
   */
  anchorInterval: z.int().min(1).max(65_535).optional(),
  /** The mission's contents are readable by its parties only (`read-access.ts`). Absent: public once it is over. */
  visibility: z.literal("parties").optional(),
});

export type MissionNode = z.infer<typeof missionNodeSchema>;
export type MissionDocument = z.infer<typeof missionDocumentSchema>;
