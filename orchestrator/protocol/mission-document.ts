import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { BASIS_POINTS } from "../primitives/amounts.ts";
import { MISSION_CONTEXT } from "./mission-context.ts";
import { COMPARISONS, exposureSchema, optionsSchema } from "./mission-file-schema.ts";
import { ASKED_KINDS } from "./verifier-kinds.ts";

/** Smallest units of the settlement token as decimal text, because JSON numbers lose digits. */
const units = z.string().regex(/^(0|[1-9]\d*)$/);
const hash = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{64}$/)]);

/** What a node is that is a mission of its own (AgentCity 3.4, recursion). */
const branchSchema = z.strictObject({
  goal: z.string().min(1),
  /** Content id of the plan that its legislature is bound to (`mission-plan.ts`). */
  plan: z.string().min(1),
});

/** The node of another mission that a mission is. */
const parentSchema = z.strictObject({
  mission: addressSchema,
  node: z.int().min(0).max(255),
  attempt: z.int().min(0).max(255),
});
export type ParentNode = z.infer<typeof parentSchema>;

/** One node in words; `compile` turns it into two words of packed law. */
export const missionNodeSchema = z
  .strictObject({
    /** 0–255; predecessors have lower numbers. */
    number: z.int().min(0).max(255),
    /** `classify-2`: task and shard, for people. */
    label: z.string().min(1),
    task: z.string().min(1),
    /** Items [from, to) of the mission's input, in order of id; null when the node works on other nodes' output only. */
    shard: z.strictObject({ from: z.int().min(0), to: z.int().min(0) }).nullable(),
    /** Catalogue ids, for people; none when the node is a mission. */
    services: z.array(z.string().min(1)),
    /** What they are: code that may do the work and the schemas that it keeps to, or, without code, any that keeps to them (decision 93). */
    admits: z.array(z.strictObject({ code: hash.optional(), schema: hash })),
    /** What they are given as options; absent when that is nothing. */
    options: optionsSchema.optional(),
    /** Present if the node is not a leaf: it has no executor, and a child session is opened for it. */
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
        /** Percent of the mean, as the constitution had it when the session opened (NUMERIC_TOLERANCE). */
        tolerance: z.int().min(1).max(50).optional(),
      })
      .nullable(),
    /** What the human who reads the output judges it by, and the model where one is asked. */
    rubric: z.string().min(1).optional(),
    /** By which kinds it is judged besides the work done again (`verifier-kinds.ts`): a decision that passes has each of them behind it. */
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

/** Whether any code may do a node's work that keeps to its schemas. */
export function takesAnyCode({ admits }: Pick<MissionNode, "admits">): boolean {
  return admits.some(({ code }) => code === undefined);
}

/** Columns that a law lists. */
export const MAX_COLUMNS = 200;

/** What a law says in words. Its RFC 8785 bytes are what `docHash` is the keccak of; it compiles to exactly one packed law. */
export const missionDocumentSchema = z.strictObject({
  "@context": z.literal(MISSION_CONTEXT),
  "@type": z.literal("MissionSpecification"),
  name: z.string().min(1),
  goal: z.string().min(1),
  /** Present when the mission is a node of another. */
  parent: parentSchema.optional(),
  /** The candidate's name on the ballot: `4 shards, 3 classifiers`. */
  title: z.string().min(1),
  risk: z.enum(["LOW", "MEDIUM", "HIGH"]),
  /** What is at stake beside the money, as far as the sponsor stated it, each 0–1: the risk is at least what follows from it (decision 8). */
  exposure: exposureSchema.optional(),
  budget: units,
  /** Seconds from deployment to expiry. */
  duration: z.int().positive(),
  input: z.strictObject({
    kind: z.enum(["packages", "files", "urls", "csv"]),
    count: z.int().min(0),
    /** Content-id digest of the canonical list of items, in order of id. */
    digest: hash,
    /** Of a table, in its own order: JSON objects have none. Left out of very wide ones. */
    columns: z.array(z.string()).max(MAX_COLUMNS).optional(),
  }),
  nodes: z.array(missionNodeSchema).min(1).max(256),
  /** Content id of the plan that the nodes carry out, where producers planned the tasks (`mission-plan.ts`). */
  plan: z.string().min(1).optional(),
  output: z.strictObject({ task: z.string().min(1), format: z.string().min(1) }),
  /** What the output must satisfy, judged by the panel's policy question. */
  predicates: z.array(z.union([z.literal("every-input-covered"), z.strictObject({ maxBytes: z.int().positive() })])),
  /** Gate predicate of the mission's output; 0 = none. */
  outputPredicate: z.int().min(0),
  /** Hybrid mode (AgentCity B.11.6): seconds from when a node can start to the checkpoint that carries its work. Absent, every stage is on chain. */
  anchorInterval: z.int().min(1).max(65_535).optional(),
  /** Only its parties read what is worked on in it (`read-access.ts`). Absent, everybody does once it is over. */
  visibility: z.literal("parties").optional(),
});

export type MissionNode = z.infer<typeof missionNodeSchema>;
export type MissionDocument = z.infer<typeof missionDocumentSchema>;
